// The mock gate's prompts. Scenes: `empty` (none of one's own, nothing synced), `prompts-many`,
// `prompts-sync-error`, `prompts-syncing`, `prompts-deleted`, `prompts-conflict` (somebody else writes while it is
// saved).
import type { Command } from '../generated/Command';
import type { DeletedPrompt } from '../generated/DeletedPrompt';
import type { Event } from '../generated/Event';
import type { Fault } from '../generated/Fault';
import type { GivenArgument } from '../generated/GivenArgument';
import type { ImportedPromptVersion } from '../generated/ImportedPromptVersion';
import type { PromptEntry } from '../generated/PromptEntry';
import type { PromptFormat } from '../generated/PromptFormat';
import type { PromptImported } from '../generated/PromptImported';
import type { PromptLibrary } from '../generated/PromptLibrary';
import type { PromptOrigin } from '../generated/PromptOrigin';
import type { PromptSyncState } from '../generated/PromptSyncState';
import type { PromptVersion } from '../generated/PromptVersion';
import type { PromptView } from '../generated/PromptView';
import { ago } from './build';
import { many, PROMPTS, type Fixture } from './prompt-fixtures';
import { parsed, rendered, type Parsed } from './prompt-files';
import type { Answer } from '../state/port';
import type { MakeDouble } from './double';

const ORIGINS: readonly PromptOrigin[] = ['local', 'synced', 'built_in'];
const EXTENSIONS: Record<PromptFormat, string> = { yaml: 'yaml', markdown: 'md', json: 'json' };
const FOLDER = '/home/you/.config/review-gate/prompts';

/** What each use of a prompt was given. */
const GIVEN: readonly GivenArgument[][] = [
  [
    { name: 'change', value: 'main..queue-drain: why does it wait, and what if the last worker hangs?' },
    { name: 'depth', value: 'thorough' },
  ],
  [{ name: 'change', value: '#412' }],
  [
    { name: 'change', value: null },
    { name: 'focus', value: '["security"]' },
  ],
];

const fault = (code: Fault['code'], message: string, mend: string): Fault => ({ code, message, mend });
/** Names a text; as good as any while nobody wants to forge one. */
export const named = (text: string) =>
  [...text].reduce((sum, char) => (Math.imul(sum, 31) + (char.codePointAt(0) ?? 0)) >>> 0, 7).toString(16);

export class MockPrompts {
  files: Fixture[];
  versions = new Map<string, PromptVersion[]>();
  sync: PromptSyncState;
  #scene: string;
  #emit: (event: Event) => void;
  #count = 0;

  constructor(scene: string, emit: (event: Event) => void) {
    this.#scene = scene;
    this.#emit = emit;
    const bare = scene === 'empty';
    this.files = bare ? PROMPTS.filter((each) => each.origin === 'built_in') : [...PROMPTS];
    if (scene === 'prompts-many') this.files = [...this.files, ...many(2_000)];
    this.sync = {
      status: bare ? 'off' : 'success',
      step: null,
      repository: bare ? '' : 'https://git.example.com/team/prompts.git',
      branch: 'main',
      commit: bare ? '' : '4f2a9c1be03d7785',
      subject: bare ? '' : 'Incident reports name no one',
      committed_at: bare ? null : ago(40_000),
      prompts: bare ? 0 : 2,
      synced_at: bare ? null : ago(300),
      tried_at: bare ? null : ago(300),
      next_at: null,
      fault: null,
    };
    if (scene === 'prompts-syncing') this.sync = { ...this.sync, status: 'syncing', step: 'fetching' };
    if (scene === 'prompts-sync-error')
      this.sync = {
        ...this.sync,
        status: 'error',
        fault: fault('prompt_sync', 'git.example.com asks for a password.', 'Give a token in the settings.'),
      };
    for (const file of this.files)
      if (this.#first(file.id) === file)
        this.#keep(file, file.origin === 'synced' ? 'synced' : 'found', 90_000);
    if (scene === 'prompts-deleted')
      for (const id of ['writing/changelog', 'debug/flaky_test']) {
        const gone: Fixture = {
          id,
          origin: 'local',
          format: 'markdown',
          text: '---\ntitle: Gone\n---\nDo it.\n',
          uses: 0,
        };
        this.#keep(gone, 'saved', 90_000);
        this.#keep({ ...gone, text: '' }, 'deleted', 4_000);
      }
    const review = this.versions.get('code_review');
    const first = review?.[0];
    if (review && first) {
      const before = first.text
        .replace('thorough, exhaustive', 'thorough')
        .replace('default: 10', 'default: 5');
      review.push({
        ...first,
        ...{ version_id: 'old', at: ago(700_000), text: before, sha256: named(before) },
      });
      first.cause = 'saved';
    }
  }

  /** Answers what belongs to prompts; null for other commands. */
  command(command: Command): Answer | null {
    switch (command.command) {
      case 'prompts':
        return this.#list();
      case 'prompt':
        return { prompt: this.view(command.prompt_id) };
      case 'preview_prompt': {
        const { prompt_id: id, unsaved, arguments: given } = command;
        const of = unsaved ? parsed(id, 'local', id, unsaved) : this.#served(id);
        return { preview: rendered(of, given) };
      }
      case 'save_prompt': {
        const { prompt_id: id, prompt, seen } = command;
        const own = this.#own(id);
        if (this.#scene === 'prompts-conflict' && own && named(own.text) === seen)
          own.text = own.text.replace('above all', 'first of all');
        if (own && seen === null) throw fault('name_taken', 'There is a prompt of this id.', 'Take another.');
        if (seen !== null && (!own || named(own.text) !== seen))
          throw fault('prompt_conflict', 'The file has changed.', 'Look at it again.');
        return this.#put(id, prompt.format, prompt.text, 'saved');
      }
      case 'delete_prompt': {
        const own = this.#own(command.prompt_id);
        if (!own) throw this.#unknown(command.prompt_id);
        if (named(own.text) !== command.seen)
          throw fault('prompt_conflict', 'The file has changed.', 'Look at it again.');
        this.files = this.files.filter((each) => each !== own);
        this.#keep({ ...own, text: '' }, 'deleted', 0);
        return this.#list();
      }
      case 'prompt_versions':
        return { versions: [...(this.versions.get(command.prompt_id) ?? [])] };
      case 'restore_prompt': {
        const found = this.versions
          .get(command.prompt_id)
          ?.find((each) => each.version_id === command.version_id);
        if (!found) throw this.#unknown(command.prompt_id);
        return this.#put(command.prompt_id, found.format, found.text, 'restored');
      }
      case 'sync_prompts':
        this.sync = { ...this.sync, status: 'syncing', step: 'asking', fault: null };
        setTimeout(() => {
          if (this.sync.status === 'syncing') this.#synced({ synced_at: ago(0), tried_at: ago(0) });
        }, 1_200);
        return { sync: this.sync };
      case 'cancel_prompt_sync':
        queueMicrotask(() => this.#synced({ tried_at: ago(0) }));
        return { sync: this.sync };
      case 'synced_prompts':
        return {
          commit: this.sync.commit,
          changes: [
            { prompt_id: 'team/incident_report', change: 'changed' },
            { prompt_id: 'team/migration_plan', change: 'new' },
            { prompt_id: 'team/on_call', change: 'gone' },
          ],
          more: 0,
        };
      case 'deleted_prompts':
        return { deleted: this.#deleted() };
      case 'preview_prompt_import':
      case 'import_prompts': {
        const ids = command.command === 'import_prompts' ? command.ids : null;
        if (command.files.length === 0 && !/commands|json/.test(command.path))
          throw fault('unreadable_file', `${command.path} isn’t there.`, 'Look at the path.');
        return { import: this.#import(ids) };
      }
      case 'undo_prompt_import': {
        const kept = command.imported.filter((each) => !this.#takenBack(each));
        return { kept: kept.map((each) => each.prompt_id) };
      }
      default:
        return null;
    }
  }

  /** Somebody else writes a file of the person's folder. */
  write(id: string, text: string): void {
    const own = this.#own(id);
    if (own) own.text = text;
    this.#emit({ event: 'prompts_changed' });
  }

  view(id: string): PromptView {
    const file = this.#first(id);
    if (!file) throw this.#unknown(id);
    const entry = this.#entry(id);
    const uses = entry?.uses ?? 0;
    const of = this.#parsed(file);
    return {
      ...{ entry, id, text: file.text, format: file.format, origin: file.origin },
      file: file.origin === 'built_in' ? '' : this.#path(file),
      sha256: named(file.text),
      problems: of.problems,
      used_by: Array.from({ length: Math.min(uses, 5) }, (_, n) => ({
        at: ago(7_000 + n * 80_000),
        client: n % 2 === 0 ? 'Claude Code' : 'Cursor',
        arguments: GIVEN[n] ?? [],
        review:
          n === 3
            ? null
            : { status: 'answered' as const, decision: n === 1 ? 'changes_requested' : 'approved' },
      })),
      clients: [
        { client: 'Claude Code', uses: Math.ceil(uses * 0.7) },
        { client: 'Cursor', uses: Math.floor(uses * 0.3) },
      ].filter((each) => each.uses > 0),
    };
  }

  library(): PromptLibrary {
    const ids = [...new Set(this.files.map((each) => each.id))].sort();
    const problems = this.files.flatMap((each) =>
      each.origin === 'built_in' ? [] : this.#parsed(each).problems,
    );
    return {
      prompts: ids.flatMap((id) => this.#entry(id) ?? []),
      ...{ problems, folder: FOLDER, folder_fault: null, sync: this.sync },
    };
  }

  #synced(how: Partial<PromptSyncState>): void {
    this.sync = { ...this.sync, status: 'success', step: null, ...how };
    this.#emit({ event: 'prompt_sync_changed', sync: this.sync });
  }

  /** One’s own whose newest version says that they are gone. */
  #deleted(): DeletedPrompt[] {
    return [...this.versions].flatMap(([prompt_id, [newest, ...before]]) => {
      const last = before.find((each) => each.cause !== 'deleted');
      return newest?.cause === 'deleted' && last
        ? [{ prompt_id, at: newest.at, version_id: last.version_id }]
        : [];
    });
  }

  /** Puts back what was there before an import; false where it was changed since. */
  #takenBack({ prompt_id, version_id }: ImportedPromptVersion): boolean {
    const [newest, before] = this.versions.get(prompt_id) ?? [];
    const own = this.#own(prompt_id);
    if (newest?.version_id !== version_id || own?.text !== newest.text) return false;
    if (before && before.cause !== 'deleted' && before.origin === 'local')
      this.#put(prompt_id, before.format, before.text, 'restored');
    else {
      this.files = this.files.filter((each) => each !== own);
      this.#keep({ ...own, text: '' }, 'deleted', 0);
    }
    return true;
  }

  #list(): Answer {
    return { library: this.library() };
  }

  #path = ({ id, format }: Fixture) => `${id}.${EXTENSIONS[format]}`;
  #parsed = (file: Fixture): Parsed => parsed(file.id, file.origin, this.#path(file), file);
  #own = (id: string) => this.files.find((each) => each.id === id && each.origin === 'local');
  #unknown = (id: string) => fault('unknown_prompt', `No prompt is called ${id}.`, 'It may be deleted.');

  #first(id: string): Fixture | undefined {
    return ORIGINS.flatMap((origin) =>
      this.files.filter((each) => each.id === id && each.origin === origin),
    )[0];
  }

  #served(id: string): Parsed {
    const file = this.#first(id);
    if (!file) throw this.#unknown(id);
    return this.#parsed(file);
  }

  #entry(id: string): PromptEntry | null {
    const file = this.#first(id);
    const prompt = file ? this.#parsed(file).prompt : null;
    if (!file || !prompt) return null;
    const hidden = this.files.find((each) => each.id === id && each !== file);
    const used_at = file.uses > 0 ? ago(7_000) : null;
    return { prompt, hides: hidden?.origin ?? null, broken: false, uses: file.uses, used_at };
  }

  #put(id: string, format: PromptFormat, text: string, cause: PromptVersion['cause']): Answer {
    const { problems } = parsed(id, 'local', id, { format, text });
    const first = problems[0];
    if (first) throw fault('prompt', `Line ${first.line}: ${first.message}`, first.mend);
    const own = this.#own(id);
    if (own) Object.assign(own, { format, text });
    else
      this.files = [
        ...this.files,
        { id, origin: 'local', format: format === 'yaml' ? 'yaml' : 'markdown', text, uses: 0 },
      ];
    this.#keep(this.#own(id) as Fixture, cause, 0);
    return { prompt: this.view(id) };
  }

  #keep({ id, origin, format, text }: Fixture, cause: PromptVersion['cause'], seconds: number): void {
    const all = this.versions.get(id) ?? [];
    this.#count += 1;
    this.versions.set(id, [
      {
        ...{ version_id: `v${this.#count}`, at: ago(seconds), cause, origin, format, text },
        ...{ sha256: named(text), commit: origin === 'synced' ? '4f2a9c1be03d7785' : '' },
      },
      ...all,
    ]);
  }

  #import(ids: readonly string[] | null) {
    const found = [
      ['code_review', 'Code review', 'code_review.md'],
      ['commit', 'Commit what is staged', 'commit.md'],
      ['docs/readme', 'Write a README', 'docs/readme.md'],
      ['plan_first', 'Plan first', 'plan_first.md'],
      ['writing/release_notes', 'Release notes', 'release_notes.yaml'],
    ] as const;
    const prompts = found.map(([id, title, from]): PromptImported => {
      const own = this.#own(id);
      const change = !own ? 'new' : from.endsWith('.yaml') ? 'same' : 'changed';
      const hides = own ? null : (this.#first(id)?.origin ?? null);
      if (!ids?.includes(id) || change === 'same')
        return { id, title, from, change, hides, version_id: null };
      this.#put(id, 'markdown', `---\ntitle: ${title}\n---\nDo it.\n`, 'imported');
      const version_id = this.versions.get(id)?.[0]?.version_id ?? null;
      return { id, title, from, change, hides, version_id };
    });
    return {
      ...{ kind: 'Claude Code', prompts },
      problems: [
        {
          ...{ file: 'old/fix.md', origin: 'local' as const, line: 9, column: 14, served: false },
          ...{ message: 'The expression isn’t closed.', mend: 'End it with `}}`.' },
          warning: false,
        },
        {
          ...{ file: 'old/notes.txt', origin: 'local' as const, line: null, column: null, served: false },
          ...{ message: 'It isn’t Markdown.', mend: 'Rename it to .md.', warning: false },
        },
      ],
    };
  }
}

export default ((scene, emit) => new MockPrompts(scene, emit)) satisfies MakeDouble;
