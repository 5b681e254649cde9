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

/** The text without those marks, for where only text fits. */
export function uncoded(text: string): string {
  return text.replaceAll(CODE, '$1');
}
