// @vitest-environment node
// What the page signs: with one key, on a line, each number once; and what it does where there is no key or no line.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { codeOf, Signer, type KeyStore } from '../src/state/signing';

const ORIGIN = 'http://localhost:8321';

/** A gate that looks at signatures as the real one does. */
class FakeGate {
  readonly asked: { path: string; parts: Record<string, string> }[] = [];
  readonly codes: string[] = [];
  key: CryptoKey | null = null;
  line = 'first';
  up = true;
  why = 'out';

  fetch = (async (path: string, init: RequestInit) => {
    if (!this.up) throw new TypeError('Failed to fetch');
    const said = new Headers(init.headers).get('authorization') ?? '';
    if (!said) return this.#refuse('none');
    const parts = Object.fromEntries(
      said
        .replace('Review-Gate ', '')
        .split(', ')
        .map((part) => part.split('=') as [string, string]),
    );
    this.asked.push({ path, parts });
    const body = String(init.body ?? '');
    if (path === '/ui/sign-in') {
      const { code, key } = JSON.parse(body) as { code: string; key: string };
      this.codes.push(code);
      if (code !== 'good') return this.#refuse('used');
      const curve = { name: 'ECDSA', namedCurve: 'P-256' };
      this.key = await crypto.subtle.importKey('raw', Buffer.from(key, 'base64url'), curve, true, ['verify']);
    }
    if (!this.key || !(await this.#isSigned(this.key, path, body, parts))) return this.#refuse(this.why);
    if (path !== '/ui/here' && path !== '/ui/sign-in')
      return parts.line === this.line ? Response.json({ done: body }) : this.#refuse(this.why);
    return Response.json({ version: '1', line: this.line });
  }) as typeof fetch;

  #refuse(why: string): Response {
    return Response.json({ code: 'signed_out', why }, { status: 401 });
  }

  async #isSigned(key: CryptoKey, path: string, body: string, parts: Record<string, string>) {
    const digest = Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(body))).toString('hex');
    const { line, number } = parts;
    const text = ['review-gate page 1', ORIGIN, 'POST', path, line, number, digest].join('\n');
    const signature = Buffer.from(parts.signature ?? '', 'base64url');
    const fits = await crypto.subtle.verify(
      { name: 'ECDSA', hash: 'SHA-256' },
      key,
      signature,
      Buffer.from(text),
    );
    return fits && parts.digest === digest;
  }
}

class FakeStore implements KeyStore {
  pair: CryptoKeyPair | undefined;
  read = () => Promise.resolve(this.pair);
  write = (pair: CryptoKeyPair) => {
    this.pair = pair;
    return Promise.resolve();
  };
}

let gate: FakeGate;
let keys: FakeStore;
const page = () => new Signer(ORIGIN, keys, gate.fetch);
const command = (signer: Signer, body = '{"command":"sessions"}') => signer.fetch('/ui/command', { body });
const why = async (response: Response) => [response.status, ((await response.json()) as { why: string }).why];

beforeEach(() => {
  gate = new FakeGate();
  keys = new FakeStore();
  vi.stubGlobal('document', {});
});
afterEach(() => vi.unstubAllGlobals());

async function signedIn(): Promise<Signer> {
  const signer = page();
  signer.follow('good');
  expect((await signer.fetch('/ui/here')).status).toBe(200);
  return signer;
}

it('a link’s code is told by the part of an address that goes to nobody', () => {
  expect([codeOf('#code=a-_1'), codeOf('#main/inbox'), codeOf('#main/history?code=x'), codeOf('')]).toEqual([
    'a-_1',
    undefined,
    undefined,
    undefined,
  ]);
});

it('a code signs in with a key that no script gets out, once, and what comes after is signed with it', async () => {
  const signer = await signedIn();
  expect(keys.pair?.privateKey.extractable).toBe(false);
  await expect(crypto.subtle.exportKey('pkcs8', keys.pair!.privateKey)).rejects.toThrow();
  const answers = await Promise.all([command(signer), command(signer, '{"command":"snapshot"}')]);
  expect(await Promise.all(answers.map((answer) => answer.json()))).toEqual([
    { done: '{"command":"sessions"}' },
    { done: '{"command":"snapshot"}' },
  ]);
  const numbers = gate.asked.slice(1).map(({ parts }) => parts.number);
  expect(numbers.sort(), 'each its own').toEqual(['1', '2']);
  await signer.fetch('/ui/here');
  expect(gate.codes, 'the code is gone').toEqual(['good']);
});

it('a page that is loaded anew has the key still, and a code that it comes with is kept for another', async () => {
  await signedIn();
  const again = page();
  again.follow('another');
  expect(await (await command(again)).json()).toEqual({ done: '{"command":"sessions"}' });
  expect(gate.codes).toEqual(['good']);
});

it('a browser that was signed out signs in by a new code, with a new key', async () => {
  const signer = await signedIn();
  const before = keys.pair;
  gate.key = null;
  expect(await why(await command(signer))).toEqual([401, 'out']);
  signer.follow('good');
  expect((await command(signer)).status).toBe(200);
  expect(keys.pair).not.toBe(before);
});

it('without a key and a code the gate says why, and a code that is spent stays spent', async () => {
  expect(await why(await page().fetch('/ui/here'))).toEqual([401, 'none']);
  const signer = page();
  signer.follow('spent');
  expect(await why(await signer.fetch('/ui/here'))).toEqual([401, 'used']);
  expect(await why(await command(signer))).toEqual([401, 'used']);
  expect(keys.pair, 'what signs nobody in isn’t kept').toBeUndefined();
});

it('where the gate was restarted, a command goes out once more on a new line, and many open one line', async () => {
  const signer = await signedIn();
  await command(signer);
  gate.line = 'second';
  gate.asked.length = 0;
  const answers = await Promise.all([command(signer), command(signer), command(signer)]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  const asked = gate.asked.map(({ path, parts }) => `${path} ${parts.line}`);
  expect(asked.filter((each) => each.startsWith('/ui/here'))).toHaveLength(1);
  expect(asked.filter((each) => each.endsWith('second'))).toHaveLength(3);
});

it('a gate that is gone is told as that, and the code is good when it is back', async () => {
  const signer = page();
  signer.follow('good');
  gate.up = false;
  await expect(signer.fetch('/ui/here')).rejects.toThrow('Failed to fetch');
  gate.up = true;
  expect((await signer.fetch('/ui/here')).status).toBe(200);
});

it('a browser that keeps nothing is signed in for as long as the page stands', async () => {
  keys.read = () => Promise.reject(new Error('no'));
  keys.write = () => Promise.reject(new Error('no'));
  const signer = await signedIn();
  gate.line = 'second';
  expect((await command(signer)).status).toBe(200);
});

it('at an address where browsers have no keys, the page says so and sends the code nowhere', async () => {
  vi.stubGlobal('crypto', {});
  const signer = page();
  signer.follow('good');
  expect(await why(await signer.fetch('/ui/here'))).toEqual([401, 'insecure']);
  expect(await why(await command(signer))).toEqual([401, 'insecure']);
  expect([gate.asked, gate.codes]).toEqual([[], []]);
});

it('a page that a browser loads ahead signs in when the person sees it', async () => {
  let shown: () => void = () => undefined;
  vi.stubGlobal('document', {
    prerendering: true,
    addEventListener: (_: string, go: () => void) => (shown = go),
  });
  const signer = page();
  signer.follow('good');
  const answer = signer.fetch('/ui/here');
  await vi.waitFor(() => expect(shown.length).toBe(1));
  expect(gate.codes).toEqual([]);
  shown();
  expect((await answer).status).toBe(200);
});

it('signs in by a link that is followed while the gate is asked without one', async () => {
  const send = gate.fetch;
  let reached = () => undefined as void;
  const asked = new Promise<void>((tell) => (reached = tell));
  let answer = () => undefined as void;
  const slow = new Promise<void>((tell) => (answer = tell));
  gate.fetch = async (...to) => {
    reached();
    await slow;
    return send(...to);
  };
  const signer = page();
  const asking = command(signer);
  await asked;
  signer.follow('good');
  const looking = signer.fetch('/ui/here');
  answer();
  expect((await looking).status, 'the code is used, though an answer without it was on its way').toBe(200);
  expect((await asking).status).toBe(200);
  expect(gate.codes, 'once').toEqual(['good']);
});
