// A picture that is drawn on: read, bounded, and made into a PNG with what was drawn.
import { t } from '../i18n/text.svelte';
import { ATTACHMENT_BYTES } from '../reply/rules';
import { BLANK, type Drawing } from './marks';
import { paint } from './paint';

/** Pixels of a picture that is drawn on; a larger one is scaled down to them. */
export const PICTURE_PIXELS = 40_000_000;
/** Pixels of a picture that is read at all: more would take the machine's memory. */
export const READABLE_PIXELS = 250_000_000;
/** How often a picture that has become too large is made smaller before giving up. */
const TRIES = 6;

export interface Picture {
  source: CanvasImageSource;
  /** Its size while it is drawn on. */
  width: number;
  height: number;
  /** Megapixels of the file where it had to be scaled down; else null. */
  from: number | null;
}

/** The size at which a picture of this size is drawn on. */
export function boundedSize(
  width: number,
  height: number,
  most = PICTURE_PIXELS,
): Pick<Picture, 'width' | 'height'> {
  const scale = Math.min(1, Math.sqrt(most / (width * height)));
  return { width: Math.max(1, Math.floor(width * scale)), height: Math.max(1, Math.floor(height * scale)) };
}

/** Reads a picture. Rejects with a sentence for the person where it isn't one, or is too large. */
export function openPicture(url: string): Promise<Picture> {
  return new Promise((resolve, reject) => {
    const image = new Image();
    image.onload = () => {
      const { naturalWidth: width, naturalHeight: height } = image;
      const pixels = width * height;
      if (pixels === 0) return reject(new Error(t('annotate-broken')));
      if (pixels > READABLE_PIXELS) {
        const values = { pixels: Math.round(pixels / 1e6), most: READABLE_PIXELS / 1e6 };
        return reject(new Error(t('annotate-too-large', values)));
      }
      const from = pixels > PICTURE_PIXELS ? Math.round(pixels / 1e6) : null;
      return resolve({ source: image, ...boundedSize(width, height), from });
    };
    image.onerror = () => reject(new Error(t('annotate-broken')));
    image.src = url;
  });
}

export interface Rendered {
  blob: Blob;
  width: number;
  height: number;
  /** Whether it had to become smaller to fit into an attachment. */
  smaller: boolean;
}

/** The picture with the drawing as a PNG that fits into an attachment. Rejects with a sentence for the person. */
export async function render(picture: Picture, drawing: Drawing = BLANK): Promise<Rendered> {
  const part = drawing.crop ?? { x: 0, y: 0, width: picture.width, height: picture.height };
  let scale = 1;
  for (let tried = 0; tried < TRIES; tried += 1) {
    const canvas = document.createElement('canvas');
    canvas.width = Math.max(1, Math.round(part.width * scale));
    canvas.height = Math.max(1, Math.round(part.height * scale));
    const pen = canvas.getContext('2d');
    if (!pen) break;
    pen.imageSmoothingQuality = 'high';
    pen.scale(scale, scale);
    pen.translate(-part.x, -part.y);
    pen.drawImage(picture.source, 0, 0, picture.width, picture.height);
    for (const mark of drawing.marks) paint(pen, mark);
    const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
    const { width, height } = canvas;
    // Its pixels are given back at once, not when memory runs short.
    canvas.width = canvas.height = 0;
    if (!blob) break;
    if (blob.size <= ATTACHMENT_BYTES) return { blob, width, height, smaller: tried > 0 };
    scale *= Math.sqrt(ATTACHMENT_BYTES / blob.size) * 0.92;
  }
  throw new Error(t('annotate-not-made'));
}
