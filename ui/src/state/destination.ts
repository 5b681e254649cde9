// Where the main window is to go, and how its address says so.
import { PAGES, type MainPage } from './pages';

export type { MainPage };

/** The pages with a list of what agents do and did. */
const LIST_PAGES = ['inbox', 'sessions', 'history'] as const satisfies readonly MainPage[];
export type ListPage = (typeof LIST_PAGES)[number];

/** Whether a page has a list of conversations or requests. */
export function isListPage(page: MainPage): page is ListPage {
  return (LIST_PAGES as readonly MainPage[]).includes(page);
}

export interface Destination {
  page: MainPage;
  /** What to open there: a conversation, or of the settings a section; null for nothing in particular. */
  at: string | null;
}

/**
 * What `#main`, `#main/PAGE` or `#main/PAGE/AT` names; null for any other address, which is the
 * review window's. A page that isn't known is the inbox.
 */
export function destinationOf(hash: string): Destination | null {
  const [place, page, at] = hash.replace(/^#/, '').split('/');
  if (place !== 'main') return null;
  const known = PAGES.find((each) => each.page === page)?.page;
  return { page: known ?? 'inbox', at: (known && at) || null };
}
