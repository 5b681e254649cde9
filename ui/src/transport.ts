// The only file that knows Tauri: commands out, events in, and what windows can do.
import { invoke } from '@tauri-apps/api/core';
import { listen } from '@tauri-apps/api/event';
import type { Command } from './generated/Command';
import type { Event } from './generated/Event';
import type { RequestId } from './generated/RequestId';
import type { Destination, MainPage } from './state/destination';
import type { Answer, Port } from './state/port';

/** Gives a command to the gate. Throws a `Fault` where the gate refuses. */
export function command(command: Command): Promise<Answer> {
  return invoke<Answer>('gate', { command });
}

/** Calls back for each event of the gate; answers how to stop. */
export function onEvent(callback: (event: Event) => void): Promise<() => void> {
  return listen<Event>('gate', (message) => callback(message.payload));
}

/** Hides the window that calls. Answers nothing and closes nothing. */
export function hideWindow(): Promise<void> {
  return invoke('hide_window');
}

/** Opens a link outside of the window. The Rust side checks the scheme once more. */
export function openLink(href: string): Promise<void> {
  return invoke('open_link', { href });
}

/** Opens the gate's page in the person's browser, which a link signs in. */
export function openInBrowser(): Promise<void> {
  return invoke('open_in_browser');
}

/** Opens the settings file in the person's editor. */
export function openSettingsFile(): Promise<void> {
  return invoke('open_settings');
}

/** Shows a file in the person's file manager. */
export function showInFolder(path: string): Promise<void> {
  return invoke('show_in_folder', { path });
}

/** Says that what is to be shown stands on the page, so that a hidden window may be shown. */
export function ready(): Promise<void> {
  return invoke('window_ready');
}

/** Opens the main window at a page, and there a conversation, or of the settings a section. */
export function openMain(page: MainPage, at?: string): Promise<void> {
  return invoke('open_main', { page, at: at ?? null });
}

/** Brings the review window to the front, at this request or at whichever comes first. */
export function showReview(requestId: RequestId | null): Promise<void> {
  return invoke('show_review', { requestId });
}

/** Calls back when the main window is to go to a page; answers how to stop. */
export function onPage(callback: (to: Destination) => void): Promise<() => void> {
  return listen<Destination>('main-page', (message) => callback(message.payload));
}

/** Whom a page tells that it is drawn, where the desktop app holds its window back for that. */
interface Host {
  webkit?: { messageHandlers?: { drawn?: { postMessage: (message: null) => void } } };
}

/** Says whenever the page has drawn its first picture since nobody saw it, so that its window comes up with that on it. */
export function tellPictures(): void {
  // What waits for a frame of a page that isn't seen comes first in the first one that is. Once that is drawn, the
  // frame's own callbacks are over.
  const tell = () =>
    requestAnimationFrame(() =>
      setTimeout(() => (window as Host).webkit?.messageHandlers?.drawn?.postMessage(null)),
    );
  if (document.hidden) tell();
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) tell();
  });
}

export const tauriPort: Port = {
  command,
  onEvent,
  hideWindow,
  openLink,
  openInBrowser,
  openSettingsFile,
  showInFolder,
  ready,
  openMain,
  showReview,
  onPage,
};
