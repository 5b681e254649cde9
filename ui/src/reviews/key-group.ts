// The keys of the Reviews page, for the sheet of them.
import '../i18n/words-reviews';
import type { KeyGroup } from '../state/key-sheet';

export default {
  name: 'main-reviews',
  keys: [
    [['X'], 'reviews-key-take'],
    [['[', ']'], 'reviews-key-rounds'],
    [['R'], 'reviews-key-write'],
    [['F'], 'reviews-key-diff'],
    [['U'], 'reviews-key-fresh'],
  ],
} satisfies KeyGroup;
