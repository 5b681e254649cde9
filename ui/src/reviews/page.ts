import type { PageRow } from '../state/pages';

export default {
  order: 25,
  icon: { path: 'M6 3.5h12v17H6zM9.5 8.5h5M12 6v5M9.5 15.5h5' },
  label: 'main-reviews',
  counted: 'main-reviews-counted',
  count: ({ reviews }) => reviews?.length ?? 0,
  asks: true,
  letter: 'r',
  digit: '7',
  listed: ({ reviews }) => reviews !== null,
  look: async (main) => (await import('./looking')).look(main),
  keys: async () => (await import('./key-group')).default,
  load: () => import('./ReviewsPage.svelte'),
} satisfies PageRow;
