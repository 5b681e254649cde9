// Speaking a reply: holding, clicking, keys, the words on their way into the text, and all that may go wrong.
import { cleanup, fireEvent, screen } from '@testing-library/svelte';
import { tick } from 'svelte';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { RENEW } from '../src/voice/lease';
import { HOLD } from '../src/voice/voice.svelte';
import { armed } from './armed';
import { fault, summary, view } from './fake-gate';
import { ListeningGate, mic, pointer, press, reply, speaking, status, strip, type } from './voice-help';

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const given = (gate: ListeningGate) =>
  gate.commands.map((each) => each.command).filter((name) => /^(start|stop|cancel|retry)_voice$/.test(name));
const text = (testid: string) => screen.getByTestId(testid).textContent;
/** Lets what was asked be answered. */
const answered = () => tick().then(tick).then(tick);

describe('the button', () => {
  it('held records for as long as it is held', async () => {
    const gate = new ListeningGate([view('a')]);
    const { clock } = await speaking(gate);
    await pointer('down');
    await expect
      .poll(() => given(gate), { message: 'at once, not when it goes up' })
      .toEqual(['start_voice']);
    expect(mic().getAttribute('aria-pressed')).toBe('true');
    clock.now += HOLD;
    await pointer('up');
    await fireEvent.click(mic(), { detail: 1 });
    await expect.poll(() => given(gate)).toEqual(['start_voice', 'stop_voice']);
    expect(gate.given('stop_voice'), 'of the take that the gate named').toEqual([
      { command: 'stop_voice', take: 1 },
    ]);
    expect(mic().getAttribute('aria-pressed')).toBe('false');
  });

  it('clicked begins, and clicked again ends', async () => {
    const gate = new ListeningGate([view('a')]);
    const { clock } = await speaking(gate);
    await press(clock, HOLD - 1);
    await answered();
    expect(given(gate), 'a click doesn’t end what it begins').toEqual(['start_voice']);
    clock.now += 5_000;
    await press(clock, 20);
    await expect.poll(() => given(gate)).toEqual(['start_voice', 'stop_voice']);
    gate.finish('Hello.');
    await expect.poll(() => reply().value).toBe('Hello.');
    await press(clock, 20);
    await expect.poll(() => given(gate), { message: 'and the next one begins' }).toHaveLength(3);
  });

  it('works by Enter and Space, which have no up and down', async () => {
    const gate = new ListeningGate([view('a')]);
    await speaking(gate);
    await fireEvent.click(mic(), { detail: 0 });
    await expect.poll(() => given(gate)).toEqual(['start_voice']);
    await answered();
    await fireEvent.click(mic(), { detail: 0 });
    await expect.poll(() => given(gate)).toEqual(['start_voice', 'stop_voice']);
  });

  it('let go before the microphone is open ends the take when it is', async () => {
    const gate = new ListeningGate([view('a')]);
    let open: () => void = () => undefined;
    gate.meddle = (command) =>
      command.command === 'start_voice' ? new Promise<void>((resolve) => (open = resolve)) : undefined;
    const { clock } = await speaking(gate);
    await press(clock, HOLD);
    expect(given(gate)).toEqual(['start_voice']);
    open();
    await expect.poll(() => given(gate)).toEqual(['start_voice', 'stop_voice']);
  });

  it('pressed while words are still awaited begins when they are there', async () => {
    const gate = new ListeningGate([view('a')]);
    const { clock } = await speaking(gate);
    await press(clock, HOLD);
    await expect.poll(() => given(gate)).toEqual(['start_voice', 'stop_voice']);
    gate.turn('transcribing');
    await pointer('down');
    await answered();
    expect(given(gate), 'the words of the first aren’t given up').toHaveLength(2);
    gate.finish('First.');
    await expect.poll(() => given(gate)).toEqual(['start_voice', 'stop_voice', 'start_voice']);
    expect(reply().value).toBe('First.');
  });
});

describe('keys', () => {
  it('Ctrl D held in the text records, and its end is either key', async () => {
    const gate = new ListeningGate([view('a')]);
    const { clock } = await speaking(gate);
    await type('So ');
    const down = { key: 'd', ctrlKey: true };
    expect(await fireEvent.keyDown(reply(), down), 'the browser’s own meaning doesn’t count').toBe(false);
    await fireEvent.keyDown(reply(), { ...down, repeat: true });
    clock.now += HOLD + 100;
    await fireEvent.keyDown(reply(), { ...down, repeat: true });
    await fireEvent.keyUp(reply(), { key: 'Control' });
    await fireEvent.keyUp(reply(), { key: 'd' });
    await expect.poll(() => given(gate)).toEqual(['start_voice', 'stop_voice']);
  });

  it('that are held end when the window loses the keys', async () => {
    const gate = new ListeningGate([view('a')]);
    const { clock } = await speaking(gate);
    await fireEvent(window, new Event('focus'));
    await fireEvent.keyDown(reply(), { key: 'd', ctrlKey: true });
    clock.now += HOLD;
    await answered();
    await fireEvent(window, new Event('blur'));
    await expect.poll(() => given(gate)).toEqual(['start_voice', 'stop_voice']);
  });

  it('Escape cancels the take, and nothing else', async () => {
    const gate = new ListeningGate([view('a')]);
    const { clock } = await speaking(gate);
    await type('Typed before');
    await press(clock, 20);
    await answered();
    gate.sound(400);
    gate.hear('never', 'mind');
    await fireEvent.keyDown(reply(), { key: 'Escape' });
    await expect.poll(() => given(gate)).toEqual(['start_voice', 'cancel_voice']);
    expect(gate.hidden, 'the window stays').toBe(0);
    expect(reply().value, 'what was typed stays').toBe('Typed before');
    expect([strip(), screen.queryByTestId('spoken-live')]).toEqual([null, null]);
    await fireEvent.keyDown(reply(), { key: 'Escape' });
    expect([gate.hidden, document.activeElement === reply()], 'the next one leaves the box').toEqual([
      0,
      false,
    ]);
    await fireEvent.keyDown(document.body, { key: 'Escape' });
    await expect.poll(() => gate.hidden, { message: 'and then it is the window’s again' }).toBe(1);
  });

  it('that work everywhere work here, too', async () => {
    const gate = new ListeningGate([view('a')]);
    const { clock } = await speaking(gate);
    gate.emit({ event: 'voice_key', down: true });
    await expect.poll(() => given(gate)).toEqual(['start_voice']);
    clock.now += HOLD;
    await answered();
    gate.emit({ event: 'voice_key', down: false });
    await expect.poll(() => given(gate)).toEqual(['start_voice', 'stop_voice']);
  });

  it('that work everywhere wait for the page to come up, unless they are let go before', async () => {
    const gate = new ListeningGate([view('a')]);
    const { clock } = await speaking(gate);
    const away = () => {
      const focus = vi.spyOn(document, 'hasFocus').mockReturnValue(false);
      const hidden = vi.spyOn(document, 'hidden', 'get').mockReturnValue(true);
      window.dispatchEvent(new FocusEvent('blur'));
      return () => {
        hidden.mockRestore();
        document.dispatchEvent(new Event('visibilitychange'));
        focus.mockRestore();
      };
    };
    let comeUp = away();
    gate.emit({ event: 'voice_key', down: true });
    clock.now += HOLD;
    gate.emit({ event: 'voice_key', down: false });
    comeUp();
    await answered();
    expect(given(gate), 'let go before').toEqual([]);

    comeUp = away();
    gate.emit({ event: 'voice_key', down: true });
    await answered();
    expect(given(gate), 'nobody sees it yet').toEqual([]);
    comeUp();
    await expect.poll(() => given(gate)).toEqual(['start_voice']);
    clock.now += HOLD;
    await answered();
    gate.emit({ event: 'voice_key', down: false });
    await expect.poll(() => given(gate)).toEqual(['start_voice', 'stop_voice']);
  });
});

describe('the words', () => {
  it('stand at the caret while they are heard, and in the draft when they are sure', async () => {
    const gate = new ListeningGate([view('a')]);
    const { clock, review } = await speaking(gate);
    await type('Please wait.');
    reply().setSelectionRange(6, 6);
    await press(clock, 20);
    await answered();
    gate.sound(1_200);
    gate.hear('add a', 'test');
    await tick();
    const pieces = [...screen.getByTestId('spoken-live').querySelectorAll('[data-text]')].map((each) =>
      each.getAttribute('data-text'),
    );
    expect(pieces.join('')).toBe('Please add a test wait.');
    expect(screen.getByTestId('spoken-live').querySelector('.open')?.getAttribute('data-text')).toBe('test');
    expect([reply().value, review.reply?.text], 'nothing is written yet').toEqual([
      'Please wait.',
      'Please wait.',
    ]);
    expect(text('voice-time')).toBe('0:01');
    await press(clock, 20);
    gate.finish('add a test and');
    await expect.poll(() => reply().value).toBe('Please add a test and wait.');
    expect(review.reply?.text).toBe('Please add a test and wait.');
    expect(reply().selectionEnd, 'the caret is behind them').toBe('Please add a test and'.length);
    expect(screen.getByTestId('spoken-mark').querySelector('.mark')?.getAttribute('data-text')).toBe(
      'add a test and',
    );
    await expect
      .poll(() => gate.given('save_draft').at(-1)?.draft.text, { message: 'it is saved when it is sure' })
      .toBe('Please add a test and wait.');
    const saved = gate.given('save_draft').map((each) => each.draft.text);
    expect(
      saved.filter((each) => each.includes('add a test wait')),
      'never half of it',
    ).toEqual([]);
  });

  it('go where they belong though the person types on meanwhile', async () => {
    const gate = new ListeningGate([view('a')]);
    const { clock } = await speaking(gate);
    await type('end');
    reply().setSelectionRange(0, 0);
    await press(clock, HOLD);
    await answered();
    await type(' typed', 3);
    gate.finish('Spoken');
    await expect.poll(() => reply().value).toBe('Spoken end typed');
    expect(reply().selectionStart, 'and the caret stays where the person types').toBe(
      'Spoken end typed'.length,
    );
  });

  it('are put in by one step of the field’s own undo', async () => {
    const gate = new ListeningGate([view('a')]);
    const { clock } = await speaking(gate);
    await type('Before.');
    const steps: string[] = [];
    const put = (command: string, _ui: boolean, value: string) => {
      steps.push(`${command} ${value}`);
      reply().setRangeText(value, reply().selectionStart, reply().selectionEnd, 'end');
      reply().dispatchEvent(new InputEvent('input', { bubbles: true }));
      return true;
    };
    Object.assign(document, { execCommand: put });
    await press(clock, HOLD);
    await answered();
    gate.hear('One sentence.', 'Two');
    gate.hear('One sentence. Two sentences.', 'Three');
    gate.finish('One sentence. Two sentences. Three sentences.');
    await expect.poll(() => reply().value).toContain('Three');
    Reflect.deleteProperty(document, 'execCommand');
    expect(steps, 'whatever came in between').toEqual([
      'insertText  One sentence. Two sentences. Three sentences.',
    ]);
  });

  it('lose their mark when they are edited, and keep it when something else is', async () => {
    const gate = new ListeningGate([view('a')]);
    const { clock } = await speaking(gate);
    await press(clock, HOLD);
    await answered();
    gate.finish('spoken words');
    await expect.poll(() => screen.queryByTestId('spoken-mark')).not.toBeNull();
    await type('First: ', 0);
    expect(screen.getByTestId('spoken-mark').querySelector('.mark')?.getAttribute('data-text')).toBe(
      'spoken words',
    );
    await type('X', 10);
    await expect.poll(() => screen.queryByTestId('spoken-mark')).toBeNull();
    expect(reply().value).toBe('First: spoXken words');
  });

  it('come into the draft of their request when another one is open', async () => {
    const gate = new ListeningGate([
      view('a'),
      view('b', { summary: summary('b', { created_at: '2026-11-21T10:00:00Z' }) }),
    ]);
    const { clock, review } = await speaking(gate);
    await press(clock, 20);
    await answered();
    const first = review.reply;
    await review.show('b');
    await expect
      .poll(() => given(gate), { message: 'what is spoken is ended' })
      .toEqual(['start_voice', 'stop_voice']);
    gate.finish('For the first one.');
    await expect.poll(() => first?.text).toBe('For the first one.');
    expect(reply().value, 'the other one’s stays as it was').toBe('');
  });

  it('find their request again when the person comes back to it before them', async () => {
    const gate = new ListeningGate([
      view('a'),
      view('b', { summary: summary('b', { created_at: '2026-11-21T10:00:00Z' }) }),
    ]);
    const { clock, review } = await speaking(gate);
    await press(clock, 20);
    await answered();
    await review.show('b');
    await review.show('a');
    gate.finish('Still here.');
    await expect.poll(() => reply().value).toBe('Still here.');
    expect(review.reply?.text).toBe('Still here.');
  });

  it('keep the reply from being sent without them', async () => {
    const gate = new ListeningGate([view('a')]);
    const { clock } = await speaking(gate);
    await type('Half');
    await press(clock, 20);
    await answered();
    await fireEvent.keyDown(reply(), { key: 'Enter', ctrlKey: true });
    expect(await screen.findByTestId('hint')).toBeTruthy();
    expect(gate.given('send_reply')).toEqual([]);
    await press(clock, 20);
    gate.finish('and half.');
    await expect.poll(() => reply().value).toBe('Half and half.');
    await fireEvent.keyDown(reply(), { key: 'Enter', ctrlKey: true });
    await expect
      .poll(() => gate.given('send_reply').map((each) => each.draft.text))
      .toEqual(['Half and half.']);
  });

  it('that were heard stay when another page takes the microphone', async () => {
    const gate = new ListeningGate([view('a')]);
    const { clock } = await speaking(gate);
    await press(clock, 20);
    await answered();
    gate.hear('So far', 'so good');
    gate.tell({
      take: { take: 2, request_id: 'z', phase: 'recording', recorded_ms: 0, cut_off: false },
    });
    await expect.poll(() => reply().value).toBe('So far so good');
    expect(strip()).toBeNull();
  });
});

describe('what goes wrong', () => {
  it('nothing heard says so, and goes when one types', async () => {
    const gate = new ListeningGate([view('a')]);
    const { clock } = await speaking(gate);
    await type('Typed');
    await press(clock, HOLD);
    await answered();
    gate.finish('');
    await expect.poll(strip).toBe('silent');
    expect(status()).toContain('No speech heard');
    expect(reply().value).toBe('Typed');
    await fireEvent.click(screen.getByTestId('voice-microphones'));
    expect(await screen.findByTestId('mic-menu-panel'), 'the way to another microphone').toBeTruthy();
    await type(' on');
    await expect.poll(strip).toBeNull();
  });

  it('a failure keeps the recording, and trying again brings the words', async () => {
    const gate = new ListeningGate([view('a')]);
    const { clock } = await speaking(gate);
    await press(clock, HOLD);
    await answered();
    gate.turn('transcribing');
    gate.hear('The first half', '', true);
    gate.turn('failed', { fault: fault('transcription') });
    await expect.poll(strip).toBe('fault');
    expect(reply().value, 'nothing is put in that may still come right').toBe('');
    await fireEvent.click(screen.getByTestId('voice-retry'));
    await expect.poll(() => gate.given('retry_voice')).toEqual([{ command: 'retry_voice', take: 1 }]);
    expect(strip()).toBe('transcribing');
    gate.hear('The first half and the second.', '', true);
    gate.turn('done');
    await expect.poll(() => reply().value).toBe('The first half and the second.');
    expect(strip()).toBeNull();
  });

  it('a failure that is put away leaves what was understood', async () => {
    const gate = new ListeningGate([view('a')]);
    const { clock } = await speaking(gate);
    await press(clock, HOLD);
    await answered();
    gate.turn('transcribing');
    gate.hear('The first half', '', true);
    gate.turn('failed', { fault: fault('transcription') });
    await fireEvent.click(await screen.findByTestId('voice-dismiss'));
    await expect.poll(() => reply().value).toBe('The first half');
    expect(strip()).toBeNull();
  });

  it.each([
    ['no_microphone', 'No microphone was found.'],
    ['microphone_busy', 'Another program holds the microphone.'],
    ['microphone_denied', 'The system doesn’t let Review Gate listen.'],
    ['too_many', 'It failed: too_many. Mend it.'],
  ] as const)('%s is said in place', async (code, said) => {
    const gate = new ListeningGate([view('a')]);
    const { clock } = await speaking(gate);
    await type('Typed');
    gate.refusal = fault(code);
    await press(clock, HOLD);
    await expect.poll(strip).toBe('fault');
    expect(screen.getByTestId('voice-strip').textContent).toContain(said);
    expect(status()).toContain(said);
    expect(reply().value).toBe('Typed');
    gate.refusal = null;
    await press(clock, 20);
    await expect.poll(strip, { message: 'the next try begins anew' }).toBe('recording');
  });

  it('a microphone that goes away is waited for, and another one named', async () => {
    const gate = new ListeningGate([view('a')]);
    const { clock } = await speaking(gate);
    await press(clock, 20);
    await answered();
    gate.tell({ fault: fault('microphone_gone'), microphone: null });
    await expect.poll(() => screen.queryByTestId('voice-gone')).not.toBeNull();
    gate.tell({ fault: null, microphone: { id: 'yeti', name: 'Yeti', default: false } });
    await expect.poll(() => screen.queryByTestId('voice-other')?.textContent).toContain('Yeti');
    expect(given(gate), 'and the take goes on').toEqual(['start_voice']);
  });

  it('the longest recording ends by itself and says so', async () => {
    const gate = new ListeningGate([view('a')]);
    const { clock } = await speaking(gate);
    await press(clock, 20);
    await answered();
    gate.finish('A monologue.', true);
    await expect.poll(strip).toBe('cut_off');
    expect(reply().value).toBe('A monologue.');
  });

  it('a gate that lost the take keeps what was heard', async () => {
    const gate = new ListeningGate([view('a')]);
    const { clock } = await speaking(gate);
    await press(clock, 20);
    await answered();
    gate.hear('Heard', '');
    gate.voice = { ...gate.voice, take: null };
    gate.emit({ event: 'resync' });
    await expect.poll(() => reply().value).toBe('Heard');
  });

  it('voice that is switched off says so, and the microphone stays closed', async () => {
    const gate = new ListeningGate([view('a')]);
    gate.voice.readiness = 'off';
    const { clock } = await speaking(gate);
    await press(clock, 20);
    await expect.poll(strip).toBe('off');
    expect(given(gate)).toEqual([]);
    await fireEvent.click(screen.getByTestId('voice-to-settings'));
    expect(gate.opened.map(([page]) => page)).toEqual(['settings']);
  });
});

describe('commands', () => {
  async function said(words: string, over: { commands?: boolean; approval?: boolean } = {}) {
    const gate = new ListeningGate([
      view('a', { summary: summary('a', { approval: over.approval ?? true }) }),
    ]);
    gate.settings.voice_commands = over.commands ?? true;
    const shown = await speaking(gate);
    await press(shown.clock, HOLD);
    await answered();
    gate.finish(words);
    await answered();
    return { gate, ...shown };
  }

  it('are text while they are off', async () => {
    const { gate } = await said('Fine. Send it.', { commands: false });
    await expect.poll(() => reply().value).toBe('Fine. Send it.');
    expect([strip(), gate.given('send_reply')]).toEqual([null, []]);
  });

  it('never send without a confirmation', async () => {
    const { gate, clock } = await said('Fine. Send it.');
    await expect.poll(strip).toBe('send');
    expect(reply().value, 'the command itself isn’t text').toBe('Fine.');
    expect(status()).toBe('Send the reply?');
    await fireEvent.keyDown(reply(), { key: 'Enter' });
    await answered();
    expect(gate.given('send_reply'), 'nor by a key that was meant for something else').toEqual([]);
    await armed((milliseconds) => void (clock.now += milliseconds));
    await fireEvent.keyDown(reply(), { key: 'Enter', repeat: true });
    expect(gate.given('send_reply'), 'nor by one that is held').toEqual([]);
    await fireEvent.keyDown(reply(), { key: 'Enter' });
    await expect
      .poll(() => gate.given('send_reply').map(({ decision, draft }) => [decision, draft.text]))
      .toEqual([[null, 'Fine.']]);
  });

  it('approve only where it is asked for, and when confirmed', async () => {
    const { gate, clock } = await said('Good. Approve.');
    await expect.poll(strip).toBe('approve');
    expect(gate.given('send_reply')).toEqual([]);
    await armed((milliseconds) => void (clock.now += milliseconds));
    await fireEvent.click(screen.getByTestId('voice-confirm'));
    await expect.poll(() => gate.given('send_reply').map((each) => each.decision)).toEqual(['approved']);
  });

  it('don’t approve what asks for no approval', async () => {
    const { gate } = await said('Good. Approve.', { approval: false });
    await expect.poll(() => reply().value).toBe('Good. Approve.');
    expect([strip(), gate.given('send_reply')]).toEqual([null, []]);
  });

  it('are refused by Escape and by typing on', async () => {
    const { gate, clock } = await said('Fine. Send.');
    await expect.poll(strip).toBe('send');
    await fireEvent.keyDown(reply(), { key: 'Escape' });
    await expect.poll(strip).toBeNull();
    expect(gate.hidden, 'Escape means the question only').toBe(0);
    await press(clock, HOLD);
    await answered();
    gate.finish('More. Send.');
    await expect.poll(strip).toBe('send');
    await type(' and');
    await expect.poll(strip).toBeNull();
    expect(gate.given('send_reply')).toEqual([]);
  });

  it('begin a new line', async () => {
    await said('First point. New line.');
    await expect.poll(() => reply().value).toBe('First point.\n');
  });
});

describe('the open microphone', () => {
  const leases = (gate: ListeningGate) =>
    gate.commands.flatMap((each) =>
      each.command === 'arm_voice' || each.command === 'disarm_voice' ? [[each.command, each.by]] : [],
    );
  const names = (gate: ListeningGate) => leases(gate).map(([name]) => name);

  it('is asked for while the window has the focus, and again every few seconds', async () => {
    const gate = new ListeningGate([view('a')]);
    await speaking(gate);
    expect(leases(gate), 'not before').toEqual([]);
    vi.useFakeTimers();
    await fireEvent(window, new Event('focus'));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(names(gate)).toEqual(['arm_voice']);
    expect(screen.getByTestId('mic-armed'), 'which is shown').toBeTruthy();
    await vi.advanceTimersByTimeAsync(2 * RENEW);
    expect(names(gate)).toEqual(['arm_voice', 'arm_voice', 'arm_voice']);
    await fireEvent(window, new Event('blur'));
    await vi.advanceTimersByTimeAsync(2 * RENEW);
    expect(names(gate)).toEqual(['arm_voice', 'arm_voice', 'arm_voice', 'disarm_voice']);
    const marks = new Set(leases(gate).map(([, by]) => by));
    expect([marks.size, ([...marks][0] ?? '').length > 11, ([...marks][0] ?? '').length < 65]).toEqual([
      ...[1, true, true],
    ]);
    expect(screen.queryByTestId('mic-armed')).toBeNull();
  });

  it('doesn’t flicker from one request to the next', async () => {
    const gate = new ListeningGate([
      view('a'),
      view('b', { summary: summary('b', { created_at: '2026-11-21T10:00:00Z' }) }),
    ]);
    const { review } = await speaking(gate);
    vi.useFakeTimers();
    await fireEvent(window, new Event('focus'));
    await vi.advanceTimersByTimeAsync(1_000);
    vi.spyOn(document, 'hasFocus').mockReturnValue(true);
    await review.show('b');
    await vi.advanceTimersByTimeAsync(1_000);
    expect(names(gate)).toEqual(['arm_voice']);
    await review.dismiss();
    await review.show('a');
    await review.dismiss();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(names(gate), 'without a request it is closed').toEqual(['arm_voice', 'disarm_voice']);
  });

  it.each(['off', 'no_model'] as const)('isn’t asked for where voice is %s', async (readiness) => {
    const gate = new ListeningGate([view('a')]);
    gate.voice.readiness = readiness;
    await speaking(gate);
    vi.useFakeTimers();
    await fireEvent(window, new Event('focus'));
    await vi.advanceTimersByTimeAsync(2 * RENEW);
    expect(leases(gate)).toEqual([]);
    gate.tell({ readiness: 'ready' });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(names(gate), 'until it can be used').toEqual(['arm_voice']);
  });
});
