//! A conversation as Markdown, for people to read. What they call its states is passed in.

use std::fmt::Write as _;

use super::{Entry, ExportedConversation, Said};
use crate::ask::excerpt;
use crate::assurance::AnsweredFrom;
use crate::bounds;
use crate::clients::english_name;
use crate::conversation::Checkpoint;
use crate::permitting::PermissionSaid;
use crate::progress::{Progress, StepState};
use crate::reply::Decision;
use crate::request::RequestStatus;
use crate::session::SessionStatus;

/// What a person calls the states that the record holds.
pub trait StateWords {
    /// Where a session stands.
    fn session(&self, status: SessionStatus) -> String;
    /// What became of a request.
    fn request(&self, status: RequestStatus) -> String;
    /// What was decided.
    fn decision(&self, decision: Decision) -> String;
    /// Where a reply came from; absent for the app's window, which goes without saying.
    fn answered_from(&self, from: AnsweredFrom) -> Option<String>;
    /// What became of a permission question.
    fn permission(&self, said: &PermissionSaid) -> String;
    /// How a step of the work is.
    fn step(&self, state: StepState) -> String;
}

/// A conversation as Markdown, its states in these words.
#[must_use]
pub fn to_markdown(exported: &ExportedConversation, words: &dyn StateWords) -> String {
    let conversation = &exported.conversation;
    let title = if conversation.title.is_empty() { "Untitled conversation" } else { &conversation.title };
    let mut text = format!("# {}\n\n", excerpt(title, bounds::TITLE_CHARS));
    let client = english_name(&conversation.client);
    for (label, value) in [
        ("Agent", client.as_str()),
        ("Workspace", conversation.workspace.as_str()),
        ("Session", conversation.session_uuid.to_string().as_str()),
        ("Status", words.session(conversation.status).as_str()),
        ("Began", conversation.created_at.to_string().as_str()),
        ("Last change", conversation.updated_at.to_string().as_str()),
    ] {
        if !value.is_empty() {
            let _ = writeln!(text, "- {label}: {value}");
        }
    }
    if let Some(progress) = &conversation.progress {
        text.push_str(&progress_in_markdown(progress, words));
    }
    let mut checkpoints = exported.checkpoints.iter().peekable();
    for (index, entry) in exported.entries.iter().enumerate() {
        while let Some(checkpoint) =
            checkpoints.next_if(|checkpoint| usize::try_from(checkpoint.after_entries).is_ok_and(|at| at <= index))
        {
            text.push_str(&checkpoint_in_markdown(&checkpoint.checkpoint));
        }
        text.push_str(&entry_in_markdown(entry, &client, words));
    }
    for checkpoint in checkpoints {
        text.push_str(&checkpoint_in_markdown(&checkpoint.checkpoint));
    }
    text
}

fn progress_in_markdown(progress: &Progress, words: &dyn StateWords) -> String {
    let percent = progress.progress_percent.map(|percent| format!("{percent} %"));
    let said = [percent, progress.current_step().map(str::to_owned), progress.status_message.clone()];
    let said: Vec<_> = said.into_iter().flatten().collect();
    let mut text = format!("- Progress: {}\n", said.join(" · "));
    for step in &progress.steps {
        let mark = match step.state {
            StepState::Completed => "x",
            _ => " ",
        };
        let _ = writeln!(text, "  - [{mark}] {} ({})", step.name, words.step(step.state));
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

fn entry_in_markdown(entry: &Entry, client: &str, words: &dyn StateWords) -> String {
    let mut text = String::new();
    let aside = if entry.superseded_by.is_some() { " · superseded" } else { "" };
    match &entry.said {
        Said::Agent { ask, status, ended, .. } => {
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
            if let Some(git) = &ask.git {
                let said = excerpt(&git.in_words(), 300).replace(['*', '_', '`', '<', '['], "");
                let _ = write!(text, "\n*{said}*\n");
            }
            if let Some(diff) = &ask.diff {
                let fence = fence_of(diff);
                let _ = write!(text, "\n{fence}diff\n{}\n{fence}\n", diff.trim_end());
            }
            if *status != RequestStatus::Answered {
                let asked = ask.permission.as_ref().filter(|_| *status != RequestStatus::Pending);
                let became = asked.map(|permission| words.permission(&PermissionSaid::asked(permission.form, *ended)));
                let _ = writeln!(text, "\n*{}*", became.unwrap_or_else(|| words.request(*status)));
            }
        }
        Said::Note { text: said, .. } => {
            let _ = write!(text, "\n## You · {} · note{aside}\n\n{}\n", entry.created_at, said.trim_end());
        }
        Said::Person {
            text: said,
            decision,
            selected,
            comments,
            remarks,
            attachments,
            answered_from,
            permission,
            ..
        } => {
            let _ = write!(text, "\n## You · {}", entry.created_at);
            let permitted = permission.as_ref().map(|said| words.permission(said));
            let decided = permitted.or_else(|| decision.map(|decision| words.decision(decision)));
            for word in words.answered_from(*answered_from).into_iter().chain(decided) {
                let _ = write!(text, " · {word}");
            }
            let _ = writeln!(text, "{aside}");
            for label in selected {
                let _ = write!(text, "\n- ● {label}\n");
            }
            if *permission == Some(PermissionSaid::Edited) {
                let _ = write!(text, "\n{}\n", fenced(said));
            } else if !said.trim().is_empty() {
                let _ = write!(text, "\n{}\n", said.trim_end());
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

/// A text as a block of code, as it is.
#[must_use]
pub fn fenced(text: &str) -> String {
    let fence = fence_of(text);
    format!("{fence}\n{}\n{fence}", text.trim_end_matches('\n'))
}

/// A fence that the text can't close.
fn fence_of(text: &str) -> String {
    let longest = text.lines().map(|line| line.trim_start().chars().take_while(|c| *c == '`').count()).max();
    "`".repeat(longest.unwrap_or(0).max(2) + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::tests::sample;
    use crate::permitting::PermissionQuestion;
    use crate::progress::Step;
    use crate::timestamp::Timestamp;

    /// Words that no code has.
    struct Called;

    impl StateWords for Called {
        fn session(&self, status: SessionStatus) -> String {
            format!("session {status:?}")
        }

        fn request(&self, status: RequestStatus) -> String {
            format!("request {status:?}")
        }

        fn decision(&self, decision: Decision) -> String {
            format!("decided {decision:?}")
        }

        fn answered_from(&self, from: AnsweredFrom) -> Option<String> {
            (from != AnsweredFrom::Desktop).then(|| format!("from {from:?}"))
        }

        fn permission(&self, said: &PermissionSaid) -> String {
            format!("permission {said:?}")
        }

        fn step(&self, state: StepState) -> String {
            format!("step {state:?}")
        }
    }

    #[test]
    fn markdown_tells_who_said_what_in_order() {
        let text = to_markdown(&sample(), &Called);
        let places = [
            "# May I?",
            "- Status: session Active\n",
            "## Claude Code",
            "````diff",
            "Checkpoint “before”",
            "## You · 2026-11-21T03:49:21.125Z · decided Approved\n",
            "Yes.",
            "`a.rs lines 2-3` b",
            "> May I?\n\nWhat?",
        ];
        let found: Vec<_> = places.iter().map(|part| text.find(part)).collect();
        assert!(found.iter().all(Option::is_some) && found.is_sorted(), "{found:?} in\n{text}");
    }

    #[test]
    fn markdown_calls_states_by_the_words_that_it_is_given() {
        let mut exported = sample();
        let step = |name: &str, state| Step { name: name.to_owned(), state, started_at: None, ended_at: None };
        exported.conversation.progress = Some(Progress {
            progress_percent: Some(50),
            status_message: None,
            step_name: None,
            steps: vec![step("tests", StepState::InProgress), step("docs", StepState::Completed)],
            updated_at: Timestamp(0),
        });
        for entry in &mut exported.entries {
            match &mut entry.said {
                Said::Agent { status, .. } => *status = RequestStatus::Cancelled,
                Said::Person { answered_from, .. } => *answered_from = AnsweredFrom::Terminal,
                Said::Note { .. } => {}
            }
        }
        let text = to_markdown(&exported, &Called);
        for words in [
            "  - [ ] tests (step InProgress)\n  - [x] docs (step Completed)\n",
            "\n*request Cancelled*\n",
            " · from Terminal · decided Approved\n",
        ] {
            assert!(text.contains(words), "{words:?} in\n{text}");
        }
    }

    #[test]
    fn a_permission_question_has_words_of_its_own() {
        let question = serde_json::json!({"form": "claude_hook", "tool": "Bash", "input": r#"{"command":"make"}"#,
            "folder": "/w"});
        let question: PermissionQuestion = serde_json::from_value(question).expect("it is a question");
        let of = Some(Box::new(question.permission().expect("it can be asked")));
        let told = |became: RequestStatus, answer: Option<PermissionSaid>| {
            let mut exported = sample();
            for entry in &mut exported.entries {
                match &mut entry.said {
                    Said::Agent { ask, status, ended, .. } => {
                        (ask.permission, *status, *ended) = (of.clone(), became, Some(crate::PermissionEnd::Away));
                    }
                    Said::Person { text, permission, .. } => {
                        (*text, *permission) = ("make `all`\n*now*".to_owned(), answer.clone());
                    }
                    Said::Note { .. } => {}
                }
            }
            to_markdown(&exported, &Called)
        };
        let edited = told(RequestStatus::Answered, Some(PermissionSaid::Edited));
        assert!(edited.contains(" · permission Edited\n"), "{edited}");
        assert!(!edited.contains("decided"), "a review's word says nothing of it: {edited}");
        assert!(edited.contains("\n```\nmake `all`\n*now*\n```\n"), "what was allowed stands as it is: {edited}");
        let closed = told(RequestStatus::Cancelled, None);
        assert!(closed.contains("\n*permission Asked"), "it wasn't withdrawn: {closed}");
        assert!(closed.contains("ended: Some(Away)"), "and why it ended is said: {closed}");
        assert!(told(RequestStatus::Pending, None).contains("\n*request Pending*"), "it still waits");
    }

    #[test]
    fn a_note_is_marked_as_one() {
        let mut exported = sample();
        if let Some(entry) = exported.entries.get_mut(1) {
            entry.said = Said::Note { text: "Mind the tests.".to_owned(), delivered_at: None };
        }
        let text = to_markdown(&exported, &Called);
        assert!(text.contains("## You · 2026-11-21T03:49:21.125Z · note\n\nMind the tests.\n"), "{text}");
    }
}
