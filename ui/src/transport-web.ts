// The page's host in a browser: commands and events over HTTP, and what windows do as places of one page.
// The gate signs the browser in with a cookie, which the page never sees.
import type { Command } from './generated/Command';
import type { Event } from './generated/Event';
import type { Exported } from './generated/Exported';
import type { Fault } from './generated/Fault';
import type { RequestId } from './generated/RequestId';
import { t } from './i18n/text.svelte';
import { browserWire, Connection, type Wire } from './state/connection.svelte';
import { destinationOf, type Destination, type MainPage } from './state/destination';
import { type Answer, type Port, toFault } from './state/port';

/** Where exports are fetched; the rest of the path is a secret and the file's name. */
const DOWNLOADS = '/ui/download/';

/** The address that shows a page, and there a conversation. */
export function addressOf(page: MainPage, at?: string): string {
  return at ? `#main/${page}/${at}` : `#main/${page}`;
}

export class WebPort implements Port {
  readonly inBrowser = true;
  readonly connection: Connection;
  #wire: Wire;
  #pages = new Set<(to: Destination) => void>();

  constructor(wire: Wire = browserWire) {
    this.#wire = wire;
    this.connection = new Connection(wire);
    addEventListener('hashchange', () => this.#turn(location.hash));
  }

  async command(command: Command): Promise<Answer> {
    let response: Response;
    try {
      response = await this.#wire.fetch('/ui/command', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(command),
        cache: 'no-store',
        redirect: 'error',
      });
    } catch {
      this.connection.unreached();
      throw unreachable();
    }
    if (response.status === 401) this.connection.signedOut();
    let said: unknown;
    try {
      said = await response.json();
    } catch {
      throw unreachable();
    }
    if (!response.ok) throw toFault(said);
    return command.command === 'export' ? this.#handed(said as Exported) : (said as Answer);
  }

  onEvent(callback: (event: Event) => void): Promise<() => void> {
    return this.connection.listen(callback);
  }

  /** There is no window to hide: the review goes, the page stays. */
  hideWindow(): Promise<void> {
    if (!destinationOf(location.hash)) this.#go(addressOf('inbox'));
    return Promise.resolve();
  }

  openLink(href: string): Promise<void> {
    const link = document.createElement('a');
    link.href = href;
    if (!['http:', 'https:', 'mailto:'].includes(link.protocol)) return Promise.reject(refused());
    link.target = '_blank';
    link.rel = 'noopener noreferrer';
    link.click();
    return Promise.resolve();
  }

  /** A browser shows the page whenever it wants to. */
  ready(): Promise<void> {
    return Promise.resolve();
  }

  openMain(page: MainPage, at?: string): Promise<void> {
    this.#go(addressOf(page, at));
    return Promise.resolve();
  }

  /** Requests are answered in the inbox, where each has its place. */
  showReview(_requestId: RequestId | null): Promise<void> {
    this.#go(addressOf('inbox'));
    return Promise.resolve();
  }

  onPage(callback: (to: Destination) => void): Promise<() => void> {
    this.#pages.add(callback);
    return Promise.resolve(() => this.#pages.delete(callback));
  }

  /** Goes to an address; to the one that stands already too, since the page may have moved on from it. */
  #go(hash: string): void {
    if (location.hash === hash) this.#turn(hash);
    else location.hash = hash;
  }

  #turn(hash: string): void {
    const to = destinationOf(hash);
    if (to) for (const callback of this.#pages) callback(to);
  }

  /** An export comes as a download: the gate's machine may be another one. */
  #handed(answer: Exported): Exported {
    if (!answer.path.startsWith(DOWNLOADS)) return answer;
    const name = decodeURIComponent(answer.path.split('/').at(-1) ?? '');
    const link = document.createElement('a');
    link.href = answer.path;
    link.download = name;
    link.click();
    return { ...answer, path: name };
  }
}

function unreachable(): Fault {
  return { code: 'gate_unreachable', message: t('browser-gone'), mend: t('browser-gone-mend') };
}

function refused(): Fault {
  return { code: 'invalid_input', message: t('browser-link-refused'), mend: t('browser-link-mend') };
}
