// The order of sessions, and how long one has been quiet. The present is passed in.
import type { SessionStatus } from '../generated/SessionStatus';
import type { SessionSummary } from '../generated/SessionSummary';
import type { SessionUuid } from '../generated/SessionUuid';
import { t } from '../i18n/text.svelte';
import { agentName } from '../state/format';
import { workspaces } from './workspaces.svelte';

/** How a person calls a status. */
export function statusWord(status: SessionStatus): string {
  return t(`status-${status}`);
}

/** What a status says, in a sentence. The gate can't tell a program that ended from one that was lost. */
export function statusMeaning(status: SessionStatus): string {
  return t(`status-${status}-means`);
}

/** The workspace as the person calls it, and its agent: `infra · Claude Code`. */
export function whose(session: Pick<SessionSummary, 'workspace' | 'workspace_name' | 'client'>): string {
  const name = workspaces.label(session.workspace || session.client, session.workspace_name);
  return [name, agentName(session.client)].filter(Boolean).join(' · ');
}

const heard = (session: SessionSummary) =>
  Math.max(Date.parse(session.spoke_at), Date.parse(session.progress?.updated_at ?? session.spoke_at));

/**
 * Active ones first, the latest begun on top: an order that stays as they speak. Then the ended ones,
 * the latest heard on top.
 */
export function orderedSessions(sessions: readonly SessionSummary[]): SessionSummary[] {
  return [...sessions].sort((a, b) => {
    const [first, second] = [a.status === 'active', b.status === 'active'];
    if (first !== second) return first ? -1 : 1;
    const byTime = first ? Date.parse(b.created_at) - Date.parse(a.created_at) : heard(b) - heard(a);
    return byTime || (a.session_uuid < b.session_uuid ? -1 : 1);
  });
}

/** The list with this session new or renewed in it. */
export function withSession(sessions: readonly SessionSummary[], session: SessionSummary): SessionSummary[] {
  return orderedSessions([...withoutSession(sessions, session.session_uuid), session]);
}

/** The list without this session. */
export function withoutSession(sessions: readonly SessionSummary[], id: SessionUuid): SessionSummary[] {
  return sessions.filter((other) => other.session_uuid !== id);
}

/** Milliseconds since the session was last heard of. */
export function quietFor(session: SessionSummary, now: number): number {
  return Math.max(0, now - heard(session));
}

/** Under this the agent counts as speaking right now, in milliseconds. */
export const SPEAKING = 5_000;
