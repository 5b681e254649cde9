//! Texts within their bounds: held against them, or cut to fit.

use crate::fault::{Code, Fault};

/// Fails with `too_large` when `text` is longer than `bound` bytes.
///
/// # Errors
/// `too_large`, naming the field and the bound.
pub fn at_most_bytes(field: &str, text: &str, bound: usize) -> Result<(), Fault> {
    if text.len() <= bound {
        return Ok(());
    }
    Err(Fault::new(
        Code::TooLarge,
        format!("`{field}` has {} bytes; at most {bound} are allowed.", text.len()),
        "Shorten it; put long material in a file and name the file.",
    ))
}

/// Fails with `too_large` when `text` is longer than `bound` characters.
///
/// # Errors
/// `too_large`, naming the field and the bound.
pub fn at_most_chars(field: &str, text: &str, bound: usize) -> Result<(), Fault> {
    let count = text.chars().count();
    if count <= bound {
        return Ok(());
    }
    Err(Fault::new(
        Code::TooLarge,
        format!("`{field}` has {count} characters; at most {bound} are allowed."),
        "Shorten it; details belong in `message`.",
    ))
}

/// The first `chars` characters of `text` on one line, with an ellipsis when something was cut.
#[must_use]
pub fn excerpt(text: &str, chars: usize) -> String {
    let mut rest = text.trim().chars().map(|c| if c.is_control() { ' ' } else { c });
    let mut short: String = rest.by_ref().take(chars).collect();
    if rest.next().is_some() {
        short.push('…');
    }
    short
}
