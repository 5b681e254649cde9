// The End key in what grows while it is scrolled: texts are drawn as one comes near.
import type { Attachment } from 'svelte/attachments';
import { on } from 'svelte/events';
import { takesText } from '../state/keys';

/** After so many frames without a change nothing more grows. */
const STILL = 12;

/** An attachment for what scrolls: End leads to its end and follows it, until the person does something else. */
export function ending(): Attachment<HTMLElement> {
  return (node) => {
    let frame = 0;
    const stop = () => cancelAnimationFrame(frame);

    function follow(height = -1, still = 0) {
      const now = node.scrollHeight;
      const rest = now === height ? still + 1 : 0;
      if (node.scrollTop < now - node.clientHeight) node.scrollTop = now;
      if (rest < STILL) frame = requestAnimationFrame(() => follow(now, rest));
    }

    function onkeydown(event: KeyboardEvent) {
      stop();
      if (event.key !== 'End' || event.shiftKey || event.altKey || event.defaultPrevented) return;
      if (takesText(event.target)) return;
      event.preventDefault();
      follow();
    }

    const stops = [
      on(node, 'keydown', onkeydown),
      on(node, 'wheel', stop, { passive: true }),
      on(node, 'pointerdown', stop),
    ];
    return () => {
      stop();
      for (const each of stops) each();
    };
  };
}
