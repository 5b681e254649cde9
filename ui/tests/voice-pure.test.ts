// @vitest-environment node
// Speaking, the parts that decide: what is a command, where words go, and where they are after an edit.
import { describe, expect, it } from 'vitest';
import type { SpeechModel } from '../src/generated/SpeechModel';
import { commandOf } from '../src/voice/commands';
import { edit, movedPart, movedPlace, spaced } from '../src/voice/insertion';
import { isSpeakKey, isSpeakKeyUp } from '../src/voice/keys';
import { leftOf, nameOf, packingOf, percentOf } from '../src/voice/models.svelte';
import { volume } from '../src/voice/volume';

const ALL = ['send', 'approve', 'new_line'] as const;

describe('a command', () => {
  it.each([
    ['Send.', '', 'send'],
    ['send it', '', 'send'],
    ['Fix the tests. Send it.', 'Fix the tests.', 'send'],
    ['Is that right? Approve!', 'Is that right?', 'approve'],
    ['First point.\nNew line.', 'First point.', 'new_line'],
    ['请补上测试。发送。', '请补上测试。', 'send'],
    ['可以。批准', '可以。', 'approve'],
    ['第一点。换行。', '第一点。', 'new_line'],
    ['Use 2.5 seconds. SEND  IT', 'Use 2.5 seconds.', 'send'],
  ])('is the whole last sentence: %s', (said, text, command) => {
    expect(commandOf(said, ALL)).toEqual({ text, command });
  });

  it.each([
    'Please send it.',
    'Approve the second one.',
    'Send. Then wait for me.',
    'I would approve, but send it back.',
    'Don’t send',
    '请发送',
    '',
    '...',
  ])('isn’t a part of one: %s', (said) => {
    expect(commandOf(said, ALL)).toEqual({ text: said, command: null });
  });

  it('that isn’t allowed here is text', () => {
    expect(commandOf('Fine. Approve.', ['send'])).toEqual({ text: 'Fine. Approve.', command: null });
    expect(commandOf('Send.', [])).toEqual({ text: 'Send.', command: null });
  });

  it('is found quickly in a long monologue', () => {
    const long = 'and so on and so on, '.repeat(20_000);
    const begun = performance.now();
    expect(commandOf(`${long}. Send.`, ALL).command).toBe('send');
    expect(commandOf(`${' '.repeat(50_000)}x`, ALL).command).toBeNull();
    expect(performance.now() - begun, 'it mustn’t hold the page up').toBeLessThan(500);
  });
});

describe('spoken words', () => {
  it.each([
    ['', 'Good.', '', 'Good.'],
    ['See', 'the log.', '', ' the log.'],
    ['See ', 'the log.', '', 'the log.'],
    ['See\n', 'the log.', 'and more', 'the log. '],
    ['(', 'maybe', ')', 'maybe'],
    ['src/', 'main', '.rs', 'main'],
    ['Yes', ', please', '', ', please'],
    ['可以', '请合并。', '谢谢', '请合并。'],
    ['看', 'README', '吧', 'README'],
    ['a', '  b \t', 'c', ' b '],
    ['a', '   ', 'b', ''],
    ['😀', 'good', '', ' good'],
  ])('behind “%s”, “%s” before “%s” get the blanks they need', (before, said, after, words) => {
    expect(spaced(before, said, after)).toBe(words);
  });

  it('are found again after an edit elsewhere, and forgotten after one of their own', () => {
    const text = 'one two three';
    const part = { start: 4, end: 7 };
    expect(movedPart(part, text, 'zero one two three'), 'before').toEqual({ start: 9, end: 12 });
    expect(movedPart(part, text, 'one two three four'), 'behind').toEqual(part);
    expect(movedPart(part, text, 'one two, three'), 'right behind').toEqual(part);
    expect(movedPart(part, text, 'one tXwo three'), 'within').toBeNull();
    expect(movedPart(part, text, 'three'), 'taken out').toBeNull();
    expect(movedPart(part, text, ''), 'all of it').toBeNull();
  });

  it('have a place that moves with the text', () => {
    expect(movedPlace(3, 'abcdef', 'abXcdef'), 'typed before it').toBe(4);
    expect(movedPlace(3, 'abcdef', 'abcXdef'), 'typed at it: the words come behind').toBe(4);
    expect(movedPlace(3, 'abcdef', 'abcdXef'), 'typed behind it').toBe(3);
    expect(movedPlace(3, 'abcdef', 'af'), 'taken out around it').toBe(1);
    expect(edit('aaa', 'aa')).toEqual({ at: 2, taken: 1, put: 0 });
  });
});

describe('the key', () => {
  const key = { key: 'd', ctrlKey: true, metaKey: false, shiftKey: false, altKey: false, repeat: false };

  it('is Ctrl D alone, and is up when either is', () => {
    expect(isSpeakKey({ ...key, isComposing: false })).toBe(true);
    expect(isSpeakKey({ ...key, key: 'D', ctrlKey: false, metaKey: true, isComposing: false })).toBe(true);
    expect(isSpeakKey({ ...key, ctrlKey: false, isComposing: false }), 'a letter is a letter').toBe(false);
    expect(isSpeakKey({ ...key, shiftKey: true, isComposing: false })).toBe(false);
    expect(['d', 'D', 'Control', 'Meta', 'x', 'Shift'].map((name) => isSpeakKeyUp({ key: name }))).toEqual([
      ...[true, true, true, true],
      ...[false, false],
    ]);
  });
});

describe('a model', () => {
  const model = (name: string, over: Partial<SpeechModel> = {}): SpeechModel => ({
    ...{ name, english_only: false, bytes: 80_000_000, memory_bytes: 1, recommended: false, imported: false },
    state: { state: 'absent' },
    ...over,
  });

  it('has a name that people read', () => {
    const names = ['tiny.en-q8_0', 'base-q8_0', 'large-v3-turbo-q5_0', 'large-v3'];
    expect(names.map((name) => nameOf(model(name)))).toEqual(['Tiny', 'Base', 'Large v3 turbo', 'Large v3']);
    expect(names.map((name) => packingOf(model(name)))).toEqual(['q8_0', 'q8_0', 'q5_0', '']);
    expect(nameOf(model('mine.en-q8_0.bin', { imported: true })), 'a file is called as it is').toBe(
      'mine.en-q8_0.bin',
    );
  });

  it('says how far it is and how long it takes', () => {
    const coming = model('base', { state: { state: 'downloading', done: 20_000_000, speed: 5_000_000 } });
    expect([percentOf(coming), leftOf(coming)]).toEqual([25, 12_000]);
    const stuck = model('base', { state: { state: 'downloading', done: 0, speed: 0 } });
    expect([percentOf(stuck), leftOf(stuck)], 'without speed nobody knows').toEqual([0, null]);
    const paused = model('base', { state: { state: 'paused', done: 90_000_000, fault: null } });
    expect([percentOf(paused), percentOf(model('base'))]).toEqual([100, null]);
    expect([43_600_000, 1_200_000, 3_095_000_000].map(volume)).toEqual(['44 MB', '1.2 MB', '3.1 GB']);
  });
});
