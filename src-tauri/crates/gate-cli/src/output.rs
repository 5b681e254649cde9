//! The only place that prints.

use std::fmt::Display;
use std::io::{self, Write as _};
use std::time::{SystemTime, UNIX_EPOCH};

use gate_core::ask::excerpt;
use gate_core::markdown::visible;
use gate_core::{Fault, Timestamp};
use serde::Serialize;

/// Longest error line, in characters.
const ERROR_CHARS: usize = 2000;

/// Prints a line on stdout. A closed pipe ends the output, not the program.
pub(crate) fn line(text: &str) {
    let _ = writeln!(io::stdout().lock(), "{text}");
}

/// Prints a line on stderr, beside what a program reads on stdout.
pub(crate) fn aside(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// A line of others' text, whole: what would steer the terminal is shown instead.
pub(crate) fn visible_line(text: &str) -> String {
    // It would let what follows take the place of what stands before.
    visible(text).replace('\r', "⟨U+000D⟩")
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

/// How long ago a moment was, e.g. `5 min ago`.
pub(crate) fn age(moment: Timestamp) -> String {
    let seconds = now().0.saturating_sub(moment.0).max(0) / 1000;
    match seconds {
        0..60 => format!("{seconds} s ago"),
        60..3600 => format!("{} min ago", seconds / 60),
        3600..86_400 => format!("{} h ago", seconds / 3600),
        _ => format!("{} days ago", seconds / 86_400),
    }
}

/// A moment as clocks and calendars here show it: `14:30`, on another day than today `2026-11-23 09:00`.
pub(crate) fn clock(moment: Timestamp) -> String {
    on_the_clock(moment, now(), gate_app::local_offset)
}

fn on_the_clock(moment: Timestamp, now: Timestamp, offset_seconds: impl Fn(Timestamp) -> i32) -> String {
    // A day and a time of RFC 3339 stand at fixed places.
    let shown = |at: Timestamp| {
        let local = Timestamp(at.0.saturating_add(i64::from(offset_seconds(at)) * 1000)).to_string();
        let part = |from, to| local.get(from..to).unwrap_or_default().to_owned();
        (part(0, 10), part(11, 16))
    };
    let ((day, time), (today, _)) = (shown(moment), shown(now));
    if day == today { time } else { format!("{day} {time}") }
}

/// The moment, by the clock of the system.
pub(crate) fn now() -> Timestamp {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(i64::try_from(now.as_millis()).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_shown_as_the_clock_here_shows_it() {
        const HOUR: i64 = 60 * 60 * 1000;
        // 2026-11-21T03:49:21.125Z.
        let now = Timestamp(1_795_232_961_125);
        for (hours, offset_seconds, shown) in [
            (0, 0, "03:49"),
            (20, 0, "23:49"),
            (21, 0, "2026-11-22 00:49"),
            (0, 2 * 3600, "05:49"),
            (19, 2 * 3600, "2026-11-22 00:49"),
            (0, -5 * 3600, "22:49"),
            (2, -5 * 3600, "2026-11-21 00:49"),
        ] {
            let moment = Timestamp(now.0 + hours * HOUR);
            assert_eq!(on_the_clock(moment, now, |_| offset_seconds), shown, "in {hours} h, {offset_seconds} s ahead");
        }
    }
}
