// The mock gate's person: here or away, notes to agents, what is put off, replies that are held.
import type { Command } from '../generated/Command';
import type { Draft } from '../generated/Draft';
import type { Event } from '../generated/Event';
import type { Presence } from '../generated/Presence';
import type { RequestView } from '../generated/RequestView';
import type { SessionSummary } from '../generated/SessionSummary';
import { ago } from './build';
import type { Answer } from '../state/port';

const HOLD = 5_000;
const done: Answer = {};

export class MockPerson {
  presence: Presence;
  #views: Map<string, RequestView>;
  #sessions: () => SessionSummary[];
  #emit: (event: Event) => void;
  #held = new Map<string, RequestView>();
  #notes = 0;

  constructor(
    scene: string,
    views: Map<string, RequestView>,
    sessions: () => SessionSummary[],
    emit: (event: Event) => void,
  ) {
    const tonight = new Date();
    tonight.setHours(22, 0, 0, 0);
    this.presence = {
      away: scene === 'away',
      away_since: scene === 'away' ? ago(1_500) : null,
      quiet: scene === 'quiet',
      quiet_until: scene === 'quiet' ? tonight.toISOString() : null,
      do_not_disturb: scene === 'quiet',
    };
    this.#views = views;
    this.#sessions = sessions;
    this.#emit = (event) => queueMicrotask(() => emit(event));
  }

  /** Answers what is the person's to do; null for other commands. */
  command(command: Command): Answer | null {
    switch (command.command) {
      case 'set_away':
        return this.#be({ away: command.away, away_since: command.away ? ago(0) : null });
      case 'set_do_not_disturb':
        return this.#be({ do_not_disturb: command.on, quiet: command.on, quiet_until: command.until });
      case 'snooze':
        return this.#snooze(command.request_id, { until: command.until });
      case 'wake':
        return this.#snooze(command.request_id, null);
      case 'dismiss_abandoned':
        for (const id of command.request_ids) this.#views.delete(id);
        this.#emit({ event: 'requests_closed', request_ids: command.request_ids, status: 'cancelled' });
        return { request_ids: command.request_ids };
      case 'send_note':
        return this.#note(command.session_uuid, command.text);
      case 'take_back_note':
        return this.#change(
          (session) => session.notes.some((note) => note.note_id === command.note_id),
          (session) => session.notes.filter((note) => note.note_id !== command.note_id),
        );
      case 'send_reply':
        return this.#hold(command.request_id, command.draft);
      case 'undo_reply': {
        const request = this.#held.get(command.request_id);
        if (!request)
          throw {
            code: 'not_pending',
            message: 'The reply has gone out.',
            mend: 'Write to the agent again.',
          };
        this.#held.delete(command.request_id);
        this.#views.set(command.request_id, request);
        this.#emit({ event: 'request_added', request: request.summary, view: null, again: true });
        return { request: structuredClone(request) };
      }
      case 'send_now':
        this.#held.delete(command.request_id);
        return done;
      default:
        return null;
    }
  }

  #be(how: Partial<Presence>): Answer {
    this.presence = { ...this.presence, ...how };
    this.#emit({ event: 'presence_changed', presence: this.presence });
    return done;
  }

  #snooze(id: string, snoozed: { until: string | null } | null): Answer {
    const view = this.#views.get(id);
    if (!view)
      throw { code: 'unknown_request', message: 'There is no such request.', mend: 'It may be gone.' };
    const request = { ...view.summary, snoozed };
    this.#views.set(id, { ...view, summary: request });
    this.#emit({ event: 'request_changed', request });
    return done;
  }

  #note(id: string, text: string): Answer {
    this.#notes += 1;
    const note = { note_id: `note-${this.#notes}`, text, created_at: ago(0) };
    return this.#change(
      (session) => session.session_uuid === id,
      (session) => [...session.notes, note],
    );
  }

  #change(
    which: (session: SessionSummary) => boolean,
    notes: (of: SessionSummary) => SessionSummary['notes'],
  ) {
    const session = this.#sessions().find(which);
    if (!session)
      throw { code: 'unknown_note', message: 'The note is gone.', mend: 'It was delivered, or taken back.' };
    session.notes = notes(session);
    this.#emit({ event: 'session_changed', session: { ...session } });
    return done;
  }

  #hold(id: string, draft: Draft): Answer {
    const view = this.#views.get(id);
    if (!view) return done;
    this.#views.delete(id);
    this.#held.set(id, { ...view, draft });
    setTimeout(() => this.#held.delete(id), HOLD);
    const undo_until = new Date(Date.now() + HOLD).toISOString();
    this.#emit({ event: 'request_closed', request_id: id, status: 'answered', undo_until });
    return done;
  }
}
