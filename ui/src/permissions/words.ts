// What of a permission question is said in words. Pure but for the language.
import { plainly } from '../components/coded';
import type { PermissionFile } from '../generated/PermissionFile';
import type { PermissionForm } from '../generated/PermissionForm';
import type { PermissionRule } from '../generated/PermissionRule';
import type { PermissionView } from '../generated/PermissionView';
import { language, t } from '../i18n/text.svelte';
import { beginning } from '../state/format';

/** So many names stand in a title, each of so many characters. */
const NAMES = 3;
const NAME = 60;

/** Names on one line, as the language joins them; what is more is counted. */
export function listed(names: readonly string[], most = Infinity): string {
  const shown = names.slice(0, most).map((name) => beginning(name, NAME));
  const more = names.length - shown.length;
  // Without the marks that keep a number in its place: they would be taken for the agent's.
  if (more > 0) shown.push(t('permission-more', { n: more }).replace(/[\u2066-\u2069]/g, ''));
  // In the catalogue's own English no comma stands before “and”.
  const tag = language() === 'en' ? 'en-GB' : language();
  return new Intl.ListFormat(tag, { type: 'conjunction' }).format(shown);
}

/** The last part of a path. */
const nameOf = (path: string) => path.split('/').findLast((part) => part !== '') ?? path;

/** A sentence in which the places of others' words are left open: what is odd in those is marked where they are drawn. */
export interface Sentence {
  text: string;
  values: readonly string[];
}

/** The places, by their order; no text of ours has such signs. */
const [FIRST, SECOND] = ['\uE000', '\uE001'] as const;

/** What is asked, as a question. */
export function titleOf({ shown, kind, files, tool }: PermissionView): Sentence {
  const what = FIRST;
  switch (shown.shows) {
    case 'command':
      if (shown.programs.length === 0) return { text: t('permission-run-bare'), values: [] };
      return { text: t('permission-run', { what }), values: [listed(shown.programs, NAMES)] };
    case 'files': {
      const names = files.map(({ path }) => nameOf(path));
      const values = [names.length > 0 ? listed(names, NAMES) : tool];
      return {
        text: kind === 'write' ? t('permission-write', { what }) : t('permission-edit', { what }),
        values,
      };
    }
    case 'fetch':
      return {
        text: t('permission-fetch', { what }),
        values: [beginning(shown.host ?? shown.address, NAME)],
      };
    case 'mcp_tool':
      return {
        text: t('permission-use', { what }),
        values: [beginning(`${shown.server}: ${shown.tool}`, 2 * NAME)],
      };
    case 'other':
      return { text: t('permission-use', { what }), values: [beginning(tool, NAME)] };
  }
}

/** Whether its agent has no prompt of its own: what isn't answered here is asked nowhere else. */
export const asksNowhere = (form: PermissionForm | undefined) => form === 'claude_prompt';

/** Whether more was sent than the command and what stands beside it, as that it is to leave its sandbox. */
export function saysMore({ form, input, shown, says, folder }: PermissionView): boolean {
  if (shown.shows !== 'command') return false;
  try {
    const sent = JSON.parse(input) as Record<string, unknown>;
    // These two give it in a part of what they send; around that stands always the same.
    const part = form === 'opencode' ? sent['metadata'] : form === 'acp' ? sent['rawInput'] : sent;
    const known = [shown.text, says, folder, '', null];
    // What isn't asked for, and how long it may take, change nothing of what would happen.
    return Object.entries(part ?? {}).some(
      ([name, value]) =>
        !known.includes(value as string | null) &&
        value !== false &&
        !(name === 'timeout' && typeof value === 'number'),
    );
  } catch {
    return true;
  }
}

/** What has to be known of a file; null where it is an ordinary one in the folder. */
export function warningOf({ path, leads_to: to, outside }: PermissionFile): Sentence | null {
  const values = [path, to ?? ''];
  if (to && outside) return { text: t('permission-leads-outside', { path: FIRST, to: SECOND }), values };
  if (to) return { text: t('permission-leads', { path: FIRST, to: SECOND }), values };
  return outside ? { text: t('permission-outside', { path: FIRST }), values } : null;
}

/** Who asks, where it is a subagent. */
export function askerOf(client: string, subagent: string): Sentence {
  return { text: t('permission-subagent', { client: FIRST, kind: SECOND }), values: [client, subagent] };
}

/** What the agent says, as its own words. */
export const quoted = (words: string): Sentence => ({
  text: t('permission-said', { words: FIRST }),
  values: [words],
});

/** Whether a rule allows more than its like: a mode, folders, and what isn't known. */
export const isWide = ({ kind }: PermissionRule) => kind !== 'allows';

/** A rule that the agent offers. */
export function ruleIn({ kind, what, kept }: PermissionRule): Sentence {
  const rule = t(`permission-rule-${kind}`, { what: FIRST });
  const values = [what.join(', ')];
  return {
    text: kept
      ? t('permission-rule-kept', { rule, kept: plainly(kept).replace(/[\uE000-\uE00F]/g, '') })
      : rule,
    values,
  };
}

/** The beginning of a digest, as far as an eye compares it. */
export const brief = (digest: string) => `${digest.replace(/^.*[:-]/, '').slice(0, 4)}…`;
