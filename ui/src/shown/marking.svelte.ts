// The marks of what is odd in a text. Hardly any text has some: what finds and draws them is loaded with the first
// text that may.
import { t, type TextArguments } from '../i18n/text.svelte';
import type { Mark } from './marks';

type Parts = typeof import('./parts');

/** Text in which nothing can be odd: signs of a keyboard, and no long run of blanks. */
const CALM = /^[\n\x20-\x7e\t]*$/;
const LONG = /[ \t]{16}|(?:\n[ \t]*){20}/;

let parts = $state.raw<Parts | null>(null);
let loading: Promise<void> | undefined;

/** No marks, always the same. */
export const NONE: readonly Mark[] = [];

export const marking = {
  /** What finds and draws marks, where it is here already. */
  get parts(): Parts | null {
    return parts;
  },

  /** Loads it; null where it is here. */
  load(): Promise<void> | null {
    if (parts) return null;
    loading ??= import('./parts').then(
      (module) => {
        parts = module;
      },
      () => {
        // The next text that may be odd tries again.
        loading = undefined;
      },
    );
    return loading;
  },

  /** What there is to say of something odd; empty until the words for it are here. */
  say(id: string, values?: TextArguments): string {
    if (parts) return t(id, values);
    void marking.load();
    return '';
  },

  /** What is odd in a text. Where what finds it isn't here yet, it comes, and whoever draws the text does so again. */
  of(text: string, code = false): readonly Mark[] {
    if (CALM.test(text) && !LONG.test(text)) return NONE;
    if (parts) return parts.marksOf(text, code);
    void marking.load();
    return NONE;
  },
};
