// The keys of the Prompts page, for the sheet of them.
import '../i18n/words-prompts';
import type { KeyGroup } from '../state/key-sheet';
import { command, keyNames } from '../state/keys';

export default {
  name: 'main-prompts',
  keys: [
    [['P', 'R'], 'prompts-key-sides'],
    [['N'], 'prompts-key-new'],
    [['1', '…', '4'], 'prompts-key-parts'],
    [[`${command} S`], 'prompts-key-save'],
    [['Del'], 'prompts-key-delete'],
    [[keyNames.undo], 'prompts-key-undo'],
  ],
} satisfies KeyGroup;
