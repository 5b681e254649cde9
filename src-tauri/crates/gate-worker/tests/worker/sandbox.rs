//! What a run sees in its sandbox, and what of it stays.

use std::fs;

use gate_worker::{Outcome, Program, Shelter, Shut};

use crate::scene::{APPROVES, Scene};

/// Whether a sandbox can't be had here, and needn't be.
fn is_out_of_reach(outcome: &Outcome<impl std::fmt::Debug>) -> bool {
    let is_required = std::env::var_os("REVIEW_GATE_REQUIRE_E2E").is_some_and(|value| value == "all");
    matches!(outcome, Outcome::Refused(_)) && !is_required
}

#[tokio::test]
async fn it_sees_its_folder_its_program_and_its_sign_in_and_nothing_else_of_the_persons() {
    let scene = Scene::new();
    let hidden = scene.folder.path().join("gate");
    for folder in
        [scene.person().join(".local/share/opencode"), scene.person().join(".config/opencode"), hidden.clone()]
    {
        fs::create_dir_all(folder).expect("a folder");
    }
    let sign_in = scene.person().join(".local/share/opencode/auth.json");
    let set_up = scene.person().join(".config/opencode/opencode.json");
    for (file, text) in
        [(&sign_in, "old"), (&set_up, "{}"), (&scene.person().join("secret"), "x"), (&hidden.join("db"), "x")]
    {
        fs::write(file, text).expect("a file");
    }
    let shut = Shut { hidden: vec![hidden.clone()], mark: "/run/worker-mark".into(), ..Shut::default() };
    let scene = Scene { shelter: Shelter::Sandbox(shut), ..scene };
    // A test that sees more than it is to says so by its code.
    let script = format!(
        "cat > question; test \"$(cat question)\" = 'Review it.' || exit 10
         test -f src/main.rs || exit 11
         test ! -e ~/secret || exit 12
         test ! -e {} || exit 13
         test -d /run/worker-mark && test -z \"$(ls /run/worker-mark)\" || exit 14
         test \"$(cat ~/.config/opencode/opencode.json)\" = '{{}}' || exit 15
         echo changed > ~/.config/opencode/opencode.json || exit 16
         echo renewed > ~/.local/share/opencode/auth.json || exit 17
         test \"$(ls /proc | grep -c '^[0-9]')\" -lt 20 || exit 18
         test -z \"$REVIEW_GATE_TOKEN\" || exit 19
         echo x > ~/made || exit 20
         {APPROVES}",
        hidden.join("db").display()
    );
    let ended = scene.run(Program::OpenCode, &script).await;
    if is_out_of_reach(&ended.outcome) {
        return;
    }
    assert!(matches!(ended.outcome, Outcome::Answered(_)), "{:?} {}", ended.outcome, ended.tail);
    let text = |file: &std::path::Path| fs::read_to_string(file).expect("it is there");
    assert_eq!(text(&sign_in), "renewed\n", "else the person would be signed out");
    assert_eq!(text(&set_up), "{}", "it has a copy");
    assert!(!scene.person().join("made").exists(), "what it makes goes with the sandbox");
}

#[tokio::test]
async fn all_of_it_ends_with_the_run_and_its_code_is_told() {
    let shelter = Shelter::Sandbox(Shut { mark: "/run/worker-mark".into(), ..Shut::default() });
    let mut scene = Scene { shelter, ..Scene::new() };
    let ended = scene.run(Program::OpenCode, &format!("{APPROVES}; echo broken >&2; exit 3")).await;
    if is_out_of_reach(&ended.outcome) {
        return;
    }
    assert_eq!(ended.outcome, Outcome::Crashed { code: Some(3), why: None }, "{}", ended.tail);
    scene.limits.time = std::time::Duration::from_secs(3);
    scene.limits.grace = std::time::Duration::from_millis(300);
    // A name by which it can be found from outside, where its number is another one.
    let mark = format!("1000.{}", std::process::id());
    let script = format!("trap '' TERM; echo asleep; (setsid sleep {mark} &); while :; do sleep {mark}; done");
    let ended = scene.run(Program::OpenCode, &script).await;
    assert_eq!(ended.outcome, Outcome::TimedOut);
    assert!(ended.tail.contains("asleep"), "it ran: {}", ended.tail);
    let sleeps = |pid: u32| gate_os::process::find(pid).is_some_and(|found| found.arguments.contains(&mark));
    let pids = || {
        fs::read_dir("/proc")
            .into_iter()
            .flatten()
            .flatten()
            .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
    };
    crate::scene::until("none of it is left", || !pids().any(sleeps)).await;
    assert_eq!(scene.left(), 0, "nor its folder");
}

#[tokio::test]
async fn a_folder_for_runs_in_a_repository_is_refused() {
    let shelter = Shelter::Sandbox(Shut { mark: "/run/worker-mark".into(), ..Shut::default() });
    let scene = Scene { shelter, ..Scene::new() };
    fs::create_dir_all(scene.folder.path().join("runs/.git")).expect("a repository");
    let ended = scene.run(Program::OpenCode, APPROVES).await;
    let is_said = matches!(&ended.outcome, Outcome::Refused(why) if why.message.contains("lies in the repository"));
    assert!(is_said, "all of it would be written: {:?}", ended.outcome);
}

#[tokio::test]
async fn a_model_of_this_machine_is_no_reason_to_start_nothing_where_pasta_lacks() {
    let shut = Shut { mark: "/run/worker-mark".into(), ports: vec![9], ..Shut::default() };
    let mut scene = Scene { shelter: Shelter::Sandbox(shut), ..Scene::new() };
    let folders: Vec<_> = std::env::split_paths(&scene.environment[0].1).collect();
    let (bubblewrap, alone) = (folders.iter().map(|folder| folder.join("bwrap")), scene.seen("programs"));
    let Some(bubblewrap) = bubblewrap.into_iter().find(|file| file.is_file()) else { return };
    fs::create_dir(&alone).expect("a folder");
    std::os::unix::fs::symlink(bubblewrap, alone.join("bwrap")).expect("a link");
    scene.environment[0].1 = alone.into();
    let ended = scene.run(Program::OpenCode, APPROVES).await;
    if is_out_of_reach(&ended.outcome) {
        return;
    }
    assert!(matches!(ended.outcome, Outcome::Answered(_)), "its loopback is this machine's: {:?}", ended.outcome);
    scene.environment[0].1 = scene.person().into();
    let lacks = Shut::is_possible(gate_worker::Network::Any, &scene.environment).expect_err("there is no bubblewrap");
    assert!(lacks.mend.contains("bubblewrap"), "what to install is said: {lacks}");
}
