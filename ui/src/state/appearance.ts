// Theme, text size, motion and language of the page. The theme is always resolved to light or dark here,
// so that the style sheets define each of them once; motion likewise.
import { speak } from '../i18n/text.svelte';
import type { WindowSettings } from '../generated/WindowSettings';

/** Sizes of running text in pixels that the windows hold. */
export const SMALLEST_TEXT = 11;
export const LARGEST_TEXT = 24;

const asks = (what: string) => window.matchMedia?.(`(${what})`);

/** Follows the settings, and the system where they say so. Answers how to stop. */
export function follow(settings: WindowSettings | null): () => void {
  const root = document.documentElement;
  const dark = asks('prefers-color-scheme: dark');
  const calm = asks('prefers-reduced-motion: reduce');
  const apply = () => {
    const named = settings?.theme === 'light' || settings?.theme === 'dark' ? settings.theme : null;
    root.dataset.theme = named ?? (dark?.matches ? 'dark' : 'light');
    root.dataset.motion = settings?.reduced_motion || calm?.matches ? 'reduced' : 'full';
  };
  const translate = () => {
    // Without its catalogue the windows go on in the language that they have.
    void import('../i18n/languages')
      .then(({ languageFor }) => speak(languageFor(settings?.language ?? 'system', navigator.languages)))
      .catch(() => undefined);
  };
  apply();
  translate();
  const pixels = Math.min(LARGEST_TEXT, Math.max(SMALLEST_TEXT, settings?.font_size ?? 14));
  root.style.setProperty('--text-size', `${pixels}px`);
  for (const query of [dark, calm]) query?.addEventListener('change', apply);
  window.addEventListener('languagechange', translate);
  return () => {
    for (const query of [dark, calm]) query?.removeEventListener('change', apply);
    window.removeEventListener('languagechange', translate);
  };
}
