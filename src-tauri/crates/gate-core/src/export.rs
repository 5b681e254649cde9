//! The record as a file: JSON to be imported elsewhere, Markdown to be read.

mod name;

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use crate::ask::{Ask, at_most_bytes, at_most_chars, excerpt};
use crate::bounds;
use crate::clients::display_name;
use crate::conversation::{Checkpoint, Conversation, Visible, checked_checkpoint};
use crate::fault::{Code, Fault};
use crate::ids::{CheckpointId, RequestId, RestoreId};
use crate::note;
use crate::progress::{Progress, StepState};
use crate::reply::{AnsweredFrom, Attachment, Decision, Draft, LineComment, Remark};
use crate::request::RequestStatus;
use crate::timestamp::Timestamp;
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
        /// When an agent had it.
        #[serde(default)]
        delivered_at: Option<Timestamp>,
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

/// A conversation as Markdown.
#[must_use]
pub fn to_markdown(exported: &ExportedConversation) -> String {
    let conversation = &exported.conversation;
    let title = if conversation.title.is_empty() { "Untitled conversation" } else { &conversation.title };
    let mut text = format!("# {}\n\n", excerpt(title, 200));
    let client = display_name(&conversation.client);
    for (label, value) in [
        ("Agent", client.as_str()),
        ("Workspace", conversation.workspace.as_str()),
        ("Session", conversation.session_uuid.to_string().as_str()),
        ("Status", conversation.status.as_str()),
        ("Began", conversation.created_at.to_string().as_str()),
        ("Last change", conversation.updated_at.to_string().as_str()),
    ] {
        if !value.is_empty() {
            let _ = writeln!(text, "- {label}: {value}");
        }
    }
    if let Some(progress) = &conversation.progress {
        text.push_str(&progress_in_markdown(progress));
    }
    let mut checkpoints = exported.checkpoints.iter().peekable();
    for (index, entry) in exported.entries.iter().enumerate() {
        while let Some(checkpoint) =
            checkpoints.next_if(|checkpoint| usize::try_from(checkpoint.after_entries).is_ok_and(|at| at <= index))
        {
            text.push_str(&checkpoint_in_markdown(&checkpoint.checkpoint));
        }
        text.push_str(&entry_in_markdown(entry, &client));
    }
    for checkpoint in checkpoints {
        text.push_str(&checkpoint_in_markdown(&checkpoint.checkpoint));
    }
    text
}

fn progress_in_markdown(progress: &Progress) -> String {
    let percent = progress.progress_percent.map(|percent| format!("{percent} %"));
    let words = [percent, progress.current_step().map(str::to_owned), progress.status_message.clone()];
    let words: Vec<_> = words.into_iter().flatten().collect();
    let mut text = format!("- Progress: {}\n", words.join(" · "));
    for step in &progress.steps {
        let mark = match step.state {
            StepState::Completed => "x",
            _ => " ",
        };
        let _ = writeln!(text, "  - [{mark}] {} ({})", step.name, step.state.as_str().replace('_', " "));
    }
    text
}

fn checkpoint_in_markdown(checkpoint: &Checkpoint) -> String {
    let mut text = format!("\n---\n\n**Checkpoint “{}”** · {}\n", checkpoint.name, checkpoint.created_at);
    if let Some(description) = &checkpoint.description {
        let _ = writeln!(text, "\n{description}");
    }
    text.push_str("\n---\n");
    text
}

fn entry_in_markdown(entry: &Entry, client: &str) -> String {
    let mut text = String::new();
    let aside = if entry.superseded_by.is_some() { " · superseded" } else { "" };
    match &entry.said {
        Said::Agent { ask, status, .. } => {
            let who = if client.is_empty() { "Agent" } else { client };
            let _ = write!(text, "\n## {who} · {}{aside}\n\n", entry.created_at);
            if let Some(title) = &ask.title {
                let _ = write!(text, "**{title}**\n\n");
            }
            let _ = writeln!(text, "{}", ask.message.trim_end());
            for option in &ask.options {
                let mark = if option.recommended { " (recommended)" } else { "" };
                let _ = write!(text, "\n- ○ {}{mark}", option.label);
            }
            if !ask.options.is_empty() {
                text.push('\n');
            }
            if let Some(diff) = &ask.diff {
                let fence = fence_of(diff);
                let _ = write!(text, "\n{fence}diff\n{}\n{fence}\n", diff.trim_end());
            }
            if *status != RequestStatus::Answered {
                let _ = writeln!(text, "\n*{}*", status.as_str());
            }
        }
        Said::Note { text: words, .. } => {
            let _ = write!(text, "\n## You · {} · note{aside}\n\n{}\n", entry.created_at, words.trim_end());
        }
        Said::Person { text: words, decision, selected, comments, remarks, attachments, answered_from, .. } => {
            let decided = decision.map_or("", |decision| match decision {
                Decision::Approved => " · approved",
                Decision::ChangesRequested => " · changes requested",
            });
            let _ = write!(text, "\n## You · {} · {}{decided}{aside}\n", entry.created_at, answered_from.as_str());
            for label in selected {
                let _ = write!(text, "\n- ● {label}\n");
            }
            if !words.trim().is_empty() {
                let _ = write!(text, "\n{}\n", words.trim_end());
            }
            for comment in comments {
                let body = comment.body.trim_end().replace('\n', "\n  ");
                let _ = write!(text, "\n- `{}` {body}\n", comment.place());
            }
            for remark in remarks {
                let _ = write!(text, "\n{}\n", remark.in_markdown());
            }
            for file in attachments {
                let file = &file.attachment;
                let _ = write!(text, "\n- 📎 {} ({}, {} bytes)\n", file.name, file.mime_type, file.size);
            }
        }
    }
    text
}

/// A fence that the text can't close.
fn fence_of(text: &str) -> String {
    let longest = text.lines().map(|line| line.trim_start().chars().take_while(|c| *c == '`').count()).max();
    "`".repeat(longest.unwrap_or(0).max(2) + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::SessionUuid;
    use crate::reply::Side;
    use crate::session::SessionStatus;
    use uuid::Uuid;

    fn sample() -> ExportedConversation {
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
        let asked = Said::Agent { ask: Box::new(ask), status: RequestStatus::Answered, closed_at: None };
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
            delivered_at: None,
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
        let long = |exported: &mut ExportedConversation| exported.conversation.title = "x".repeat(201);
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
        let text = to_markdown(&exported);
        assert!(text.contains("## You · 2026-11-21T03:49:21.125Z · note\n\nMind the tests.\n"), "{text}");
        exported.entries[1].request_id = RequestId(Uuid::from_u128(1));
        assert_eq!(exported.check().err().map(|fault| fault.code), Some(Code::InvalidInput), "it is no reply");
    }

    #[test]
    fn markdown_tells_who_said_what_in_order() {
        let text = to_markdown(&sample());
        let places = [
            "# May I?",
            "## Claude Code",
            "````diff",
            "Checkpoint “before”",
            "## You",
            "approved",
            "Yes.",
            "`a.rs lines 2-3` b",
            "> May I?\n\nWhat?",
        ];
        let found: Vec<_> = places.iter().map(|part| text.find(part)).collect();
        assert!(found.iter().all(Option::is_some) && found.is_sorted(), "{found:?} in\n{text}");
    }
}
