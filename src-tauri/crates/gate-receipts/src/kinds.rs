//! What a line can say: a struct for each kind, and what of it has to fit together.
//!
//! Knows neither the line around it nor its signature.

use gate_core::{AnsweredFrom, Decision, Digest, RequestId, Timestamp};
use serde::{Deserialize, Serialize};

use crate::keys::{Fingerprint, PublicKey};
use crate::parts::{Bytes, Head, Oid};

/// For how long an approval is good, in milliseconds: 30 days from the end of its hold.
pub const RECEIPT_MILLIS: u64 = 30 * 24 * 60 * 60 * 1000;

/// How sure it is that the person did it. A higher one is greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Level {
    /// Recorded: any process could have done it.
    L0,
    /// Attended: in a window, a page or a terminal that was armed and showed it.
    L1,
    /// Confirmed to the system, by a password or a finger.
    L2,
    /// Touched: a security key was.
    L3,
}

impl Level {
    /// The most that can be said for what was given there, without a signature.
    #[must_use]
    pub fn most(given: AnsweredFrom) -> Self {
        match given {
            AnsweredFrom::Desktop | AnsweredFrom::Browser | AnsweredFrom::Terminal => Self::L1,
            AnsweredFrom::Script | AnsweredFrom::Form | AnsweredFrom::Notification => Self::L0,
        }
    }
}

/// What a line says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Said {
    /// A reply was given: a receipt.
    Decided(Decided),
    /// A receipt's hold was ended before its time.
    Released(Released),
    /// A receipt was taken back or revoked.
    Withdrawn(Withdrawn),
    /// What a receipt let out has left.
    Sent(Sent),
    /// A guard was changed.
    Guard(Guard),
    /// A browser signed in or out.
    SignIn(SignIn),
    /// A key was enrolled or removed.
    Key(Key),
    /// The chain begins anew.
    Break(Break),
}

/// A reply that was given: the receipt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Decided {
    /// When its hold ends; the moment itself where there is none. It is good for nothing before.
    pub from: Timestamp,
    /// When it stops being good, at most [`RECEIPT_MILLIS`] after `from`. Every approval has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<Timestamp>,
    /// The request that was answered.
    pub request: RequestId,
    /// What was decided, if anything was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<Decision>,
    /// Of all that was given: [`crate::reply_digest`].
    pub reply: Digest,
    /// Of who asked, from where, and what was seen: [`crate::About`], which stays home.
    pub about: Digest,
    /// How sure it is.
    pub level: Level,
    /// Where it was given.
    pub given: AnsweredFrom,
    /// What it is good for.
    pub content: Content,
}

/// What an answer was to, as its front end showed it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Content {
    /// The question's digest ([`Digest::of_question`]).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ask: Option<Digest>,
    /// Of the diff that was shown, byte for byte.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff: Option<Digest>,
    /// Of what the approval lets out, in requests that aren't an agent's question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub manifest: Option<Digest>,
    /// What git holds of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub git: Option<Git>,
}

/// A change as git holds it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Git {
    /// The tree that it was shown on: that of the commit before it.
    pub base: Oid,
    /// The tree that it leads to.
    pub tree: Oid,
}

/// A hold that was ended before its time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Released {
    /// The receipt's line.
    pub receipt: Digest,
}

/// A receipt that was taken back, or revoked later.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Withdrawn {
    /// The receipt's line.
    pub receipt: Digest,
    /// Where that was done.
    pub given: AnsweredFrom,
}

/// One row of the outbox that has left.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sent {
    /// The line of the receipt that let it out.
    pub receipt: Digest,
    /// Its place in what the manifest lets out, from 0. A receipt sends each once.
    pub row: u64,
    /// Of the bytes that left.
    pub bytes: Digest,
}

/// A guard that was changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Guard {
    /// The setting's name.
    pub setting: String,
    /// What it was, as JSON; absent where it was the default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub was: Option<String>,
    /// What it is, as JSON; absent where it is the default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub now: Option<String>,
    /// Where that was done.
    pub given: AnsweredFrom,
}

/// Whether something begins or ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Does {
    /// From here on.
    Begins,
    /// Not any more.
    Ends,
}

/// A browser that signed in or out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SignIn {
    /// Of the public key that the browser made, as it sent it. Nothing else signs in.
    pub browser: Digest,
    /// In or out.
    pub does: Does,
    /// Where the link came from that it signed in with, or where it was signed out.
    pub given: AnsweredFrom,
}

/// A key that signs receipts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Key {
    /// Its name.
    pub key: Fingerprint,
    /// Enrolled or removed.
    pub does: Does,
    /// The public key as SSH writes it (RFC 4253, section 6.6), where it is enrolled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub public: Option<Bytes>,
    /// Of a key for WebAuthn, the page's origin with its port.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<String>,
    /// Where that was done.
    pub given: AnsweredFrom,
}

/// Why a chain begins anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// There were replies before there were receipts.
    Upgrade,
    /// The log was gone.
    Gone,
    /// The log ended before a line that an anchor knows.
    Shorter,
    /// A line isn't what was written, or isn't the one that an anchor knows.
    Damaged,
}

/// The first line of a chain that can't go on from the one before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Break {
    /// Why.
    pub reason: Reason,
    /// The log that was set aside.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aside: Option<Aside>,
    /// What was known beside the log of how far it went.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub anchors: Vec<Known>,
    /// How many replies weren't delivered at that moment; they became drafts.
    pub undelivered: u64,
}

/// A log that was set aside, and what there is in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Aside {
    /// The file's name, in the same folder.
    pub name: String,
    /// Of the whole file.
    pub digest: Digest,
    /// Its lines that still count.
    pub good: u64,
    /// Its lines that don't.
    pub bad: u64,
    /// The last line up to which nothing was wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Head>,
}

/// What an anchor knew.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Known {
    /// The anchor's name.
    pub by: String,
    /// A line's number.
    pub seq: u64,
    /// That line's digest.
    pub line: Digest,
}

/// What doesn't fit in a line: the field, and why.
pub(crate) type Unfit = (&'static str, &'static str);

impl Said {
    /// The kind as it stands in the line.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Decided(_) => "decided",
            Self::Released(_) => "released",
            Self::Withdrawn(_) => "withdrawn",
            Self::Sent(_) => "sent",
            Self::Guard(_) => "guard",
            Self::SignIn(_) => "sign_in",
            Self::Key(_) => "key",
            Self::Break(_) => "break",
        }
    }

    /// Whether it fits together, in a line of the moment `at`.
    pub(crate) fn check(&self, at: Timestamp) -> Result<(), Unfit> {
        match self {
            Self::Decided(decided) => decided.check(at),
            Self::Key(key) => key.check(),
            Self::Break(begins) => begins.check(),
            Self::Released(_) | Self::Withdrawn(_) | Self::Sent(_) | Self::Guard(_) | Self::SignIn(_) => Ok(()),
        }
    }
}

impl Decided {
    fn check(&self, at: Timestamp) -> Result<(), Unfit> {
        if self.from < at {
            return Err(("from", "nothing is good before it was given"));
        }
        match self.expires {
            Some(expires) if expires <= self.from => return Err(("expires", "it has to be after `from`")),
            Some(expires) if expires > self.from.plus_millis(RECEIPT_MILLIS) => {
                return Err(("expires", "no receipt is good for more than 30 days"));
            }
            None if self.decision == Some(Decision::Approved) => return Err(("expires", "every approval has an end")),
            _ => {}
        }
        if self.content.ask.is_none() && self.content.manifest.is_none() {
            return Err(("content", "it needs `ask` or `manifest`: what was answered"));
        }
        if matches!(self.given, AnsweredFrom::Form | AnsweredFrom::Notification) && self.decision.is_some() {
            return Err(("decision", "forms and notifications decide nothing"));
        }
        if Level::most(self.given) == Level::L0 && self.level > Level::L0 {
            return Err(("level", "what nobody looked at is L0"));
        }
        Ok(())
    }
}

impl Key {
    fn check(&self) -> Result<(), Unfit> {
        match (&self.public, self.does) {
            (None, Does::Ends) => Ok(()),
            (None, Does::Begins) => Err(("public", "a key that is enrolled is named whole")),
            (Some(_), Does::Ends) => Err(("public", "a key that is removed is named by its fingerprint")),
            (Some(public), Does::Begins) => {
                let read = PublicKey::from_wire(&public.0).map_err(|_| ("public", "no key of a kind that is known"))?;
                if read.fingerprint() == self.key {
                    Ok(())
                } else {
                    Err(("key", "it isn't the fingerprint of `public`"))
                }
            }
        }
    }
}

impl Break {
    fn check(&self) -> Result<(), Unfit> {
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '.' || c == '-';
        match &self.aside {
            Some(aside) if !aside.name.starts_with("receipts.") || !aside.name.chars().all(plain) => {
                Err(("aside.name", "it has to be a file of receipts in the same folder"))
            }
            Some(_) if matches!(self.reason, Reason::Upgrade | Reason::Gone) => {
                Err(("aside", "there was no log to be set aside"))
            }
            None if matches!(self.reason, Reason::Shorter | Reason::Damaged) => {
                Err(("aside", "it has to name the log that was set aside"))
            }
            _ => Ok(()),
        }
    }
}
