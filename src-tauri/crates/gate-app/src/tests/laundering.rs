//! What needed the person reaches them in whatever clothes it comes back, in a real repository: what was escalated, what a
//! rule of theirs names, and what only looks as if it were elsewhere.

use std::fs;
use std::path::Path;
use std::process::Command;

use gate_api::Origin;
use gate_api::subjects::reviews::{ListApprovedReviews, SettleReviewPatch};
use gate_core::Code;
use gate_core::proposal::{Claimed, PatchId, ReviewId, ReviewStatus, ReviewStore as _, ReviewSummary, Verdict};
use gate_mcp::{BrokerPort as _, ClaimWish, OfferedPatch, ProposedChange, ReviewCaller, SubmittedProposal};
use gate_settings::Values;
use serde_json::json;
use tempfile::TempDir;

use super::reviews::{proposal, relay, started, verdict};
use crate::slices::Gate;
use crate::tests::{Outcome, gate, open_with};

pub(super) type Error = Box<dyn std::error::Error>;

/// A gate, and a repository of these files that agents work in.
pub(super) struct Scene {
    _home: TempDir,
    pub(super) shop: TempDir,
    pub(super) gate: Gate,
}

impl Scene {
    pub(super) async fn new(rules: &[&str], files: &[(&str, &str)]) -> Result<Self, Error> {
        let (home, shop) = (tempfile::tempdir()?, tempfile::tempdir()?);
        let gate = open_with(&home, true, Values::from([("security.review_rules", json!(rules))])).await?;
        git(shop.path(), &["init", "--quiet", "--initial-branch=main"])?;
        for (path, text) in files {
            let file = shop.path().join(path);
            fs::create_dir_all(file.parent().ok_or("it is in a folder")?)?;
            fs::write(file, text)?;
        }
        git(shop.path(), &["add", "--all"])?;
        git(shop.path(), &["commit", "--quiet", "--message=first"])?;
        Ok(Self { _home: home, shop, gate })
    }

    /// Somebody who works there: when it began, and what it calls itself.
    pub(super) fn agent(&self, began: &str, name: &str) -> ReviewCaller {
        started(began, name, &self.shop.path().display().to_string())
    }

    pub(super) async fn submits(&self, by: &ReviewCaller, proposal: SubmittedProposal) -> Result<ReviewSummary, Error> {
        let intent = proposal.intent.clone();
        let submitted = self.gate.submit(by, proposal).await.map_err(|fault| format!("{intent}: {fault}"))?;
        Ok(submitted.review)
    }

    /// A proposer's change that a reviewer has the person decide.
    pub(super) async fn escalated(&self, by: &ReviewCaller, diff: &str) -> Result<ReviewId, Error> {
        let review = self.submits(by, of(diff)).await?.review_id;
        let reviewer = || self.agent("reviews", "codex");
        self.gate.claim(&reviewer(), review).await?;
        self.gate.judge(&reviewer(), review, verdict(Verdict::Escalate, None)).await?;
        Ok(review)
    }

    /// Another's review with this patch, which its author's approval comes with.
    async fn patched(&self, diff: &str) -> Result<(ReviewId, PatchId), Error> {
        let review = self.submits(&self.agent("other", "opencode"), of(&adds("harmless", "x"))).await?.review_id;
        let reviewer = || self.agent("patches", "gemini-cli");
        self.gate.claim(&reviewer(), review).await?;
        let offered =
            OfferedPatch { diff: diff.to_owned(), description: None, approves: true, claimed: Claimed::default() };
        let (_, patch) = self.gate.offer_patch(&reviewer(), review, offered).await?;
        Ok((review, patch))
    }

    /// Where a review stands, and whether it needs the person.
    async fn stands(&self, review: ReviewId) -> Result<(ReviewStatus, bool), Error> {
        let state = self.gate.inner.store.review(review).await?.ok_or("it is there")?.state;
        Ok((state.status, state.needs().person))
    }

    /// Where another's review stands that a patch with its author's approval has become the next round of, and whether that
    /// needs the person.
    async fn as_a_patch(&self, diff: &str) -> Result<(ReviewStatus, bool), Error> {
        let (review, patch) = self.patched(diff).await?;
        self.gate.accept_patch(&self.agent("other", "opencode"), review, Some(patch), None).await?;
        self.stands(review).await
    }

    async fn needs_person(&self, review: ReviewId) -> Result<bool, Error> {
        Ok(self.stands(review).await?.1)
    }
}

pub(super) fn git(folder: &Path, words: &[&str]) -> Outcome {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=a", "-c", "user.email=a"]).args(words).current_dir(folder);
    let ran = command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1").output()?;
    assert!(ran.status.success(), "{words:?}: {}", String::from_utf8_lossy(&ran.stderr));
    Ok(())
}

pub(super) fn of(diff: &str) -> SubmittedProposal {
    SubmittedProposal { change: ProposedChange::Diff(diff.to_owned()), intent: diff.to_owned(), ..proposal("") }
}

/// As the next round of a review.
pub(super) fn round(review: ReviewId, diff: &str) -> SubmittedProposal {
    SubmittedProposal { review_id: Some(review), ..of(diff) }
}

pub(super) fn edits(path: &str, old: &str, new: &str) -> String {
    format!("diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-{old}\n+{new}\n")
}

pub(super) fn adds(path: &str, line: &str) -> String {
    format!("diff --git a/{path} b/{path}\nnew file mode 100644\n--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+{line}\n")
}

fn goes(path: &str, line: &str) -> String {
    format!(
        "diff --git a/{path} b/{path}\ndeleted file mode 100644\n--- a/{path}\n+++ /dev/null\n@@ -1 +0,0 @@\n-{line}\n"
    )
}

fn moves(word: &str, from: &str, to: &str) -> String {
    format!("diff --git a/{from} b/{to}\nsimilarity index 100%\n{word} from {from}\n{word} to {to}\n")
}

pub(super) fn links(path: &str, to: &str) -> String {
    format!(
        "diff --git a/{path} b/{path}\nnew file mode 120000\n--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+{to}\n\
         \\ No newline at end of file\n"
    )
}

pub(super) fn mode(path: &str) -> String {
    format!("diff --git a/{path} b/{path}\nold mode 100644\nnew mode 100755\n")
}

#[tokio::test]
async fn what_was_escalated_reaches_the_person_in_whatever_clothes_it_comes_back() -> Outcome {
    let scene = Scene::new(&[], &[("a", "one\n"), ("b", "one\n"), ("c", "one\n")]).await?;
    let own = || scene.agent("first", "claude-code");
    let heir = || scene.agent("second", "claude-code");
    let other = || scene.agent("other", "opencode");
    let (a, b) = (edits("a", "one", "two"), edits("b", "one", "three"));
    // Reviews that were there before.
    let (early, others) =
        (scene.submits(&own(), of(&adds("d", "x"))).await?, scene.submits(&other(), of(&adds("e", "x"))).await?);
    let asked = scene.escalated(&own(), &format!("{a}{b}")).await?;
    assert_eq!(scene.gate.close(&own(), asked, None, None).await?.review.status, ReviewStatus::Closed);

    let replaces = SubmittedProposal { parent_id: Some(asked), ..of(&adds("f", "x")) };
    for (why, by, proposal, reaches) in [
        ("proposed again", own(), of(&format!("{a}{b}")), true),
        ("in part", own(), of(&a), true),
        ("its other part", own(), of(&b), true),
        ("with something else", own(), of(&format!("{a}{}", edits("c", "one", "two"))), true),
        ("another change of the same file", own(), of(&edits("a", "one", "four")), true),
        ("the file under another name", own(), of(&moves("rename", "a", "moved")), true),
        ("a copy of it", own(), of(&moves("copy", "a", "copied")), true),
        ("without the file", own(), of(&goes("b", "one")), true),
        ("with another mode", own(), of(&mode("a")), true),
        ("a link in its place", own(), of(&format!("{}{}", goes("a", "one"), links("a", "b"))), true),
        ("in its place", own(), replaces, true),
        ("in another category", own(), SubmittedProposal { category: Some("docs".to_owned()), ..of(&a) }, true),
        ("by the next of the same client", heir(), of(&edits("a", "one", "five")), true),
        ("by another party", other(), of(&format!("{a}{b}")), true),
        ("in part by another party", other(), of(&b), true),
        ("by another party in other words", other(), of(&format!("Please.\n\n{b}{a}")), true),
        ("by another party, under another name", other(), of(&adds("elsewhere", "two")), true),
        ("as the next round of what was open", own(), round(early.review_id, &a), true),
        ("as the next round of what another had open", other(), round(others.review_id, &format!("{a}{b}")), true),
        ("another file", own(), of(&edits("c", "one", "two-and-a-half")), false),
        ("another's own change", other(), of(&edits("a", "one", "six")), false),
    ] {
        let review = scene.submits(&by, proposal).await?.review_id;
        assert_eq!(scene.needs_person(review).await?, reaches, "{why}");
        if reaches {
            // What an agent says of it approves nothing.
            let reviewer = || scene.agent("reviews", "codex");
            scene.gate.claim(&reviewer(), review).await?;
            let judged = scene.gate.judge(&reviewer(), review, verdict(Verdict::Approved, None)).await?;
            assert_eq!((judged.status, judged.approved_by), (ReviewStatus::AwaitingPerson, None), "{why}");
        }
    }
    let asked = (ReviewStatus::AwaitingPerson, true);
    assert_eq!(scene.as_a_patch(&format!("{a}{b}")).await?, asked, "as a patch in somebody else's review");
    let approved = (ReviewStatus::Approved, false);
    assert_eq!(scene.as_a_patch(&adds("g", "x")).await?, approved, "another patch is what it is");
    Ok(())
}

#[tokio::test]
async fn what_a_rule_names_reaches_the_person_whatever_it_is_called() -> Outcome {
    let files = [("secure/key", "one\n"), ("open/a", "one\n"), ("secure/sub/b", "one\n")];
    let scene = Scene::new(&["person; path=secure/", "agent+person; category=risky"], &files).await?;
    let own = || scene.agent("first", "claude-code");
    let quoted = adds("secure/x", "x").replace("b/secure/x\n@@", "\"b/sec\\165re/x\"\n@@");
    for (why, diff, reaches) in [
        ("below it", adds("secure/new", "x"), true),
        ("further below", edits("secure/sub/b", "one", "two"), true),
        ("out of it", moves("rename", "secure/key", "open/key"), true),
        ("into it", moves("rename", "open/a", "secure/a"), true),
        ("a copy out of it", moves("copy", "secure/key", "open/key"), true),
        ("its name in other letters", quoted, true),
        ("beside something else", format!("{}{}", edits("open/a", "one", "two"), goes("secure/key", "one")), true),
        ("a link, wherever", links("open/link", "../secure/key"), true),
        ("how files are read, wherever", adds("open/.gitattributes", "* -diff"), true),
        ("a mode, wherever", mode("open/a"), true),
        ("what only begins like it", adds("secured/x", "x"), false),
        ("elsewhere", edits("open/a", "one", "two"), false),
    ] {
        let review = scene.submits(&own(), of(&diff)).await?.review_id;
        assert_eq!(scene.needs_person(review).await?, reaches, "{why}: {diff}");
    }
    // Its proposer's word can only ask for more.
    let named = |category: &str| SubmittedProposal { category: Some(category.to_owned()), ..of(&adds("open/b", "x")) };
    let risky = scene.submits(&own(), named("risky")).await?.review_id;
    let next = SubmittedProposal { review_id: Some(risky), ..named("docs") };
    scene.submits(&own(), SubmittedProposal { change: ProposedChange::Diff(adds("open/b", "y")), ..next }).await?;
    assert!(scene.needs_person(risky).await?, "what was risky is so under another name");
    let as_a_patch = scene.as_a_patch(&moves("rename", "secure/key", "open/key")).await?;
    assert_eq!(as_a_patch, (ReviewStatus::AwaitingPerson, true), "nor does a patch get past it");
    Ok(())
}

#[tokio::test]
async fn a_patch_is_held_against_the_rules_also_where_the_person_takes_it_or_it_stands_beside_its_round() -> Outcome {
    let scene = Scene::new(&["person; path=secure/"], &[("open/a", "one\n")]).await?;
    let asked = (ReviewStatus::AwaitingPerson, true);
    for (path, origin, stands) in [
        ("secure/x", Origin::Desktop, asked),
        ("open/x", Origin::Desktop, (ReviewStatus::Approved, false)),
        // Whoever can start a terminal could take their own: no approval comes with that.
        ("secure/x", Origin::Terminal, (ReviewStatus::Claimed, true)),
        ("open/x", Origin::Terminal, (ReviewStatus::Claimed, false)),
    ] {
        let (review_id, patch_id) = scene.patched(&adds(path, "x")).await?;
        scene.gate.execute(SettleReviewPatch { review_id, patch_id, accept: true }, origin).await?;
        assert_eq!(scene.stands(review_id).await?, stands, "{path}, {origin:?}");
    }
    for (path, stands) in [("secure/y", false), ("open/y", true)] {
        let (review, patch) = scene.patched(&adds(path, "y")).await?;
        scene.gate.judge(&scene.agent("patches", "gemini-cli"), review, verdict(Verdict::Approved, None)).await?;
        assert_eq!(scene.stands(review).await?, (ReviewStatus::Approved, false), "its round needs nobody else");
        let folder = scene.shop.path().display().to_string();
        let listed = ListApprovedReviews { folder, paths: vec![path.to_owned()] };
        let approved = scene.gate.execute(listed, Origin::Script).await?.results;
        let is_approved = approved.iter().any(|result| result.patch_id == Some(patch));
        assert_eq!(is_approved, stands, "{path}: whoever commits it is told so");
    }
    Ok(())
}

#[tokio::test]
async fn what_applies_no_more_when_it_is_approved_is_rejected_without_a_verdict() -> Outcome {
    let scene = Scene::new(&[], &[("a", "one\n")]).await?;
    let reviewer = || scene.agent("reviews", "codex");
    let review = scene.submits(&scene.agent("first", "claude-code"), of(&edits("a", "one", "two"))).await?.review_id;
    scene.gate.claim(&reviewer(), review).await?;
    fs::write(scene.shop.path().join("a"), "other\n")?;
    git(scene.shop.path(), &["commit", "--quiet", "--all", "--message=second"])?;
    let approved = scene.gate.judge(&reviewer(), review, verdict(Verdict::Approved, None)).await;
    assert_eq!(approved.err().map(|fault| fault.code), Some(Code::DiffConflict));
    assert_eq!(scene.stands(review).await?, (ReviewStatus::Rejected, false), "its proposer makes it anew");
    assert_eq!(scene.gate.inner.store.verdicts(review).await?, [], "and nobody has approved it");
    let stale = scene.submits(&scene.agent("first", "claude-code"), of(&edits("a", "other", "three"))).await?.review_id;
    fs::write(scene.shop.path().join("a"), "one\n")?;
    git(scene.shop.path(), &["commit", "--quiet", "--all", "--message=third"])?;
    let next = scene.gate.claim_next(&reviewer(), &ClaimWish::default()).await?;
    assert!(next.is_none(), "nor is it given to whoever looks for work: {next:?}");
    assert_eq!(scene.stands(stale).await?, (ReviewStatus::Rejected, false));
    Ok(())
}

#[tokio::test]
async fn a_path_that_no_repository_checks_is_refused_or_read_as_git_would() -> Outcome {
    let (_folder, gate) = gate(true).await?;
    for path in
        ["../out", "x/../secure/key", "./secure/key", "secure//key", ".git/config", "x/.GIT/hooks/y", "/etc/passwd"]
    {
        let refused = gate.submit(&relay("proposer"), of(&adds(path, "x"))).await.err().map(|fault| fault.code);
        assert_eq!(refused, Some(Code::InvalidDiff), "{path}");
    }
    let absolute = adds("etc/passwd", "x").replace("+++ b/etc", "+++ /etc");
    for diff in [absolute, adds("x", "a\0b"), "Binary files a/x and b/x differ\n".to_owned(), "not a diff\n".to_owned()]
    {
        let refused = gate.submit(&relay("proposer"), of(&diff)).await.err().map(|fault| fault.code);
        assert_eq!(refused, Some(Code::InvalidDiff), "{diff:?}");
    }
    let rules = Values::from([("security.review_rules", json!(["person; path=secure/"]))]);
    let folder = tempfile::tempdir()?;
    let gate = open_with(&folder, true, rules).await?;
    let quoted = "--- /dev/null\n+++ \"b/sec\\165re/x\"\n@@ -0,0 +1 @@\n+x\n".to_owned();
    let plain = "--- other/secure/key\n+++ other/secure/key\n@@ -1 +1 @@\n-one\n+two\n".to_owned();
    for diff in [adds("secure/x", "x"), quoted, plain, moves("rename", "secure/key", "open/key")] {
        let submitted = gate.submit(&relay("proposer"), of(&diff)).await?.review;
        assert_eq!(submitted.status, ReviewStatus::AwaitingPerson, "the rule finds it: {diff}");
    }
    Ok(())
}
