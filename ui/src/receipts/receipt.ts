// A receipt in the few words that a person is shown of it. Pure; the present is passed in.
import type { ReceiptView } from '../generated/ReceiptView';
import { t } from '../i18n/text.svelte';
import { beginning, day, timeOfDay } from '../state/format';

/** Digits of a digest that a person is shown; terminals show as many. */
const DIGITS = 8;

/** How a digest begins: `3f9a41c2…`. */
export const short = (digest: string): string => beginning(digest, DIGITS);

/** A moment with its day: `Today, 10:05`, `12 March, 10:05`. */
export const moment = (at: string, now: number): string =>
  t('day-time', { day: day(at, now), time: timeOfDay(at) });

/** What asks in a terminal, a hook or CI whether it is good. */
export const command = ({ id }: ReceiptView): string => `review-gate verify ${id}`;

/** Whether it can still be revoked. While it is held, its reply is taken back instead. */
export const revocable = ({ standing }: ReceiptView): boolean =>
  standing === 'good' || standing === 'set_aside';
