// Text of one line in which others mark code as Markdown does.

const CODE = /`([^`\n]+)`/g;

export interface Part {
  text: string;
  code: boolean;
}

/** The text's parts: what stands between backticks is code. */
export function coded(text: string): Part[] {
  const parts: Part[] = [];
  let end = 0;
  for (const match of text.matchAll(CODE)) {
    if (match.index > end) parts.push({ text: text.slice(end, match.index), code: false });
    parts.push({ text: match[1] ?? '', code: true });
    end = match.index + match[0].length;
  }
  if (end < text.length) parts.push({ text: text.slice(end), code: false });
  return parts;
}

/** Characters that nobody sees or that turn the direction of reading, but for those that emoji and letters are joined by. */
const UNSEEN =
  /[^\P{Default_Ignorable_Code_Point}\u200C\u200D\uFE0F]|[\p{Cc}\p{Zl}\p{Zp}\u2800\uFFF9-\uFFFB]/gu;

/** The text with what nobody would see as its code point, for where only text fits. */
export function plainly(text: string): string {
  return text.replace(UNSEEN, (odd) => {
    const code = (odd.codePointAt(0) ?? 0).toString(16).toUpperCase();
    return `⟨U+${code.padStart(4, '0')}⟩`;
  });
}

/** The same without the marks of code. */
export function uncoded(text: string): string {
  return plainly(text.replaceAll(CODE, '$1'));
}

/** A piece of such a text without any mark: it ends anywhere, so that one of a pair may stand in it alone. */
export function unmarked(piece: string): string {
  return piece.replaceAll('`', '');
}
