//! Connecting every client on Windows: in the files that it has there, with the program as people there call it.

use std::fs;
use std::path::PathBuf;
use std::process::Stdio;

use anyhow::{Context as _, Result};
use gate_tests::{Agent, LIMIT};
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;
use tokio::process::Command;

use super::windows;
use crate::clients_install::files_in;

const PROGRAM: &str = r"C:\Program Files\Review Gate\review-gate.exe";

/// A client: its name, its file in the user's own folder, and what stands in it before. In the ways of an editor there.
const CLIENTS: [(&str, &str, &str); 13] = [
    ("cursor", ".cursor/mcp.json", "{\r\n  // mine\r\n  \"mcpServers\": {}\r\n}\r\n"),
    ("claude-code", ".claude.json", "{\r\n  \"numStartups\": 3\r\n}"),
    ("claude-desktop", "AppData/Roaming/Claude/claude_desktop_config.json", "{}"),
    ("vscode", "AppData/Roaming/Code/User/mcp.json", "{\r\n\t\"servers\": {}\r\n}"),
    ("codex", ".codex/config.toml", "# mine\r\nmodel = \"x\"\r\n"),
    ("windsurf", ".codeium/windsurf/mcp_config.json", "{ \"mcpServers\": {} }\r\n"),
    ("continue", ".continue/config.yaml", "name: mine\r\n"),
    ("cline", ".cline/data/settings/cline_mcp_settings.json", "{\r\n  \"mcpServers\": {\r\n  }\r\n}\r\n"),
    ("zed", "AppData/Roaming/Zed/settings.json", "// mine\r\n{\r\n  \"theme\": \"x\",\r\n}\r\n"),
    ("gemini", ".gemini/settings.json", "\u{feff}{\r\n}\r\n"),
    ("jetbrains", ".junie/mcp/mcp.json", "{\"mcpServers\":{}}"),
    ("goose", "AppData/Roaming/Block/goose/config/config.yaml", "# mine\r\nextensions:\r\n"),
    ("opencode", ".config/opencode/opencode.json", "{\r\n  \"theme\": \"x\"\r\n}\r\n"),
];

/// Whether a text of any of the formats names the program.
fn names_program(text: &str) -> bool {
    let written = PROGRAM.replace('\\', r"\\");
    text.contains(PROGRAM) || text.contains(&written)
}

#[tokio::test]
async fn every_client_is_connected_there_and_disconnected_to_the_byte() -> Result<()> {
    let home = windows()?;
    let user = home.user_there()?;
    for (_, file, text) in CLIENTS {
        let file = user.join(file);
        fs::create_dir_all(file.parent().context("a file has a folder")?)?;
        fs::write(file, text)?;
    }
    let before = files_in(&user)?;
    let list = home.run(["install", "--json"]).await?.json()?;
    let all = list.as_array().context("a list")?;
    assert_eq!(all.len(), CLIENTS.len(), "every client is tried here: {list}");
    for client in all {
        assert_eq!((&client["found"], &client["connected"]), (&json!(true), &json!(false)), "{client}");
    }

    let dry = home.run(["install", "--all", "--rules", "--dry-run"]).await?.succeeded()?.stdout;
    assert!(dry.contains(r"+++ ~\.cursor\mcp.json"), "{dry}");
    let said = home.run(["install", "--all", "--rules", "--no-allow"]).await?.succeeded()?.stdout;
    let after = files_in(&user)?;
    let new = |(file, bytes): &&(PathBuf, Vec<u8>)| !before.contains(&(file.clone(), bytes.clone()));
    for (client, file, text) in CLIENTS {
        // Continue reads each file of a folder, and is given one of its own.
        let file = user.join(if client == "continue" { ".continue/mcpServers/review-gate.yaml" } else { file });
        let (_, bytes) = after.iter().find(|(path, _)| *path == file).with_context(|| format!("{client}: {said}"))?;
        let written = String::from_utf8(bytes.clone())?;
        assert!(names_program(&written), "{client} starts the program: {written}");
        assert!(!written.contains(r"\\?\") && !written.contains(r"\\\\?\\"), "{client}: {written}");
        let lines = |text: &str| text.matches("\r\n").count() == text.matches('\n').count();
        assert!(
            client == "continue" || !text.contains('\n') || lines(&written),
            "{client}'s lines end as they did: {written:?}"
        );
    }
    assert!(after.iter().filter(new).count() > CLIENTS.len(), "and rules beside them: {said}");

    let entry: Value = serde_json::from_str(&fs::read_to_string(user.join(".claude.json"))?)?;
    let entry = &entry["mcpServers"]["review-gate"];
    assert_eq!((&entry["command"], &entry["args"]), (&json!(PROGRAM), &json!(["mcp"])), "{entry}");
    let mut starts = Command::new(home.command_line()?);
    home.dress(&mut starts);
    starts.arg("mcp");
    let agent = Agent::from_command(&home, starts)?;
    agent.initialize("claude-code").await?;
    agent.close().await?;

    let gone = home.run(["uninstall", "--all"]).await?.succeeded()?.stdout;
    for ((file, bytes), (path, now)) in before.iter().zip(&files_in(&user)?) {
        assert_eq!((file, String::from_utf8_lossy(bytes)), (path, String::from_utf8_lossy(now)), "to the byte: {gone}");
    }
    assert_eq!(files_in(&user)?.len(), before.len(), "and nothing is left over: {gone}");
    Ok(())
}

#[tokio::test]
async fn a_permission_question_is_never_allowed_by_itself() -> Result<()> {
    let home = windows()?;
    let user = home.user_there()?;
    fs::create_dir_all(user.join(".claude"))?;
    home.run(["install", "claude-code", "--permissions", "--no-allow"]).await?.succeeded()?;
    let settings = fs::read_to_string(user.join(".claude/settings.json"))?;
    assert!(settings.contains("permit"), "the hook is there: {settings}");
    let _gate = home.serve().await?;
    let question = json!({
        "session_id": "s", "cwd": r"C:\work", "hook_event_name": "PermissionRequest", "tool_name": "Bash",
        "tool_input": {"command": r"dir C:\work", "description": "Lists it"},
    });
    let mut hook = home.command(["permit", "claude-code"])?;
    hook.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut hook = hook.spawn()?;
    let mut stdin = hook.stdin.take().context("it reads")?;
    stdin.write_all(question.to_string().as_bytes()).await?;
    drop(stdin);
    let ended = tokio::time::timeout(LIMIT, hook.wait_with_output()).await.context("the hook doesn't end")??;
    let said = (String::from_utf8_lossy(&ended.stdout), ended.status.code());
    assert_eq!(said, ("".into(), Some(0)), "nobody could see the question here: the agent asks in its own terminal");
    assert_eq!(home.pending().await?, Vec::<Value>::new(), "and nothing waits");
    Ok(())
}
