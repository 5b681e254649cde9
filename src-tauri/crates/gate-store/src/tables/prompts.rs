//! Versions of prompts' files.

use std::collections::{BTreeMap, HashMap};

use gate_core::{PromptFormat, PromptOrigin, PromptVersionId, Timestamp, bounds};
use sqlx::Connection;

use crate::error::StoreError;
use crate::store::Store;
use crate::table::{Known, Owner, Table, column, identifier};

/// The table of versions.
pub(crate) const TABLE: Table = Table {
    name: "prompt_versions",
    columns: &[
        identifier("version_id"),
        column("prompt_id"),
        column("origin"),
        column("format"),
        column("cause"),
        column("text"),
        column("sha256"),
        column("commit_id"),
        column("seen_at"),
    ],
    owner: Owner::Nobody,
    known: Known::Stays,
};

/// A version of a prompt's file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredPromptVersion {
    /// Its identifier; later ones sort behind earlier ones.
    pub version_id: PromptVersionId,
    /// Of which prompt.
    pub prompt_id: String,
    /// In which folder.
    pub origin: PromptOrigin,
    /// How it is written.
    pub format: PromptFormat,
    /// The word for why it came to be.
    pub cause: String,
    /// Its text; empty for a file that was deleted.
    pub text: String,
    /// Names the text.
    pub sha256: String,
    /// The commit that it came with; empty for none.
    pub commit: String,
    /// When it was first seen.
    pub at: Timestamp,
}

/// What a commit did to a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredPromptChange {
    /// To which prompt.
    pub prompt_id: String,
    /// Whether its file was there before.
    pub before: bool,
    /// Whether it is there since.
    pub after: bool,
}

/// A prompt whose file was deleted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredDeletedPrompt {
    /// Which prompt.
    pub prompt_id: String,
    /// When that was seen.
    pub at: Timestamp,
    /// Its last version with a text.
    pub version_id: PromptVersionId,
}

impl Store {
    /// The newest version of each prompt in a folder: its text's name, and whether the file was there.
    ///
    /// # Errors
    /// When SQLite fails.
    pub async fn newest_prompt_versions(&self, origin: PromptOrigin) -> Result<HashMap<String, String>, StoreError> {
        let origin = origin_word(origin);
        let rows = sqlx::query!(
            r#"SELECT prompt_id AS "prompt_id!", sha256 AS "sha256!", cause AS "cause!" FROM prompt_versions
               WHERE version_id IN (SELECT max(version_id) FROM prompt_versions WHERE origin = ?1 GROUP BY prompt_id)"#,
            origin,
        )
        .fetch_all(&self.readers)
        .await?;
        let there = rows.into_iter().filter(|row| row.cause != DELETED);
        Ok(there.map(|row| (row.prompt_id, row.sha256)).collect())
    }

    /// When the newest version of each prompt in each folder was first seen; of a deleted file, when it was gone.
    ///
    /// # Errors
    /// When SQLite fails.
    pub async fn prompt_times(&self) -> Result<Vec<(String, PromptOrigin, Timestamp)>, StoreError> {
        let rows = sqlx::query!(
            r#"SELECT prompt_id AS "prompt_id!", origin AS "origin!", seen_at AS "seen_at!" FROM prompt_versions
               WHERE version_id IN (SELECT max(version_id) FROM prompt_versions GROUP BY prompt_id, origin)"#
        )
        .fetch_all(&self.readers)
        .await?;
        Ok(rows.into_iter().map(|row| (row.prompt_id, origin_of(&row.origin), Timestamp(row.seen_at))).collect())
    }

    /// Keeps versions, and forgets each prompt's oldest beyond [`bounds::PROMPT_VERSIONS`].
    ///
    /// # Errors
    /// When SQLite fails; none of them is kept then.
    pub async fn add_prompt_versions(&self, versions: &[StoredPromptVersion]) -> Result<(), StoreError> {
        let most = i64::try_from(bounds::PROMPT_VERSIONS).unwrap_or(i64::MAX);
        let mut writer = self.writer.acquire().await?;
        let mut tx = writer.begin().await?;
        for version in versions {
            let (id, at) = (version.version_id.to_string(), version.at.0);
            let (origin, format) = (origin_word(version.origin), format_word(version.format));
            sqlx::query!(
                "INSERT INTO prompt_versions (version_id, prompt_id, origin, format, cause, text, sha256, commit_id,
                                              seen_at)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
                id,
                version.prompt_id,
                origin,
                format,
                version.cause,
                version.text,
                version.sha256,
                version.commit,
                at,
            )
            .execute(&mut *tx)
            .await?;
            sqlx::query!(
                "DELETE FROM prompt_versions WHERE prompt_id = ?1 AND version_id NOT IN
                     (SELECT version_id FROM prompt_versions WHERE prompt_id = ?1 ORDER BY version_id DESC LIMIT ?2)",
                version.prompt_id,
                most,
            )
            .execute(&mut *tx)
            .await?;
        }
        tx.commit().await?;
        Ok(())
    }

    /// The versions of a prompt, the newest first.
    ///
    /// # Errors
    /// When SQLite fails.
    pub async fn prompt_versions(&self, prompt: &str) -> Result<Vec<StoredPromptVersion>, StoreError> {
        let rows = sqlx::query!(
            "SELECT version_id, prompt_id, origin, format, cause, text, sha256, commit_id, seen_at
             FROM prompt_versions WHERE prompt_id = ?1 ORDER BY version_id DESC",
            prompt,
        )
        .fetch_all(&self.readers)
        .await?;
        let mut versions = Vec::with_capacity(rows.len());
        for row in rows {
            versions.push(StoredPromptVersion {
                version_id: row.version_id.parse()?,
                prompt_id: row.prompt_id,
                origin: origin_of(&row.origin),
                format: format_of(&row.format),
                cause: row.cause,
                text: row.text,
                sha256: row.sha256,
                commit: row.commit_id,
                at: Timestamp(row.seen_at),
            });
        }
        Ok(versions)
    }

    /// What a commit did to the prompts that come from the repository, by the prompts' ids.
    ///
    /// # Errors
    /// When SQLite fails.
    pub async fn prompts_of_commit(&self, commit: &str) -> Result<Vec<StoredPromptChange>, StoreError> {
        let rows = sqlx::query!(
            r#"SELECT prompt_id AS "prompt_id!", cause AS "cause!",
                      (SELECT earlier.cause FROM prompt_versions earlier
                       WHERE earlier.prompt_id = prompt_versions.prompt_id AND earlier.origin = 'synced'
                         AND earlier.version_id < prompt_versions.version_id AND earlier.commit_id <> ?1
                       ORDER BY earlier.version_id DESC LIMIT 1) AS "before?: String"
               FROM prompt_versions WHERE commit_id = ?1 AND commit_id <> '' AND origin = 'synced'
               ORDER BY version_id"#,
            commit,
        )
        .fetch_all(&self.readers)
        .await?;
        // The last of several is how the commit leaves it.
        let mut changes = BTreeMap::new();
        for row in rows {
            let before = row.before.is_some_and(|cause| cause != DELETED);
            changes.insert(row.prompt_id, (before, row.cause != DELETED));
        }
        let change = |(prompt_id, (before, after))| StoredPromptChange { prompt_id, before, after };
        Ok(changes.into_iter().map(change).filter(|change| change.before || change.after).collect())
    }

    /// The person's own prompts whose files were deleted, the latest first.
    ///
    /// # Errors
    /// When SQLite fails.
    pub async fn deleted_prompts(&self, most: u32) -> Result<Vec<StoredDeletedPrompt>, StoreError> {
        let rows = sqlx::query!(
            r#"SELECT prompt_id AS "prompt_id!", seen_at AS "seen_at!",
                      (SELECT earlier.version_id FROM prompt_versions earlier
                       WHERE earlier.prompt_id = prompt_versions.prompt_id AND earlier.origin = 'local'
                         AND earlier.cause <> 'deleted'
                       ORDER BY earlier.version_id DESC LIMIT 1) AS "last?: String"
               FROM prompt_versions
               WHERE origin = 'local' AND cause = 'deleted'
                 AND version_id = (SELECT max(newest.version_id) FROM prompt_versions newest
                                   WHERE newest.prompt_id = prompt_versions.prompt_id AND newest.origin = 'local')
               ORDER BY version_id DESC LIMIT ?1"#,
            most,
        )
        .fetch_all(&self.readers)
        .await?;
        let mut deleted = Vec::with_capacity(rows.len());
        for row in rows {
            // One whose last text made room for others can't come back.
            let Some(version_id) = row.last else { continue };
            let (prompt_id, at) = (row.prompt_id, Timestamp(row.seen_at));
            deleted.push(StoredDeletedPrompt { prompt_id, at, version_id: version_id.parse()? });
        }
        Ok(deleted)
    }
}

/// The word for a file that is gone.
const DELETED: &str = "deleted";

fn origin_word(origin: PromptOrigin) -> &'static str {
    match origin {
        PromptOrigin::BuiltIn => "built_in",
        PromptOrigin::Synced => "synced",
        PromptOrigin::Local => "local",
    }
}

fn origin_of(word: &str) -> PromptOrigin {
    match word {
        "built_in" => PromptOrigin::BuiltIn,
        "synced" => PromptOrigin::Synced,
        _ => PromptOrigin::Local,
    }
}

fn format_word(format: PromptFormat) -> &'static str {
    match format {
        PromptFormat::Yaml => "yaml",
        PromptFormat::Markdown => "markdown",
        PromptFormat::Json => "json",
    }
}

fn format_of(word: &str) -> PromptFormat {
    match word {
        "markdown" => PromptFormat::Markdown,
        "json" => PromptFormat::Json,
        _ => PromptFormat::Yaml,
    }
}
