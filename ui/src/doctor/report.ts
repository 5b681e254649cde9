// What the doctor found as Markdown, for a bug report: in English, whatever the windows speak. The gate leaves
// names and secrets out of it.
import type { Finding } from '../generated/Finding';
import { inEnglish } from '../i18n/text.svelte';
import { LEVELS } from './doctor.svelte';

const HEADS: Record<(typeof LEVELS)[number], string> = {
  fault: 'Faults',
  warning: 'Warnings',
  note: 'Notes',
  good: 'Good',
  skipped: 'Skipped',
};

/** A line of Markdown: no text in it begins a list or breaks the line. */
const line = (text: string) => text.replaceAll(/\s+/g, ' ').trim();

/** Code, between as many backticks as it takes. */
function code(text: string): string {
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  const pad = longest > 0 ? ' ' : '';
  return `${fence}${pad}${line(text)}${pad}${fence}`;
}

export function report(findings: readonly Finding[], version: string, platform: string): string {
  const parts = [`## Review Gate ${version}`, `${line(platform)}`];
  for (const level of LEVELS) {
    const found = findings.filter((finding) => finding.level === level);
    if (found.length === 0) continue;
    const lines = found.map((finding) => {
      const mend = finding.mend ? ` ${line(inEnglish(finding.mend))}` : '';
      const command = finding.command ? ` ${code(finding.command)}` : '';
      const [title, cause] = [line(inEnglish(finding.title)), line(inEnglish(finding.cause))];
      return `- **${title}** (${finding.check}): ${cause}${mend}${command}`;
    });
    parts.push(`### ${HEADS[level]}\n\n${lines.join('\n')}`);
  }
  return `${parts.join('\n\n')}\n`;
}
