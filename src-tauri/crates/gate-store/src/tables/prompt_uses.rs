//! How often prompts were asked for, by whom, and what came of it. These are statistics: they are written a little
//! later than they come in, many together, and a kill loses those of the last moment. Whatever reads them has those that
//! wait written first.

use std::collections::HashMap;

use gate_core::{Decision, GivenArgument, RequestId, RequestStatus, Timestamp, bounds};
use sqlx::{Connection as _, SqliteConnection};
use uuid::Uuid;

use crate::error::StoreError;
use crate::json::{from_json, to_json};
use crate::store::Store;
use crate::table::{Instead, Known, Owner, Table, column, identifier, json};
use crate::writer::Use;

/// The table of uses.
pub(crate) const TABLE: Table = Table {
    name: "prompt_uses",
    columns: &[
        identifier("use_id"),
        column("prompt_id"),
        column("client"),
        column("workspace"),
        column("used_at"),
        identifier("request_id").dispensable(),
        json::<Vec<GivenArgument>>("arguments", Instead::Text("[]")),
    ],
    owner: Owner::Nobody,
    known: Known::Changed(
        "(use_id) DO UPDATE SET request_id = excluded.request_id
         WHERE prompt_uses.request_id IS NULL AND excluded.request_id IS NOT NULL",
    ),
};

/// How often a prompt was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PromptCount {
    /// How often.
    pub uses: u32,
    /// When it was last.
    pub used_at: Timestamp,
}

/// One time that a prompt was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredPromptUse {
    /// When.
    pub at: Timestamp,
    /// By which client.
    pub client: String,
    /// With which arguments, as far as they are kept.
    pub arguments: Vec<GivenArgument>,
    /// The review that its agent asked for next: what became of it, and the decision.
    pub review: Option<(RequestStatus, Option<Decision>)>,
}

impl Store {
    /// Counts that a prompt was asked for. It is in the record after the next [`Store::write_prompt_uses`], which comes
    /// here where [`bounds::PROMPT_USES_WAITING`] wait.
    ///
    /// # Errors
    /// When SQLite fails. Uses that couldn't be written wait on; the oldest of them make room for others.
    pub async fn use_prompt(
        &self,
        prompt: &str,
        client: &str,
        workspace: &str,
        arguments: &[GivenArgument],
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let waiting = self.uses.add(Use {
            use_id: Uuid::now_v7().to_string(),
            prompt_id: prompt.to_owned(),
            client: client.to_owned(),
            workspace: workspace.to_owned(),
            used_at: now,
            arguments: to_json(&arguments)?,
        });
        match waiting < bounds::PROMPT_USES_WAITING {
            true => Ok(()),
            false => self.write_prompt_uses().await,
        }
    }

    /// Writes the uses of prompts that wait, in one transaction, and forgets the oldest ones beyond
    /// [`bounds::PROMPT_USES`]. Free where none wait.
    ///
    /// # Errors
    /// As [`Store::use_prompt`].
    pub async fn write_prompt_uses(&self) -> Result<(), StoreError> {
        if self.uses.is_empty() {
            return Ok(());
        }
        let mut writer = self.writer.acquire().await?;
        // Whoever had it before may have written them.
        let waiting = self.uses.waiting();
        if waiting.is_empty() {
            return Ok(());
        }
        let written = write(&mut writer, &waiting).await;
        let done = match written {
            Ok(()) => waiting.len(),
            Err(_) => waiting.len().saturating_sub(bounds::PROMPT_USES_WAITING - 1),
        };
        self.uses.drop_first(done);
        written
    }

    /// Has the record hold the uses that wait, before they are read. What can't be written keeps nobody from reading.
    pub(crate) async fn catch_up_with_uses(&self) {
        if let Err(error) = self.write_prompt_uses().await {
            tracing::warn!(%error, "uses of prompts can't be written");
        }
    }

    /// A review was asked for: it is the one of the latest prompt that this client asked for in this
    /// workspace since `since`, where that has none yet.
    ///
    /// # Errors
    /// When SQLite fails.
    pub async fn review_follows_prompt(
        &self,
        request: RequestId,
        client: &str,
        workspace: &str,
        since: Timestamp,
    ) -> Result<bool, StoreError> {
        self.catch_up_with_uses().await;
        let id = request.to_string();
        let done = sqlx::query!(
            "UPDATE prompt_uses SET request_id = ?1 WHERE use_id =
                 (SELECT use_id FROM prompt_uses
                  WHERE request_id IS NULL AND client = ?2 AND workspace = ?3 AND used_at >= ?4
                  ORDER BY used_at DESC, use_id DESC LIMIT 1)",
            id,
            client,
            workspace,
            since.0,
        )
        .execute(&mut *self.writer.acquire().await?)
        .await?;
        Ok(done.rows_affected() > 0)
    }

    /// How often each prompt was asked for.
    ///
    /// # Errors
    /// When SQLite fails.
    pub async fn prompt_counts(&self) -> Result<HashMap<String, PromptCount>, StoreError> {
        self.catch_up_with_uses().await;
        let rows = sqlx::query!(
            r#"SELECT prompt_id AS "prompt_id!", count(*) AS "uses!: i64", max(used_at) AS "used_at!: i64"
               FROM prompt_uses GROUP BY prompt_id"#
        )
        .fetch_all(&self.readers)
        .await?;
        let count = |uses, used_at| PromptCount { uses: u32::try_from(uses).unwrap_or(u32::MAX), used_at };
        Ok(rows.into_iter().map(|row| (row.prompt_id, count(row.uses, Timestamp(row.used_at)))).collect())
    }

    /// The latest times that a prompt was asked for, the latest first.
    ///
    /// # Errors
    /// When SQLite fails.
    pub async fn prompt_uses(&self, prompt: &str, most: u32) -> Result<Vec<StoredPromptUse>, StoreError> {
        self.catch_up_with_uses().await;
        let rows = sqlx::query!(
            r#"SELECT prompt_uses.client, prompt_uses.used_at, prompt_uses.arguments,
                      review_requests.status AS "status?", replies.decision AS "decision?"
               FROM prompt_uses
               LEFT JOIN review_requests ON review_requests.request_id = prompt_uses.request_id
               LEFT JOIN replies ON replies.request_id = prompt_uses.request_id
               WHERE prompt_uses.prompt_id = ?1 ORDER BY prompt_uses.use_id DESC LIMIT ?2"#,
            prompt,
            most,
        )
        .fetch_all(&self.readers)
        .await?;
        let mut uses = Vec::with_capacity(rows.len());
        for row in rows {
            let status = row.status.as_deref().and_then(RequestStatus::parse);
            let decision = row.decision.as_deref().and_then(Decision::parse);
            uses.push(StoredPromptUse {
                at: Timestamp(row.used_at),
                client: row.client,
                arguments: from_json(&row.arguments)?,
                review: status.map(|status| (status, decision)),
            });
        }
        Ok(uses)
    }

    /// How often each client asked for a prompt, the most frequent first.
    ///
    /// # Errors
    /// When SQLite fails.
    pub async fn prompt_clients(&self, prompt: &str) -> Result<Vec<(String, u32)>, StoreError> {
        self.catch_up_with_uses().await;
        let rows = sqlx::query!(
            r#"SELECT client AS "client!", count(*) AS "uses!: i64" FROM prompt_uses WHERE prompt_id = ?1
               GROUP BY client ORDER BY 2 DESC, 1"#,
            prompt,
        )
        .fetch_all(&self.readers)
        .await?;
        Ok(rows.into_iter().map(|row| (row.client, u32::try_from(row.uses).unwrap_or(u32::MAX))).collect())
    }
}

/// One that is written again, since nobody heard that it was, stays as it is.
async fn write(writer: &mut SqliteConnection, uses: &[Use]) -> Result<(), StoreError> {
    let most = i64::try_from(bounds::PROMPT_USES).unwrap_or(i64::MAX);
    let mut tx = writer.begin().await?;
    for used in uses {
        sqlx::query!(
            "INSERT INTO prompt_uses (use_id, prompt_id, client, workspace, used_at, arguments)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (use_id) DO NOTHING",
            used.use_id,
            used.prompt_id,
            used.client,
            used.workspace,
            used.used_at.0,
            used.arguments,
        )
        .execute(&mut *tx)
        .await?;
    }
    sqlx::query!(
        "DELETE FROM prompt_uses WHERE use_id <= (SELECT use_id FROM prompt_uses ORDER BY use_id DESC LIMIT 1 OFFSET ?1)",
        most,
    )
    .execute(&mut *tx)
    .await?;
    tx.commit().await?;
    Ok(())
}
