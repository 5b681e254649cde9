//! Whether the person's approvals lead from one tree to another, for whoever works in a folder: of what was asked about
//! there, and yes or no.

use std::collections::{HashSet, VecDeque};
use std::path::Path;

use gate_api::{Approved, AskApproved};
use gate_core::{Code, Digest, Fault, Oid, bounds};
use gate_receipts::{
    Approvals, Chain, Found, Joined, Level, Line, PublicKey, ReceiptsError, Standing, Unproved, Vouched, assured,
};

use super::Requests;
use super::view::digested;
use crate::slices::receipts::level_of;

/// Most receipts whose questions are looked at for one answer.
const RECEIPTS: usize = 200;
/// Most of the newest receipts that are looked through for one that was shown on the same tree.
const LOOKED_THROUGH: usize = 1000;

/// The receipts of a chain whose questions were asked about a repository of one folder.
struct Own<'c> {
    chain: &'c Chain,
    receipts: HashSet<Digest>,
    /// The key of this machine's service.
    key: Option<PublicKey>,
}

impl gate_receipts::Receipts for Own<'_> {
    fn receipt(&self, id: Digest) -> Result<Option<Found>, ReceiptsError> {
        if self.receipts.contains(&id) { self.chain.receipt(id) } else { Ok(None) }
    }

    fn of_tree(&self, tree: &Oid) -> Result<Vec<Found>, ReceiptsError> {
        let all = self.chain.of_tree(tree)?;
        Ok(all.into_iter().filter(|found| self.receipts.contains(&found.id)).collect())
    }

    fn newest(&self) -> Vec<Digest> {
        self.chain.newest().into_iter().filter(|id| self.receipts.contains(id)).collect()
    }

    fn level(&self, line: &Line) -> Result<Level, Unproved> {
        assured(line, &Vouched { keys: self.chain.keys(), own: self.key.as_ref() })
    }
}

impl Requests {
    /// Whether approvals lead from one of these trees to another.
    ///
    /// # Errors
    /// `too_many` trees, and when record or log can't be read.
    pub(crate) async fn approved(&self, asked: AskApproved, folder: &str) -> Result<Approved, Fault> {
        let AskApproved { from, to, require, landed } = asked;
        if from.len() > bounds::APPROVED_FROM {
            return Err(Fault::new(
                Code::TooMany,
                format!("It is asked from {} trees; at most {} are looked at.", from.len(), bounds::APPROVED_FROM),
                "Ask for fewer commits at a time.",
            ));
        }
        let _alone = self.verifying.lock().await;
        let (begin, end) = (from.clone(), to.clone());
        let now = self.bus.now();
        let mut all = self.receipts.chain(move |chain| Ok(near(chain, &begin, &end)?)).await?;
        // No agent hears of what may still be taken back, nor of what was.
        all.retain(|found| {
            let standing = found.decided.standing(&found.after, now, landed);
            !matches!(standing, Standing::Held { .. } | Standing::TakenBack { .. })
        });
        let mut receipts = HashSet::new();
        for found in all {
            if self.is_of(&found, folder).await? {
                receipts.insert(found.id);
            }
        }
        let key = self.receipts.system().key().await;
        self.receipts
            .chain(move |chain| {
                let approvals = Approvals::new(Own { chain, receipts, key }, now, level_of(require));
                Ok(match approvals.joined(&from, &to, landed)? {
                    Joined::By(_) => Approved::Yes,
                    Joined::Flawed(_, flaw) => Approved::No(flaw.code().to_owned()),
                    Joined::OtherBase(_) => Approved::No("other_base".to_owned()),
                    Joined::OtherTree(_) => Approved::No("other_tree".to_owned()),
                    Joined::Nothing => Approved::No("nothing".to_owned()),
                })
            })
            .await
    }

    /// Whether a receipt's question was asked about a repository that is in this folder, or that this folder is in.
    async fn is_of(&self, found: &Found, folder: &str) -> Result<bool, Fault> {
        // Of what was deleted nobody knows where it was asked.
        let Some(stored) = self.store.request(found.decided.request).await? else { return Ok(false) };
        let Some(git) = &stored.ask.git else { return Ok(false) };
        let (shown, works) = (Path::new(&git.repository), Path::new(folder));
        if !shown.starts_with(works) && !works.starts_with(shown) {
            return Ok(false);
        }
        Ok(found.decided.content.ask == Some(digested(stored.ask).await?.digest))
    }
}

/// The receipts that may lead from one of these trees to another, and those that were shown on one of them.
fn near(chain: &Chain, from: &[Oid], to: &Oid) -> Result<Vec<Found>, ReceiptsError> {
    let (mut all, mut seen, mut next) = (Vec::new(), HashSet::from([to.clone()]), VecDeque::from([to.clone()]));
    while let Some(tree) = next.pop_front()
        && all.len() < RECEIPTS
    {
        for found in chain.of_tree(&tree)? {
            let base = found.decided.content.git.as_ref().map(|git| git.base.clone());
            next.extend(base.filter(|base| seen.insert(base.clone())));
            all.push(found);
        }
    }
    for id in chain.newest().into_iter().take(LOOKED_THROUGH) {
        if all.len() >= RECEIPTS {
            break;
        }
        let found = chain.receipt(id)?;
        all.extend(
            found.filter(|found| found.decided.content.git.as_ref().is_some_and(|git| from.contains(&git.base))),
        );
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use gate_api::Origin;
    use gate_api::subjects::requests::{SendReply, UndoReply};
    use gate_core::{AnsweredFrom, Ask, Assurance, Decision, Draft, QuestionGit, RequestId};
    use gate_mcp::Call;

    use super::*;
    use crate::slices::Gate;
    use crate::tests::{Outcome, call, gate, reply};

    fn oid(digits: &str) -> Oid {
        Oid::try_from(digits.repeat(20)).expect("it has its digits")
    }

    /// Asks about a change of `/w/shop`.
    async fn asks(gate: &Gate, key: &str, base: &str, tree: &str) -> Result<RequestId, Fault> {
        let git = QuestionGit {
            repository: "/w/shop".to_owned(),
            what: "staged".to_owned(),
            base: None,
            base_tree: oid(base),
            commit: None,
            tree: oid(tree),
            manifest: Digest::of_bytes(key.as_bytes()),
        };
        let ask = Ask { message: key.to_owned(), approval: true, git: Some(Box::new(git)), ..Ask::default() };
        Ok(gate.inner.requests.ask(Call { ask, ..call(key, key) }).await?.request_id)
    }

    async fn says(gate: &Gate, base: &str, tree: &str, folder: &str, require: Assurance) -> Result<Approved, Fault> {
        let asked = AskApproved { from: vec![oid(base)], to: oid(tree), require, landed: false };
        gate.inner.requests.approved(asked, folder).await
    }

    fn no(code: &str) -> Approved {
        Approved::No(code.to_owned())
    }

    #[tokio::test]
    async fn yes_is_said_of_what_was_asked_about_in_this_folder() -> Outcome {
        let (_folder, gate) = gate(true).await?;
        let (approve, at) = (Some(Decision::Approved), AnsweredFrom::Desktop);
        let first = asks(&gate, "a:1", "1a", "2b").await?;
        assert_eq!(says(&gate, "1a", "2b", "/w/shop", Assurance::L1).await?, no("nothing"), "it waits");
        reply(&gate, first, approve, &Draft::default(), at).await?;
        for (folder, answer) in [
            ("/w/shop", Approved::Yes),
            ("/w", Approved::Yes),
            ("/w/shop/ui", Approved::Yes),
            ("/w/sho", no("nothing")),
            ("/w/other", no("nothing")),
        ] {
            assert_eq!(says(&gate, "1a", "2b", folder, Assurance::L1).await?, answer, "{folder}");
        }
        assert_eq!(says(&gate, "9f", "2b", "/w/shop", Assurance::L1).await?, no("other_base"));
        assert_eq!(says(&gate, "1a", "9f", "/w/shop", Assurance::L1).await?, no("other_tree"));
        assert_eq!(says(&gate, "1a", "9f", "/w/other", Assurance::L1).await?, no("nothing"), "nor what was instead");
        assert_eq!(says(&gate, "1a", "2b", "/w/shop", Assurance::L3).await?, no("level"));
        let second = asks(&gate, "a:2", "2b", "3c").await?;
        reply(&gate, second, approve, &Draft::default(), at).await?;
        assert_eq!(says(&gate, "1a", "3c", "/w/shop", Assurance::L1).await?, Approved::Yes, "they join");
        assert_eq!(says(&gate, "1a", "3c", "/w/other", Assurance::L1).await?, no("nothing"));
        Ok(())
    }

    #[tokio::test]
    async fn of_what_may_still_be_taken_back_and_of_what_was_nothing_is_said() -> Outcome {
        let (_folder, gate) = gate(true).await?;
        let request_id = asks(&gate, "a:1", "1a", "2b").await?;
        let digest = gate.inner.requests.question(request_id).await?.digest;
        let sent = SendReply { request_id, digest, decision: Some(Decision::Approved), draft: Draft::default() };
        gate.execute(sent, Origin::Desktop).await?;
        assert_eq!(says(&gate, "1a", "2b", "/w/shop", Assurance::L1).await?, no("nothing"), "it is held");
        gate.execute(UndoReply { request_id }, Origin::Desktop).await?;
        assert_eq!(says(&gate, "1a", "2b", "/w/shop", Assurance::L1).await?, no("nothing"), "it was taken back");
        Ok(())
    }

    #[tokio::test]
    async fn more_trees_than_are_looked_at_are_refused() -> Outcome {
        let (_folder, gate) = gate(true).await?;
        let from = vec![oid("1a"); bounds::APPROVED_FROM + 1];
        let asked = AskApproved { from, to: oid("2b"), require: Assurance::L1, landed: false };
        let fault = gate.inner.requests.approved(asked, "/w").await.expect_err("too many");
        assert_eq!(fault.code, Code::TooMany);
        Ok(())
    }
}
