// Theme and text size of the page. The theme is always resolved to light or dark here, so that the
// style sheets define each of them once.
import type { WindowSettings } from '../generated/WindowSettings';

const systemDark = () => window.matchMedia?.('(prefers-color-scheme: dark)');

/** Follows the settings, and the system where they say so. Answers how to stop. */
export function follow(settings: WindowSettings | null): () => void {
  const root = document.documentElement;
  const query = systemDark();
  const apply = () => {
    const named = settings?.theme === 'light' || settings?.theme === 'dark' ? settings.theme : null;
    root.dataset.theme = named ?? (query?.matches ? 'dark' : 'light');
  };
  apply();
  const pixels = Math.min(24, Math.max(11, settings?.font_size ?? 14));
  root.style.setProperty('--text-size', `${pixels}px`);
  query?.addEventListener('change', apply);
  return () => query?.removeEventListener('change', apply);
}
