// All text of the windows: message catalogues (Fluent, projectfluent.org) in `locales/`, a folder for each
// language with a file for each area. English is built in; `languages.ts` knows the others, and is loaded for them.
import { FluentBundle, FluentResource, type FluentVariable } from '@fluent/bundle';
import type { Phrase } from '../generated/Phrase';

/** What a message may be given. */
export type TextArguments = Record<string, FluentVariable>;

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
let learned = $state.raw<readonly FluentBundle[]>([]);

/** The language that the windows speak now, a BCP 47 tag; for `Intl` too. */
export function language(): string {
  return spoken.tag;
}

function textIn(bundle: FluentBundle, id: string, values?: TextArguments): string | undefined {
  const value = bundle.getMessage(id)?.value;
  return value ? bundle.formatPattern(value, values) : undefined;
}

/** The message `id` in the language of the windows, with its `values` filled in. */
export function t(id: string, values?: TextArguments): string {
  return textIn(spoken.bundle, id, values) ?? textIn(fallback, id, values) ?? id;
}

/** What the gate says, in the language of the windows. */
export function said({ id, values }: Phrase): string {
  return t(id, values);
}

/** What the gate says, in English whatever the windows speak. */
export function inEnglish({ id, values }: Phrase): string {
  return textIn(fallback, id, values) ?? id;
}

/** What the gate says, in each language that is spoken or was learned. */
export function inEachLanguage({ id, values }: Phrase): string[] {
  const elsewhere = [fallback, ...learned].map((bundle) => textIn(bundle, id, values) ?? []);
  return [t(id, values), ...elsewhere.flat()];
}

/** Learns an area in all languages: who searches may use the words of any. */
export async function learn(area: string): Promise<void> {
  const { filesOf, LANGUAGES } = await import('./languages');
  const tags = LANGUAGES.filter((tag) => tag !== 'en');
  learned = await Promise.all(tags.map(async (tag) => bundleOf(tag, await filesOf(tag, `${area}.ftl`))));
}

/** Makes the windows speak a language; they follow at once. */
export async function speak(tag: string): Promise<void> {
  if (spoken.tag === tag) return;
  if (tag === 'en') return settle({ tag, bundle: fallback }, false);
  const { filesOf } = await import('./languages');
  settle({ tag, bundle: bundleOf(tag, await filesOf(tag)) }, false);
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
