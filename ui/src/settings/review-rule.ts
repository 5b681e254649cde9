// A rule for reviews, as it is written in the file and as it is chosen: who has to approve, and what. As the gate reads
// it (gate-core/src/proposal/need.rs). Pure.
import { language, t } from '../i18n/text.svelte';

/** Parts that hold words of which one is enough, in the order in which they are written. */
export const WORDED = ['path', 'repository', 'proposer', 'category'] as const;
export type Worded = (typeof WORDED)[number];

export interface Rule {
  agents: number;
  person: boolean;
  /** Words of each part, as typed between `|`; empty for anything. */
  words: Record<Worded, string>;
  /** More changed lines than this; empty for any number. */
  lines: string;
}

/** Agents that a rule may ask for at most. */
export const AGENTS = 10;
const NEED = /^(?:(person)|agent(\+person)?|agents:([1-9]|10))$/;
const NONE = { path: '', repository: '', proposer: '', category: '' };

const isWorded = (name: string): name is Worded => WORDED.some((each) => each === name);

/** The words of a part: each counts that isn't empty. */
export function wordsOf(text: string): string[] {
  return text
    .split('|')
    .map((word) => word.trim())
    .filter((word) => word !== '');
}

/** Reads a rule; null for what the gate wouldn't take either. */
export function parseRule(text: string): Rule | null {
  const [first = '', ...parts] = text.split(';').map((part) => part.trim());
  const need = NEED.exec(first);
  if (!need) return null;
  const [, alone, both, several] = need;
  const rule: Rule = {
    agents: alone ? 0 : Number(several ?? 1),
    person: Boolean(alone ?? both),
    words: { ...NONE },
    lines: '',
  };
  for (const part of parts) {
    const at = part.indexOf('=');
    const [name, value] = [part.slice(0, at).trim(), part.slice(at + 1).trim()];
    if (at < 0 || value === '') return null;
    if (name === 'lines' && rule.lines === '' && /^\d+$/.test(value)) rule.lines = value;
    else if (isWorded(name) && rule.words[name] === '') rule.words[name] = value;
    else return null;
  }
  return rule.words.category !== '' && !rule.person ? null : rule;
}

/** Writes a rule. What isn't the person's to decide by has no category, which is the proposer's own word. */
export function writeRule({ agents, person, words, lines }: Rule): string {
  const need = agents === 0 ? 'person' : agents > 1 ? `agents:${agents}` : person ? 'agent+person' : 'agent';
  const parts = WORDED.filter((name) => name !== 'category' || person).flatMap((name) => {
    // What stands between parts can't stand in one.
    const found = wordsOf(words[name].replaceAll(';', ' '));
    return found.length > 0 ? [`${name}=${found.join('|')}`] : [];
  });
  const digits = lines.replaceAll(/\D/g, '');
  return [need, ...parts, ...(digits === '' ? [] : [`lines=${digits}`])].join('; ');
}

/** A rule as a sentence. */
export function saidRule({ agents, person, words, lines }: Rule): string {
  const list = new Intl.ListFormat(language(), { type: 'disjunction' });
  const said = (name: Worded) => {
    const found = wordsOf(words[name]);
    return found.length > 0 ? list.format(found) : 0;
  };
  return t('settings-rule', {
    agents,
    person: person ? 1 : 0,
    path: said('path'),
    repository: said('repository'),
    proposer: said('proposer'),
    category: said('category'),
    lines: lines === '' ? -1 : Number(lines),
  });
}
