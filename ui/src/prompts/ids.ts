// What a prompt may be called. The gate checks it again; this says it while it is typed.
import { t } from '../i18n/text.svelte';

/** gate-core/src/bounds.rs: the most characters of an id. */
export const ID_CHARS = 200;

const PART = /^(?![._ ])[\p{Alphabetic}\p{N}_\-. ]+(?<![. ])$/u;

/** Whether a prompt can be called so. */
export function isId(id: string): boolean {
  return [...id].length <= ID_CHARS && id.split('/').every((part) => PART.test(part));
}

/** Why a prompt can't be called so, in a sentence; null where it can. */
export function idProblem(id: string): string | null {
  if (id.trim() === '') return t('prompts-id-none');
  if ([...id].length > ID_CHARS) return t('prompts-id-long', { most: ID_CHARS });
  return isId(id) ? null : t('prompts-id-wrong');
}

/** The id of a prompt's file: its path without the extension. */
export function idOfFile(file: string): string {
  return file.replace(/\.(?:ya?ml|md|json)$/i, '');
}
