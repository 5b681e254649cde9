// The keys of the History page, for the sheet of them.
import '../i18n/words-history';
import type { KeyGroup } from '../state/key-sheet';

export default {
  name: 'main-history',
  keys: [[['F'], 'history-key-filters']],
} satisfies KeyGroup;
