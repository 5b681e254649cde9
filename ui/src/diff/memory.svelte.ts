// What this window remembers of how diffs are looked at: the choices for all of them, and which files
// a person has viewed. Kept in the page's own storage; where that is refused, for as long as it stands.
import type { RequestId } from '../generated/RequestId';
import type { SessionUuid } from '../generated/SessionUuid';

const LOOK = 'review-gate.diff.look';
const VIEWED = 'review-gate.diff.viewed';
/** Sessions whose viewed files are remembered. */
export const SESSIONS = 40;
/** Viewed files that are remembered of a session. */
export const FILES = 2000;
export const TABS = [2, 4, 8] as const;

function read(key: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(key) ?? 'null');
  } catch {
    return null;
  }
}

function write(key: string, value: unknown): void {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // Storage that is full or refused costs the memory, not the diff.
  }
}

/** How diffs look, in every request. */
class Look {
  split = $state(false);
  wrap = $state(true);
  tree = $state(true);
  tab = $state<number>(4);

  constructor() {
    const kept = read(LOOK) as Partial<Look> | null;
    if (typeof kept?.split === 'boolean') this.split = kept.split;
    if (typeof kept?.wrap === 'boolean') this.wrap = kept.wrap;
    if (typeof kept?.tree === 'boolean') this.tree = kept.tree;
    if (TABS.some((tab) => tab === kept?.tab)) this.tab = kept?.tab as number;
  }

  set(change: Partial<Pick<Look, 'split' | 'wrap' | 'tree' | 'tab'>>): void {
    Object.assign(this, change);
    write(LOOK, { split: this.split, wrap: this.wrap, tree: this.tree, tab: this.tab });
  }
}

export const look = new Look();

type Kept = [session: SessionUuid, request: RequestId, paths: string[]];

function keptViewed(): Kept[] {
  const kept = read(VIEWED);
  if (!Array.isArray(kept)) return [];
  return kept.filter(
    (each): each is Kept =>
      Array.isArray(each) &&
      typeof each[0] === 'string' &&
      typeof each[1] === 'string' &&
      Array.isArray(each[2]),
  );
}

/** The files viewed in this session: when, in which request; of an earlier one, what hasn't changed since counts. */
export function viewedIn(session: SessionUuid): { request: RequestId; paths: ReadonlySet<string> } | null {
  const found = keptViewed().find(([each]) => each === session);
  return found
    ? { request: found[1], paths: new Set(found[2].filter((path) => typeof path === 'string')) }
    : null;
}

/** Remembers the files that are viewed in a request. */
export function keepViewed(session: SessionUuid, request: RequestId, paths: Iterable<string>): void {
  const others = keptViewed().filter(([each]) => each !== session);
  write(VIEWED, [...others, [session, request, [...paths].slice(0, FILES)]].slice(-SESSIONS));
}
