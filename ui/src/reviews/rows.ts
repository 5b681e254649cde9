// The rows of the reviews' list: by whose turn it is, the person's first, what is decided folded. Pure.
import type { ReviewStatus } from '../generated/ReviewStatus';
import type { ReviewSummary } from '../generated/ReviewSummary';

export type ReviewGroup = 'person' | 'reviewer' | 'proposer' | 'decided';

/** In their order, each with where its reviews may stand. */
export const GROUPS: readonly { group: ReviewGroup; of: readonly ReviewStatus[] }[] = [
  { group: 'person', of: ['awaiting_person'] },
  { group: 'reviewer', of: ['created', 'claimed', 'in_discussion'] },
  { group: 'proposer', of: ['in_discussion', 'awaiting_person', 'rejected'] },
  { group: 'decided', of: ['approved', 'closed'] },
];

export const STATUSES: readonly ReviewStatus[] = [
  'awaiting_person',
  'created',
  'claimed',
  'in_discussion',
  'rejected',
  'approved',
  'closed',
];

/** The key of the row that folds what is decided. */
export const DECIDED = 'decided';

export type ReviewRow =
  | { kind: 'heading'; key: string; group: ReviewGroup; count: number; more: boolean }
  | { kind: 'fold'; key: typeof DECIDED; open: boolean }
  | { kind: 'review'; key: string; review: ReviewSummary };

/** Where a review belongs. A rejected one is its proposer's to go on with; an approved one is decided. */
export function groupOf({ status, turn }: Pick<ReviewSummary, 'status' | 'turn'>): ReviewGroup {
  if (status === 'approved' || status === 'closed') return 'decided';
  return turn === 'person' || turn === 'reviewer' ? turn : 'proposer';
}

const later = (one: ReviewSummary, other: ReviewSummary) =>
  Date.parse(other.updated_at) - Date.parse(one.updated_at) || (one.review_id < other.review_id ? 1 : -1);

interface Shape {
  decidedOpen: boolean;
  /** Whether what is decided has a line that folds it. */
  folds: boolean;
  /** Whether more of the group may be on pages that haven't come. */
  more: (group: ReviewGroup) => boolean;
}

export function reviewRows(reviews: readonly ReviewSummary[], shape: Shape): ReviewRow[] {
  return GROUPS.flatMap(({ group }): ReviewRow[] => {
    const found = reviews.filter((each) => groupOf(each) === group).sort(later);
    const rows = found.map((review): ReviewRow => ({ kind: 'review', key: review.review_id, review }));
    if (group === 'decided' && shape.folds) {
      const fold: ReviewRow = { kind: 'fold', key: DECIDED, open: shape.decidedOpen };
      return [fold, ...(shape.decidedOpen ? rows : [])];
    }
    if (found.length === 0) return [];
    return [
      { kind: 'heading', key: `of ${group}`, group, count: found.length, more: shape.more(group) },
      ...rows,
    ];
  });
}
