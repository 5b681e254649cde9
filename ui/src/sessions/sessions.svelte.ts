// The sessions in memory, live, and what a person does with one.
import type { Fault } from '../generated/Fault';
import type { SessionSummary } from '../generated/SessionSummary';
import type { SessionUuid } from '../generated/SessionUuid';
import { t } from '../i18n/text.svelte';
import { ask, toFault, type Port } from '../state/port';
import { Reading } from '../conversation/reading.svelte';
import { orderedSessions, withoutSession, withSession } from './session-list';
import type { Toasts } from '../state/toasts.svelte';

export class Sessions {
  list = $state.raw<readonly SessionSummary[]>([]);
  selected = $state<SessionUuid | null>(null);
  /** Why the chosen session couldn't be closed or opened again. */
  fault = $state.raw<Fault | null>(null);
  readonly reading: Reading;

  readonly active = $derived(this.list.filter((session) => session.status === 'active'));
  readonly ended = $derived(this.list.filter((session) => session.status !== 'active'));
  readonly current = $derived(this.list.find((session) => session.session_uuid === this.selected) ?? null);

  #port: Port;
  #toasts: Toasts;

  constructor(port: Port, toasts: Toasts) {
    this.#port = port;
    this.#toasts = toasts;
    this.reading = new Reading(port, toasts);
  }

  /** Takes all sessions as they are now; the choice stays where it can. */
  set(sessions: readonly SessionSummary[]): void {
    this.list = orderedSessions(sessions);
    this.#settle(0);
  }

  changed(session: SessionSummary): void {
    this.list = withSession(this.list, session);
    this.#settle(0);
  }

  forgotten(id: SessionUuid): void {
    const place = this.list.findIndex((session) => session.session_uuid === id);
    this.list = withoutSession(this.list, id);
    if (this.selected === id) this.reading.inside = false;
    this.#settle(Math.max(0, place));
  }

  /** Chooses a session. `passing` while the person moves through the list. */
  select(id: SessionUuid | null, passing = false): void {
    if (id !== this.selected) this.fault = null;
    this.selected = id;
    this.reading.show(id, passing);
  }

  /** Moves the choice by so many rows; stops at both ends. */
  move(step: number): void {
    const last = this.list.length - 1;
    const place = this.list.findIndex((session) => session.session_uuid === this.selected);
    const session = this.list[Math.min(last, Math.max(0, place + step))];
    if (session) this.select(session.session_uuid, true);
  }

  /** Says that the session's work is done; for a moment that can be taken back. */
  async close(id: SessionUuid): Promise<void> {
    const closed = await this.#act({ command: 'close_session', session_uuid: id });
    if (!closed) return;
    this.#toasts.show(t('sessions-closed'), {
      action: { label: t('undo'), act: () => void this.#undoClose(id) },
    });
  }

  async reopen(id: SessionUuid): Promise<void> {
    await this.#act({ command: 'reopen_session', session_uuid: id });
  }

  /** As from the note: the person may be elsewhere by now, so a failure is a note too. */
  async #undoClose(id: SessionUuid): Promise<void> {
    const title = this.list.find((session) => session.session_uuid === id)?.title;
    try {
      await ask(this.#port, { command: 'reopen_session', session_uuid: id });
    } catch (thrown) {
      const what = title ? t('sessions-stays-closed', { title }) : t('sessions-stays-closed-untitled');
      this.#toasts.failed(what, toFault(thrown));
    }
  }

  /** The choice is always one of the list: the one in the place of a session that is gone. */
  #settle(place: number): void {
    if (this.current) return;
    this.select((this.list[place] ?? this.list.at(-1))?.session_uuid ?? null);
  }

  async #act(command: {
    command: 'close_session' | 'reopen_session';
    session_uuid: SessionUuid;
  }): Promise<boolean> {
    this.fault = null;
    try {
      await ask(this.#port, command);
      return true;
    } catch (thrown) {
      const fault = toFault(thrown);
      if (this.selected === command.session_uuid) this.fault = fault;
      else this.#toasts.failed(t('sessions-other-failed'), fault);
      return false;
    }
  }
}
