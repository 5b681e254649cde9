//! Agents that were set up for gsd-review-broker: its tools by their names, over HTTP as it is served and by a relay, on a
//! real repository.

use anyhow::{Context as _, Result};
use gate_tests::{Home, Http, NOTES, Peer, SignedPage, adds, commit, makes_it};
use serde_json::{Value, json};

use super::{apply, gate_of};

/// The toolset.
const GSD: &str = "gsd";

/// A home whose gate serves at a port of its own.
fn home() -> Result<Home> {
    Home::with_env([("REVIEW_GATE__NETWORK__PORT", "0")])
}

/// An agent with a token of its own.
async fn agent(home: &Home, name: &str) -> Result<Peer> {
    Peer::over_http_with(home, name, GSD).await
}

/// What a tool gives that does what it is told.
async fn does(peer: &Peer, tool: &str, arguments: Value) -> Result<Value> {
    let given = peer.does(tool, arguments).await?;
    anyhow::ensure!(given.get("error").is_none(), "{tool}: {given}");
    Ok(given)
}

/// What one gives that refuses: no error of the protocol's, and none of the tool's as MCP has it.
async fn refused(peer: &Peer, tool: &str, arguments: Value) -> Result<Value> {
    let given = peer.does(tool, arguments).await?;
    anyhow::ensure!(given["error"].is_string(), "{tool} has to be refused: {given}");
    Ok(given)
}

fn proposal(intent: &str, diff: &str) -> Value {
    json!({"intent": intent, "diff": diff, "agent_type": "gsd-executor", "agent_role": "proposer", "phase": "3.2"})
}

/// A proposal as the next round of a review.
fn round(review: &Value, diff: &str) -> Value {
    let mut proposal = proposal("Say it.", diff);
    proposal["review_id"] = review.clone();
    proposal
}

async fn creates(peer: &Peer, diff: &str) -> Result<Value> {
    Ok(does(peer, "create_review", proposal("Say it in German.", diff)).await?["review_id"].take())
}

async fn claims(peer: &Peer, review: &Value) -> Result<Value> {
    does(peer, "claim_review", json!({"review_id": review, "reviewer_id": "codex-r1"})).await
}

async fn judges(peer: &Peer, review: &Value, verdict: &str) -> Result<Value> {
    let claim = claims(peer, review).await?;
    let given = json!({
        "review_id": review, "verdict": verdict, "reason": "As I see it.", "reviewer_id": "codex-r1",
        "claim_generation": claim["claim_generation"],
    });
    does(peer, "submit_verdict", given).await
}

#[tokio::test]
async fn a_change_goes_from_its_proposal_over_a_counter_patch_to_its_end() -> Result<()> {
    let home = home()?;
    let _gate = gate_of(&home).await?;
    let (proposer, reviewer) = (agent(&home, "claude").await?, agent(&home, "codex").await?);
    let mut proposed = proposal("Say it in German.", &makes_it("zwei"));
    for (name, value) in [("category", "code_change"), ("project", "shop"), ("description", "For **readers**.")] {
        proposed[name] = json!(value);
    }
    let created = does(&proposer, "create_review", proposed).await?;
    let review = &created["review_id"];
    assert_eq!(created, json!({"review_id": review, "status": "pending", "project": "shop"}));

    let pending = does(&reviewer, "list_reviews", json!({"status": "pending", "wait": true})).await?;
    assert_eq!((&pending["reviews"][0]["id"], &pending["reviews"][0]["phase"]), (review, &json!("3.2")), "{pending}");
    let claim = claims(&reviewer, review).await?;
    assert_eq!((&claim["status"], &claim["claimed_by"]), (&json!("claimed"), &json!("codex")), "{claim}");
    let files = json!([{"path": "notes.txt", "operation": "modify", "added": 1, "removed": 1}]);
    assert_eq!((&claim["affected_files"], &claim["has_diff"]), (&files, &json!(true)));
    let read = does(&reviewer, "get_proposal", json!({"review_id": review, "caller_id": "codex-r1"})).await?;
    assert_eq!((&read["diff"], &read["description"]), (&json!(makes_it("zwei")), &json!("For **readers**.")));

    let asks = json!({"review_id": review, "sender_role": "reviewer", "body": "Why German?"});
    let asked = does(&reviewer, "add_message", asks).await?;
    let answer = json!({"review_id": review, "sender_role": "proposer", "body": "They read it."});
    does(&proposer, "add_message", answer).await?;
    let heard = does(&proposer, "get_discussion", json!({"review_id": review, "round": 1})).await?;
    let said: Vec<_> =
        heard["messages"].as_array().context("a list")?.iter().map(|one| (&one["sender_role"], &one["body"])).collect();
    let (as_reviewer, as_proposer) = (json!("reviewer"), json!("proposer"));
    assert_eq!(said, [(&as_reviewer, &json!("Why German?")), (&as_proposer, &json!("They read it."))]);
    assert_eq!(heard["messages"][0]["id"], asked["message_id"], "by the name that its author was given: {heard}");

    let rather = json!({
        "review_id": review, "verdict": "comment", "reason": "Rather in French.", "counter_patch": makes_it("deux"),
        "claim_generation": claim["claim_generation"], "reviewer_id": "codex-r1",
    });
    let offered = does(&reviewer, "submit_verdict", rather).await?;
    assert_eq!((&offered["status"], &offered["has_counter_patch"]), (&json!("in_review"), &json!(true)), "{offered}");
    let read = does(&proposer, "get_proposal", json!({"review_id": review})).await?;
    assert_eq!((&read["counter_patch"], &read["counter_patch_status"]), (&json!(makes_it("deux")), &json!("pending")));
    assert_eq!(read["counter_patch_affected_files"], files);
    let accepted = does(&proposer, "accept_counter_patch", json!({"review_id": review})).await?;
    assert_eq!(accepted["counter_patch_status"], "accepted");
    let read = does(&proposer, "get_proposal", json!({"review_id": review})).await?;
    assert_eq!((&read["diff"], &read["counter_patch_status"]), (&json!(makes_it("deux")), &json!("accepted")));

    assert_eq!(judges(&reviewer, review, "approved").await?["status"], "approved", "the round that it is now");
    let seen = does(&proposer, "get_review_status", json!({"review_id": review})).await?;
    assert_eq!((&seen["status"], &seen["current_round"]), (&json!("approved"), &json!(2)));
    assert_eq!(seen["approved_by"], "agent", "which is never the person: {seen}");
    apply(&home, read["diff"].as_str().context("a diff")?).await?;
    let closed = does(&proposer, "close_review", json!({"review_id": review, "closer_role": "proposer"})).await?;
    assert_eq!((&closed["status"], &closed["outcome"]), (&json!("closed"), &json!("applied")));

    let course = does(&reviewer, "get_review_timeline", json!({"review_id": review})).await?;
    let events: Vec<_> =
        course["events"].as_array().context("a list")?.iter().filter_map(|one| one["event_type"].as_str()).collect();
    let expected = [
        "review_created",
        "review_claimed",
        "message_sent",
        "message_sent",
        "patch",
        "verdict_comment",
        "counter_patch_accepted",
        "verdict_submitted",
        "review_closed",
    ];
    assert_eq!(events, expected, "each act once: {course}");
    let log = does(&reviewer, "get_audit_log", json!({"review_id": review})).await?;
    assert_eq!((&log["count"], &course["event_count"]), (&json!(expected.len()), &json!(expected.len())));
    let feed = does(&reviewer, "get_activity_feed", json!({"project": "shop"})).await?;
    let entry = &feed["reviews"][0];
    assert_eq!((&entry["message_count"], &entry["last_message_preview"]), (&json!(2), &json!("They read it.")));
    assert_eq!((&entry["verdict_reason"], &entry["status"]), (&json!("As I see it."), &json!("closed")), "{feed}");
    Ok(())
}

#[tokio::test]
async fn a_diff_is_held_against_the_repository_each_time_it_counts() -> Result<()> {
    let home = home()?;
    let _gate = gate_of(&home).await?;
    let (proposer, reviewer) = (agent(&home, "claude").await?, agent(&home, "codex").await?);
    let never = makes_it("zwei").replace("three", "3");
    let told = refused(&proposer, "create_review", proposal("No.", &never)).await?;
    assert!(told["validation_error"].is_string(), "it says what is wrong with it: {told}");
    let mut applied = proposal("No.", &never);
    applied["skip_diff_validation"] = json!(true);
    let told = refused(&proposer, "create_review", applied).await?;
    assert!(told["validation_error"].is_string(), "what the work tree has is looked at as well: {told}");

    let created = creates(&proposer, &adds("new.txt")).await?;
    let read = does(&proposer, "get_proposal", json!({"review_id": created})).await?;
    let adds_one = json!([{"path": "new.txt", "operation": "create", "added": 1, "removed": 0}]);
    assert_eq!(read["affected_files"], adds_one, "{read}");
    let removes = "diff --git a/notes.txt b/notes.txt\ndeleted file mode 100644\n--- a/notes.txt\n+++ /dev/null\n\
                   @@ -1,3 +0,0 @@\n-one\n-two\n-three\n";
    let removing = creates(&proposer, removes).await?;
    let read = does(&proposer, "get_proposal", json!({"review_id": removing})).await?;
    assert_eq!(read["affected_files"][0]["operation"], "delete", "{read}");

    let review = creates(&proposer, &makes_it("zwei")).await?;
    let told = refused(&proposer, "create_review", round(&review, &never)).await?;
    assert!(told["validation_error"].is_string(), "a next round, too: {told}");
    let claim = claims(&reviewer, &review).await?;
    let wrong = json!({
        "review_id": review, "verdict": "changes_requested", "reason": "So.", "counter_patch": never,
        "claim_generation": claim["claim_generation"],
    });
    let told = refused(&reviewer, "submit_verdict", wrong).await?;
    assert!(told["validation_error"].is_string(), "and what is offered in its place: {told}");
    let seen = does(&proposer, "get_review_status", json!({"review_id": review})).await?;
    assert_eq!(seen["status"], "claimed", "the verdict that it came with wasn't given: {seen}");
    let read = does(&proposer, "get_proposal", json!({"review_id": review})).await?;
    assert_eq!((&read["diff"], &read["counter_patch"]), (&json!(makes_it("zwei")), &Value::Null));

    let rejects = json!({
        "review_id": review, "verdict": "changes_requested", "reason": "French.", "counter_patch": makes_it("deux"),
        "claim_generation": claim["claim_generation"],
    });
    assert_eq!(does(&reviewer, "submit_verdict", rejects).await?["status"], "changes_requested");
    let other = does(&proposer, "create_review", proposal("Otherwise.", &makes_it("dos"))).await?["review_id"].take();
    commit(&home.workspace(), &[(NOTES.0, "one\n2\nthree\n")]).await?;
    let unfit = does(&reviewer, "claim_review", json!({"review_id": other, "reviewer_id": "codex-r1"})).await?;
    assert_eq!((&unfit["status"], &unfit["auto_rejected"]), (&json!("changes_requested"), &json!(true)), "{unfit}");
    assert!(unfit["validation_error"].is_string() && unfit["category"].is_null(), "{unfit}");
    does(&proposer, "accept_counter_patch", json!({"review_id": review})).await?;
    let unfit = does(&reviewer, "claim_review", json!({"review_id": review, "reviewer_id": "codex-r1"})).await?;
    assert_eq!(unfit["auto_rejected"], true, "what was offered before that is looked at when it is claimed: {unfit}");
    let rebased = makes_it("dos").replace("-two", "-2");
    let revised = does(&proposer, "create_review", round(&other, &rebased)).await?;
    assert_eq!((&revised["revised"], &revised["status"]), (&json!(true), &json!("pending")), "it goes on rebased");
    Ok(())
}

#[tokio::test]
async fn what_the_work_tree_has_already_is_reviewed_as_such() -> Result<()> {
    let home = home()?;
    let _gate = gate_of(&home).await?;
    let (proposer, reviewer) = (agent(&home, "claude").await?, agent(&home, "codex").await?);
    apply(&home, &makes_it("zwei")).await?;
    commit(&home.workspace(), &[]).await?;
    let told = refused(&proposer, "create_review", proposal("Said it.", &makes_it("zwei"))).await?;
    assert!(told["validation_error"].is_string(), "it can't be applied again: {told}");
    let mut after = proposal("Said it in German.", &makes_it("zwei"));
    after["skip_diff_validation"] = json!(true);
    let review = does(&proposer, "create_review", after).await?["review_id"].take();
    let claim = claims(&reviewer, &review).await?;
    assert_eq!(claim["status"], "claimed", "nor is it rejected for being there: {claim}");
    assert_eq!(claim["affected_files"][0]["path"], "notes.txt");
    assert_eq!(judges(&reviewer, &review, "approved").await?["status"], "approved");
    Ok(())
}

#[tokio::test]
async fn who_somebody_is_follows_from_their_token_and_one_of_many_gets_the_claim() -> Result<()> {
    let home = home()?;
    let _gate = gate_of(&home).await?;
    let proposer = agent(&home, "claude").await?;
    let (one, other) = (agent(&home, "codex").await?, agent(&home, "gemini").await?);
    let review = creates(&proposer, &makes_it("zwei")).await?;
    let claim = json!({"review_id": review, "reviewer_id": "codex-r1"});
    let own = refused(&proposer, "claim_review", claim.clone()).await?;
    assert!(own["error"].as_str().is_some_and(|why| why.contains("own proposal")), "{own}");
    let (first, second) = tokio::join!(one.does("claim_review", claim.clone()), other.does("claim_review", claim));
    let (first, second) = (first?, second?);
    let won: Vec<_> = [&first, &second].into_iter().filter(|given| given["status"] == "claimed").collect();
    assert_eq!(won.len(), 1, "one of the two has it: {first} {second}");
    let lost = if first.get("error").is_some() { &first } else { &second };
    assert!(lost["error"].as_str().is_some_and(|why| why.starts_with("Already claimed")), "{lost}");

    let shared = Peer::shown(&home, "anybody", &Http::of(&home)?.token, GSD).await?;
    let told = refused(&shared, "create_review", proposal("Mine.", &makes_it("dos"))).await?;
    assert!(told["error"].as_str().is_some_and(|why| why.contains("token create")), "it needs one of its own: {told}");
    let relay = Peer::with_toolset(&home, "opencode", &home.workspace(), GSD).await?;
    let seen = does(&relay, "get_review_status", json!({"review_id": review})).await?;
    assert_eq!(seen["status"], "claimed", "by a relay it is the same broker: {seen}");
    let broker = Peer::over_stdio(&home, "cursor").await?;
    let same = broker.status(&review).await?;
    assert_eq!((&same["status"], &same["proposer"]), (&json!("claimed"), &json!("claude")), "as its own tools see it");
    Ok(())
}

#[tokio::test]
async fn who_waits_over_http_hears_of_it_and_what_needs_the_person_is_theirs() -> Result<()> {
    let home = Home::with_config("network:\n  port: 0\nsecurity:\n  review_rules: [\"agent+person\"]\n")?;
    let _gate = gate_of(&home).await?;
    let (proposer, reviewer) = (agent(&home, "claude").await?, agent(&home, "codex").await?);
    let person = SignedPage::sign_in(&home).await?;
    let listing = reviewer.does("list_reviews", json!({"status": "pending", "wait": true}));
    let diff = makes_it("zwei");
    let (listed, review) = tokio::join!(listing, creates(&proposer, &diff));
    let (listed, review) = (listed?, review?);
    assert_eq!(listed["reviews"][0]["id"], review, "whoever waits is given it: {listed}");

    let judged = judges(&reviewer, &review, "approved").await?;
    assert_eq!(judged["status"], "in_review", "an agent's approval isn't all that it needs: {judged}");
    let seen = does(&proposer, "get_review_status", json!({"review_id": review})).await?;
    assert_eq!((&seen["turn"], &seen["approved_by"]), (&json!("person"), &Value::Null), "{seen}");
    let id = home.waiting("Say it in German.").await?;
    person.approves(&id, "Then be it.").await?;
    let mut seen = seen;
    while seen["status"] != "approved" {
        seen = does(&proposer, "get_review_status", json!({"review_id": review, "wait": true})).await?;
    }
    assert_eq!(seen["approved_by"], "person", "{seen}");
    Ok(())
}
