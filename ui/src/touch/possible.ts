// Whether a key that was made in the gate's page can be touched where the person is, and what is said where it can't.
import type { ApprovalNeeds } from '../generated/ApprovalNeeds';
import type { Phrase } from '../generated/Phrase';
import type { Port } from '../state/port';

/** Why an approval can't be had here; undefined where it can. */
export function lacking(needs: ApprovalNeeds | undefined, port: Port): Phrase | undefined {
  return needs?.page_key && port.inBrowser ? barred() : needs?.missing;
}

/** Why this browser touches no key for this page: one for `localhost` is good at no other name, nor without WebAuthn. */
export function barred(): Phrase | undefined {
  if (location.hostname !== 'localhost')
    return { id: 'level-open-localhost', values: { page: `http://localhost:${location.port}` } };
  return 'PublicKeyCredential' in window ? undefined : { id: 'level-no-webauthn' };
}
