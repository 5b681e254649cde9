//! Which clients have asked, and what they declared of themselves.

use gate_core::Timestamp;

use crate::error::StoreError;
use crate::store::Store;

/// A client as the record knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenClient {
    /// Its own name; empty when it gave none.
    pub client: String,
    /// Its own version.
    pub client_version: String,
    /// `stdio` or `http`; absent for `review-gate ask`.
    pub transport: Option<String>,
    /// The protocol revision that it spoke.
    pub protocol_version: Option<String>,
    /// The capabilities that it declared, as JSON.
    pub capabilities: Option<String>,
    /// The name of its own token.
    pub token_name: Option<String>,
    /// How many conversations it began.
    pub conversations: i64,
    /// When it last spoke or was answered.
    pub last_at: Timestamp,
}

impl Store {
    /// The clients of the record, each with what it declared, the latest first.
    ///
    /// # Errors
    /// When SQLite fails.
    pub async fn seen_clients(&self, most: u32) -> Result<Vec<SeenClient>, StoreError> {
        let rows = sqlx::query!(
            r#"SELECT client AS "client!", client_version AS "client_version!", transport, protocol_version, capabilities, token_name,
                      count(*) AS "conversations!: i64", max(updated_at) AS "last_at!: i64"
               FROM conversations
               GROUP BY client, client_version, transport, protocol_version, capabilities, token_name
               ORDER BY 8 DESC LIMIT ?1"#,
            most,
        )
        .fetch_all(&self.readers)
        .await?;
        let seen = rows.into_iter().map(|row| SeenClient {
            client: row.client,
            client_version: row.client_version,
            transport: row.transport,
            protocol_version: row.protocol_version,
            capabilities: row.capabilities,
            token_name: row.token_name,
            conversations: row.conversations,
            last_at: Timestamp(row.last_at),
        });
        Ok(seen.collect())
    }
}
