//! Bytes that changed, and files that were cut: at many places, by a fixed plan, and at more in a campaign.

use crate::fixture::{NOW, Numbers, Outcome, World, all_there, campaign, conversations};
use crate::shared_campaign::tells;
use gate_core::{Reply, RequestId, Timestamp};
use gate_store::JOURNAL_BYTES;

/// The files of a record, as they were at a moment.
struct Files {
    database: Vec<u8>,
    wal: Vec<u8>,
    journal: Vec<u8>,
    replies: Vec<(RequestId, Reply)>,
}

impl Files {
    /// A record with replies; `folded` where its write-ahead log was folded into the file.
    async fn make(folded: bool) -> Result<Self, Box<dyn std::error::Error>> {
        let world = World::new()?;
        let store = world.open_well().await?;
        let replies = conversations(&store, 10).await?;
        if folded {
            store.close().await;
        }
        let read = |name: &str| std::fs::read(world.file(name)).unwrap_or_default();
        let (database, wal, journal) = (read("review-gate.db"), read("review-gate.db-wal"), read("replies.journal"));
        assert!(journal.len() > 1000 && (journal.len() as u64) < JOURNAL_BYTES, "the second copy is written");
        store.close().await;
        Ok(Self { database, wal, journal, replies })
    }

    /// Puts the files, with their damage, into a folder, opens that, and looks for every reply.
    /// Returns whether there was something to mend.
    async fn survive(&self, database: &[u8], wal: &[u8], what: &str) -> Result<bool, Box<dyn std::error::Error>> {
        let world = World::new()?;
        std::fs::write(world.database(), database)?;
        if !wal.is_empty() {
            std::fs::write(world.file("review-gate.db-wal"), wal)?;
        }
        std::fs::write(world.file("replies.journal"), &self.journal)?;
        let opened = world.open().await.map_err(|error| format!("{what}: the record doesn't open: {error}"))?;
        all_there(&opened.store, &self.replies, what).await?;
        opened.store.pending().await.map_err(|error| format!("{what}: the list can't be read: {error}"))?;
        opened.store.close().await;
        if opened.recovery.is_some() {
            let again = world.open().await.map_err(|error| format!("{what}: nor again: {error}"))?;
            assert_eq!(again.recovery, None, "{what}: once mended, it stays mended");
            again.store.close().await;
        }
        Ok(opened.recovery.is_some())
    }
}

#[tokio::test]
async fn no_changed_byte_of_the_database_costs_a_reply() -> Outcome {
    let files = Files::make(true).await?;
    assert!(files.wal.is_empty(), "everything is in the one file");
    let mut numbers = Numbers(0x5EED);
    let (rounds, at_least) = campaign((150, 20), (40, 1));
    tells(format!("{rounds} records with changed bytes"));
    let mut mended = 0;
    for round in 0..rounds {
        let mut database = files.database.clone();
        let mut places = Vec::new();
        // The header and the schema are small and matter most: every third change hits them.
        let within = if round % 3 == 0 { 4096 } else { database.len() };
        for _ in 0..=round % 3 {
            let place = numbers.below(within);
            database[place] ^= 1 << numbers.below(8);
            places.push(place);
        }
        mended += usize::from(files.survive(&database, &[], &format!("bytes {places:?} changed")).await?);
    }
    assert!((at_least..rounds).contains(&mended), "some changes matter, and some don't: {mended}");
    Ok(())
}

#[tokio::test]
async fn no_overwritten_page_of_the_database_costs_a_reply() -> Outcome {
    let files = Files::make(true).await?;
    let pages: Vec<_> = (0..files.database.len() / 4096).step_by(campaign(2, 8)).collect();
    tells(format!("{} records with an overwritten page", pages.len()));
    for page in pages {
        let mut database = files.database.clone();
        database[page * 4096..(page + 1) * 4096].fill(0xA5);
        files.survive(&database, &[], &format!("page {page} overwritten")).await?;
    }
    Ok(())
}

#[tokio::test]
async fn no_overwritten_page_costs_a_reply_that_only_the_backup_has() -> Outcome {
    let made = World::new()?;
    let store = made.open_well().await?;
    let replies = conversations(&store, 8).await?;
    let backup = store.backup(&made.backups(), 1, Timestamp(NOW)).await?;
    store.close().await;
    assert_eq!(std::fs::read(made.file("replies.journal"))?, b"", "the second copy is gone");
    let sound = std::fs::read(made.database())?;
    let pages: Vec<_> = (0..sound.len() / 4096).step_by(campaign(3, 9)).collect();
    tells(format!("{} records with an overwritten page", pages.len()));
    for page in pages {
        let mut database = sound.clone();
        database[page * 4096..(page + 1) * 4096].fill(0xA5);
        let world = World::new()?;
        std::fs::create_dir(world.backups())?;
        std::fs::copy(&backup.path, world.backups().join(backup.path.file_name().unwrap_or_default()))?;
        std::fs::write(world.database(), &database)?;
        let opened = world.open().await?;
        all_there(&opened.store, &replies, &format!("page {page} overwritten")).await?;
    }
    Ok(())
}

#[tokio::test]
async fn no_changed_byte_of_the_write_ahead_log_costs_a_reply() -> Outcome {
    let files = Files::make(false).await?;
    assert!(files.wal.len() > 100_000, "most of the record is in the log: {}", files.wal.len());
    let mut numbers = Numbers(0xFEED);
    let (rounds, more_than) = campaign((40, 10), (12, 2));
    tells(format!("{rounds} logs with a changed byte"));
    let mut mended = 0;
    for _ in 0..rounds {
        let mut wal = files.wal.clone();
        let place = numbers.below(wal.len());
        wal[place] ^= 1 << numbers.below(8);
        mended += usize::from(files.survive(&files.database, &wal, &format!("byte {place} of the log changed")).await?);
    }
    assert!(mended > more_than, "what the log loses is put back, and that is told: {mended}");
    Ok(())
}

#[tokio::test]
async fn no_cut_of_a_file_costs_a_reply() -> Outcome {
    let folded = Files::make(true).await?;
    let whole = folded.database.len();
    for length in [0, 1, 15, 100, 511, 4095, 4096, 8192, whole / 2, whole / 2 / 4096 * 4096, whole - 4096, whole - 1] {
        let what = format!("cut to {length} of {whole} bytes");
        let mended = folded.survive(&folded.database[..length], &[], &what).await?;
        // The last byte of the last page is a zero, and a missing one is read as one.
        assert!(mended || length == whole - 1, "{what}: the person is told");
    }
    let open = Files::make(false).await?;
    let whole = open.wal.len();
    for length in [0, 1, 31, 32, 5000, whole / 3, whole / 2, whole - 4000, whole - 1] {
        open.survive(&open.database, &open.wal[..length], &format!("log cut to {length} of {whole} bytes")).await?;
    }
    Ok(())
}
