// What the window needs from its host. Tauri implements it; so do the fixtures and the tests.
import type { Answers } from '../generated/Answers';
import type { Command } from '../generated/Command';
import type { Event } from '../generated/Event';
import type { Fault } from '../generated/Fault';
import type { RequestId } from '../generated/RequestId';
import { t } from '../i18n/text.svelte';
import type { Destination, MainPage } from './destination';

export interface Port {
  /** Whether the page stands in a browser, apart from the app’s own windows. */
  readonly inBrowser?: boolean;
  /** Gives a command. Throws a `Fault`. */
  command(command: Command): Promise<Answer>;
  onEvent(callback: (event: Event) => void): Promise<() => void>;
  /** Hides the window that calls. */
  hideWindow(): Promise<void>;
  openLink(href: string): Promise<void>;
  /** What is to be shown stands on the page; said again whenever another request does. */
  ready(): Promise<void>;
  /** Opens the main window at a page, and there a conversation, or of the settings a section. */
  openMain(page: MainPage, at?: string): Promise<void>;
  /** Brings the review window to the front, at this request or at whichever comes first. */
  showReview(requestId: RequestId | null): Promise<void>;
  /** Opens the gate's page in the browser of this machine, signed in; absent where the gate may be on another one. */
  openInBrowser?(): Promise<void>;
  /** Opens the settings file in the person's editor; absent where the gate may be on another machine. */
  openSettingsFile?(): Promise<void>;
  /** Shows a file in the person's file manager; absent where the gate may be on another machine. */
  showInFolder?(path: string): Promise<void>;
  /** Calls back when the main window is to go to a page; answers how to stop. */
  onPage(callback: (to: Destination) => void): Promise<() => void>;
}

/** What some command answers. */
export type Answer = Answers[keyof Answers];

/** Gives a command; the answer has the type that was declared with it. */
export async function ask<C extends Command>(port: Port, command: C): Promise<Answers[C['command']]> {
  return (await port.command(command)) as Answers[C['command']];
}

/** Whatever was thrown, as a fault that can be shown. */
export function toFault(thrown: unknown): Fault {
  if (typeof thrown === 'object' && thrown !== null && 'code' in thrown && 'message' in thrown) {
    const fault = thrown as Partial<Fault>;
    if (typeof fault.code === 'string' && typeof fault.message === 'string') {
      return {
        code: fault.code,
        message: fault.message,
        mend: typeof fault.mend === 'string' ? fault.mend : '',
      };
    }
  }
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return { code: 'internal', message, mend: t('fault-internal-mend') };
}
