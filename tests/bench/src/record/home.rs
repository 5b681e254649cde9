//! A copy of a generated record.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use rusqlite::Connection;
use serde::Deserialize;
use serde_json::json;
use tempfile::TempDir;

use crate::served::Served;

/// What a record consists of. The logs of SQLite are folded in when a gate stops.
const FILES: [&str; 2] = ["review-gate.db", "search.db"];

/// What `cargo xtask generate` says of its record.
#[derive(Debug, Deserialize)]
pub(super) struct Note {
    pub(super) conversations: u64,
    /// The session with the most messages.
    pub(super) largest: String,
    /// Some sessions, spread evenly.
    pub(super) some: Vec<String>,
    /// Sessions with checkpoints.
    pub(super) checkpointed: Vec<String>,
    /// What is looked for: a name, and the words.
    pub(super) searches: Vec<(String, String)>,
}

/// A home folder with the record. Dropping it removes the folder.
pub(super) struct Copied {
    pub(super) note: Note,
    folder: TempDir,
}

impl Copied {
    /// Copies a record into a new folder in `to`, on whose file system everything is measured.
    pub(super) fn of(record: &Path, to: &Path) -> Result<Self> {
        let path = record.join("generated.json");
        let note = std::fs::read_to_string(&path).with_context(|| format!("can't read {}", path.display()))?;
        let note = serde_json::from_str(&note).with_context(|| format!("can't make sense of {}", path.display()))?;
        // Not below /tmp, which may be in memory.
        let folder = tempfile::Builder::new().prefix("copy-").tempdir_in(std::path::absolute(to)?)?;
        for name in FILES {
            let copy = folder.path().join(name);
            std::fs::copy(record.join(name), &copy).with_context(|| format!("can't copy {name}"))?;
            // Else the system writes it while writes are measured.
            std::fs::File::open(&copy)?.sync_all()?;
        }
        Ok(Self { note, folder })
    }

    /// Makes the record one of the agents that this program starts. As it was generated it is nobody's, and no agent is
    /// listed it. What such an owner is called, the gate writes with the first session that one names.
    pub(super) fn become_own(&self, programs: &Path) -> Result<()> {
        let session = self.note.some.first().context("the record has conversations")?;
        let (served, _) = Served::start(programs, self.path())?;
        let mut relay = served.relay()?;
        let named = relay.call("review_gate_get_context", &json!({"session_uuid": session}))?;
        relay.result(named)?;
        drop(relay);
        served.stop()?;
        let connection = Connection::open(self.database())?;
        connection.execute(
            "UPDATE conversations SET (owner, heirs) =
                 (SELECT named.owner, named.heirs FROM conversations named WHERE named.session_uuid = ?1)",
            [session],
        )?;
        Ok(())
    }

    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(super) fn database(&self) -> PathBuf {
        self.path().join(FILES[0])
    }
}
