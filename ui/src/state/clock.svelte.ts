// The present, for what is shown as “12 s ago”. Ticks only while someone looks.

class Clock {
  now = $state(Date.now());
  #timer: ReturnType<typeof setInterval> | undefined;

  /** Starts ticking. Answers how to stop. */
  run(): () => void {
    const tick = () => {
      if (!document.hidden) this.now = Date.now();
    };
    tick();
    this.#timer = setInterval(tick, 1000);
    document.addEventListener('visibilitychange', tick);
    return () => {
      clearInterval(this.#timer);
      document.removeEventListener('visibilitychange', tick);
    };
  }
}

export const clock = new Clock();
