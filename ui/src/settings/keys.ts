// Keys that raise a window from anywhere, as the setting writes them (`CmdOrCtrl+Alt+G`) and as people read
// them. Pure.
import { apple } from '../state/keys';

const MODIFIERS = ['Control', 'Shift', 'Alt', 'Meta', 'AltGraph', 'OS', 'CapsLock', 'NumLock'];

/** Signs that the setting writes as they are. */
const SIGNS: Record<string, string> = {
  Comma: ',',
  Period: '.',
  Minus: '-',
  Slash: '/',
  Semicolon: ';',
  Backquote: '`',
};

const NAMED = new Set([
  'Space',
  'Enter',
  'Tab',
  'Home',
  'End',
  'Insert',
  'Delete',
  'PageUp',
  'PageDown',
  'ArrowUp',
  'ArrowDown',
  'ArrowLeft',
  'ArrowRight',
]);

type Press = Pick<KeyboardEvent, 'key' | 'code' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>;

/** The key itself, whatever its modifiers make of it; null for one that the setting can't name. */
function keyOf(code: string): string | null {
  const sign = /^(?:Key|Digit)([A-Z0-9])$/.exec(code)?.[1];
  if (sign) return sign;
  if (/^F([1-9]|1\d|2[0-4])$/.test(code) || NAMED.has(code)) return code;
  return SIGNS[code] ?? null;
}

/**
 * What was pressed, as the setting writes it. `more` while only modifiers are held, `alone` for a key
 * without one, which nobody else could use any more, `unknown` for a key without a name.
 */
export function pressed(press: Press): { keys: string } | 'more' | 'alone' | 'unknown' {
  if (MODIFIERS.includes(press.key)) return 'more';
  const key = keyOf(press.code);
  if (!key) return 'unknown';
  const command = apple ? press.metaKey : press.ctrlKey;
  const names = [
    command ? 'CmdOrCtrl' : '',
    apple && press.ctrlKey ? 'Ctrl' : '',
    !apple && press.metaKey ? 'Super' : '',
    press.altKey ? 'Alt' : '',
    press.shiftKey ? 'Shift' : '',
  ].filter((name) => name !== '');
  if (names.length === 0 || names.join() === 'Shift') return 'alone';
  return { keys: [...names, key].join('+') };
}

const SHOWN: Record<string, [elsewhere: string, apple: string]> = {
  cmdorctrl: ['Ctrl', '⌘'],
  cmdorcontrol: ['Ctrl', '⌘'],
  commandorctrl: ['Ctrl', '⌘'],
  commandorcontrol: ['Ctrl', '⌘'],
  ctrl: ['Ctrl', '⌃'],
  control: ['Ctrl', '⌃'],
  alt: ['Alt', '⌥'],
  option: ['Alt', '⌥'],
  shift: ['⇧', '⇧'],
  super: ['Super', '⌘'],
  meta: ['Super', '⌘'],
  cmd: ['Super', '⌘'],
  command: ['Super', '⌘'],
  arrowup: ['↑', '↑'],
  arrowdown: ['↓', '↓'],
  arrowleft: ['←', '←'],
  arrowright: ['→', '→'],
  enter: ['⏎', '⏎'],
};

/** The names of keys for people; null for what names none. */
export function readKeys(text: string): string[] | null {
  const names = text.split('+').map((name) => name.trim());
  if (names.length < 2 || names.some((name) => name === '')) return null;
  return names.map((name) => {
    const shown = SHOWN[name.toLowerCase()];
    if (shown) return shown[apple ? 1 : 0];
    return name.length === 1 ? name.toUpperCase() : name.replace(/^(?:Key|Digit)(?=.$)/, '');
  });
}
