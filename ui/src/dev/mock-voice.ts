// The mock gate's voice: a person who speaks, microphones, and models with downloads. In the scene `voice`
// everything goes on as it does; in `voice-…` it stops where there is something to be seen: `recording`,
// `transcribing`, `marked`, `command`, `silent`, `failed`, `gone`, `no-microphone`, `off`, `no-model`,
// `downloading`, `paused`.
import type { Command } from '../generated/Command';
import type { Event } from '../generated/Event';
import type { Fault } from '../generated/Fault';
import type { Microphone } from '../generated/Microphone';
import type { ModelState } from '../generated/ModelState';
import type { SpeechModel } from '../generated/SpeechModel';
import type { SpeechModels } from '../generated/SpeechModels';
import type { VoicePhase } from '../generated/VoicePhase';
import type { VoiceState } from '../generated/VoiceState';
import type { Answer } from '../state/port';
import type { MakeDouble } from './double';

const SPOKEN = [
  'Please add a test',
  'for the last attempt,',
  'and say in the changelog',
  'that errors are no longer swallowed.',
];

const MICROPHONES: Microphone[] = [
  { id: 'built-in', name: 'Built-in Audio Analogue Stereo', default: true },
  { id: 'yeti', name: 'Yeti Stereo Microphone', default: false },
];

const NO_MICROPHONE: Fault = {
  code: 'no_microphone',
  message: 'There is no microphone.',
  mend: 'Plug one in.',
};

/** Milliseconds between two levels. */
const BEAT = 66;
const MB = 1_000_000;

const model = (
  name: string,
  megabytes: number,
  memory: number,
  state: ModelState,
  over: Partial<SpeechModel> = {},
): SpeechModel => ({
  ...{ name, english_only: name.includes('.en'), bytes: megabytes * MB, memory_bytes: memory * MB },
  ...{ recommended: false, imported: false, state },
  ...over,
});

/** How loud somebody who speaks is at a moment: words, and pauses between them. */
function loudness(moment: number): number {
  const word = Math.abs(Math.sin(moment * 0.61)) * Math.abs(Math.sin(moment * 0.173 + 0.4));
  return Math.round(8 + 620 * word ** 2.2);
}

class MockVoice {
  #scene: string;
  #emit: (event: Event) => void;
  #armed: boolean;
  #microphone = '';
  #model: string | null = 'base-q8_0';
  #fault: Fault | null = null;
  #take = 0;
  #phase: VoicePhase | null = null;
  #request: string | null = null;
  #beats = 0;
  #timer: ReturnType<typeof setInterval> | undefined;
  #states: Record<string, ModelState> = {
    'base-q8_0': { state: 'installed' },
    'tiny.en-q8_0': { state: 'installed' },
  };

  constructor(scene: string, emit: (event: Event) => void) {
    // Open from the beginning, where it is looked at: nothing in a picture comes by itself.
    this.#armed = scene.startsWith('voice');
    this.#scene = scene.startsWith('voice') ? scene.slice('voice-'.length) : '';
    this.#emit = (event) => queueMicrotask(() => emit(event));
    const coming: Record<string, ModelState> = {
      'no-model': { state: 'absent' },
      downloading: { state: 'downloading', done: 34 * MB, speed: 6.1 * MB },
      paused: {
        state: 'paused',
        done: 34 * MB,
        fault: {
          code: 'download',
          message: 'The download broke off: the connection was reset.',
          mend: 'Try again; it goes on from where it stopped.',
        },
      },
    };
    const first = coming[this.#scene];
    if (first) {
      this.#model = null;
      this.#states = { 'base-q8_0': first };
    }
  }

  /** Answers what belongs to voice; null for other commands. */
  command(command: Command): Answer | null {
    switch (command.command) {
      case 'voice':
        return this.#told();
      case 'arm_voice':
      case 'disarm_voice':
        return this.#told();
      case 'start_voice':
        return this.#start(command.request_id);
      case 'stop_voice':
        return this.#stop();
      case 'cancel_voice':
        return this.#turn('cancelled');
      case 'retry_voice':
        this.#fault = null;
        this.#scene = '';
        this.#turn('transcribing');
        setTimeout(() => this.#finish(), 700);
        return this.#told();
      case 'microphones':
        return { microphones: this.#scene === 'no-microphone' ? [] : MICROPHONES };
      case 'speech_models':
        return { ...this.#models() };
      case 'download_model':
        return this.#download(command.name);
      case 'pause_download':
        clearInterval(this.#timer);
        return this.#put(command.name, { state: 'paused', done: this.#done(command.name), fault: null });
      case 'remove_model':
        clearInterval(this.#timer);
        if (this.#model === command.name) this.#model = null;
        return this.#put(command.name, { state: 'absent' });
      case 'import_model': {
        const fault: Fault = {
          code: 'speech_model',
          message: `${command.path} is no speech model.`,
          mend: 'Choose a ggml file of whisper.cpp.',
        };
        throw fault;
      }
      case 'save_settings':
        // The settings themselves are kept elsewhere.
        if ('voice.model' in command.values) this.#model = String(command.values['voice.model']);
        if ('voice.microphone' in command.values)
          this.#microphone = String(command.values['voice.microphone'] ?? '');
        this.#tell();
        return null;
      default:
        return null;
    }
  }

  #state(): VoiceState {
    const microphone = MICROPHONES.find((each) => each.id === this.#microphone) ?? MICROPHONES[0] ?? null;
    return {
      readiness: this.#scene === 'off' ? 'off' : this.#model === null ? 'no_model' : 'ready',
      fault: this.#fault,
      armed: this.#armed && this.#model !== null,
      microphone,
      model: this.#model,
      take:
        this.#phase === null
          ? null
          : {
              ...{ take: this.#take, request_id: this.#request, phase: this.#phase },
              ...{ recorded_ms: this.#beats * BEAT, cut_off: false },
            },
    };
  }

  #told(): Answer {
    return { ...this.#state() };
  }

  #tell(): Answer {
    this.#emit({ event: 'voice_changed', voice: this.#state() });
    return this.#told();
  }

  #turn(phase: VoicePhase): Answer {
    if (phase !== 'recording') clearInterval(this.#timer);
    this.#phase = phase;
    return this.#tell();
  }

  #start(request: string): Answer {
    if (this.#scene === 'no-microphone') throw NO_MICROPHONE;
    this.#take += 1;
    this.#request = request;
    this.#beats = 0;
    this.#fault = null;
    const answer = this.#turn('recording');
    const still = ['recording', 'transcribing', 'marked', 'command', 'silent', 'failed', 'gone'].includes(
      this.#scene,
    );
    if (!still) this.#timer = setInterval(() => this.#beat(), BEAT);
    else
      setTimeout(() => {
        while (this.#beats < 104) this.#beat();
        if (this.#scene === 'gone') {
          this.#fault = { code: 'microphone_gone', message: 'The microphone is gone.', mend: 'Plug it in.' };
          this.#tell();
        } else if (this.#scene !== 'recording') this.#stop();
      }, BEAT);
    return answer;
  }

  #beat(): void {
    this.#beats += 1;
    this.#emit({ event: 'voice_level', peak: loudness(this.#beats), recorded_ms: this.#beats * BEAT });
    if (this.#beats % 26 === 0 && this.#scene !== 'silent') this.#say(this.#beats / 26);
  }

  /** So many pieces were heard, the last of them not for sure. */
  #say(heard: number): void {
    const pieces = SPOKEN.slice(0, heard);
    this.#emit({
      event: 'voice_text',
      take: this.#take,
      text: pieces.slice(0, -1).join(' '),
      partial: pieces.at(-1) ?? '',
      last: false,
    });
  }

  #stop(): Answer {
    const answer = this.#turn('transcribing');
    if (this.#scene !== 'transcribing') setTimeout(() => this.#finish(), 500);
    return answer;
  }

  #finish(): void {
    if (this.#phase !== 'transcribing') return;
    const text = [...SPOKEN, ...(this.#scene === 'command' ? ['Send it.'] : [])].join(' ');
    const silent = this.#scene === 'silent';
    const failed = this.#scene === 'failed';
    this.#emit({
      event: 'voice_text',
      take: this.#take,
      text: silent ? '' : failed ? SPOKEN.slice(0, 2).join(' ') : text,
      partial: '',
      last: true,
    });
    if (failed)
      this.#fault = { code: 'transcription', message: 'The speech engine ended.', mend: 'Try again.' };
    this.#turn(silent ? 'silent' : failed ? 'failed' : 'done');
  }

  #models(): SpeechModels {
    const state = (name: string) => this.#states[name] ?? { state: 'absent' as const };
    return {
      models: [
        model('tiny.en-q8_0', 43.6, 130, state('tiny.en-q8_0')),
        model('base-q8_0', 81.8, 190, state('base-q8_0'), { recommended: true }),
        model('base.en-q8_0', 81.8, 190, state('base.en-q8_0')),
        model('small-q8_0', 264, 480, state('small-q8_0')),
        model('medium-q5_0', 539, 1_050, state('medium-q5_0')),
        model('large-v3-turbo-q5_0', 574, 1_200, state('large-v3-turbo-q5_0')),
        model('large-v3', 3_095, 3_900, state('large-v3')),
      ],
      folder: '~/.local/share/review-gate/models',
      free_bytes: 41_200 * MB,
    };
  }

  #put(name: string, state: ModelState): Answer {
    this.#states = { ...this.#states, [name]: state };
    this.#emit({ event: 'models_changed', models: this.#models() });
    this.#tell();
    return { ...this.#models() };
  }

  #done(name: string): number {
    const state = this.#states[name];
    return state && 'done' in state ? state.done : 0;
  }

  #download(name: string): Answer {
    const size = this.#models().models.find((each) => each.name === name)?.bytes ?? 0;
    clearInterval(this.#timer);
    this.#timer = setInterval(() => {
      const done = this.#done(name) + 1.5 * MB;
      if (done < size) this.#put(name, { state: 'downloading', done, speed: 6.1 * MB });
      else {
        clearInterval(this.#timer);
        this.#model ??= name;
        this.#put(name, { state: 'installed' });
      }
    }, 250);
    return this.#put(name, { state: 'downloading', done: this.#done(name), speed: 0 });
  }
}

export default ((scene, emit) => new MockVoice(scene, emit)) satisfies MakeDouble;
