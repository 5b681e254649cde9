//! Whether what is said to be applied is what was approved, in a real repository.

use std::fs;

use gate_api::Origin;
use gate_api::subjects::reviews::{EndReview, OpenReview};
use gate_core::Code;
use gate_core::proposal::{AppliedAs, Claimed, Ending, ReviewId, ReviewStatus, ReviewStore as _, Verdict, WasApplied};
use gate_mcp::{BrokerPort as _, OfferedPatch, ReviewCaller, SubmittedProposal};

use super::laundering::{Error, Scene, adds, edits, git, of};
use super::reviews::{proposal, relay, verdict};
use crate::tests::Outcome;

const LINES: &str = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";

impl Scene {
    fn proposer(&self) -> ReviewCaller {
        self.agent("proposes", "claude-code")
    }

    fn writes(&self, path: &str, text: &str) -> Outcome {
        Ok(fs::write(self.shop.path().join(path), text)?)
    }

    fn commits(&self) -> Outcome {
        git(self.shop.path(), &["add", "--all"])?;
        git(self.shop.path(), &["commit", "--quiet", "--message=more"])
    }

    async fn approved(&self, proposal: SubmittedProposal) -> Result<ReviewId, Error> {
        let review = self.submits(&self.proposer(), proposal).await?.review_id;
        self.judged(review).await?;
        Ok(review)
    }

    async fn judged(&self, review: ReviewId) -> Outcome {
        let reviewer = || self.agent("reviews", "codex");
        self.gate.claim(&reviewer(), review).await?;
        let judged = self.gate.judge(&reviewer(), review, verdict(Verdict::Approved, None)).await?;
        assert_eq!(judged.status, ReviewStatus::Approved);
        Ok(())
    }

    /// What its proposer is told who closes it.
    async fn closed(&self, review: ReviewId, commit: Option<&str>) -> Result<WasApplied, Error> {
        let closing = self.gate.close(&self.proposer(), review, None, commit.map(str::to_owned)).await?;
        assert_eq!(closing.review.outcome, Some(Ending::Applied));
        let applied = closing.applied.ok_or("it was looked for")?;
        assert_eq!(closing.review.found, Some(applied.found), "the list says so, too");
        let view = self.gate.execute(OpenReview { review_id: review, round: None }, Origin::Desktop).await?;
        assert_eq!(view.applied.as_ref(), Some(&applied), "and the page");
        Ok(applied)
    }
}

fn adds_nine_and_a_half() -> String {
    "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -7,3 +7,4 @@\n 7\n 8\n 9\n+9.5\n".to_owned()
}

fn two_files() -> Vec<(&'static str, &'static str)> {
    vec![("a", LINES), ("b", "one\n")]
}

/// What a list of files of the first result names.
fn files(applied: &WasApplied) -> (Vec<&str>, Vec<&str>) {
    let result = &applied.results[0];
    (result.paths.iter().map(String::as_str).collect(), result.extra.iter().map(String::as_str).collect())
}

#[tokio::test]
async fn what_lies_in_the_files_or_the_last_commit_is_found_as_what_was_approved() -> Outcome {
    let scene = Scene::new(&[], &two_files()).await?;
    let wanted = format!("{LINES}9.5\n");
    let review = scene.approved(of(&adds_nine_and_a_half())).await?;
    scene.writes("a", &wanted)?;
    scene.writes("b", "something else that is being worked on\n")?;
    let lying = scene.closed(review, None).await?;
    assert_eq!((lying.found, lying.commit.as_deref(), lying.round), (AppliedAs::Exact, None, 1), "in the files");

    scene.writes("a", LINES)?;
    scene.writes("b", "one\n")?;
    let review = scene.approved(of(&adds_nine_and_a_half())).await?;
    scene.writes("a", &wanted)?;
    scene.commits()?;
    let committed = scene.closed(review, None).await?;
    assert_eq!((committed.found, committed.commit.is_some()), (AppliedAs::Exact, true), "in the last commit");

    git(scene.shop.path(), &["reset", "--quiet", "--hard", "HEAD~1"])?;
    let review = scene.approved(of(&adds_nine_and_a_half())).await?;
    scene.writes("a", &LINES.replace("1\n", "one\n"))?;
    scene.commits()?;
    scene.writes("a", &wanted.replace("1\n", "one\n"))?;
    scene.commits()?;
    assert_eq!(scene.closed(review, Some("HEAD")).await?.found, AppliedAs::Equivalent, "on another base");
    Ok(())
}

#[tokio::test]
async fn what_is_otherwise_beside_it_or_nowhere_is_told_with_its_files() -> Outcome {
    let scene = Scene::new(&[], &two_files()).await?;
    let review = scene.approved(of(&adds_nine_and_a_half())).await?;
    scene.writes("a", &format!("{LINES}9.6\n"))?;
    let differs = scene.closed(review, None).await?;
    assert_eq!((differs.found, files(&differs)), (AppliedAs::Differs, (vec!["a"], vec![])), "other contents");

    scene.writes("a", LINES)?;
    let review = scene.approved(of(&adds_nine_and_a_half())).await?;
    scene.writes("a", &format!("{LINES}9.5\n"))?;
    scene.writes("b", "two\n")?;
    scene.commits()?;
    let beside = scene.closed(review, Some("HEAD")).await?;
    assert_eq!((beside.found, files(&beside)), (AppliedAs::Differs, (vec![], vec!["b"])), "and a file beside");

    git(scene.shop.path(), &["reset", "--quiet", "--hard", "HEAD~1"])?;
    let review = scene.approved(of(&adds_nine_and_a_half())).await?;
    assert_eq!(scene.closed(review, None).await?.found, AppliedAs::Missing, "it was never applied");

    let review = scene.approved(of(&edits("b", "one", "two"))).await?;
    let refused = scene.gate.close(&scene.proposer(), review, None, Some("nowhere".to_owned())).await.err();
    let refused = refused.ok_or("there is no such commit")?;
    assert!(refused.message.contains("no commit `nowhere`"), "{refused}");
    let stands = scene.gate.inner.store.review(review).await?.ok_or("it is there")?.state.status;
    assert_eq!(stands, ReviewStatus::Approved, "nothing is lost by that");
    Ok(())
}

#[tokio::test]
async fn a_patch_that_was_approved_beside_the_round_is_as_good() -> Outcome {
    let scene = Scene::new(&[], &two_files()).await?;
    let review = scene.submits(&scene.proposer(), of(&edits("b", "one", "two"))).await?.review_id;
    let reviewer = || scene.agent("reviews", "codex");
    scene.gate.claim(&reviewer(), review).await?;
    let diff = edits("b", "one", "three");
    let offered = OfferedPatch { diff, description: None, approves: false, claimed: Claimed::default() };
    let (_, patch) = scene.gate.offer_patch(&reviewer(), review, offered).await?;
    scene.gate.judge(&reviewer(), review, verdict(Verdict::Approved, None)).await?;
    scene.writes("b", "three\n")?;
    let applied = scene.closed(review, None).await?;
    let each: Vec<_> = applied.results.iter().map(|result| (result.patch_id, result.found)).collect();
    assert_eq!(each, [(None, AppliedAs::Differs), (Some(patch), AppliedAs::Exact)]);
    assert_eq!(applied.found, AppliedAs::Exact);
    Ok(())
}

#[tokio::test]
async fn what_was_applied_before_it_was_proposed_is_found_by_its_contents() -> Outcome {
    let scene = Scene::new(&[], &two_files()).await?;
    scene.writes("b", "two\n")?;
    scene.commits()?;
    let applied = || SubmittedProposal { applied: true, ..of(&edits("b", "one", "two")) };
    let review = scene.approved(applied()).await?;
    assert_eq!(scene.closed(review, None).await?.found, AppliedAs::Exact, "in the commit that it was reviewed in");
    let review = scene.approved(applied()).await?;
    git(scene.shop.path(), &["reset", "--quiet", "--hard", "HEAD~1"])?;
    assert_eq!(scene.closed(review, None).await?.found, AppliedAs::Missing, "that commit is gone");
    // On files that aren't committed.
    scene.writes("b", "draft\n")?;
    let review = scene.approved(of(&edits("b", "draft", "final"))).await?;
    scene.writes("b", "final\n")?;
    assert_eq!(scene.closed(review, None).await?.found, AppliedAs::Exact, "on what was a draft");
    Ok(())
}

#[tokio::test]
async fn without_a_repository_nothing_is_said_and_a_close_that_comes_again_gives_the_same() -> Outcome {
    let scene = Scene::new(&[], &two_files()).await?;
    let (own, other) = (|| relay("proposer"), || relay("reviewer"));
    let review = scene.submits(&own(), proposal("b")).await?.review_id;
    scene.gate.claim(&other(), review).await?;
    scene.gate.judge(&other(), review, verdict(Verdict::Approved, None)).await?;
    let closing = own();
    let first = scene.gate.close(&closing, review, None, Some("HEAD".to_owned())).await?;
    assert_eq!(first.applied.as_ref().map(|applied| applied.found), Some(AppliedAs::Unchecked));
    assert_eq!(scene.gate.close(&closing, review, None, Some("HEAD".to_owned())).await?, first, "by the same call");
    assert_eq!(scene.gate.close(&own(), review, None, None).await?.applied, first.applied, "and by another");

    let review = scene.approved(of(&adds("c", "x"))).await?;
    let given_up = scene.gate.close(&scene.proposer(), review, Some(Ending::Abandoned), None).await?;
    assert_eq!((given_up.applied, given_up.review.found), (None, None), "what is given up is looked for nowhere");
    let review = scene.submits(&scene.proposer(), of(&adds("d", "x"))).await?.review_id;
    let stranger = scene.gate.close(&scene.agent("another", "codex"), review, None, None).await.err();
    assert_eq!(stranger.map(|fault| fault.code), Some(Code::NotProposer));
    Ok(())
}

#[tokio::test]
async fn a_review_that_the_person_closes_is_looked_for_as_well() -> Outcome {
    let scene = Scene::new(&[], &two_files()).await?;
    let review = scene.approved(of(&edits("b", "one", "two"))).await?;
    scene.writes("b", "otherwise\n")?;
    scene.gate.execute(EndReview { review_id: review, outcome: None }, Origin::Desktop).await?;
    let view = scene.gate.execute(OpenReview { review_id: review, round: None }, Origin::Desktop).await?;
    assert_eq!(view.applied.map(|applied| applied.found), Some(AppliedAs::Differs));
    Ok(())
}
