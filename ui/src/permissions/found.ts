// What in a text isn't what it seems, counted, and where the first of it stands. Pure but for the language.
import { t } from '../i18n/text.svelte';
import { marksOf, type Kind, type Mark } from '../shown/marks';
import { pieces } from '../state/format';

/** Of more than this it is said that there are more: nobody counts on. */
const MOST = 1_000;
/** How many characters are looked at in one go. */
const PIECE = 50_000;

const GROUPS: Partial<Record<Kind, string>> = {
  unseen: 'unseen',
  turns: 'turns',
  blank: 'blank',
  alike: 'alike',
  spaces: 'pushed',
  lines: 'pushed',
};

export interface Found {
  /** How many of each group, in words. */
  counts: string[];
  /** The first of them, in one sentence. */
  first: string;
}

function nameOf(mark: Mark): string {
  if (mark.kind === 'spaces' || mark.kind === 'lines') return t(`shown-${mark.kind}`, { n: mark.count });
  return `${mark.code} ${mark.name}`.trim();
}

/** The word that stands before a place in its line; 0 where none does. */
function wordBefore(text: string, at: number): string | number {
  const line = text.slice(text.lastIndexOf('\n', at - 1) + 1, at).slice(-40);
  return /[\p{L}\p{N}_.-]{1,20}$/u.exec(line)?.[0] ?? 0;
}

/** What is found in a text; null where nothing is. */
export function foundIn(text: string): Found | null {
  const counts = new Map<string, number>();
  let [from, all] = [0, 0];
  let first: { mark: Mark; at: number } | null = null;
  for (const piece of pieces(text, PIECE)) {
    for (const mark of marksOf(piece, true)) {
      const group = GROUPS[mark.kind];
      if (!group) continue;
      first ??= { mark, at: from + mark.start };
      counts.set(group, (counts.get(group) ?? 0) + 1);
      all += 1;
    }
    if (all > MOST) break;
    from += piece.length;
  }
  if (!first) return null;
  const said =
    all > MOST
      ? [t('permission-odd-many', { n: MOST })]
      : [...counts].map(([group, n]) => t(`permission-odd-${group}`, { n }));
  const { mark, at } = first;
  const line = text.slice(0, at).split('\n').length;
  return {
    counts: said,
    first: t('permission-odd-first', { name: nameOf(mark), line, after: wordBefore(text, at) }),
  };
}

/** Where a text may be cut near a place: never within a pair of surrogates. */
export function cutAt(text: string, at: number): number {
  return /[\uDC00-\uDFFF]/.test(text.charAt(at)) && at > 0 ? at - 1 : at;
}
