import type { PageRow } from '../state/pages';

export default {
  order: 60,
  icon: 'pulse',
  label: 'main-doctor',
  letter: 'd',
  digit: '6',
  load: () => import('./DoctorPage.svelte'),
} satisfies PageRow;
