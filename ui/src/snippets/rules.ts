// What a snippet may be, what it is called, and which of them fit what is typed. Pure.
import '../i18n/words-writing';
import type { Snippet } from '../generated/Snippet';
import { t } from '../i18n/text.svelte';

/** gate-core/src/bounds.rs: most snippets, and the characters of a name and of a text. */
export const SNIPPETS = 200;
export const SNIPPET_NAME_CHARS = 80;
export const SNIPPET_CHARS = 20_000;

const characters = (text: string) => [...text].length;

/** Snippets whose name or text holds every word of `query`; those whose name begins with it come first. */
export function matching(snippets: readonly Snippet[], query: string): Snippet[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const whole = words.join(' ');
  const found = snippets.filter((snippet) => {
    const hay = `${snippet.name}\n${snippet.text}`.toLowerCase();
    return words.every((word) => hay.includes(word));
  });
  const rank = (snippet: Snippet) => {
    const name = snippet.name.toLowerCase();
    if (whole === '' || name.startsWith(whole)) return 0;
    return words.every((word) => name.includes(word)) ? 1 : 2;
  };
  return found
    .map((snippet, place) => ({ snippet, place, rank: rank(snippet) }))
    .sort((a, b) => a.rank - b.rank || a.place - b.place)
    .map((each) => each.snippet);
}

/** Why a snippet can't be saved like this, in one sentence; null when it can. */
export function snippetProblem(name: string, text: string): string | null {
  if (name.trim() === '') return t('writing-snippet-no-name');
  if (characters(name.trim()) > SNIPPET_NAME_CHARS)
    return t('writing-snippet-long-name', { most: SNIPPET_NAME_CHARS });
  if (text.trim() === '') return t('writing-snippet-no-text');
  if (characters(text) > SNIPPET_CHARS) return t('writing-snippet-long-text', { most: SNIPPET_CHARS });
  return null;
}

/** What a reply would be called as a snippet: its first words. */
export function nameFor(text: string): string {
  const line = text.trim().split('\n')[0]?.trim() ?? '';
  const letters = [...line];
  return letters.length <= 40 ? line : `${letters.slice(0, 39).join('').trimEnd()}…`;
}
