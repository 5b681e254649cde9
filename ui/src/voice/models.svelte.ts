// The speech models as the page knows them: what there is, what is on its way, and what is done with them.
import type { Command } from '../generated/Command';
import type { Fault } from '../generated/Fault';
import type { SpeechModel } from '../generated/SpeechModel';
import type { SpeechModels } from '../generated/SpeechModels';
import { ask, toFault, type Port } from '../state/port';

type ModelCommand = Extract<
  Command,
  { command: 'speech_models' | 'download_model' | 'pause_download' | 'remove_model' | 'import_model' }
>;

/** What most people choose among, as the catalogue calls them (gate-voice/src/models/catalogue.rs). */
const LEVELS: Record<string, 'small' | 'good' | 'best'> = {
  'base-q8_0': 'small',
  'small-q8_0': 'good',
  'large-v3-turbo-q5_0': 'best',
};

/** Which of the three it is that most people choose among; null for another. */
export function levelOf({ name }: Pick<SpeechModel, 'name'>): 'small' | 'good' | 'best' | null {
  return LEVELS[name] ?? null;
}

/** Whether it is seen before one asks for all: one of the three, or one that the person has to do with. */
export function isNear(model: SpeechModel): boolean {
  return levelOf(model) !== null || model.recommended || model.imported || model.state.state !== 'absent';
}

export class Models {
  told = $state.raw<SpeechModels | null>(null);
  /** Why the list can't be had, or what failed; with the model that it is of. */
  fault = $state.raw<{ name: string | null; fault: Fault } | null>(null);
  /** The model, or the file, that something is being done with. */
  busy = $state<string | null>(null);
  #port: Port;

  constructor(port: Port) {
    this.#port = port;
  }

  /** The model that a newcomer should take. */
  readonly recommended: SpeechModel | null = $derived(
    this.told?.models.find((model) => model.recommended) ?? this.told?.models[0] ?? null,
  );
  readonly others: readonly SpeechModel[] = $derived(
    this.told?.models.filter((model) => model !== this.recommended) ?? [],
  );
  readonly installed: readonly SpeechModel[] = $derived(
    this.told?.models.filter((model) => model.state.state === 'installed') ?? [],
  );
  /** What is being downloaded. */
  readonly coming: SpeechModel | null = $derived(
    this.told?.models.find((model) => model.state.state === 'downloading') ?? null,
  );

  /** Asks for the list. */
  load(): Promise<boolean> {
    return this.#act(null, { command: 'speech_models' });
  }

  download(name: string): Promise<boolean> {
    return this.#act(name, { command: 'download_model', name });
  }

  pause(name: string): Promise<boolean> {
    return this.#act(name, { command: 'pause_download', name });
  }

  /** Deletes it, or what is there of it. */
  remove(name: string): Promise<boolean> {
    return this.#act(name, { command: 'remove_model', name });
  }

  /** Takes a file, or those in a folder. Answers whether it is there now. */
  import(path: string): Promise<boolean> {
    return this.#act(path, { command: 'import_model', path });
  }

  /** Has the gate use it from now on. */
  async use(name: string): Promise<void> {
    this.fault = null;
    this.busy = name;
    try {
      const values = { 'voice.model': name };
      await ask(this.#port, { command: 'save_settings', values, seen: {} });
    } catch (thrown) {
      this.fault = { name, fault: toFault(thrown) };
    } finally {
      this.busy = null;
    }
  }

  async #act(name: string | null, command: ModelCommand): Promise<boolean> {
    this.fault = null;
    this.busy = name;
    try {
      this.told = await ask(this.#port, command);
      return true;
    } catch (thrown) {
      this.fault = { name, fault: toFault(thrown) };
      return false;
    } finally {
      this.busy = null;
    }
  }
}

/** How much of it is there, from 0 to 100; null where it isn't on its way. */
export function percentOf({ state, bytes }: SpeechModel): number | null {
  if (state.state !== 'downloading' && state.state !== 'paused') return null;
  return bytes > 0 ? Math.min(100, (state.done / bytes) * 100) : 0;
}

/** Milliseconds until it is there; null while that can't be said. */
export function leftOf({ state, bytes }: SpeechModel): number | null {
  if (state.state !== 'downloading' || state.speed <= 0) return null;
  return ((bytes - state.done) / state.speed) * 1000;
}

/** What a model is called: `Base` of `base.en-q8_0`; of one that was imported, its file's name. */
export function nameOf({ name, imported }: Pick<SpeechModel, 'name' | 'imported'>): string {
  if (imported) return name;
  const family = name.replace(/-q\d.*$/, '').replace(/\.en$/, '');
  return `${family.charAt(0).toUpperCase()}${family.slice(1).replaceAll('-', ' ')}`;
}

/** How its numbers are stored: `q8_0` of `base.en-q8_0`; empty for whole ones. */
export function packingOf({ name }: Pick<SpeechModel, 'name'>): string {
  return /-(q\d\w*)$/.exec(name)?.[1] ?? '';
}
