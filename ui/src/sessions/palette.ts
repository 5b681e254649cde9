// The sessions, for the palette.
import { uncoded } from '../components/coded';
import { t } from '../i18n/text.svelte';
import type { PaletteGroup } from '../palette/entries';
import type { Main } from '../state/main.svelte';
import { statusWord, whose } from './session-list';

export default (main: Main): PaletteGroup => ({
  name: 'main-sessions',
  entries: main.sessions.list.map((session) => ({
    key: `session ${session.session_uuid}`,
    label: uncoded(session.title) || t('no-question'),
    hint: whose(session),
    icon: 'sessions',
    words: `${statusWord(session.status)}\n${session.progress?.status_message ?? ''}`,
    act: () => main.go('sessions', session.session_uuid),
  })),
});
