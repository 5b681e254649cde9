//! What a reviewer wants done on the platform besides its findings. It is done if the person approves it.

use serde::{Deserialize, Serialize};

use super::bounds;
use super::finding::{lines, one_line};
use super::path::PathText;
use crate::bounded::{at_most_bytes, excerpt};
use crate::fault::{Code, Fault};
use crate::wire::wire;

wire!(
    /// The types of actions.
    ActionType {
        /// Settling a thread.
        ThreadResolve = "THREAD_RESOLVE",
        /// Replying in a thread.
        ThreadReply = "THREAD_REPLY",
        /// A comment on the pull request.
        PostComment = "POST_COMMENT",
        /// A comment on a line.
        PostInlineComment = "POST_INLINE_COMMENT",
        /// A label.
        AddLabel = "ADD_LABEL",
        /// Asking the platform again how the threads stand.
        FetchThreads = "FETCH_THREADS",
    }
);

/// An action, written as review-flow writes them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(tag = "type", rename_all = "SCREAMING_SNAKE_CASE", rename_all_fields = "camelCase")]
pub enum Action {
    /// Settling a thread.
    ThreadResolve {
        /// The thread.
        thread_id: String,
        /// What is said in it before.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "typescript", ts(optional))]
        message: Option<String>,
    },
    /// Replying in a thread.
    ThreadReply {
        /// The thread.
        thread_id: String,
        /// What is said in it.
        message: String,
    },
    /// A comment on the pull request.
    PostComment {
        /// What it says.
        body: String,
    },
    /// A comment on a line.
    PostInlineComment {
        /// The file, as the diff names it.
        file_path: String,
        /// The line after the change.
        line: u32,
        /// What it says.
        body: String,
    },
    /// A label.
    AddLabel {
        /// Its name.
        label: String,
    },
    /// Asking the platform again how the threads stand. Nothing is posted for it.
    FetchThreads {},
}

/// The fields of an action as a call has them; which of them it takes is its type's.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ActionFields {
    /// `threadId`.
    pub thread_id: Option<String>,
    /// `message`.
    pub message: Option<String>,
    /// `body`.
    pub body: Option<String>,
    /// `filePath`.
    pub file_path: Option<String>,
    /// `line`.
    pub line: Option<u32>,
    /// `label`.
    pub label: Option<String>,
}

impl Action {
    /// Reads an action of this type. Fields that its type doesn't have are passed over, as review-flow does.
    ///
    /// # Errors
    /// `invalid_input` or `too_large`, with the field.
    pub fn read(action_type: &str, fields: ActionFields) -> Result<Self, Fault> {
        let kind = ActionType::parse(action_type).ok_or_else(|| unknown(action_type))?;
        let needed = |name: &str, value: Option<String>| {
            value.filter(|text| !text.trim().is_empty()).ok_or_else(|| missing(kind, name))
        };
        let text = |name: &str, value: Option<String>| {
            let text = needed(name, value)?;
            at_most_bytes(name, &text, bounds::BODY_BYTES).map(|()| text)
        };
        let thread = |value: Option<String>| {
            let id = needed("threadId", value)?;
            one_line("threadId", &id, bounds::THREAD_ID_CHARS).map(|()| id)
        };
        Ok(match kind {
            ActionType::ThreadResolve => Self::ThreadResolve {
                thread_id: thread(fields.thread_id)?,
                message: match fields.message.filter(|message| !message.trim().is_empty()) {
                    None => None,
                    message => Some(text("message", message)?),
                },
            },
            ActionType::ThreadReply => {
                Self::ThreadReply { thread_id: thread(fields.thread_id)?, message: text("message", fields.message)? }
            }
            ActionType::PostComment => Self::PostComment { body: text("body", fields.body)? },
            ActionType::PostInlineComment => {
                let file_path = needed("filePath", fields.file_path)?;
                PathText(&file_path).check("filePath")?;
                let line = fields.line.ok_or_else(|| missing(kind, "line"))?;
                lines(str::to_owned, Some(line), None)?;
                Self::PostInlineComment { file_path, line, body: text("body", fields.body)? }
            }
            ActionType::AddLabel => {
                let label = needed("label", fields.label)?;
                one_line("label", &label, bounds::LABEL_CHARS)?;
                Self::AddLabel { label: label.trim().to_owned() }
            }
            ActionType::FetchThreads => Self::FetchThreads {},
        })
    }

    /// Its type.
    #[must_use]
    pub fn action_type(&self) -> ActionType {
        match self {
            Self::ThreadResolve { .. } => ActionType::ThreadResolve,
            Self::ThreadReply { .. } => ActionType::ThreadReply,
            Self::PostComment { .. } => ActionType::PostComment,
            Self::PostInlineComment { .. } => ActionType::PostInlineComment,
            Self::AddLabel { .. } => ActionType::AddLabel,
            Self::FetchThreads {} => ActionType::FetchThreads,
        }
    }

    /// The thread that it is about.
    #[must_use]
    pub fn thread_id(&self) -> Option<&str> {
        match self {
            Self::ThreadResolve { thread_id, .. } | Self::ThreadReply { thread_id, .. } => Some(thread_id),
            Self::PostComment { .. }
            | Self::PostInlineComment { .. }
            | Self::AddLabel { .. }
            | Self::FetchThreads {} => None,
        }
    }
}

fn missing(kind: ActionType, field: &str) -> Fault {
    Fault::new(
        Code::InvalidInput,
        format!("`{field}` is missing or empty; {} needs it.", kind.as_str()),
        format!("Call add_action again with `{field}`."),
    )
}

fn unknown(action_type: &str) -> Fault {
    let known: Vec<_> = ActionType::ALL.iter().map(|known| known.as_str()).collect();
    Fault::new(
        Code::InvalidInput,
        format!("`type` is {:?}, which is no action.", excerpt(action_type, 60)),
        format!("Pass one of {}.", known.join(", ")),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn fields(json: &serde_json::Value) -> ActionFields {
        let text = |name: &str| json[name].as_str().map(str::to_owned);
        ActionFields {
            thread_id: text("threadId"),
            message: text("message"),
            body: text("body"),
            file_path: text("filePath"),
            line: json["line"].as_u64().and_then(|line| u32::try_from(line).ok()),
            label: text("label"),
        }
    }

    #[test]
    fn actions_are_read_and_written_in_review_flow_s_words() {
        for written in [
            json!({"type": "THREAD_RESOLVE", "threadId": "t1", "message": "done"}),
            json!({"type": "THREAD_RESOLVE", "threadId": "t1"}),
            json!({"type": "THREAD_REPLY", "threadId": "t1", "message": "why?"}),
            json!({"type": "POST_COMMENT", "body": "well"}),
            json!({"type": "POST_INLINE_COMMENT", "filePath": "src/a.rs", "line": 3, "body": "here"}),
            json!({"type": "ADD_LABEL", "label": "needs work"}),
            json!({"type": "FETCH_THREADS"}),
        ] {
            let kind = written["type"].as_str().expect("a type");
            let action = Action::read(kind, fields(&written)).expect("it has all that it needs");
            assert_eq!(action.action_type().as_str(), kind);
            assert_eq!(serde_json::to_value(&action).ok(), Some(written.clone()), "it is written as it came");
            assert_eq!(serde_json::from_value::<Action>(written).ok(), Some(action));
        }
    }

    #[test]
    fn what_is_missing_or_too_much_is_named() {
        for (given, field) in [
            (json!({"type": "THREAD_RESOLVE"}), "threadId"),
            (json!({"type": "THREAD_REPLY", "threadId": "t1"}), "message"),
            (json!({"type": "THREAD_REPLY", "threadId": "t1", "message": " "}), "message"),
            (json!({"type": "POST_COMMENT"}), "body"),
            (json!({"type": "POST_COMMENT", "body": "x".repeat(32 * 1024 + 1)}), "body"),
            (json!({"type": "POST_INLINE_COMMENT", "line": 3, "body": "x"}), "filePath"),
            (json!({"type": "POST_INLINE_COMMENT", "filePath": "../a", "line": 3, "body": "x"}), "filePath"),
            (json!({"type": "POST_INLINE_COMMENT", "filePath": "a", "body": "x"}), "line"),
            (json!({"type": "POST_INLINE_COMMENT", "filePath": "a", "line": 0, "body": "x"}), "line"),
            (json!({"type": "ADD_LABEL", "label": "a\nb"}), "label"),
            (json!({"type": "MERGE"}), "type"),
        ] {
            let fault = Action::read(given["type"].as_str().expect("a type"), fields(&given)).expect_err(field);
            assert!(matches!(fault.code, Code::InvalidInput | Code::TooLarge), "{fault}");
            assert!(fault.message.contains(&format!("`{field}`")), "{fault} names {field}");
        }
    }
}
