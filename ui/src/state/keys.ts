// Which key means what. Pure: from a key press and where the focus is to an intention.

export type Intention =
  | {
      kind:
        | 'approve'
        | 'request_changes'
        | 'reply'
        | 'escape'
        | 'next'
        | 'previous'
        | 'list'
        | 'write'
        | 'history'
        | 'help'
        | 'undo'
        | 'snippets'
        | 'snooze';
    }
  | { kind: 'option'; index: number };

export type KeyPress = Pick<
  KeyboardEvent,
  'key' | 'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey' | 'repeat' | 'isComposing'
>;

/** Whether keys typed there are text. */
export function takesText(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  // A letter finds an entry of a select.
  if (target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement) return true;
  if (target.isContentEditable) return true;
  return target instanceof HTMLInputElement && !['radio', 'checkbox', 'file', 'button'].includes(target.type);
}

/**
 * Whether a single key is a command there: while nobody types, and in the main window only in what is marked by
 * `data-keys`, a list or what is read beside it. The review window marks all of itself.
 */
export function takesKeys(target: EventTarget | null): boolean {
  return target instanceof Element && !takesText(target) && target.closest('[data-keys]') !== null;
}

/** How long a key that begins something waits for the next one, in milliseconds. */
export const SEQUENCE = 1_500;

/** A key that stands for a sign and is pressed without a command key. */
export function isSingle(press: KeyPress): boolean {
  return press.key.length === 1 && !press.ctrlKey && !press.metaKey && !press.altKey;
}

/**
 * What the person means; `inText` where single keys mean nothing. A held key and a key that an input method composes with mean nothing:
 * neither may send a reply.
 */
export function intentionOf(press: KeyPress, inText: boolean): Intention | null {
  if (press.repeat || press.isComposing) return null;
  const command = press.ctrlKey || press.metaKey;
  if (press.key === 'Enter' && command) {
    if (press.shiftKey && press.altKey) return null;
    if (press.shiftKey) return { kind: 'approve' };
    if (press.altKey) return { kind: 'request_changes' };
    return { kind: 'reply' };
  }
  // With Ctrl everywhere: the Command key's H hides a program on an Apple system.
  if (press.ctrlKey && !press.metaKey && !press.shiftKey && !press.altKey && press.key.toLowerCase() === 'h')
    return { kind: 'history' };
  if (command && !press.shiftKey && !press.altKey) {
    // In a text the field's own undo comes first; whoever hears this knows whether it has one.
    if (press.key.toLowerCase() === 'z') return { kind: 'undo' };
    if (press.key.toLowerCase() === 'k') return { kind: 'snippets' };
  }
  if (command || press.altKey) return null;
  if (press.key === 'Escape') return { kind: 'escape' };
  if (inText) return null;
  if (/^[0-9]$/.test(press.key))
    return { kind: 'option', index: press.key === '0' ? 9 : Number(press.key) - 1 };
  switch (press.key) {
    case 'j':
    case 'J':
      return { kind: 'next' };
    case 'k':
    case 'K':
      return { kind: 'previous' };
    case 'l':
    case 'L':
      return { kind: 'list' };
    case 'r':
    case 'R':
      return { kind: 'write' };
    case 's':
    case 'S':
      return { kind: 'snooze' };
    case '?':
      return { kind: 'help' };
    default:
      return null;
  }
}

/** Whether this system names its keys as Apple does. */
export const apple = typeof navigator !== 'undefined' && /Mac|iPhone|iPad/.test(navigator.platform);

/** The key that commands go with, as this system names it. */
export const command = apple ? '⌘' : 'Ctrl';

/** Key names as this system writes them. */
export const keyNames = {
  approve: apple ? '⌘ ⇧ ⏎' : 'Ctrl ⇧ ⏎',
  requestChanges: apple ? '⌘ ⌥ ⏎' : 'Ctrl Alt ⏎',
  reply: apple ? '⌘ ⏎' : 'Ctrl ⏎',
  undo: apple ? '⌘ Z' : 'Ctrl Z',
  snippets: apple ? '⌘ K' : 'Ctrl K',
  speak: apple ? '⌘ D' : 'Ctrl D',
} as const;
