// Keeps small what a window loads before it shows anything.
import { gzipSync } from 'node:zlib';
import type { Plugin, Rolldown } from 'vite';

/** Most bytes of JavaScript, gzipped, that a window may load before its first picture. */
const INITIAL_BYTES = 80_000;

/** What each window begins with, beside the entry: modules by the end of their paths. */
const WINDOWS = {
  review: ['src/App.svelte', 'src/review/review.svelte.ts', 'src/transport.ts'],
  main: ['src/MainApp.svelte', 'src/state/main.svelte.ts', 'src/transport.ts', 'src/inbox/InboxPage.svelte'],
};

/** Fails a build in which a window begins with too much, and says how much it is. */
export function budget(): Plugin {
  return {
    name: 'initial-javascript',
    generateBundle(_, bundle) {
      const chunks = Object.values(bundle).filter(
        (file): file is Rolldown.OutputChunk => file.type === 'chunk',
      );
      const holder = (module: string) =>
        chunks.find((chunk) => chunk.moduleIds.some((id) => id.endsWith(module)));
      const entry = chunks.find((chunk) => chunk.isEntry);
      for (const [window, modules] of Object.entries(WINDOWS)) {
        const needed = new Set<Rolldown.OutputChunk>();
        const need = (chunk: Rolldown.OutputChunk | undefined) => {
          if (!chunk || needed.has(chunk)) return;
          needed.add(chunk);
          for (const name of chunk.imports) need(chunks.find((other) => other.fileName === name));
        };
        need(entry);
        for (const module of modules) {
          const chunk = holder(module);
          if (!chunk) this.error(`${module} is in no chunk: mend the list in budget.ts`);
          need(chunk);
        }
        let bytes = 0;
        for (const chunk of needed) bytes += gzipSync(chunk.code, { level: 9 }).length;
        const measured = `the ${window} window begins with ${(bytes / 1000).toFixed(1)} kB of JavaScript, gzipped`;
        if (bytes > INITIAL_BYTES) {
          this.error(
            `${measured}; ${INITIAL_BYTES / 1000} kB are allowed. Load by import() what is needed later.`,
          );
        }
        this.info(measured);
      }
    },
  };
}
