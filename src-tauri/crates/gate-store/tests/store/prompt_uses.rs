//! Uses of prompts: many share a transaction, and nobody who reads them sees that.

use gate_core::{Timestamp, bounds};
use gate_store::{Store, StoreError};
use sqlx::ConnectOptions as _;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};

use crate::fixture::{Outcome, World};

/// Somebody else who has the database open, and sees when something was committed.
struct Onlooker {
    connection: SqliteConnection,
    seen: i64,
}

impl Onlooker {
    async fn of(world: &World) -> Result<Self, sqlx::Error> {
        let connection = SqliteConnectOptions::new().filename(world.database()).connect().await?;
        let mut onlooker = Self { connection, seen: 0 };
        onlooker.sees_a_commit().await?;
        Ok(onlooker)
    }

    /// Whether something was committed since this was asked last (SQLite's `data_version`).
    async fn sees_a_commit(&mut self) -> Result<bool, sqlx::Error> {
        let now: i64 = sqlx::query_scalar("PRAGMA data_version").fetch_one(&mut self.connection).await?;
        Ok(std::mem::replace(&mut self.seen, now) != now)
    }
}

async fn used(store: &Store, at: usize) -> Result<(), StoreError> {
    store.use_prompt("code_review", "codex", "/work", &[], Timestamp(i64::try_from(at).unwrap_or(i64::MAX))).await
}

async fn uses(store: &Store) -> Result<u32, StoreError> {
    Ok(store.prompt_counts().await?.get("code_review").map_or(0, |count| count.uses))
}

#[tokio::test]
async fn a_burst_is_written_together_and_whoever_reads_misses_none() -> Outcome {
    let world = World::new()?;
    let store = world.open_well().await?;
    let mut onlooker = Onlooker::of(&world).await?;
    for at in 1..bounds::PROMPT_USES_WAITING {
        used(&store, at).await?;
        assert!(!onlooker.sees_a_commit().await?, "use {at} waits for others");
    }
    let waiting = u32::try_from(bounds::PROMPT_USES_WAITING)? - 1;
    assert_eq!(uses(&store).await?, waiting, "but not for whoever reads");
    assert!(onlooker.sees_a_commit().await?, "for that they are written");
    assert_eq!((uses(&store).await?, onlooker.sees_a_commit().await?), (waiting, false), "once");

    for at in 1..=bounds::PROMPT_USES_WAITING {
        used(&store, at).await?;
        assert_eq!(onlooker.sees_a_commit().await?, at == bounds::PROMPT_USES_WAITING, "as many as may wait: {at}");
    }
    used(&store, 1).await?;
    assert_eq!(store.prompt_uses("code_review", 1000).await?.len(), 2 * bounds::PROMPT_USES_WAITING, "each is there");
    store.close().await;
    Ok(())
}

#[tokio::test]
async fn what_waits_is_written_when_it_is_time_and_when_the_record_is_closed() -> Outcome {
    let world = World::new()?;
    let store = world.open_well().await?;
    let mut onlooker = Onlooker::of(&world).await?;
    used(&store, 1).await?;
    store.write_prompt_uses().await?;
    assert!(onlooker.sees_a_commit().await?, "it is time");
    store.write_prompt_uses().await?;
    assert!(!onlooker.sees_a_commit().await?, "where nothing waits nothing is written");
    used(&store, 2).await?;
    store.close().await;
    let again = world.open_well().await?;
    assert_eq!(uses(&again).await?, 2, "the last one, too");
    again.close().await;
    Ok(())
}

#[tokio::test]
async fn what_cannot_be_written_waits_on_and_has_a_bound() -> Outcome {
    let world = World::new()?;
    let store = world.open_well().await?;
    let mut other = SqliteConnectOptions::new().filename(world.database()).connect().await?;
    sqlx::query("CREATE TRIGGER full BEFORE INSERT ON prompt_uses BEGIN SELECT raise(ABORT, 'full'); END")
        .execute(&mut other)
        .await?;
    for at in 1..bounds::PROMPT_USES_WAITING {
        used(&store, at).await?;
    }
    for at in 0..3 {
        assert!(used(&store, 1000 + at).await.is_err(), "it is said that they can't be written");
    }
    assert_eq!(uses(&store).await?, 0, "what is there can still be read");
    sqlx::query("DROP TRIGGER full").execute(&mut other).await?;
    assert_eq!(uses(&store).await? as usize, bounds::PROMPT_USES_WAITING - 1, "the oldest have made room");
    let latest = store.prompt_uses("code_review", 1).await?;
    assert_eq!(latest.first().map(|used| used.at), Some(Timestamp(1002)), "the latest are there");
    store.close().await;
    Ok(())
}
