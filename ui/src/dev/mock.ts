// A gate that exists only in the page, for working on the window and for screenshots. `?scene=` chooses
// what happens in it, `?theme=`, `?size=` and `?lang=` (a language's tag, `long`, `rtl`) how it looks; never part of
// the built app.
import type { Command } from '../generated/Command';
import type { Event } from '../generated/Event';
import type { RequestView } from '../generated/RequestView';
import type { WindowSettings } from '../generated/WindowSettings';
import type { Answer, Port } from '../state/port';
import { destinationOf, type Destination, type MainPage } from '../state/destination';
import { isMainWindow } from '../state/which-window';
import { LANGUAGES } from '../i18n/languages';
import { speakPseudo } from '../i18n/text.svelte';
import { doubles } from './double';
import { requests } from './fixtures';
import { inboxRequests } from './inbox-fixtures';
import { permissionRequests } from './permission-fixtures';
import { reviewRequests } from './review-fixtures';
import { MockPerson } from './mock-person';
import { MockRecord } from './mock-record';
import { MockSettings } from './mock-settings';
import { screenshot } from './mock-writing';
import { SOURCE } from './odd-fixtures';
import { LONG, RTL } from './pseudo';

const parameters = new URLSearchParams(location.search);
const onMain = isMainWindow(location.hash);
const scene = parameters.get('scene') ?? 'review';
const language = parameters.get('lang');
const tagOf = (lang: string | null) => LANGUAGES.find((tag) => tag === lang) ?? 'en';

/** What the windows wear when they come up. */
const WORN: WindowSettings = {
  theme: parameters.get('theme') ?? 'system',
  font_size: Number(parameters.get('size') ?? 14),
  always_on_top: false,
  language: tagOf(language),
  undo_seconds: 5,
  sounds: false,
  notifications: false,
  reduced_motion: parameters.has('still'),
  voice_commands: scene === 'voice-command',
  require_seen: scene.startsWith('unseen'),
};

class MockGate implements Port {
  readonly inBrowser = scene === 'keys-page';
  #views = new Map<string, RequestView>();
  #listeners: ((event: Event) => void)[] = [];
  /** What a scene tells before the page has its first snapshot, however long that takes; null from then on. */
  #early: Event[] | null = [];
  #files = 0;
  #record = new MockRecord(scene, (event) => this.emit(event));
  #person = new MockPerson(
    scene,
    this.#views,
    () => this.#record.sessions,
    (event) => this.emit(event),
  );

  #settings = new MockSettings(scene, WORN, (event) => this.emit(event));
  #doubles = doubles(scene, (event) => this.emit(event));

  constructor(views: RequestView[]) {
    for (const view of views) this.#views.set(view.summary.request_id, view);
  }

  async command(command: Command): Promise<Answer> {
    if (command.command === 'snapshot') setTimeout(() => this.#tellEarly());
    const recorded = await this.#record.command(command);
    if (recorded) return recorded;
    const personal = this.#person.command(command);
    if (personal) return personal;
    const set = this.#settings.command(command);
    if (set) return set;
    for (const double of this.#doubles) {
      const answer = double.command(command);
      if (answer) return answer;
    }
    switch (command.command) {
      case 'snapshot':
        return {
          version: '0.1.0',
          requests: [...this.#views.values()].map((view) => view.summary),
          sessions: this.#record.sessions,
          settings: WORN,
          presence: this.#person.presence,
          warnings:
            scene === 'warnings'
              ? [
                  {
                    code: 'invalid_setting',
                    message: 'window.theme: “purple” is none of system, light, dark.',
                    mend: 'The window uses system until it is mended.',
                  },
                  {
                    code: 'database_damaged',
                    message: 'The record was damaged and has been mended from its last backup.',
                    mend: 'What was said since 09:30 may be missing.',
                  },
                  {
                    code: 'receipts',
                    message:
                      'The log of receipts was cut short. A new one begins. 41 of its lines still count.',
                    mend: 'Look through what is in the inbox and send again what you meant.',
                  },
                ]
              : [],
          command_path: '/usr/bin/review-gate',
        };
      case 'open_request': {
        const answered = { ...requests('review')[0], status: 'answered' } as RequestView;
        const request = this.#views.get(command.request_id) ?? (onMain ? answered : undefined);
        if (!request)
          throw { code: 'unknown_request', message: 'There is no such request.', mend: 'It may be gone.' };
        const copied = structuredClone(request);
        // From here on the window is at work: what measures it looks for this mark.
        performance.mark('request');
        return { request: copied };
      }
      case 'question': {
        const asked = this.#views.get(command.request_id);
        const { title = '', approval = false } = asked?.summary ?? {};
        const none = { context: null, urgent: false, options: [], allow_multiple: false, diff: null };
        return { ask: { ...none, title, approval, message: SOURCE }, digest: asked?.digest ?? '' };
      }
      case 'save_draft':
        if (scene === 'fault') {
          throw {
            code: 'disk_full',
            message: 'The disk is full; the draft isn’t saved.',
            mend: 'Free some space; saving is tried again.',
          };
        }
        return {};
      case 'attach':
        await new Promise((resolve) => setTimeout(resolve, scene === 'attaching' ? 60_000 : 400));
        this.#files += 1;
        return {
          attachment: {
            attachment_id: `file-${this.#files}`,
            name: command.name,
            mime_type: command.name.endsWith('.png') ? 'image/png' : 'text/plain',
            size: Math.floor((command.data.length * 3) / 4),
          },
        };
      case 'read_attachment':
        return {
          attachment: {
            attachment_id: command.attachment_id,
            name: 'screenshot.png',
            mime_type: 'image/png',
            size: 48_100,
          },
          data: screenshot(),
        };
      case 'dismiss':
        this.#views.delete(command.request_id);
        return {};
      default:
        throw { code: 'internal', message: 'The mock gate doesn’t know that.', mend: 'Teach it.' };
    }
  }

  onEvent(callback: (event: Event) => void): Promise<() => void> {
    this.#listeners.push(callback);
    return Promise.resolve(() => undefined);
  }

  emit(event: Event): void {
    if (this.#early) {
      this.#early.push(event);
      return;
    }
    for (const listener of this.#listeners) listener(event);
  }

  #tellEarly(): void {
    const early = this.#early ?? [];
    this.#early = null;
    for (const event of early) this.emit(event);
  }

  /** Another language is chosen. */
  async speak(lang: string): Promise<void> {
    this.#settings.speak(tagOf(lang));
    // The windows have followed by the next frame.
    await new Promise((resolve) => requestAnimationFrame(resolve));
    pretend(lang);
  }

  async hideWindow(): Promise<void> {}

  async openInBrowser(): Promise<void> {
    console.info('open in browser');
  }

  async openSettingsFile(): Promise<void> {
    console.info('open the settings file');
  }

  async showInFolder(path: string): Promise<void> {
    console.info('show in folder', path);
  }

  async openLink(href: string): Promise<void> {
    console.info('open', href);
  }

  async openMain(page: MainPage, at?: string): Promise<void> {
    console.info('open main', page, at);
  }

  async showReview(requestId: string | null): Promise<void> {
    console.info('show review', requestId);
  }

  onPage(callback: (to: Destination) => void): Promise<() => void> {
    window.addEventListener('hashchange', () => {
      const to = destinationOf(location.hash);
      if (to) callback(to);
    });
    return Promise.resolve(() => undefined);
  }

  async ready(): Promise<void> {
    console.info(`painted after ${Math.round(performance.now())} ms`);
    const first = [...this.#views.keys()][0] ?? '';
    if (scene === 'withdrawn')
      this.emit({ event: 'request_closed', request_id: first, status: 'cancelled', undo_until: null });
    if (scene === 'urgent') {
      const urgent = requests('plain')[0];
      if (!urgent) return;
      const summary = { ...urgent.summary, request_id: 'urgent-1', urgent: true };
      const area = document.querySelector('textarea');
      area?.dispatchEvent(new InputEvent('input', { bubbles: true }));
      this.#views.set('urgent-1', { ...urgent, summary });
      this.emit({ event: 'request_added', request: summary, view: null, again: false });
    }
    if (scene === 'keys') press('?');
    if (scene === 'list') press('l');
    if (scene === 'attaching') {
      const file = new File(['x'.repeat(40_000)], 'trace.log', { type: 'text/plain' });
      const big = new File([new Uint8Array(11 * 1024 * 1024)], 'recording.mp4', { type: 'video/mp4' });
      const transfer = new DataTransfer();
      for (const each of [file, big]) transfer.items.add(each);
      window.dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true }));
    }
    this.#settings.begin();
    const scroll = parameters.get('scroll');
    if (scroll) document.querySelector('main')?.scrollTo(0, Number(scroll));
    // Selectors apart by “;”, each clicked when it is there; `?type=` goes into the search.
    const words = parameters.get('type');
    if (words) {
      const field = document.querySelector<HTMLInputElement>('[data-testid="search"]');
      if (field) field.value = words;
      field?.dispatchEvent(new InputEvent('input', { bubbles: true }));
    }
    for (const selector of parameters.get('click')?.split(';') ?? []) {
      (await appeared(selector)).click();
    }
  }
}

/** Presses a key with the focus on nothing. */
function press(key: string): void {
  document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
}

/** What a selector names, as soon as it is there and was drawn. */
async function appeared(selector: string): Promise<HTMLElement> {
  const found = () => document.querySelector<HTMLElement>(selector);
  if (!found())
    await new Promise<void>((resolve) => {
      const observer = new MutationObserver(() => {
        if (!found()) return;
        observer.disconnect();
        resolve();
      });
      observer.observe(document, { subtree: true, childList: true, attributes: true });
    });
  await new Promise((resolve) => requestAnimationFrame(resolve));
  return found() ?? appeared(selector);
}

/** Speaks a made-up language, if it is one. */
function pretend(lang: string | null): void {
  if (lang === 'long') speakPseudo(LONG);
  if (lang === 'rtl') speakPseudo(RTL);
}

/** A port onto fixtures. The event `speak` on the window has the windows speak the language that it names. */
export function mockPort(): Port {
  pretend(language);
  const gate = new MockGate(
    permissionRequests(scene) ?? inboxRequests(scene) ?? reviewRequests(scene) ?? requests(scene),
  );
  window.addEventListener('speak', (event) => {
    if (event instanceof CustomEvent) void gate.speak(String(event.detail));
  });
  return gate;
}
