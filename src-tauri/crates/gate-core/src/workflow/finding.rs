//! What a reviewer finds: checked as it comes in, and known again by what it says and of which lines.

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::FindingId;
use super::anchor::{Anchor, Sought};
use super::bounds;
use super::path::PathText;
use super::words::{FindingState, Severity};
use crate::bounded::{at_most_bytes, at_most_chars};
use crate::digest::Digest;
use crate::fault::{Code, Fault};
use crate::reply::Side;

/// A finding as a reviewer hands it in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    /// What it is, on one line; 1 to 200 characters.
    pub title: String,
    /// What there is to say of it, in Markdown; up to 32 KiB.
    pub body: String,
    /// How grave it is.
    pub severity: Severity,
    /// The file, as the diff names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub file: Option<String>,
    /// The line, or the first of several, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub line: Option<u32>,
    /// The last line of several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub end_line: Option<u32>,
    /// The side that the lines are of; after the change where it isn't said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub side: Option<Side>,
    /// The lines themselves: where they are found in the diff, that counts, and not their numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub snippet: Option<String>,
    /// What could stand in place of the lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub suggestion: Option<String>,
    /// What kind of finding it is, in the reviewer's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub category: Option<String>,
}

/// A finding as it is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct KeptFinding {
    /// Its id.
    pub finding_id: FindingId,
    /// By which it is known again.
    pub fingerprint: Digest,
    /// Whether it was there before.
    pub state: FindingState,
    /// What it is put at.
    pub anchor: Anchor,
    /// The audit that it is of, where one was named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub agent_name: Option<String>,
    /// The finding.
    #[serde(flatten)]
    pub finding: Finding,
}

/// Holds the findings of one call against their rules.
///
/// # Errors
/// `too_many`, `too_large` or `invalid_input`, with the finding's place and the field.
pub fn check(findings: &[Finding]) -> Result<(), Fault> {
    if findings.is_empty() {
        return Err(invalid("findings", "has to have one at least"));
    }
    if findings.len() > bounds::FINDINGS_AT_ONCE {
        return Err(Fault::new(
            Code::TooMany,
            format!("`findings` has {}; at most {} are allowed in one call.", findings.len(), bounds::FINDINGS_AT_ONCE),
            "Pass the rest with a further call.",
        ));
    }
    findings.iter().enumerate().try_for_each(|(at, finding)| finding.check(at))
}

impl Finding {
    fn check(&self, at: usize) -> Result<(), Fault> {
        let field = |name: &str| format!("findings[{at}].{name}");
        one_line(&field("title"), &self.title, bounds::TITLE_CHARS)?;
        if self.body.trim().is_empty() {
            return Err(invalid(&field("body"), "is empty"));
        }
        let texts =
            [("body", Some(&self.body)), ("snippet", self.snippet.as_ref()), ("suggestion", self.suggestion.as_ref())];
        for (name, text) in texts {
            at_most_bytes(&field(name), text.map_or("", String::as_str), bounds::BODY_BYTES)?;
        }
        if let Some(category) = &self.category {
            one_line(&field("category"), category, bounds::CATEGORY_CHARS)?;
        }
        self.check_place(field)
    }

    fn check_place(&self, field: impl Fn(&str) -> String) -> Result<(), Fault> {
        match &self.file {
            Some(file) => PathText(file).check(&field("file"))?,
            None => {
                let names = [
                    ("line", self.line.is_some()),
                    ("endLine", self.end_line.is_some()),
                    ("side", self.side.is_some()),
                    ("snippet", self.snippet.is_some()),
                    ("suggestion", self.suggestion.is_some()),
                ];
                if let Some((name, _)) = names.into_iter().find(|(_, is_there)| *is_there) {
                    return Err(invalid(&field(name), "is of a file: pass `file`, too"));
                }
            }
        }
        lines(&field, self.line, self.end_line)
    }

    /// What is looked for in the diff.
    #[must_use]
    pub fn sought(&self) -> Sought<'_> {
        Sought {
            file: self.file.as_deref(),
            line: self.line,
            end_line: self.end_line,
            side: self.side,
            snippet: self.snippet.as_deref(),
        }
    }

    /// By which it is known again at another head: its path, category, title and the text of its lines, and no numbers.
    /// `lines` is that text, as [`Placed`](super::anchor::Placed) has it; where it has none, the snippet counts.
    ///
    /// # Errors
    /// `internal` where it can't be written.
    pub fn fingerprint(&self, lines: Option<&str>) -> Result<Digest, Fault> {
        let text = lines.or(self.snippet.as_deref()).unwrap_or_default();
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let lines: Vec<String> = text.lines().map(words).filter(|line| !line.is_empty()).collect();
        let file = self.file.as_deref().map(|file| PathText(file).plain());
        Digest::of(&json!([file, self.category.as_deref().map(words), words(&self.title), lines]))
    }
}

/// Holds the numbers of lines against their rules.
pub(super) fn lines(field: impl Fn(&str) -> String, line: Option<u32>, end_line: Option<u32>) -> Result<(), Fault> {
    for (name, number) in [("line", line), ("endLine", end_line)] {
        if number.is_some_and(|number| !(1..=bounds::LINE).contains(&number)) {
            return Err(invalid(&field(name), &format!("must be 1 to {}", bounds::LINE)));
        }
    }
    match (line, end_line) {
        (None, Some(_)) => Err(invalid(&field("endLine"), "needs `line`, the first of the lines")),
        (Some(first), Some(last)) if last < first => Err(invalid(&field("endLine"), "must not be less than `line`")),
        _ => Ok(()),
    }
}

/// Holds a text that stands on one line against its rules.
pub(super) fn one_line(field: &str, text: &str, chars: usize) -> Result<(), Fault> {
    if text.trim().is_empty() || text.contains(char::is_control) {
        return Err(invalid(field, "must be a text on one line"));
    }
    at_most_chars(field, text, chars)
}

pub(super) fn invalid(field: &str, why: &str) -> Fault {
    Fault::new(Code::InvalidInput, format!("`{field}` {why}."), "Mend it, and pass all of them again: none was taken.")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding() -> Finding {
        Finding {
            title: "It can be nothing".to_owned(),
            body: "`get` may give nothing.".to_owned(),
            severity: Severity::Blocking,
            file: Some("src/a.rs".to_owned()),
            line: Some(3),
            end_line: Some(4),
            side: None,
            snippet: None,
            suggestion: None,
            category: Some("bug".to_owned()),
        }
    }

    #[test]
    fn each_rule_names_the_finding_and_its_field() {
        type Change = fn(&mut Finding);
        let cases: [(Change, Code, &str); 13] = [
            (|it| it.title = " ".to_owned(), Code::InvalidInput, "findings[1].title"),
            (|it| it.title = "a\nb".to_owned(), Code::InvalidInput, "findings[1].title"),
            (|it| it.title = "x".repeat(201), Code::TooLarge, "findings[1].title"),
            (|it| it.body = "\n".to_owned(), Code::InvalidInput, "findings[1].body"),
            (|it| it.body = "x".repeat(32 * 1024 + 1), Code::TooLarge, "findings[1].body"),
            (|it| it.suggestion = Some("x".repeat(32 * 1024 + 1)), Code::TooLarge, "findings[1].suggestion"),
            (|it| it.category = Some("x".repeat(61)), Code::TooLarge, "findings[1].category"),
            (|it| it.file = None, Code::InvalidInput, "findings[1].line"),
            (|it| it.file = Some("/etc/passwd".to_owned()), Code::InvalidInput, "findings[1].file"),
            (|it| it.file = Some("a/../b".to_owned()), Code::InvalidInput, "findings[1].file"),
            (|it| it.line = Some(0), Code::InvalidInput, "findings[1].line"),
            (|it| it.end_line = Some(2), Code::InvalidInput, "findings[1].endLine"),
            (|it| it.line = None, Code::InvalidInput, "findings[1].endLine"),
        ];
        for (change, code, field) in cases {
            let mut broken = finding();
            change(&mut broken);
            let fault = check(&[finding(), broken]).expect_err(field);
            assert_eq!(fault.code, code, "{fault}");
            assert!(fault.message.contains(field), "{fault} names {field}");
        }
        assert_eq!(check(&[finding()]), Ok(()));
        assert_eq!(check(&[]).map_err(|fault| fault.code), Err(Code::InvalidInput));
        assert_eq!(check(&vec![finding(); 101]).map_err(|fault| fault.code), Err(Code::TooMany));
        assert_eq!(check(&vec![finding(); 100]), Ok(()));
    }

    #[test]
    fn a_finding_is_known_again_at_other_lines_and_by_nothing_else() {
        let of = |change: fn(&mut Finding), lines: &str| {
            let mut one = finding();
            change(&mut one);
            one.fingerprint(Some(lines)).expect("it can be written")
        };
        let first = of(|_| {}, "let a = get();\n");
        assert_eq!(
            of(|it| (it.line, it.end_line) = (Some(90), None), "  let a  = get();"),
            first,
            "moved and indented"
        );
        assert_eq!(of(|it| it.file = Some("./src/a.rs".to_owned()), "let a = get();"), first);
        assert_eq!(of(|it| it.body = "Said otherwise.".to_owned(), "let a = get();"), first);
        for (change, lines) in [
            ((|it| it.file = Some("src/b.rs".to_owned())) as fn(&mut Finding), "let a = get();"),
            (|it| it.category = None, "let a = get();"),
            (|it| it.title = "It is slow".to_owned(), "let a = get();"),
            (|_| {}, "let b = get();"),
        ] {
            assert_ne!(of(change, lines), first, "that is another one");
        }
        let mut quoted = finding();
        quoted.snippet = Some("let a = get();".to_owned());
        assert_eq!(quoted.fingerprint(None), Ok(first), "what it quotes stands for lines that the diff doesn't have");
    }

    #[test]
    fn a_finding_is_kept_flat() {
        let kept = KeptFinding {
            finding_id: FindingId(uuid::Uuid::from_u128(1)),
            fingerprint: Digest::of_bytes(b""),
            state: FindingState::New,
            anchor: Anchor::report(),
            agent_name: Some("solid".to_owned()),
            finding: finding(),
        };
        let json = serde_json::to_value(&kept).expect("it can be written");
        assert_eq!(
            (&json["title"], &json["endLine"], &json["state"]),
            (&json!("It can be nothing"), &json!(4), &json!("new"))
        );
        assert_eq!(serde_json::from_value::<KeptFinding>(json).ok(), Some(kept));
    }
}
