// The pictures of all views, kept in `target/ui-pictures/`, and compared with those of the run before, which
// are in `before/` there.
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';

const folder = join(import.meta.dirname, '../../target/ui-pictures');
const before = join(folder, 'before');
const changes = join(folder, 'changed');
/** A channel of a pixel that differs by less looks the same. */
const SLIGHT = 8;

/** Puts away the pictures of the run before. */
export function begin(): void {
  const last = `${folder}-last`;
  rmSync(last, { recursive: true, force: true });
  if (existsSync(folder)) {
    rmSync(before, { recursive: true, force: true });
    rmSync(changes, { recursive: true, force: true });
    renameSync(folder, last);
  }
  mkdirSync(folder, { recursive: true });
  if (existsSync(last)) renameSync(last, before);
}

/** How a picture differs from another. */
interface Difference {
  /** How many pixels differ; all of them where the sizes do. */
  pixels: number;
  /** What differs, in red on a faded picture, as a PNG in base64. */
  shown: string;
}

/** Compares two pictures in a page, which can read them. */
function compare(page: Page, first: Buffer, second: Buffer): Promise<Difference> {
  return page.evaluate(
    async ([one, other, slight]) => {
      const read = async (base64: string) => {
        const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
        const picture = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
        const canvas = document.createElement('canvas');
        [canvas.width, canvas.height] = [picture.width, picture.height];
        const pen = canvas.getContext('2d');
        pen?.drawImage(picture, 0, 0);
        return { canvas, pen, data: pen?.getImageData(0, 0, picture.width, picture.height) };
      };
      const [was, is] = await Promise.all([read(one), read(other)]);
      const [from, to] = [was.data?.data, is.data?.data];
      if (!from || !to || !is.data || from.length !== to.length) return { pixels: 1e6, shown: other };
      let pixels = 0;
      for (let at = 0; at < to.length; at += 4) {
        let most = 0;
        for (let channel = at; channel < at + 3; channel += 1)
          most = Math.max(most, Math.abs((from[channel] ?? 0) - (to[channel] ?? 0)));
        if (most >= slight) pixels += 1;
        const faded = most >= slight ? null : 200 + (to[at + 1] ?? 0) / 5;
        to.set(faded === null ? [220, 0, 40, 255] : [faded, faded, faded, 255], at);
      }
      is.pen?.putImageData(is.data, 0, 0);
      return { pixels, shown: is.canvas.toDataURL('image/png').split(',')[1] ?? '' };
    },
    [first.toString('base64'), second.toString('base64'), SLIGHT] as const,
  );
}

export class Pictures {
  /** Those that differ from the run before, with the number of pixels that do. */
  readonly changed: string[] = [];
  /** How many there were in the run before. */
  known = 0;
  #context: BrowserContext;
  #reader: Page | null = null;

  constructor(context: BrowserContext) {
    mkdirSync(folder, { recursive: true });
    this.#context = context;
  }

  /** How many pixels of two pictures differ. */
  async difference(first: Buffer, second: Buffer): Promise<Difference> {
    if (first.equals(second)) return { pixels: 0, shown: '' };
    this.#reader ??= await this.#context.newPage();
    return compare(this.#reader, first, second);
  }

  /** Keeps a picture, and notes whether it is another than in the run before. */
  async keep(name: string, picture: Buffer): Promise<void> {
    writeFileSync(join(folder, `${name}.png`), picture);
    const last = join(before, `${name}.png`);
    if (!existsSync(last)) return;
    this.known += 1;
    const { pixels, shown } = await this.difference(readFileSync(last), picture);
    if (pixels === 0) return;
    this.changed.push(`${name} (${pixels})`);
    mkdirSync(changes, { recursive: true });
    writeFileSync(join(changes, `${name}.png`), Buffer.from(shown, 'base64'));
  }
}
