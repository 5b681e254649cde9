// The pages of the main window as the rail shows them. Another page is a row here, its name in
// `destination.ts` and its component in `MainApp.svelte`.
import { MAIN_PAGES, type MainPage } from './destination';
import type { Main } from './main.svelte';

export interface PageEntry {
  page: MainPage;
  icon: 'inbox' | 'sessions' | 'history' | 'note' | 'plug' | 'pulse' | 'sliders';
  /** The id of its name, and of the name with a count for those who don't see that. */
  label: string;
  counted: string;
  /** What is to be counted there; 0 for nothing worth a number. */
  count: (main: Main) => number;
  /** Whether the count asks for the person. */
  asks: boolean;
  /** The key after G, and the one with Ctrl. */
  letter: string;
  digit: string;
  /** Whether the places of another kind begin with it. */
  apart?: boolean;
}

const entries: Record<MainPage, Omit<PageEntry, 'page'>> = {
  inbox: {
    icon: 'inbox',
    label: 'main-inbox',
    counted: 'main-inbox-counted',
    count: (main) => main.inbox.waiting.length,
    asks: true,
    letter: 'i',
    digit: '1',
  },
  sessions: {
    icon: 'sessions',
    label: 'main-sessions',
    counted: 'main-sessions-counted',
    count: (main) => main.sessions.active.length,
    asks: false,
    letter: 's',
    digit: '2',
  },
  history: {
    icon: 'history',
    label: 'main-history',
    counted: 'main-history',
    count: () => 0,
    asks: false,
    letter: 'h',
    digit: '3',
  },
  prompts: {
    icon: 'note',
    label: 'main-prompts',
    counted: 'main-prompts',
    count: () => 0,
    asks: false,
    letter: 'p',
    digit: '4',
  },
  connect: {
    icon: 'plug',
    label: 'main-connect',
    counted: 'main-connect',
    count: () => 0,
    asks: false,
    letter: 'c',
    digit: '5',
    apart: true,
  },
  doctor: {
    icon: 'pulse',
    label: 'main-doctor',
    counted: 'main-doctor',
    count: () => 0,
    asks: false,
    letter: 'd',
    digit: '6',
  },
  settings: {
    icon: 'sliders',
    label: 'main-settings',
    counted: 'main-settings',
    count: () => 0,
    asks: false,
    letter: ',',
    digit: ',',
  },
};

export const PAGES: readonly PageEntry[] = MAIN_PAGES.map((page) => ({ ...entries[page], page }));
