// Security keys by way of the browser (WebAuthn): having one made for the gate's page, and having it touched. What comes
// of it goes to the gate as it is, which alone says whether it counts.
import type { PageKeyBegun } from '../generated/PageKeyBegun';
import type { Event } from '../generated/Event';

/** What is signed, and by which keys. */
export type Wanted = Extract<Event, { event: 'touch_wanted' }>;

/** For how long the browser asks, in milliseconds: as long as the gate waits. */
const PATIENCE = 60_000;
/** ES256, then EdDSA where a key has it (IANA's COSE algorithms). */
const ALGORITHMS = [-7, -8];

const bytes = (text: string) => Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
const base64 = (buffer: ArrayBuffer) => btoa(String.fromCharCode(...new Uint8Array(buffer)));
const named = (ids: readonly string[]) =>
  ids.map((id): PublicKeyCredentialDescriptor => ({ type: 'public-key', id: bytes(id) }));

/** Has a key made on a device that is touched, and nowhere else. Throws what the browser does. */
export async function make(
  begun: PageKeyBegun,
  name: string,
): Promise<{ authenticator: string; client: string }> {
  const { challenge, site, user, known } = begun;
  const made = await navigator.credentials.create({
    publicKey: {
      challenge: bytes(challenge),
      rp: { id: site, name: 'Review Gate' },
      user: { id: bytes(user), name: name || 'Review Gate', displayName: name || 'Review Gate' },
      pubKeyCredParams: ALGORITHMS.map((alg): PublicKeyCredentialParameters => ({ type: 'public-key', alg })),
      excludeCredentials: named(known),
      authenticatorSelection: {
        authenticatorAttachment: 'cross-platform',
        residentKey: 'discouraged',
        userVerification: 'discouraged',
      },
      attestation: 'none',
      timeout: PATIENCE,
    },
  });
  const response = (made as PublicKeyCredential).response as AuthenticatorAttestationResponse;
  return { authenticator: base64(response.getAuthenticatorData()), client: base64(response.clientDataJSON) };
}

/** What the gate is told of a touch. */
export interface Touch {
  credential: string;
  authenticator: string;
  client: string;
  signature: string;
}

/** Has one of the keys touched. Throws what the browser does. */
export async function touched(wanted: Wanted, signal: AbortSignal): Promise<Touch> {
  const got = await navigator.credentials.get({
    signal,
    publicKey: {
      challenge: bytes(wanted.challenge),
      rpId: wanted.site,
      allowCredentials: named(wanted.credentials),
      userVerification: 'discouraged',
      timeout: PATIENCE,
    },
  });
  const { rawId, response } = got as PublicKeyCredential;
  const { authenticatorData, clientDataJSON, signature } = response as AuthenticatorAssertionResponse;
  return {
    credential: base64(rawId),
    authenticator: base64(authenticatorData),
    client: base64(clientDataJSON),
    signature: base64(signature),
  };
}

/** The browser's word for what went wrong. */
export function wordOf(thrown: unknown): string {
  const name = typeof thrown === 'object' && thrown !== null && 'name' in thrown ? thrown.name : '';
  return typeof name === 'string' && name !== '' ? name : 'Error';
}
