// Where the main window is to go, and how its address says so.
import { PAGES, pageOf, type MainPage } from './pages';
import { isMainWindow } from './which-window';

export type { MainPage };

export interface Destination {
  page: MainPage;
  /** What to open there: a conversation, or of the settings a section; null for nothing in particular. */
  at: string | null;
  /** What its address says after `?`; absent where no address leads there. */
  query?: string;
}

/** A page and what is to be opened there. Instead of a page that isn't known it is the default. */
export function destination(page: MainPage, at: string | null): Destination {
  return PAGES.some((each) => each.page === page) ? { page, at } : { page: pageOf(page).page, at: null };
}

/**
 * What `#main`, `#main/PAGE` or `#main/PAGE/AT` names, with what follows a `?`; null for any other address, which is the
 * review window's.
 */
export function destinationOf(hash: string): Destination | null {
  const [path = '', query = ''] = hash.split('?', 2);
  const [, page = '', at] = path.split('/');
  return isMainWindow(path) ? { ...destination(page, at || null), query } : null;
}
