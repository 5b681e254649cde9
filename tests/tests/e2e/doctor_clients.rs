//! Doctor and the clients: each test breaks one thing about what a client's configuration names, and doctor
//! names that and nothing else.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use anyhow::{Context as _, Result, bail};
use gate_tests::{Clinic, Found, LIMIT, SignedPage, eventually, processes_with};
use serde_json::json;

/// A clinic with a running gate and Cursor connected as it should be.
async fn connected() -> Result<(Clinic, gate_tests::Serve, Vec<Found>)> {
    let clinic = Clinic::new()?;
    clinic.connect_cursor(&clinic.command(), &["mcp"], &[])?;
    let gate = clinic.home().serve().await?;
    let before = clinic.findings().await?;
    Ok((clinic, gate, before))
}

/// Which check, how bad, and with which command.
fn is(found: &Found, check: &str, level: &str, command: &str) {
    assert_eq!((found.check.as_str(), found.level.as_str()), (check, level), "{found}");
    assert!(found.command.contains(command), "one command mends it, with {command:?}: {found}");
    assert!(!found.cause.is_empty() && !found.mend.is_empty(), "it says what is wrong and what to do: {found}");
}

#[tokio::test]
async fn a_client_that_is_connected_is_tried_and_good() -> Result<()> {
    let (clinic, _gate, before) = connected().await?;
    for check in ["client.cursor", "trial.cursor"] {
        let good = before.iter().any(|found| found.check == check && found.level == "good");
        assert!(good, "{check} is looked at, and good: {before:#?}");
    }
    let asked = clinic.home().rows("SELECT count(*) AS n FROM conversations").await?;
    assert_eq!(asked, [json!({"n": 0})], "a trial needs no person and leaves nothing in the record");
    let relays = || async {
        let all = processes_with("REVIEW_GATE_HOME", clinic.home().path());
        let relays = all.iter().filter(|process| process.arguments().iter().any(|argument| argument == "mcp"));
        Ok((relays.count() == 0).then_some(()))
    };
    eventually("the end of what was started", LIMIT, relays).await
}

#[tokio::test]
async fn where_no_client_is_connected_that_is_named() -> Result<()> {
    let (clinic, _gate, before) = connected().await?;
    fs::remove_file(clinic.at(".cursor/mcp.json"))?;
    is(&clinic.only_wrong(&before).await?, "clients", "warning", "review-gate install");
    Ok(())
}

#[tokio::test]
async fn a_command_that_isnt_there_is_a_fault() -> Result<()> {
    let (clinic, _gate, before) = connected().await?;
    let gone = clinic.at("old/review-gate").display().to_string();
    clinic.connect_cursor(&gone, &["mcp"], &[])?;
    let found = clinic.only_wrong(&before).await?;
    is(&found, "client.cursor", "fault", "review-gate install cursor");
    assert!(found.cause.contains("~/old/review-gate"), "{found}");
    Ok(())
}

#[tokio::test]
async fn a_client_that_is_connected_in_one_folder_only_is_named_with_what_mends_it() -> Result<()> {
    let (clinic, _gate, before) = connected().await?;
    let folder = clinic.at("shop");
    fs::create_dir_all(&folder)?;
    let connect = |command: String| {
        let entry = json!({ "type": "stdio", "command": command, "args": ["mcp"], "env": {} });
        let of_folder = json!({ folder.display().to_string(): { "mcpServers": { "review-gate": entry } } });
        clinic.write(".claude.json", &json!({ "projects": of_folder }).to_string())
    };
    connect(clinic.command())?;
    assert_eq!(clinic.new_wrongs(&before).await?, [], "it works there");
    let all = clinic.findings().await?;
    let partly = all.iter().find(|found| found.cause.contains("only:")).context("it is said that it is there only")?;
    is(partly, "clients", "note", "review-gate install claude-code");
    assert!(partly.cause.contains("Claude Code is connected in ~/shop only"), "{partly}");

    connect(clinic.at("old/review-gate").display().to_string())?;
    let found = clinic.only_wrong(&before).await?;
    is(&found, "client.claude-code", "fault", "cd ~/shop && claude mcp remove --scope local review-gate; review-gate ");
    assert!(found.cause.contains("(~/shop) starts ~/old/review-gate"), "{found}");
    Ok(())
}

#[tokio::test]
async fn a_command_that_path_doesnt_have_is_a_fault() -> Result<()> {
    let (clinic, _gate, before) = connected().await?;
    clinic.connect_cursor("review-gate-of-yore", &["mcp"], &[])?;
    is(&clinic.only_wrong(&before).await?, "client.cursor", "fault", "review-gate install cursor");
    Ok(())
}

#[tokio::test]
async fn arguments_that_start_no_server_are_a_fault_and_are_not_tried() -> Result<()> {
    let (clinic, _gate, before) = connected().await?;
    clinic.connect_cursor(&clinic.command(), &["serve"], &[])?;
    is(&clinic.only_wrong(&before).await?, "client.cursor", "fault", "review-gate install cursor");
    Ok(())
}

#[tokio::test]
async fn a_command_that_may_not_be_started_is_a_fault() -> Result<()> {
    let (clinic, _gate, before) = connected().await?;
    let program = clinic.write("own/gate", "#!/bin/sh\n")?;
    fs::set_permissions(&program, Permissions::from_mode(0o644))?;
    clinic.connect_cursor(&program.display().to_string(), &["mcp"], &[])?;
    is(&clinic.only_wrong(&before).await?, "client.cursor", "fault", "chmod +x ~/own/gate");
    Ok(())
}

#[tokio::test]
async fn a_command_that_hangs_is_a_fault_and_ends_with_all_that_it_started() -> Result<()> {
    let (clinic, _gate, before) = connected().await?;
    let program = clinic.program("own/gate", "sleep 1000 & sleep 1000")?;
    clinic.connect_cursor(&program.display().to_string(), &[], &[])?;
    let found = clinic.only_wrong(&before).await?;
    is(&found, "trial.cursor", "fault", "review-gate install cursor");
    assert!(found.cause.contains("`initialize` within 10 s"), "what it was asked, and for how long: {found}");
    let sleepers = || async {
        let all = processes_with("REVIEW_GATE_HOME", clinic.home().path());
        let asleep = all.iter().filter(|process| process.arguments().iter().any(|argument| argument == "1000"));
        Ok((asleep.count() == 0).then_some(()))
    };
    eventually("the end of what the command started", LIMIT, sleepers).await
}

#[tokio::test]
async fn a_command_that_speaks_no_mcp_is_a_fault_with_its_words() -> Result<()> {
    let (clinic, _gate, before) = connected().await?;
    let program = clinic.program("own/gate", "echo 'Welcome to my shell'; cat >/dev/null")?;
    clinic.connect_cursor(&program.display().to_string(), &[], &[])?;
    let found = clinic.only_wrong(&before).await?;
    is(&found, "trial.cursor", "fault", "review-gate install cursor");
    assert!(found.cause.contains("Welcome to my shell"), "{found}");
    Ok(())
}

#[tokio::test]
async fn a_command_that_ends_with_a_message_is_a_fault_with_its_words() -> Result<()> {
    let (clinic, _gate, before) = connected().await?;
    let program = clinic.program("own/gate", "echo 'cannot find my library' >&2; exit 7")?;
    clinic.connect_cursor(&program.display().to_string(), &[], &[])?;
    let found = clinic.only_wrong(&before).await?;
    is(&found, "trial.cursor", "fault", "review-gate install cursor");
    assert!(found.cause.contains("code 7") && found.cause.contains("cannot find my library"), "{found}");
    Ok(())
}

#[tokio::test]
async fn the_server_of_another_program_is_a_fault() -> Result<()> {
    let (clinic, _gate, before) = connected().await?;
    let hello = json!({
        "jsonrpc": "2.0", "id": 1,
        "result": { "protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": { "name": "weather", "version": "1" } },
    });
    let program = clinic.program("own/gate", &format!("read line; echo '{hello}'; cat >/dev/null"))?;
    clinic.connect_cursor(&program.display().to_string(), &[], &[])?;
    let found = clinic.only_wrong(&before).await?;
    is(&found, "trial.cursor", "fault", "review-gate install cursor");
    assert!(found.cause.contains("weather"), "{found}");
    Ok(())
}

#[tokio::test]
async fn a_wrapper_that_starts_the_program_is_as_good_as_the_program() -> Result<()> {
    let (clinic, _gate, before) = connected().await?;
    let program = clinic.program("own/gate", &format!("exec '{}' mcp", clinic.command()))?;
    clinic.connect_cursor(&program.display().to_string(), &[], &[("SOME_VARIABLE", "of the client's")])?;
    assert_eq!(clinic.new_wrongs(&before).await?, [], "only what it answers counts");
    Ok(())
}

#[tokio::test]
async fn a_clients_file_that_cannot_be_read_is_a_fault_with_its_line() -> Result<()> {
    let (clinic, _gate, before) = connected().await?;
    clinic.write(".cursor/mcp.json", "{\n  \"mcpServers\": {\n    oops\n")?;
    let found = clinic.only_wrong(&before).await?;
    is(&found, "client.cursor", "fault", "");
    assert!(found.cause.contains("line"), "the place is named: {found}");
    Ok(())
}

#[tokio::test]
async fn a_time_out_that_isnt_raised_is_named() -> Result<()> {
    let (clinic, _gate, before) = connected().await?;
    let entry = format!("[mcp_servers.review-gate]\ncommand = \"{}\"\nargs = [\"mcp\"]\n", clinic.command());
    clinic.write(".codex/config.toml", &entry)?;
    is(&clinic.only_wrong(&before).await?, "client.codex", "warning", "review-gate install codex");
    clinic.write(".codex/config.toml", &format!("{entry}tool_timeout_sec = 3600\n"))?;
    assert_eq!(clinic.new_wrongs(&before).await?, [], "a longer one is good");
    Ok(())
}

#[tokio::test]
async fn each_client_that_may_ask_its_person_first_is_named() -> Result<()> {
    let (clinic, _gate, _before) = connected().await?;
    // What each keeps to itself, and a word of where that is.
    let by_hand = [
        ("cursor", "review-gate:*"),
        ("claude-desktop", "Always allow"),
        ("vscode", "always"),
        ("windsurf", "confirm"),
        ("continue", "Automatic"),
        ("zed", "Always for"),
        ("jetbrains", "Action Allowlist"),
    ];
    // One that keeps it in a file, and one that doesn't ask.
    let others = ["codex", "goose"];
    // Cursor is connected already.
    let names = by_hand.iter().map(|(client, _)| *client).skip(1).chain(others);
    clinic.home().run(["install", "--no-allow"].into_iter().chain(names)).await?.succeeded()?;
    let findings = clinic.findings().await?;
    let notes_on = |client: &str| -> Vec<&Found> {
        let check = format!("client.{client}");
        findings.iter().filter(|found| found.level == "note" && found.check == check).collect()
    };
    for (client, word) in by_hand {
        let [note] = notes_on(client)[..] else { bail!("{client} has one note: {findings:#?}") };
        assert!(note.cause.contains("may ask you before each call"), "{note}");
        assert!(note.mend.contains(word) && note.command.is_empty(), "what is done in {client} itself: {note}");
    }
    let [codex] = notes_on("codex")[..] else { bail!("codex has one note: {findings:#?}") };
    assert!(codex.command.ends_with("install codex --allow"), "what a file holds, a command writes: {codex}");
    assert!(notes_on("goose").is_empty(), "one that doesn't ask is left alone: {findings:#?}");
    Ok(())
}

#[tokio::test]
async fn an_entry_of_the_older_program_is_named_with_what_takes_it_over() -> Result<()> {
    let (clinic, _gate, before) = connected().await?;
    let ours = json!({ "command": clinic.command(), "args": ["mcp"] });
    let older = json!({ "command": "python", "args": ["/srv/x/review_gate_v2_mcp.py"] });
    let both = json!({ "mcpServers": { "review-gate": ours, "review-gate-v2": older } });
    clinic.write(".cursor/mcp.json", &both.to_string())?;
    is(&clinic.only_wrong(&before).await?, "client.cursor", "warning", "review-gate install cursor --take-over");
    Ok(())
}

#[tokio::test]
async fn a_program_named_twice_is_named() -> Result<()> {
    let (clinic, _gate, before) = connected().await?;
    let entry = json!({ "command": clinic.command(), "args": ["mcp"] });
    let both = json!({ "mcpServers": { "review-gate": entry, "gate": entry } });
    clinic.write(".cursor/mcp.json", &both.to_string())?;
    let found = clinic.only_wrong(&before).await?;
    is(&found, "client.cursor", "warning", "");
    assert!(found.cause.contains("2 times"), "{found}");
    Ok(())
}

#[tokio::test]
async fn an_entry_that_leads_to_another_home_is_named_and_not_tried() -> Result<()> {
    let (clinic, _gate, before) = connected().await?;
    let other = clinic.at("other").display().to_string();
    clinic.connect_cursor(&clinic.command(), &["mcp"], &[("REVIEW_GATE_HOME", &other)])?;
    is(&clinic.only_wrong(&before).await?, "client.cursor", "warning", "review-gate install cursor");
    assert!(!clinic.at("other").exists(), "the other home has no gate because of a look at this one");
    Ok(())
}

#[tokio::test]
async fn an_address_that_the_gate_isnt_at_is_a_fault() -> Result<()> {
    let (clinic, gate, before) = connected().await?;
    let at = |url: &str| json!({ "mcpServers": { "review-gate": { "url": url } } }).to_string();
    clinic.write(".cursor/mcp.json", &at("http://127.0.0.1:9/mcp"))?;
    is(&clinic.only_wrong(&before).await?, "client.cursor", "fault", "review-gate install cursor");
    let served = gate.ready["http"].as_str().context("HTTP is served")?;
    clinic.write(".cursor/mcp.json", &at(&format!("{served}/mcp")))?;
    let wrongs = clinic.new_wrongs(&before).await?;
    assert!(wrongs.iter().all(|found| found.check != "client.cursor"), "where it is, is good: {wrongs:#?}");
    Ok(())
}

#[tokio::test]
async fn where_a_clients_permission_questions_go_is_said_and_what_is_wrong_with_that() -> Result<()> {
    let (clinic, _gate, _before) = connected().await?;
    let of = |findings: Vec<Found>| -> Result<Found> {
        let mut own = findings.into_iter().filter(|found| found.check == "questions.codex");
        own.next().context("permission questions of Codex")
    };
    clinic.home().run(["install", "codex", "--no-allow"]).await?.succeeded()?;
    is(&of(clinic.findings().await?)?, "questions.codex", "note", "install codex --permissions");
    clinic.home().run(["install", "codex", "--no-allow", "--permissions"]).await?.succeeded()?;
    let untrusted = of(clinic.findings().await?)?;
    assert_eq!(untrusted.level, "warning", "Codex runs no hook that nobody has told it to trust: {untrusted}");
    assert!(untrusted.mend.contains("trust the hook"), "what the person does there is said: {untrusted}");
    let hooks = clinic.at(".codex/hooks.json");
    let key = format!("{}:permission_request:0:0", hooks.display());
    let config = fs::read_to_string(clinic.at(".codex/config.toml"))?;
    let trusted = format!("{config}\n[hooks.state.{key:?}]\ntrusted_hash = \"sha256:0\"\n");
    clinic.write(".codex/config.toml", &trusted)?;
    let unasked = of(clinic.findings().await?)?;
    assert_eq!(unasked.level, "note", "it comes here, where there is neither a window nor a page: {unasked}");
    assert!(unasked.cause.contains("no window, no page"), "{unasked}");
    let _page = SignedPage::sign_in(clinic.home()).await?;
    assert_eq!(of(clinic.findings().await?)?.level, "good", "and then all is well");
    // As a program of an older release does, which Codex would take for a denial.
    let older = in_our_place(&clinic, "echo 'unrecognized subcommand' >&2; exit 2")?;
    is(&of(clinic.findings().await?)?, "questions.codex", "fault", "install codex --permissions");
    fs::remove_file(older)?;
    is(&of(clinic.findings().await?)?, "questions.codex", "fault", "install codex --permissions");
    Ok(())
}

/// Writes a program to where the person's terminal finds ours.
fn in_our_place(clinic: &Clinic, script: &str) -> Result<PathBuf> {
    // It is a link to the real one.
    fs::remove_file(clinic.at("bin/review-gate"))?;
    clinic.program("bin/review-gate", script)
}

/// What doctor says of a client's permission questions.
async fn of_questions(clinic: &Clinic, client: &str) -> Result<Found> {
    let check = format!("questions.{client}");
    let own = clinic.findings().await?.into_iter().find(|found| found.check == check);
    own.with_context(|| format!("permission questions of {client}"))
}

#[tokio::test]
async fn a_trial_question_goes_the_whole_way_and_asks_nobody() -> Result<()> {
    let (clinic, _gate, _before) = connected().await?;
    let page = SignedPage::sign_in(clinic.home()).await?;
    for client in ["claude-code", "opencode"] {
        clinic.home().run(["install", client, "--no-allow", "--permissions"]).await?.succeeded()?;
        let found = of_questions(&clinic, client).await?;
        assert_eq!(found.level, "good", "the hook as it stands in the client's file brings it here: {found}");
        assert!(found.cause.contains("nobody was asked"), "{found}");
    }
    let waiting = page.does(json!({"command": "requests"})).await?;
    assert_eq!(waiting["requests"], json!([]), "nothing waits for the person");
    for table in ["review_requests", "conversations"] {
        let kept = clinic.home().rows(&format!("SELECT count(*) AS n FROM {table}")).await?;
        assert_eq!(kept, [json!({"n": 0})], "and the record has nothing of it: {table}");
    }
    page.does(json!({"command": "set_away", "away": true})).await?;
    let found = of_questions(&clinic, "claude-code").await?;
    assert!(
        found.level == "note" && found.cause.contains("you are away"),
        "it says why nobody would be asked: {found}"
    );
    Ok(())
}

#[tokio::test]
async fn a_hook_that_brings_no_question_here_is_a_fault_that_says_how() -> Result<()> {
    let (clinic, _gate, _before) = connected().await?;
    let _page = SignedPage::sign_in(clinic.home()).await?;
    clinic.home().run(["install", "claude-code", "--no-allow", "--permissions"]).await?.succeeded()?;
    // Its trial would wait for the same programs.
    fs::remove_file(clinic.at(".cursor/mcp.json"))?;
    let file = clinic.at(".claude/settings.json");
    let whole = fs::read_to_string(&file)?;
    let allows = r#"{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}"#;
    let real = whole.split_once("\"command\": \"").and_then(|(_, rest)| rest.split_once(" permit claude-code"));
    let real = real.context("a command of ours")?.0.to_owned();
    for (script, cause) in [
        (format!("cat >/dev/null; echo '{allows}'"), "answered a trial that nobody was asked"),
        ("echo 'no library' >&2; exit 7".to_owned(), "ended with code 7 on a trial. It said: no library"),
        ("exec nothing-of-that-name".to_owned(), "ended with code 127 on a trial"),
        ("cat >/dev/null".to_owned(), "didn't come to this gate"),
        ("echo \"error: unrecognized subcommand 'permit'\" >&2; exit 2".to_owned(), "doesn't know how"),
        ("sleep 1000 & sleep 1000".to_owned(), "didn't end within 10 s"),
    ] {
        in_our_place(&clinic, &script)?;
        let found = of_questions(&clinic, "claude-code").await?;
        is(&found, "questions.claude-code", "fault", "review-gate install claude-code --permissions");
        assert!(found.cause.contains(cause), "{script}: {found}");
    }
    let elsewhere = format!("env REVIEW_GATE_HOME={} {}", clinic.at("other").display(), clinic.command());
    fs::write(&file, whole.replace(&real, &elsewhere))?;
    let found = of_questions(&clinic, "claude-code").await?;
    is(&found, "questions.claude-code", "warning", "review-gate install claude-code --permissions");
    assert!(found.cause.contains("~/other"), "the other gate isn't asked: {found}");
    Ok(())
}

#[tokio::test]
async fn a_command_that_install_does_not_write_is_not_tried() -> Result<()> {
    let (clinic, _gate, _before) = connected().await?;
    let ran = clinic.at("ran");
    let evil = clinic.program("own/review-gate", &format!("touch '{}'", ran.display()))?;
    let (evil, ours) = (evil.display().to_string(), clinic.command());
    let home = clinic.home().path().display().to_string();
    for client in ["claude-code", "codex"] {
        let file = clinic.at(if client == "codex" { ".codex/hooks.json" } else { ".claude/settings.json" });
        clinic.home().run(["install", client, "--no-allow", "--permissions"]).await?.succeeded()?;
        let written: serde_json::Value = serde_json::from_str(&fs::read_to_string(&file)?)?;
        for command in [
            format!("env REVIEW_GATE_HOME={home} {evil} permit {client}"),
            format!("X=$({evil}${{IFS}}x) REVIEW_GATE_HOME={home} {ours} permit {client}"),
            format!("env REVIEW_GATE_HOME={home} X=`{evil}` {ours} permit {client}"),
        ] {
            let mut whole = written.clone();
            whole["hooks"]["PermissionRequest"][0]["hooks"][0]["command"] = json!(command);
            fs::write(&file, whole.to_string())?;
            not_tried(&clinic, client).await?;
        }
    }
    clinic.home().run(["install", "opencode", "--no-allow", "--permissions"]).await?.succeeded()?;
    let file = clinic.at(".config/opencode/plugin/review-gate.js");
    let whole = fs::read_to_string(&file)?;
    for other in
        [whole.replace(&ours, &evil), whole.replace("ENVIRONMENT = {", "ENVIRONMENT = {\"LD_PRELOAD\":\"/x\",")]
    {
        assert_ne!(other, whole, "something of it is another");
        fs::write(&file, other)?;
        not_tried(&clinic, "opencode").await?;
    }
    assert!(!ran.exists(), "nothing that somebody else may have written has been run");
    clinic.home().run(["install", "opencode", "--no-allow", "--permissions"]).await?.succeeded()?;
    let mended = of_questions(&clinic, "opencode").await?;
    assert!(!mended.cause.contains("wasn't tried"), "install mends it: {mended}");
    Ok(())
}

async fn not_tried(clinic: &Clinic, client: &str) -> Result<()> {
    let found = of_questions(clinic, client).await?;
    is(&found, &format!("questions.{client}"), "warning", &format!("review-gate install {client} --permissions"));
    assert!(found.cause.contains("wasn't tried, since it isn't what this program's install writes"), "{found}");
    Ok(())
}
