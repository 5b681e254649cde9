//! The second copy of replies: what it puts back, and what it leaves alone.

use crate::fixture::{
    NOW, Outcome, World, all_there, answer, ask, code, conversations, reply, reply_text, sqlite3, text,
};
use gate_core::{AnsweredFrom, Code, Decision, Digest, RequestStatus, Timestamp};
use gate_store::{JOURNAL_BYTES, JournalChoice, JournalMode, OpenOptions, Store};

#[tokio::test]
async fn replies_that_are_missing_or_changed_are_put_back_and_the_person_is_told() -> Outcome {
    let world = World::new()?;
    let store = world.open_well().await?;
    let replies = conversations(&store, 5).await?;
    store.close().await;
    sqlite3(
        &world.database(),
        "PRAGMA foreign_keys = OFF;
         DELETE FROM replies WHERE rowid = 1; DELETE FROM attachments WHERE rowid = 1;
         UPDATE messages SET body = 'No!' WHERE role = 'person' AND message_id = 4;
         UPDATE replies SET decision = 'approved' WHERE rowid = 3;",
    )?;
    let opened = world.open().await?;
    let recovery = opened.recovery.ok_or("nobody was told")?;
    assert_eq!((recovery.replies, recovery.damaged), (3, None), "each of them, and no file was bad");
    all_there(&opened.store, &replies, "put back").await?;
    opened.store.close().await;
    world.open_well().await?;
    Ok(())
}

#[tokio::test]
async fn what_was_delivered_is_not_delivered_again_after_it_was_put_back() -> Outcome {
    let world = World::new()?;
    let store = world.open_well().await?;
    let asked = ask(&store, "May I?", NOW).await?;
    answer(&store, asked.request_id, "yes").await?;
    store.mark_delivered(&asked.call_key, Timestamp(NOW + 5)).await?;
    store.close().await;
    sqlite3(&world.database(), "DELETE FROM replies")?;
    let store = world.open().await?.store;
    let standing = store.standing(asked.request_id).await?.ok_or("the request is gone")?;
    assert_eq!(standing.reply.map(|reply| reply.text).as_deref(), Some("yes"));
    assert!(standing.delivered, "the agent had it");
    Ok(())
}

#[tokio::test]
async fn a_torn_tail_costs_only_itself() -> Outcome {
    let world = World::new()?;
    let store = world.open_well().await?;
    let first = ask(&store, "one", NOW).await?;
    let second = ask(&store, "two", NOW).await?;
    answer(&store, first.request_id, "first").await?;
    answer(&store, second.request_id, "second").await?;
    store.close().await;
    let mut journal = std::fs::read(world.file("replies.journal"))?;
    journal.truncate(journal.len() - 20);
    std::fs::write(world.file("replies.journal"), &journal)?;
    sqlite3(&world.database(), "UPDATE messages SET body = 'lost' WHERE role = 'person'")?;
    let store = world.open().await?.store;
    assert_eq!(reply_text(&store, first.request_id).await?.as_deref(), Some("first"), "its line is whole");
    assert_eq!(reply_text(&store, second.request_id).await?.as_deref(), Some("lost"), "nothing is made up");
    let third = ask(&store, "three", NOW).await?;
    answer(&store, third.request_id, "third").await?;
    store.close().await;
    sqlite3(&world.database(), "DELETE FROM replies")?;
    let store = world.open().await?.store;
    assert_eq!(reply_text(&store, third.request_id).await?.as_deref(), Some("third"), "a line after the tear is good");
    Ok(())
}

#[tokio::test]
async fn what_was_deleted_stays_deleted_and_what_came_later_stays() -> Outcome {
    let world = World::new()?;
    let store = world.open_well().await?;
    let gone = ask(&store, "forget this", NOW).await?;
    let kept = ask(&store, "keep this", NOW).await?;
    answer(&store, gone.request_id, "a secret").await?;
    answer(&store, kept.request_id, "a reply").await?;
    store.delete_conversation(gone.session_uuid).await?;
    let again = crate::fixture::ask_in(&store, gone.session_uuid, "the session speaks again", NOW).await?;
    answer(&store, again.request_id, "a later reply").await?;
    store.close().await;
    sqlite3(&world.database(), "DELETE FROM replies")?;
    let store = world.open().await?.store;
    assert_eq!(store.status(gone.request_id).await?, None, "the second copy doesn't bring it back");
    assert_eq!(reply_text(&store, kept.request_id).await?.as_deref(), Some("a reply"));
    assert_eq!(reply_text(&store, again.request_id).await?.as_deref(), Some("a later reply"));
    Ok(())
}

#[tokio::test]
async fn a_second_copy_that_cannot_be_written_costs_no_reply() -> Outcome {
    let world = World::new()?;
    std::fs::create_dir(world.file("replies.journal"))?;
    let store = world.open_well().await?;
    let asked = ask(&store, "May I?", NOW).await?;
    answer(&store, asked.request_id, "yes").await?;
    store.mark_delivered(&asked.call_key, Timestamp(NOW)).await?;
    store.close().await;
    let store = world.open_well().await?;
    assert_eq!(reply_text(&store, asked.request_id).await?.as_deref(), Some("yes"));
    Ok(())
}

#[tokio::test]
async fn a_full_disk_leaves_no_second_copy_of_what_was_not_committed() -> Outcome {
    let world = World::new()?;
    let store = world.open_well().await?;
    let asked = ask(&store, "May I?", NOW).await?;
    store.close().await;
    let pages = std::fs::metadata(world.database())?.len() / 4096 + 4;
    let full = OpenOptions { max_pages: Some(u32::try_from(pages)?), ..world.options() };
    let store = Store::open(&full).await?.store;
    let long = text(&"x".repeat(200_000));
    let refused = reply(&store, asked.request_id, None, &long, AnsweredFrom::Desktop, Timestamp(NOW)).await;
    assert_eq!(code(refused), Some(Code::DiskFull));
    store.close().await;
    let store = world.open_well().await?;
    assert_eq!(store.status(asked.request_id).await?, Some(RequestStatus::Pending), "it was never answered");
    Ok(())
}

#[tokio::test]
async fn a_question_that_changes_between_what_is_shown_and_what_is_answered_takes_no_answer() -> Outcome {
    let world = World::new()?;
    let store = world.open_well().await?;
    let asked = ask(&store, "May I fix the typo?", NOW).await?;
    let shown = Digest::of_question(&asked.ask)?;
    let draft = text("go on");
    store.save_draft(asked.request_id, &draft, Timestamp(NOW)).await?;
    let (request, approved, from) = (asked.request_id, Some(Decision::Approved), AnsweredFrom::Desktop);
    let answering = || store.answer(request, shown, approved, &draft, from, Timestamp(NOW));
    sqlite3(&world.database(), "UPDATE messages SET body = 'May I drop the database?'")?;
    assert_eq!(code(answering().await), Some(Code::ChangedQuestion));
    assert_eq!(store.status(asked.request_id).await?, Some(RequestStatus::Pending), "nothing was answered");
    assert_eq!(store.draft(asked.request_id).await?, draft, "and nothing of what was written is lost");

    sqlite3(&world.database(), "UPDATE messages SET body = 'May I fix the typo?'")?;
    let standing = store.standing(asked.request_id).await?.ok_or("it is there")?;
    assert_eq!(standing.digest, None, "there is no answer that it could belong to");
    answering().await?;
    let standing = store.standing(asked.request_id).await?.ok_or("it is there")?;
    assert_eq!(standing.digest, Some(shown), "an answer says which question it belongs to");
    Ok(())
}

#[tokio::test]
async fn a_rollback_journal_takes_the_place_of_a_write_ahead_log_and_back() -> Outcome {
    let world = World::new()?;
    let store = world.open_well().await?;
    assert_eq!(store.journal_mode(), JournalMode::Wal, "the test's folder is on this machine");
    let replies = conversations(&store, 2).await?;
    // As if the gate had been killed: the log is still there.
    for name in ["review-gate.db", "review-gate.db-wal", "replies.journal"] {
        std::fs::copy(world.file(name), world.file(&format!("copy-{name}")))?;
    }
    store.close().await;
    for name in ["review-gate.db", "review-gate.db-wal", "replies.journal"] {
        std::fs::rename(world.file(&format!("copy-{name}")), world.file(name))?;
    }
    let network = OpenOptions { journal: JournalChoice::Rollback, ..world.options() };
    let opened = Store::open(&network).await?;
    assert_eq!((opened.recovery, opened.store.journal_mode()), (None, JournalMode::Rollback));
    all_there(&opened.store, &replies, "converted").await?;
    let asked = ask(&opened.store, "over there?", NOW).await?;
    answer(&opened.store, asked.request_id, "here").await?;
    assert!(!world.file("review-gate.db-wal").exists(), "no log is kept there");
    opened.store.backup(&world.backups(), 2, Timestamp(NOW)).await?;
    opened.store.close().await;
    let store = world.open_well().await?;
    assert_eq!(store.journal_mode(), JournalMode::Wal);
    assert_eq!(reply_text(&store, asked.request_id).await?.as_deref(), Some("here"));
    Ok(())
}

#[tokio::test]
async fn a_long_second_copy_asks_for_a_backup() -> Outcome {
    let world = World::new()?;
    let journal = world.file("replies.journal");
    for (bytes, wanted) in [(JOURNAL_BYTES - 1, false), (JOURNAL_BYTES, true)] {
        std::fs::File::create(&journal)?.set_len(bytes)?;
        let store = world.open_well().await?;
        assert_eq!(store.wants_backup(), wanted, "{bytes} bytes");
        store.backup(&world.backups(), 1, Timestamp(NOW)).await?;
        assert!(!store.wants_backup(), "a backup makes it needless");
        assert_eq!(std::fs::metadata(&journal)?.len(), 0);
        store.close().await;
    }
    Ok(())
}
