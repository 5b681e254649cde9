// The settings as the mock gate has them: a few of each kind, from every place that a value can come from.
import type { Setting } from '../generated/Setting';
import type { SettingChange } from '../generated/SettingChange';
import type { SettingChoice } from '../generated/SettingChoice';
import type { SettingKind } from '../generated/SettingKind';
import type { SettingSection } from '../generated/SettingSection';
import '../i18n/words-table';
import { LANGUAGES } from '../i18n/languages';
import { inEnglish } from '../i18n/text.svelte';
import { ago } from './build';

export const SECTIONS: readonly SettingSection[] = [
  'waiting',
  'notifications',
  'appearance',
  'voice',
  'prompts',
  'sessions',
  'storage',
  'network',
].map((section) => ({ section, title: { id: `setting-section-${section}` } }));

const DAY = 24 * 60 * 60;
const WEEK = 7 * DAY;
const on: SettingKind = { kind: 'switch' };
const number = (min: number, max: number, unit?: string): SettingKind => ({
  ...{ kind: 'number', min, max },
  unit: unit ? { id: `setting-unit-${unit}` } : null,
});
const text: SettingKind = { kind: 'text', max_chars: 200 };
const RULES = [
  'person; path=migrations/|*.sql',
  'agents:2; lines=400',
  'agent+person; repository=/srv/pay; proposer=codex; category=security',
];
const list: SettingKind = { kind: 'list', max_items: 32, max_chars: 200 };
const textOf = (key: string) => `setting-${key.replaceAll(/[._]/g, '-')}`;
const choice = (key: string, ...values: string[]): SettingKind => ({
  kind: 'choice',
  choices: values.map((value) => ({ value, title: { id: `${textOf(key)}-${value}` } })),
});

/** A language by its name in the catalogues, else by its tag. */
function language(value: string): SettingChoice {
  const title = { id: `setting-window-language-${value}` };
  const isNamed = inEnglish(title) !== title.id;
  return { value, title: isNamed ? title : { id: 'setting-language-named', values: { name: value } } };
}

type Row = [key: string, section: string, kind: SettingKind, standard: unknown, over?: Partial<Setting>];

const ROWS: readonly Row[] = [
  [
    'waiting.clients',
    'waiting',
    { kind: 'waiting', min: 5, max: WEEK, max_items: 32, max_chars: 200 },
    {},
    { agent: 'change', set: true, source: 'file', value: { cursor: 240, 'codex >= 0.60': { stdio: 290 } } },
  ],
  ['waiting.away_after_pending', 'waiting', number(0, 1000, 'rounds'), 0],
  ['window.undo_seconds', 'waiting', number(0, 30, 'seconds'), 5, { set: true, source: 'file', value: 8 }],
  ['review.require_seen', 'waiting', on, false],
  ['review.pool_at_once', 'waiting', number(1, 10), 2, { agent: 'none' }],
  ['review.pool_minutes', 'waiting', number(1, 60, 'minutes'), 10, { agent: 'none' }],
  ['review.pool_a_day', 'waiting', number(1, 10_000), 100, { agent: 'none' }],
  ['permissions.enabled', 'waiting', on, true],
  ['permissions.wait_seconds', 'waiting', number(10, 590, 'seconds'), 590],
  ['notifications.enabled', 'notifications', on, true],
  ['permissions.raise', 'notifications', on, false],
  ['permissions.sound', 'notifications', on, true],
  ['notifications.sounds', 'notifications', on, true, { set: true, source: 'file', value: false }],
  [
    'notifications.quiet_hours',
    'notifications',
    { kind: 'hours' },
    null,
    { set: true, source: 'file', value: '22:00-07:30' },
  ],
  ['window.raise', 'notifications', on, true, { source: 'environment', value: false }],
  [
    'window.theme',
    'appearance',
    choice('window.theme', 'system', 'light', 'dark'),
    'system',
    { agent: 'change' },
  ],
  ['window.font_size', 'appearance', number(11, 24, 'pixels'), 14, { agent: 'change' }],
  [
    'window.language',
    'appearance',
    { kind: 'choice', choices: ['system', ...LANGUAGES].map(language) },
    'system',
    { agent: 'change' },
  ],
  ['window.reduced_motion', 'appearance', on, false, { agent: 'change' }],
  [
    'window.hotkey',
    'appearance',
    { kind: 'keys', max_chars: 200 },
    'CmdOrCtrl+Alt+G',
    { applies: 'next_start' },
  ],
  ['window.start_at_login', 'appearance', on, null, { applies: 'next_start' }],
  ['sessions.timeout_seconds', 'sessions', number(1, WEEK, 'seconds'), 300],
  ['storage.backups', 'storage', number(0, 100, 'backups'), 5],
  ['storage.keep_days', 'storage', number(1, 36_500, 'days'), null],
  [
    'storage.journal',
    'storage',
    choice('storage.journal', 'auto', 'wal', 'rollback'),
    'auto',
    { applies: 'next_start' },
  ],
  [
    'network.port',
    'network',
    number(0, 65_535),
    8321,
    { applies: 'next_start', source: 'flag', value: 9400 },
  ],
  [
    'network.allowed_hosts',
    'network',
    list,
    [],
    { set: true, source: 'file', value: ['gate.internal', 'laptop.local'] },
  ],
  ['security.scripted_answers', 'network', on, null, { agent: 'none' }],
  ['security.terminal_answers', 'network', on, null, { agent: 'none' }],
  [
    'security.require',
    'network',
    choice('security.require', 'L3', 'L2', 'L1', 'L0'),
    'L1',
    { agent: 'none' },
  ],
  ['security.require_for', 'network', list, [], { agent: 'none' }],
  ['security.review_rules', 'network', list, [], { agent: 'none', set: true, source: 'file', value: RULES }],
  ['security.pool', 'network', list, [], { agent: 'none' }],
  ['security.pool_unsheltered', 'network', on, null, { agent: 'none' }],
  ['voice.enabled', 'voice', on, true],
  ['voice.model', 'voice', text, ''],
  ['voice.language', 'voice', choice('voice.language', 'auto', 'de', 'en', 'ja', 'zh'), 'auto'],
  ['voice.microphone', 'voice', text, '', { agent: 'none' }],
  ['voice.armed', 'voice', on, true, { agent: 'none' }],
  ['voice.hotkey', 'voice', { kind: 'keys', max_chars: 200 }, '', { applies: 'next_start' }],
  ['voice.commands', 'voice', on, false],
  ['voice.longest_minutes', 'voice', number(1, 60, 'minutes'), 10],
  [
    'voice.vocabulary',
    'voice',
    list,
    [],
    { set: true, source: 'file', value: ['webhook_dead_letters', 'get hub -> GitHub'] },
  ],
  ['voice.mirror', 'voice', text, '', { agent: 'none' }],
  ['voice.unload_minutes', 'voice', number(1, 240, 'minutes'), 5],
  ['prompts.folder', 'prompts', text, ''],
  [
    'prompts.repository',
    'prompts',
    text,
    '',
    { agent: 'none', set: true, source: 'file', value: 'https://git.example.com/team/prompts.git' },
  ],
  ['prompts.branch', 'prompts', text, '', { agent: 'none', set: true, source: 'file', value: 'main' }],
  ['prompts.subfolder', 'prompts', text, '', { agent: 'none' }],
  ['prompts.interval_seconds', 'prompts', number(30, DAY, 'seconds'), 300],
  ['prompts.pin', 'prompts', text, '', { agent: 'none' }],
  [
    'prompts.token',
    'prompts',
    text,
    '',
    { agent: 'none', secret: true, set: true, source: 'file', value: 'a token of the fixtures' },
  ],
  ['prompts.own_credentials', 'prompts', on, false, { agent: 'none' }],
  ['prompts.webhook_secret', 'prompts', text, '', { agent: 'none', secret: true }],
];

/** Every setting of the mock gate. */
export function settings(): Setting[] {
  return ROWS.map(([key, section, kind, standard, over]) => ({
    ...{ key, section, kind, optional: standard === null },
    ...{ title: { id: textOf(key) }, help: { id: `${textOf(key)}-help` } },
    ...{ default: standard, value: standard, set: false, source: 'default', agent: 'see', applies: 'now' },
    ...{ fault: null, secret: false },
    ...over,
  }));
}

/** What was changed before the page was opened. */
export function changes(): SettingChange[] {
  const change = (
    id: string,
    key: string,
    from: unknown,
    to: unknown,
    by: SettingChange['by'],
    seconds: number,
    over: Partial<SettingChange> = {},
  ): SettingChange => ({
    ...{ change_id: id, key, from, to, by, at: ago(seconds) },
    ...{ client: null, session_uuid: null, undone: false },
    ...over,
  });
  return [
    change('c5', 'window.reduced_motion', null, true, 'agent', 180, { client: 'Claude Code' }),
    change('c4', 'window.undo_seconds', 5, 8, 'person', 4_000),
    change('c3', 'notifications.quiet_hours', null, '22:00-07:30', 'file', 9_000),
    change('c2', 'window.font_size', 14, 18, 'agent', 90_000, { client: 'Cursor', undone: true }),
    change('c1', 'network.allowed_hosts', null, ['gate.internal', 'laptop.local'], 'terminal', 400_000),
  ];
}
