//! Records of every released schema, with data in them, opened by this program.

use std::borrow::Cow;
use std::path::Path;

use crate::fixture::{NOW, Outcome, World, answer, ask, reply_text, sqlite3};
use gate_core::{Absence, RequestId, Timestamp};
use gate_store::{list_backups, restore_backup};
use sqlx::migrate::Migrator;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _};

pub(crate) static ALL: Migrator = sqlx::migrate!("../../../migrations");

/// What was said, in the words of the first schema: an answered question and one that waits.
const SAID: &str = "
    INSERT INTO conversations VALUES
        ('01900000-0000-7000-8000-000000000001', 'cursor', '2', '/w', 'active', 1000, 3000),
        ('01900000-0000-7000-8000-000000000002', 'codex', '1', '/x', 'stale', 2000, 2000);
    INSERT INTO review_requests (request_id, session_uuid, status, title, urgent, options, allow_multiple, approval,
                                 created_at, closed_at) VALUES
        ('01900000-0000-7000-8000-00000000000a', '01900000-0000-7000-8000-000000000001', 'answered', 'A headline', 0,
         '[{\"label\":\"a\"}]', 0, 1, 1000, 3000),
        ('01900000-0000-7000-8000-00000000000b', '01900000-0000-7000-8000-000000000002', 'pending', NULL, 0,
         '[]', 0, 0, 2000, NULL);
    INSERT INTO messages (session_uuid, request_id, role, body, created_at) VALUES
        ('01900000-0000-7000-8000-000000000001', '01900000-0000-7000-8000-00000000000a', 'agent', 'May I?', 1000),
        ('01900000-0000-7000-8000-000000000002', '01900000-0000-7000-8000-00000000000b', 'agent', '## And I?', 2000),
        ('01900000-0000-7000-8000-000000000001', '01900000-0000-7000-8000-00000000000a', 'person', 'Yes – do.', 3000);
    INSERT INTO calls (call_key, request_id, created_at) VALUES ('r:1', '01900000-0000-7000-8000-00000000000b', 2000);
    INSERT INTO drafts VALUES ('01900000-0000-7000-8000-00000000000b',
        '{\"text\":\"half a\",\"selected\":[],\"comments\":[],\"attachments\":[]}', 2500);
    INSERT INTO replies (request_id, decision, selected, comments, answered_at, answered_from, delivered_at) VALUES
        ('01900000-0000-7000-8000-00000000000a', 'approved', '[\"a\"]', '[]', 3000, 'desktop', NULL);
";

/// A record as the program of the first `count` migrations left it.
async fn released(path: &Path, count: usize) -> Outcome {
    let migrations: Vec<_> = ALL.iter().take(count).cloned().collect();
    let earlier = Migrator { migrations: Cow::Owned(migrations), ..Migrator::DEFAULT };
    let mut connection = SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(true)
        .journal_mode(sqlx::sqlite::SqliteJournalMode::Wal)
        .connect()
        .await?;
    earlier.run(&mut connection).await?;
    // The first schema's rows have as many columns in every later one.
    let said = if count == 1 { SAID.to_owned() } else { SAID.replacen("conversations VALUES", COLUMNS, 1) };
    sqlx::raw_sql(sqlx::AssertSqlSafe(said)).execute(&mut connection).await?;
    if count >= TITLED {
        sqlx::raw_sql(TITLES).execute(&mut connection).await?;
    }
    connection.close().await?;
    Ok(())
}

/// From this migration on, conversations have titles, which their programs wrote.
const TITLED: usize = 3;
const TITLES: &str = "
    UPDATE conversations SET title = iif(client = 'cursor', 'A headline', 'And I?');
";

const COLUMNS: &str =
    "conversations (session_uuid, client, client_version, workspace, status, created_at, updated_at) VALUES";

#[tokio::test]
async fn a_record_of_every_released_schema_opens_with_all_that_is_in_it() -> Outcome {
    let answered: RequestId = "01900000-0000-7000-8000-00000000000a".parse()?;
    let waiting: RequestId = "01900000-0000-7000-8000-00000000000b".parse()?;
    for count in 1..ALL.iter().count() {
        let world = World::new()?;
        released(&world.database(), count).await?;
        let store = world.open_well().await?;
        let standing = store.standing(answered).await?.ok_or("the request is gone")?;
        assert!(!standing.delivered, "after {count} migrations: no agent has it yet");
        assert_eq!(reply_text(&store, answered).await?.as_deref(), Some("Yes – do."));
        let pending = store.pending().await?;
        assert_eq!(pending.iter().map(|request| request.request_id).collect::<Vec<_>>(), [waiting]);
        assert_eq!(store.draft(waiting).await?.text, "half a");
        assert_eq!(store.request_of_call("r:1").await?, Some(waiting));
        assert_eq!(store.absence().await?, Absence::default(), "after {count} migrations: the person is there");
        assert_eq!((store.snoozed().await?.len(), store.undelivered_notes().await?.len()), (0, 0));
        answer(&store, waiting, "You too").await?;
        let asked = ask(&store, "The schema takes new ones", NOW).await?;
        answer(&store, asked.request_id, "good").await?;
        store.close().await;
        let found = std::process::Command::new("sqlite3")
            .arg(world.database())
            .arg("SELECT title, messages FROM conversations WHERE created_at < 5000 ORDER BY created_at")
            .output()?;
        let found = String::from_utf8(found.stdout)?;
        assert_eq!(found, "A headline|2\nAnd I?|2\n", "after {count} migrations: titles and counts are filled in");

        let backups = list_backups(&world.backups()).await?;
        assert_eq!(backups.len(), 1, "what was there before the migration is kept: {backups:?}");
        let backup = &backups[0];
        assert!(backup.schema < backup.before, "it has the old schema: {backup:?}");
        restore_backup(&world.database(), &backup.path, Timestamp(NOW)).await?;
        let store = world.open_well().await?;
        assert_eq!(store.pending().await?.len(), 1, "it can be gone back to, and opened anew");
    }
    Ok(())
}

#[tokio::test]
async fn three_backups_from_before_migrations_are_kept_and_dont_count_as_rolling() -> Outcome {
    let world = World::new()?;
    for round in 0..5 {
        std::fs::remove_file(world.database()).ok();
        std::fs::remove_file(world.file("replies.journal")).ok();
        released(&world.database(), 1).await?;
        let options = gate_store::OpenOptions { now: Timestamp(NOW + round), ..world.options() };
        let store = gate_store::Store::open(&options).await?.store;
        store.backup(&world.backups(), 1, Timestamp(NOW + 100 + round)).await?;
        store.close().await;
    }
    let backups = list_backups(&world.backups()).await?;
    let before: Vec<_> = backups.iter().filter(|backup| backup.before.is_some()).collect();
    assert_eq!((backups.len(), before.len()), (4, 3));
    assert!(before.iter().all(|backup| backup.made.as_str() >= "20261121T034921127Z"), "the newest: {before:?}");
    Ok(())
}

#[tokio::test]
async fn a_damaged_record_of_an_old_schema_is_put_together_in_the_new_one() -> Outcome {
    let world = World::new()?;
    released(&world.database(), 1).await?;
    sqlite3(&world.database(), "PRAGMA wal_checkpoint(TRUNCATE)")?;
    let mut bytes = std::fs::read(world.database())?;
    let last = bytes.len() - 4096;
    bytes[last..].fill(0xA5);
    std::fs::write(world.database(), &bytes)?;
    let opened = world.open().await?;
    assert!(opened.recovery.is_some(), "the damage was noticed");
    let answered: RequestId = "01900000-0000-7000-8000-00000000000a".parse()?;
    assert_eq!(reply_text(&opened.store, answered).await?.as_deref(), Some("Yes – do."));
    Ok(())
}
