//! A record from before there were receipts, and a log that begins with it.

use std::task::Poll;

use gate_core::{AnsweredFrom, Ask, Assurance, Decision, Declared, Digest, Draft, RequestId, SessionUuid, Timestamp};
use gate_link::Home;
use gate_receipts::NAME;
use gate_store::{NewRequest, OpenOptions, Store};
use tempfile::TempDir;
use uuid::Uuid;

use crate::slices::Gate;
use crate::tests::{Outcome, call, now, open, own};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// A reply in a record that no gate with receipts has opened yet: its request and its session.
pub(crate) async fn answered_before(
    folder: &TempDir,
    key: &str,
    words: &str,
    at: Timestamp,
    delivered: bool,
) -> Result<(RequestId, SessionUuid)> {
    let store = Store::open(&OpenOptions::new(Home::at(folder.path()).database(), at)).await?.store;
    let ask = Ask { message: "May I?".to_owned(), approval: true, ..Ask::default() };
    let new = NewRequest {
        request_id: RequestId(Uuid::now_v7()),
        session_uuid: SessionUuid(Uuid::now_v7()),
        ask: ask.clone(),
        caller: call(key, "").caller,
        declared: Declared::default(),
        call_key: key.to_owned(),
        relay: None,
        owner: own(),
        question: String::new(),
        now: at,
    };
    store.ask(&new).await?;
    let draft = Draft { text: words.to_owned(), ..Draft::default() };
    let (shown, decision) = (Digest::of_question(&ask)?, Some(Decision::Approved));
    store.answer(new.request_id, shown, decision, &draft, AnsweredFrom::Desktop, at).await?;
    if delivered {
        store.mark_delivered(key, at).await?;
    }
    store.close().await;
    Ok((new.request_id, new.session_uuid))
}

const HOUR: i64 = 60 * 60 * 1000;

/// A home from before there were receipts, with all that gets a line, and its two replies.
async fn before() -> Result<(TempDir, [RequestId; 2])> {
    let folder = tempfile::tempdir()?;
    let at = |hours: i64| Timestamp(now().0 - hours * HOUR);
    let (waits, _) = answered_before(&folder, "relay:1", "waits for its agent", at(2 * 24), false).await?;
    let (recent, _) = answered_before(&folder, "relay:2", "was fetched an hour ago", at(1), true).await?;
    std::fs::write(folder.path().join("guards.json"), r#"{"security.scripted_answers":true}"#)?;
    std::fs::write(folder.path().join("config.yaml"), "security:\n  scripted_answers: true\n")?;
    // Its key is no point on a curve, so that nobody signs with it.
    let browser = r#"[{"key":"YSBrZXk","host":"localhost:1","port":1,"until":"2255-03-14T16:00:00Z",
        "unused_until":"2255-03-14T16:00:00Z","linked_by":"person"}]"#;
    std::fs::write(folder.path().join("browsers"), browser)?;
    Ok((folder, [waits, recent]))
}

fn copy_of(home: &TempDir) -> Result<TempDir> {
    let copy = tempfile::tempdir()?;
    for file in std::fs::read_dir(home.path())? {
        let file = file?;
        if file.file_type()?.is_file() {
            std::fs::copy(file.path(), copy.path().join(file.file_name()))?;
        }
    }
    Ok(copy)
}

async fn close(gate: Gate) {
    gate.inner.receipts.close().await;
    gate.inner.store.close().await;
}

/// The log's lines.
fn lines(home: &TempDir) -> Result<Vec<String>> {
    Ok(std::fs::read_to_string(home.path().join(NAME))?.lines().map(str::to_owned).collect())
}

/// Whether all that was before has its line, once: the replies are their agents', marked; the guard and the browser hold.
async fn is_whole(gate: &Gate, replies: [RequestId; 2], what: &str) -> Outcome {
    for request in replies {
        let standing = gate.inner.requests.standing(request).await.map_err(|fault| format!("{what}: {fault}"))?;
        let reply = standing.and_then(|standing| standing.reply).ok_or_else(|| format!("{what}: it is delivered"))?;
        assert_eq!((reply.decision, reply.assurance), (Some(Decision::Approved), Assurance::L0), "{what}");
        let receipts = gate.inner.receipts.chain(move |chain| Ok(chain.of_request(request)?)).await?;
        assert_eq!(receipts.len(), 1, "{what}: it has one receipt");
    }
    assert_eq!(gate.inner.bus.warnings(), [], "{what}: nobody is accused of anything");
    assert_eq!(gate.settings().security.scripted_answers, Some(true), "{what}: what was confirmed still is");
    assert_eq!(gate.inner.connections.access.browsers.names().len(), 1, "{what}: whoever was signed in still is");
    Ok(())
}

#[tokio::test]
async fn an_upgrade_that_was_cut_off_goes_on_where_it_was() -> Outcome {
    let (home, replies) = before().await?;
    let whole = copy_of(&home)?;
    let gate = open(&whole, true).await?;
    is_whole(&gate, replies, "at once").await?;
    close(gate).await;
    let all = lines(&whole)?;
    assert_eq!(all.len(), 5, "a break, a guard, a browser, two replies: {all:?}");
    for (written, torn) in (0..=all.len()).flat_map(|written| [(written, 0), (written, 40)]) {
        let what = format!("{written} lines and {torn} bytes");
        let home = copy_of(&home)?;
        let mut log: String = all[..written].iter().flat_map(|line| [line, "\n"]).collect();
        log.push_str(all.get(written).and_then(|line| line.get(..torn)).unwrap_or_default());
        std::fs::write(home.path().join("receipts.lock"), "")?;
        // A log comes with its first line.
        let name = if written == 0 { "receipts.log.new" } else { NAME };
        std::fs::write(home.path().join(name), log)?;
        for again in [false, true] {
            let gate = open(&home, true).await?;
            is_whole(&gate, replies, &format!("{what}, {again}")).await?;
            close(gate).await;
            assert_eq!(lines(&home)?.len(), all.len(), "{what}: nothing is written twice");
        }
    }
    Ok(())
}

#[tokio::test]
async fn a_start_that_ends_anywhere_in_an_upgrade_loses_nothing() -> Outcome {
    let (home, replies) = before().await?;
    let (mut polls, mut ended) = (3, false);
    while !ended {
        let home = copy_of(&home)?;
        ended = polled(open(&home, true), polls).await.is_some();
        let gate = loop {
            match open(&home, true).await {
                Ok(gate) => break gate,
                // What was on its way to the disk ends first.
                Err(fault) if fault.message.contains("another") => {}
                Err(fault) => return Err(fault.into()),
            }
        };
        is_whole(&gate, replies, &format!("after {polls} steps")).await?;
        close(gate).await;
        polls += 9;
    }
    Ok(())
}

/// What comes of a future in so many steps; it is dropped where it takes more.
async fn polled<F: Future>(future: F, steps: usize) -> Option<F::Output> {
    let mut future = std::pin::pin!(future);
    let mut left = steps;
    std::future::poll_fn(move |context| match future.as_mut().poll(context) {
        Poll::Ready(done) => Poll::Ready(Some(done)),
        Poll::Pending if left == 0 => Poll::Ready(None),
        Poll::Pending => {
            left -= 1;
            Poll::Pending
        }
    })
    .await
}
