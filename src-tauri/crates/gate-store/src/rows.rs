//! Rows as their tables have them, where more than one place writes or reads them whole: questions that are
//! asked, imported, put back. A column stands once in the statement that writes its table and once in that
//! which reads it. Times are milliseconds since the Unix epoch.
//!
//! Knows no rules: what may be stored is its callers' to say.

mod attachment;
mod checkpoint;
mod conversation;
mod message;
mod reply;
mod request;

pub(crate) use attachment::{Attached, AttachmentRow, BlobRow};
pub(crate) use checkpoint::{CheckpointRow, RestoreRow};
pub(crate) use conversation::{Beginning, ConversationRow};
pub(crate) use message::MessageRow;
pub(crate) use reply::{Answer, ReplyRow, Stand};
pub(crate) use request::{Question, RequestRow, request_status};

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use gate_core::proposal::{AskedRound, ReviewId};
    use gate_core::{
        AnsweredFrom, Ask, Assurance, AttachmentId, Choice, Decision, Digest, LineComment, Oid, Owner, Permission,
        PermissionForm, PermissionQuestion, Process, QuestionGit, Remark, RequestId, RequestStatus, RestoreId, Role,
        SessionStatus, SessionUuid, Side,
    };
    use sqlx::sqlite::SqliteConnection;
    use sqlx::{AssertSqlSafe, Executor as _};
    use uuid::Uuid;

    use super::*;
    use crate::schema::fresh_schema;

    type Outcome = Result<(), Box<dyn std::error::Error>>;

    const SESSION: SessionUuid = SessionUuid(Uuid::from_u128(1));
    const OTHER_SESSION: SessionUuid = SessionUuid(Uuid::from_u128(2));
    const REQUEST: RequestId = RequestId(Uuid::from_u128(3));
    const OTHER_REQUEST: RequestId = RequestId(Uuid::from_u128(4));

    fn conversation() -> ConversationRow<'static> {
        let beginning = Beginning {
            session_uuid: SESSION,
            client: "client".into(),
            client_version: "1".into(),
            workspace: "/w".into(),
            title: "title".into(),
            created_at: 1,
            transport: Some("http".into()),
            protocol_version: Some("2".into()),
            capabilities: Some("{}".into()),
            token_name: Some("token".into()),
        };
        let owner = Owner::of_process(Process { pid: 1, began: "then".to_owned() }, "client", "/w");
        ConversationRow {
            beginning,
            status: SessionStatus::Active,
            updated_at: 2,
            relay: Some("relay".into()),
            owner: Some(Cow::Owned(owner)),
        }
    }

    fn oid(digits: &str) -> Oid {
        Oid::try_from(digits.repeat(20)).expect("a name has 40 digits")
    }

    fn permission() -> Permission {
        let (tool, input) = ("Bash".to_owned(), r#"{"command":"ls"}"#.to_owned());
        let question = PermissionQuestion::new(PermissionForm::ClaudeHook, tool, input);
        PermissionQuestion { folder: "/w".to_owned(), ..question }.permission().expect("it is a question")
    }

    fn request() -> RequestRow<'static> {
        let ask = Ask {
            message: "message".to_owned(),
            title: Some("title".to_owned()),
            context: Some("context".to_owned()),
            urgent: true,
            options: vec![Choice { label: "a".to_owned(), description: None, recommended: false }],
            allow_multiple: true,
            approval: true,
            diff: Some("diff".to_owned()),
            git: Some(Box::new(QuestionGit {
                repository: "/w".to_owned(),
                what: "staged".to_owned(),
                base: None,
                base_tree: oid("1a"),
                commit: None,
                tree: oid("2b"),
                manifest: Digest::of_bytes(b"manifest"),
            })),
            require: Some(Assurance::L3),
            permission: Some(Box::new(permission())),
            round: Some(Box::new(AskedRound {
                review_id: ReviewId(Uuid::from_u128(7)),
                round: 1,
                manifest: "{}".to_owned(),
            })),
        };
        RequestRow {
            request_id: REQUEST,
            session_uuid: SESSION,
            status: RequestStatus::Answered,
            ask: Cow::Owned(ask),
            created_at: 1,
            closed_at: Some(2),
            question: Some("digest".into()),
            snoozed_at: Some(3),
            snoozed_until: Some(4),
            ended: Some(gate_core::PermissionEnd::TimeOver),
        }
    }

    fn message() -> MessageRow<'static> {
        MessageRow {
            session_uuid: SESSION,
            request_id: REQUEST,
            role: Role::Person,
            body: "body".into(),
            created_at: 1,
            superseded_by: Some(RestoreId(Uuid::from_u128(5))),
        }
    }

    fn reply() -> ReplyRow<'static> {
        let comment = LineComment { file: "f".into(), start_line: None, line: 1, side: Side::New, body: "b".into() };
        ReplyRow {
            request_id: REQUEST,
            decision: Some(Decision::Approved),
            selected: vec!["a".to_owned()].into(),
            comments: vec![comment].into(),
            remarks: vec![Remark { quote: "q".into(), body: "b".into() }].into(),
            answered_at: 1,
            answered_from: AnsweredFrom::Desktop,
            assurance: Assurance::L1,
            delivered_at: Some(2),
            imported_at: Some(3),
        }
    }

    fn attachment() -> AttachmentRow<'static> {
        AttachmentRow {
            attachment_id: AttachmentId(Uuid::from_u128(6)),
            request_id: REQUEST,
            sha256: "sha256".into(),
            name: "name".into(),
            mime_type: "type".into(),
            position: Some(0),
            created_at: 1,
        }
    }

    fn checkpoint() -> CheckpointRow {
        CheckpointRow {
            checkpoint_id: "id".to_owned(),
            session_uuid: "session".to_owned(),
            name: "name".to_owned(),
            description: Some("description".to_owned()),
            message_id: 1,
            messages: 1,
            visible: "[]".to_owned(),
            progress: Some("{}".to_owned()),
            call_key: Some("call".to_owned()),
            created_at: 1,
        }
    }

    fn restore() -> RestoreRow {
        RestoreRow {
            restore_id: "id".to_owned(),
            session_uuid: "session".to_owned(),
            checkpoint_id: "checkpoint".to_owned(),
            superseded: 1,
            visible_before: Some("[]".to_owned()),
            progress_before: Some("{}".to_owned()),
            call_key: Some("call".to_owned()),
            restored_at: 1,
            undone_at: Some(2),
        }
    }

    /// A fresh record, in which rows may refer to what isn't there.
    async fn fresh() -> Result<SqliteConnection, Box<dyn std::error::Error>> {
        let mut connection = fresh_schema().await?;
        connection.execute("PRAGMA foreign_keys = OFF").await?;
        Ok(connection)
    }

    /// The columns of the only row of a table, with their values and their defaults as SQL writes them.
    async fn stored(
        connection: &mut SqliteConnection,
        table: &str,
    ) -> Result<Vec<(String, String, String)>, sqlx::Error> {
        let columns: Vec<(String, Option<String>)> =
            sqlx::query_as("SELECT name, dflt_value FROM pragma_table_info(?1)")
                .bind(table)
                .fetch_all(&mut *connection)
                .await?;
        let mut stored = Vec::new();
        for (column, default) in columns {
            let value = sqlx::query_scalar(AssertSqlSafe(format!("SELECT quote({column}) FROM {table}")));
            let value = value.fetch_one(&mut *connection).await?;
            stored.push((format!("{table}.{column}"), value, default.unwrap_or_else(|| "NULL".to_owned())));
        }
        Ok(stored)
    }

    #[tokio::test]
    async fn a_row_is_stored_with_all_its_columns() -> Outcome {
        let mut connection = fresh().await?;
        conversation().insert(&mut connection).await?;
        request().insert(&mut connection).await?;
        message().insert(&mut connection).await?;
        reply().insert(&mut connection).await?;
        BlobRow { sha256: "sha256", bytes: b"bytes" }.insert_missing(&mut connection).await?;
        attachment().insert(&mut connection).await?;
        checkpoint().insert(&mut connection).await?;
        restore().insert(&mut connection).await?;
        let mut left_out = Vec::new();
        for table in [
            "conversations",
            "review_requests",
            "messages",
            "replies",
            "blobs",
            "attachments",
            "checkpoints",
            "restores",
        ] {
            let columns = stored(&mut connection, table).await?;
            left_out.extend(columns.into_iter().filter(|(_, value, default)| value == default).map(|(name, ..)| name));
        }
        // A message counts itself; which messages hold is known when their numbers are.
        assert_eq!(left_out, ["conversations.visible"], "no other column is forgotten when a row is stored");
        Ok(())
    }

    #[tokio::test]
    async fn a_row_that_is_put_back_takes_the_place_of_the_one_that_is_there() -> Outcome {
        let mut whole = fresh().await?;
        let mut changed = fresh().await?;
        let other = RequestRow {
            request_id: REQUEST,
            session_uuid: OTHER_SESSION,
            status: RequestStatus::Pending,
            ask: Cow::Owned(Ask::default()),
            created_at: 9,
            closed_at: None,
            question: None,
            snoozed_at: None,
            snoozed_until: None,
            ended: None,
        };
        other.insert(&mut changed).await?;
        let other = MessageRow {
            session_uuid: OTHER_SESSION,
            request_id: REQUEST,
            role: Role::Person,
            body: "other".into(),
            created_at: 9,
            superseded_by: None,
        };
        other.insert(&mut changed).await?;
        let other = ReplyRow {
            request_id: REQUEST,
            decision: None,
            selected: Vec::new().into(),
            comments: Vec::new().into(),
            remarks: Vec::new().into(),
            answered_at: 9,
            answered_from: AnsweredFrom::Script,
            assurance: Assurance::L0,
            delivered_at: None,
            imported_at: None,
        };
        other.insert(&mut changed).await?;
        let other = AttachmentRow {
            attachment_id: attachment().attachment_id,
            request_id: OTHER_REQUEST,
            sha256: "other".into(),
            name: "other".into(),
            mime_type: "other".into(),
            position: None,
            created_at: 9,
        };
        other.insert(&mut changed).await?;
        BlobRow { sha256: "sha256", bytes: b"other bytes" }.insert_missing(&mut changed).await?;

        request().insert(&mut whole).await?;
        message().insert(&mut whole).await?;
        reply().insert(&mut whole).await?;
        attachment().insert(&mut whole).await?;
        for connection in [&mut whole, &mut changed] {
            request().put_back(connection).await?;
            message().put_back(connection).await?;
            reply().put_back(connection).await?;
            attachment().put_back(connection).await?;
            BlobRow { sha256: "sha256", bytes: b"bytes" }.put_back(connection).await?;
        }
        let mut differing = Vec::new();
        for table in ["review_requests", "messages", "replies", "attachments", "blobs"] {
            let pairs = stored(&mut whole, table).await?.into_iter().zip(stored(&mut changed, table).await?);
            differing.extend(pairs.filter(|(one, other)| one != other).map(|((name, ..), _)| name));
        }
        let kept = ["messages.superseded_by", "replies.delivered_at"];
        assert_eq!(differing, kept, "all that is put back is as it was, and what came after it stays");
        Ok(())
    }
}
