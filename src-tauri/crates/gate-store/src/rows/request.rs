//! The row of a review request, and a question as it is read with what belongs to it.

use std::borrow::Cow;

use gate_core::proposal::AskedRound;
use gate_core::{
    Ask, Assurance, Choice, Permission, PermissionEnd, QuestionGit, RequestId, RequestStatus, SessionUuid,
};
use sqlx::SqliteExecutor;
use sqlx::sqlite::SqliteConnection;

use super::conversation::Beginning;
use crate::error::StoreError;
use crate::json::{from_json, to_json};
use crate::table::{Instead, Known, Owner, Table, column, identifier, json};

/// A row of `review_requests`. The question's message is a row of `messages`.
#[derive(Debug, Clone)]
pub(crate) struct RequestRow<'a> {
    pub(crate) request_id: RequestId,
    pub(crate) session_uuid: SessionUuid,
    pub(crate) status: RequestStatus,
    pub(crate) ask: Cow<'a, Ask>,
    pub(crate) created_at: i64,
    pub(crate) closed_at: Option<i64>,
    /// The digest of who asks and of everything asked.
    pub(crate) question: Option<Cow<'a, str>>,
    pub(crate) snoozed_at: Option<i64>,
    pub(crate) snoozed_until: Option<i64>,
    /// Why a permission question ended without an answer.
    pub(crate) ended: Option<PermissionEnd>,
}

macro_rules! insert {
    ($row:expr, $conflict:literal) => {{
        let RequestRow {
            request_id,
            session_uuid,
            status,
            ask,
            created_at,
            closed_at,
            question,
            snoozed_at,
            snoozed_until,
            ended,
        } = $row;
        let Ask {
            message: _,
            title,
            context,
            urgent,
            options,
            allow_multiple,
            approval,
            diff,
            git,
            require,
            permission,
            round,
        } = ask.as_ref();
        let (request_id, session_uuid) = (request_id.to_string(), session_uuid.to_string());
        let (status, options) = (status.as_str(), to_json(options)?);
        let git = git.as_deref().map(to_json).transpose()?;
        let require = require.map(Assurance::as_str);
        let permission = permission.as_deref().map(to_json).transpose()?;
        let round = round.as_deref().map(to_json).transpose()?;
        let ended = ended.map(PermissionEnd::as_str);
        sqlx::query!(
            "INSERT INTO review_requests (request_id, session_uuid, status, title, context, urgent, options,
                                          allow_multiple, approval, diff, created_at, closed_at, question,
                                          snoozed_at, snoozed_until, git, require, permission, ended, round)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20)"
                + $conflict,
            request_id,
            session_uuid,
            status,
            title,
            context,
            urgent,
            options,
            allow_multiple,
            approval,
            diff,
            created_at,
            closed_at,
            question,
            snoozed_at,
            snoozed_until,
            git,
            require,
            permission,
            ended,
            round,
        )
    }};
}

impl RequestRow<'_> {
    /// Its table.
    pub(crate) const TABLE: Table = Table {
        name: "review_requests",
        columns: &[
            identifier("request_id"),
            identifier("session_uuid"),
            column("status"),
            column("title"),
            column("context"),
            column("urgent"),
            json::<Vec<Choice>>("options", Instead::Text("[]")),
            column("allow_multiple"),
            column("approval"),
            column("diff"),
            column("created_at"),
            column("closed_at"),
            column("question"),
            column("snoozed_at"),
            column("snoozed_until"),
            json::<QuestionGit>("git", Instead::Null),
            column("require"),
            json::<Permission>("permission", Instead::Null),
            column("ended"),
            json::<AskedRound>("round", Instead::Null),
        ],
        owner: Owner::Conversation,
        known: Known::Changed(
            "(request_id) DO UPDATE SET status = excluded.status, closed_at = excluded.closed_at, ended = excluded.ended
             WHERE review_requests.status = 'pending' AND excluded.status <> 'pending'",
        ),
    };

    /// Stores a new one.
    ///
    /// # Errors
    /// When SQLite fails, as it does where there is one already.
    pub(crate) async fn insert(&self, to: &mut SqliteConnection) -> Result<(), StoreError> {
        insert!(self, "").execute(to).await?;
        Ok(())
    }

    /// Stores it in the place of the one that is there.
    ///
    /// # Errors
    /// When SQLite fails.
    pub(crate) async fn put_back(&self, to: &mut SqliteConnection) -> Result<(), StoreError> {
        insert!(
            self,
            " ON CONFLICT (request_id) DO UPDATE SET session_uuid = excluded.session_uuid, status = excluded.status,
                  title = excluded.title, context = excluded.context, urgent = excluded.urgent,
                  options = excluded.options, allow_multiple = excluded.allow_multiple,
                  approval = excluded.approval, diff = excluded.diff, created_at = excluded.created_at,
                  closed_at = excluded.closed_at, question = excluded.question, snoozed_at = excluded.snoozed_at,
                  snoozed_until = excluded.snoozed_until, git = excluded.git, require = excluded.require,
                  permission = excluded.permission, ended = excluded.ended, round = excluded.round"
        )
        .execute(to)
        .await?;
        Ok(())
    }
}

/// A question with its message, and what its conversation began with.
#[derive(Debug)]
pub(crate) struct Question {
    pub(crate) row: RequestRow<'static>,
    pub(crate) beginning: Beginning<'static>,
}

/// Reads questions, their contexts and diffs where `$whole` is true.
macro_rules! questions {
    ($whole:literal, $tail:literal $(, $argument:expr)*) => {
        sqlx::query!(
            r#"SELECT r.request_id, r.session_uuid, r.status, r.title, r.urgent, r.options, r.allow_multiple,
                      r.approval, r.created_at, r.closed_at, r.question, r.snoozed_at, r.snoozed_until, r.git,
                      r.require, r.permission, r.ended, r.round,
                      CASE WHEN ?1 THEN r.context END AS "context: String",
                      CASE WHEN ?1 THEN r.diff END AS "diff: String",
                      m.body AS message, c.client, c.client_version, c.workspace, c.title AS headline,
                      c.created_at AS began_at, c.transport, c.protocol_version, c.capabilities, c.token_name
               FROM review_requests r
               JOIN messages m ON m.request_id = r.request_id AND m.role = 'agent'
               JOIN conversations c ON c.session_uuid = r.session_uuid "#
                + $tail,
            $whole
            $(, $argument)*
        )
        .map(|row| -> Result<Question, StoreError> {
            let session_uuid = row.session_uuid.parse()?;
            let ask = Ask {
                message: row.message,
                title: row.title,
                context: row.context,
                urgent: row.urgent != 0,
                options: from_json(&row.options)?,
                allow_multiple: row.allow_multiple != 0,
                approval: row.approval != 0,
                diff: row.diff,
                git: row.git.as_deref().map(from_json).transpose()?,
                require: row.require.as_deref().map(level).transpose()?,
                permission: row.permission.as_deref().map(from_json).transpose()?,
                round: row.round.as_deref().map(from_json).transpose()?,
            };
            Ok(Question {
                row: RequestRow {
                    request_id: row.request_id.parse()?,
                    session_uuid,
                    status: request_status(&row.status)?,
                    ask: Cow::Owned(ask),
                    created_at: row.created_at,
                    closed_at: row.closed_at,
                    question: row.question.map(Into::into),
                    snoozed_at: row.snoozed_at,
                    snoozed_until: row.snoozed_until,
                    // It says more of what is over: a word that nobody knows takes nothing else away.
                    ended: row.ended.as_deref().and_then(PermissionEnd::parse),
                },
                beginning: Beginning {
                    session_uuid,
                    client: row.client.into(),
                    client_version: row.client_version.into(),
                    workspace: row.workspace.into(),
                    title: row.headline.into(),
                    created_at: row.began_at,
                    transport: row.transport.map(Into::into),
                    protocol_version: row.protocol_version.map(Into::into),
                    capabilities: row.capabilities.map(Into::into),
                    token_name: row.token_name.map(Into::into),
                },
            })
        })
    };
}

impl Question {
    /// The question of a request; absent where there is none, as for a note.
    ///
    /// # Errors
    /// When SQLite fails, or the row isn't one that this program writes.
    pub(crate) async fn read<'c>(
        from: impl SqliteExecutor<'c>,
        request: RequestId,
    ) -> Result<Option<Self>, StoreError> {
        let request_id = request.to_string();
        questions!(true, "WHERE r.request_id = ?2", request_id).fetch_optional(from).await?.transpose()
    }

    /// The pending ones without their diffs and contexts: urgent ones first, then the oldest.
    ///
    /// # Errors
    /// As for [`Question::read`].
    pub(crate) async fn pending<'c>(from: impl SqliteExecutor<'c>) -> Result<Vec<Self>, StoreError> {
        let found = questions!(false, "WHERE r.status = 'pending' ORDER BY r.urgent DESC, r.created_at, r.request_id");
        found.fetch_all(from).await?.into_iter().collect()
    }
}

/// A level, as it is stored.
fn level(text: &str) -> Result<Assurance, StoreError> {
    Assurance::parse(text).ok_or_else(|| StoreError::Unexpected(format!("level {text:?}")))
}

/// The word for where a request stands, as it is stored.
pub(crate) fn request_status(text: &str) -> Result<RequestStatus, StoreError> {
    RequestStatus::parse(text).ok_or_else(|| StoreError::Unexpected(format!("request status {text:?}")))
}
