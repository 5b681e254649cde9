//! What `review-gate check` is told.

use crate::fixture::{NOW, Outcome, World, answer, ask, code, conversations, sqlite3};
use gate_core::{Code, Timestamp};
use gate_store::{JournalMode, SchemaStanding, check};

#[tokio::test]
async fn a_sound_record_is_counted_while_it_is_in_use() -> Outcome {
    let world = World::new()?;
    let store = world.open_well().await?;
    conversations(&store, 4).await?;
    store.backup(&world.backups(), 2, Timestamp(NOW)).await?;
    let asked = ask(&store, "May I?", NOW).await?;
    answer(&store, asked.request_id, "yes").await?;
    let report = check(&world.database(), &world.backups()).await?;
    assert!(report.is_sound(), "{report:?}");
    assert_eq!(report.schema.standing, SchemaStanding::Current);
    assert_eq!(report.journal_mode, JournalMode::Wal);
    let counts = report.counts.ok_or("nothing was counted")?;
    assert_eq!((counts.conversations, counts.requests, counts.pending), (6, 6, 1));
    assert_eq!((counts.messages, counts.replies, counts.attachments), (11, 5, 1));
    assert_eq!((report.journal.good, report.journal.bad, report.journal.missing), (1, 0, Some(0)));
    assert_eq!(report.backups.len(), 1);
    assert_eq!(report.backups[0].problem, None);
    assert!(report.sizes.wal > 0 && report.sizes.file > 0);
    let json = serde_json::to_value(&report)?;
    assert_eq!(json["schema"]["standing"], "current", "a script can read it");
    assert_eq!(json["backups"][0]["problem"], serde_json::Value::Null);
    Ok(())
}

#[tokio::test]
async fn what_is_wrong_is_named_and_nothing_is_changed() -> Outcome {
    let world = World::new()?;
    let store = world.open_well().await?;
    conversations(&store, 4).await?;
    let bad = store.backup(&world.backups(), 2, Timestamp(NOW)).await?;
    let asked = ask(&store, "May I?", NOW).await?;
    answer(&store, asked.request_id, "yes").await?;
    store.close().await;
    std::fs::write(&bad.path, vec![1; 9000])?;
    sqlite3(
        &world.database(),
        "PRAGMA foreign_keys = OFF; DELETE FROM replies WHERE rowid = 5;
         UPDATE messages SET session_uuid = 'nobody' WHERE message_id = 1;",
    )?;
    let before = std::fs::read(world.database())?;
    let report = check(&world.database(), &world.backups()).await?;
    assert!(!report.is_sound());
    assert_eq!(report.references, ["row 1 of messages refers to a row of conversations that isn't there"]);
    assert_eq!(report.journal.missing, Some(1), "the second copy has it");
    assert!(report.backups[0].problem.is_some(), "the backup is of no use");
    assert_eq!(std::fs::read(world.database())?, before);

    std::fs::write(world.database(), b"this is not a database, it is a letter to nobody in particular")?;
    let report = check(&world.database(), &world.backups()).await?;
    assert!(!report.integrity.is_empty() && report.counts.is_none(), "{report:?}");
    assert_eq!(report.schema.standing, SchemaStanding::Unreadable);
    std::fs::remove_file(world.database())?;
    assert_eq!(code(check(&world.database(), &world.backups()).await), Some(Code::UnreadableFile));
    Ok(())
}

#[tokio::test]
async fn a_newer_record_is_told_apart_from_a_damaged_one() -> Outcome {
    let world = World::new()?;
    world.open_well().await?.close().await;
    sqlite3(
        &world.database(),
        "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
         VALUES (99991231235959, 'later', 1, x'00', 0)",
    )?;
    let report = check(&world.database(), &world.backups()).await?;
    assert_eq!((report.schema.standing, report.schema.found), (SchemaStanding::Newer, Some(99_991_231_235_959)));
    assert_eq!(report.integrity, Vec::<String>::new());
    Ok(())
}
