// How much a file holds, as it is said of files of many megabytes. Pure but for the language of the windows.
import { t } from '../i18n/text.svelte';

/** `82 MB`, `1.6 GB`; below a megabyte with one digit more. */
export function volume(bytes: number): string {
  if (bytes >= 999_500_000) return t('voice-gigabytes', { n: bytes / 1_000_000_000 });
  const megabytes = bytes / 1_000_000;
  return t('voice-megabytes', {
    n: megabytes < 10 ? Math.round(megabytes * 10) / 10 : Math.round(megabytes),
  });
}
