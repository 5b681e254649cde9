// The main window's pages as they register themselves, and who hears of events.
import { describe, expect, it, vi } from 'vitest';
import { t } from '../src/i18n/text.svelte';
import { kept } from '../src/state/kept.svelte';
import { mainKeys } from '../src/state/main-key-sheet';
import { Main } from '../src/state/main.svelte';
import { PAGES, pageOf } from '../src/state/pages';
import { VIEWS } from '../tests-browser/views';
import { FakeGate, fault } from './fake-gate';
import { filesIn, read, sources } from './sources';

async function begun() {
  const gate = new FakeGate();
  const main = new Main(gate, { page: 'settings', at: null });
  await main.start();
  return { gate, main };
}

describe('the pages', () => {
  it('are the folders with a page.ts, in their order', () => {
    const folders = filesIn('src', 'page.ts').flatMap((path) => path.split('/').at(-2) ?? []);
    const names = PAGES.map((each) => each.page);
    expect([...names].sort(), 'each folder is a page').toEqual(folders);
    const known = ['inbox', 'sessions', 'history', 'prompts', 'connect', 'doctor', 'settings'];
    expect(
      names.filter((name) => known.includes(name)),
      'in the order of the rail',
    ).toEqual(known);
    expect(pageOf('nowhere').page, 'the first stands for one that isn’t known').toBe('inbox');
  });

  it('have places, keys and names of their own', () => {
    for (const of of ['order', 'letter', 'digit', 'label'] as const)
      expect(new Set(PAGES.map((each) => each[of])).size, `no two pages have one ${of}`).toBe(PAGES.length);
    // With Ctrl these mean something else, in the window or on a page of it.
    const taken = PAGES.filter((each) => ['d', 'f', 'h', 'k', 'w', 'z'].includes(each.digit));
    expect(taken, 'no page takes a key away').toEqual([]);
    const silent = PAGES.flatMap(({ label, counted = label }) => [label, counted]).filter(
      (id) => t(id, { n: 1 }) === id,
    );
    expect(silent, 'each name is there before its page is').toEqual([]);
  });

  it('stand on the sheet of keys, with what each has of its own', async () => {
    const groups = await mainKeys();
    const own = await Promise.all(PAGES.flatMap((page) => page.keys?.() ?? []));
    expect(own.map((each) => each.name)).toEqual(expect.arrayContaining(['keys-inbox', 'main-prompts']));
    expect(groups.map((each) => each.name)).toEqual([
      'keys-pages',
      'keys-list',
      ...own.map((each) => each.name),
      'keys-answer',
      'permission-keys',
      'keys-message',
    ]);
    expect(groups[0]?.keys[0]).toEqual([['Ctrl 1', 'keys-or', 'G', 'I'], 'main-inbox']);
    expect(groups[0]?.keys.slice(0, PAGES.length).map(([, meaning]) => meaning)).toEqual(
      PAGES.map((each) => each.label),
    );
    const mute = groups
      .flatMap((group) => [group.name, ...group.keys.map(([, meaning]) => meaning)])
      .filter((id) => t(id) === id);
    expect(mute, 'each text has come with its keys').toEqual([]);
  });

  it('are there wherever the windows lead to one', () => {
    const led = sources('.ts', '.svelte').flatMap((path) =>
      [...read(path).matchAll(/\b(?:(?:go|openMain|openPage|addressOf)\(|page [!=]== )'([^']*)'/g)].map(
        ([, page]) => page as string,
      ),
    );
    expect(led.length, 'the pattern still finds them').toBeGreaterThan(10);
    expect(led.filter((page) => pageOf(page).page !== page)).toEqual([]);
  });

  it('are there wherever the tray’s menu leads to one', () => {
    const [, arm = ''] =
      /^ +((?:"\w+" \| )*"\w+") => open_main\(/m.exec(read('../src-tauri/src/tray.rs')) ?? [];
    const led = [...arm.matchAll(/\w+/g)].map(([page]) => page);
    expect(led.length, 'the pattern still finds them').toBeGreaterThan(1);
    expect(led.filter((page) => pageOf(page).page !== page)).toEqual([]);
  });

  it('have views that are looked at in a browser, and no view is of another', () => {
    const viewed = new Set(VIEWS.flatMap((view) => view.page ?? []));
    expect([...viewed].sort()).toEqual(PAGES.map((each) => each.page).sort());
  });

  it('are never left for one that isn’t there', async () => {
    const { gate, main } = await begun();
    main.go('doctor');
    expect(main.page).toBe('doctor');
    gate.go({ page: 'nowhere', at: '0193' });
    expect([main.page, main.section], 'it is the default, with nothing opened').toEqual(['inbox', null]);
  });

  it('never take what another was sent to', async () => {
    const { main } = await begun();
    main.go('settings', 'voice');
    main.go('settings');
    expect(main.section, 'the page that is awaited keeps it').toBe('voice');
    main.go('prompts');
    expect(main.section, 'another has none of it').toBeNull();
  });
});

describe('an event', () => {
  it('is told to whoever hears of it, after the window has it', async () => {
    const { gate, main } = await begun();
    const heard: unknown[] = [];
    const stop = main.hears({
      warning: (event) => heard.push([event.fault.code, main.warnings.list.length]),
      prompts_changed: () => heard.push('prompts'),
    });
    gate.emit({ event: 'warning', fault: fault('disk_full') });
    gate.emit({ event: 'history_changed' });
    gate.emit({ event: 'prompts_changed' });
    stop();
    gate.emit({ event: 'prompts_changed' });
    expect(heard).toEqual([['disk_full', 1], 'prompts']);
  });
});

describe('state that is kept', () => {
  it('is made once for each window, when it is first asked for', () => {
    const make = vi.fn((window: { name: string }) => `of ${window.name}`);
    const of = kept(make);
    const [one, other] = [{ name: 'one' }, { name: 'other' }];
    expect(make, 'not before').not.toHaveBeenCalled();
    expect([of(one), of(other), of(one)]).toEqual(['of one', 'of other', 'of one']);
    expect(make).toHaveBeenCalledTimes(2);
  });
});
