//! Receipts without their chain, as they come from elsewhere than a home: nothing tells what stood before them or what
//! is missing, so that each is worth what its signature is.
//!
//! Knows lines; neither files, nor keys, nor where the lines come from.

use std::cmp::Reverse;
use std::collections::HashMap;

use gate_core::{Digest, Timestamp};

use crate::chain::Found;
use crate::kinds::Said;
use crate::line::Line;
use crate::parts::Oid;
use crate::standing::After;

/// Receipts, and what withdraws them, in whatever order they came.
#[derive(Debug, Default)]
pub struct Loose {
    receipts: HashMap<Digest, Found>,
    trees: HashMap<Oid, Vec<Digest>>,
}

impl Loose {
    /// Of lines. What is no receipt, and withdraws none, is passed over: that a hold was ended early, for one, which
    /// nobody has signed. A line that withdraws is heard whoever wrote it, since it only takes away.
    #[must_use]
    pub fn of<'l>(lines: impl IntoIterator<Item = &'l [u8]>) -> Self {
        let (mut loose, mut withdrawn) = (Self::default(), HashMap::new());
        for bytes in lines {
            let Ok(line) = Line::parse(bytes) else { continue };
            match line.said.clone() {
                Said::Decided(decided) => {
                    // A line has one form, so that these bytes are what it is named by.
                    let id = Digest::of_bytes(bytes);
                    let tree = decided.content.git.as_ref().map(|git| git.tree.clone());
                    let found = Found { id, line, decided, after: After::default(), mark: None };
                    if loose.receipts.insert(id, found).is_none()
                        && let Some(tree) = tree
                    {
                        loose.trees.entry(tree).or_default().push(id);
                    }
                }
                Said::Withdrawn(said) => {
                    let at = withdrawn.entry(said.receipt).or_insert(line.at);
                    *at = (*at).min(line.at);
                }
                _ => {}
            }
        }
        for (id, at) in withdrawn {
            if let Some(found) = loose.receipts.get_mut(&id) {
                found.after.withdrawn = Some(at);
            }
        }
        loose
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.receipts.is_empty()
    }

    /// The receipt of this name.
    #[must_use]
    pub fn receipt(&self, id: Digest) -> Option<&Found> {
        self.receipts.get(&id)
    }

    /// The receipts that lead to a tree, latest first.
    #[must_use]
    pub fn of_tree(&self, tree: &Oid) -> Vec<Found> {
        let ids = self.trees.get(tree).into_iter().flatten();
        let mut all: Vec<Found> = ids.filter_map(|id| self.receipts.get(id)).cloned().collect();
        all.sort_by_key(order);
        all
    }

    /// The names of all receipts, the newest first.
    #[must_use]
    pub fn newest(&self) -> Vec<Digest> {
        let mut all: Vec<&Found> = self.receipts.values().collect();
        all.sort_by_key(|found| order(found));
        all.into_iter().map(|found| found.id).collect()
    }
}

/// The latest first, and always the same where there are several at once.
fn order(found: &Found) -> (Reverse<Timestamp>, [u8; 32]) {
    (Reverse(found.line.at), *found.id.as_bytes())
}

#[cfg(test)]
mod tests {
    use gate_core::AnsweredFrom;

    use super::*;
    use crate::kinds::{Released, Withdrawn};
    use crate::testing::{AT, approval, line, tree};

    fn written(said: Said, at: Timestamp) -> (Digest, String) {
        let line = Line { at, ..line(said) };
        (line.digest().expect("it has one"), line.canonical().expect("it can be written"))
    }

    fn of(lines: &[&String]) -> Loose {
        Loose::of(lines.iter().map(|line| line.as_bytes()))
    }

    #[test]
    fn receipts_are_found_whatever_stands_between_them() {
        let later = AT.plus_millis(60_000);
        let (one, first) = written(Said::Decided(approval(1, AT)), AT);
        let (other, second) = written(Said::Decided(approval(1, later)), later);
        let odd = "{\"v\":1}".to_owned();
        let loose = of(&[&odd, &second, &first, &String::new(), &first]);
        assert_eq!(loose.newest(), [other, one], "each once, the newest first");
        let found: Vec<_> = loose.of_tree(&tree("tree 1")).into_iter().map(|found| found.id).collect();
        assert_eq!(found, [other, one]);
        assert!(loose.of_tree(&tree("tree 2")).is_empty());
        assert!(of(&[&odd]).is_empty());
    }

    #[test]
    fn a_withdrawal_is_heard_wherever_it_stands_and_an_ended_hold_is_not() {
        let (id, receipt) = written(Said::Decided(approval(1, AT)), AT);
        let (_, released) = written(Said::Released(Released { receipt: id }), AT);
        let at = AT.plus_millis(9_000);
        let (_, withdrawn) = written(Said::Withdrawn(Withdrawn { receipt: id, given: AnsweredFrom::Desktop }), at);
        let after = |loose: &Loose| loose.receipt(id).map(|found| found.after);
        assert_eq!(after(&of(&[&receipt, &released])), Some(After::default()));
        let gone = Some(After { released: None, withdrawn: Some(at) });
        assert_eq!((after(&of(&[&withdrawn, &receipt])), after(&of(&[&receipt, &withdrawn]))), (gone, gone));
    }
}
