// A gate that records every command and answers as told; the tests drive the window's state with it.
import type { Command } from '../src/generated/Command';
import type { Event } from '../src/generated/Event';
import type { Fault } from '../src/generated/Fault';
import type { Presence } from '../src/generated/Presence';
import type { RequestSummary } from '../src/generated/RequestSummary';
import type { RequestView } from '../src/generated/RequestView';
import type { SessionSummary } from '../src/generated/SessionSummary';
import type { SignedInBrowser } from '../src/generated/SignedInBrowser';
import type { WindowSettings } from '../src/generated/WindowSettings';
import type { Destination, MainPage } from '../src/state/destination';
import type { Answer, Port } from '../src/state/port';

export function summary(id: string, over: Partial<RequestSummary> = {}): RequestSummary {
  return {
    request_id: id,
    session_uuid: `session-${id}`,
    title: `Title of ${id}`,
    client: 'Claude Code',
    workspace: '/code/app',
    workspace_name: 'app',
    urgent: false,
    approval: true,
    created_at: '2026-11-21T09:30:00.000Z',
    waits_until: null,
    caller_waiting: true,
    excerpt: '',
    options: 0,
    files: 0,
    snoozed: null,
    ...over,
  };
}

export function view(id: string, over: Partial<RequestView> = {}): RequestView {
  return {
    summary: summary(id),
    status: 'pending',
    digest: `digest of ${id}`,
    message: {
      blocks: [{ kind: 'paragraph', children: [{ kind: 'text', text: `Message of ${id}` }] }],
      rest: null,
    },
    context: null,
    options: [],
    allow_multiple: false,
    diff: null,
    draft: { text: '', selected: [], comments: [], attachments: [], remarks: [] },
    attachments: [],
    ...over,
  };
}

/** With code in it, as the gate names it: windows show it without its marks. */
export function fault(code: Fault['code']): Fault {
  return { code, message: `It failed: ${code}.`, mend: 'Mend `it`.' };
}

export class FakeGate implements Port {
  /** As the page in a browser, where a test says so. */
  inBrowser = false;
  readonly commands: Command[] = [];
  readonly links: string[] = [];
  /** Main pages that were opened, and requests that the review window was shown at. */
  readonly opened: [MainPage, string | undefined][] = [];
  readonly shown: (string | null)[] = [];
  sessions: SessionSummary[] = [];
  warnings: Fault[] = [];
  browsers: SignedInBrowser[] = [];
  settings: WindowSettings = {
    ...{ theme: 'light', font_size: 14, always_on_top: false, language: 'en' },
    ...{ undo_seconds: 5, sounds: false, notifications: false, reduced_motion: false },
    voice_commands: false,
    require_seen: false,
  };
  presence: Presence = {
    ...{ away: false, away_since: null },
    ...{ quiet: false, quiet_until: null, do_not_disturb: false },
  };
  /** Answers what is asked of the record. */
  record: (command: Command) => Answer | Promise<Answer> = () => {
    throw fault('internal');
  };
  hidden = 0;
  readied = 0;
  /** As in the app's own windows, where a test says so. */
  showInFolder?: (path: string) => Promise<void>;
  /** Throws what it returns, or holds the command until it resolves. */
  meddle: (command: Command) => unknown = () => undefined;
  #views = new Map<string, RequestView>();
  #emit: (event: Event) => void = () => undefined;
  #go: (to: Destination) => void = () => undefined;
  #files = 0;

  constructor(views: RequestView[] = []) {
    for (const each of views) this.#views.set(each.summary.request_id, each);
  }

  async command(command: Command): Promise<Answer> {
    this.commands.push(structuredClone(command));
    const trouble = await this.meddle(command);
    if (trouble) throw trouble;
    switch (command.command) {
      case 'snapshot':
        return {
          version: '1.0.0',
          requests: [...this.#views.values()].map((each) => each.summary),
          sessions: this.sessions,
          settings: this.settings,
          presence: this.presence,
          warnings: this.warnings,
          command_path: '/opt/review gate/bin/review-gate',
        };
      case 'open_request': {
        const request = this.#views.get(command.request_id);
        if (!request) throw fault('unknown_request');
        return { request: structuredClone(request) };
      }
      case 'save_draft': {
        const request = this.#views.get(command.request_id);
        if (request) request.draft = structuredClone(command.draft);
        return {};
      }
      case 'attach': {
        this.#files += 1;
        const attachment = {
          attachment_id: `file-${this.#files}`,
          name: command.name,
          mime_type: 'text/plain',
          size: 3,
        };
        this.#views.get(command.request_id)?.attachments.push(attachment);
        return { attachment };
      }
      case 'read_attachment':
        throw fault('unknown_attachment');
      case 'send_reply': {
        const asked = this.#views.get(command.request_id);
        if (asked && asked.digest !== command.digest) throw fault('changed_question');
        this.#views.delete(command.request_id);
        return {};
      }
      case 'dismiss':
        this.#views.delete(command.request_id);
        return {};
      case 'browsers':
        return { browsers: this.browsers };
      case 'sign_out':
        this.browsers = [];
        return {};
      case 'sign_out_browser':
        this.browsers = this.browsers.filter(({ browser }) => browser !== command.browser);
        return {};
      case 'dismiss_abandoned':
        for (const id of command.request_ids) this.#views.delete(id);
        return { request_ids: command.request_ids };
      case 'snooze':
      case 'wake':
      case 'set_away':
      case 'set_do_not_disturb':
      case 'send_note':
      case 'take_back_note':
      case 'close_session':
      case 'reopen_session':
        return {};
      default:
        return this.record(command);
    }
  }

  onEvent(callback: (event: Event) => void): Promise<() => void> {
    this.#emit = callback;
    return Promise.resolve(() => undefined);
  }

  hideWindow(): Promise<void> {
    this.hidden += 1;
    return Promise.resolve();
  }

  openLink(href: string): Promise<void> {
    this.links.push(href);
    return Promise.resolve();
  }

  ready(): Promise<void> {
    this.readied += 1;
    return Promise.resolve();
  }

  openMain(page: MainPage, at?: string): Promise<void> {
    this.opened.push([page, at]);
    return Promise.resolve();
  }

  showReview(requestId: string | null): Promise<void> {
    this.shown.push(requestId);
    return Promise.resolve();
  }

  onPage(callback: (to: Destination) => void): Promise<() => void> {
    this.#go = callback;
    return Promise.resolve(() => undefined);
  }

  /** The host sends the main window to a page. */
  go(to: Destination): void {
    this.#go(to);
  }

  /** A request comes, in full or, if it is `large`, as its summary only. */
  add(request: RequestView, large = true): void {
    this.#views.set(request.summary.request_id, request);
    const view = large ? null : structuredClone(request);
    this.#emit({ event: 'request_added', request: request.summary, view, again: false });
  }

  /** A request is another one from now on, and nobody hears of it. */
  alter(request: RequestView): void {
    this.#views.set(request.summary.request_id, request);
  }

  emit(event: Event): void {
    this.#emit(event);
  }

  /** What was given of one kind of command, in order. */
  given<K extends Command['command']>(kind: K): Extract<Command, { command: K }>[] {
    return this.commands.filter((each): each is Extract<Command, { command: K }> => each.command === kind);
  }
}
