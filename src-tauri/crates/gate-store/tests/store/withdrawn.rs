//! What the person takes back stays taken back, whatever happens to the files; and notes, which are
//! messages like others.

use crate::fixture::{NOW, Outcome, World, answer, ask, code, reply_text, sqlite3, text};
use gate_core::{
    Absence, AnsweredFrom, Assurance, Code, Given, Note, NoteId, RequestStatus, SessionUuid, Snooze, Timestamp,
};
use gate_store::{Imported, SearchIndex, Store};
use uuid::Uuid;

fn note(text: &str) -> Note {
    Note { note_id: NoteId(Uuid::now_v7()), text: text.to_owned(), created_at: Timestamp(NOW), given: None }
}

async fn messages(store: &Store, session: SessionUuid) -> Result<(u64, Vec<String>), Box<dyn std::error::Error>> {
    let counted = store.conversation(session).await?.ok_or("the conversation is gone")?.messages;
    let page = store.messages(session, None, true).await?;
    Ok((counted, page.items.into_iter().map(|message| message.text).collect()))
}

#[tokio::test]
async fn what_was_taken_back_leaves_the_search_index() -> Outcome {
    let world = World::new()?;
    let store = world.open_well().await?;
    let index = SearchIndex::open(&store, &world.database().with_file_name("search.db")).await?;
    let asked = ask(&store, "May I?", NOW).await?;
    answer(&store, asked.request_id, "xylophone").await?;
    let early = store.withdraw_reply(asked.request_id, &text("xylophone"), Timestamp(NOW)).await?.ok_or("a message")?;
    index.forget(early).await?;
    while index.catch_up().await? > 0 {}
    assert_eq!(index.forget_deleted(0).await?, Some(1), "what it never had is no trouble");
    answer(&store, asked.request_id, "xylophone").await?;
    while index.catch_up().await? > 0 {}
    assert_eq!(index.forget_deleted(0).await?, Some(3), "it is there");
    let message =
        store.withdraw_reply(asked.request_id, &text("xylophone"), Timestamp(NOW)).await?.ok_or("a message")?;
    index.forget(message).await?;
    assert_eq!(index.forget_deleted(0).await?, Some(1), "it holds the question alone, and nothing that is gone");
    Ok(())
}

#[tokio::test]
async fn the_second_copy_does_not_bring_back_what_was_taken_back() -> Outcome {
    let world = World::new()?;
    let store = world.open_well().await?;
    let asked = ask(&store, "May I?", NOW).await?;
    answer(&store, asked.request_id, "yes").await?;
    assert!(store.withdraw_reply(asked.request_id, &text("yes"), Timestamp(NOW + 1)).await?.is_some());
    assert_eq!(store.withdraw_reply(asked.request_id, &text("no"), Timestamp(NOW)).await?, None, "there is none");
    store.close().await;
    for _ in 0..2 {
        let store = world.open_well().await?;
        assert_eq!(store.status(asked.request_id).await?, Some(RequestStatus::Pending), "also after a restart");
        assert_eq!(store.draft(asked.request_id).await?.text, "yes");
        assert_eq!(messages(&store, asked.session_uuid).await?, (1, vec!["May I?".to_owned()]));
        store.close().await;
    }
    let store = world.open_well().await?;
    answer(&store, asked.request_id, "no").await?;
    store.close().await;
    sqlite3(&world.database(), "DELETE FROM replies")?;
    let store = world.open().await?.store;
    assert_eq!(reply_text(&store, asked.request_id).await?.as_deref(), Some("no"), "what was said instead is kept");
    Ok(())
}

#[tokio::test]
async fn a_delivered_reply_cannot_be_taken_back() -> Outcome {
    let world = World::new()?;
    let store = world.open_well().await?;
    let asked = ask(&store, "May I?", NOW).await?;
    answer(&store, asked.request_id, "yes").await?;
    store.mark_delivered(&asked.call_key, Timestamp(NOW)).await?;
    assert_eq!(store.withdraw_reply(asked.request_id, &text("yes"), Timestamp(NOW)).await?, None);
    assert_eq!(reply_text(&store, asked.request_id).await?.as_deref(), Some("yes"));
    Ok(())
}

#[tokio::test]
async fn a_kill_before_it_was_committed_leaves_the_reply_sent_and_safe() -> Outcome {
    let world = World::new()?;
    let store = world.open_well().await?;
    let asked = ask(&store, "May I?", NOW).await?;
    answer(&store, asked.request_id, "yes").await?;
    store.close().await;
    std::fs::copy(world.database(), world.file("before.db"))?;
    let store = world.open_well().await?;
    store.withdraw_reply(asked.request_id, &text("yes"), Timestamp(NOW)).await?;
    store.close().await;
    // As if the second copy had been written and the database had not.
    std::fs::rename(world.file("before.db"), world.database())?;
    let store = world.open_well().await?;
    assert_eq!(reply_text(&store, asked.request_id).await?.as_deref(), Some("yes"), "it counts as sent");
    store.close().await;
    sqlite3(&world.database(), "DELETE FROM replies")?;
    let store = world.open().await?.store;
    assert_eq!(reply_text(&store, asked.request_id).await?.as_deref(), Some("yes"), "and has its second copy again");
    Ok(())
}

#[tokio::test]
async fn a_backup_from_before_does_not_bring_it_back_either() -> Outcome {
    let world = World::new()?;
    let store = world.open_well().await?;
    let asked = ask(&store, "May I?", NOW).await?;
    answer(&store, asked.request_id, "yes").await?;
    store.backup(&world.backups(), 2, Timestamp(NOW)).await?;
    store.withdraw_reply(asked.request_id, &text("yes"), Timestamp(NOW + 1)).await?;
    store.close().await;
    std::fs::write(world.database(), vec![0xA5; 64 * 1024])?;
    let opened = world.open().await?;
    assert!(opened.recovery.is_some_and(|recovery| recovery.backup.is_some()), "the backup was needed");
    assert_eq!(opened.store.status(asked.request_id).await?, Some(RequestStatus::Pending));
    assert_eq!(messages(&opened.store, asked.session_uuid).await?.0, 1);
    Ok(())
}

#[tokio::test]
async fn notes_are_messages_that_are_exported_imported_and_deleted_with_the_others() -> Outcome {
    let (here, there) = (World::new()?, World::new()?);
    let (store, other) = (here.open_well().await?, there.open_well().await?);
    let asked = ask(&store, "May I?", NOW).await?;
    let (first, second) = (note("Mind the tests."), note("And the bench."));
    for sent in [&first, &second] {
        store.add_note(asked.session_uuid, sent).await?;
    }
    store.notes_delivered(&[first.note_id], Timestamp(NOW + 5)).await?;
    assert_eq!(store.undelivered_notes().await?, [(asked.session_uuid, second.clone())]);
    answer(&store, asked.request_id, "yes").await?;
    let said = ["May I?", "Mind the tests.", "And the bench.", "yes"].map(str::to_owned).to_vec();
    assert_eq!(messages(&store, asked.session_uuid).await?, (4, said.clone()));

    let exported = store.export(asked.session_uuid).await?.ok_or("exported")?;
    assert_eq!(other.import(&exported, Timestamp(NOW)).await?, Imported::New(4));
    assert_eq!(messages(&other, asked.session_uuid).await?, (4, said));
    assert_eq!(other.undelivered_notes().await?, [], "no agent waits for one there");
    let again = other.export(asked.session_uuid).await?.ok_or("exported again")?;
    assert_eq!(again.entries[1], exported.entries[1], "a note is the same on the other side");
    other.delete_conversation(asked.session_uuid).await?;
    assert_eq!(other.conversation(asked.session_uuid).await?, None);

    let taken = store.take_back_note(second.note_id, Timestamp(NOW)).await?;
    assert!(taken > 0);
    assert_eq!(code(store.take_back_note(first.note_id, Timestamp(NOW)).await), Some(Code::TooLate));
    assert_eq!(code(store.take_back_note(second.note_id, Timestamp(NOW)).await), Some(Code::UnknownNote));
    assert_eq!(messages(&store, asked.session_uuid).await?.0, 3);
    Ok(())
}

#[tokio::test]
async fn a_note_that_is_read_back_says_where_it_was_given_and_how_sure_that_is() -> Outcome {
    let world = World::new()?;
    let store = world.open_well().await?;
    let asked = ask(&store, "May I?", NOW).await?;
    let at_a_terminal = Given::from(AnsweredFrom::Terminal);
    for given in [Some(at_a_terminal), Some(AnsweredFrom::Desktop.into()), None] {
        store.add_note(asked.session_uuid, &Note { given, ..note("Deploy.") }).await?;
    }
    answer(&store, asked.request_id, "no").await?;
    let page = store.messages(asked.session_uuid, None, false).await?;
    let notes = page.items.iter().filter(|message| message.note);
    let said: Vec<_> = notes.map(|message| (message.answered_from, message.assurance)).collect();
    let expected = [
        (Some(AnsweredFrom::Terminal), Some(Assurance::L0)),
        (Some(AnsweredFrom::Desktop), Some(Assurance::L1)),
        (None, None),
    ];
    assert_eq!(said, expected, "else each of them would read as the person's");
    Ok(())
}

#[tokio::test]
async fn notes_and_what_was_put_off_outlive_damage() -> Outcome {
    let world = World::new()?;
    let store = world.open_well().await?;
    let asked = ask(&store, "May I?", NOW).await?;
    let sent = note("Mind the tests.");
    store.add_note(asked.session_uuid, &sent).await?;
    let snooze = Snooze { until: Some(Timestamp(NOW + 1000)) };
    assert!(store.snooze(asked.request_id, snooze, Timestamp(NOW)).await?);
    let absence = Absence::default().set_away(true, Timestamp(NOW)).set_do_not_disturb(true, None);
    store.set_absence(absence).await?;
    store.close().await;
    // A page that holds nothing of this.
    let found = std::process::Command::new("sqlite3")
        .arg(world.database())
        .arg("SELECT rootpage FROM sqlite_master WHERE name = 'tokens'")
        .output()?;
    let page: usize = String::from_utf8(found.stdout)?.trim().parse()?;
    let mut torn = std::fs::read(world.database())?;
    torn[(page - 1) * 4096..page * 4096].fill(0xA5);
    std::fs::write(world.database(), &torn)?;
    let opened = world.open().await?;
    assert!(opened.recovery.is_some(), "the damage was noticed");
    let store = opened.store;
    assert_eq!(store.undelivered_notes().await?, [(asked.session_uuid, sent)], "the agent still gets it");
    assert_eq!(store.snoozed().await?, [(asked.request_id, snooze)]);
    assert_eq!(store.absence().await?, absence);
    store.wake(asked.request_id).await?;
    assert_eq!(store.snoozed().await?, []);
    Ok(())
}
