// From a setting's value to what its field holds while somebody is at it, and back. What can't go back says
// why, in the words that stand beside the field; the bounds are the gate's own. Pure.
import type { Setting } from '../generated/Setting';
import type { SettingKind } from '../generated/SettingKind';
import { t } from '../i18n/text.svelte';
import { isTable, type Json, type Table } from './json';
import { readKeys } from './keys';

/** Hours of quiet as they are typed. */
export interface HoursRow {
  from: string;
  to: string;
}

/** How long a client is waited for, as it is typed: seconds over stdio and over HTTP. */
export interface WaitRow {
  client: string;
  stdio: string;
  http: string;
}

/** What a field holds: text as it is typed, rows, or a value that can't be wrong. */
export type Form =
  | { form: 'value'; value: Json }
  | { form: 'text'; text: string }
  | { form: 'rows'; rows: readonly string[] }
  | { form: 'hours'; rows: readonly HoursRow[] }
  | { form: 'waiting'; rows: readonly WaitRow[] };

/** A value, or why what was typed is none; `row` where it is one of several. */
export type Read = { value: Json } | { problem: string; row?: number };

/** Whether it has a row that nobody has written in yet: no entry, but somebody is about to. */
export function hasBlank(form: Form): boolean {
  switch (form.form) {
    case 'rows':
      return form.rows.includes('');
    case 'hours':
      return form.rows.some((row) => row.from === '' && row.to === '');
    case 'waiting':
      return form.rows.some((row) => row.client === '' && row.stdio === '' && row.http === '');
    case 'value':
    case 'text':
      return false;
  }
}

/** Most characters of a time of day. */
export const TIME_CHARS = 5;
const TIME = /^([01]\d|2[0-3]):[0-5]\d$/;
const WHOLE = /^\d+$/;

/** What the field of this kind holds for a value. */
export function formOf(kind: SettingKind, value: Json): Form {
  switch (kind.kind) {
    case 'number':
    case 'text':
      return { form: 'text', text: value === null ? '' : String(value) };
    case 'list':
      return { form: 'rows', rows: Array.isArray(value) ? value.map(String) : [] };
    case 'hours':
      return { form: 'hours', rows: hoursRows(value) };
    case 'waiting':
      return { form: 'waiting', rows: isTable(value) ? Object.entries(value).map(waitRow) : [] };
    case 'switch':
    case 'choice':
    case 'keys':
      return { form: 'value', value };
  }
}

/** What the field's content means for a setting that is called `title`. */
export function read(
  { kind, optional }: Pick<Setting, 'kind' | 'optional'>,
  form: Form,
  title: string,
): Read {
  switch (kind.kind) {
    case 'number':
      return readNumber(kind, optional, form.form === 'text' ? form.text : '', title);
    case 'list':
      return form.form === 'rows' ? readList(kind, form.rows, title) : { value: [] };
    case 'text':
      return readText(kind, optional, form.form === 'text' ? form.text : '', title);
    case 'hours':
      return form.form === 'hours' ? readHours(optional, form.rows) : { value: null };
    case 'waiting':
      return form.form === 'waiting' ? readWaiting(kind, form.rows) : { value: {} };
    case 'keys': {
      const value = form.form === 'value' ? form.value : '';
      if (typeof value !== 'string' || value === '' || readKeys(value)) return { value };
      return { problem: t('settings-keys-wrong', { keys: value }) };
    }
    case 'switch':
    case 'choice':
      return { value: form.form === 'value' ? form.value : null };
  }
}

type Kind<K extends SettingKind['kind']> = Extract<SettingKind, { kind: K }>;

function readNumber(kind: Kind<'number'>, optional: boolean, typed: string, title: string): Read {
  const text = typed.trim();
  if (text === '') {
    if (optional) return { value: null };
    return { problem: t('settings-range', { name: title, min: kind.min, max: kind.max }) };
  }
  const value = Number(text);
  if (!WHOLE.test(text) || value < kind.min || value > kind.max)
    return { problem: t('settings-range', { name: title, min: kind.min, max: kind.max }) };
  return { value };
}

function readText(kind: Kind<'text'>, optional: boolean, typed: string, title: string): Read {
  const text = typed.trim();
  const n = [...text].length;
  if (n > kind.max_chars) return { problem: t('settings-too-long', { name: title, max: kind.max_chars, n }) };
  return { value: text === '' && optional ? null : text };
}

function readList(kind: Kind<'list'>, typed: readonly string[], title: string): Read {
  const rows = typed.map((row) => row.trim());
  const long = rows.findIndex((row) => [...row].length > kind.max_chars);
  if (long >= 0) {
    const n = [...(rows[long] ?? '')].length;
    return { problem: t('settings-too-long', { name: title, max: kind.max_chars, n }), row: long };
  }
  const twice = rows.findIndex((row, index) => row !== '' && rows.indexOf(row) !== index);
  if (twice >= 0) return { problem: t('settings-twice', { what: rows[twice] ?? '' }), row: twice };
  // A row that nobody has written in yet is no entry.
  const filled = rows.filter((row) => row !== '');
  if (filled.length > kind.max_items)
    return { problem: t('settings-too-many', { max: kind.max_items, n: filled.length }) };
  return { value: filled };
}

function hoursRows(value: Json): HoursRow[] {
  if (typeof value !== 'string' || value.trim() === '') return [];
  const [from = '', to = ''] = value.split('-');
  return [{ from: from.trim(), to: to.trim() }];
}

/** `9:05` and `905` as `09:05`; anything else as it is. */
export function timeOf(typed: string): string {
  const parts = /^(\d{1,2})(?:[:.：]?(\d{2}))?$/.exec(typed.trim());
  return parts ? `${(parts[1] ?? '').padStart(2, '0')}:${parts[2] ?? '00'}` : typed.trim();
}

function readHours(optional: boolean, typed: readonly HoursRow[]): Read {
  const rows = typed.map((row) => ({ from: timeOf(row.from), to: timeOf(row.to) }));
  for (const [row, { from, to }] of rows.entries()) {
    if (from === '' && to === '') continue;
    for (const time of [from, to])
      if (!TIME.test(time)) return { problem: t('settings-time', { time }), row };
    if (from === to) return { problem: t('settings-no-time'), row };
  }
  const texts = rows.filter(({ from }) => from !== '').map(({ from, to }) => `${from}-${to}`);
  return { value: texts[0] ?? (optional ? null : '') };
}

function waitRow([client, value]: [string, Json]): WaitRow {
  if (!isTable(value)) return { client, stdio: String(value), http: String(value) };
  const text = (part: Json) => (part === undefined || part === null ? '' : String(part));
  return { client, stdio: text(value['stdio']), http: text(value['http']) };
}

function readWaiting(kind: Kind<'waiting'>, typed: readonly WaitRow[]): Read {
  const value: Table = {};
  for (const [row, each] of typed.entries()) {
    const client = each.client.trim();
    const [stdio, http] = [each.stdio.trim(), each.http.trim()];
    if (client === '' && stdio === '' && http === '') continue;
    if (client === '') return { problem: t('settings-client-missing'), row };
    const length = [...client].length;
    if (length > kind.max_chars)
      return {
        problem: t('settings-too-long', {
          name: t('settings-waiting-client'),
          max: kind.max_chars,
          n: length,
        }),
        row,
      };
    if (Object.hasOwn(value, client)) return { problem: t('settings-twice', { what: client }), row };
    if (stdio === '' && http === '') return { problem: t('settings-seconds-missing', { client }), row };
    for (const text of [stdio, http]) {
      const seconds = Number(text);
      if (text !== '' && (!WHOLE.test(text) || seconds < kind.min || seconds > kind.max))
        return { problem: t('settings-seconds', { client, min: kind.min, max: kind.max }), row };
    }
    if (stdio === http) value[client] = Number(stdio);
    else {
      const both: Table = {};
      if (stdio !== '') both['stdio'] = Number(stdio);
      if (http !== '') both['http'] = Number(http);
      value[client] = both;
    }
  }
  const n = Object.keys(value).length;
  if (n > kind.max_items) return { problem: t('settings-too-many', { max: kind.max_items, n }) };
  return { value };
}
