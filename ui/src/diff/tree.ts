// The files of a diff as a tree of folders; folders that hold one folder only are drawn as one. Pure.
import type { DiffFile } from '../generated/DiffFile';
import { pathOf } from './rows';

export interface TreeRow {
  /** The file's index in the diff; null for a folder. */
  file: number | null;
  /** The whole path of the folder or file; its key. */
  path: string;
  /** What of the path the row shows. */
  name: string;
  /** From 0. */
  depth: number;
  /** Of a folder: whether its rows are hidden. */
  closed: boolean;
}

interface Folder {
  folders: Map<string, Folder>;
  files: number[];
}

const fresh = (): Folder => ({ folders: new Map(), files: [] });

/** Whether every letter of the words stands in the path in this order; an empty filter takes all. */
export function matches(path: string, filter: string): boolean {
  const wanted = filter.trim().toLowerCase();
  const within = path.toLowerCase();
  return wanted.split(/\s+/).every((word) => within.includes(word));
}

/** The rows of the tree, folders before the files beside them, each by name. */
export function treeOf(files: readonly DiffFile[], filter: string, closed: ReadonlySet<string>): TreeRow[] {
  const root = fresh();
  for (const [index, file] of files.entries()) {
    const path = pathOf(file);
    if (!matches(path, filter)) continue;
    let at = root;
    for (const part of path.split('/').slice(0, -1)) {
      const next = at.folders.get(part) ?? fresh();
      at.folders.set(part, next);
      at = next;
    }
    at.files.push(index);
  }
  const rows: TreeRow[] = [];
  const walk = (folder: Folder, prefix: string, depth: number) => {
    const byName = [...folder.folders].sort(([a], [b]) => (a < b ? -1 : 1));
    for (const [first, found] of byName) {
      let name = first;
      let inner = found;
      while (inner.files.length === 0 && inner.folders.size === 1) {
        const [only] = inner.folders;
        if (!only) break;
        name += `/${only[0]}`;
        inner = only[1];
      }
      const path = `${prefix}${name}/`;
      // What a filter has found isn't hidden from view.
      const shut = closed.has(path) && filter.trim() === '';
      rows.push({ file: null, path, name, depth, closed: shut });
      if (!shut) walk(inner, path, depth + 1);
    }
    const named = folder.files.map((index) => {
      const file = files[index];
      const path = file ? pathOf(file) : '';
      return { index, path, name: path.slice(path.lastIndexOf('/') + 1) };
    });
    for (const { index, path, name } of named.sort((a, b) => (a.name < b.name ? -1 : 1)))
      rows.push({ file: index, path: `${index}:${path}`, name, depth, closed: false });
  };
  walk(root, '', 0);
  return rows;
}
