// The pages of the main window, in the order in which the rail shows them; the first is the default. Another
// page is a row here, its component and its texts: the rail, the keys and the addresses follow.
import type { Component } from 'svelte';
import type { Main } from './main.svelte';

interface Row {
  /** Its component. Each page is loaded when it first stands, so that the window begins with what it shows. */
  load: () => Promise<{ default: Component<{ main: Main }> }>;
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

const rows = {
  inbox: {
    load: () => import('../inbox/InboxPage.svelte'),
    icon: 'inbox',
    label: 'main-inbox',
    counted: 'main-inbox-counted',
    count: (main: Main) => main.inbox.waiting.length,
    asks: true,
    letter: 'i',
    digit: '1',
  },
  sessions: {
    load: () => import('../sessions/SessionsPage.svelte'),
    icon: 'sessions',
    label: 'main-sessions',
    counted: 'main-sessions-counted',
    count: (main: Main) => main.sessions.active.length,
    asks: false,
    letter: 's',
    digit: '2',
  },
  history: {
    load: () => import('../history/HistoryPage.svelte'),
    icon: 'history',
    label: 'main-history',
    counted: 'main-history',
    count: () => 0,
    asks: false,
    letter: 'h',
    digit: '3',
  },
  prompts: {
    load: () => import('../prompts/PromptsPage.svelte'),
    icon: 'note',
    label: 'main-prompts',
    counted: 'main-prompts',
    count: () => 0,
    asks: false,
    letter: 'p',
    digit: '4',
  },
  connect: {
    load: () => import('../connect/ConnectPage.svelte'),
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
    load: () => import('../doctor/DoctorPage.svelte'),
    icon: 'pulse',
    label: 'main-doctor',
    counted: 'main-doctor',
    count: () => 0,
    asks: false,
    letter: 'd',
    digit: '6',
  },
  settings: {
    load: () => import('../settings/SettingsPage.svelte'),
    icon: 'sliders',
    label: 'main-settings',
    counted: 'main-settings',
    count: () => 0,
    asks: false,
    letter: ',',
    digit: ',',
  },
} satisfies Record<string, Row>;

export type MainPage = keyof typeof rows;

export interface PageEntry extends Row {
  page: MainPage;
}

export const PAGES: readonly PageEntry[] = (Object.keys(rows) as MainPage[]).map((page) => ({
  ...rows[page],
  page,
}));

/** A page's component. */
export const componentOf = (page: MainPage): ReturnType<Row['load']> => rows[page].load();
