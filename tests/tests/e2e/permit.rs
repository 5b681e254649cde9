//! `review-gate permit`, as agents' hooks start it: what it is told on its standard input, and what it prints. The agents
//! themselves are in `real_agents_permissions.rs`.

use std::os::unix::fs::PermissionsExt as _;
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use gate_tests::{Home, LIMIT, Process, Ran, SignedPage, eventually};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;
use tokio::process::{Child, Command};

/// A hook that was started, and has been told all.
struct Hook(Child);

impl Hook {
    async fn start(home: &Home, client: &str, question: &str) -> Result<Self> {
        Self::told(home.command(["permit", client])?, question).await
    }

    async fn told(mut command: Command, question: &str) -> Result<Self> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().context("no hook")?;
        let mut stdin = child.stdin.take().context("it has a standard input")?;
        stdin.write_all(question.as_bytes()).await?;
        Ok(Self(child))
    }

    async fn ended(self) -> Result<Ran> {
        let output = tokio::time::timeout(LIMIT, self.0.wait_with_output()).await.context("the hook doesn't end")??;
        Ok(Ran {
            stdout: String::from_utf8(output.stdout)?,
            stderr: String::from_utf8(output.stderr)?,
            code: output.status.code(),
        })
    }

    fn process(&self) -> Result<Pid> {
        self.0.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?)).context("it has ended")
    }
}

/// What Claude Code's hook says of a command.
fn command(home: &Home, command: &str) -> String {
    json!({
        "session_id": "9d779a8c", "cwd": home.workspace(), "prompt_id": "8da191d7", "permission_mode": "default",
        "hook_event_name": "PermissionRequest", "tool_name": "Bash",
        "tool_input": {"command": command, "description": "t"},
        "permission_suggestions": [{"type": "addRules", "rules": [{"toolName": "Bash", "ruleContent": "npm test *"}],
            "behavior": "allow", "destination": "localSettings"}],
    })
    .to_string()
}

/// What waits at the gate, as the page sees it.
async fn asked(page: &SignedPage) -> Result<Value> {
    let look = || async {
        let waiting = page.does(json!({"command": "requests"})).await?;
        Ok(waiting["requests"].as_array().and_then(|all| all.first()).cloned())
    };
    eventually("a permission question at the gate", LIMIT, look).await
}

async fn answer(page: &SignedPage, request: &Value, answer: Value) -> Result<()> {
    let id = &request["request_id"];
    let opened = page.does(json!({"command": "open_request", "request_id": id})).await?;
    let digest = &opened["request"]["digest"];
    page.does(json!({"command": "answer_permission", "request_id": id, "digest": digest, "answer": answer}))
        .await
        .map(drop)
}

async fn nothing_waits(page: &SignedPage, why: &str) -> Result<()> {
    let look = || async {
        let waiting = page.does(json!({"command": "requests"})).await?;
        Ok(waiting["requests"].as_array().is_some_and(Vec::is_empty).then_some(()))
    };
    eventually(why, LIMIT, look).await
}

/// What an agent reads as "ask at your own prompt".
fn asks_there(ran: &Ran) {
    assert_eq!((ran.stdout.as_str(), ran.code), ("", Some(0)), "the agent asks at its own prompt: {ran:?}");
}

#[tokio::test]
async fn each_agent_is_told_in_its_own_form_what_the_person_says() -> Result<()> {
    let home = Home::new()?;
    let _gate = home.serve().await?;
    let page = SignedPage::sign_in(&home).await?;
    let claude = command(&home, "npm test");
    let codex = json!({
        "session_id": "01a2", "turn_id": "01a3", "cwd": home.workspace(), "hook_event_name": "PermissionRequest",
        "tool_name": "Bash", "tool_input": {"command": "npm test", "description": "May I?"},
    })
    .to_string();
    let opencode = json!({
        "type": "permission.asked", "cwd": home.workspace(), "properties": {
            "id": "per_1", "sessionID": "ses_1", "permission": "bash", "patterns": ["npm test"],
            "metadata": {"command": "npm test"}, "always": ["npm test *"],
            "tool": {"messageID": "msg_1", "callID": "call_0"},
        },
    })
    .to_string();
    let decision =
        |decision| json!({"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": decision}});
    let deny = json!({"answer": "deny", "reason": "Use make."});
    for (client, question, given, printed) in [
        ("claude-code", &claude, json!({"answer": "once"}), decision(json!({"behavior": "allow"}))),
        ("claude-code", &claude, deny.clone(), decision(json!({"behavior": "deny", "message": "Use make."}))),
        (
            "claude-code",
            &claude,
            json!({"answer": "edited", "text": "npm run lint"}),
            decision(json!({"behavior": "allow", "updatedInput": {"command": "npm run lint", "description": "t"}})),
        ),
        ("codex", &codex, json!({"answer": "once"}), decision(json!({"behavior": "allow"}))),
        ("codex", &codex, deny.clone(), decision(json!({"behavior": "deny", "message": "Use make."}))),
        ("opencode", &opencode, json!({"answer": "once"}), json!({"reply": "once"})),
        ("opencode", &opencode, deny, json!({"reply": "reject", "message": "Use make."})),
    ] {
        let hook = Hook::start(&home, client, question).await?;
        let request = asked(&page).await?;
        answer(&page, &request, given.clone()).await?;
        let ran = hook.ended().await?;
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{client}");
        let said: Value = serde_json::from_str(&ran.stdout).with_context(|| format!("{client} read {ran:?}"))?;
        assert_eq!(said, printed, "{client} was told of {given}");
    }
    Ok(())
}

#[tokio::test]
async fn without_a_gate_the_agent_asks_itself_and_none_is_started() -> Result<()> {
    let home = Home::new()?;
    for client in ["claude-code", "codex", "opencode"] {
        let begin = Instant::now();
        asks_there(&Hook::start(&home, client, &command(&home, "ls")).await?.ended().await?);
        assert!(begin.elapsed() < Duration::from_secs(5), "its own prompt isn't held up");
    }
    assert!(home.gate().is_none(), "a hook starts no gate: nobody would be there to answer");
    Ok(())
}

#[tokio::test]
async fn what_is_no_question_is_left_to_the_agent_and_reaches_nobody() -> Result<()> {
    let home = Home::new()?;
    let _gate = home.serve().await?;
    let page = SignedPage::sign_in(&home).await?;
    let good = command(&home, "ls");
    let own = good.replace("\"Bash\"", "\"mcp__review-gate__review_gate_chat\"");
    let cut_off = &good[..good.len() / 2];
    for (client, text) in [
        ("claude-code", ""),
        ("claude-code", "\0\u{1b}[2J"),
        ("claude-code", cut_off),
        ("claude-code", own.as_str()),
        ("codex", own.as_str()),
        ("opencode", good.as_str()),
        ("gemini", good.as_str()),
        ("nobody", good.as_str()),
    ] {
        asks_there(&Hook::start(&home, client, text).await?.ended().await?);
    }
    nothing_waits(&page, "that nothing waits").await
}

#[tokio::test]
async fn a_hook_that_ends_takes_its_question_back() -> Result<()> {
    let home = Home::new()?;
    let _gate = home.serve().await?;
    let page = SignedPage::sign_in(&home).await?;
    // As Claude Code does where its own dialog was answered, as Codex does on Esc, and as where the agent is gone.
    for how in ["SIGTERM", "SIGKILL", "nobody reads"] {
        let mut hook = Hook::start(&home, "claude-code", &command(&home, how)).await?;
        asked(&page).await?;
        let process = hook.process()?;
        let begin = Instant::now();
        match how {
            "SIGTERM" => kill_process(process, Signal::TERM)?,
            "SIGKILL" => kill_process(process, Signal::KILL)?,
            _ => drop((hook.0.stdout.take(), hook.0.stderr.take())),
        }
        let ended = tokio::time::timeout(LIMIT, hook.0.wait()).await.context("it doesn't end")??;
        assert!(begin.elapsed() < Duration::from_secs(2), "{how}: at once, not when its time is over");
        assert!(ended.code().is_none_or(|code| code == 0), "{how}: {ended}");
        nothing_waits(&page, "that the gate takes it for withdrawn").await?;
    }
    Ok(())
}

#[tokio::test]
async fn a_gate_that_ends_leaves_the_question_to_the_agent() -> Result<()> {
    let home = Home::new()?;
    let gate = home.serve().await?;
    let page = SignedPage::sign_in(&home).await?;
    let hook = Hook::start(&home, "claude-code", &command(&home, "ls")).await?;
    asked(&page).await?;
    home.gate().as_ref().map(Process::kill).context("a gate runs")??;
    asks_there(&hook.ended().await?);
    drop(gate);
    Ok(())
}

#[tokio::test]
async fn a_command_of_a_megabyte_is_asked_whole() -> Result<()> {
    let home = Home::new()?;
    let _gate = home.serve().await?;
    let page = SignedPage::sign_in(&home).await?;
    let long = format!("cat > a <<'EOF'\n{}\nEOF", "x\u{202e}\u{0}\u{1b}".repeat(200_000));
    let hook = Hook::start(&home, "claude-code", &command(&home, &long)).await?;
    let request = asked(&page).await?;
    let opened = page.does(json!({"command": "open_request", "request_id": request["request_id"]})).await?;
    let input = opened["request"]["permission"]["input"].as_str().context("it has its input")?;
    let input: Value = serde_json::from_str(input)?;
    assert!(input["command"] == long.as_str(), "not a byte is missing of {} bytes", long.len());
    answer(&page, &request, json!({"answer": "deny", "reason": ""})).await?;
    let ran = hook.ended().await?;
    assert!(ran.stdout.contains("\"deny\""), "{ran:?}");
    Ok(())
}

#[tokio::test]
async fn the_programs_of_a_command_are_those_on_the_agents_path() -> Result<()> {
    let home = Home::new()?;
    let _gate = home.serve().await?;
    let page = SignedPage::sign_in(&home).await?;
    let (bin, work) = (home.folder().join("bin"), home.workspace());
    std::fs::create_dir_all(&bin)?;
    std::fs::create_dir_all(&work)?;
    for program in [bin.join("make"), work.join("run")] {
        std::fs::write(&program, "#!/bin/sh\n")?;
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755))?;
    }
    std::os::unix::fs::symlink(work.join("run"), bin.join("evil"))?;
    let mut asks = home.command(["permit", "claude-code"])?;
    asks.env("PATH", &bin);
    let hook = Hook::told(asks, &command(&home, "make all 2>&1 && ./run | evil; gone; cd x")).await?;
    let request = asked(&page).await?;
    let opened = page.does(json!({"command": "open_request", "request_id": request["request_id"]})).await?;
    assert_eq!(
        opened["request"]["permission"]["programs"],
        json!([
            {"name": "make", "path": bin.join("make")},
            {"name": "./run", "path": work.join("./run"), "inside": true},
            {"name": "evil", "path": bin.join("evil"), "leads_to": work.join("run"), "inside": true},
            {"name": "gone"},
        ]),
        "each where it lies, and what the agent may have written"
    );
    answer(&page, &request, json!({"answer": "deny", "reason": ""})).await?;
    hook.ended().await.map(drop)
}
