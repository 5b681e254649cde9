// What the sheet of keys says in the main window.
import '../i18n/words-palette';
import { answering, inMessage, permitting, textSize, type KeyGroup } from './key-sheet';
import { command } from './keys';
import { PAGES } from './pages';

/** Of the main window: the pages, their lists, what each page has of its own, and the request view. */
export async function mainKeys(): Promise<readonly KeyGroup[]> {
  const own = await Promise.all(PAGES.map((page) => page.keys?.()));
  return [
    {
      name: 'keys-pages',
      keys: [
        ...PAGES.map(({ digit, letter, label }): [string[], string] => [
          [`${command} ${digit}`, 'keys-or', 'G', letter.toUpperCase()],
          label,
        ]),
        [[`${command} K`], 'palette-key'],
        [['/'], 'keys-search'],
        [[`${command} W`], 'keys-hide'],
        textSize,
        [['?'], 'keys-sheet'],
      ],
    },
    {
      name: 'keys-list',
      keys: [
        [['↑', '↓'], 'keys-rows'],
        [['PgUp', 'PgDn'], 'keys-page'],
        [['Home', 'End'], 'keys-ends'],
        [['⏎'], 'keys-open'],
        [['Esc'], 'keys-back'],
      ],
    },
    ...own.filter((group) => group !== undefined),
    { ...answering, keys: answering.keys.slice(0, -1) },
    permitting,
    inMessage,
  ];
}
