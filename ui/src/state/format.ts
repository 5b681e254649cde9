// How names, times, counts and sizes read in the language of the windows. Pure but for that; the present is passed
// in.
import { language, t } from '../i18n/text.svelte';

/** What an agent is called: by its name, where it says one. */
export function agentName(name: string): string {
  return name || t('agent-unnamed');
}

/** `12 s ago`, `4 min ago`, `2 h ago`, `3 d ago`. */
export function age(from: string, now: number): string {
  const seconds = Math.max(0, Math.floor((now - Date.parse(from)) / 1000));
  if (Number.isNaN(seconds)) return '';
  if (seconds < 3) return t('age-now');
  if (seconds < 60) return t('age-seconds', { n: seconds });
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return t('age-minutes', { n: minutes });
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return t('age-hours', { n: hours });
  return t('age-days', { n: Math.floor(hours / 24) });
}

/** `40 s`, `3 min`, `2 h`, `5 d`: how long something lasts or is past. */
export function span(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  if (seconds < 60) return t('span-seconds', { n: seconds });
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return t('span-minutes', { n: minutes });
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? t('span-hours', { n: hours }) : t('span-days', { n: Math.floor(hours / 24) });
}

/** `0:07`, `11:03`, `1:02:30`: a duration to the second. */
export function duration(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  const two = (value: number) => String(value).padStart(2, '0');
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}:${two(seconds % 60)}`;
  return `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(seconds % 60)}`;
}

/** `64 %`, or `64%` where that is the custom. */
export function percent(value: number): string {
  return t('percent', { n: Math.round(value) });
}

const kept = new Map<string, Intl.DateTimeFormat>();
const base = (tag: string) => tag.toLowerCase().split('-')[0];

/** The windows' language as the person's region writes it: `en-GB` for one whose system says so. */
function region(): string {
  return navigator.languages.find((tag) => base(tag) === base(language())) ?? language();
}

/** A formatter for dates, made once: making one costs a hundred times as much as using it. */
function dates(name: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${language()} ${name}`;
  let format = kept.get(key);
  if (!format) {
    format = new Intl.DateTimeFormat(region(), options);
    kept.set(key, format);
  }
  return format;
}

/** The time of day, `14:32`; empty for what is no time. */
export function timeOfDay(at: string): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return '';
  return dates('time', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }).format(date);
}

/** The date and the time in full, for who points at a short one. */
export function fullTime(at: string): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return '';
  return dates('full', { dateStyle: 'full', timeStyle: 'medium' }).format(date);
}

const midnight = (time: Date) => new Date(time.getFullYear(), time.getMonth(), time.getDate()).getTime();

/** Days from the one to the other, as a calendar counts them; negative for what is to come. */
function daysSince(date: Date, now: number): number {
  return Math.round((midnight(new Date(now)) - midnight(date)) / 86_400_000);
}

/** `Today`, `Yesterday`, `Monday` within a week, else `12 March`, with the year where it is another. */
export function day(at: string, now: number): string {
  const date = new Date(at);
  const days = daysSince(date, now);
  if (days === 0) return t('day-today');
  if (days === 1) return t('day-yesterday');
  if (days > 1 && days < 7) return dates('weekday', { weekday: 'long' }).format(date);
  if (date.getFullYear() === new Date(now).getFullYear())
    return dates('date', { day: 'numeric', month: 'long' }).format(date);
  return dates('year', { day: 'numeric', month: 'long', year: 'numeric' }).format(date);
}

/** `14:32`, with the day where it isn't today. */
export function clock(at: string, now: number): string {
  const date = new Date(at);
  const time = timeOfDay(at);
  const days = daysSince(date, now);
  if (days === 0) return time;
  const name =
    days === -1 ? t('day-tomorrow') : dates('short', { day: 'numeric', month: 'short' }).format(date);
  return t('day-time', { day: name, time });
}

/** `48 kB`, `3.2 MB`. */
export function size(bytes: number): string {
  if (bytes < 1000) return t('size-bytes', { n: bytes });
  if (bytes < 999_500) return t('size-kilobytes', { n: Math.round(bytes / 1000) });
  return t('size-megabytes', { n: bytes / 1_000_000 });
}

/** A stable number from 0 to `count` − 1 for a name, so that a workspace keeps its colour. */
export function hue(name: string, count = 8): number {
  let hash = 2166136261;
  for (let index = 0; index < name.length; index += 1) {
    hash = Math.imul(hash ^ name.charCodeAt(index), 16777619);
  }
  return (hash >>> 0) % count;
}

/** Pieces of at most `length` characters; prefers to cut after a line break, never inside a surrogate pair. */
export function pieces(text: string, length = 4000): string[] {
  const parts: string[] = [];
  let start = 0;
  while (start < text.length) {
    let end = Math.min(text.length, start + length);
    if (end < text.length) {
      const lineBreak = text.lastIndexOf('\n', end - 1);
      if (lineBreak > start) end = lineBreak + 1;
      else if (/[\uD800-\uDBFF]/.test(text.charAt(end - 1))) end -= 1;
    }
    parts.push(text.slice(start, end));
    start = end;
  }
  return parts;
}

/** The beginning of a text of more than so many characters. */
export function beginning(text: string, most: number): string {
  const characters = [...text];
  return characters.length <= most ? text : `${characters.slice(0, most).join('').trimEnd()}…`;
}
