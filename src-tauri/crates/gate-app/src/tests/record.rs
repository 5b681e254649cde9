//! Sessions, progress, checkpoints and search on a real store; time is passed in.

use gate_api::subjects::conversations::{
    self, CloseSession, Export, Import, Imported, ReadHistory, ReadHistoryChoices, ReopenSession, RestoreCheckpoint,
};
use gate_api::subjects::requests::AskRequest;
use gate_api::{Event, Origin};
use gate_core::export::ExportFormat;
use gate_core::{
    AnsweredFrom, Ask, Caller, Code, ConversationQuery, Declared, Draft, Fault, Owner, OwnerId, ProgressUpdate,
    RequestStatus, SessionStatus, SessionUuid, StepState, Timestamp,
};
use gate_mcp::{Agent, Call, Change, Whose};

use crate::slices::Gate;
use crate::slices::person::Working;
use crate::tests::{Outcome, call, gate, now, open, own, reply};

fn whose(session_uuid: Option<SessionUuid>, agent: Option<Agent>) -> Whose {
    let caller = Caller { client: "test".to_owned(), client_version: "1".to_owned(), workspace: "/w/shop".to_owned() };
    let call_key = format!("call:{}", uuid::Uuid::now_v7());
    Whose { session_uuid, caller, declared: Declared::default(), agent, owner: own(), call_key }
}

fn relay(name: &str) -> Option<Agent> {
    Some(Agent::Relay(name.to_owned()))
}

fn percent(percent: u8) -> ProgressUpdate {
    ProgressUpdate { progress_percent: Some(percent), ..ProgressUpdate::default() }
}

fn later(seconds: i64) -> Timestamp {
    Timestamp(now().0 + seconds * 1000)
}

async fn stored_status(gate: &Gate, session: SessionUuid) -> Result<Option<SessionStatus>, Fault> {
    Ok(gate.inner.store.conversation(session).await?.map(|conversation| conversation.status))
}

#[tokio::test]
async fn a_session_without_a_relay_times_out_and_speaks_again() -> Outcome {
    let (_folder, gate) = gate(false).await?;
    let session = gate.inner.conversations.report(whose(None, None), percent(1)).await?.session_uuid;
    gate.inner.conversations.pass_time(later(299)).await;
    assert_eq!(stored_status(&gate, session).await?, Some(SessionStatus::Active));
    gate.inner.conversations.pass_time(later(302)).await;
    assert_eq!(stored_status(&gate, session).await?, Some(SessionStatus::Timeout), "the record says so, too");
    gate.inner.conversations.report(whose(Some(session), None), percent(2)).await?;
    assert_eq!(stored_status(&gate, session).await?, Some(SessionStatus::Active));

    gate.inner.conversations.pass_time(later(302)).await;
    gate.inner.conversations.pass_time(later(302 + 3602)).await;
    assert!(gate.inner.conversations.sessions.get(session).is_none(), "an hour later it is out of memory");
    let progress = gate
        .inner
        .conversations
        .report(whose(Some(session), None), ProgressUpdate { completed: true, ..percent(3) })
        .await?;
    assert_eq!(progress.status, SessionStatus::Completed, "and still speaks, from the record");
    assert_eq!(stored_status(&gate, session).await?, Some(SessionStatus::Completed));
    Ok(())
}

#[tokio::test]
async fn a_pending_question_keeps_its_session_open() -> Outcome {
    let (_folder, gate) = gate(false).await?;
    let asked = gate.inner.requests.ask(call("ask:1", "May I?")).await?;
    gate.inner.conversations.pass_time(later(100_000)).await;
    assert_eq!(stored_status(&gate, asked.session_uuid).await?, Some(SessionStatus::Active));
    let yes = Draft { text: "yes".into(), ..Draft::default() };
    reply(&gate, asked.request_id, None, &yes, AnsweredFrom::Desktop).await?;
    gate.inner.conversations.pass_time(later(301)).await;
    assert_eq!(stored_status(&gate, asked.session_uuid).await?, Some(SessionStatus::Timeout));
    Ok(())
}

#[tokio::test]
async fn a_question_of_the_command_line_completes_its_session_once_it_has_its_answer() -> Outcome {
    let (_folder, gate) = gate(false).await?;
    let asks = async |timeout_seconds, request_id, session_uuid| {
        let ask = Ask { message: "May I?".to_owned(), ..Ask::default() };
        let asked = AskRequest { ask, workspace: "/w".into(), timeout_seconds, request_id, session_uuid };
        gate.execute(asked, Origin::Script).await.map(|asked| asked.outcome)
    };
    let asked = asks(Some(0), None, None).await?;
    assert_eq!(asked.status, RequestStatus::Pending);
    let session = asked.session_uuid;
    assert_eq!(stored_status(&gate, session).await?, Some(SessionStatus::Active), "its answer may still be fetched");
    let yes = Draft { text: "yes".into(), ..Draft::default() };
    reply(&gate, asked.request_id, None, &yes, AnsweredFrom::Desktop).await?;
    let fetched = asks(None, Some(asked.request_id), Some(session)).await?;
    assert_eq!((fetched.status, fetched.session_uuid), (RequestStatus::Answered, session));
    assert_eq!(stored_status(&gate, session).await?, Some(SessionStatus::Completed), "nothing more is to come");
    gate.inner.conversations.pass_time(later(301)).await;
    assert_eq!(stored_status(&gate, session).await?, Some(SessionStatus::Completed), "so it doesn't go quiet");
    asks(Some(0), None, Some(session)).await?;
    assert_eq!(stored_status(&gate, session).await?, Some(SessionStatus::Active), "unless it is asked in once more");
    Ok(())
}

#[tokio::test]
async fn a_relay_that_falls_silent_leaves_a_stale_session_also_after_a_restart() -> Outcome {
    let (folder, before) = gate(false).await?;
    let session = before.inner.conversations.report(whose(None, relay("r1")), percent(1)).await?.session_uuid;
    before.inner.conversations.pass_time(later(29)).await;
    assert_eq!(before.inner.conversations.sessions.status(session), Some(SessionStatus::Active));
    before.inner.receipts.close().await;
    before.inner.store.close().await;

    let gate = open(&folder, false).await?;
    assert_eq!(gate.inner.conversations.sessions.status(session), Some(SessionStatus::Active), "it may come back");
    gate.inner.conversations.pass_time(later(32)).await;
    assert_eq!(stored_status(&gate, session).await?, Some(SessionStatus::Stale));
    gate.inner.conversations.relay_beats("another");
    assert_eq!(
        gate.inner.conversations.sessions.status(session),
        Some(SessionStatus::Stale),
        "another relay's heart is no sign"
    );
    gate.inner.conversations.relay_beats("r1");
    assert_eq!(gate.inner.conversations.sessions.status(session), Some(SessionStatus::Active), "its own is");
    Ok(())
}

#[tokio::test]
async fn an_agent_without_a_session_uuid_means_its_only_session() -> Outcome {
    let (_folder, gate) = gate(false).await?;
    let first = gate.inner.conversations.report(whose(None, relay("r1")), percent(1)).await?.session_uuid;
    let again = gate.inner.conversations.report(whose(None, relay("r1")), percent(2)).await?.session_uuid;
    let other = gate.inner.conversations.report(whose(None, relay("r2")), percent(3)).await?.session_uuid;
    assert_eq!(first, again);
    assert_ne!(first, other, "another agent has another session");
    for (key, question) in [("r1:9", "The conversation that reported?"), ("r1:10", "A second one?")] {
        let asking = Call { agent: relay("r1"), ..call(key, question) };
        let asked = gate.inner.requests.ask(asking).await?.session_uuid;
        assert_eq!(asked == first, key == "r1:9", "what is asked first belongs to what was reported");
    }
    let fault = gate.inner.conversations.report(whose(None, relay("r1")), percent(4)).await.err();
    assert!(
        fault.is_some_and(|fault| fault.code == Code::AmbiguousSession && fault.message.contains(&first.to_string()))
    );
    let done = || ProgressUpdate { completed: true, ..percent(9) };
    gate.inner.conversations.report(whose(None, relay("r2")), done()).await?;
    let next = gate.inner.conversations.report(whose(None, relay("r2")), percent(1)).await?.session_uuid;
    assert_ne!(next, other, "what comes after completed work is other work");
    let third = gate.inner.conversations.report(whose(None, relay("r3")), done()).await?.session_uuid;
    assert_eq!(
        gate.inner.conversations.context(whose(None, relay("r3")), None).await?.conversation.session_uuid,
        third,
        "it may look back"
    );
    gate.inner.conversations.pass_time(later(40)).await;
    let again = gate.inner.conversations.report(whose(None, relay("r2")), percent(2)).await?.session_uuid;
    assert_eq!(again, next, "a session that was stale is active again when its agent speaks");
    let first_again = gate.inner.conversations.report(whose(Some(first), relay("r1")), percent(4)).await?.session_uuid;
    assert_eq!(first, first_again);
    let fault = gate.inner.conversations.context(whose(None, relay("r9")), None).await.err();
    assert_eq!(fault.map(|fault| fault.code), Some(Code::UnknownSession), "reading begins no session");
    Ok(())
}

#[tokio::test]
async fn two_agents_stay_apart_when_one_goes_back() -> Outcome {
    let (_folder, gate) = gate(false).await?;
    let mut sessions = Vec::new();
    for agent in ["a", "b"] {
        let steps = vec![("plan".to_owned(), StepState::InProgress)];
        let update = ProgressUpdate { steps: Some(steps), ..percent(10) };
        let session = gate.inner.conversations.report(whose(None, relay(agent)), update).await?.session_uuid;
        gate.inner.conversations.create_checkpoint(whose(Some(session), None), "start", Some("before all")).await?;
        let mut question = call(&format!("{agent}:1"), &format!("Question of {agent}"));
        question.session_uuid = Some(session);
        gate.inner.requests.ask(question).await?;
        gate.inner.conversations.report(whose(Some(session), None), percent(50)).await?;
        sessions.push(session);
    }
    let [a, b] = sessions.as_slice() else { return Err("two sessions".into()) };
    let restored = gate.inner.conversations.restore_own(whose(Some(*a), None), "start").await?;
    assert_eq!((restored.superseded, restored.progress.and_then(|p| p.progress_percent)), (1, Some(10)));
    let context = gate.inner.conversations.context(whose(Some(*a), None), None).await?;
    assert_eq!(context.messages.items.len(), 0, "what came after no longer holds");
    let recorded = gate.inner.conversations.conversation(*a, None).await?.ok_or("recorded")?;
    assert_eq!(recorded.messages.items.iter().filter(|message| message.superseded).count(), 1, "but is not deleted");
    let context = gate.inner.conversations.context(whose(Some(*b), None), None).await?;
    assert_eq!(
        (context.messages.items.len(), context.conversation.progress.and_then(|p| p.progress_percent)),
        (1, Some(50))
    );

    let undone = gate.inner.conversations.undo_own(whose(Some(*a), None), Some(restored.restore_id)).await?;
    assert_eq!(undone.progress.and_then(|p| p.progress_percent), Some(50), "undone, it is as before");
    assert_eq!(gate.inner.conversations.context(whose(Some(*a), None), None).await?.messages.items.len(), 1);
    let fault = gate.inner.conversations.undo_own(whose(Some(*b), None), Some(restored.restore_id)).await.err();
    assert_eq!(fault.map(|fault| fault.code), Some(Code::UnknownRestore), "nobody undoes another's");
    let fault = gate.inner.conversations.create_checkpoint(whose(Some(*b), None), " start ", None).await.err();
    assert_eq!(fault.map(|fault| fault.code), Some(Code::NameTaken));
    Ok(())
}

#[tokio::test]
async fn a_call_that_comes_again_after_a_kill_counts_once() -> Outcome {
    let (_folder, gate) = gate(false).await?;
    let session = gate.inner.conversations.report(whose(None, None), percent(1)).await?.session_uuid;
    let same = Whose { call_key: "relay:7".to_owned(), ..whose(Some(session), None) };
    let (_, made) = gate.inner.conversations.create_checkpoint(same.clone(), "c", None).await?;
    let (_, again) = gate.inner.conversations.create_checkpoint(same.clone(), "c", None).await?;
    assert_eq!(made, again);
    let back = Whose { call_key: "relay:8".to_owned(), ..same };
    let first = gate.inner.conversations.restore_own(back.clone(), "c").await?;
    let second = gate.inner.conversations.restore_own(back, "c").await?;
    assert_eq!(first.restore_id, second.restore_id);
    gate.inner.conversations.undo(session, None).await?;
    assert!(gate.inner.conversations.undo(session, None).await.is_err(), "it was restored once");
    Ok(())
}

#[tokio::test]
async fn going_forward_to_a_later_checkpoint_brings_its_messages_back() -> Outcome {
    let (_folder, gate) = gate(false).await?;
    let session = gate.inner.conversations.report(whose(None, None), percent(1)).await?.session_uuid;
    let mut said = 0;
    for name in ["one", "two"] {
        for _ in 0..2 {
            said += 1;
            let mut question = call(&format!("r:{said}"), &format!("Question {said}"));
            question.session_uuid = Some(session);
            gate.inner.requests.ask(question).await?;
        }
        gate.inner.conversations.create_checkpoint(whose(Some(session), None), name, None).await?;
    }
    gate.inner.conversations.restore_checkpoint(session, "one", None).await?;
    let mut question = call("r:after", "After going back");
    question.session_uuid = Some(session);
    gate.inner.requests.ask(question).await?;
    let texts = async || -> Result<Vec<String>, Fault> {
        let context = gate.inner.conversations.context(whose(Some(session), None), None).await?;
        Ok(context.messages.items.into_iter().map(|message| message.text).collect())
    };
    assert_eq!(texts().await?, ["Question 1", "Question 2", "After going back"]);
    let forward = gate.inner.conversations.restore_checkpoint(session, "two", None).await?;
    assert_eq!(texts().await?, ["Question 1", "Question 2", "Question 3", "Question 4"]);
    gate.inner.conversations.undo(session, Some(forward.restore_id)).await?;
    assert_eq!(texts().await?, ["Question 1", "Question 2", "After going back"]);
    gate.inner.conversations.undo(session, None).await?;
    assert_eq!(texts().await?.len(), 5, "with both undone, everything holds");
    Ok(())
}

#[tokio::test]
async fn a_session_with_open_questions_is_not_closed_and_a_closed_one_can_be_reopened() -> Outcome {
    let (_folder, gate) = gate(false).await?;
    let asked = gate.inner.requests.ask(call("r:1", "May I?")).await?;
    let session_uuid = asked.session_uuid;
    let close = || gate.execute(CloseSession { session_uuid }, Origin::Desktop);
    assert_eq!(close().await.err().map(|fault| fault.code), Some(Code::StillPending));
    gate.inner.requests.cancel(asked.request_id).await?;
    close().await?;
    assert_eq!(stored_status(&gate, session_uuid).await?, Some(SessionStatus::Completed));
    gate.execute(ReopenSession { session_uuid }, Origin::Desktop).await?;
    assert_eq!(stored_status(&gate, session_uuid).await?, Some(SessionStatus::Active));
    Ok(())
}

#[tokio::test]
async fn an_agent_hears_with_its_next_call_that_the_person_took_it_back() -> Outcome {
    let (_folder, gate) = gate(false).await?;
    let session_uuid = gate.inner.conversations.report(whose(None, None), percent(1)).await?.session_uuid;
    let (_, checkpoint) =
        gate.inner.conversations.create_checkpoint(whose(Some(session_uuid), None), "here", None).await?;
    let restore = RestoreCheckpoint { session_uuid, checkpoint_id: checkpoint.checkpoint_id };
    gate.execute(restore, Origin::Desktop).await?;
    let reported = gate.inner.conversations.report(whose(Some(session_uuid), None), percent(2)).await?;
    assert!(reported.asides.iter().any(|note| note.contains("\"here\"")), "{:?}", reported.asides);
    assert!(
        gate.inner.conversations.report(whose(Some(session_uuid), None), percent(3)).await?.asides.is_empty(),
        "and hears it once"
    );
    Ok(())
}

#[tokio::test]
async fn changes_are_told_after_they_are_stored() -> Outcome {
    let (_folder, gate) = gate(false).await?;
    let mut changes = gate.inner.bus.changes();
    let mut events = gate.events();
    let session = gate.inner.conversations.report(whose(None, None), percent(7)).await?.session_uuid;
    assert_eq!(changes.recv().await?, Change::Began(session));
    assert_eq!(changes.recv().await?, Change::Conversation(session));
    gate.inner.conversations.create_checkpoint(whose(Some(session), None), "c", None).await?;
    assert_eq!(changes.recv().await?, Change::Checkpoints(session));
    // Reports without pause are told once in a while, the last of them always.
    for done in 8..=20 {
        gate.inner.conversations.report(whose(Some(session), None), percent(done)).await?;
    }
    let mut told = 0;
    loop {
        let Event::Conversations(conversations::Event::SessionChanged { session: summary }) = events.recv().await?
        else {
            continue;
        };
        told += 1;
        if summary.progress.and_then(|progress| progress.progress_percent) == Some(20) {
            break;
        }
    }
    assert!(told < 14, "thirteen reports within milliseconds are told a few times: {told}");
    Ok(())
}

#[tokio::test]
async fn what_was_just_said_is_found_by_its_words() -> Outcome {
    let (_folder, gate) = gate(false).await?;
    let asked = gate.inner.requests.ask(call("r:1", "Shall I retry webhook deliveries with backoff?")).await?;
    let other = gate.inner.requests.ask(call("r:2", "把配置文件改成这样可以吗?")).await?;
    let draft = Draft { text: "Yes, but add jitter.".into(), ..Draft::default() };
    reply(&gate, asked.request_id, None, &draft, AnsweredFrom::Desktop).await?;
    for (words, session) in [
        ("webhook backoff", Some(asked.session_uuid)),
        ("deliv", Some(asked.session_uuid)),
        ("\"retry webhook\"", Some(asked.session_uuid)),
        ("\"webhook retry\"", None),
        ("jitter", Some(asked.session_uuid)),
        ("配置", Some(other.session_uuid)),
        ("置配", None),
        ("nothing", None),
    ] {
        let query = ConversationQuery { text: Some(words.to_owned()), ..ConversationQuery::default() };
        let found = gate.inner.conversations.page(&query, None).await?.items;
        let sessions: Vec<_> = found.iter().map(|found| found.conversation.session_uuid).collect();
        assert_eq!(sessions, Vec::from_iter(session), "{words:?}");
        let marked = found.iter().all(|found| found.hit.iter().any(|hit| hit.pieces.iter().any(|piece| piece.hit)));
        assert!(marked, "{words:?} is marked where it stands");
    }
    Ok(())
}

#[tokio::test]
async fn a_record_goes_to_another_machine_and_answers_nothing_there() -> Outcome {
    let (folder, here) = gate(false).await?;
    let asked = here.inner.requests.ask(call("r:1", "First?")).await?;
    let draft = Draft { text: "Yes".into(), ..Draft::default() };
    reply(&here, asked.request_id, None, &draft, AnsweredFrom::Desktop).await?;
    here.inner.conversations.create_checkpoint(whose(Some(asked.session_uuid), None), "c", None).await?;
    let mut second = call("r:2", "Second?");
    second.session_uuid = Some(asked.session_uuid);
    // The reply to the first one wasn't heard yet, so it comes with this call.
    here.note_delivery("r:1").await;
    let second = here.inner.requests.ask(second).await?;
    here.inner.conversations.restore_checkpoint(asked.session_uuid, "c", None).await?;
    let path = folder.path().join("record.json").display().to_string();
    let export = Export { session_uuid: None, format: ExportFormat::Json, path: Some(path.clone()) };
    here.execute(export.clone(), Origin::Terminal).await?;
    assert!(here.execute(export, Origin::Terminal).await.is_err(), "no file is written over");

    let (_there, there) = gate(false).await?;
    let imported = there.execute(Import { path: path.clone() }, Origin::Terminal).await?;
    assert_eq!(imported, Imported { conversations: 1, messages: 3, known: 0, refused: 0, reasons: Vec::new() });
    let again = there.execute(Import { path: path.clone() }, Origin::Terminal).await?;
    assert_eq!(
        again,
        Imported { conversations: 0, messages: 0, known: 1, refused: 0, reasons: Vec::new() },
        "twice is once"
    );
    let (mut before, mut after) = (
        here.inner.store.export(asked.session_uuid).await?.ok_or("exported")?,
        there.inner.store.export(asked.session_uuid).await?.ok_or("imported")?,
    );
    assert_eq!(there.inner.store.pending_count().await?, 0, "nobody there is asked what was asked here");
    // What differs is what has to: the agent is elsewhere.
    after.conversation.status = before.conversation.status;
    for exported in [&mut before, &mut after] {
        exported.entries.retain(|entry| entry.request_id != second.request_id);
        for entry in &mut exported.entries {
            if let gate_core::export::Said::Person { delivered_at, .. } = &mut entry.said {
                *delivered_at = None;
            }
        }
    }
    assert_eq!(before, after);
    let visible =
        there.inner.conversations.context(whose(Some(asked.session_uuid), None), None).await?.messages.items.len();
    assert_eq!(visible, 2, "what was superseded here is so there");
    Ok(())
}

#[tokio::test]
async fn an_imported_file_cannot_answer_a_question_of_this_record() -> Outcome {
    let (folder, here) = gate(false).await?;
    let asked = here.inner.requests.ask(call("r:1", "Deploy?")).await?;
    let forged = serde_json::json!({
            "session_uuid": uuid::Uuid::now_v7(), "title": "", "status": "active", "client": "", "client_version": "",
            "workspace": "", "created_at": "2026-11-21T00:00:00Z", "updated_at": "2026-11-21T00:00:00Z", "messages": 1,
            "progress": null,
            "entries": [{
                "request_id": asked.request_id, "created_at": "2026-11-21T00:00:00Z", "role": "person", "text": "yes",
                "decision": "approved", "answered_from": "desktop",
            }],
    });
    let path = folder.path().join("forged.json");
    let head = "{\"format\":\"review-gate-record\",\"version\":1,\"conversations\":[";
    std::fs::write(&path, format!("{head}{forged}]}}"))?;
    let import = Import { path: path.display().to_string() };
    let imported = here.execute(import, Origin::Terminal).await?;
    assert_eq!((imported.conversations, imported.refused), (0, 1), "{imported:?}");
    assert_eq!(here.pending(), 1, "the question still waits for its person");
    for (text, named) in [("{}", "format"), ("[1]", "object"), ("{\"format\":\"x\"}", "format"), ("", "EOF")] {
        std::fs::write(&path, text)?;
        let fault = here.execute(Import { path: path.display().to_string() }, Origin::Terminal).await.err();
        assert!(fault.as_ref().is_some_and(|fault| fault.message.contains(named)), "{text:?}: {fault:?}");
    }
    Ok(())
}

#[tokio::test]
async fn the_tray_tells_how_far_agents_are() -> Outcome {
    let (_folder, gate) = gate(false).await?;
    let conversations = &gate.inner.conversations;
    let update = ProgressUpdate { status_message: Some("Running `cargo test`".to_owned()), ..percent(64) };
    let session_uuid = conversations.report(whose(None, relay("r1")), update).await?.session_uuid;
    let glance = gate.at_a_glance();
    let working = Working {
        session_uuid,
        agent: "test".to_owned(),
        workspace: "shop".to_owned(),
        doing: "Running cargo test".to_owned(),
        percent: Some(64),
    };
    assert_eq!((glance.pending, glance.working, glance.more_working), (0, vec![working], 0));
    let mut titled = call("r:1", "May I?");
    titled.ask.title = Some("May I drop `retries`?".to_owned());
    gate.inner.requests.ask(titled).await?;
    let glance = gate.at_a_glance();
    let named: Vec<_> = glance.waiting.iter().map(|request| (&*request.title, &*request.workspace)).collect();
    assert_eq!((glance.pending, named), (1, vec![("May I drop retries?", "w")]), "a tray's row shows text alone");
    Ok(())
}

#[tokio::test]
async fn the_tray_names_five_agents_and_whoever_reports_keeps_its_place() -> Outcome {
    let (_folder, gate) = gate(false).await?;
    let conversations = &gate.inner.conversations;
    for number in 1..=6 {
        conversations.report(whose(None, relay(&format!("r{number}"))), percent(number)).await?;
    }
    let far = || gate.at_a_glance().working.iter().map(|working| working.percent).collect::<Vec<_>>();
    assert_eq!(far(), [1, 2, 3, 4, 5].map(Some), "in the order in which they began");
    assert_eq!(gate.at_a_glance().more_working, 1, "the sixth is counted");
    conversations.report(whose(None, relay("r2")), percent(90)).await?;
    assert_eq!(far(), [1, 90, 3, 4, 5].map(Some), "nothing moves under the pointer");
    Ok(())
}

#[tokio::test]
async fn the_index_outlives_the_deletion_of_the_newest_conversation() -> Outcome {
    let (folder, gate) = gate(false).await?;
    let kept = gate.inner.requests.ask(call("r:1", "A question that stays")).await?;
    let asked = gate.inner.requests.ask(call("r:2", "A question that goes")).await?;
    gate.inner.requests.cancel(asked.request_id).await?;
    let query = |text: &str| ConversationQuery { text: Some(text.to_owned()), ..ConversationQuery::default() };
    assert_eq!(gate.inner.conversations.page(&query("question"), None).await?.items.len(), 2);
    gate.inner.conversations.delete_conversation(asked.session_uuid).await?;
    let found = gate.inner.conversations.page(&query("question"), None).await?.items;
    assert_eq!(found.len(), 1, "words of what is gone find nothing");
    gate.inner.receipts.close().await;
    gate.inner.store.close().await;
    let gate = open(&folder, false).await?;
    assert_eq!(gate.inner.conversations.search.missing().await?, 0, "the index is still the record's own");
    let found = gate.inner.conversations.page(&query("stays"), None).await?.items;
    assert_eq!(found.first().map(|found| found.conversation.session_uuid), Some(kept.session_uuid));
    Ok(())
}

#[tokio::test]
async fn an_export_is_called_by_its_conversation_and_takes_no_other_files_name() -> Outcome {
    let (folder, gate) = gate(false).await?;
    let mut question = call("r:1", "Retry webhooks?");
    question.caller.client = "claude-code".to_owned();
    let session = gate.inner.requests.ask(question).await?.session_uuid;
    let conversation = gate.inner.store.conversation(session).await?.ok_or("it is recorded")?;
    let day: String = conversation.created_at.to_string().chars().take(10).collect();
    let exports = folder.path().join("exports");
    let export = |session_uuid, path| Export { session_uuid, format: ExportFormat::Markdown, path };
    let named = |name: &str| exports.join(name).display().to_string();
    let first = gate.execute(export(Some(session), None), Origin::Desktop).await?.path;
    assert_eq!(first, named(&format!("retry-webhooks-claude-code-{day}.md")));
    let into = Some(exports.display().to_string());
    let second = gate.execute(export(Some(session), into), Origin::Terminal).await?.path;
    assert_eq!(second, named(&format!("retry-webhooks-claude-code-{day}-2.md")), "the first one stays");
    let all = gate.execute(export(None, None), Origin::Desktop).await?.path;
    assert!(all.starts_with(&named("review-gate-all-")) && all.ends_with(".md"), "{all}");
    Ok(())
}

#[tokio::test]
async fn the_history_is_narrowed_down_by_what_it_offers() -> Outcome {
    let (_folder, gate) = gate(false).await?;
    let mut question = call("r:1", "May I?");
    question.caller.client = "claude-code".to_owned();
    question.caller.workspace = "/code/app".to_owned();
    let asked = gate.inner.requests.ask(question).await?;
    gate.inner.requests.ask(call("r:2", "And I?")).await?;
    let choices = gate.execute(ReadHistoryChoices {}, Origin::Desktop).await?;
    let agent =
        choices.agents.into_iter().find(|agent| agent.name == "Claude Code").ok_or("its name as one reads it")?;
    let folder = choices.workspaces.into_iter().find(|folder| folder.name == "app").ok_or("the folder's last part")?;
    let by_agent = ConversationQuery { client: Some(agent.client), ..ConversationQuery::default() };
    let by_folder = ConversationQuery { workspace: Some(folder.workspace), ..ConversationQuery::default() };
    for query in [by_agent, by_folder] {
        let page = gate.execute(ReadHistory { query, cursor: None }, Origin::Desktop).await?;
        let found: Vec<_> = page.conversations.iter().map(|entry| entry.session_uuid).collect();
        assert_eq!(found, [asked.session_uuid], "what is offered is what the query takes");
    }
    Ok(())
}

#[tokio::test]
async fn pages_of_a_search_hold_every_conversation_once() -> Outcome {
    let (_folder, gate) = gate(false).await?;
    // One client has only so many that are pending.
    let client = |number: usize| Owner::from(OwnerId::Relay(format!("client {}", number % 2)));
    let mut sessions = Vec::new();
    for number in 0..60 {
        let asking = call(&format!("r:{number}"), &format!("Common words, number {number}"));
        let asked = gate.inner.requests.ask(Call { owner: client(number), ..asking }).await?;
        sessions.push(asked.session_uuid);
    }
    // Older conversations go on, so that they have matches on both sides of a page's end.
    for (number, session) in sessions.iter().enumerate().take(20) {
        let mut more = call(&format!("more:{number}"), "More common words");
        more.session_uuid = Some(*session);
        more.owner = client(number);
        gate.inner.requests.ask(more).await?;
    }
    let query = ConversationQuery { text: Some("common wor".to_owned()), ..ConversationQuery::default() };
    let mut found = Vec::new();
    let mut after = None;
    loop {
        let page = gate.inner.conversations.page(&query, after).await?;
        found.extend(page.items.into_iter().map(|found| found.conversation.session_uuid));
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    let newest_first = sessions[..20].iter().rev().chain(sessions[20..].iter().rev()).copied();
    assert_eq!(found, newest_first.collect::<Vec<_>>());
    Ok(())
}
