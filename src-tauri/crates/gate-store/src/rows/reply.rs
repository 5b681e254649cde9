//! The row of a reply, and where a request stands with it.

use std::borrow::Cow;

use gate_core::{
    AnsweredFrom, Assurance, Decision, GitTrees, LineComment, QuestionGit, Remark, RequestId, RequestKind,
    RequestStatus, SessionUuid,
};
use sqlx::SqliteExecutor;
use sqlx::sqlite::SqliteConnection;

use super::request::request_status;
use crate::error::StoreError;
use crate::json::{from_json, to_json};
use crate::table::{Instead, Known, Owner, Table, column, identifier, json};

/// A row of `replies`. The reply's text is a row of `messages`.
#[derive(Debug, Clone)]
pub(crate) struct ReplyRow<'a> {
    pub(crate) request_id: RequestId,
    pub(crate) decision: Option<Decision>,
    pub(crate) selected: Cow<'a, [String]>,
    pub(crate) comments: Cow<'a, [LineComment]>,
    pub(crate) remarks: Cow<'a, [Remark]>,
    pub(crate) answered_at: i64,
    pub(crate) answered_from: AnsweredFrom,
    pub(crate) assurance: Assurance,
    pub(crate) delivered_at: Option<i64>,
    pub(crate) imported_at: Option<i64>,
}

macro_rules! insert {
    ($row:expr, $conflict:literal) => {{
        let ReplyRow {
            request_id,
            decision,
            selected,
            comments,
            remarks,
            answered_at,
            answered_from,
            assurance,
            delivered_at,
            imported_at,
        } = $row;
        let (request_id, decision) = (request_id.to_string(), decision.map(Decision::as_str));
        let (selected, comments, remarks) = (to_json(selected)?, to_json(comments)?, to_json(remarks)?);
        let (answered_from, assurance) = (answered_from.as_str(), assurance.as_str());
        sqlx::query!(
            "INSERT INTO replies (request_id, decision, selected, comments, answered_at, answered_from, delivered_at,
                                  remarks, assurance, imported_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)"
                + $conflict,
            request_id,
            decision,
            selected,
            comments,
            answered_at,
            answered_from,
            delivered_at,
            remarks,
            assurance,
            imported_at,
        )
    }};
}

impl ReplyRow<'_> {
    /// Its table.
    pub(crate) const TABLE: Table = Table {
        name: "replies",
        columns: &[
            identifier("request_id"),
            column("decision"),
            json::<Vec<String>>("selected", Instead::Nothing),
            json::<Vec<LineComment>>("comments", Instead::Nothing),
            column("answered_at"),
            column("answered_from"),
            column("delivered_at"),
            json::<Vec<Remark>>("remarks", Instead::Nothing),
            column("assurance").dispensable(),
            column("imported_at"),
        ],
        owner: Owner::Request,
        known: Known::Changed(
            "(request_id) DO UPDATE SET delivered_at = excluded.delivered_at
             WHERE replies.delivered_at IS NULL AND excluded.delivered_at IS NOT NULL",
        ),
    };

    /// Stores a new one.
    ///
    /// # Errors
    /// When SQLite fails, as it does where the request has one already.
    pub(crate) async fn insert(&self, to: &mut SqliteConnection) -> Result<(), StoreError> {
        insert!(self, "").execute(to).await?;
        Ok(())
    }

    /// Stores it in the place of the one that is there. When an agent had that stays.
    ///
    /// # Errors
    /// When SQLite fails.
    pub(crate) async fn put_back(&self, to: &mut SqliteConnection) -> Result<(), StoreError> {
        insert!(
            self,
            " ON CONFLICT (request_id) DO UPDATE SET decision = excluded.decision, selected = excluded.selected,
                  comments = excluded.comments, answered_at = excluded.answered_at,
                  answered_from = excluded.answered_from, remarks = excluded.remarks,
                  assurance = excluded.assurance, imported_at = excluded.imported_at"
        )
        .execute(to)
        .await?;
        Ok(())
    }
}

/// Where a request stands, with its reply.
#[derive(Debug)]
pub(crate) struct Stand {
    pub(crate) session_uuid: SessionUuid,
    pub(crate) status: RequestStatus,
    pub(crate) approval: bool,
    /// What kind of question it is.
    pub(crate) kind: RequestKind,
    /// What of a repository the question shows.
    pub(crate) git: Option<GitTrees>,
    pub(crate) answer: Option<Answer>,
}

/// A reply with its text.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) row: ReplyRow<'static>,
    pub(crate) text: String,
    /// Whether it has attachments.
    pub(crate) attached: bool,
}

impl Stand {
    /// Where a request stands; absent where there is none, as for a note.
    ///
    /// # Errors
    /// When SQLite fails, or the row isn't one that this program writes.
    pub(crate) async fn read<'c>(
        from: impl SqliteExecutor<'c>,
        request: RequestId,
    ) -> Result<Option<Self>, StoreError> {
        let request_id = request.to_string();
        // One statement, since each costs two changes of thread: an agent that reads again is quick.
        let row = sqlx::query!(
            r#"SELECT q.session_uuid, q.status, q.approval, q.git,
                      q.permission IS NOT NULL AS "permission!: bool", q.round IS NOT NULL AS "round!: bool",
                      r.decision AS "decision?: String", r.selected AS "selected?: String",
                      r.comments AS "comments?: String", r.answered_at AS "answered_at?: i64",
                      r.answered_from AS "answered_from?: String", r.delivered_at AS "delivered_at?: i64",
                      r.remarks AS "remarks?: String", r.assurance AS "assurance?: String",
                      r.imported_at AS "imported_at?: i64",
                      m.body AS "body?: String",
                      EXISTS (SELECT 1 FROM attachments a
                              WHERE a.request_id = q.request_id AND a.position IS NOT NULL) AS "attached!: bool"
               FROM review_requests q
               LEFT JOIN replies r ON r.request_id = q.request_id
               LEFT JOIN messages m ON m.request_id = q.request_id AND m.role = 'person'
               WHERE q.request_id = ?1 AND NOT EXISTS (SELECT 1 FROM notes n WHERE n.note_id = q.request_id)"#,
            request_id,
        )
        .fetch_optional(from)
        .await?;
        let Some(row) = row else { return Ok(None) };
        let stored = (row.selected, row.comments, row.remarks, row.answered_at, row.answered_from, row.body);
        let answer = match stored {
            (Some(selected), Some(comments), Some(remarks), Some(answered_at), Some(answered_from), Some(text)) => {
                Some(Answer {
                    row: ReplyRow {
                        request_id: request,
                        decision: row.decision.as_deref().map(decision).transpose()?,
                        selected: Cow::Owned(from_json(&selected)?),
                        comments: Cow::Owned(from_json(&comments)?),
                        remarks: Cow::Owned(from_json(&remarks)?),
                        answered_at,
                        answered_from: AnsweredFrom::parse(&answered_from)
                            .ok_or_else(|| StoreError::Unexpected(format!("origin {answered_from:?}")))?,
                        // A level that this program doesn't know is no surer than the least.
                        assurance: row.assurance.as_deref().and_then(Assurance::parse).unwrap_or_default(),
                        delivered_at: row.delivered_at,
                        imported_at: row.imported_at,
                    },
                    text,
                    attached: row.attached,
                })
            }
            _ => None,
        };
        Ok(Some(Self {
            session_uuid: row.session_uuid.parse()?,
            status: request_status(&row.status)?,
            approval: row.approval != 0,
            kind: match (row.permission, row.round) {
                (true, _) => RequestKind::Permission,
                (false, true) => RequestKind::Round,
                (false, false) => RequestKind::Chat,
            },
            git: row.git.as_deref().map(from_json::<QuestionGit>).transpose()?.map(|git| git.trees()),
            answer,
        }))
    }
}

fn decision(text: &str) -> Result<Decision, StoreError> {
    Decision::parse(text).ok_or_else(|| StoreError::Unexpected(format!("decision {text:?}")))
}
