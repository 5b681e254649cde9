// What became of a permission question, as the record says it. Pure but for the language.
import '../i18n/words-conversation';
import type { PermissionSaid } from '../generated/PermissionSaid';
import { t } from '../i18n/text.svelte';

export function permittedWord(permission: PermissionSaid): string {
  switch (permission.said) {
    case 'asked':
      return t(permission.asks_there ? 'conversation-asked-there' : 'conversation-asked-nowhere', {
        ended: permission.ended ?? 'unknown',
      });
    case 'once':
      return t('conversation-allowed');
    case 'edited':
      return t('conversation-allowed-edited');
    case 'rule':
      return t('conversation-allowed-rule', { kind: permission.kind, what: permission.what });
    case 'denied':
      return t('conversation-denied');
  }
}
