// The only file that knows Tauri: commands out, events in, and the three things a window can do.
import { invoke } from '@tauri-apps/api/core';
import { listen } from '@tauri-apps/api/event';
import type { Answer } from './generated/Answer';
import type { Command } from './generated/Command';
import type { Event } from './generated/Event';
import type { Port } from './state/port';

/** Gives a command to the gate. Throws a `Fault` where the gate refuses. */
export function command(command: Command): Promise<Answer> {
  return invoke<Answer>('gate', { command });
}

/** Calls back for each event of the gate; answers how to stop. */
export function onEvent(callback: (event: Event) => void): Promise<() => void> {
  return listen<Event>('gate', (message) => callback(message.payload));
}

/** Hides the window. Answers nothing and closes nothing. */
export function hideWindow(): Promise<void> {
  return invoke('hide_window');
}

/** Opens a link outside of the window. The Rust side checks the scheme once more. */
export function openLink(href: string): Promise<void> {
  return invoke('open_link', { href });
}

/** Says that what is to be shown stands on the page, so that a hidden window may be shown. */
export function ready(): Promise<void> {
  return invoke('window_ready');
}

export const tauriPort: Port = { command, onEvent, hideWindow, openLink, ready };
