// Enrols a security key by way of the browser, once the person has confirmed it.
import '../i18n/words-security';
import '../i18n/words-level';
import type { Fault } from '../generated/Fault';
import type { SecurityKeys } from '../generated/SecurityKeys';
import { t } from '../i18n/text.svelte';
import { ask, toFault, type Port } from '../state/port';
import { make, wordOf } from './page-key';

/** What a browser's word for its refusal means; the rest is told as it is. */
const REFUSALS: Record<string, string> = {
  NotAllowedError: 'security-page-untouched',
  InvalidStateError: 'security-page-known',
  NotSupportedError: 'security-page-kind',
  TypeError: 'security-page-old',
};

/** Has a key made, and enrols it under this name. Throws a `Fault`; nothing is enrolled then. */
export async function enrol(port: Port, name: string): Promise<SecurityKeys> {
  const begun = await ask(port, { command: 'begin_page_key' });
  if (begun.origin !== location.origin) throw refusal(t('level-open-localhost', { page: begun.origin }));
  const made = await make(begun, name).catch((thrown: unknown) => {
    const error = wordOf(thrown);
    throw refusal(t(REFUSALS[error] ?? 'security-page-failed', { error }));
  });
  return ask(port, { command: 'add_page_key', name, ...made });
}

const refusal = (message: string): Fault => toFault({ code: 'invalid_input', message, mend: '' });
