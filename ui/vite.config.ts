/// <reference types="vitest/config" />
// Builds the windows. `VITE_MOCK=1` builds them over fixtures into dist-mock, for screenshots.
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { svelteTesting } from '@testing-library/svelte/vite';
import { defineConfig, loadEnv } from 'vite';
import { budget } from './budget.ts';

export default defineConfig(({ mode }) => ({
  base: './',
  plugins: [svelte(), svelteTesting(), ...(loadEnv(mode, '.').VITE_MOCK === '1' ? [] : [budget()])],
  build: {
    outDir: loadEnv(mode, '.').VITE_MOCK === '1' ? 'dist-mock' : 'dist',
    emptyOutDir: true,
    target: 'es2022',
    // The window loads from disk: preload hints buy nothing and their helper is code.
    modulePreload: false,
    // Everything comes from files of this folder: the content security policy allows nothing inline.
    assetsInlineLimit: 0,
  },
  server: { port: 5173, strictPort: true },
  test: {
    environment: 'jsdom',
    // Loading the product's modules costs more than all tests: the files of a thread share them, and each test leaves
    // them as it found them.
    pool: 'threads',
    isolate: false,
    include: ['tests/**/*.test.ts'],
    setupFiles: ['tests/setup.ts'],
    // A busy machine is slow, not wrong.
    testTimeout: 30_000,
    expect: { poll: { timeout: 10_000 } },
  },
}));
