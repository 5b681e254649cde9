// The rows of the history's list: conversations, under the day when something last happened in them.
import type { HistoryEntry } from '../generated/HistoryEntry';
import { day } from '../state/format';

export type ListRow =
  | { kind: 'day'; key: string; label: string }
  | { kind: 'entry'; key: string; entry: HistoryEntry; index: number };

/** The rows; without days where the order is another, as among what a search finds. */
export function listRows(entries: readonly HistoryEntry[], byDay: boolean, now: number): ListRow[] {
  const rows: ListRow[] = [];
  const days = new Map<string, number>();
  let last = '';
  entries.forEach((entry, index) => {
    // Only the first of a day is worth its words: there are thousands.
    const date = byDay ? new Date(entry.updated_at).toDateString() : '';
    if (date !== last) {
      // A day may come twice, while a row that has moved isn't in its place yet.
      const times = (days.get(date) ?? 0) + 1;
      days.set(date, times);
      const key = times === 1 ? `day ${date}` : `day ${date} ${times}`;
      rows.push({ kind: 'day', key, label: day(entry.updated_at, now) });
    }
    last = date;
    rows.push({ kind: 'entry', key: entry.session_uuid, entry, index });
  });
  return rows;
}
