// The languages that are coloured, by what people write after a fence, and which thread knows them.
// Two threads, so that the common ones don't wait for grammars that are seldom needed.

/** Who colours a language: the everyday ones, or the others. */
export type Shelf = 'everyday' | 'others';

const SHELVES: Record<Shelf, Record<string, string>> = {
  everyday: {
    bash: 'bash sh zsh fish',
    c: 'c h',
    cpp: 'cpp c++ cc cxx hpp hxx',
    css: 'css',
    diff: 'diff patch',
    dockerfile: 'dockerfile docker containerfile',
    go: 'go golang',
    ini: 'ini toml conf cfg properties env dotenv',
    java: 'java',
    javascript: 'javascript js jsx mjs cjs',
    json: 'json jsonc json5 jsonl ndjson',
    markdown: 'markdown md mdx',
    python: 'python py pyi',
    rust: 'rust rs',
    shell: 'shell console shellsession sh-session terminal',
    sql: 'sql postgres postgresql psql mysql sqlite plsql',
    typescript: 'typescript ts tsx mts cts',
    xml: 'xml html xhtml svg vue svelte rss plist',
    yaml: 'yaml yml',
  },
  others: {
    clojure: 'clojure clj cljs edn',
    cmake: 'cmake',
    csharp: 'csharp cs c#',
    dart: 'dart',
    elixir: 'elixir ex exs',
    erlang: 'erlang erl',
    graphql: 'graphql gql',
    groovy: 'groovy gradle jenkinsfile',
    haskell: 'haskell hs',
    julia: 'julia jl',
    kotlin: 'kotlin kt kts',
    less: 'less',
    lua: 'lua luau',
    makefile: 'makefile make mk',
    nginx: 'nginx nginxconf',
    nix: 'nix',
    objectivec: 'objectivec objc objective-c',
    ocaml: 'ocaml ml',
    perl: 'perl pl',
    php: 'php',
    powershell: 'powershell ps1 pwsh',
    protobuf: 'protobuf proto',
    r: 'r rlang',
    ruby: 'ruby rb',
    scala: 'scala sc',
    scss: 'scss sass',
    swift: 'swift',
    vim: 'vim viml vimscript',
  },
};

const known = new Map<string, { shelf: Shelf; language: string }>();
for (const shelf of ['everyday', 'others'] as const) {
  for (const [language, names] of Object.entries(SHELVES[shelf])) {
    for (const name of names.split(' ')) known.set(name, { shelf, language });
  }
}

/** The words after a fence that say no language. */
const PLAIN = new Set(['text', 'txt', 'plain', 'plaintext', 'none', 'output', 'log']);

/** The first word after a fence, as it is shown: `rust` of `rust,no_run` and of `rust {1,3}`; may be empty. */
export function languageName(info: string): string {
  return /^[^\s,{:;]*/.exec(info.trim())?.[0] ?? '';
}

/** Who colours code with these words after its fence; null for what nobody does. */
export function colouring(info: string): { shelf: Shelf; language: string } | null {
  const name = languageName(info)
    .toLowerCase()
    .replace(/^(language-|\.)/, '');
  return PLAIN.has(name) ? null : (known.get(name) ?? null);
}

/** Files that say by their whole name what they are written in. */
const NAMED: Record<string, string> = {
  'cargo.lock': 'toml',
  'cmakelists.txt': 'cmake',
  'go.mod': 'go',
  gemfile: 'ruby',
  rakefile: 'ruby',
  'poetry.lock': 'toml',
  '.bashrc': 'bash',
  '.zshrc': 'zsh',
  '.profile': 'sh',
  '.editorconfig': 'ini',
  '.gitconfig': 'ini',
  '.gitmodules': 'ini',
};

/** What a file is written in, by its path, as {@link colouring} takes it; empty where its name doesn't say. */
export function languageOfPath(path: string): string {
  const name = (path.split('/').at(-1) ?? '').toLowerCase();
  const named = NAMED[name];
  if (named) return named;
  // `Dockerfile`, `Makefile.am`, `.env.local`: known by how they begin; `app.dockerfile` by how it ends.
  const [first = '', ...more] = name.replace(/^\./, '').split('.');
  if (['dockerfile', 'containerfile', 'makefile', 'jenkinsfile', 'env'].includes(first)) return first;
  const last = more.at(-1) ?? '';
  return colouring(last) ? last : '';
}
