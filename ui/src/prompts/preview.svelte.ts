// What a prompt gives, asked of the gate as it is written and filled in. What was there stands until the
// next answer is there; an answer that was overtaken is dropped.
import type { Fault } from '../generated/Fault';
import type { Prompt } from '../generated/Prompt';
import type { PromptPreview } from '../generated/PromptPreview';
import type { UnsavedPrompt } from '../generated/UnsavedPrompt';
import { ask, toFault, type Port } from '../state/port';
import { given, type Values } from './arguments';

/** How long typing rests before the gate is asked, in milliseconds. */
export const REST = 180;

export interface Wanted {
  id: string;
  /** A text that isn't saved; null for the prompt as it is served. */
  unsaved: UnsavedPrompt | null;
  /** The prompt as it was last known, for its arguments. */
  prompt: Prompt | null;
}

export class Preview {
  told = $state.raw<PromptPreview | null>(null);
  /** Why there is none. */
  fault = $state.raw<Fault | null>(null);
  /** What was put in for the arguments. */
  values = $state.raw<Values>(new Map());
  /** The last prompt that a text made: its fields stay while the text is in between. */
  prompt = $state.raw<Prompt | null>(null);
  /** The last that was rendered: it stays while something is missing or wrong. */
  rendered = $state.raw<PromptPreview['rendered']>(null);
  /** Whether what stands is older than what was asked last. */
  waiting = $state(false);

  #port: Port;
  #turn = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(port: Port) {
    this.#port = port;
  }

  /** Puts in what was typed or chosen for an argument; `undefined` leaves it to its default. */
  put(name: string, value: string | undefined): void {
    const values = new Map(this.values);
    if (value === undefined) values.delete(name);
    else values.set(name, value);
    this.values = values;
  }

  /** Asks soon: more may be typed. */
  soon(wanted: Wanted): void {
    clearTimeout(this.#timer);
    this.#turn += 1;
    this.waiting = true;
    this.#timer = setTimeout(() => void this.now(wanted), REST);
  }

  async now({ id, unsaved, prompt }: Wanted): Promise<void> {
    clearTimeout(this.#timer);
    const turn = (this.#turn += 1);
    this.waiting = true;
    if (prompt && !unsaved) this.prompt = prompt;
    const declared = this.prompt?.arguments ?? prompt?.arguments ?? [];
    try {
      const { preview } = await ask(this.#port, {
        command: 'preview_prompt',
        prompt_id: id,
        unsaved,
        arguments: given(declared, this.values),
      });
      if (turn !== this.#turn) return;
      this.told = preview;
      this.fault = null;
      if (preview.prompt) this.prompt = preview.prompt;
      if (preview.rendered) this.rendered = preview.rendered;
    } catch (thrown) {
      if (turn !== this.#turn) return;
      this.fault = toFault(thrown);
    }
    this.waiting = false;
  }

  /** Whoever waited for an answer doesn't any more. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#turn += 1;
    this.waiting = false;
  }
}
