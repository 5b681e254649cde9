//! Ways to the person's approval of a round without their act: the record written beside the gate, commands that a script or
//! a terminal of its own gives, time that is cut short. That a review's question is answered as any other is, and what is
//! tried there, stands in `docs/trust-reviews.md`.

use anyhow::{Context as _, Result};
use gate_tests::{Control, Home, LIMIT, SCRIPTS_ANSWER, SignedPage, eventually};
use serde_json::{Value, json};

use super::gate_of;
use super::person::{HELD, INTENT, Scene};
use crate::receipts::forgery;

#[tokio::test]
async fn a_reply_that_was_written_into_the_database_approves_no_round() -> Result<()> {
    let home = Home::new()?;
    let (mut gate, _) = gate_of(&home).await?;
    let scene = Scene::escalated(&home).await?;
    let id = home.waiting(INTENT).await?;
    home.change(&forgery(&id, "approved")).await?;
    // Whatever happens in it is a look at how it stands.
    scene.proposer.does("post_message", json!({"review_id": scene.review, "body": "Well?"})).await?;
    scene.is_nobodys().await?;
    gate.kill().await?;
    scene.is_nobodys().await?;
    assert_eq!(home.waiting(INTENT).await?, id, "after a restart it waits for the person");
    scene.is_nobodys().await?;
    let person = SignedPage::sign_in(&home).await?;
    let opened = person.does(json!({"command": "open_request", "request_id": id})).await?;
    assert_eq!(opened["request"]["draft"]["text"], "Forged.", "what was written is a draft: {opened}");
    person.answers(&id, Some("changes_requested"), json!({"text": "That wasn't me."})).await?;
    let seen = scene.proposer.sees(&scene.review, "rejected").await?;
    assert_eq!(seen["approved_by"], Value::Null, "what they say counts: {seen}");
    Ok(())
}

#[tokio::test]
async fn a_rejection_that_is_turned_in_the_database_while_it_is_held_approves_no_round() -> Result<()> {
    let home = Home::with_config(HELD)?;
    let _gate = gate_of(&home).await?;
    let scene = Scene::escalated(&home).await?;
    let id = home.waiting(INTENT).await?;
    let person = SignedPage::sign_in(&home).await?;
    person.replies(&id, "changes_requested", "Not so.").await?;
    scene.happened("person_decides").await?;
    home.change(&format!("UPDATE replies SET decision = 'approved' WHERE request_id = '{id}'")).await?;
    person.does(json!({"command": "send_now", "request_id": id})).await?;
    let back = || async { Ok((home.pending().await?.len() == 1).then_some(())) };
    eventually("it waits for the person again, since it fits no receipt", LIMIT, back).await?;
    scene.is_nobodys().await?;
    person.approves(&home.waiting(INTENT).await?, "Now I do.").await?;
    assert_eq!(scene.proposer.sees(&scene.review, "approved").await?["approved_by"], "person");
    Ok(())
}

#[tokio::test]
async fn no_script_acts_on_a_review_in_the_persons_place() -> Result<()> {
    for config in ["", SCRIPTS_ANSWER] {
        let home = Home::with_config(config)?;
        let _gate = gate_of(&home).await?;
        let scene = Scene::escalated(&home).await?;
        let patch = "0190a6e4-7a10-7000-8000-000000000002";
        let mut front = Control::open(&home).await?;
        for command in [
            json!({"command": "take_review", "review_id": scene.review}),
            json!({"command": "give_back_review", "review_id": scene.review}),
            json!({"command": "comment_review", "review_id": scene.review, "text": "Approved.", "thread_id": null,
                   "place": null, "resolve": null}),
            json!({"command": "settle_review_patch", "review_id": scene.review, "patch_id": patch, "accept": true}),
            json!({"command": "end_review", "review_id": scene.review, "outcome": null}),
        ] {
            let refused =
                front.command(command.clone()).await?.err().with_context(|| format!("{command} is refused"))?;
            assert_eq!(refused["code"], "scripted_answers_off", "{command}, {config:?}: {refused}");
        }
        scene.is_nobodys().await?;
        assert_eq!(
            scene.reviewer.events(&scene.review).await?,
            ["submitted", "claimed", "verdict"],
            "nothing happened"
        );
    }
    Ok(())
}

#[tokio::test]
async fn a_terminal_that_was_made_for_it_approves_no_round() -> Result<()> {
    let home = Home::new()?;
    let _gate = gate_of(&home).await?;
    let scene = Scene::escalated(&home).await?;
    let id = home.waiting(INTENT).await?;
    let review = scene.review.as_str().context("an id")?;
    // They may get through or not: none of it is an approval.
    for words in [
        format!("answer {id} --approve"),
        format!("answer {id} --text Fine."),
        format!("reviews take {review}"),
        format!("reviews give-back {review}"),
        format!("reviews comment {review} Approved."),
    ] {
        let _ = home.at_a_terminal(&words).await;
        scene.is_nobodys().await?;
    }
    let said = scene.proposer.does("get_messages", json!({"review_id": scene.review})).await?;
    let said = said["messages"].as_array().context("a list")?;
    assert!(said.iter().all(|said| said["author"] != "the person"), "nor are its words theirs: {said:?}");
    Ok(())
}
