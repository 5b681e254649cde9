//! Snippets: the person's own texts for replies, which no conversation holds.

use gate_core::{Code, Fault, Snippet, SnippetId, Timestamp, bounds, snippet};
use sqlx::Connection;

use crate::error::StoreError;
use crate::store::Store;
use crate::table::{Known, Owner, Table, column, identifier};

/// The table of snippets.
pub(crate) const TABLE: Table = Table {
    name: "snippets",
    columns: &[
        identifier("snippet_id"),
        column("name"),
        column("key"),
        column("text"),
        column("uses"),
        column("used_at"),
        column("changed_at"),
    ],
    owner: Owner::Nobody,
    known: Known::Replaced {
        key: "snippet_id",
        when: "excluded.changed_at > snippets.changed_at OR excluded.uses > snippets.uses",
    },
};

impl Store {
    /// Every snippet, the likeliest first.
    ///
    /// # Errors
    /// When SQLite fails.
    pub async fn snippets(&self, now: Timestamp) -> Result<Vec<Snippet>, StoreError> {
        let rows =
            sqlx::query!("SELECT snippet_id, name, text, uses, used_at FROM snippets").fetch_all(&self.readers).await?;
        let mut snippets = Vec::with_capacity(rows.len());
        for row in rows {
            snippets.push(Snippet {
                snippet_id: row.snippet_id.parse()?,
                name: row.name,
                text: row.text,
                uses: u32::try_from(row.uses).unwrap_or(u32::MAX),
                used_at: row.used_at.map(Timestamp),
            });
        }
        snippet::sort(&mut snippets, now);
        Ok(snippets)
    }

    /// Keeps a snippet: a new one, or a change of the one that has this identifier. Its uses stay.
    ///
    /// # Errors
    /// The rules of [`snippet::checked`], `name_taken` where another snippet has the name, `too_many`
    /// beyond [`bounds::SNIPPETS`], `unknown_snippet` when `changed` names none, and what SQLite says.
    pub async fn save_snippet(
        &self,
        changed: Option<SnippetId>,
        new: SnippetId,
        name: &str,
        text: &str,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let name = snippet::checked(name, text)?;
        let (key, id) = (snippet::key_of(&name), changed.unwrap_or(new).to_string());
        let mut writer = self.writer.acquire().await?;
        let mut tx = writer.begin().await?;
        let taken = sqlx::query_scalar!("SELECT count(*) FROM snippets WHERE key = ?1 AND snippet_id <> ?2", key, id)
            .fetch_one(&mut *tx)
            .await?;
        if taken > 0 {
            return Err(StoreError::Fault(Fault::new(
                Code::NameTaken,
                format!("There is a snippet named {name:?} already."),
                "Choose another name, or change that one.",
            )));
        }
        if let Some(changed) = changed {
            let done = sqlx::query!(
                "UPDATE snippets SET name = ?2, key = ?3, text = ?4, changed_at = ?5 WHERE snippet_id = ?1",
                id,
                name,
                key,
                text,
                now.0,
            )
            .execute(&mut *tx)
            .await?;
            if done.rows_affected() == 0 {
                return Err(unknown_snippet(changed).into());
            }
        } else {
            let count = sqlx::query_scalar!("SELECT count(*) FROM snippets").fetch_one(&mut *tx).await?;
            if usize::try_from(count).unwrap_or(usize::MAX) >= bounds::SNIPPETS {
                return Err(StoreError::Fault(Fault::new(
                    Code::TooMany,
                    format!("There are {} snippets already.", bounds::SNIPPETS),
                    "Delete one that you no longer use.",
                )));
            }
            sqlx::query!(
                "INSERT INTO snippets (snippet_id, name, key, text, changed_at) VALUES (?1, ?2, ?3, ?4, ?5)",
                id,
                name,
                key,
                text,
                now.0,
            )
            .execute(&mut *tx)
            .await?;
        }
        tx.commit().await?;
        Ok(())
    }

    /// Deletes a snippet.
    ///
    /// # Errors
    /// `unknown_snippet`, and what SQLite says.
    pub async fn delete_snippet(&self, snippet: SnippetId) -> Result<(), StoreError> {
        let id = snippet.to_string();
        let done = sqlx::query!("DELETE FROM snippets WHERE snippet_id = ?1", id)
            .execute(&mut *self.writer.acquire().await?)
            .await?
            .rows_affected();
        if done == 0 { Err(unknown_snippet(snippet).into()) } else { Ok(()) }
    }

    /// Counts that a snippet was used.
    ///
    /// # Errors
    /// `unknown_snippet`, and what SQLite says.
    pub async fn use_snippet(&self, snippet: SnippetId, now: Timestamp) -> Result<(), StoreError> {
        let id = snippet.to_string();
        let done = sqlx::query!("UPDATE snippets SET uses = uses + 1, used_at = ?2 WHERE snippet_id = ?1", id, now.0)
            .execute(&mut *self.writer.acquire().await?)
            .await?;
        if done.rows_affected() == 0 { Err(unknown_snippet(snippet).into()) } else { Ok(()) }
    }
}

fn unknown_snippet(snippet: SnippetId) -> Fault {
    Fault::new(
        Code::UnknownSnippet,
        format!("No snippet has the id {snippet}."),
        "It may have been deleted in another window; look at the list again.",
    )
}
