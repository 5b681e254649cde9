//! The record as a model reads it: short, in plain text.

use std::fmt::Write as _;

use gate_core::ask::excerpt;
use gate_core::{
    Assurance, Checkpoint, Decision, Given, Message, PermissionSaid, Progress, Restored, Role, StepState, Withheld,
};

use super::port::Context;
use super::views::newest_checkpoints;

/// Characters of a message that are shown; the structured result holds all of them.
const TEXT_CHARS: usize = 1000;
/// Characters of a checkpoint's description, and of a step's name.
const LINE_CHARS: usize = 200;

/// A conversation: what it is, where it stands, and a page of its messages.
pub(super) fn of(context: &Context, next_cursor: Option<&str>) -> String {
    let conversation = &context.conversation;
    let title = if conversation.title.is_empty() { "without a title" } else { &conversation.title };
    let mut text =
        format!("Conversation {title:?}, {}, begun {}", conversation.status.as_str(), conversation.created_at);
    if !conversation.workspace.is_empty() {
        let _ = write!(text, " in {}", conversation.workspace);
    }
    text.push('.');
    if let Some(progress) = &conversation.progress {
        let _ = write!(text, "\nProgress: {}.", headline(progress));
        steps(progress, &mut text);
    }
    if !context.checkpoints.is_empty() {
        let newest = newest_checkpoints(&context.checkpoints);
        let count = context.checkpoints.len();
        text.push('\n');
        text.push_str(&checkpoints(newest, count));
        if newest.len() < count {
            text.push_str("\nreview_gate_list_checkpoints lists all of them.");
        }
    }
    if context.messages.items.is_empty() {
        text.push_str("\n\nNo messages yet.");
    } else {
        text.push_str("\n\nMessages, the oldest first:");
    }
    for message in &context.messages.items {
        text.push_str("\n\n");
        said(message, &mut text);
    }
    if let Some(cursor) = next_cursor {
        let _ = write!(text, "\n\nThere are older messages: call review_gate_get_context with cursor {cursor}");
    }
    text
}

/// How far the work is, on one line, without a full stop.
pub(super) fn headline(progress: &Progress) -> String {
    let mut parts = Vec::new();
    parts.extend(progress.progress_percent.map(|percent| format!("{percent} %")));
    parts.extend(progress.current_step().map(|step| format!("step {:?}", excerpt(step, LINE_CHARS))));
    if !progress.steps.is_empty() {
        let done = progress.steps.iter().filter(|step| step.state == StepState::Completed).count();
        parts.push(format!("{done} of {} steps completed", progress.steps.len()));
    }
    parts.extend(progress.status_message.as_deref().map(|message| excerpt(message, LINE_CHARS)));
    match parts.is_empty() {
        true => "nothing reported yet".to_owned(),
        false => parts.join(", "),
    }
}

fn steps(progress: &Progress, text: &mut String) {
    for step in &progress.steps {
        let _ = write!(text, "\n- [{}] {}", step.state.as_str(), excerpt(&step.name, LINE_CHARS));
    }
}

/// Some of a conversation's `count` checkpoints, in order.
pub(super) fn checkpoints(shown: &[Checkpoint], count: usize) -> String {
    let mut text = match (shown.len(), count) {
        (_, 0) => return "No checkpoints yet.".to_owned(),
        (shown, count) if shown < count => format!("{shown} of {count} checkpoints, the newest last:"),
        (_, count) => format!("{count} checkpoints, the newest last:"),
    };
    for checkpoint in shown {
        let (name, id, at) = (&checkpoint.name, checkpoint.checkpoint_id, checkpoint.created_at);
        let _ = write!(text, "\n- {name:?}, checkpoint_id {id}, {} messages, {at}", checkpoint.messages);
        if let Some(description) = &checkpoint.description {
            let _ = write!(text, ": {}", excerpt(description, LINE_CHARS));
        }
    }
    text
}

/// What a restore did, or its undoing.
pub(super) fn restored(restored: &Restored) -> String {
    let name = &restored.checkpoint.name;
    let mut text = match restored.undone_at {
        None => format!(
            "The conversation is back at checkpoint {name:?}: {} later messages are superseded, none is deleted. To \
             undo this, call review_gate_restore_checkpoint with undo true and restore_id {}.",
            restored.superseded, restored.restore_id
        ),
        Some(_) => {
            format!("The restore to checkpoint {name:?} is undone: {} messages count again.", restored.superseded)
        }
    };
    if let Some(progress) = &restored.progress {
        let _ = write!(text, "\nProgress: {}.", headline(progress));
    }
    text
}

/// What a reply decided.
fn decided(message: &Message) -> &'static str {
    match (&message.permission, message.decision) {
        (Some(PermissionSaid::Once | PermissionSaid::Rule { .. }), _) => ", allowed it",
        (Some(PermissionSaid::Edited), _) => ", changed and allowed it",
        (Some(PermissionSaid::Denied), _) => ", denied it",
        (Some(PermissionSaid::Asked { .. }), _) | (None, None) => "",
        (None, Some(Decision::Approved)) => ", approved",
        (None, Some(Decision::ChangesRequested)) => ", requested changes",
    }
}

fn said(message: &Message, text: &mut String) {
    let is_unsure = message.assurance.is_none_or(|assurance| assurance < Assurance::L1);
    let who = match message.role {
        Role::Agent => "agent",
        // As it was told when it came.
        Role::Person if message.note && is_unsure => "somebody",
        Role::Person => "person",
    };
    let _ = write!(text, "[{}] {who}", message.created_at);
    match message.role {
        Role::Agent => {
            let status = message.status.map_or("", |status| status.as_str());
            let asked = if message.permission.is_some() { "asked whether it may" } else { "asked" };
            let _ = write!(text, " {asked} (request_id {}, {status}", message.request_id);
            text.push_str(if message.has_diff { ", with a diff)" } else { ")" });
            if let Some(title) = &message.title {
                let _ = write!(text, " {title:?}");
            }
        }
        Role::Person if message.note && message.answered_from.is_none() => {
            text.push_str(", in a note whose origin isn't known");
        }
        Role::Person if message.note => text.push_str(", in a note"),
        Role::Person => text.push_str(decided(message)),
    }
    if let Some(from) = message.answered_from {
        let given = Given { from, assurance: message.assurance.unwrap_or_default() };
        let _ = write!(text, ", given {}", given.in_words());
    }
    if message.imported_at.is_some() {
        text.push_str(", in another record (imported: it answers nothing here)");
    }
    match message.withheld {
        Some(Withheld::Revoked) => text.push_str(", revoked since: it counts for nothing"),
        Some(Withheld::NotGivenHere) => text.push_str(", not given here: it counts for nothing"),
        None => text.push(':'),
    }
    if !message.selected.is_empty() {
        let _ = write!(text, " chosen: {}.", message.selected.join(" | "));
    }
    shortened(&message.text, text);
    if !message.comments.is_empty() {
        let _ = write!(text, "\n  {} comments on the diff", message.comments.len());
    }
    if !message.remarks.is_empty() {
        let _ = write!(text, "\n  {} remarks on passages of the message", message.remarks.len());
    }
    for attachment in &message.attachments {
        let _ = write!(text, "\n  file {:?} ({}): {}", attachment.name, attachment.mime_type, attachment.uri());
    }
}

/// The beginning of a text, indented.
fn shortened(whole: &str, text: &mut String) {
    let end = whole.char_indices().nth(TEXT_CHARS).map(|(at, _)| at);
    let shown = end.and_then(|end| whole.get(..end)).unwrap_or(whole);
    for line in shown.lines() {
        text.push_str("\n  ");
        text.push_str(line);
    }
    if let Some(rest) = end.and_then(|end| whole.get(end..)) {
        let _ = write!(text, "… ({} more characters in the structured result)", rest.chars().count());
    }
}

#[cfg(test)]
mod tests {
    use gate_core::{
        AnsweredFrom, Conversation, Page, RequestId, RequestStatus, SessionStatus, SessionUuid, Timestamp,
    };

    use super::*;

    fn message(role: Role, text: &str) -> Message {
        let id = uuid::Uuid::from_u128(1);
        Message {
            message_id: 1,
            request_id: RequestId(id),
            role,
            text: text.to_owned(),
            created_at: Timestamp(0),
            superseded: false,
            note: false,
            title: (role == Role::Agent).then(|| "Name".to_owned()),
            status: (role == Role::Agent).then_some(RequestStatus::Answered),
            has_diff: false,
            permission: None,
            decision: (role == Role::Person).then_some(Decision::ChangesRequested),
            selected: Vec::new(),
            comments: Vec::new(),
            remarks: Vec::new(),
            attachments: Vec::new(),
            answered_from: None,
            assurance: None,
            imported_at: None,
            withheld: None,
        }
    }

    #[test]
    fn what_became_of_a_permission_is_told_in_its_own_words() {
        let line = |role, permission| {
            let mut text = String::new();
            said(&Message { permission: Some(permission), ..message(role, "ls") }, &mut text);
            text.lines().next().unwrap_or_default().to_owned()
        };
        let asked = line(Role::Agent, PermissionSaid::Asked { asks_there: true, ended: None });
        assert!(asked.contains("agent asked whether it may (request_id"), "{asked}");
        for (permission, words) in [
            (PermissionSaid::Once, "person, allowed it:"),
            (PermissionSaid::Edited, "person, changed and allowed it:"),
            (PermissionSaid::Denied, "person, denied it:"),
        ] {
            let answered = line(Role::Person, permission);
            assert!(answered.ends_with(words), "{answered}");
        }
    }

    #[test]
    fn a_conversation_reads_as_who_said_what_and_when() {
        let conversation = Conversation {
            session_uuid: SessionUuid(uuid::Uuid::from_u128(2)),
            title: "Name".to_owned(),
            status: SessionStatus::Active,
            client: "cursor".to_owned(),
            client_version: String::new(),
            workspace: "/work".to_owned(),
            created_at: Timestamp(0),
            updated_at: Timestamp(0),
            messages: 2,
            progress: None,
        };
        let long = format!("first\n{}", "x".repeat(TEXT_CHARS));
        let items = vec![message(Role::Agent, "Which?"), message(Role::Person, &long)];
        let context =
            Context { conversation, messages: Page { items, next: None }, checkpoints: Vec::new(), asides: Vec::new() };
        let text = of(&context, Some("older"));
        let x = "x".repeat(TEXT_CHARS - 6);
        let expected = format!(
            "Conversation \"Name\", active, begun 1970-01-01T00:00:00Z in /work.\n\nMessages, the oldest first:\n\n\
             [1970-01-01T00:00:00Z] agent asked (request_id 00000000-0000-0000-0000-000000000001, answered) \"Name\":\n\
             \x20 Which?\n\n[1970-01-01T00:00:00Z] person, requested changes:\n  first\n  {x}… (6 more characters in the \
             structured result)\n\nThere are older messages: call review_gate_get_context with cursor older"
        );
        assert_eq!(text, expected);
    }

    #[test]
    fn a_note_reads_as_the_persons_only_where_that_is_as_sure_as_of_a_reply() {
        let told = |given: Option<Given>| {
            let (answered_from, assurance) = given.map(|given| (given.from, given.assurance)).unzip();
            let note = Message { note: true, decision: None, answered_from, assurance, ..message(Role::Person, "Go.") };
            let mut text = String::new();
            super::said(&note, &mut text);
            text.strip_prefix("[1970-01-01T00:00:00Z] ").map(str::to_owned)
        };
        for (given, expected) in [
            (None, "somebody, in a note whose origin isn't known:\n  Go."),
            (Some(AnsweredFrom::Terminal.into()), "somebody, in a note, given at a terminal, unconfirmed (L0):\n  Go."),
            (Some(AnsweredFrom::Desktop.into()), "person, in a note, given by the person in the window (L1):\n  Go."),
        ] {
            assert_eq!(told(given).as_deref(), Some(expected));
        }
    }

    #[test]
    fn a_reply_that_is_withheld_says_why_and_nothing_else() {
        for (why, said) in [
            (Withheld::Revoked, "[1970-01-01T00:00:00Z] person, revoked since: it counts for nothing"),
            (Withheld::NotGivenHere, "[1970-01-01T00:00:00Z] person, not given here: it counts for nothing"),
        ] {
            let mut text = String::new();
            super::said(&Message { decision: None, withheld: Some(why), ..message(Role::Person, "") }, &mut text);
            assert_eq!(text, said);
        }
    }
}
