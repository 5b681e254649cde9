// The rows of the list of prompts: those that are looked for, under their categories. Pure.
import type { PromptEntry } from '../generated/PromptEntry';
import type { PromptLibrary } from '../generated/PromptLibrary';
import type { PromptOrigin } from '../generated/PromptOrigin';
import { idOfFile, isId } from './ids';

/** Stands for the prompt that is being made; no prompt can be called so. */
export const NEW = '+new';

/** Which prompts are listed. */
export type Origins = 'all' | PromptOrigin;

export interface PromptRow {
  kind: 'prompt';
  /** Its id, or {@link NEW}. */
  key: string;
  title: string;
  description: string;
  category: string;
  origin: PromptOrigin;
  /** Null where its file has never been right, and for one that is being made. */
  entry: PromptEntry | null;
  broken: boolean;
  /** Whether what was typed in it isn't saved yet. */
  unsaved: boolean;
}

export interface CategoryRow {
  kind: 'category';
  key: string;
  /** Empty for prompts that belong to none. */
  category: string;
  count: number;
}

export type LibraryRow = PromptRow | CategoryRow;

const hays = new WeakMap<PromptEntry, string>();

/** What is looked through for a prompt. Made once: there may be thousands. */
function hayOf(entry: PromptEntry): string {
  let hay = hays.get(entry);
  if (hay === undefined) {
    const { id, title, description, category, arguments: given } = entry.prompt;
    hay = [title, id, category, description, ...given.map((each) => `${each.name} ${each.title}`)]
      .join('\n')
      .toLowerCase();
    hays.set(entry, hay);
  }
  return hay;
}

/** Every prompt that there is something to say of, by its id. */
export function allRows(
  library: PromptLibrary | null,
  unsaved: ReadonlyMap<string, PromptOrigin>,
): PromptRow[] {
  const entries = library?.prompts ?? [];
  const rows = entries.map((entry): PromptRow => {
    const { id, title, description, category, origin } = entry.prompt;
    return {
      ...{ kind: 'prompt', key: id, title, description, category, origin, entry },
      ...{ broken: entry.broken, unsaved: unsaved.has(id) },
    };
  });
  const known = new Set(rows.map((row) => row.key));
  const bare = (id: string, origin: PromptOrigin, broken: boolean) => {
    if (known.has(id)) return;
    known.add(id);
    rows.push({
      ...{ kind: 'prompt', key: id, title: id === NEW ? '' : id, description: '', category: '' },
      ...{ origin, entry: null, broken, unsaved: unsaved.has(id) },
    });
  };
  // A file that was never right makes no prompt, and yet it is what somebody looks for.
  for (const { file, origin, served, warning } of library?.problems ?? []) {
    const id = idOfFile(file);
    if (!served && !warning && isId(id)) bare(id, origin, true);
  }
  for (const [id, origin] of unsaved) bare(id, origin, false);
  return rows;
}

/** Those that hold every word; those whose title or id begins with them come first. */
export function found(rows: readonly PromptRow[], query: string): PromptRow[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [...rows];
  const whole = words.join(' ');
  const rank = (row: PromptRow) => {
    const title = row.title.toLowerCase();
    if (title.startsWith(whole) || row.key.toLowerCase().startsWith(whole)) return 0;
    return words.every((word) => title.includes(word)) ? 1 : 2;
  };
  return rows
    .filter((row) => {
      const hay = row.entry ? hayOf(row.entry) : row.key.toLowerCase();
      return words.every((word) => hay.includes(word));
    })
    .map((row) => ({ row, rank: rank(row) }))
    .sort((a, b) => a.rank - b.rank || order.compare(a.row.title, b.row.title))
    .map(({ row }) => row);
}

const order = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });

/** Rows under their categories by name; those without one come last, the one that is being made first. */
export function grouped(rows: readonly PromptRow[]): LibraryRow[] {
  const groups = new Map<string, PromptRow[]>();
  const listed: LibraryRow[] = [];
  for (const row of rows) {
    if (row.key === NEW) listed.push(row);
    else {
      const group = groups.get(row.category);
      if (group) group.push(row);
      else groups.set(row.category, [row]);
    }
  }
  const names = [...groups.keys()].sort((a, b) =>
    a === '' || b === '' ? (a === b ? 0 : a === '' ? 1 : -1) : order.compare(a, b),
  );
  for (const category of names) {
    const group = groups.get(category) ?? [];
    // One heading over everything would say nothing.
    if (names.length > 1 || category !== '')
      listed.push({ kind: 'category', key: `category ${category}`, category, count: group.length });
    listed.push(...group.sort((a, b) => order.compare(a.title, b.title)));
  }
  return listed;
}
