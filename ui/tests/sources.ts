// The windows' own sources as the tests of texts and styles read them.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

const ui = join(import.meta.dirname, '..');

/** All files below a folder of `ui/` with one of these endings, as paths from `ui/` with `/`. */
export function filesIn(folder: string, ...endings: string[]): string[] {
  return readdirSync(join(ui, folder), { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile() && endings.some((ending) => each.name.endsWith(ending)))
    .map((each) => relative(ui, join(each.parentPath, each.name)).split(sep).join('/'))
    .sort();
}

export const read = (path: string) => readFileSync(join(ui, path), 'utf8');

/** What is built into the windows: neither what is generated nor the fixtures. */
export const sources = (...endings: string[]) =>
  filesIn('src', ...endings).filter((path) => !/^src\/(generated|dev)\//.test(path));
