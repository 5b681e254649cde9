//! The subjects of the record, each with its statements and its tables.
//!
//! A table that isn't listed here is lost when a damaged record is put together again; a test compares the
//! list with the schema that the migrations make.

mod acts;
mod askers;
pub(crate) mod attachments;
mod checkpoints;
pub(crate) mod conversations;
pub(crate) mod drafts;
mod events;
mod filters;
mod http_sessions;
pub(crate) mod notes;
mod numbers;
mod owners;
mod parties;
mod presence;
pub(crate) mod progress;
mod prompt_uses;
mod prompts;
pub(crate) mod receipts;
mod replies;
mod requests;
pub(crate) mod reviews;
mod seen;
mod setting_changes;
mod snippets;
mod snoozes;
mod tokens;
pub(crate) mod workflow;

pub use checkpoints::{Doing, StoredCheckpoint};
pub(crate) use conversations::permission_said;
pub use conversations::{NewSession, StoredSession};
pub use notes::delivered as note_is_delivered;
pub use owners::Owned;
pub use prompt_uses::{PromptCount, StoredPromptUse};
pub use prompts::{StoredDeletedPrompt, StoredPromptChange, StoredPromptVersion};
pub use receipts::{ReceiptsKnown, StoredAbout};
pub use replies::{ReplyMessage, Standing, Undelivered};
pub use requests::{NewRequest, PendingQuestion, RequestTimes};
pub use seen::SeenClient;
pub use setting_changes::StoredSettingChange;
pub use tokens::{AddedToken, StoredToken};

use crate::rows::{
    AttachmentRow, BlobRow, CheckpointRow, ConversationRow, MessageRow, ReplyRow, RequestRow, RestoreRow,
};
use crate::table::Table;

/// Every table whose rows are the record, those that others refer to first.
pub(crate) const TABLES: &[&Table] = &[
    &ConversationRow::TABLE,
    &RequestRow::TABLE,
    &CheckpointRow::TABLE,
    &RestoreRow::TABLE,
    &MessageRow::TABLE,
    &notes::TABLE,
    &requests::CALLS,
    &askers::TABLE,
    &drafts::TABLE,
    &BlobRow::TABLE,
    &AttachmentRow::TABLE,
    &ReplyRow::TABLE,
    &tokens::TABLE,
    &http_sessions::TABLE,
    &progress::TABLE,
    &presence::TABLE,
    &snippets::TABLE,
    &setting_changes::TABLE,
    &prompts::TABLE,
    &prompt_uses::TABLE,
    &receipts::RECEIPTS,
    &receipts::ABOUTS,
    &parties::TABLE,
    &reviews::PROPOSALS,
    &reviews::ROUNDS,
    &reviews::FILES,
    &reviews::CLAIMS,
    &reviews::VERDICTS,
    &reviews::PATCHES,
    &reviews::RESULTS,
    &reviews::THREADS,
    &reviews::MESSAGES,
    &reviews::CALLS,
    &workflow::JOBS,
    &workflow::AGENTS,
    &workflow::THREADS,
    &workflow::FINDINGS,
    &workflow::ACTIONS,
    &workflow::PUBLICATIONS,
    &workflow::ITEMS,
    &workflow::CALLS,
    &events::TABLE,
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
    use crate::table::{Holds, Owner};

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
        for table in TABLES {
            let columns: Vec<_> = table.columns.iter().map(|column| column.name.to_owned()).collect();
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

    #[test]
    fn a_column_that_is_named_an_identifier_holds_one() {
        // Numbers of messages, ids of prompts, git's ids, and what a relay or a client of HTTP calls itself.
        let others = ["message_id", "prompt_id", "commit_id", "session_id"];
        for table in TABLES {
            for column in table.columns.iter().filter(|column| !others.contains(&column.name)) {
                let named = column.name.ends_with("_id") || column.name.ends_with("_uuid");
                let holds = matches!(column.holds, Holds::Identifier);
                assert!(
                    !named || holds,
                    "a garbled {}.{} would come back from a damaged file",
                    table.name,
                    column.name
                );
            }
        }
    }

    #[tokio::test]
    async fn what_a_known_row_is_changed_by_can_be_written() -> Outcome {
        let mut connection = fresh_schema().await?;
        for table in TABLES {
            let columns: Vec<_> = table.columns.iter().map(|column| column.name).collect();
            let (name, columns) = (table.name, columns.join(", "));
            let statement = format!(
                "EXPLAIN INSERT INTO {name} ({columns}) SELECT {columns} FROM {name} WHERE true ON CONFLICT {}",
                table.known.clause(table.columns)
            );
            sqlx::query(AssertSqlSafe(statement)).execute(&mut connection).await?;
        }
        Ok(())
    }

    #[tokio::test]
    async fn what_refers_to_a_conversation_or_its_requests_is_deleted_with_them() -> Outcome {
        let mut connection = fresh_schema().await?;
        for table in TABLES {
            let name = table.name;
            if let Some(condition) = table.owner.condition() {
                let statement = format!("EXPLAIN DELETE FROM {name} WHERE {condition}");
                sqlx::query(AssertSqlSafe(statement)).bind("").execute(&mut connection).await?;
            }
            let parents: Vec<String> =
                sqlx::query_scalar("SELECT \"table\" FROM pragma_foreign_key_list(?1) WHERE on_delete = 'NO ACTION'")
                    .bind(name)
                    .fetch_all(&mut connection)
                    .await?;
            let goes =
                |parent: &String| TABLES.iter().any(|table| table.name == *parent && table.owner != Owner::Nobody);
            if let Some(parent) = parents.iter().find(|parent| goes(parent)) {
                assert_ne!(table.owner, Owner::Nobody, "a row of {name} would keep its row of {parent} from going");
            }
        }
        Ok(())
    }
}
