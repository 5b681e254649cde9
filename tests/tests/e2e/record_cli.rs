//! The record from a terminal: history, export and import, backup and restore, check; and a start on
//! what a disk has done to it.

use std::path::Path;

use anyhow::{Context as _, Result};
use gate_tests::{Agent, Home, LIMIT, Ran, SCRIPTS_ANSWER, eventually, left_out};
use serde_json::{Value, json};

/// Asks and answers once; gives the session.
async fn talk(home: &Home, agent: &Agent, question: &str, reply: &str) -> Result<String> {
    let call = agent.call(json!({"message": question, "title": question})).await?;
    let id = home.waiting(question).await?;
    home.answer(&id, ["--text", reply]).await?;
    let outcome = agent.outcome(call).await?;
    Ok(outcome["session_uuid"].as_str().context("a session")?.to_owned())
}

async fn replies(home: &Home) -> Result<Vec<String>> {
    let rows = home.rows("SELECT body FROM messages WHERE role = 'person' ORDER BY message_id").await?;
    Ok(rows.iter().filter_map(|row| row["body"].as_str().map(str::to_owned)).collect())
}

/// Stops the gate. What comes next may take the home at once: nothing is waited for here.
async fn stopped(home: &Home) -> Result<()> {
    home.run(["stop"]).await?.succeeded().map(drop)
}

#[tokio::test]
async fn history_finds_what_was_said_and_export_and_import_carry_it_to_another_home() -> Result<()> {
    let home = Home::with_scripts()?;
    assert_eq!(home.run(["history"]).await?.succeeded()?.stdout, "Nothing was asked yet.\n");
    let agent = Agent::start(&home, "claude-code").await?;
    let webhook = talk(&home, &agent, "Retry webhook deliveries?", "Yes, with jitter.").await?;
    talk(&home, &agent, "Rename the crate?", "No.").await?;

    let found = |list: Value| -> Vec<String> {
        let list = list.as_array().cloned().unwrap_or_default();
        list.iter().filter_map(|entry| entry["session_uuid"].as_str().map(str::to_owned)).collect()
    };
    assert_eq!(found(home.run(["history", "--json"]).await?.json()?).len(), 2);
    assert_eq!(found(home.run(["history", "jitt", "--json"]).await?.json()?), [webhook.as_str()]);
    assert_eq!(found(home.run(["history", "--status", "completed", "--json"]).await?.json()?).len(), 0);
    assert_eq!(found(home.run(["history", "--status", "gone quiet", "--json"]).await?.json()?).len(), 0);
    let text = home.run(["history", "webhook"]).await?.succeeded()?.stdout;
    assert!(text.contains("Retry webhook deliveries?") && text.contains("Claude Code · "), "{text}");
    assert!(text.contains(" · active\n"), "where its session stands: {text}");
    assert_eq!(home.run(["history", "nowhere"]).await?.succeeded()?.stdout, "Nothing was found.\n");
    let bad = home.run(["history", "--status", "nonsense"]).await?;
    assert!(bad.code == Some(2) && bad.stderr.contains("nonsense"), "{}", bad.stderr);
    let long = home.run(["history", &"x".repeat(501)]).await?;
    assert!(long.code == Some(4) && long.stderr.contains("500"), "the bound is named: {}", long.stderr);

    let markdown = home.run(["export", &webhook]).await?.succeeded()?.stdout;
    assert!(
        markdown.starts_with("# Retry webhook deliveries?\n") && markdown.contains("Yes, with jitter."),
        "{markdown}"
    );
    assert!(
        markdown.contains(" · by a script; nobody looked at it\n"),
        "where the reply came from, as the windows say it: {markdown}"
    );
    let file = home.folder().join("record.json").display().to_string();
    home.run(["export", "--format", "json", "--output", &file]).await?.succeeded()?;
    let again = home.run(["export", "--format", "json", "--output", &file]).await?;
    assert!(again.code == Some(4) && again.stderr.contains("exists already"), "{}", again.stderr);
    assert!(!Path::new(&format!("{file}.partial")).exists(), "nothing half-written stays");

    let other = Home::with_scripts()?;
    let said = other.run(["import", &file]).await?.succeeded()?.stdout;
    assert_eq!(said, "2 new conversations with 4 messages\n");
    let said = other.run(["import", &file]).await?.succeeded()?.stdout;
    assert_eq!(said, "0 new conversations with 0 messages; 2 were here already\n");
    assert_eq!(found(other.run(["history", "jitter", "--json"]).await?.json()?), [webhook.as_str()]);
    let missing = other.run(["import", "nowhere.json"]).await?;
    assert!(missing.code == Some(4) && missing.stderr.contains("nowhere.json"), "{}", missing.stderr);
    Ok(())
}

#[tokio::test]
async fn a_backup_is_restored_and_what_it_replaces_is_kept() -> Result<()> {
    let home = Home::with_scripts()?;
    let agent = Agent::start(&home, "cursor").await?;
    talk(&home, &agent, "First?", "one").await?;
    let made = home.run(["backup", "--json"]).await?.json()?;
    let backup = made["path"].as_str().context("a path")?.to_owned();
    talk(&home, &agent, "Second?", "two").await?;
    agent.kill().await?;

    let refused = home.run(["restore", &backup]).await?;
    assert!(refused.code == Some(4) && refused.stderr.contains("review-gate stop"), "{}", refused.stderr);
    stopped(&home).await?;
    let junk = home.folder().join("junk.db");
    std::fs::write(&junk, "no database")?;
    let refused = home.run(["restore".into(), junk.into_os_string()]).await?;
    assert_eq!(refused.code, Some(4), "{}", refused.stdout);
    assert!(!refused.stderr.contains("review-gate stop"), "what was stopped has ended: {}", refused.stderr);
    assert_eq!(replies(&home).await?, ["one", "two"], "a file that is no backup changes nothing");

    let said = home.run(["restore", &backup]).await?.succeeded()?.stdout;
    assert!(said.contains("replaced"), "{said}");
    let _gate = home.serve().await?;
    assert_eq!(replies(&home).await?, ["one"], "what came after the backup is not in it");
    let set_aside = std::fs::read_dir(home.path().join("replaced"))?.count();
    assert_eq!(set_aside, 1, "but it is kept");
    Ok(())
}

#[tokio::test]
async fn a_record_that_the_disk_has_damaged_is_put_together_and_the_person_is_told() -> Result<()> {
    for damage in ["flipped", "truncated", "emptied", "junk"] {
        let home = Home::with_scripts()?;
        let agent = Agent::start(&home, "cursor").await?;
        talk(&home, &agent, "First?", "one").await?;
        home.run(["backup"]).await?.succeeded()?;
        talk(&home, &agent, "Second?", "two").await?;
        agent.kill().await?;
        stopped(&home).await?;
        let mut bytes = std::fs::read(home.database())?;
        match damage {
            "flipped" => bytes.iter_mut().skip(4096).step_by(97).for_each(|byte| *byte ^= 0x55),
            "truncated" => bytes.truncate(bytes.len() / 2),
            "emptied" => bytes.clear(),
            _ => bytes = b"this is no database".repeat(1000),
        }
        std::fs::write(home.database(), bytes)?;
        let check = home.run(["check"]).await?;
        assert!(check.code == Some(1) || check.code == Some(4), "{damage}: {}{}", check.stdout, check.stderr);

        let _gate = home.serve().await?;
        assert_eq!(replies(&home).await?, ["one", "two"], "{damage}: no committed reply is lost");
        let mut control = gate_tests::Control::open(&home).await?;
        let snapshot =
            control.command(json!({"command": "snapshot"})).await?.map_err(|fault| anyhow::anyhow!("{fault}"))?;
        let warnings = snapshot["warnings"].to_string();
        assert!(warnings.contains("database_damaged"), "{damage}: the window tells it: {warnings}");
        let found = home.run(["history", "second", "--json"]).await?.json()?;
        assert_eq!(found.as_array().map(Vec::len), Some(1), "{damage}: search works on");
        assert_eq!(home.run(["check"]).await?.code, Some(0), "{damage}: and the record is sound");
    }
    Ok(())
}

#[tokio::test]
async fn a_newer_record_is_left_untouched() -> Result<()> {
    let home = Home::with_scripts()?;
    let agent = Agent::start(&home, "cursor").await?;
    talk(&home, &agent, "First?", "one").await?;
    agent.kill().await?;
    stopped(&home).await?;
    home.change(
        "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
         VALUES (99990101000000, 'later', 1, x'00', 0)",
    )
    .await?;
    let before = std::fs::read(home.database())?;
    let refused = home.run(["serve"]).await?;
    assert!(refused.code == Some(4) && refused.stderr.contains("newer"), "{}", refused.stderr);
    let check = home.run(["check"]).await?;
    assert!(check.code == Some(1) && check.stdout.contains("NEWER"), "{}{}", check.stdout, check.stderr);
    assert_eq!(before, std::fs::read(home.database())?, "not a byte of it changes");
    Ok(())
}

#[tokio::test]
async fn with_a_rollback_journal_as_on_a_network_everything_works_and_check_says_so() -> Result<()> {
    let home = Home::with_config(&format!("storage:\n  journal: rollback\n{SCRIPTS_ANSWER}"))?;
    let agent = Agent::start(&home, "cursor").await?;
    talk(&home, &agent, "First?", "one").await?;
    let report = home.run(["check", "--json"]).await?.json()?;
    assert_eq!(report["journal_mode"], "rollback");
    for name in ["review-gate.db-wal", "search.db-wal"] {
        assert!(!home.path().join(name).exists(), "{name} can't work there");
    }
    agent.kill().await?;
    let gate = home.gate().context("a gate")?;
    gate.kill()?;
    assert!(gate.ends_within(LIMIT), "it was killed");
    let _gate = home.serve().await?;
    assert_eq!(replies(&home).await?, ["one"]);
    Ok(())
}

/// A folder seen through FUSE, whose bytes SQLite has to take for being elsewhere; unmounted when
/// dropped.
struct Behind<'a>(&'a Path);

impl<'a> Behind<'a> {
    /// Absent where bindfs isn't installed or this user may not mount.
    async fn mount(real: &Path, at: &'a Path) -> Result<Option<Self>> {
        std::fs::create_dir_all(real)?;
        let mut bindfs = tokio::process::Command::new("bindfs");
        bindfs.arg(real).arg(at);
        Ok(Ran::of(bindfs).await.is_ok_and(|ran| ran.code == Some(0)).then(|| Self(at)))
    }
}

impl Drop for Behind<'_> {
    fn drop(&mut self) {
        let _ = std::process::Command::new("umount").arg("-l").arg(self.0).status();
    }
}

#[tokio::test]
async fn on_a_file_system_behind_a_program_the_rollback_journal_is_chosen() -> Result<()> {
    let home = Home::new()?;
    let path = home.path().to_owned();
    let real = home.folder().join("real");
    let Some(_behind) = Behind::mount(&real, &path).await? else {
        // Containers often have no FUSE; the test above forces what is chosen here.
        left_out("no FUSE file system can be mounted here");
        return Ok(());
    };
    // What a home is given before would be hidden below that file system.
    let _first = home.serve_with(&["--allow-scripts"]).await?;
    let agent = Agent::start(&home, "cursor").await?;
    talk(&home, &agent, "First?", "one").await?;
    let report = home.run(["check", "--json"]).await?.json()?;
    assert_eq!((&report["file_system"], &report["journal_mode"]), (&json!("network"), &json!("rollback")));
    agent.kill().await?;
    let gate = home.gate().context("a gate")?;
    gate.kill()?;
    assert!(gate.ends_within(LIMIT), "it was killed");
    let _gate = home.serve_with(&["--allow-scripts"]).await?;
    assert_eq!(replies(&home).await?, ["one"]);
    assert!(!path.join("review-gate.db-wal").exists(), "a write-ahead log isn't safe there");
    Ok(())
}

#[tokio::test]
async fn a_session_whose_relay_dies_is_stale_and_speaks_again() -> Result<()> {
    let home = Home::with_config(&format!("sessions:\n  stale_seconds: 11\n{SCRIPTS_ANSWER}"))?;
    let ended = Agent::start_apart(&home, "cursor").await?;
    let ended_session = talk(&home, &ended, "Nothing more?", "no").await?;
    let agent = Agent::start(&home, "cursor").await?;
    let session = talk(&home, &agent, "First?", "one").await?;
    let status_of = async |session: &str| {
        let rows = home.rows(&format!("SELECT status FROM conversations WHERE session_uuid = '{session}'")).await?;
        Ok::<_, anyhow::Error>(rows.first().and_then(|row| row["status"].as_str()).unwrap_or_default().to_owned())
    };
    let status = async || status_of(&session).await;
    ended.close().await?;
    agent.kill().await?;
    assert_eq!(status().await?, "active", "it may come back");
    for (session, how) in [(&session, "was killed"), (&ended_session, "ended as it should")] {
        let stale = async || Ok((status_of(session).await? == "stale").then_some(()));
        eventually(&format!("the session of the one that {how} is stale"), LIMIT, stale).await?;
    }
    let other = Agent::start(&home, "cursor").await?;
    let call = other
        .request(
            "tools/call",
            json!({"name": "review_gate_update_progress",
                   "arguments": {"session_uuid": session, "progress_percent": 100, "completed": true}}),
        )
        .await?;
    assert_eq!(other.result(call).await?["structuredContent"]["status"], "completed");
    assert_eq!(status().await?, "completed");
    Ok(())
}
