//! The controller on a real store, driven as relays and windows drive it.

mod abandoned;
mod applied;
mod carried;
mod deciding;
mod door;
mod fuzz;
#[cfg(target_os = "linux")]
mod histories;
mod hold;
mod late;
mod laundering;
mod log;
mod notes;
mod owed;
mod owners;
mod permissions;
#[cfg(unix)]
mod pool;
mod presence;
mod prompts;
mod questions;
mod races;
mod read_again;
mod receipts;
mod record;
mod reviews;
mod reviews_shown;
mod shown_round;
mod upgrade;
#[expect(unreachable_pub, reason = "the tests of the whole have it, too")]
#[path = "../../../../tests/src/wait.rs"]
mod wait;
mod workflow;

use std::ffi::OsString;
use std::fmt;
use std::sync::Arc;

use gate_api::subjects::connections::CreateToken;
use gate_api::subjects::conversations;
use gate_api::subjects::requests::{self, Attach, BeginTerminalReply, Dismiss, SendReply, SendTerminalReply};
use gate_api::{Done, Event, Origin};
use gate_core::proposal::May;
use gate_core::{
    AnsweredFrom, Ask, Assurance, Caller, Code, Decision, Declared, Draft, Fault, Owner, OwnerId, RequestId,
    RequestStatus, ReviewRequest, Seat, SessionUuid, Timestamp, bounds,
};
use gate_door::access::Access;
use gate_link::Home;
use gate_mcp::{Agent, Asked, Call};
use gate_settings::{Overlay, Settings, SettingsFile, Values};
use gate_store::{AddedToken, OpenOptions, Store};
use tempfile::TempDir;
use uuid::Uuid;

use crate::ambient::{Ambient, System};
use crate::bus::Bus;
use crate::host::{Allows, Host};
use crate::slices::conversations::Folders;
use crate::slices::prompts::Sources;
use crate::slices::settings::InForce;
pub(crate) use crate::slices::signing::Ways;
use crate::slices::{Gate, Parts};

pub(crate) type Outcome = Result<(), Box<dyn std::error::Error>>;

pub(crate) async fn gate(window: bool) -> Result<(TempDir, Gate), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let gate = open(&folder, window).await?;
    Ok((folder, gate))
}

pub(crate) async fn open(folder: &TempDir, window: bool) -> Result<Gate, Fault> {
    open_with(folder, window, Values::new()).await
}

/// A gate with these settings laid over its file.
pub(crate) async fn open_with(folder: &TempDir, window: bool, settings: Values) -> Result<Gate, Fault> {
    open_allowing(folder, window, settings, Allows::default()).await
}

/// A gate that was started to allow this.
pub(crate) async fn open_allowing(
    folder: &TempDir,
    window: bool,
    settings: Values,
    allows: Allows,
) -> Result<Gate, Fault> {
    open_seated(folder, window, settings, allows, None).await
}

/// The same with its window there.
pub(crate) async fn open_seated(
    folder: &TempDir,
    window: bool,
    settings: Values,
    allows: Allows,
    seat: Option<Seat>,
) -> Result<Gate, Fault> {
    open_with_all(folder, window, settings, allows, Seated { seat, ..Seated::default() }).await
}

/// A gate with a window, and with its page at this address.
pub(crate) async fn open_with_page(folder: &TempDir, settings: Values, http: &str) -> Result<Gate, Fault> {
    let seated = Seated { http: Some(http.to_owned()), ..Seated::default() };
    open_with_all(folder, true, settings, Allows::default(), seated).await
}

/// A gate whose pool starts runs by this program, with this environment.
#[cfg(unix)]
pub(crate) async fn open_with_pool(
    folder: &TempDir,
    settings: Values,
    pool: (String, Vec<(OsString, OsString)>),
) -> Result<Gate, Fault> {
    let seated = Seated { pool: Some(pool), ..Seated::default() };
    open_with_all(folder, true, settings, Allows::default(), seated).await
}

/// A gate in which approvals are confirmed in these ways.
pub(crate) async fn open_to_sign(
    folder: &TempDir,
    window: bool,
    settings: Values,
    allows: Allows,
    ways: Ways,
) -> Result<Gate, Fault> {
    open_with_all(folder, window, settings, allows, Seated { ways, ..Seated::default() }).await
}

/// A gate that does this whenever it needs a new identifier.
pub(crate) async fn open_to_stop(folder: &TempDir, at_new_id: Hook) -> Result<Gate, Fault> {
    let seated = Seated { at_new_id: Some(at_new_id), ..Seated::default() };
    open_with_all(folder, true, Values::new(), Allows::default(), seated).await
}

/// What is done in the middle of something.
pub(crate) type Hook = Box<dyn Fn() + Send + Sync>;

/// Where a gate's window and its page are, and by what approvals are confirmed there.
#[derive(Default)]
struct Seated {
    seat: Option<Seat>,
    http: Option<String>,
    ways: Ways,
    /// What starts runs of the pool, and with which environment.
    pool: Option<(String, Vec<(OsString, OsString)>)>,
    at_new_id: Option<Hook>,
}

async fn open_with_all(
    folder: &TempDir,
    window: bool,
    settings: Values,
    allows: Allows,
    Seated { seat, http, ways, pool, at_new_id }: Seated,
) -> Result<Gate, Fault> {
    let home = Home::at(folder.path());
    let bus = Bus::new(InUtc { at_new_id });
    let (command_path, environment) = pool.unwrap_or_else(|| ("review-gate".to_owned(), Vec::new()));
    let prompts = Sources::open(&home, &Settings::of(&settings), &bus).await;
    let overlay = Overlay { flags: settings, ..Overlay::default() };
    let store = Store::open(&OpenOptions::new(home.database(), bus.now())).await?.store;
    Gate::open(Parts {
        in_force: InForce::read(SettingsFile::at(home.config_file()), overlay),
        access: Arc::new(Access::open(&home.token_file())?),
        prompts,
        folders: Folders {
            index: home.search_index(),
            exports: folder.path().join("exports"),
            backups: home.backups_folder(),
            copies: home.data_folder().join(gate_clients::COPIES),
        },
        ways,
        host: Host { home, command_path, window, seat, http, allows, environment },
        store,
        bus,
    })
    .await
}

/// The system's time, in a place that has no hour of its own.
struct InUtc {
    at_new_id: Option<Hook>,
}

impl fmt::Debug for InUtc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("InUtc")
    }
}

impl Ambient for InUtc {
    fn now(&self) -> Timestamp {
        System.now()
    }

    fn local_offset(&self, _: Timestamp) -> i32 {
        0
    }

    fn new_id(&self) -> Uuid {
        if let Some(hook) = &self.at_new_id {
            hook();
        }
        System.new_id()
    }
}

/// Now.
pub(crate) fn now() -> Timestamp {
    System.now()
}

pub(crate) fn call(key: &str, message: &str) -> Call {
    Call {
        ask: Ask { message: message.to_owned(), ..Ask::default() },
        session_uuid: None,
        request_id: None,
        caller: Caller { client: "test".to_owned(), client_version: "1".to_owned(), workspace: "/w".to_owned() },
        declared: Declared::default(),
        call_key: key.to_owned(),
        agent: None,
        owner: own(),
        patience_millis: 60_000,
    }
}

/// Whose the calls of the tests are.
pub(crate) fn own() -> Owner {
    OwnerId::Relay("test".to_owned()).into()
}

fn text(text: &str) -> Draft {
    Draft { text: text.to_owned(), ..Draft::default() }
}

/// Replies to a request as whoever has just read it does.
pub(crate) async fn reply(
    gate: &Gate,
    request: RequestId,
    decision: Option<Decision>,
    draft: &Draft,
    from: AnsweredFrom,
) -> Result<(), Fault> {
    let shown = gate.inner.requests.question(request).await?.digest;
    gate.inner.requests.answer(request, shown, decision, draft, from).await
}

async fn answer(gate: &Gate, asked: &Asked, words: &str) -> Result<(), Fault> {
    reply(gate, asked.request_id, None, &text(words), AnsweredFrom::Desktop).await
}

#[tokio::test]
async fn a_call_sent_again_after_a_restart_finds_its_request_and_its_reply() -> Outcome {
    let (folder, before) = gate(false).await?;
    let asked = before.inner.requests.ask(call("relay:1", "May I?")).await?;
    before.inner.receipts.close().await;
    before.inner.store.close().await;

    let after = open(&folder, false).await?;
    assert_eq!(after.pending(), 1, "the request is pending after a restart");
    let again = after.inner.requests.ask(call("relay:1", "May I?")).await?;
    assert_eq!(again.request_id, asked.request_id, "it is the same request, not a second one");
    answer(&after, &again, "yes").await?;
    let late = after.inner.requests.ask(call("relay:1", "May I?")).await?;
    assert_eq!(
        after.inner.requests.closed(late.request_id).await?.text,
        "yes",
        "a replay after the reply gets the reply"
    );
    Ok(())
}

#[tokio::test]
async fn a_request_shows_how_many_files_it_changes_after_a_restart_too() -> Outcome {
    let (folder, before) = gate(false).await?;
    let diff = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n";
    let asking = call("relay:1", "May I?");
    let asking = Call { ask: Ask { diff: Some(diff.to_owned()), ..asking.ask.clone() }, ..asking };
    let asked = before.inner.requests.ask(asking).await?;
    let files = |gate: &Gate| gate.inner.requests.summary(asked.request_id).map(|summary| summary.files);
    assert_eq!(files(&before), Some(2));
    before.inner.receipts.close().await;
    before.inner.store.close().await;
    assert_eq!(files(&open(&folder, false).await?), Some(2), "the queue is what it was");
    Ok(())
}

#[tokio::test]
async fn an_id_that_a_client_uses_again_is_another_question() -> Outcome {
    let (_folder, gate) = gate(false).await?;
    let first = gate.inner.requests.ask(call("relay:1", "Delete the temporary files?")).await?;
    reply(&gate, first.request_id, Some(Decision::Approved), &Draft::default(), AnsweredFrom::Desktop).await?;
    gate.inner.store.mark_delivered("relay:1", Timestamp(1)).await?;
    let second = gate.inner.requests.ask(call("relay:1", "Drop the production database?")).await?;
    assert_ne!(second.request_id, first.request_id, "the old approval answers nothing new");
    assert_eq!(gate.closed_now(second.request_id).await?, RequestStatus::Pending);
    Ok(())
}

#[tokio::test]
async fn an_answer_to_the_same_question_goes_to_its_own_agent_or_to_the_next_one_after_it() -> Outcome {
    let (_folder, gate) = gate(false).await?;
    let requests = &gate.inner.requests;
    let of = |relay: &str, number: u32| Call {
        agent: Some(Agent::Relay(relay.to_owned())),
        ..call(&format!("{relay}:{number}"), "Shall I commit?")
    };
    let connected = gate.inner.queue.relays.connect("one");
    let first = requests.ask(of("one", 1)).await?;
    drop(first.attendance);
    reply(&gate, first.request_id, Some(Decision::Approved), &Draft::default(), AnsweredFrom::Desktop).await?;

    let other = requests.ask(of("other", 1)).await?;
    assert_ne!(other.request_id, first.request_id, "the same words of another agent are another question");
    let named = Call { session_uuid: Some(other.session_uuid), ..of("one", 2) };
    assert_ne!(requests.ask(named).await?.request_id, first.request_id, "and so are those of another session");
    let own = requests.ask(of("one", 3)).await?;
    assert_eq!(own.request_id, first.request_id, "whoever asked has the answer when asking again");
    drop(own.attendance);
    drop(connected);
    let heir = requests.ask(of("heir", 1)).await?;
    assert_eq!(heir.request_id, first.request_id, "and so has the one that was started in its place");
    assert!(!heir.asides.is_empty(), "which is told that it was not asked again");
    gate.inner.store.mark_delivered("heir:1", Timestamp(1)).await?;
    drop(heir.attendance);
    let again = requests.ask(of("heir", 2)).await?;
    assert_ne!(again.request_id, first.request_id, "an answer that was heard answers nothing anew");
    Ok(())
}

#[tokio::test]
async fn an_agent_that_asks_the_same_again_finds_the_request_nobody_waits_for() -> Outcome {
    let (_folder, gate) = gate(false).await?;
    let first = gate.inner.requests.ask(call("relay:1", "May I?")).await?;
    let waiting = gate.inner.requests.ask(call("relay:2", "May I?")).await?;
    let other = gate.inner.requests.ask(call("another:1", "May I?")).await?;
    assert_ne!(waiting.request_id, first.request_id, "while a call waits, another agent's question is its own");
    drop(first.attendance);
    let again = gate.inner.requests.ask(call("relay:3", "May I?")).await?;
    assert_eq!(again.request_id, first.request_id, "the person is not asked the same twice");
    let session = Call { session_uuid: Some(other.session_uuid), ..call("relay:5", "May I?") };
    drop(again.attendance);
    assert_ne!(
        gate.inner.requests.ask(session).await?.request_id,
        again.request_id,
        "a call never adopts another session's request"
    );
    let connected = gate.inner.queue.relays.connect("relay");
    let stranger = gate.inner.requests.ask(call("stranger:1", "May I?")).await?;
    assert_ne!(stranger.request_id, again.request_id, "nor that of a client that may come back");
    drop(connected);
    drop(stranger.attendance);
    let restarted = gate.inner.requests.ask(call("restarted:1", "May I?")).await?;
    assert_eq!(restarted.request_id, again.request_id, "but a client that was started again finds its question");
    let different = gate.inner.requests.ask(call("relay:4", "May I really?")).await?;
    assert_ne!(different.request_id, first.request_id, "another question is another request");
    Ok(())
}

#[tokio::test]
async fn a_cancelled_call_withdraws_its_request_unless_another_waits_for_it() -> Outcome {
    let (_folder, gate) = gate(false).await?;
    let first = gate.inner.requests.ask(call("relay:1", "May I?")).await?;
    let second = gate.inner.requests.ask(Call { request_id: Some(first.request_id), ..call("relay:2", "") }).await?;
    drop(first.attendance);
    gate.inner.requests.withdraw(first.request_id).await?;
    assert_eq!(gate.closed_now(first.request_id).await?, RequestStatus::Pending, "the other call still waits");
    drop(second.attendance);
    gate.inner.requests.withdraw(first.request_id).await?;
    assert_eq!(gate.inner.requests.closed(first.request_id).await?.status, RequestStatus::Cancelled);
    let late = reply(&gate, first.request_id, None, &text("too late"), AnsweredFrom::Desktop).await;
    let refused = late.err().map(|fault| fault.code);
    assert_eq!(refused, Some(Code::NotPending), "a withdrawn request can't be answered");
    Ok(())
}

#[tokio::test]
async fn front_ends_hear_of_requests_in_order_and_after_the_commit() -> Outcome {
    let (_folder, gate) = gate(true).await?;
    let mut events = gate.events();
    let asked = gate.inner.requests.ask(call("relay:1", "May I?")).await?;
    match events.recv().await? {
        Event::Requests(requests::Event::RequestAdded { request, view, again: false }) => {
            assert_eq!(request.request_id, asked.request_id);
            let opened = gate.inner.requests.open_request(asked.request_id).await?;
            assert_eq!(view.as_deref(), Some(&opened), "a window can show it without asking");
            assert!(request.caller_waiting && request.waits_until == Some(asked.until), "the window shows until when");
        }
        other => return Err(format!("a new request was to be announced first, not {other:?}").into()),
    }
    match events.recv().await? {
        Event::Conversations(conversations::Event::SessionChanged { session }) => {
            assert_eq!((session.title.as_str(), session.pending), ("May I?", 1))
        }
        other => return Err(format!("then its session, not {other:?}").into()),
    }
    answer(&gate, &asked, "yes").await?;
    match events.recv().await? {
        Event::Requests(requests::Event::RequestClosed { status, .. }) => assert_eq!(status, RequestStatus::Answered),
        other => return Err(format!("the end was to be announced, not {other:?}").into()),
    }
    Ok(())
}

#[tokio::test]
async fn a_process_without_a_terminal_answers_only_where_that_is_allowed() -> Outcome {
    let scripts = Allows { scripts: true, terminal: false };
    for (window, allows, origin, allowed) in [
        (true, Allows::default(), Origin::Script, false),
        (true, Allows::default(), Origin::Terminal, true),
        (true, Allows::default(), Origin::Desktop, true),
        (true, Allows::default(), Origin::Browser, true),
        (false, Allows::default(), Origin::Script, false),
        (false, scripts, Origin::Script, true),
    ] {
        let folder = tempfile::tempdir()?;
        let gate = open_allowing(&folder, window, Values::new(), allows).await?;
        let asked = gate.inner.requests.ask(call("relay:1", "May I?")).await?;
        let request_id = asked.request_id;
        let digest = gate.inner.requests.question(request_id).await?.digest;
        let reply = SendReply { request_id, digest, decision: None, draft: text("go") };
        let dismiss = gate.execute(Dismiss { request_id: RequestId(Uuid::nil()) }, origin).await;
        let refused = dismiss.err().map(|fault| fault.code) == Some(Code::ScriptedAnswersOff);
        assert_eq!(refused, !allowed, "closing is held to the same rule: {origin:?}, window {window}");
        let result = gate.execute(reply, origin).await;
        assert_eq!(result.is_ok(), allowed, "{origin:?} with window {window}: {result:?}");
        if !allowed {
            assert_eq!(gate.closed_now(asked.request_id).await?, RequestStatus::Pending, "nothing was answered");
        }
    }
    Ok(())
}

#[tokio::test]
async fn a_terminal_decides_where_it_may_and_only_with_the_digits_of_this_question() -> Outcome {
    let terminal = Allows { scripts: false, terminal: true };
    let code = |done: Result<Done, Fault>| done.err().map(|fault| fault.code);
    let off = Some(Code::TerminalAnswersOff);
    for (allows, allowed) in [(Allows::default(), false), (terminal, true)] {
        let folder = tempfile::tempdir()?;
        let gate = open_allowing(&folder, false, Values::new(), allows).await?;
        let request_id = gate.inner.requests.ask(call("relay:1", "May I?")).await?.request_id;
        let digest = gate.inner.requests.question(request_id).await?.digest;
        let decision = Decision::Approved;
        let plain = SendReply { request_id, digest, decision: Some(decision), draft: Draft::default() };
        let sent = gate.execute(plain, Origin::Terminal).await;
        assert_eq!(code(sent), off, "what wasn't confirmed decides nothing, whatever is allowed");
        let begin = BeginTerminalReply { request_id, digest };
        assert!(gate.execute(begin.clone(), Origin::Script).await.is_err(), "a script is no terminal");
        let begun = gate.execute(begin.clone(), Origin::Terminal).await;
        assert_eq!(begun.is_ok(), allowed, "{begun:?}");
        let Ok(begun) = begun else { continue };
        let send = |digest, digits: &str| SendTerminalReply {
            request_id,
            digest,
            decision,
            draft: Draft::default(),
            digits: digits.to_owned(),
        };
        let wrong = if begun.digits == "0000" { "0001" } else { "0000" };
        assert_eq!(code(gate.execute(send(digest, wrong), Origin::Terminal).await), off);
        let again = gate.execute(send(digest, &begun.digits), Origin::Terminal).await;
        assert_eq!(code(again), off, "digits are good for one try");
        let begun = gate.execute(begin.clone(), Origin::Terminal).await?;
        let other = gate_core::Digest::of(&"another question")?;
        assert_eq!(code(gate.execute(send(other, &begun.digits), Origin::Terminal).await), off, "for what was shown");
        let begun = gate.execute(begin, Origin::Terminal).await?;
        gate.execute(send(digest, &begun.digits), Origin::Terminal).await?;
        let reply =
            gate.inner.store.standing(request_id).await?.and_then(|standing| standing.reply).ok_or("a reply")?;
        assert_eq!((reply.answered_from, reply.assurance), (AnsweredFrom::Terminal, Assurance::L1));
    }
    Ok(())
}

#[tokio::test]
async fn what_a_reply_is_sure_of_depends_on_where_it_was_given() -> Outcome {
    let (_folder, gate) = gate(true).await?;
    for (from, assurance) in [
        (AnsweredFrom::Desktop, Assurance::L1),
        (AnsweredFrom::Browser, Assurance::L1),
        (AnsweredFrom::Terminal, Assurance::L0),
        (AnsweredFrom::Script, Assurance::L0),
        (AnsweredFrom::Form, Assurance::L0),
        (AnsweredFrom::Notification, Assurance::L0),
    ] {
        let asked = gate.inner.requests.ask(call(from.as_str(), from.as_str())).await?;
        reply(&gate, asked.request_id, None, &text("yes"), from).await?;
        let outcome = gate.inner.requests.closed(asked.request_id).await?;
        assert_eq!((outcome.answered_from, outcome.assurance), (Some(from), Some(assurance)), "{from:?}");
    }
    Ok(())
}

#[tokio::test]
async fn unknown_ids_are_named() -> Outcome {
    let (_folder, gate) = gate(false).await?;
    let request = Call { request_id: Some(RequestId(Uuid::nil())), ..call("relay:1", "m") };
    assert_eq!(gate.inner.requests.ask(request).await.err().map(|fault| fault.code), Some(Code::UnknownRequest));
    let session = Call { session_uuid: Some(SessionUuid(Uuid::nil())), ..call("relay:2", "m") };
    assert_eq!(gate.inner.requests.ask(session).await.err().map(|fault| fault.code), Some(Code::UnknownSession));
    Ok(())
}

#[tokio::test]
async fn the_queue_is_bounded() -> Outcome {
    let (_folder, gate) = gate(false).await?;
    for number in 0..bounds::PENDING_REQUESTS {
        let request = ReviewRequest {
            request_id: RequestId(Uuid::now_v7()),
            session_uuid: SessionUuid(Uuid::nil()),
            ask: Ask { message: number.to_string(), ..Ask::default() },
            caller: Caller::default(),
            status: RequestStatus::Pending,
            created_at: Timestamp(0),
        };
        gate.inner.queue.board.restore(&request, None, 0);
    }
    let refused = gate.inner.requests.ask(call("relay:1", "one more")).await.err().map(|fault| fault.code);
    assert_eq!(refused, Some(Code::TooMany), "one request more than the bound is refused");
    Ok(())
}

#[tokio::test]
async fn an_attachment_that_is_no_base64_or_too_large_is_refused() -> Outcome {
    let (_folder, gate) = gate(true).await?;
    let request_id = gate.inner.requests.ask(call("relay:1", "May I?")).await?.request_id;
    let attach = |data: String| Attach { request_id, name: "a.bin".to_owned(), data };
    let bad = gate.execute(attach("not base64!".to_owned()), Origin::Desktop).await;
    assert_eq!(bad.err().map(|fault| fault.code), Some(Code::InvalidInput));
    let large = "AAAA".repeat(bounds::ATTACHMENT_BYTES / 3 + 2);
    let refused = gate.execute(attach(large), Origin::Desktop).await;
    assert_eq!(refused.err().map(|fault| fault.code), Some(Code::TooLarge));
    let good = gate.execute(attach("AAAA".to_owned()), Origin::Desktop).await?;
    assert_eq!(good.attachment.size, 3, "three bytes are stored");
    Ok(())
}

impl Gate {
    /// The status of a request right now.
    async fn closed_now(&self, request: RequestId) -> Result<RequestStatus, Box<dyn std::error::Error>> {
        Ok(self.inner.store.status(request).await?.ok_or("the request is stored")?)
    }
}

/// A token of this name, without a wish.
fn token(name: &str) -> CreateToken {
    CreateToken { name: name.to_owned(), reads_all: false, folders: Vec::new(), owner: None, may: Vec::new() }
}

#[tokio::test]
async fn tokens_have_names_within_bounds_and_only_so_many() -> Outcome {
    let (_folder, gate) = gate(false).await?;
    let longest = "x".repeat(bounds::TOKEN_NAME_CHARS);
    gate.inner.connections.create_token(token(&longest)).await?;
    for (name, what) in [("", "an empty one"), ("a\nb", "one over two lines"), (&format!("{longest}x"), "a longer one")]
    {
        let refused = gate.inner.connections.create_token(token(name)).await.err().map(|fault| fault.code);
        assert_eq!(refused, Some(Code::InvalidInput), "{what}");
    }
    for number in 1..bounds::TOKENS {
        gate.inner
            .store
            .add_token(
                &AddedToken {
                    name: format!("token {number}"),
                    sha256: format!("{number:064}"),
                    reads_all: false,
                    folders: Vec::new(),
                    owner: None,
                    may: May::default(),
                },
                Timestamp(1),
            )
            .await?;
    }
    let refused = gate.inner.connections.create_token(token("one more")).await.err().map(|fault| fault.code);
    assert_eq!(refused, Some(Code::TooMany), "one token more than the bound");
    gate.inner.connections.revoke_token(&longest).await?;
    gate.inner.connections.create_token(token(&longest)).await?;
    Ok(())
}
