// How a person calls a workspace and which colour it has. Kept by the page for all windows of this
// machine; the record knows nothing of it.
import { hue } from '../state/format';

/** Colours that a workspace can have, `--dot-0` to `--dot-7`. */
export const COLOURS = 8;
/** Characters of a workspace's own name. */
export const LONGEST_LABEL = 40;
/** Workspaces that are remembered; the one changed longest ago goes first. */
export const REMEMBERED = 200;
const STORE = 'workspaces';
/** The colours that workspaces were given, the latest given last. */
const GIVEN = 'workspace-colours';

export interface Worn {
  /** Empty for the folder's own name. */
  label: string;
  /** A colour's number; null for the one that the name gives. */
  colour: number | null;
}

const isColour = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < COLOURS;

function read(): Map<string, Worn> {
  const all = new Map<string, Worn>();
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(STORE) ?? '[]');
    if (!Array.isArray(stored)) return all;
    for (const each of stored.slice(-REMEMBERED) as unknown[]) {
      if (!Array.isArray(each)) continue;
      const [workspace, label, colour] = each as unknown[];
      if (typeof workspace !== 'string' || typeof label !== 'string') continue;
      all.set(workspace, {
        label: label.slice(0, LONGEST_LABEL),
        colour: isColour(colour) ? colour : null,
      });
    }
  } catch {
    // Without a store, or with one that can't be read, every workspace is as its folder is named.
  }
  return all;
}

function readGiven(): Map<string, number> {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(GIVEN) ?? '[]');
    if (!Array.isArray(stored)) return new Map();
    const rows = (stored as unknown[]).filter(
      (each): each is [string, number] =>
        Array.isArray(each) && typeof each[0] === 'string' && isColour(each[1]),
    );
    return new Map(rows.slice(-REMEMBERED));
  } catch {
    return new Map();
  }
}

class Workspaces {
  #worn = $state.raw<ReadonlyMap<string, Worn>>(read());
  #given = readGiven();

  constructor() {
    // Another window changed it.
    globalThis.addEventListener?.('storage', (event) => {
      if (event.key === STORE || event.key === null) this.#worn = read();
    });
  }

  /** What the person chose for it. */
  worn(workspace: string): Worn {
    return this.#worn.get(workspace) ?? { label: '', colour: null };
  }

  /** Its name: the person's own, or the folder's. */
  label(workspace: string, folder: string): string {
    return this.worn(workspace).label || folder;
  }

  /** The number of its colour. */
  colour(workspace: string): number {
    return this.worn(workspace).colour ?? this.#standard(workspace);
  }

  /**
   * The colour that it has by itself, from the first time that it is seen: the one that its name gives, or the next
   * that none of the last seven has.
   */
  #standard(workspace: string): number {
    const known = this.#given.get(workspace);
    if (known !== undefined) return known;
    // Another window may have given some meanwhile.
    const all = new Map([...this.#given, ...readGiven()]);
    this.#given = all;
    const own = hue(workspace, COLOURS);
    const taken = new Set([...all].slice(1 - COLOURS).map(([, colour]) => colour));
    const turn = Array.from({ length: COLOURS }, (_, step) => (own + step) % COLOURS);
    const colour = all.get(workspace) ?? turn.find((each) => !taken.has(each)) ?? own;
    all.set(workspace, colour);
    try {
      localStorage.setItem(GIVEN, JSON.stringify([...all].slice(-REMEMBERED)));
    } catch {
      // It holds until the window closes.
    }
    return colour;
  }

  /** Takes what the person chose; nothing chosen forgets it. */
  wear(workspace: string, worn: Worn): void {
    const next = new Map(this.#worn);
    next.delete(workspace);
    const label = worn.label.trim().slice(0, LONGEST_LABEL);
    if (label || worn.colour !== null) next.set(workspace, { label, colour: worn.colour });
    this.#worn = new Map([...next].slice(-REMEMBERED));
    try {
      const rows = [...this.#worn].map(([each, { label: name, colour }]) => [each, name, colour]);
      localStorage.setItem(STORE, JSON.stringify(rows));
    } catch {
      // It holds until the window closes.
    }
  }

  /** Looks at the store again. */
  reload(): void {
    this.#worn = read();
    this.#given = readGiven();
  }
}

export const workspaces = new Workspaces();
