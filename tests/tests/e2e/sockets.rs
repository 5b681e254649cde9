//! The two sockets: one takes MCP from relays and no command of the person, the other commands and no MCP.

use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt as _;

use anyhow::{Context as _, Result};
use gate_tests::{Agent, Home, LIMIT, SignedPage, Spawning};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::UnixStream;

/// What comes back on a socket of this name after these lines; nothing where it is closed.
async fn said(home: &Home, socket: &str, lines: &[Value]) -> Result<Vec<Value>> {
    let stream = UnixStream::connect(home.path().join(socket)).await.context("the gate listens")?;
    let (read, mut write) = stream.into_split();
    let lines: String = lines.iter().map(|line| format!("{line}\n")).collect();
    // In one piece: what is closed with a line that wasn't read is broken off, where it is else at its end.
    write.write_all(lines.as_bytes()).await?;
    let (mut read, mut said) = (BufReader::new(read).lines(), Vec::new());
    loop {
        match tokio::time::timeout(LIMIT, read.next_line()).await.context("it says something")? {
            Ok(Some(line)) => said.push(serde_json::from_str(&line)?),
            Ok(None) => return Ok(said),
            Err(error) if error.kind() == ErrorKind::ConnectionReset => return Ok(said),
            Err(error) => return Err(error.into()),
        }
    }
}

#[tokio::test]
async fn a_relays_socket_takes_no_command_and_the_persons_no_mcp() -> Result<()> {
    let home = Home::new()?;
    let _gate = home.serve().await?;
    let person = SignedPage::sign_in(&home).await?;
    let agent = Agent::start(&home, "claude-code").await?;
    let call = agent.call(json!({"message": "m", "title": "Mine", "approval": true})).await?;
    let id = home.waiting("Mine").await?;

    let pid = std::process::id();
    let control = json!({"review_gate": 1, "role": "control", "terminal": true, "pid": pid, "version": "0"});
    for command in [json!({"id": 1, "command": "snapshot"}), json!({"id": 1, "command": "stop"})] {
        let said = said(&home, "mcp.sock", &[control.clone(), command]).await?;
        assert_eq!(said.len(), 1, "one answer, and the connection ends: {said:?}");
        assert_eq!((&said[0]["id"], &said[0]["fault"]["code"]), (&json!(0), &json!("protocol")), "{said:?}");
        assert!(said[0]["fault"]["mend"].as_str().is_some_and(|mend| mend.contains("same version")), "{said:?}");
    }
    let relay = json!({
        "review_gate": 1, "role": "relay", "relay_id": "0190a6e4-7a10-7000-8000-000000000001", "toolset": "gate",
        "workspace": "/", "pid": pid, "version": "0",
    });
    let ping = json!({"jsonrpc": "2.0", "id": 7, "method": "ping"});
    let said = said(&home, "control/control.sock", &[relay, ping]).await?;
    assert_eq!(said.len(), 1, "one answer, and the connection ends: {said:?}");
    assert_eq!((&said[0]["jsonrpc"], &said[0]["id"]), (&json!("2.0"), &Value::Null), "as JSON-RPC says it: {said:?}");
    assert_eq!(said[0]["error"]["data"]["code"], "protocol", "{said:?}");

    let folder = std::fs::metadata(home.path().join("control"))?;
    assert_eq!(folder.permissions().mode() & 0o777, 0o700, "nobody else enters it");
    person.approves(&id, "").await?;
    assert_eq!(agent.outcome(call).await?["decision"], "approved", "each does its own");
    home.run(["stop"]).await?.succeeded()?;
    for socket in ["mcp.sock", "control/control.sock"] {
        assert!(!home.path().join(socket).exists(), "{socket} goes with its gate");
    }
    Ok(())
}

#[tokio::test]
async fn a_request_says_which_program_asks_beside_what_its_client_calls_itself() -> Result<()> {
    let home = Home::new()?;
    let _gate = home.serve().await?;
    let person = SignedPage::sign_in(&home).await?;
    let agent = Agent::start(&home, "claude-code").await?;
    agent.call(json!({"message": "m", "title": "Mine"})).await?;
    let id = home.waiting("Mine").await?;
    let opened = person.does(json!({"command": "open_request", "request_id": id})).await?;
    assert_eq!(opened["request"]["summary"]["client"], "Claude Code", "its own word");
    let own = format!("{} · {}", std::env::current_exe()?.display(), std::env::current_dir()?.display());
    assert_eq!(opened["request"]["asked_by"], own, "the kernel's: this test is what started the relay");
    Ok(())
}

#[tokio::test]
async fn what_an_agents_configuration_gives_its_relay_weakens_no_guard() -> Result<()> {
    let home = Home::new()?;
    // The person has once confirmed that scripts may answer, and doesn't say so any more.
    std::fs::write(home.path().join("guards.json"), json!({"security.scripted_answers": true}).to_string())?;
    let env = vec![("REVIEW_GATE__SECURITY__SCRIPTED_ANSWERS".to_owned(), "true".to_owned())];
    let agent = Agent::spawn_with(&home, Spawning { env, ..Spawning::default() })?;
    agent.initialize("claude-code").await?;
    agent.call(json!({"message": "m", "title": "Mine", "approval": true})).await?;
    let id = home.waiting("Mine").await?;
    let refused = home.run(["answer", &id, "--approve"]).await?;
    assert_eq!(refused.code, Some(4), "the gate that the relay has started takes no script's answer: {refused:?}");
    assert!(refused.stderr.contains("[scripted_answers_off]"), "{refused:?}");
    Ok(())
}
