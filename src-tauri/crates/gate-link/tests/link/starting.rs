//! Starting gates: this test binary, started again, is the gate.

use crate::world::{CALL, Client, PATIENCE, World, soon};
use gate_core::{Code, bounds};
use gate_link::{
    ControlConnection, Env, GateLock, Home, LineReader, Read, Role, Socket, StartCommand, StartPlan, connect_or_start,
    listen, read_hello,
};
use rustix::process::{Pid, Signal, getsid, kill_process};
use std::fs;
use std::path::Path;
use std::time::Duration;
use tokio::io::{AsyncWriteExt, BufReader};
use tokio::net::UnixStream;
use tokio::task::JoinSet;
use tokio::time::timeout;

const FOLDER: &str = "GATE_LINK_TEST_GATE";
const LONELINESS: Duration = Duration::from_secs(5);

/// The body of the process that the tests below start; nothing in an ordinary run.
#[tokio::test]
async fn the_gate_process() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    if !Path::new(&folder).exists() {
        return; // The test is over.
    }
    let Some(lock) = GateLock::try_acquire(&Home::at(folder)).unwrap() else { return };
    let listeners = [Socket::Mcp, Socket::Control].map(|socket| listen(&lock, socket).unwrap());
    let next = || async {
        tokio::select! {
            accepted = listeners[0].accept() => accepted,
            accepted = listeners[1].accept() => accepted,
        }
    };
    let mut talks = JoinSet::new();
    loop {
        tokio::select! {
            accepted = timeout(LONELINESS, next()) => match accepted {
                Ok(stream) => {
                    talks.spawn(talk(stream.unwrap().0));
                }
                // The tests kill it; this is for one that came too late for that.
                Err(_) if talks.is_empty() => return,
                Err(_) => {}
            },
            Some(_) = talks.join_next() => {}
        }
    }
}

/// Says its process number to control connections, and answers a relay's requests with it.
async fn talk(stream: UnixStream) {
    let (reader, mut writer) = stream.into_split();
    let mut reader = BufReader::new(reader);
    let hello = read_hello(&mut reader, PATIENCE).await.unwrap();
    let pid = std::process::id();
    if matches!(hello.role, Role::Control(_)) {
        writer.write_all(format!("{pid}\n").as_bytes()).await.unwrap();
    }
    let mut lines = LineReader::new(reader, bounds::LINE_BYTES);
    while let Ok(Read::Line(line)) = lines.next().await {
        if line.trim_ascii() != CALL.as_bytes() {
            continue;
        }
        let answer = format!("{{\"jsonrpc\":\"2.0\",\"id\":\"call\",\"result\":{{\"pid\":{pid}}}}}\n");
        if writer.write_all(answer.as_bytes()).await.is_err() {
            return;
        }
    }
}

fn command(home: &Home) -> StartCommand {
    let arguments = ["--exact", "starting::the_gate_process", "--nocapture"];
    let mut command = StartCommand::new(std::env::current_exe().unwrap(), arguments);
    command.envs.push((FOLDER.into(), home.data_folder().into()));
    command
}

/// Kills the gate of a home when the test is over.
struct Killer(Home);

impl Killer {
    fn pid(&self) -> Option<Pid> {
        GateLock::last_holder(&self.0).and_then(|pid| Pid::from_raw(pid.cast_signed()))
    }

    fn kill(&self) {
        let ours = std::process::id().cast_signed();
        if let Some(pid) = self.pid().filter(|pid| pid.as_raw_nonzero().get() != ours) {
            let _ = kill_process(pid, Signal::KILL);
        }
    }
}

impl Drop for Killer {
    fn drop(&mut self) {
        self.kill();
    }
}

async fn pid_of_gate(mut control: ControlConnection) -> u32 {
    let line = soon("the gate's number", control.next_line()).await.unwrap().unwrap();
    String::from_utf8(line).unwrap().trim().parse().unwrap()
}

#[tokio::test]
async fn twenty_starters_at_once_leave_one_gate() {
    let world = World::new();
    let killer = Killer(world.home.clone());
    let plan = StartPlan::of([command(&world.home)]);
    let mut starters = JoinSet::new();
    for _ in 0..20 {
        let (home, plan) = (world.home.clone(), plan.clone());
        starters.spawn(async move {
            pid_of_gate(ControlConnection::open_or_start(&home, false, &plan).await.unwrap()).await
        });
    }
    let pids = soon("all starters", starters.join_all()).await;
    assert_eq!(pids.len(), 20, "all of them reach a gate");
    assert!(pids.iter().all(|pid| Some(*pid) == pids.first().copied()), "the same gate: {pids:?}");
    assert_eq!(GateLock::last_holder(&world.home), pids.first().copied(), "the one with the lock");
    let pid = killer.pid().unwrap();
    assert_eq!(getsid(Some(pid)).unwrap(), pid, "it leads a session of its own, so no terminal's end reaches it");
}

#[tokio::test]
async fn a_relay_starts_a_gate_and_another_one_when_that_is_killed() {
    let world = World::new();
    let killer = Killer(world.home.clone());
    let mut options = world.options();
    options.start = StartPlan::of([command(&world.home)]);
    options.timing.unreachable_after = PATIENCE;
    let mut client = Client::start(options);
    client.says(CALL).await;
    let first = client.hears().await;
    killer.kill();
    client.says(CALL).await;
    let second = client.hears().await;
    assert!(first.contains("result") && second.contains("result"), "both calls are answered: {first} {second}");
    assert_ne!(first, second, "by two gates");
}

#[tokio::test]
async fn when_the_first_program_fails_the_second_is_started() {
    let world = World::new();
    let _killer = Killer(world.home.clone());
    let broken = StartCommand::new("/bin/sh", ["-c", "echo no display >&2; exit 1"]);
    let missing = StartCommand::new("/not/there", ["--hidden"]);
    let plan = StartPlan::of([missing, broken, command(&world.home)]);
    soon("the gate", connect_or_start(&world.home, Socket::Mcp, &plan)).await.unwrap();
    let log = fs::read_to_string(world.home.logs_folder().join("start.log")).unwrap();
    assert!(log.contains("no display"), "what it said is kept for `doctor`: {log}");
}

#[tokio::test]
async fn when_every_program_fails_the_cause_is_told_at_once() {
    let world = World::new();
    let plan = StartPlan::of([StartCommand::new("/bin/sh", ["-c", "exit 3"])]);
    let error = soon("the failure", connect_or_start(&world.home, Socket::Mcp, &plan)).await.unwrap_err();
    let fault = error.fault();
    assert_eq!(fault.code, Code::GateUnreachable, "{fault}");
    assert!(fault.message.contains("exit status: 3") && fault.message.contains("start.log"), "{fault}");
}

#[test]
fn the_desktop_app_is_preferred_where_there_is_a_display_and_the_app() {
    let world = World::new();
    let program = world.folder.path().join("review-gate");
    let serve = StartCommand::new(&program, ["serve"]);
    let display = Env::from_pairs([("DISPLAY", ":0")]);
    let commands = |env: &Env, program: &Path| StartPlan::resolve(env, program).commands().to_vec();
    assert_eq!(commands(&display, &program), std::slice::from_ref(&serve), "the app isn't installed");
    let app = world.folder.path().join("review-gate-desktop");
    fs::write(&app, "").unwrap();
    let desktop = StartCommand::new(&app, ["--hidden"]);
    assert_eq!(commands(&display, &program), [desktop, serve.clone()], "and `serve` if it fails");
    if cfg!(target_os = "linux") {
        let empty = Env::from_pairs([("DISPLAY", ""), ("WAYLAND_DISPLAY", "")]);
        assert_eq!(commands(&empty, &program), [serve], "no display: no windows");
    }
    let forbidden = Env::from_pairs([("REVIEW_GATE_NO_START", "1"), ("DISPLAY", ":0")]);
    assert!(commands(&forbidden, &program).is_empty(), "nothing is started where that is forbidden");
}
