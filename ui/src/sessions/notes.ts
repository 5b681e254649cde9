// Notes to agents that are still working: giving one, giving one to all, taking one back.
import type { Note } from '../generated/Note';
import type { SessionSummary } from '../generated/SessionSummary';
import { t } from '../i18n/text.svelte';
import { ask, toFault, type Port } from '../state/port';
import type { Toasts } from '../state/toasts.svelte';

/** gate-core/src/bounds.rs: characters of a note. */
export const NOTE_CHARS = 10_000;

export class Notes {
  #port: Port;
  #toasts: Toasts;

  constructor(port: Port, toasts: Toasts) {
    this.#port = port;
    this.#toasts = toasts;
  }

  /** Gives an agent a note. Throws a `Fault`, so that what was written stays where it is. */
  async send(session: SessionSummary, text: string): Promise<void> {
    await this.#give(session, text);
    this.#toasts.show(t('sessions-note-sent'));
  }

  /** Gives each of them the note. Throws a `Fault` only where none of them gets it. */
  async broadcast(sessions: readonly SessionSummary[], text: string): Promise<void> {
    const given = await Promise.allSettled(sessions.map((session) => this.#give(session, text)));
    const refused = given.filter((each) => each.status === 'rejected');
    const [first] = refused;
    if (first && refused.length === given.length) throw toFault(first.reason);
    this.#toasts.show(t('sessions-broadcast-sent', { n: given.length - refused.length }));
    if (first)
      this.#toasts.failed(t('sessions-broadcast-failed', { n: refused.length }), toFault(first.reason));
  }

  /** Takes a note back that wasn't delivered yet. */
  async takeBack(note: Note): Promise<void> {
    try {
      await ask(this.#port, { command: 'take_back_note', note_id: note.note_id });
      this.#toasts.show(t('sessions-note-taken-back'));
    } catch (thrown) {
      const fault = toFault(thrown);
      this.#toasts.show(`${fault.message} ${fault.mend}`.trim(), { tone: 'danger' });
    }
  }

  async #give(session: SessionSummary, text: string): Promise<void> {
    const { session_uuid } = session;
    await ask(this.#port, { command: 'send_note', session_uuid, text: text.trim() });
  }
}
