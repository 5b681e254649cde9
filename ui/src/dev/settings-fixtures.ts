// The settings as the mock gate has them: a few of each kind, from every place that a value can come from.
import type { Setting } from '../generated/Setting';
import type { SettingChange } from '../generated/SettingChange';
import type { SettingKind } from '../generated/SettingKind';
import type { SettingSection } from '../generated/SettingSection';
import type { Words } from '../generated/Words';
import { ago } from './build';
import { LONG } from './pseudo';

const long = new URLSearchParams(location.search).get('lang') === 'long';

/** A text in both languages; twice as long where the fixtures' language is. */
export const words = (en: string, zh: string): Words => ({ en: long ? LONG.transform(en) : en, zh });

export const SECTIONS: readonly SettingSection[] = [
  { section: 'waiting', title: words('Waiting and time-outs', '等待与超时') },
  { section: 'notifications', title: words('Notifications and quiet hours', '通知与安静时段') },
  { section: 'appearance', title: words('Appearance', '外观') },
  { section: 'voice', title: words('Voice', '语音') },
  { section: 'sessions', title: words('Sessions', '会话') },
  { section: 'storage', title: words('Storage and retention', '存储与保留') },
  { section: 'network', title: words('Network and security', '网络与安全') },
];

const WEEK = 7 * 24 * 60 * 60;
const on: SettingKind = { kind: 'switch' };
const number = (min: number, max: number, en?: string, zh?: string): SettingKind => ({
  ...{ kind: 'number', min, max },
  unit: en && zh ? words(en, zh) : null,
});
const list: SettingKind = { kind: 'list', max_items: 32, max_chars: 200 };
const choice = (...choices: [string, string, string][]): SettingKind => ({
  kind: 'choice',
  choices: choices.map(([value, en, zh]) => ({ value, title: words(en, zh) })),
});

type Row = [
  key: string,
  section: string,
  kind: SettingKind,
  standard: unknown,
  title: Words,
  help: Words,
  over?: Partial<Setting>,
];

const ROWS: readonly Row[] = [
  [
    'waiting.clients',
    'waiting',
    { kind: 'waiting', min: 5, max: WEEK, max_items: 32, max_chars: 200 },
    {},
    words('Waiting time of a client', '客户端等待时间'),
    words(
      'After how many seconds a client’s call is answered with pending, where that differs from what Review Gate knows of it. A name may have a version.',
      '客户端的调用在多少秒后返回“等待中”，仅在与内置值不同时填写。名称后可以带版本。',
    ),
    { agent: 'change', set: true, source: 'file', value: { cursor: 240, 'codex >= 0.60': { stdio: 290 } } },
  ],
  [
    'waiting.away_after_pending',
    'waiting',
    number(0, 1000, 'rounds', '轮'),
    0,
    words('Away after unanswered rounds', '多少轮无人回答后视为离开'),
    words(
      'After so many pending results in a row without any act of yours, agents are told that you are away. 0 for never.',
      '连续这么多次返回“等待中”而你没有任何操作时，会告知智能体你已离开。0 表示从不。',
    ),
  ],
  [
    'window.undo_seconds',
    'waiting',
    number(0, 30, 'seconds', '秒'),
    5,
    words('Time to take a reply back', '撤回回复的时限'),
    words(
      'For so long a reply that you have sent can be taken back. 0 for not at all.',
      '发送回复后在此时间内可以撤回。0 表示不可撤回。',
    ),
    { set: true, source: 'file', value: 8 },
  ],
  [
    'notifications.enabled',
    'notifications',
    on,
    true,
    words('Notifications', '桌面通知'),
    words('Show a notification of the system when a request comes in.', '收到请求时显示系统通知。'),
    { agent: 'change' },
  ],
  [
    'notifications.sounds',
    'notifications',
    on,
    true,
    words('Sounds', '提示音'),
    words('Play a sound when a request comes in.', '收到请求时播放提示音。'),
    { agent: 'change', set: true, source: 'file', value: false },
  ],
  [
    'notifications.quiet_hours',
    'notifications',
    { kind: 'hours' },
    null,
    words('Quiet hours', '安静时段'),
    words(
      'From when to when nothing comes up or sounds. Urgent requests still do.',
      '在此时段内不弹出窗口，也不播放提示音。紧急请求除外。',
    ),
    { agent: 'change', set: true, source: 'file', value: '22:00-07:30' },
  ],
  [
    'window.raise',
    'notifications',
    on,
    true,
    words('Bring the window up', '自动弹出窗口'),
    words(
      'Bring up the review window when a request comes in. An urgent one does anyway.',
      '收到请求时弹出审阅窗口。紧急请求始终会弹出。',
    ),
    { source: 'environment', value: false },
  ],
  [
    'window.theme',
    'appearance',
    choice(['system', 'As the system', '跟随系统'], ['light', 'Light', '浅色'], ['dark', 'Dark', '深色']),
    'system',
    words('Theme', '主题'),
    words('Whether the windows are light or dark.', '窗口使用浅色还是深色。'),
    { agent: 'change' },
  ],
  [
    'window.font_size',
    'appearance',
    number(11, 24, 'pixels', '像素'),
    14,
    words('Font size', '字号'),
    words('The size of running text.', '正文文字的大小。'),
    { agent: 'change' },
  ],
  [
    'window.language',
    'appearance',
    choice(
      ['system', 'As the system', '跟随系统'],
      ['en', 'English', 'English'],
      ['zh-CN', 'Simplified Chinese', '简体中文'],
    ),
    'system',
    words('Language', '语言'),
    words('The language of the windows.', '窗口所用的语言。'),
    { agent: 'change' },
  ],
  [
    'window.reduced_motion',
    'appearance',
    on,
    false,
    words('Reduce motion', '减少动态效果'),
    words('Nothing moves, whatever the system says.', '无论系统如何设置，界面都不使用动画。'),
    { agent: 'change' },
  ],
  [
    'window.hotkey',
    'appearance',
    { kind: 'keys', max_chars: 200 },
    'CmdOrCtrl+Alt+G',
    words('Hotkey', '全局快捷键'),
    words(
      'The keys that bring up the next request from anywhere.',
      '在任何地方按下即可调出下一个请求的快捷键。',
    ),
    { applies: 'next_start' },
  ],
  [
    'window.start_at_login',
    'appearance',
    on,
    null,
    words('Start at login', '登录时启动'),
    words(
      'Start Review Gate hidden when you log in. Without a choice here, the tray’s menu decides.',
      '登录系统时在后台启动 Review Gate。此处未选择时，以托盘菜单中的选择为准。',
    ),
    { applies: 'next_start' },
  ],
  [
    'sessions.timeout_seconds',
    'sessions',
    number(1, WEEK, 'seconds', '秒'),
    300,
    words('Time out after', '会话超时'),
    words(
      'A session without a relay times out after so long without activity.',
      '没有中继的会话在此时间内没有任何活动时视为超时。',
    ),
  ],
  [
    'storage.backups',
    'storage',
    number(0, 100, 'backups', '份'),
    5,
    words('Backups', '备份份数'),
    words('How many backups of the record are kept. 0 for none.', '保留多少份数据备份。0 表示不备份。'),
  ],
  [
    'storage.keep_days',
    'storage',
    number(1, 36_500, 'days', '天'),
    null,
    words('Keep conversations for', '对话保留天数'),
    words(
      'Conversations in which nothing happened for longer are deleted. Empty for never.',
      '超过此天数没有任何活动的对话会被删除。留空表示永不删除。',
    ),
  ],
  [
    'storage.journal',
    'storage',
    choice(
      ['auto', 'As the disk allows', '根据磁盘自动选择'],
      ['wal', 'Write-ahead log', '预写日志（WAL）'],
      ['rollback', 'Rollback journal', '回滚日志'],
    ),
    'auto',
    words('SQLite journal', 'SQLite 日志方式'),
    words('How SQLite writes.', 'SQLite 的写入方式。'),
    { applies: 'next_start' },
  ],
  [
    'network.port',
    'network',
    number(0, 65_535),
    8321,
    words('Port', '端口'),
    words(
      'The port on 127.0.0.1 that is tried first. 0 for any.',
      '优先使用的 127.0.0.1 端口。0 表示任意端口。',
    ),
    { applies: 'next_start', source: 'flag', value: 9400 },
  ],
  [
    'network.allowed_hosts',
    'network',
    list,
    [],
    words('Other names of this machine', '本机的其他名称'),
    words(
      'Names besides localhost that a client may call this machine, e.g. gate.internal.',
      '除 localhost 外，客户端可用来称呼本机的名称，例如 gate.internal。',
    ),
    { set: true, source: 'file', value: ['gate.internal', 'laptop.local'] },
  ],
  [
    'security.scripted_answers',
    'network',
    on,
    null,
    words('Answers from scripts', '允许脚本回答'),
    words(
      'Whether a process without a terminal may answer for you. Without a choice, only where Review Gate runs without windows.',
      '没有终端的进程能否代你回答。未选择时，仅在 Review Gate 无窗口运行时允许。',
    ),
    { agent: 'none' },
  ],
  [
    'voice.enabled',
    'voice',
    on,
    true,
    words('Voice', '语音'),
    words(
      'Speak replies instead of typing them. Everything is heard and written down on this machine.',
      '用语音代替键盘回复。所有声音都只在本机上识别。',
    ),
  ],
  [
    'voice.model',
    'voice',
    { kind: 'text', max_chars: 200 },
    '',
    words('Speech model', '语音模型'),
    words('The name of the model that writes down what you say.', '用于识别语音的模型名称。'),
  ],
  [
    'voice.language',
    'voice',
    choice(
      ['auto', 'Find out', '自动识别'],
      ['de', 'German', '德语'],
      ['en', 'English', '英语'],
      ['ja', 'Japanese', '日语'],
      ['zh', 'Chinese', '中文'],
    ),
    'auto',
    words('Language that you speak', '所说的语言'),
    words('Naming it is quicker and surer than having it found out.', '指定语言比自动识别更快、更准确。'),
  ],
  [
    'voice.microphone',
    'voice',
    { kind: 'text', max_chars: 200 },
    '',
    words('Microphone', '麦克风'),
    words('Empty for the one that the system uses.', '留空表示使用系统默认的麦克风。'),
    { agent: 'none' },
  ],
  [
    'voice.armed',
    'voice',
    on,
    true,
    words('Keep the microphone ready', '让麦克风保持就绪'),
    words(
      'Keep the microphone ready while a request is shown, so that the first word isn’t lost. Half a second is kept in memory, and nothing is stored.',
      '显示请求时让麦克风保持就绪，以免漏掉第一个字。内存中只保留半秒的声音，不会存储。',
    ),
    { agent: 'none' },
  ],
  [
    'voice.hotkey',
    'voice',
    { kind: 'keys', max_chars: 200 },
    '',
    words('Key to talk', '按住说话的快捷键'),
    words(
      'The keys that you hold while you speak, wherever you are. Empty for none.',
      '在任何地方按住即可说话的快捷键。留空表示不使用。',
    ),
    { applies: 'next_start' },
  ],
  [
    'voice.commands',
    'voice',
    on,
    false,
    words('Spoken commands', '语音命令'),
    words(
      'Understand send, approve and new line at the end of what you say. Nothing is approved before you confirm it.',
      '识别语音末尾的发送、批准和换行命令。批准之前始终会请你确认。',
    ),
  ],
  [
    'voice.longest_minutes',
    'voice',
    number(1, 60, 'minutes', '分钟'),
    10,
    words('Longest recording', '最长录音时间'),
    words(
      'After so long a recording ends by itself, and what was said is written down.',
      '录音达到此时间后自动结束，并识别已说的内容。',
    ),
  ],
  [
    'voice.vocabulary',
    'voice',
    list,
    [],
    words('Your own words', '自定义词汇'),
    words(
      'Names and words to listen for, each as it is written, or with what is heard instead, as in get hub -> GitHub.',
      '需要识别的名称和词语，按正确写法填写；也可以写明会被听成什么，例如 get hub -> GitHub。',
    ),
    { set: true, source: 'file', value: ['webhook_dead_letters', 'get hub -> GitHub'] },
  ],
  [
    'voice.mirror',
    'voice',
    { kind: 'text', max_chars: 200 },
    '',
    words('Where models come from', '模型下载地址'),
    words(
      'The address of a folder with the models’ files. Empty for the usual place.',
      '存放模型文件的目录地址。留空表示使用默认地址。',
    ),
    { agent: 'none' },
  ],
  [
    'voice.unload_minutes',
    'voice',
    number(1, 240, 'minutes', '分钟'),
    5,
    words('Keep the model loaded for', '模型保留时间'),
    words(
      'So long after its last use, the model’s memory is freed. The next use loads it again, in about a second.',
      '最后一次使用后经过此时间释放模型占用的内存。下次使用时会重新加载，约需一秒。',
    ),
  ],
];

/** Every setting of the mock gate. */
export function settings(): Setting[] {
  return ROWS.map(([key, section, kind, standard, title, help, over]) => ({
    ...{ key, section, kind, title, help, optional: standard === null },
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
    change('c5', 'notifications.sounds', null, false, 'agent', 180, { client: 'Claude Code' }),
    change('c4', 'window.undo_seconds', 5, 8, 'person', 4_000),
    change('c3', 'notifications.quiet_hours', null, '22:00-07:30', 'file', 9_000),
    change('c2', 'window.font_size', 14, 18, 'agent', 90_000, { client: 'Cursor', undone: true }),
    change('c1', 'network.allowed_hosts', null, ['gate.internal', 'laptop.local'], 'terminal', 400_000),
  ];
}
