//! Ways to answer in the person's place with a shell of one's own, tried in a sandbox of `review-gate run`: there all of
//! them are gone. Each has a number, by which a failure names it; each is tried outside as well, where that shows that it is
//! a way there.
//!
//! Commands of `review-gate` that speak to the gate are refused in there by the command line itself, too (`not_in_a_sandbox` in
//! gate-cli's `client.rs`): of these, 1, 4, 4a, 5, 9, 10, 22, 29, 31, 31a, 32 and 43, a test alone doesn't say which of the two it
//! was. 30 and 43a take files that are good and a home that isn't there. All others are kept out by the sandbox alone; 6 says at
//! the socket what the command line would.
//!
//! What isn't here: what an agent does by MCP alone (forms, another's `requestState`, another's relay), which a sandbox
//! changes nothing of; and what would start a gate of its own for the home that isn't there (an app on a display of its own,
//! or with what loads code), for which the gate of its own stands.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use anyhow::{Context as _, Result};
use gate_tests::{Home, LIMIT, Ran, Serve, Terminal, installed, on_path, out_of_reach};
use serde_json::json;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};

/// What comes of a way outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outside {
    /// It works.
    Works,
    /// It works for root, or where processes of a user may look into each other.
    WorksUnlessKept,
    /// The gate refuses it there, too, or it would break this machine: it isn't tried.
    NotTried,
}
use Outside::{NotTried, Works, WorksUnlessKept};

/// A way, tried by a shell that ends with 0 where it has got somewhere.
struct Way {
    number: &'static str,
    what: &'static str,
    tries: &'static str,
    /// The program that it takes, and Debian's package of it.
    takes: (&'static str, &'static str),
    outside: Outside,
}

const fn way(number: &'static str, what: &'static str, tries: &'static str, outside: Outside) -> Way {
    Way { number, what, tries, takes: ("sh", "dash"), outside }
}

impl Way {
    const fn with(self, program: &'static str, package: &'static str) -> Self {
        Self { takes: (program, package), ..self }
    }

    fn name(&self) -> String {
        format!("{}: {}", self.number, self.what)
    }
}

/// What they say of themselves to the gate, and where they look for it.
const BEGIN: &str = r#"
gate() { timeout 30 env REVIEW_GATE_HOME="$HOME_OF_GATE" "$PROGRAM" "$@"; }
at_a_terminal() { timeout 30 env REVIEW_GATE_HOME="$HOME_OF_GATE" "$PYTHON" "$PTY" "$PROGRAM" "$@"; }
is_victim() { tr '\0' ' ' < "/proc/$VICTIM/cmdline" | grep -q 'victim of a test'; }
"#;

/// Runs its arguments in a terminal that it makes.
const PTY: &str = "import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))";

/// Answers a request at whichever of these sockets takes that, saying that it has a terminal.
const CLAIMS: &str = r#"
import json, os, socket, sys
def answers(at, request):
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(30)
    connection.connect(at)
    lines = connection.makefile("rw")
    def say(line):
        lines.write(json.dumps(line) + "\n")
        lines.flush()
    def ask(number, **command):
        say({"id": number, **command})
        return json.loads(lines.readline())
    say({"review_gate": 1, "role": "control", "terminal": True, "pid": os.getpid(), "version": "0"})
    digest = ask(1, command="question", request_id=request)["ok"]["digest"]
    draft = {"text": "go", "selected": [], "comments": [], "attachments": []}
    return "ok" in ask(2, command="send_reply", request_id=request, digest=digest, draft=draft)
for at in sys.argv[2:]:
    try:
        if answers(at, sys.argv[1]):
            sys.exit(0)
    except (OSError, ValueError, KeyError) as error:
        print(at, error)
sys.exit(1)
"#;

/// Starts a gate, and says whether it has become ready.
const SERVES: &str = r#"
import subprocess, sys
gate = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
ready = '"ready":true' in gate.stdout.readline().replace(" ", "")
gate.terminate()
gate.wait()
sys.exit(not ready)
"#;

/// Reads the record, and takes the right to write it.
const RECORD: &str = r#"
import sqlite3, sys
record = sqlite3.connect("file:" + sys.argv[1] + "?mode=rw", uri=True, timeout=30)
record.execute("SELECT count(*) FROM review_requests").fetchone()
record.execute("BEGIN IMMEDIATE")
record.execute("ROLLBACK")
"#;

/// Takes hold of another process, as debuggers do.
const SEIZES: &str = "
import ctypes, sys
sys.exit(ctypes.CDLL(None).ptrace(0x4206, int(sys.argv[1]), None, None) != 0)
";

/// In this order; what ends the gate comes last.
const WAYS: &[Way] = &[
    way("1", "`answer` without a terminal", r#"gate answer "$REQUEST_1" --approve"#, Works),
    way("4", "`answer` in a terminal of its own", r#"at_a_terminal answer "$REQUEST_4" --text yes"#, Works),
    way(
        "4a",
        "the same by `script`",
        r#"timeout 30 env REVIEW_GATE_HOME="$HOME_OF_GATE" script -qec "$PROGRAM answer $REQUEST_4a --text yes" /dev/null"#,
        Works,
    )
    .with("script", "bsdutils"),
    way("5", "`answer` at an inherited terminal", r#"gate answer "$REQUEST_5" --text yes < /dev/tty"#, Works),
    way(
        "6",
        "a claim at the socket",
        r#""$PYTHON" "$CLAIMS" "$REQUEST_6" "$HOME_OF_GATE/control/control.sock" "$HOME_OF_GATE/mcp.sock" \
          /run/review-gate-sandbox/control/control.sock /run/review-gate-sandbox/mcp.sock"#,
        Works,
    ),
    way(
        "7",
        "typing into a terminal of the person's by tmux",
        r#"tmux -S "$MULTIPLEXER" send-keys -t 0 x"#,
        Works,
    )
    .with("tmux", "tmux"),
    way(
        "8",
        "a gate of its own",
        r#"env REVIEW_GATE_HOME="$PWD/own" "$PYTHON" "$SERVES" "$PROGRAM" serve"#,
        Works,
    ),
    way("10", "a link to the page, in a terminal of its own", "at_a_terminal link", Works),
    way(
        "10a",
        "the page's port",
        r#""$PYTHON" -c 'import socket, sys; socket.create_connection(("127.0.0.1", int(sys.argv[1])), 10)' "$PORT""#,
        Works,
    ),
    way("12", "what a browser keeps", r#"grep -q secret "$PERSON/.mozilla/firefox/p/cookies.sqlite""#, Works),
    way("14", "keys on the person's display", r#"DISPLAY="$SCREEN" timeout 30 xdotool key a"#, Works)
        .with("xdotool", "xdotool"),
    way("15", "keys by the kernel", "test -e /dev/uinput", NotTried),
    way(
        "16",
        "the bus of assistive technology",
        r#"gdbus call --timeout 10 --address "$ACCESSIBILITY" --dest org.freedesktop.DBus --object-path / \
          --method org.freedesktop.DBus.ListNames"#,
        Works,
    )
    .with("gdbus", "libglib2.0-bin"),
    way(
        "17",
        "notifications taken over on the session bus",
        r#"gdbus call --timeout 10 --address "$SESSION" --dest org.freedesktop.DBus --object-path / \
          --method org.freedesktop.DBus.RequestName org.freedesktop.Notifications 0"#,
        Works,
    )
    .with("gdbus", "libglib2.0-bin"),
    way(
        "18",
        "a notification's button pressed on the session bus",
        r#"gdbus emit --address "$SESSION" --object-path /org/freedesktop/Notifications \
          --signal org.freedesktop.Notifications.ActionInvoked 1 yes"#,
        Works,
    )
    .with("gdbus", "libglib2.0-bin"),
    way("22", "`config set` of a guard", "at_a_terminal config set security.scripted_answers true", NotTried),
    way("25", "the record, written", r#""$PYTHON" "$RECORD" "$HOME_OF_GATE/review-gate.db""#, Works),
    way("29", "`import`", r#"gate import "$EXPORT""#, NotTried),
    way("30", "`restore`", r#"gate restore "$BACKUP""#, NotTried),
    way("31", "a command that isn't an answer", "gate backup", Works),
    way("31a", "a token", "at_a_terminal token create mine", Works),
    way("32", "a setting", "at_a_terminal config set window.theme dark", Works),
    way("34", "a reply read before it is sent", r#"grep -aq "Way 34" "$HOME_OF_GATE"/review-gate.db*"#, Works),
    way("35", "another program, held as debuggers do", r#"is_victim && "$PYTHON" "$SEIZES" "$VICTIM""#, WorksUnlessKept),
    way("35a", "another program's environment", r#"is_victim && grep -q secret "/proc/$VICTIM/environ""#, Works),
    way("35b", "the gate's memory", r#"grep -q serve "/proc/$GATE/cmdline" && head -c 0 "/proc/$GATE/mem""#, NotTried),
    way("37", "a program put first in PATH", r#": > "$TOOLS/git""#, Works),
    way("38", "our program replaced", r#"test -w "$PROGRAM""#, Works),
    way(
        "39",
        "another gate at the relays' socket",
        "touch /run/review-gate-sandbox/x || rm -f /run/review-gate-sandbox/mcp.sock",
        NotTried,
    ),
    way("42", "the token of clients over HTTP", r#"test -s "$HOME_OF_GATE/token""#, Works),
    way("43", "`away` in the person's name", "at_a_terminal away", Works),
    way("43a", "a recording", r#"gate transcribe "$RECORDING""#, NotTried),
    way("35c", "another program ended", r#"is_victim && kill -KILL "$VICTIM""#, Works),
    way("9", "`stop`", "gate stop", Works),
];

/// The ways by a line that is put into a file of the gate's home.
const PLANTED: &[(&str, &str)] = &[
    ("11", "browsers"),
    ("20", "config.yaml"),
    ("20a", "guards.json"),
    ("27", "receipts.log"),
    ("28", "replies.journal"),
    ("40", "gate.lock"),
];
const PLANT: &str = "# planted";

/// A script that tries these, and writes down those that got somewhere.
fn script(ways: &[&Way], reached: &Path) -> String {
    let mut text = format!("cd \"$WORK\" || exit\n{BEGIN}");
    for Way { number, tries, .. } in ways {
        text.push_str(&format!("({tries}) > /dev/null 2>&1 < /dev/null && echo {number} >> {}\n", reached.display()));
    }
    text
}

/// One that puts the lines into the gate's files.
fn planting() -> String {
    let one = |(_, file): &(&str, &str)| format!("{{ echo '{PLANT}' >> \"$HOME_OF_GATE/{file}\"; }} 2> /dev/null\n");
    let all: String = PLANTED.iter().map(one).collect();
    format!("mkdir -p \"$HOME_OF_GATE\"\n{all}")
}

fn planted(home: &Home) -> Vec<&'static str> {
    let has = |file: &str| {
        let bytes = fs::read(home.path().join(file)).unwrap_or_default();
        String::from_utf8_lossy(&bytes).trim_end().ends_with(PLANT)
    };
    PLANTED.iter().filter(|(_, file)| has(file)).map(|(number, _)| *number).collect()
}
/// What is the person's beside the gate: a display, buses, another program; and where all of it is, by name.
struct Desk {
    _screen: Child,
    _buses: [Child; 2],
    _victim: Child,
    env: Vec<(&'static str, String)>,
}

/// The line by which a program says where it is.
async fn announced(mut command: Command) -> Result<(Child, String)> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).kill_on_drop(true);
    let mut child = command.spawn().with_context(|| format!("{command:?}"))?;
    let mut lines = BufReader::new(child.stdout.take().context("it has a stdout")?).lines();
    let line = tokio::time::timeout(LIMIT, lines.next_line()).await?;
    Ok((child, line?.with_context(|| format!("{command:?} says where it is"))?))
}

impl Desk {
    async fn lay(home: &Home, gate: &Serve) -> Result<Self> {
        let (person, tools) = (home.folder().join("person"), home.folder().join("tools"));
        fs::create_dir_all(person.join(".mozilla/firefox/p"))?;
        fs::write(person.join(".mozilla/firefox/p/cookies.sqlite"), "secret")?;
        fs::create_dir(&tools)?;
        let mut server = Command::new("Xvfb");
        server.args(["-displayfd", "1", "-nolisten", "tcp", "-listen", "local"]);
        let (screen, number) = announced(server).await?;
        let bus = |address: String| {
            let mut bus = Command::new("dbus-daemon");
            bus.args(["--session", "--nofork", "--print-address", "--address", &address]);
            announced(bus)
        };
        // One by an abstract socket, one by a file.
        let name = home.folder().file_name().context("it has a name")?.to_string_lossy().into_owned();
        let (first, accessibility) = bus(format!("unix:abstract=/tmp/{name}/a11y")).await?;
        let (second, session) = bus(format!("unix:path={}/bus", home.folder().display())).await?;
        let mut victim = Command::new("sh");
        victim.args(["-c", "read -r line; exit", "victim of a test"]).env("SECRET_OF_A_TEST", "secret");
        let victim = victim.stdin(Stdio::piped()).kill_on_drop(true).spawn()?;
        let multiplexer = home.folder().join("multiplexer");
        let mut tmux = Command::new("tmux");
        tmux.arg("-S").arg(&multiplexer).args(["-f", "/dev/null", "new-session", "-d", "cat"]).stdin(Stdio::null());
        // Its server ends with the home.
        home.dress(&mut tmux);
        if installed(&[("tmux", "tmux")])? {
            Ran::of(tmux).await?.succeeded()?;
        }
        let http = gate.ready["http"].as_str().context("it has a page")?;
        let port = http.rsplit_once(':').context("it has a port")?.1;
        let port: String = port.chars().take_while(char::is_ascii_digit).collect();
        let text = |path: &Path| path.display().to_string();
        let mut env = vec![
            ("WORK", text(&home.workspace())),
            ("HOME_OF_GATE", text(home.path())),
            ("GATE", gate.pid().context("it runs")?.to_string()),
            ("PROGRAM", text(&home.command_line()?)),
            ("PERSON", text(&person)),
            ("TOOLS", text(&tools)),
            ("SCREEN", format!(":{}", number.trim())),
            ("ACCESSIBILITY", accessibility.trim().to_owned()),
            ("SESSION", session.trim().to_owned()),
            ("MULTIPLEXER", text(&multiplexer)),
            ("VICTIM", victim.id().context("it runs")?.to_string()),
            ("PORT", port),
            ("PYTHON", python().await?.0),
        ];
        for (name, program) in
            [("PTY", PTY), ("CLAIMS", CLAIMS), ("SERVES", SERVES), ("RECORD", RECORD), ("SEIZES", SEIZES)]
        {
            // None that Python has itself.
            let file = home.workspace().join(format!("{}_way.py", name.to_lowercase()));
            fs::write(&file, program)?;
            env.push((name, text(&file)));
        }
        Ok(Self { _screen: screen, _buses: [first, second], _victim: victim, env })
    }
}

/// Python's own program and the folder that it is installed in, be it behind a link or a script.
async fn python() -> Result<(String, String)> {
    let mut command = Command::new(on_path("python3")?);
    command.args(["-c", "import sys; print(sys.executable, sys.prefix, sep='\\n')"]).stdin(Stdio::null());
    let printed = Ran::of(command).await?.succeeded()?.stdout;
    let (program, folder) = printed.trim().split_once('\n').context("two lines")?;
    Ok((program.to_owned(), folder.to_owned()))
}

/// Runs a line in a terminal of the person's, where all of this can be named.
async fn at_a_terminal(home: &Home, desk: &Desk, line: &str) -> Result<String> {
    let name = |(name, value): &(&str, String)| format!("export {name}='{value}'\n");
    let mut all: String = desk.env.iter().map(name).collect();
    let of = |name: &str| desk.env.iter().find(|(known, _)| *known == name).map_or("", |(_, value)| value);
    all.push_str(&format!("export HOME='{}' PATH='{}':\"$PATH\"\n{line}\n", of("PERSON"), of("TOOLS")));
    let file = home.folder().join("line.sh");
    fs::write(&file, all)?;
    let (_, shown) = Terminal::start(home, &format!("sh {}", file.display()))?.ended().await?;
    anyhow::ensure!(shown.contains("code 0") || shown.contains("code 125"), "it went wrong: {shown}");
    Ok(shown)
}

/// An approval that waits for each way that answers one.
async fn ask(home: &Home, ways: &[&Way], desk: &mut Desk) -> Result<usize> {
    let names = ["REQUEST_1", "REQUEST_4", "REQUEST_4a", "REQUEST_5", "REQUEST_6"];
    for name in names {
        let number = name.trim_start_matches("REQUEST_");
        let title = format!("Way {number}");
        let asked = home.run(["ask", "May I?", "--title", &title, "--approval", "--timeout", "1"]).await?;
        assert_eq!(asked.code, Some(3), "nobody has answered: {asked:?}");
        desk.env.push((name, home.waiting(&title).await?));
    }
    assert!(ways.iter().any(|way| way.number == "34"), "whose words are in the record");
    let asked = home.run(["ask", "Way 34", "--title", "Way 34", "--timeout", "1"]).await?;
    assert_eq!(asked.code, Some(3), "nobody has answered: {asked:?}");
    Ok(names.len() + 1)
}

/// An export, a backup and a recording of a second of silence, where the agent can read them.
async fn bring_files(home: &Home, desk: &mut Desk) -> Result<()> {
    let folder = home.workspace();
    let [export, backup, recording] = ["export.json", "backup.db", "silence.wav"].map(|name| folder.join(name));
    let to = export.display().to_string();
    home.run(["export", "--format", "json", "--output", &to]).await?.succeeded()?;
    let made: serde_json::Value = serde_json::from_str(&home.run(["backup", "--json"]).await?.succeeded()?.stdout)?;
    fs::copy(made["path"].as_str().with_context(|| format!("it has a file: {made}"))?, &backup)?;
    let (rate, bytes) = (16_000_u32, 32_000_u32);
    let numbers = |all: &[u32]| all.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<u8>>();
    // One channel of 16 bits.
    let head =
        [&b"RIFF"[..], &numbers(&[36 + bytes]), b"WAVEfmt ", &numbers(&[16, 0x0001_0001, rate, 2 * rate])].concat();
    let sound = [&head, &numbers(&[0x0010_0002])[..], b"data", &numbers(&[bytes]), &vec![0; 32_000]].concat();
    fs::write(&recording, sound)?;
    for (name, file) in [("EXPORT", export), ("BACKUP", backup), ("RECORDING", recording)] {
        desk.env.push((name, file.display().to_string()));
    }
    Ok(())
}

#[tokio::test]
async fn no_way_to_answer_in_the_persons_place_is_there() -> Result<()> {
    // Outside of a sandbox a script answers, which is one of the ways that work there.
    let Some(home) = Home::with_sandboxes_and_scripts().await? else { return Ok(()) };
    if !installed(&[("Xvfb", "xvfb"), ("dbus-daemon", "dbus")])? {
        return Ok(());
    }
    let mut ways = Vec::new();
    for way in WAYS {
        if installed(&[way.takes])? {
            ways.push(way);
        }
    }
    let mut gate = home.serve().await?;
    let mut desk = Desk::lay(&home, &gate).await?;
    let requests = ask(&home, &ways, &mut desk).await?;
    bring_files(&home, &mut desk).await?;
    let reached = home.workspace().join("reached");
    let got = || {
        let text = fs::read_to_string(&reached).unwrap_or_default();
        let named = text.lines().filter_map(|number| WAYS.iter().find(|way| way.number == number)).map(Way::name);
        named.collect::<Vec<_>>()
    };
    let agent = home.workspace().join("agent.sh");
    fs::write(&agent, script(&ways, &reached) + &planting())?;
    let (_, library) = python().await?;
    for network in ["", "--network=shared", "--network=own"] {
        let run = format!("\"$PROGRAM\" run {network} --read '{library}' -- sh {}", agent.display());
        let ran = at_a_terminal(&home, &desk, &format!("{run}; echo \"code $?\"")).await?;
        if ran.contains("code 125") {
            // What the network takes may lack: a kernel with Landlock's scopes, pasta. Without a network nothing does.
            assert!(!network.is_empty(), "a sandbox can be made here: {ran}");
            out_of_reach(&format!("`run {network}` can't be had here: {ran}"))?;
            continue;
        }
        // That network has what listens on this machine.
        let page = (network == "--network=shared").then(|| "10a: the page's port".to_owned());
        assert_eq!(got(), page.as_slice(), "run {network}: these are ways out of the sandbox");
        assert_eq!(planted(&home), [""; 0], "run {network}: nothing is written into the gate's home");
        let _ = fs::remove_file(&reached);
        assert_eq!(home.pending().await?.len(), requests, "run {network}: all of it waits for its person");
        assert_eq!(home.gate().map(|gate| gate.pid()), gate.pid(), "run {network}: the same gate runs");
    }

    // The same outside, where it is what a shell of the person's can do.
    let is_kept = fs::read_to_string("/proc/sys/kernel/yama/ptrace_scope").is_ok_and(|scope| scope.trim() != "0");
    let works = |way: &&&Way| match way.outside {
        Works => true,
        WorksUnlessKept => !is_kept,
        NotTried => false,
    };
    let ways: Vec<&Way> = ways.iter().filter(works).copied().collect();
    fs::write(&agent, script(&ways, &reached))?;
    at_a_terminal(&home, &desk, &format!("sh {}; echo \"code $?\"", agent.display())).await?;
    let expected: Vec<_> = ways.iter().map(|way| way.name()).collect();
    assert_eq!(got(), expected, "whoever isn't in a sandbox gets somewhere by each of these");
    gate.ended().await?;
    at_a_terminal(&home, &desk, &format!("{} echo \"code $?\"", planting())).await?;
    assert_eq!(planted(&home), PLANTED.iter().map(|(number, _)| *number).collect::<Vec<_>>(), "and by these");
    let answered = home.rows("SELECT count(*) AS number FROM review_requests WHERE status = 'answered'").await?;
    assert_eq!(answered, [json!({"number": requests - 1})], "each that was tried has answered one");
    Ok(())
}
