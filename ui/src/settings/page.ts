import type { PageRow } from '../state/pages';

export default {
  order: 70,
  icon: 'sliders',
  label: 'main-settings',
  letter: ',',
  digit: ',',
  load: () => import('./SettingsPage.svelte'),
  hears: (main) => {
    // In their order, though the first has to wait until its part of the page is loaded.
    let line = Promise.resolve();
    return {
      setting_changes: ({ changes }) => {
        const say = async () => (await import('./announce')).announce(main.port, main.toasts, changes);
        line = line.then(say, say);
      },
    };
  },
} satisfies PageRow;
