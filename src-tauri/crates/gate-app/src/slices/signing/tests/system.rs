//! Approvals that the system confirms, with a double of its service.

use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use gate_api::subjects::keys::ListSecurityKeys;
use gate_api::subjects::requests::{self, SendNow};
use gate_api::{ApprovalNeeds, Event, Origin, Phrase};
use gate_core::{Assurance, Code, Decision, Fault};
use gate_mcp::Call;
use gate_receipts::{HomeId, Level, Line, Proof};
use gate_service::{Reached, Refused, Why};
use tokio::sync::watch;

use super::{
    APPROVED, DIGITS, Double, LIMIT, asked, code, is_a_draft, made, open_by, scene, scene_with, send, sending,
};
use crate::slices::Gate;
use crate::slices::system::{Confirmation, Service, Shows};
use crate::tests::{Outcome, call};

#[tokio::test]
async fn what_the_system_confirms_is_signed_by_its_service_and_the_result_says_so() -> Outcome {
    let scene = scene("L2").await?;
    let gate = &scene.gate;
    let mut events = gate.events();
    let request = asked(gate, "relay:1").await?;
    let needs = gate.inner.requests.open_request(request).await?.needs;
    assert_eq!(
        needs,
        Some(ApprovalNeeds { level: Assurance::L2, missing: None, page_key: false }),
        "told before the act"
    );
    let terminal = tokio::spawn({
        let gate = gate.clone();
        async move { gate.inner.signing.digits(request).await }
    });
    let sent = sending(&scene, request).await?;
    assert_eq!(terminal.await?.as_deref(), Some(DIGITS), "a terminal shows what the prompt does");
    loop {
        if let Event::Requests(requests::Event::ConfirmationAsked { request_id, digits }) = events.recv().await? {
            assert_eq!((request_id, digits.as_str()), (request, DIGITS), "so does a window");
            break;
        }
    }
    scene.says.send_replace(Some(Ok(())));
    sent.await??;
    let held = gate.inner.receipts.list(1).await?.pop().ok_or("a receipt")?;
    assert_eq!(held.decided.level, Level::L2);
    assert!(matches!(held.line.proof, Proof::Ed25519 { .. }), "{:?}", held.line.proof);
    assert_eq!(
        scene.system.noted.lock().expect("nobody broke it").heads,
        [held.line.head()?],
        "and the service notes it"
    );
    assert!(gate.inner.queue.board.is_held(request), "it can still be taken back");
    gate.execute(SendNow { request_id: request }, Origin::Desktop).await?;
    let outcome = gate.inner.requests.closed(request).await?;
    assert_eq!((outcome.assurance, outcome.receipt), (Some(Assurance::L2), Some(held.id)));
    let said = outcome.for_model(true, false);
    assert!(said.starts_with("APPROVED by the person in the window, confirmed by the system (L2)"), "{said}");
    let none = gate.execute(ListSecurityKeys {}, Origin::Desktop).await?.keys;
    assert!(none.is_empty(), "a service's key is none of the person's: {none:?}");
    Ok(())
}

#[tokio::test]
async fn a_line_that_came_meanwhile_asks_nobody_again() -> Outcome {
    let scene = scene("L2").await?;
    let (first, second) = (asked(&scene.gate, "relay:1").await?, asked(&scene.gate, "relay:2").await?);
    let sent = sending(&scene, first).await?;
    send(&scene.gate, second, Some(Decision::ChangesRequested), "Not so.").await?;
    scene.says.send_replace(Some(Ok(())));
    sent.await??;
    assert_eq!(scene.asked.borrow().len(), 1, "the person was asked once");
    assert_eq!(scene.system.noted.lock().expect("nobody broke it").again, 1, "the same receipt, as the next line");
    scene.gate.execute(SendNow { request_id: first }, Origin::Desktop).await?;
    assert_eq!(scene.gate.inner.requests.closed(first).await?.assurance, Some(Assurance::L2));
    Ok(())
}

#[tokio::test]
async fn another_key_than_the_services_own_confirms_nothing() -> Outcome {
    let scene = scene_with("L2", made()?, made()?).await?;
    scene.says.send_replace(Some(Ok(())));
    let request = asked(&scene.gate, "relay:1").await?;
    let fault = send(&scene.gate, request, APPROVED, "go").await.err().ok_or("it isn't sent")?;
    assert!(fault.code == Code::NotSigned && fault.message.contains("isn't enrolled"), "{fault}");
    is_a_draft(&scene.gate, request).await
}

#[tokio::test]
async fn why_the_system_confirms_nothing_is_told_and_the_request_waits() -> Outcome {
    let scene = scene("L2").await?;
    let request = asked(&scene.gate, "relay:1").await?;
    for why in [Why::Failed, Why::Declined, Why::TimedOut, Why::NoAgent, Why::Silent, Why::Behind, Why::Busy] {
        scene.says.send_replace(Some(Err(why)));
        let fault = send(&scene.gate, request, APPROVED, "go").await.err().ok_or("it isn't sent")?;
        assert!(fault.code == Code::NotSigned && fault.mend.contains("still there"), "{why:?}: {fault}");
        is_a_draft(&scene.gate, request).await?;
    }
    *scene.system.away.lock().expect("nobody broke it") = Some(Why::Absent);
    let fault = send(&scene.gate, request, APPROVED, "go").await.err().ok_or("it isn't sent")?;
    assert!(matches!(fault.code, Code::NotSigned | Code::LevelUnreachable), "it went away meanwhile: {fault}");
    is_a_draft(&scene.gate, request).await?;
    let missing = Some(Phrase::new("level-service-absent"));
    let is_known = async || {
        let needs = scene.gate.inner.requests.open_request(request).await?.needs;
        Ok::<_, Fault>(needs == Some(ApprovalNeeds { level: Assurance::L2, missing: missing.clone(), page_key: false }))
    };
    let learnt = async {
        while !is_known().await? {}
        Ok::<_, Fault>(())
    };
    tokio::time::timeout(LIMIT, learnt).await??;
    assert_eq!(code(send(&scene.gate, request, APPROVED, "go").await), Some(Code::LevelUnreachable), "before the act");
    Ok(())
}

/// Ends a gate as it ends by itself.
async fn end(gate: &Gate) {
    gate.inner.receipts.close().await;
    gate.inner.store.close().await;
}

#[tokio::test]
async fn what_the_service_signed_is_as_sure_as_it_says_that_the_key_is_its_own() -> Outcome {
    let scene = scene("L2").await?;
    scene.says.send_replace(Some(Ok(())));
    let request = asked(&scene.gate, "relay:1").await?;
    send(&scene.gate, request, APPROVED, "go").await?;
    scene.gate.execute(SendNow { request_id: request }, Origin::Desktop).await?;
    end(&scene.gate).await;
    let other = Double {
        asked: watch::Sender::default(),
        says: watch::channel(None).1,
        away: Mutex::default(),
        own: made()?,
        signs: made()?,
        noted: Arc::default(),
    };
    let own = Arc::clone(&scene.system) as Arc<dyn Service>;
    for (system, assurance) in
        [(None, Assurance::L1), (Some(Arc::new(other) as Arc<dyn Service>), Assurance::L1), (Some(own), Assurance::L2)]
    {
        let gate = open_by(&scene.folder, "L2", system).await?;
        assert_eq!(gate.inner.requests.closed(request).await?.assurance, Some(assurance));
        end(&gate).await;
    }
    Ok(())
}

/// A service that is silent until it is let.
#[derive(Debug)]
struct Mute {
    service: Arc<Double>,
    speaks: AtomicBool,
}

impl Mute {
    fn heard(&self) -> Result<&Arc<Double>, Refused> {
        let speaks = self.speaks.load(Ordering::Relaxed);
        speaks.then_some(&self.service).ok_or_else(|| Refused::new(Why::Silent, "It says nothing."))
    }
}

#[async_trait]
impl Service for Mute {
    async fn known(&self, home: HomeId) -> Result<Reached, Refused> {
        self.heard()?.known(home).await
    }

    async fn reachable(&self, home: HomeId) -> Result<Reached, Refused> {
        self.heard()?.reachable(home).await
    }

    async fn confirm(
        &self,
        line: &Line,
        question: &str,
        on_digits: &Shows<'_>,
    ) -> Result<Box<dyn Confirmation>, Refused> {
        self.heard()?.confirm(line, question, on_digits).await
    }
}

#[tokio::test]
async fn what_was_read_while_the_service_was_silent_is_as_sure_as_it_was_given_once_it_speaks() -> Outcome {
    let scene = scene("L2").await?;
    scene.says.send_replace(Some(Ok(())));
    let request = asked(&scene.gate, "relay:1").await?;
    send(&scene.gate, request, APPROVED, "go").await?;
    scene.gate.execute(SendNow { request_id: request }, Origin::Desktop).await?;
    let store = &scene.gate.inner.store;
    store.mark_delivered("relay:1", scene.gate.inner.bus.now()).await?;
    assert!(store.standing(request).await?.is_some_and(|standing| standing.delivered), "it may be kept from here on");
    end(&scene.gate).await;

    let mute = Arc::new(Mute { service: Arc::clone(&scene.system), speaks: AtomicBool::new(false) });
    let gate = open_by(&scene.folder, "L2", Some(Arc::clone(&mute) as Arc<dyn Service>)).await?;
    let read_again = async |key: &str| {
        let again = Call { request_id: Some(request), ..call(key, "") };
        let outcome = gate.inner.requests.ask(again).await?.outcome;
        Ok::<_, Fault>(outcome.and_then(|outcome| outcome.assurance))
    };
    for key in ["relay:2", "relay:3"] {
        assert_eq!(read_again(key).await?, Some(Assurance::L1), "nobody says whose key that was");
    }
    mute.speaks.store(true, Ordering::Relaxed);
    gate.inner.receipts.system().forget();
    gate.inner.signing.look(Assurance::L2).await;
    for key in ["relay:4", "relay:5"] {
        assert_eq!(read_again(key).await?, Some(Assurance::L2), "what was lowered isn't kept");
    }
    Ok(())
}

#[tokio::test]
async fn a_log_and_a_record_that_were_put_back_together_are_seen_by_what_the_service_remembers() -> Outcome {
    let scene = scene("L2").await?;
    scene.says.send_replace(Some(Ok(())));
    let (first, second) = (asked(&scene.gate, "relay:1").await?, asked(&scene.gate, "relay:2").await?);
    send(&scene.gate, first, APPROVED, "go").await?;
    scene.gate.execute(SendNow { request_id: first }, Origin::Desktop).await?;
    end(&scene.gate).await;
    let kept = tempfile::tempdir()?;
    let copy = |from: &Path, to: &Path| {
        let status = Command::new("cp").arg("-a").arg(from.join(".")).arg(to).status()?;
        assert!(status.success(), "a folder is copied");
        Ok::<_, std::io::Error>(())
    };
    copy(scene.folder.path(), kept.path())?;
    let own = || Some(Arc::clone(&scene.system) as Arc<dyn Service>);
    let gate = open_by(&scene.folder, "L2", own()).await?;
    assert_eq!(gate.inner.bus.warnings(), [], "nothing is wrong with it as it is");
    send(&gate, second, APPROVED, "go").await?;
    end(&gate).await;

    let back = open_by(&kept, "L2", own()).await?;
    let warned = back.inner.bus.warnings();
    assert!(warned.iter().any(|fault| fault.message.contains("was cut short")), "{warned:?}");
    let fault = send(&back, second, APPROVED, "go").await;
    assert_eq!(code(fault), None, "and the log goes on beyond it: it can be signed for again");
    let last = back.inner.receipts.list(1).await?.pop().ok_or("a receipt")?.line.seq;
    let heads = scene.system.noted.lock().expect("nobody broke it").heads.clone();
    assert_eq!(heads.iter().filter(|head| head.seq >= last).count(), 1, "no line has the number of another: {heads:?}");
    Ok(())
}

#[tokio::test]
async fn a_service_with_another_key_is_told_and_the_old_key_signs_nothing_more() -> Outcome {
    let scene = scene("L2").await?;
    scene.says.send_replace(Some(Ok(())));
    let (first, second) = (asked(&scene.gate, "relay:1").await?, asked(&scene.gate, "relay:2").await?);
    send(&scene.gate, first, APPROVED, "go").await?;
    end(&scene.gate).await;
    let own = made()?;
    let (_say, says) = watch::channel(Some(Ok(())));
    let (noted, signs) = (Arc::default(), Arc::clone(&own));
    let anew = Double { asked: watch::Sender::default(), says, away: Mutex::default(), own, signs, noted };
    let gate = open_by(&scene.folder, "L2", Some(Arc::new(anew))).await?;
    send(&gate, second, APPROVED, "go").await?;
    let warned = gate.inner.bus.warnings();
    assert!(warned.iter().any(|fault| fault.message.contains("another key than before")), "{warned:?}");
    let keys = gate.inner.receipts.chain(|chain| Ok(chain.keys().clone())).await?;
    let ended: Vec<bool> = keys.0.iter().map(|key| key.until.is_some()).collect();
    assert_eq!(ended, [true, false]);
    Ok(())
}
