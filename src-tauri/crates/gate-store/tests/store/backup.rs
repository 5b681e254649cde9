//! Backups: made while the record is in use, few, and good for a restore.

use std::os::unix::fs::PermissionsExt as _;

use crate::fixture::{NOW, Outcome, World, all_there, answer, ask, code, conversations, reply_text, sqlite3};
use crate::migration::ALL;
use gate_core::{Code, Digest, Reply, RequestId, Timestamp};
use gate_store::{ReceiptsKnown, list_backups, restore_backup};
use uuid::Uuid;

#[tokio::test]
async fn backups_are_private_named_by_their_moment_and_few() -> Outcome {
    let world = World::new()?;
    let store = world.open_well().await?;
    conversations(&store, 2).await?;
    let first = store.backup(&world.backups(), 3, Timestamp(NOW)).await?;
    assert_eq!(first.path, world.backups().join("review-gate-20261121T034921125Z.db"));
    assert_eq!(std::fs::metadata(&first.path)?.permissions().mode() & 0o777, 0o600, "nobody else reads it");
    assert_eq!(std::fs::metadata(&first.path)?.len(), first.bytes);
    std::fs::write(world.backups().join("notes.txt"), b"somebody's own")?;
    for later in 1..5 {
        store.backup(&world.backups(), 3, Timestamp(NOW + later)).await?;
    }
    let listed = list_backups(&world.backups()).await?;
    let made: Vec<_> = listed.iter().map(|backup| backup.made.as_str()).collect();
    assert_eq!(made, ["20261121T034921129Z", "20261121T034921128Z", "20261121T034921127Z"], "the newest are kept");
    let newest = ALL.iter().map(|migration| migration.version).max();
    assert!(listed.iter().all(|backup| backup.schema == newest && backup.before.is_none()));
    assert!(world.backups().join("notes.txt").exists(), "what isn't a backup isn't touched");
    store.backup(&world.backups(), 0, Timestamp(NOW + 9)).await?;
    assert_eq!(list_backups(&world.backups()).await?.len(), 4, "where none are to be kept by number, none goes");
    let left: Vec<_> = std::fs::read_dir(world.backups())?.filter_map(Result::ok).collect();
    assert_eq!(left.len(), 5, "nothing unfinished is left: {left:?}");
    Ok(())
}

#[tokio::test]
async fn a_backup_makes_the_second_copy_needless() -> Outcome {
    let world = World::new()?;
    let store = world.open_well().await?;
    conversations(&store, 3).await?;
    assert!(std::fs::metadata(world.file("replies.journal"))?.len() > 0);
    store.backup(&world.backups(), 3, Timestamp(NOW)).await?;
    assert_eq!(std::fs::metadata(world.file("replies.journal"))?.len(), 0, "the backup holds it all");
    let asked = ask(&store, "and then?", NOW).await?;
    answer(&store, asked.request_id, "go on").await?;
    assert!(std::fs::metadata(world.file("replies.journal"))?.len() > 0, "it goes on");
    Ok(())
}

#[tokio::test]
async fn a_record_that_lost_a_reply_makes_no_backup_and_keeps_its_second_copy() -> Outcome {
    let world = World::new()?;
    let store = world.open_well().await?;
    let replies = conversations(&store, 3).await?;
    let journal = std::fs::read(world.file("replies.journal"))?;
    sqlite3(&world.database(), "UPDATE messages SET body = 'changed' WHERE role = 'person'")?;
    assert_eq!(code(store.backup(&world.backups(), 3, Timestamp(NOW)).await), Some(Code::DatabaseDamaged));
    assert_eq!(list_backups(&world.backups()).await?, []);
    assert_eq!(std::fs::read(world.file("replies.journal"))?, journal);
    store.close().await;
    let opened = world.open().await?;
    all_there(&opened.store, &replies, "put back at the next start").await
}

#[tokio::test]
async fn writers_go_on_while_a_backup_is_made() -> Outcome {
    let world = World::new()?;
    let store = world.open_well().await?;
    conversations(&store, 20).await?;
    let backup = tokio::spawn({
        let (store, folder) = (store.clone(), world.backups());
        async move { store.backup(&folder, 3, Timestamp(NOW)).await }
    });
    let mut given = Vec::new();
    for number in 0..20 {
        let asked = ask(&store, "meanwhile", NOW).await?;
        given.push((asked.request_id, answer(&store, asked.request_id, &format!("reply {number}")).await?));
    }
    backup.await??;
    store.close().await;
    // Backup and second copy together hold every reply, whichever side of the backup it fell on.
    std::fs::remove_file(world.database())?;
    let opened = world.open().await?;
    all_there(&opened.store, &given, "from the backup or the second copy").await
}

#[tokio::test]
async fn a_backup_takes_the_records_place_which_is_set_aside() -> Outcome {
    let world = World::new()?;
    let store = world.open_well().await?;
    let early = conversations(&store, 3).await?;
    let backup = store.backup(&world.backups(), 3, Timestamp(NOW)).await?;
    let late = ask(&store, "after the backup", NOW).await?;
    answer(&store, late.request_id, "late").await?;
    store.close().await;
    std::fs::write(world.file("search.db"), b"an index")?;
    let replaced = std::fs::read(world.database())?;
    let made = restore_backup(&world.database(), &backup.path, Timestamp(NOW + 1000)).await?;
    let folder = made.set_aside.ok_or("the present record is gone")?;
    assert_eq!(std::fs::read(folder.join("review-gate.db"))?, replaced, "it can be gone back to");
    assert!(folder.join("replies.journal").exists(), "its second copy went with it");
    assert!(!world.file("search.db").exists(), "the index was another record's");
    let store = world.open_well().await?;
    let history = |(request, reply)| (request, Reply { imported_at: Some(Timestamp(NOW + 1000)), ..reply });
    let early: Vec<_> = early.into_iter().map(history).collect();
    all_there(&store, &early, "from the backup, as history").await?;
    for (request, _) in &early {
        let standing = store.standing(*request).await?.ok_or("the request is gone")?;
        assert!(standing.delivered, "no agent gets what came from a backup");
    }
    assert_eq!(store.status(late.request_id).await?, None, "what came later isn't brought back behind one's back");
    store.close().await;
    restore_backup(&world.database(), &folder.join("review-gate.db"), Timestamp(NOW + 2000)).await?;
    let store = world.open_well().await?;
    assert_eq!(reply_text(&store, late.request_id).await?.as_deref(), Some("late"), "and back again");
    Ok(())
}

#[tokio::test]
async fn a_restored_record_knows_of_the_receipts_what_the_one_before_it_did() -> Outcome {
    let world = World::new()?;
    let store = world.open_well().await?;
    let head = |seq: u64| (seq, Digest::of_bytes(&seq.to_be_bytes()));
    let mut known = ReceiptsKnown { home: Uuid::from_u128(1), began: Timestamp(NOW), heads: vec![head(1)] };
    store.remember_receipts(&known, &[]).await?;
    let backup = store.backup(&world.backups(), 3, Timestamp(NOW)).await?;
    known.heads.insert(0, head(2));
    store.remember_receipts(&known, &[]).await?;
    store.close().await;
    restore_backup(&world.database(), &backup.path, Timestamp(NOW + 1000)).await?;
    let store = world.open_well().await?;
    assert_eq!(store.receipts_known().await?, Some(known), "the log goes on, and can't be cut back to the backup");
    store.close().await;

    std::fs::write(world.database(), b"what it knew can't be read any more, and stands in nobody's way")?;
    restore_backup(&world.database(), &backup.path, Timestamp(NOW + 2000)).await?;
    let heads = world.open_well().await?.receipts_known().await?.map(|known| known.heads);
    assert_eq!(heads, Some(vec![head(1)]), "what the backup knows is better than nothing");
    Ok(())
}

#[tokio::test]
async fn what_is_no_sound_record_is_refused_and_nothing_changes() -> Outcome {
    let world = World::new()?;
    let store = world.open_well().await?;
    let replies = conversations(&store, 3).await?;
    let good = store.backup(&world.backups(), 3, Timestamp(NOW)).await?;
    store.close().await;
    let before = std::fs::read(world.database())?;
    let bad = |name: &str| world.file(name);
    std::fs::write(bad("letter"), b"this is not a database, it is a letter to nobody in particular")?;
    let mut damaged = std::fs::read(&good.path)?;
    damaged[4096..].chunks_mut(4096).step_by(2).for_each(|page| page.fill(0xA5));
    std::fs::write(bad("damaged"), &damaged)?;
    std::fs::write(bad("empty"), b"")?;
    sqlite3(&bad("foreign"), "CREATE TABLE somebody (elses TEXT)")?;
    std::fs::copy(&good.path, bad("newer"))?;
    sqlite3(
        &bad("newer"),
        "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
         VALUES (99991231235959, 'later', 1, x'00', 0)",
    )?;
    for (name, wanted) in [
        ("letter", Code::UnreadableFile),
        ("damaged", Code::UnreadableFile),
        ("empty", Code::UnreadableFile),
        ("missing", Code::UnreadableFile),
        ("foreign", Code::UnreadableFile),
        ("newer", Code::DatabaseNewer),
    ] {
        let refused = restore_backup(&world.database(), &bad(name), Timestamp(NOW)).await;
        assert_eq!(code(refused), Some(wanted), "{name}");
        assert_eq!(std::fs::read(world.database())?, before, "{name}: the record is as it was");
        assert!(!world.file("review-gate.db.restoring").exists(), "{name}: nothing is left lying about");
    }
    let store = world.open_well().await?;
    all_there(&store, &replies, "untouched").await?;
    assert_eq!(store.status(RequestId(Uuid::nil())).await?, None);
    Ok(())
}

#[tokio::test]
async fn a_folder_that_cannot_be_written_is_named() -> Outcome {
    let world = World::new()?;
    let store = world.open_well().await?;
    std::fs::write(world.file("a-file"), b"")?;
    let folder = world.file("a-file").join("backups");
    let error = store.backup(&folder, 3, Timestamp(NOW)).await.err().map(|error| error.to_string());
    assert!(error.is_some_and(|error| error.contains("a-file")), "the person has to know which folder");
    Ok(())
}
