// What a link of an agent's text may do: show where it goes, and open outside of the window.
import { getContext, setContext } from 'svelte';

const KEY = Symbol('open link');

/** Gives every link below this component its way out. */
export function provideLinks(open: (href: string) => void): void {
  setContext(KEY, open);
}

/** How to open a link from here. */
export function linkOpener(): (href: string) => void {
  return getContext<((href: string) => void) | undefined>(KEY) ?? (() => undefined);
}

/**
 * Where a link goes, as a person reads it; null for a link that may not open. The parser in Rust lets
 * only these schemes through; a second look here costs nothing.
 */
export function destination(href: string): string | null {
  let url: URL;
  try {
    url = new URL(href);
  } catch {
    return null;
  }
  if (url.protocol === 'mailto:') return url.pathname;
  if (url.protocol === 'http:' || url.protocol === 'https:') return url.host;
  return null;
}
