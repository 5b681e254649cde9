// The page's host in a browser: commands and events over HTTP, and what windows do as places of one page.
// What goes out is signed (`state/signing.ts`).
import type { Command } from './generated/Command';
import type { Event } from './generated/Event';
import type { Exported } from './generated/Exported';
import type { Fault } from './generated/Fault';
import type { RequestId } from './generated/RequestId';
import { t } from './i18n/text.svelte';
import { Connection, type Wire } from './state/connection.svelte';
import { destinationOf, type Destination, type MainPage } from './state/destination';
import { type Answer, type Port, toFault } from './state/port';
import { codeOf, Signer } from './state/signing';
import { SignedStream } from './state/stream';

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

  /** `signIn` takes the code of a link that is followed while the page stands. */
  constructor(wire: Wire, signIn: (code: string) => void = () => undefined) {
    this.#wire = wire;
    this.connection = new Connection(wire);
    addEventListener('hashchange', ({ oldURL, newURL }) => {
      const code = codeOf(new URL(newURL).hash);
      if (!code) return this.#turn(location.hash);
      history.replaceState(null, '', oldURL);
      if (this.connection.line === 'open') return;
      signIn(code);
      this.connection.retry();
    });
  }

  /** The host of this page; `code` is that of the link by which the person came, if they did. */
  static here(code: string | undefined): WebPort {
    const signer = new Signer(location.origin);
    if (code) signer.follow(code);
    const { fetch } = signer;
    return new WebPort({ fetch, listen: (path) => new SignedStream(path, fetch) }, (code) =>
      signer.follow(code),
    );
  }

  async command(command: Command): Promise<Answer> {
    let response: Response;
    try {
      response = await this.#wire.fetch('/ui/command', {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(command),
        cache: 'no-store',
      });
    } catch {
      this.connection.unreached();
      throw unreachable();
    }
    let said: unknown;
    try {
      said = await response.json();
    } catch {
      throw unreachable();
    }
    if (response.status === 401) this.connection.signedOut((said as { why?: unknown }).why);
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
