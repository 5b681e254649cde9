// What can be drawn on a picture, as data: places are pixels of the picture. Pure.

export interface Point {
  x: number;
  y: number;
}

export interface Box extends Point {
  width: number;
  height: number;
}

export const TOOLS = ['pen', 'box', 'arrow', 'text', 'crop'] as const;
export type Tool = (typeof TOOLS)[number];

/** The colours that are drawn in. They belong to the picture, whatever the window's theme is. */
export const COLOURS = {
  red: '#e5252a',
  amber: '#f59e0b',
  green: '#16a34a',
  blue: '#2563eb',
  black: '#18181c',
  white: '#ffffff',
} as const;
export type Colour = keyof typeof COLOURS;

/** Line widths and letter heights, in pixels of the screen while drawing. */
export const THICKNESSES = [
  { line: 2.5, letters: 15 },
  { line: 5, letters: 22 },
  { line: 10, letters: 34 },
] as const;

/** Most marks on one picture, points of one stroke, and characters of one text. */
export const MARKS = 1000;
export const POINTS = 4000;
export const TEXT_CHARS = 200;

interface Drawn {
  colour: Colour;
  /** Width of the line, or height of the letters, in pixels of the picture. */
  weight: number;
}

export type Mark = Drawn &
  (
    | { kind: 'pen'; points: readonly Point[] }
    | { kind: 'box' | 'arrow'; from: Point; to: Point }
    | { kind: 'text'; at: Point; text: string }
  );

/** Everything that was drawn, and the part of the picture that stays. */
export interface Drawing {
  marks: readonly Mark[];
  crop: Box | null;
}

export const BLANK: Drawing = { marks: [], crop: null };

/** The box between two corners, inside of a picture of this size; null where nothing would be left of it. */
export function boxOf(a: Point, b: Point, width: number, height: number): Box | null {
  const clamp = (value: number, most: number) => Math.min(most, Math.max(0, value));
  const left = Math.floor(clamp(Math.min(a.x, b.x), width));
  const top = Math.floor(clamp(Math.min(a.y, b.y), height));
  const right = Math.ceil(clamp(Math.max(a.x, b.x), width));
  const bottom = Math.ceil(clamp(Math.max(a.y, b.y), height));
  if (right - left < 4 || bottom - top < 4) return null;
  return { x: left, y: top, width: right - left, height: bottom - top };
}

/** Whether a shape is too small to have been meant: a click that slipped. */
export function isSlip(from: Point, to: Point, weight: number): boolean {
  return Math.hypot(to.x - from.x, to.y - from.y) < weight;
}

/** A stroke with one more point, where that is far enough from the last one to be seen and there is room. */
export function withPoint(points: readonly Point[], next: Point, weight: number): readonly Point[] {
  const last = points.at(-1);
  if (last && Math.hypot(next.x - last.x, next.y - last.y) < Math.max(0.5, weight / 6)) return points;
  return points.length >= POINTS ? points : [...points, next];
}

/** The three corners of an arrow's head, the tip first. */
export function arrowHead(from: Point, to: Point, weight: number): [Point, Point, Point] {
  const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  const size = Math.min(length, weight * 4.5);
  const along = { x: (to.x - from.x) / length, y: (to.y - from.y) / length };
  const base = { x: to.x - along.x * size, y: to.y - along.y * size };
  const half = size * 0.48;
  return [
    to,
    { x: base.x - along.y * half, y: base.y + along.x * half },
    { x: base.x + along.y * half, y: base.y - along.x * half },
  ];
}

/** What a drawn-on picture is called. */
export function drawnName(name: string): string {
  const stem = name.replace(/\.[^.]*$/, '').replace(/-annotated$/, '') || 'picture';
  return `${[...stem].slice(0, 200).join('')}-annotated.png`;
}
