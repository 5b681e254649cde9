//! Doctor, part by part: each test breaks one thing, and doctor names that and nothing else.

use std::fs::{self, File, Permissions};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixListener;
use std::path::Path;

use anyhow::{Context as _, Result};
use gate_tests::{Clinic, Control, Found, LIMIT, SmallDisk, eventually, out_of_reach};
use rustix::fs::{FlockOperation, flock};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};

/// A clinic whose gate runs, and what is wrong with that already: nothing that a test is about.
async fn well() -> Result<(Clinic, gate_tests::Serve, Vec<Found>)> {
    let clinic = Clinic::new()?;
    let gate = clinic.home().serve().await?;
    let before = clinic.findings().await?;
    Ok((clinic, gate, before))
}

/// A clinic whose gate ran and has ended in good order.
async fn stopped() -> Result<(Clinic, Vec<Found>)> {
    let (clinic, mut gate, _) = well().await?;
    clinic.home().run(["stop"]).await?.succeeded()?;
    gate.ended().await?;
    let before = clinic.findings().await?;
    Ok((clinic, before))
}

/// Which check, how bad, and with which command.
fn is(found: &Found, check: &str, level: &str, command: &str) {
    assert_eq!((found.check.as_str(), found.level.as_str()), (check, level), "{found}");
    assert!(found.command.contains(command), "one command mends it, with {command:?}: {found}");
    assert!(!found.cause.is_empty() && !found.mend.is_empty(), "it says what is wrong and what to do: {found}");
}

fn set_mode(path: &Path, mode: u32) -> Result<()> {
    Ok(fs::set_permissions(path, Permissions::from_mode(mode))?)
}

#[tokio::test]
async fn nothing_is_at_fault_where_all_is_well() -> Result<()> {
    let (clinic, _gate, before) = well().await?;
    let faults: Vec<String> = before.iter().filter(|found| found.level == "fault").map(Found::to_string).collect();
    assert_eq!(faults, Vec::<String>::new(), "a fresh home is well");
    for check in
        ["program", "home", "disk", "gate", "lock", "socket", "token", "http", "database", "settings", "display"]
    {
        let good = before.iter().any(|found| found.check == check && found.level == "good");
        assert!(good, "{check} is looked at and good: {before:#?}");
    }
    assert_eq!(clinic.new_wrongs(&before).await?, [], "looking twice finds the same");
    Ok(())
}

#[tokio::test]
async fn a_program_that_path_doesnt_have_is_named_with_the_link_that_mends_it() -> Result<()> {
    let (clinic, _gate, before) = well().await?;
    fs::remove_file(clinic.at("bin/review-gate"))?;
    let found = clinic.only_wrong(&before).await?;
    is(&found, "program", "warning", "ln -s ");
    assert!(found.command.ends_with("~/bin/review-gate"), "into the person's own folder of PATH: {found}");
    Ok(())
}

#[tokio::test]
async fn a_repository_of_prompts_that_cant_be_fetched_is_named() -> Result<()> {
    let (clinic, _gate, before) = well().await?;
    assert!(before.iter().any(|found| found.check == "prompts" && found.level == "good"), "{before:#?}");
    clinic.home().run(["config", "set", "prompts.repository", "file:///nowhere/prompts.git"]).await?.succeeded()?;
    let is_told = || async { Ok(clinic.new_wrongs(&before).await?.pop()) };
    let found = eventually("it is tried", LIMIT, is_told).await?;
    is(&found, "prompts", "warning", "review-gate prompts sync");
    assert!(found.cause.contains("Nothing was fetched before."), "what is served is said, too: {found}");
    Ok(())
}

#[tokio::test]
async fn another_version_on_path_is_named_with_both_versions() -> Result<()> {
    let (clinic, _gate, before) = well().await?;
    fs::remove_file(clinic.at("bin/review-gate"))?;
    clinic.program("bin/review-gate", "echo review-gate 0.0.7")?;
    let found = clinic.only_wrong(&before).await?;
    is(&found, "program", "warning", "ln -sf ");
    assert!(found.cause.contains("0.0.7") && found.cause.contains(env!("CARGO_PKG_VERSION")), "{found}");
    Ok(())
}

#[tokio::test]
async fn a_program_on_path_that_doesnt_run_is_a_fault() -> Result<()> {
    let (clinic, _gate, before) = well().await?;
    fs::remove_file(clinic.at("bin/review-gate"))?;
    clinic.program("bin/review-gate", "echo it is broken >&2; exit 3")?;
    let found = clinic.only_wrong(&before).await?;
    is(&found, "program", "fault", "ln -sf ");
    assert!(found.cause.contains("code 3") && found.cause.contains("it is broken"), "{found}");
    Ok(())
}

#[tokio::test]
async fn a_killed_gate_and_the_socket_that_it_left_are_named() -> Result<()> {
    let (clinic, mut gate, before) = well().await?;
    let pid = gate.pid().context("the gate runs")?;
    gate.kill().await?;
    let found = clinic.only_wrong(&before).await?;
    is(&found, "socket", "warning", "review-gate");
    assert!(found.cause.contains(&pid.to_string()), "which process that was: {found}");
    Ok(())
}

#[tokio::test]
async fn a_gate_that_hangs_is_named_with_the_command_that_ends_it() -> Result<()> {
    let (clinic, gate, before) = well().await?;
    let pid = gate.pid().context("the gate runs")?;
    let process = Pid::from_raw(i32::try_from(pid)?).context("a process number")?;
    kill_process(process, Signal::STOP)?;
    let found = clinic.only_wrong(&before).await?;
    is(&found, "gate", "fault", &format!("kill -KILL {pid}"));
    kill_process(process, Signal::CONT)?;
    assert_eq!(clinic.new_wrongs(&before).await?, [], "and it is well when it goes on");
    Ok(())
}

#[tokio::test]
async fn a_lock_that_another_process_holds_is_named_with_its_number() -> Result<()> {
    let (clinic, before) = stopped().await?;
    let lock = clinic.home().path().join("gate.lock");
    let ours = std::process::id();
    fs::write(&lock, format!("{ours}\n"))?;
    let held = File::open(&lock)?;
    flock(&held, FlockOperation::NonBlockingLockExclusive)?;
    let found = clinic.only_wrong(&before).await?;
    is(&found, "lock", "fault", &format!("kill -KILL {ours}"));
    drop(held);
    assert_eq!(clinic.new_wrongs(&before).await?, [], "a signed file without a lock is nobody's");
    Ok(())
}

#[tokio::test]
async fn a_gate_of_another_version_is_told_apart() -> Result<()> {
    let (clinic, before) = stopped().await?;
    let socket = clinic.home().path().join("control/control.sock");
    let listener = tokio::net::UnixListener::bind(&socket)?;
    let older = tokio::spawn(async move {
        let (stream, _) = listener.accept().await?;
        let (read, mut write) = stream.into_split();
        let mut lines = BufReader::new(read).lines();
        lines.next_line().await?;
        let status = json!({"pid": 1, "version": "0.0.7", "pending": 0, "window": false, "away": false, "http": null});
        while let Some(line) = lines.next_line().await? {
            let asked: Value = serde_json::from_str(&line)?;
            let answer = json!({"id": asked["id"], "ok": {"answer": "status", "status": status, "clients": []}});
            write.write_all(format!("{answer}\n").as_bytes()).await?;
        }
        anyhow::Ok(())
    });
    let wrongs = clinic.new_wrongs(&before).await?;
    older.await??;
    let found = wrongs.iter().find(|found| found.check == "gate").context("the gate is named")?;
    is(found, "gate", "warning", "review-gate stop");
    assert!(found.cause.contains("0.0.7"), "{found}");
    Ok(())
}

#[tokio::test]
async fn a_home_that_others_may_enter_is_a_fault() -> Result<()> {
    let (clinic, _gate, before) = well().await?;
    set_mode(clinic.home().path(), 0o755)?;
    let found = clinic.only_wrong(&before).await?;
    is(&found, "home", "fault", "chmod 700 ~/gate");
    Ok(())
}

#[tokio::test]
async fn a_token_that_others_may_read_is_a_fault() -> Result<()> {
    let (clinic, _gate, before) = well().await?;
    set_mode(&clinic.home().path().join("token"), 0o644)?;
    let found = clinic.only_wrong(&before).await?;
    is(&found, "token", "fault", "review-gate token rotate");
    Ok(())
}

#[tokio::test]
async fn a_token_file_without_a_token_is_named() -> Result<()> {
    let (clinic, _gate, before) = well().await?;
    fs::write(clinic.home().path().join("token"), "\n")?;
    let found = clinic.only_wrong(&before).await?;
    is(&found, "token", "warning", "review-gate stop");
    Ok(())
}

#[tokio::test]
async fn what_stands_where_the_socket_belongs_is_a_fault() -> Result<()> {
    let (clinic, before) = stopped().await?;
    for name in ["mcp.sock", "control/control.sock"] {
        let socket = clinic.home().path().join(name);
        fs::write(&socket, "in the way")?;
        let found = clinic.only_wrong(&before).await?;
        is(&found, "socket", "fault", &format!("mv ~/gate/{name}"));
        fs::remove_file(&socket)?;
    }
    Ok(())
}

#[tokio::test]
async fn a_port_that_another_program_has_is_named_with_the_one_that_is_served() -> Result<()> {
    let other = TcpListener::bind("127.0.0.1:0")?;
    let port = other.local_addr()?.port();
    let wanted = ("REVIEW_GATE__NETWORK__PORT".into(), port.to_string().into());
    let clinic = Clinic::with("", [wanted])?;
    let before = clinic.findings().await?;
    assert!(before.iter().any(|found| found.check == "http"), "seen before a gate runs: {before:#?}");
    let _gate = clinic.home().serve().await?;
    let found =
        clinic.findings().await?.into_iter().find(|found| found.check == "http").context("the port is named")?;
    is(&found, "http", "warning", "review-gate config set network.port");
    assert!(found.cause.contains(&port.to_string()) && found.cause.contains("instead"), "{found}");
    Ok(())
}

#[tokio::test]
async fn http_that_is_switched_off_is_no_fault() -> Result<()> {
    let clinic = Clinic::with("network:\n  http: false\n", [])?;
    let _gate = clinic.home().serve().await?;
    let found = clinic.findings().await?.into_iter().find(|found| found.check == "http").context("it is mentioned")?;
    assert_eq!(found.level, "note", "the person wants it so: {found}");
    Ok(())
}

#[tokio::test]
async fn a_home_that_is_a_file_is_a_fault() -> Result<()> {
    let clinic = Clinic::new()?;
    let before = clinic.findings().await?;
    clinic.write("gate", "not a folder")?;
    let found = clinic.only_wrong(&before).await?;
    is(&found, "home", "fault", "mv ~/gate");
    Ok(())
}

#[tokio::test]
async fn a_home_that_cannot_be_written_is_a_fault() -> Result<()> {
    let clinic = Clinic::new()?;
    let before = clinic.findings().await?;
    let path = clinic.home().path().to_owned();
    // Modes don't bind root, and only root may mount.
    let disk = SmallDisk::mount(&path, "size=100m,mode=700,ro").await?;
    if disk.is_none() {
        set_mode(&path, 0o500)?;
    }
    let found = clinic.only_wrong(&before).await?;
    is(&found, "home", "fault", "");
    assert!(found.cause.contains("can't be written"), "{found}");
    Ok(())
}

#[tokio::test]
async fn a_disk_that_is_full_or_nearly_so_is_named() -> Result<()> {
    let clinic = Clinic::new()?;
    let before = clinic.findings().await?;
    let path = clinic.home().path().to_owned();
    let Some(_disk) = SmallDisk::mount(&path, "size=8m,mode=700").await? else {
        return out_of_reach("only root may mount a small disk; the bounds have a test of their own");
    };
    is(&clinic.only_wrong(&before).await?, "disk", "warning", "");
    let mut filler = File::create(path.join("filler"))?;
    let full = std::io::copy(&mut std::io::repeat(0), &mut filler).err().context("a small disk is full some time")?;
    assert_eq!(full.kind(), std::io::ErrorKind::StorageFull);
    let wrongs = clinic.new_wrongs(&before).await?;
    assert!(!wrongs.is_empty() && wrongs.iter().all(|found| found.check == "disk"), "{wrongs:#?}");
    assert!(wrongs.iter().any(|found| found.level == "fault"), "nothing can be stored any more: {wrongs:#?}");
    Ok(())
}

#[tokio::test]
async fn a_settings_file_that_is_no_yaml_is_a_fault_with_its_line() -> Result<()> {
    let (clinic, _gate, before) = well().await?;
    fs::write(clinic.home().path().join("config.yaml"), "window:\n  theme: dark\n  font_size: [14\n")?;
    let found = clinic.only_wrong(&before).await?;
    is(&found, "settings", "fault", "review-gate config validate");
    assert!(found.cause.contains("line"), "the place is named: {found}");
    Ok(())
}

#[tokio::test]
async fn a_setting_that_there_isnt_is_named() -> Result<()> {
    let (clinic, _gate, before) = well().await?;
    fs::write(clinic.home().path().join("config.yaml"), "window:\n  colour: red\n")?;
    let found = clinic.only_wrong(&before).await?;
    is(&found, "settings", "warning", "review-gate config validate");
    assert!(found.cause.contains("window.colour"), "{found}");
    Ok(())
}

#[tokio::test]
async fn a_person_who_is_away_is_told_why_agents_dont_wait() -> Result<()> {
    let clinic = Clinic::new()?;
    // A script says here that the person is away.
    let _gate = clinic.home().serve_with(&["--allow-scripts"]).await?;
    let before = clinic.findings().await?;
    let weak = before.iter().find(|found| found.check == "guards").context("which is told, too")?;
    assert!(weak.cause.contains("serve --allow-scripts"), "{weak}");
    clinic.home().run(["away"]).await?.succeeded()?;
    is(&clinic.only_wrong(&before).await?, "person", "warning", "review-gate away off");
    clinic.home().run(["away", "off"]).await?.succeeded()?;
    let quiet = json!({"command": "set_do_not_disturb", "on": true});
    let done = Control::open(clinic.home()).await?.command(quiet).await?;
    assert!(done.is_ok(), "do-not-disturb is on: {done:?}");
    let found = clinic.findings().await?.into_iter().find(|found| found.check == "person").context("it is named")?;
    assert!(found.level == "note" && found.cause.contains("Do-not-disturb"), "chosen, so no warning: {found}");
    Ok(())
}

#[tokio::test]
async fn a_socket_that_nobody_listens_on_is_gone_after_the_next_start() -> Result<()> {
    let (clinic, before) = stopped().await?;
    drop(UnixListener::bind(clinic.home().path().join("control/control.sock"))?);
    let found = clinic.only_wrong(&before).await?;
    is(&found, "socket", "warning", "review-gate");
    let _gate = clinic.home().serve().await?;
    let wrongs = clinic.new_wrongs(&before).await?;
    assert!(wrongs.iter().all(|found| found.check != "socket"), "what doctor says is true: {wrongs:#?}");
    Ok(())
}
