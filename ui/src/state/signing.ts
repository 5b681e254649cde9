// What the page in a browser signs: each request, with a key that it made when it signed in and that no script gets out
// of the browser again. The form of it is written down where it is read, in `gate-door/src/page/signed.rs`.

/** Opens a line: on it each number that is signed is good once. Each page has lines of its own. */
const HERE = '/ui/here';
const SIGN_IN = '/ui/sign-in';
const CURVE = { name: 'ECDSA', namedCurve: 'P-256' };
const BEGINNING = 'review-gate page 1';
const SCHEME = 'Review-Gate';

/** Where the key is between two visits. */
export interface KeyStore {
  read: () => Promise<CryptoKeyPair | undefined>;
  write: (pair: CryptoKeyPair) => Promise<void>;
}

/** What the gate said. */
interface Told {
  status: number;
  said: unknown;
}

/** The code of a link that signs in, from the part of its address that browsers send to nobody. */
export const codeOf = (hash: string): string | undefined => /^#code=(.+)/.exec(hash)?.[1];

const bytes = (text: string) => new TextEncoder().encode(text);
const hex = (buffer: ArrayBuffer) =>
  [...new Uint8Array(buffer)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
const base64url = (buffer: ArrayBuffer) =>
  btoa(String.fromCharCode(...new Uint8Array(buffer)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

/** The browser's own store, which each origin, and so each port, has one of. */
export const storedKey: KeyStore = {
  read: () => inStore('readonly', (keys) => keys.get('page') as IDBRequest<CryptoKeyPair | undefined>),
  write: async (pair) => void (await inStore('readwrite', (keys) => keys.put(pair, 'page'))),
};

async function inStore<T>(
  mode: IDBTransactionMode,
  act: (keys: IDBObjectStore) => IDBRequest<T>,
): Promise<T> {
  const opening = indexedDB.open('review-gate', 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore('keys');
  const database = await done(opening);
  try {
    return await done(act(database.transaction('keys', mode).objectStore('keys')));
  } finally {
    database.close();
  }
}

function done<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error('no store'));
  });
}

/** Resolves when the person sees the page: a browser may load one that nobody has asked for yet. */
async function seen(): Promise<void> {
  if ((document as { prerendering?: boolean }).prerendering)
    await new Promise((go) => document.addEventListener('prerenderingchange', go, { once: true }));
}

export class Signer {
  #origin: string;
  #keys: KeyStore;
  #fetch: typeof fetch;
  /** Of the link that was followed, until it has signed in. */
  #code: string | undefined;
  /** Where the browser keeps nothing, the key lasts as long as the page. */
  #pair: CryptoKeyPair | undefined;
  #line: { name: string; pair: CryptoKeyPair; number: number } | undefined;
  #opening: Promise<Told> | undefined;

  constructor(origin: string, keys: KeyStore = storedKey, send: typeof fetch = (...to) => fetch(...to)) {
    this.#origin = origin;
    this.#keys = keys;
    this.#fetch = send;
  }

  /** Signs in with this code when the gate is asked next, if the browser isn't signed in by then. */
  follow(code: string): void {
    this.#code = code;
  }

  /**
   * Asks the gate for something, signed. `/ui/here` opens a new line, or signs in. What the gate doesn't know the line
   * of, because it was restarted, it hasn't done; it is asked once more on a new one.
   */
  readonly fetch = async (path: string, init?: RequestInit): Promise<Response> => {
    const known = this.#line;
    if (known && path !== HERE) {
      const response = await this.#signed(path, init);
      if (response.status !== 401) return response;
    }
    if (path === HERE || this.#line === known) {
      const { status, said } = await this.#open();
      if (path === HERE || status !== 200) return new Response(JSON.stringify(said), { status });
    }
    return this.#signed(path, init);
  };

  /** Several that need a line at the same time get the same. */
  #open(): Promise<Told> {
    this.#opening ??= this.#enter().finally(() => (this.#opening = undefined));
    return this.#opening;
  }

  async #enter(): Promise<Told> {
    // Browsers have keys only where nobody between them and the page can change it.
    if (!globalThis.crypto?.subtle) return { status: 401, said: { code: 'signed_out', why: 'insecure' } };
    const pair = (await this.#keys.read().catch(() => undefined)) ?? this.#pair;
    if (pair) {
      const told = await this.#ask(HERE, pair);
      // A code that isn't needed is another browser's.
      if (told.status === 200) this.#code = undefined;
      if (told.status !== 401 || !this.#code) return told;
    }
    if (!this.#code) {
      const told = await tellingOf(await this.#fetch(HERE, { method: 'POST' }));
      // A link may have been followed while the gate was asked, and what it signs in waits for this.
      if (told.status !== 401 || !this.#code) return told;
    }
    await seen();
    const fresh = await crypto.subtle.generateKey(CURVE, false, ['sign']);
    const key = base64url(await crypto.subtle.exportKey('raw', fresh.publicKey));
    const told = await this.#ask(SIGN_IN, fresh, JSON.stringify({ code: this.#code, key }));
    if (told.status === 200) {
      this.#code = undefined;
      this.#pair = fresh;
      await this.#keys.write(fresh).catch(() => undefined);
    }
    return told;
  }

  /** Asks for a line. */
  async #ask(path: string, pair: CryptoKeyPair, body = ''): Promise<Told> {
    const init = { headers: { 'content-type': 'application/json' }, body, cache: 'no-store' } as const;
    const told = await tellingOf(await this.#send(path, pair, '', 0, init));
    const { line } = told.said as { line?: string };
    this.#line = told.status === 200 && line ? { name: line, pair, number: 0 } : undefined;
    return told;
  }

  #signed(path: string, init?: RequestInit): Promise<Response> {
    const line = this.#line;
    if (!line) return Promise.reject(new TypeError('no line'));
    line.number += 1;
    return this.#send(path, line.pair, line.name, line.number, init);
  }

  async #send(
    path: string,
    pair: CryptoKeyPair,
    line: string,
    number: number,
    init: RequestInit = {},
  ): Promise<Response> {
    const { subtle } = crypto;
    const of = async (data: BufferSource) => hex(await subtle.digest('SHA-256', data));
    const digest = await of(bytes(typeof init.body === 'string' ? init.body : ''));
    const key = await of(await subtle.exportKey('raw', pair.publicKey));
    const text = [BEGINNING, this.#origin, 'POST', path, line, number, digest].join('\n');
    const made = await subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, pair.privateKey, bytes(text));
    const headers = new Headers(init.headers);
    headers.set(
      'authorization',
      `${SCHEME} key=${key}, line=${line}, number=${number}, digest=${digest}, signature=${base64url(made)}`,
    );
    return this.#fetch(path, { ...init, method: 'POST', headers, redirect: 'error' });
  }
}

async function tellingOf(response: Response): Promise<Told> {
  return { status: response.status, said: await response.json() };
}
