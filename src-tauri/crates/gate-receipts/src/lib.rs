//! Receipts: what a person gave, as lines of a log that only grows, each with the digest of the one before.
//!
//! A front end may show that a reply was sent, and an agent may have it, once its receipt is on disk. Whoever has the
//! log, or one signed line of it, can tell what was approved, by whom, and for what; a program in another language can,
//! too, since every line has one written form. What this withstands, and what it doesn't, stands with [`Level`].
//!
//! It knows files and time as they are given to it. It doesn't know requests, windows, agents, git or the record, and
//! asks no clock.
//!
//! # Lines
//!
//! A line is canonical JSON ([RFC 8785](https://www.rfc-editor.org/rfc/rfc8785)) in UTF-8 and a line feed. Numbers are
//! integers below 2⁵³, times are RFC 3339 in UTC to the millisecond without needless zeros, digests are SHA-256 in
//! hexadecimal, bytes are base64 with padding; a path that isn't UTF-8 is `{"base64":"…"}`. Nothing is normalised, what
//! is absent is left out and never `null`. [`Line::parse`] takes nothing else: an unknown field, or a line that is
//! written in another way, is refused. A new field or kind is a new `v`. The files in `tests/vectors/` are for other
//! implementations; `tests/second.py` is one.
//!
//! | field | of | is |
//! |---|---|---|
//! | `v` | every line | 1 |
//! | `kind` | every line | see below |
//! | `home` | every line | the home's id |
//! | `seq` | every line | its number; one more than that before it |
//! | `prev` | all but a chain's first | the digest of the line before |
//! | `at` | every line | when it was written |
//! | `step` | where the clock was set | by how many milliseconds since the line before |
//! | `proof` | every line | `none`, `ed25519`, `sshsig` or `webauthn`; `sig` is of the line without `proof` |
//!
//! What a proof holds, besides the name `key`:
//!
//! | `type` | `sig` | besides |
//! |---|---|---|
//! | `ed25519` | 64 bytes over the line | |
//! | `sshsig` | what `ssh-keygen -Y sign` makes of the line, without its armour | |
//! | `webauthn` | an assertion's signature ([Web Authentication](https://www.w3.org/TR/webauthn-3/), section 6.3.3) over `authenticator` and the digest of `client` | `authenticator`: the authenticator's data (section 6.1), with the touch and the counter; `client`: the browser's (section 5.8.1), byte for byte, in which the challenge is the digest of the line |
//!
//! A key for WebAuthn is enrolled with the origin of its page, port and all, and an assertion from another origin proves
//! nothing.
//!
//! | `kind` | says | written by |
//! |---|---|---|
//! | `decided` | a reply was given; its line is *the receipt*, named by its digest | whoever takes replies |
//! | `released` | a receipt's hold ended, whatever the clock says | the hold |
//! | `withdrawn` | a receipt was taken back while it was held, or revoked later | undo, the person |
//! | `sent` | one row of what a receipt let out has left | the outbox |
//! | `guard` | a guard was changed | settings |
//! | `sign_in` | a browser signed in or out | the page |
//! | `key` | a key was enrolled or removed | settings |
//! | `break` | the chain couldn't go on, and begins anew | [`Log`] |
//!
//! What a receipt is of:
//!
//! | field of `decided` | is |
//! |---|---|
//! | `request`, `decision`, `level`, `given` | which request, what was decided (absent for a plain reply), how sure, where |
//! | `from`, `expires` | the hold's end, before which it is good for nothing; at most 30 days after that |
//! | `reply` | the digest of all that was given ([`reply_digest`]) |
//! | `about` | the salted digest of who asked, from where, what was seen ([`About`]) |
//! | `content.ask`, `.diff`, `.manifest` | what was answered: the question, the diff's bytes, what it lets out |
//! | `content.git` | the tree that it leads to, and the one that it was shown on |
//!
//! # A log
//!
//! | what happened | what is done | who hears of it |
//! |---|---|---|
//! | the last line was never whole | it is cut off | [`Noticed::cut`] |
//! | lines stand behind the last that an anchor knows | they stay | [`Noticed::unknown`] |
//! | a line is wrong, or anchors know another; the log ends before what they know; it is gone | it is set aside under a dated name, a new one begins with a `break` | [`Noticed::broken`], and the `break` |
//! | a receipt stands in a log that was set aside | it counts as far as nothing speaks against it | [`Found::mark`] |
//! | the disk is full | nothing is written | the error |
//!
//! | type | is |
//! |---|---|
//! | [`Line`], [`Said`] | a line; what it says, a struct for each kind |
//! | [`Log`] | the one writer: [`Log::append`], [`Log::draft`] with [`Log::append_signed`], [`Log::check`] |
//! | [`Chain`], [`Report`] | all lines of a home, by receipt, request and tree; how the chain is |
//! | [`Loose`] | receipts that came one by one, without their chain |
//! | [`Approvals`], [`Receipts`] | whether approvals lead from one tree to another; where they are looked up |
//! | [`Anchor`] | what remembers beside the log how far it went |
//! | [`Standing`], [`After`] | whether a receipt is good at a moment |
//! | [`Proof`], [`Verifier`], [`Keys`], [`Vouched`] | a signature; who tells whether it holds; keys that do so here; the same with a service's word on its own key |
//! | [`Registration`] | a key that a browser had made, to be enrolled |
//! | [`SigningKey`] | a service's private key, which signs lines |
//! | [`Reading`] | two clocks |

mod about;
mod anchor;
mod approvals;
mod chain;
mod clock;
mod error;
mod files;
#[cfg(test)]
#[path = "../../../../tests/corpus/fuzz.rs"]
mod fuzzing;
mod keys;
mod kinds;
mod line;
mod log;
mod loose;
mod parts;
mod pieces;
mod proof;
mod reply;
mod signing;
mod sshsig;
mod standing;
#[cfg(test)]
mod testing;
mod verify;
mod webauthn;
mod wire;

pub use about::{About, SALT_BYTES};
pub use anchor::{Anchor, Silent};
pub use approvals::{Approval, Approvals, Flaw, Joined, Receipts};
pub use chain::{Chain, CounterSaid, Found, Mark, Report, verify_chain};
pub use clock::{Reading, SLACK_MILLIS};
pub use error::ReceiptsError;
pub use files::NAME;
pub use keys::{Fingerprint, PublicKey, is_by_point};
pub use kinds::{
    Aside, Break, Content, Decided, Does, Git, Guard, Key, Known, Level, RECEIPT_MILLIS, Reason, Released, Said, Sent,
    SignIn, Withdrawn,
};
pub use line::{LINE_BYTES, Line, LineError, SEQ_BOUND, VERSION};
pub use log::{Appended, Broken, Log, Noted, Noticed, Opened, Opening, Undelivered};
pub use loose::Loose;
pub use parts::{Bytes, Head, HomeId, Oid, StoredPath};
pub use pieces::{Problem, Step, Wrong};
pub use proof::Proof;
pub use reply::reply_digest;
pub use signing::{SigningError, SigningKey};
pub use sshsig::{NAMESPACE, SshSignature, Touch};
pub use standing::{After, Standing};
pub use verify::{Counted, Enrolled, Keys, Proved, Unproved, Verifier, Vouched, assured};
pub use webauthn::{Asked, Assertion, Registration, Unregistered};
pub use wire::WireError;
