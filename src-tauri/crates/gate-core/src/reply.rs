//! What a person gives back, and the rules it has to keep.

use serde::{Deserialize, Serialize};

use crate::ask::{Ask, at_most_bytes, at_most_chars};
use crate::assurance::{AnsweredFrom, Assurance};
use crate::bounds;
use crate::fault::{Code, Fault};
use crate::ids::AttachmentId;
use crate::timestamp::Timestamp;

/// What the person decided. Absent when they only replied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// Go ahead.
    Approved,
    /// Don't; change what the text and the comments say.
    ChangesRequested,
}

impl Decision {
    /// The decision as it stands on the wire and in the database.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Approved => "approved",
            Self::ChangesRequested => "changes_requested",
        }
    }

    /// Reads what [`Self::as_str`] wrote.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Approved, Self::ChangesRequested].into_iter().find(|d| d.as_str() == text)
    }
}

/// Which side of a diff a line belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// Before the change.
    Old,
    /// After the change.
    New,
}

/// A comment on one line of the diff, or on several lines that follow each other on one side.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct LineComment {
    /// The file, as the diff names it on that side.
    pub file: String,
    /// The first line of several, counted from 1 on that side and less than `line`; absent for one line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub start_line: Option<u32>,
    /// The line, or the last of several, counted from 1 on that side.
    pub line: u32,
    /// The side.
    pub side: Side,
    /// What the person wrote.
    pub body: String,
}

impl LineComment {
    /// Where it stands as people read it, e.g. `src/a.rs:12` or `src/a.rs lines 12-18`.
    #[must_use]
    pub fn place(&self) -> String {
        match self.start_line {
            Some(first) => format!("{} lines {first}-{}", self.file, self.line),
            None => format!("{}:{}", self.file, self.line),
        }
    }
}

/// A comment on a passage of the agent's message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Remark {
    /// The passage as the person saw it, 1 to [`bounds::QUOTE_CHARS`] characters.
    pub quote: String,
    /// What the person wrote about it.
    pub body: String,
}

impl Remark {
    /// The passage as a Markdown quotation with what was written about it below.
    #[must_use]
    pub fn in_markdown(&self) -> String {
        let mut text = String::with_capacity(self.quote.len() + self.body.len() + 8);
        for line in self.quote.trim_matches('\n').split('\n') {
            text.push_str("> ");
            text.push_str(line);
            text.push('\n');
        }
        text.push('\n');
        text.push_str(self.body.trim_end());
        text
    }
}

/// A file that belongs to a reply or to a draft.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Attachment {
    /// Its identifier.
    pub attachment_id: AttachmentId,
    /// The file's name, without folders.
    pub name: String,
    /// The type found in its content, not the one its name claims.
    pub mime_type: String,
    /// Its size in bytes.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub size: u64,
}

impl Attachment {
    /// Where an agent reads its bytes, e.g. `file://review-gate/attachments/0193…`.
    #[must_use]
    pub fn uri(&self) -> String {
        format!("file://review-gate/attachments/{}", self.attachment_id)
    }
}

/// Whether a model can see content of this type as an image block.
#[must_use]
pub fn is_image(mime_type: &str) -> bool {
    matches!(mime_type, "image/png" | "image/jpeg" | "image/gif" | "image/webp")
}

/// A reply as it is being written. Saved while the person types; answers nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(default)]
pub struct Draft {
    /// The text so far.
    pub text: String,
    /// Labels of the options chosen so far.
    pub selected: Vec<String>,
    /// Comments so far.
    pub comments: Vec<LineComment>,
    /// Attachments so far, in order.
    pub attachments: Vec<AttachmentId>,
    /// Comments on passages of the message so far, in their order.
    pub remarks: Vec<Remark>,
}

impl Draft {
    /// Checks the draft against the bounds, so that a draft can always be stored.
    ///
    /// # Errors
    /// `too_large`, `too_many` or `invalid_input`, naming the field.
    pub fn check(&self) -> Result<(), Fault> {
        at_most_bytes("text", &self.text, bounds::REPLY_BYTES)?;
        if self.comments.len() > bounds::COMMENTS {
            return Err(too_many("comments", self.comments.len(), bounds::COMMENTS));
        }
        for (index, comment) in self.comments.iter().enumerate() {
            at_most_bytes(&format!("comments[{index}].body"), &comment.body, bounds::COMMENT_BYTES)?;
            if comment.start_line.is_some_and(|first| first == 0 || first >= comment.line) {
                return Err(Fault::new(
                    Code::InvalidInput,
                    format!("`comments[{index}].start_line` must be at least 1 and less than `line`."),
                    "Name the first line of the range, or leave `start_line` out for one line.",
                ));
            }
        }
        let total: usize = self.comments.iter().map(|comment| comment.body.len()).sum();
        if total > bounds::COMMENTS_BYTES {
            return Err(Fault::new(
                Code::TooLarge,
                format!("`comments` have {total} bytes together; at most {} are allowed.", bounds::COMMENTS_BYTES),
                "Shorten some of them, or attach a file.",
            ));
        }
        self.check_remarks()?;
        if self.attachments.len() > bounds::ATTACHMENTS {
            return Err(too_many("attachments", self.attachments.len(), bounds::ATTACHMENTS));
        }
        if self.selected.len() > bounds::OPTIONS {
            return Err(too_many("selected", self.selected.len(), bounds::OPTIONS));
        }
        Ok(())
    }

    fn check_remarks(&self) -> Result<(), Fault> {
        if self.remarks.len() > bounds::REMARKS {
            return Err(too_many("remarks", self.remarks.len(), bounds::REMARKS));
        }
        for (index, remark) in self.remarks.iter().enumerate() {
            if remark.quote.trim().is_empty() {
                return Err(Fault::new(
                    Code::InvalidInput,
                    format!("`remarks[{index}].quote` is empty."),
                    "Quote the passage that the remark is about, or write it into the text.",
                ));
            }
            at_most_chars(&format!("remarks[{index}].quote"), &remark.quote, bounds::QUOTE_CHARS)?;
            at_most_bytes(&format!("remarks[{index}].body"), &remark.body, bounds::COMMENT_BYTES)?;
        }
        let total: usize = self.remarks.iter().map(|remark| remark.quote.len() + remark.body.len()).sum();
        if total > bounds::REMARKS_BYTES {
            return Err(Fault::new(
                Code::TooLarge,
                format!("`remarks` have {total} bytes together; at most {} are allowed.", bounds::REMARKS_BYTES),
                "Quote less, shorten some of them, or attach a file.",
            ));
        }
        Ok(())
    }

    /// Checks that this draft, sent with `decision`, is a reply to `ask`.
    ///
    /// # Errors
    /// `empty_reply` where nothing was said; `invalid_input` where a chosen option wasn't offered; bounds as in [`Self::check`].
    pub fn check_as_reply(&self, ask: &Ask, decision: Option<Decision>) -> Result<(), Fault> {
        self.check()?;
        for label in &self.selected {
            if !ask.options.iter().any(|option| &option.label == label) {
                let offered: Vec<_> = ask.options.iter().map(|option| option.label.as_str()).collect();
                let mend = if offered.is_empty() {
                    "This request offers no options; write text instead.".to_owned()
                } else {
                    format!("Choose one of: {}.", offered.join(" | "))
                };
                return Err(Fault::new(Code::InvalidInput, format!("{label:?} is not one of the options."), mend));
            }
        }
        if self.selected.len() > 1 && !ask.allow_multiple {
            return Err(Fault::new(
                Code::InvalidInput,
                "Several options are chosen, but this request takes one.",
                "Choose one option.",
            ));
        }
        if decision.is_none()
            && self.text.trim().is_empty()
            && self.selected.is_empty()
            && self.comments.is_empty()
            && self.remarks.is_empty()
            && self.attachments.is_empty()
        {
            return Err(Fault::new(
                Code::EmptyReply,
                "The reply is empty.",
                "Write something, choose an option, attach a file, or decide.",
            ));
        }
        Ok(())
    }
}

fn too_many(field: &str, count: usize, bound: usize) -> Fault {
    Fault::new(
        Code::TooMany,
        format!("`{field}` has {count} entries; at most {bound} are allowed."),
        "Remove some of them.",
    )
}

/// A stored reply.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Reply {
    /// The decision, if one was made.
    pub decision: Option<Decision>,
    /// The text; may be empty.
    pub text: String,
    /// Labels of the chosen options, in the order of the request.
    pub selected: Vec<String>,
    /// Comments on lines of the diff.
    pub comments: Vec<LineComment>,
    /// Comments on passages of the message.
    pub remarks: Vec<Remark>,
    /// Attached files.
    pub attachments: Vec<Attachment>,
    /// When it was given.
    pub answered_at: Timestamp,
    /// How it was given.
    pub answered_from: AnsweredFrom,
    /// How sure it is that the person gave it.
    pub assurance: Assurance,
    /// When it came from another record: then it is history, and the outcome of nothing.
    pub imported_at: Option<Timestamp>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ask::Choice;

    fn ask(approval: bool, allow_multiple: bool) -> Ask {
        let choice = |label: &str| Choice { label: label.into(), description: None, recommended: false };
        Ask { message: "m".into(), approval, allow_multiple, options: vec![choice("a"), choice("b")], ..Ask::default() }
    }

    fn chosen(labels: &[&str]) -> Draft {
        Draft { selected: labels.iter().map(|l| (*l).to_owned()).collect(), ..Draft::default() }
    }

    #[test]
    fn nothing_is_no_reply_but_a_decision_alone_is_one() {
        let empty = Draft::default();
        let code = empty.check_as_reply(&ask(true, false), None).err().map(|f| f.code);
        assert_eq!(code, Some(Code::EmptyReply), "an empty reply would answer by accident");
        assert_eq!(empty.check_as_reply(&ask(true, false), Some(Decision::Approved)), Ok(()), "a decision says enough");
    }

    #[test]
    fn only_offered_options_can_be_chosen_and_only_as_many_as_asked_for() {
        assert_eq!(chosen(&["a"]).check_as_reply(&ask(false, false), None), Ok(()), "an offered option is a reply");
        assert!(chosen(&["c"]).check_as_reply(&ask(false, false), None).is_err(), "c was not offered");
        assert!(chosen(&["a", "b"]).check_as_reply(&ask(false, false), None).is_err(), "one choice was asked for");
        assert_eq!(chosen(&["a", "b"]).check_as_reply(&ask(false, true), None), Ok(()), "several were allowed");
    }

    fn remark(quote: &str, body: &str) -> Remark {
        Remark { quote: quote.to_owned(), body: body.to_owned() }
    }

    #[test]
    fn a_remark_alone_is_a_reply_and_its_bounds_are_exact() {
        let with = |remarks: Vec<Remark>| Draft { remarks, ..Draft::default() };
        let said = with(vec![remark("a passage", "why?")]);
        assert_eq!(said.check_as_reply(&ask(false, false), None), Ok(()), "a remark says something");
        assert_eq!(said.check_as_reply(&ask(true, false), Some(Decision::Approved)), Ok(()), "beside an approval, too");
        let code = |remarks: Vec<Remark>| with(remarks).check().err().map(|fault| fault.code);
        assert_eq!(code(vec![remark("é", "x"); bounds::REMARKS]), None, "so many are allowed");
        assert_eq!(code(vec![remark("é", "x"); bounds::REMARKS + 1]), Some(Code::TooMany), "one more is not");
        assert_eq!(code(vec![remark(" \n", "x")]), Some(Code::InvalidInput), "a remark is about something");
        let quote = "é".repeat(bounds::QUOTE_CHARS);
        assert_eq!(code(vec![remark(&quote, "x")]), None, "a quote is counted in characters");
        assert_eq!(code(vec![remark(&format!("{quote}x"), "x")]), Some(Code::TooLarge), "one more is too long");
        let body = "x".repeat(bounds::COMMENT_BYTES);
        assert_eq!(code(vec![remark("q", &body)]), None, "the bound itself is allowed");
        assert_eq!(code(vec![remark("q", &format!("{body}x"))]), Some(Code::TooLarge), "one byte more is not");
        let many = bounds::REMARKS_BYTES / (bounds::COMMENT_BYTES + 1);
        assert_eq!(code(vec![remark("q", &body); many]), None, "all together may reach their bound");
        assert_eq!(code(vec![remark("q", &body); many + 1]), Some(Code::TooLarge), "but not pass it");
    }

    #[test]
    fn a_range_of_lines_goes_from_a_first_line_to_a_later_one() {
        let on = |start_line: Option<u32>, line: u32| {
            let comment = LineComment { file: "a.rs".into(), start_line, line, side: Side::New, body: "b".into() };
            (comment.place(), Draft { comments: vec![comment], ..Draft::default() }.check().err().map(|f| f.code))
        };
        assert_eq!(on(None, 12), ("a.rs:12".to_owned(), None));
        assert_eq!(on(Some(12), 18), ("a.rs lines 12-18".to_owned(), None));
        for (first, line) in [(0, 3), (3, 3), (4, 3)] {
            assert_eq!(on(Some(first), line).1, Some(Code::InvalidInput), "from {first} to {line} is no range");
        }
    }

    #[test]
    fn what_an_earlier_program_wrote_is_read_and_one_line_is_written_as_before() {
        let written =
            r#"{"text":"","selected":[],"comments":[{"file":"a","line":1,"side":"new","body":"b"}],"attachments":[]"#;
        let draft: Draft = serde_json::from_str(&format!("{written}}}")).unwrap_or_default();
        assert_eq!(draft.comments.first().map(|comment| (comment.start_line, comment.line)), Some((None, 1)));
        assert_eq!(serde_json::to_string(&draft).unwrap_or_default(), format!("{written},\"remarks\":[]}}"));
    }

    #[test]
    fn a_remark_quotes_every_line_of_its_passage() {
        let text = remark("one\n\ntwo\n", "Both?\nWhy?\n").in_markdown();
        assert_eq!(text, "> one\n> \n> two\n\nBoth?\nWhy?");
    }

    #[test]
    fn every_bound_of_a_draft_has_its_message() {
        let text = Draft { text: "x".repeat(bounds::REPLY_BYTES + 1), ..Draft::default() };
        assert_eq!(text.check().err().map(|f| f.code), Some(Code::TooLarge), "text is bounded");
        let attachments =
            Draft { attachments: vec![AttachmentId(uuid::Uuid::nil()); bounds::ATTACHMENTS + 1], ..Draft::default() };
        assert_eq!(attachments.check().err().map(|f| f.code), Some(Code::TooMany), "attachments are bounded");
        let comment = |n: usize| LineComment {
            file: "f".into(),
            start_line: None,
            line: 1,
            side: Side::New,
            body: "x".repeat(n),
        };
        let comments = |n: usize, long: usize| Draft { comments: vec![comment(long); n], ..Draft::default() };
        assert_eq!(comments(bounds::COMMENTS, 1).check(), Ok(()), "the bound itself is allowed");
        let many = comments(bounds::COMMENTS + 1, 1).check().err().map(|f| f.code);
        assert_eq!(many, Some(Code::TooMany), "one comment more is not");
        let long = comments(1, bounds::COMMENT_BYTES + 1).check().err().map(|f| f.code);
        assert_eq!(long, Some(Code::TooLarge), "nor is a longer one");
        let each = bounds::COMMENT_BYTES;
        let fit = bounds::COMMENTS_BYTES / each;
        assert_eq!(comments(fit, each).check(), Ok(()), "all comments together may reach their bound");
        let more = comments(fit + 1, each).check().err().map(|f| f.code);
        assert_eq!(more, Some(Code::TooLarge), "but not pass it");
    }
}
