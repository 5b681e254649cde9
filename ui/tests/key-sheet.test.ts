// @vitest-environment node
// The sheets of keys, in a window that has shown nothing yet.
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { KeyGroup } from '../src/state/key-sheet';

beforeEach(() => void vi.resetModules());

/** What a window says that has loaded nothing but this. */
async function unsaid(sheet: () => Promise<readonly KeyGroup[]>): Promise<string[]> {
  const groups = await sheet();
  const { t } = await import('../src/i18n/text.svelte');
  const ids = groups.flatMap(({ name, keys }) => [name, ...keys.map(([, meaning]) => meaning)]);
  return ids.filter((id) => t(id) === id);
}

describe('a sheet of keys', () => {
  it('has its words in the review window before a diff was seen', async () => {
    expect(await unsaid(async () => (await import('../src/state/key-sheet')).reviewKeys)).toEqual([]);
  });

  it('has its words in the main window before a prompt or a diff was seen', async () => {
    const main = async () => {
      await import('../src/i18n/words-main');
      return (await import('../src/state/main-key-sheet')).mainKeys();
    };
    expect(await unsaid(main)).toEqual([]);
  });
});
