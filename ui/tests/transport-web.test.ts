// The page in a browser: commands and faults over HTTP, a line that comes back, addresses, downloads.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Event } from '../src/generated/Event';
import { isLoadFailure, PAUSES, type Wire } from '../src/state/connection.svelte';
import type { Destination } from '../src/state/destination';
import type { Stream } from '../src/state/stream';
import { WebPort } from '../src/transport-web';

/** A stream of events that the test opens, breaks and speaks through. */
class FakeStream extends EventTarget implements Stream {
  onopen: (() => void) | null = null;
  onmessage: ((message: { data: string }) => void) | null = null;
  onerror: (() => void) | null = null;
  closed = false;
  close(): void {
    this.closed = true;
  }
}

class FakeWire implements Wire {
  readonly asked: { path: string; init: RequestInit | undefined }[] = [];
  readonly streams: FakeStream[] = [];
  here: () => Response = () => Response.json({ version: '1' });
  answer: () => Response = () => Response.json({ sessions: [] });

  fetch = (path: string, init?: RequestInit) => {
    this.asked.push({ path, init });
    return new Promise<Response>((done) => done(path === '/ui/here' ? this.here() : this.answer()));
  };

  listen = () => {
    const stream = new FakeStream();
    this.streams.push(stream);
    return stream;
  };

  get stream(): FakeStream {
    const last = this.streams.at(-1);
    if (!last) throw new Error('nobody listens');
    return last;
  }

  async opens(number: number): Promise<void> {
    await vi.waitFor(() => expect(this.streams).toHaveLength(number));
    this.stream.onopen?.();
  }
}

const unreachable = () => {
  throw new TypeError('Failed to fetch');
};

let wire: FakeWire;
let port: WebPort;
let heard: Event[];

async function listening(): Promise<void> {
  const begun = port.onEvent((event) => heard.push(event));
  await wire.opens(1);
  await begun;
}

beforeEach(() => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  location.hash = '';
  wire = new FakeWire();
  port = new WebPort(wire);
  heard = [];
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

test('a command goes out as JSON, and its answer or its fault comes back', async () => {
  expect(await port.command({ command: 'sessions' })).toEqual({ sessions: [] });
  const { path, init } = wire.asked[0] ?? {};
  expect([path, init?.body]).toEqual(['/ui/command', '{"command":"sessions"}']);
  expect(new Headers(init?.headers).get('content-type')).toBe('application/json');
  const fault = { code: 'not_pending', message: 'It is answered.', mend: 'Look.' };
  wire.answer = () => Response.json(fault, { status: 409 });
  await expect(port.command({ command: 'sessions' })).rejects.toEqual(fault);
  wire.answer = unreachable;
  await expect(port.command({ command: 'sessions' })).rejects.toMatchObject({ code: 'gate_unreachable' });
  wire.answer = () => new Response('<html>', { status: 502 });
  await expect(port.command({ command: 'sessions' })).rejects.toMatchObject({ code: 'gate_unreachable' });
});

test('events are told, and what was missed is looked at again when the line is back', async () => {
  await listening();
  expect(port.connection.line).toBe('open');
  wire.stream.onmessage?.({ data: '{"event":"history_changed"}' });
  expect(heard).toEqual([{ event: 'history_changed' }]);

  wire.here = unreachable;
  wire.stream.onerror?.();
  expect([port.connection.line, wire.stream.closed]).toEqual(['gone', true]);
  await vi.advanceTimersByTimeAsync(20_000);
  const tries = wire.asked.filter(({ path }) => path === '/ui/here').length;
  expect(tries).toBeGreaterThan(PAUSES.length);
  expect(tries).toBeLessThan(12);

  wire.here = () => Response.json({ version: '1' });
  await vi.advanceTimersByTimeAsync(PAUSES.at(-1) ?? 0);
  await wire.opens(2);
  expect([port.connection.line, port.connection.outdated]).toEqual(['open', false]);
  expect(heard.at(-1)).toEqual({ event: 'resync' });
});

test('a gate that is down at first lets the page begin, and speaks when it comes', async () => {
  wire.here = unreachable;
  await port.onEvent((event) => heard.push(event));
  expect(port.connection.line).toBe('gone');
  wire.here = () => Response.json({ version: '1' });
  await vi.advanceTimersByTimeAsync(PAUSES[0] ?? 0);
  await wire.opens(1);
  expect(heard).toEqual([{ event: 'resync' }]);
});

test('a gate of another version asks for a reload', async () => {
  await listening();
  wire.here = () => Response.json({ version: '2' });
  wire.stream.onerror?.();
  await vi.advanceTimersByTimeAsync(PAUSES[0] ?? 0);
  await wire.opens(2);
  expect(port.connection.outdated).toBe(true);
});

test('a browser that is signed out stops asking until the person has a new link', async () => {
  await listening();
  const fault = {
    code: 'signed_out',
    message: 'Not signed in.',
    mend: 'Run `review-gate link`.',
    why: 'out',
  };
  wire.answer = () => Response.json(fault, { status: 401 });
  wire.here = () => Response.json(fault, { status: 401 });
  await expect(port.command({ command: 'sessions' })).rejects.toMatchObject({
    code: 'signed_out',
    mend: fault.mend,
  });
  expect([port.connection.line, wire.stream.closed]).toEqual(['signed_out', true]);
  expect(port.connection.reason).toBe('out');
  const before = wire.asked.length;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(wire.asked).toHaveLength(before);
  wire.here = () => Response.json({ version: '1' });
  port.connection.retry();
  await wire.opens(2);
  expect([port.connection.line, heard.at(-1)]).toEqual(['open', { event: 'resync' }]);
});

test('a browser that was signed out before the line stood begins anew with a new link', async () => {
  wire.here = () => Response.json({ why: 'used' }, { status: 401 });
  await port.onEvent((event) => heard.push(event));
  expect(port.connection.reason).toBe('used');
  wire.here = () => Response.json({ version: '1' });
  port.connection.retry();
  await wire.opens(1);
  expect(heard).toEqual([{ event: 'resync' }]);
});

test('a link that is followed in the tab that is signed out signs in, and the page stays where it was', async () => {
  const codes: string[] = [];
  port = new WebPort(wire, (code) => codes.push(code));
  wire.here = () => Response.json({ why: 'none' }, { status: 401 });
  await port.onEvent((event) => heard.push(event));
  location.hash = '#main/history';
  await vi.waitFor(() => expect(location.hash).toBe('#main/history'));
  wire.here = () => Response.json({ version: '1' });
  location.hash = '#code=abc';
  await vi.waitFor(() => expect(codes).toEqual(['abc']));
  expect(location.hash).toBe('#main/history');
  await wire.opens(1);
  expect(port.connection.line).toBe('open');
});

test('a page that others took the place of waits for the person', async () => {
  await listening();
  wire.stream.dispatchEvent(new window.Event('replaced'));
  expect([port.connection.line, wire.stream.closed]).toEqual(['replaced', true]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(wire.streams).toHaveLength(1);
  port.connection.retry();
  await wire.opens(2);
  expect(heard).toEqual([{ event: 'resync' }]);
});

test('a part that could not be loaded is told from other failures, in each browser’s words', () => {
  for (const words of [
    'Failed to fetch dynamically imported module: http://127.0.0.1:8321/assets/a.js',
    'error loading dynamically imported module: http://127.0.0.1:8321/assets/a.js',
    'Importing a module script failed.',
    'Unable to preload CSS for /assets/a.css',
  ])
    expect(isLoadFailure(new TypeError(words))).toBe(true);
  for (const other of [new TypeError('Failed to fetch'), 'module script', null])
    expect(isLoadFailure(other)).toBe(false);
});

test('windows are places of the one page', async () => {
  const gone: Destination[] = [];
  await port.onPage((to) => gone.push(to));
  await port.openMain('history', 'a-session');
  await vi.waitFor(() => expect(gone).toEqual([{ page: 'history', at: 'a-session', query: '' }]));
  await port.openMain('history', 'a-session');
  expect(gone).toHaveLength(2);
  await port.hideWindow();
  expect(location.hash).toBe('#main/history/a-session');
  await port.showReview(null);
  await vi.waitFor(() => expect(gone.at(-1)).toEqual({ page: 'inbox', at: null, query: '' }));
});

test('links open in a tab of their own, and only those that may', async () => {
  const clicked: HTMLAnchorElement[] = [];
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    clicked.push(this);
  });
  await port.openLink('https://example.org/a');
  expect(clicked.map(({ href, target, rel }) => [href, target, rel])).toEqual([
    ['https://example.org/a', '_blank', 'noopener noreferrer'],
  ]);
  for (const href of ['javascript:alert(1)', 'file:///etc/passwd', 'data:text/html,x']) {
    await expect(port.openLink(href)).rejects.toMatchObject({ code: 'invalid_input' });
  }
  expect(clicked).toHaveLength(1);
});

test('an export is downloaded, and named as the file that the person gets', async () => {
  const clicked: [string, string][] = [];
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    clicked.push([this.getAttribute('href') ?? '', this.download]);
  });
  const path = '/ui/download/0193/%E5%88%A0%E9%99%A4-2026-11-21.json';
  wire.answer = () => Response.json({ path, conversations: 2 });
  const command = { command: 'export', session_uuid: null, format: 'json', path: null } as const;
  expect(await port.command(command)).toEqual({
    path: '删除-2026-11-21.json',
    conversations: 2,
  });
  expect(clicked).toEqual([[path, '删除-2026-11-21.json']]);
});
