// What is said of a session that is over, and how loudly: an agent that has ended as it should is no alarm, and nobody can
// tell it from one whose connection broke.
import { cleanup, render, screen } from '@testing-library/svelte';
import { afterEach, describe, expect, it } from 'vitest';
import StatusBadge from '../src/components/StatusBadge.svelte';
import type { SessionStatus } from '../src/generated/SessionStatus';
import { read } from './sources';

afterEach(cleanup);

const source = read('src/components/StatusBadge.svelte');

/** The colour that the badge’s own rules give this status, the last one that names it. */
function colour(status: SessionStatus): string | undefined {
  const style = /<style>([\s\S]*)<\/style>/.exec(source)?.[1] ?? '';
  const rules = [...style.matchAll(/([^{}]+)\{([^}]*)\}/g)].map(([, selectors, body]) => ({
    of: (selectors ?? '').split(',').map((selector) => selector.trim()),
    colour: /(?:^|[\s;])color:\s*var\((--[\w-]+)\)/.exec(body ?? '')?.[1],
  }));
  return rules
    .filter((rule) => rule.colour && rule.of.some((of) => of === '.status' || of === `.${status}`))
    .at(-1)?.colour;
}

describe('the badge of a session', () => {
  it.each([
    ['active', 'active', 'Its agent works, or may come back at any moment.', '--go-ink'],
    [
      'completed',
      'completed',
      'The agent said that its work is done, a question of the command line is over, or you closed it.',
      '--ink-3',
    ],
    ['timeout', 'gone quiet', 'Nothing was heard of it for a while.', '--ink-3'],
    ['stale', 'disconnected', 'Its agent’s program has ended, or its connection broke.', '--ink-3'],
  ] as const)('that is %s says so in its colour', (status, word, meaning, ink) => {
    const { container } = render(StatusBadge, { status });
    const badge = screen.getByText(word);
    expect(badge.title, 'and what it means').toBe(meaning);
    expect([...badge.classList].filter((name) => !name.startsWith('svelte-'))).toEqual(['status', status]);
    expect(badge.getAttribute('style'), 'its rules alone colour it').toBeNull();
    expect(colour(status)).toBe(ink);
    expect(container.textContent.trim(), 'nothing else is said').toBe(word);
  });

  it('has no colour of a warning or of a danger', () => {
    expect(source).not.toMatch(/--(warn|danger)/);
  });
});
