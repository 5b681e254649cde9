//! Being away, quiet hours and putting off, on a real store; time is passed in.

use gate_api::subjects::person::{self, SetAway, SetDoNotDisturb};
use gate_api::subjects::program::TakeSnapshot;
use gate_api::subjects::requests::{self, ListRequests, SaveDraft, SendReply, Snooze, UndoReply, Wake};
use gate_api::subjects::snippets::{DeleteSnippet, ListSnippets, SaveSnippet};
use gate_api::{CarriedOutBy, Event, Origin};
use gate_core::{Code, Draft, Fault, Presence, RequestId, Timestamp};
use gate_settings::Values;
use tokio::sync::broadcast::Receiver;

use crate::slices::Gate;
use crate::tests::{Outcome, call, gate, now, open, open_with};

fn later(seconds: i64) -> Timestamp {
    Timestamp(now().0 + seconds * 1000)
}

async fn done<C>(gate: &Gate, command: C) -> Result<(), Fault>
where
    C: CarriedOutBy<Gate> + Send + 'static,
    C::Answer: Send + 'static,
{
    gate.execute(command, Origin::Desktop).await.map(drop)
}

async fn told(events: &mut Receiver<Event>) -> Result<Presence, Box<dyn std::error::Error>> {
    loop {
        if let Event::Person(person::Event::PresenceChanged { presence }) = events.recv().await? {
            return Ok(presence);
        }
    }
}

#[tokio::test]
async fn the_person_goes_away_and_comes_back_by_their_own_word_only() -> Outcome {
    let (folder, gate) = gate(true).await?;
    let mut events = gate.events();
    let waits = tokio::spawn({
        let gate = gate.clone();
        async move { gate.inner.person.away().await }
    });
    done(&gate, SetAway { away: true }).await?;
    waits.await?;
    let presence = told(&mut events).await?;
    assert!(presence.away && presence.away_since.is_some(), "front ends are told: {presence:?}");
    let snapshot = gate.execute(TakeSnapshot {}, Origin::Desktop).await?;
    assert_eq!(snapshot.presence, presence);
    let asked = gate.inner.requests.ask(call("relay:1", "May I?")).await?;
    done(&gate, SaveDraft { request_id: asked.request_id, draft: Draft::default() }).await?;
    assert!(gate.inner.person.is_away(), "who has said that they are away may still write");

    gate.inner.receipts.close().await;

    gate.inner.store.close().await;
    let after = open(&folder, true).await?;
    assert_eq!(after.inner.person.presence(), presence, "also after a restart");
    let script = after.execute(SetAway { away: false }, Origin::Script).await;
    assert_eq!(script.err().map(|fault| fault.code), Some(Code::ScriptedAnswersOff), "no agent calls them back");
    done(&after, SetAway { away: false }).await?;
    assert_eq!((after.inner.person.is_away(), after.inner.person.presence().away_since), (false, None));
    Ok(())
}

#[tokio::test]
async fn rounds_without_an_act_of_the_persons_make_them_away_until_they_act() -> Outcome {
    let folder = tempfile::tempdir()?;
    let gate = open_with(&folder, true, Values::from([("waiting.away_after_pending", 2.into())])).await?;
    let asked = gate.inner.requests.ask(call("relay:1", "May I?")).await?;
    let draft = || SaveDraft { request_id: asked.request_id, draft: Draft::default() };
    gate.inner.person.waited_in_vain().await;
    done(&gate, draft()).await?;
    gate.inner.person.waited_in_vain().await;
    assert!(!gate.inner.person.is_away(), "the person did something in between");
    gate.inner.person.waited_in_vain().await;
    assert!(gate.inner.person.is_away(), "two in a row");
    done(&gate, TakeSnapshot {}).await?;
    let script = gate.execute(draft(), Origin::Script).await;
    assert!(gate.inner.person.is_away() && script.is_err(), "neither a window that opens nor a script is the person");
    done(&gate, draft()).await?;
    assert!(!gate.inner.person.is_away(), "writing is");

    for _ in 0..2 {
        gate.inner.person.waited_in_vain().await;
    }
    let found = gate.inner.person.presence();
    let mut events = gate.events();
    done(&gate, SetAway { away: true }).await?;
    assert_eq!(
        gate.inner.person.presence().away_since,
        found.away_since,
        "an absence that is confirmed keeps its beginning"
    );
    done(&gate, draft()).await?;
    assert!(gate.inner.person.is_away(), "what they have said themselves, no other act ends");
    gate.stop();
    while let Ok(event) = events.try_recv() {
        let there = matches!(event, Event::Person(person::Event::PresenceChanged { presence }) if !presence.away);
        assert!(!there, "nobody was told that they are there in between");
    }

    let (_folder, gate) = super::gate(true).await?;
    for _ in 0..100 {
        gate.inner.person.waited_in_vain().await;
    }
    assert!(!gate.inner.person.is_away(), "nobody is away by themselves where the setting says never");
    Ok(())
}

#[tokio::test]
async fn quiet_begins_and_ends_by_the_clock_and_front_ends_hear_of_it() -> Outcome {
    let folder = tempfile::tempdir()?;
    // From two hours on, for an hour, in the local time of the test, which is UTC.
    let minute = |at: Timestamp| at.0.rem_euclid(24 * 60 * 60 * 1000) / 60_000;
    let clock = |at: Timestamp| format!("{:02}:{:02}", minute(at) / 60, minute(at) % 60);
    let hours = format!("{}-{}", clock(later(7200)), clock(later(10_800)));
    let gate = open_with(&folder, true, Values::from([("notifications.quiet_hours", hours.into())])).await?;
    assert!(gate.settings().notifications.quiet_hours.is_some() && !gate.inner.person.presence().quiet);
    let mut events = gate.events();
    gate.inner.person.pass_time(later(7200)).await;
    let quiet = told(&mut events).await?;
    assert!(quiet.quiet && !quiet.do_not_disturb && quiet.quiet_until.is_some(), "{quiet:?}");
    gate.inner.person.pass_time(later(7205)).await;
    gate.inner.person.pass_time(later(10_860)).await;
    assert!(!told(&mut events).await?.quiet, "once for each change");

    done(&gate, SetDoNotDisturb { on: true, until: Some(later(60)) }).await?;
    let quiet = told(&mut events).await?;
    assert!(quiet.quiet && quiet.do_not_disturb, "{quiet:?}");
    gate.inner.person.pass_time(later(61)).await;
    assert!(!told(&mut events).await?.do_not_disturb, "it ends at its end");
    let past = done(&gate, SetDoNotDisturb { on: true, until: Some(later(-1)) }).await;
    assert_eq!(past.err().map(|fault| fault.code), Some(Code::InvalidInput));
    done(&gate, SetDoNotDisturb { on: true, until: None }).await?;
    gate.inner.receipts.close().await;
    gate.inner.store.close().await;
    assert!(open(&folder, true).await?.inner.person.presence().do_not_disturb, "it is kept over a restart");
    Ok(())
}

fn queue(gate: &Gate) -> Vec<RequestId> {
    gate.inner.queue.board.all().iter().map(|request| request.request_id).collect()
}

#[tokio::test]
async fn deleting_a_snippet_is_an_act_and_looking_at_them_is_none() -> Outcome {
    let folder = tempfile::tempdir()?;
    let gate = open_with(&folder, true, Values::from([("waiting.away_after_pending", 1.into())])).await?;
    gate.inner.person.waited_in_vain().await;
    done(&gate, ListSnippets {}).await?;
    assert!(gate.inner.person.is_away(), "a window may look by itself");
    let saved = SaveSnippet { snippet_id: None, name: "Tests".to_owned(), text: "Add a test.".to_owned() };
    let saved = gate.execute(saved, Origin::Desktop).await?;
    gate.inner.person.waited_in_vain().await;
    let snippet_id = saved.snippets.first().ok_or("it is listed")?.snippet_id;
    done(&gate, DeleteSnippet { snippet_id }).await?;
    assert!(!gate.inner.person.is_away(), "only somebody who is there deletes one");
    Ok(())
}

#[tokio::test]
async fn what_is_put_off_stands_behind_and_comes_back_by_the_clock_or_by_hand() -> Outcome {
    let (folder, gate) = gate(true).await?;
    let mut urgent = call("relay:1", "Now!");
    urgent.ask.urgent = true;
    let urgent = gate.inner.requests.ask(urgent).await?.request_id;
    let first = gate.inner.requests.ask(call("relay:2", "First?")).await?.request_id;
    let second = gate.inner.requests.ask(call("relay:3", "Second?")).await?.request_id;
    let until = Some(later(600));
    done(&gate, Snooze { request_id: urgent, until }).await?;
    done(&gate, Snooze { request_id: first, until: None }).await?;
    assert_eq!(queue(&gate), [second, urgent, first], "behind all others, in their order");
    let requests = gate.execute(ListRequests {}, Origin::Terminal).await?.requests;
    let listed: Vec<_> = requests.iter().map(|pending| pending.request.request_id).collect();
    assert_eq!(listed, queue(&gate), "in a terminal too");
    let put_off: Vec<_> = requests.iter().map(|pending| pending.snoozed.map(|snooze| snooze.until)).collect();
    assert_eq!(put_off, [None, Some(until), Some(None)], "which is told there, with until when");
    assert_eq!((gate.at_a_glance().pending, gate.pending()), (1, 3), "the tray counts what waits for the person now");

    let mut events = gate.events();
    gate.inner.requests.wake_due(later(599)).await;
    assert!(events.try_recv().is_err(), "its time hasn't come");
    gate.inner.requests.wake_due(later(601)).await;
    let Event::Requests(requests::Event::RequestChanged { request }) = events.recv().await? else {
        return Err("it changed first".into());
    };
    assert_eq!((request.request_id, request.snoozed), (urgent, None));
    assert_eq!(events.recv().await?, requests::Event::RequestDue { request_id: urgent }.into());
    assert_eq!(queue(&gate), [urgent, second, first]);

    gate.inner.receipts.close().await;

    gate.inner.store.close().await;
    let gate = open(&folder, true).await?;
    assert_eq!(queue(&gate), [urgent, second, first], "it is kept over a restart");
    gate.inner.requests.wake_due(later(10_000_000)).await;
    assert_eq!(queue(&gate).last(), Some(&first), "without an end, only the person ends it");
    done(&gate, Wake { request_id: first }).await?;
    done(&gate, Wake { request_id: first }).await?;
    assert_eq!(queue(&gate), [urgent, first, second]);
    Ok(())
}

async fn how_they_wait(gate: &Gate) -> Result<Vec<(bool, Option<Timestamp>)>, Fault> {
    let requests = gate.execute(ListRequests {}, Origin::Terminal).await?.requests;
    Ok(requests.iter().map(|pending| (pending.caller_waiting, pending.waits_until)).collect())
}

#[tokio::test]
async fn a_terminal_is_told_whether_an_agent_still_waits() -> Outcome {
    let (_folder, gate) = gate(true).await?;
    let asked = gate.inner.requests.ask(call("relay:1", "May I?")).await?;
    assert_eq!(how_they_wait(&gate).await?, [(true, Some(asked.until))], "and until when");
    drop(asked);
    assert_eq!(how_they_wait(&gate).await?, [(false, None)], "its agent is gone, the request stays");
    Ok(())
}

#[tokio::test]
async fn putting_off_is_bounded_and_ends_with_the_reply() -> Outcome {
    let (_folder, gate) = gate(true).await?;
    let asked = gate.inner.requests.ask(call("relay:1", "May I?")).await?;
    let request_id = asked.request_id;
    for (until, code) in [(later(-1), Code::InvalidInput), (later(367 * 24 * 60 * 60), Code::TooLarge)] {
        let refused = done(&gate, Snooze { request_id, until: Some(until) }).await;
        assert_eq!(refused.err().map(|fault| fault.code), Some(code), "{until}");
    }
    let unknown = RequestId(uuid::Uuid::nil());
    let refused = [
        done(&gate, Snooze { request_id: unknown, until: None }).await,
        done(&gate, Wake { request_id: unknown }).await,
    ];
    for refused in refused {
        assert_eq!(refused.err().map(|fault| fault.code), Some(Code::UnknownRequest));
    }
    done(&gate, Snooze { request_id, until: None }).await?;
    let draft = Draft { text: "yes".to_owned(), ..Draft::default() };
    let digest = gate.inner.requests.question(request_id).await?.digest;
    done(&gate, SendReply { request_id, digest, decision: None, draft }).await?;
    done(&gate, UndoReply { request_id }).await?;
    assert_eq!(
        gate.inner.requests.summary(request_id).map(|summary| summary.snoozed),
        Some(None),
        "it was taken up to be answered"
    );
    let refused = done(&gate, Snooze { request_id, until: Some(later(60)) }).await;
    assert_eq!(refused, Ok(()));
    Ok(())
}
