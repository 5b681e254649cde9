// The pages of the main window. A page is a folder with a `page.ts`, which says by default all that the window has to
// know of it: the rail, the keys, the addresses and the sheet of keys follow. The folder's name is the page's.
import type { Component } from 'svelte';
import type { IconName, Picture } from '../components/Icon.svelte';
import type { Reading } from '../conversation/reading.svelte';
import type { PaletteGroup } from '../palette/entries';
import type { Hearing } from './hearing';
import type { KeyGroup } from './key-sheet';
import type { Main } from './main.svelte';

/** A page's name. Only `PAGES` knows which there are. */
export type MainPage = string;

/** What a `page.ts` says. It is part of what the main window begins with, so it is small. */
export interface PageRow {
  /** Its place in the rail, from above; the first page is the default. */
  order: number;
  /** Whether the places of another kind begin with it. */
  apart?: boolean;
  icon: IconName | Picture;
  /** The id of its name, and of the name with a count for those who don't see that. */
  label: string;
  counted?: string;
  /** What is to be counted there; 0 for nothing worth a number. */
  count?: (main: Main) => number;
  /** Whether the count asks for the person. */
  asks?: boolean;
  /** Whether it has a place in the rail while it doesn't stand; absent where it always has. Its keys lead to it all the same. */
  listed?: (main: Main) => boolean;
  /** Looks up what its place in the rail shows, whenever the window has a new snapshot. Says nothing of what goes wrong. */
  look?: (main: Main) => Promise<void>;
  /** The key after G, and the one with Ctrl. */
  letter: string;
  digit: string;
  /** Its own keys, for the sheet of them. */
  keys?: () => Promise<KeyGroup>;
  /** What the palette finds of it, besides the page itself. */
  palette?: (main: Main) => Promise<PaletteGroup>;
  /** Its component, loaded when it first stands, so that the window begins with what it shows. */
  load: () => Promise<{ default: Component<{ main: Main }> }>;
  /**
   * What it reads whenever it comes to stand before the person, once the window has its snapshot. It says itself what
   * goes wrong.
   */
  begin?: (main: Main) => Promise<void>;
  /** What it does about events, whether it stands or not. State that is made later says `main.hears`. */
  hears?: (main: Main) => Hearing;
  /**
   * Shows what its address names. Without this that is `main.section`, until the page's component takes it or another
   * page stands.
   */
  open?: (main: Main, at: string) => void;
  /** What its address says after `?`: what it is narrowed down to. */
  narrowed?: (main: Main) => string;
  /** Does what an address says after `?`. */
  narrow?: (main: Main, address: string) => void;
  /** Its list of conversations or requests. */
  list?: (main: Main) => PageList;
}

/** A list of what agents do and did, and what is read beside it. */
export interface PageList {
  readonly rows: readonly unknown[];
  readonly reading: Reading;
}

interface PageEntry extends PageRow {
  page: MainPage;
}

const found = import.meta.glob<PageRow>('../*/page.ts', { eager: true, import: 'default' });

export const PAGES: readonly PageEntry[] = Object.entries(found)
  .map(([path, row]) => ({ ...row, page: path.split('/').at(-2) ?? '' }))
  .sort((one, other) => one.order - other.order);

/** The page of this name; the default where there is none. */
export function pageOf(name: MainPage): PageEntry {
  const page = PAGES.find((each) => each.page === name) ?? PAGES[0];
  if (!page) throw new Error('there is no page');
  return page;
}
