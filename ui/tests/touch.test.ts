// Security keys by way of the browser: adding one, being asked to touch it, and what is said where that can't be.
import { cleanup, fireEvent, render, screen } from '@testing-library/svelte';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import './lazy';
import MainApp from '../src/MainApp.svelte';
import type { ApprovalNeeds } from '../src/generated/ApprovalNeeds';
import type { RequestView } from '../src/generated/RequestView';
import type { SecurityKey } from '../src/generated/SecurityKey';
import '../src/reply/LevelLine.svelte';
import '../src/settings/KeysPane.svelte';
import { Main } from '../src/state/main.svelte';
import type { Answer } from '../src/state/port';
import '../src/touch/enrol';
import { hearTouches } from '../src/touch/hearing';
import { barred } from '../src/touch/possible';
import '../src/touch/touches';
import { answerable } from './armed';
import { FakeGate, fault, summary, view } from './fake-gate';
import { FakeSettings } from './fake-settings';

const buffer = (text: string) => new TextEncoder().encode(text).buffer;
const read = (source: BufferSource | undefined) => new TextDecoder().decode(source);

/** What stands for the browser's own. */
const credentials = { create: vi.fn(), get: vi.fn() };

beforeEach(() => {
  vi.stubGlobal('PublicKeyCredential', class {});
  Object.defineProperty(navigator, 'credentials', { configurable: true, value: credentials });
});

afterEach(() => {
  cleanup();
  Reflect.deleteProperty(navigator, 'credentials');
  credentials.create.mockReset();
  credentials.get.mockReset();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

const says = (testid: string) => screen.queryByTestId(testid)?.textContent?.replace(/\s+/g, ' ').trim();
const button = (testid: string) => screen.getByTestId<HTMLButtonElement>(testid);

const PAGE_KEY: ApprovalNeeds = {
  level: 'L3',
  missing: { id: 'level-page-key', values: { page: 'http://localhost:8321' } },
  page_key: true,
};

/** A page with a request whose approval takes a touch; its reply is sent until the test says what came of it. */
async function page(inBrowser = true) {
  const gate = new FakeGate([view('a', { summary: summary('a', { approval: true }), needs: PAGE_KEY })]);
  gate.inBrowser = inBrowser;
  let end: (thrown: unknown) => void = () => undefined;
  const ended = new Promise<unknown>((resolve) => (end = resolve));
  gate.meddle = ({ command }) => (command === 'send_reply' ? ended : undefined);
  const record = gate.record;
  gate.record = (command): Answer | Promise<Answer> =>
    ['give_touch', 'no_touch', 'cancel_signing'].includes(command.command) ? {} : record(command);
  const main = new Main(gate, { page: 'inbox', at: null });
  render(MainApp, { main });
  hearTouches(main);
  await screen.findByTestId('approve');
  await answerable();
  return { gate, main, end };
}

/** The gate wants a touch. */
const wanted = (gate: FakeGate, request_id = 'a') =>
  gate.emit({
    ...{ event: 'touch_wanted', request_id, site: 'localhost' },
    challenge: btoa('the line'),
    credentials: [btoa('mine'), btoa('other')],
  });

describe('an approval that takes a touch in the page', () => {
  it('is told before, and asks the browser in the same step', async () => {
    const { gate, end } = await page();
    await expect.poll(() => says('level')).toBe('This takes a touch of your security key (L3).');
    expect(button('approve').disabled).toBe(false);
    credentials.get.mockResolvedValue({
      rawId: buffer('mine'),
      response: { authenticatorData: buffer('data'), clientDataJSON: buffer('{}'), signature: buffer('sig') },
    });
    await fireEvent.click(button('approve'));
    await expect.poll(() => gate.given('send_reply').length).toBe(1);
    wanted(gate);
    await expect
      .poll(() => gate.given('give_touch'))
      .toEqual([
        {
          ...{
            command: 'give_touch',
            request_id: 'a',
            credential: btoa('mine'),
            authenticator: btoa('data'),
          },
          ...{ client: btoa('{}'), signature: btoa('sig') },
        },
      ]);
    const asked = credentials.get.mock.calls[0]?.[0] as CredentialRequestOptions;
    expect(read(asked.publicKey?.challenge), 'what is signed is the line').toBe('the line');
    expect(asked.publicKey?.rpId).toBe('localhost');
    expect(asked.publicKey?.allowCredentials?.map(({ id }) => read(id))).toEqual(['mine', 'other']);
    end(undefined);
  });

  it('says the browser’s word where there is no touch, and the reply is there still', async () => {
    const { gate, main, end } = await page();
    credentials.get.mockRejectedValue(new DOMException('no', 'NotAllowedError'));
    const reply = main.inbox.review.reply;
    if (reply) reply.text = 'Go on.';
    await fireEvent.click(button('approve'));
    await expect.poll(() => reply?.busy).toBe('sending');
    wanted(gate);
    await expect.poll(() => gate.given('no_touch').map(({ error }) => error)).toEqual(['NotAllowedError']);
    end(fault('not_signed'));
    await expect.poll(() => says('fault')).toContain('It failed: not_signed.');
    expect(reply?.text).toBe('Go on.');
    expect(button('approve').disabled, 'and it can be approved again').toBe(false);
  });

  it('stops asking when nobody waits any longer', async () => {
    const { gate, end } = await page();
    let signal: AbortSignal | undefined;
    credentials.get.mockImplementation((asked: CredentialRequestOptions) => {
      signal = asked.signal;
      return new Promise((_, reject) => {
        asked.signal?.addEventListener('abort', () => reject(new DOMException('', 'AbortError')));
      });
    });
    await fireEvent.click(button('approve'));
    await expect.poll(() => says('level')).toBe('Touch your security key… Cancel');
    wanted(gate);
    await expect.poll(() => signal?.aborted).toBe(false);
    gate.emit({ event: 'touch_over', request_id: 'a' });
    await expect.poll(() => signal?.aborted).toBe(true);
    end(fault('not_signed'));
    await expect.poll(() => says('fault')).toContain('not_signed');
    expect(gate.given('no_touch'), 'nobody asked why').toEqual([]);
  });

  it('asks nobody for what another tab sends', async () => {
    const { gate, end } = await page();
    wanted(gate);
    await fireEvent.click(button('approve'));
    await expect.poll(() => gate.given('send_reply').length).toBe(1);
    wanted(gate, 'another');
    end(fault('not_signed'));
    await expect.poll(() => says('fault')).toContain('not_signed');
    expect(credentials.get).not.toHaveBeenCalled();
  });

  it('can’t be given in a window, which says where', async () => {
    await page(false);
    await expect
      .poll(() => says('level'))
      .toBe(
        'Your security key works on the gate’s page in the browser, http://localhost:8321: approve there.',
      );
    expect(button('approve').disabled).toBe(true);
    expect(button('request-changes').disabled, 'changes take nothing').toBe(false);
  });

  it('says it where the browser has no WebAuthn', async () => {
    vi.unstubAllGlobals();
    await page();
    await expect.poll(() => says('level')).toContain('This browser can’t ask security keys (WebAuthn)');
    expect(button('approve').disabled).toBe(true);
  });
});

describe('this browser', () => {
  it('touches keys for localhost alone', () => {
    expect(barred()).toBeUndefined();
    vi.stubGlobal('location', { hostname: '127.0.0.1', port: '8321' });
    expect(barred()).toEqual({ id: 'level-open-localhost', values: { page: 'http://localhost:8321' } });
  });
});

const GREEN: SecurityKey = {
  ...{ key: 'SHA256:green', comment: 'green', file: null },
  page: 'http://localhost:8321',
};

/** The settings at the security keys. */
async function keys({ inBrowser = true, origin = location.origin, asked = [] as RequestView[] } = {}) {
  const gate = new FakeGate(asked);
  gate.inBrowser = inBrowser;
  const settings = new FakeSettings();
  gate.record = (command) => {
    switch (command.command) {
      case 'security_keys':
        return { keys: [], found: [] };
      case 'begin_page_key':
        return {
          ...{ challenge: btoa('fresh'), site: 'localhost', origin, user: btoa('me') },
          known: [btoa('old')],
        };
      case 'add_page_key':
        return { keys: [GREEN], found: [] };
      default:
        return settings.answer(command);
    }
  };
  const main = new Main(gate, { page: asked.length > 0 ? 'inbox' : 'settings', at: null });
  render(MainApp, { main });
  if (asked.length > 0) await screen.findByTestId('level');
  main.go('settings');
  await fireEvent.click(await screen.findByTestId('settings-tab-keys'));
  await screen.findByTestId('security-file');
  return { gate, main };
}

async function add(name: string) {
  await fireEvent.input(screen.getByTestId('security-page-name'), { target: { value: name } });
  await fireEvent.click(button('security-page-add'));
  await fireEvent.click(button('security-page-yes'));
}

describe('a key of this browser', () => {
  it('is made once that was confirmed, on a device, for this page', async () => {
    const { gate } = await keys();
    let touch: (made: unknown) => void = () => undefined;
    credentials.create.mockReturnValue(new Promise((resolve) => (touch = resolve)));
    await fireEvent.input(screen.getByTestId('security-page-name'), { target: { value: ' green ' } });
    await fireEvent.click(button('security-page-add'));
    expect(says('security-confirm')).toContain('Whoever touches it can approve for you at L3.');
    expect(gate.given('begin_page_key'), 'nothing happens before').toEqual([]);
    await fireEvent.click(button('security-page-yes'));
    await expect.poll(() => says('security-page-touch')).toBe('Touch the key that blinks…');
    expect(button('security-page-add').disabled, 'one at a time').toBe(true);
    await expect.poll(() => credentials.create.mock.calls.length).toBe(1);
    const { publicKey } = credentials.create.mock.calls[0]?.[0] as CredentialCreationOptions;
    expect(read(publicKey?.challenge)).toBe('fresh');
    expect(publicKey?.rp.id).toBe('localhost');
    expect(publicKey?.attestation, 'nobody is told which key it is').toBe('none');
    expect(publicKey?.pubKeyCredParams.map(({ alg }) => alg)).toEqual([-7, -8]);
    expect(publicKey?.authenticatorSelection?.authenticatorAttachment).toBe('cross-platform');
    expect(publicKey?.excludeCredentials?.map(({ id }) => read(id))).toEqual(['old']);
    touch({ response: { getAuthenticatorData: () => buffer('data'), clientDataJSON: buffer('{}') } });
    await expect
      .poll(() => says('security-key'))
      .toContain('Touched on the gate’s page at http://localhost:8321');
    expect(gate.given('add_page_key')).toEqual([
      { command: 'add_page_key', name: 'green', authenticator: btoa('data'), client: btoa('{}') },
    ]);
  });

  it('is known at once to the request that is open', async () => {
    const needs: ApprovalNeeds = { level: 'L3', missing: { id: 'level-no-key' } };
    const asked = view('a', { summary: summary('a', { approval: true }), needs });
    const { main } = await keys({ asked: [asked] });
    credentials.create.mockResolvedValue({
      response: { getAuthenticatorData: () => buffer('data'), clientDataJSON: buffer('{}') },
    });
    asked.needs = PAGE_KEY;
    await add('green');
    await screen.findByTestId('security-key');
    main.go('inbox');
    await expect.poll(() => says('level')).toBe('This takes a touch of your security key (L3).');
  });

  it.each([
    ['NotAllowedError', 'nobody touched a key in time'],
    ['InvalidStateError', 'This key is added already.'],
    ['NotSupportedError', 'of a kind that can’t sign receipts'],
    ['UnknownError', 'The browser says: UnknownError'],
  ])('that isn’t made (%s) is told, and its name stays', async (name, told) => {
    const { gate } = await keys();
    credentials.create.mockRejectedValue(new DOMException('no', name));
    await add('green');
    await expect.poll(() => says('fault')).toContain(told);
    expect(gate.given('add_page_key')).toEqual([]);
    expect(screen.getByTestId<HTMLInputElement>('security-page-name').value).toBe('green');
    expect(button('security-page-add').disabled).toBe(false);
  });

  it('isn’t made where the page has another address than the gate says', async () => {
    await keys({ origin: 'http://localhost:8321' });
    await add('green');
    await expect.poll(() => says('fault')).toContain('on the page at http://localhost:8321 only');
    expect(credentials.create).not.toHaveBeenCalled();
  });

  it('is another place’s in a window', async () => {
    await keys({ inBrowser: false });
    expect(says('security-page-where')).toContain('This window can’t ask for it.');
    expect(screen.queryByTestId('security-page-name')).toBeNull();
  });
});
