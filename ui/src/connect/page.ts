import type { PageRow } from '../state/pages';
import { announcing } from './announcing';

export default {
  order: 50,
  apart: true,
  icon: 'plug',
  label: 'main-connect',
  letter: 'c',
  digit: '5',
  load: () => import('./ConnectPage.svelte'),
  hears: (main) => {
    const announce = announcing(main.toasts, () => main.go('connect'));
    return { browser_signed_in: ({ browser }) => announce(browser) };
  },
} satisfies PageRow;
