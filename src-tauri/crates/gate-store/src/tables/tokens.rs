//! Tokens of single clients. The token itself is never stored, only its SHA-256.

use gate_core::proposal::May;
use gate_core::{Code, Fault, Timestamp, bounds};
use sqlx::Connection;

use crate::error::StoreError;
use crate::json::{from_json, to_json};
use crate::store::Store;
use crate::table::{Instead, Known, Owner, Table, column, json};

/// The table of tokens.
pub(crate) const TABLE: Table = Table {
    name: "tokens",
    columns: &[
        column("name"),
        column("sha256"),
        column("created_at"),
        column("used_at"),
        column("revoked_at"),
        column("reads_all"),
        json::<Vec<String>>("folders", Instead::Text("[]")),
        column("owner"),
        json::<Vec<String>>("may", Instead::Text(r#"["propose","review"]"#)),
    ],
    owner: Owner::Nobody,
    known: Known::Replaced {
        key: "name",
        when: "excluded.created_at > tokens.created_at
               OR (excluded.created_at = tokens.created_at AND tokens.revoked_at IS NULL)",
    },
};

/// A client's token as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredToken {
    /// The client's name.
    pub name: String,
    /// SHA-256 of the token, in hexadecimal.
    pub sha256: String,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was last used, to the minute; absent while it never was.
    pub used_at: Option<Timestamp>,
    /// When it was revoked; absent while it is good.
    pub revoked_at: Option<Timestamp>,
    /// Whether its client may read what is others'.
    pub reads_all: bool,
    /// The folders whose repositories the gate reads for its client.
    pub folders: Vec<String>,
    /// Whose it is, where that was said.
    pub owner: Option<String>,
    /// What it lets its client do in reviews.
    pub may: May,
}

/// A token that is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddedToken {
    /// The client's name.
    pub name: String,
    /// SHA-256 of the token, in hexadecimal.
    pub sha256: String,
    /// Whether its client may read what is others'.
    pub reads_all: bool,
    /// The folders whose repositories the gate reads for its client.
    pub folders: Vec<String>,
    /// Whose it is, where that was said.
    pub owner: Option<String>,
    /// What it lets its client do in reviews.
    pub may: May,
}

impl Store {
    /// Keeps a new token. A revoked one of the same name gives way to it.
    ///
    /// # Errors
    /// `unknown_token` when a good one of that name exists, `too_many` beyond the bound, and what
    /// SQLite says.
    pub async fn add_token(&self, added: &AddedToken, now: Timestamp) -> Result<(), StoreError> {
        let AddedToken { name, sha256, reads_all, folders, owner, may } = added;
        let (folders, may) = (to_json(folders)?, to_json(&may.words().collect::<Vec<_>>())?);
        let mut writer = self.writer.acquire().await?;
        let mut tx = writer.begin().await?;
        let count =
            sqlx::query_scalar!("SELECT count(*) FROM tokens WHERE name <> ?1", name).fetch_one(&mut *tx).await?;
        if usize::try_from(count).unwrap_or(usize::MAX) >= bounds::TOKENS {
            return Err(StoreError::Fault(Fault::new(
                Code::TooMany,
                format!("There are {} tokens already.", bounds::TOKENS),
                "Use a revoked token's name again.",
            )));
        }
        let added = sqlx::query!(
            "INSERT INTO tokens (name, sha256, created_at, reads_all, folders, owner, may)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
             ON CONFLICT (name) DO UPDATE SET sha256 = excluded.sha256, created_at = excluded.created_at,
                                              used_at = NULL, revoked_at = NULL, reads_all = excluded.reads_all,
                                              folders = excluded.folders, owner = excluded.owner, may = excluded.may
             WHERE tokens.revoked_at IS NOT NULL",
            name,
            sha256,
            now.0,
            reads_all,
            folders,
            owner,
            may,
        )
        .execute(&mut *tx)
        .await?;
        if added.rows_affected() == 0 {
            return Err(StoreError::Fault(Fault::new(
                Code::UnknownToken,
                format!("There is a token named {name:?} already."),
                "Choose another name, or revoke that one first.",
            )));
        }
        tx.commit().await?;
        Ok(())
    }

    /// Every token, the newest first.
    ///
    /// # Errors
    /// When SQLite fails.
    pub async fn tokens(&self) -> Result<Vec<StoredToken>, StoreError> {
        let rows = sqlx::query!(
            r#"SELECT name, sha256, created_at, used_at, revoked_at, reads_all AS "reads_all!: bool", folders, owner, may
               FROM tokens ORDER BY created_at DESC, name"#
        )
        .fetch_all(&self.readers)
        .await?;
        let tokens = rows.into_iter().map(|row| {
            let may: Vec<String> = from_json(&row.may)?;
            Ok(StoredToken {
                name: row.name,
                sha256: row.sha256,
                created_at: Timestamp(row.created_at),
                used_at: row.used_at.map(Timestamp),
                revoked_at: row.revoked_at.map(Timestamp),
                reads_all: row.reads_all,
                folders: from_json(&row.folders)?,
                owner: row.owner,
                may: May::of_words(may.iter().map(String::as_str)).map_err(StoreError::Fault)?,
            })
        });
        tokens.collect()
    }

    /// The folders whose repositories are read for the client that has the good token of this name.
    ///
    /// # Errors
    /// When SQLite fails.
    pub async fn folders_of_token(&self, name: &str) -> Result<Vec<String>, StoreError> {
        let folders = sqlx::query_scalar!("SELECT folders FROM tokens WHERE name = ?1 AND revoked_at IS NULL", name)
            .fetch_optional(&self.readers)
            .await?;
        folders.as_deref().map_or_else(|| Ok(Vec::new()), from_json)
    }

    /// Makes a token worthless. False when there is no good one of that name.
    ///
    /// # Errors
    /// When SQLite fails.
    pub async fn revoke_token(&self, name: &str, now: Timestamp) -> Result<bool, StoreError> {
        let revoked =
            sqlx::query!("UPDATE tokens SET revoked_at = ?2 WHERE name = ?1 AND revoked_at IS NULL", name, now.0)
                .execute(&mut *self.writer.acquire().await?)
                .await?;
        Ok(revoked.rows_affected() == 1)
    }

    /// Notes that a token was used.
    ///
    /// # Errors
    /// When SQLite fails.
    pub async fn token_used(&self, name: &str, now: Timestamp) -> Result<(), StoreError> {
        sqlx::query!("UPDATE tokens SET used_at = ?2 WHERE name = ?1", name, now.0)
            .execute(&mut *self.writer.acquire().await?)
            .await?;
        Ok(())
    }
}
