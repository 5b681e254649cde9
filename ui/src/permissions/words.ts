// What of a permission question is said in words. Pure but for the language.
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
  if (more > 0) shown.push(t('permission-more', { n: more }));
  // In the catalogue's own English no comma stands before “and”.
  const tag = language() === 'en' ? 'en-GB' : language();
  return new Intl.ListFormat(tag, { type: 'conjunction' }).format(shown);
}

/** The last part of a path. */
const nameOf = (path: string) => path.split('/').findLast((part) => part !== '') ?? path;

/** What is asked, as a question. */
export function titleOf({ shown, kind, files, tool }: PermissionView): string {
  switch (shown.shows) {
    case 'command':
      if (shown.programs.length === 0) return t('permission-run-bare');
      return t('permission-run', { what: listed(shown.programs, NAMES) });
    case 'files': {
      const what =
        files.length > 0
          ? listed(
              files.map(({ path }) => nameOf(path)),
              NAMES,
            )
          : tool;
      return kind === 'write' ? t('permission-write', { what }) : t('permission-edit', { what });
    }
    case 'fetch':
      return t('permission-fetch', { what: beginning(shown.host ?? shown.address, NAME) });
    case 'mcp_tool':
      return t('permission-use', { what: beginning(`${shown.server}: ${shown.tool}`, 2 * NAME) });
    case 'other':
      return t('permission-use', { what: beginning(tool, NAME) });
  }
}

/** Whether a rule allows more than its like: a mode, folders, and what isn't known. */
export const isWide = ({ kind }: PermissionRule) => kind !== 'allows';

/** A rule that the agent offers. */
export function ruleIn({ kind, what, kept }: PermissionRule): string {
  const rule = t(`permission-rule-${kind}`, { what: what.join(', ') });
  return kept ? t('permission-rule-kept', { rule, kept }) : rule;
}

/** The beginning of a digest, as far as an eye compares it. */
export const brief = (digest: string) => `${digest.replace(/^.*[:-]/, '').slice(0, 4)}…`;
