//! Keys of a page on a real store and a real log, by what a browser says: what is enrolled, what is told before an approval,
//! and what becomes of one that isn't touched. That a touch that holds signs it, the end-to-end tests show.

use gate_api::subjects::keys::{
    AddPageKey, BeginPageKey, Event, GiveTouch, ListSecurityKeys, NoTouch, RemoveSecurityKey, SecurityKeys,
};
use gate_api::subjects::requests::{CancelSigning, SendReply};
use gate_api::{ApprovalNeeds, Done, Origin};
use gate_core::{Ask, Decision, Draft, RequestStatus};
use gate_mcp::Call;
use gate_settings::Values;
use serde_json::json;
use tempfile::TempDir;
use tokio::sync::broadcast;

use super::*;
use crate::slices::Gate;
use crate::tests::{Outcome, call, open_with_page};

const HTTP: &str = "http://127.0.0.1:8321";
const PAGE: &str = "http://localhost:8321";
const CREDENTIAL: &[u8] = b"a credential";

async fn gate(folder: &TempDir) -> Result<Gate, Fault> {
    open_with_page(folder, Values::from([("security.require", json!("L3"))]), HTTP).await
}

/// What a key says when it is made, in CTAP2's form: a key of Ed25519 for this machine.
fn made() -> String {
    let mut data = Digest::of_bytes(SITE.as_bytes()).as_bytes().to_vec();
    data.extend_from_slice(&[0b0100_0001, 0, 0, 0, 0]);
    data.extend_from_slice(&[7; 16]);
    data.extend_from_slice(&[0, 12]);
    data.extend_from_slice(CREDENTIAL);
    data.extend_from_slice(&[0xa4, 1, 1, 3, 0x27, 0x20, 6, 0x21, 0x58, 32]);
    data.extend_from_slice(&[9; 32]);
    STANDARD.encode(data)
}

fn client(act: &str, challenge: &str, origin: &str) -> String {
    let challenge = challenge.replace('+', "-").replace('/', "_").replace('=', "");
    let said = json!({"type": act, "challenge": challenge, "origin": origin, "crossOrigin": false});
    STANDARD.encode(said.to_string())
}

async fn add(gate: &Gate, origin: &str) -> Result<SecurityKeys, Fault> {
    let begun = gate.execute(BeginPageKey {}, Origin::Browser).await?;
    let client = client("webauthn.create", &begun.challenge, origin);
    let added = AddPageKey { name: " the green one\n".to_owned(), authenticator: made(), client };
    gate.execute(added, Origin::Browser).await
}

async fn asked(gate: &Gate) -> Result<RequestId, Fault> {
    let call = call("relay:1", "Deploy?");
    let call = Call { ask: Ask { approval: true, ..call.ask.clone() }, ..call };
    Ok(gate.inner.requests.ask(call).await?.request_id)
}

async fn needs(gate: &Gate, request: RequestId) -> Result<Option<ApprovalNeeds>, Fault> {
    Ok(gate.inner.requests.open_request(request).await?.needs)
}

async fn approve(gate: &Gate, request_id: RequestId, origin: Origin) -> Result<Done, Fault> {
    let digest = gate.inner.requests.question(request_id).await?.digest;
    let draft = Draft { text: "go".to_owned(), ..Draft::default() };
    gate.execute(SendReply { request_id, digest, decision: Some(Decision::Approved), draft }, origin).await
}

/// Sends an approval from the page, and waits until a touch is wanted.
async fn approving(
    gate: &Gate,
    request: RequestId,
) -> Result<(tokio::task::JoinHandle<Result<Done, Fault>>, Event), Box<dyn std::error::Error>> {
    let mut events = gate.inner.bus.events();
    let sent = tokio::spawn({
        let gate = gate.clone();
        async move { approve(&gate, request, Origin::Browser).await }
    });
    Ok((sent, next(&mut events).await?))
}

/// The next event of these.
async fn next(events: &mut broadcast::Receiver<gate_api::Event>) -> Result<Event, broadcast::error::RecvError> {
    loop {
        if let gate_api::Event::Keys(event) = events.recv().await? {
            return Ok(event);
        }
    }
}

/// It was refused for this reason, and nothing is lost.
async fn is_refused(
    gate: &Gate,
    request: RequestId,
    sent: tokio::task::JoinHandle<Result<Done, Fault>>,
    says: &str,
) -> Outcome {
    let fault = sent.await?.err().ok_or("it isn't sent")?;
    assert!(fault.code == Code::NotSigned && fault.message.contains(says), "{says}: {fault}");
    let view = gate.inner.requests.open_request(request).await?;
    assert_eq!((view.status, view.draft.text.as_str()), (RequestStatus::Pending, "go"), "what was written is there");
    assert_eq!(gate.inner.receipts.list(100).await?.len(), 0, "nothing was given");
    Ok(())
}

#[tokio::test]
async fn a_key_of_the_page_is_enrolled_once_by_its_page_for_its_page() -> Outcome {
    let folder = tempfile::tempdir()?;
    let gate = gate(&folder).await?;
    for origin in [Origin::Terminal, Origin::Script] {
        assert!(gate.execute(BeginPageKey {}, origin).await.is_err(), "{origin:?} is anybody");
    }
    for other in ["http://localhost:8322", "http://127.0.0.1:8321", "http://localhost"] {
        let fault = add(&gate, other).await.err().ok_or("it isn't the gate's page")?;
        assert!(fault.message.contains("made for another page"), "{other}: {fault}");
    }
    let begun = gate.execute(BeginPageKey {}, Origin::Browser).await?;
    assert_eq!((begun.origin.as_str(), begun.site.as_str(), begun.known.len()), (PAGE, "localhost", 0));
    let said = client("webauthn.create", &begun.challenge, PAGE);
    let added = AddPageKey { name: " the green one\n".to_owned(), authenticator: made(), client: said };
    let listed = gate.execute(added.clone(), Origin::Browser).await?;
    let named: Vec<_> = listed.keys.iter().map(|key| (key.comment.as_str(), key.page.as_deref())).collect();
    assert_eq!(named, [("the green one", Some(PAGE))]);
    let again = gate.execute(added, Origin::Browser).await.err().ok_or("a challenge is good once")?;
    assert!(again.message.contains("another one was begun"), "{again}");
    assert_eq!(add(&gate, PAGE).await?.keys.len(), 1, "it is the same key");
    let begun = gate.execute(BeginPageKey {}, Origin::Browser).await?;
    assert_eq!(begun.known, [STANDARD.encode(CREDENTIAL)], "the browser makes no second one on it");
    let key = listed.keys[0].key.clone();
    let left = gate.execute(RemoveSecurityKey { key }, Origin::Browser).await?;
    assert!(left.keys.is_empty(), "{left:?}");
    let request = asked(&gate).await?;
    assert!(needs(&gate, request).await?.is_some_and(|needs| !needs.page_key && needs.missing.is_some()));
    Ok(())
}

#[tokio::test]
async fn where_a_key_of_the_page_works_is_told_before() -> Outcome {
    let folder = tempfile::tempdir()?;
    let first = gate(&folder).await?;
    let request = asked(&first).await?;
    assert!(needs(&first, request).await?.is_some_and(|needs| !needs.page_key), "there is none yet");
    add(&first, PAGE).await?;
    let there = Phrase::new("level-page-key").with("page", PAGE);
    let expected = ApprovalNeeds { level: Assurance::L3, missing: Some(there), page_key: true };
    assert_eq!(needs(&first, request).await?, Some(expected));
    for elsewhere in [Origin::Desktop, Origin::Script] {
        let code = approve(&first, request, elsewhere).await.err().map(|fault| fault.code);
        assert!(matches!(code, Some(Code::LevelUnreachable | Code::ScriptedAnswersOff)), "{elsewhere:?}: {code:?}");
    }
    first.inner.receipts.close().await;
    first.inner.store.close().await;
    // Another program has the port now.
    let settings = Values::from([("security.require", json!("L3"))]);
    let moved = open_with_page(&folder, settings, "http://127.0.0.1:8322").await?;
    let request = asked(&moved).await?;
    let missing = Some(Phrase::new("level-key-elsewhere").with("page", PAGE));
    let expected = ApprovalNeeds { level: Assurance::L3, missing, page_key: false };
    assert_eq!(needs(&moved, request).await?, Some(expected));
    let code = approve(&moved, request, Origin::Browser).await.err().map(|fault| fault.code);
    assert_eq!(code, Some(Code::LevelUnreachable), "it isn't asked at another address");
    let listed = moved.execute(ListSecurityKeys {}, Origin::Browser).await?;
    assert_eq!(listed.keys[0].page.as_deref(), Some(PAGE), "and is enrolled still");
    Ok(())
}

#[tokio::test]
async fn a_touch_that_does_not_come_leaves_a_draft_and_says_why() -> Outcome {
    let folder = tempfile::tempdir()?;
    let gate = gate(&folder).await?;
    add(&gate, PAGE).await?;
    let request = asked(&gate).await?;
    let mut events = gate.inner.bus.events();
    for (error, says) in [
        ("NotAllowedError", "the key wasn't touched"),
        ("SecurityError", "asks no key"),
        ("<b>Odd\n", "The browser says: bOdd."),
    ] {
        let (sent, _) = approving(&gate, request).await?;
        gate.execute(NoTouch { request_id: request, error: error.to_owned() }, Origin::Browser).await?;
        is_refused(&gate, request, sent, says).await?;
    }
    let (sent, wanted) = approving(&gate, request).await?;
    let Event::TouchWanted { challenge, site, credentials, .. } = wanted else {
        panic!("a touch is wanted: {wanted:?}")
    };
    assert_eq!((site.as_str(), credentials), ("localhost", vec![STANDARD.encode(CREDENTIAL)]));
    assert_eq!(STANDARD.decode(challenge)?.len(), 32, "the digest of the line");
    gate.execute(CancelSigning { request_id: request }, Origin::Browser).await?;
    is_refused(&gate, request, sent, "cancelled").await?;
    for _ in 0..4 {
        assert!(matches!(next(&mut events).await?, Event::TouchWanted { .. }));
        assert_eq!(next(&mut events).await?, Event::TouchOver { request_id: request }, "pages stop asking");
    }
    Ok(())
}

#[tokio::test]
async fn what_is_no_touch_of_this_approval_signs_nothing() -> Outcome {
    let folder = tempfile::tempdir()?;
    let gate = gate(&folder).await?;
    add(&gate, PAGE).await?;
    let request = asked(&gate).await?;
    let said = |touched: u8| {
        let site = Digest::of_bytes(SITE.as_bytes());
        STANDARD.encode([&site.as_bytes()[..], &[touched, 0, 0, 0, 1]].concat())
    };
    let touch = |credential: &[u8], authenticator: String, client: String| GiveTouch {
        request_id: request,
        credential: STANDARD.encode(credential),
        authenticator,
        client,
        signature: STANDARD.encode([0; 64]),
    };
    let nobody = gate.execute(touch(CREDENTIAL, said(1), String::new()), Origin::Browser).await;
    assert_eq!(nobody.err().map(|fault| fault.code), Some(Code::NotSigned), "nobody waits for it");
    for (what, says) in [
        ("another key", "wasn't asked for"),
        ("no base64", "isn't base64"),
        ("another page", "touched for another page"),
        ("no signature", "isn't of this line by this key"),
    ] {
        let (sent, wanted) = approving(&gate, request).await?;
        let Event::TouchWanted { challenge, .. } = wanted else { panic!("a touch is wanted: {wanted:?}") };
        let got = |origin: &str| client("webauthn.get", &challenge, origin);
        let given = match what {
            "another key" => touch(b"another", said(1), got(PAGE)),
            "no base64" => touch(CREDENTIAL, "?".to_owned(), got(PAGE)),
            "another page" => touch(CREDENTIAL, said(1), got("http://localhost:3000")),
            _ => touch(CREDENTIAL, said(1), got(PAGE)),
        };
        for origin in [Origin::Terminal, Origin::Script] {
            assert!(gate.execute(given.clone(), origin).await.is_err(), "{origin:?} touches nothing");
        }
        gate.execute(given, Origin::Browser).await?;
        is_refused(&gate, request, sent, says).await?;
    }
    Ok(())
}

#[test]
fn the_catalogues_say_where_keys_of_the_page_work() {
    let said =
        [Phrase::new("level-page-key").with("page", PAGE), Phrase::new("level-key-elsewhere").with("page", PAGE)];
    let faults: Vec<_> = said.iter().filter_map(gate_texts::testing::fault).collect();
    assert_eq!(faults, Vec::<String>::new());
}
