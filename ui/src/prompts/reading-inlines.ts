// Pieces of a line of Markdown: code, emphasis, links, and text. Pure.
import type { Inline } from '../generated/Inline';

/** Only these lead out of the window. */
const ADDRESS = /^(?:https?:\/\/|mailto:)/i;
/** Deeper emphasis is text. */
const DEEPEST = 8;

/** Where a run of signs closes what it opened, before which there is something else than a blank; −1 for nowhere. */
function closing(text: string, from: number, sign: string): number {
  for (let at = text.indexOf(sign, from); at !== -1; at = text.indexOf(sign, at + 1)) {
    const [before, after] = [text.charAt(at - 1), text.charAt(at + sign.length)];
    const escaped = before === '\\';
    const longer = sign.length === 1 && (before === sign || after === sign);
    const word = sign.startsWith('_') && /[\p{L}\p{N}]/u.test(after);
    if (at > from && !/\s/.test(before) && !escaped && !longer && !word) return at;
  }
  return -1;
}

const SIGNS: readonly [sign: string, kind: 'strong' | 'emphasis' | 'strike'][] = [
  ['**', 'strong'],
  ['__', 'strong'],
  ['~~', 'strike'],
  ['*', 'emphasis'],
  ['_', 'emphasis'],
];

/** A text as pieces. */
export function inlines(text: string, depth = 0): Inline[] {
  const found: Inline[] = [];
  let plain = '';
  const flush = () => {
    if (plain !== '') found.push({ kind: 'text', text: plain });
    plain = '';
  };
  const push = (piece: Inline) => {
    flush();
    found.push(piece);
  };
  let at = 0;
  while (at < text.length) {
    const rest = text.slice(at, at + 2000);
    const hard = /^(?: {2,}|\\)\n/.exec(rest);
    if (hard) {
      push({ kind: 'break' });
      at += hard[0].length;
    } else if (text[at] === '\n') {
      plain = `${plain.trimEnd()} `;
      at += 1;
    } else if (text[at] === '\\' && /^[!-/:-@[-`{-~]/.test(text.charAt(at + 1))) {
      plain += text.charAt(at + 1);
      at += 2;
    } else {
      const piece = pieceAt(text, at, depth);
      if (piece) {
        push(piece[0]);
        at = piece[1];
      } else {
        plain += text.charAt(at);
        at += 1;
      }
    }
  }
  flush();
  return found;
}

/** The piece that begins at a place, and where it ends; null where there is only text. */
function pieceAt(text: string, at: number, depth: number): [Inline, number] | null {
  const sign = text.charAt(at);
  if (sign === '`') {
    const run = /^`+/.exec(text.slice(at, at + 40))?.[0] ?? '`';
    const end = text.indexOf(run, at + run.length);
    if (end === -1) return null;
    const code = text.slice(at + run.length, end).replaceAll('\n', ' ');
    return [{ kind: 'code', text: /^ .*\S.* $/.test(code) ? code.slice(1, -1) : code }, end + run.length];
  }
  if (sign === '<') {
    const found = /^<([^<>\s]{1,2000})>/.exec(text.slice(at, at + 2002));
    const href = found?.[1];
    if (!found || !href || !ADDRESS.test(href)) return null;
    return [{ kind: 'link', href, children: [{ kind: 'text', text: href }] }, at + found[0].length];
  }
  if (sign === '[' && depth < DEEPEST) {
    const found = /^\[([^\]\n]{1,1000})\]\(\s*([^\s()]{1,2000})(?:\s+"[^"\n]*")?\s*\)/.exec(
      text.slice(at, at + 3200),
    );
    const [whole, words, href] = found ?? [];
    if (!whole || !words || !href || !ADDRESS.test(href)) return null;
    return [{ kind: 'link', href, children: inlines(words, depth + 1) }, at + whole.length];
  }
  if (depth >= DEEPEST) return null;
  for (const [open, kind] of SIGNS) {
    if (!text.startsWith(open, at) || /^\s?$/.test(text.charAt(at + open.length))) continue;
    // Underscores within a word are part of a name.
    if (open.startsWith('_') && /[\p{L}\p{N}]/u.test(text.charAt(at - 1))) return null;
    const end = closing(text, at + open.length, open);
    if (end === -1) continue;
    return [{ kind, children: inlines(text.slice(at + open.length, end), depth + 1) }, end + open.length];
  }
  return null;
}
