//! That all of a run ends with it, whatever it does to get away: whether it ends by itself, is cancelled, is dropped, or
//! whoever started it is killed.

use std::process::Stdio;
use std::time::Duration;

use gate_worker::{Limits, Outcome, Program};
use tokio::io::AsyncWriteExt as _;
use tokio_util::sync::CancellationToken;

use crate::scene::{APPROVES, Scene, runs, starter, told, until};

/// Starts what has a session and a parent of its own, ignores TERM, and waits until it runs.
const GETS_AWAY: &str = "(setsid sh -c 'trap \"\" TERM HUP INT; echo $$ > SEEN/away; while :; do sleep 1000; done' \
                         >/dev/null 2>&1 &) ; while [ ! -s SEEN/away ]; do sleep 0.01; done";

fn impatient() -> Scene {
    Scene { limits: Limits { grace: Duration::from_millis(300), ..Limits::default() }, ..Scene::new() }
}

/// Runs a script until it has told its number, cancels it then, and gives that number and its last words once all has ended.
async fn cancelled(scene: &Scene, script: &str) -> (u32, String) {
    let cancel = CancellationToken::new();
    let pid = scene.seen("pid");
    let cancels = async {
        until("it runs", || told(&pid).is_some()).await;
        cancel.cancel();
    };
    let (ended, ()) = tokio::join!(scene.run_until(Program::OpenCode, script, &cancel, |_, _| ()), cancels);
    assert_eq!(ended.outcome, Outcome::Cancelled);
    (told(&pid).expect("it ran"), ended.tail)
}

#[tokio::test]
async fn what_ignores_the_asking_is_made_to_end() {
    let scene = impatient();
    let (pid, _) = cancelled(&scene, "trap '' TERM; echo $$ > SEEN/pid; while :; do sleep 1; done").await;
    assert!(!runs(pid), "it was killed");
    assert_eq!(scene.left(), 0, "and its folder is gone");
}

#[tokio::test]
async fn what_is_asked_to_end_has_time_for_it() {
    let scene = Scene::new();
    let script =
        "trap 'echo farewell; echo well > SEEN/ended; exit 0' TERM; echo $$ > SEEN/pid; while :; do sleep 0.05; done";
    let (_, tail) = cancelled(&scene, script).await;
    assert!(scene.seen("ended").exists() && tail.contains("farewell"), "it was asked first: {tail}");
}

#[tokio::test]
async fn what_got_away_ends_with_a_run_that_ends_well() {
    let scene = impatient();
    let ended = scene.run(Program::OpenCode, &format!("{GETS_AWAY}; {APPROVES}")).await;
    assert!(matches!(ended.outcome, Outcome::Answered(_)), "{ended:?}");
    let away = told(&scene.seen("away")).expect("it ran");
    assert!(!runs(away), "its parent has left it, and it has a session of its own");
}

#[tokio::test]
async fn a_run_that_is_cancelled_or_dropped_leaves_nothing() {
    let script = format!("echo $$ > SEEN/pid; {GETS_AWAY}; exec sleep 1000");
    for drops in [false, true] {
        let scene = impatient();
        let cancel = CancellationToken::new();
        let run = scene.run_until(Program::OpenCode, &script, &cancel, |_, _| ());
        let away = scene.seen("away");
        if drops {
            tokio::select! {
                ended = run => panic!("{ended:?}"),
                () = until("it runs", || told(&away).is_some()) => {}
            }
        } else {
            let cancels = async {
                until("it runs", || told(&away).is_some()).await;
                cancel.cancel();
            };
            let (ended, ()) = tokio::join!(run, cancels);
            assert_eq!(ended.outcome, Outcome::Cancelled);
            assert_eq!(scene.left(), 0, "all of it has ended by then");
        }
        for name in ["pid", "away"] {
            let pid = told(&scene.seen(name)).expect("it ran");
            until(&format!("{name} ends; dropped: {drops}"), || !runs(pid)).await;
        }
        until("its folder goes", || scene.left() == 0).await;
    }
}

#[tokio::test]
async fn a_run_ends_with_whoever_has_started_it_and_its_folder_is_swept_later() {
    let scene = Scene::new();
    let script = format!("echo $$ > SEEN/pid; {GETS_AWAY}; exec sleep 1000");
    let mut command = tokio::process::Command::new(starter());
    command.arg("opencode").arg("--stand-in").arg(scene.script("agent", &script));
    command.arg(scene.folder.path().join("runs")).env_clear().envs(scene.environment.iter().cloned());
    command.stdin(Stdio::piped()).stdout(Stdio::null()).kill_on_drop(true);
    let mut gate = command.spawn().expect("what starts a run");
    let mut input = gate.stdin.take().expect("a pipe");
    input.write_all(b"Review it.").await.expect("it reads");
    drop(input);
    let away = scene.seen("away");
    until("it runs", || told(&away).is_some()).await;
    gate.start_kill().expect("it is killed");
    gate.wait().await.expect("and ends");
    for name in ["pid", "away"] {
        let pid = told(&scene.seen(name)).expect("it ran");
        until(&format!("{name} ends"), || !runs(pid)).await;
    }
    assert_eq!(scene.left(), 1, "nobody has removed its folder");
    assert!(scene.runs().sweep() <= 1 && scene.left() == 0, "it goes at the next start");
}

#[tokio::test]
async fn a_program_ends_with_its_starter() {
    let scene = impatient();
    let pid = scene.seen("pid");
    let kills = async {
        until("it runs", || told(&pid).is_some()).await;
        let starter = told(&pid).and_then(gate_os::process::parent).expect("who started it");
        let killed = std::process::Command::new("kill").arg("-9").arg(starter.to_string()).status();
        assert!(killed.expect("it is killed").success());
    };
    let run = scene.run(Program::OpenCode, "echo $$ > SEEN/pid; trap '' TERM; while :; do sleep 1; done");
    let (ended, ()) = tokio::join!(run, kills);
    assert!(matches!(ended.outcome, Outcome::Crashed { code: None, why: Some(_) }), "{ended:?}");
    let pid = told(&pid).expect("it ran");
    until("it ends", || !runs(pid)).await;
}
