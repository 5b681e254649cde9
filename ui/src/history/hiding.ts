// Which part of what is looked for hides everything.
import { ask, type Port } from '../state/port';
import { queryOf, type Filters } from './filters';

export type Part = keyof Filters | 'text';

/** The parts without which something would be found; none where only one is looked for. */
export async function hiding(port: Port, filters: Filters, text: string, now: number): Promise<Part[]> {
  const parts: Part[] = Object.entries(filters)
    .filter(([, value]) => value !== null)
    .map(([by]) => by as keyof Filters);
  if (text.trim()) parts.push('text');
  if (parts.length < 2) return [];
  const found = await Promise.all(
    parts.map((part) => {
      const without = part === 'text' ? filters : { ...filters, [part]: null };
      return finds(port, without, part === 'text' ? '' : text, now);
    }),
  );
  return parts.filter((_, index) => found[index]);
}

/** Whether anything is found; a page may hold nothing and another one follow. */
async function finds(port: Port, filters: Filters, text: string, now: number): Promise<boolean> {
  let cursor: string | null = null;
  do {
    const page: { conversations: readonly unknown[]; next: string | null } = await ask(port, {
      command: 'history',
      query: queryOf(filters, text, now),
      cursor,
    });
    if (page.conversations.length > 0) return true;
    cursor = page.next;
  } while (cursor !== null);
  return false;
}
