// What the palette has in the main window: its pages, what these bring, and what can be done anywhere.
import '../i18n/words-keys';
import { t } from '../i18n/text.svelte';
import { quietUntil, type Quiet } from '../presence/presence.svelte';
import { command } from '../state/keys';
import type { Main } from '../state/main.svelte';
import { PAGES, type MainPage } from '../state/pages';
import type { PaletteGroup } from './entries';

/** The pages themselves. */
export function pages(go: (page: MainPage) => void): PaletteGroup {
  return {
    name: 'main-pages',
    entries: PAGES.map(({ page, label, icon, digit }) => ({
      key: `page ${page}`,
      label: t(label),
      icon,
      words: page,
      keys: [`${command} ${digit}`],
      act: () => go(page),
    })),
  };
}

/** What can be done wherever the person is. */
export function actions(main: Main): PaletteGroup {
  const { presence } = main;
  const { away, do_not_disturb } = presence.told;
  const quiet: [Quiet, string][] = [
    ['hour', 'palette-quiet-hour'],
    ['morning', 'palette-quiet-morning'],
    ['open', 'palette-quiet-open'],
  ];
  return {
    name: 'palette-actions',
    entries: [
      {
        key: 'away',
        label: t(away ? 'main-away-end' : 'palette-away'),
        icon: 'clock',
        keys: ['A'],
        act: () => void presence.setAway(!away),
      },
      ...(do_not_disturb
        ? [
            {
              key: 'quiet-end',
              label: t('palette-quiet-end'),
              icon: 'bell' as const,
              act: () => void presence.endQuiet(),
            },
          ]
        : quiet.map(([choice, label]) => ({
            key: `quiet-${choice}`,
            label: t(label),
            icon: 'moon' as const,
            act: () => void presence.beQuiet(quietUntil(choice, Date.now())),
          }))),
      ...(main.port.openInBrowser
        ? [
            {
              key: 'browser',
              label: t('palette-browser'),
              icon: 'arrow' as const,
              act: () => main.openInBrowser(),
            },
          ]
        : []),
      {
        key: 'keys',
        label: t('keys'),
        icon: 'keyboard',
        keys: ['?'],
        act: () => (main.sheetOpen = true),
      },
      {
        key: 'hide',
        label: t('keys-hide'),
        icon: 'cross',
        keys: [`${command} W`],
        act: () => main.hide(),
      },
    ],
  };
}

/** What the pages bring, each as it comes; `take` is given all that is there, in the order of the pages. */
export function bring(main: Main, take: (groups: readonly PaletteGroup[]) => void): void {
  const come = new Map<MainPage, PaletteGroup>();
  for (const { page, palette } of PAGES) {
    void palette?.(main).then(
      (group) => {
        come.set(page, group);
        take(PAGES.flatMap((each) => come.get(each.page) ?? []));
      },
      // What can't be had now isn't offered.
      () => undefined,
    );
  }
}
