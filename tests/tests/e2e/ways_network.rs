//! Ways of other users of this machine, and of whoever reads the home's files some day. What pages and strangers can't
//! do over HTTP is in `browser_door.rs`, `http.rs` and `http_page.rs`.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;

use anyhow::{Context as _, Result};
use gate_tests::{Agent, Home, Http, Ran, SignedPage, out_of_reach};
use serde_json::json;
use tokio::process::Command;

/// The user and the group that nobody is.
const NOBODY: &str = "65534";
/// Asks the gate for a snapshot unsigned, and for its tools without a token; prints the lines with the status.
const STRANGER: &str = r#"
trap '' PIPE
for request in "POST /ui/command" "POST /mcp"; do
  exec 3<>"/dev/tcp/127.0.0.1/$1" || exit 1
  printf -v head '%s HTTP/1.1\r\nhost: 127.0.0.1:%s\r\n' "$request" "$1"
  printf -v rest 'content-type: application/json\r\ncontent-length: 0\r\n\r\n'
  printf '%s' "$head$rest" | cat >&3
  head --lines=1 <&3
  exec 3>&-
done
"#;

/// Runs a line of bash as a user who is nobody's.
async fn as_nobody(line: &str, arguments: &[&str]) -> Result<Ran> {
    let mut command = Command::new("setpriv");
    command.args(["--reuid", NOBODY, "--regid", NOBODY, "--clear-groups", "--", "/bin/bash", "-c", line, "bash"]);
    command.args(arguments).current_dir("/").stdin(std::process::Stdio::null());
    Ran::of(command).await
}

#[tokio::test]
async fn another_user_of_this_machine_reaches_nothing() -> Result<()> {
    if as_nobody("true", &[]).await?.code != Some(0) {
        return out_of_reach("only root can become another user");
    }
    let home = Home::with_config("network:\n  port: 0\n")?;
    // What is above the home is open, as /home/ada may be, and the home was made with open hands.
    for folder in [home.folder(), home.path()] {
        std::fs::set_permissions(folder, Permissions::from_mode(0o755))?;
    }
    let _gate = home.serve().await?;
    let agent = Agent::start(&home, "claude-code").await?;
    agent.call(json!({"message": "Which password?", "title": "secret"})).await?;
    home.waiting("secret").await?;
    let at = home.path().display().to_string();
    for file in ["token", "review-gate.db", "gate.lock", "config.yaml"] {
        let read = as_nobody("test -e \"$1\" && echo there; cat \"$1\"", &[&format!("{at}/{file}")]).await?;
        assert!(read.code != Some(0) && read.stdout.is_empty(), "{file} is out of their sight: {read:?}");
    }
    for socket in ["mcp.sock", "control/control.sock"] {
        let seen = as_nobody("test -S \"$1\"", &[&format!("{at}/{socket}")]).await?;
        assert_ne!(seen.code, Some(0), "{socket} is, too: {seen:?}");
    }
    let gate = home.gate().context("it runs")?.pid().to_string();
    for file in ["environ", "mem", "fd/1"] {
        let read = as_nobody("head --bytes=1 \"/proc/$1/$2\"", &[&gate, file]).await?;
        assert!(read.code != Some(0) && read.stdout.is_empty(), "{file} of the gate: {read:?}");
    }
    let address = Http::of(&home)?.address;
    let port = address.rsplit(':').next().context("a port")?;
    let asked = as_nobody(STRANGER, &[port]).await?.succeeded()?;
    let answers: Vec<&str> = asked.stdout.lines().filter_map(|line| line.split(' ').nth(1)).collect();
    assert_eq!(answers.len(), 2, "both are answered: {asked:?}");
    assert!(answers.iter().all(|status| ["401", "403"].contains(status)), "over HTTP they are strangers: {asked:?}");
    Ok(())
}

#[tokio::test]
async fn what_the_home_keeps_is_its_owners_alone() -> Result<()> {
    let home = Home::with_config("network:\n  port: 0\n")?;
    let _gate = home.serve().await?;
    let person = SignedPage::sign_in(&home).await?;
    let agent = Agent::start(&home, "claude-code").await?;
    let call = agent.call(json!({"message": "Which password?", "title": "secret"})).await?;
    person.writes(&home.waiting("secret").await?, "hunter2").await?;
    agent.outcome(call).await?;
    home.run(["backup"]).await?.succeeded()?;
    person.does(json!({"command": "weaken_guard", "key": "security.terminal_answers", "value": true})).await?;
    // Not `config.yaml`: its rights are what its person's editor gives it, in a folder that nobody else enters.
    let required = [
        "",
        "control",
        "logs",
        "backups",
        "review-gate.db",
        "replies.journal",
        "receipts.log",
        "guards.json",
        "browsers",
        "token",
        "gate.lock",
    ];
    // Which of these there are is SQLite's and the file system's to say, and the index is made when it is needed.
    let possible = ["review-gate.db-wal", "review-gate.db-shm", "search.db", "search.db-wal"];
    for name in required.into_iter().chain(possible) {
        let path = home.path().join(name);
        assert!(path.exists() || possible.contains(&name), "{name} is looked at");
        if path.exists() {
            let mode = std::fs::metadata(&path)?.permissions().mode();
            assert_eq!(mode & 0o077, 0, "others may do nothing with {name:?}: {mode:o}");
        }
    }
    Ok(())
}
