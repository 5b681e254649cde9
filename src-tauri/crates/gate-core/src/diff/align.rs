//! Lines of two diffs beside each other: which one of the later is which one of the earlier. In their order, so that a line
//! that moved past what didn't change is none of the earlier.

/// Most pairs of lines that are compared one by one, in a stretch without a line of its own.
const PAIRS: usize = 40_000;
/// How often a stretch is divided again by the lines that only it has.
const DIVISIONS: usize = 16;

/// A line as it is compared.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Line {
    /// The same for the same text of the same kind.
    pub(crate) key: u32,
    /// Whether it is one that didn't change.
    pub(crate) context: bool,
    /// The hunk that it is in.
    pub(crate) hunk: usize,
}

/// For each line of the later side, the place of the earlier one that it is. `keys` is how many different keys there are.
/// Linear in the lines but for a factor that is bounded.
pub(crate) fn pairs(old: &[Line], new: &[Line], keys: usize) -> Vec<Option<usize>> {
    let mut pairs = vec![None; new.len()];
    let mut counted = vec![Counted::default(); keys];
    align(old, new, (0, 0), &mut pairs, &mut counted, 0);
    pairs
}

/// How often each side of a stretch has a line, and where it came last.
#[derive(Debug, Clone, Copy, Default)]
struct Counted {
    times: [u32; 2],
    at: [usize; 2],
}

/// Pairs equal lines in their order. `pairs` has a place for each line of the new side, of which the
/// stretch begins at `from`, as it does on the old side; the pairs count from there. `counted` has a
/// place for each key, and is left as it was.
fn align(
    mut old: &[Line],
    mut new: &[Line],
    from: (usize, usize),
    pairs: &mut [Option<usize>],
    counted: &mut [Counted],
    division: usize,
) {
    let head = old.iter().zip(new).take_while(|(a, b)| a.key == b.key).count();
    let from = (from.0 + head, from.1 + head);
    for offset in 1..=head {
        pairs[from.1 - offset] = Some(from.0 - offset);
    }
    (old, new) = (&old[head..], &new[head..]);
    let tail = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a.key == b.key).count();
    for offset in 1..=tail {
        pairs[from.1 + new.len() - offset] = Some(from.0 + old.len() - offset);
    }
    (old, new) = (&old[..old.len() - tail], &new[..new.len() - tail]);
    if old.len().saturating_mul(new.len()) <= PAIRS {
        one_by_one(old, new, from, pairs);
        return;
    }
    if division >= DIVISIONS {
        return;
    }
    // What didn't change tells best where something is: a line that moved past it has moved.
    let mut anchors = anchors(old, new, true, counted);
    if anchors.is_empty() {
        anchors = self::anchors(old, new, false, counted);
    }
    if anchors.is_empty() {
        return;
    }
    let mut begin = (0, 0);
    for (in_old, in_new) in anchors.into_iter().chain([(old.len(), new.len())]) {
        let gap = (&old[begin.0..in_old], &new[begin.1..in_new]);
        align(gap.0, gap.1, (from.0 + begin.0, from.1 + begin.1), pairs, counted, division + 1);
        if in_new < new.len() {
            pairs[from.1 + in_new] = Some(from.0 + in_old);
        }
        begin = (in_old + 1, in_new + 1);
    }
}

/// Lines that either side has just once, in an order that both have: as many as there can be.
fn anchors(old: &[Line], new: &[Line], context: bool, counted: &mut [Counted]) -> Vec<(usize, usize)> {
    let sides = [old, new];
    for (side, lines) in sides.into_iter().enumerate() {
        for (at, line) in lines.iter().enumerate() {
            let counted = &mut counted[line.key as usize];
            counted.times[side] += 1;
            counted.at[side] = at;
        }
    }
    let once = |line: &Line| {
        let Counted { times, at } = counted[line.key as usize];
        (times == [1, 1] && (line.context || !context)).then_some((at[0], at[1]))
    };
    let unique: Vec<(usize, usize)> = new.iter().filter_map(once).collect();
    for line in sides.into_iter().flatten() {
        counted[line.key as usize] = Counted::default();
    }
    // The longest run of them that ascends on the old side (patience sorting).
    let mut piles: Vec<usize> = Vec::new();
    let mut below: Vec<Option<usize>> = Vec::with_capacity(unique.len());
    for (index, (in_old, _)) in unique.iter().enumerate() {
        let pile = piles.partition_point(|top| unique[*top].0 < *in_old);
        below.push(pile.checked_sub(1).map(|left| piles[left]));
        match piles.get_mut(pile) {
            Some(top) => *top = index,
            None => piles.push(index),
        }
    }
    let mut chain: Vec<_> =
        std::iter::successors(piles.last().copied(), |at| below[*at]).map(|at| unique[at]).collect();
    chain.reverse();
    chain
}

/// The longest common sequence of two short stretches: of lines around changes first, since their order
/// can't change, and then of changed ones.
fn one_by_one(old: &[Line], new: &[Line], from: (usize, usize), pairs: &mut [Option<usize>]) {
    if old.is_empty() || new.is_empty() {
        return;
    }
    let width = new.len() + 1;
    let mut best = vec![0_u32; (old.len() + 1) * width];
    let weight = |line: &Line| if line.context { 1000 } else { 1 };
    for (i, a) in old.iter().enumerate().rev() {
        for (j, b) in new.iter().enumerate().rev() {
            let without = best[(i + 1) * width + j].max(best[i * width + j + 1]);
            let with = if a.key == b.key { best[(i + 1) * width + j + 1] + weight(a) } else { 0 };
            best[i * width + j] = without.max(with);
        }
    }
    let (mut i, mut j) = (0, 0);
    while i < old.len() && j < new.len() {
        let here = best[i * width + j];
        if old[i].key == new[j].key && here == best[(i + 1) * width + j + 1] + weight(&old[i]) {
            pairs[from.1 + j] = Some(from.0 + i);
            (i, j) = (i + 1, j + 1);
        } else if here == best[(i + 1) * width + j] {
            i += 1;
        } else {
            j += 1;
        }
    }
}
