// What the history is narrowed down by beside words: as the person chose it, as the gate takes it, and as an address
// has it. Pure; the present is passed in.
import type { Became } from '../generated/Became';
import type { ConversationQuery } from '../generated/ConversationQuery';
import type { SessionStatus } from '../generated/SessionStatus';

export const BECAME: readonly Became[] = [
  'approved',
  'changes_requested',
  'answered',
  'pending',
  'cancelled',
  'expired',
];
export const STATUSES: readonly SessionStatus[] = ['active', 'completed', 'timeout', 'stale'];
/** Numbers of days up to today, today among them. */
export const DAYS: readonly string[] = ['1', '7', '30'];

export interface Filters {
  became: Became | null;
  /** One of `DAYS`, or the first and the last day: `2026-11-02..2026-11-09`, either of which may be left out. */
  when: string | null;
  client: string | null;
  workspace: string | null;
  status: SessionStatus | null;
}

export const NO_FILTERS: Filters = {
  became: null,
  when: null,
  client: null,
  workspace: null,
  status: null,
};

/** The days of a range; empty for an open end. Null for what is no range. */
export function rangeOf(when: string | null): [first: string, last: string] | null {
  const [first, last, more] = when?.split('..') ?? [];
  return first !== undefined && last !== undefined && more === undefined ? [first, last] : null;
}

/** When the day `2026-11-02` begins here, or one some days later; null for what is no day. */
export function beginning(day: string, later = 0): Date | null {
  const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day)?.map(Number) ?? [];
  if (!year || !month || !date) return null;
  const isDay = new Date(year, month - 1, date).getMonth() === month - 1;
  return isDay ? new Date(year, month - 1, date + later) : null;
}

function isWhen(when: string): boolean {
  const range = rangeOf(when);
  if (!range) return DAYS.includes(when);
  return range.some(Boolean) && range.every((day) => day === '' || beginning(day) !== null);
}

/** What the gate is asked. */
export function queryOf(filters: Filters, text: string, now: number): ConversationQuery {
  const { when, ...others } = filters;
  const range = rangeOf(when);
  const today = new Date(now);
  const from = range
    ? beginning(range[0])
    : when && new Date(today.getFullYear(), today.getMonth(), today.getDate() + 1 - Number(when));
  const until = range && beginning(range[1], 1);
  return {
    ...others,
    text: text.trim() || null,
    from: from ? from.toISOString() : null,
    until: until ? until.toISOString() : null,
  };
}

/** What an address says of it, the words last. */
export function addressed(filters: Filters, text: string): string {
  const says = new URLSearchParams();
  for (const [name, value] of Object.entries(filters)) if (value !== null) says.append(name, String(value));
  if (text.trim()) says.append('q', text);
  return says.toString();
}

/** What such an address means; what it says of other things means nothing. */
export function meant(address: string): { filters: Filters; text: string } {
  const says = new URLSearchParams(address);
  const when = says.get('when');
  return {
    filters: {
      became: BECAME.find((each) => each === says.get('became')) ?? null,
      when: when !== null && isWhen(when) ? when : null,
      client: says.get('client') || null,
      workspace: says.get('workspace') || null,
      status: STATUSES.find((each) => each === says.get('status')) ?? null,
    },
    text: says.get('q') ?? '',
  };
}
