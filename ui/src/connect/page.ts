import type { PageRow } from '../state/pages';

export default {
  order: 50,
  apart: true,
  icon: 'plug',
  label: 'main-connect',
  letter: 'c',
  digit: '5',
  load: () => import('./ConnectPage.svelte'),
} satisfies PageRow;
