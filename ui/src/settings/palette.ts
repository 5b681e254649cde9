// The settings, for the palette.
import '../i18n/words-settings';
import { inEachLanguage, said } from '../i18n/text.svelte';
import type { PaletteGroup } from '../palette/entries';
import type { Main } from '../state/main.svelte';
import { ask } from '../state/port';

/** They are asked for each time: they may have changed, and what they are called with them. */
export default async (main: Main): Promise<PaletteGroup> => {
  const { sections, settings } = await ask(main.port, { command: 'settings' });
  const titles = new Map(sections.map(({ section, title }) => [section, said(title)]));
  return {
    name: 'main-settings',
    asked: true,
    entries: settings.map(({ key, title, section }) => ({
      key: `setting ${key}`,
      label: said(title),
      hint: titles.get(section) ?? '',
      icon: 'sliders',
      words: [...inEachLanguage(title), key].join('\n'),
      act: () => main.go('settings', key),
    })),
  };
};
