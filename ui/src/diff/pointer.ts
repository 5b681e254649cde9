// Choosing lines with the pointer: a click, or a drag over lines, in the gutter of a diff.
import type { Side } from '../generated/Side';
import type { FileBody } from './body';
import type { Pane } from './pane.svelte';
import type { Part } from './parts';

/** So near to the edge the page scrolls while lines are chosen, and so far each time. In pixels. */
const EDGE = 40;
const STEP = 14;

export interface Found {
  body: FileBody;
  part: Extract<Part, { kind: 'line' }>;
  side: Side;
}

/** The line of a diff that an element is part of; null for one that is part of none. */
export function lineAt(pane: Pane, target: EventTarget | Element | null): Found | null {
  if (!(target instanceof Element)) return null;
  const line = target.closest<HTMLElement>('[data-part]');
  const file = target.closest<HTMLElement>('[data-file]');
  const body = pane.bodies[Number(file?.dataset.file ?? -1)];
  const part = body?.parts[body.indexOf(Number(line?.dataset.part ?? NaN))];
  if (!body || part?.kind !== 'line') return null;
  const half = target.closest<HTMLElement>('[data-side]') ?? line?.querySelector<HTMLElement>('[data-side]');
  return { body, part, side: half?.dataset.side === 'old' ? 'old' : 'new' };
}

const inGutter = (target: EventTarget | null) =>
  target instanceof Element && target.closest('.gutter') !== null;

/** Listens in the diff's list. `scroller` is what scrolls it. */
export function choosing(pane: Pane, scroller: () => HTMLElement): (list: HTMLElement) => () => void {
  return (list) => {
    /** Where the pointer was last while it drags. */
    let dragging: { x: number; y: number } | null = null;
    /** The click that ends a drag begins no comment of its own. */
    let dragged = false;
    let frame = 0;

    function pointerdown(event: PointerEvent) {
      dragged = false;
      const found = lineAt(pane, event.target);
      if (!found || event.button !== 0 || event.pointerType === 'touch') return;
      if (!inGutter(event.target)) {
        // The line that was clicked on is the one that the keys go on from.
        if (!event.shiftKey) pane.cursor.to(found.body.index, found.part, found.side);
        return;
      }
      if (event.shiftKey || !pane.reply.takesComments) return;
      pane.cursor.choose(found.body.index, found.part, found.side, false);
      dragging = { x: event.clientX, y: event.clientY };
      window.addEventListener('pointermove', pointermove);
      window.addEventListener('pointerup', pointerup);
      window.addEventListener('pointercancel', stop);
    }

    function reach() {
      if (!dragging) return;
      const within = scroller().getBoundingClientRect();
      const y = Math.min(within.bottom - 2, Math.max(within.top + 2, dragging.y));
      const found = lineAt(pane, document.elementFromPoint(dragging.x, y));
      if (!found) return;
      const { span } = pane.cursor;
      if (!span || found.body.index !== span.file || found.part.hunk !== span.hunk) return;
      pane.cursor.choose(found.body.index, found.part, found.side, true);
      if (pane.cursor.span && pane.cursor.span.from !== pane.cursor.span.to) dragged = true;
    }

    function pointermove(event: PointerEvent) {
      dragging = { x: event.clientX, y: event.clientY };
      reach();
      if (frame === 0) frame = requestAnimationFrame(roll);
    }

    /** Scrolls on while the pointer rests at the edge. */
    function roll() {
      frame = 0;
      if (!dragging) return;
      const { top, bottom } = scroller().getBoundingClientRect();
      const above = dragging.y < top + EDGE;
      if (!above && dragging.y < bottom - EDGE) return;
      scroller().scrollTop += above ? -STEP : STEP;
      reach();
      frame = requestAnimationFrame(roll);
    }

    function pointerup() {
      const { span } = pane.cursor;
      stop();
      if (dragged && span && span.from !== span.to) pane.comment();
    }

    function stop() {
      dragging = null;
      cancelAnimationFrame(frame);
      frame = 0;
      window.removeEventListener('pointermove', pointermove);
      window.removeEventListener('pointerup', pointerup);
      window.removeEventListener('pointercancel', stop);
    }

    function click(event: MouseEvent) {
      const found = lineAt(pane, event.target);
      if (!found || !inGutter(event.target) || dragged) return;
      event.stopPropagation();
      pane.cursor.choose(found.body.index, found.part, found.side, event.shiftKey);
      pane.comment();
    }

    list.addEventListener('pointerdown', pointerdown);
    list.addEventListener('click', click);
    return () => {
      stop();
      list.removeEventListener('pointerdown', pointerdown);
      list.removeEventListener('click', click);
    };
  };
}
