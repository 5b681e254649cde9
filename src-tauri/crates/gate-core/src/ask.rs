//! The question that an agent puts, the rules it has to keep, and what of it counts.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::assurance::Assurance;
use crate::bounds;
use crate::diff;
use crate::digest::{Digest, canonical_json};
use crate::fault::{Code, Fault};
use crate::git::QuestionGit;
use crate::kind::RequestKind;
use crate::permission::Permission;
use crate::question::{Part, Parts};
use crate::round::AskedRound;
use crate::unseen::{is_unseen, visible};

pub use crate::bounded::{at_most_bytes, at_most_chars, excerpt};

/// One quick reply that an agent offers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Choice {
    /// What the person picks; unique in the request.
    pub label: String,
    /// One line that explains it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub description: Option<String>,
    /// Whether the agent recommends it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<bool>"))]
    pub recommended: bool,
}

/// What an agent asks a person.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Ask {
    /// Markdown shown to the person, 1 B to [`bounds::MESSAGE_BYTES`].
    pub message: String,
    /// The headline, up to [`bounds::TITLE_CHARS`].
    #[serde(default)]
    pub title: Option<String>,
    /// What the agent is doing, up to [`bounds::CONTEXT_BYTES`].
    #[serde(default)]
    pub context: Option<String>,
    /// Whether it comes before everything else.
    #[serde(default)]
    pub urgent: bool,
    /// Quick replies, up to [`bounds::OPTIONS`].
    #[serde(default)]
    pub options: Vec<Choice>,
    /// Whether several options may be chosen.
    #[serde(default)]
    pub allow_multiple: bool,
    /// Whether the person must approve or request changes.
    #[serde(default)]
    pub approval: bool,
    /// A unified diff, up to [`bounds::DIFF_BYTES`].
    #[serde(default)]
    pub diff: Option<String>,
    /// What git holds of the diff, where the gate itself made it of a repository.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub git: Option<Box<QuestionGit>>,
    /// How sure an approval has to be for whoever asks: never less than the person's own rules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub require: Option<Assurance>,
    /// What an agent asks to be allowed, where this is a permission question. Only the gate itself makes one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub permission: Option<Box<Permission>>,
    /// The round of a review that the person is to decide, where that is asked. Only the gate itself makes one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub round: Option<Box<AskedRound>>,
}

impl Ask {
    /// The names of its parts: what of a question counts. Whoever signs an answer refuses a question that has others.
    pub const PARTS: [&'static str; 11] = [
        "allow_multiple",
        "approval",
        "context",
        "diff",
        "git",
        "message",
        "options",
        "permission",
        "require",
        "round",
        "title",
    ];

    /// Checks every rule and bound; blank optional fields become absent.
    ///
    /// # Errors
    /// A [`Fault`] that names the field: `invalid_input`, `too_large`, `too_many` or `invalid_diff`.
    pub fn checked(mut self) -> Result<Self, Fault> {
        if self.message.trim().is_empty() {
            return Err(Fault::new(
                Code::InvalidInput,
                "`message` is empty.",
                "Write what the person should read; Markdown is shown formatted.",
            ));
        }
        at_most_bytes("message", &self.message, bounds::MESSAGE_BYTES)?;
        blank_to_none(&mut self.title);
        blank_to_none(&mut self.context);
        blank_to_none(&mut self.diff);
        if let Some(title) = &self.title {
            at_most_chars("title", title, bounds::TITLE_CHARS)?;
        }
        if let Some(context) = &self.context {
            at_most_bytes("context", context, bounds::CONTEXT_BYTES)?;
        }
        self.check_options()?;
        if let Some(text) = &self.diff {
            at_most_bytes("diff", text, bounds::DIFF_BYTES)?;
            diff::parse(text)?;
        }
        Ok(self)
    }

    /// What kind of question it is.
    #[must_use]
    pub fn kind(&self) -> RequestKind {
        match (&self.permission, &self.round) {
            (Some(_), _) => RequestKind::Permission,
            (None, Some(_)) => RequestKind::Round,
            (None, None) => RequestKind::Chat,
        }
    }

    /// The title, or else the first line of the message without its Markdown marks, shortened to
    /// [`bounds::TITLE_CHARS`].
    #[must_use]
    pub fn headline(&self) -> String {
        if let Some(title) = &self.title {
            return title.clone();
        }
        excerpt(&self.plain_lines().next().unwrap_or_default(), 120)
    }

    /// What the message says after its headline, on one line without Markdown marks, shortened to
    /// [`bounds::EXCERPT_CHARS`]; empty where it says no more.
    #[must_use]
    pub fn beginning(&self) -> String {
        let mut text = String::new();
        for line in self.plain_lines().skip(usize::from(self.title.is_none())) {
            if text.chars().count() > bounds::EXCERPT_CHARS {
                break;
            }
            if !text.is_empty() {
                text.push(' ');
            }
            text.push_str(&line);
        }
        excerpt(&text, bounds::EXCERPT_CHARS - 1)
    }

    /// All of it that is read before a decision, for terminals: each text as it was sent, under its heading.
    #[must_use]
    pub fn shown(&self) -> Vec<(&'static str, Cow<'_, str>)> {
        self.parts().shown()
    }

    /// What of it counts, in the order in which it is read.
    pub(crate) fn parts(&self) -> Parts<'_> {
        // A new field is a part, named in `PARTS`. How urgent it is says when it is read, not what is asked.
        let Self {
            message,
            title,
            context,
            urgent: _,
            options,
            allow_multiple,
            approval,
            diff,
            git,
            require,
            permission,
            round,
        } = self;
        let parts = [
            title.as_deref().map(|text| Part::text("title", text)),
            Some(Part::text("message", message)),
            context.as_deref().map(|text| Part::text("context", text)),
            Some(Part::each("options", options.iter().map(Choice::parts))),
            Some(Part::mark("allow_multiple", "how many options may be chosen", "several", *allow_multiple)),
            Some(Part::mark("approval", "what is asked for", "an approval", *approval)),
            git.as_deref().map(|git| Part::git("git", git)),
            require.map(|level| Part::headed("require", "how sure an approval has to be", level.as_str())),
            permission.as_deref().map(|asked| Part::each("permission", std::iter::once(asked.parts()))),
            round.as_deref().map(|asked| Part::each("round", std::iter::once(asked.parts()))),
            diff.as_deref().map(|text| Part::text("diff", text)),
        ];
        Parts(parts.into_iter().flatten().collect())
    }

    /// How many files the diff changes; 0 without one. Counted without parsing it.
    #[must_use]
    pub fn changed_files(&self) -> usize {
        self.diff.as_deref().map_or(0, changed_files)
    }

    /// The message's lines that say something, without the marks at their beginning and in them.
    fn plain_lines(&self) -> impl Iterator<Item = String> {
        self.message
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty() && !line.starts_with("```"))
            .map(|line| line.trim_start_matches(['#', '>', '-', '*', ' ']).replace(['*', '`'], ""))
            .filter(|line| !line.is_empty())
    }

    fn check_options(&mut self) -> Result<(), Fault> {
        if self.options.len() > bounds::OPTIONS {
            return Err(Fault::new(
                Code::TooMany,
                format!("`options` has {} entries; at most {} are allowed.", self.options.len(), bounds::OPTIONS),
                "Offer fewer options, or describe them in `message` and let the person write.",
            ));
        }
        for (index, option) in self.options.iter_mut().enumerate() {
            if option.label.chars().all(|c| c.is_whitespace() || is_unseen(c)) {
                return Err(Fault::new(
                    Code::InvalidInput,
                    format!("`options[{index}].label` is empty."),
                    "Give every option a label, or leave it out.",
                ));
            }
            at_most_chars(&format!("options[{index}].label"), &option.label, bounds::OPTION_LABEL_CHARS)?;
            blank_to_none(&mut option.description);
            if let Some(description) = &option.description {
                let field = format!("options[{index}].description");
                at_most_chars(&field, description, bounds::OPTION_DESCRIPTION_CHARS)?;
            }
        }
        for (index, option) in self.options.iter().enumerate() {
            if self.options.iter().take(index).any(|earlier| earlier.label == option.label) {
                return Err(Fault::new(
                    Code::InvalidInput,
                    format!("`options` names {:?} twice.", excerpt(&option.label, 60)),
                    "Give every option a label of its own.",
                ));
            }
        }
        Ok(())
    }
}

impl Choice {
    /// What of it counts.
    fn parts(&self) -> Parts<'_> {
        let Self { label, description, recommended } = self;
        let parts = [
            Some(Part::headed("label", "option", label)),
            description.as_deref().map(|text| Part::headed("description", "description of the option", text)),
            Some(Part::mark("recommended", "of the option", "recommended by the agent", *recommended)),
        ];
        Parts(parts.into_iter().flatten().collect())
    }
}

impl Digest {
    /// Of a question as it is stored: with its defaults, and without what is absent and how urgent it is. A front end
    /// names the digest of the question that it shows with each answer, so that no answer is taken for another question.
    ///
    /// # Errors
    /// As [`Digest::of`].
    pub fn of_question(ask: &Ask) -> Result<Self, Fault> {
        Self::of(&ask.parts())
    }
}

/// What [`Digest::of_question`] is the digest of, byte for byte: for whoever takes it by itself.
///
/// # Errors
/// As [`Digest::of`].
pub fn question_text(ask: &Ask) -> Result<String, Fault> {
    canonical_json(&ask.parts())
}

/// The first `chars` characters of `text` as a line for where nothing but text fits, such as a notification or a row of
/// the tray: without the marks of code, and with what nobody would see as its code point.
#[must_use]
pub fn plain_line(text: &str, chars: usize) -> String {
    visible(&excerpt(&uncoded(text), chars))
}

/// The text without the backticks around code, which windows show as code (`ui/src/components/coded.ts`).
#[must_use]
pub fn uncoded(text: &str) -> String {
    let (mut bare, mut rest) = (String::with_capacity(text.len()), text);
    while let Some((before, after)) = rest.split_once('`') {
        bare.push_str(before);
        let code = after.split_once('`').filter(|(code, _)| !code.is_empty() && !code.contains('\n'));
        rest = match code {
            Some((code, after)) => {
                bare.push_str(code);
                after
            }
            None => {
                bare.push('`');
                after
            }
        };
    }
    bare + rest
}

fn blank_to_none(field: &mut Option<String>) {
    if field.as_deref().is_some_and(|text| text.trim().is_empty()) {
        *field = None;
    }
}

/// How many files a diff changes.
#[must_use]
pub fn changed_files(diff: &str) -> usize {
    let headed = diff.lines().filter(|line| line.starts_with("diff --git ")).count();
    if headed > 0 {
        return headed;
    }
    let mut before = "";
    diff.lines()
        .filter(|line| std::mem::replace(&mut before, line).starts_with("--- ") && line.starts_with("+++ "))
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(message: &str) -> Ask {
        Ask { message: message.to_owned(), ..Ask::default() }
    }

    fn code(ask: Ask) -> Option<Code> {
        ask.checked().err().map(|fault| fault.code)
    }

    #[test]
    fn a_message_is_bounded_on_both_sides() {
        assert_eq!(code(ask("  \n ")), Some(Code::InvalidInput), "a blank message asks nothing");
        assert_eq!(code(ask(&"x".repeat(bounds::MESSAGE_BYTES))), None, "the bound itself is allowed");
        assert_eq!(code(ask(&"x".repeat(bounds::MESSAGE_BYTES + 1))), Some(Code::TooLarge), "one more is not");
    }

    #[test]
    fn a_title_is_counted_in_characters() {
        let long = |n| Ask { title: Some("é".repeat(n)), ..ask("m") };
        assert_eq!(code(long(bounds::TITLE_CHARS)), None, "characters count, not bytes");
        assert_eq!(code(long(bounds::TITLE_CHARS + 1)), Some(Code::TooLarge), "one more is too long");
    }

    #[test]
    fn lists_show_how_the_message_goes_on() {
        let titled = Ask { title: Some("T".to_owned()), ..ask("# First\n\nI **moved** it.\n```sh\nls\n```") };
        assert_eq!(titled.beginning(), "First I moved it. ls", "all of it, on one line and without marks");
        assert_eq!(ask("First\n\n- second").beginning(), "second", "the first line is the headline");
        assert_eq!(ask("First").beginning(), "", "there is no more");
        let code = Ask { title: Some("T".to_owned()), ..ask("Run `ls -l` in ``a`b``:\n```sh\n`date`\n```\n~~`x`~~") };
        assert!(!code.beginning().contains('`'), "no row of a list has backticks: {}", code.beginning());
        assert!(code.beginning().starts_with("Run ls -l in ab: date"), "and all that they held: {}", code.beginning());
        let long = ask(&format!("First\n{}", "é".repeat(500))).beginning();
        assert!(long.chars().count() <= bounds::EXCERPT_CHARS, "it is short: {}", long.chars().count());
    }

    #[test]
    fn changed_files_are_counted_in_both_forms_of_a_diff() {
        let with = |diff: &str| Ask { diff: Some(diff.to_owned()), ..ask("m") }.changed_files();
        assert_eq!(ask("m").changed_files(), 0, "no diff");
        assert_eq!(with("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"), 1, "without git's line");
        let renamed = "diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n";
        let changed = "diff --git a/z b/z\n--- a/z\n+++ b/z\n@@ -1 +1 @@\n--- a\n+++ b\n";
        assert_eq!(with(&format!("{renamed}{changed}")), 2, "a rename counts, a line that looks like a head doesn't");
    }

    #[test]
    fn options_are_few_named_and_different() {
        let with = |labels: Vec<String>| Ask {
            options: labels.into_iter().map(|label| Choice { label, description: None, recommended: false }).collect(),
            ..ask("m")
        };
        let many = |n: usize| (0..n).map(|i| i.to_string()).collect::<Vec<_>>();
        assert_eq!(code(with(many(bounds::OPTIONS))), None, "twenty options are allowed");
        assert_eq!(code(with(many(bounds::OPTIONS + 1))), Some(Code::TooMany), "the twenty-first is refused");
        assert_eq!(code(with(vec!["a".into(), "a".into()])), Some(Code::InvalidInput), "labels identify options");
        assert_eq!(code(with(vec![" ".into()])), Some(Code::InvalidInput), "a blank option can't be chosen");
    }

    #[test]
    fn the_other_fields_are_bounded_too() {
        let context = |n| Ask { context: Some("x".repeat(n)), ..ask("m") };
        assert_eq!(code(context(bounds::CONTEXT_BYTES)), None, "the bound itself is allowed");
        assert_eq!(code(context(bounds::CONTEXT_BYTES + 1)), Some(Code::TooLarge), "one more is not");
        let option = |label: usize, description: usize| Ask {
            options: vec![Choice {
                label: "é".repeat(label),
                description: Some("é".repeat(description)),
                recommended: false,
            }],
            ..ask("m")
        };
        let (label, description) = (bounds::OPTION_LABEL_CHARS, bounds::OPTION_DESCRIPTION_CHARS);
        assert_eq!(code(option(label, description)), None, "both bounds at once are allowed");
        assert_eq!(code(option(label + 1, 1)), Some(Code::TooLarge), "a longer label is not");
        assert_eq!(code(option(1, description + 1)), Some(Code::TooLarge), "a longer description is not");
        let diff = |n: usize| {
            let head = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n+";
            Ask { diff: Some(format!("{head}{}", "x".repeat(n - head.len()))), ..ask("m") }
        };
        assert_eq!(code(diff(bounds::DIFF_BYTES)), None, "the largest diff is allowed");
        assert_eq!(code(diff(bounds::DIFF_BYTES + 1)), Some(Code::TooLarge), "one byte more is not");
    }

    #[test]
    fn a_headline_is_found_without_a_title() {
        assert_eq!(ask("\n## Use **two** queues?\nBecause…").headline(), "Use two queues?");
        assert_eq!(ask("Drop `retry_webhook`?").headline(), "Drop retry_webhook?", "nor are there backticks");
    }

    #[test]
    fn where_only_text_fits_code_has_no_marks_and_nothing_hides() {
        for (text, plain) in [
            ("Drop `retry_webhook`?", "Drop retry_webhook?"),
            ("`a` and `b`", "a and b"),
            ("5` of 6", "5` of 6"),
            ("an empty `` stays", "an empty `` stays"),
            ("over `two\nlines` not", "over `two lines` not"),
            ("Use `a\u{202e}b`", "Use a⟨U+202E⟩b"),
        ] {
            assert_eq!(plain_line(text, 60), plain, "{text:?}");
        }
        assert_eq!(plain_line("Run `cargo test`", 9), "Run cargo…", "what is cut leaves no mark behind");
    }
}
