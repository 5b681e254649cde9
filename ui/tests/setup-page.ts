// What a page in a test needs beyond jsdom.
import { configure } from '@testing-library/svelte';
import { standingNotes } from '../src/components/standing-notes';
import { extras } from '../src/reply/extras';
import { marking } from '../src/shown/marking.svelte';
import { beAtPage } from './armed';

// A busy machine is slow, not wrong.
configure({ asyncUtilTimeout: 10_000 });

beAtPage();

// Nobody in a test is as slow as a page is calm.
await Promise.all([extras.load(), marking.load(), standingNotes.load()]);

// What jsdom lacks of a browser and the page uses: it lays nothing out, so no size ever changes.
globalThis.ResizeObserver ??= class {
  observe(): void {}
  unobserve(): void {}
  disconnect(): void {}
};

Range.prototype.getClientRects ??= () => [] as unknown as DOMRectList;
Range.prototype.getBoundingClientRect ??= () => new DOMRect();
