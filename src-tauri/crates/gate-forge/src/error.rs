//! Why something can't be had of a platform, and whether it may have happened all the same.

use gate_core::Timestamp;

/// Whether a write may have happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Happened {
    /// It hasn't: it may go out again at once.
    No,
    /// Nobody knows: what it makes is looked for first.
    Maybe,
}

/// What a platform said of when to come back. All moments are by its own clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Limit {
    /// `retry-after` in seconds.
    pub after_seconds: Option<u64>,
    /// `x-ratelimit-reset`, `RateLimit-Reset`, or `retry-after` as a date.
    pub at: Option<Timestamp>,
    /// `date`: when it was there that the answer was made.
    pub said_at: Option<Timestamp>,
}

/// Why something can't be had. No text in it holds the token; what a platform said is at most 500 characters of it, without
/// control characters.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ForgeError {
    /// The platform doesn't know the token, or not any more: 401.
    #[error("The platform doesn't take the token: {message}")]
    Auth {
        /// What it said.
        message: String,
    },
    /// The platform refuses: 4xx, an error of GraphQL, a redirection. The same request would be refused again.
    #[error("The platform refuses ({status}): {message}")]
    Refused {
        /// Its status; of an error of GraphQL the one that REST has for it.
        status: u16,
        /// What it said.
        message: String,
    },
    /// Too many requests: 429, or 403 with words or headers of a limit. It hasn't happened.
    #[error("The platform wants fewer requests: {message}")]
    RateLimited {
        /// When to come back, as far as it said.
        limit: Limit,
        /// What it said.
        message: String,
    },
    /// No answer, half an answer, one that can't be read, or 5xx.
    #[error("The platform can't be reached: {cause}.")]
    Unreachable {
        /// The cause in a few words.
        cause: String,
        /// Whether the request may have been carried out.
        happened: Happened,
    },
    /// What is asked can't be asked of this platform: nothing was sent.
    #[error("{0}")]
    Invalid(String),
}

impl ForgeError {
    /// The contract's code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Auth { .. } => "platform_auth",
            Self::Refused { .. } => "platform_refused",
            Self::RateLimited { .. } => "rate_limited",
            Self::Unreachable { .. } => "platform_unreachable",
            Self::Invalid(_) => "invalid_input",
        }
    }

    /// Whether a write that ended so may have happened.
    #[must_use]
    pub fn happened(&self) -> Happened {
        match self {
            Self::Unreachable { happened, .. } => *happened,
            Self::Auth { .. } | Self::Refused { .. } | Self::RateLimited { .. } | Self::Invalid(_) => Happened::No,
        }
    }

    /// Whether there is nothing of that name: 404.
    #[must_use]
    pub fn is_missing(&self) -> bool {
        matches!(self, Self::Refused { status: 404, .. })
    }

    /// An answer that isn't what the platform's description says.
    pub(crate) fn strange(what: &str, happened: Happened) -> Self {
        Self::Unreachable { cause: format!("its answer can't be read: {what}"), happened }
    }
}
