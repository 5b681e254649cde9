//! What is said of a table, in the module that has its statements: its columns, whose its rows are, and what
//! becomes of them when a damaged record is put together again.

use serde::de::DeserializeOwned;

use crate::json::from_json;

/// A table.
#[derive(Debug)]
pub(crate) struct Table {
    pub(crate) name: &'static str,
    /// In the schema's order.
    pub(crate) columns: &'static [Column],
    pub(crate) owner: Owner,
    pub(crate) known: Known,
}

/// A column, and what this program writes into it besides NULL.
#[derive(Debug)]
pub(crate) struct Column {
    pub(crate) name: &'static str,
    pub(crate) holds: Holds,
    /// Whether a row can do without it where the whole row doesn't fit.
    pub(crate) dispensable: bool,
}

/// What a column holds.
#[derive(Debug)]
pub(crate) enum Holds {
    /// Anything of the type that the schema gives it.
    Anything,
    /// A UUID, hyphenated and in small letters.
    Identifier,
    /// JSON of one type.
    Json { can_be_read: fn(&str) -> bool, instead: Instead },
}

/// What takes the place of JSON that can't be read.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Instead {
    /// Nothing: the row stays behind.
    Nothing,
    Null,
    Text(&'static str),
}

impl Column {
    const fn new(name: &'static str, holds: Holds) -> Self {
        Self { name, holds, dispensable: false }
    }

    /// The same, and a row can do without it.
    pub(crate) const fn dispensable(self) -> Self {
        Self { dispensable: true, ..self }
    }
}

/// A column of texts, numbers or bytes that are taken as they are.
pub(crate) const fn column(name: &'static str) -> Column {
    Column::new(name, Holds::Anything)
}

/// A column of identifiers.
pub(crate) const fn identifier(name: &'static str) -> Column {
    Column::new(name, Holds::Identifier)
}

/// A column of JSON.
pub(crate) const fn json<T: DeserializeOwned>(name: &'static str, instead: Instead) -> Column {
    Column::new(name, Holds::Json { can_be_read: |text| from_json::<T>(text).is_ok(), instead })
}

/// Whose the rows of a table are: they are deleted with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Owner {
    /// The conversation that the column `session_uuid` names.
    Conversation,
    /// The request that the column `request_id` names, and so its conversation.
    Request,
    /// The review that the column `review_id` names, and so its conversation.
    Review,
    /// The job that the column `job_id` names, and so its conversation.
    Job,
    /// The review or the job that the column `subject` names, and so its conversation.
    Subject,
    /// No conversation.
    Nobody,
}

impl Owner {
    /// What stands behind `WHERE` for the rows of the conversation `?1`; absent where none are any's.
    pub(crate) const fn condition(self) -> Option<&'static str> {
        match self {
            Self::Conversation => Some("session_uuid = ?1"),
            Self::Request => Some("request_id IN (SELECT request_id FROM review_requests WHERE session_uuid = ?1)"),
            Self::Review => Some("review_id IN (SELECT review_id FROM proposals WHERE session_uuid = ?1)"),
            Self::Job => Some("job_id IN (SELECT job_id FROM workflow_jobs WHERE session_uuid = ?1)"),
            Self::Subject => Some(
                "subject IN (SELECT review_id FROM proposals WHERE session_uuid = ?1
                             UNION ALL SELECT job_id FROM workflow_jobs WHERE session_uuid = ?1)",
            ),
            Self::Nobody => None,
        }
    }
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
    pub(crate) fn clause(&self, columns: &[Column]) -> String {
        match self {
            Self::Stays => "DO NOTHING".to_owned(),
            Self::Changed(clause) => (*clause).to_owned(),
            Self::Replaced { key, when } => {
                let others = columns.iter().map(|column| column.name).filter(|name| name != key);
                let values: Vec<_> = others.map(|name| format!("{name} = excluded.{name}")).collect();
                format!("({key}) DO UPDATE SET {} WHERE {when}", values.join(", "))
            }
        }
    }
}
