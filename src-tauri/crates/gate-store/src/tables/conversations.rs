//! Conversations and their messages, as they are read again.

use std::borrow::Cow;

use gate_core::page::bad_cursor;
use gate_core::permission::PermissionRule;
use gate_core::{
    AnsweredFrom, Assurance, Caller, Conversation, ConversationQuery, Decision, Declared, Message, Owner, OwnerId,
    Page, PermissionEnd, PermissionForm, PermissionSaid, Place, Progress, RequestId, Role, SessionStatus, SessionUuid,
    Timestamp, bounds,
};

use super::filters::time_of;
use crate::error::StoreError;
use crate::json::{from_json, to_json};
use crate::rows::{Attached, Beginning, ConversationRow, request_status};
use crate::store::Store;

/// A session that begins without a question.
#[derive(Debug, Clone)]
pub struct NewSession {
    /// Its identifier.
    pub session_uuid: SessionUuid,
    /// Who speaks.
    pub caller: Caller,
    /// What the client declared of itself.
    pub declared: Declared,
    /// The relay that it speaks through.
    pub relay: Option<String>,
    /// Whose it is.
    pub owner: Owner,
    /// Now.
    pub now: Timestamp,
}

/// A session as its life goes on after a restart of the gate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredSession {
    /// Its conversation.
    pub conversation: Conversation,
    /// The relay that it last spoke through.
    pub relay: Option<String>,
    /// `stdio` or `http`; absent for `review-gate ask`.
    pub transport: Option<String>,
    /// The protocol revision that it speaks.
    pub protocol_version: Option<String>,
}

/// A conversation with its progress, as [`shown!`] reads it.
struct Shown {
    session_uuid: String,
    title: String,
    status: String,
    client: String,
    client_version: String,
    workspace: String,
    created_at: i64,
    updated_at: i64,
    messages: i64,
    percent: Option<i64>,
    status_message: Option<String>,
    step_name: Option<String>,
    steps: Option<String>,
    reported_at: Option<i64>,
}

/// Reads conversations with their progress; `$tail` says which, and in which order.
macro_rules! shown {
    ($tail:literal $(+ $more:literal)*, $($argument:expr),+) => {
        sqlx::query_as!(
            Shown,
            r#"SELECT c.session_uuid, c.title, c.status, c.client, c.client_version, c.workspace, c.created_at,
                      c.updated_at, c.messages, p.percent AS "percent?", p.status_message, p.step_name,
                      p.steps AS "steps?", p.updated_at AS "reported_at?"
               FROM conversations c LEFT JOIN progress p ON p.session_uuid = c.session_uuid "#
                + $tail $(+ $more)*,
            $($argument),+
        )
    };
}

/// Conversations in an order: by `$by`, a column that each of them has, the largest first. `$only` is a condition
/// that an index has before that column.
macro_rules! page {
    ($by:literal, $only:literal, $query:expr, $after:expr, $time:expr, $at_once:expr $(, $argument:expr)*) => {
        shown!(
            "WHERE (" + $by + ", c.session_uuid) < (?1, ?2) AND c.updated_at >= ?6 AND c.created_at < ?7
               AND (?3 IS NULL OR c.workspace = ?3) AND (?4 IS NULL OR c.client = ?4) " + $only
            + " ORDER BY " + $by + " DESC, c.session_uuid DESC LIMIT ?5",
            $after.0,
            $after.1,
            $query.workspace,
            $query.client,
            $at_once,
            $time.0,
            $time.1
            $(, $argument)*
        )
    };
}

/// One more than a page has, which tells whether another one follows.
fn one_more() -> i64 {
    i64::try_from(bounds::PAGE_ITEMS + 1).unwrap_or(i64::MAX)
}

impl Shown {
    fn into_conversation(self) -> Result<Conversation, StoreError> {
        let progress = match (self.steps, self.reported_at) {
            (Some(steps), Some(reported_at)) => Some(Progress {
                progress_percent: self.percent.and_then(|percent| u8::try_from(percent).ok()),
                status_message: self.status_message,
                step_name: self.step_name,
                steps: from_json(&steps)?,
                updated_at: Timestamp(reported_at),
            }),
            _ => None,
        };
        Ok(Conversation {
            session_uuid: self.session_uuid.parse()?,
            title: self.title,
            status: session_status(&self.status)?,
            client: self.client,
            client_version: self.client_version,
            workspace: self.workspace,
            created_at: Timestamp(self.created_at),
            updated_at: Timestamp(self.updated_at),
            messages: u64::try_from(self.messages).unwrap_or(0),
            progress,
        })
    }
}

/// Where a list goes on after a conversation.
fn place_of(conversation: &Conversation) -> Place {
    Place::Conversation { updated_at: conversation.updated_at, session_uuid: conversation.session_uuid }
}

fn session_status(text: &str) -> Result<SessionStatus, StoreError> {
    SessionStatus::parse(text).ok_or_else(|| StoreError::Unexpected(format!("session status {text:?}")))
}

impl Store {
    /// Stores a session that begins without a question.
    ///
    /// # Errors
    /// When SQLite fails.
    pub async fn begin_session(&self, new: &NewSession) -> Result<(), StoreError> {
        let row = ConversationRow {
            beginning: Beginning::of(new.session_uuid, &new.caller, &new.declared, "", new.now),
            status: SessionStatus::Active,
            updated_at: new.now.0,
            relay: new.relay.as_ref().map(Into::into),
            owner: Some(Cow::Borrowed(&new.owner)),
        };
        row.insert(&mut *self.writer.acquire().await?).await
    }

    /// Notes where a session stands. A relay is noted where it speaks through one.
    ///
    /// # Errors
    /// When SQLite fails.
    pub async fn set_session_status(
        &self,
        session: SessionUuid,
        status: SessionStatus,
        relay: Option<&str>,
    ) -> Result<(), StoreError> {
        let (session_uuid, status) = (session.to_string(), status.as_str());
        sqlx::query!(
            "UPDATE conversations SET status = ?2, relay = coalesce(?3, relay) WHERE session_uuid = ?1",
            session_uuid,
            status,
            relay,
        )
        .execute(&mut *self.writer.acquire().await?)
        .await?;
        Ok(())
    }

    /// One conversation.
    ///
    /// # Errors
    /// When SQLite fails.
    pub async fn conversation(&self, session: SessionUuid) -> Result<Option<Conversation>, StoreError> {
        Ok(self.conversations_of(&[session]).await?.pop())
    }

    /// These conversations, in no order; those that don't exist are left out.
    pub(crate) async fn conversations_of(&self, sessions: &[SessionUuid]) -> Result<Vec<Conversation>, StoreError> {
        let sessions = to_json(&sessions)?;
        let found = shown!("WHERE c.session_uuid IN (SELECT value FROM json_each(?1))", sessions);
        found.fetch_all(&self.readers).await?.into_iter().map(Shown::into_conversation).collect()
    }

    /// Conversations, the latest changed first. The query's words are the index's matter. A page may be short, even
    /// empty, and another one follow: where a question has to have become something, so many are looked through.
    ///
    /// # Errors
    /// `invalid_cursor` for a place of another list; or when SQLite fails.
    pub async fn conversations(
        &self,
        query: &ConversationQuery,
        after: Option<Place>,
    ) -> Result<Page<Conversation>, StoreError> {
        let mut after = match after {
            None => (i64::MAX, String::new()),
            Some(Place::Conversation { updated_at, session_uuid }) => (updated_at.0, session_uuid.to_string()),
            Some(Place::Message(_)) => return Err(bad_cursor().into()),
        };
        let mut items: Vec<Conversation> = Vec::new();
        let (mut at_once, mut looked_through) = (bounds::PAGE_ITEMS + 1, 0);
        let next = loop {
            let found = self.conversations_after(query, &after, at_once).await?;
            let last = found.last().filter(|_| found.len() == at_once).map(place_of);
            items.extend(self.that_became(found, query).await?);
            if items.len() > bounds::PAGE_ITEMS {
                items.truncate(bounds::PAGE_ITEMS);
                break items.last().map(place_of);
            }
            looked_through += at_once;
            match last {
                Some(Place::Conversation { updated_at, session_uuid })
                    if looked_through < bounds::PAGE_LOOKED_THROUGH =>
                {
                    after = (updated_at.0, session_uuid.to_string());
                    at_once *= 2;
                }
                last => break last,
            }
        };
        Ok(Page { items, next })
    }

    async fn conversations_after(
        &self,
        query: &ConversationQuery,
        after: &(i64, String),
        at_once: usize,
    ) -> Result<Vec<Conversation>, StoreError> {
        let (time, at_once) = (time_of(query), i64::try_from(at_once).unwrap_or(i64::MAX));
        let owner = query.owner.as_ref().map(ToString::to_string);
        let rows = match (owner, query.status.map(SessionStatus::as_str)) {
            (None, None) => page!("c.updated_at", "", query, after, time, at_once).fetch_all(&self.readers).await?,
            (None, Some(status)) => {
                page!("c.updated_at", "AND c.status = ?8", query, after, time, at_once, status)
                    .fetch_all(&self.readers)
                    .await?
            }
            (Some(owner), status) => {
                let only = page!(
                    "c.updated_at",
                    "AND c.owner = ?8 AND (?9 IS NULL OR c.status = ?9)",
                    query,
                    after,
                    time,
                    at_once,
                    owner,
                    status
                );
                only.fetch_all(&self.readers).await?
            }
        };
        rows.into_iter().map(Shown::into_conversation).collect()
    }

    /// The conversations whose sessions are active, with what their lives go on from.
    ///
    /// # Errors
    /// When SQLite fails.
    pub async fn active_sessions(&self) -> Result<Vec<StoredSession>, StoreError> {
        let active = sqlx::query_scalar!("SELECT session_uuid FROM conversations WHERE status = 'active'")
            .fetch_all(&self.readers)
            .await?;
        let mut sessions = Vec::with_capacity(active.len());
        for session in active {
            sessions.extend(self.session(session.parse()?).await?);
        }
        Ok(sessions)
    }

    /// One session.
    ///
    /// # Errors
    /// When SQLite fails.
    pub async fn session(&self, session: SessionUuid) -> Result<Option<StoredSession>, StoreError> {
        let Some(conversation) = self.conversation(session).await? else { return Ok(None) };
        let session_uuid = session.to_string();
        let row = sqlx::query!(
            "SELECT relay, transport, protocol_version FROM conversations WHERE session_uuid = ?1",
            session_uuid,
        )
        .fetch_optional(&self.readers)
        .await?;
        Ok(row.map(|row| StoredSession {
            conversation,
            relay: row.relay,
            transport: row.transport,
            protocol_version: row.protocol_version,
        }))
    }

    /// The pending requests of a session, the oldest first.
    ///
    /// # Errors
    /// When SQLite fails.
    pub async fn pending_of(&self, session: SessionUuid) -> Result<Vec<RequestId>, StoreError> {
        let session_uuid = session.to_string();
        let found = sqlx::query_scalar!(
            "SELECT request_id FROM review_requests WHERE session_uuid = ?1 AND status = 'pending' ORDER BY created_at",
            session_uuid,
        )
        .fetch_all(&self.readers)
        .await?;
        found.iter().map(|id| id.parse().map_err(StoreError::Fault)).collect()
    }

    /// Sessions whose identifier begins so, the latest begun first, and how many there are in all; of one owner, where
    /// one is named.
    ///
    /// # Errors
    /// When SQLite fails.
    pub async fn sessions_like(
        &self,
        beginning: &str,
        most: u32,
        owner: Option<&OwnerId>,
    ) -> Result<(Vec<SessionUuid>, u64), StoreError> {
        let (from, to) = range_of(beginning);
        let owner = owner.map(ToString::to_string);
        let found = sqlx::query_scalar!(
            "SELECT session_uuid FROM conversations WHERE session_uuid >= ?1 AND session_uuid < ?2
               AND (?4 IS NULL OR owner = ?4) ORDER BY session_uuid DESC LIMIT ?3",
            from,
            to,
            most,
            owner,
        )
        .fetch_all(&self.readers)
        .await?;
        let count = sqlx::query_scalar!(
            "SELECT count(*) FROM conversations WHERE session_uuid >= ?1 AND session_uuid < ?2
               AND (?3 IS NULL OR owner = ?3)",
            from,
            to,
            owner,
        )
        .fetch_one(&self.readers)
        .await?;
        let found = found.iter().map(|id| id.parse().map_err(StoreError::Fault)).collect::<Result<_, _>>()?;
        Ok((found, u64::try_from(count).unwrap_or(0)))
    }

    /// A page of a conversation's messages in order, the newest page first. Superseded ones are left
    /// out unless they are asked for.
    ///
    /// # Errors
    /// `invalid_cursor` for a place of another list; or when SQLite fails.
    pub async fn messages(
        &self,
        session: SessionUuid,
        older: Option<Place>,
        superseded: bool,
    ) -> Result<Page<Message>, StoreError> {
        let before = match older {
            None => i64::MAX,
            Some(Place::Message(message)) => message,
            Some(Place::Conversation { .. }) => return Err(bad_cursor().into()),
        };
        let session_uuid = session.to_string();
        // Their sizes first: fifty messages may be fifty megabytes.
        let sizes = sqlx::query!(
            r#"SELECT message_id, octet_length(body) AS "bytes!: i64" FROM messages
               WHERE session_uuid = ?1 AND message_id < ?2 AND (?3 OR superseded_by IS NULL)
               ORDER BY message_id DESC LIMIT ?4"#,
            session_uuid,
            before,
            superseded,
            one_more(),
        )
        .fetch_all(&self.readers)
        .await?;
        let mut room = i64::try_from(bounds::PAGE_BYTES).unwrap_or(i64::MAX);
        let mut first = None;
        let mut taken = 0;
        for size in sizes.iter().take(bounds::PAGE_ITEMS) {
            room -= size.bytes;
            if room < 0 && first.is_some() {
                break;
            }
            first = Some(size.message_id);
            taken += 1;
        }
        let Some(first) = first else { return Ok(Page { items: Vec::new(), next: None }) };
        let items = self.messages_between(&session_uuid, first, before, superseded).await?;
        Ok(Page { items, next: (sizes.len() > taken).then_some(Place::Message(first)) })
    }

    /// The messages from `first` on to before `before`, in order.
    async fn messages_between(
        &self,
        session_uuid: &str,
        first: i64,
        before: i64,
        superseded: bool,
    ) -> Result<Vec<Message>, StoreError> {
        let rows = sqlx::query!(
            r#"SELECT m.message_id, m.request_id, m.role, m.body, m.created_at,
                      m.superseded_by IS NOT NULL AS "superseded!: bool", n.note_id IS NOT NULL AS "note!: bool",
                      r.title, r.status, r.diff IS NOT NULL AS "has_diff!: bool",
                      a.decision AS "decision?: String", a.selected AS "selected?: String",
                      a.comments AS "comments?: String", a.answered_from AS "answered_from?: String",
                      a.remarks AS "remarks?: String", a.assurance AS "assurance?: String",
                      a.imported_at AS "imported_at?: i64",
                      n.given_from AS "note_given_from?: String", n.assurance AS "note_assurance?: String",
                      CASE WHEN json_valid(r.permission) THEN r.permission ->> 'form' END AS "form?: String", r.ended,
                      CASE WHEN m.role = 'person' AND json_valid(r.permission) THEN r.permission -> 'rules' END
                          AS "rules?: String"
               FROM messages m
               JOIN review_requests r ON r.request_id = m.request_id
               LEFT JOIN replies a ON a.request_id = m.request_id AND m.role = 'person'
               LEFT JOIN notes n ON n.note_id = m.request_id
               WHERE m.session_uuid = ?1 AND m.message_id >= ?2 AND m.message_id < ?3
                 AND (?4 OR m.superseded_by IS NULL)
               ORDER BY m.message_id"#,
            session_uuid,
            first,
            before,
            superseded,
        )
        .fetch_all(&self.readers)
        .await?;
        let mut messages = Vec::with_capacity(rows.len());
        for row in rows {
            let role = Role::parse(&row.role).ok_or_else(|| StoreError::Unexpected(format!("role {:?}", row.role)))?;
            let asks = role == Role::Agent;
            let status = request_status(&row.status)?;
            let (from, assurance) = match row.note {
                true => (row.note_given_from, row.note_assurance),
                false => (row.answered_from, row.assurance),
            };
            let of = [&row.form, &row.rules, &row.decision, &row.selected, &row.ended].map(Option::as_deref);
            let permission = permission_said(role, of)?;
            messages.push(Message {
                message_id: row.message_id,
                request_id: row.request_id.parse()?,
                role,
                text: row.body,
                created_at: Timestamp(row.created_at),
                superseded: row.superseded,
                note: row.note,
                title: row.title.filter(|_| asks),
                status: asks.then_some(status),
                has_diff: asks && row.has_diff,
                decision: row.decision.as_deref().and_then(Decision::parse),
                selected: row.selected.as_deref().map(from_json).transpose()?.unwrap_or_default(),
                comments: row.comments.as_deref().map(from_json).transpose()?.unwrap_or_default(),
                remarks: row.remarks.as_deref().map(from_json).transpose()?.unwrap_or_default(),
                attachments: Vec::new(),
                answered_from: from.as_deref().and_then(AnsweredFrom::parse),
                assurance: assurance.as_deref().and_then(Assurance::parse),
                imported_at: row.imported_at.map(Timestamp),
                permission: permission.filter(|_| !row.note),
                withheld: None,
            });
        }
        self.add_attachments(&mut messages).await?;
        Ok(messages)
    }

    async fn add_attachments(&self, messages: &mut [Message]) -> Result<(), StoreError> {
        let replies: Vec<RequestId> =
            messages.iter().filter(|message| message.role == Role::Person).map(|message| message.request_id).collect();
        if replies.is_empty() {
            return Ok(());
        }
        for attached in Attached::of_replies(&self.readers, &to_json(&replies)?).await? {
            let request_id = attached.row.request_id;
            let of = |message: &&mut Message| message.role == Role::Person && message.request_id == request_id;
            if let Some(message) = messages.iter_mut().find(of) {
                message.attachments.push(attached.into_attachment());
            }
        }
        Ok(())
    }
}

/// What a message says of the permission question that it belongs to, by what of that the record was read for: the
/// input of one may have megabytes.
pub(crate) fn permission_said(
    role: Role,
    [form, rules, decision, selected, ended]: [Option<&str>; 5],
) -> Result<Option<PermissionSaid>, StoreError> {
    let Some(form) = form.and_then(|form| PermissionForm::ALL.into_iter().find(|each| each.as_str() == form)) else {
        return Ok(None);
    };
    if role == Role::Agent {
        return Ok(Some(PermissionSaid::asked(form, ended.and_then(PermissionEnd::parse))));
    }
    let rules: Vec<PermissionRule> = rules.map(from_json).transpose()?.unwrap_or_default();
    let selected: Vec<String> = selected.map(from_json).transpose()?.unwrap_or_default();
    Ok(PermissionSaid::answered(&rules, decision.and_then(Decision::parse), &selected))
}

/// The identifiers that begin so: from the first on to before the last.
pub(crate) fn range_of(beginning: &str) -> (String, String) {
    // Identifiers are lower case, and `g` comes after every hexadecimal digit and after `-`.
    let from = beginning.to_ascii_lowercase();
    let to = format!("{from}g");
    (from, to)
}
