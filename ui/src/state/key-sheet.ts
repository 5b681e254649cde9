// What the sheet of keys says, for each window. Names and meanings are ids of messages.
import '../i18n/words-prompts';
import '../i18n/words-revision';
import '../i18n/words-voice';
import { apple, keyNames } from './keys';

export interface KeyGroup {
  name: string;
  /** Keys, and what they do. `…` stands for all between two keys, `keys-or` for a word. */
  keys: readonly [readonly string[], string][];
}

const command = apple ? '⌘' : 'Ctrl';

const answering: KeyGroup = {
  name: 'keys-answer',
  keys: [
    [[keyNames.approve], 'keys-approve'],
    [[keyNames.requestChanges], 'keys-request-changes'],
    [[keyNames.reply], 'keys-reply'],
    [[keyNames.undo], 'reply-key-undo'],
    [[keyNames.snippets, 'keys-or', '/'], 'reply-key-snippets'],
    [['@'], 'reply-key-files'],
    [[keyNames.speak], 'voice-key-speak'],
    [['Esc'], 'keys-later'],
  ],
};

const inMessage: KeyGroup = {
  name: 'keys-message',
  keys: [
    [['N', 'P'], 'keys-blocks'],
    [['←', '→'], 'keys-words'],
    [['C'], 'keys-remark'],
    [['Q'], 'keys-quote'],
    [['M'], 'keys-remarks'],
    [['T'], 'keys-outline'],
    [['U'], 'revision-changes-show'],
    [['X'], 'keys-context'],
  ],
};

const inChanges: KeyGroup = {
  name: 'keys-changes',
  keys: [
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
  {
    name: 'keys-not-typing',
    keys: [
      [['1', '…', '9', '0'], 'keys-option'],
      [['R'], 'keys-write'],
      [['J', 'K'], 'keys-step'],
      [['L'], 'keys-queue'],
      [['S'], 'reply-key-snooze'],
      [['Ctrl H'], 'keys-history-here'],
      [['?'], 'keys-sheet'],
    ],
  },
  inMessage,
  inChanges,
];

export const mainKeys: readonly KeyGroup[] = [
  {
    name: 'keys-pages',
    keys: [
      [[`${command} 1`, 'keys-or', 'G', 'I'], 'main-inbox'],
      [[`${command} 2`, 'keys-or', 'G', 'S'], 'main-sessions'],
      [[`${command} 3`, 'keys-or', 'G', 'H'], 'main-history'],
      [[`${command} 4`, 'keys-or', 'G', 'P'], 'main-prompts'],
      [[`${command} 5`, 'keys-or', 'G', 'C'], 'main-connect'],
      [[`${command} 6`, 'keys-or', 'G', 'D'], 'main-doctor'],
      [[`${command} ,`, 'keys-or', 'G', ','], 'main-settings'],
      [['/'], 'keys-search'],
      [[`${command} W`], 'keys-hide'],
      [['?'], 'keys-sheet'],
    ],
  },
  {
    name: 'keys-list',
    keys: [
      [['↑', '↓'], 'keys-rows'],
      [['PgUp', 'PgDn'], 'keys-page'],
      [['Home', 'End'], 'keys-ends'],
      [['⏎'], 'keys-open'],
      [['Esc'], 'keys-back'],
    ],
  },
  {
    name: 'keys-inbox',
    keys: [
      [['S'], 'keys-snooze'],
      [['A'], 'keys-away'],
      [['D'], 'keys-quiet'],
      [['1', '…', '9', '0'], 'keys-option'],
      [['R'], 'keys-write'],
    ],
  },
  {
    name: 'main-prompts',
    keys: [
      [['P', 'R'], 'prompts-key-sides'],
      [['N'], 'prompts-key-new'],
      [['1', '…', '4'], 'prompts-key-parts'],
      [[`${command} S`], 'prompts-key-save'],
      [['Del'], 'prompts-key-delete'],
      [[keyNames.undo], 'prompts-key-undo'],
    ],
  },
  { ...answering, keys: answering.keys.slice(0, -1) },
  inMessage,
];
