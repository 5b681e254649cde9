import { configure } from '@testing-library/svelte';

// A busy machine is slow, not wrong.
configure({ asyncUtilTimeout: 10_000 });

// What jsdom lacks of a browser and the page uses: it lays nothing out, so no size ever changes.
globalThis.ResizeObserver ??= class {
  observe(): void {}
  unobserve(): void {}
  disconnect(): void {}
};
