// The mock gate's part in writing: snippets, the files of a workspace, and a picture to draw on.
import type { Command } from '../generated/Command';
import type { FoundFile } from '../generated/FoundFile';
import type { Snippet } from '../generated/Snippet';
import { ago } from './build';
import type { Answer } from '../state/port';
import type { MakeDouble } from './double';

const FILES = [
  'README.md',
  'docs/webhooks/retry policy.md',
  'src/webhooks/backoff.rs',
  'src/webhooks/deliver.rs',
  'src/webhooks/dead_letters.rs',
  'src/webhooks/mod.rs',
  'src/worker/queue.rs',
  'tests/webhooks/retry.rs',
  'migrations/20261121_add_dead_letters.sql',
];

const snippet = (id: string, name: string, text: string, uses: number): Snippet => ({
  snippet_id: id,
  name,
  text,
  uses,
  used_at: uses > 0 ? ago(90_000 / uses) : null,
});

const OWN: [name: string, text: string, uses: number][] = [
  ['Looks good', 'Looks good. Squash it into one commit and push.', 14],
  ['Tests first', 'Write the failing test first, then show me both runs.', 9],
  ['Smaller steps', 'Too much at once. Split it, and ask me after each step.', 4],
  ['Which files?', 'Which files does this touch, and what could break?', 0],
];

/** Where the characters of `query` stand in `path`, in order; null where they don't. */
function fuzzy(path: string, query: string): number[] | null {
  const positions: number[] = [];
  let from = 0;
  for (const char of query.toLowerCase()) {
    const at = path.toLowerCase().indexOf(char, from);
    if (at < 0) return null;
    positions.push(at);
    from = at + 1;
  }
  return positions;
}

/** What a person types with: answers the commands of the reply box. */
class MockWriting {
  #count = 10;
  #snippets: Snippet[];

  constructor(scene: string) {
    const none = scene === 'empty' || scene === 'no-snippets';
    this.#snippets = none
      ? []
      : OWN.map(([name, text, uses], place) => snippet(`s${place}`, name, text, uses));
  }

  /** Answers what belongs to writing; null for other commands. */
  command(command: Command): Answer | null {
    switch (command.command) {
      case 'snippets':
        return this.#list();
      case 'save_snippet': {
        const { snippet_id, name, text } = command;
        const same = this.#snippets.find((each) => each.snippet_id === snippet_id);
        if (same) Object.assign(same, { name, text });
        else this.#snippets.push(snippet(`s${(this.#count += 1)}`, name, text, 0));
        return this.#list();
      }
      case 'delete_snippet':
        this.#snippets = this.#snippets.filter((each) => each.snippet_id !== command.snippet_id);
        return this.#list();
      case 'use_snippet':
        return {};
      case 'complete_file': {
        const files = FILES.flatMap((path): FoundFile[] => {
          const positions = fuzzy(path, command.query);
          return positions ? [{ path, positions }] : [];
        });
        return { files, more: command.query === '' };
      }
      default:
        return null;
    }
  }

  #list(): Answer {
    return { snippets: structuredClone(this.#snippets) };
  }
}

/** A picture as somebody would attach it, base64. */
export function screenshot(): string {
  const canvas = document.createElement('canvas');
  canvas.width = 1280;
  canvas.height = 800;
  const pen = canvas.getContext('2d');
  if (!pen) return '';
  const fill = (colour: string, x: number, y: number, width: number, height: number) => {
    pen.fillStyle = colour;
    pen.beginPath();
    pen.roundRect(x, y, width, height, 12);
    pen.fill();
  };
  fill('#f3f4f8', -20, -20, 1320, 840);
  fill('#4f46e5', 0, -12, 1280, 84);
  for (let row = 0; row < 5; row += 1) {
    fill('#ffffff', 320, 110 + row * 130, 900, 110);
    fill('#d6d9e6', 350, 135 + row * 130, 260 + ((row * 97) % 200), 20);
    fill('#e8eaf2', 350, 172 + row * 130, 560 + ((row * 61) % 180), 16);
    fill(row === 2 ? '#f4b4b4' : '#bfe8cc', 1110, 140 + row * 130, 80, 36);
  }
  fill('#ffffff', 40, 110, 240, 630);
  for (let row = 0; row < 8; row += 1) fill(row === 1 ? '#e0e2ff' : '#eef0f5', 60, 135 + row * 56, 200, 34);
  return canvas.toDataURL('image/png').split(',')[1] ?? '';
}

export default ((scene) => new MockWriting(scene)) satisfies MakeDouble;
