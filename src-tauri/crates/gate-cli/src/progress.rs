//! One line on stderr that says how far something is, where a person watches.

use std::io::{self, IsTerminal as _, Write as _};

/// The line. What is said next stands in its place.
pub(crate) struct Progress {
    is_watched: bool,
}

impl Progress {
    pub(crate) fn begin() -> Self {
        Self { is_watched: io::stderr().is_terminal() }
    }

    /// Says how far it is, in a text that fits on a line.
    pub(crate) fn say(&self, text: &str) {
        if self.is_watched {
            // Over the line before, to its end.
            let _ = write!(io::stderr().lock(), "\r\u{1b}[K{text}");
        }
    }

    /// Takes the line away.
    pub(crate) fn end(&self) {
        self.say("");
    }
}
