// Where the programs of a command lie, as a person reads it.
import { cleanup, screen } from '@testing-library/svelte';
import { afterEach, beforeAll, expect, it } from 'vitest';
import './lazy';
import { permissions } from '../src/permissions/permissions';
import { asked, question, shown } from './permission-help';

beforeAll(() => permissions.load());
afterEach(cleanup);

it('says where each lies, where a link leads, and what the agent may have written', async () => {
  const programs = [
    { name: 'npm', path: '/usr/bin/npm', leads_to: '/usr/lib/npm-cli.js' },
    { name: './run', path: '/code/app/./run', inside: true },
    { name: 'gone' },
  ];
  await shown(question('a', asked({ programs })));
  expect(screen.getByTestId('permission-places').textContent?.split('\n')).toEqual([
    '/usr/bin/npm → /usr/lib/npm-cli.js',
    '/code/app/./run (in the folder: its agent may have written it)',
    'gone: not found',
  ]);
});

it('says nothing where nothing was looked up', async () => {
  await shown(question('a'));
  expect(screen.queryByTestId('permission-places')).toBeNull();
});
