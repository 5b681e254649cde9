// What waits until a request is on the screen, and what doesn't wait for that.
import { cleanup, render, screen } from '@testing-library/svelte';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import App from '../src/App.svelte';
import { Review } from '../src/review/review.svelte';
import { extras } from '../src/reply/extras';
import { LATEST } from '../src/state/after-paint';
import { speech } from '../src/voice/speech';
import { FakeGate, view } from './fake-gate';

const FRAME = 16;
const passes = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds);
/** Whether the message can be commented on. */
const commented = () => document.querySelector('[data-commentable]') !== null;
/** What is there once a request can be answered: the microphone, and comments on its message. */
const others = () => [screen.queryByTestId('mic') !== null, commented()];

/** A window that nobody sees, in which requests have been answered before. */
async function warm() {
  await Promise.all([extras.load(), speech.load(), import('../src/passages/Passages.svelte')]);
  const gate = new FakeGate([]);
  const review = new Review(gate);
  render(App, { review });
  await passes(LATEST);
  review.vanished();
  await passes(LATEST);
  return { gate, review };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  cleanup();
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe('a request that comes to a window that nobody sees', () => {
  it('is drawn before what only its answer needs is made', async () => {
    const { gate } = await warm();
    const readied = gate.readied;
    gate.add(view('a'), false);
    await passes(0);
    expect(screen.getByTestId('request-title').textContent).toBe('Title of a');
    expect(others(), 'nobody needs that to read').toEqual([false, false]);
    expect(document.title, 'nor the frame around it').not.toContain('Title of a');
    await passes(2 * FRAME);
    expect(others(), 'a frame later it is all there').toEqual([true, true]);
    expect(document.title).toContain('Title of a');
    expect(gate.readied, 'it is shown without being asked for').toBe(readied);
  });

  it('has it all a moment later where the page is never drawn, as while the window is minimised', async () => {
    const { gate } = await warm();
    vi.spyOn(window, 'requestAnimationFrame').mockReturnValue(0);
    gate.add(view('a'), false);
    await passes(LATEST);
    expect(document.title, 'a task bar says what waits').toContain('Title of a');
    expect(others()).toEqual([true, true]);
  });

  it('comes with the comments that are there already', async () => {
    const { gate } = await warm();
    const draft = { ...view('a').draft, remarks: [{ quote: 'Message of a', body: 'Why?' }] };
    gate.add(view('a', { draft }), false);
    await passes(0);
    expect(commented(), 'nothing comes onto the page in two steps').toBe(true);
  });

  it('is still said to stand there where it was asked for', async () => {
    const { gate } = await warm();
    const readied = gate.readied;
    gate.add(view('a'));
    await passes(0);
    expect(gate.readied, 'the window comes up with it').toBe(readied + 1);
  });
});
