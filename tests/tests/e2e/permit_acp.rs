//! `review-gate permit acp` between a client and an agent that a test plays both: what it hands on, whom it asks, and what the
//! agent hears. Real agents are in `real_agents_acp.rs`.

use std::path::PathBuf;
use std::process::Stdio;

use anyhow::{Context as _, Result};
use gate_tests::{AcpClient, Home, LIMIT, Process, Serve, SignedPage, Terminal, eventually};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::unix::pipe;
use tokio::time::timeout;

/// The agent: what it hears and says goes over two pipes, at whose other ends the test is.
struct Agent {
    hears: BufReader<pipe::Receiver>,
    says: Option<pipe::Sender>,
}

/// A client and an agent with the program between them.
struct Scene {
    home: Home,
    client: AcpClient,
    agent: Agent,
}

impl Scene {
    async fn new(home: Home) -> Result<Self> {
        let folder = tempfile::tempdir_in(home.folder())?.keep();
        let (heard, said) = (folder.join("heard"), folder.join("said"));
        for path in [&heard, &said] {
            rustix::fs::mkfifoat(rustix::fs::CWD, path, rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR)?;
        }
        // What a shell starts beside itself has no input but one that it names.
        let script = "exec 3<&0; cat <&3 >\"$0\" & exec cat \"$1\"";
        let words = ["permit", "acp", "--", "sh", "-c", script].map(PathBuf::from);
        let command = home.command(words.into_iter().chain([heard.clone(), said.clone()]))?;
        let hears = BufReader::new(pipe::OpenOptions::new().read_write(true).open_receiver(heard)?);
        let says = Some(pipe::OpenOptions::new().read_write(true).open_sender(said)?);
        let mut scene = Self { home, client: AcpClient::start(command)?, agent: Agent { hears, says } };
        scene.opens().await?;
        Ok(scene)
    }

    /// The client opens the session `s` in the workspace.
    async fn opens(&mut self) -> Result<()> {
        let opens =
            json!({"jsonrpc": "2.0", "id": 1, "method": "session/new", "params": {"cwd": self.home.workspace()}});
        self.client.tells(opens.clone()).await?;
        assert_eq!(self.agent.hears().await?, format!("{opens}\n"), "what the client says is handed on");
        self.agent.says(&json!({"jsonrpc": "2.0", "id": 1, "result": {"sessionId": "s"}}).to_string()).await?;
        assert_eq!(self.client.answered(1).await?, json!({"sessionId": "s"}), "and what the agent says");
        Ok(())
    }

    /// The client has heard of nothing else so far.
    async fn client_hears_nothing(&mut self) -> Result<()> {
        let mark = json!({"jsonrpc": "2.0", "method": "session/update", "params": {"mark": true}}).to_string();
        self.agent.says(&mark).await?;
        assert_eq!(self.client.line().await?, format!("{mark}\n"), "its client isn't asked what the gate asks");
        Ok(())
    }
}

impl Agent {
    async fn says(&mut self, line: &str) -> Result<()> {
        let says = self.says.as_mut().context("it has ended")?;
        says.write_all(line.as_bytes()).await?;
        Ok(says.write_all(b"\n").await?)
    }

    async fn hears(&mut self) -> Result<String> {
        let mut line = String::new();
        timeout(LIMIT, self.hears.read_line(&mut line)).await.context("the agent hears nothing")??;
        Ok(line)
    }

    /// What it is answered to its question of this number.
    async fn answer(&mut self, id: u32) -> Result<Value> {
        let said: Value = serde_json::from_str(&self.hears().await?)?;
        assert_eq!((&said["jsonrpc"], &said["id"]), (&json!("2.0"), &json!(id)), "{said}");
        Ok(said["result"]["outcome"].clone())
    }
}

/// A question as opencode asks it.
fn question(id: u32, command: &str) -> String {
    json!({"jsonrpc": "2.0", "id": id, "method": "session/request_permission", "params": {
        "sessionId": "s",
        "toolCall": {"toolCallId": "call_0", "title": command, "kind": "execute", "status": "pending",
            "rawInput": {"command": command}},
        "options": [{"optionId": "once", "kind": "allow_once", "name": "Allow once"},
            {"optionId": "always", "kind": "allow_always", "name": "Always allow"},
            {"optionId": "reject", "kind": "reject_once", "name": "Reject"}],
    }})
    .to_string()
}

async fn with_a_gate() -> Result<(Scene, Serve, SignedPage)> {
    let home = Home::new()?;
    let gate = home.serve().await?;
    let page = SignedPage::sign_in(&home).await?;
    Ok((Scene::new(home).await?, gate, page))
}

/// What waits at the gate.
async fn opened(page: &SignedPage) -> Result<Value> {
    let look = || async {
        let waiting = page.does(json!({"command": "requests"})).await?;
        Ok(waiting["requests"].as_array().and_then(|all| all.first()).map(|first| first["request_id"].clone()))
    };
    let id = eventually("a permission question at the gate", LIMIT, look).await?;
    Ok(page.does(json!({"command": "open_request", "request_id": id})).await?["request"].take())
}

async fn answers(page: &SignedPage, view: &Value, answer: Value) -> Result<()> {
    let (id, digest) = (&view["summary"]["request_id"], &view["digest"]);
    let command = json!({"command": "answer_permission", "request_id": id, "digest": digest, "answer": answer});
    page.does(command).await.map(drop)
}

async fn nothing_waits(page: &SignedPage, why: &str) -> Result<()> {
    let look = || async {
        let waiting = page.does(json!({"command": "requests"})).await?;
        Ok(waiting["requests"].as_array().is_some_and(Vec::is_empty).then_some(()))
    };
    eventually(why, LIMIT, look).await
}

#[tokio::test]
async fn the_person_answers_in_the_clients_place() -> Result<()> {
    let (mut scene, _gate, page) = with_a_gate().await?;
    let selected = |id: &str| json!({"outcome": "selected", "optionId": id});
    for (id, given, outcome) in [
        (10, json!({"answer": "once"}), selected("once")),
        (11, json!({"answer": "deny", "reason": ""}), selected("reject")),
        (12, json!({"answer": "rule", "id": "1"}), selected("always")),
    ] {
        scene.agent.says(&question(id, "npm test")).await?;
        let view = opened(&page).await?;
        let permission = &view["permission"];
        assert_eq!(permission["shown"]["text"], "npm test", "all of it is shown: {permission}");
        assert_eq!(permission["folder"], scene.home.workspace().display().to_string(), "and where: {permission}");
        assert_eq!(permission["answers"]["reason"], false, "a denial has no sentence there");
        scene.client_hears_nothing().await?;
        answers(&page, &view, given.clone()).await?;
        assert_eq!(scene.agent.answer(id).await?, outcome, "{given}");
    }
    nothing_waits(&page, "that nothing is left").await
}

#[tokio::test]
async fn a_turn_that_the_client_cancels_takes_its_question_along() -> Result<()> {
    let (mut scene, _gate, page) = with_a_gate().await?;
    scene.agent.says(&question(10, "ls")).await?;
    let view = opened(&page).await?;
    let cancel = json!({"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": "s"}});
    scene.client.tells(cancel.clone()).await?;
    assert_eq!(scene.agent.hears().await?, format!("{cancel}\n"), "the agent hears of it first");
    assert_eq!(scene.agent.answer(10).await?, json!({"outcome": "cancelled"}), "as a client has to answer then");
    nothing_waits(&page, "that it is withdrawn").await?;
    let late = answers(&page, &view, json!({"answer": "once"})).await;
    assert!(late.is_err(), "and can't be allowed any more");
    scene.client_hears_nothing().await
}

#[tokio::test]
async fn where_the_gate_cannot_ask_the_client_is_asked_as_ever() -> Result<()> {
    let (mut scene, gate, page) = with_a_gate().await?;
    let picks =
        |id: u32| json!({"jsonrpc":"2.0","id":id,"result":{"outcome":{"outcome":"selected","optionId":"once"}}});
    // One that stands at the gate when the person goes away, one while they are, one when the gate ends, and one without it.
    scene.agent.says(&question(10, "ls")).await?;
    opened(&page).await?;
    page.does(json!({"command": "set_away", "away": true})).await?;
    for id in [10, 11] {
        if id == 11 {
            scene.agent.says(&question(id, "ls")).await?;
        }
        assert_eq!(scene.client.line().await?, format!("{}\n", question(id, "ls")), "byte for byte");
        scene.client.tells(picks(id)).await?;
        assert_eq!(scene.agent.hears().await?, format!("{}\n", picks(id)), "and it alone answers");
    }
    page.does(json!({"command": "set_away", "away": false})).await?;
    scene.agent.says(&question(12, "ls")).await?;
    opened(&page).await?;
    scene.home.gate().as_ref().map(Process::kill).context("a gate runs")??;
    drop(gate);
    assert_eq!(scene.client.line().await?, format!("{}\n", question(12, "ls")), "a gate that ends allows nothing");
    scene.agent.says(&question(13, "ls")).await?;
    assert_eq!(scene.client.line().await?, format!("{}\n", question(13, "ls")));
    assert!(scene.home.gate().is_none(), "and none is started");
    Ok(())
}

#[tokio::test]
async fn what_no_two_options_answer_is_the_clients() -> Result<()> {
    let (mut scene, _gate, page) = with_a_gate().await?;
    for odd in [
        question(10, "ls").replace("allow_once", "allow_always"),
        question(10, "ls").replace("\"execute\"", "\"switch_mode\""),
        question(10, "ls").replace("\"id\":10", "\"id\":10,\"id\":11"),
    ] {
        scene.agent.says(&odd).await?;
        assert_eq!(scene.client.line().await?, format!("{odd}\n"));
    }
    nothing_waits(&page, "that nobody was asked here").await
}

#[tokio::test]
async fn a_question_ends_with_the_client_and_with_the_agent() -> Result<()> {
    let (mut scene, _gate, page) = with_a_gate().await?;
    scene.agent.says(&question(10, "ls")).await?;
    opened(&page).await?;
    scene.client.closes();
    nothing_waits(&page, "that nobody is asked for a client that is gone").await?;

    let mut scene = Scene::new(scene.home.clone()).await?;
    scene.agent.says(&question(10, "ls")).await?;
    opened(&page).await?;
    scene.agent.says = None;
    nothing_waits(&page, "that nobody is asked for an agent that is gone").await?;
    let ended = timeout(LIMIT, scene.client.agent.wait()).await.context("it ends with its agent")??;
    assert_eq!(ended.code(), Some(0), "and as that has ended");
    Ok(())
}

#[tokio::test]
async fn not_a_byte_is_changed_on_the_way() -> Result<()> {
    let home = Home::new()?;
    let mut command = home.command(["permit", "acp", "--", "cat"])?;
    let mut client = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let mut bytes = b"{\"jsonrpc\" : \"2.0\", \"method\":\"session/\\u0070rompt\"}\r\n\n\0\xff\xfe\n".to_vec();
    // Longer than any line that is looked into.
    bytes.extend(std::iter::repeat_n(b'x', 20 * 1024 * 1024));
    bytes.extend(question(1, "ls").bytes());
    bytes.extend(b"\n{\"no\":\"end of line\"}");
    let (stdin, stdout) = (client.stdin.take(), client.stdout.take());
    let (mut stdin, mut stdout) = (stdin.context("it listens")?, stdout.context("it speaks")?);
    let said = bytes.clone();
    let says = tokio::spawn(async move { stdin.write_all(&said).await });
    let mut heard = Vec::new();
    timeout(LIMIT, stdout.read_to_end(&mut heard)).await.context("it comes to an end")??;
    says.await??;
    assert!(heard == bytes, "{} bytes went in, {} came out", bytes.len(), heard.len());
    Ok(())
}

#[tokio::test]
async fn ctrl_c_at_the_terminal_is_heard_by_the_agent_once() -> Result<()> {
    let home = Home::new()?;
    let agent = home.folder().join("agent.sh");
    // `wait` is what a signal is heard in at once; what a shell starts beside itself hears none of this one.
    std::fs::write(
        &agent,
        "exec 3<&0; cat <&3 >/dev/null & reader=$!; trap 'echo heard' INT; echo ready\n\
         while kill -0 $reader 2>/dev/null; do wait $reader; done; echo over\n",
    )?;
    let line = format!("exec {} permit acp -- sh {}", home.command_line()?.display(), agent.display());
    let mut terminal = Terminal::start(&home, &line)?;
    terminal.shows("ready").await?;
    terminal.types("\u{3}").await?;
    terminal.shows("heard").await?;
    terminal.types("\u{4}").await?;
    let (code, shown) = terminal.ended().await?;
    assert_eq!((code, shown.matches("heard").count()), (Some(0), 1), "many agents end at the second one: {shown}");
    Ok(())
}

#[tokio::test]
async fn it_ends_as_its_agent_does() -> Result<()> {
    let home = Home::new()?;
    for (agent, code) in [
        (&["sh", "-c", "exit 7"][..], 7),
        (&["sh", "-c", "kill -TERM $$"], 128 + 15),
        (&["nothing-of-that-name"], 4),
        (&[], 2),
    ] {
        let ran = home.run(["permit", "acp", "--"].into_iter().chain(agent.iter().copied())).await?;
        assert_eq!(ran.code, Some(code), "{agent:?}: {ran:?}");
        assert_eq!(ran.stderr.is_empty(), code > 4, "what can't be started is said: {ran:?}");
    }
    Ok(())
}
