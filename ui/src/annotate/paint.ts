// Drawings put on a canvas. The canvas is set up so that its units are pixels of the picture.
import { arrowHead, COLOURS, type Box, type Colour, type Mark } from './marks';

type Pen = CanvasRenderingContext2D;

/** Under every line a wider one, so that it is seen on any ground. */
const HALO = { light: 'rgb(255 255 255 / 70%)', dark: 'rgb(0 0 0 / 55%)' };
const LETTERS = 'system-ui, "Segoe UI", "Cantarell", "Noto Sans", "Liberation Sans", sans-serif';

const haloOf = (colour: Colour) => (colour === 'white' || colour === 'amber' ? HALO.dark : HALO.light);

/** Draws one mark. */
export function paint(pen: Pen, mark: Mark): void {
  pen.save();
  pen.lineCap = pen.lineJoin = 'round';
  if (mark.kind === 'text') {
    pen.font = `600 ${mark.weight}px ${LETTERS}`;
    pen.textBaseline = 'top';
    pen.lineWidth = mark.weight / 6;
    pen.strokeStyle = haloOf(mark.colour);
    pen.strokeText(mark.text, mark.at.x, mark.at.y);
    pen.fillStyle = COLOURS[mark.colour];
    pen.fillText(mark.text, mark.at.x, mark.at.y);
  } else {
    for (const halo of [true, false]) {
      const colour = halo ? haloOf(mark.colour) : COLOURS[mark.colour];
      pen.strokeStyle = pen.fillStyle = colour;
      pen.lineWidth = mark.weight + (halo ? Math.max(1.5, mark.weight * 0.35) : 0);
      trace(pen, mark);
    }
  }
  pen.restore();
}

function trace(pen: Pen, mark: Exclude<Mark, { kind: 'text' }>): void {
  pen.beginPath();
  if (mark.kind === 'pen') {
    const [first, ...rest] = mark.points;
    if (!first) return;
    pen.moveTo(first.x, first.y);
    // Through the middles between the points: a hand draws no corners.
    for (const [index, point] of rest.entries()) {
      const next = rest[index + 1];
      if (next) pen.quadraticCurveTo(point.x, point.y, (point.x + next.x) / 2, (point.y + next.y) / 2);
      else pen.lineTo(point.x, point.y);
    }
    if (rest.length === 0) pen.lineTo(first.x + 0.01, first.y);
    pen.stroke();
    return;
  }
  const { from, to } = mark;
  if (mark.kind === 'box') {
    pen.strokeRect(
      Math.min(from.x, to.x),
      Math.min(from.y, to.y),
      Math.abs(to.x - from.x),
      Math.abs(to.y - from.y),
    );
    return;
  }
  const [tip, left, right] = arrowHead(from, to, mark.weight);
  const neck = { x: (left.x + right.x) / 2, y: (left.y + right.y) / 2 };
  pen.moveTo(from.x, from.y);
  pen.lineTo(neck.x, neck.y);
  pen.stroke();
  pen.beginPath();
  pen.moveTo(tip.x, tip.y);
  pen.lineTo(left.x, left.y);
  pen.lineTo(right.x, right.y);
  pen.closePath();
  pen.fill();
  pen.lineWidth /= 2;
  pen.stroke();
}

/** Darkens what a crop takes away. */
export function shade(pen: Pen, crop: Box, width: number, height: number): void {
  pen.save();
  pen.fillStyle = 'rgb(0 0 0 / 58%)';
  pen.beginPath();
  pen.rect(0, 0, width, height);
  pen.rect(crop.x, crop.y, crop.width, crop.height);
  pen.fill('evenodd');
  pen.restore();
}
