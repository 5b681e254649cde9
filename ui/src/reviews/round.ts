// What was said of a round.
import type { ReviewVerdict } from '../generated/ReviewVerdict';
import type { ReviewView } from '../generated/ReviewView';

/** The verdicts on a round, with agents' approvals of earlier ones that hold for it: the same patch on another base. */
export function verdictsOf(
  { rounds, verdicts }: Pick<ReviewView, 'rounds' | 'verdicts'>,
  of: number,
): ReviewVerdict[] {
  const same = new Set<number>();
  for (let from: number | null | undefined = of; typeof from === 'number' && !same.has(from);) {
    same.add(from);
    const round: number = from;
    from = rounds.find((each) => each.round === round)?.carried_from;
  }
  return verdicts.filter(
    ({ round, decision, by }) =>
      round === of || (same.has(round) && decision === 'approved' && by === 'agent'),
  );
}
