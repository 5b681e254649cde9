// The mock gate's doctor: findings of every level. Scenes: `well`, `looking` (it never ends), `doctor-fault`.
import type { Finding } from '../generated/Finding';
import type { Level } from '../generated/Level';
import type { Phrase } from '../generated/Phrase';
import type { Answer } from '../state/port';
import type { MakeDouble } from './double';

const titled = (check: string): Phrase => ({ id: `check-${check}` });
const says = (what: string, values: Phrase['values'] = {}): Phrase => ({ id: `finding-${what}`, values });
const finding = (
  check: string,
  level: Level,
  title: Phrase,
  cause: Phrase,
  mend: Phrase | null = null,
  command: string | null = null,
): Finding => ({ check, level, title, cause, mend, command });

const BAD: readonly Finding[] = [
  finding(
    'client.codex',
    'fault',
    { id: 'check-client', values: { client: 'Codex' } },
    says('entry-missing', {
      file: '~/.codex/config.toml',
      command: '/opt/review-gate/bin/review-gate',
    }),
    says('mend-entry-path'),
    'review-gate install codex',
  ),
  finding(
    'token',
    'fault',
    titled('token'),
    says('others-read', { file: '~/.local/share/review-gate/token', mode: '0644' }),
    says('mend-token-read'),
    'review-gate token rotate',
  ),
  finding(
    'client.cursor',
    'warning',
    { id: 'check-client', values: { client: 'Cursor' } },
    says('entry-time-out', { client: 'Cursor', file: '~/.cursor/mcp.json' }),
    says('mend-time-out'),
    'review-gate install cursor',
  ),
  finding('person', 'note', titled('person'), says('person-quiet'), says('mend-quiet')),
];

const GOOD: readonly Finding[] = [
  finding(
    'program',
    'good',
    titled('program'),
    says('version', { program: '~/.local/bin/review-gate', version: '0.1.0' }),
  ),
  finding(
    'gate',
    'good',
    titled('gate'),
    says('gate-with-window', { pid: '41234', version: '0.1.0', waiting: 3 }),
  ),
  finding(
    'socket',
    'good',
    titled('socket'),
    says('as-it-is', { text: '~/.local/share/review-gate/mcp.sock' }),
  ),
  finding(
    'socket',
    'good',
    titled('socket'),
    says('as-it-is', { text: '~/.local/share/review-gate/control/control.sock' }),
  ),
  finding('http', 'good', titled('http'), says('http-answers', { url: 'http://127.0.0.1:8321/mcp' })),
  finding(
    'database',
    'good',
    titled('database'),
    says('record-counts', { conversations: 2_418, messages: 21_304, waiting: 3 }),
  ),
  finding(
    'settings',
    'good',
    titled('settings'),
    says('as-it-is', { text: '~/.config/review-gate/config.yaml' }),
  ),
  finding('display', 'good', titled('display'), says('display-reached', { display: 'X11, :0' })),
  finding(
    'trial.claude-code',
    'good',
    { id: 'check-trial', values: { client: 'Claude Code' } },
    says('trial-good', { tools: 9, milliseconds: 41 }),
  ),
  finding('microphone', 'skipped', titled('microphone'), says('microphone-unneeded')),
];

const SEEN = finding('popup', 'good', titled('popup'), says('seen-in-window', { seconds: 4 }));

async function doctor(scene: string, popup: boolean): Promise<Answer> {
  if (scene === 'looking') await new Promise(() => undefined);
  if (scene === 'doctor-fault')
    throw { code: 'too_many', message: 'Another look goes on already.', mend: 'Wait until it is done.' };
  const findings = [...(scene === 'well' ? [] : BAD), ...GOOD, ...(popup ? [SEEN] : [])];
  return { findings, took_ms: 2_340 };
}

/** The test request, as if the person answered it at once; in the scene `looking` it waits. */
async function tested(scene: string): Promise<Answer> {
  if (scene === 'looking') await new Promise(() => undefined);
  return { finding: SEEN };
}

export default ((scene) => ({
  command: (command) => {
    if (command.command === 'test_request') return tested(scene);
    return command.command === 'doctor' ? doctor(scene, command.popup) : null;
  },
})) satisfies MakeDouble;
