//! What the gate and `review-gated` say to each other over a local socket: lines of JSON, and counted bytes behind some.
//!
//! | the gate | `review-gated` |
//! |---|---|
//! | `hello` with a home | `hello`: its key, its version, and what it remembers of that home; nothing where it wouldn't ask |
//! | `known` with a home | `hello`, whether it would ask or not |
//! | `confirm` with two lengths | `turn`, once nobody else of this user is asked |
//! | the line and the question, so many bytes | `digits` |
//! | `ask`, once it shows them | `signed`, once the person has confirmed |
//! | `again` with a length, and a line, where the log went on in the meantime | `signed` |
//! | `kept`, once the line stands in its log | `kept` |
//!
//! In the place of each answer there may be `refused`. Closing the connection takes back what was asked.
//!
//! Knows neither people nor keys.

use gate_core::{Digest, bounds};
use gate_receipts::{Bytes, Head, HomeId};
use serde::{Deserialize, Serialize};

use crate::refused::Refused;

/// The version of what is said. A service that knows another one says so.
pub(crate) const VERSION: u64 = 1;
/// Where the service listens.
pub const SOCKET: &str = "/run/review-gated/socket";
/// Longest message, in bytes, with its line feed.
pub(crate) const MESSAGE_BYTES: usize = 8 * 1024;
/// Longest question, in bytes of its canonical JSON: every one that an agent can ask is shorter.
pub const QUESTION_BYTES: usize = bounds::LINE_BYTES;
/// How often a line may be signed anew because the log went on.
pub const AGAIN: usize = 8;

/// What the gate says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Asks {
    /// Who are you?
    Hello {
        /// [`VERSION`].
        v: u64,
        /// The home whose heads it wants to know.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        home: Option<HomeId>,
    },
    /// Which key is yours, and what do you remember? Nobody is to be asked anything.
    Known {
        /// [`VERSION`].
        v: u64,
        /// The home whose heads it wants to know.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        home: Option<HomeId>,
    },
    /// Here is a receipt to be confirmed.
    Confirm {
        /// [`VERSION`].
        v: u64,
        /// How many bytes the line has, without its proof.
        line: usize,
        /// How many bytes the question has.
        ask: usize,
    },
    /// The digits are shown: ask the person.
    Ask {},
    /// The same receipt, as the log's next line.
    Again {
        /// How many bytes the line has.
        line: usize,
    },
    /// The signed line stands in the log.
    Kept {
        /// The line's digest.
        line: Digest,
    },
}

/// What the service says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "say", rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Says {
    /// This is me.
    Hello {
        /// [`VERSION`].
        v: u64,
        /// The program's version.
        version: String,
        /// Its public key, as SSH writes it.
        key: Bytes,
        /// What it remembers of the home, newest first.
        heads: Vec<Head>,
    },
    /// It is your turn.
    Turn {},
    /// What stands in the prompt, and is to be shown beside the question.
    Digits {
        /// Eight digits.
        digits: String,
    },
    /// The person confirmed it.
    Signed {
        /// The public key, as SSH writes it.
        key: Bytes,
        /// Of the line without its proof.
        sig: Bytes,
    },
    /// It is remembered.
    Kept {},
    /// No.
    Refused(Refused),
}
