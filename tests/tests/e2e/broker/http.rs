//! The broker over HTTP: a token is a party, and the clients of MCP's own SDKs carry other brokers' flows through as these
//! describe them, looking again and again.

use anyhow::{Context as _, Result};
use gate_tests::{Client, Home, Http, LIMIT, Official, Peer, commit, eventually, makes_it};
use serde_json::{Value, json};
use tokio::sync::Mutex;

use super::{apply, gate_of};

/// A home whose gate serves at a port of its own.
fn home() -> Result<Home> {
    Home::with_env([("REVIEW_GATE__NETWORK__PORT", "0")])
}

#[tokio::test]
async fn two_tokens_review_each_other_and_one_that_clients_share_only_reads_and_comments() -> Result<()> {
    let home = home()?;
    let _gate = gate_of(&home).await?;
    let (proposer, reviewer) = (Peer::over_http(&home, "one").await?, Peer::over_http(&home, "other").await?);
    let relay = Peer::over_stdio(&home, "codex").await?;
    let submitted = proposer.proposes("Say it in German.", &makes_it("zwei")).await?;
    let review = &submitted["review_id"];
    assert_eq!(submitted["status"], "created", "it is held against the folder that the token was given: {submitted}");
    assert!(submitted["base"].is_string(), "{submitted}");
    assert_eq!(proposer.refused("claim_review", json!({"review_id": review})).await?.code, "own_proposal");

    let claim = reviewer.does("claim_review", json!({})).await?;
    assert_eq!((&claim["review_id"], &claim["holder"]), (review, &json!("other")), "{claim}");
    assert_eq!(relay.refused("claim_review", json!({"review_id": review})).await?.code, "already_claimed");
    let patch = json!({
        "review_id": review, "diff": makes_it("deux"), "approves": true, "claim_token": claim["claim_token"],
    });
    reviewer.does("submit_patch", patch).await?;
    let accepted = proposer.does("accept_counter_patch", json!({"review_id": review})).await?;
    let standing = (&accepted["status"], &accepted["round"], &accepted["approved_by"]);
    assert_eq!(standing, (&json!("approved"), &json!(2), &json!("agent")), "accepting it was its author's approval");
    assert_eq!(relay.status(review).await?["status"], "approved", "both transports see the same");
    assert_eq!(relay.events(review).await?, ["submitted", "claimed", "patch", "round"]);

    let shared = Http::of(&home)?.token;
    let shared = Peer::with_token(&home, "anybody", &shared).await?;
    let mine = json!({"intent": "Mine.", "diff": makes_it("dos")});
    assert_eq!(shared.refused("submit_proposal", mine).await?.code, "shared_identity");
    assert_eq!(shared.refused("claim_review", json!({})).await?.code, "shared_identity", "nobody can tell who it is");
    Ok(())
}

/// A client of an SDK, which calls one tool after the other.
struct Sdk(Client);

impl Sdk {
    async fn of(official: Official, home: &Home, name: &str) -> Result<Option<Self>> {
        let folder = home.workspace();
        let token = home.at_a_terminal(&format!("token create {name} --folder {}", folder.display())).await?;
        Ok(Client::start_at(official, home, "/mcp/broker", token.trim()).await?.map(Self))
    }

    /// What a tool gives, as these clients read it: the JSON of the first text.
    async fn does(&mut self, tool: &str, arguments: Value) -> Result<Value> {
        self.0.call(&json!({"do": "call", "tool": tool, "arguments": arguments})).await?;
        let result = self.0.result().await?;
        assert_eq!(result["error"], false, "{tool}: {result}");
        let text = result["content"][0]["text"].as_str().context("a text")?;
        let read = serde_json::from_str(text)?;
        assert_eq!(read, result["structured"], "{tool} says the same twice");
        Ok(read)
    }

    /// Looks again and again, as their flows do, until a review stands so.
    async fn polls(&mut self, review: &Value, status: &str) -> Result<Value> {
        let one_at_a_time = Mutex::new(self);
        let look = || async {
            let mut client = one_at_a_time.lock().await;
            let found = client.does("get_review_status", json!({"review_id": review})).await?;
            Ok((found["status"] == status).then_some(found))
        };
        eventually(&format!("a review that is {status}"), LIMIT, look).await
    }
}

/// "Proposal Flow (Happy Path)": propose, poll, claim, approve, apply, close.
async fn the_happy_path(home: &Home, claude: &mut Sdk, reviewer: &mut Sdk) -> Result<()> {
    let proposal = json!({
        "intent": "Say it in German.", "diff": makes_it("zwei"), "agent_type": "gsd-executor", "phase": "3.2",
        "plan": "readers", "task": "1",
    });
    let submitted = claude.does("submit_proposal", proposal).await?;
    let review = &submitted["review_id"];
    assert_eq!(submitted["status"], "created");
    assert_eq!(claude.polls(review, "created").await?["status"], "created");
    let pending = reviewer.does("list_pending", json!({})).await?;
    let listed = &pending["reviews"][0];
    assert_eq!((&listed["review_id"], &listed["intent"]), (review, &json!("Say it in German.")), "{pending}");
    let claim = reviewer.does("claim_review", json!({"review_id": review, "reviewer_id": "reviewer-1"})).await?;
    assert_eq!(claim["status"], "claimed");
    let verdict = json!({"review_id": review, "decision": "approved", "reviewer_id": "reviewer-1"});
    assert_eq!(reviewer.does("submit_verdict", verdict).await?["status"], "approved");
    assert_eq!(claude.polls(review, "approved").await?["approved_by"], "agent");
    let read = claude.does("get_proposal", json!({"review_id": review})).await?;
    apply(home, read["diff"].as_str().context("a diff")?).await?;
    let closed = claude.does("close_review", json!({"review_id": review, "closer_role": "proposer"})).await?;
    assert_eq!(closed["status"], "closed");
    Ok(())
}

/// "Back-and-Forth Discussion Flow": messages both ways, a patch, words that take it, and the reviewer's approval of it.
async fn back_and_forth(home: &Home, claude: &mut Sdk, reviewer: &mut Sdk) -> Result<()> {
    let proposal = json!({"intent": "diff v1", "diff": makes_it("zwei"), "agent_type": "gsd-planner", "phase": "3.2"});
    let submitted = claude.does("submit_proposal", proposal).await?;
    let review = &submitted["review_id"];
    reviewer.does("claim_review", json!({"review_id": review})).await?;
    let asks = json!({"review_id": review, "body": "change X in file Y", "role": "reviewer"});
    assert_eq!(reviewer.does("post_message", asks).await?["status"], "in_discussion");
    assert_eq!(claude.polls(review, "in_discussion").await?["turn"], "proposer");
    let read = claude.does("get_messages", json!({"review_id": review})).await?;
    let message = &read["messages"][0];
    assert_eq!((&message["role"], &message["body"]), (&json!("reviewer"), &json!("change X in file Y")));
    let counter = json!({"review_id": review, "body": "counter-proposal: deux", "role": "proposer"});
    assert_eq!(claude.does("post_message", counter).await?["status"], "in_discussion");
    let patch = json!({"review_id": review, "patch_diff": makes_it("deux"), "role": "reviewer"});
    reviewer.does("submit_patch", patch).await?;
    let patches = claude.does("get_patch", json!({"review_id": review})).await?;
    let offered = &patches["patches"][1];
    assert_eq!((&offered["role"], &offered["patch_diff"]), (&json!("reviewer"), &json!(makes_it("deux"))));
    let takes = json!({"review_id": review, "body": "accepted reviewer patch", "role": "proposer"});
    claude.does("post_message", takes).await?;
    let verdict = json!({"review_id": review, "decision": "approved"});
    assert_eq!(reviewer.does("submit_verdict", verdict).await?["status"], "approved");
    claude.polls(review, "approved").await?;
    apply(home, offered["patch_diff"].as_str().context("a diff")?).await?;
    assert_eq!(claude.does("close_review", json!({"review_id": review})).await?["outcome"], "applied");
    Ok(())
}

/// Both flows, with these two clients.
async fn flows(claude: Official, reviewer: Official) -> Result<()> {
    let home = home()?;
    let _gate = gate_of(&home).await?;
    let Some(mut one) = Sdk::of(claude, &home, "claude").await? else { return Ok(()) };
    let Some(mut other) = Sdk::of(reviewer, &home, "reviewer").await? else { return Ok(()) };
    the_happy_path(&home, &mut one, &mut other).await.context("the happy path")?;
    // Back to how it was.
    commit(&home.workspace(), &[gate_tests::NOTES, ("more.txt", "more\n")]).await?;
    back_and_forth(&home, &mut one, &mut other).await.context("back and forth")
}

#[tokio::test]
async fn other_brokers_flows_work_as_written_with_pythons_sdk() -> Result<()> {
    flows(Official::Python, Official::PythonInitialize).await
}

#[tokio::test]
async fn other_brokers_flows_work_as_written_with_typescripts_sdk() -> Result<()> {
    flows(Official::TypeScript, Official::TypeScript).await
}
