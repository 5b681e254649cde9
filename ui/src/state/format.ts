// How times and sizes read. Pure; the present is passed in.

/** `12 s ago`, `4 min ago`, `2 h ago`, `3 d ago`. */
export function age(from: string, now: number): string {
  const seconds = Math.max(0, Math.floor((now - Date.parse(from)) / 1000));
  if (Number.isNaN(seconds)) return '';
  if (seconds < 3) return 'just now';
  if (seconds < 60) return `${seconds} s ago`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ago`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ago`;
  return `${Math.floor(hours / 24)} d ago`;
}

/** `40 s`, `3 min`, `2 h`, `5 d`: how long something lasts or is past. */
export function span(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} d`;
}

/** `0:07`, `11:03`, `1:02:30`: a duration to the second. */
export function duration(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  const two = (value: number) => String(value).padStart(2, '0');
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}:${two(seconds % 60)}`;
  return `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(seconds % 60)}`;
}

/** `1 message`, `24 messages`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
}

// Made once: making one costs a hundred times as much as using it.
const times = new Intl.DateTimeFormat([], { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });

/** The time of day, `14:32`; empty for what is no time. */
export function timeOfDay(at: string): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? '' : times.format(date);
}

/** `Today`, `Yesterday`, `Monday` within a week, else `12 March`, with the year where it is another. */
export function day(at: string, now: number): string {
  const date = new Date(at);
  const midnight = (time: Date) => new Date(time.getFullYear(), time.getMonth(), time.getDate()).getTime();
  const days = Math.round((midnight(new Date(now)) - midnight(date)) / 86_400_000);
  if (days === 0) return 'Today';
  if (days === 1) return 'Yesterday';
  if (days > 1 && days < 7) return date.toLocaleDateString([], { weekday: 'long' });
  const year = date.getFullYear() === new Date(now).getFullYear() ? undefined : ('numeric' as const);
  return date.toLocaleDateString([], { day: 'numeric', month: 'long', year });
}

/** `14:32` with the day where it isn't today. */
export function clock(at: string, now: number): string {
  const date = new Date(at);
  const time = timeOfDay(at);
  if (date.toDateString() === new Date(now).toDateString()) return time;
  return `${date.toLocaleDateString([], { day: 'numeric', month: 'short' })}, ${time}`;
}

/** `48 kB`, `3.2 MB`. */
export function size(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 999_500) return `${Math.round(bytes / 1000)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
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
