// The Markdown of a rendered prompt, as a document that the windows draw. What agents say is parsed by the
// gate; a prompt's messages come as text, and what they use of Markdown is little.
import type { Block } from '../generated/Block';
import type { Document } from '../generated/Document';
import type { Item } from '../generated/Item';
import { inlines } from './reading-inlines';

/** Longer texts are shown as they are. */
const FORMATTED_CHARS = 200_000;
/** Deeper nesting is text. */
const DEEPEST = 12;

const FENCE = /^ {0,3}(`{3,}|~{3,})\s*([^`]*)$/;
const HEADING = /^ {0,3}(#{1,6})(?:\s+(.*?))?(?:\s+#+)?\s*$/;
const RULE = /^ {0,3}(?:(?:-\s*){3,}|(?:\*\s*){3,}|(?:_\s*){3,})$/;
const QUOTE = /^ {0,3}> ?/;
const MARKER = /^( {0,3})([-*+]|\d{1,9}[.)])( {1,4}|$)/;
const TASK = /^\[([ xX])\]\s+/;
const DELIMITERS = /^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/;
const blank = (line: string | undefined) => line === undefined || line.trim() === '';

/** A text as a document. */
export function reading(text: string): Document {
  if (text.length > FORMATTED_CHARS) return { blocks: [], rest: text };
  const lines = text.replace(/\r\n?/g, '\n').replace(/\t/g, '    ').split('\n');
  return { blocks: blocksOf(lines, 0), rest: null };
}

function blocksOf(lines: readonly string[], depth: number): Block[] {
  const blocks: Block[] = [];
  let at = 0;
  while (at < lines.length) {
    const line = lines[at] as string;
    if (blank(line)) {
      at += 1;
      continue;
    }
    const [block, next] = blockAt(lines, at, depth);
    blocks.push(block);
    at = Math.max(next, at + 1);
  }
  return blocks;
}

/** The block that begins at a line, and where the next one may. */
function blockAt(lines: readonly string[], at: number, depth: number): [Block, number] {
  const line = lines[at] as string;
  const fence = FENCE.exec(line);
  if (fence) return fenced(lines, at, fence);
  const heading = HEADING.exec(line);
  if (heading)
    return [{ kind: 'heading', level: heading[1]?.length ?? 1, children: inlines(heading[2] ?? '') }, at + 1];
  if (RULE.test(line)) return [{ kind: 'rule' }, at + 1];
  if (depth < DEEPEST && QUOTE.test(line)) {
    let end = at;
    while (end < lines.length && QUOTE.test(lines[end] as string)) end += 1;
    const inner = lines.slice(at, end).map((each) => each.replace(QUOTE, ''));
    return [{ kind: 'quote', children: blocksOf(inner, depth + 1) }, end];
  }
  if (depth < DEEPEST && MARKER.test(line)) return listAt(lines, at, depth);
  if (line.includes('|') && DELIMITERS.test(lines[at + 1] ?? '') && lines[at + 1]?.includes('-'))
    return tableAt(lines, at);
  let end = at + 1;
  while (end < lines.length && !blank(lines[end]) && !interrupts(lines[end] as string)) end += 1;
  return [{ kind: 'paragraph', children: inlines(lines.slice(at, end).join('\n').trim()) }, end];
}

/** Whether a line ends the paragraph before it. */
function interrupts(line: string): boolean {
  const marker = MARKER.exec(line);
  return (
    FENCE.test(line) ||
    HEADING.test(line) ||
    RULE.test(line) ||
    QUOTE.test(line) ||
    (marker !== null && (marker[3] ?? '') !== '' && /^(?:[-*+]|1[.)])$/.test(marker[2] ?? ''))
  );
}

function fenced(lines: readonly string[], at: number, fence: RegExpExecArray): [Block, number] {
  const [mark, language] = [fence[1] ?? '```', (fence[2] ?? '').trim().split(/\s/)[0] ?? ''];
  const closing = new RegExp(`^ {0,3}${mark.charAt(0)}{${mark.length},}\\s*$`);
  let end = at + 1;
  while (end < lines.length && !closing.test(lines[end] as string)) end += 1;
  const text = lines.slice(at + 1, end).join('\n');
  return [{ kind: 'code', language, text }, end + 1];
}

function listAt(lines: readonly string[], at: number, depth: number): [Block, number] {
  const first = (MARKER.exec(lines[at] as string) as RegExpExecArray)[2] as string;
  const sameKind = (mark: string) => mark.slice(-1) === first.slice(-1);
  const items: Item[] = [];
  let here = at;
  while (here < lines.length) {
    const marker = MARKER.exec(lines[here] as string);
    if (!marker || !sameKind(marker[2] ?? '') || RULE.test(lines[here] as string)) break;
    const wide = Math.max(marker[0].length, (marker[1] ?? '').length + (marker[2] ?? '').length + 1);
    const inner = [(lines[here] as string).slice(marker[0].length)];
    here += 1;
    while (here < lines.length) {
      const line = lines[here] as string;
      const indent = line.length - line.trimStart().length;
      if (blank(line)) {
        // A blank line belongs to the item only if something of the item follows.
        let next = here;
        while (next < lines.length && blank(lines[next])) next += 1;
        const after = lines[next];
        if (after === undefined || after.length - after.trimStart().length < wide) break;
        inner.push('');
      } else if (indent >= wide) inner.push(line.slice(wide));
      else if (MARKER.test(line) || interrupts(line) || blank(inner.at(-1))) break;
      else inner.push(line.trimStart());
      here += 1;
    }
    const task = TASK.exec(inner[0] ?? '');
    if (task) inner[0] = (inner[0] ?? '').slice(task[0].length);
    items.push({ checked: task ? task[1] !== ' ' : null, children: blocksOf(inner, depth + 1) });
    let next = here;
    while (next < lines.length && blank(lines[next])) next += 1;
    const after = MARKER.exec(lines[next] ?? '');
    if (after && sameKind(after[2] ?? '')) here = next;
    else break;
  }
  const start = /^\d/.test(first) ? Number.parseInt(first, 10) : null;
  return [{ kind: 'list', start, items }, here];
}

const cells = (line: string) =>
  line
    .trim()
    .replace(/^\||(?<!\\)\|$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => inlines(cell.trim().replaceAll('\\|', '|')));

function tableAt(lines: readonly string[], at: number): [Block, number] {
  const head = cells(lines[at] as string);
  let end = at + 2;
  while (end < lines.length && !blank(lines[end]) && lines[end]?.includes('|')) end += 1;
  const rows = lines.slice(at + 2, end).map((line) => {
    const row = cells(line).slice(0, head.length);
    return [...row, ...Array.from({ length: head.length - row.length }, () => [])];
  });
  return [{ kind: 'table', head, rows }, end];
}
