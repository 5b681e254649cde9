//! A note: what the person tells an agent that is still working, without being asked.

use serde::{Deserialize, Serialize};

use crate::ask::at_most_chars;
use crate::bounds;
use crate::fault::{Code, Fault};
use crate::ids::id;
use crate::timestamp::Timestamp;

id!(
    /// One note to an agent that is still working.
    NoteId,
    "note_id"
);

/// A note that waits for the next result of any tool of its session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Note {
    /// Its identifier.
    pub note_id: NoteId,
    /// What the person wrote.
    pub text: String,
    /// When.
    pub created_at: Timestamp,
}

/// Checks what a note says.
///
/// # Errors
/// `empty_reply` for nothing but blanks, `too_large` over [`bounds::NOTE_CHARS`].
pub fn checked(text: &str) -> Result<(), Fault> {
    if text.trim().is_empty() {
        return Err(Fault::new(Code::EmptyReply, "The note is empty.", "Write what the agent should know."));
    }
    at_most_chars("text", text, bounds::NOTE_CHARS)
}

/// Notes as a model reads them before the result that they come with. Nothing in them answers a
/// question.
#[must_use]
pub fn for_model(notes: &[Note]) -> String {
    let mut text = match notes.len() {
        1 => "A note from the person, sent while you were working".to_owned(),
        many => format!("{many} notes from the person, sent while you were working"),
    };
    text.push_str(". It answers no request and approves nothing by itself; take it into account from here on.");
    for note in notes {
        text.push_str(&format!("\n\n[{}]\n{}", note.created_at, note.text));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    #[test]
    fn a_note_says_something_within_its_bound() {
        assert_eq!(checked(" \n ").err().map(|fault| fault.code), Some(Code::EmptyReply));
        assert_eq!(checked(&"ü".repeat(bounds::NOTE_CHARS)), Ok(()), "characters count, not bytes");
        let long = checked(&"x".repeat(bounds::NOTE_CHARS + 1)).err();
        assert!(
            long.as_ref().is_some_and(|fault| fault.code == Code::TooLarge && fault.message.contains("`text`")),
            "the bound is named: {long:?}"
        );
    }

    #[test]
    fn notes_read_as_what_they_are_and_never_as_an_approval() {
        let note = |text: &str| Note { note_id: NoteId(Uuid::nil()), text: text.to_owned(), created_at: Timestamp(0) };
        let text = for_model(&[note("Use tabs."), note("And spaces.")]);
        assert!(text.starts_with("2 notes from the person"), "{text}");
        assert!(text.ends_with("[1970-01-01T00:00:00Z]\nUse tabs.\n\n[1970-01-01T00:00:00Z]\nAnd spaces."), "{text}");
        assert!(text.contains("approves nothing"), "whatever they say: {text}");
    }
}
