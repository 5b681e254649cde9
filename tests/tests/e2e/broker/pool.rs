//! The reviewer pool: programs of the person's own that review what nobody claims. The programs are scripts here, which
//! answer as opencode does; how the real ones are called is tried where they are run.

use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use gate_tests::{Home, Peer, SignedPage, installed, makes_it};
use serde_json::{Value, json};

use super::gate_of;

/// What the help of a program has to name.
const HELP: &str = "run --agent --format --model --pure --title";

/// Puts a program in a folder for programs: it tells of each time that it is run, and answers with this JSON.
fn stand_in(folder: &Path, name: &str, answer: &Value) -> Result<()> {
    let event = json!({"type": "text", "part": {"type": "text", "text": answer.to_string()}});
    let script = format!(
        "#!/bin/sh\ncase \"$*\" in *--help*) echo '{HELP}'; exit;; *--version*) echo 1.0.0; exit;; esac\n\
         cat > words\nprintf '%s\\n' '{event}' | sed \"s|FILES|$(find . -type f | sort | tr '\\n' ' ')|; \
         s|SEES|$(ls \"$HOME\" 2>/dev/null | tr '\\n' ' ')|\"\n"
    );
    let file = folder.join(name);
    std::fs::write(&file, script)?;
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755))?;
    Ok(())
}

/// A home whose gate finds programs in a folder of the test's.
fn home_with_programs(answer: &Value) -> Result<(Home, tempfile::TempDir)> {
    let programs = tempfile::tempdir()?;
    stand_in(programs.path(), "opencode", answer)?;
    let path = std::env::var_os("PATH").context("folders of programs")?;
    let all = std::iter::once(programs.path().to_owned()).chain(std::env::split_paths(&path));
    Ok((Home::with_env([("PATH", std::env::join_paths(all)?)])?, programs))
}

/// Lets a program review, as the person does in the settings.
async fn lets(person: &SignedPage, key: &str, value: Value) -> Result<()> {
    person.does(json!({"command": "weaken_guard", "key": key, "value": value})).await.map(drop)
}

#[tokio::test]
async fn a_program_of_the_persons_reviews_what_nobody_claims() -> Result<()> {
    let answer = json!({
        "decision": "rejected", "reason": "It says two in German only: FILES and SEES.",
        "comments": [{"file": "notes.txt", "line": 2, "body": "zwei what?"}], "patch": makes_it("drei"),
    });
    let (home, _programs) = home_with_programs(&answer)?;
    let (_gate, _) = gate_of(&home).await?;
    let person = SignedPage::sign_in(&home).await?;
    let proposer = Peer::over_stdio(&home, "claude-code").await?;
    let untouched = proposer.proposes("Nobody looks at this.", &makes_it("deux")).await?;
    lets(&person, "security.pool", json!(["opencode"])).await?;
    lets(&person, "security.pool_unsheltered", json!(true)).await?;
    let submitted = proposer.proposes("Say it in German.", &makes_it("zwei")).await?;
    let review = &submitted["review_id"];
    let rejected = proposer.sees(review, "rejected").await?;
    assert_eq!((&rejected["turn"], &rejected["approved_by"]), (&json!("proposer"), &Value::Null), "{rejected}");
    let read = proposer.does("get_proposal", json!({"review_id": review})).await?;
    let said = read.to_string();
    assert!(said.contains("pool/opencode"), "who said so is named: {said}");
    for file in ["change.diff", "discussion.md", "before/notes.txt", "after/notes.txt"] {
        assert!(said.contains(file), "the run has {file}: {said}");
    }
    let messages = proposer.does("get_messages", json!({"review_id": review})).await?;
    assert!(messages.to_string().contains("zwei what?"), "its comment stands at its line: {messages}");
    let patches = proposer.does("get_patch", json!({"review_id": review})).await?;
    assert!(patches.to_string().contains("+drei"), "and what it would do in its place: {patches}");
    proposer.sees(&untouched["review_id"], "rejected").await?;
    let events = proposer.events(review).await?;
    assert_eq!(events, ["submitted", "claimed", "patch", "verdict"], "one run, and no more");
    Ok(())
}

#[tokio::test]
async fn what_is_no_answer_gives_the_claim_back_and_the_program_is_left_alone_for_the_round() -> Result<()> {
    let (home, _programs) =
        home_with_programs(&json!({"decision": "maybe", "reason": "", "comments": [], "patch": null}))?;
    let (_gate, _) = gate_of(&home).await?;
    let person = SignedPage::sign_in(&home).await?;
    lets(&person, "security.pool", json!(["opencode"])).await?;
    lets(&person, "security.pool_unsheltered", json!(true)).await?;
    let proposer = Peer::over_stdio(&home, "claude-code").await?;
    let review = proposer.proposes("Say it in German.", &makes_it("zwei")).await?["review_id"].clone();
    let mut since = json!({"review_id": review, "since": 1, "wait": true, "wait_seconds": 60});
    let mut kinds = Vec::new();
    while kinds.iter().filter(|kind| *kind == "claim_lost").count() < 2 {
        let next = proposer.does("get_review_status", since.clone()).await?;
        kinds = proposer.events(&review).await?;
        since["since"] = next["event"].clone();
    }
    assert_eq!(kinds, ["submitted", "claimed", "claim_lost", "claimed", "claim_lost"], "twice, and then no more");
    let reviewer = Peer::over_stdio(&home, "codex").await?;
    let judged = reviewer.judges(&review, "approved", "").await?;
    assert_eq!((&judged["status"], &judged["approved_by"]), (&json!("approved"), &json!("agent")), "others still may");
    Ok(())
}

/// What the help of Claude Code has to name.
const CLAUDES_HELP: &str = "--print --output-format --json-schema --tools --strict-mcp-config --no-session-persistence \
                            --safe-mode --max-budget-usd --model";

/// A stand-in for Claude Code that tells what it reaches: of these files which it reads, of these folders which it writes
/// in, of these ports which answer.
fn reaches(folder: &Path, files: &[PathBuf], folders: &[&Path], ports: &[(&str, u16)]) -> Result<()> {
    let mut script = format!(
        "case \"$*\" in *--help*) echo '{CLAUDES_HELP}'; exit;; *--version*) echo 2.1.197; exit;; esac\ncat > words\n\
         seen=; test -s change.diff && seen=diff\n"
    );
    for file in files {
        let file = file.display();
        script.push_str(&format!("cat '{file}' > read 2>/dev/null && test -s read && seen=\"$seen {file}\"\n"));
    }
    for folder in folders {
        script.push_str(&format!("mkdir -p '{0}' 2>/dev/null; echo x > '{0}/planted' 2>/dev/null\n", folder.display()));
    }
    for (name, port) in ports {
        script.push_str(&format!("bash -c 'exec 3<>/dev/tcp/127.0.0.1/{port}' 2>/dev/null && seen=\"$seen {name}\"\n"));
    }
    let answer = json!({"decision": "rejected", "reason": "It reached: SEEN.", "comments": [], "patch": null});
    let result = json!({"type": "result", "subtype": "success", "is_error": false, "result": answer.to_string()});
    script.push_str(&format!("printf '%s\\n' '{result}' | sed \"s|SEEN|$seen|\"\n"));
    let file = folder.join("claude");
    std::fs::write(&file, format!("#!/bin/sh\n{script}"))?;
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755))?;
    Ok(())
}

#[tokio::test]
async fn a_run_reaches_the_change_and_its_model_and_nothing_else_of_the_persons() -> Result<()> {
    let (programs, person) = (tempfile::tempdir()?, tempfile::tempdir()?);
    let (model, other) = (TcpListener::bind("127.0.0.1:0")?, TcpListener::bind("127.0.0.1:0")?);
    let ports = [("model", model.local_addr()?.port()), ("other", other.local_addr()?.port())];
    let path = std::env::var_os("PATH").context("folders of programs")?;
    let all = std::iter::once(programs.path().to_owned()).chain(std::env::split_paths(&path));
    let url = |port: u16| format!("http://127.0.0.1:{port}").into();
    let environment = [
        ("PATH", std::env::join_paths(all)?),
        ("HOME", person.path().as_os_str().to_owned()),
        ("ANTHROPIC_BASE_URL", url(ports[0].1)),
        // Codex', which isn't asked.
        ("OPENAI_BASE_URL", url(ports[1].1)),
    ];
    let Some(home) = Home::with_sandboxes_and_env(environment).await? else { return Ok(()) };
    let has_pasta = installed(&[("pasta", "passt")])?;
    let (workspace, secret) = (home.workspace(), person.path().join("secret"));
    std::fs::write(&secret, "x\n")?;
    let files = [secret, workspace.join("notes.txt"), home.folder().join("config.yaml")];
    reaches(programs.path(), &files, &[&workspace, person.path(), home.folder()], &ports)?;
    let (_gate, _) = gate_of(&home).await?;
    let signed = SignedPage::sign_in(&home).await?;
    lets(&signed, "security.pool", json!(["claude-code"])).await?;
    let proposer = Peer::over_stdio(&home, "codex").await?;
    let review = proposer.proposes("Say it in German.", &makes_it("zwei")).await?["review_id"].clone();
    proposer.sees(&review, "rejected").await?;
    let read = proposer.does("get_proposal", json!({"review_id": review})).await?.to_string();
    let reached = if has_pasta { "It reached: diff model." } else { "It reached: diff model other." };
    assert!(read.contains(reached), "in its sandbox it has no more: {read}");
    for folder in [workspace.as_path(), person.path(), home.folder()] {
        assert!(!folder.join("planted").exists(), "what it writes goes with it: {}", folder.display());
    }
    Ok(())
}
