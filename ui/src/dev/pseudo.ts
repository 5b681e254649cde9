// Pseudo-languages for the fixtures and the tests: texts twice as long, and right to left.
import type { Pseudo } from '../i18n/text.svelte';

/** Every text with accents and a tail that doubles it: what is cut off or breaks the layout shows. */
export const LONG: Pseudo = {
  rtl: false,
  transform: (text) =>
    text.trim() === ''
      ? text
      : `${text.replace(/[aeiou]/g, (vowel) => ACCENTED[vowel] ?? vowel)}${'·'.repeat(text.trim().length)}`,
};

/** The layout of a language written right to left, with the English words. */
export const RTL: Pseudo = { rtl: true, transform: (text) => text };

const ACCENTED: Record<string, string> = { a: 'á', e: 'é', i: 'í', o: 'ó', u: 'ú' };
