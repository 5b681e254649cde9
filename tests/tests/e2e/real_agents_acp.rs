//! Real agents that speak ACP, each with a model that the test scripts, and `review-gate permit acp` between them and a client:
//! what a person answers at the gate is what happens, and where they don't, the client is asked as ever.

use std::path::PathBuf;

use anyhow::{Context as _, Result};
use gate_tests::{AcpClient, LIMIT, NoNetwork, Process, Program, RealAgent, Serve, SignedPage, Turn, eventually};
use serde_json::{Value, json};

/// A person with an agent in an editor, and the gate's page.
struct Scene {
    agent: RealAgent,
    client: AcpClient,
    gate: Serve,
    page: SignedPage,
    session: Value,
}

impl Scene {
    async fn new(program: Program) -> Result<Option<Self>> {
        let Some(agent) = RealAgent::new(program, Vec::new()).await? else { return Ok(None) };
        agent.asks_before_it_acts()?;
        let gate = agent.home.serve().await?;
        let page = SignedPage::sign_in(&agent.home).await?;
        let mut command = agent.by_acp()?;
        command.current_dir(agent.home.workspace());
        let mut client = AcpClient::start(command)?;
        let can = json!({"fs": {"readTextFile": false, "writeTextFile": false}, "terminal": false});
        let who = json!({"name": "test", "version": "1"});
        let hello = json!({"protocolVersion": 1, "clientCapabilities": can, "clientInfo": who});
        let asked = client.asks("initialize", hello).await?;
        client.answered(asked).await?;
        Ok(Some(Self { agent, client, gate, page, session: Value::Null }))
    }

    fn file(&self, name: &str) -> PathBuf {
        self.agent.home.workspace().join(name)
    }

    /// Has the agent run a command that makes a file of this name, in a session of its own; gives the turn's request.
    async fn wants(&mut self, name: &str) -> Result<u64> {
        let arguments = json!({"command": format!("echo hi > {name}"), "description": "Makes a file"});
        let tool = if self.agent.program() == Program::Gemini { "run_shell_command" } else { "bash" };
        self.agent.model.says(vec![Turn::Call(tool, arguments), Turn::Say("Done.")]);
        let opens = json!({"cwd": self.agent.home.workspace(), "mcpServers": []});
        let asked = self.client.asks("session/new", opens).await?;
        self.session = self.client.answered(asked).await.context("a session")?["sessionId"].take();
        let text = json!([{"type": "text", "text": format!("make {name}")}]);
        self.client.asks("session/prompt", json!({"sessionId": self.session, "prompt": text})).await
    }

    /// What the agent asks at the gate about a file.
    async fn asked(&self, name: &str) -> Result<Value> {
        let look = || async {
            let waiting = self.page.does(json!({"command": "requests"})).await?;
            Ok(waiting["requests"].as_array().and_then(|all| all.first()).map(|first| first["request_id"].clone()))
        };
        let id = eventually("a permission question at the gate", LIMIT, look).await?;
        let view = self.page.does(json!({"command": "open_request", "request_id": id})).await?["request"].take();
        let permission = &view["permission"];
        assert_eq!(permission["kind"], "command", "it is shown for what it is: {permission}");
        let text = permission["shown"]["text"].as_str().unwrap_or_default();
        assert!(text.contains(name), "with the command: {permission}");
        assert_eq!(permission["folder"], self.agent.home.workspace().display().to_string(), "and where: {permission}");
        assert!(!self.file(name).exists(), "nothing is done before somebody has allowed it");
        Ok(view)
    }

    async fn answers(&self, view: &Value, answer: Value) -> Result<()> {
        let (id, digest) = (&view["summary"]["request_id"], &view["digest"]);
        let command = json!({"command": "answer_permission", "request_id": id, "digest": digest, "answer": answer});
        self.page.does(command).await.map(drop)
    }

    /// The client is asked by the agent, and picks the option of this kind.
    async fn client_picks(&mut self, kind: &str, name: &str) -> Result<()> {
        let asked = self.client.hears("a question", |it| it["method"] == "session/request_permission").await?;
        assert!(!self.file(name).exists(), "nobody has allowed it so far");
        let options = asked["params"]["options"].as_array().context("it has options")?;
        let option = options.iter().find(|option| option["kind"] == kind).context("one of the kind")?;
        let outcome = json!({"outcome": {"outcome": "selected", "optionId": option["optionId"]}});
        self.client.tells(json!({"jsonrpc": "2.0", "id": asked["id"], "result": outcome})).await
    }

    async fn nothing_waits(&self) -> Result<()> {
        let look = || async {
            let waiting = self.page.does(json!({"command": "requests"})).await?;
            Ok(waiting["requests"].as_array().is_some_and(Vec::is_empty).then_some(()))
        };
        eventually("that the question is gone from the gate", LIMIT, look).await
    }
}

async fn what_the_person_answers_happens(program: Program) -> Result<()> {
    let Some(_no_network) = NoNetwork::enter().await? else { return Ok(()) };
    let Some(mut scene) = Scene::new(program).await? else { return Ok(()) };

    let turn = scene.wants("allowed.txt").await?;
    let view = scene.asked("allowed.txt").await?;
    scene.answers(&view, json!({"answer": "once"})).await?;
    scene.client.answered(turn).await.context("the turn of what was allowed")?;
    assert!(scene.file("allowed.txt").exists(), "what was allowed is done");

    let turn = scene.wants("denied.txt").await?;
    let view = scene.asked("denied.txt").await?;
    scene.answers(&view, json!({"answer": "deny", "reason": ""})).await?;
    scene.client.answered(turn).await.context("the turn of what was denied")?;

    let turn = scene.wants("cancelled.txt").await?;
    let view = scene.asked("cancelled.txt").await?;
    let cancel = json!({"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": scene.session}});
    scene.client.tells(cancel).await?;
    let ended = scene.client.answered(turn).await.context("the turn that was cancelled")?;
    assert_eq!(ended["stopReason"], "cancelled", "{ended}");
    scene.nothing_waits().await?;
    assert!(scene.answers(&view, json!({"answer": "once"})).await.is_err(), "an answer that comes too late is refused");

    scene.page.does(json!({"command": "set_away", "away": true})).await?;
    let turn = scene.wants("away.txt").await?;
    scene.client_picks("allow_once", "away.txt").await?;
    scene.client.answered(turn).await.context("the turn that the client has allowed")?;
    assert!(scene.file("away.txt").exists(), "where the person is away, the editor's user allows");

    scene.page.does(json!({"command": "set_away", "away": false})).await?;
    let turn = scene.wants("killed.txt").await?;
    scene.asked("killed.txt").await?;
    scene.agent.home.gate().as_ref().map(Process::kill).context("a gate runs")??;
    scene.client_picks("reject_once", "killed.txt").await?;
    scene.client.answered(turn).await.context("the turn after the gate's end")?;

    for name in ["denied.txt", "cancelled.txt", "killed.txt"] {
        assert!(!scene.file(name).exists(), "{name} was allowed by nobody");
    }
    drop(scene.gate);
    Ok(())
}

#[tokio::test]
async fn opencode_does_what_the_person_allows_at_the_gate() -> Result<()> {
    what_the_person_answers_happens(Program::OpenCode).await.context("opencode")
}

#[tokio::test]
async fn gemini_cli_does_what_the_person_allows_at_the_gate() -> Result<()> {
    what_the_person_answers_happens(Program::Gemini).await.context("Gemini CLI")
}
