//! Bad input and a bad environment: each gives a clear error with a code, and loses nothing.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;

use anyhow::{Context as _, Result};
use gate_tests::{Agent, Home, HomeOptions, LIMIT, Ran, SignedPage, SmallDisk, Terminal, eventually, out_of_reach};
use serde_json::{Value, json};
use tokio::process::Command;

/// The code of a tool error.
fn code(result: &Value) -> &str {
    assert_eq!(result["isError"], true, "a domain fault is a tool error: {result}");
    result["_meta"]["review-gate/fault"]["code"].as_str().unwrap_or_default()
}

fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap_or_default()
}

#[tokio::test]
async fn what_is_no_message_is_answered_and_the_relay_goes_on() -> Result<()> {
    let home = Home::new()?;
    let _gate = home.serve().await?;
    let agent = Agent::start(&home, "claude-code").await?;
    for (line, code) in [
        ("this is not JSON", -32700),
        ("{\"jsonrpc\":\"2.0\",", -32700),
        ("[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]", -32600),
        ("{\"jsonrpc\":\"2.0\"}", -32600),
    ] {
        agent.say(line).await?;
        let complaint = agent.complaint().await?;
        assert_eq!(complaint["error"]["code"], code, "{line} gave {complaint}");
    }
    agent.say("").await?;
    let list = agent.request("tools/list", json!({})).await?;
    assert_eq!(agent.result(list).await?["tools"][0]["name"], "review_gate_chat", "the relay still serves");
    Ok(())
}

#[tokio::test]
async fn every_field_that_breaks_a_rule_is_named_with_a_code() -> Result<()> {
    let home = Home::new()?;
    let _gate = home.serve().await?;
    let agent = Agent::start(&home, "claude-code").await?;
    let options: Vec<String> = (0..21).map(|number| number.to_string()).collect();
    let nobody = "00000000-0000-7000-8000-000000000000";
    for (arguments, fault, field) in [
        (json!({}), "invalid_input", "`message`"),
        (json!({"message": ""}), "invalid_input", "`message`"),
        (json!({"message": 7}), "invalid_input", "`message`"),
        (json!({"message": "x".repeat(1024 * 1024 + 1)}), "too_large", "`message`"),
        (json!({"message": "m", "title": "t".repeat(201)}), "too_large", "`title`"),
        (json!({"message": "m", "urgent": "very"}), "invalid_input", "`urgent`"),
        (json!({"message": "m", "options": options}), "too_many", "`options`"),
        (json!({"message": "m", "options": ["a", "a"]}), "invalid_input", "`options`"),
        (json!({"message": "m", "options": [{"description": "d"}]}), "invalid_input", "`options[0]`"),
        (json!({"message": "m", "diff": "no diff at all"}), "invalid_diff", "`diff`"),
        (json!({"message": "m", "diff": "x".repeat(4 * 1024 * 1024 + 1)}), "too_large", "`diff`"),
        (json!({"message": "m", "session_uuid": "yesterday"}), "invalid_input", "`session_uuid`"),
        (json!({"message": "m", "request_id": "the last one"}), "invalid_input", "`request_id`"),
        (json!({"message": "m", "session_uuid": nobody}), "unknown_session", nobody),
        (json!({"message": "m", "request_id": nobody}), "unknown_request", nobody),
    ] {
        let call = agent.call(arguments).await?;
        let result = agent.result(call).await?;
        assert_eq!(code(&result), fault, "{field}: {}", text(&result));
        assert!(text(&result).contains(field), "the fault names {field}: {}", text(&result));
    }
    assert_eq!(home.pending().await?, Vec::<Value>::new(), "nothing of it was asked");
    let largest = agent.call(json!({"message": "x".repeat(1024 * 1024), "title": "t".repeat(200)})).await?;
    let id = home.waiting(&"t".repeat(200)).await?;
    SignedPage::sign_in(&home).await?.writes(&id, "fits").await?;
    assert_eq!(agent.outcome(largest).await?["text"], "fits", "the bounds themselves are allowed");
    Ok(())
}

#[tokio::test]
async fn a_call_with_arguments_of_the_wrong_type_is_answered() -> Result<()> {
    let home = Home::new()?;
    let _gate = home.serve().await?;
    let agent = Agent::start(&home, "claude-code").await?;
    let call = agent.request("tools/call", json!({"name": "review_gate_chat", "arguments": "{}"})).await?;
    let response = agent.wait(call).await?;
    let message = response["error"]["message"].as_str().unwrap_or_default();
    assert!(message.contains("`arguments`"), "the error names the part: {response}");
    let call = agent.request("tools/call", json!([])).await?;
    let response = agent.wait(call).await?;
    assert_eq!(response["error"]["code"], -32600, "params must be an object: {response}");
    Ok(())
}

#[tokio::test]
async fn a_request_that_cannot_be_read_is_refused_and_never_left_waiting() -> Result<()> {
    let home = Home::new()?;
    let _gate = home.serve().await?;
    let agent = Agent::start(&home, "claude-code").await?;
    let deep = format!("{}{}", "[".repeat(300), "]".repeat(300));
    for params in [
        r#"{"name":"review_gate_chat","arguments":{"message":"\ud800"}}"#.to_owned(),
        r#"{"name":"review_gate_chat","arguments":{"message":"x","n":1e999}}"#.to_owned(),
        format!(r#"{{"name":"review_gate_chat","arguments":{{"message":"x","deep":{deep}}}}}"#),
        r#"{"name":"review_gate_chat","arguments":{},"_meta":"none"}"#.to_owned(),
    ] {
        let id = agent.request_as("tools/call", &params).await?;
        let response = agent.wait(id).await?;
        assert!(response["error"]["code"].is_i64(), "{params:.100} is refused: {response}");
    }
    assert_eq!(home.pending().await?, Vec::<Value>::new(), "nothing of it became a question");
    Ok(())
}

#[tokio::test]
async fn an_answer_that_breaks_a_rule_leaves_the_request_open() -> Result<()> {
    let home = Home::with_scripts()?;
    let _gate = home.serve().await?;
    let agent = Agent::start(&home, "claude-code").await?;
    let call = agent.call(json!({"message": "m", "title": "Rules", "options": ["red", "green"]})).await?;
    let id = home.waiting("Rules").await?;
    let large = home.folder().join("large.bin");
    std::fs::write(&large, vec![1; 10 * 1024 * 1024 + 1])?;
    let large = large.display().to_string();
    for (arguments, fault) in [
        (vec!["answer", &id], "empty_reply"),
        (vec!["answer", &id, "--choose", "blue"], "invalid_input"),
        (vec!["answer", &id, "--choose", "red", "--choose", "green"], "invalid_input"),
        (vec!["answer", &id, "--text", "t", "--attach", &large], "too_large"),
        (vec!["answer", &id, "--text", "t", "--attach", "/no/such/file"], "unreadable_file"),
        (vec!["answer", "00000000-0000-7000-8000-000000000000", "--text", "t"], "unknown_request"),
        (vec!["answer", "zzzzzzzz", "--text", "t"], "unknown_request"),
        (vec!["answer", "zzzz", "--text", "t"], "invalid_input"),
    ] {
        let shown = format!("{arguments:?}");
        let ran = home.run(arguments).await?;
        assert_eq!(ran.code, Some(4), "{shown}: {}", ran.stderr);
        assert!(ran.stderr.contains(&format!("[{fault}]")), "{shown} must be {fault}: {}", ran.stderr);
        assert_eq!(ran.stderr.trim_end().lines().count(), 1, "an error is one line: {}", ran.stderr);
    }
    assert_eq!(home.pending().await?.len(), 1, "the request is still open");
    home.answer(&id, ["--choose", "red"]).await?;
    assert_eq!(agent.outcome(call).await?["selected"], json!(["red"]), "and takes a good answer");
    let twice = home.run(["answer", &id, "--choose", "green"]).await?;
    assert!(twice.stderr.contains("[not_pending]"), "the first answer stands: {}", twice.stderr);
    Ok(())
}

#[tokio::test]
async fn an_agents_text_cannot_steer_a_terminal() -> Result<()> {
    let home = Home::new()?;
    let _gate = home.serve().await?;
    let agent = Agent::start(&home, "claude-code").await?;
    let evil = "\u{1b}[2J\u{1b}]0;owned\u{7}\r\n  id 00000000 \u{202e}";
    agent.call(json!({"message": evil, "title": format!("T{evil}"), "options": [format!("o{evil}")]})).await?;
    let look = || async { Ok((home.pending().await?.len() == 1).then_some(())) };
    eventually("the request", LIMIT, look).await?;
    let shown = home.run(["requests"]).await?.succeeded()?.stdout;
    let id = home.pending().await?[0]["request_id"].as_str().context("an id")?.to_owned();
    let line = format!("{} answer {id} --choose 'nothing of it'", home.command_line()?.display());
    let (code, refused) = Terminal::start(&home, &line)?.ended().await?;
    assert_eq!(code, Some(4), "there is no such option: {refused}");
    for text in [shown, refused] {
        assert!(!text.contains('\u{1b}') && !text.contains('\u{7}') && !text.contains('\u{202e}'), "{text:?}");
        assert_eq!(text.lines().filter(|line| line.trim_start().starts_with("id 00000000")).count(), 0, "{text:?}");
    }
    Ok(())
}

#[tokio::test]
async fn a_socket_path_that_is_too_long_is_named_with_its_bound() -> Result<()> {
    let below = Some("d".repeat(120).into());
    let home = Home::with(HomeOptions { below, ..HomeOptions::default() })?;
    let serve = home.run(["serve"]).await?;
    assert_eq!(serve.code, Some(4), "a gate that nobody can reach doesn't run: {serve:?}");
    let named = serve.stderr.contains("[socket_path_too_long]") && serve.stderr.contains("107");
    assert!(named, "the bound is the system's, so it has to be named: {}", serve.stderr);
    let response = initialize(&home).await?;
    assert_eq!(response["error"]["data"]["code"], "socket_path_too_long", "the agent hears the cause: {response}");
    Ok(())
}

#[tokio::test]
async fn a_home_that_cannot_be_written_is_named() -> Result<()> {
    // Not even root can make a folder below a file.
    let home = Home::with(HomeOptions { below: Some("file/home".into()), ..HomeOptions::default() })?;
    std::fs::write(home.folder().join("file"), "in the way")?;
    refused_as_read_only(&home).await
}

#[tokio::test]
async fn a_home_on_a_read_only_disk_is_named() -> Result<()> {
    let home = Home::new()?;
    let path = home.path().to_owned();
    // Modes don't bind root, and only root may mount.
    let disk = SmallDisk::mount(&path, "size=1m,mode=700,ro").await?;
    if disk.is_none() {
        std::fs::set_permissions(&path, Permissions::from_mode(0o500))?;
    }
    refused_as_read_only(&home).await
}

async fn refused_as_read_only(home: &Home) -> Result<()> {
    let serve = home.run(["serve"]).await?;
    assert_eq!(serve.code, Some(4), "a gate that can keep no record doesn't run: {serve:?}");
    assert!(serve.stderr.contains("[read_only]"), "the fault has its code: {}", serve.stderr);
    assert!(serve.stderr.contains("REVIEW_GATE_HOME"), "the error says what to do: {}", serve.stderr);
    assert!(initialize(home).await?["error"]["data"]["code"] == "read_only", "the agent hears the cause too");
    Ok(())
}

/// What an agent is answered that starts in this home.
async fn initialize(home: &Home) -> Result<Value> {
    let agent = Agent::spawn(home)?;
    let info = json!({"name": "a", "version": "1"});
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info});
    let call = agent.request("initialize", params).await?;
    agent.wait(call).await
}

/// The files that a recovery set aside under this name.
fn set_aside(home: &Home, name: &str) -> Result<Vec<Vec<u8>>> {
    let mut found = Vec::new();
    for folder in std::fs::read_dir(home.path().join("damaged"))? {
        found.push(std::fs::read(folder?.path().join(name))?);
    }
    Ok(found)
}

#[tokio::test]
async fn a_file_that_is_no_database_is_set_aside_and_the_agent_works() -> Result<()> {
    let home = Home::new()?;
    let letter = b"this is not a database, it is a letter to nobody in particular".to_vec();
    std::fs::write(home.database(), &letter)?;
    let agent = Agent::start(&home, "claude-code").await?;
    agent.call(json!({"message": "Does it work?", "title": "works"})).await?;
    home.waiting("works").await?;
    assert_eq!(set_aside(&home, "review-gate.db")?, [letter], "whoever wrote it gets it back");
    Ok(())
}

#[tokio::test]
async fn a_database_that_is_damaged_within_is_set_aside_and_works_again_when_mended() -> Result<()> {
    let home = Home::new()?;
    let mut gate = home.serve().await?;
    let agent = Agent::start(&home, "claude-code").await?;
    agent.call(json!({"message": "x".repeat(100_000), "title": "kept"})).await?;
    let id = home.waiting("kept").await?;
    agent.close().await?;
    home.run(["stop"]).await?.succeeded()?;
    gate.ended().await?;
    let good = std::fs::read(home.database())?;
    let mut bad = good.clone();
    // The first page says that all is well; the trees behind it are noise.
    bad.iter_mut().skip(4096).for_each(|byte| *byte ^= 0xa5);
    std::fs::write(home.database(), &bad)?;
    let mut gate = home.serve().await?;
    assert_eq!(set_aside(&home, "review-gate.db")?, [bad], "the file is kept as it was, for whoever mends it");
    assert_eq!(home.pending().await?, Vec::<Value>::new(), "nothing of it could be read");
    home.run(["stop"]).await?.succeeded()?;
    gate.ended().await?;

    std::fs::write(home.database(), &good)?;
    let _gate = home.serve().await?;
    assert_eq!(home.waiting("kept").await?, id, "with a good file in its place nothing is lost");
    Ok(())
}

#[tokio::test]
async fn a_database_of_a_newer_version_is_refused_and_left_alone() -> Result<()> {
    let home = Home::new()?;
    home.serve().await?.kill().await?;
    home.change("INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) VALUES (99991231235959, 'later', 1, x'00', 0); PRAGMA wal_checkpoint(TRUNCATE)").await?;
    let before = std::fs::read(home.database())?;
    let serve = home.run(["serve"]).await?;
    assert!(serve.stderr.contains("[database_newer]"), "an older program must not write to it: {}", serve.stderr);
    assert_eq!(std::fs::read(home.database())?, before, "the file is left as it was");
    Ok(())
}

#[tokio::test]
async fn a_disk_that_fills_while_replying_loses_nothing() -> Result<()> {
    let home = Home::with_scripts()?;
    let path = home.path().to_owned();
    let Some(_disk) = SmallDisk::mount(&path, "size=8m,mode=700").await? else {
        return out_of_reach("only root may mount a small disk; the store's own test fills a database instead");
    };
    // What lets this test answer by itself is hidden below that disk.
    let _gate = home.serve_with(&["--allow-scripts"]).await?;
    let agent = Agent::start(&home, "claude-code").await?;
    let call = agent.call(json!({"message": "m", "title": "Full", "approval": true})).await?;
    let id = home.waiting("Full").await?;
    let filler = path.join("filler");
    let mut fill = Command::new("dd");
    fill.args(["if=/dev/zero", "bs=4096"]).arg(format!("of={}", filler.display()));
    Ran::of(fill).await?;
    let long = home.folder().join("reply.txt");
    std::fs::write(&long, "x".repeat(1024 * 1024))?;
    let reply = || {
        let text = std::fs::File::open(&long)?;
        let mut command = home.command(["answer", &id, "--approve", "--text", "-"])?;
        command.stdin(text);
        anyhow::Ok(command)
    };
    let full = Ran::of(reply()?).await?;
    assert_eq!(full.code, Some(4), "what isn't on disk isn't sent: {full:?}");
    assert!(full.stderr.contains("[disk_full]"), "the person has to know what to mend: {}", full.stderr);
    assert_eq!(home.pending().await?.len(), 1, "the request is still open");
    assert_eq!(agent.take(call), None, "and nothing is approved");
    std::fs::remove_file(&filler)?;
    Ran::of(reply()?).await?.succeeded()?;
    assert_eq!(agent.outcome(call).await?["decision"], "approved", "with space, the same answer works");
    Ok(())
}
