//! What is deleted, and what stays.

use crate::fixture::{NOW, Outcome, World, answer, ask, ask_in, code, reply, sqlite3, text};
use gate_core::{AnsweredFrom, AttachmentId, Code, RequestId, RequestStatus, SessionStatus, SessionUuid, Timestamp};
use gate_store::{LOOSE_ATTACHMENT_MILLIS, Store};
use uuid::Uuid;

const DAY: i64 = 24 * 60 * 60 * 1000;

async fn attach(
    store: &Store,
    request: RequestId,
    bytes: &[u8],
    at: i64,
) -> Result<AttachmentId, gate_store::StoreError> {
    let id = AttachmentId(Uuid::now_v7());
    store.attach(request, id, "file.txt", bytes, Timestamp(at)).await?;
    Ok(id)
}

async fn answer_with(store: &Store, request: RequestId, file: AttachmentId, at: i64) -> Outcome {
    let draft = gate_core::Draft { attachments: vec![file], ..text("see the file") };
    reply(store, request, None, &draft, AnsweredFrom::Desktop, Timestamp(at)).await?;
    Ok(())
}

fn count(world: &World, table: &str) -> Result<i64, Box<dyn std::error::Error>> {
    let statement = format!("SELECT count(*) FROM {table}");
    let output = std::process::Command::new("sqlite3").arg(world.database()).arg(statement).output()?;
    Ok(String::from_utf8(output.stdout)?.trim().parse()?)
}

#[tokio::test]
async fn old_conversations_go_with_their_files_and_recent_ones_stay() -> Outcome {
    let world = World::new()?;
    let store = world.open_well().await?;
    let old = ask(&store, "old", NOW - 40 * DAY).await?;
    let recent = ask(&store, "recent", NOW - 5 * DAY).await?;
    let waiting = ask(&store, "old and never answered", NOW - 40 * DAY).await?;
    let shared = b"the same bytes in both".as_slice();
    let only = attach(&store, old.request_id, b"only in the old one", NOW - 40 * DAY).await?;
    answer_with(&store, old.request_id, only, NOW - 40 * DAY).await?;
    let more = ask_in(&store, old.session_uuid, "more of the old one", NOW - 40 * DAY).await?;
    let common = attach(&store, more.request_id, shared, NOW - 40 * DAY).await?;
    answer_with(&store, more.request_id, common, NOW - 40 * DAY).await?;
    let kept = attach(&store, recent.request_id, shared, NOW - 5 * DAY).await?;
    answer_with(&store, recent.request_id, kept, NOW - 5 * DAY).await?;

    let active = store.retain(Some(30), None, Timestamp(NOW)).await?;
    assert_eq!(active.conversations, [], "whose agent is there stays");
    for asked in [&old, &recent, &waiting] {
        store.set_session_status(asked.session_uuid, SessionStatus::Timeout, None).await?;
    }
    let nothing = store.retain(None, None, Timestamp(NOW)).await?;
    assert_eq!(nothing, gate_store::Retained::default(), "without a setting nothing is deleted");
    let retained = store.retain(Some(30), None, Timestamp(NOW)).await?;
    assert_eq!(retained.conversations, [old.session_uuid]);
    assert_eq!(retained.attachments, 2);
    assert_eq!(active.expired, [waiting.request_id], "what waits is closed and not deleted");
    assert_eq!(store.status(waiting.request_id).await?, Some(RequestStatus::Expired));
    assert_eq!(store.status(old.request_id).await?, None);
    assert_eq!(store.attachment_bytes(kept).await?.as_deref(), Some(shared), "bytes that another one has stay");
    assert_eq!(count(&world, "blobs")?, 1, "the others go");
    let again = store.retain(Some(30), None, Timestamp(NOW + DAY)).await?;
    assert_eq!(again.conversations, [], "an expired one ages anew");
    let later = store.retain(Some(30), None, Timestamp(NOW + 31 * DAY)).await?;
    assert!(later.conversations.contains(&waiting.session_uuid), "and goes in its turn");
    for table in ["conversations", "messages", "review_requests", "calls", "replies", "attachments", "blobs"] {
        assert_eq!(count(&world, table)?, 0, "{table}: nothing is left behind");
    }
    Ok(())
}

#[tokio::test]
async fn a_large_record_shrinks_from_its_oldest_end_until_it_fits() -> Outcome {
    let world = World::new()?;
    let store = world.open_well().await?;
    let mut sessions = Vec::new();
    for number in 0..30 {
        let asked = ask(&store, &"words ".repeat(5000), NOW + number).await?;
        answer(&store, asked.request_id, "yes").await?;
        sessions.push(asked.session_uuid);
    }
    let waiting = ask(&store, "waits", NOW - DAY).await?;
    store.close().await;
    sqlite3(&world.database(), "UPDATE conversations SET status = 'timeout', updated_at = created_at")?;
    let (active, unheard): (SessionUuid, SessionUuid) = (sessions[1], sessions[2]);
    let heard = format!(
        "UPDATE replies SET delivered_at = answered_at WHERE request_id NOT IN
             (SELECT request_id FROM review_requests WHERE session_uuid = '{unheard}')"
    );
    sqlite3(&world.database(), &heard)?;
    sqlite3(&world.database(), &format!("UPDATE conversations SET status = 'active' WHERE session_uuid = '{active}'"))?;
    let store = world.open_well().await?;
    let before = std::fs::metadata(world.database())?.len();
    let most = 1_500_000;
    assert!(before > most, "it is too large: {before}");
    let retained = store.retain(None, Some(most), Timestamp(NOW)).await?;
    let deleted = retained.conversations;
    assert!(deleted.len() > 5 && deleted.len() < 25, "as many as it takes: {}", deleted.len());
    assert_eq!(deleted[0], sessions[0], "the oldest first");
    assert_eq!(deleted[1], sessions[3], "one that is active stays, and one whose reply no agent has heard");
    assert_eq!(store.status(waiting.request_id).await?, Some(RequestStatus::Pending), "and one that waits");
    store.close().await;
    let after = std::fs::metadata(world.database())?.len();
    assert!(after <= most, "the file itself gets smaller: {after}");
    Ok(())
}

#[tokio::test]
async fn files_that_were_taken_out_of_a_draft_go_after_a_day() -> Outcome {
    let world = World::new()?;
    let store = world.open_well().await?;
    let asked = ask(&store, "May I?", NOW).await?;
    let dropped = attach(&store, asked.request_id, b"dropped", NOW).await?;
    let in_draft = attach(&store, asked.request_id, b"in the draft", NOW).await?;
    let draft = gate_core::Draft { attachments: vec![in_draft], ..text("typing") };
    store.save_draft(asked.request_id, &draft, Timestamp(NOW)).await?;
    let early = store.retain(None, None, Timestamp(NOW + LOOSE_ATTACHMENT_MILLIS)).await?;
    assert_eq!(early.attachments, 0, "a day isn't over");
    let late = store.retain(None, None, Timestamp(NOW + LOOSE_ATTACHMENT_MILLIS + 1)).await?;
    assert_eq!(late.attachments, 1);
    assert_eq!(store.attachment(dropped).await?, None);
    assert!(store.attachment_bytes(in_draft).await?.is_some(), "what a draft names stays");
    Ok(())
}

#[tokio::test]
async fn a_conversation_is_deleted_by_hand_unless_it_waits_for_a_reply() -> Outcome {
    let world = World::new()?;
    let store = world.open_well().await?;
    let asked = ask(&store, "May I?", NOW).await?;
    assert_eq!(code(store.delete_conversation(asked.session_uuid).await), Some(Code::StillPending));
    assert_eq!(store.status(asked.request_id).await?, Some(RequestStatus::Pending), "nothing was deleted");
    answer(&store, asked.request_id, "yes").await?;
    store.delete_conversation(asked.session_uuid).await?;
    assert!(!store.session_exists(asked.session_uuid).await?);
    assert_eq!(code(store.delete_conversation(asked.session_uuid).await), Some(Code::UnknownSession));
    Ok(())
}
