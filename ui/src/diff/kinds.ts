// What a file of a diff is and how it changed, besides its lines: a program, a link, a submodule, a binary file, how alike
// both sides of a rename are, how its lines end.
import type { DiffFile } from '../generated/DiffFile';
import { t } from '../i18n/text.svelte';
import { size } from '../state/format';

/** What a mode says of a file. */
export type FileKind = 'file' | 'program' | 'link' | 'module' | 'other';

const KINDS: Record<string, FileKind> = {
  '100644': 'file',
  '100755': 'program',
  '120000': 'link',
  '160000': 'module',
};

/** What a file is by its mode; a diff that doesn't say speaks of a file. */
export function kindOf(mode: string | undefined): FileKind {
  return mode === undefined ? 'file' : (KINDS[mode] ?? 'other');
}

/** Whether what stands in the file is where it leads, not text. */
export function isLink({ old_mode: old, new_mode: now }: DiffFile): boolean {
  return kindOf(now ?? old) === 'link';
}

/** What its mode became, where that is another one now; null where it isn't, and where the diff doesn't say. */
export function modeChange(file: DiffFile): string | null {
  const { old_mode: old, new_mode: now } = file;
  if (old === undefined || now === undefined || old === now) return null;
  return t('diff-mode-changed', { old, new: now, was: kindOf(old), is: kindOf(now) });
}

/** How many bytes of a binary file there were and are; null where the diff doesn't say. */
export function sizes({ old_bytes: old, new_bytes: now }: DiffFile): string | null {
  if (old === undefined && now === undefined) return null;
  if (old === undefined || now === undefined || old === now) return size(now ?? old ?? 0);
  return t('diff-sizes', { old: size(old), new: size(now) });
}

/** What the head says of the file in a few words each, where it is more than text that changes. */
export function oddities(file: DiffFile): string[] {
  const said: string[] = [];
  const changed = modeChange(file);
  const kind = kindOf(file.new_mode ?? file.old_mode);
  const appears = file.change === 'added' || file.change === 'deleted';
  if (changed !== null) said.push(changed);
  else if (kind === 'link' || kind === 'module' || (appears && kind !== 'file'))
    said.push(t('diff-kind', { kind, mode: file.new_mode ?? file.old_mode ?? '' }));
  if (file.binary) said.push(t('diff-is-binary', { sizes: sizes(file) ?? 'none' }));
  const ends = file.line_ends;
  if (ends) said.push(ends.old === ends.new ? t('diff-line-ends-mixed') : t('diff-line-ends', { ...ends }));
  return said;
}
