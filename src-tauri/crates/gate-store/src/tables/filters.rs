//! What narrows conversations down beside words and where they stand: their time, what became of their questions,
//! and which agents and folders there are to choose from.

use std::collections::{HashMap, HashSet};

use gate_core::{Conversation, ConversationQuery, SessionStatus, SessionUuid, bounds};

use crate::error::StoreError;
use crate::json::to_json;
use crate::store::Store;

/// The time that is looked for: from the first moment on to before the last.
pub(super) fn time_of(query: &ConversationQuery) -> (i64, i64) {
    (query.from.map_or(i64::MIN, |from| from.0), query.until.map_or(i64::MAX, |until| until.0))
}

impl Store {
    /// Those of the conversations in which a question became what is looked for; all of them where nothing is.
    pub(super) async fn that_became(
        &self,
        mut conversations: Vec<Conversation>,
        query: &ConversationQuery,
    ) -> Result<Vec<Conversation>, StoreError> {
        let sessions: Vec<SessionUuid> = conversations.iter().map(|conversation| conversation.session_uuid).collect();
        if let Some(became) = self.sessions_that_became(&sessions, query).await? {
            conversations.retain(|conversation| became.contains(&conversation.session_uuid));
        }
        Ok(conversations)
    }

    /// Those of the sessions in which a question became what is looked for; absent where nothing is.
    async fn sessions_that_became(
        &self,
        sessions: &[SessionUuid],
        query: &ConversationQuery,
    ) -> Result<Option<HashSet<SessionUuid>>, StoreError> {
        let Some(became) = query.became else { return Ok(None) };
        let (sessions, became, (from, until)) = (to_json(&sessions)?, became.as_str(), time_of(query));
        // A note has a row of requests that is answered, and no reply.
        let rows = sqlx::query!(
            r#"SELECT c.session_uuid AS "session_uuid!: String"
               FROM json_each(?1) wanted JOIN conversations c ON c.session_uuid = wanted.value
               WHERE EXISTS (SELECT 1 FROM review_requests r LEFT JOIN replies a ON a.request_id = r.request_id
                             WHERE r.session_uuid = c.session_uuid AND coalesce(a.decision, r.status) = ?2
                               AND (r.status <> 'answered' OR a.request_id IS NOT NULL)
                               AND coalesce(r.closed_at, r.created_at) >= ?3
                               AND coalesce(r.closed_at, r.created_at) < ?4)"#,
            sessions,
            became,
            from,
            until,
        )
        .fetch_all(&self.readers)
        .await?;
        let mut found: HashSet<SessionUuid> = HashSet::with_capacity(rows.len());
        for row in rows {
            found.insert(row.session_uuid.parse()?);
        }
        Ok(Some(found))
    }

    /// Those of the sessions that the query looks for, each with its newest message.
    pub(crate) async fn looked_for(
        &self,
        sessions: &[SessionUuid],
        query: &ConversationQuery,
    ) -> Result<HashMap<SessionUuid, i64>, StoreError> {
        let (wanted, status) = (to_json(&sessions)?, query.status.map(SessionStatus::as_str));
        let (from, until) = time_of(query);
        let owner = query.owner.as_ref().map(ToString::to_string);
        let rows = sqlx::query!(
            r#"SELECT c.session_uuid,
                      (SELECT max(n.message_id) FROM messages n
                       WHERE n.session_uuid = c.session_uuid) AS "newest!: i64"
               FROM json_each(?1) wanted JOIN conversations c ON c.session_uuid = wanted.value
               WHERE (?2 IS NULL OR c.status = ?2) AND (?3 IS NULL OR c.workspace = ?3)
                 AND (?4 IS NULL OR c.client = ?4) AND c.updated_at >= ?5 AND c.created_at < ?6
                 AND (?7 IS NULL OR c.owner = ?7)"#,
            wanted,
            status,
            query.workspace,
            query.client,
            from,
            until,
            owner,
        )
        .fetch_all(&self.readers)
        .await?;
        let mut newest: HashMap<SessionUuid, i64> = HashMap::with_capacity(rows.len());
        for row in rows {
            newest.insert(row.session_uuid.parse()?, row.newest);
        }
        if let Some(became) = self.sessions_that_became(sessions, query).await? {
            newest.retain(|session, _| became.contains(session));
        }
        Ok(newest)
    }

    /// The clients that conversations were held with, by their own names, the latest first.
    ///
    /// # Errors
    /// When SQLite fails.
    pub async fn clients_of_the_record(&self) -> Result<Vec<String>, StoreError> {
        let most = bounds::HISTORY_CHOICES;
        let rows = sqlx::query!(
            r#"SELECT client AS "client!: String" FROM conversations
               GROUP BY client ORDER BY max(updated_at) DESC LIMIT ?1"#,
            most,
        )
        .fetch_all(&self.readers)
        .await?;
        Ok(rows.into_iter().map(|row| row.client).collect())
    }

    /// The folders that agents worked in, the latest first.
    ///
    /// # Errors
    /// When SQLite fails.
    pub async fn workspaces_of_the_record(&self) -> Result<Vec<String>, StoreError> {
        let most = bounds::HISTORY_CHOICES;
        let rows = sqlx::query!(
            r#"SELECT workspace AS "workspace!: String" FROM conversations WHERE workspace <> ''
               GROUP BY workspace ORDER BY max(updated_at) DESC LIMIT ?1"#,
            most,
        )
        .fetch_all(&self.readers)
        .await?;
        Ok(rows.into_iter().map(|row| row.workspace).collect())
    }
}
