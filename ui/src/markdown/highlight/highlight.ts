// Colours for code, made in threads of their own so that the page never waits for them.
import { colouring, type Shelf } from './languages';
import type { Marked, Question, Reply } from './marked';

/** Longer code, in characters, stays as it is. */
export const HIGHLIGHT_CHARS = 100_000;
/** How long a thread may take over one code, in milliseconds; then it is ended and the code stays plain. */
const PATIENCE = 4_000;
/** A thread with nothing to do for so long, in milliseconds, is ended. */
const IDLE = 30_000;

const makers: Record<Shelf, () => Worker> = {
  everyday: () => new Worker(new URL('./everyday.worker.ts', import.meta.url), { type: 'module' }),
  others: () => new Worker(new URL('./others.worker.ts', import.meta.url), { type: 'module' }),
};

interface Waiting {
  question: Question;
  settle: (marked: Marked | null) => void;
}

/** One thread and the codes that wait for it. It is given one at a time, so that its patience counts for that one. */
class Thread {
  #make: () => Worker;
  #worker: Worker | null = null;
  #queue: Waiting[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #next = 0;

  constructor(make: () => Worker) {
    this.#make = make;
  }

  ask(language: string, code: string): Promise<Marked | null> {
    return new Promise((settle) => {
      this.#queue.push({ question: { id: (this.#next += 1), language, code }, settle });
      if (this.#queue.length === 1) this.#put();
    });
  }

  #put(): void {
    clearTimeout(this.#timer);
    const first = this.#queue[0];
    if (!first) {
      this.#timer = setTimeout(() => this.#end(), IDLE);
      return;
    }
    this.#timer = setTimeout(() => this.#fail(), PATIENCE);
    try {
      this.#worker ??= this.#start();
      this.#worker.postMessage(first.question);
    } catch {
      this.#fail();
    }
  }

  #start(): Worker {
    const worker = this.#make();
    worker.onmessage = ({ data }: MessageEvent<Reply>) => {
      if (data.id === this.#queue[0]?.question.id) this.#settle(data.marked);
    };
    worker.onerror = () => this.#fail();
    return worker;
  }

  #fail(): void {
    this.#end();
    this.#settle(null);
  }

  #settle(marked: Marked | null): void {
    this.#queue.shift()?.settle(marked);
    this.#put();
  }

  #end(): void {
    this.#worker?.terminate();
    this.#worker = null;
  }
}

const threads = new Map<Shelf, Thread>();

/**
 * The runs of a code with these words after its fence. Null where its language isn't known, where it is
 * longer than {@link HIGHLIGHT_CHARS}, and where there are no threads.
 */
export async function highlighted(info: string, code: string): Promise<Marked | null> {
  const how = colouring(info);
  if (!how || code.length > HIGHLIGHT_CHARS || typeof Worker === 'undefined') return null;
  let thread = threads.get(how.shelf);
  if (!thread) threads.set(how.shelf, (thread = new Thread(makers[how.shelf])));
  return thread.ask(how.language, code);
}
