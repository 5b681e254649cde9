// How long keys mean nothing to a window that came up by itself.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LONGEST, PAUSE, Settling, SOON } from '../src/review/settling.svelte';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** A window as it stands when a request comes. */
function standing(hidden: boolean, focused = false): Settling {
  vi.spyOn(document, 'hidden', 'get').mockReturnValue(hidden);
  vi.spyOn(document, 'hasFocus').mockReturnValue(focused);
  return new Settling();
}

describe('a window that comes up by itself', () => {
  it('hears keys once none has gone down for a while', () => {
    const settling = standing(true);
    settling.called();
    settling.cameUp();
    vi.advanceTimersByTime(PAUSE - 1);
    expect(settling.ignores(), 'somebody still types').toBe(true);
    vi.advanceTimersByTime(PAUSE - 1);
    expect(settling.ignores(), 'each key begins the pause anew').toBe(true);
    vi.advanceTimersByTime(PAUSE);
    expect(settling.ignores(), 'a pause is its end').toBe(false);
  });

  it('hears keys in the end, whoever goes on typing', () => {
    const settling = standing(true);
    settling.called();
    settling.cameUp();
    let ignored = 0;
    for (let past = 0; past < LONGEST; past += 100) {
      if (settling.ignores()) ignored += 100;
      vi.advanceTimersByTime(100);
    }
    expect(ignored, 'all of them until then').toBe(LONGEST);
    expect(settling.ignores()).toBe(false);
  });

  it('is one that a request has just come for', () => {
    const settling = standing(true);
    settling.called();
    vi.advanceTimersByTime(SOON + 1);
    expect(settling.on, 'it stayed away').toBe(false);
    settling.cameUp();
    expect(settling.ignores(), 'so somebody else has it come up').toBe(false);
    settling.called();
    settling.end();
    settling.cameUp();
    expect(settling.ignores(), 'as the person does').toBe(false);
  });

  it('is also one that an urgent request takes from behind others', () => {
    for (const [urgent, focused, expected] of [
      [true, false, true],
      [false, false, false],
      [true, true, false],
    ] as const) {
      const settling = standing(false, focused);
      settling.called(urgent);
      expect(settling.on, 'nothing has come up yet').toBe(false);
      settling.cameUp();
      expect(settling.ignores(), `urgent: ${urgent}, with the focus: ${focused}`).toBe(expected);
    }
  });
});
