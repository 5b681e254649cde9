// @vitest-environment node
// Texts: every language has all of them with the same variables, every one is used, and none stands in the
// code. Styles: nothing in them belongs to one direction of writing.
import { FluentResource } from '@fluent/bundle';
import { parse } from 'svelte/compiler';
import { describe, expect, it } from 'vitest';
import { LANGUAGES } from '../src/i18n/languages';
import { filesIn, read, sources } from './sources';

/** Names that are the same in every language, and units of style sheets. */
const NAMES = ['Review Gate', 'Claude Code', 'VS Code', 'Segoe UI', 'Noto Sans', 'Liberation Sans', 'px'];
/** Keys, alone or as a hint in brackets: `Esc`, `(Ctrl ⇧ Z)`. */
const KEYS = /^\(?(?:(?:Ctrl|Alt|Esc|Tab|PgUp|PgDn|Home|End|[⌘⌥⇧⏎↑↓]|\p{Lu})(?:\s|(?=\)?$)))+\)?$/u;
/** Words that a catalogue has another one for already. */
const WORDS: Record<string, Record<string, string>> = {
  'zh-CN': { 代理: '智能体', 评审: '审阅', 您: '你' },
};
const isName = (text: string) => NAMES.includes(text.trim()) || KEYS.test(text.trim());

/** The ids of a catalogue's file, each with the variables that its text takes. */
function messages(path: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const { id, value } of new FluentResource(read(path)).body) {
    expect(found.has(id), `${path} has ${id} once`).toBe(false);
    const variables = new Set<string>();
    const look = (part: unknown): void => {
      if (Array.isArray(part)) part.forEach(look);
      else if (typeof part === 'object' && part !== null) {
        const { type, name } = part as { type?: string; name?: string };
        if (type === 'var' && name) variables.add(name);
        Object.values(part).forEach(look);
      }
    };
    look(value);
    found.set(id, [...variables].sort().join(' '));
  }
  return found;
}

/** The ids that the gate names: they follow from its tables. Its own tests compare the two as well. */
function namedByTheGate(): string[] {
  const rust = (path: string) => read(`../src-tauri/crates/${path}`);
  const every = (text: string, pattern: RegExp) =>
    [...text.matchAll(pattern)].map(([, name]) => name as string);
  const found = (path: string, pattern: RegExp) => {
    const names = every(rust(path), pattern);
    expect(names, `${pattern} finds something in ${path}`).not.toEqual([]);
    return names;
  };
  const ids = (area: string, names: string[]) =>
    names.map((name) => `${area}-${name.replaceAll(/[._]/g, '-')}`);
  const settings = read('../docs/settings.md')
    .split(/^### (?=`)/m)
    .slice(1)
    .flatMap((about) => {
      const [id] = ids('setting', every(about, /^`([a-z_.]+)`$/gm)) as [string];
      const choices = every(/^- `.*\)$/m.exec(about)?.[0] ?? '', /`([\w-]+)` \(/g).map(
        (value) => `${id}-${value}`,
      );
      // A language may go by its own name.
      const isNamed = (choice: string) => id !== 'setting-window-language' || english.has(choice);
      return [id, `${id}-help`, ...choices.filter(isNamed)];
    });
  const clientChecks = ['clients', 'questions'].flatMap((file) =>
    found(`gate-doctor/src/${file}.rs`, /^pub\(crate\) const \w+: &str = "(\w+)";$/gm),
  );
  const notices = found('gate-door/src/page/notice.rs', /^const \w+: &str = "([a-z-]+)";$/gm);
  return [
    ...settings,
    ...ids('setting-section', found('gate-settings/src/table.rs', /^const \w+: Tab = Tab\("(\w+)"\);$/gm)),
    ...ids('setting-unit', found('gate-settings/src/table.rs', /^const \w+: &str = "(\w+)";$/gm)),
    ...found('gate-settings/src/schema.rs', /"(setting-language-[a-z-]+)"/g),
    ...ids('check', found('gate-doctor/src/finding.rs', /^ {4}[A-Z_]+ = "(\w+)";$/gm)),
    ...ids(
      'check',
      clientChecks.flatMap((name) => [name, `${name}-project`]),
    ),
    ...ids('finding', found('gate-doctor/src/words.rs', /^ {4}([a-z_0-9]+)\((?:\w+, )*\w*\);$/gm)),
    ...found('gate-clients/src/catalogue.rs', /^ {8}id: "([a-z-]+)",$/gm).map((id) => `client-${id}-next`),
    // Where permission to ask isn't only written.
    ...found(
      'gate-clients/src/catalogue.rs',
      /^ {8}id: "([a-z-]+)",\n(?: {8}.*\n)*? {8}allow: Allow::(?:ByHand|NotNeeded|Tools)/gm,
    ).map((id) => `client-${id}-allow`),
    ...found(
      'gate-clients/src/catalogue.rs',
      /^ {8}id: "([a-z-]+)",\n(?: {8}.*\n)*? {8}questions: Questions::(?:Hook|Plugin)/gm,
    ).map((id) => `client-${id}-questions`),
    ...found('gate-clients/src/catalogue.rs', /"(client-questions-[a-z-]+)"/g),
    ...ids(
      'sign-in',
      notices.flatMap((name) => [name, `${name}-text`, `${name}-then`]),
    ),
    ...['', '/confirmed', '/page', '/ssh'].flatMap((file) =>
      found(`gate-app/src/slices/signing${file}.rs`, /"(level-[a-z-]+)"/g),
    ),
    ...filesIn('../src-tauri/src', '.rs').flatMap((path) => every(read(path), /"(shell-[a-z-]+)"/g)),
  ];
}

const areas = filesIn('locales/en', '.ftl').map((path) => path.slice('locales/en/'.length, -'.ftl'.length));
const english = new Map(areas.flatMap((area) => [...messages(`locales/en/${area}.ftl`)]));

/** How the ids begin that the gate names; an element's id may begin so, too. */
const OF_THE_GATE = ['setting-', 'check-', 'finding-', 'client-', 'sign-in-', 'shell-'];

describe('the catalogues', () => {
  it.each(LANGUAGES.filter((tag) => tag !== 'en'))('of %s have all texts, with their variables', (tag) => {
    expect(filesIn(`locales/${tag}`, '.ftl').map((path) => path.split('/').at(-1))).toEqual(
      areas.map((area) => `${area}.ftl`),
    );
    for (const area of areas) {
      const [theirs, ours] = [messages(`locales/${tag}/${area}.ftl`), messages(`locales/en/${area}.ftl`)];
      expect([...theirs], `${tag}/${area}.ftl against en`).toEqual([...ours]);
    }
  });

  it.each(Object.entries(WORDS))('of %s have one word for one thing', (tag, words) => {
    const others = areas.flatMap((area) =>
      read(`locales/${tag}/${area}.ftl`)
        .split('\n')
        .flatMap((line) =>
          Object.entries(words)
            .filter(([other]) => line.includes(other))
            .map(([other, ours]) => `${area}.ftl says ${other}, not ${ours}: ${line}`),
        ),
    );
    expect(others, 'whoever reads two words takes them for two things').toEqual([]);
  });

  it('name each text after its area', () => {
    const strange = areas
      .filter((area) => area !== 'common')
      .flatMap((area) =>
        [...messages(`locales/en/${area}.ftl`).keys()].filter((id) => !id.startsWith(`${area}-`)),
      );
    expect(strange, 'an id begins with its area').toEqual([]);
  });

  it('hold what the code asks for, and nothing else', () => {
    const code = sources('.ts', '.svelte').map((path) => [path, read(path)] as const);
    const missing = code.flatMap(([path, text]) =>
      [...text.matchAll(/\bt\(\s*'([^']+)'/g)]
        .filter(([, id]) => !english.has(id as string))
        .map(([, id]) => `${path}: ${id}`),
    );
    expect(missing, 'each id that is asked for exists').toEqual([]);
    const named = namedByTheGate();
    expect(
      named.filter((id) => !english.has(id)),
      'each id that the gate names exists',
    ).toEqual([]);
    // Some are put together from a name and what comes after it.
    const all = code.map(([, text]) => text).join('\n');
    const asked = new Set([...named, ...[...all.matchAll(/['"]([a-z0-9-]+)['"]/g)].map(([, id]) => id)]);
    const begun = [...all.matchAll(/`([a-z0-9-]+-)\$\{/g)]
      .map(([, start]) => start as string)
      .filter((start) => !OF_THE_GATE.includes(start));
    const ended = [...all.matchAll(/`\$\{\w+\}(-[a-z0-9-]+)`/g)].map(([, end]) => end as string);
    const isAsked = (id: string) =>
      asked.has(id) ||
      begun.some((start) => id.startsWith(start)) ||
      ended.some((end) => id.endsWith(end) && asked.has(id.slice(0, -end.length)));
    const unused = [...english.keys()].filter((id) => !isAsked(id));
    expect(unused, 'each text is used').toEqual([]);
  });
});

interface Node {
  type?: string;
  name?: unknown;
  value?: unknown;
  [part: string]: unknown;
}

/** Attributes and properties of components that people read or hear. */
const READ = [
  'aria-label',
  'aria-description',
  'aria-roledescription',
  'title',
  'placeholder',
  'alt',
  'label',
  'action',
];
const isWords = (text: string) => /\p{L}/u.test(text.replace(/&\w+;/g, ''));
/** A word of its own or several: not the name of a state or of a class. */
const isSentence = (text: string) =>
  isWords(text) && (/^\p{Lu}/u.test(text.trim()) || /\p{L}\s+\p{L}/u.test(text));

/** Texts that stand in a component's markup instead of a catalogue. */
function literals(path: string): string[] {
  const found: string[] = [];
  const note = (text: string) => {
    if (!isName(text)) found.push(`${path}: ${text.trim()}`);
  };
  /** Texts in an expression that becomes text; what is given to a function isn't one yet. */
  const expression = (node: Node): void => {
    if (node.type === 'CallExpression' || node.type === 'BinaryExpression') return;
    if (node.type === 'Literal' && typeof node.value === 'string' && isSentence(node.value)) note(node.value);
    if (node.type === 'TemplateElement') {
      const { cooked } = node.value as { cooked: string };
      if (isWords(cooked)) note(cooked);
    }
    for (const part of Object.values(node)) each(part, expression);
  };
  const markup = (node: Node): void => {
    if (node.type === 'Text' && isWords(String(node['data']))) note(String(node['data']));
    else if (node.type === 'ExpressionTag') expression(node['expression'] as Node);
    else if (node.type === 'Attribute') {
      const spoken = READ.includes(String(node.name));
      each(node.value, (value) => {
        if (value.type === 'Text' && spoken) markup(value);
        if (value.type === 'ExpressionTag' && spoken) markup(value);
        if (value.type === 'ExpressionTag') each(value['expression'], nested);
      });
    } else if (!['Script', 'StyleSheet', 'Comment'].includes(node.type ?? ''))
      for (const part of Object.values(node)) each(part, markup);
  };
  const nested = (node: Node): void => {
    if (node.type === 'Fragment') markup(node);
  };
  each(parse(read(path), { modern: true }).fragment, markup);
  return found;
}

function each(part: unknown, visit: (node: Node) => void): void {
  if (Array.isArray(part)) for (const one of part) each(one, visit);
  else if (typeof part === 'object' && part !== null) visit(part as Node);
}

/** Sentences in a script: a capital and several words. */
function sentences(path: string): string[] {
  const code = read(path).replace(/\/\*[\s\S]*?\*\/|(^|\s)\/\/.*$/gm, '');
  const script = path.endsWith('.svelte')
    ? (/<script[^>]*>([\s\S]*?)<\/script>/.exec(code)?.[1] ?? '')
    : code;
  return [...script.matchAll(/(['"`])([\p{Lu}“][^'"`\n]*\p{L}\s+\p{L}[^'"`\n]*)\1/gu)]
    .map(([, , text]) => (text ?? '').trim())
    .filter((text) => !isName(text))
    .map((text) => `${path}: ${text}`);
}

const folderOf = (path: string) => path.split('/').slice(0, 2).join('/');

/** What was found, by folder: those who mend it look after one each. */
function byFolder(found: string[]): Record<string, string[]> {
  const folders: Record<string, string[]> = {};
  for (const one of found) (folders[folderOf(one)] ??= []).push(one);
  return folders;
}

describe('no text stands', () => {
  it('in the markup', () => {
    expect(byFolder(sources('.svelte').flatMap(literals)), 'it belongs in locales/').toEqual({});
  });

  it('in a script', () => {
    expect(byFolder(sources('.svelte', '.ts').flatMap(sentences)), 'it belongs in locales/').toEqual({});
  });
});

describe('styles', () => {
  const sided =
    /(?:margin|padding|border|inset|scroll-margin|scroll-padding)-(?:left|right)\b|border-(?:top|bottom)-(?:left|right)-radius|(?:text-align|float|clear):\s*(?:left|right)\b|(?:^|[;{\s])(?:left|right)\s*:/g;
  /** Four lengths of which the one at the right and the one at the left differ. */
  function lopsided(css: string): string[] {
    return [...css.matchAll(/(?:^|[;{\s])((?:margin|padding|inset|border-width):\s*([^;{}]+));/g)]
      .filter(([, , lengths]) => {
        const four = lengths?.match(/(?:[^\s(]|\((?:[^()]|\([^()]*\))*\))+/g) ?? [];
        return four.length === 4 && four[1] !== four[3];
      })
      .map(([, declaration]) => declaration ?? '');
  }

  it('name beginnings and ends, not left and right', () => {
    const found = sources('.svelte', '.css').flatMap((path) => {
      const code = read(path).replace(/\/\*[\s\S]*?\*\//g, '');
      const css = path.endsWith('.css') ? code : (/<style[^>]*>([\s\S]*)<\/style>/.exec(code)?.[1] ?? '');
      const named = [...css.matchAll(sided)].map(([what]) => what.trim());
      return [...named, ...lopsided(css)].map((what) => `${path}: ${what}`);
    });
    expect(byFolder(found), 'a language may be written from right to left').toEqual({});
  });
});
