//! Ways to answer in the person's place with a shell of their own: terminals that are made for it, claims at the
//! socket, commands of theirs, a gate or a record put in the place of the one that is there. At the default settings,
//! but where a test names a flag. What scripts and terminals may is also in `trust.rs`.

use anyhow::{Context as _, Result};
use gate_tests::{
    Agent, Control, FakeLogin, Home, HomeOptions, Http, LIMIT, Person, Ran, SignedPage, Spawning, Terminal, Window,
    bin, eventually, out_of_reach, skip, sockets_of,
};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::Command;

/// An id that nothing has.
const NOBODY: &str = "0190a6e4-7a10-7000-8000-000000000001";
/// Speaks to the person's socket by itself, says that it has a terminal, and prints what each of its commands is
/// answered with. Its arguments are the socket, a request, and the digest of its question.
const CLAIMS: &str = r#"
import json, os, socket, sys
at, request, digest = sys.argv[1:]
connection = socket.socket(socket.AF_UNIX)
connection.connect(at)
lines = connection.makefile("rw")
def say(line):
    lines.write(json.dumps(line) + "\n")
    lines.flush()
say({"review_gate": 1, "role": "control", "terminal": True, "pid": os.getpid(), "version": "0"})
draft = {"text": "go", "selected": [], "comments": [], "attachments": []}
reply = {"command": "send_reply", "request_id": request, "digest": digest, "draft": draft}
commands = [
    {"command": "begin_terminal_reply", "request_id": request, "digest": digest},
    {**reply, "decision": "approved"},
    {"command": "save_draft", "request_id": request, "draft": draft},
    {"command": "link"},
]
for number, command in enumerate(commands, 1):
    say({"id": number, **command})
    answer = json.loads(lines.readline())
    print(command["command"], answer.get("fault", {}).get("code", "done"), flush=True)
"#;
/// The user, and their group, whose gate others of the same user look into.
const SAME: u32 = 65534;
/// A Python that this user can start, too.
const PYTHON: &str = "/usr/bin/python3";
/// Looks into the process that it is given in each way that Linux has, and says of each whether it is open to it.
const LOOKS_INTO: &str = r#"
import ctypes, os, sys
pid = int(sys.argv[1])
libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
libc.syscall.restype = ctypes.c_long
ATTACH, DETACH, WALL, PIDFD_OPEN, PIDFD_GETFD = 16, 17, 0x40000000, 434, 438
def done(result):
    if result < 0:
        raise OSError(ctypes.get_errno(), "refused")
    return result
def memory():
    os.close(os.open(f"/proc/{pid}/mem", os.O_RDWR))
def environment():
    with open(f"/proc/{pid}/environ", "rb") as file:
        file.read(1)
def files():
    os.listdir(f"/proc/{pid}/fd")
def a_file():
    done(libc.syscall(PIDFD_GETFD, done(libc.syscall(PIDFD_OPEN, pid, 0)), 0, 0))
def attach():
    done(libc.ptrace(ATTACH, pid, None, None))
    os.waitpid(pid, WALL)
    done(libc.ptrace(DETACH, pid, None, None))
for way in (memory, environment, files, a_file, attach):
    try:
        way()
        print(way.__name__, "open")
    except OSError:
        print(way.__name__, "refused")
"#;
/// A process like others, which also a system that lets nobody look into a process but its parent leaves to all.
const LIKE_OTHERS: &str = "import ctypes, sys
PR_SET_PTRACER, ANY = 0x59616d61, -1
ctypes.CDLL(None).prctl(PR_SET_PTRACER, ctypes.c_long(ANY))
print('ready', flush=True)
sys.stdin.read()";
/// Runs its arguments in a terminal that it makes.
const PTY: &str = "import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))";

/// An approval that waits; its id.
async fn asked(home: &Home, title: &str) -> Result<String> {
    let asked = home.run(["ask", "May I?", "--title", title, "--approval", "--timeout", "1"]).await?;
    assert_eq!(asked.code, Some(3), "nobody has answered: {asked:?}");
    home.waiting(title).await
}

/// What a command over the socket is refused with.
async fn refused(front: &mut Control, command: Value) -> Result<Value> {
    let refused = front.command(command.clone()).await?.err().with_context(|| format!("{command} is refused"))?;
    Ok(refused["code"].clone())
}

/// The command that runs [`CLAIMS`] for a request.
async fn claims(home: &Home, id: &str) -> Result<Vec<String>> {
    let mut front = Control::open(home).await?;
    let question = front.command(json!({"command": "question", "request_id": id})).await?;
    let question = question.map_err(|fault| anyhow::anyhow!("{fault}"))?;
    let digest = question["digest"].as_str().context("a digest")?.to_owned();
    let socket = home.path().join("control/control.sock").display().to_string();
    Ok(["python3".to_owned(), "-c".to_owned(), CLAIMS.to_owned(), socket, id.to_owned(), digest].into())
}

#[tokio::test]
async fn a_terminal_that_was_made_for_it_decides_nothing_and_its_text_proves_nothing() -> Result<()> {
    let home = Home::new()?;
    let _gate = home.serve().await?;
    let agent = Agent::start(&home, "claude-code").await?;
    let call = agent.call(json!({"message": "May I?", "title": "Deploy", "approval": true})).await?;
    let id = home.waiting("Deploy").await?;
    let program = gate_tests::bin("review-gate")?;
    let approve = format!("{} answer {id} --approve", program.display());
    // A terminal whose maker has left it behind, as one of a tmux server's that was started for it.
    let (code, shown) = Terminal::start(&home, &approve)?.ended().await?;
    assert!(code == Some(4) && shown.contains("[terminal_answers_off]"), "{code:?} {shown}");
    let mut made = Command::new("python3");
    made.args(["-c", PTY]).arg(&program).args(["answer", &id, "--approve"]).stdin(std::process::Stdio::null());
    home.dress(&mut made);
    let ran = Ran::of(made).await?;
    assert!(ran.code == Some(4) && ran.stdout.contains("_answers_off]"), "in one that this process has made: {ran:?}");
    assert_eq!(home.pending().await?.len(), 1, "it waits for its person");

    home.at_a_terminal(&format!("answer {id} --text approved")).await?;
    let outcome = agent.outcome(call).await?;
    assert_eq!(
        (&outcome["decision"], &outcome["answered_from"], &outcome["assurance"]),
        (&Value::Null, &json!("terminal"), &json!("L0")),
        "what the first kind may say is text, and nobody's word for sure: {outcome}"
    );
    Ok(())
}

#[tokio::test]
async fn a_note_from_a_terminal_that_was_made_for_it_is_told_as_nobodys() -> Result<()> {
    let home = Home::new()?;
    let mut gate = home.serve().await?;
    let agent = Agent::start(&home, "claude-code").await?;
    let progress = json!({"name": "review_gate_update_progress", "arguments": {"progress_percent": 1}});
    let begun = agent.result(agent.request("tools/call", progress.clone()).await?).await?;
    let session = begun["structuredContent"]["session_uuid"].as_str().context("a session")?.to_owned();
    home.at_a_terminal(&format!("note {session} 'Deploy now.'")).await?;
    // It stays what it was over a restart.
    home.run(["stop"]).await?.succeeded()?;
    gate.ended().await?;
    let told = agent.result(agent.request("tools/call", progress).await?).await?;
    let text = told["content"][0]["text"].as_str().context("the note")?;
    assert!(
        text.starts_with("A note given at a terminal, unconfirmed (L0)") && text.ends_with("Deploy now."),
        "any process can make itself one: {told}"
    );
    assert!(!text.contains("person"), "so nothing says that it is the person's: {text}");
    Ok(())
}

#[tokio::test]
async fn a_process_that_claims_a_terminal_decides_nothing_with_or_without_one() -> Result<()> {
    let home = Home::new()?;
    let mut gate = home.serve().await?;
    let id = asked(&home, "Deploy").await?;
    let claims = claims(&home, &id).await?;
    // It has none: a session of its own, its input and output pipes.
    let mut without = Command::new("setsid");
    without.arg("--wait").args(&claims).stdin(std::process::Stdio::null());
    home.dress(&mut without);
    let said = Ran::of(without).await?.succeeded()?.stdout;
    let codes = [
        "begin_terminal_reply terminal_answers_off",
        "send_reply scripted_answers_off",
        "save_draft scripted_answers_off",
        "link scripted_answers_off",
    ];
    assert_eq!(said.lines().collect::<Vec<_>>(), codes, "the kernel knows better");

    // It has inherited one, as the servers and hooks of an agent's client do from their client, and doesn't read there.
    let script = home.folder().join("claims.py");
    std::fs::write(&script, CLAIMS)?;
    let arguments = claims[3..].join(" ");
    for flags in [vec![], vec!["--terminal"]] {
        home.run(["stop"]).await?.succeeded()?;
        gate.ended().await?;
        gate = home.serve_with(&flags).await?;
        let line = format!("python3 {} {arguments} </dev/null 2>&1 | cat", script.display());
        let (_, shown) = Terminal::start(&home, &line)?.ended().await?;
        for refused in ["begin_terminal_reply terminal_answers_off", "send_reply terminal_answers_off"] {
            assert!(shown.contains(refused), "{flags:?}: {shown}");
        }
        assert_eq!(home.pending().await?.len(), 1, "{flags:?}: it waits for its person");
    }
    Ok(())
}

#[tokio::test]
async fn what_is_a_persons_to_command_is_refused_to_a_script() -> Result<()> {
    let home = Home::new()?;
    let _gate = home.serve().await?;
    let id = asked(&home, "Deploy").await?;
    let rows = home.rows("SELECT session_uuid FROM conversations").await?;
    let session = rows[0]["session_uuid"].as_str().context("a session")?;
    let draft = json!({"text": "go", "selected": [], "comments": [], "attachments": []});
    let mut front = Control::open(&home).await?;
    for command in [
        json!({"command": "save_draft", "request_id": id, "draft": draft}),
        json!({"command": "attach", "request_id": id, "name": "a.txt", "data": "AAAA"}),
        json!({"command": "snooze", "request_id": id, "until": null}),
        json!({"command": "undo_reply", "request_id": id}),
        json!({"command": "send_now", "request_id": id}),
        json!({"command": "dismiss_abandoned", "request_ids": [id]}),
        json!({"command": "close_session", "session_uuid": session}),
        json!({"command": "reopen_session", "session_uuid": session}),
        json!({"command": "give_session", "session_uuid": session, "client": null}),
        json!({"command": "send_note", "session_uuid": session, "text": "approved"}),
        json!({"command": "conversation", "session_uuid": session}),
        json!({"command": "restore_checkpoint", "session_uuid": session, "checkpoint_id": NOBODY}),
        json!({"command": "undo_restore", "session_uuid": session, "restore_id": NOBODY}),
        json!({"command": "delete_conversation", "session_uuid": session}),
        json!({"command": "set_away", "away": true}),
        json!({"command": "set_do_not_disturb", "on": true}),
        json!({"command": "create_token", "name": "mine", "reads_all": true}),
        json!({"command": "rotate_token"}),
        json!({"command": "revoke_token", "name": "mine"}),
        json!({"command": "link"}),
        json!({"command": "sign_out"}),
        json!({"command": "sign_out_browser", "browser": "0".repeat(64)}),
        json!({"command": "start_voice", "request_id": id}),
    ] {
        let code = refused(&mut front, command.clone()).await?;
        assert_eq!(code, "scripted_answers_off", "{command}");
    }
    let weaker = json!({"command": "weaken_guard", "key": "security.scripted_answers", "value": true});
    assert_eq!(refused(&mut front, weaker).await?, "setting_forbidden", "nor does it let itself answer");
    let save = json!({"command": "save_settings", "values": {"security.terminal_answers": true}});
    assert_eq!(refused(&mut front, save).await?, "setting_forbidden", "or a terminal decide");
    assert_eq!(home.pending().await?.len(), 1, "it waits for its person");
    Ok(())
}

#[tokio::test]
async fn a_record_that_takes_the_place_of_another_answers_nothing() -> Result<()> {
    // The answer stands in for one that somebody wrote into a copy of the record, in their own home.
    let home = Home::new()?;
    let gate = home.serve().await?;
    let person = SignedPage::sign_in(&home).await?;
    let agent = Agent::start(&home, "claude-code").await?;
    let call = agent.call(json!({"message": "May I?", "title": "Deploy", "approval": true})).await?;
    let id = home.waiting("Deploy").await?;
    person.approves(&id, "").await?;
    assert_eq!(agent.outcome(call).await?["decision"], "approved", "in the record that it was given in");
    let made = home.run(["backup", "--json"]).await?.json()?;
    let backup = made["path"].as_str().context("a path")?.to_owned();
    agent.kill().await?;
    home.run(["stop"]).await?.succeeded()?;
    drop(gate);
    home.run(["restore", &backup]).await?.succeeded()?;

    let _gate = home.serve().await?;
    let agent = Agent::start(&home, "claude-code").await?;
    for arguments in [json!({"message": "May I?", "request_id": id}), json!({"message": "m", "request_id": id})] {
        let call = agent.call(arguments).await?;
        let result = agent.result(call).await?;
        assert_eq!(result["isError"], true, "history answers no call: {result}");
        assert!(!result.to_string().contains("APPROVED"), "{result}");
    }
    let call = agent.call(json!({"message": "May I?", "title": "Deploy", "approval": true})).await?;
    let asked_anew = home.waiting("Deploy").await?;
    assert_ne!(asked_anew, id, "the same words are a new question");
    assert_eq!(agent.take(call), None, "which waits for its person");
    Ok(())
}

#[tokio::test]
async fn an_app_that_is_started_with_what_loads_code_begins_anew_without_it() -> Result<()> {
    let given = [("GTK_MODULES", "nothing"), ("GIO_EXTRA_MODULES", "/nowhere"), ("LD_LIBRARY_PATH", "/nowhere")];
    let kept = [("GTK_IM_MODULE", "none"), ("REVIEW_GATE__SECURITY__REQUIRE", "L1")];
    let env = given.into_iter().chain(kept).map(|(name, value)| (name.into(), value.into())).collect();
    let Some(window) = Window::with_env("", env).await? else { return Ok(()) };
    let app = window.start_app()?;
    let begun = || async { Ok(window.home().gate()) };
    let gate = gate_tests::eventually("the app to open its gate", gate_tests::LIMIT, begun).await?;
    assert_eq!(app.pid(), gate.pid(), "whoever started it goes on with the same process");
    // Root alone reads it; to others it is empty.
    let environment = gate.environment();
    let has = |(name, value): (&str, &str)| environment.iter().any(|set| *set == *format!("{name}={value}"));
    assert!(!given.into_iter().any(has), "what loads code isn't there: {environment:?}");
    assert!(environment.is_empty() || kept.into_iter().all(has), "all else is: {environment:?}");
    window.page().await?;
    gate.kill()?;
    Ok(())
}

/// Row 13, “WD. The app is started by the agent's relay with `TAURI_WEBVIEW_AUTOMATION=true
/// WEBKIT_INSPECTOR_SERVER=127.0.0.1:N`; WebDriver runs JS in the real window”.
#[tokio::test]
async fn a_desktop_gate_that_a_relay_starts_lets_nobody_drive_its_window() -> Result<()> {
    let Some(window) = Window::undriven().await? else { return Ok(()) };
    let (home, opens) = (window.home(), window.opens_to_a_driver());
    let agent = Agent::spawn_with(home, Spawning { env: opens.to_vec(), ..Spawning::default() })?;
    agent.initialize("claude-code").await?;
    agent.call(json!({"message": "May I?", "title": "Deploy", "approval": true})).await?;
    home.waiting("Deploy").await?;
    window.start_app()?.ends().await?;
    window.display().window_in_front().await?;
    assert!(!window.is_open_to_a_driver().await, "no driver gets to a window that an agent's relay has had started");
    let gate = home.gate().context("the relay has started the app")?;
    let http = Http::of(home)?.address;
    let port = http.rsplit(':').next().context("a port")?;
    let elsewhere = |socket: &gate_tests::Socket| {
        socket.table.starts_with("tcp") && socket.remote.port() == 0 && socket.local.port().to_string() != port
    };
    let listens: Vec<_> = sockets_of(&[gate]).into_iter().filter(elsewhere).collect();
    assert!(listens.is_empty(), "nor does it listen anywhere else than for HTTP: {listens:?}");
    agent.kill().await?;
    home.run(["stop"]).await?.succeeded()?;

    // As these variables have it where nobody takes them away: the tests' own app keeps them.
    let _app = window.start_app_with(&opens)?;
    window.display().window_in_front().await?;
    let listens = || async { Ok(window.is_open_to_a_driver().await.then_some(())) };
    eventually("a window that would have listened", LIMIT, listens).await?;
    window.page().await?.shows("Deploy").await.context("and a driver would have been in it")
}

/// Row 35, “ptrace, `/proc/PID/mem` of the gate”. By the same user, who isn't root.
#[tokio::test]
async fn a_process_of_the_same_user_does_not_get_into_the_gate() -> Result<()> {
    if !rustix::process::geteuid().is_root() {
        return out_of_reach("only root can become another user");
    }
    if !std::path::Path::new(PYTHON).is_file() {
        return skip(&format!("there is no {PYTHON}"));
    }
    let scope = std::fs::read_to_string("/proc/sys/kernel/yama/ptrace_scope").unwrap_or_default();
    if !["", "0", "1"].contains(&scope.trim()) {
        return out_of_reach("here no process looks into another, whatever that does");
    }
    // Where this user may start it, wherever it was built.
    let folder = tempfile::Builder::new().prefix("rg-same-").tempdir_in("/tmp")?;
    std::fs::set_permissions(folder.path(), std::os::unix::fs::PermissionsExt::from_mode(0o755))?;
    let program = folder.path().join("review-gate");
    std::fs::copy(bin("review-gate")?, &program)?;
    let person = Some(Person { user: SAME, program });
    let home = Home::with(HomeOptions { person, ..HomeOptions::default() })?;
    let gate = home.serve().await?;
    let look_into = async |pid: u32| {
        let mut looks = Command::new(PYTHON);
        looks.args(["-c", LOOKS_INTO, &pid.to_string()]).stdin(std::process::Stdio::null());
        home.dress(&mut looks);
        let told = Ran::of(looks).await?.succeeded()?.stdout;
        anyhow::Ok(told.lines().map(str::to_owned).collect::<Vec<_>>())
    };
    let ways = ["memory", "environment", "files", "a_file", "attach"];
    let all = |said: &str| ways.map(|way| format!("{way} {said}"));

    let mut like_others = Command::new(PYTHON);
    like_others.args(["-c", LIKE_OTHERS]).stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
    home.dress(&mut like_others);
    let mut like_others = like_others.spawn()?;
    let mut lines = BufReader::new(like_others.stdout.take().context("it says something")?).lines();
    assert_eq!(lines.next_line().await?.as_deref(), Some("ready"));
    let other = like_others.id().context("it runs")?;
    assert_eq!(look_into(other).await?, all("open"), "this is how one gets into a process that doesn't prevent it");
    let gate = gate.pid().context("it runs")?;
    assert_eq!(look_into(gate).await?, all("refused"), "and into the gate nobody does");
    Ok(())
}

#[tokio::test]
async fn a_desktop_gate_that_is_swapped_for_one_without_windows_keeps_its_guards() -> Result<()> {
    let Some(window) = Window::new().await? else { return Ok(()) };
    let home = window.home();
    let given = [("GTK_MODULES", "nothing"), ("REVIEW_GATE__SECURITY__SCRIPTED_ANSWERS", "true")];
    let env = given.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
    let agent = Agent::spawn_with(home, Spawning { env, ..Spawning::default() })?;
    agent.initialize("claude-code").await?;
    agent.call(json!({"message": "May I?", "title": "Deploy", "approval": true})).await?;
    let id = home.waiting("Deploy").await?;
    // Root alone reads it; to others it is empty.
    let environment = home.gate().context("the relay has started the app")?.environment();
    let has = |(name, value): (&str, &str)| environment.iter().any(|set| *set == *format!("{name}={value}"));
    assert!(!given.into_iter().any(has), "what an agent's configuration says isn't the window's: {environment:?}");
    let approve = || home.run(["answer", &id, "--approve"]);
    let refused = approve().await?;
    assert!(refused.code == Some(4) && refused.stderr.contains("[scripted_answers_off]"), "the window's: {refused:?}");
    agent.kill().await?;
    home.run(["stop"]).await?.succeeded()?;

    let gate = || async { Ok(home.serve().await.ok()) };
    let gate = gate_tests::eventually("a gate without windows", gate_tests::LIMIT, gate).await?;
    let status = home.run(["status", "--json"]).await?.json()?;
    assert_eq!((&status["window"], &status["pid"]), (&json!(false), &json!(gate.pid())), "another gate: {status}");
    let refused = approve().await?;
    assert!(refused.code == Some(4) && refused.stderr.contains("[scripted_answers_off]"), "its own: {refused:?}");
    home.run(["stop"]).await?.succeeded()?;
    for flag in ["--allow-scripts", "--terminal", "--print-link"] {
        let look = || async {
            let ran = home.run(["serve", flag]).await?;
            Ok((ran.code == Some(4)).then_some(ran))
        };
        let refused = gate_tests::eventually("a word on the flag", gate_tests::LIMIT, look).await?;
        assert!(refused.stderr.contains("has had a window"), "{flag}: {refused:?}");
    }
    let rows = home.rows("SELECT status FROM review_requests").await?;
    assert_eq!(rows, [json!({"status": "pending"})], "nobody has answered");
    Ok(())
}

#[tokio::test]
async fn a_window_on_another_display_than_the_persons_is_told_as_that() -> Result<()> {
    let Some(window) = Window::seated().await? else { return Ok(()) };
    let (display, home) = (window.display(), window.home());
    let login = FakeLogin::start(display, home, ":4242").await?;
    let agent = Agent::start(home, "claude-code").await?;
    agent.call(json!({"message": "m", "title": "Elsewhere"})).await?;
    home.waiting("Elsewhere").await?;
    let own = display.name()?;
    let status = home.run(["status"]).await?.succeeded()?.stdout;
    assert!(status.contains(&format!("on the display {own}, and you are logged in at another one")), "{status}");
    let status = home.run(["status", "--json"]).await?.json()?;
    assert_eq!(status["shown"], json!({"elsewhere": own}), "{status}");

    login.sits_at(own);
    home.run(["stop"]).await?.succeeded()?;
    agent.call(json!({"message": "m", "title": "Here"})).await?;
    home.waiting("Here").await?;
    let status = home.run(["status"]).await?.succeeded()?.stdout;
    assert!(status.contains("Its window is at seat0, in the session that you have before you."), "{status}");
    Ok(())
}
