//! A path in a repository, as reviewers write it.

use super::bounds;
use crate::bounded::at_most_chars;
use crate::fault::{Code, Fault};

/// A path in a repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PathText<'a>(
    /// As it was written.
    pub &'a str,
);

impl<'a> PathText<'a> {
    /// Holds it against its rules.
    ///
    /// # Errors
    /// `invalid_input` or `too_large`, with the field.
    pub fn check(self, field: &str) -> Result<(), Fault> {
        at_most_chars(field, self.0, bounds::PATH_CHARS)?;
        let plain = self.plain();
        let is_one = !plain.is_empty()
            && !plain.contains(char::is_control)
            && plain.split('/').all(|part| !matches!(part, "" | "." | ".."));
        if is_one {
            return Ok(());
        }
        Err(Fault::new(
            Code::InvalidInput,
            format!(
                "`{field}` must be a path within the repository, but it is {:?}.",
                crate::bounded::excerpt(self.0, 100)
            ),
            "Pass the path as get_diff has it.",
        ))
    }

    /// Without what some write before it.
    #[must_use]
    pub fn plain(self) -> &'a str {
        self.0.strip_prefix("./").unwrap_or(self.0)
    }
}
