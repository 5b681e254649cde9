import type { PageRow } from '../state/pages';
import { knownOf } from './known.svelte';

export default {
  order: 25,
  icon: {
    path: 'M6 3.5h12v17H6zM9.5 8.5h5M12 6v5M9.5 15.5h5',
  },
  label: 'main-reviews',
  counted: 'main-reviews-counted',
  count: (main) => knownOf(main).waiting.length,
  asks: true,
  letter: 'r',
  digit: '7',
  listed: (main) => knownOf(main).any,
  look: (main) => knownOf(main).look(),
  keys: async () => (await import('./key-group')).default,
  load: () => import('./ReviewsPage.svelte'),
  hears: (main) => ({ review_changed: ({ review }) => knownOf(main).changed(review) }),
} satisfies PageRow;
