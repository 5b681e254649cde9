/// <reference types="vitest/config" />
// What only a real browser can say: `npm run test:browser`. Chromium is /usr/bin/chromium or what CHROMIUM names.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    environment: 'node',
    include: ['tests-browser/**/*.test.ts'],
    globalSetup: 'tests-browser/host.ts',
    // One page after the other: what is measured isn't to wait for another.
    fileParallelism: false,
    maxConcurrency: 2,
    testTimeout: 120_000,
    hookTimeout: 180_000,
  },
});
