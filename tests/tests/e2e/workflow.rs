//! The review workflow with the real programs: a reviewer takes a pull request through review-flow's sequence, as its
//! instructions say it, over stdio and HTTP, by the harness's client and by those of MCP's own SDKs. No platform is asked.

use anyhow::{Context as _, Result};
use gate_tests::{Client, Home, LIMIT, Official, Peer, eventually};
use serde_json::{Value, json};
use tokio::sync::Mutex;

const WORKFLOW: &str = "workflow";
const URL: &str = "https://github.com/owner/repo/pull/42";
/// What no job is called.
const NOBODY: &str = "0190a6e4-7a10-7000-8000-000000000001";

/// A home whose gate serves HTTP at a port of its own, too.
fn home() -> Result<Home> {
    Home::with_env([("REVIEW_GATE__NETWORK__PORT", "0")])
}

async fn over_stdio(home: &Home, name: &str) -> Result<Peer> {
    Peer::with_toolset(home, name, &home.workspace(), WORKFLOW).await
}

/// Whoever calls the tools: what a tool gives, or with which code it refuses.
enum Reviewer {
    Peer(Peer),
    /// A client of an SDK, which calls one tool after the other.
    Sdk(Box<Mutex<Client>>),
}

impl Reviewer {
    async fn does(&self, tool: &str, arguments: Value) -> Result<Value> {
        match self {
            Self::Peer(peer) => peer.does(tool, arguments).await,
            Self::Sdk(client) => {
                let mut client = client.lock().await;
                client.call(&json!({"do": "call", "tool": tool, "arguments": arguments})).await?;
                let result = client.result().await?;
                assert_eq!(result["error"], false, "{tool}: {result}");
                let text = result["content"][0]["text"].as_str().context("a text")?;
                let read = serde_json::from_str(text)?;
                assert_eq!(read, result["structured"], "{tool} says the same twice");
                Ok(read)
            }
        }
    }
}

/// Takes a pull request through all that the instructions of `get_workflow` say, in their order. What it finds is `new`, or
/// was found before by whoever it was.
async fn the_sequence(reviewer: &Reviewer, finds: &str) -> Result<Value> {
    let created = reviewer.does("create_job", json!({"url": URL})).await?;
    assert_eq!((&created["created"], &created["status"]), (&json!(true), &json!("running")), "{created}");
    let job = &created["jobId"];
    let begun = reviewer.does("get_workflow", json!({"jobId": job})).await?;
    let workflow = &begun["workflow"];
    assert_eq!(
        workflow["phases"],
        json!(["initializing", "agents-running", "synthesizing", "publishing", "completed"]),
        "review-flow's phases"
    );
    let context = &begun["context"];
    assert_eq!((&context["platform"], &context["projectPath"]), (&json!("github"), &json!("owner/repo")));
    assert_eq!((&context["mergeRequestNumber"], &context["headSha"]), (&json!(42), &Value::Null), "{context}");
    assert_eq!((&context["threads"], &context["stale"]), (&json!([]), &json!(true)), "no platform was asked");
    assert_eq!(begun["currentState"]["overallProgress"], 0);
    let told = workflow["instructions"].as_str().context("instructions")?;
    let steps = [
        "get_workflow",
        "initializing",
        "agents-running",
        "start_agent",
        "complete_agent",
        "synthesizing",
        "publishing",
    ];
    let places: Vec<_> = steps.iter().map(|step| told.find(step)).collect();
    assert!(places.is_sorted() && places[0].is_some(), "in the order in which they are done: {told}");

    for phase in ["initializing", "agents-running"] {
        let set = reviewer.does("set_phase", json!({"jobId": job, "phase": phase})).await?;
        assert_eq!((&set["success"], &set["phase"]), (&json!(true), &json!(phase)), "{set}");
    }
    let agents = workflow["agents"].as_array().context("a list of agents")?;
    let mut last = 0;
    for agent in agents.iter().map(|agent| &agent["name"]) {
        let started = reviewer.does("start_agent", json!({"jobId": job, "agentName": agent})).await?;
        assert_eq!((&started["agentName"], &started["attempt"]), (agent, &json!(1)), "{started}");
        let ended = json!({"jobId": job, "agentName": agent, "status": "success"});
        let ended = reviewer.does("complete_agent", ended).await?;
        assert_eq!((&ended["status"], &ended["agentName"]), (&json!("completed"), agent), "{ended}");
        let progress = ended["overallProgress"].as_u64().context("a number")?;
        assert!(progress > last, "{progress} after {last}");
        last = progress;
    }
    let finding =
        json!({"title": "It is wrong", "body": "Look.", "severity": "blocking", "file": "src/a.rs", "line": 2});
    let found = reviewer.does("add_findings", json!({"jobId": job, "findings": [finding]})).await?;
    assert_eq!(found["findings"][0]["state"], finds, "{found}");
    let action = json!({"jobId": "github:owner/repo:42", "type": "POST_COMMENT", "body": "Thanks."});
    let added = reviewer.does("add_action", action).await?;
    assert_eq!(added["actionType"], "POST_COMMENT", "review-flow's name means the job, too: {added}");
    let threads = reviewer.does("get_threads", json!({"jobId": job})).await?;
    assert_eq!((&threads["count"], &threads["stale"], &threads["fetchedAt"]), (&json!(0), &json!(true), &Value::Null));
    for phase in ["synthesizing", "publishing"] {
        let set = reviewer.does("set_phase", json!({"jobId": job, "phase": phase})).await?;
        assert_eq!(set["phase"], phase, "{set}");
    }
    let done = reviewer.does("set_phase", json!({"jobId": job, "phase": "completed"})).await?;
    assert_eq!(done["overallProgress"], 100, "{done}");
    let read = reviewer.does("get_workflow", json!({"jobId": job})).await?;
    assert_eq!(
        (&read["currentState"]["status"], &read["currentState"]["phase"]),
        (&json!("completed"), &json!("completed"))
    );
    Ok(created["jobId"].clone())
}

#[tokio::test]
async fn a_reviewer_takes_a_pull_request_through_the_sequence_over_both_transports() -> Result<()> {
    let home = home()?;
    let _gate = home.serve().await?;
    let relay = over_stdio(&home, "claude-code").await?;
    let logs = home.workspace().join(".claude/reviews");
    std::fs::create_dir_all(&logs)?;
    let job = the_sequence(&Reviewer::Peer(relay), "new").await?;
    assert!(!logs.join("logs").exists(), "no call named the folder");
    let http = Reviewer::Peer(Peer::over_http_with(&home, "reviewer", WORKFLOW).await?);
    let other = the_sequence(&http, "known").await?;
    assert_ne!(other, job, "each party has a job of its own");
    Ok(())
}

#[tokio::test]
async fn others_see_no_job_and_what_is_not_in_order_says_what_is() -> Result<()> {
    let home = home()?;
    let _gate = home.serve().await?;
    let (own, other) = (over_stdio(&home, "claude-code").await?, over_stdio(&home, "codex").await?);
    let created = own.does("create_job", json!({"url": URL})).await?;
    let job = &created["jobId"];
    for named in [job, &json!(NOBODY), &json!("github:owner/repo:42")] {
        assert_eq!(other.refused("get_workflow", json!({"jobId": named})).await?.code, "unknown_job", "{named}");
    }
    let early = own.refused("set_phase", json!({"jobId": job, "phase": "publishing"})).await?;
    assert_eq!(early.code, "phase_order", "{early:?}");
    own.does("start_agent", json!({"jobId": job, "agentName": "clean-arch"})).await?;
    let early = own.refused("set_phase", json!({"jobId": job, "phase": "synthesizing"})).await?;
    assert_eq!(early.code, "agents_unfinished", "{early:?}");
    let wrong = own.refused("start_agent", json!({"jobId": job, "agentName": "testng"})).await?;
    assert!(wrong.code == "unknown_agent" && wrong.text.contains("`testing`"), "{wrong:?}");
    let no_diff = own.refused("get_diff", json!({"jobId": job})).await?;
    assert_eq!(no_diff.code, "platform_unreachable", "{no_diff:?}");
    assert_eq!(own.refused("create_job", json!({"url": "https://example.com/x"})).await?.code, "invalid_input");
    Ok(())
}

#[tokio::test]
async fn a_job_outlives_its_gate_and_review_flow_s_file_follows_it() -> Result<()> {
    let home = home()?;
    let mut gate = home.serve().await?;
    let folder = home.workspace();
    std::fs::create_dir_all(folder.join(".claude/reviews"))?;
    let own = over_stdio(&home, "claude-code").await?;
    let created = own.does("create_job", json!({"url": URL, "localPath": folder})).await?;
    let job = &created["jobId"];
    own.does("start_agent", json!({"jobId": job, "agentName": "clean-architecture"})).await?;
    gate.kill().await?;
    let _gate = home.serve().await?;
    let ended = json!({"jobId": job, "agentName": "clean-architecture", "status": "failed", "error": "No."});
    assert_eq!(own.does("complete_agent", ended).await?["status"], "failed", "its run goes on by the same relay");
    let file = folder.join(".claude/reviews/logs/github-owner/repo-42.json");
    let look = || async {
        let read = std::fs::read(&file).ok().and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok());
        Ok(read.filter(|read| read["progress"]["stepsCompleted"] == json!(["clean-architecture"])))
    };
    let written = eventually("a file with what has ended", LIMIT, look).await?;
    assert_eq!(written["progress"]["phase"], "agents-running", "{written}");
    Ok(())
}

async fn by_stdio(official: Official) -> Result<()> {
    let home = home()?;
    let _gate = home.serve().await?;
    let Some(client) = Client::start_told(official, &home, &["--toolset", WORKFLOW]).await? else { return Ok(()) };
    the_sequence(&Reviewer::Sdk(Box::new(Mutex::new(client))), "new").await.map(drop)
}

async fn by_http(official: Official) -> Result<()> {
    let home = home()?;
    let _gate = home.serve().await?;
    let made = home.at_a_terminal(&format!("token create reviewer --folder {}", home.workspace().display())).await?;
    let client = Client::start_at(official, &home, "/mcp/workflow", made.trim()).await?;
    let Some(client) = client else { return Ok(()) };
    the_sequence(&Reviewer::Sdk(Box::new(Mutex::new(client))), "new").await.map(drop)
}

#[tokio::test]
async fn the_sequence_works_with_pythons_sdk_in_both_eras() -> Result<()> {
    for official in [Official::Python, Official::PythonInitialize] {
        by_stdio(official).await.with_context(|| format!("{official:?} over stdio"))?;
        by_http(official).await.with_context(|| format!("{official:?} over HTTP"))?;
    }
    Ok(())
}

#[tokio::test]
async fn the_sequence_works_with_typescripts_sdks() -> Result<()> {
    by_stdio(Official::TypeScript).await.context("the client over stdio")?;
    by_http(Official::TypeScript).await.context("the client over HTTP")?;
    by_stdio(Official::TypeScriptSdk).await.context("the SDK before it over stdio")
}
