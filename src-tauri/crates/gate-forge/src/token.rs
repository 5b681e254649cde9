//! A platform's token: it goes into one header, and into nothing that is read by anyone.

use std::fmt;

use ureq::http::HeaderValue;

use crate::error::ForgeError;

/// Longer than any token of either platform.
const CHARS: usize = 4_096;
/// What stands in its place.
const HIDDEN: &str = "…";

/// What a platform knows the person by. Its `Debug` is the same for all tokens.
#[derive(Clone)]
pub struct Token(String);

impl Token {
    /// A token, without the blanks around it.
    ///
    /// # Errors
    /// [`ForgeError::Invalid`] when it is empty, longer than 4,096 characters or couldn't stand in a header. The text isn't in
    /// the error.
    pub fn new(text: &str) -> Result<Self, ForgeError> {
        let text = text.trim();
        if text.is_empty() || text.len() > CHARS || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(ForgeError::Invalid("The token isn't one: it has letters, digits and signs alone.".to_owned()));
        }
        Ok(Self(text.to_owned()))
    }

    /// The token itself: for git's header.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// `Authorization`. Both platforms take any of their tokens as a bearer's.
    pub(crate) fn authorization(&self) -> Result<HeaderValue, ForgeError> {
        let value = HeaderValue::try_from(format!("Bearer {}", self.0));
        let mut value = value.map_err(|_| ForgeError::Invalid("The token can't stand in a header.".to_owned()))?;
        value.set_sensitive(true);
        Ok(value)
    }

    /// A text of the platform's without the token, in case it says it back.
    pub(crate) fn hidden_in(&self, text: &str) -> String {
        text.replace(&self.0, HIDDEN)
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_prints_a_token() {
        let token = Token::new(" ghp_hunter2 \n").expect("a token");
        assert_eq!(format!("{token:?}"), "Token(…)");
        assert_eq!(token.expose(), "ghp_hunter2", "blanks around it come from files");
        assert!(!format!("{:?}", token.authorization()).contains("hunter2"), "nor does what prints headers");
        assert_eq!(token.hidden_in("bad ghp_hunter2!"), "bad …!");
    }

    #[test]
    fn what_could_not_stand_in_a_header_is_no_token() {
        for text in ["", "  ", "a b", "a\r\nX-Evil: 1", "ü", &"x".repeat(5_000)] {
            let error = Token::new(text).expect_err("no header takes it").to_string();
            assert!(text.len() < 3 || !error.contains(text), "and the error doesn't say it back: {error}");
        }
    }
}
