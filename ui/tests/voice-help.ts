// A gate that listens: takes are begun and ended by the page, and what is heard of them is said by the test.
import { fireEvent, render, screen } from '@testing-library/svelte';
import { tick } from 'svelte';
import { expect, vi } from 'vitest';
import App from '../src/App.svelte';
import type { Command } from '../src/generated/Command';
import type { Fault } from '../src/generated/Fault';
import type { ModelState } from '../src/generated/ModelState';
import type { RequestView } from '../src/generated/RequestView';
import type { SpeechModels } from '../src/generated/SpeechModels';
import type { VoicePhase } from '../src/generated/VoicePhase';
import type { VoiceState } from '../src/generated/VoiceState';
import { Review } from '../src/review/review.svelte';
import { speech } from '../src/voice/speech';
import { voiceOf } from '../src/voice/voice.svelte';
import { armed } from './armed';
import { FakeGate } from './fake-gate';
import { FakeSettings, setting } from './fake-settings';
import type { Answer } from '../src/state/port';

export class ListeningGate extends FakeGate {
  voice: VoiceState = {
    ...{ readiness: 'ready', fault: null, armed: false, model: 'base-q8_0', take: null },
    microphone: { id: 'built-in', name: 'Built-in', default: true },
  };
  models: SpeechModels = { models: [], folder: '~/models', free_bytes: 4_000_000_000 };
  readonly settled = new FakeSettings();
  /** Throws instead of beginning a take. */
  refusal: Fault | null = null;

  constructor(views: RequestView[]) {
    super(views);
    this.record = (command) => this.#listen(command);
    const choices = [
      { value: 'auto', title: { id: 'setting-voice-language-auto' } },
      { value: 'de', title: { id: 'setting-voice-language-de' } },
    ];
    this.settled.settings.push(
      setting('voice.enabled', { kind: 'switch' }, true),
      setting('voice.microphone', { kind: 'text', max_chars: 200 }, ''),
      setting('voice.model', { kind: 'text', max_chars: 200 }, ''),
      setting('voice.language', { kind: 'choice', choices }, 'auto'),
    );
  }

  /** Everything is other than before, or some of it. */
  tell(over: Partial<VoiceState> = {}): void {
    this.voice = { ...this.voice, ...over };
    this.emit({ event: 'voice_changed', voice: this.voice });
  }

  /** The present take goes on. */
  turn(phase: VoicePhase, over: Partial<VoiceState> = {}, cut_off = false): void {
    const { take } = this.voice;
    this.tell({ take: take && { ...take, phase, cut_off }, ...over });
  }

  /** It sounds, after so many milliseconds of the take. */
  sound(recorded_ms: number, peak = 400): void {
    this.emit({ event: 'voice_level', peak, recorded_ms });
  }

  hear(text: string, partial = '', last = false): void {
    this.emit({ event: 'voice_text', take: this.voice.take?.take ?? 0, text, partial, last });
  }

  /** All of the take was understood. */
  finish(text: string, cut_off = false): void {
    this.turn('transcribing', {}, cut_off);
    this.hear(text, '', true);
    this.turn(text === '' ? 'silent' : 'done', {}, cut_off);
  }

  put(name: string, state: ModelState): void {
    const models = this.models.models.map((each) => (each.name === name ? { ...each, state } : each));
    this.models = { ...this.models, models };
    this.emit({ event: 'models_changed', models: this.models });
  }

  #listen(command: Command): Answer {
    switch (command.command) {
      case 'start_voice': {
        if (this.refusal) throw this.refusal;
        const take = (this.voice.take?.take ?? 0) + 1;
        const { request_id } = command;
        this.tell({
          fault: null,
          take: { take, request_id, phase: 'recording', recorded_ms: 0, cut_off: false },
        });
        break;
      }
      case 'cancel_voice':
        this.turn('cancelled');
        break;
      case 'retry_voice':
        this.turn('transcribing', { fault: null });
        break;
      case 'arm_voice':
      case 'disarm_voice':
        this.tell({ armed: command.command === 'arm_voice' });
        break;
      case 'microphones':
        return {
          microphones: [
            { id: 'built-in', name: 'Built-in', default: true },
            { id: 'yeti', name: 'Yeti', default: false },
          ],
        };
      case 'speech_models':
      case 'download_model':
      case 'pause_download':
      case 'remove_model':
      case 'import_model':
        return { ...this.models };
      case 'voice':
      case 'stop_voice':
        break;
      default:
        return this.settled.answer(command);
    }
    return { ...this.voice };
  }
}

export const reply = () => screen.getByTestId<HTMLTextAreaElement>('reply-text');
export const mic = () => screen.getByTestId<HTMLButtonElement>('mic');
export const strip = () => screen.queryByTestId('voice-strip')?.dataset['kind'] ?? null;
/** What those hear who don't see the page. */
export const status = () => screen.getByTestId('voice-status').textContent;

/** The review window over a gate, with voice loaded; `clock.now` is the time that a press is measured by. */
export async function speaking(gate: ListeningGate) {
  await speech.load();
  const clock = { now: 1_000 };
  vi.spyOn(performance, 'now').mockImplementation(() => clock.now);
  const focus = vi.spyOn(document, 'hasFocus').mockReturnValue(false);
  const review = new Review(gate, () => clock.now);
  const { container, unmount } = render(App, { review });
  await expect.poll(() => gate.readied).toBe(1);
  await expect.poll(() => mic().disabled, { message: 'the gate has said how voice is' }).toBe(false);
  // The request has the keys from now on; voice hears of it by an event of the window.
  focus.mockReturnValue(true);
  await armed((milliseconds) => void (clock.now += milliseconds));
  const voice = voiceOf(review);
  return { review, voice, clock, container, unmount };
}

/** The pointer goes down on the button, or up. */
export const pointer = (way: 'down' | 'up') =>
  // jsdom's pointer events have no buttons.
  fireEvent(mic(), new MouseEvent(`pointer${way}`, { button: 0, bubbles: true, cancelable: true }));

/** The pointer goes down on the button, up after so long, and clicks, as a browser says it. */
export async function press(clock: { now: number }, milliseconds: number) {
  await pointer('down');
  clock.now += milliseconds;
  await pointer('up');
  await fireEvent.click(mic(), { detail: 1 });
  await tick();
}

/** Types at the caret as a person does. */
export async function type(text: string, at = reply().value.length): Promise<void> {
  const field = reply();
  field.focus();
  field.setRangeText(text, at, at, 'end');
  await fireEvent.input(field);
}
