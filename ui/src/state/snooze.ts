// For how long a request can be put off. Pure; the present is passed in, and times are the person's own.

/** When `this evening` begins and `tomorrow morning` is, in hours of the day. */
export const EVENING = 18;
export const MORNING = 8;
const MINUTE = 60_000;

export interface SnoozeChoice {
  key: 'quarter' | 'hour' | 'evening' | 'morning' | 'open';
  /** When it comes back; null when the person takes it up again. */
  until: string | null;
}

const at = (now: Date, days: number, hour: number) =>
  new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, hour);

/** The hour of the morning that comes next, from `now` on. */
export function nextMorning(now: number): Date {
  const date = new Date(now);
  return at(date, date.getHours() < MORNING ? 0 : 1, MORNING);
}

/** The choices at this moment. There is no evening to wait for when it has begun, or begins within an hour. */
export function snoozeChoices(now: number): SnoozeChoice[] {
  const evening = at(new Date(now), 0, EVENING);
  const choices: [SnoozeChoice['key'], Date | null][] = [
    ['quarter', new Date(now + 15 * MINUTE)],
    ['hour', new Date(now + 60 * MINUTE)],
    ...(evening.getTime() - now > 60 * MINUTE
      ? [['evening', evening] satisfies [SnoozeChoice['key'], Date]]
      : []),
    ['morning', nextMorning(now)],
    ['open', null],
  ];
  return choices.map(([key, until]) => ({ key, until: until?.toISOString() ?? null }));
}
