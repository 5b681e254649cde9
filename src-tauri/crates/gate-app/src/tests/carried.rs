//! A next round that is the same patch on another commit has the approvals of agents that the one before had, in a real
//! repository; the person's it never has.

use std::fs;

use gate_core::Code;
use gate_core::proposal::{ApprovedBy, ReviewId, ReviewStatus, ReviewStore as _, Verdict};
use gate_mcp::{BrokerPort as _, Submission, SubmittedProposal};

use super::laundering::{Error, Scene, git, of, round};
use super::reviews::verdict;
use crate::tests::Outcome;

const LINES: &str = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";

fn changes_eight(to: &str) -> String {
    format!("diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -5,5 +5,5 @@\n 5\n 6\n 7\n-8\n+{to}\n 9\n")
}

/// The same, three lines further down.
fn further_down(to: &str) -> String {
    changes_eight(to).replace("-5,5 +5,5", "-8,5 +8,5")
}

impl Scene {
    /// Three lines more at the top of the file, committed.
    fn moves_on(&self) -> Outcome {
        fs::write(self.shop.path().join("a"), format!("-2\n-1\n0\n{LINES}"))?;
        git(self.shop.path(), &["commit", "--quiet", "--all", "--message=meanwhile"])
    }

    async fn judges(&self, who: &str, review: ReviewId, decision: Verdict) -> Result<ReviewStatus, Error> {
        let by = || self.agent(who, who);
        self.gate.claim(&by(), review).await?;
        Ok(self.gate.judge(&by(), review, verdict(decision, None)).await?.status)
    }

    async fn next(&self, proposal: SubmittedProposal) -> Result<Submission, Error> {
        Ok(self.gate.submit(&self.agent("first", "claude-code"), proposal).await?)
    }
}

#[tokio::test]
async fn what_agents_approved_is_approved_after_a_rebase_and_looked_at_after_anything_else() -> Outcome {
    let scene = Scene::new(&[], &[("a", LINES)]).await?;
    let review = scene.next(of(&changes_eight("eight"))).await?.review.review_id;
    assert_eq!(scene.judges("codex", review, Verdict::Approved).await?, ReviewStatus::Approved);
    scene.moves_on()?;
    let rebased = scene.next(round(review, &further_down("eight"))).await?;
    let stands = (rebased.review.status, rebased.review.round, rebased.review.approved_by);
    assert_eq!(stands, (ReviewStatus::Approved, 2, Some(ApprovedBy::Agent)), "nobody has to look at it again");
    assert!(rebased.warnings.iter().any(|warning| warning.contains("same patch as round 1")), "{:?}", rebased.warnings);
    let rounds = scene.gate.inner.store.rounds(review, 1).await?;
    assert_eq!(rounds.iter().map(|round| round.carried_from).collect::<Vec<_>>(), [None, Some(1)]);
    let changed = scene.next(round(review, &further_down("acht"))).await?;
    assert_eq!((changed.review.status, changed.review.approvals), (ReviewStatus::Created, 0), "another patch");
    Ok(())
}

#[tokio::test]
async fn whoever_approved_it_before_the_rebase_is_one_of_two_and_no_second() -> Outcome {
    let scene = Scene::new(&["agents:2"], &[("a", LINES)]).await?;
    let review = scene.next(of(&changes_eight("eight"))).await?.review.review_id;
    assert_eq!(scene.judges("codex", review, Verdict::Approved).await?, ReviewStatus::Created);
    scene.moves_on()?;
    let rebased = scene.next(round(review, &further_down("eight"))).await?.review;
    assert_eq!((rebased.status, rebased.approvals), (ReviewStatus::Created, 1));
    let again = scene.gate.claim(&scene.agent("codex", "codex"), review).await.err();
    assert_eq!(again.map(|fault| fault.code), Some(Code::AlreadyApproved), "its approval holds, and is one");
    // And over another rebase.
    fs::write(scene.shop.path().join("b"), "beside\n")?;
    git(scene.shop.path(), &["add", "--all"])?;
    git(scene.shop.path(), &["commit", "--quiet", "--message=beside"])?;
    let other = further_down("eight").replace("diff --git a/a b/a\n", "");
    let again = scene.next(round(review, &other)).await?.review;
    assert_eq!((again.round, again.approvals), (3, 1));
    let claims = scene.gate.claim(&scene.agent("codex", "codex"), review).await.err();
    assert_eq!(claims.map(|fault| fault.code), Some(Code::AlreadyApproved));
    assert_eq!(scene.judges("gemini-cli", review, Verdict::Approved).await?, ReviewStatus::Approved);
    Ok(())
}

#[tokio::test]
async fn the_persons_word_is_asked_for_again_and_a_rejection_is_carried_nowhere() -> Outcome {
    let scene = Scene::new(&["agent+person"], &[("a", LINES)]).await?;
    let review = scene.next(of(&changes_eight("eight"))).await?.review.review_id;
    assert_eq!(scene.judges("codex", review, Verdict::Approved).await?, ReviewStatus::AwaitingPerson);
    scene.moves_on()?;
    let rebased = scene.next(round(review, &further_down("eight"))).await?.review;
    assert_eq!((rebased.status, rebased.approvals), (ReviewStatus::AwaitingPerson, 1), "only they are missing");
    assert_eq!(rebased.approved_by, None);

    let scene = Scene::new(&["agents:2"], &[("a", LINES)]).await?;
    let review = scene.next(of(&changes_eight("eight"))).await?.review.review_id;
    scene.judges("codex", review, Verdict::Approved).await?;
    assert_eq!(scene.judges("gemini-cli", review, Verdict::Rejected).await?, ReviewStatus::Rejected);
    scene.moves_on()?;
    let rebased = scene.next(round(review, &further_down("eight"))).await?.review;
    assert_eq!((rebased.status, rebased.approvals), (ReviewStatus::Created, 0));
    Ok(())
}
