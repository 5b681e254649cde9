import type { PageRow } from '../state/pages';

export default {
  order: 40,
  icon: 'note',
  label: 'main-prompts',
  letter: 'p',
  digit: '4',
  keys: async () => (await import('./key-group')).default,
  load: () => import('./PromptsPage.svelte'),
} satisfies PageRow;
