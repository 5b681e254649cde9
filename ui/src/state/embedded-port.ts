// The request view's connection to the gate inside of the main window: commands pass through, the snapshot
// and the events are those that the main window has, and the window stays where it is.
import type { Command } from '../generated/Command';
import type { Event } from '../generated/Event';
import type { RequestId } from '../generated/RequestId';
import type { Snapshot } from '../generated/Snapshot';
import type { Destination, MainPage } from './destination';
import type { Answer, Port } from './port';

/** What the view's wishes mean in the main window. */
export interface Surroundings {
  go(page: MainPage, at: string | null): void;
  choose(request: RequestId | null): void;
}

export class EmbeddedPort implements Port {
  #port: Port;
  #around: Surroundings;
  #snapshot: Snapshot | null = null;
  #listener: (event: Event) => void = () => undefined;

  constructor(port: Port, around: Surroundings) {
    this.#port = port;
    this.#around = around;
  }

  get inBrowser(): boolean {
    return this.#port.inBrowser ?? false;
  }

  get showInFolder(): Port['showInFolder'] {
    return this.#port.showInFolder;
  }

  /** Takes the snapshot that the view begins with, or begins anew with, next. */
  know(snapshot: Snapshot): void {
    this.#snapshot = snapshot;
  }

  /** Passes an event on; what belongs to the whole window stays there. */
  deliver(event: Event): void {
    if (event.event !== 'warning' && event.event !== 'resync' && event.event !== 'raise')
      this.#listener(event);
  }

  async command(command: Command): Promise<Answer> {
    const snapshot = this.#snapshot;
    if (command.command === 'snapshot' && snapshot) {
      // Once: what comes after it changes it.
      this.#snapshot = null;
      return snapshot;
    }
    return this.#port.command(command);
  }

  onEvent(callback: (event: Event) => void): Promise<() => void> {
    this.#listener = callback;
    return Promise.resolve(() => (this.#listener = () => undefined));
  }

  hideWindow(): Promise<void> {
    return Promise.resolve();
  }

  openLink(href: string): Promise<void> {
    return this.#port.openLink(href);
  }

  ready(): Promise<void> {
    return Promise.resolve();
  }

  openMain(page: MainPage, at?: string): Promise<void> {
    this.#around.go(page, at ?? null);
    return Promise.resolve();
  }

  showReview(request: RequestId | null): Promise<void> {
    this.#around.choose(request);
    return Promise.resolve();
  }

  onPage(_callback: (to: Destination) => void): Promise<() => void> {
    return Promise.resolve(() => undefined);
  }
}
