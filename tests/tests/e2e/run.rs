//! `review-gate run`: an agent in a sandbox asks through its relay, and reaches nothing else of the gate's or of the
//! person's. Real programs are its agents: shells, Python, git; real agents are in `real_agents_sandbox.rs`. What it writes
//! of its project is in `run_project.rs`, its terminal in `run_terminal.rs`, ways to answer in the person's place in
//! `run_ways.rs`.

use std::ffi::OsString;
use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context as _, Result};
use gate_tests::{Agent, Home, LIMIT, Ran, bin, eventually, installed, on_path, out_of_reach};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::Command;

/// An agent that is a shell's script.
pub(crate) fn script(home: &Home, text: &str) -> Result<PathBuf> {
    let file = home.workspace().join("agent.sh");
    fs::write(&file, text)?;
    Ok(file)
}

/// `review-gate run` with these words before the agent, which is a script.
pub(crate) fn running(home: &Home, words: &[&str], text: &str) -> Result<Command> {
    let file = script(home, text)?;
    let before = ["run"].into_iter().chain(words.iter().copied()).map(OsString::from);
    home.command(before.chain(["--".into(), "sh".into(), file.into_os_string()]))
}

pub(crate) async fn ran(home: &Home, words: &[&str], text: &str) -> Result<Ran> {
    Ran::of(running(home, words, text)?).await
}

/// A repository in the folder that agents work in.
pub(crate) async fn repository(home: &Home) -> Result<PathBuf> {
    let mut command = Command::new("git");
    command.args(["init", "--quiet"]).current_dir(home.workspace()).stdin(Stdio::null());
    Ran::of(command).await?.succeeded()?;
    Ok(home.workspace())
}

/// A relay in a sandbox, which is all of its agent.
fn relay(home: &Home) -> Result<Agent> {
    let program = home.command_line()?;
    let words = [OsString::from("run"), "--".into(), program.into_os_string(), "mcp".into()];
    Agent::from_command(home, home.command(words)?)
}

#[tokio::test]
async fn an_agent_in_a_sandbox_asks_and_is_answered_over_restarts_of_the_gate() -> Result<()> {
    let Some(home) = Home::with_sandboxes_and_scripts().await? else { return Ok(()) };
    repository(&home).await?;
    let mut gate = home.serve().await?;
    let agent = relay(&home)?;
    agent.initialize("claude-code").await.with_context(|| agent.stderr())?;
    for title in ["First", "After a restart"] {
        let call = agent.call(json!({"message": "Which way?", "title": title})).await?;
        let id = home.waiting(title).await?;
        let pending = home.pending().await?;
        let folder = pending.first().context("it waits")?["workspace"].clone();
        assert_eq!(folder, json!(home.workspace().display().to_string()), "it is called inside as it is outside");
        home.answer(&id, ["--text", "Left."]).await?;
        let outcome = agent.outcome(call).await?;
        assert_eq!(outcome["text"], "Left.", "the reply comes in: {outcome}");
        gate.kill().await?;
        gate = home.serve().await?;
    }
    Ok(())
}

#[tokio::test]
async fn what_an_agent_in_a_sandbox_asks_of_its_repository_is_read_where_the_kernel_sees_it() -> Result<()> {
    let Some(home) = Home::with_sandboxes().await? else { return Ok(()) };
    let project = repository(&home).await?;
    fs::write(project.join("a.txt"), "one\n")?;
    let _gate = home.serve().await?;
    let agent = relay(&home)?;
    agent.initialize("claude-code").await.with_context(|| agent.stderr())?;
    let repository = json!({"path": project.display().to_string(), "what": "worktree"});
    let question = json!({"message": "May I?", "title": "Of git", "approval": true, "repository": repository});
    agent.call(question).await?;
    home.waiting("Of git").await?;
    Ok(())
}

/// What an agent tries that it isn't to reach. Each line that it prints is one that it has reached.
const REACHES: &str = r#"
for file in "$HOME_OF_GATE/review-gate.db" "$HOME_OF_GATE/token" "$HOME_OF_GATE/control/control.sock" \
  "$HOME_OF_GATE/mcp.sock" /run/review-gate-sandbox/control /run/review-gate-sandbox/review-gate.db \
  "$PERSON/.ssh/id" /tmp/.X11-unix /run/user /run/dbus; do
  test -e "$file" && echo "$file is there"
done
test "$(ls /run/review-gate-sandbox)" = mcp.sock || echo "the socket's folder has $(ls /run/review-gate-sandbox)"
touch /run/review-gate-sandbox/x 2>/dev/null && echo "the socket's folder can be written"
env | grep -E '^(DISPLAY|WAYLAND_DISPLAY|DBUS_|XAUTHORITY|SSH_AUTH_SOCK|REVIEW_GATE_)' && echo "variables lead out"
for process in /proc/[0-9]*; do
  tr '\0' ' ' < "$process/cmdline" | grep -E 'serve|Xvfb' && echo "$process is another's"
done
test -e "/proc/$GATE" && grep -q serve "/proc/$GATE/cmdline" 2>/dev/null && echo "the gate can be seen"
grep -E '^Cap(Inh|Prm|Eff|Amb):.*[1-9a-f]' /proc/self/status && echo "it has a capability"
for command in "answer $REQUEST --text no" link stop "requests" "import x" serve; do
  timeout 20 "$PROGRAM" $command >/dev/null 2>&1 </dev/null && echo "review-gate $command got somewhere"
done
echo end
"#;

#[tokio::test]
async fn nothing_of_the_gate_the_person_or_other_programs_is_there() -> Result<()> {
    let Some(home) = Home::with_sandboxes().await? else { return Ok(()) };
    let gate = home.serve().await?;
    let person = home.folder().join("person");
    fs::create_dir_all(person.join(".ssh"))?;
    fs::write(person.join(".ssh/id"), "secret")?;
    let agent = Agent::start(&home, "claude-code").await?;
    agent.call(json!({"message": "Which way?", "title": "Waits"})).await?;
    let request = home.waiting("Waits").await?;
    let mut command = running(&home, &[], REACHES)?;
    for (name, value) in [
        ("HOME_OF_GATE", home.path().as_os_str()),
        ("PERSON", person.as_os_str()),
        ("HOME", person.as_os_str()),
        ("PROGRAM", home.command_line()?.as_os_str()),
        ("DISPLAY", ":99".as_ref()),
        ("WAYLAND_DISPLAY", "wayland-0".as_ref()),
        ("DBUS_SESSION_BUS_ADDRESS", "unix:abstract=/tmp/x".as_ref()),
        ("SSH_AUTH_SOCK", "/tmp/agent".as_ref()),
    ] {
        command.env(name, value);
    }
    command.env("GATE", gate.pid().context("it runs")?.to_string()).env("REQUEST", &request);
    let ran = Ran::of(command).await?.succeeded()?;
    assert_eq!(ran.stdout, "end\n", "nothing was reached: {ran:?}");
    assert_eq!(home.waiting("Waits").await?, request, "and nothing was answered");
    Ok(())
}

#[tokio::test]
async fn it_ends_as_its_agent_does() -> Result<()> {
    let Some(home) = Home::with_sandboxes().await? else { return Ok(()) };
    let _gate = home.serve().await?;
    for (text, code) in [("true", 0), ("exit 7", 7), ("kill -KILL $$", 137)] {
        let ran = ran(&home, &[], text).await?;
        assert_eq!(ran.code, Some(code), "{text}: {ran:?}");
    }
    let text = "trap 'echo asked; exit 9' TERM; echo ready; while :; do read -r line; done";
    let mut command = running(&home, &[], text)?;
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let mut lines = BufReader::new(child.stdout.take().context("it prints")?).lines();
    assert_eq!(lines.next_line().await?.as_deref(), Some("ready"));
    let pid = child.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?)).context("it runs")?;
    kill_process(pid, Signal::TERM)?;
    assert_eq!(lines.next_line().await?.as_deref(), Some("asked"), "a signal is the agent's");
    let ended = tokio::time::timeout(LIMIT, child.wait()).await??;
    assert_eq!(ended.code(), Some(9), "which ends as it wants");
    Ok(())
}

#[tokio::test]
async fn a_home_that_is_reached_by_a_link_is_as_any_other() -> Result<()> {
    let Some(home) = Home::with_sandboxes().await? else { return Ok(()) };
    // One that is started by way of the link wouldn't end with this home.
    let _gate = home.serve().await?;
    let link = home.folder().join("link");
    symlink(home.folder(), &link)?;
    let of_gate = link.join(home.path().strip_prefix(home.folder())?);
    let settings = home.folder().join(".claude/settings.json");
    fs::create_dir(home.folder().join(".claude"))?;
    fs::write(&settings, "{}")?;
    fs::write(home.folder().join(".claude.json"), "{}")?;
    let text = "{ echo evil >> ~/.claude/settings.json; } 2>/dev/null && echo changed
cat ~/.claude.json && echo x > ~/.claude/state && test -d \"$ATTACHED\" && echo started";
    let mut command = running(&home, &["--client", "claude-code"], text)?;
    command.env("HOME", &link).env("REVIEW_GATE_HOME", &of_gate).env_remove("CLAUDE_CONFIG_DIR");
    command.env("ATTACHED", of_gate.join("attachments"));
    let ran = Ran::of(command).await?.succeeded()?;
    assert_eq!(ran.stdout, "{}started\n", "nothing was ever attached here, and it starts: {ran:?}");
    assert!(home.folder().join(".claude/state").is_file(), "its state is the person's");
    assert_eq!(fs::read_to_string(&settings)?, "{}", "and what configures it isn't the agent's to write");
    Ok(())
}

/// A folder of programs: bubblewrap's, and what is said in the place of others.
fn programs(home: &Home, name: &str, bubblewrap: Option<&str>) -> Result<PathBuf> {
    let folder = home.folder().join(name);
    fs::create_dir(&folder)?;
    symlink(on_path("sh")?, folder.join("sh"))?;
    match bubblewrap {
        Some(text) => {
            fs::write(folder.join("bwrap"), text)?;
            fs::set_permissions(folder.join("bwrap"), fs::Permissions::from_mode(0o755))?;
        }
        None => symlink(on_path("bwrap")?, folder.join("bwrap"))?,
    }
    Ok(folder)
}

#[tokio::test]
async fn where_a_sandbox_can_not_be_made_the_agent_is_not_started() -> Result<()> {
    let Some(home) = Home::with_sandboxes().await? else { return Ok(()) };
    let _gate = home.serve().await?;
    let empty = home.folder().join("empty");
    fs::create_dir(&empty)?;
    symlink(on_path("sh")?, empty.join("sh"))?;
    let forbidden = "#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2; exit 1\n";
    let (forbidden, alone) = (programs(&home, "forbidden", Some(forbidden))?, programs(&home, "alone", None)?);
    let usual = PathBuf::from(std::env::var_os("PATH").context("there is one")?);
    let here = home.workspace();
    let started = here.join("started");
    for (path, words, folder, said) in [
        (&empty, &[][..], &here, "bubblewrap, which makes the sandbox, isn't installed"),
        (&forbidden, &[], &here, "doesn't let bubblewrap make a sandbox with user namespaces"),
        (&alone, &["--network=own"], &here, "pasta, which gives a sandbox a network of its own, isn't installed"),
        (&usual, &[], &home.folder().to_owned(), "kept from the agent"),
        (&usual, &[], &home.path().to_owned(), "in a folder of the gate's"),
        (&usual, &["--write", "/"], &here, "kept from the agent"),
        (&usual, &["--port", "9"], &here, "Only a network of the sandbox's own"),
    ] {
        let mut command = running(&home, words, &format!("touch {}", started.display()))?;
        command.env("PATH", path).env("HOME", home.folder().join("work/below")).current_dir(folder);
        if said == "kept from the agent" {
            command.env("HOME", &here);
        }
        let ran = Ran::of(command).await?;
        assert_eq!(ran.code, Some(125), "{said}: {ran:?}");
        assert!(ran.stderr.contains(said) && ran.stderr.contains("[sandbox]"), "{said}: {ran:?}");
        assert!(!started.exists(), "{said}: nothing was started");
    }
    let ran = home.run(["run", "--", "no-such-agent"]).await?;
    assert!(ran.code == Some(125) && ran.stderr.contains("There is no program no-such-agent"), "{ran:?}");
    Ok(())
}

#[tokio::test]
async fn what_an_agent_would_see_is_printed_and_nothing_started() -> Result<()> {
    let Some(home) = Home::with_sandboxes().await? else { return Ok(()) };
    let project = repository(&home).await?;
    let ran = home.run(["run", "--dry-run", "--", "sh", "-c", "touch started"]).await?.succeeded()?;
    for line in [format!("writes: {}", project.display()), "network: none".to_owned()] {
        assert!(ran.stdout.lines().any(|shown| shown == line), "{line}: {ran:?}");
    }
    assert!(ran.stdout.contains(".git/config"), "what is guarded is named: {ran:?}");
    assert!(!project.join("started").exists() && home.gate().is_none(), "nothing was started");
    Ok(())
}

/// What gives a sandbox a network of its own, and why it may not, though it is installed.
const PASTA: &[(&str, &str)] = &[("pasta", "passt")];
const NO_NETWORK: &str = "pasta finds no network here";

/// Whether a shell reaches a port of loopback, and how many network devices there are.
fn knock(port: u16) -> String {
    format!(
        "bash -c 'exec 3<>/dev/tcp/127.0.0.1/{port}' 2>/dev/null && echo open || echo closed\n\
         awk 'NR > 2 {{ count++ }} END {{ print count }}' /proc/net/dev\n"
    )
}

#[tokio::test]
async fn it_has_no_network_by_itself_and_of_this_machine_what_is_named() -> Result<()> {
    let Some(home) = Home::with_sandboxes().await? else { return Ok(()) };
    let _gate = home.serve().await?;
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let port = listener.local_addr()?.port();
    let number = port.to_string();
    let none = ran(&home, &[], &knock(port)).await?.succeeded()?;
    assert_eq!(none.stdout, "closed\n1\n", "loopback of its own alone: {none:?}");
    let shared = ran(&home, &["--network=shared"], &knock(port)).await?;
    if shared.stderr.contains("Landlock") {
        out_of_reach("this kernel has no Landlock with scopes")?;
    } else {
        assert!(shared.stdout.starts_with("open\n"), "this machine's: {shared:?}");
    }
    if !installed(PASTA)? {
        return Ok(());
    }
    for (words, reached) in
        [(&["--network=own"][..], "closed\n2\n"), (&["--network=own", "--port", &number], "open\n2\n")]
    {
        let ran = ran(&home, words, &knock(port)).await?;
        if ran.stderr.contains("pasta can't connect") {
            return out_of_reach(NO_NETWORK);
        }
        assert_eq!(ran.stdout, reached, "{words:?}: {ran:?}");
    }
    Ok(())
}

/// Connects to an X server's abstract socket, whose display is the argument.
const ABSTRACT: &str = "
import socket, sys
try:
    socket.socket(socket.AF_UNIX).connect('\\0/tmp/.X11-unix/X' + sys.argv[1]); print('reached')
except OSError as error:
    print('kept out')
";

#[tokio::test]
async fn a_display_of_this_machine_is_out_of_reach_on_its_network_too() -> Result<()> {
    let Some(home) = Home::with_sandboxes().await? else { return Ok(()) };
    if !installed(&[("Xvfb", "xvfb")])? {
        return Ok(());
    }
    let _gate = home.serve().await?;
    let mut server = Command::new("Xvfb");
    server.args(["-displayfd", "1", "-nolisten", "tcp", "-listen", "local"]).kill_on_drop(true);
    let mut server = server.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
    let mut lines = BufReader::new(server.stdout.take().context("it says its number")?).lines();
    let display = tokio::time::timeout(LIMIT, lines.next_line()).await??.context("it has a number")?;
    let file = home.workspace().join("abstract.py");
    fs::write(&file, ABSTRACT)?;
    let connect = |command: &str| format!("{command} python3 {} {display}", file.display());
    let mut outside = Command::new("sh");
    outside.args(["-c", &connect("")]).stdin(Stdio::null());
    assert_eq!(Ran::of(outside).await?.stdout, "reached\n", "whoever isn't in a sandbox reaches it");
    for words in [&[][..], &["--network=shared"], &["--network=own"]] {
        let ran = ran(&home, words, &connect("exec")).await?;
        if ran.code == Some(125) {
            assert!(!words.is_empty(), "without a network nothing lacks: {ran:?}");
            if !words.contains(&"--network=own") || installed(PASTA)? {
                out_of_reach(&format!("{words:?} can't be had here: {}", ran.stderr))?;
            }
            continue;
        }
        assert_eq!(ran.stdout, "kept out\n", "{words:?}: {ran:?}");
    }
    Ok(())
}

/// A user who isn't root, if this one can become such.
async fn as_another(home: &Home, text: &str) -> Result<Option<Ran>> {
    let mut command = Command::new("setpriv");
    let other = ["--reuid", "65534", "--regid", "65534", "--clear-groups", "--"];
    let folder = tempfile::Builder::new().prefix("rg-").tempdir_in("/tmp")?;
    std::os::unix::fs::chown(folder.path(), Some(65534), Some(65534)).ok();
    let (work, person) = (folder.path().join("work"), folder.path().join("person"));
    let begin = format!(
        "mkdir -p {0} {1} && cd {0} && exec {2} run -- sh -c '{text}'",
        work.display(),
        person.display(),
        home.command_line()?.display()
    );
    command.args(other).args(["sh", "-c", &begin]).stdin(Stdio::null()).current_dir("/");
    command.env("REVIEW_GATE_HOME", folder.path().join("home")).env("HOME", &person);
    let ran = Ran::of(command).await?;
    let stop = Command::new("setpriv")
        .args(other)
        .arg(home.command_line()?)
        .arg("stop")
        .env("REVIEW_GATE_HOME", folder.path().join("home"))
        .current_dir("/")
        .output()
        .await;
    drop(stop);
    Ok((!ran.stderr.contains("setpriv:")).then_some(ran))
}

#[tokio::test]
async fn a_user_who_is_not_root_has_the_same_sandbox() -> Result<()> {
    let Some(home) = Home::with_sandboxes().await? else { return Ok(()) };
    if !is_readable_by_all(&bin("review-gate")?) {
        return out_of_reach("the programs are where another user can't read them");
    }
    let text = "id -u; ls /run/review-gate-sandbox; grep CapEff /proc/self/status
bwrap --unshare-all --ro-bind / / --proc /proc --dev /dev echo within";
    let Some(ran) = as_another(&home, text).await? else {
        return out_of_reach("only root can become another user");
    };
    let mut lines = ran.stdout.lines();
    assert_eq!(lines.next(), Some("65534"), "it is still that user: {ran:?}");
    assert_eq!(lines.next(), Some("mcp.sock"), "{ran:?}");
    assert!(lines.next().is_some_and(|line| line.ends_with("0000000000000000")), "{ran:?}");
    assert_eq!(lines.next(), Some("within"), "an agent may have a sandbox of its own in it, as Codex has: {ran:?}");
    Ok(())
}

fn is_readable_by_all(file: &Path) -> bool {
    file.ancestors().all(|path| fs::metadata(path).is_ok_and(|found| found.permissions().mode() & 0o005 == 0o005))
}

/// How many pastas there are of a home.
fn pastas(home: &Home) -> usize {
    let all = gate_tests::processes_with("REVIEW_GATE_HOME", home.path());
    all.iter().filter(|process| process.arguments().iter().any(|word| word == "--no-map-gw")).count()
}

#[tokio::test]
async fn pasta_ends_with_its_sandbox() -> Result<()> {
    let Some(home) = Home::with_sandboxes().await? else { return Ok(()) };
    if !installed(PASTA)? {
        return Ok(());
    }
    let _gate = home.serve().await?;
    let ran = ran(&home, &["--network=own"], "true").await?;
    if ran.code == Some(125) {
        return out_of_reach(NO_NETWORK);
    }
    eventually("pasta's end", LIMIT, || async { Ok((pastas(&home) == 0).then_some(())) }).await
}

#[tokio::test]
async fn pasta_and_its_sandbox_end_with_what_has_started_them() -> Result<()> {
    let Some(home) = Home::with_sandboxes().await? else { return Ok(()) };
    if !installed(PASTA)? {
        return Ok(());
    }
    let _gate = home.serve().await?;
    let mut command = running(&home, &["--network=own"], "echo ready; while read -r line; do :; done")?;
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let mut lines = BufReader::new(child.stdout.take().context("it prints")?).lines();
    let Some(_ready) = tokio::time::timeout(LIMIT, lines.next_line()).await?? else {
        assert_eq!(child.wait().await?.code(), Some(125), "there is no sandbox");
        return out_of_reach(NO_NETWORK);
    };
    // While it begins there are two of it, of which one ends.
    eventually("the one that connects the sandbox", LIMIT, || async { Ok((pastas(&home) == 1).then_some(())) }).await?;
    let input = child.stdin.take();
    child.kill().await?;
    eventually("pasta's end", LIMIT, || async { Ok((pastas(&home) == 0).then_some(())) }).await?;
    let last = tokio::time::timeout(LIMIT, lines.next_line()).await.context("the agent ends")??;
    assert_eq!(last, None, "nobody is left in there who could print");
    drop(input);
    Ok(())
}

#[tokio::test]
async fn a_sandbox_in_a_sandbox_is_refused() -> Result<()> {
    let Some(home) = Home::with_sandboxes().await? else { return Ok(()) };
    let _gate = home.serve().await?;
    let program = home.command_line()?.display().to_string();
    let ran = ran(&home, &[], &format!("{program} run -- true")).await?;
    assert!(ran.code == Some(125) && ran.stderr.contains("already"), "{ran:?}");
    Ok(())
}
