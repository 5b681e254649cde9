//! The rules that tell an agent when to call the gate, and how they stand in a file.

use crate::paths::RulesKind;

/// What every client's agents are told.
pub const RULES: &str = include_str!("rules.md");

/// Where our section begins in a file that others write in.
const BEGIN: &str = "<!-- review-gate: begin (`review-gate install` writes this section anew) -->";
const END: &str = "<!-- review-gate: end -->";

/// How the rules of a file are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RulesState {
    /// They aren't there.
    None,
    /// They are, as this version writes them.
    Written,
    /// They are, otherwise than this version writes them.
    Changed,
    /// The client reads none from a file.
    Unsupported,
}

/// The rules as they are written into a file that isn't there yet.
pub(crate) fn alone(kind: RulesKind) -> String {
    match kind {
        RulesKind::Alone(head) => format!("{head}{RULES}"),
        RulesKind::Section => section(),
    }
}

/// The file with the rules in it; the same text where they are there already. Absent where our marks stand
/// there by halves.
pub(crate) fn with(kind: RulesKind, text: Option<&str>) -> Option<String> {
    let text = text.unwrap_or_default();
    match kind {
        RulesKind::Alone(_) => Some(alone(kind)),
        RulesKind::Section => {
            let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
            let section = section().replace('\n', newline);
            match section_in(text)? {
                Some((from, to)) => Some(format!("{}{section}{}", &text[..from], &text[to..])),
                None => {
                    let mut done = text.to_owned();
                    if !done.is_empty() {
                        done.push_str(if done.ends_with('\n') { "" } else { newline });
                        done.push_str(newline);
                    }
                    Some(done + &section)
                }
            }
        }
    }
}

/// The file without the rules; absent where our marks stand there by halves.
pub(crate) fn without(text: &str) -> Option<String> {
    let Some((from, to)) = section_in(text)? else { return Some(text.to_owned()) };
    let (before, after) = (&text[..from], &text[to..]);
    // The empty line before a section at the end is the one that came with it.
    let before = match after.trim().is_empty() {
        true => before.strip_suffix("\r\n\r\n").map_or_else(
            || before.strip_suffix("\n\n").map_or(before, |rest| &before[..=rest.len()]),
            |rest| &before[..rest.len() + 2],
        ),
        false => before,
    };
    Some(format!("{before}{after}"))
}

/// How the rules are in a file.
pub(crate) fn state(kind: RulesKind, text: Option<&str>) -> RulesState {
    let Some(text) = text else { return RulesState::None };
    let there = match kind {
        RulesKind::Alone(_) => true,
        RulesKind::Section => section_in(text) != Some(None),
    };
    match (there, with(kind, Some(text))) {
        (false, _) => RulesState::None,
        (true, Some(wanted)) if wanted == text => RulesState::Written,
        (true, _) => RulesState::Changed,
    }
}

fn section() -> String {
    format!("{BEGIN}\n\n{RULES}\n{END}\n")
}

/// From where to where our section goes, its line end included; absent inside where it isn't there, and
/// outside where one of the marks is missing.
fn section_in(text: &str) -> Option<Option<(usize, usize)>> {
    // The mark's words may change with a version; what it begins with won't.
    let from = text.find("<!-- review-gate: begin");
    let end = text.find(END);
    match (from, end) {
        (None, None) => Some(None),
        (Some(from), Some(end)) if from < end => {
            let end = end + END.len();
            let rest = &text[end..];
            let line_end = if rest.starts_with("\r\n") { 2 } else { usize::from(rest.starts_with('\n')) };
            Some(Some((from, end + line_end)))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rules_say_what_matters_in_few_words() {
        for needed in [
            "review_gate_chat",
            "before you end your turn",
            "risky",
            "approval: true",
            "\"decision\": \"approved\"",
            "\"status\": \"pending\"",
            "`request_id`",
            "away",
            "`options`",
            "`diff`",
            "`repository`",
        ] {
            assert!(RULES.contains(needed), "an agent has to read of {needed}");
        }
        assert!(RULES.len() < 1800, "every turn of every agent pays for {} bytes", RULES.len());
        assert!(RULES.lines().all(|line| line.chars().count() <= 102), "it is read by people, too");
    }

    #[test]
    fn a_section_comes_and_goes_without_a_trace() {
        for text in ["", "# Ours\n", "# Ours\r\n\r\nText\r\n", "# Ours\n\n\n", "é\n"] {
            let added = with(RulesKind::Section, Some(text)).unwrap();
            assert!(added.starts_with(text) && added.contains("review_gate_chat"), "{text:?} is kept in front");
            assert_eq!(with(RulesKind::Section, Some(&added)).as_ref(), Some(&added), "a second time changes nothing");
            assert_eq!(without(&added).as_deref(), Some(text), "and out it comes");
            assert_eq!(state(RulesKind::Section, Some(&added)), RulesState::Written);
            assert_eq!(state(RulesKind::Section, Some(text)), RulesState::None);
        }
    }

    #[test]
    fn what_follows_a_section_stays() {
        let added = with(RulesKind::Section, Some("one\n")).unwrap() + "two\n";
        assert_eq!(without(&added).as_deref(), Some("one\n\ntwo\n"));
        let older = added.replace("One question at a time.", "Ask often.");
        assert_eq!(state(RulesKind::Section, Some(&older)), RulesState::Changed);
        assert_eq!(
            with(RulesKind::Section, Some(&older)),
            Some(added),
            "an older section is written anew in its place"
        );
    }

    #[test]
    fn half_a_section_is_left_to_the_person() {
        let half = format!("text\n{END}\n");
        assert_eq!((with(RulesKind::Section, Some(&half)), without(&half)), (None, None));
    }
}
