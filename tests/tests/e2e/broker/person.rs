//! The person in reviews: what is escalated or falls under a rule of theirs reaches them as any request does, only their
//! own act approves it, and what needed them goes on needing them.

use anyhow::{Context as _, Result};
use gate_tests::{Home, LIMIT, Peer, SCRIPTS_ANSWER, SignedPage, adds, eventually, makes_it};
use serde_json::{Value, json};

use super::gate_of;

/// What is proposed in most of these.
pub(super) const INTENT: &str = "Say it in German.";
/// In a `config.yaml`: for longer than a test takes, the person can take back what they sent.
pub(super) const HELD: &str = "window:\n  undo_seconds: 30\n";

/// Two agents, and a review of which the second one has the person decide.
pub(super) struct Scene {
    pub(super) proposer: Peer,
    pub(super) reviewer: Peer,
    pub(super) review: Value,
}

impl Scene {
    pub(super) async fn escalated(home: &Home) -> Result<Self> {
        let proposer = Peer::over_stdio(home, "claude-code").await?;
        let reviewer = Peer::over_stdio(home, "codex").await?;
        let submitted = proposer.proposes(INTENT, &makes_it("zwei")).await?;
        let review = submitted["review_id"].clone();
        let escalated = reviewer.judges(&review, "escalate", "Who reads German here?").await?;
        let standing = (&escalated["status"], &escalated["turn"], &escalated["approved_by"]);
        assert_eq!(standing, (&json!("awaiting_person"), &json!("person"), &Value::Null), "{escalated}");
        Ok(Self { proposer, reviewer, review })
    }

    /// Waits until this is the last thing that has happened.
    pub(super) async fn happened(&self, kind: &str) -> Result<()> {
        let look = || async {
            let kinds = self.reviewer.events(&self.review).await?;
            Ok((kinds.last().map(String::as_str) == Some(kind)).then_some(()))
        };
        eventually(&format!("{kind} as the last event"), LIMIT, look).await
    }

    /// Nobody has approved it.
    pub(super) async fn is_nobodys(&self) -> Result<()> {
        let seen = self.proposer.status(&self.review).await?;
        assert_ne!(seen["status"], "approved", "{seen}");
        assert_eq!(seen["approved_by"], Value::Null, "{seen}");
        Ok(())
    }
}

#[tokio::test]
async fn what_is_escalated_is_approved_by_the_persons_act_once_it_cant_be_taken_back() -> Result<()> {
    let home = Home::with_config(HELD)?;
    let _gate = gate_of(&home).await?;
    let person = SignedPage::sign_in(&home).await?;
    let scene = Scene::escalated(&home).await?;
    let Scene { proposer, reviewer, review } = &scene;
    let id = home.waiting(INTENT).await?;
    let listed = person.does(json!({"command": "requests"})).await?;
    let asked = &listed["requests"][0]["ask"];
    let message = asked["message"].as_str().context("a question in words")?;
    assert!(message.contains("claude-code") && message.contains("> Who reads German here?"), "{message}");
    let opened = person.does(json!({"command": "open_request", "request_id": id})).await?;
    assert!(opened["request"].to_string().contains("zwei"), "they see what would change: {opened}");
    let told = proposer.status(review).await?;
    assert!(told["next"].as_str().is_some_and(|next| next.contains("The person has to decide")), "{told}");
    assert_eq!(reviewer.refused("claim_review", json!({"review_id": review})).await?.code, "wrong_state");
    let script = home.run(["answer", &id, "--approve"]).await?;
    assert!(script.stderr.contains("[scripted_answers_off]"), "no script answers: {script:?}");

    person.reply(&id, "Go on.").await?;
    scene.happened("person_decides").await?;
    scene.is_nobodys().await?;
    let seen = proposer.status(review).await?;
    assert_eq!((&seen["status"], &seen["turn"]), (&json!("awaiting_person"), &json!("person")), "{seen}");
    let round = json!({"intent": INTENT, "diff": makes_it("dos"), "review_id": review});
    assert_eq!(proposer.refused("submit_proposal", round).await?.code, "person_deciding");
    assert_eq!(proposer.refused("close_review", json!({"review_id": review})).await?.code, "person_deciding");
    proposer.does("post_message", json!({"review_id": review, "body": "Nobody, so far."})).await?;
    person.does(json!({"command": "undo_reply", "request_id": id})).await?;
    scene.happened("person_undid").await?;
    scene.is_nobodys().await?;
    assert_eq!(home.waiting(INTENT).await?, id, "the same question waits again");

    person.approves(&id, "Then be it.").await?;
    let seen = proposer.sees(review, "approved").await?;
    assert_eq!(seen["approved_by"], "person", "{seen}");
    let next = seen["next"].as_str().unwrap_or_default();
    assert!(next.contains("The person has approved round 1"), "the model is told who did: {next}");
    let said = proposer.does("get_messages", json!({"review_id": review})).await?;
    let last = said["messages"].as_array().and_then(|all| all.last()).context("a message")?;
    assert_eq!(
        (&last["role"], &last["body"]),
        (&json!("person"), &json!("Then be it.")),
        "with what they wrote: {said}"
    );
    assert_eq!(proposer.does("close_review", json!({"review_id": review})).await?["outcome"], "applied");
    assert_eq!(home.pending().await?, Vec::<Value>::new(), "nothing is asked any more");
    Ok(())
}

#[tokio::test]
async fn what_the_person_rejects_comes_back_to_them_until_they_approve_it() -> Result<()> {
    let home = Home::new()?;
    let _gate = gate_of(&home).await?;
    let person = SignedPage::sign_in(&home).await?;
    let Scene { proposer, reviewer, review } = Scene::escalated(&home).await?;
    let id = home.waiting(INTENT).await?;
    let comment = json!({"file": "notes.txt", "line": 2, "side": "new", "body": "This word."});
    person.answers(&id, Some("changes_requested"), json!({"text": "In French.", "comments": [comment]})).await?;
    let seen = proposer.sees(&review, "rejected").await?;
    assert_eq!((&seen["turn"], &seen["approved_by"]), (&json!("proposer"), &Value::Null), "{seen}");
    let said = proposer.does("get_messages", json!({"review_id": review})).await?;
    let messages = said["messages"].as_array().context("a list")?;
    let bodies: Vec<_> = messages.iter().map(|said| (&said["role"], &said["body"])).collect();
    let of_person = json!("person");
    assert_eq!(bodies, [(&of_person, &json!("In French.")), (&of_person, &json!("This word."))], "{said}");
    assert_eq!((&said["threads"][0]["file"], &said["threads"][0]["line"]), (&json!("notes.txt"), &json!(2)), "{said}");

    let round = json!({"intent": INTENT, "diff": makes_it("deux"), "review_id": review});
    let next = proposer.does("submit_proposal", round).await?;
    assert_eq!((&next["status"], &next["need"]), (&json!("created"), &json!({"agents": 1, "person": true})), "{next}");
    let approved = reviewer.judges(&review, "approved", "Yes.").await?;
    assert_eq!(
        (&approved["status"], &approved["approved_by"]),
        (&json!("awaiting_person"), &Value::Null),
        "{approved}"
    );
    assert_eq!(approved["approvals"], json!({"have": 1, "need": 1, "person": true}), "an agent's word isn't theirs");
    let second = home.waiting(INTENT).await?;
    assert_ne!(second, id, "another round is another question");
    person.approves(&second, "").await?;
    assert_eq!(proposer.sees(&review, "approved").await?["approved_by"], "person");

    let round = json!({"intent": INTENT, "diff": makes_it("dos"), "review_id": review});
    let next = proposer.does("submit_proposal", round).await?;
    assert_eq!(next["need"], json!({"agents": 1, "person": false}), "they have approved one: {next}");
    assert_eq!(next["approved_by"], Value::Null, "which says nothing of another round");
    Ok(())
}

#[tokio::test]
async fn proposing_anew_what_they_were_asked_about_is_no_way_around_the_person() -> Result<()> {
    let home = Home::new()?;
    let _gate = gate_of(&home).await?;
    let Scene { proposer, reviewer, review } = Scene::escalated(&home).await?;
    home.waiting(INTENT).await?;
    assert_eq!(proposer.does("close_review", json!({"review_id": review})).await?["outcome"], "withdrawn");
    let gone = || async { Ok(home.pending().await?.is_empty().then_some(())) };
    eventually("the question is withdrawn with its review", LIMIT, gone).await?;
    let person_too = json!({"agents": 1, "person": true});
    let again = proposer.proposes("Something else.", &makes_it("zwei")).await?;
    assert_eq!(again["need"], person_too, "closed and proposed again: {again}");
    let other = proposer.proposes("Something else.", &makes_it("dos")).await?;
    assert_eq!(other["need"], person_too, "another change of the same file: {other}");
    let by_another = reviewer.proposes("Mine.", &makes_it("zwei")).await?;
    assert_eq!(by_another["need"], person_too, "the same change by whoever: {by_another}");
    let elsewhere = reviewer.proposes("Mine.", &adds("new.txt")).await?;
    assert_eq!(elsewhere["need"], json!({"agents": 1, "person": false}), "what nobody was asked about: {elsewhere}");
    let replaces = json!({"intent": "Anew.", "diff": adds("a.txt"), "parent_id": again["review_id"]});
    let superseding = proposer.does("submit_proposal", replaces).await?;
    assert_eq!(superseding["need"], person_too, "in the place of one that needed them: {superseding}");
    assert_eq!(proposer.status(&again["review_id"]).await?["outcome"], "superseded");
    Ok(())
}

#[tokio::test]
async fn a_script_that_may_answer_approves_no_round() -> Result<()> {
    let home = Home::with_config(SCRIPTS_ANSWER)?;
    let _gate = gate_of(&home).await?;
    let scene = Scene::escalated(&home).await?;
    let id = home.waiting(INTENT).await?;
    let script = home.run(["answer", &id, "--approve", "--text", "Fine."]).await?;
    if script.code == Some(0) {
        scene.happened("person_replied").await?;
        let seen = scene.proposer.status(&scene.review).await?;
        assert_eq!((&seen["status"], &seen["turn"]), (&json!("awaiting_person"), &json!("proposer")), "{seen}");
        scene.is_nobodys().await?;
        scene.proposer.does("post_message", json!({"review_id": scene.review, "body": "Was that you?"})).await?;
    }
    scene.is_nobodys().await?;
    let id = home.waiting(INTENT).await?;
    SignedPage::sign_in(&home).await?.approves(&id, "It was a script. Now it's me.").await?;
    assert_eq!(scene.proposer.sees(&scene.review, "approved").await?["approved_by"], "person");
    Ok(())
}

#[tokio::test]
async fn a_question_that_is_put_aside_approves_nothing_and_can_be_taken_up() -> Result<()> {
    let home = Home::new()?;
    let _gate = gate_of(&home).await?;
    let person = SignedPage::sign_in(&home).await?;
    let scene = Scene::escalated(&home).await?;
    let id = home.waiting(INTENT).await?;
    person.does(json!({"command": "dismiss", "request_id": id})).await?;
    let gone = || async { Ok(home.pending().await?.is_empty().then_some(())) };
    eventually("the question is gone from the inbox", LIMIT, gone).await?;
    let seen = scene.proposer.status(&scene.review).await?;
    assert_eq!((&seen["status"], &seen["turn"]), (&json!("awaiting_person"), &json!("person")), "{seen}");
    scene.is_nobodys().await?;

    let take = || json!({"command": "take_review", "review_id": scene.review});
    let look = || async {
        // Until it has heard that the question is gone, the review names it.
        let taken = person.does(take()).await?;
        Ok(taken["request_id"].as_str().filter(|taken| *taken != id).map(str::to_owned))
    };
    let taken = eventually("another question", LIMIT, look).await?;
    assert_eq!(home.waiting(INTENT).await?, taken);
    person.approves(&taken, "").await?;
    assert_eq!(scene.proposer.sees(&scene.review, "approved").await?["approved_by"], "person");
    Ok(())
}

#[tokio::test]
async fn a_reply_without_a_decision_is_the_proposers_turn_and_they_are_asked_again() -> Result<()> {
    let home = Home::new()?;
    let _gate = gate_of(&home).await?;
    let person = SignedPage::sign_in(&home).await?;
    let scene = Scene::escalated(&home).await?;
    let id = home.waiting(INTENT).await?;
    person.writes(&id, "Why German?").await?;
    scene.happened("person_replied").await?;
    scene.is_nobodys().await?;
    let seen = scene.proposer.status(&scene.review).await?;
    assert_eq!((&seen["status"], &seen["turn"]), (&json!("awaiting_person"), &json!("proposer")), "{seen}");
    scene.reviewer.does("post_message", json!({"review_id": scene.review, "body": "I wonder, too."})).await?;
    assert_eq!(home.pending().await?, Vec::<Value>::new(), "another's word asks nobody");
    scene.proposer.does("post_message", json!({"review_id": scene.review, "body": "The readers are German."})).await?;
    let again = home.waiting(INTENT).await?;
    person.approves(&again, "I see.").await?;
    assert_eq!(scene.proposer.sees(&scene.review, "approved").await?["approved_by"], "person");
    Ok(())
}

#[tokio::test]
async fn what_falls_under_a_rule_of_theirs_goes_to_the_person_at_once() -> Result<()> {
    let rules = "security:\n  review_rules: ['person; path=migrations/', 'agents:2; path=src/', 'agent+person; category=risky']\n";
    let home = Home::with_config(rules)?;
    let _gate = gate_of(&home).await?;
    let person = SignedPage::sign_in(&home).await?;
    let proposer = Peer::over_stdio(&home, "claude-code").await?;
    let (first, second) = (Peer::over_stdio(&home, "codex").await?, Peer::over_stdio(&home, "gemini-cli").await?);

    let submitted = proposer.proposes("Add a column.", &adds("migrations/1.sql")).await?;
    let review = &submitted["review_id"];
    assert_eq!(submitted["status"], "awaiting_person", "no agent can decide it: {submitted}");
    assert_eq!(first.refused("claim_review", json!({"review_id": review})).await?.code, "wrong_state");
    let id = home.waiting("Add a column.").await?;
    scene_is_open(&proposer, review).await?;
    person.approves(&id, "").await?;
    assert_eq!(proposer.sees(review, "approved").await?["approved_by"], "person");

    let submitted = proposer.proposes("Add a module.", &adds("src/new.rs")).await?;
    let review = &submitted["review_id"];
    assert_eq!(submitted["need"], json!({"agents": 2, "person": false}), "{submitted}");
    let one = first.judges(review, "approved", "").await?;
    assert_eq!((&one["status"], &one["approvals"]["have"]), (&json!("created"), &json!(1)), "one of two: {one}");
    assert_eq!(first.refused("claim_review", json!({"review_id": review})).await?.code, "already_approved");
    let both = second.judges(review, "approved", "").await?;
    assert_eq!((&both["status"], &both["approved_by"]), (&json!("approved"), &json!("agent")), "two parties: {both}");

    let risky = json!({"intent": "Try it.", "diff": adds("x.txt"), "category": "risky"});
    let risky = proposer.does("submit_proposal", risky).await?;
    assert_eq!(
        (&risky["status"], &risky["need"]),
        (&json!("created"), &json!({"agents": 1, "person": true})),
        "{risky}"
    );
    let both = json!({"intent": "All.", "diff": adds("src/x.rs") + &adds("migrations/2.sql")});
    let both = proposer.does("submit_proposal", both).await?;
    assert_eq!(both["need"], json!({"agents": 2, "person": true}), "the largest number, and the person: {both}");
    Ok(())
}

async fn scene_is_open(proposer: &Peer, review: &Value) -> Result<()> {
    let seen = proposer.status(review).await?;
    assert_eq!((&seen["turn"], &seen["approved_by"]), (&json!("person"), &Value::Null), "{seen}");
    Ok(())
}

#[tokio::test]
async fn a_question_and_a_decision_that_is_held_outlive_kills_of_the_gate() -> Result<()> {
    let home = Home::with_config(HELD)?;
    let (mut gate, _) = gate_of(&home).await?;
    let scene = Scene::escalated(&home).await?;
    let id = home.waiting(INTENT).await?;
    gate.kill().await?;
    // A relay starts another one.
    scene.is_nobodys().await?;
    assert_eq!(home.waiting(INTENT).await?, id, "the question is there");
    assert_eq!(home.pending().await?.len(), 1, "once");
    let person = SignedPage::sign_in(&home).await?;
    person.reply(&id, "Go on.").await?;
    scene.happened("person_decides").await?;
    home.gate_runs().await?.kill()?;

    scene.is_nobodys().await?;
    let close = scene.proposer.refused("close_review", json!({"review_id": scene.review})).await?;
    assert_eq!(close.code, "person_deciding", "it is held for the rest of its time: {close:?}");
    let person = SignedPage::sign_in(&home).await?;
    person.does(json!({"command": "undo_reply", "request_id": id})).await?;
    scene.happened("person_undid").await?;
    person.approves(&id, "Now for good.").await?;
    assert_eq!(scene.proposer.sees(&scene.review, "approved").await?["approved_by"], "person");
    is_decided_once(&scene.reviewer, &scene.review, "Now for good.").await
}

/// The person has decided once, and what they wrote then stands there once.
pub(super) async fn is_decided_once(reader: &Peer, review: &Value, text: &str) -> Result<()> {
    let kinds = reader.events(review).await?;
    let decided = kinds.iter().filter(|kind| *kind == "person_decided").count();
    assert_eq!(decided, 1, "it is decided once: {kinds:?}");
    let said = reader.does("get_messages", json!({"review_id": review})).await?;
    let said = said["messages"].as_array().context("a list")?.iter();
    let persons: Vec<_> = said.filter(|said| said["role"] == "person").map(|said| &said["body"]).collect();
    assert_eq!(persons, [text], "and their words stand there once");
    Ok(())
}
