//! The tables of the record: the columns of each, and what becomes of its rows when a damaged record is
//! put together again. A test compares them with the schema that the migrations make.

use crate::rows::{
    AttachmentRow, BlobRow, CheckpointRow, ConversationRow, MessageRow, ReplyRow, RequestRow, RestoreRow,
};

/// A table.
#[derive(Debug)]
pub(crate) struct Table {
    pub(crate) name: &'static str,
    /// In the schema's order.
    pub(crate) columns: &'static [&'static str],
    pub(crate) known: Known,
    /// Columns to do without where the whole row doesn't fit.
    pub(crate) dispensable: &'static [&'static str],
}

/// What a row of the damaged file does to the backup's of the same key: it is later where both are sound.
#[derive(Debug)]
pub(crate) enum Known {
    /// Nothing.
    Stays,
    /// It takes its place, where the condition holds.
    Replaced { key: &'static str, when: &'static str },
    /// What stands behind `ON CONFLICT`.
    Changed(&'static str),
}

impl Known {
    /// What stands behind `ON CONFLICT` for a table of these columns.
    pub(crate) fn clause(&self, columns: &[&str]) -> String {
        match self {
            Self::Stays => "DO NOTHING".to_owned(),
            Self::Changed(clause) => (*clause).to_owned(),
            Self::Replaced { key, when } => {
                let others = columns.iter().filter(|column| *column != key);
                let values: Vec<_> = others.map(|column| format!("{column} = excluded.{column}")).collect();
                format!("({key}) DO UPDATE SET {} WHERE {when}", values.join(", "))
            }
        }
    }
}

const fn table(name: &'static str, columns: &'static [&'static str], known: Known) -> Table {
    Table { name, columns, known, dispensable: &[] }
}

/// Every table whose rows are the record, those that others refer to first.
pub(crate) const TABLES: [Table; 19] = [
    table(
        "conversations",
        ConversationRow::COLUMNS,
        Known::Changed(
            "(session_uuid) DO UPDATE SET status = excluded.status, relay = excluded.relay,
                 title = CASE WHEN excluded.title = '' THEN conversations.title ELSE excluded.title END,
                 updated_at = excluded.updated_at
             WHERE excluded.updated_at > conversations.updated_at",
        ),
    ),
    table(
        "review_requests",
        RequestRow::COLUMNS,
        Known::Changed(
            "(request_id) DO UPDATE SET status = excluded.status, closed_at = excluded.closed_at
             WHERE review_requests.status = 'pending' AND excluded.status <> 'pending'",
        ),
    ),
    table("checkpoints", CheckpointRow::COLUMNS, Known::Stays),
    table(
        "restores",
        RestoreRow::COLUMNS,
        Known::Changed(
            "(restore_id) DO UPDATE SET undone_at = excluded.undone_at
             WHERE restores.undone_at IS NULL AND excluded.undone_at IS NOT NULL",
        ),
    ),
    Table {
        name: "messages",
        columns: MessageRow::COLUMNS,
        known: Known::Changed(
            "(message_id) DO UPDATE SET superseded_by = excluded.superseded_by
             WHERE messages.request_id = excluded.request_id AND messages.role = excluded.role
               AND messages.superseded_by IS NOT excluded.superseded_by",
        ),
        dispensable: &["message_id", "superseded_by"],
    },
    table(
        "notes",
        &["note_id", "session_uuid", "delivered_at"],
        Known::Changed(
            "(note_id) DO UPDATE SET delivered_at = excluded.delivered_at
             WHERE notes.delivered_at IS NULL AND excluded.delivered_at IS NOT NULL",
        ),
    ),
    table("calls", &["call_key", "request_id", "gives_reply", "created_at"], Known::Stays),
    table(
        "drafts",
        &["request_id", "draft", "updated_at"],
        Known::Replaced { key: "request_id", when: "excluded.updated_at > drafts.updated_at" },
    ),
    table("blobs", BlobRow::COLUMNS, Known::Stays),
    table(
        "attachments",
        AttachmentRow::COLUMNS,
        Known::Changed(
            "(attachment_id) DO UPDATE SET position = excluded.position
             WHERE attachments.position IS NULL AND excluded.position IS NOT NULL",
        ),
    ),
    table(
        "replies",
        ReplyRow::COLUMNS,
        Known::Changed(
            "(request_id) DO UPDATE SET delivered_at = excluded.delivered_at
             WHERE replies.delivered_at IS NULL AND excluded.delivered_at IS NOT NULL",
        ),
    ),
    table(
        "tokens",
        &["name", "sha256", "created_at", "used_at", "revoked_at"],
        Known::Replaced {
            key: "name",
            when: "excluded.created_at > tokens.created_at
                   OR (excluded.created_at = tokens.created_at AND tokens.revoked_at IS NULL)",
        },
    ),
    table("http_sessions", &["session_id", "initialize", "created_at", "used_at"], Known::Stays),
    table(
        "progress",
        &["session_uuid", "percent", "status_message", "step_name", "steps", "updated_at"],
        Known::Replaced { key: "session_uuid", when: "excluded.updated_at > progress.updated_at" },
    ),
    table(
        "presence",
        &["row", "away_since", "by_itself", "do_not_disturb", "quiet_until"],
        Known::Replaced { key: "row", when: "true" },
    ),
    table(
        "snippets",
        &["snippet_id", "name", "key", "text", "uses", "used_at", "changed_at"],
        Known::Replaced {
            key: "snippet_id",
            when: "excluded.changed_at > snippets.changed_at OR excluded.uses > snippets.uses",
        },
    ),
    table(
        "setting_changes",
        &[
            "change_id",
            "save_id",
            "key",
            "from_value",
            "to_value",
            "changed_by",
            "client",
            "session_uuid",
            "changed_at",
            "undone_at",
        ],
        Known::Changed(
            "(change_id) DO UPDATE SET undone_at = excluded.undone_at
             WHERE setting_changes.undone_at IS NULL AND excluded.undone_at IS NOT NULL",
        ),
    ),
    table(
        "prompt_versions",
        &["version_id", "prompt_id", "origin", "format", "cause", "text", "sha256", "commit_id", "seen_at"],
        Known::Stays,
    ),
    Table {
        name: "prompt_uses",
        columns: &["use_id", "prompt_id", "client", "workspace", "used_at", "request_id"],
        known: Known::Changed(
            "(use_id) DO UPDATE SET request_id = excluded.request_id
             WHERE prompt_uses.request_id IS NULL AND excluded.request_id IS NOT NULL",
        ),
        dispensable: &["request_id"],
    },
];

/// Tables whose rows aren't copied into a record that is put together again, with the reason.
#[cfg(test)]
const LEFT_OUT: [(&str, &str); 3] = [
    ("_sqlx_migrations", "the new record is migrated by this program"),
    ("record", "the new record is another one, and its full-text index is made anew"),
    ("sqlite_sequence", "SQLite keeps it as rows come with their numbers"),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use sqlx::AssertSqlSafe;

    use super::*;
    use crate::schema::fresh_schema;

    type Outcome = Result<(), Box<dyn std::error::Error>>;

    #[tokio::test]
    async fn every_table_is_declared_with_its_columns_or_left_out_with_a_reason() -> Outcome {
        let mut connection = fresh_schema().await?;
        let found: Vec<(String, String)> = sqlx::query_as(
            "SELECT t.name, c.name FROM sqlite_schema t JOIN pragma_table_info(t.name) c
             WHERE t.type = 'table' ORDER BY t.name, c.cid",
        )
        .fetch_all(&mut connection)
        .await?;
        let mut schema = BTreeMap::<String, Vec<String>>::new();
        for (table, column) in found {
            schema.entry(table).or_default().push(column);
        }
        for (name, reason) in LEFT_OUT {
            assert!(schema.remove(name).is_some(), "{name}, left out since {reason}, is a table");
        }
        let mut declared = BTreeMap::new();
        for table in &TABLES {
            let columns: Vec<_> = table.columns.iter().map(|column| (*column).to_owned()).collect();
            assert!(declared.insert(table.name.to_owned(), columns).is_none(), "{} is declared once", table.name);
        }
        assert_eq!(declared, schema, "what isn't declared is lost when a damaged record is put together again");
        Ok(())
    }

    #[tokio::test]
    async fn a_table_comes_behind_those_that_it_refers_to() -> Outcome {
        let mut connection = fresh_schema().await?;
        for (place, table) in TABLES.iter().enumerate() {
            let parents: Vec<String> = sqlx::query_scalar("SELECT \"table\" FROM pragma_foreign_key_list(?1)")
                .bind(table.name)
                .fetch_all(&mut connection)
                .await?;
            for parent in parents {
                let before = TABLES.iter().take(place).any(|earlier| earlier.name == parent);
                assert!(before, "a row of {} doesn't fit before its row of {parent} is there", table.name);
            }
        }
        Ok(())
    }

    #[tokio::test]
    async fn what_a_known_row_is_changed_by_can_be_written() -> Outcome {
        let mut connection = fresh_schema().await?;
        for table in &TABLES {
            let (name, columns) = (table.name, table.columns.join(", "));
            let statement = format!(
                "EXPLAIN INSERT INTO {name} ({columns}) SELECT {columns} FROM {name} WHERE true ON CONFLICT {}",
                table.known.clause(table.columns)
            );
            sqlx::query(AssertSqlSafe(statement)).execute(&mut connection).await?;
            for column in table.dispensable {
                assert!(table.columns.contains(column), "{column} is a column of {name}");
            }
        }
        Ok(())
    }
}
