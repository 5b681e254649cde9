// What a person calls a filter's value.
import type { Became } from '../generated/Became';
import type { SessionStatus } from '../generated/SessionStatus';
import { t } from '../i18n/text.svelte';
import { day } from '../state/format';
import type { Choices } from './choices.svelte';
import { beginning, rangeOf, type Filters } from './filters';

const became: Record<Became, string> = {
  approved: 'history-became-approved',
  changes_requested: 'history-became-changes',
  answered: 'history-became-answered',
  pending: 'history-became-pending',
  cancelled: 'history-became-cancelled',
  expired: 'history-became-expired',
};

const statuses: Record<SessionStatus, string> = {
  active: 'history-active',
  completed: 'history-completed',
  timeout: 'history-timeout',
  stale: 'history-stale',
};

export const becameWord = (value: Became): string => t(became[value]);

export const statusWord = (value: SessionStatus): string => t(statuses[value]);

/** `Today`, `Last 7 days`, `2 March – 9 March`. */
export function whenWord(when: string, now: number): string {
  const range = rangeOf(when);
  if (!range) return when === '1' ? t('day-today') : t('history-when-days', { n: Number(when) });
  const [first, last] = range.map((each) => {
    const begins = beginning(each);
    return begins ? day(begins.toISOString(), now) : '';
  });
  if (!first) return t('history-when-until', { last: last ?? '' });
  return last ? t('history-when-range', { first, last }) : t('history-when-since', { first });
}

/** The filters that are chosen, each with its word, in the order of the menu. */
export function chosen(
  filters: Filters,
  choices: Choices,
  now: number,
): { by: keyof Filters; label: string }[] {
  const { became: what, when, client, workspace, status } = filters;
  const words: [keyof Filters, string | null][] = [
    ['became', what && becameWord(what)],
    ['when', when && whenWord(when, now)],
    ['client', client === null ? null : choices.agent(client)],
    ['workspace', workspace && choices.workspace(workspace)],
    ['status', status && statusWord(status)],
  ];
  return words.flatMap(([by, label]) => (label ? [{ by, label }] : []));
}
