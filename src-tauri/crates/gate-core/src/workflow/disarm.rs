//! Text that does nothing where it is posted but be read. A reviewer's words may come from the change under review, and are
//! posted in the person's name: HTML comments and characters that nobody sees become visible, `/` at a line's start (GitLab
//! and bots run such lines) and `@names` become code, HTML but for plain tags is text, and a fence that isn't closed is. What
//! looks like a token or a private key isn't shown or posted at all.
//!
//! Code is left as it is but for two things: characters that nobody sees, and a blank before a command at a line's start,
//! since those who run these don't all know what code is.

mod marks;
mod pass;

use super::bounds;
use super::words::Platform;
use crate::fault::{Code, Fault};
use crate::secrets;
use crate::unseen::{is_unseen, visible};
use marks::{fence, has_command, with_blanks};
use pass::pass;

/// How often a text is gone through: what one time makes of it is other Markdown, which may have something to disarm again.
const PASSES: usize = 12;
/// How many lines above a comment's line GitLab puts something in place of at most.
const LINES_ABOVE: u32 = 100;

/// A text disarmed. Once more changes nothing.
///
/// # Errors
/// `unsafe_text` where it looks like it holds a secret, which isn't quoted; `too_large` where it is longer than platforms take.
pub fn disarm(field: &str, text: &str) -> Result<String, Fault> {
    let text = disarmed(text);
    check(field, &text)?;
    Ok(text)
}

/// Holds a text that is to be posted against what platforms take, and against what mustn't leave.
///
/// # Errors
/// As [`disarm`] has them.
pub fn check(field: &str, text: &str) -> Result<(), Fault> {
    if let Some(found) = secrets::shape_in(text) {
        return Err(Fault::new(
            Code::UnsafeText,
            format!("`{field}` has in its line {} what looks like {}.", found.line, found.what),
            "Leave it out and say where it stands; if it is a real one, tell the person that it has to be changed.",
        ));
    }
    crate::bounded::at_most_chars(field, text, bounds::POSTED_CHARS)
}

/// A name that is no Markdown, a label's, with all of its characters visible.
///
/// # Errors
/// `unsafe_text`.
pub fn name(field: &str, text: &str) -> Result<String, Fault> {
    let text = seen(text);
    check(field, &text)?;
    Ok(text)
}

/// Code that could stand in place of lines, in a fence by which the platform offers to put it there. `lines` is how many the
/// lines are. Code that has a command at a line's start is shown, but not offered: it couldn't be put there as it is.
#[must_use]
pub fn suggestion(code: &str, platform: Platform, lines: u32) -> String {
    let code = plain(code);
    let above = lines.saturating_sub(1);
    let language = match platform {
        _ if has_command(&code) || above > LINES_ABOVE => String::new(),
        Platform::Github => "suggestion".to_owned(),
        Platform::Gitlab => format!("suggestion:-{above}+0"),
    };
    fenced(&language, &code)
}

/// The same text where nothing can be put in place of anything: its suggestions are shown as code.
#[must_use]
pub fn without_suggestions(text: &str) -> String {
    let plain = |line: &str| {
        let marks = line.len() - line.trim_start_matches('`').len();
        let is_one = marks >= 3 && line[marks..].starts_with("suggestion");
        if is_one { line[..marks].to_owned() } else { line.to_owned() }
    };
    text.split('\n').map(plain).collect::<Vec<_>>().join("\n")
}

/// In a fence that is longer than any in it.
fn fenced(language: &str, code: &str) -> String {
    let fence = fence(code);
    let code = with_blanks(code);
    let end = if code.is_empty() || code.ends_with('\n') { "" } else { "\n" };
    format!("{fence}{language}\n{code}{end}{fence}")
}

fn disarmed(text: &str) -> String {
    let mut text = plain(text);
    for _ in 0..PASSES {
        let next = pass(&text);
        if next == text {
            return text;
        }
        text = next;
    }
    // Nobody writes such a text to be read.
    fenced("", &text)
}

/// With one kind of line end, and with all of its characters visible.
fn plain(text: &str) -> String {
    seen(&text.replace("\r\n", "\n").replace('\r', "\n"))
}

/// With all of its characters visible, but those that an emoji or a script is made of. Once more changes nothing.
fn seen(text: &str) -> String {
    let once = visible(text);
    let twice = visible(&once);
    if once == twice {
        return once;
    }
    twice.chars().fold(String::with_capacity(twice.len()), |mut text, c| {
        if is_unseen(c) {
            text.push_str(&format!("⟨U+{:04X}⟩", u32::from(c)));
        } else {
            text.push(c);
        }
        text
    })
}

#[cfg(test)]
mod tests;
