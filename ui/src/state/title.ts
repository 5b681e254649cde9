// What a window’s title says: what stands in it, and how many requests wait.
import { t } from '../i18n/text.svelte';

/** The title of a window that shows this; null for nothing in particular. */
export function titleOf(what: string | null, waiting: number): string {
  return what ? t('window-title', { what, n: waiting }) : t('window-title-bare', { n: waiting });
}
