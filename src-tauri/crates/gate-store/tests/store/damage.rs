//! What a recovery finds, keeps and says.

use crate::fixture::{
    NOW, Outcome, World, all_there, answer, ask, ask_as, code, conversations, reply_text, sqlite3, text, token,
};
use gate_core::search::Words;
use gate_core::{Code, ConversationQuery, RequestStatus, SessionUuid, SnippetId, Timestamp};
use gate_store::{Depth, SearchIndex, Store};
use uuid::Uuid;

#[tokio::test]
async fn a_damaged_file_is_kept_and_the_backup_filled_up_from_it() -> Outcome {
    let world = World::new()?;
    let store = world.open_well().await?;
    let before = conversations(&store, 3).await?;
    let (old, new) = (SnippetId(Uuid::from_u128(1)), SnippetId(Uuid::from_u128(2)));
    store.save_snippet(None, old, "before the backup", "x", Timestamp(NOW)).await?;
    store.backup(&world.backups(), 5, Timestamp(NOW)).await?;
    store.save_snippet(None, new, "after the backup", "y", Timestamp(NOW + 1)).await?;
    store.use_snippet(old, Timestamp(NOW + 1)).await?;
    let later = ask(&store, "asked after the backup", NOW + 1).await?;
    store.save_draft(later.request_id, &text("typed after the backup"), Timestamp(NOW + 2)).await?;
    let answered = ask(&store, "answered after the backup", NOW + 1).await?;
    answer(&store, answered.request_id, "a late yes").await?;
    store.close().await;
    std::fs::write(world.file("search.db"), b"an index of the record")?;
    let mut bytes = std::fs::read(world.database())?;
    // A page of an index: the rows themselves can all be read.
    sqlite3(&world.database(), "PRAGMA integrity_check")?;
    let page = page_of(&world, "review_requests_pending")?;
    bytes[(page - 1) * 4096..page * 4096].fill(0);
    std::fs::write(world.database(), &bytes)?;

    let opened = world.open().await?;
    let recovery = opened.recovery.ok_or("the damage was not noticed")?;
    all_there(&opened.store, &before, "from the backup").await?;
    assert_eq!(opened.store.draft(later.request_id).await?, text("typed after the backup"), "from the damaged file");
    assert_eq!(opened.store.status(later.request_id).await?, Some(RequestStatus::Pending), "it still waits");
    assert_eq!(reply_text(&opened.store, answered.request_id).await?.as_deref(), Some("a late yes"));
    assert_eq!(opened.store.status(answered.request_id).await?, Some(RequestStatus::Answered));
    let snippets = opened.store.snippets(Timestamp(NOW + 2)).await?;
    let snippets: Vec<_> = snippets.iter().map(|snippet| (snippet.snippet_id, snippet.uses)).collect();
    assert_eq!(snippets, [(old, 1), (new, 0)], "snippets come from both, with their latest use");
    let folder = recovery.damaged.clone().ok_or("nothing was set aside")?;
    assert_eq!(std::fs::read(folder.join("review-gate.db"))?, bytes, "the damaged file is kept as it was");
    assert!(recovery.backup.is_some(), "the backup was begun with");
    assert!(recovery.salvaged >= 5, "two questions, a draft and a reply are more than in it: {recovery:?}");
    let fault = recovery.warning();
    assert_eq!(fault.code, Code::DatabaseDamaged);
    assert!(fault.mend.contains(&folder.display().to_string()), "the person finds the file: {}", fault.mend);
    assert!(!world.file("search.db").exists(), "the index was made of another record");
    opened.store.close().await;
    world.open_well().await?;
    Ok(())
}

fn page_of(world: &World, object: &str) -> Result<usize, Box<dyn std::error::Error>> {
    let statement = format!("SELECT rootpage FROM sqlite_schema WHERE name = '{object}'");
    let output = std::process::Command::new("sqlite3").arg(world.database()).arg(statement).output()?;
    Ok(String::from_utf8(output.stdout)?.trim().parse()?)
}

#[tokio::test]
async fn a_reply_that_only_the_backup_and_the_damaged_file_know_is_kept_too() -> Outcome {
    // Without the second copy: what was answered after the backup is read from the damaged file.
    let world = World::new()?;
    let store = world.open_well().await?;
    let pending = ask(&store, "pending in the backup", NOW).await?;
    store.backup(&world.backups(), 5, Timestamp(NOW)).await?;
    answer(&store, pending.request_id, "answered since").await?;
    store.close().await;
    std::fs::remove_file(world.file("replies.journal"))?;
    let page = page_of(&world, "calls_request")?;
    let mut bytes = std::fs::read(world.database())?;
    bytes[(page - 1) * 4096..page * 4096].fill(0);
    std::fs::write(world.database(), &bytes)?;
    let opened = world.open().await?;
    assert!(opened.recovery.is_some());
    assert_eq!(opened.store.status(pending.request_id).await?, Some(RequestStatus::Answered));
    assert_eq!(reply_text(&opened.store, pending.request_id).await?.as_deref(), Some("answered since"));
    Ok(())
}

#[tokio::test]
async fn a_decision_whose_words_are_lost_is_not_given_without_them() -> Outcome {
    let world = World::new()?;
    let store = world.open_well().await?;
    let asked = ask(&store, "May I delete it?", NOW).await?;
    answer(&store, asked.request_id, "Only the copy!").await?;
    store.close().await;
    std::fs::remove_file(world.file("replies.journal"))?;
    sqlite3(&world.database(), "DELETE FROM messages WHERE role = 'person'")?;
    let page = page_of(&world, "calls_request")?;
    let mut bytes = std::fs::read(world.database())?;
    bytes[(page - 1) * 4096..page * 4096].fill(0);
    std::fs::write(world.database(), &bytes)?;
    let opened = world.open().await?;
    assert_eq!(opened.store.status(asked.request_id).await?, Some(RequestStatus::Expired), "it counts as unanswered");
    assert_eq!(reply_text(&opened.store, asked.request_id).await?, None);
    Ok(())
}

#[tokio::test]
async fn a_bad_backup_is_passed_over_for_an_older_good_one() -> Outcome {
    let world = World::new()?;
    let store = world.open_well().await?;
    let replies = conversations(&store, 2).await?;
    let good = store.backup(&world.backups(), 5, Timestamp(NOW)).await?;
    let bad = store.backup(&world.backups(), 5, Timestamp(NOW + 1)).await?;
    store.close().await;
    std::fs::write(&bad.path, vec![7; 5000])?;
    std::fs::write(world.database(), b"this is not a database, it is a letter to nobody in particular")?;
    let opened = world.open().await?;
    let recovery = opened.recovery.ok_or("the damage was not noticed")?;
    assert_eq!(recovery.backup.as_ref(), Some(&good.path));
    all_there(&opened.store, &replies, "from the older backup").await
}

#[tokio::test]
async fn a_record_that_is_gone_comes_back_from_its_backup() -> Outcome {
    for empty in [true, false] {
        let world = World::new()?;
        let store = world.open_well().await?;
        let replies = conversations(&store, 2).await?;
        store.backup(&world.backups(), 5, Timestamp(NOW)).await?;
        store.close().await;
        if empty {
            std::fs::write(world.database(), [])?
        } else {
            std::fs::remove_file(world.database())?
        }
        let opened = world.open().await?;
        assert!(opened.recovery.is_some(), "the person is told");
        all_there(&opened.store, &replies, "from the backup").await?;
    }
    Ok(())
}

#[tokio::test]
async fn backups_that_cannot_be_read_keep_no_record_from_opening() -> Outcome {
    let world = World::new()?;
    std::fs::write(world.backups(), b"a file where a folder should be")?;
    let store = world.open_well().await?;
    let replies = conversations(&store, 2).await?;
    store.close().await;
    std::fs::write(world.database(), b"damaged")?;
    let opened = world.open().await?;
    assert_eq!(opened.recovery.map(|recovery| recovery.replies), Some(2));
    all_there(&opened.store, &replies, "from the second copy").await
}

#[tokio::test]
async fn a_recovery_that_was_cut_short_is_finished_or_begun_again() -> Outcome {
    let world = World::new()?;
    let store = world.open_well().await?;
    let replies = conversations(&store, 2).await?;
    store.close().await;
    let sound = std::fs::read(world.database())?;
    // Begun: the present file is still there, and the new one isn't complete.
    std::fs::write(world.file("review-gate.db.recovering"), &sound[..5000])?;
    let store = world.open_well().await?;
    all_there(&store, &replies, "begun").await?;
    store.close().await;
    // Complete: it takes the place of a damaged file that wasn't moved yet, or that was.
    for moved in [false, true] {
        std::fs::write(world.file("review-gate.db.recovered"), &sound)?;
        if moved {
            std::fs::remove_file(world.database())?;
            std::fs::write(world.file("review-gate.db-wal"), b"left behind")?;
        } else {
            std::fs::write(world.database(), b"damaged")?;
        }
        let store = world.open_well().await?;
        all_there(&store, &replies, "finished").await?;
        store.close().await;
        assert!(!world.file("review-gate.db.recovered").exists());
    }
    Ok(())
}

#[tokio::test]
async fn damage_that_is_found_in_use_is_mended_at_the_next_start() -> Outcome {
    let world = World::new()?;
    let store = world.open_well().await?;
    let replies = conversations(&store, 4).await?;
    store.check_soundness(Depth::Thorough).await?;
    // An index that lacks a row, which appears while the record is in use: nothing that a quick check
    // sees.
    sqlite3(
        &world.database(),
        "PRAGMA writable_schema = ON;
         UPDATE sqlite_schema SET sql = sql || ' AND 0' WHERE name = 'review_requests_question';",
    )?;
    sqlite3(&world.database(), "REINDEX review_requests_question")?;
    sqlite3(
        &world.database(),
        "PRAGMA writable_schema = ON;
         UPDATE sqlite_schema SET sql = replace(sql, ' AND 0', '') WHERE name = 'review_requests_question';",
    )?;
    store.check_soundness(Depth::Quick).await?;
    assert_eq!(code(store.check_soundness(Depth::Thorough).await), Some(Code::DatabaseDamaged));
    store.close().await;
    let opened = world.open().await?;
    assert!(opened.recovery.is_some(), "the next start knows of it");
    all_there(&opened.store, &replies, "mended").await?;
    opened.store.check_soundness(Depth::Thorough).await?;
    opened.store.mark_damaged("a false alarm").await?;
    opened.store.close().await;
    world.open_well().await?;
    assert!(!world.file("damaged.marker").exists(), "a sound record is not put together again");
    Ok(())
}

#[tokio::test]
async fn a_newer_schema_is_untouched_whatever_lies_beside_it() -> Outcome {
    let world = World::new()?;
    let store = world.open_well().await?;
    let asked = ask(&store, "May I?", NOW).await?;
    answer(&store, asked.request_id, "yes").await?;
    store.backup(&world.backups(), 3, Timestamp(NOW)).await?;
    store.close().await;
    sqlite3(
        &world.database(),
        "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
         VALUES (99991231235959, 'later', 1, x'00', 0)",
    )?;
    std::fs::write(world.file("damaged.marker"), b"")?;
    let before = std::fs::read(world.database())?;
    assert_eq!(code(world.open().await), Some(Code::DatabaseNewer));
    assert_eq!(std::fs::read(world.database())?, before, "not a byte was changed");
    assert_eq!(world.set_aside("damaged").len(), 0, "nothing was moved");
    Ok(())
}

#[tokio::test]
async fn without_backups_and_second_copy_the_rows_that_can_be_read_are_kept() -> Outcome {
    let world = World::new()?;
    let store = world.open_well().await?;
    let mut asked = Vec::new();
    for number in 0..60 {
        let message = format!("{0}mark {number} {0}", "long ".repeat(150));
        let client = token(&format!("test {}", number % 2));
        asked.push(ask_as(&store, client, SessionUuid(Uuid::now_v7()), &message, NOW).await?.request_id);
    }
    store.close().await;
    let mut bytes = std::fs::read(world.database())?;
    // One page in the middle of the messages.
    let place = bytes.windows(8).position(|window| window == b"mark 30 ").ok_or("the message isn't there")?;
    let page = place / 4096;
    bytes[page * 4096..(page + 1) * 4096].fill(0xA5);
    std::fs::write(world.database(), &bytes)?;
    let opened = Store::open(&world.options()).await?;
    let recovery = opened.recovery.ok_or("the damage was not noticed")?;
    assert_eq!(recovery.backup, None);
    let left = opened.store.pending().await?;
    assert!(left.len() >= 50, "only what stood on the page is lost: {} of 60", left.len());
    assert!(left.iter().any(|request| request.request_id == asked[0]), "what stands before it is there");
    assert!(left.iter().any(|request| request.request_id == asked[59]), "and what stands behind it");
    let closed = opened.store.pending_count().await?;
    assert_eq!(closed, left.len(), "a question without its text doesn't wait for ever");
    Ok(())
}

#[tokio::test]
async fn what_was_deleted_since_the_backup_stays_deleted() -> Outcome {
    let world = World::new()?;
    let store = world.open_well().await?;
    let (gone, kept) = (ask(&store, "gone", NOW).await?, ask(&store, "kept", NOW).await?);
    for asked in [&gone, &kept] {
        answer(&store, asked.request_id, "yes").await?;
    }
    store.backup(&world.backups(), 5, Timestamp(NOW)).await?;
    store.delete_conversation(gone.session_uuid).await?;
    store.close().await;
    let mut bytes = std::fs::read(world.database())?;
    bytes.iter_mut().skip(4096).for_each(|byte| *byte ^= 0x5a);
    std::fs::write(world.database(), &bytes)?;
    let store = world.open().await?.store;
    assert!(store.session_exists(kept.session_uuid).await?, "the backup was begun with");
    assert!(!store.session_exists(gone.session_uuid).await?, "but not with what the person has deleted");
    Ok(())
}

#[tokio::test]
async fn a_damaged_index_is_made_anew_and_never_taken_for_a_damaged_record() -> Outcome {
    let world = World::new()?;
    let store = world.open_well().await?;
    ask(&store, "Shall I retry webhook deliveries?", NOW).await?;
    let file = world.file("search.db");
    let index = SearchIndex::open(&store, &file).await?;
    assert_eq!(index.catch_up().await?, 0);
    index.close().await;
    let statement = "SELECT rootpage FROM sqlite_schema WHERE name = 'words_0_data'";
    let output = std::process::Command::new("sqlite3").arg(&file).arg(statement).output()?;
    let page: usize = String::from_utf8(output.stdout)?.trim().parse()?;
    let mut bytes = std::fs::read(&file)?;
    bytes[(page - 1) * 4096..page * 4096].fill(0xee);
    std::fs::write(&file, bytes)?;

    let index = SearchIndex::open(&store, &file).await?;
    let words = Words::parse("webhook")?.ok_or("words")?;
    let everything = ConversationQuery::default();
    let found = || index.find(&words, &everything, None);
    assert_eq!(found().await?.items.len(), 0, "the first look finds the damage");
    assert_eq!(index.missing().await?, 1, "and has begun anew");
    assert_eq!(index.catch_up().await?, 0);
    assert_eq!(found().await?.items.len(), 1, "then it finds what it found before");
    assert!(!world.file("damaged.marker").exists(), "nothing is wrong with the record");
    Ok(())
}
