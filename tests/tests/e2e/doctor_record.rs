//! Doctor and the record: each test breaks one thing about it, and doctor names that and nothing else.

use std::fs::{self, File, Permissions};
use std::io::{Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use gate_tests::{Agent, Clinic, Found, LIMIT, PERSON, Ran, eventually, found};
use serde_json::{Value, json};

/// A clinic with a record of one answered question and a backup, and no gate.
async fn with_record() -> Result<(Clinic, Vec<Found>)> {
    let clinic = Clinic::new()?;
    let home = clinic.home();
    let mut gate = home.serve_with(&["--allow-scripts"]).await?;
    let agent = Agent::start(home, "claude-code").await?;
    let call = agent.call(json!({"message": "Shall I?", "title": "Shall I?"})).await?;
    let id = home.waiting("Shall I?").await?;
    home.answer(&id, ["--text", "Do."]).await?;
    agent.outcome(call).await?;
    drop(agent);
    home.run(["backup"]).await?.succeeded()?;
    home.run(["stop"]).await?.succeeded()?;
    gate.ended().await?;
    let before = clinic.findings().await?;
    Ok((clinic, before))
}

fn the_backup(clinic: &Clinic) -> Result<PathBuf> {
    let files = fs::read_dir(clinic.home().path().join("backups"))?.collect::<std::io::Result<Vec<_>>>()?;
    let mut backups = files.into_iter().map(|file| file.path()).filter(|file| file.extension() == Some("db".as_ref()));
    backups.next().context("there is a backup")
}

/// Which check, how bad, and with which command.
fn is(found: &Found, check: &str, level: &str, command: &str) {
    assert_eq!((found.check.as_str(), found.level.as_str()), (check, level), "{found}");
    assert!(found.command.contains(command), "one command mends it, with {command:?}: {found}");
}

/// Writes over a part of a file.
fn scribble(file: &Path, from: u64, bytes: usize) -> Result<()> {
    let mut file = File::options().write(true).open(file)?;
    file.seek(SeekFrom::Start(from))?;
    Ok(file.write_all(&vec![0xA5; bytes])?)
}

#[tokio::test]
async fn a_sound_record_and_its_backup_are_good() -> Result<()> {
    let (_clinic, before) = with_record().await?;
    for check in ["database", "backups"] {
        let good = before.iter().any(|found| found.check == check && found.level == "good");
        assert!(good, "{check}: {before:#?}");
    }
    Ok(())
}

#[tokio::test]
async fn a_damaged_database_is_a_fault_that_the_next_start_mends() -> Result<()> {
    let (clinic, before) = with_record().await?;
    scribble(&clinic.home().database(), 8 * 4096, 20 * 4096)?;
    let wrong = clinic.only_wrong(&before).await?;
    is(&wrong, "database", "fault", "review-gate");
    assert!(wrong.mend.contains("backups"), "the person needn't fear for it: {wrong}");
    let _gate = clinic.home().serve().await?;
    let after = clinic.new_wrongs(&before).await?;
    assert!(after.iter().all(|found| found.check != "database"), "what doctor says is true: {after:#?}");
    Ok(())
}

#[tokio::test]
async fn a_newer_programs_database_is_a_fault_and_stays_untouched() -> Result<()> {
    let (clinic, before) = with_record().await?;
    clinic
        .home()
        .change(
            "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
             VALUES (99991231235959, 'later', 1, x'00', 0); PRAGMA wal_checkpoint(TRUNCATE)",
        )
        .await?;
    let bytes = fs::read(clinic.home().database())?;
    let wrong = clinic.only_wrong(&before).await?;
    is(&wrong, "database", "fault", "");
    assert!(wrong.cause.contains("newer") && wrong.mend.contains("Update"), "{wrong}");
    assert_eq!(fs::read(clinic.home().database())?, bytes, "doctor looks and changes nothing");
    Ok(())
}

#[tokio::test]
async fn a_database_that_may_not_be_written_is_a_fault() -> Result<()> {
    let (clinic, before) = with_record().await?;
    fs::set_permissions(clinic.home().database(), Permissions::from_mode(0o400))?;
    is(&clinic.only_wrong(&before).await?, "database", "fault", "chmod u+w ~/gate/review-gate.db");
    Ok(())
}

#[tokio::test]
async fn a_folder_where_the_database_belongs_is_a_fault() -> Result<()> {
    let clinic = Clinic::new()?;
    clinic.write("gate/empty", "")?;
    fs::set_permissions(clinic.home().path(), Permissions::from_mode(0o700))?;
    let before = clinic.findings().await?;
    fs::create_dir(clinic.home().database())?;
    is(&clinic.only_wrong(&before).await?, "database", "fault", "mv ~/gate/review-gate.db");
    Ok(())
}

#[tokio::test]
async fn backups_that_are_too_old_are_named() -> Result<()> {
    let (clinic, before) = with_record().await?;
    let backup = the_backup(&clinic)?;
    fs::rename(&backup, backup.with_file_name("review-gate-20200229T235959999Z.db"))?;
    is(&clinic.only_wrong(&before).await?, "backups", "warning", "review-gate backup");
    clinic.home().run(["backup"]).await?.succeeded()?;
    assert_eq!(clinic.new_wrongs(&before).await?, [], "the command that was named mends it");
    Ok(())
}

#[tokio::test]
async fn a_backup_that_cannot_be_restored_is_named() -> Result<()> {
    let (clinic, before) = with_record().await?;
    let backup = the_backup(&clinic)?;
    scribble(&backup, 8 * 4096, 20 * 4096)?;
    let wrong = clinic.only_wrong(&before).await?;
    is(&wrong, "backups", "warning", "review-gate backup");
    let name = backup.file_name().context("a backup has a name")?.to_string_lossy().into_owned();
    assert!(wrong.cause.contains(&name), "which one: {wrong}");
    Ok(())
}

#[tokio::test]
async fn a_search_index_that_is_none_is_named() -> Result<()> {
    let (clinic, before) = with_record().await?;
    fs::write(clinic.home().path().join("search.db"), "this is not a database but a letter")?;
    is(&clinic.only_wrong(&before).await?, "search", "warning", "rm ~/gate/search.db");
    Ok(())
}

#[tokio::test]
async fn nothing_that_doctor_says_tells_who_the_person_is_or_a_secret() -> Result<()> {
    let clinic = Clinic::new()?;
    let _gate = clinic.home().serve_with(&["--allow-scripts"]).await?;
    let token = fs::read_to_string(clinic.home().path().join("token"))?.trim().to_owned();
    let link = clinic.home().run(["link", "--json"]).await?.json()?;
    let code = link["ui"].as_str().and_then(|link| link.split("code=").nth(1)).context("a link has a code")?.to_owned();
    // Everything at once is wrong, and all of it talks.
    let talks = format!(
        "echo \"$HOME/x: $SERVICE_KEY token=hunter2-hunter2 {token} http://localhost:1/#code={code} $USER@host\" >&2; exit 1"
    );
    let program = clinic.program(&format!("bin/of {PERSON}/talks"), &talks)?;
    clinic.connect_cursor(
        &program.display().to_string(),
        &["--secret", "s3cr3t-argument"],
        &[("SERVICE_KEY", "k3y-of-hers")],
    )?;
    clinic.write(".codex/config.toml", &format!("[mcp_servers.x]\ncommand = '{token}\n"))?;
    clinic.write("gate/config.yaml", &format!("window:\n  theme: {}\n", clinic.at("secret").display()))?;
    fs::set_permissions(clinic.home().path().join("token"), Permissions::from_mode(0o644))?;
    fs::remove_file(clinic.at("bin/review-gate"))?;
    clinic.program("bin/review-gate", &talks)?;
    for arguments in [&[][..], &["--json"]] {
        let ran: Ran = clinic.run(arguments).await?;
        assert_eq!(ran.code, Some(1), "much is at fault: {ran:?}");
        let folder = clinic.at("").display().to_string();
        for secret in [PERSON, folder.trim_end_matches('/'), &token, &code, "hunter2", "k3y-of-hers", "s3cr3t-argument"]
        {
            assert!(!ran.stdout.contains(secret), "{secret:?} can't be pasted into a bug report: {}", ran.stdout);
        }
        assert_eq!(ran.stderr, "", "nothing is said beside it where nobody watches");
    }
    let named = found(&clinic.run(&["--json"]).await?)?;
    for check in ["program", "token", "trial.cursor", "client.codex", "settings"] {
        let wrong =
            named.iter().any(|found| found.check == check && ["fault", "warning"].contains(&found.level.as_str()));
        assert!(wrong, "{check} is named nevertheless: {named:#?}");
    }
    Ok(())
}

#[tokio::test]
async fn what_a_person_reads_begins_with_what_is_wrong_and_is_plain_text() -> Result<()> {
    let clinic = Clinic::new()?;
    let _gate = clinic.home().serve().await?;
    let well = clinic.run(&[]).await?.succeeded()?;
    assert!(well.stdout.starts_with("Review Gate ") && well.stdout.contains(": 0 faults, "), "{}", well.stdout);
    fs::set_permissions(clinic.home().path().join("token"), Permissions::from_mode(0o644))?;
    let ran = clinic.run(&[]).await?;
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(1), ""), "{ran:?}");
    let mut lines = ran.stdout.lines().filter(|line| !line.is_empty());
    assert!(lines.next().is_some_and(|line| line.contains(": 1 fault, ")), "{}", ran.stdout);
    assert!(lines.next().is_some_and(|line| line.starts_with("FAULT    Token: ")), "{}", ran.stdout);
    assert!(lines.any(|line| line == "         $ review-gate token rotate"), "{}", ran.stdout);
    assert!(!ran.stdout.contains('\u{1b}'), "no colours where the output is no terminal: {:?}", ran.stdout);
    Ok(())
}

#[tokio::test]
async fn looking_leaves_the_record_and_the_home_as_they_were() -> Result<()> {
    let (clinic, _) = with_record().await?;
    clinic.connect_cursor(&clinic.command(), &["mcp"], &[])?;
    let files = |clinic: &Clinic| -> Result<Vec<(String, u64)>> {
        let mut found = Vec::new();
        for entry in fs::read_dir(clinic.home().path())? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            // A gate that was started to try a client signs its lock, and leaves a journal of its own start.
            if !["gate.lock", "logs", "search.db", "mcp.sock", "control"].iter().any(|its| name.starts_with(its))
                && !name.contains('-')
            {
                found.push((name, entry.metadata()?.len()));
            }
        }
        found.sort();
        Ok(found)
    };
    let rows = "SELECT (SELECT count(*) FROM conversations) AS c, (SELECT count(*) FROM messages) AS m";
    let before: (Vec<Value>, Vec<(String, u64)>) = (clinic.home().rows(rows).await?, files(&clinic)?);
    let found = clinic.findings().await?;
    assert!(found.iter().any(|found| found.check == "trial.cursor" && found.level == "good"), "{found:#?}");
    // It lets go of its socket before it closes its files, so that its status tells too early.
    let over = || async { Ok(clinic.home().processes().is_empty().then_some(())) };
    eventually("the end of the gate that the trial started", LIMIT, over).await?;
    assert_eq!((clinic.home().rows(rows).await?, files(&clinic)?), before, "nothing is asked, stored or removed");
    Ok(())
}
