//! Whether what git holds was approved: what is staged, a commit, a range.
//!
//! Ties the receipts to the repository. Uses nothing up, writes nothing, and prints nothing.

use std::collections::{HashMap, HashSet};
use std::pin::Pin;

use gate_core::{Code, Fault, Timestamp};
use gate_git::{Commit, Error, Options, Repository};
use gate_receipts::{Approval, Flaw, Git, Joined, Oid};

use super::asking::{Answer, Asking};
use super::source::Approvals;

/// Most commits that one is judged by: parents of merges, and those before commits that change nothing.
const COMMITS: usize = 200;
/// Most ancestors from which a receipt of a range may lead to a commit.
const ANCESTORS: usize = 1000;
/// Most approvals whose patch is made again for one commit.
const PATCHES: usize = 50;

/// What was looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Looked {
    /// The commit, where it is one.
    pub(super) commit: Option<gate_git::Oid>,
    /// Its tree.
    pub(super) tree: Oid,
    /// The tree before it, where that is known.
    pub(super) base: Option<Oid>,
}

/// Whether it was approved, and how that came out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Verdict {
    Good(How, Vec<Approval>),
    Not(Refusal),
}

/// In which way it was approved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum How {
    /// This very tree, on this very base.
    AsShown,
    /// In several steps, which join.
    Joined,
    /// The same patch to the byte, on another base.
    Rebased,
    /// Git makes this merge again by itself, of parents that were approved.
    Merged,
    /// It changes nothing that isn't approved by itself.
    Unchanged,
    /// The protected branch has it.
    Landed,
    /// The gate outside of a sandbox says so.
    Told,
}

impl From<Answer> for Verdict {
    fn from(answer: Answer) -> Self {
        match answer {
            Answer::Yes => Self::Good(How::Told, Vec::new()),
            Answer::No(code) => Self::Not(Refusal::Told(code)),
        }
    }
}

/// Why it doesn't count as approved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Refusal {
    /// By the receipts.
    Receipts(Joined),
    /// By the gate, which says no more than this word.
    Told(String),
    /// Git makes another tree of its parents, or none.
    MergedOtherwise,
    /// Git is too old to make a merge again, and says so.
    OldGit(String),
    /// A parent of a merge wasn't approved.
    Parent(gate_git::Oid),
    /// Others would have to be looked at without end.
    TooMany,
}

/// A range: what was looked at last, or first didn't count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RangeVerdict {
    pub(super) looked: Looked,
    pub(super) verdict: Verdict,
    /// How many commits the range has.
    pub(super) commits: usize,
    /// How many of them were shown within a larger step only.
    pub(super) within: usize,
}

/// Tells whether what a repository holds was approved.
pub(super) struct Judge<'a> {
    pub(super) repository: &'a Repository,
    pub(super) approvals: &'a Approvals,
    /// The gate that is asked instead, from within a sandbox.
    gate: Option<&'a Asking>,
    /// Whether the same patch on another base will do.
    pub(super) rebased: bool,
    /// The protected branch's last commit, where one is named.
    pub(super) protected: Option<gate_git::Oid>,
    known: HashMap<gate_git::Oid, Verdict>,
    /// Commits that were read, each with the tree before it.
    read: HashMap<gate_git::Oid, (Commit, Oid)>,
}

/// As receipts name it.
pub(super) fn named(oid: &gate_git::Oid) -> Result<Oid, Fault> {
    Oid::try_from(oid.as_str().to_owned()).map_err(Fault::internal)
}

fn of_git(oid: &Oid) -> Option<gate_git::Oid> {
    gate_git::Oid::parse(oid.as_str())
}

impl<'a> Judge<'a> {
    pub(super) fn new(
        repository: &'a Repository,
        approvals: &'a Approvals,
        gate: Option<&'a Asking>,
        rebased: bool,
        protected: Option<gate_git::Oid>,
    ) -> Self {
        Self { repository, approvals, gate, rebased, protected, known: HashMap::new(), read: HashMap::new() }
    }

    /// What `git commit` would commit now.
    ///
    /// # Errors
    /// When the repository or the log can't be read.
    pub(super) async fn staged(&mut self) -> Result<(Looked, Verdict), Fault> {
        let staged = self.repository.staged().await?;
        let (base, tree) = (named(&staged.base_tree)?, named(&staged.tree)?);
        if let Some(head) = staged.base.filter(|_| base == tree) {
            // Another message, or nothing at all: it is worth what is there.
            return self.commit(&head).await;
        }
        let verdict = self.step(std::slice::from_ref(&base), &tree, None).await?;
        Ok((Looked { commit: None, tree, base: Some(base) }, verdict))
    }

    /// A commit, beside its first parent.
    ///
    /// # Errors
    /// As [`Self::staged`].
    pub(super) async fn commit(&mut self, oid: &gate_git::Oid) -> Result<(Looked, Verdict), Fault> {
        let verdict = self.judged(oid.clone()).await?;
        let (commit, base) = self.with_base(oid).await?;
        let looked = Looked { commit: Some(oid.clone()), tree: named(&commit.tree)?, base: Some(base) };
        Ok((looked, verdict))
    }

    /// All commits that `to` has and `from` hasn't; without `from`, all of them.
    ///
    /// # Errors
    /// As [`Self::staged`].
    pub(super) async fn range(
        &mut self,
        from: Option<&gate_git::Oid>,
        to: &gate_git::Oid,
    ) -> Result<RangeVerdict, Fault> {
        let range = match from {
            Some(from) => self.repository.range(from, to).await?,
            None => self.repository.past(to).await?,
        };
        let last = self.repository.commit(to).await?;
        let mut before_it = HashSet::new();
        for before in &range.before {
            // That it lies in the past of the range's beginning is the repository's word.
            let holds = match from {
                Some(from) => self.repository.has(from, before).await?,
                None => false,
            };
            if holds {
                before_it.insert(before.clone());
            }
        }
        let mut known: HashMap<gate_git::Oid, Commit> = HashMap::new();
        for commit in self.repository.commits(&range.before).await?.into_iter().chain(range.commits.iter().cloned()) {
            known.insert(commit.oid.clone(), commit);
        }
        let mut good = before_it.clone();
        let (mut receipts, mut how, mut failed) = (Vec::new(), How::Unchanged, None);
        for commit in &range.commits {
            match self.within(commit, &known, &good, &before_it).await? {
                Verdict::Good(in_which_way, by) => {
                    good.insert(commit.oid.clone());
                    if in_which_way != How::Unchanged {
                        how = if how == How::Unchanged { in_which_way } else { How::Joined };
                    }
                    receipts.extend(by);
                }
                Verdict::Not(refusal) => {
                    failed.get_or_insert((commit.clone(), refusal));
                }
            }
        }
        let mut seen = HashSet::new();
        receipts.retain(|approval: &Approval| seen.insert(approval.found.id));
        let is_good = range.commits.is_empty() || good.contains(to);
        let within = range.commits.iter().filter(|commit| !good.contains(&commit.oid)).count();
        let (about, verdict) = match failed.filter(|_| !is_good) {
            Some((commit, refusal)) => (commit, Verdict::Not(refusal)),
            None => (last, Verdict::Good(how, receipts)),
        };
        let base = match about.parents.first().and_then(|parent| known.get(parent)) {
            Some(parent) => Some(named(&parent.tree)?),
            None => None,
        };
        let looked = Looked { commit: Some(about.oid), tree: named(&about.tree)?, base };
        Ok(RangeVerdict { looked, verdict, commits: range.commits.len(), within })
    }

    /// A commit of a range, where all in `good` counts already and stands before it, and `before_it` before the range.
    async fn within(
        &mut self,
        commit: &Commit,
        known: &HashMap<gate_git::Oid, Commit>,
        good: &HashSet<gate_git::Oid>,
        before_it: &HashSet<gate_git::Oid>,
    ) -> Result<Verdict, Fault> {
        let tree = named(&commit.tree)?;
        if let [ours, theirs] = &commit.parents[..] {
            if let Some(parent) = known.get(ours).filter(|parent| good.contains(ours) && parent.tree != commit.tree) {
                let verdict = self.step(&[named(&parent.tree)?], &tree, Some(&commit.oid)).await?;
                if matches!(verdict, Verdict::Good(..)) {
                    return Ok(verdict);
                }
            }
            return match [ours, theirs].into_iter().find(|parent| !good.contains(*parent)) {
                Some(parent) => Ok(Verdict::Not(Refusal::Parent(parent.clone()))),
                None => self.made_again(commit, ours, theirs).await,
            };
        }
        let Some(parent) = commit.parents.first() else {
            return self.step(&[self.empty_tree()?], &tree, Some(&commit.oid)).await;
        };
        // Along a line without merges a receipt may lead here from the nearest that counts, and from what the range stands
        // on: it was shown all of it then. From in between it could drop what was approved since.
        let (mut starts, mut next) = (Vec::new(), Some(parent));
        for _ in 0..ANCESTORS {
            let Some(ancestor) = next.and_then(|oid| known.get(oid)) else { break };
            let stands_before = before_it.contains(&ancestor.oid);
            if stands_before || (starts.is_empty() && good.contains(&ancestor.oid)) {
                if ancestor.tree == commit.tree && ancestor.oid == *parent {
                    return Ok(Verdict::Good(How::Unchanged, Vec::new()));
                }
                starts.push(named(&ancestor.tree)?);
            }
            next = match &ancestor.parents[..] {
                [one] if !stands_before => Some(one),
                _ => None,
            };
        }
        starts.retain(|start| *start != tree);
        if starts.is_empty() {
            return Ok(match known.get(parent) {
                // What was approved beside it is worth being told, though it stands on something that wasn't.
                Some(before) => match self.step(&[named(&before.tree)?], &tree, Some(&commit.oid)).await? {
                    Verdict::Good(..) => Verdict::Not(Refusal::Parent(parent.clone())),
                    refused => refused,
                },
                None => Verdict::Not(Refusal::Parent(parent.clone())),
            });
        }
        self.step(&starts, &tree, Some(&commit.oid)).await
    }

    /// A commit by itself. Boxed, since merges are judged by their parents.
    fn judged<'s>(&'s mut self, oid: gate_git::Oid) -> Pin<Box<dyn Future<Output = Result<Verdict, Fault>> + 's>> {
        Box::pin(async move {
            if let Some(verdict) = self.known.get(&oid) {
                return Ok(verdict.clone());
            }
            if self.known.len() >= COMMITS {
                return Ok(Verdict::Not(Refusal::TooMany));
            }
            // Whoever comes back here while it is judged finds this; history has no circles.
            self.known.insert(oid.clone(), Verdict::Not(Refusal::TooMany));
            let (commit, base) = self.with_base(&oid).await?;
            let tree = named(&commit.tree)?;
            let verdict = match &commit.parents[..] {
                [parent] if base == tree => match self.accepted(parent).await? {
                    true => Verdict::Good(How::Unchanged, self.receipts_of(parent)),
                    false => Verdict::Not(Refusal::Parent(parent.clone())),
                },
                [] if base == tree => Verdict::Good(How::Unchanged, Vec::new()),
                parents => {
                    // A merge that is as its first parent drops all of the other, which no diff shows.
                    let shown = match base == tree {
                        true => Verdict::Not(Refusal::MergedOtherwise),
                        false => self.step(&[base], &tree, Some(&oid)).await?,
                    };
                    match (shown, parents) {
                        (Verdict::Not(_), [ours, theirs]) => self.merge(&commit, ours, theirs).await?,
                        (shown, _) => shown,
                    }
                }
            };
            self.known.insert(oid, verdict.clone());
            Ok(verdict)
        })
    }

    /// A merge, by its parents.
    async fn merge(&mut self, commit: &Commit, ours: &gate_git::Oid, theirs: &gate_git::Oid) -> Result<Verdict, Fault> {
        let made = self.made_again(commit, ours, theirs).await?;
        let Verdict::Good(how, _) = made else { return Ok(made) };
        let mut receipts = Vec::new();
        for parent in [ours, theirs] {
            if !self.accepted(parent).await? {
                return Ok(Verdict::Not(Refusal::Parent(parent.clone())));
            }
            receipts.extend(self.receipts_of(parent));
        }
        Ok(Verdict::Good(how, receipts))
    }

    /// Whether git makes this merge again by itself.
    async fn made_again(
        &self,
        commit: &Commit,
        ours: &gate_git::Oid,
        theirs: &gate_git::Oid,
    ) -> Result<Verdict, Fault> {
        match self.repository.merged(ours, theirs).await {
            Ok(Some(tree)) if tree == commit.tree => Ok(Verdict::Good(How::Merged, Vec::new())),
            Ok(_) | Err(Error::Parted { .. }) => Ok(Verdict::Not(Refusal::MergedOtherwise)),
            Err(error @ Error::OldGit { .. }) => Ok(Verdict::Not(Refusal::OldGit(error.to_string()))),
            Err(error) => Err(error.into()),
        }
    }

    /// Whether a parent counts: the protected branch has it, or it was approved.
    async fn accepted(&mut self, oid: &gate_git::Oid) -> Result<bool, Fault> {
        if self.has_landed(oid).await? {
            self.known.insert(oid.clone(), Verdict::Good(How::Landed, Vec::new()));
            return Ok(true);
        }
        Ok(matches!(self.judged(oid.clone()).await?, Verdict::Good(..)))
    }

    fn receipts_of(&self, oid: &gate_git::Oid) -> Vec<Approval> {
        match self.known.get(oid) {
            Some(Verdict::Good(_, receipts)) => receipts.clone(),
            _ => Vec::new(),
        }
    }

    /// Whether receipts lead from one of these trees to another; `commit` is the one whose tree that is, if it is one's.
    async fn step(&self, from: &[Oid], to: &Oid, commit: Option<&gate_git::Oid>) -> Result<Verdict, Fault> {
        if let Some(gate) = self.gate {
            return self.asked(gate, from, to, commit).await;
        }
        let mut landed = false;
        let mut joined = self.approvals.joined(from, to, landed)?;
        if let (Joined::Flawed(_, Flaw::Expired(_)), Some(commit)) = (&joined, commit)
            && self.has_landed(commit).await?
        {
            landed = true;
            joined = self.approvals.joined(from, to, landed)?;
        }
        if let Joined::By(approvals) = joined {
            let how = if approvals.len() == 1 { How::AsShown } else { How::Joined };
            return Ok(Verdict::Good(how, approvals));
        }
        if self.rebased
            && let Some(base) = from.first()
            && let Some(approval) = self.same_patch(base, to, landed).await?
        {
            return Ok(Verdict::Good(How::Rebased, vec![approval]));
        }
        Ok(Verdict::Not(Refusal::Receipts(joined)))
    }

    /// The same of the gate, which looks at its receipts by itself.
    async fn asked(
        &self,
        gate: &Asking,
        from: &[Oid],
        to: &Oid,
        commit: Option<&gate_git::Oid>,
    ) -> Result<Verdict, Fault> {
        let mut answer = gate.answer(from, to, false).await?;
        if let (Answer::No(code), Some(commit)) = (&answer, commit)
            && is_expired(code)
            && self.has_landed(commit).await?
        {
            answer = gate.answer(from, to, true).await?;
        }
        Ok(answer.into())
    }

    /// The latest approval of the same patch, whatever it was shown on.
    async fn same_patch(&self, base: &Oid, to: &Oid, landed: bool) -> Result<Option<Approval>, Fault> {
        let Some(patch) = self.patch(base, to).await? else { return Ok(None) };
        for approval in self.approvals.latest(landed)?.into_iter().take(PATCHES) {
            let Some(Git { base, tree }) = &approval.found.decided.content.git else { continue };
            if base != tree && self.patch(base, tree).await? == Some(patch) {
                return Ok(Some(approval));
            }
        }
        Ok(None)
    }

    /// The patch between two trees; absent where the repository hasn't got them, or there is too much of it.
    async fn patch(&self, old: &Oid, new: &Oid) -> Result<Option<gate_git::Patch>, Fault> {
        let (Some(old), Some(new)) = (of_git(old), of_git(new)) else { return Ok(None) };
        let format = self.repository.format();
        if old.format() != format || new.format() != format {
            return Ok(None);
        }
        match self.repository.patch(&old, &new, &Options::default()).await {
            Ok(patch) => Ok(patch),
            Err(Error::Missing { .. } | Error::TooLarge { .. } | Error::TooMany { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    async fn has_landed(&self, oid: &gate_git::Oid) -> Result<bool, Fault> {
        match &self.protected {
            Some(tip) => Ok(self.repository.has(tip, oid).await?),
            None => Ok(false),
        }
    }

    /// A commit, and the tree before it.
    async fn with_base(&mut self, oid: &gate_git::Oid) -> Result<(Commit, Oid), Fault> {
        if let Some(read) = self.read.get(oid) {
            return Ok(read.clone());
        }
        let commit = self.repository.commit(oid).await?;
        let base = match commit.parents.first() {
            Some(parent) => named(&self.repository.commit(parent).await?.tree)?,
            None => self.empty_tree()?,
        };
        self.read.insert(oid.clone(), (commit.clone(), base.clone()));
        Ok((commit, base))
    }

    fn empty_tree(&self) -> Result<Oid, Fault> {
        named(&self.repository.format().empty_tree())
    }
}

fn is_expired(code: &str) -> bool {
    code == Flaw::Expired(Timestamp(0)).code()
}

/// The whole name of a commit, from a text of a person's or of git's.
///
/// # Errors
/// `invalid_input` where it names none.
pub(super) async fn resolved(repository: &Repository, text: &str) -> Result<gate_git::Oid, Fault> {
    let revision: gate_git::Revision = text.parse()?;
    repository.resolve(&revision).await.map_err(|error| match error {
        Error::UnknownRevision { .. } => Fault::new(
            Code::InvalidInput,
            error.to_string(),
            "Name a commit, a branch or a tag that it has, or a whole receipt; fetch it first where it is elsewhere.",
        ),
        error => error.into(),
    })
}
