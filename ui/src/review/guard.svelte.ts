// Stands between the person's hands and what sends: tells an `Arming` what happens on the page, keeps keys away until
// they are meant for it, and says so where it does.
import { Arming, type Refusal } from './arming';

/** How long it is said that nothing was done, in milliseconds. */
export const SAID = 4_000;
/** How late an event may be heard of, in milliseconds, before its own time counts for nothing. */
const LATEST = 5_000;
/** Keys that do nothing alone. */
const HELD = ['Shift', 'Control', 'Meta', 'Alt', 'AltGraph', 'CapsLock'];

/** Who acts here: when they last had something come up themselves, by `performance.now()`. */
export interface Person {
  acted: number;
}

/** When an event happened: not when a busy page comes to it. */
function when(event: Event): number {
  const now = performance.now();
  return event.timeStamp <= now && event.timeStamp > now - LATEST ? event.timeStamp : now;
}

/** Whether it lies on the page before it is pressed: fingers and pens come when they touch. */
function isMouse(event: PointerEvent): boolean {
  return event.pointerType !== 'touch' && event.pointerType !== 'pen';
}

/** Which keys it keeps away: none, those typed in what it guards, or all that the window hears. */
export type Keys = 'none' | 'inside' | 'all';

export class Guard {
  /** What the person may do by now. */
  may = $state.raw<'nothing' | 'write' | 'send'>('nothing');
  /** When what sends is armed, by `performance.now()`; never, as long as it isn't known. */
  armedAt = $state.raw(Infinity);
  /** Why nothing was done a moment ago; `typed` where it was a key that means nothing yet. */
  refused = $state.raw<Refusal | 'typed' | null>(null);

  #arming = new Arming();
  #person: Person;
  #keys: Keys;
  #root: HTMLElement | undefined;
  /** Whether what is guarded has room on the page. */
  #shown = true;
  #visible = false;
  #turn = 0;
  #armed: ReturnType<typeof setTimeout> | undefined;
  #said: ReturnType<typeof setTimeout> | undefined;

  constructor(keys: Keys, person: Person = { acted: -Infinity }) {
    this.#keys = keys;
    this.#person = person;
  }

  /** Watches over what stands in `root` from now on; answers how to stop. */
  attend(root: HTMLElement): () => void {
    this.#root = root;
    const stop = new AbortController();
    const hear = <E extends Event>(
      target: EventTarget,
      types: string,
      act: (event: E) => void,
      capture = true,
    ) => {
      for (const type of types.split(' '))
        target.addEventListener(type, act as EventListener, { capture, signal: stop.signal });
    };
    hear<KeyboardEvent>(window, 'keydown', (event) => this.#key(event));
    hear<ClipboardEvent>(window, 'paste', (event) => this.#paste(event));
    hear<PointerEvent>(window, 'pointerdown', (event) => this.#press(event));
    hear<PointerEvent>(window, 'pointermove', (event) => {
      // A further button goes down while one is held.
      if (event.button >= 0 && event.buttons > 0) this.#press(event);
      else this.#point(event);
    });
    // Of the page itself: with `capture` all that lies in it would be heard, too.
    hear<PointerEvent>(document.documentElement, 'pointerenter', (event) => this.#point(event, true), false);
    hear(document.documentElement, 'pointerleave', () => this.#arming.out(), false);
    hear<FocusEvent>(window, 'focus blur', (event) => {
      // Elements tell of theirs, too: one with the focus that is taken off the page even while that is being drawn,
      // when nothing may be changed.
      const focused = event.target instanceof Node ? null : event.type === 'focus';
      queueMicrotask(() => {
        if (!stop.signal.aborted) this.#look(focused ?? document.hasFocus());
      });
    });
    hear(document, 'visibilitychange', () => this.#look());
    const room = new ResizeObserver(() => {
      this.#shown = root.offsetWidth > 0;
      this.#look();
    });
    room.observe(root);
    this.#look();
    return () => {
      stop.abort();
      room.disconnect();
      this.#turn += 1;
      clearTimeout(this.#armed);
      clearTimeout(this.#said);
    };
  }

  /** Something else stands there. */
  stands(): void {
    this.#arming.stands(performance.now(), this.#person.acted);
    this.#paint();
  }

  /** What can be pressed there is something else. */
  changes(): void {
    this.#arming.changes(performance.now());
    this.#paint();
  }

  /** The person has had it come up. */
  acts(): void {
    this.#arming.acts();
    this.#tell();
  }

  /** Whether an act that sends is meant: a click, a key, or what a screen reader does. Says why it isn't. */
  lets(event: Event): boolean {
    const pressed = event.type === 'click' && event instanceof MouseEvent && event.detail > 0;
    const refusal = pressed ? this.#arming.clicked() : this.#arming.sends(when(event));
    if (refusal) {
      // Of a double click the first one said all there is to say.
      if (!pressed || event.detail <= 1) this.#say(refusal);
    } else {
      this.refused = null;
      this.#person.acted = when(event);
    }
    return refusal === null;
  }

  /** Whether a key that writes is meant. Says that it isn't. */
  writes(event: Event): boolean {
    const writes = this.#arming.writes(when(event));
    if (!writes) this.#say('typed');
    return writes;
  }

  #key(event: KeyboardEvent): void {
    const writes = this.#arming.key(when(event));
    this.#tell();
    if (!writes && this.#isMine(event) && !HELD.includes(event.key)) this.#refuse(event);
  }

  /** A middle click pastes where it happens to be. */
  #paste(event: ClipboardEvent): void {
    if (this.#isMine(event) && !this.#arming.writes(when(event))) this.#refuse(event);
  }

  #press(event: PointerEvent): void {
    this.#point(event);
    if (this.#arming.press(when(event), isMouse(event))) this.#person.acted = when(event);
    this.#tell();
  }

  #point(event: PointerEvent, enters = false): void {
    if (isMouse(event)) this.#arming.point(event.screenX, event.screenY, enters);
  }

  #isMine(event: Event): boolean {
    if (this.#keys === 'all') return true;
    return (
      this.#keys === 'inside' && event.target instanceof Node && this.#root?.contains(event.target) === true
    );
  }

  #refuse(event: Event): void {
    event.preventDefault();
    event.stopImmediatePropagation();
    this.#say('typed');
  }

  #look(focused = document.hasFocus()): void {
    const visible = !document.hidden && this.#shown;
    const painted = visible !== this.#visible;
    this.#visible = visible;
    this.#arming.look(visible, focused, performance.now(), this.#person.acted);
    if (painted) this.#paint();
    else this.#tell();
  }

  /** What stands there is on the screen once two frames have passed: one that shows it has ended then. */
  #paint(): void {
    const turn = (this.#turn += 1);
    this.#tell();
    requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        if (turn !== this.#turn) return;
        this.#arming.painted(performance.now());
        this.#tell();
      }),
    );
  }

  #tell(): void {
    const now = performance.now();
    const { armedAt } = this.#arming;
    const may = now >= armedAt ? 'send' : this.#arming.writes(now) ? 'write' : 'nothing';
    this.may = may;
    this.armedAt = armedAt;
    // Not read again: whoever attends would begin anew with each change of it, and forget what is being painted.
    if (this.#root) this.#root.dataset['armed'] = may;
    clearTimeout(this.#armed);
    if (armedAt > now && armedAt < Infinity) this.#armed = setTimeout(() => this.#tell(), armedAt - now);
  }

  #say(why: Refusal | 'typed'): void {
    this.refused = why;
    clearTimeout(this.#said);
    this.#said = setTimeout(() => (this.refused = null), SAID);
  }
}
