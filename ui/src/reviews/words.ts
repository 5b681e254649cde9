// How a person calls what stands of a review.
import type { ReviewStatus } from '../generated/ReviewStatus';
import type { ReviewSummary } from '../generated/ReviewSummary';
import { plainly } from '../components/coded';
import { language, t } from '../i18n/text.svelte';
import { workspaces } from '../sessions/workspaces.svelte';
import { agentName, span } from '../state/format';

export function statusWord(status: ReviewStatus): string {
  return t(`reviews-status-${status}`);
}

/** The folder as the person calls it. */
export function folder(workspace: string): string {
  return plainly(workspaces.label(workspace, workspace.split(/[\\/]/).filter(Boolean).at(-1) ?? workspace));
}

/** What an agent calls itself, with nothing in it that hides. */
export function calledSo(name: string): string {
  return plainly(agentName(name));
}

/** `Codex → Claude Code`, or the proposer alone while nobody has it. */
export function whom({ proposer, holder }: ReviewSummary): string {
  if (holder === null) return calledSo(proposer);
  return t('reviews-whom', { proposer: calledSo(proposer), holder: calledSo(holder) });
}

/** How long the holder has it without another act of theirs; empty where nobody has it. */
export function leaseWord({ holder, lease_until: until }: ReviewSummary, now: number): string {
  if (holder === null || until === null) return '';
  const left = Date.parse(until) - now;
  return left > 0 ? t('reviews-lease', { time: span(left) }) : t('reviews-lease-over');
}

/** What the round needs: agents, the person, or both. */
export function needWord({ need }: ReviewSummary): string {
  if (need.agents === 0) return t('reviews-need-person');
  return t(need.person ? 'reviews-need-both' : 'reviews-need-agents', { n: need.agents });
}

/** Money of which a program tells, in millionths of a US dollar: to the cent, and of less than one what it is. */
export function dollars(millionths: number): string {
  const digits = millionths < 10_000 ? 4 : 2;
  const form = {
    style: 'currency',
    currency: 'USD',
    minimumFractionDigits: 2,
    maximumFractionDigits: digits,
  } as const;
  return new Intl.NumberFormat(language(), form).format(millionths / 1_000_000);
}

/** What became of it, and by whose word: an agent's approval is never the person's. */
export function becameWord({ status, outcome, found, approved_by: by }: ReviewSummary): string {
  if (status === 'closed' && found !== null) return t(`reviews-found-${found}`);
  if (status === 'closed' && outcome !== null) return t(`reviews-outcome-${outcome}`);
  if (status === 'approved') return t(by === 'person' ? 'reviews-approved-person' : 'reviews-approved-agent');
  return statusWord(status);
}
