//! Reviews in a record that is put together again from a backup and a damaged file.

use gate_core::proposal::{Act, Brought, MessagePlace, ReviewStatus, ReviewStore, Verdict};
use gate_core::{Digest, Timestamp};

use super::scene::*;
use crate::fixture::{NOW, Outcome, sqlite3};

#[tokio::test]
async fn reviews_are_filled_up_from_the_damaged_file_and_go_on() -> Outcome {
    let mut scene = Scene::new().await?;
    let (proposer, reviewer) = (agent(&client("claude-code")), agent(&client("codex")));
    let review = scene.submit(&client("claude-code")).await?;
    scene.store.backup(&scene.world.backups(), 5, Timestamp(NOW)).await?;
    let later = scene.submit_new(&client("claude-code"), scene.proposal(&["later.rs"])).await?;
    scene.claim(&reviewer, review).await?;
    let message = Brought::Message(said("Why?", at_line("src/a.rs", 1).1));
    scene.act_with(&reviewer, review, Act::Message, message).await?;
    let (round, with) = next_round(&["src/a.rs"], "two");
    scene.act_with(&proposer, review, round, with).await?;
    let before = (scene.read(review).await?, scene.read(later).await?, scene.events(review).await?);
    scene.store.close().await;
    scene.world.spoil_index("review_requests_pending")?;

    let opened = scene.world.open().await?;
    assert!(opened.recovery.is_some(), "the damage is noticed");
    scene.store = opened.store;
    assert_eq!(scene.read(review).await?, before.0, "what happened after the backup");
    assert_eq!(scene.read(later).await?, before.1, "and what was submitted after it");
    assert_eq!(scene.events(review).await?, before.2);
    assert_eq!(scene.store.rounds(review, 1).await?.len(), 2);
    assert_eq!(scene.store.review_messages(review, 0, 9).await?.len(), 1);
    let second = Digest::of_bytes(&diff(&["src/a.rs"], "two").diff);
    assert!(scene.store.diff(second).await?.is_some(), "with its bytes");
    scene.claim(&reviewer, review).await?;
    let approved = scene.judge(&reviewer, review, Verdict::Approved).await?;
    assert_eq!(approved.review.status, ReviewStatus::Approved, "and it goes on");
    scene.kinds(review).await?;
    Ok(())
}

#[tokio::test]
async fn a_review_whose_state_is_garbled_stays_behind_and_the_others_come() -> Outcome {
    let mut scene = Scene::new().await?;
    let (one, two) = (scene.submit(&client("claude-code")).await?, scene.submit(&client("claude-code")).await?);
    let said = Brought::Message(said("?", MessagePlace::Review));
    scene.act_with(&agent(&client("codex")), two, Act::Message, said).await?;
    scene.store.close().await;
    sqlite3(&scene.world.database(), &format!("UPDATE proposals SET state = '{{' WHERE review_id = '{one}'"))?;
    std::fs::write(scene.world.file("damaged.marker"), b"")?;
    scene.world.spoil_index("proposals_party")?;
    let opened = scene.world.open().await?;
    assert!(opened.recovery.is_some(), "the damage is noticed");
    scene.store = opened.store;
    assert_eq!(scene.store.review(one).await?, None, "nobody knows where it stood");
    assert_eq!(scene.kinds(two).await?, ["submitted", "message"], "the other one is whole");
    Ok(())
}
