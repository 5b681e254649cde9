//! Which receipts count at a moment, and whether they lead from one tree to another.
//!
//! Knows trees by their names alone, and neither repositories nor where the receipts come from.

use std::collections::{HashMap, HashSet, VecDeque};

use gate_core::{Decision, Digest, Oid, Timestamp};

use crate::chain::{Chain, Found};
use crate::error::ReceiptsError;
use crate::kinds::{Git, Level};
use crate::line::Line;
use crate::standing::Standing;
use crate::verify::{Unproved, assured};

/// Most trees that are followed back from one.
const TREES: usize = 1000;
/// Most receipts that are looked through for one of another tree.
const LOOKED_THROUGH: usize = 1000;

/// Where receipts are looked up, and by which keys they are believed.
pub trait Receipts {
    /// The receipt of this name.
    ///
    /// # Errors
    /// When it can't be read, as for all that follow.
    fn receipt(&self, id: Digest) -> Result<Option<Found>, ReceiptsError>;

    /// The receipts that lead to a tree, latest first.
    ///
    /// # Errors
    /// As [`Self::receipt`].
    fn of_tree(&self, tree: &Oid) -> Result<Vec<Found>, ReceiptsError>;

    /// The names of all receipts, the newest first.
    fn newest(&self) -> Vec<Digest>;

    /// How sure a receipt's line is, by the keys that count.
    ///
    /// # Errors
    /// Where it is signed and the signature proves nothing.
    fn level(&self, line: &Line) -> Result<Level, Unproved>;

    /// Whether somebody else than the lines themselves says that it counts no more.
    fn revokes(&self, _id: Digest) -> bool {
        false
    }
}

impl Receipts for Chain {
    fn receipt(&self, id: Digest) -> Result<Option<Found>, ReceiptsError> {
        Self::receipt(self, id)
    }

    fn of_tree(&self, tree: &Oid) -> Result<Vec<Found>, ReceiptsError> {
        Self::of_tree(self, tree)
    }

    fn newest(&self) -> Vec<Digest> {
        Self::newest(self)
    }

    /// By all that were enrolled, a service's too.
    fn level(&self, line: &Line) -> Result<Level, Unproved> {
        assured(line, self.keys())
    }
}

/// Receipts as they are at one moment.
#[derive(Debug)]
pub struct Approvals<R> {
    source: R,
    now: Timestamp,
    require: Level,
}

/// A receipt that counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Approval {
    /// It.
    pub found: Found,
    /// How sure it is, by what can be checked of it.
    pub level: Level,
}

/// Why a receipt doesn't count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flaw {
    /// It is no approval: what was decided, if anything was.
    Decided(Option<Decision>),
    /// It may still be taken back.
    Held(Timestamp),
    /// It was taken back, or revoked.
    Withdrawn(Timestamp),
    /// Its time is over.
    Expired(Timestamp),
    /// Somebody else than the lines themselves says that it counts no more: [`Receipts::revokes`].
    Barred,
    /// It isn't as sure as it has to be.
    Level(Level),
    /// It is signed, and the signature proves nothing.
    Unproved(Unproved),
}

impl Flaw {
    /// A stable word for it.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::Decided(Some(Decision::ChangesRequested)) => "changes_requested",
            Self::Decided(_) => "not_approved",
            Self::Held(_) => "held",
            Self::Withdrawn(_) => "withdrawn",
            Self::Expired(_) => "expired",
            Self::Barred => "revoked",
            Self::Level(_) => "level",
            Self::Unproved(_) => "signature",
        }
    }
}

/// Whether receipts lead to a tree, and why they don't.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Joined {
    /// They do; in the order in which they join, at least one.
    By(Vec<Approval>),
    /// One that does doesn't count.
    Flawed(Box<Found>, Flaw),
    /// The tree was approved, on another one.
    OtherBase(Box<Found>),
    /// On the same tree another one was approved.
    OtherTree(Box<Found>),
    /// There is nothing like it.
    Nothing,
}

impl<R: Receipts> Approvals<R> {
    /// Those that are at least so sure.
    #[must_use]
    pub fn new(source: R, now: Timestamp, require: Level) -> Self {
        Self { source, now, require }
    }

    /// Where they are looked up.
    #[must_use]
    pub fn source(&self) -> &R {
        &self.source
    }

    /// How sure they have to be.
    #[must_use]
    pub fn require(&self) -> Level {
        self.require
    }

    /// Whether a receipt counts, and how sure it is. `landed` says that the protected branch has what it is about.
    ///
    /// # Errors
    /// Why it doesn't.
    pub fn judged(&self, found: &Found, landed: bool) -> Result<Level, Flaw> {
        let decided = &found.decided;
        if decided.decision != Some(Decision::Approved) {
            return Err(Flaw::Decided(decided.decision));
        }
        if self.source.revokes(found.id) {
            return Err(Flaw::Barred);
        }
        match decided.standing(&found.after, self.now, landed) {
            Standing::Good => {}
            Standing::Held { until } => return Err(Flaw::Held(until)),
            Standing::TakenBack { at } | Standing::Revoked { at } => return Err(Flaw::Withdrawn(at)),
            Standing::Expired { since } => return Err(Flaw::Expired(since)),
        }
        let level = self.source.level(&found.line).map_err(Flaw::Unproved)?;
        if level < self.require { Err(Flaw::Level(level)) } else { Ok(level) }
    }

    /// The approvals that lead from one of these trees to another, each shown on what the one before it led to. A tree
    /// that is one of those already needs none, which isn't asked here.
    ///
    /// # Errors
    /// When the log can't be read.
    pub fn joined(&self, from: &[Oid], to: &Oid, landed: bool) -> Result<Joined, ReceiptsError> {
        // By the tree that it was shown on, which receipt leads on.
        let mut onward: HashMap<Oid, Approval> = HashMap::new();
        let (mut seen, mut next) = (HashSet::from([to.clone()]), VecDeque::from([to.clone()]));
        let (mut flawed, mut other_base) = (None, None);
        while let Some(tree) = next.pop_front() {
            for found in self.source.of_tree(&tree)? {
                let Some(Git { base, .. }) = found.decided.content.git.clone() else { continue };
                let level = match self.judged(&found, landed) {
                    Ok(level) => level,
                    Err(flaw) if tree == *to => {
                        // One on this very base says more than one on another.
                        let here = from.contains(&base);
                        match &flawed {
                            Some((_, _, true)) => {}
                            Some(_) if !here => {}
                            _ => flawed = Some((found, flaw, here)),
                        }
                        continue;
                    }
                    Err(_) => continue,
                };
                if tree == *to && !from.contains(&base) {
                    other_base.get_or_insert_with(|| found.clone());
                }
                if !seen.insert(base.clone()) {
                    continue;
                }
                onward.insert(base.clone(), Approval { found, level });
                if from.contains(&base) {
                    return Ok(Joined::By(followed(&onward, base)));
                }
                if seen.len() < TREES {
                    next.push_back(base);
                }
            }
        }
        Ok(match (flawed, other_base) {
            (Some((found, flaw, true)), _) => Joined::Flawed(Box::new(found), flaw),
            (_, Some(found)) => Joined::OtherBase(Box::new(found)),
            (Some((found, flaw, false)), None) => Joined::Flawed(Box::new(found), flaw),
            (None, None) => self.beside(from)?.map_or(Joined::Nothing, |found| Joined::OtherTree(Box::new(found))),
        })
    }

    /// The approvals of changes that count, latest first.
    ///
    /// # Errors
    /// When the log can't be read.
    pub fn latest(&self, landed: bool) -> Result<Vec<Approval>, ReceiptsError> {
        let mut all = Vec::new();
        for id in self.source.newest().into_iter().take(LOOKED_THROUGH) {
            let Some(found) = self.source.receipt(id)?.filter(|found| found.decided.content.git.is_some()) else {
                continue;
            };
            if let Ok(level) = self.judged(&found, landed) {
                all.push(Approval { found, level });
            }
        }
        Ok(all)
    }

    /// The latest approval that was shown on one of these trees.
    fn beside(&self, from: &[Oid]) -> Result<Option<Found>, ReceiptsError> {
        for id in self.source.newest().into_iter().take(LOOKED_THROUGH) {
            let found = self.source.receipt(id)?.filter(|found| {
                let git = found.decided.content.git.as_ref();
                found.decided.decision == Some(Decision::Approved) && git.is_some_and(|git| from.contains(&git.base))
            });
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }
}

/// Each tree was found from the one that it leads to, so there is no way round.
fn followed(onward: &HashMap<Oid, Approval>, from: Oid) -> Vec<Approval> {
    let (mut all, mut tree) = (Vec::new(), from);
    while let Some(approval) = onward.get(&tree) {
        all.push(approval.clone());
        match &approval.found.decided.content.git {
            Some(git) => tree = git.tree.clone(),
            None => break,
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use gate_core::{AnsweredFrom, RequestId};
    use tempfile::TempDir;
    use uuid::Uuid;

    use super::*;
    use crate::{Appended, Content, Decided, HomeId, Log, Opening, RECEIPT_MILLIS, Reading, Said, Withdrawn};

    const AT: Timestamp = Timestamp(1_795_232_961_125);

    fn tree(name: &str) -> Oid {
        Oid::try_from(Digest::of_bytes(name.as_bytes()).to_string()).expect("a digest has 64 digits")
    }

    /// An approval in the window, from the moment on.
    fn approval(base: &str, to: &str) -> Decided {
        let digest = Digest::of_bytes(to.as_bytes());
        Decided {
            from: AT,
            expires: Some(AT.plus_millis(RECEIPT_MILLIS)),
            request: RequestId(Uuid::from_u128(1)),
            decision: Some(Decision::Approved),
            reply: digest,
            about: digest,
            level: Level::L1,
            given: AnsweredFrom::Desktop,
            content: Content {
                ask: Some(digest),
                git: Some(Git { base: tree(base), tree: tree(to) }),
                ..Content::default()
            },
        }
    }

    struct Written {
        folder: TempDir,
        log: Log,
    }

    impl Written {
        fn new() -> Self {
            let folder = tempfile::tempdir().expect("a folder can be made");
            let now = Reading { at: AT, steady: None };
            let home = HomeId(Uuid::from_u128(7));
            let opening = Opening { folder: folder.path().to_owned(), home, anchors: Vec::new(), upgrade: false, now };
            let log = Log::open(opening).expect("it can be opened").log;
            Self { folder, log }
        }

        fn say(&mut self, said: Said) -> Appended {
            self.log.append(said, Reading { at: AT, steady: None }).expect("it can be written")
        }

        fn approve(&mut self, base: &str, to: &str) -> Digest {
            self.say(Said::Decided(approval(base, to))).head.line
        }

        fn at(&self, later: u64, require: Level) -> Approvals<Chain> {
            let chain = Chain::read(self.folder.path(), None, &[]).expect("it can be read");
            Approvals::new(chain, AT.plus_millis(later), require)
        }

        fn joined(&self, from: &[&str], to: &str) -> Joined {
            let from: Vec<Oid> = from.iter().map(|name| tree(name)).collect();
            self.at(0, Level::L1).joined(&from, &tree(to), false).expect("it can be read")
        }

        fn names(&self, from: &[&str], to: &str) -> Vec<Digest> {
            match self.joined(from, to) {
                Joined::By(all) => all.iter().map(|approval| approval.found.id).collect(),
                other => panic!("{other:?}"),
            }
        }
    }

    #[test]
    fn approvals_lead_from_tree_to_tree_where_they_join() {
        let mut written = Written::new();
        let (first, second) = (written.approve("0", "1"), written.approve("1", "2"));
        let straight = written.approve("2", "3");
        assert_eq!(written.names(&["0"], "1"), [first]);
        assert_eq!(written.names(&["0"], "2"), [first, second], "each on what the one before led to");
        assert_eq!(written.names(&["1", "x"], "3"), [second, straight]);
        assert_eq!(written.names(&["0", "2"], "3"), [straight], "the nearest will do");
        written.approve("3", "0");
        assert_eq!(written.names(&["3"], "2").len(), 3, "back and on again");
    }

    #[test]
    fn what_was_approved_instead_is_told() {
        let mut written = Written::new();
        assert_eq!(written.joined(&["0"], "1"), Joined::Nothing);
        let one = written.approve("0", "1");
        let id = |joined| match joined {
            Joined::OtherBase(found) => ("base", found.id),
            Joined::OtherTree(found) => ("tree", found.id),
            other => panic!("{other:?}"),
        };
        assert_eq!(id(written.joined(&["0"], "2")), ("tree", one), "tree 1 was approved, this is 2");
        assert_eq!(id(written.joined(&["9"], "1")), ("base", one), "the same tree on a newer base");
        assert_eq!(written.joined(&["9"], "2"), Joined::Nothing);
    }

    #[test]
    fn only_what_counts_at_that_moment_does() {
        let mut written = Written::new();
        let flaw = |approvals: &Approvals<Chain>, landed| {
            let joined = approvals.joined(&[tree("0")], &tree("1"), landed).expect("it can be read");
            match joined {
                Joined::By(_) => None,
                Joined::Flawed(_, flaw) => Some(flaw),
                other => panic!("{other:?}"),
            }
        };
        let id = written.approve("0", "1");
        assert_eq!(flaw(&written.at(0, Level::L1), false), None);
        assert_eq!(flaw(&written.at(0, Level::L2), false), Some(Flaw::Level(Level::L1)));
        let expired = AT.plus_millis(RECEIPT_MILLIS);
        assert_eq!(flaw(&written.at(RECEIPT_MILLIS, Level::L1), false), Some(Flaw::Expired(expired)));
        assert_eq!(flaw(&written.at(RECEIPT_MILLIS, Level::L1), true), None, "it has landed");
        written.say(Said::Withdrawn(Withdrawn { receipt: id, given: AnsweredFrom::Desktop }));
        assert_eq!(flaw(&written.at(0, Level::L1), true), Some(Flaw::Withdrawn(AT)));

        let held = Decided {
            from: AT.plus_millis(5_000),
            expires: Some(AT.plus_millis(5_000 + RECEIPT_MILLIS)),
            ..approval("0", "1")
        };
        written.say(Said::Decided(held));
        assert_eq!(flaw(&written.at(4_999, Level::L1), false), Some(Flaw::Held(AT.plus_millis(5_000))));
        assert_eq!(flaw(&written.at(5_000, Level::L1), false), None);

        let refused = Decided { decision: Some(Decision::ChangesRequested), expires: None, ..approval("0", "5") };
        written.say(Said::Decided(refused));
        let joined = written.joined(&["0"], "5");
        let changes = Flaw::Decided(Some(Decision::ChangesRequested));
        assert!(matches!(joined, Joined::Flawed(_, flaw) if flaw == changes), "{joined:?}");
    }
}
