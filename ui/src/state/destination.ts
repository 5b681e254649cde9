// Where the main window is to go, and how its address says so.
import type { SessionUuid } from '../generated/SessionUuid';

export type MainPage = 'sessions' | 'history';

export interface Destination {
  page: MainPage;
  /** The conversation to open there; null for none in particular. */
  session: SessionUuid | null;
}

/**
 * What `#main`, `#main/sessions`, `#main/history` or `#main/history/SESSION` names; null for any other
 * address, which is the review window's.
 */
export function destinationOf(hash: string): Destination | null {
  const [place, page, session] = hash.replace(/^#/, '').split('/');
  if (place !== 'main') return null;
  return { page: page === 'history' ? 'history' : 'sessions', session: session || null };
}
