// An act that wasn't meant, while voice listens.
import { cleanup, fireEvent, screen } from '@testing-library/svelte';
import { afterEach, describe, expect, it } from 'vitest';
import { view } from './fake-gate';
import { ListeningGate, mic, speaking } from './voice-help';

afterEach(cleanup);

describe('the strip', () => {
  it('says why nothing was sent, though it listens', async () => {
    const gate = new ListeningGate([view('a')]);
    await speaking(gate);
    await fireEvent.click(mic(), { detail: 0 });
    await screen.findByTestId('voice-done');
    // By a mouse that nobody has moved.
    await fireEvent.click(screen.getByTestId('approve'), { detail: 1 });
    expect(gate.given('send_reply')).toEqual([]);
    expect(screen.getByTestId('voice-strip').textContent).toContain('Nothing done');
    expect(screen.getByTestId('voice-done'), 'and can still be ended').not.toBeNull();
  });
});
