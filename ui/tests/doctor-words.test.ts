// @vitest-environment node
// The words of what the doctor finds come with its page, whatever other pages have brought before it.
import { expect, it } from 'vitest';
import { read } from './sources';

/** The areas of words that a file of them brings, with those that it imports. */
function areasOf(file: string): string[] {
  const text = read(`src/i18n/${file}.ts`);
  const own = [...text.matchAll(/locales\/en\/([\w-]+)\.ftl/g)].map(([, area]) => area as string);
  const others = [...text.matchAll(/^import '\.\/(words-[\w-]+)';$/gm)].map(([, other]) => other as string);
  return [...own, ...others.flatMap(areasOf)];
}

it.each(['doctor', 'check', 'finding', 'client'])('brings what is said of: %s', (area) => {
  expect(areasOf('words-doctor'), 'a finding’s sentence, and not its name').toContain(area);
});
