//! The only place that prints.

use std::fmt::Display;
use std::io::{self, Write as _};
use std::time::{SystemTime, UNIX_EPOCH};

use gate_core::Fault;
use gate_core::ask::excerpt;
use gate_core::markdown::visible;
use serde::Serialize;

/// Longest error line, in characters.
const ERROR_CHARS: usize = 2000;

/// Prints a line on stdout. A closed pipe ends the output, not the program.
pub(crate) fn line(text: &str) {
    let _ = writeln!(io::stdout().lock(), "{text}");
}

/// Prints a value as one line of JSON on stdout.
pub(crate) fn json<T: Serialize>(value: &T) -> Result<(), Fault> {
    let text = serde_json::to_string(value).map_err(|error| Fault::internal(error.to_string()))?;
    line(&text);
    let _ = io::stdout().lock().flush();
    Ok(())
}

/// Prints a fault as one line on stderr: cause, mend, code.
pub(crate) fn fault(fault: &Fault) {
    error(&format!("{} {} [{}]", fault.message, fault.mend, fault.code.as_str()));
}

/// Prints one line on stderr.
pub(crate) fn error(text: &str) {
    let _ = writeln!(io::stderr().lock(), "review-gate: {}", one_line(text, ERROR_CHARS));
}

/// Text of others on one line of a terminal: no line breaks, no escape sequences, not too long.
pub(crate) fn one_line(text: &str, chars: usize) -> String {
    visible(&excerpt(text, chars))
}

/// So many of something, e.g. `1 message` or `2 messages`.
pub(crate) fn counted<N: Display + PartialEq + From<u8>>(number: N, what: &str) -> String {
    let ending = if number == N::from(1) { "" } else { "s" };
    format!("{number} {what}{ending}")
}

/// How long ago a moment was, e.g. `5 min ago`; `moment` is milliseconds since the Unix epoch.
pub(crate) fn age(created: i64) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
    let seconds = i64::try_from(now).unwrap_or(i64::MAX).saturating_sub(created).max(0) / 1000;
    match seconds {
        0..60 => format!("{seconds} s ago"),
        60..3600 => format!("{} min ago", seconds / 60),
        3600..86_400 => format!("{} h ago", seconds / 3600),
        _ => format!("{} days ago", seconds / 86_400),
    }
}
