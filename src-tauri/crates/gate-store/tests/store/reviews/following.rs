//! What needed the person goes on needing them: in new reviews of the same files or the same diff, for a week.

use gate_core::proposal::{Act, Actor, Brought, NewDiff, NewReview, Party, ReviewId, ReviewStore, Verdict};
use gate_core::{Digest, Timestamp};

use super::scene::*;
use crate::fixture::{NOW, Outcome, ask_in};

const WEEK: i64 = 7 * DAY;

impl Scene {
    async fn follows(&self, by: &Party, files: &[&str], words: &str, at: i64) -> Result<bool, Error> {
        self.follows_of(by, &diff(files, words), at).await
    }

    async fn follows_of(&self, by: &Party, new: &NewDiff, at: i64) -> Result<bool, Error> {
        Ok(self.store.followed(&new.checked, Some(Digest::of_bytes(&new.diff)), by, Timestamp(at)).await?)
    }

    async fn escalated(&self, by: &Party, files: &[&str]) -> Result<ReviewId, Error> {
        let review = self.submit_new(by, self.proposal(files)).await?;
        let reviewer = agent(&client("codex"));
        self.claim(&reviewer, review).await?;
        self.judge(&reviewer, review, Verdict::Escalate).await?;
        Ok(review)
    }
}

#[tokio::test]
async fn what_was_escalated_is_followed_while_it_is_open_and_a_week_after_its_end() -> Outcome {
    let mut scene = Scene::new().await?;
    let (proposer, other) = (client("claude-code"), client("opencode"));
    assert!(!scene.follows(&proposer, &["a"], "", NOW).await?, "nothing needed the person");
    let review = scene.escalated(&proposer, &["a", "b"]).await?;
    for (by, files, words, expected, why) in [
        (&proposer, ["b"], "more", true, "a new one that touches one of its files"),
        (&proposer, ["c"], "", false, "not one that touches others"),
        (&other, ["b"], "more", false, "nor somebody else's"),
    ] {
        assert_eq!(scene.follows(by, &files, words, NOW).await?, expected, "{why}");
    }
    assert!(scene.follows(&other, &["a", "b"], "", NOW).await?, "but their patch is whoever's proposes it");
    let (round, with) = next_round(&["c"], "narrower");
    scene.act_with(&agent(&proposer), review, round, with).await?;
    assert!(scene.state(review).await?.needs().person, "its own later rounds need them, too");
    assert!(scene.follows(&proposer, &["a"], "split", NOW).await?, "what an earlier round touched isn't forgotten");
    let closed = NOW + DAY;
    scene.act_at(&agent(&proposer), review, Act::Close(None), Brought::Nothing, closed).await?;
    scene.restart().await?;
    for (at, expected) in [(closed, true), (closed + WEEK - 1, true), (closed + WEEK, false)] {
        let found = scene.follows(&proposer, &["a"], "again", at).await?;
        assert_eq!(found, expected, "{} days after its end", (at - closed) / DAY);
    }
    Ok(())
}

#[tokio::test]
async fn a_new_client_of_the_same_agent_is_followed_too() -> Outcome {
    let scene = Scene::new().await?;
    let first = process(10, "claude-code", &[5]);
    scene.escalated(&first, &["a"]).await?;
    for (by, expected, why) in [
        (process(10, "claude-code", &[5]), true, "itself"),
        (process(11, "claude-code", &[6]), true, "the next one in its folder, ended or not"),
        (process(12, "opencode", &[10, 5]), true, "what it started"),
        (process(13, "opencode", &[6]), false, "another agent"),
    ] {
        assert_eq!(scene.follows(&by, &["a"], "again", NOW).await?, expected, "{why}");
    }
    Ok(())
}

#[tokio::test]
async fn what_a_file_is_to_hold_is_followed_under_another_name_and_in_other_words() -> Outcome {
    let scene = Scene::new().await?;
    let holding = |files: &[&str], words: &str, oid: &str| {
        let mut new = diff(files, words);
        new.checked.files[0].new = Some(oid.to_owned());
        new
    };
    let first = NewReview { first: holding(&["a", "b"], "", "0a1b"), ..scene.proposal(&[]) };
    let review = scene.submit_new(&client("claude-code"), first).await?;
    let reviewer = agent(&client("codex"));
    scene.claim(&reviewer, review).await?;
    scene.judge(&reviewer, review, Verdict::Escalate).await?;
    let other = client("opencode");
    for (new, expected, why) in [
        (holding(&["a"], "by others", "0a1b"), true, "the same change, written otherwise"),
        (holding(&["renamed"], "by others", "0a1b"), true, "under another name"),
        (holding(&["a"], "by others", "2c3d"), false, "another change of somebody else's"),
        (diff(&["a"], "by others"), false, "one of which nobody knows what it makes"),
    ] {
        assert_eq!(scene.follows_of(&other, &new, NOW).await?, expected, "{why}");
    }
    Ok(())
}

#[tokio::test]
async fn it_ends_when_the_person_approves_and_not_when_they_reject_or_tidy_up() -> Outcome {
    let scene = Scene::new().await?;
    let proposer = client("claude-code");
    let review = scene.escalated(&proposer, &["a"]).await?;
    scene.act(&PERSON, review, decide(false)).await?;
    scene.act(&Actor::Gate, review, Act::Settle).await?;
    scene.act(&PERSON, review, Act::Close(None)).await?;
    assert!(scene.follows(&proposer, &["a"], "again", NOW).await?, "what they rejected, whoever closes it");
    let review = scene.escalated(&proposer, &["z"]).await?;
    scene.act(&PERSON, review, decide(true)).await?;
    assert!(scene.follows(&proposer, &["z"], "again", NOW).await?, "they may take it back");
    scene.act(&Actor::Gate, review, Act::Settle).await?;
    assert!(!scene.follows(&proposer, &["z"], "again", NOW).await?, "they approved it");
    Ok(())
}

#[tokio::test]
async fn a_review_that_takes_anothers_place_needs_the_person_where_that_one_did() -> Outcome {
    let scene = Scene::new().await?;
    let proposer = client("claude-code");
    let parent = scene.escalated(&proposer, &["a"]).await?;
    let new = NewReview { parent_id: Some(parent), ..scene.proposal(&["q"]) };
    let others = submit(&scene.store, &client("opencode"), new.clone(), NOW).await;
    assert_eq!(code(others), "not_proposer", "nobody ends another's");
    assert_eq!(scene.count("proposals")?, 1, "and nothing of it is left");
    let question = ask_in(&scene.store, scene.session, "Is this round good?", NOW).await?.request_id;
    assert!(scene.store.asked(parent, 1, question).await?);
    let submitted = submit(&scene.store, &proposer, new, NOW).await?;
    let review = submitted.review.review_id;
    assert_eq!(submitted.withdraws, Some(question), "the question about the other one is to be withdrawn");
    assert!(scene.state(review).await?.needs().person);
    assert_eq!(scene.read(review).await?.parent_id, Some(parent));
    assert_eq!(scene.kinds(parent).await?.last().map(String::as_str), Some("closed"));
    let ended = scene.events(parent).await?.pop().ok_or("it ended")?;
    assert_eq!(ended.data["superseded_by"], review.to_string().as_str());
    let late = NewReview { parent_id: Some(parent), ..scene.proposal(&["r"]) };
    let late = scene.submit_new(&proposer, late).await?;
    assert!(scene.state(late).await?.needs().person, "of one that is over, too");
    Ok(())
}

#[tokio::test]
async fn open_reviews_of_the_same_files_overlap_until_one_is_over() -> Outcome {
    let scene = Scene::new().await?;
    let (claude, codex) = (client("claude-code"), client("codex"));
    let one = scene.submit_new(&claude, scene.proposal(&["src/a.rs", "src/b.rs"])).await?;
    let two = scene.submit_new(&codex, scene.proposal(&["src/b.rs"])).await?;
    scene.submit_new(&codex, scene.proposal(&["src/c.rs"])).await?;
    let mut elsewhere = scene.proposal(&["src/b.rs"]);
    elsewhere.first.checked.repository = Some("/srv/other/.git".to_owned());
    scene.submit_new(&codex, elsewhere).await?;
    assert_eq!(scene.store.overlaps(one).await?, [two], "of the same repository, with a common file");
    assert_eq!(scene.store.overlaps(two).await?, [one], "told to both sides");
    let (round, with) = next_round(&["src/a.rs"], "");
    scene.act_with(&agent(&claude), one, round, with).await?;
    assert_eq!(scene.store.overlaps(two).await?, [], "a next round touches something else");
    let (round, with) = next_round(&["src/b.rs"], "");
    scene.act_with(&agent(&claude), one, round, with).await?;
    scene.act(&agent(&claude), one, Act::Close(None)).await?;
    assert_eq!(scene.store.overlaps(two).await?, [], "what is over is in nobody's way");
    Ok(())
}

#[tokio::test]
async fn a_rename_is_of_both_its_paths() -> Outcome {
    let scene = Scene::new().await?;
    let mut new = scene.proposal(&["new.rs"]);
    new.first.checked.files[0].old_path = Some("old.rs".to_owned());
    let renames = scene.submit_new(&client("claude-code"), new).await?;
    let other = scene.submit_new(&client("codex"), scene.proposal(&["old.rs"])).await?;
    assert_eq!(scene.store.overlaps(other).await?, [renames]);
    let reviewer = agent(&client("codex"));
    scene.claim(&reviewer, renames).await?;
    scene.judge(&reviewer, renames, Verdict::Escalate).await?;
    assert!(scene.follows(&client("claude-code"), &["old.rs"], "back", NOW).await?);
    Ok(())
}
