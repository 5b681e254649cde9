import type { PageRow } from '../state/pages';

export default {
  order: 70,
  icon: 'sliders',
  label: 'main-settings',
  letter: ',',
  digit: ',',
  load: () => import('./SettingsPage.svelte'),
  hears: (main) => ({
    setting_changes: ({ changes }) =>
      void import('./announce').then(({ announce }) => announce(main.port, main.toasts, changes)),
  }),
} satisfies PageRow;
