// How tests of the record begin: the state of a page over a gate and a record, and answers that are held back.
import { vi } from 'vitest';
import type { Command } from '../src/generated/Command';
import { History } from '../src/history/history.svelte';
import { Main } from '../src/state/main.svelte';
import { Toasts } from '../src/state/toasts.svelte';
import { FakeGate, summary, view } from './fake-gate';
import { FakeRecord } from './fake-record';
import type { Answer } from '../src/state/port';

/** Lets what was begun go on, for so many milliseconds of a false clock. */
export const settle = (milliseconds = 0) => vi.advanceTimersByTimeAsync(milliseconds);

/** A history of so many conversations, its first page there. */
export async function historyOf(count: number) {
  const gate = new FakeGate();
  const record = new FakeRecord(count);
  gate.record = record.answer;
  const history = new History(gate, new Toasts());
  await history.start();
  return { gate, record, history };
}

/** A main window's state at a page, over three conversations and one question that waits. */
export async function mainAt(
  page: 'sessions' | 'history',
  prepare: (gate: FakeGate, record: FakeRecord) => void,
  gate = new FakeGate([view('waits', { summary: summary('waits', { session_uuid: 'c1' }) })]),
) {
  const record = new FakeRecord(3);
  gate.record = record.answer;
  prepare(gate, record);
  const main = new Main(gate, { page, at: null });
  await main.start();
  await settle();
  return { gate, record, main };
}

/** Answers that wait until they are let go. */
export function held(gate: FakeGate, record: FakeRecord) {
  const waiting: { command: Command; go: () => void }[] = [];
  gate.record = (command) =>
    new Promise<Answer>((resolve, reject) => {
      const go = () => {
        try {
          resolve(record.answer(command));
        } catch (thrown) {
          reject(thrown);
        }
      };
      waiting.push({ command, go });
    });
  return waiting;
}
