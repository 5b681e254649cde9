// What the sheet of keys says. Names and meanings are ids of messages.
import '../i18n/words-diff';
import '../i18n/words-keys';
import '../i18n/words-permission';
import '../i18n/words-revision';
import '../i18n/words-seen';
import '../i18n/words-voice';
import { permissionKeys } from '../permissions/keys';
import { command, keyNames } from './keys';

export interface KeyGroup {
  name: string;
  /** Keys, and what they do. `…` stands for all between two keys, `keys-or` for a word. */
  keys: readonly [readonly string[], string][];
}

/** Of every window. */
export const textSize: KeyGroup['keys'][number] = [[`${command} +`, '−', '0'], 'keys-text-size'];

export const answering: KeyGroup = {
  name: 'keys-answer',
  keys: [
    [[keyNames.approve], 'keys-approve'],
    [[keyNames.requestChanges], 'keys-request-changes'],
    [[keyNames.reply], 'keys-reply'],
    [[keyNames.undo], 'keys-undo'],
    [[keyNames.snippets, 'keys-or', '/'], 'keys-snippets'],
    [['@'], 'keys-files'],
    [[keyNames.speak], 'voice-key-speak'],
    [['Esc'], 'keys-later'],
  ],
};

/** In place of those above: what approves other requests allows nothing here. */
export const permitting: KeyGroup = {
  name: 'permission-keys',
  keys: [
    [[permissionKeys.once], 'permission-keys-once'],
    [[permissionKeys.deny], 'permission-keys-deny'],
    [[keyNames.reply], 'permission-keys-deny-send'],
    [[permissionKeys.edit], 'permission-keys-edit'],
    [[permissionKeys.rule(1), '…', '9'], 'permission-keys-rule'],
  ],
};

export const inMessage: KeyGroup = {
  name: 'keys-message',
  keys: [
    [['N', 'P'], 'keys-blocks'],
    [['←', '→'], 'keys-words'],
    [['C'], 'keys-remark'],
    [['Q'], 'keys-quote'],
    [['M'], 'keys-remarks'],
    [['T'], 'keys-outline'],
    [['U'], 'revision-changes-show'],
    [['O'], 'keys-source'],
    [['F'], 'diff-keys-cross'],
    [[`${command} F`], 'keys-find'],
    [['X'], 'keys-context'],
  ],
};

const inChanges: KeyGroup = {
  name: 'keys-changes',
  keys: [
    [['F'], 'diff-keys-cross-back'],
    [['N', 'P'], 'diff-keys-change'],
    [['↑', '↓'], 'diff-keys-lines'],
    [['⇧ ↑', '⇧ ↓'], 'diff-keys-choose'],
    [['⏎'], 'diff-keys-comment'],
    [['Esc'], 'diff-keys-finish'],
    [['M', '⇧ M'], 'diff-keys-comments'],
    [['[', ']'], 'diff-keys-file'],
    [['V', 'Z'], 'diff-keys-viewed'],
    [['T', 'W'], 'diff-keys-split'],
    [['U'], 'diff-keys-fresh'],
    [[`${command} F`], 'diff-keys-find'],
  ],
};

export const reviewKeys: readonly KeyGroup[] = [
  answering,
  permitting,
  {
    name: 'keys-not-typing',
    keys: [
      [['1', '…', '9', '0'], 'keys-option'],
      [['R'], 'keys-write'],
      [['J', 'K'], 'keys-step'],
      [['L'], 'keys-queue'],
      [['S'], 'keys-put-off'],
      [['E'], 'seen-keys-unseen'],
      [['Ctrl H'], 'keys-history-here'],
      textSize,
      [['?'], 'keys-sheet'],
    ],
  },
  inMessage,
  inChanges,
];
