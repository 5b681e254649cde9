//! A note: what the person tells an agent that is still working, without being asked.

use serde::{Deserialize, Serialize};

use crate::ask::at_most_chars;
use crate::assurance::{Assurance, Given};
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
    /// Where it was given, and how sure that is; absent for one from before that was written down. It is for the agent: the
    /// person knows.
    #[serde(skip)]
    #[cfg_attr(feature = "typescript", ts(skip))]
    pub given: Option<Given>,
}

impl Note {
    /// Whose it is, to follow “a note”: the person's from [`Assurance::L1`] on only.
    fn whose(&self) -> String {
        match self.given {
            Some(given) if given.assurance >= Assurance::L1 => "from the person".to_owned(),
            Some(given) => format!("given {}", given.in_words()),
            None => "whose origin isn't known".to_owned(),
        }
    }
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

/// Notes as a model reads them before the result that they come with, those together that were given in one place after
/// the other. Nothing in them answers a question.
#[must_use]
pub fn for_model(notes: &[Note]) -> String {
    let blocks: Vec<String> = notes.chunk_by(|one, next| one.whose() == next.whose()).map(block).collect();
    blocks.join("\n\n")
}

/// Notes that were given in the same place.
fn block(notes: &[Note]) -> String {
    let whose = notes.first().map(Note::whose).unwrap_or_default();
    let mut text = match notes.len() {
        1 => format!("A note {whose}, sent while you were working"),
        many => format!("{many} notes {whose}, sent while you were working"),
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
    use crate::assurance::AnsweredFrom;
    use uuid::Uuid;

    fn note(text: &str, given: Option<Given>) -> Note {
        Note { note_id: NoteId(Uuid::nil()), text: text.to_owned(), created_at: Timestamp(0), given }
    }

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
        let given = Some(AnsweredFrom::Desktop.into());
        let text = for_model(&[note("Use tabs.", given), note("And spaces.", given)]);
        assert!(text.starts_with("2 notes from the person"), "{text}");
        assert!(text.ends_with("[1970-01-01T00:00:00Z]\nUse tabs.\n\n[1970-01-01T00:00:00Z]\nAnd spaces."), "{text}");
        assert!(text.contains("approves nothing"), "whatever they say: {text}");
    }

    #[test]
    fn a_note_is_the_persons_only_where_that_is_as_sure_as_of_a_reply() {
        let words = |given: Option<Given>| for_model(&[note("Go.", given)]);
        for from in AnsweredFrom::ALL {
            for assurance in Assurance::ALL {
                let text = words(Some(Given { from, assurance }));
                assert_eq!(text.contains("person"), assurance >= Assurance::L1, "{from:?} at {assurance:?}: {text}");
            }
        }
        assert!(words(Some(AnsweredFrom::Terminal.into())).starts_with("A note given at a terminal, unconfirmed (L0)"));
        assert!(!words(None).contains("person"), "nobody knows who gave it");
        let (window, terminal) = (Some(AnsweredFrom::Desktop.into()), Some(AnsweredFrom::Terminal.into()));
        let text = for_model(&[note("Use tabs.", window), note("Deploy.", terminal)]);
        let (first, second) = text.split_once("A note given at a terminal").expect("each is told as what it is");
        assert!(
            first.contains("from the person") && first.contains("Use tabs.") && second.ends_with("Deploy."),
            "{text}"
        );
    }
}
