//! Permission questions on a real store: asked, answered, and over in every other way. Nothing but an act allows.

use std::future::Future;
use std::path::Path;
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use gate_api::subjects::permissions::{self, AnswerPermission, AskPermissionNeeds, TellPermission};
use gate_api::subjects::person::SetAway;
use gate_api::subjects::requests::{self, Dismiss, SendReply, Snooze, UndoReply};
use gate_api::{Event, Origin, RequestSummary};
use gate_core::{
    AnsweredFrom, Assurance, Code, Decision, Draft, Fault, OwnerId, PermissionAnswer, PermissionAsk,
    PermissionQuestion, PermissionSign, PermissionVerdict, RequestId, RequestStatus, Role, Seat,
};
use gate_mcp::{ChatPort as _, PermissionCall, RecordPort as _};
use gate_settings::Values;
use serde_json::{Value, json};
use tokio::sync::broadcast::Receiver;

use crate::host::Allows;
use crate::slices::Gate;
use crate::tests::{Outcome, call, gate, open, open_allowing, open_seated, open_with, own, reply, text};

fn question(tool: &str, input: &Value, folder: &Path) -> PermissionQuestion {
    let question = json!({"form": "claude_hook", "tool": tool, "input": input.to_string(), "folder": folder,
        "session": "s", "offered": [r#"{"type":"setMode","mode":"acceptEdits","destination":"session"}"#]});
    serde_json::from_value(question).expect("it is a question")
}

fn command(text: &str) -> PermissionQuestion {
    question("Bash", &json!({ "command": text }), Path::new("/w"))
}

fn asking(key: &str, question: PermissionQuestion) -> PermissionCall {
    let call = call(key, "m");
    PermissionCall {
        question,
        caller: call.caller,
        declared: call.declared,
        agent: None,
        owner: own(),
        call_key: call.call_key,
    }
}

type Asked = tokio::task::JoinHandle<Result<PermissionVerdict, Fault>>;

/// Asks, and gives what waits as soon as windows hear of it.
async fn ask(gate: &Gate, key: &str, question: PermissionQuestion) -> (Asked, RequestSummary) {
    ask_by(gate, asking(key, question)).await
}

async fn ask_by(gate: &Gate, call: PermissionCall) -> (Asked, RequestSummary) {
    let mut events = gate.events();
    let asker = gate.clone();
    let asked = tokio::spawn(async move { asker.ask_whether(call).await });
    (asked, added(&mut events).await)
}

/// The next request that windows hear of.
async fn added(events: &mut Receiver<Event>) -> RequestSummary {
    heard(events, |event| match event {
        Event::Requests(requests::Event::RequestAdded { request, .. }) => Some(request),
        _ => None,
    })
    .await
}

/// Waits for an event, and gives what is taken of it.
async fn heard<T>(events: &mut Receiver<Event>, take: impl Fn(Event) -> Option<T>) -> T {
    let hears = async {
        loop {
            if let Some(taken) = take(events.recv().await.expect("the gate runs")) {
                return taken;
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(20), hears).await.expect("it is told")
}

async fn answer(gate: &Gate, request_id: RequestId, answer: PermissionAnswer, origin: Origin) -> Result<(), Fault> {
    let digest = gate.inner.requests.question(request_id).await?.digest;
    gate.execute(AnswerPermission { request_id, digest, answer }, origin).await.map(drop)
}

/// What windows are told of an answer before it is given.
async fn needs(
    gate: &Gate,
    request_id: RequestId,
    answer: PermissionAnswer,
) -> Result<Option<gate_api::ApprovalNeeds>, Fault> {
    Ok(gate.execute(AskPermissionNeeds { request_id, answer }, Origin::Desktop).await?.needs)
}

async fn ended(asked: Asked) -> Result<PermissionVerdict, Fault> {
    tokio::time::timeout(Duration::from_secs(20), asked).await.expect("it ends").expect("it doesn't panic")
}

fn allow() -> PermissionVerdict {
    PermissionVerdict::Allow { input: None, rule: None }
}

fn asks(why: PermissionAsk) -> PermissionVerdict {
    PermissionVerdict::Ask { why }
}

#[tokio::test]
async fn each_answer_reaches_the_agent_at_once_and_has_its_receipt() -> Outcome {
    let (_folder, gate) = gate(true).await?;
    let rule = r#"{"type":"setMode","mode":"acceptEdits","destination":"session"}"#;
    for (key, given, verdict) in [
        ("1", PermissionAnswer::Once, allow()),
        (
            "2",
            PermissionAnswer::Deny { reason: "Use make.".to_owned() },
            PermissionVerdict::Deny { reason: Some("Use make.".to_owned()) },
        ),
        (
            "3",
            PermissionAnswer::Edited { text: "make".to_owned() },
            PermissionVerdict::Allow { input: Some(r#"{"command":"make"}"#.to_owned()), rule: None },
        ),
        (
            "4",
            PermissionAnswer::Rule { id: "1".to_owned() },
            PermissionVerdict::Allow { input: None, rule: Some(rule.to_owned()) },
        ),
    ] {
        let (asked, request) = ask(&gate, key, command("npm test")).await;
        assert_eq!((request.title.as_str(), request.approval), ("npm", true), "it is shown by what it would run");
        answer(&gate, request.request_id, given.clone(), Origin::Desktop).await?;
        assert_eq!(ended(asked).await?, verdict, "{given:?}");
        let standing = gate.inner.requests.standing(request.request_id).await?.ok_or("it is in the record")?;
        assert_eq!(standing.status, RequestStatus::Answered, "{given:?}");
        assert!(standing.receipt.is_some(), "an answer has its receipt: {given:?}");
        let undone = gate.execute(UndoReply { request_id: request.request_id }, Origin::Desktop).await;
        assert_eq!(undone.err().map(|fault| fault.code), Some(Code::TooLate), "its agent has gone on");
        let earlier = gate.inner.requests.earlier(request.session_uuid).await;
        assert!(earlier.is_empty(), "no other tool speaks of it: {earlier:?}");
    }
    assert_eq!(gate.pending(), 0, "nothing is left");
    Ok(())
}

#[tokio::test]
async fn only_an_act_in_a_place_of_ours_allows() -> Outcome {
    let folder = tempfile::tempdir()?;
    let allows = Allows { scripts: true, terminal: true };
    let gate = open_allowing(&folder, true, Values::new(), allows).await?;
    let (asked, request) = ask(&gate, "1", command("rm -rf /")).await;
    let request_id = request.request_id;
    let digest = gate.inner.requests.question(request_id).await?.digest;
    for origin in [Origin::Script, Origin::Terminal] {
        let refused = answer(&gate, request_id, PermissionAnswer::Once, origin).await;
        assert!(refused.is_err(), "{origin:?} allows nothing, whatever scripts may do: {refused:?}");
    }
    for origin in Origin::ALL {
        for decision in [Some(Decision::Approved), None] {
            let draft = if decision.is_some() { Draft::default() } else { text("yes") };
            let reply = SendReply { request_id, digest, decision, draft };
            let refused = gate.execute(reply, origin).await.err().map(|fault| fault.code);
            assert_eq!(refused, Some(Code::OtherKind), "a reply of another kind is none: {origin:?} {decision:?}");
        }
    }
    let form = gate.answer(request_id, digest, text("yes")).await;
    assert!(form.is_err(), "nor is what a client's form brings: {form:?}");
    let stale = AnswerPermission {
        request_id,
        digest: gate_core::Digest::of_bytes(b"another"),
        answer: PermissionAnswer::Once,
    };
    let refused = gate.execute(stale, Origin::Desktop).await.err().map(|fault| fault.code);
    assert_eq!(refused, Some(Code::ChangedQuestion), "nor is an answer to what wasn't shown");
    assert!(!asked.is_finished(), "all that allowed nothing");
    gate.execute(Dismiss { request_id }, Origin::Desktop).await?;
    assert_eq!(ended(asked).await?, asks(PermissionAsk::PutAside), "what is put aside is asked elsewhere");

    let plain = gate.inner.requests.ask(call("2", "May I?")).await?.request_id;
    let refused = answer(&gate, plain, PermissionAnswer::Once, Origin::Desktop).await.err().map(|fault| fault.code);
    assert_eq!(refused, Some(Code::OtherKind), "and no other question is answered as a permission");
    Ok(())
}

#[tokio::test]
async fn what_nobody_may_have_seen_allows_nothing() -> Outcome {
    let folder = tempfile::tempdir()?;
    let seat = Some(Seat::Elsewhere(":99".to_owned()));
    let gate = open_seated(&folder, true, Values::new(), Allows::default(), seat).await?;
    let (asked, request) = ask(&gate, "1", command("a")).await;
    let refused = answer(&gate, request.request_id, PermissionAnswer::Once, Origin::Desktop).await;
    let refused = refused.err().map(|fault| fault.code);
    assert_eq!(refused, Some(Code::LevelUnreachable), "the window says that nothing was allowed");
    assert!(!asked.is_finished(), "and it goes on waiting");
    answer(&gate, request.request_id, PermissionAnswer::Once, Origin::Browser).await?;
    assert_eq!(ended(asked).await?, allow(), "the page is somebody's");
    let (asked, request) = ask(&gate, "2", command("a")).await;
    answer(&gate, request.request_id, PermissionAnswer::Deny { reason: String::new() }, Origin::Desktop).await?;
    assert_eq!(ended(asked).await?, PermissionVerdict::Deny { reason: None }, "whoever it was may deny");
    Ok(())
}

#[tokio::test]
async fn an_answer_is_as_sure_as_all_that_it_allows() -> Outcome {
    let folder = tempfile::tempdir()?;
    let rules = Values::from([("security.require_for", json!(["L2; words=production"]))]);
    let gate = open_with(&folder, true, rules).await?;
    let (asked, request) = ask(&gate, "1", command("npm test")).await;
    for (given, why) in [
        (PermissionAnswer::Edited { text: "deploy production".to_owned() }, "what it is changed to asks for more"),
        (PermissionAnswer::Rule { id: "1".to_owned() }, "a rule allows that, too"),
    ] {
        let told = needs(&gate, request.request_id, given.clone()).await?;
        assert_eq!(told.map(|needs| needs.level), Some(Assurance::L2), "told before: {why}");
        let refused = answer(&gate, request.request_id, given, Origin::Desktop).await.err().map(|fault| fault.code);
        assert_eq!(refused, Some(Code::LevelUnreachable), "{why}");
    }
    for given in [
        PermissionAnswer::Once,
        PermissionAnswer::Edited { text: "make".to_owned() },
        PermissionAnswer::Deny { reason: "production".to_owned() },
    ] {
        assert_eq!(needs(&gate, request.request_id, given.clone()).await?, None, "the act is enough: {given:?}");
    }
    answer(&gate, request.request_id, PermissionAnswer::Edited { text: "make".to_owned() }, Origin::Desktop).await?;
    assert!(matches!(ended(asked).await?, PermissionVerdict::Allow { input: Some(_), .. }), "nothing asks for more");
    let (asked, request) = ask(&gate, "2", command("deploy production")).await;
    let milder = PermissionAnswer::Edited { text: "npm test".to_owned() };
    let refused = answer(&gate, request.request_id, milder, Origin::Desktop).await.err().map(|fault| fault.code);
    assert_eq!(refused, Some(Code::LevelUnreachable), "what was asked counts as well");
    asked.abort();
    Ok(())
}

#[tokio::test]
async fn where_nobody_can_answer_the_agent_asks_at_once() -> Outcome {
    let (_folder, nobody) = gate(false).await?;
    assert_eq!(nobody.ask_whether(asking("1", command("a"))).await?, asks(PermissionAsk::Nobody), "no window, no page");
    let folder = tempfile::tempdir()?;
    let off = open_with(&folder, true, Values::from([("permissions.enabled", json!(false))])).await?;
    assert_eq!(off.ask_whether(asking("1", command("a"))).await?, asks(PermissionAsk::Off), "the person wants none");
    let (_folder, gate) = gate(true).await?;
    gate.execute(SetAway { away: true }, Origin::Desktop).await?;
    assert_eq!(gate.ask_whether(asking("1", command("a"))).await?, asks(PermissionAsk::Away), "the person is away");
    gate.execute(SetAway { away: false }, Origin::Desktop).await?;
    let (asked, request) = ask(&gate, "2", command("a")).await;
    gate.execute(Snooze { request_id: request.request_id, until: None }, Origin::Desktop).await?;
    gate.execute(SetAway { away: true }, Origin::Desktop).await?;
    assert_eq!(ended(asked).await?, asks(PermissionAsk::Away), "nor does it wait for them to come back");
    assert_eq!((nobody.pending(), off.pending(), gate.pending()), (0, 0, 0), "nothing is left on the queue");
    Ok(())
}

#[tokio::test]
async fn what_cannot_be_read_is_no_question() -> Outcome {
    let (_folder, gate) = gate(true).await?;
    let odd = |change: fn(&mut PermissionQuestion)| {
        let mut question = command("a");
        change(&mut question);
        question
    };
    let large = json!({"command": "x".repeat(gate_core::bounds::PERMISSION_INPUT_BYTES)}).to_string();
    let mut too_large = command("a");
    too_large.input = large;
    for (code, question) in [
        (Code::InvalidInput, odd(|question| question.input = "{".to_owned())),
        (Code::InvalidInput, odd(|question| question.tool = " ".to_owned())),
        (Code::TooLarge, odd(|question| question.session = Some("x".repeat(1000)))),
        (Code::TooMany, odd(|question| question.offered = vec!["{}".to_owned(); 100])),
        (Code::TooLarge, too_large),
    ] {
        let refused = gate.ask_whether(asking("1", question)).await.err().map(|fault| fault.code);
        assert_eq!(refused, Some(code), "a fault, by which the agent asks itself");
    }
    assert_eq!(gate.pending(), 0, "nobody is shown what can't be read");
    Ok(())
}

#[tokio::test]
async fn a_question_goes_with_whoever_asked() -> Outcome {
    let (_folder, gate) = gate(true).await?;
    let mut events = gate.events();
    let (asked, request) = ask(&gate, "1", command("a")).await;
    asked.abort();
    let over = heard(&mut events, |event| match event {
        Event::Permissions(permissions::Event::PermissionOver { request_id, why }) => Some((request_id, why)),
        _ => None,
    });
    assert_eq!(over.await, (request.request_id, PermissionAsk::Gone), "windows are told why");
    let closed = |event| matches!(event, Event::Requests(requests::Event::RequestClosed { .. })).then_some(());
    heard(&mut events, closed).await;
    assert_eq!(gate.pending(), 0, "and it is closed");
    let late = answer(&gate, request.request_id, PermissionAnswer::Once, Origin::Desktop).await;
    assert_eq!(late.err().map(|fault| fault.code), Some(Code::NotPending), "and nothing can be allowed any more");
    Ok(())
}

#[tokio::test]
async fn the_time_is_over_and_so_is_the_question() -> Outcome {
    let (_folder, gate) = gate(true).await?;
    let question = PermissionQuestion { wait_seconds: Some(1), ..command("a") };
    let begin = std::time::Instant::now();
    assert_eq!(gate.ask_whether(asking("1", question)).await?, asks(PermissionAsk::TimeOver));
    assert!(begin.elapsed() >= Duration::from_secs(1), "not before: {:?}", begin.elapsed());
    assert_eq!(gate.pending(), 0, "it is withdrawn");
    let waits = gate.settings().permissions.wait_seconds;
    assert_eq!(waits, 590, "less than the ten minutes after which agents give up");
    Ok(())
}

#[test]
fn a_disk_that_does_not_answer_keeps_nobody_beyond_their_time() -> Outcome {
    const THREADS: usize = 16;
    let runtime = tokio::runtime::Builder::new_current_thread().max_blocking_threads(THREADS).enable_all().build()?;
    runtime.block_on(async {
        let (_folder, gate) = gate(true).await?;
        // Whatever looks at a file waits, as for a share that is gone.
        let (answers, disk) = mpsc::channel::<()>();
        let disk = Arc::new(Mutex::new(disk));
        for _ in 0..THREADS {
            let disk = Arc::clone(&disk);
            tokio::task::spawn_blocking(move || disk.lock().map(|disk| disk.recv()).is_ok());
        }
        let question = PermissionQuestion { wait_seconds: Some(1), ..command("a") };
        let asked = tokio::time::timeout(Duration::from_secs(20), gate.ask_whether(asking("1", question))).await;
        drop(answers);
        assert_eq!(asked.expect("it ends")?, asks(PermissionAsk::TimeOver));
        assert_eq!(gate.pending(), 0, "nothing was asked");
        Ok(())
    })
}

#[tokio::test]
async fn a_call_that_is_sent_again_to_the_next_gate_is_asked_anew() -> Outcome {
    let (folder, before) = gate(true).await?;
    let (cut_off, first) = ask(&before, "1", command("a")).await;
    before.inner.receipts.close().await;
    let after = open(&folder, true).await?;
    let (asked, second) = ask(&after, "1", command("a")).await;
    assert_ne!(first.request_id, second.request_id, "what was closed stands for nothing");
    answer(&after, second.request_id, PermissionAnswer::Once, Origin::Desktop).await?;
    assert_eq!(ended(asked).await?, allow());
    cut_off.abort();
    Ok(())
}

#[tokio::test]
async fn what_a_gate_before_was_asked_is_closed_at_the_next_start() -> Outcome {
    let (folder, before) = gate(true).await?;
    let (asked, request) = ask(&before, "1", command("a")).await;
    // As a kill leaves it: the row is pending, and whoever asked is cut off.
    before.inner.receipts.close().await;
    let after = open(&folder, true).await?;
    assert_eq!(after.pending(), 0, "nobody waits for it any more");
    let status = after.inner.store.status(request.request_id).await?;
    assert_eq!(status, Some(RequestStatus::Cancelled), "and nothing of it was allowed");
    asked.abort();
    Ok(())
}

#[tokio::test]
async fn a_file_that_changes_makes_another_question_and_the_draft_goes_along() -> Outcome {
    let (_folder, gate) = gate(true).await?;
    let work = tempfile::tempdir()?;
    let file = work.path().join("a.txt");
    std::fs::write(&file, "one\ntwo\n")?;
    let input = json!({"file_path": file, "old_string": "two", "new_string": "ZWEI"});
    let (asked, first) = ask(&gate, "1", question("Edit", &input, work.path())).await;
    let shown = gate.inner.requests.open_request(first.request_id).await?;
    assert!(shown.diff.is_some(), "the diff is the gate's own, against the file as it is");
    gate.inner.store.save_draft(first.request_id, &text("not yet"), crate::tests::now()).await?;
    std::fs::write(&file, "zero\none\ntwo\n")?;
    let mut events = gate.events();
    let refused = answer(&gate, first.request_id, PermissionAnswer::Once, Origin::Desktop).await;
    assert_eq!(refused.err().map(|fault| fault.code), Some(Code::ChangedQuestion), "it isn't what was shown");
    let second = added(&mut events).await;
    let replaced = heard(&mut events, |event| match event {
        Event::Permissions(permissions::Event::PermissionReplaced { request_id, by }) => Some((request_id, by)),
        _ => None,
    });
    assert_eq!(replaced.await, (first.request_id, second.request_id), "windows are told which one is in its place");
    assert!(!asked.is_finished(), "the agent still waits");
    let diff = gate.inner.requests.question(second.request_id).await?.ask.diff.ok_or("it has a diff")?;
    assert!(diff.contains("@@ -1,3 +1,3 @@\n zero\n one\n-two\n+ZWEI\n"), "the new diff is of the new file: {diff}");
    let kept = gate.inner.store.draft(second.request_id).await?;
    assert_eq!(kept.text, "not yet", "what was written isn't lost");
    answer(&gate, second.request_id, PermissionAnswer::Once, Origin::Browser).await?;
    assert_eq!(ended(asked).await?, allow(), "and the new one can be allowed");
    Ok(())
}

#[tokio::test]
async fn a_file_that_changes_while_it_is_allowed_is_asked_anew() -> Outcome {
    let (_folder, gate) = gate(true).await?;
    let work = tempfile::tempdir()?;
    let file = work.path().join("a.txt");
    std::fs::write(&file, "one\n")?;
    let input = json!({"file_path": file, "old_string": "one", "new_string": "two"});
    let (asked, first) = ask(&gate, "1", question("Edit", &input, work.path())).await;
    std::fs::write(&file, "one more\n")?;
    let mut events = gate.events();
    // As an approval whose files were looked at before it was signed.
    let approved = Some(Decision::Approved);
    reply(&gate, first.request_id, approved, &Draft::default(), AnsweredFrom::Desktop).await?;
    let second = added(&mut events).await;
    assert!(!asked.is_finished(), "that allowed nothing");
    let diff = gate.inner.requests.question(second.request_id).await?.ask.diff.ok_or("it has a diff")?;
    assert!(diff.contains("-one more\n"), "the file as it is now: {diff}");
    answer(&gate, second.request_id, PermissionAnswer::Once, Origin::Desktop).await?;
    assert_eq!(ended(asked).await?, allow());
    Ok(())
}

#[tokio::test]
async fn an_agent_reads_in_its_conversation_nothing_of_a_file() -> Outcome {
    let (_folder, gate) = gate(true).await?;
    let work = tempfile::tempdir()?;
    let file = work.path().join("a.txt");
    std::fs::write(&file, "secret\n")?;
    let mut session = None;
    for (key, guess) in [("1", "secret"), ("2", "another")] {
        let input = json!({"file_path": file, "old_string": guess, "new_string": ""});
        let (asked, request) = ask(&gate, key, question("Edit", &input, work.path())).await;
        asked.abort();
        session = Some(request.session_uuid);
    }
    let session = session.ok_or("a conversation")?;
    let all = gate.inner.conversations.conversation(session, None).await?.ok_or("it is there")?.messages.items;
    assert_eq!(all.iter().map(|said| said.has_diff).collect::<Vec<_>>(), [true, false], "the person is shown both");
    let read = gate.conversation(session, None, &own()).await?.ok_or("it is there")?.messages.items;
    let told: Vec<_> = read.iter().map(|said| (said.role, said.has_diff, &said.title, &said.text)).collect();
    let [(Role::Agent, false, ..), guessed] = told.as_slice() else { panic!("two questions: {told:?}") };
    assert_eq!(told[0], *guessed, "the same is told of both guesses");
    Ok(())
}

#[tokio::test]
async fn a_denial_needs_no_file_to_be_as_it_was() -> Outcome {
    let (_folder, gate) = gate(true).await?;
    let work = tempfile::tempdir()?;
    let file = work.path().join("a.txt");
    let input = json!({"file_path": file, "content": "x"});
    let (asked, request) = ask(&gate, "1", question("Write", &input, work.path())).await;
    std::fs::write(&file, "y")?;
    answer(&gate, request.request_id, PermissionAnswer::Deny { reason: String::new() }, Origin::Desktop).await?;
    assert_eq!(ended(asked).await?, PermissionVerdict::Deny { reason: None });
    Ok(())
}

fn sign(event: &str, of: Option<&PermissionQuestion>, session: Option<&str>) -> PermissionSign {
    PermissionSign {
        form: gate_core::PermissionForm::ClaudeHook,
        event: event.to_owned(),
        session: session.map(str::to_owned),
        subagent: of.and_then(|question| question.subagent.clone()),
        tool: of.map(|question| question.tool.clone()),
        input: of.map(|question| question.input.clone()),
        tool_use_id: None,
    }
}

async fn told(gate: &Gate, event: &str, of: Option<&PermissionQuestion>, session: Option<&str>) -> (u32, bool) {
    let sign = sign(event, of, session);
    let told = gate.inner.requests.take_sign(&sign, &own().id).await.expect("it is taken");
    (told.closed, told.tell.is_some())
}

#[tokio::test]
async fn signs_of_an_answer_elsewhere_close_just_that_question() -> Outcome {
    let (_folder, gate) = gate(true).await?;
    let helper = PermissionQuestion { subagent: Some("h".to_owned()), ..command("b") };
    let (own, _) = ask(&gate, "1", command("a")).await;
    let (others, _) = ask(&gate, "2", helper.clone()).await;
    assert_eq!(told(&gate, "PostToolUse", Some(&command("other")), Some("s")).await.0, 0, "another use is another");
    assert_eq!(told(&gate, "PostToolUse", Some(&command("a")), Some("t")).await.0, 0, "and so is another session's");
    assert_eq!(told(&gate, "PostToolUse", Some(&command("a")), None).await.0, 0, "and one of nobody's");
    assert_eq!(told(&gate, "PostToolUse", Some(&command("a")), Some("s")).await.0, 1);
    assert_eq!(ended(own).await?, asks(PermissionAsk::AnsweredThere));
    assert!(!others.is_finished(), "its subagent still asks");
    let (next, _) = ask(&gate, "3", PermissionQuestion { subagent: Some("h".to_owned()), ..command("c") }).await;
    assert_eq!(ended(others).await?, asks(PermissionAsk::AnsweredThere), "it asks one thing at a time");
    assert_eq!(told(&gate, "Stop", None, Some("s")).await.0, 1, "the end of a turn is the end of its questions");
    assert_eq!(ended(next).await?, asks(PermissionAsk::AnsweredThere));
    for event in ["SessionEnd", "Interrupt"] {
        let (left, _) = ask(&gate, event, command("d")).await;
        assert_eq!(told(&gate, event, None, Some("s")).await.0, 1);
        assert_eq!(ended(left).await?, asks(PermissionAsk::Gone), "by {event} nobody has answered anything");
    }
    Ok(())
}

#[tokio::test]
async fn another_owners_question_or_sign_closes_nothing() -> Outcome {
    let (_folder, gate) = gate(true).await?;
    let (mine, first) = ask(&gate, "1", command("a")).await;
    let other = OwnerId::Relay("other".to_owned());
    let call = PermissionCall { owner: other.clone().into(), ..asking("2", command("b")) };
    let (theirs, second) = ask_by(&gate, call).await;
    assert_ne!(first.session_uuid, second.session_uuid, "a session's name doesn't lead into another's conversation");
    for (event, of) in [("PostToolUse", Some(command("a"))), ("Stop", None)] {
        let forged = sign(event, of.as_ref(), Some("s"));
        let closed = gate.inner.requests.take_sign(&forged, &OwnerId::SharedToken).await?.closed;
        assert_eq!(closed, 0, "{event} of another owner is no sign");
        let closed = gate.execute(TellPermission { sign: forged }, Origin::Script).await?.closed;
        assert_eq!(closed, 0, "{event}: nor is one of nobody whom the gate knows");
    }
    assert!(!mine.is_finished(), "nor is another's question");
    assert_eq!(told(&gate, "Stop", None, Some("s")).await.0, 1, "its own sign is one, and of its own alone");
    assert_eq!(ended(mine).await?, asks(PermissionAsk::AnsweredThere));
    answer(&gate, second.request_id, PermissionAnswer::Edited { text: "c".to_owned() }, Origin::Desktop).await?;
    ended(theirs).await?;
    assert!(
        !told(&gate, "PostToolUse", Some(&command("c")), Some("s")).await.1,
        "what was changed is told to nobody else"
    );
    Ok(())
}

#[tokio::test]
async fn the_model_is_told_once_that_its_input_was_changed() -> Outcome {
    let (_folder, gate) = gate(true).await?;
    let (asked, request) = ask(&gate, "1", command("npm test")).await;
    answer(&gate, request.request_id, PermissionAnswer::Edited { text: "make".to_owned() }, Origin::Desktop).await?;
    ended(asked).await?;
    assert!(!told(&gate, "PostToolUse", Some(&command("npm test")), Some("s")).await.1, "that isn't what was run");
    assert!(told(&gate, "PostToolUse", Some(&command("make")), Some("s")).await.1, "what was run is another input");
    assert!(!told(&gate, "PostToolUse", Some(&command("make")), Some("s")).await.1, "once is enough");
    Ok(())
}

#[tokio::test]
async fn no_call_of_another_tool_stands_for_a_permission() -> Outcome {
    let (_folder, gate) = gate(true).await?;
    let (asked, request) = ask(&gate, "1", command("a")).await;
    let request_id = Some(request.request_id);
    let waits = gate.inner.requests.ask(gate_mcp::Call { request_id, ..call("2", "a") }).await;
    assert_eq!(waits.err().map(|fault| fault.code), Some(Code::UnknownRequest), "it is no chat's");
    let looked = gate.look(request.request_id, &own()).await;
    assert_eq!(looked.err().map(|fault| fault.code), Some(Code::UnknownRequest), "nor a task's");
    answer(&gate, request.request_id, PermissionAnswer::Once, Origin::Desktop).await?;
    assert_eq!(ended(asked).await?, allow());
    Ok(())
}

/// A question that is given up the moment it is asked leaves nothing behind, wherever it is given up.
#[tokio::test]
async fn a_question_that_is_given_up_early_leaves_nothing() -> Outcome {
    let (_folder, gate) = gate(true).await?;
    for polls in 0..40 {
        let mut asks = Box::pin(gate.ask_whether(asking(&polls.to_string(), command("a"))));
        for _ in 0..polls {
            let polled = std::future::poll_fn(|context| std::task::Poll::Ready(asks.as_mut().poll(context).is_ready()));
            assert!(!polled.await, "nobody has answered");
            // Lets others go on by as much as a read takes.
            gate.inner.store.pending_count().await?;
        }
    }
    let gone = tokio::time::timeout(Duration::from_secs(20), async {
        while gate.pending() > 0 {
            gate.inner.requests.end_permissions_unasked(PermissionAsk::Gone).await;
            gate.inner.store.pending_count().await?;
        }
        Ok::<_, Fault>(())
    });
    gone.await??;
    Ok(())
}
