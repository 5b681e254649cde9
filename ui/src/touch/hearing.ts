// Hears when the gate wants a touch in this page; what speaks to the browser is loaded then.
import type { Main } from '../state/main.svelte';
import type { Touches } from './touches';

export function hearTouches(main: Main): void {
  let touches: Promise<Touches> | null = null;
  const loaded = () =>
    (touches ??= import('./touches').then(({ Touches }) => new Touches(main.inbox.review)));
  main.hears({
    touch_wanted: (event) => void loaded().then((touches) => touches.wanted(event)),
    touch_over: (event) => void touches?.then((touches) => touches.over(event.request_id)),
  });
}
