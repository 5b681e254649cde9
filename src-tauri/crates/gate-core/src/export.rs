//! The record as a file: JSON to be imported elsewhere, Markdown to be read.

mod markdown;
mod name;

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};

use crate::ask::{Ask, at_most_bytes, at_most_chars};
use crate::assurance::{AnsweredFrom, Assurance};
use crate::bounds;
use crate::conversation::{Checkpoint, Conversation, Visible, checked_checkpoint};
use crate::fault::{Code, Fault};
use crate::ids::{CheckpointId, RequestId, RestoreId};
use crate::note;
use crate::permitting::{PermissionEnd, PermissionSaid};
use crate::progress::Progress;
use crate::reply::{Attachment, Decision, Draft, LineComment, Remark};
use crate::request::RequestStatus;
use crate::timestamp::Timestamp;
pub use markdown::{StateWords, fenced, to_markdown};
pub use name::file_stem;

/// What every exported file says that it is.
pub const FORMAT: &str = "review-gate-record";
/// The version of the format. A file of a later one is refused. The second brought notes.
pub const VERSION: u32 = 2;

/// How the record is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum ExportFormat {
    /// To be read by people.
    Markdown,
    /// To be imported.
    Json,
}

impl ExportFormat {
    /// What the name of such a file ends in.
    #[must_use]
    pub fn ending(self) -> &'static str {
        match self {
            Self::Markdown => "md",
            Self::Json => "json",
        }
    }
}

/// A conversation with everything that was said in it. A file holds
/// `{"format", "version", "exported_at", "conversations": […]}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExportedConversation {
    /// What it is.
    #[serde(flatten)]
    pub conversation: Conversation,
    /// How its agent reached the gate: `stdio` or `http`.
    #[serde(default)]
    pub transport: Option<String>,
    /// The protocol revision that its client spoke.
    #[serde(default)]
    pub protocol_version: Option<String>,
    /// The capabilities that its client declared, as JSON.
    #[serde(default)]
    pub capabilities: Option<String>,
    /// What was said, in order. Their numbers below are counted from 1.
    pub entries: Vec<Entry>,
    /// Which entries hold; absent for all.
    #[serde(default)]
    pub visible: Option<Visible>,
    /// Its checkpoints, in order.
    #[serde(default)]
    pub checkpoints: Vec<ExportedCheckpoint>,
    /// Every time that it was taken back to one, in order.
    #[serde(default)]
    pub restores: Vec<ExportedRestore>,
}

/// Something that was said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// The question that it puts or answers. Of a note: its own identifier.
    pub request_id: RequestId,
    /// When it was said.
    pub created_at: Timestamp,
    /// The restore that it came after.
    #[serde(default)]
    pub superseded_by: Option<RestoreId>,
    /// Who said what.
    #[serde(flatten)]
    pub said: Said,
}

/// Who said what.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case")]
pub enum Said {
    /// The agent's question.
    Agent {
        /// What it asked.
        ask: Box<Ask>,
        /// What became of it.
        status: RequestStatus,
        /// When it was closed.
        closed_at: Option<Timestamp>,
        /// Of a permission question: why it ended without an answer.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        ended: Option<PermissionEnd>,
    },
    /// The person's reply.
    Person {
        /// What they wrote.
        text: String,
        /// What they decided.
        #[serde(default)]
        decision: Option<Decision>,
        /// The chosen options.
        #[serde(default)]
        selected: Vec<String>,
        /// Comments on lines of the diff.
        #[serde(default)]
        comments: Vec<LineComment>,
        /// Comments on passages of the message.
        #[serde(default)]
        remarks: Vec<Remark>,
        /// Files with their bytes.
        #[serde(default)]
        attachments: Vec<ExportedAttachment>,
        /// How it was given.
        answered_from: AnsweredFrom,
        /// How sure it was, in the record that it comes from, that the person gave it.
        #[serde(default)]
        assurance: Assurance,
        /// When an agent had it.
        #[serde(default)]
        delivered_at: Option<Timestamp>,
        /// Of a permission question: what it says of that. For readers: what counts is the decision and what is chosen.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        permission: Option<PermissionSaid>,
    },
    /// The person's note, which answers nothing.
    Note {
        /// What they wrote.
        text: String,
        /// When an agent had it.
        #[serde(default)]
        delivered_at: Option<Timestamp>,
    },
}

/// A file of a reply.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExportedAttachment {
    /// What it is.
    #[serde(flatten)]
    pub attachment: Attachment,
    /// Its bytes, base64 (RFC 4648, with padding).
    pub data: String,
}

/// A checkpoint, and where it stands among the entries.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExportedCheckpoint {
    /// What it is.
    #[serde(flatten)]
    pub checkpoint: Checkpoint,
    /// How many entries come before it.
    pub after_entries: u64,
    /// Which entries held.
    pub visible: Visible,
}

/// One time that a conversation was taken back to a checkpoint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExportedRestore {
    /// Its identifier.
    pub restore_id: RestoreId,
    /// The checkpoint.
    pub checkpoint_id: CheckpointId,
    /// How many messages it marked as superseded.
    pub superseded: u64,
    /// Which entries held before; absent for all.
    #[serde(default)]
    pub visible_before: Option<Visible>,
    /// The progress before.
    #[serde(default)]
    pub progress_before: Option<Progress>,
    /// When.
    pub restored_at: Timestamp,
    /// When it was undone.
    #[serde(default)]
    pub undone_at: Option<Timestamp>,
}

impl ExportedConversation {
    /// Checks that the conversation keeps every rule and bound that it would have kept as it was said,
    /// and that nothing in it reaches beyond it: what it answers it has asked, and the checkpoints and
    /// restores that it names are its own.
    ///
    /// # Errors
    /// A [`Fault`]: `invalid_input`, `too_large`, `too_many` or `invalid_diff`.
    pub fn check(&self) -> Result<(), Fault> {
        let conversation = &self.conversation;
        at_most_chars("title", &conversation.title, bounds::TITLE_CHARS)?;
        for (field, text) in [
            ("client", &conversation.client),
            ("client_version", &conversation.client_version),
            ("workspace", &conversation.workspace),
        ] {
            at_most_bytes(field, text, bounds::CALLER_BYTES)?;
        }
        let declared = [&self.transport, &self.protocol_version, &self.capabilities].into_iter().flatten();
        for text in declared {
            at_most_bytes("capabilities", text, bounds::CONTEXT_BYTES)?;
        }
        self.check_entries()?;
        let checkpoints: HashSet<CheckpointId> =
            self.checkpoints.iter().map(|stored| stored.checkpoint.checkpoint_id).collect();
        let restores: HashSet<RestoreId> = self.restores.iter().map(|restore| restore.restore_id).collect();
        if checkpoints.len() > bounds::CHECKPOINTS {
            return Err(Fault::new(
                Code::TooMany,
                format!("It has {} checkpoints; at most {} are allowed.", checkpoints.len(), bounds::CHECKPOINTS),
                "Export it again.",
            ));
        }
        for stored in &self.checkpoints {
            checked_checkpoint(&stored.checkpoint.name, stored.checkpoint.description.as_deref())?;
        }
        let foreign = self.restores.iter().any(|restore| !checkpoints.contains(&restore.checkpoint_id))
            || self.entries.iter().any(|entry| entry.superseded_by.is_some_and(|id| !restores.contains(&id)));
        if foreign {
            return Err(contradiction("It names checkpoints or restores that it doesn't hold."));
        }
        let checkpoints = self.checkpoints.iter().filter_map(|stored| stored.checkpoint.progress.as_ref());
        let restores = self.restores.iter().filter_map(|restore| restore.progress_before.as_ref());
        for progress in conversation.progress.iter().chain(checkpoints).chain(restores) {
            progress.check()?;
        }
        Ok(())
    }

    fn check_entries(&self) -> Result<(), Fault> {
        let mut asked: HashMap<RequestId, (RequestStatus, bool)> = HashMap::new();
        let mut notes: HashSet<RequestId> = HashSet::new();
        for entry in &self.entries {
            match &entry.said {
                Said::Agent { ask, status, .. } => {
                    ask.as_ref().clone().checked()?;
                    if asked.insert(entry.request_id, (*status, false)).is_some() {
                        return Err(contradiction("It asks the same request twice."));
                    }
                }
                Said::Note { text, .. } => {
                    note::checked(text)?;
                    notes.insert(entry.request_id);
                }
                Said::Person { text, comments, remarks, attachments, selected, .. } => {
                    // A reply must never reach a request that a person still has to answer elsewhere.
                    match asked.get_mut(&entry.request_id) {
                        Some((RequestStatus::Answered, answered @ false)) => *answered = true,
                        _ => return Err(contradiction("It answers what it didn't ask, or what wasn't answered.")),
                    }
                    let draft = Draft {
                        text: text.clone(),
                        selected: selected.clone(),
                        comments: comments.clone(),
                        remarks: remarks.clone(),
                        attachments: attachments.iter().map(|file| file.attachment.attachment_id).collect(),
                    };
                    draft.check()?;
                    if let Some(large) =
                        attachments.iter().find(|file| file.data.len() / 4 * 3 > bounds::ATTACHMENT_BYTES + 3)
                    {
                        return Err(Fault::new(
                            Code::TooLarge,
                            format!("{:?} has more than {} bytes.", large.attachment.name, bounds::ATTACHMENT_BYTES),
                            "Export it again.",
                        ));
                    }
                }
            }
        }
        if asked.keys().any(|request| notes.contains(request)) {
            return Err(contradiction("A note in it has the identifier of a request."));
        }
        if asked.values().any(|(status, answered)| *status == RequestStatus::Answered && !answered) {
            return Err(contradiction("A request in it was answered, but its reply is missing."));
        }
        Ok(())
    }
}

fn contradiction(why: &str) -> Fault {
    Fault::new(Code::InvalidInput, why, "Export it again.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::SessionUuid;
    use crate::reply::Side;
    use crate::session::SessionStatus;
    use uuid::Uuid;

    pub(super) fn sample() -> ExportedConversation {
        let entry = |said| Entry {
            request_id: RequestId(Uuid::from_u128(1)),
            created_at: Timestamp(1_795_232_961_125),
            superseded_by: None,
            said,
        };
        let ask = Ask {
            message: "May I?".to_owned(),
            diff: Some("--- a\n+++ b\n@@ -1 +1,2 @@\n ```\n+x\n".to_owned()),
            ..Ask::default()
        };
        let asked = Said::Agent { ask: Box::new(ask), status: RequestStatus::Answered, closed_at: None, ended: None };
        let answered = Said::Person {
            text: "Yes.".to_owned(),
            decision: Some(Decision::Approved),
            selected: Vec::new(),
            comments: vec![LineComment {
                file: "a.rs".to_owned(),
                start_line: Some(2),
                line: 3,
                side: Side::New,
                body: "b".to_owned(),
            }],
            remarks: vec![Remark { quote: "May I?".to_owned(), body: "What?".to_owned() }],
            attachments: Vec::new(),
            answered_from: AnsweredFrom::Desktop,
            assurance: Assurance::L1,
            delivered_at: None,
            permission: None,
        };
        let checkpoint = Checkpoint {
            checkpoint_id: CheckpointId(Uuid::from_u128(2)),
            name: "before".to_owned(),
            description: None,
            messages: 1,
            progress: None,
            created_at: Timestamp(1_795_232_961_125),
        };
        ExportedConversation {
            conversation: Conversation {
                session_uuid: SessionUuid(Uuid::from_u128(3)),
                title: "May I?".to_owned(),
                status: SessionStatus::Active,
                client: "claude-code".to_owned(),
                client_version: "2".to_owned(),
                workspace: "/w".to_owned(),
                created_at: Timestamp(1_795_232_961_125),
                updated_at: Timestamp(1_795_232_961_125),
                messages: 2,
                progress: None,
            },
            transport: Some("stdio".to_owned()),
            protocol_version: None,
            capabilities: None,
            entries: vec![entry(asked), entry(answered)],
            visible: None,
            checkpoints: vec![ExportedCheckpoint { checkpoint, after_entries: 1, visible: Visible::all().up_to(1) }],
            restores: Vec::new(),
        }
    }

    #[test]
    fn what_is_exported_is_read_back_as_it_was() {
        let text = serde_json::to_string(&sample()).unwrap_or_default();
        assert_eq!(serde_json::from_str::<ExportedConversation>(&text).ok(), Some(sample()));
    }

    #[test]
    fn what_contradicts_itself_or_breaks_a_bound_is_refused() {
        assert_eq!(sample().check(), Ok(()));
        let broken = |change: &dyn Fn(&mut ExportedConversation)| {
            let mut exported = sample();
            change(&mut exported);
            exported.check().err().map(|fault| fault.code)
        };
        let invalid = Some(Code::InvalidInput);
        assert_eq!(broken(&|exported| _ = exported.entries.remove(0)), invalid, "an answer without its question");
        assert_eq!(broken(&|exported| _ = exported.entries.pop()), invalid, "answered without an answer");
        assert_eq!(broken(&|exported| exported.entries.swap(0, 1)), invalid, "answered before it was asked");
        let elsewhere = Some(RestoreId(Uuid::from_u128(9)));
        let foreign = |exported: &mut ExportedConversation| {
            exported.entries.iter_mut().for_each(|entry| entry.superseded_by = elsewhere);
        };
        assert_eq!(broken(&foreign), invalid, "a restore of another conversation");
        let long =
            |exported: &mut ExportedConversation| exported.conversation.title = "x".repeat(bounds::TITLE_CHARS + 1);
        assert_eq!(broken(&long), Some(Code::TooLarge));
        let long = |exported: &mut ExportedConversation| {
            exported.conversation.workspace = "x".repeat(bounds::CALLER_BYTES + 1);
        };
        assert_eq!(broken(&long), Some(Code::TooLarge));
    }

    #[test]
    fn a_note_goes_with_the_conversation_and_answers_nothing_in_it() {
        let mut exported = sample();
        let note = Entry {
            request_id: RequestId(Uuid::from_u128(7)),
            created_at: Timestamp(1_795_232_961_125),
            superseded_by: None,
            said: Said::Note { text: "Mind the tests.".to_owned(), delivered_at: None },
        };
        exported.entries.insert(1, note);
        assert_eq!(exported.check(), Ok(()));
        let text = serde_json::to_string(&exported).unwrap_or_default();
        assert_eq!(serde_json::from_str::<ExportedConversation>(&text).ok().as_ref(), Some(&exported));
        exported.entries[1].request_id = RequestId(Uuid::from_u128(1));
        assert_eq!(exported.check().err().map(|fault| fault.code), Some(Code::InvalidInput), "it is no reply");
    }
}
