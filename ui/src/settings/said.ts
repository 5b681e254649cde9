// Settings in words: their values as people read them, and what a search finds.
import type { Setting } from '../generated/Setting';
import type { SettingKind } from '../generated/SettingKind';
import { inEachLanguage, said, t } from '../i18n/text.svelte';
import { isTable, type Json } from './json';
import { readKeys } from './keys';
import { parseRule, saidRule } from './review-rule';

/** A value in a few words. */
export function saidValue(setting: Pick<Setting, 'key' | 'kind' | 'secret'>, value: Json): string {
  const { key, kind, secret } = setting;
  // That there is one may be seen, not what it is.
  if (secret && value !== null && value !== '') return '••••••';
  switch (kind.kind) {
    case 'switch':
      return value === null ? t('settings-automatic') : t(value === true ? 'settings-on' : 'settings-off');
    case 'number':
      return value === null ? t('settings-none') : withUnit(kind, String(value));
    case 'choice': {
      const choice = kind.choices.find((each) => each.value === value);
      return choice ? said(choice.title) : value === null ? t('settings-none') : String(value);
    }
    case 'keys':
      return typeof value === 'string' && value !== ''
        ? (readKeys(value)?.join(' ') ?? value)
        : t('settings-none');
    case 'text':
      return value === null || value === '' ? t('settings-none') : String(value);
    case 'list':
      if (key === 'security.review_rules' && Array.isArray(value) && value.length > 0)
        return value.map((each) => saidIfRule(String(each))).join(' ');
      return Array.isArray(value) && value.length > 0 ? value.join(', ') : t('settings-none');
    case 'hours':
      return typeof value === 'string' && value !== '' ? value.replace('-', '–') : t('settings-none');
    case 'waiting': {
      const rows = isTable(value) ? Object.entries(value) : [];
      if (rows.length === 0) return t('settings-none');
      return rows.map(([client, seconds]) => `${client} ${saidSeconds(seconds)}`).join(', ');
    }
  }
}

function saidIfRule(text: string): string {
  const rule = parseRule(text);
  return rule ? saidRule(rule) : text;
}

function withUnit(kind: Extract<SettingKind, { kind: 'number' }>, text: string): string {
  return kind.unit ? t('settings-with-unit', { value: text, unit: said(kind.unit) }) : text;
}

function saidSeconds(value: Json): string {
  if (!isTable(value)) return t('settings-s', { n: String(value) });
  return Object.entries(value)
    .map(([transport, n]) => `${transport} ${t('settings-s', { n: String(n) })}`)
    .join(' / ');
}

/** What the file says of a setting in a few words; null for nothing, so that the default holds. */
export function saidInFile(setting: Setting | undefined, value: Json): string {
  if (!setting) return JSON.stringify(value);
  if (value !== null) return saidValue(setting, value);
  return t('settings-default', { value: saidValue(setting, setting.default) });
}

/** The variable of the environment that sets it. */
export function variableOf(key: string): string {
  return `REVIEW_GATE__${key.toUpperCase().replaceAll('.', '__')}`;
}

/** Whether a search finds a setting: each word in its title, its help, its key or its choices. */
export function finds(setting: Setting, query: string): boolean {
  const choices = setting.kind.kind === 'choice' ? setting.kind.choices.map((each) => each.title) : [];
  const texts = [setting.title, setting.help, ...choices].flatMap(inEachLanguage);
  const text = [...texts, setting.key, setting.key.replaceAll(/[._]/g, ' ')].join('\n').toLowerCase();
  const words = query.toLowerCase().split(/\s+/);
  return words.every((word) => text.includes(word));
}
