// A gate that holds replies, keeps snippets, knows files and gives attachments back; and the window over it.
import { fireEvent, render, screen } from '@testing-library/svelte';
import { expect } from 'vitest';
import App from '../src/App.svelte';
import type { Attachment } from '../src/generated/Attachment';
import type { Command } from '../src/generated/Command';
import type { FoundFile } from '../src/generated/FoundFile';
import type { RequestView } from '../src/generated/RequestView';
import type { Snippet } from '../src/generated/Snippet';
import { Review } from '../src/review/review.svelte';
import { armed } from './armed';
import { FakeGate, fault } from './fake-gate';
import type { Answer } from '../src/state/port';

export function snippet(id: string, name: string, text = `Text of ${name}`): Snippet {
  return { snippet_id: id, name, text, uses: 0, used_at: null };
}

export class AnsweringGate extends FakeGate {
  snippets: Snippet[] = [];
  /** What every question for files is answered. */
  files: (query: string) => FoundFile[] = () => [];
  /** What attached files are found to be, by the end of their name. */
  types: Record<string, string> = { png: 'image/png', txt: 'text/plain' };
  readonly bytes = new Map<string, { attachment: Attachment; data: string }>();
  #all: Map<string, RequestView>;
  #held = new Map<string, RequestView>();

  constructor(views: RequestView[] = []) {
    super(views);
    this.#all = new Map(views.map((each) => [each.summary.request_id, structuredClone(each)]));
    this.record = (command) => this.#write(command);
  }

  override async command(command: Command): Promise<Answer> {
    const known = command.command === 'send_reply' ? this.#all.get(command.request_id) : undefined;
    if (command.command === 'read_attachment') {
      const found = this.bytes.get(command.attachment_id);
      if (found) return { ...found };
    }
    const answer = await super.command(command);
    if (command.command === 'attach' && 'attachment' in answer) {
      const end = command.name.split('.').at(-1) ?? '';
      const attachment = { ...answer.attachment, mime_type: this.types[end] ?? 'application/octet-stream' };
      this.bytes.set(attachment.attachment_id, { attachment, data: command.data });
      return { attachment };
    }
    if (command.command === 'send_reply' && known)
      this.#hold(command.request_id, { ...known, draft: command.draft });
    return answer;
  }

  /** From now on the reply can't be taken back: the gate's time is over. */
  ends(id: string): void {
    this.#held.delete(id);
  }

  #hold(id: string, view: RequestView): void {
    const seconds = this.settings.undo_seconds;
    const undo_until = seconds > 0 ? new Date(Date.now() + seconds * 1000).toISOString() : null;
    if (seconds > 0) {
      const attachments = view.draft.attachments.flatMap((each) => this.bytes.get(each)?.attachment ?? []);
      this.#held.set(id, { ...structuredClone(view), attachments });
    }
    this.emit({ event: 'request_closed', request_id: id, status: 'answered', undo_until });
  }

  #write(command: Command): Answer {
    switch (command.command) {
      case 'undo_reply': {
        const request = this.#held.get(command.request_id);
        if (!request) throw fault('not_pending');
        this.#held.delete(command.request_id);
        this.add(request);
        return { request: structuredClone(request) };
      }
      case 'send_now':
        this.#held.delete(command.request_id);
        return {};
      case 'save_snippet': {
        const { snippet_id, name, text } = command;
        const kept = this.snippets.filter((each) => each.snippet_id !== snippet_id);
        this.snippets = [...kept, snippet(snippet_id ?? `new-${this.snippets.length}`, name, text)];
        return { snippets: this.snippets };
      }
      case 'delete_snippet':
        this.snippets = this.snippets.filter((each) => each.snippet_id !== command.snippet_id);
        return { snippets: this.snippets };
      case 'snippets':
        return { snippets: this.snippets };
      case 'use_snippet':
        return {};
      case 'complete_file':
        return { files: this.files(command.query), more: false };
      default:
        throw fault('internal');
    }
  }
}

/** The review window over a gate, ready to be used. */
export async function shown(gate: AnsweringGate) {
  const clock = { ahead: 0 };
  const review = new Review(gate, () => Date.now() + clock.ahead);
  const { container } = render(App, { review });
  await expect.poll(() => gate.readied, { message: 'the window must report its first picture' }).toBe(1);
  await armed();
  const press = (key: string, more: KeyboardEventInit = {}, target: Element = document.body) =>
    fireEvent.keyDown(target, { key, ...more });
  return { review, container, press, clock };
}

export const reply = () => screen.getByTestId<HTMLTextAreaElement>('reply-text');

/** Types into the reply as a person does: the caret is behind what is typed. */
export async function type(text: string): Promise<void> {
  const field = reply();
  field.focus();
  field.value = text;
  field.setSelectionRange(text.length, text.length);
  await fireEvent.input(field);
}
