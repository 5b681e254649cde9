// What changed in a message since the one that was answered before: block by block, word by word, on the page.
import { cleanup, fireEvent, render, screen } from '@testing-library/svelte';
import { tick } from 'svelte';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import App from '../src/App.svelte';
import type { Block } from '../src/generated/Block';
import type { MessageView } from '../src/generated/MessageView';
import { speak } from '../src/i18n/text.svelte';
import { leafText, type Leaf } from '../src/markdown/plain';
import { Sheet } from '../src/markdown/sheet';
import '../src/passages/Changes.svelte';
import '../src/passages/Passages.svelte';
import { indexOfInk, endOfInk } from '../src/passages/quote';
import { COMPARED_CHARS, revisionOf } from '../src/passages/revision';
import { gapsOf } from '../src/passages/sequence';
import { Review } from '../src/review/review.svelte';
import { armed } from './armed';
import { FakeGate, fault, view } from './fake-gate';
import { entry, message } from './fake-record';

afterEach(cleanup);

const paragraph = (text: string): Block => ({ kind: 'paragraph', children: [{ kind: 'text', text }] });
const heading = (text: string): Block => ({ kind: 'heading', level: 2, children: [{ kind: 'text', text }] });
const leaves = (blocks: Block[]): readonly Leaf[] => new Sheet({ blocks, rest: null }).leaves;

const INTRO =
  'The runner keeps its queue in memory, and a restart loses whatever waits in it at that moment.';
const RETRY =
  'Deliveries that fail are tried again three times, one minute apart, and then given up for good.';
const BACKOFF =
  'Deliveries that fail are tried again with backoff, at most for an hour, and then given up for good.';
const OUT = 'What I leave out: priorities between jobs, since nobody needs them today.';
const PAGE = 'A small page shows what waits, what fails and who works on it.';
const BEFORE = [
  heading('Where we are'),
  paragraph(INTRO),
  heading('Retries'),
  paragraph(RETRY),
  paragraph(PAGE),
];
const NOW = [
  heading('Where we are'),
  paragraph(INTRO),
  heading('Retries'),
  paragraph(BACKOFF),
  paragraph(OUT),
];

/** The words that a revision calls new. */
function fresh(before: Block[], now: Block[]): string[] | null {
  const all = leaves(now);
  const revision = revisionOf(leaves(before), all);
  if (!revision) return null;
  return revision.fresh.map(({ from, to }) => {
    const leaf = all[from.leaf];
    const text = leaf ? leafText(leaf) : '';
    return text.slice(indexOfInk(text, from.ink), endOfInk(text, to.ink));
  });
}

describe('two sequences', () => {
  it('differ in the fewest places', () => {
    const gap = (from: number, until: number, newFrom: number, newUntil: number) => ({
      ...{ from, until, newFrom, newUntil },
    });
    expect(gapsOf([...'abcd'], [...'abcd'], 9)).toEqual([]);
    expect(gapsOf([...'abcd'], [...'axcd'], 9)).toEqual([gap(1, 2, 1, 2)]);
    expect(gapsOf([...'abcd'], [...'bcde'], 9)).toEqual([gap(0, 1, 0, 0), gap(4, 4, 3, 4)]);
    expect(gapsOf([], [...'ab'], 9)).toEqual([gap(0, 0, 0, 2)]);
    expect(gapsOf([...'abcdef'], [...'uvwxyz'], 9), 'too different to be worth the time').toBeNull();
  });

  it('make the one of the other, whatever they are', () => {
    let seed = 7;
    const random = (below: number) => {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fff_ffff;
      return (seed >> 8) % below;
    };
    for (let turn = 0; turn < 500; turn += 1) {
      const [before, now] = [0, 1].map(() => Array.from({ length: random(14) }, () => random(3))) as [
        number[],
        number[],
      ];
      const made: number[] = [];
      let at = 0;
      for (const { from, until, newFrom, newUntil } of gapsOf(before, now, 100) ?? []) {
        made.push(...before.slice(at, from), ...now.slice(newFrom, newUntil));
        at = until;
      }
      expect([...made, ...before.slice(at)], `${before} to ${now}`).toEqual(now);
    }
  });
});

describe('a revision', () => {
  it('names the words that are new, how a block was, and what is gone', () => {
    const revision = revisionOf(leaves(BEFORE), leaves(NOW));
    expect(fresh(BEFORE, NOW)).toEqual(['with backoff', 'at most for an hour', OUT]);
    const reworded = revision?.changes.get(3);
    expect(reworded?.kind).toBe('reworded');
    expect(reworded?.before.map(({ text }) => text).join(''), 'all of it').toBe(RETRY);
    expect(reworded?.before.filter(({ gone }) => gone).map(({ text }) => text.trim())).toEqual([
      'three times',
      'one minute apart',
    ]);
    expect(revision?.changes.get(4)).toEqual({ kind: 'new', before: [], removed: [PAGE] });
    expect(revision?.places, 'neighbouring blocks are one change').toEqual([3]);
  });

  it('is found in scripts without blanks, sign by sign', () => {
    const [before, now] = ['先移植调用方，再删除旧的实现。', '先移植全部调用方，再删除旧的实现。'].map(
      (text) => paragraph(text.repeat(12)),
    ) as [Block, Block];
    expect(new Set(fresh([before], [now]))).toEqual(new Set(['全部']));
  });

  it('knows what is gone before the first block', () => {
    const revision = revisionOf(leaves(BEFORE), leaves(BEFORE.slice(1)));
    expect(revision?.changes.get(-1)?.removed).toEqual(['Where we are']);
    expect(revision?.places).toEqual([0]);
  });

  it('is empty where nothing changed but blanks', () => {
    const spaced = [...BEFORE.slice(0, 1), paragraph(INTRO.replaceAll(' ', '\n')), ...BEFORE.slice(2)];
    expect(revisionOf(leaves(BEFORE), leaves(spaced))?.places).toEqual([]);
  });

  it('isn’t seen in another text, in a short one, and in one that is too long', () => {
    const other = Array.from({ length: 6 }, (_, index) => paragraph(`Something else altogether, ${index}.`));
    expect(revisionOf(leaves(BEFORE), leaves(other)), 'another').toBeNull();
    expect(revisionOf(leaves([paragraph('Go on?')]), leaves([paragraph('Go on!')])), 'short').toBeNull();
    const long = [paragraph('word '.repeat(COMPARED_CHARS / 5 + 1))];
    expect(revisionOf(leaves(long), leaves(long)), 'long').toBeNull();
  });

  it('takes no time even where everything differs', () => {
    const text = (salt: string) =>
      Array.from({ length: 900 }, (_, index) =>
        paragraph(`${salt}${index} ${salt}${index * 7} and some more`),
      );
    const begin = performance.now();
    revisionOf(leaves(text('a')), leaves(text('b')));
    const words = (salt: number) => [
      paragraph(Array.from({ length: 9_000 }, (_, index) => `w${(index * salt) % 977}`).join(' ')),
    ];
    revisionOf(leaves(words(3)), leaves(words(5)));
    expect(performance.now() - begin, 'milliseconds').toBeLessThan(2_000);
  });
});

describe('the changes of a message', () => {
  async function shown(before: Block[] | null, over: Partial<MessageView> = {}) {
    const gate = new FakeGate([view('a', { message: { blocks: NOW, rest: null } })]);
    const messages = [
      message(1, { text: { blocks: [paragraph('Something before.')], rest: null } }),
      message(2),
      message(3, { text: { blocks: before ?? [], rest: null }, status: 'answered', ...over }),
      message(4),
      message(5, { request_id: 'a', status: 'pending' }),
    ];
    gate.record = (command) => {
      if (command.command !== 'conversation' || !before) throw fault('unknown_session');
      return {
        conversation: {
          ...{ entry: entry('session-a'), client_version: '1', messages, older: null },
          ...{ checkpoints: [], restored: null },
        },
      };
    };
    const { container } = render(App, { review: new Review(gate, () => 1_000_000) });
    await expect.poll(() => gate.readied).toBe(1);
    await armed();
    await expect.poll(() => container.querySelector('[data-commentable]')).not.toBeNull();
    await expect.poll(() => gate.given('conversation').length).toBe(1);
    await tick();
    const press = (key: string) => fireEvent.keyDown(document.activeElement ?? document.body, { key });
    return { gate, container, press };
  }
  const marked = (container: Element) =>
    [...container.querySelectorAll('[data-changed]')].map((each) => each.getAttribute('data-changed'));

  it('are counted, and marked on demand', async () => {
    const { gate, container, press } = await shown(BEFORE);
    const button = await screen.findByTestId('changes');
    expect(button.textContent).toContain('1 change since your last answer');
    expect(gate.given('conversation')[0]).toEqual({
      ...{ command: 'conversation', session_uuid: 'session-a', cursor: null },
    });
    expect(marked(container), 'the message is read without marks first').toEqual([]);
    await press('u');
    await expect.poll(() => marked(container)).toEqual(['reworded', 'new']);
    expect(button.getAttribute('aria-pressed')).toBe('true');
    const [was, removed] = screen.getAllByTestId('change');
    expect(was?.querySelector('summary')?.textContent).toContain('Earlier wording');
    expect(was?.querySelector('details')?.open, 'what is gone is folded').toBe(false);
    expect([...(was?.querySelectorAll('del') ?? [])].map((each) => each.textContent?.trim())).toEqual([
      'three times',
      'one minute apart',
    ]);
    expect(removed?.textContent).toContain(`Removed: “${PAGE.slice(0, 20)}`);
    expect(
      container.querySelector('[data-changed="new"]')?.getAttribute('aria-description'),
      'a screen reader hears it too',
    ).toBe('New since your last answer');
    await fireEvent.click(screen.getByTestId('change-next'));
    expect(document.activeElement?.textContent, 'the keys go to the change').toContain('with backoff');
    await press('u');
    await expect.poll(() => marked(container)).toEqual([]);
    expect(screen.queryAllByTestId('change')).toEqual([]);
  });

  it('are described in the language that the windows speak', async () => {
    const { gate, container, press } = await shown(BEFORE);
    await screen.findByTestId('changes');
    await press('u');
    const described = () =>
      container.querySelector('[data-changed="new"]')?.getAttribute('aria-description') ?? '';
    await expect.poll(described).toBe('New since your last answer');
    onTestFinished(() => speak('en'));
    gate.emit({ event: 'settings_changed', settings: { ...gate.settings, language: 'zh-CN' } });
    await expect.poll(described).toBe('上次回复后新增');
  });

  it('say so where there are none', async () => {
    await shown(NOW);
    expect((await screen.findByTestId('unchanged')).textContent).toContain(
      'Unchanged since your last answer',
    );
    expect(screen.queryByTestId('changes')).toBeNull();
  });

  it('count from what was answered, not from what was withdrawn or taken back', async () => {
    await shown(BEFORE, { status: 'cancelled' });
    await tick();
    expect(screen.queryByTestId('changes'), 'what came before that is another text').toBeNull();
  });

  it('aren’t offered where the record can’t be read', async () => {
    const { container, press } = await shown(null);
    await press('u');
    expect(screen.queryByTestId('changes')).toBeNull();
    expect(container.querySelector('[role=alert]'), 'and nobody is bothered with it').toBeNull();
  });
});
