//! SQLite by itself: the same tables, rows and statement as the gate's, called from one thread with
//! nothing around it.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use rusqlite::{Connection, OptionalExtension as _, params};

/// As the gate opens its own.
const PRAGMAS: &str = "PRAGMA auto_vacuum = INCREMENTAL;
PRAGMA journal_mode = WAL;
PRAGMA synchronous = FULL;
PRAGMA foreign_keys = ON;";
/// As the gate stores progress; triggers and indexes come with the tables.
const UPSERT: &str = "INSERT INTO progress (session_uuid, percent, status_message, step_name, steps, updated_at)
VALUES (?1, ?2, ?3, ?4, ?5, ?6)
ON CONFLICT (session_uuid) DO UPDATE SET percent = excluded.percent, status_message = excluded.status_message,
    step_name = excluded.step_name, steps = excluded.steps, updated_at = excluded.updated_at";
/// Later than everything that was generated, in milliseconds since the Unix epoch.
const LATER: i64 = 1_800_000_000_000;

/// A progress report.
pub(super) struct Row {
    pub(super) session_uuid: String,
    pub(super) percent: i64,
    pub(super) status_message: String,
    pub(super) step_name: String,
    /// JSON.
    pub(super) steps: String,
}

/// A fresh database with as many conversations as the record.
pub(super) struct Sqlite {
    connection: Connection,
    now: i64,
}

impl Sqlite {
    /// Makes a database at `path` with the tables of `record` that a progress report touches.
    pub(super) fn like(record: &Path, path: &Path) -> Result<Self> {
        let connection = Connection::open(path).context("SQLite can't make its database")?;
        connection.execute_batch(PRAGMAS)?;
        connection.execute("ATTACH ?1 AS record", [record.to_str().context("the path is no text")?])?;
        let tables = "tbl_name IN ('conversations', 'progress') AND sql IS NOT NULL";
        let schema = format!("SELECT sql FROM record.sqlite_schema WHERE {tables} ORDER BY type <> 'table', rowid");
        let schema: Vec<String> =
            connection.prepare(&schema)?.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
        connection.execute_batch("BEGIN")?;
        for statement in schema {
            connection.execute_batch(&statement)?;
        }
        connection.execute_batch(
            "INSERT INTO main.conversations SELECT * FROM record.conversations;
             INSERT INTO main.progress SELECT * FROM record.progress;
             COMMIT; DETACH record; PRAGMA wal_checkpoint(TRUNCATE);",
        )?;
        Ok(Self { connection, now: LATER })
    }

    /// A session's steps as they are stored.
    pub(super) fn steps(&mut self, session: &str) -> Result<String> {
        let select = "SELECT steps FROM progress WHERE session_uuid = ?1";
        let found = self.connection.query_row(select, [session], |row| row.get(0)).optional()?;
        Ok(found.unwrap_or_else(|| "[]".to_owned()))
    }

    /// Stores these rows again and again for `time`, each committed by itself. Returns how many there were
    /// in each second.
    pub(super) fn load(&mut self, rows: &[Row], time: Duration) -> Result<f64> {
        let mut upsert = self.connection.prepare(UPSERT)?;
        let (begin, mut count) = (Instant::now(), 0_u32);
        for row in rows.iter().cycle() {
            self.now += 1;
            let Row { session_uuid, percent, status_message, step_name, steps } = row;
            upsert.execute(params![session_uuid, percent, status_message, step_name, steps, self.now])?;
            count += 1;
            if begin.elapsed() >= time {
                break;
            }
        }
        Ok(f64::from(count) / begin.elapsed().as_secs_f64())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_come_with_their_triggers_and_rows() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let record = folder.path().join("record.db");
        let original = Connection::open(&record)?;
        let migrations = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../../migrations"))?;
        let mut migrations = migrations.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
        migrations.sort_unstable();
        for migration in migrations {
            original.execute_batch(&std::fs::read_to_string(migration)?)?;
        }
        original.execute_batch(
            "INSERT INTO conversations (session_uuid, client, client_version, workspace, status, created_at, updated_at)
             VALUES ('s', 'c', '1', '/w', 'completed', 1, 2)",
        )?;
        drop(original);
        let mut sqlite = Sqlite::like(&record, &folder.path().join("yardstick.db"))?;
        assert_eq!(sqlite.steps("s")?, "[]", "a session without progress has no steps");
        let row = Row {
            session_uuid: "s".to_owned(),
            percent: 5,
            status_message: "m".to_owned(),
            step_name: "n".to_owned(),
            steps: "[1]".to_owned(),
        };
        assert!(sqlite.load(&[row], Duration::ZERO)? > 0.0, "one is stored at least");
        assert_eq!(sqlite.steps("s")?, "[1]");
        let updated: i64 = sqlite.connection.query_row("SELECT updated_at FROM conversations", [], |row| row.get(0))?;
        assert_eq!(updated, LATER + 1, "the trigger has moved the conversation");
        let full: (String, i64) = sqlite.connection.query_row(
            "SELECT journal_mode, synchronous FROM pragma_journal_mode, pragma_synchronous",
            [],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )?;
        assert_eq!(full, ("wal".to_owned(), 2), "as durable as the gate's");
        Ok(())
    }
}
