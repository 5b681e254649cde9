// Events as the gate tells them (Server-Sent Events), over a request that is signed: the browser's own `EventSource`
// can't show anything in its head.

/** What `Connection` hears through. */
export interface Stream extends EventTarget {
  onopen: (() => void) | null;
  onmessage: ((message: { data: string }) => void) | null;
  /** It has ended, whatever the reason. */
  onerror: (() => void) | null;
  close: () => void;
}

export class SignedStream extends EventTarget implements Stream {
  onopen: Stream['onopen'] = null;
  onmessage: Stream['onmessage'] = null;
  onerror: Stream['onerror'] = null;
  #closed = new AbortController();

  constructor(path: string, ask: (path: string, init: RequestInit) => Promise<Response>) {
    super();
    const { signal } = this.#closed;
    void this.#read(ask(path, { cache: 'no-store', signal }))
      .catch(() => undefined)
      .then(() => {
        if (!signal.aborted) this.onerror?.();
      });
  }

  close(): void {
    this.#closed.abort();
  }

  async #read(asked: Promise<Response>): Promise<void> {
    const response = await asked;
    if (!response.ok || !response.body) return;
    this.onopen?.();
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = '';
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const events = (rest + value).split('\n\n');
      rest = events.pop() ?? '';
      for (const event of events) this.#hear(event);
    }
  }

  #hear(event: string): void {
    const data = /^data: (.*)$/m.exec(event)?.[1];
    const name = /^event: (.*)$/m.exec(event)?.[1];
    if (this.#closed.signal.aborted || data === undefined) return;
    if (name) this.dispatchEvent(new Event(name));
    // On its own, so that whoever fails to take an event in doesn't end the stream.
    else queueMicrotask(() => this.onmessage?.({ data }));
  }
}
