// What is attached: looking at it, drawing on it, and getting the original back.
import { fireEvent, screen } from '@testing-library/svelte';
import { tick } from 'svelte';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { arrowHead, boxOf, drawnName, isSlip, POINTS, withPoint, type Point } from '../src/annotate/marks';
import { boundedSize, openPicture, PICTURE_PIXELS, READABLE_PIXELS, render } from '../src/annotate/picture';
import { Sketch } from '../src/annotate/sketch.svelte';
import { ATTACHMENT_BYTES } from '../src/reply/rules';
import { AnsweringGate, shown } from './answering-help';
import { fault, view } from './fake-gate';

/** What pictures turn out to be: their size, or null for what is none. */
let natural: { width: number; height: number } | null;
/** What was painted, by name, and how large the PNGs that come out are. */
let painted: string[];
let sizes: number[];
/** How large each picture is that was made. */
let made: [width: number, height: number][];

class FakeImage {
  onload: (() => void) | null = null;
  onerror: (() => void) | null = null;
  get naturalWidth() {
    return natural?.width ?? 0;
  }
  get naturalHeight() {
    return natural?.height ?? 0;
  }
  set src(_: string) {
    queueMicrotask(() => (natural ? this.onload?.() : this.onerror?.()));
  }
}

function fakePen(): CanvasRenderingContext2D {
  const known: Record<string, unknown> = {};
  return new Proxy(known, {
    get: (target, name: string) => target[name] ?? ((..._: unknown[]) => void painted.push(name)),
    set: (target, name: string, value) => {
      target[name] = value;
      return true;
    },
  }) as unknown as CanvasRenderingContext2D;
}

beforeEach(() => {
  natural = { width: 400, height: 300 };
  painted = [];
  sizes = [];
  made = [];
  vi.stubGlobal('Image', FakeImage);
  let urls = 0;
  URL.createObjectURL = () => `blob:fake-${(urls += 1)}`;
  URL.revokeObjectURL = () => undefined;
  vi.spyOn(HTMLCanvasElement.prototype, 'getContext').mockImplementation(fakePen as never);
  vi.spyOn(HTMLCanvasElement.prototype, 'toBlob').mockImplementation(function (
    this: HTMLCanvasElement,
    done,
  ) {
    made.push([this.width, this.height]);
    const blob = new Blob(['png'], { type: 'image/png' });
    const size = sizes.shift();
    if (size) Object.defineProperty(blob, 'size', { value: size });
    done(blob);
  });
  // jsdom lays nothing out: the stage needs room to be drawn on.
  vi.spyOn(HTMLElement.prototype, 'clientWidth', 'get').mockReturnValue(824);
  vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(624);
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

const picture = () => new File(['x'], 'shot.jpg', { type: 'image/jpeg' });

async function attached(gate: AnsweringGate, ...files: File[]) {
  gate.types = { ...gate.types, jpg: 'image/jpeg' };
  const window = await shown(gate);
  await window.review.reply?.attach(files);
  await tick();
  return window;
}

async function drawing(gate: AnsweringGate) {
  const window = await attached(gate, picture());
  await fireEvent.click(screen.getByTestId('attachment-draw'));
  const canvas = await screen.findByTestId('draw-canvas');
  /** A box by keys: the cross begins in the middle. */
  const box = async () => {
    for (const key of ['b', 'ArrowLeft', ' ', 'ArrowRight', 'ArrowRight', 'ArrowDown', ' '])
      await fireEvent.keyDown(canvas, { key, shiftKey: true });
  };
  return { ...window, canvas, box };
}

describe('an attached file', () => {
  it('shows its first lines when it is a text, and more of it when it is opened', async () => {
    const gate = new AnsweringGate([view('a')]);
    const text = new File(['one\ntwo\nthree\nfour\nfive'], 'notes.txt', { type: 'text/plain' });
    await attached(gate, text);
    const chip = screen.getByTestId('attachment');
    await expect.poll(() => chip.querySelector('pre')?.textContent).toBe('one\ntwo\nthree\nfour');
    await fireEvent.click(screen.getByTestId('attachment-view'));
    expect((await screen.findByTestId('view-text')).textContent).toBe('one\ntwo\nthree\nfour\nfive');
    await fireEvent.keyDown(screen.getByTestId('file-view'), { key: 'Escape' });
    expect(screen.queryByTestId('file-view')).toBeNull();
    expect(gate.hidden, 'Escape closed it, not the window').toBe(0);
  });

  it('says on its chip why it couldn’t be stored', async () => {
    const gate = new AnsweringGate([view('a')]);
    gate.meddle = (command) => (command.command === 'attach' ? fault('disk_full') : undefined);
    await attached(gate, picture());
    await expect
      .poll(() => screen.getByTestId('attachment').textContent)
      .toContain('It failed: disk_full. Mend it.');
  });

  it('is enlarged by keys and buttons when it is a picture', async () => {
    const gate = new AnsweringGate([view('a')]);
    await attached(gate, picture());
    await fireEvent.click(screen.getByTestId('attachment-view'));
    const large = (await screen.findByTestId('file-view')).querySelector('img');
    if (!large) throw new Error('the picture is shown');
    Object.defineProperty(large, 'naturalWidth', { value: 400 });
    Object.defineProperty(large, 'naturalHeight', { value: 300 });
    await fireEvent.load(large);
    await fireEvent.keyDown(screen.getByTestId('file-view'), { key: '1' });
    expect(screen.getByTestId('zoom-level').textContent).toBe('100 %');
    await fireEvent.keyDown(screen.getByTestId('file-view'), { key: '+' });
    expect(screen.getByTestId('zoom-level').textContent).toBe('150 %');
    await fireEvent.click(screen.getByTestId('zoom-out'));
    expect(screen.getByTestId('zoom-level').textContent).toBe('100 %');
    expect(large.style.getPropertyValue('--width')).toBe('400px');
  });

  it('says so when its bytes are no picture', async () => {
    const gate = new AnsweringGate([view('a')]);
    await attached(gate, picture());
    await fireEvent.click(screen.getByTestId('attachment-view'));
    const large = (await screen.findByTestId('file-view')).querySelector('img');
    if (large) await fireEvent.error(large);
    expect(screen.getByTestId('view-broken').textContent).toContain('damaged');
    expect(screen.queryByTestId('view-draw'), 'nor can it be drawn on').toBeNull();
  });
});

describe('drawing on a picture', () => {
  it('takes its place as a PNG, and the original comes back', async () => {
    const gate = new AnsweringGate([view('a')]);
    const { review, box } = await drawing(gate);
    await box();
    await fireEvent.click(screen.getByTestId('draw-done'));
    await expect.poll(() => screen.queryByTestId('annotator')).toBeNull();
    expect(painted, 'the box is in it').toContain('strokeRect');
    expect(gate.given('attach').map((each) => each.name)).toEqual(['shot.jpg', 'shot-annotated.png']);
    expect(review.reply?.draft().attachments, 'one file, another picture').toEqual(['file-2']);
    expect(screen.getByTestId('attachment').textContent).toContain('shot-annotated.png');
    await fireEvent.click(screen.getByTestId('attachment-restore'));
    expect(review.reply?.draft().attachments).toEqual(['file-1']);
    expect(screen.getByTestId('attachment').textContent).toContain('shot.jpg');
    expect(screen.queryByTestId('attachment-restore')).toBeNull();
  });

  it('leaves a way back to the original after the reply was taken back', async () => {
    const gate = new AnsweringGate([view('a')]);
    const { review, box } = await drawing(gate);
    await box();
    await fireEvent.click(screen.getByTestId('draw-done'));
    await screen.findByTestId('attachment-restore');
    await review.send(null);
    await review.undo();
    await fireEvent.click(await screen.findByTestId('attachment-restore'));
    expect(review.reply?.draft().attachments).toEqual(['file-1']);
  });

  it('goes back and forth, and asks before it is thrown away', async () => {
    const gate = new AnsweringGate([view('a')]);
    const { box, canvas } = await drawing(gate);
    await box();
    await fireEvent.keyDown(canvas, { key: 'z', ctrlKey: true });
    expect(screen.getByTestId<HTMLButtonElement>('draw-redo').disabled).toBe(false);
    await fireEvent.keyDown(canvas, { key: 'Z', ctrlKey: true, shiftKey: true });
    expect(screen.getByTestId<HTMLButtonElement>('draw-redo').disabled).toBe(true);
    await fireEvent.keyDown(canvas, { key: 'Escape' });
    expect(screen.getByTestId('annotator').textContent, 'it asks').toContain('Leave without');
    expect(gate.hidden).toBe(0);
    await fireEvent.click(screen.getByTestId('draw-leave'));
    expect(screen.queryByTestId('annotator')).toBeNull();
    expect(gate.given('attach').length, 'nothing was stored').toBe(1);
  });

  it('keeps what was drawn when it can’t be stored', async () => {
    const gate = new AnsweringGate([view('a')]);
    const { review, box } = await drawing(gate);
    await box();
    gate.meddle = (command) => (command.command === 'attach' ? fault('disk_full') : undefined);
    await fireEvent.click(screen.getByTestId('draw-done'));
    await expect.poll(() => screen.getByTestId('annotator').textContent).toContain('disk_full');
    expect(review.reply?.draft().attachments, 'the picture is what it was').toEqual(['file-1']);
    gate.meddle = () => undefined;
    await fireEvent.click(screen.getByTestId('draw-done'));
    await expect.poll(() => review.reply?.draft().attachments).toEqual(['file-2']);
  });

  it('says so when the picture is broken, and leaves it attached', async () => {
    natural = null;
    const gate = new AnsweringGate([view('a')]);
    const { review } = await attached(gate, picture());
    await fireEvent.click(screen.getByTestId('attachment-draw'));
    expect((await screen.findByTestId('draw-problem')).textContent).toContain('damaged');
    expect(screen.getByTestId<HTMLButtonElement>('draw-done').disabled).toBe(true);
    await fireEvent.click(screen.getByTestId('draw-cancel'));
    expect(screen.queryByTestId('annotator')).toBeNull();
    expect(review.reply?.draft().attachments).toEqual(['file-1']);
  });

  it('says when a large picture is kept smaller', async () => {
    natural = { width: 10_000, height: 6_000 };
    const gate = new AnsweringGate([view('a')]);
    await drawing(gate);
    expect(screen.getByTestId('annotator').textContent).toContain('60 megapixels');
  });

  it('is cropped to what was chosen, whether Enter follows or the crop is still open', async () => {
    const gate = new AnsweringGate([view('a')]);
    const { canvas } = await drawing(gate);
    canvas.setPointerCapture = () => undefined;
    await fireEvent.click(screen.getByTestId('tool-crop'));
    const pointer = (way: string, x: number, y: number) =>
      fireEvent(
        canvas,
        new MouseEvent(`pointer${way}`, { button: 0, clientX: x, clientY: y, bubbles: true }),
      );
    await pointer('down', 20, 20);
    await pointer('move', 220, 170);
    await pointer('up', 220, 170);
    for (const key of ['Enter', 'Enter']) await fireEvent.keyDown(canvas, { key });
    await fireEvent.keyDown(canvas, { key: 'Enter', ctrlKey: true });
    await expect.poll(() => screen.queryByTestId('annotator')).toBeNull();
    expect(made, 'twice as large on the screen').toEqual([[100, 75]]);

    await fireEvent.click(screen.getByTestId('attachment-draw'));
    const again = await screen.findByTestId('draw-canvas');
    for (const key of ['c', ' ', 'ArrowRight', 'ArrowRight', 'ArrowDown'])
      await fireEvent.keyDown(again, { key, shiftKey: true });
    await fireEvent.keyDown(again, { key: 'Enter', ctrlKey: true });
    await expect.poll(() => screen.queryByTestId('annotator')).toBeNull();
    expect(made.at(-1), 'where the keys had come to').toEqual([40, 20]);
  });

  it('writes text where the pointer was, and one click elsewhere takes it', async () => {
    const gate = new AnsweringGate([view('a')]);
    const { canvas } = await drawing(gate);
    canvas.setPointerCapture = () => undefined;
    await fireEvent.click(screen.getByTestId('tool-text'));
    // jsdom's pointer events have no place.
    const press = (x: number, y: number) =>
      fireEvent(canvas, new MouseEvent('pointerdown', { button: 0, clientX: x, clientY: y, bubbles: true }));
    await press(20, 20);
    const field = screen.getByTestId<HTMLInputElement>('draw-text');
    await fireEvent.input(field, { target: { value: 'Why?' } });
    await fireEvent.keyDown(field, { key: 'c' });
    await press(90, 90);
    expect(screen.queryByTestId('draw-text'), 'it is taken').toBeNull();
    expect(painted).toContain('fillText');
    expect(screen.getByTestId('tool-text').getAttribute('aria-pressed'), 'letters are letters').toBe('true');
  });
});

describe('the bounds of a picture', () => {
  it('hold while it is read and while it is made', async () => {
    expect(boundedSize(400, 300)).toEqual({ width: 400, height: 300 });
    const bounded = boundedSize(20_000, 10_000);
    expect(bounded.width * bounded.height).toBeLessThanOrEqual(PICTURE_PIXELS);
    expect(bounded.width / bounded.height, 'its shape stays').toBeCloseTo(2, 2);
    natural = { width: 20_000, height: 20_000 };
    await expect(openPicture('blob:x')).rejects.toThrow(`up to ${READABLE_PIXELS / 1e6}`);
    natural = { width: 400, height: 300 };
    const opened = await openPicture('blob:x');
    sizes = [ATTACHMENT_BYTES * 4, ATTACHMENT_BYTES];
    const smaller = await render(opened);
    expect([smaller.smaller, smaller.width < 220], 'too large a file becomes a smaller picture').toEqual([
      true,
      true,
    ]);
    sizes = Array.from({ length: 20 }, () => ATTACHMENT_BYTES * 2);
    await expect(render(opened), 'and doesn’t try for ever').rejects.toThrow('can’t be made');
  });

  it('hold for marks', () => {
    expect(boxOf({ x: -20, y: 90 }, { x: 50.4, y: 10 }, 100, 80)).toEqual({
      x: 0,
      y: 10,
      width: 51,
      height: 70,
    });
    expect(boxOf({ x: 5, y: 5 }, { x: 6, y: 60 }, 100, 80), 'nothing would be left').toBeNull();
    expect(isSlip({ x: 0, y: 0 }, { x: 1, y: 1 }, 5)).toBe(true);
    const stroke = Array.from({ length: POINTS + 50 }, (_, x) => ({ x: x * 9, y: 0 })).reduce<
      readonly Point[]
    >((points, next) => withPoint(points, next, 5), []);
    expect(stroke.length).toBe(POINTS);
    expect(withPoint([{ x: 0, y: 0 }], { x: 0.1, y: 0 }, 5).length, 'what isn’t seen isn’t kept').toBe(1);
    expect(arrowHead({ x: 0, y: 0 }, { x: 100, y: 0 }, 4)[0], 'the tip is where it points').toEqual({
      x: 100,
      y: 0,
    });
    expect(drawnName('a.b.jpeg')).toBe('a.b-annotated.png');
    expect(drawnName('shot-annotated.png')).toBe('shot-annotated.png');
  });

  it('a step back leaves what came before', () => {
    const sketch = new Sketch();
    sketch.add({ kind: 'text', at: { x: 0, y: 0 }, text: 'a', colour: 'red', weight: 9 });
    sketch.crop({ x: 0, y: 0, width: 9, height: 9 });
    sketch.undo();
    expect(sketch.drawing).toMatchObject({ crop: null, marks: [{ text: 'a' }] });
    sketch.undo();
    expect(sketch.changed).toBe(false);
    sketch.redo();
    sketch.add({ kind: 'text', at: { x: 0, y: 0 }, text: 'b', colour: 'red', weight: 9 });
    expect(sketch.canRedo, 'another way was taken').toBe(false);
  });
});
