// The mock gate's doctor: findings of every level. Scenes: `well`, `looking` (it never ends), `doctor-fault`.
import type { Finding } from '../generated/Finding';
import type { Level } from '../generated/Level';
import { words } from './settings-fixtures';
import type { Answer } from '../state/port';

const finding = (
  check: string,
  level: Level,
  en: string,
  zh: string,
  cause: string,
  mend: string | null = null,
  command: string | null = null,
): Finding => ({ check, level, title: words(en, zh), cause, mend, command });

const BAD: readonly Finding[] = [
  finding(
    'client.codex',
    'fault',
    'Codex: configuration',
    'Codex：配置',
    '~/.codex/config.toml names /opt/review-gate/bin/review-gate, which isn’t there.',
    'Write the entry anew with the program that is installed.',
    'review-gate install codex',
  ),
  finding(
    'token',
    'fault',
    'Token',
    '令牌',
    '~/.local/share/review-gate/token can be read by everyone (mode 0644).',
    'Take the others’ right to read it away.',
    'chmod 600 ~/.local/share/review-gate/token',
  ),
  finding(
    'client.cursor',
    'warning',
    'Cursor: time-out',
    'Cursor：超时',
    'Cursor gives up after 60 s; questions that take longer come back as pending.',
    'Write the longer time-out.',
    'review-gate install cursor',
  ),
  finding(
    'tray',
    'note',
    'System tray',
    '系统托盘',
    'This desktop shows no tray. Review Gate comes up through its keys and when it is started again.',
  ),
];

const GOOD: readonly Finding[] = [
  finding('path', 'good', 'Program on the PATH', 'PATH 中的程序', 'review-gate 0.1.0 in ~/.local/bin.'),
  finding('gate', 'good', 'Gate', '网关', 'It runs and answers, in the same version.'),
  finding('socket', 'good', 'Socket', '套接字', 'Only you can use it.'),
  finding('port', 'good', 'Port', '端口', 'HTTP is served on 127.0.0.1:8321.'),
  finding('database', 'good', 'Database', '数据库', '2,418 conversations; its last check was sound.'),
  finding('settings', 'good', 'Settings', '设置', 'config.yaml holds no fault.'),
  finding('display', 'good', 'Display', '显示', ':0 can be reached.'),
  finding(
    'client.claude-code.probe',
    'good',
    'Claude Code: round trip',
    'Claude Code：往返测试',
    'Its command started, and answered in 41 ms.',
  ),
  finding('microphone', 'skipped', 'Microphone', '麦克风', 'Voice isn’t set up.'),
];

export async function doctor(scene: string, popup: boolean): Promise<Answer> {
  if (scene === 'looking') await new Promise(() => undefined);
  if (scene === 'doctor-fault')
    throw { code: 'too_many', message: 'Another look goes on already.', mend: 'Wait until it is done.' };
  const seen = finding('popup', 'good', 'Window', '窗口', 'The request came up, and you answered it.');
  const findings = [...(scene === 'well' ? [] : BAD), ...GOOD, ...(popup ? [seen] : [])];
  return { findings, took_ms: 2_340 };
}
