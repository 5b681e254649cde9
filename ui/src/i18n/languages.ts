// Which languages there are, where their texts are, and which of them is meant.

// What the gate and the shell say by themselves isn't for windows.
const others = import.meta.glob<string>(['./*/*.ftl', '!./en/*.ftl', '!./*/shell.ftl', '!./*/sign-in.ftl'], {
  base: '../../locales',
  query: '?raw',
  import: 'default',
});
const folderOf = (path: string) => path.split('/').at(-2) ?? '';

/** The languages that there is a folder of, as BCP 47 tags, English first. */
export const LANGUAGES: readonly string[] = ['en', ...new Set(Object.keys(others).map(folderOf))];

/** The files of a language other than English: all of them, or the one of this name. */
export function filesOf(tag: string, name = ''): Promise<string[]> {
  const loaders = Object.entries(others).filter(([path]) => path.startsWith(`./${tag}/${name}`));
  return Promise.all(loaders.map(([, load]) => load()));
}

/** The language for a setting (`system` or a tag): the first of the person's that there is, or of its kind. */
export function languageFor(setting: string, preferred: readonly string[]): string {
  const wanted = setting === 'system' ? preferred : [setting];
  for (const tag of wanted.map((each) => each.toLowerCase())) {
    const found =
      LANGUAGES.find((known) => known.toLowerCase() === tag) ??
      LANGUAGES.find((known) => known.toLowerCase().split('-')[0] === tag.split('-')[0]);
    if (found) return found;
  }
  return 'en';
}
