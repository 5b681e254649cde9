//! Snippets: the person's own texts for replies, in the order in which they are likely to be wanted.

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};

use crate::ask::at_most_chars;
use crate::bounds;
use crate::fault::{Code, Fault};
use crate::ids::id;
use crate::timestamp::Timestamp;

id!(
    /// One snippet.
    SnippetId,
    "snippet_id"
);

/// After so many milliseconds without use, a use counts half: a week.
const HALF_LIFE: i64 = 7 * 24 * 60 * 60 * 1000;

/// A text that the person keeps to put it into replies.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Snippet {
    /// Its identifier.
    pub snippet_id: SnippetId,
    /// What it is called, unique whatever its case, 1 to [`bounds::SNIPPET_NAME_CHARS`] characters.
    pub name: String,
    /// What it puts into a reply, 1 to [`bounds::SNIPPET_CHARS`] characters.
    pub text: String,
    /// How often it was used.
    pub uses: u32,
    /// When it was last used; absent while it never was.
    pub used_at: Option<Timestamp>,
}

/// Checks what a snippet is called and says, and returns its name without blanks around it.
///
/// # Errors
/// `invalid_input` where one is empty, `too_large` over [`bounds::SNIPPET_NAME_CHARS`] or
/// [`bounds::SNIPPET_CHARS`].
pub fn checked(name: &str, text: &str) -> Result<String, Fault> {
    let name = name.trim();
    if name.is_empty() {
        return Err(Fault::new(Code::InvalidInput, "`name` is empty.", "Give the snippet a name."));
    }
    at_most_chars("name", name, bounds::SNIPPET_NAME_CHARS)?;
    if text.trim().is_empty() {
        return Err(Fault::new(Code::InvalidInput, "`text` is empty.", "Write what the snippet puts into a reply."));
    }
    at_most_chars("text", text, bounds::SNIPPET_CHARS)?;
    Ok(name.to_owned())
}

/// Two names that are the same to a person have the same key.
#[must_use]
pub fn key_of(name: &str) -> String {
    name.trim().to_lowercase()
}

/// Puts snippets into the order in which they are offered: the number of uses, halved for every week
/// since the last one; those that were never used come last, by name.
pub fn sort(snippets: &mut [Snippet], now: Timestamp) {
    snippets.sort_by_cached_key(|snippet| (Reverse(score(snippet, now)), key_of(&snippet.name)));
}

/// How likely a snippet is wanted, in thousandths of a use that was just made.
fn score(snippet: &Snippet, now: Timestamp) -> u64 {
    let Some(used_at) = snippet.used_at else { return 0 };
    let weeks = (now.0.saturating_sub(used_at.0)).max(0) as f64 / HALF_LIFE as f64;
    let score = f64::from(snippet.uses) * 1000.0 * (-weeks).exp2();
    // A use never counts for nothing: what was used comes before what never was.
    (score as u64).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    const DAY: i64 = 24 * 60 * 60 * 1000;

    fn used(name: &str, uses: u32, days_ago: i64) -> Snippet {
        let used_at = (uses > 0).then_some(Timestamp(1000 * DAY - days_ago * DAY));
        let (name, text) = (name.to_owned(), "text".to_owned());
        Snippet { snippet_id: SnippetId(Uuid::nil()), name, text, uses, used_at }
    }

    #[test]
    fn what_is_used_often_and_lately_comes_first() {
        let mut snippets = [
            used("never b", 0, 0),
            used("Never a", 0, 0),
            used("once, years ago", 1, 900),
            used("ten times, a month ago", 10, 28),
            used("twice today", 2, 0),
            used("three times, a week ago", 3, 7),
        ];
        sort(&mut snippets, Timestamp(1000 * DAY));
        let names: Vec<_> = snippets.iter().map(|snippet| snippet.name.as_str()).collect();
        let order = [
            "twice today",
            "three times, a week ago",
            "ten times, a month ago",
            "once, years ago",
            "Never a",
            "never b",
        ];
        assert_eq!(names, order, "a use counts half after a week");
    }

    #[test]
    fn a_clock_that_was_set_back_breaks_no_order() {
        let mut snippets = [used("tomorrow", 1, -1), used("often", 2, -400)];
        sort(&mut snippets, Timestamp(1000 * DAY));
        assert_eq!(snippets[0].name, "often", "what was used in the future counts as used now");
    }

    #[test]
    fn a_snippets_bounds_are_exact_and_named() {
        let (name, text) = ("é".repeat(bounds::SNIPPET_NAME_CHARS), "é".repeat(bounds::SNIPPET_CHARS));
        assert_eq!(checked(&format!(" {name} "), &text), Ok(name.clone()), "characters count, and blanks go");
        for (name, text, code, field) in [
            (" ", "t", Code::InvalidInput, "`name`"),
            ("n", " \n", Code::InvalidInput, "`text`"),
            (format!("{name}x").as_str(), "t", Code::TooLarge, "`name`"),
            ("n", format!("{text}x").as_str(), Code::TooLarge, "`text`"),
        ] {
            let fault = checked(name, text).err();
            assert!(fault.as_ref().is_some_and(|f| f.code == code && f.message.contains(field)), "{field}: {fault:?}");
        }
    }

    #[test]
    fn names_that_differ_by_case_or_blanks_are_one() {
        assert_eq!(key_of(" Ship It "), key_of("ship it"));
        assert_eq!(key_of("ÄRGER"), key_of("ärger"), "in every script");
    }
}
