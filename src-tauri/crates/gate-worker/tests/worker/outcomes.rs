//! What comes of a run, for each way in which a program can end.

use std::fs;
use std::time::Duration;

use gate_worker::{Limits, Outcome, Program, Stream};
use tokio_util::sync::CancellationToken;

use crate::scene::{APPROVES, Scene, Verdict};

fn approved() -> Outcome<Verdict> {
    Outcome::Answered(Verdict { decision: "approved".to_owned() })
}

#[tokio::test]
async fn a_program_answers_and_is_given_its_folder_its_question_and_nothing_of_the_gates() {
    let scene = Scene::new();
    let script = format!(
        "cat > SEEN/question; env > SEEN/env; pwd > SEEN/folder; find . -type f > SEEN/files; printf '%s\\n' \"$@\" > \
         SEEN/words; echo looking >&2; {APPROVES}"
    );
    let mut seen = Vec::new();
    let watch = |stream, line: &str| seen.push((stream, line.to_owned()));
    let ended = scene.run_until(Program::OpenCode, &script, &CancellationToken::new(), watch).await;
    assert_eq!(ended.outcome, approved(), "{}", ended.tail);
    assert!(ended.tail.contains("looking"), "its last words: {}", ended.tail);
    assert!(seen.contains(&(Stream::Errors, "looking".to_owned())) && seen.len() == 2, "as it came: {seen:?}");
    let text = |name: &str| fs::read_to_string(scene.seen(name)).expect("the program told");
    assert_eq!((text("question").as_str(), text("files").as_str()), ("Review it.", "./src/main.rs\n"));
    assert!(text("words").starts_with("run\n--pure\n"), "argument by argument: {}", text("words"));
    let environment = text("env");
    assert!(!environment.contains("REVIEW_GATE") && environment.contains("TERM=dumb"), "{environment}");
    assert_eq!(scene.left(), 0, "its folder went with it: {}", text("folder"));
}

#[tokio::test]
async fn what_it_has_used_is_told() {
    let scene = Scene::new();
    let result = r#"{"type":"result","subtype":"success","is_error":false,"num_turns":3,"total_cost_usd":0.25,"result":"{\"decision\":\"rejected\"}"}"#;
    let ended = scene.run(Program::ClaudeCode, &format!("echo '{result}'")).await;
    assert_eq!(ended.outcome, Outcome::Answered(Verdict { decision: "rejected".to_owned() }));
    assert_eq!((ended.spent.money.map(|money| money.0), ended.spent.turns), (Some(250_000), Some(3)));
}

#[tokio::test]
async fn an_answer_in_a_file_is_read_and_another_thing_in_its_place_is_not() {
    let scene = Scene::new();
    let find = "while [ \"$1\" != --output-last-message ]; do shift; done;";
    let ended = scene.run(Program::Codex, &format!("{find} echo '{{\"decision\":\"approved\"}}' > \"$2\"")).await;
    assert_eq!(ended.outcome, approved(), "{}", ended.tail);
    for other in ["mkfifo \"$2\"", "ln -s /dev/zero \"$2\"", "mkdir \"$2\"", "head -c 2000000 /dev/zero > \"$2\""] {
        let ended = scene.run(Program::Codex, &format!("{find} {other}")).await;
        assert!(matches!(ended.outcome, Outcome::Unusable { .. }), "{other}: {:?}", ended.outcome);
    }
}

#[tokio::test]
async fn a_crash_is_told_with_its_code_and_its_last_words_whatever_was_said_before() {
    let scene = Scene::new();
    let ended = scene.run(Program::OpenCode, &format!("{APPROVES}; echo broken >&2; exit 3")).await;
    assert_eq!(ended.outcome, Outcome::Crashed { code: Some(3), why: None }, "an approval before a crash is none");
    assert!(ended.tail.contains("broken"), "{}", ended.tail);
    let ended = scene.run(Program::OpenCode, &format!("{APPROVES}; kill -9 $$")).await;
    assert_eq!(ended.outcome, Outcome::Crashed { code: Some(137), why: None });
    let signed_out = r#"{"type":"result","subtype":"success","is_error":true,"result":"Not logged in"}"#;
    let ended = scene.run(Program::ClaudeCode, &format!("echo '{signed_out}'; exit 1")).await;
    assert_eq!(ended.outcome, Outcome::Crashed { code: Some(1), why: Some("Not logged in".to_owned()) });
}

#[tokio::test]
async fn what_is_no_such_object_is_no_answer() {
    let scene = Scene::new();
    let says = |text: &str| format!("printf '%s\\n' '{{\"type\":\"text\",\"part\":{{\"text\":\"{text}\"}}}}'");
    for (script, why) in [
        (says("I approve."), "no JSON object"),
        (says(r#"{\"decision\": yes}"#), "no JSON object"),
        (says(r#"{\"verdict\":\"approved\"}"#), "of the kind"),
        (says(r#"Either {\"decision\":\"approved\"} or {\"decision\":\"rejected\"}"#), "differ"),
        (":".to_owned(), "without an answer"),
        ("echo approved".to_owned(), "without an answer"),
        ("echo '{\"decision\":\"approved\"}'".to_owned(), "without an answer"),
    ] {
        let ended = scene.run(Program::OpenCode, &script).await;
        let is_said = matches!(&ended.outcome, Outcome::Unusable { why: said } if said.contains(why));
        assert!(is_said, "{script} is {:?}, and not: {why}", ended.outcome);
    }
}

#[tokio::test]
async fn what_takes_too_long_or_prints_too_much_is_ended() {
    let scene = Scene { limits: Limits { time: Duration::from_secs(4), ..Limits::default() }, ..Scene::new() };
    let ended = scene.run(Program::OpenCode, &format!("{APPROVES}; exec sleep 1000")).await;
    assert_eq!(ended.outcome, Outcome::TimedOut, "what it has said before its end doesn't count");
    assert!(ended.tail.contains("approved") && ended.took < Duration::from_secs(30), "{ended:?}");
    let scene = Scene { limits: Limits { output: 64 * 1024, ..Limits::default() }, ..Scene::new() };
    for flood in ["exec yes", "exec yes >&2", "while echo more; do :; done"] {
        let ended = scene.run(Program::OpenCode, &format!("{APPROVES}; {flood}")).await;
        assert_eq!(ended.outcome, Outcome::TooMuchOutput, "{flood}");
        assert!(ended.tail.len() <= 8 * 1024 && !ended.tail.is_empty(), "{}", ended.tail.len());
    }
}

#[tokio::test]
async fn what_cannot_be_started_is_refused_in_words() {
    let scene = Scene::new();
    let ended = scene.run(Program::OpenCode, "exit 0\n").await;
    assert!(matches!(ended.outcome, Outcome::Unusable { .. }), "it can be started");
    let program = gate_worker::Installed { program: Program::Codex, path: scene.seen("nothing"), version: None };
    let run = gate_worker::Run {
        program: &program,
        question: gate_worker::Question::default(),
        folder: scene.runs().folder().expect("a folder"),
        environment: &scene.environment,
        limits: scene.limits,
        shelter: scene.shelter.clone(),
        starter: crate::scene::starter(),
    };
    let ended = run.ended(gate_worker::answer::text, |_, _| (), &CancellationToken::new()).await;
    assert!(
        matches!(&ended.outcome, Outcome::Refused(why) if why.message.contains("nothing can't be started")),
        "{ended:?}"
    );
    assert_eq!(scene.left(), 0, "nothing stays");
}
