// All text of the windows: message catalogues (Fluent, projectfluent.org) in `locales/`, one file an
// area and language. English is built in; another language is loaded when it is chosen.
import { FluentBundle, FluentResource, type FluentVariable } from '@fluent/bundle';

/** What a message may be given. */
export type TextArguments = Record<string, FluentVariable>;

/** Languages with complete catalogues, as BCP 47 tags. */
export const LANGUAGES = ['en', 'zh-CN'] as const;
export type Language = (typeof LANGUAGES)[number];

type Loaders = Record<string, () => Promise<unknown>>;

// What every window needs at once; `words-*.ts` bring what is needed by some only.
const english: string[] = Object.values(
  import.meta.glob<string>(
    [
      '../../locales/en/common.ftl',
      '../../locales/en/request.ftl',
      '../../locales/en/reply.ftl',
      '../../locales/en/markdown.ftl',
    ],
    { query: '?raw', import: 'default', eager: true },
  ),
);
const others: Record<Exclude<Language, 'en'>, Loaders> = {
  'zh-CN': import.meta.glob(['../../locales/zh-CN/*.ftl', '!../../locales/zh-CN/shell.ftl'], {
    query: '?raw',
    import: 'default',
  }),
};

/** Changes every text, for a layout with longer texts; only tests and fixtures use it. */
export type Pseudo = { transform: (text: string) => string; rtl: boolean };

function bundleOf(tag: string, files: string[], pseudo?: Pseudo): FluentBundle {
  const rtl = pseudo?.rtl ?? false;
  const bundle = new FluentBundle(tag, { useIsolating: rtl, transform: pseudo?.transform });
  for (const file of files) {
    for (const error of bundle.addResource(new FluentResource(file))) throw error;
  }
  return bundle;
}

const fallback = bundleOf('en', english);
let spoken = $state.raw<{ tag: string; bundle: FluentBundle }>({ tag: 'en', bundle: fallback });

/** The language that the windows speak now, a BCP 47 tag; for `Intl` too. */
export function language(): string {
  return spoken.tag;
}

/** The message `id` in the language of the windows, with its `values` filled in. */
export function t(id: string, values?: TextArguments): string {
  for (const bundle of [spoken.bundle, fallback]) {
    const message = bundle.getMessage(id);
    if (message?.value) return bundle.formatPattern(message.value, values);
  }
  return id;
}

/** The language for a setting (`system` or a tag): the first of the person's that has a catalogue. */
export function languageFor(setting: string, preferred: readonly string[]): Language {
  const wanted = setting === 'system' ? preferred : [setting];
  for (const tag of wanted) {
    const base = tag.toLowerCase().split('-')[0];
    const found = LANGUAGES.find((known) => known.toLowerCase().split('-')[0] === base);
    if (found) return found;
  }
  return 'en';
}

/** Makes the windows speak a language; they follow at once. */
export async function speak(tag: Language): Promise<void> {
  if (spoken.tag === tag) return;
  const bundle =
    tag === 'en'
      ? fallback
      : bundleOf(
          tag,
          await Promise.all(Object.values(others[tag]).map(async (load) => (await load()) as string)),
        );
  settle({ tag, bundle }, false);
}

/** English with every text changed. */
export function speakPseudo(pseudo: Pseudo): void {
  settle({ tag: 'en', bundle: bundleOf('en', english, pseudo) }, pseudo.rtl);
}

/** Adds English texts that come with a part of the page. Called before that part stands there. */
export function teach(files: Record<string, string>): void {
  for (const file of Object.values(files)) {
    english.push(file);
    const resource = new FluentResource(file);
    for (const bundle of new Set([fallback, spoken.tag === 'en' ? spoken.bundle : fallback])) {
      for (const error of bundle.addResource(resource)) throw error;
    }
  }
}

function settle(next: typeof spoken, rtl: boolean): void {
  spoken = next;
  document.documentElement.lang = next.tag;
  document.documentElement.dir = rtl ? 'rtl' : 'ltr';
}
