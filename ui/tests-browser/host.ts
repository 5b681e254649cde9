// Builds the windows over the fixtures and serves them to the browser for as long as the tests run.
import { execFileSync } from 'node:child_process';
import { createReadStream, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join, normalize } from 'node:path';
import type { TestProject } from 'vitest/node';
import { chromium } from './browser';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the fixtures are served; empty where there is no browser. */
    origin: string;
  }
}

/** Where axe-core is served, beside the windows: a script with an address is read once only. */
export const AXE = '/axe.js';

const root = join(import.meta.dirname, '..');

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

export default async function setup(project: TestProject): Promise<() => void> {
  if (!existsSync(chromium)) {
    console.warn(`There is no Chromium at ${chromium}: the tests in it are skipped. CHROMIUM names another.`);
    project.provide('origin', '');
    return () => undefined;
  }
  const folder = mkdtempSync(join(tmpdir(), 'review-gate-ui-'));
  // In a process of its own: this one is a test's, and would build the windows for one.
  const { VITEST: _vitest, NODE_ENV: _node, ...env } = process.env;
  const vite = join(root, 'node_modules/vite/bin/vite.js');
  execFileSync(
    process.execPath,
    [vite, 'build', '--mode', 'mock', '--outDir', folder, '--emptyOutDir', '--logLevel', 'warn'],
    { cwd: root, env, stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://host').pathname;
    const own = path === AXE;
    const file = own ? axe : join(folder, normalize(path === '/' ? '/index.html' : path));
    if (!(own || file.startsWith(folder)) || !existsSync(file) || !statSync(file).isFile()) {
      response.writeHead(path === '/favicon.ico' ? 204 : 404).end();
      return;
    }
    response.writeHead(200, {
      'content-type': TYPES[extname(file)] ?? 'application/octet-stream',
      // Nothing changes while the tests run.
      'cache-control': 'max-age=86400, immutable',
    });
    createReadStream(file).pipe(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // The name of the gate's own page: security keys are for that one.
  project.provide('origin', `http://localhost:${(server.address() as AddressInfo).port}`);
  return () => {
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  };
}
