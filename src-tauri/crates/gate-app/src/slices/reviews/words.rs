//! What the person is asked of a review, in words.

use std::borrow::Cow;

use gate_core::ask::excerpt;
use gate_core::bounds;
use gate_core::markdown::visible;
use gate_core::proposal::{Asked, StoredReview, StoredRound, StoredVerdict, Verdict};

/// Verdicts of a round that its question has, the newest. All of it stays far below what a question may have
/// ([`bounds::MESSAGE_BYTES`]), whatever agents say: else nobody would be asked.
const VERDICTS: usize = 20;
/// Bytes of each one's reason.
const REASON_BYTES: usize = 8 * 1024;
/// What is to be known of a change that its question says, in so many sentences, each of so many characters.
const WARNINGS: usize = 50;
const WARNING_CHARS: usize = 300;

/// The headline of the question.
pub(super) fn title(stored: &StoredReview) -> String {
    excerpt(&stored.intent, bounds::TITLE_CHARS - 1)
}

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
    let of_round: Vec<_> = verdicts.iter().filter(|verdict| verdict.round == round.round).collect();
    let earlier = of_round.len().saturating_sub(VERDICTS);
    if earlier > 0 {
        text.push_str(&format!("\n\nWhat reviewers said before, {earlier} times, stands in the review."));
    }
    for verdict in &of_round[earlier..] {
        let said = match verdict.decision {
            Verdict::Approved => "approves it",
            Verdict::Rejected => "rejects it",
            Verdict::Comment => "says",
            Verdict::Escalate => "asks you to decide",
        };
        let reason = verdict.reason.as_deref().map(|reason| quoted(&cut(reason, REASON_BYTES))).unwrap_or_default();
        text.push_str(&format!(
            "\n\nThe reviewer **{}** {said}{}\n{reason}",
            as_markdown(&verdict.author),
            if reason.is_empty() { "." } else { ":\n" }
        ));
    }
    if let Some(why) = stale {
        text.push_str(&format!("\n\n**It doesn't apply any more.** {}", sentence(why)));
    }
    let warnings = &round.checked.warnings;
    for warning in warnings.iter().take(WARNINGS) {
        text.push_str(&format!("\n\n- {}", sentence(warning)));
    }
    if warnings.len() > WARNINGS {
        text.push_str(&format!("\n\n- and {} more of these, which stand in the review", warnings.len() - WARNINGS));
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

/// A sentence of the gate's, in which a path may be as long as one can be.
fn sentence(text: &str) -> String {
    as_markdown(&excerpt(text, WARNING_CHARS))
}

/// A text that has at most so many bytes, and says where it was cut.
fn cut(text: &str, bytes: usize) -> Cow<'_, str> {
    match text.len() > bytes {
        true => format!("{}…\n(It goes on in the review.)", &text[..text.floor_char_boundary(bytes)]).into(),
        false => text.into(),
    }
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
