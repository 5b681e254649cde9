// What the palette goes to or does, and which of it words find. Pure.
import type { IconName, Picture } from '../components/Icon.svelte';

export interface PaletteEntry {
  /** Unlike any other's. */
  key: string;
  /** What it is called. */
  label: string;
  /** Whose it is, or where it stands. */
  hint?: string;
  icon: IconName | Picture;
  /** Other words that find it. */
  words?: string;
  /** The keys that do the same. */
  keys?: readonly string[];
  act: () => void;
}

export interface PaletteGroup {
  /** The id of its name. */
  name: string;
  /** Whether it is only found by words: it has too many to be looked through. */
  asked?: boolean;
  entries: readonly PaletteEntry[];
}

/** Most entries of a group that are shown: more of them are found by more words. */
export const MOST = 20;

/** The groups with what holds all words of a text, somewhere in its name, its hint or its other words. */
export function found(groups: readonly PaletteGroup[], text: string): PaletteGroup[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const holds = ({ label, hint = '', words: others = '' }: PaletteEntry) => {
    const all = `${label}\n${hint}\n${others}`.toLowerCase();
    return words.every((word) => all.includes(word));
  };
  return groups
    .filter(({ asked }) => !asked || words.length > 0)
    .map((group) => ({
      ...group,
      entries: group.entries.filter(holds).slice(0, MOST),
    }))
    .filter(({ entries }) => entries.length > 0);
}
