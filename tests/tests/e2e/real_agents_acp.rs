//! Real agents that speak ACP, each with a model that the test scripts, and `review-gate permit acp` between them and a client:
//! what a person answers at the gate is what happens, and where they don't, the client is asked as ever.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use gate_tests::{
    AcpClient, LIMIT, NoNetwork, Process, Program, RealAgent, SCRIPTS_ANSWER, Serve, SignedPage, Turn, eventually,
};
use serde_json::{Value, json};

use crate::real_agents_permissions::edits::shown;

/// How long a question waits, where a test waits for that: as little as the setting allows.
const WAITS: Duration = Duration::from_secs(10);
/// A file that is edited, and how: lines that are indented, blanks at an end, and no line feed at the end.
const CODE: &str = "fn four() {\n    five \n\tsix\n}";
const EDIT: (&str, &str) = ("    five \n", "    FIVE\n\n      and a half: \u{202e}x\n");
const DENIED: (&str, &str) = ("\tsix", "\tDENIED");
/// What is asked twice, and allowed once and for all.
const COUNTS: &str = "sh count.sh";

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

    fn runs(&self, command: &str) -> Turn {
        let tool = if self.agent.program() == Program::Gemini { "run_shell_command" } else { "bash" };
        Turn::Call(tool, json!({"command": command, "description": "Runs it"}))
    }

    fn edits(&self, (old, new): (&str, &str)) -> Turn {
        let file = self.file("code.txt");
        match self.agent.program() {
            Program::Gemini => Turn::Call(
                "replace",
                json!({"file_path": file, "old_string": old, "new_string": new, "instruction": "Change it."}),
            ),
            _ => Turn::Call("edit", json!({"filePath": file, "oldString": old, "newString": new})),
        }
    }

    fn writes(&self, name: &str, content: &str) -> Turn {
        match self.agent.program() {
            Program::Gemini => Turn::Call("write_file", json!({"file_path": self.file(name), "content": content})),
            _ => Turn::Call("write", json!({"filePath": self.file(name), "content": content})),
        }
    }

    /// Has the agent run a command that makes a file of this name, in a session of its own; gives the turn's request.
    async fn wants(&mut self, name: &str) -> Result<u64> {
        self.takes_turns(vec![self.runs(&format!("echo hi > {name}"))]).await
    }

    /// Has the agent do this in a session of its own; gives the turn's request.
    async fn takes_turns(&mut self, turns: Vec<Turn>) -> Result<u64> {
        self.agent.model.says(turns.into_iter().chain([Turn::Say("Done.")]).collect());
        let opens = json!({"cwd": self.agent.home.workspace(), "mcpServers": []});
        let asked = self.client.asks("session/new", opens).await?;
        self.session = self.client.answered(asked).await.context("a session")?["sessionId"].take();
        let text = json!([{"type": "text", "text": "go"}]);
        self.client.asks("session/prompt", json!({"sessionId": self.session, "prompt": text})).await
    }

    /// What waits at the gate.
    async fn opened(&self) -> Result<Value> {
        let look = || async {
            let waiting = self.page.does(json!({"command": "requests"})).await?;
            Ok(waiting["requests"].as_array().and_then(|all| all.first()).map(|first| first["request_id"].clone()))
        };
        let id = eventually("a permission question at the gate", LIMIT, look).await?;
        Ok(self.page.does(json!({"command": "open_request", "request_id": id})).await?["request"].take())
    }

    /// What the agent asks at the gate about a file.
    async fn asked(&self, name: &str) -> Result<Value> {
        let view = self.opened().await?;
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

    /// What it asks next isn't this any more.
    async fn changes(&self, view: &Value) -> Result<()> {
        let (id, look) = (&view["summary"]["request_id"], || async {
            let waiting = self.page.does(json!({"command": "requests"})).await?;
            let other = |request: &Value| request["request_id"] != view["summary"]["request_id"];
            Ok(waiting["requests"].as_array().is_some_and(|all| all.iter().any(other)).then_some(()))
        });
        eventually(&format!("the next question after {id}"), LIMIT, look).await
    }

    /// The processes of the agent's.
    fn agents(&self) -> Vec<Process> {
        let is_own = |process: &Process| {
            let program = process.arguments().first().cloned().unwrap_or_default();
            !PathBuf::from(program).ends_with("review-gate")
        };
        self.agent.home.processes().into_iter().filter(is_own).collect()
    }

    async fn nothing_waits(&self) -> Result<()> {
        let look = || async {
            let waiting = self.page.does(json!({"command": "requests"})).await?;
            Ok(waiting["requests"].as_array().is_some_and(Vec::is_empty).then_some(()))
        };
        eventually("that the question is gone from the gate", LIMIT, look).await
    }
}

/// An edit is allowed and one denied; a new file is shown as it will be, or it is said that this can't be known.
async fn edits(scene: &mut Scene) -> Result<()> {
    let (folder, file) = (scene.agent.home.workspace(), scene.file("code.txt"));
    fs::write(&file, CODE)?;
    let new = "  - one\n    - two\n";
    let turn = scene.takes_turns(vec![scene.edits(EDIT), scene.writes("new.txt", new), scene.edits(DENIED)]).await?;
    let view = scene.opened().await?;
    assert_eq!(view["permission"]["kind"], "edit", "it is shown for what it is: {}", view["permission"]);
    let becomes = [(file.clone(), Some(CODE.replace(EDIT.0, EDIT.1)))];
    // opencode's diff leaves out carriage returns, a mark at the beginning, what all lines are indented by, and what becomes
    // of the file.
    let is_told = scene.agent.program() != Program::OpenCode;
    match is_told {
        true => assert_eq!(shown(&folder, &view)?, becomes, "each byte of it is shown"),
        false => assert_eq!(view["permission"]["unknown"], "untold", "{}", view["permission"]),
    }
    assert_eq!(fs::read_to_string(&file)?, CODE, "nothing is done before somebody has allowed it");
    scene.answers(&view, json!({"answer": "once"})).await?;
    scene.changes(&view).await?;
    assert_eq!(fs::read_to_string(&file).ok(), becomes[0].1, "and no other thing then");

    let view = scene.opened().await?;
    match is_told {
        true => assert_eq!(shown(&folder, &view)?, [(scene.file("new.txt"), Some(new.to_owned()))]),
        false => assert_eq!(view["permission"]["unknown"], "untold", "{}", view["permission"]),
    }
    assert!(!scene.file("new.txt").exists(), "nothing is done before somebody has allowed it");
    scene.answers(&view, json!({"answer": "once"})).await?;
    scene.changes(&view).await?;
    assert_eq!(fs::read_to_string(scene.file("new.txt"))?, new, "with each blank");

    let view = scene.opened().await?;
    scene.answers(&view, json!({"answer": "deny", "reason": ""})).await?;
    scene.client.answered(turn).await.context("the turn of the edits")?;
    assert_eq!(fs::read_to_string(&file).ok(), becomes[0].1, "what was denied isn't done");
    Ok(())
}

/// A rule that the agent offers is kept by it: the same command isn't asked again.
async fn rule(scene: &mut Scene) -> Result<()> {
    fs::write(scene.file("count.sh"), "echo once more >> count.txt\n")?;
    let turn = scene.takes_turns(vec![scene.runs(COUNTS), scene.runs(COUNTS)]).await?;
    let view = scene.opened().await?;
    let rules = &view["permission"]["rules"];
    assert!(rules[0]["what"][0].as_str().is_some_and(|what| what.contains("llow")), "in the agent's words: {rules}");
    scene.answers(&view, json!({"answer": "rule", "id": rules[0]["id"]})).await?;
    scene.client.answered(turn).await.context("the turn of the rule")?;
    assert_eq!(fs::read_to_string(scene.file("count.txt"))?, "once more\nonce more\n", "it is done both times");
    let asked = "SELECT count(*) AS asked FROM review_requests WHERE permission LIKE '%count.sh%'";
    assert_eq!(scene.agent.home.rows(asked).await?, [json!({"asked": 1})], "and asked once");
    Ok(())
}

/// Where nobody answers in time the client is asked; where the proxy is killed, nothing is left and nothing done.
async fn nobody_answers(mut scene: Scene) -> Result<()> {
    let settings = format!("{SCRIPTS_ANSWER}permissions:\n  wait_seconds: {}\n", WAITS.as_secs());
    fs::write(scene.agent.home.path().join("config.yaml"), settings)?;
    scene.gate = scene.agent.home.serve().await?;
    scene.page.renew(&scene.agent.home).await?;
    scene.nothing_waits().await?;
    let turn = scene.wants("late.txt").await?;
    let view = scene.asked("late.txt").await?;
    let begin = Instant::now();
    scene.client_picks("allow_once", "late.txt").await?;
    assert!(begin.elapsed() > WAITS / 2, "it waits for as long as the setting says: {:?}", begin.elapsed());
    scene.client.answered(turn).await.context("the turn whose time was over")?;
    assert!(scene.file("late.txt").exists(), "the editor's user has allowed it");
    assert!(scene.answers(&view, json!({"answer": "once"})).await.is_err(), "an answer that comes too late is refused");

    scene.wants("alone.txt").await?;
    let view = scene.asked("alone.txt").await?;
    scene.client.agent.kill().await?;
    scene.nothing_waits().await?;
    assert!(scene.answers(&view, json!({"answer": "once"})).await.is_err(), "and can't be allowed any more");
    let gone = || async { Ok(scene.agents().is_empty().then_some(())) };
    eventually("that the agent ends without its client", LIMIT, gone).await?;
    assert!(!scene.file("alone.txt").exists(), "nobody has allowed that");
    Ok(())
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

    edits(&mut scene).await.context("edits")?;
    rule(&mut scene).await.context("a rule")?;

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
    nobody_answers(scene).await.context("nobody answers")
}

#[tokio::test]
async fn opencode_does_what_the_person_allows_at_the_gate() -> Result<()> {
    what_the_person_answers_happens(Program::OpenCode).await.context("opencode")
}

#[tokio::test]
async fn gemini_cli_does_what_the_person_allows_at_the_gate() -> Result<()> {
    what_the_person_answers_happens(Program::Gemini).await.context("Gemini CLI")
}
