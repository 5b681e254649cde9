//! The review broker with the real programs: agents propose changes to one real repository, others review them, and the
//! person outranks all of them. At the default settings, but for what a test names.

mod gsd;
mod hostile;
mod http;
mod kills;
mod many;
mod person;
mod pool;
mod resources;
mod tokens;
mod ways;

use std::path::Path;

use anyhow::{Context as _, Result};
use gate_tests::{Home, NOTES, Peer, Ran, Serve, adds, commit, makes_it};
use serde_json::{Value, json};

/// What no review is called.
const NOBODY: &str = "0190a6e4-7a10-7000-8000-000000000001";

/// A gate whose agents work in a repository with [`NOTES`] in it; its first commit.
async fn gate_of(home: &Home) -> Result<(Serve, String)> {
    let first = commit(&home.workspace(), &[NOTES]).await?;
    Ok((home.serve().await?, first))
}

/// Applies a diff to the work tree, as whoever proposed it does at last.
async fn apply(home: &Home, diff: &str) -> Result<()> {
    let file = home.folder().join("approved.diff");
    std::fs::write(&file, diff)?;
    let mut git = tokio::process::Command::new("git");
    git.arg("apply").arg(&file).current_dir(home.workspace());
    Ran::of(git).await?.succeeded().map(drop)
}

#[tokio::test]
async fn two_agents_carry_a_change_from_a_proposal_to_its_commit() -> Result<()> {
    let home = Home::new()?;
    let (_gate, base) = gate_of(&home).await?;
    let proposer = Peer::over_stdio(&home, "claude-code").await?;
    let reviewer = Peer::over_stdio(&home, "codex").await?;
    let other = Peer::over_stdio(&home, "gemini-cli").await?;

    let waiting = reviewer.waits("claim_review", json!({"wait": true})).await?;
    let proposal = json!({
        "intent": "Say it in German.", "diff": makes_it("zwei"), "description": "The readers are **German**.",
        "category": "docs", "priority": "high", "agent_type": "gsd-executor", "phase": "3.2", "role": "reviewer",
    });
    let submitted = proposer.does("submit_proposal", proposal).await?;
    let review = &submitted["review_id"];
    assert_eq!((&submitted["round"], &submitted["outcome"]), (&json!(1), &Value::Null), "{submitted}");
    assert_eq!(submitted["need"], json!({"agents": 1, "person": false}), "one other agent, where no rule says more");
    assert_eq!((&submitted["base"], &submitted["stale"]), (&json!(base), &json!(false)), "what it was held against");
    assert_eq!((&submitted["proposer"], &submitted["category"]), (&json!("claude-code"), &json!("docs")));
    assert_eq!((&submitted["unchanged"], &submitted["overlaps"]), (&json!(false), &json!([])));

    let claim = reviewer.came(waiting).await?;
    assert_eq!(
        (&claim["claimed"], &claim["changed"]),
        (&json!(true), &json!(true)),
        "whoever waited is woken: {claim}"
    );
    assert_eq!((&claim["review_id"], &claim["status"]), (review, &json!("claimed")));
    assert_eq!((&claim["holder"], &claim["turn"]), (&json!("codex"), &json!("reviewer")));
    assert_eq!((&claim["diff"], &claim["checked"]), (&json!(makes_it("zwei")), &json!(true)), "byte for byte");
    assert_eq!(claim["files"], json!([{"path": "notes.txt", "added": 1, "removed": 1}]));
    assert_eq!(claim["description"], "The readers are **German**.");
    let token = &claim["claim_token"];

    let seen = proposer.sees(review, "claimed").await?;
    assert_eq!(seen["holder"], "codex", "the proposer sees who has it: {seen}");
    assert_eq!(proposer.refused("claim_review", json!({"review_id": review})).await?.code, "own_proposal");
    assert_eq!(other.refused("claim_review", json!({"review_id": review})).await?.code, "already_claimed");
    let early = json!({"review_id": review, "decision": "approved", "claim_token": token});
    assert_eq!(other.refused("submit_verdict", early.clone()).await?.code, "not_holder", "a token alone is no claim");
    assert_eq!(
        proposer.refused("submit_verdict", early).await?.code,
        "own_proposal",
        "nor does anybody approve their own"
    );

    let comment =
        json!({"review_id": review, "file": "notes.txt", "line": 2, "body": "French, please.", "role": "person"});
    let said = reviewer.does("post_message", comment).await?;
    assert_eq!((&said["status"], &said["turn"]), (&json!("in_discussion"), &json!("proposer")));
    let thread = &said["thread_id"];
    let read =
        proposer.does("get_messages", json!({"review_id": review, "since": seen["event"], "wait": true})).await?;
    let message = &read["messages"][0];
    assert_eq!((&message["role"], &message["author"]), (&json!("reviewer"), &json!("codex")), "by what it is: {read}");
    assert_eq!((&message["body"], &message["thread_id"]), (&json!("French, please."), thread));
    let at = &read["threads"][0];
    assert_eq!((&at["file"], &at["line"], &at["side"]), (&json!("notes.txt"), &json!(2), &json!("new")), "{read}");
    let reply = json!({"review_id": review, "thread_id": thread, "body": "Show me."});
    assert_eq!(proposer.does("post_message", reply).await?["turn"], "reviewer");

    let patch =
        json!({"review_id": review, "diff": makes_it("deux"), "description": "In French.", "claim_token": token});
    let offered = reviewer.does("submit_patch", patch).await?;
    let patch = json!({"review_id": review, "patch_id": offered["patch_id"]});
    let patches = proposer.does("get_patch", json!({"review_id": review})).await?;
    let patches = patches["patches"].as_array().context("a list")?;
    assert_eq!(patches.len(), 2, "the round, and what is offered in its place: {patches:?}");
    assert_eq!((&patches[0]["role"], &patches[0]["patch_diff"]), (&json!("proposer"), &json!(makes_it("zwei"))));
    assert_eq!((&patches[1]["role"], &patches[1]["patch_diff"]), (&json!("reviewer"), &json!(makes_it("deux"))));
    assert_eq!((&patches[1]["status"], &patches[1]["description"]), (&json!("open"), &json!("In French.")));
    assert_eq!(reviewer.refused("accept_counter_patch", patch.clone()).await?.code, "not_proposer");
    let accepted = proposer.does("accept_counter_patch", patch).await?;
    assert_eq!((&accepted["round"], &accepted["status"]), (&json!(2), &json!("claimed")), "the next round: {accepted}");

    let outdated = json!({"review_id": review, "decision": "approved", "claim_token": token});
    assert_eq!(reviewer.refused("submit_verdict", outdated).await?.code, "stale_round", "it was given round 1");
    let approved = reviewer.judges(review, "approved", "As I said.").await?;
    assert_eq!((&approved["status"], &approved["approved_by"]), (&json!("approved"), &json!("agent")), "{approved}");
    assert_eq!(approved["approvals"], json!({"have": 1, "need": 1, "person": false}));
    let seen = proposer.sees(review, "approved").await?;
    assert_eq!((&seen["verdict"]["by"], &seen["verdict"]["reason"]), (&json!("agent"), &json!("As I said.")));
    assert!(
        seen["next"].as_str().is_some_and(|next| next.contains("Agents, not the person,")),
        "no more than that: {seen}"
    );

    let proposal = proposer.does("get_proposal", json!({"review_id": review})).await?;
    assert_eq!(proposal["labels"], json!({"agent_type": "gsd-executor", "phase": "3.2"}), "{proposal}");
    apply(&home, proposal["diff"].as_str().context("a diff")?).await?;
    let held = commit(&home.workspace(), &[]).await?;
    assert_eq!(std::fs::read_to_string(home.workspace().join("notes.txt"))?, "one\ndeux\nthree\n");
    let closed = proposer.does("close_review", json!({"review_id": review, "commit": held})).await?;
    assert_eq!((&closed["status"], &closed["outcome"]), (&json!("closed"), &json!("applied")));
    assert_eq!((&closed["turn"], &closed["approved_by"]), (&json!("nobody"), &json!("agent")));
    let again = reviewer.refused("claim_review", json!({"review_id": review})).await?;
    assert_eq!(again.code, "wrong_state", "it is over: {again:?}");
    assert_eq!(
        reviewer.events(review).await?,
        [
            "submitted",
            "claimed",
            "verdict_refused",
            "verdict_refused",
            "message",
            "message",
            "patch",
            "round",
            "verdict_refused",
            "verdict",
            "closed",
        ],
        "each act once, also verdicts that were refused"
    );
    Ok(())
}

#[tokio::test]
async fn who_works_elsewhere_finds_nothing_and_does_nothing() -> Result<()> {
    let home = Home::new()?;
    let _gate = gate_of(&home).await?;
    let proposer = Peer::over_stdio(&home, "claude-code").await?;
    let folder = home.folder().join("elsewhere");
    commit(&folder, &[NOTES]).await?;
    let stranger = Peer::in_folder(&home, "codex", &folder).await?;
    let submitted = proposer.proposes("Say it in German.", &makes_it("zwei")).await?;
    let review = submitted["review_id"].as_str().context("an id")?;

    for (tool, more) in [
        ("get_review_status", json!({})),
        ("get_proposal", json!({})),
        ("get_messages", json!({})),
        ("get_patch", json!({})),
        ("claim_review", json!({})),
        ("release_review", json!({})),
        ("submit_verdict", json!({"decision": "approved"})),
        ("post_message", json!({"body": "Hello?"})),
        ("submit_patch", json!({"diff": makes_it("deux")})),
        ("accept_counter_patch", json!({})),
        ("reject_counter_patch", json!({})),
        ("close_review", json!({})),
        ("submit_proposal", json!({"intent": "Mine now.", "diff": makes_it("deux")})),
    ] {
        let of = |id: &str| {
            let mut arguments = more.clone();
            arguments["review_id"] = json!(id);
            arguments
        };
        let told = stranger.refused(tool, of(review)).await?;
        assert_eq!(told.code, "unknown_review", "{tool}: {told:?}");
        let nobody = stranger.refused(tool, of(NOBODY)).await?;
        assert_eq!(told.text, nobody.text.replace(NOBODY, review), "{tool}: as if there were none");
    }
    let mut listed = stranger.does("list_reviews", json!({})).await?;
    assert_eq!(listed["reviews"].take(), json!([]), "nothing is listed");
    let claim = stranger.does("claim_review", json!({})).await?;
    assert_eq!(claim["claimed"], false, "nothing is given: {claim}");
    for tool in ["list_reviews", "claim_review"] {
        let told = async |folder: &Path| stranger.refused(tool, json!({"workspace": folder})).await;
        let (there, nowhere) = (home.workspace(), home.folder().join("nowhere"));
        let (of_theirs, of_none) = (told(&there).await?, told(&nowhere).await?);
        assert_eq!(of_theirs.code, "outside_workspace", "nor by the folder's name, with {tool}: {of_theirs:?}");
        let as_if = of_none.text.replace(&*nowhere.to_string_lossy(), &there.to_string_lossy());
        assert_eq!(of_theirs.text, as_if, "nor is it told whether there is such a folder");
    }
    assert_eq!(proposer.events(&submitted["review_id"]).await?, ["submitted"], "and nothing has happened");
    let own = proposer.does("list_reviews", json!({"mine": true})).await?;
    assert_eq!(own["reviews"][0]["review_id"], review, "its own finds it");
    Ok(())
}

#[tokio::test]
async fn what_no_longer_applies_is_sent_back_to_be_rebased_and_goes_on_as_its_next_round() -> Result<()> {
    let home = Home::new()?;
    let _gate = gate_of(&home).await?;
    let proposer = Peer::over_stdio(&home, "claude-code").await?;
    let reviewer = Peer::over_stdio(&home, "codex").await?;
    let never =
        proposer.refused("submit_proposal", json!({"intent": "No.", "diff": makes_it("zwei").replace("three", "3")}));
    let never = never.await?;
    assert_eq!(never.code, "diff_conflict", "what never applied isn't taken: {never:?}");
    for hostile in ["../out.txt", "/etc/passwd", ".git/config", ".GIT/hooks/x"] {
        let refused = proposer.refused("submit_proposal", json!({"intent": "No.", "diff": adds(hostile)})).await?;
        assert_eq!(refused.code, "invalid_diff", "{hostile}: {refused:?}");
    }

    let submitted = proposer.proposes("Say it in German.", &makes_it("zwei")).await?;
    let review = &submitted["review_id"];
    let newer = commit(&home.workspace(), &[(NOTES.0, "one\n2\nthree\n")]).await?;
    let stale = reviewer.refused("claim_review", json!({"review_id": review})).await?;
    assert_eq!(stale.code, "diff_conflict", "nobody reviews what can't be applied: {stale:?}");
    let seen = proposer.sees(review, "rejected").await?;
    assert_eq!((&seen["stale"], &seen["verdict"]), (&json!(true), &Value::Null), "not by a verdict: {seen}");
    let next = seen["next"].as_str().unwrap_or_default();
    assert!(next.contains("rebase it, and submit_proposal with review_id"), "it is told the way on: {next}");

    let rebased = makes_it("zwei").replace("-two", "-2");
    let round = json!({"intent": "Say it in German.", "diff": rebased, "review_id": review, "round": 1});
    let next = proposer.does("submit_proposal", round.clone()).await?;
    assert_eq!((&next["round"], &next["status"]), (&json!(2), &json!("created")), "{next}");
    assert_eq!((&next["base"], &next["stale"]), (&json!(newer), &json!(false)));
    assert_eq!(proposer.does("submit_proposal", round).await?["unchanged"], true, "the same bytes are no new round");
    let late =
        json!({"intent": "Say it.", "diff": makes_it("deux").replace("-two", "-2"), "review_id": review, "round": 1});
    assert_eq!(
        proposer.refused("submit_proposal", late).await?.code,
        "stale_round",
        "it replaces what isn't the newest"
    );
    let approved = reviewer.judges(review, "approved", "").await?;
    assert_eq!(approved["status"], "approved", "and is reviewed as it is now: {approved}");

    let overlapping = proposer.proposes("Say it in French.", &makes_it("deux").replace("-two", "-2")).await?;
    assert_eq!(overlapping["overlaps"], json!([review]), "who touches the same file is told: {overlapping}");
    Ok(())
}

#[tokio::test]
async fn a_rejected_round_is_kept_for_who_rejected_it_and_a_lost_claim_decides_nothing() -> Result<()> {
    let home = Home::new()?;
    let _gate = gate_of(&home).await?;
    let proposer = Peer::over_stdio(&home, "claude-code").await?;
    let (first, second) = (Peer::over_stdio(&home, "codex").await?, Peer::over_stdio(&home, "gemini-cli").await?);
    let submitted = proposer.proposes("Say it in German.", &makes_it("zwei")).await?;
    let review = &submitted["review_id"];

    let claim = first.does("claim_review", json!({"review_id": review})).await?;
    let given_back = json!({"review_id": review, "reason": "I know no German.", "claim_token": claim["claim_token"]});
    assert_eq!(first.does("release_review", given_back).await?["status"], "created", "back in the queue");
    let verdict = json!({"review_id": review, "decision": "approved", "claim_token": claim["claim_token"]});
    assert_eq!(first.refused("submit_verdict", verdict.clone()).await?.code, "claim_lost", "it was given back");
    let claim = second.does("claim_review", json!({})).await?;
    assert_eq!(&claim["review_id"], review, "the next one is given it without naming it");
    assert_eq!(first.refused("submit_verdict", verdict).await?.code, "claim_lost", "an old token is nobody's");

    let unsaid = json!({"review_id": review, "decision": "rejected", "claim_token": claim["claim_token"]});
    assert_eq!(second.refused("submit_verdict", unsaid).await?.code, "invalid_input", "a rejection says why");
    let rejects = json!({
        "review_id": review, "decision": "changes_requested", "reason": "French.", "claim_token": claim["claim_token"],
        "comments": [{"file": "notes.txt", "line": 2, "body": "Here."}, {"file": "notes.txt", "line": 2, "side": "old", "body": "And there."}],
    });
    let rejected = second.does("submit_verdict", rejects.clone()).await?;
    assert_eq!((&rejected["status"], &rejected["turn"]), (&json!("rejected"), &json!("proposer")), "{rejected}");
    assert_eq!(second.does("submit_verdict", rejects).await?["event"], rejected["event"], "said twice it is once");
    let said = proposer.does("get_messages", json!({"review_id": review})).await?;
    let bodies: Vec<_> = said["messages"].as_array().context("a list")?.iter().map(|said| &said["body"]).collect();
    assert_eq!(bodies, ["Here.", "And there."], "comments are threads: {said}");

    let round = json!({"intent": "Say it in French.", "diff": makes_it("deux"), "review_id": review});
    assert_eq!(proposer.does("submit_proposal", round).await?["status"], "created");
    assert_eq!(first.refused("claim_review", json!({"review_id": review})).await?.code, "reserved");
    assert_eq!(second.judges(review, "approved", "Yes.").await?["status"], "approved");
    let abandoned = json!({"review_id": review, "outcome": "abandoned"});
    let closed = proposer.does("close_review", abandoned.clone()).await?;
    assert_eq!(closed["outcome"], "abandoned");
    assert_eq!(proposer.does("close_review", abandoned).await?["event"], closed["event"], "closed twice it is once");
    Ok(())
}
