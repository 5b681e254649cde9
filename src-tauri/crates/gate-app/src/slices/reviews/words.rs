//! What the person is asked of a review, in words.

use gate_core::markdown::visible;
use gate_core::proposal::{Asked, StoredReview, StoredRound, StoredVerdict, Verdict};

/// The question in words, as Markdown. Names and what the gate itself says stand in it as they are, whatever they hold.
pub(super) fn question(
    stored: &StoredReview,
    round: &StoredRound,
    verdicts: &[StoredVerdict],
    stale: Option<&str>,
) -> String {
    let proposer = as_markdown(&stored.summary.proposer);
    let mut text = match stored.state.asked {
        Some(Asked::Unreviewed) => format!("Nobody has reviewed what {proposer} proposes."),
        _ => format!("{proposer} proposes a change, and it needs your decision."),
    };
    let of_round = verdicts.iter().filter(|verdict| verdict.round == round.round);
    for verdict in of_round {
        let said = match verdict.decision {
            Verdict::Approved => "approves it",
            Verdict::Rejected => "rejects it",
            Verdict::Comment => "says",
            Verdict::Escalate => "asks you to decide",
        };
        let reason = verdict.reason.as_deref().map(quoted).unwrap_or_default();
        text.push_str(&format!(
            "\n\nThe reviewer **{}** {said}{}\n{reason}",
            as_markdown(&verdict.author),
            if reason.is_empty() { "." } else { ":\n" }
        ));
    }
    if let Some(why) = stale {
        text.push_str(&format!("\n\n**It doesn't apply any more.** {}", as_markdown(why)));
    }
    for warning in &round.checked.warnings {
        text.push_str(&format!("\n\n- {}", as_markdown(warning)));
    }
    if round.round > 1 {
        text.push_str(&format!("\n\nThis is round {}.", round.round));
    }
    if let Some(from) = round.carried_from {
        text.push_str(&format!(
            "\n\nIt is the same patch as round {from}, on another commit: agents have approved that, and their approvals \
             hold."
        ));
    }
    text.push_str(&format!("\n\n## What it is to do\n\n{}", stored.intent));
    if let Some(description) = &round.description {
        text.push_str(&format!("\n\n{description}"));
    }
    text
}

/// What makes something of a line of Markdown, wherever it stands in it.
const MEANS_SOMETHING: &str = "\\`*_[]<>#!|~&{}";

/// A text as a quotation in Markdown, which nothing in it ends.
pub(super) fn quoted(text: &str) -> String {
    text.replace('\r', "\n").lines().map(|line| format!("> {line}\n")).collect()
}

/// A text as Markdown that shows it as it is, on one line.
pub(super) fn as_markdown(text: &str) -> String {
    let mut shown = String::with_capacity(text.len() + 8);
    for c in visible(text).chars() {
        match c {
            '\n' | '\r' | '\t' => shown.push(' '),
            c if MEANS_SOMETHING.contains(c) => shown.extend(['\\', c]),
            c => shown.push(c),
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_shown_as_it_is_and_makes_nothing_of_what_stands_around_it() {
        for (name, shown) in [
            ("claude-code 2.1", "claude-code 2.1"),
            ("x**\n\n# Approved by you", "x\\*\\*  \\# Approved by you"),
            ("[here](https://example.com)<b>", "\\[here\\](https://example.com)\\<b\\>"),
            ("a\u{202e}b", "a⟨U+202E⟩b"),
        ] {
            assert_eq!(as_markdown(name), shown);
        }
    }

    #[test]
    fn a_quotation_is_ended_by_nothing_in_it() {
        assert_eq!(quoted("one\r\rtwo\n\n# three"), "> one\n> \n> two\n> \n> # three\n");
    }
}
