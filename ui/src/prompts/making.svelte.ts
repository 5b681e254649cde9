// A prompt that is being made: what it is to be called, how it is written, and its text.
import type { Fault } from '../generated/Fault';
import type { PromptFormat } from '../generated/PromptFormat';
import type { PromptView } from '../generated/PromptView';
import { t } from '../i18n/text.svelte';
import { ask, toFault, type Port } from '../state/port';
import { idProblem } from './ids';
import { Preview } from './preview.svelte';
import { NEW_FORMATS, startingText } from './starting';

export class Making {
  id = $state('');
  format = $state<PromptFormat>(NEW_FORMATS[0]);
  text = $state(startingText(NEW_FORMATS[0]));
  /** Why its id is none; said once it was tried, or as soon as a wrong one is typed. */
  problem = $state<string | null>(null);
  refused = $state.raw<Fault | null>(null);
  busy = $state(false);
  readonly preview: Preview;

  #port: Port;
  #ids: () => ReadonlySet<string>;

  /** `ids` are those of the prompts that the person has. */
  constructor(port: Port, ids: () => ReadonlySet<string>) {
    this.#port = port;
    this.#ids = ids;
    this.preview = new Preview(port);
    this.look(true);
  }

  readonly problems = $derived.by(() => this.preview.told?.problems ?? []);
  /** Whether the person has written anything of their own. */
  readonly touched = $derived(this.id.trim() !== '' || this.text !== startingText(this.format));

  name(id: string): void {
    this.id = id;
    this.refused = null;
    this.problem = id.trim() === '' ? null : this.#wrong(id);
  }

  /** Takes another format; a text that nobody has changed follows. */
  choose(format: PromptFormat): void {
    if (this.text === startingText(this.format)) this.text = startingText(format);
    this.format = format;
    this.look(true);
  }

  write(text: string): void {
    this.text = text;
    this.refused = null;
    this.look();
  }

  put(name: string, value: string | undefined): void {
    this.preview.put(name, value);
    this.look();
  }

  look(now = false): void {
    const { id, format, text } = this;
    const wanted = { id: this.#wrong(id) ? '' : id.trim(), unsaved: { format, text }, prompt: null };
    if (now) void this.preview.now(wanted);
    else this.preview.soon(wanted);
  }

  /** Writes it. Answers the prompt that it became. */
  async save(): Promise<PromptView | null> {
    const id = this.id.trim();
    this.problem = this.#wrong(id);
    if (this.problem || this.busy) return null;
    this.busy = true;
    try {
      const { format, text } = this;
      const { prompt } = await ask(this.#port, {
        command: 'save_prompt',
        prompt_id: id,
        prompt: { format, text },
        seen: null,
      });
      this.preview.stop();
      return prompt;
    } catch (thrown) {
      const fault = toFault(thrown);
      if (fault.code === 'name_taken') this.problem = t('prompts-id-taken');
      else this.refused = fault;
      return null;
    } finally {
      this.busy = false;
    }
  }

  #wrong(id: string): string | null {
    return idProblem(id.trim()) ?? (this.#ids().has(id.trim()) ? t('prompts-id-taken') : null);
  }
}
