// What is new in a diff, in words: since the person's last answer, or since the round before.
import { t, type TextArguments } from '../i18n/text.svelte';
import type { Talk } from './talk';

/** For words about the person's last answer, those about an earlier round. */
const OF_ROUND = {
  'diff-since-new': 'diff-round-new',
  'diff-since-changed': 'diff-round-changed',
  'diff-since-same': 'diff-round-same',
  'diff-fresh': 'diff-round-fresh',
  'diff-fresh-only': 'diff-round-fresh-only',
  'diff-fresh-count': 'diff-round-fresh-count',
  'diff-all-seen': 'diff-round-all-seen',
  'diff-nothing-fresh': 'diff-round-nothing-fresh',
  'diff-seen-open': 'diff-round-seen-open',
  'diff-seen-close': 'diff-round-seen-close',
};

/** A text about a diff; where it is compared with an earlier round, about that. */
export function sinceText({ before }: Talk, id: string, values: TextArguments = {}): string {
  const other = before === undefined ? undefined : OF_ROUND[id as keyof typeof OF_ROUND];
  return other === undefined ? t(id, values) : t(other, { ...values, round: before ?? 0 });
}
