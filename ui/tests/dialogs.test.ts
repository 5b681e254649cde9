// Every dialog alone with the keys: what lies behind it hears none of them, and Escape closes it and nothing else.
import { cleanup, fireEvent, render, screen } from '@testing-library/svelte';
import { tick } from 'svelte';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import './lazy';
import '../src/annotate/Annotator.svelte';
import '../src/reply/FileView.svelte';
import '../src/voice/ModelsDialog.svelte';
import ConnectionNote from '../src/components/ConnectionNote.svelte';
import MainApp from '../src/MainApp.svelte';
import type { Review } from '../src/review/review.svelte';
import { Field } from '../src/settings/field.svelte';
import { SettingsForm } from '../src/settings/settings.svelte';
import WeakenDialog from '../src/settings/WeakenDialog.svelte';
import { Connection } from '../src/state/connection.svelte';
import { Main } from '../src/state/main.svelte';
import { AnsweringGate, shown } from './answering-help';
import { FakeGate, view } from './fake-gate';
import { setting } from './fake-settings';
import * as prompts from './prompts-help';
import { read, sources } from './sources';
import { ListeningGate, press, speaking } from './voice-help';

beforeEach(() => {
  URL.createObjectURL = () => 'blob:fake';
  URL.revokeObjectURL = () => undefined;
});
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

const context = {
  blocks: [{ kind: 'paragraph' as const, children: [{ kind: 'text' as const, text: 'before' }] }],
  rest: null,
};
const requests = () => [view('a', { options: [{ label: 'x' }], context }), view('b')];

interface Behind {
  gate: FakeGate;
  review: Review;
}

async function attached(name: string, type: string): Promise<Behind> {
  const gate = new AnsweringGate(requests());
  const { review } = await shown(gate);
  await review.reply?.attach([new File(['x'], name, { type })]);
  await tick();
  return { gate, review };
}

async function inMain(): Promise<Behind & { main: Main }> {
  const gate = new FakeGate(requests());
  const main = new Main(gate, { page: 'inbox', at: null });
  render(MainApp, { main });
  await expect.poll(() => gate.readied).toBe(1);
  await screen.findByTestId('request-title');
  return { gate, main, review: main.inbox.review };
}

/** A dialog of the prompts' page, once it has asked for what it shows. */
async function ofPrompts(button: string, asked: 'deleted_prompts' | 'synced_prompts'): Promise<Behind> {
  const { gate, main } = await prompts.shown();
  await fireEvent.click(screen.getByTestId(button));
  await expect.poll(() => gate.given(asked).length, { message: 'what it asks for' }).toBe(1);
  return { gate, review: main.inbox.review };
}

interface Case {
  file: string;
  open: () => Promise<Behind>;
  dialog: string;
  /** Whether Escape leaves it. */
  stays?: boolean;
  /** Keys that mean something in it. */
  own?: readonly string[];
}

const CASES: Record<string, Case> = {
  'the sheet of keys in the review window': {
    file: 'src/components/ShortcutSheet.svelte',
    dialog: 'shortcut-sheet',
    open: async () => {
      const gate = new AnsweringGate(requests());
      const { review, press } = await shown(gate);
      await press('?');
      return { gate, review };
    },
  },
  'the sheet of keys in the main window': {
    file: 'src/components/ShortcutSheet.svelte',
    dialog: 'shortcut-sheet',
    open: async () => {
      const behind = await inMain();
      behind.main.sheetOpen = true;
      return behind;
    },
  },
  'the way to a speech model': {
    file: 'src/voice/ModelsDialog.svelte',
    dialog: 'models-dialog',
    open: async () => {
      const gate = new ListeningGate(requests());
      gate.voice = { ...gate.voice, readiness: 'no_model', model: null };
      const { review, clock } = await speaking(gate);
      await press(clock, 600);
      return { gate, review };
    },
  },
  'a file in large': {
    file: 'src/reply/FileView.svelte',
    dialog: 'file-view',
    open: async () => {
      const behind = await attached('notes.txt', 'text/plain');
      await fireEvent.click(screen.getByTestId('attachment-view'));
      return behind;
    },
  },
  'a picture that is drawn on': {
    file: 'src/annotate/Annotator.svelte',
    dialog: 'annotator',
    own: ['Enter'],
    open: async () => {
      const behind = await attached('shot.png', 'image/png');
      await fireEvent.click(screen.getByTestId('attachment-draw'));
      return behind;
    },
  },
  'an import of prompts': {
    file: 'src/prompts/ImportDialog.svelte',
    dialog: 'prompt-import',
    open: async () => {
      const { gate, main } = await prompts.shown();
      await fireEvent.click(screen.getByTestId('prompts-import'));
      return { gate, review: main.inbox.review };
    },
  },
  'prompts that were deleted': {
    file: 'src/prompts/DeletedDialog.svelte',
    dialog: 'prompts-deleted',
    open: () => ofPrompts('prompts-deleted-show', 'deleted_prompts'),
  },
  'how the synchronisation stands': {
    file: 'src/prompts/SyncDialog.svelte',
    dialog: 'prompt-sync-dialog',
    open: () => ofPrompts('prompt-sync-details', 'synced_prompts'),
  },
  'the palette': {
    file: 'src/palette/Palette.svelte',
    dialog: 'palette',
    own: ['Enter', 'k'],
    open: async () => {
      const behind = await inMain();
      await fireEvent.keyDown(document.body, { key: 'k', ctrlKey: true });
      await expect.poll(() => behind.gate.given('settings').length, { message: 'what it asks for' }).toBe(1);
      return behind;
    },
  },
  'a guard that would get weaker': {
    file: 'src/settings/WeakenDialog.svelte',
    dialog: 'weaken',
    open: async () => {
      const behind = await inMain();
      const form = new SettingsForm(behind.gate);
      form.weaker = {
        field: new Field(setting('security.guard', { kind: 'switch' }, false)),
        value: true,
        kind: 'saved',
      };
      render(WeakenDialog, { form });
      return behind;
    },
  },
  'a page that is signed out': {
    file: 'src/components/ConnectionNote.svelte',
    dialog: 'signed-out',
    stays: true,
    open: async () => {
      const behind = await inMain();
      const connection = new Connection({
        fetch: () => Promise.reject(new Error()),
        listen: () => ({}) as never,
      });
      connection.line = 'signed_out';
      render(ConnectionNote, { connection });
      return behind;
    },
  },
};

/** All keys that mean something somewhere, with what is held down beside them. */
const KEYS: [string, KeyboardEventInit][] = [
  ...['Enter'].flatMap((key): [string, KeyboardEventInit][] => [
    [key, { ctrlKey: true, shiftKey: true }],
    [key, { ctrlKey: true, altKey: true }],
    [key, { ctrlKey: true }],
  ]),
  ...['h', 'z', 'k', 'd', 'f', 'w', '2'].map((key): [string, KeyboardEventInit] => [key, { ctrlKey: true }]),
  ...[...'1rsjkladgi/ncqutxmpv,'].map((key): [string, KeyboardEventInit] => [key, {}]),
];

describe('a dialog', () => {
  it('is among these', () => {
    const dialogs = sources('.svelte')
      .filter((path) => /<(dialog|Sheet)\b/.test(read(path)))
      // The frame that they share stands nowhere by itself.
      .filter((path) => !path.endsWith('/Sheet.svelte'));
    expect([...new Set(Object.values(CASES).map((each) => each.file))].sort()).toEqual(dialogs);
  });

  describe.each(Object.entries(CASES))('%s', (_, { open, dialog, stays, own = [] }) => {
    it.each(['in it', 'on nothing'])('hears every key alone, with the focus %s', async (where) => {
      const { gate, review } = await open();
      const node = await screen.findByTestId(dialog);
      await tick();
      const before = { commands: gate.commands.length, opened: gate.opened.length };
      const behind = () => [
        ...[review.reply?.id, review.reply?.text, review.reply?.selected.length],
        ...[review.snoozeOpen, review.listOpen, review.snippetsOpen],
        ...[gate.commands.length - before.commands, gate.opened.length - before.opened, gate.hidden],
        document.querySelector<HTMLDetailsElement>('[data-testid=context]')?.open,
      ];
      const still = behind();
      for (const [key, more] of KEYS.filter(([each]) => !own.includes(each))) {
        (document.activeElement as HTMLElement | null)?.blur();
        await fireEvent.keyDown(where === 'in it' ? node : document.body, { key, ...more });
        expect(behind(), `${key} is heard by nothing behind it`).toEqual(still);
        expect(node.isConnected, `${key} doesn’t close it`).toBe(true);
      }
      await fireEvent.keyDown(where === 'in it' ? node : document.body, { key: 'Escape' });
      await expect.poll(() => node.isConnected, { message: 'Escape leaves it' }).toBe(stays ?? false);
      expect(behind(), 'and nothing else').toEqual(still);
    });
  });
});
