import type { PageRow } from '../state/pages';
import { announcing } from './announcing';

export default {
  order: 70,
  icon: 'sliders',
  label: 'main-settings',
  letter: ',',
  digit: ',',
  palette: async (main) => (await import('./palette')).default(main),
  load: () => import('./SettingsPage.svelte'),
  hears: (main) => {
    const announce = announcing(main.port, main.toasts);
    return { setting_changes: ({ changes }) => announce(changes) };
  },
} satisfies PageRow;
