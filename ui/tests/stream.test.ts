// Events over a request that is signed: in pieces of any size, and to its end.
import { expect, test, vi } from 'vitest';
import { SignedStream } from '../src/state/stream';

interface Heard {
  open: number;
  ended: number;
  replaced: number;
  data: string[];
}

function listening(ask: () => Promise<Response>): { stream: SignedStream; heard: Heard } {
  const heard: Heard = { open: 0, ended: 0, replaced: 0, data: [] };
  const stream = new SignedStream('/ui/events', ask);
  stream.onopen = () => heard.open++;
  stream.onerror = () => heard.ended++;
  stream.onmessage = ({ data }) => heard.data.push(data);
  stream.addEventListener('replaced', () => heard.replaced++);
  return { stream, heard };
}

function body(): { response: Response; say: (bytes: Uint8Array | string) => void; end: () => void } {
  let to: ReadableStreamDefaultController<Uint8Array>;
  const pieces = new ReadableStream<Uint8Array>({ start: (controller) => void (to = controller) });
  return {
    response: new Response(pieces),
    say: (piece) => to.enqueue(typeof piece === 'string' ? new TextEncoder().encode(piece) : piece),
    end: () => to.close(),
  };
}

test('events come whole, however they were cut on the way', async () => {
  const { response, say, end } = body();
  const { heard } = listening(() => Promise.resolve(response));
  const all = new TextEncoder().encode(': here\n\ndata: {"a":"删除"}\n\ndata: 2\n\n: here\n\ndata: 3');
  for (const byte of all) say(Uint8Array.of(byte));
  await vi.waitFor(() => expect(heard.data).toEqual(['{"a":"删除"}', '2']));
  say('\n\nevent: replaced\ndata: {}\n\n');
  await vi.waitFor(() => expect(heard.replaced).toBe(1));
  expect(heard).toEqual({ open: 1, ended: 0, replaced: 1, data: ['{"a":"删除"}', '2', '3'] });
  end();
  await vi.waitFor(() => expect(heard.ended).toBe(1));
});

test('who can’t take an event in doesn’t end the stream', async () => {
  const { response, say } = body();
  const { stream, heard } = listening(() => Promise.resolve(response));
  const unheard = vi.spyOn(globalThis, 'queueMicrotask').mockImplementation((act) => {
    try {
      act();
    } catch {
      // A browser writes it to its console.
    }
  });
  stream.onmessage = ({ data }) => {
    heard.data.push(data);
    throw new Error(data);
  };
  say('data: 1\n\ndata: 2\n\n');
  await vi.waitFor(() => expect(heard.data).toEqual(['1', '2']));
  expect(heard.ended).toBe(0);
  unheard.mockRestore();
});

test('what is refused or never comes has ended, and what is closed says nothing more', async () => {
  for (const ask of [
    () => Promise.resolve(new Response(null, { status: 401 })),
    () => Promise.reject(new TypeError('Failed to fetch')),
  ]) {
    const { heard } = listening(ask);
    await vi.waitFor(() => expect(heard).toEqual({ open: 0, ended: 1, replaced: 0, data: [] }));
  }
  const { response, say, end } = body();
  const { stream, heard } = listening(() => Promise.resolve(response));
  await vi.waitFor(() => expect(heard.open).toBe(1));
  stream.close();
  say('data: 1\n\n');
  end();
  const later = body();
  const { heard: heardLater } = listening(() => Promise.resolve(later.response));
  later.say('data: 2\n\n');
  await vi.waitFor(() =>
    expect(heardLater.data, 'what was said before would have been heard').toEqual(['2']),
  );
  expect(heard).toEqual({ open: 1, ended: 0, replaced: 0, data: [] });
});
