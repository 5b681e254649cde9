// The mock gate's doctor: findings of every level. Scenes: `well`, `looking` (it never ends), `doctor-fault`.
import type { Finding } from '../generated/Finding';
import type { Level } from '../generated/Level';
import type { Phrase } from '../generated/Phrase';
import type { Answer } from '../state/port';
import type { MakeDouble } from './double';

const titled = (check: string): Phrase => ({ id: `check-${check}` });
const finding = (
  check: string,
  level: Level,
  title: Phrase,
  cause: string,
  mend: string | null = null,
  command: string | null = null,
): Finding => ({ check, level, title, cause, mend, command });

const BAD: readonly Finding[] = [
  finding(
    'client.codex',
    'fault',
    { id: 'check-client', values: { client: 'Codex' } },
    '~/.codex/config.toml names /opt/review-gate/bin/review-gate, which isn’t there.',
    'Write the entry anew with the program that is installed.',
    'review-gate install codex',
  ),
  finding(
    'token',
    'fault',
    titled('token'),
    '~/.local/share/review-gate/token can be read by everyone (mode 0644).',
    'Take the others’ right to read it away.',
    'chmod 600 ~/.local/share/review-gate/token',
  ),
  finding(
    'client.cursor',
    'warning',
    { id: 'check-client', values: { client: 'Cursor' } },
    'Cursor gives up after 60 s; questions that take longer come back as pending.',
    'Write the longer time-out.',
    'review-gate install cursor',
  ),
  finding(
    'tray',
    'note',
    titled('tray'),
    'This desktop shows no tray. Review Gate comes up through its keys and when it is started again.',
  ),
];

const GOOD: readonly Finding[] = [
  finding('program', 'good', titled('program'), 'review-gate 0.1.0 in ~/.local/bin.'),
  finding('gate', 'good', titled('gate'), 'It runs and answers, in the same version.'),
  finding('socket', 'good', titled('socket'), 'Only you can use it.'),
  finding('http', 'good', titled('http'), 'HTTP is served on 127.0.0.1:8321.'),
  finding('database', 'good', titled('database'), '2,418 conversations; its last check was sound.'),
  finding('settings', 'good', titled('settings'), 'config.yaml holds no fault.'),
  finding('display', 'good', titled('display'), ':0 can be reached.'),
  finding(
    'trial.claude-code',
    'good',
    { id: 'check-trial', values: { client: 'Claude Code' } },
    'Its command started, and answered in 41 ms.',
  ),
  finding('microphone', 'skipped', titled('microphone'), 'Voice isn’t set up.'),
];

const SEEN = finding('popup', 'good', titled('popup'), 'The request came up, and you answered it.');

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
