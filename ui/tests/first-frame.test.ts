// What waits until a request is on the screen, and what doesn't wait for that.
import { cleanup, fireEvent, render, screen } from '@testing-library/svelte';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import App from '../src/App.svelte';
import { permissions } from '../src/permissions/permissions';
import { REST } from '../src/review/arming';
import { Review } from '../src/review/review.svelte';
import { extras } from '../src/reply/extras';
import { LATEST } from '../src/state/after-paint';
import { tellPictures } from '../src/transport';
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

describe('a window that nobody sees', () => {
  it('has its page ready for the question that it comes up with, and other parts for the next one', async () => {
    const { gate, review } = await warm();
    const box = () => screen.queryByTestId('reply-text');
    const ready = box();
    expect(ready, 'it is made before anything is asked').not.toBeNull();
    expect(screen.queryByTestId('message'), 'there is nothing to read').toBeNull();
    gate.add(view('a', { options: [{ label: 'first' }] }), false);
    await passes(0);
    expect(box(), 'the question takes it as its own').toBe(ready);
    expect(screen.getByTestId('request-title').textContent).toBe('Title of a');
    expect(screen.getByTestId('message').textContent).toContain('Message of a');
    expect(screen.getByTestId('option-1').textContent).toContain('first');
    expect(document.querySelector('.spare'), 'it can be seen').toBeNull();
    review.focused();
    gate.add(view('b'));
    await review.step(1);
    await passes(0);
    expect(box(), 'what was done for one doesn’t stand under another').not.toBe(ready);
    expect(gate.given('save_draft'), 'nothing was written').toEqual([]);
  });

  it('isn’t made over while it learns what was asked', async () => {
    const { gate, review } = await warm();
    const made = vi.spyOn(extras.parts as NonNullable<typeof extras.parts>, 'nothingAsked');
    const ready = screen.queryByTestId('reply-text');
    let learns = () => {};
    const held = new Promise<void>((resolve) => (learns = resolve));
    gate.meddle = ({ command }) => (command === 'open_request' ? held : undefined);
    gate.add(view('a'));
    await passes(0);
    expect(review.hidden, 'it comes up with that').toBe('a');
    expect(document.querySelector('.spare'), 'which isn’t here yet').not.toBeNull();
    expect(made).not.toHaveBeenCalled();
    expect(screen.queryByTestId('reply-text')).toBe(ready);
    learns();
    await passes(0);
    expect(screen.queryByTestId('reply-text')).toBe(ready);
    expect(screen.getByTestId('request-title').textContent).toBe('Title of a');
  });

  it('is nothing to a screen reader', async () => {
    const { review } = await warm();
    const page = document.querySelector('.window');
    expect(page?.getAttribute('aria-hidden')).toBe('true');
    review.focused();
    await passes(0);
    expect(page?.hasAttribute('aria-hidden'), 'until somebody looks').toBe(false);
  });

  it('has what permission questions need soon, so that the first one comes whole', async () => {
    await warm();
    await passes(10 * FRAME);
    await passes(10 * FRAME);
    await vi.dynamicImportSettled();
    expect(permissions.parts).not.toBeNull();
  });

  it('is empty as soon as somebody looks', async () => {
    const { review } = await warm();
    expect(document.querySelector('.spare')).not.toBeNull();
    review.focused();
    await passes(0);
    expect(screen.queryByTestId('reply-text'), 'there is nothing to be answered').toBeNull();
    expect(screen.queryByTestId('empty-state'), 'and it is said so').not.toBeNull();
  });

  it('takes no key for a question that stood there for no time', async () => {
    const { gate } = await warm();
    await passes(10 * REST);
    gate.add(view('a'), false);
    await passes(0);
    const press = () => fireEvent.keyDown(document.body, { key: 'Enter', ctrlKey: true, shiftKey: true });
    await press();
    expect(gate.given('send_reply'), 'its page stood for long, but not this').toEqual([]);
    await passes(2 * REST);
    await press();
    await passes(0);
    expect(gate.given('send_reply').map((each) => each.decision)).toEqual(['approved']);
  });
});

describe('a page whose window is held back', () => {
  const told = vi.fn();
  let hidden = true;
  const becomes = (now: boolean) => {
    hidden = now;
    document.dispatchEvent(new Event('visibilitychange'));
  };

  beforeEach(() => {
    vi.spyOn(document, 'hidden', 'get').mockImplementation(() => hidden);
    Object.assign(window, { webkit: { messageHandlers: { drawn: { postMessage: told } } } });
  });
  afterEach(() => {
    Reflect.deleteProperty(window, 'webkit');
    told.mockReset();
  });

  it('says that it is drawn after its first frame, each time that it comes up', async () => {
    let frames: FrameRequestCallback[] = [];
    vi.spyOn(window, 'requestAnimationFrame').mockImplementation((frame) => frames.push(frame));
    const draws = async () => {
      const now = frames;
      frames = [];
      for (const frame of now) frame(performance.now());
      expect(told, 'a frame’s own callbacks run before it is drawn').not.toHaveBeenCalled();
      await passes(0);
    };
    tellPictures();
    for (const time of ['first', 'second']) {
      becomes(false);
      expect(told).not.toHaveBeenCalled();
      await draws();
      expect(told, `the ${time} time`).toHaveBeenCalledOnce();
      told.mockReset();
      await draws();
      becomes(true);
    }
  });

  it('tells nobody where no window is held back', async () => {
    Reflect.deleteProperty(window, 'webkit');
    tellPictures();
    becomes(false);
    await passes(2 * FRAME);
    expect(told).not.toHaveBeenCalled();
  });
});
