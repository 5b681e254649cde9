//! Why nothing was confirmed, told apart by a stable word.
//!
//! Knows no connection.

use serde::{Deserialize, Serialize};

/// Why nothing was confirmed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// There is no service.
    Absent,
    /// It can't be reached, doesn't answer, or says what can't be.
    Silent,
    /// It is of another version.
    Version,
    /// What it was sent is no receipt that it signs.
    Unfit,
    /// The line isn't of the question that came with it.
    OtherContent,
    /// The line is older than what it signed before.
    Behind,
    /// The line's time isn't now.
    Clock,
    /// Too many wait.
    Busy,
    /// Root needs no confirmation, and so can give none.
    Root,
    /// polkit isn't there, or doesn't know the action.
    NoPolkit,
    /// A rule of this system lets the action pass without asking, or once for several.
    Unasked,
    /// A rule of this system allows it to nobody here.
    Forbidden,
    /// Nothing in the person's session shows polkit's prompt.
    NoAgent,
    /// The person closed the prompt.
    Declined,
    /// The password, or what stands for it, was wrong.
    Failed,
    /// The gate took it back.
    Cancelled,
    /// Nobody answered in time.
    TimedOut,
    /// Something is wrong with the service itself.
    Broken,
}

impl Why {
    /// What helps.
    #[must_use]
    pub fn mend(self) -> &'static str {
        match self {
            Self::Absent => "Install it with `sudo review-gated install`, or your distribution's package.",
            Self::Silent | Self::Broken => {
                "Look at `systemctl status review-gated.socket review-gated.service`, then try again."
            }
            Self::Version => "Install the `review-gated` that came with this Review Gate: `sudo review-gated install`.",
            Self::Unfit | Self::OtherContent => "Answer the request once more.",
            Self::Behind => "Let the gate take up what the service remembers: start it again, then answer once more.",
            Self::Clock => "Set this machine's clock, then answer once more.",
            Self::Busy => "Answer the prompts that are open, then try again.",
            Self::Root => "Run the gate as the person, not as root.",
            Self::NoPolkit => {
                "Install polkit, and the action with it: `sudo review-gated install`; `review-gated status` says \
                 what is missing."
            }
            Self::Unasked | Self::Forbidden => {
                "Look in /etc/polkit-1/rules.d and /usr/share/polkit-1/rules.d for what speaks of \
                 `org.reviewgate.confirm`."
            }
            Self::NoAgent => {
                "Start your desktop's polkit agent; over ssh run `pkttyagent --process PID` with the gate's PID in \
                 another terminal."
            }
            Self::Declined | Self::Cancelled => "Answer the request once more if you want to confirm it.",
            Self::Failed | Self::TimedOut => "Answer the request once more.",
        }
    }
}

/// Nothing was confirmed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{message}")]
#[serde(deny_unknown_fields)]
pub struct Refused {
    /// The stable word.
    pub why: Why,
    /// The cause, a sentence.
    pub message: String,
}

impl Refused {
    /// With a cause.
    #[must_use]
    pub fn new(why: Why, message: impl Into<String>) -> Self {
        Self { why, message: message.into() }
    }

    /// What helps, a sentence.
    #[must_use]
    pub fn mend(&self) -> &'static str {
        self.why.mend()
    }
}
