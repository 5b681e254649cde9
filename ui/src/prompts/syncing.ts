// How the synchronisation of prompts stands, in words.
import type { PromptSyncState } from '../generated/PromptSyncState';
import type { PromptSyncStep } from '../generated/PromptSyncStep';
import { t } from '../i18n/text.svelte';
import { age } from '../state/format';

/** Where it stands, in a sentence. */
export function syncWords(sync: PromptSyncState, now: number): string {
  switch (sync.status) {
    case 'off':
      return t('prompts-sync-off');
    case 'never':
      return t('prompts-sync-never');
    case 'syncing':
      return t(`prompts-sync-step-${sync.step ?? 'asking'}`);
    case 'success':
      return t('prompts-sync-success', { n: sync.prompts, age: age(sync.synced_at ?? '', now) });
    case 'error':
      return t('prompts-sync-error');
  }
}

const PERCENT: Record<PromptSyncStep, number> = { asking: 10, fetching: 40, reading: 80 };

/** About how far it is. */
export const syncPercent = (sync: PromptSyncState): number => PERCENT[sync.step ?? 'asking'];
