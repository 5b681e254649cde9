// Prints the specification's JSON Schemas, by revision, as the official conformance suite carries them
// in its bundle. Argument: the suite's index.js.
import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';

const text = readFileSync(process.argv[2], 'utf8');

/** The object literal that begins at `from`, by its braces; strings are stepped over. */
function literal(from) {
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    const quote = text[at];
    if (quote === '"' || quote === "'" || quote === '`') {
      at += 1;
      while (text[at] !== quote) at += text[at] === '\\' ? 2 : 1;
    } else if (quote === '{') depth += 1;
    else if (quote === '}' && (depth -= 1) === 0) return text.slice(from, at + 1);
  }
  throw new Error('the literal has no end');
}

const found = {};
for (const match of text.matchAll(/(definitions|\$defs):\{Annotations:/g)) {
  const definitions = runInNewContext(`(${literal(match.index + match[1].length + 1)})`);
  const modern = 'DiscoverResult' in definitions;
  const tasks = 'CreateTaskResult' in definitions;
  const revision = modern ? '2026-07-28' : tasks ? '2025-11-25' : 'older';
  found[revision] = { keyword: match[1], definitions };
}
console.log(JSON.stringify(found));
