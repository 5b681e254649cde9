//! L2: an approval that the person confirms to the system, by password or finger.
//!
//! `review-gated` is a service of the system with a user of its own. The gate brings it a receipt that isn't signed yet,
//! and the question that it is of. The service reads both, takes the question's digest itself, and refuses a line that
//! says something else. It has polkit ask the person, with an action that is its own and that polkit never keeps; the
//! prompt shows the decision, the question's title, the repository, its tree and eight digits, which the gate shows, too.
//! What the person confirms it signs with a key that only its user can read.
//!
//! It knows receipts, a socket and polkit. It doesn't know the gate, windows, git or the record. gate-app uses [`Client`];
//! elsewhere than on Linux that is always [`Why::Absent`].
//!
//! # For the gate
//!
//! ```no_run
//! # async fn confirms(log: &mut gate_receipts::Log, said: gate_receipts::Said, now: gate_receipts::Reading, question: &str)
//! # -> Result<(), Box<dyn std::error::Error>> {
//! use gate_receipts::ReceiptsError;
//! use gate_service::Client;
//!
//! let service = Client::default();
//! let line = log.draft(said.clone(), now)?;
//! let mut confirmed = service.confirm(&line, question, |digits| { /* the window shows them */ }).await?;
//! loop {
//!     match log.append_signed(confirmed.line().clone(), now) {
//!         Ok(_) => break,
//!         // Another line was written while the person was asked; they aren't asked again.
//!         Err(ReceiptsError::Moved) => confirmed.again(&log.draft(said.clone(), now)?).await?,
//!         Err(error) => return Err(error.into()),
//!     }
//! }
//! confirmed.kept().await?;
//! # Ok(()) }
//! ```
//!
//! [`Client::reachable`] says before that whether it could be done, [`Client::known`] in any case which key signs and which
//! lines of a home the service remembers: they are heads of an anchor ([`gate_receipts::Anchor`]), beside which a log that was cut is seen. Only a line
//! of which [`Confirmed::kept`] was said is remembered.
//!
//! # What it withstands
//!
//! | who | can |
//! |---|---|
//! | a process of the person's user | ask, as the gate does: the person sees a prompt. It can't sign, read the key, write another text into the prompt, or have polkit keep a confirmation |
//! | the same, with a window that looks like the prompt | learn the password; on X11 by reading the keys, too |
//! | an administrator's rule that lets the action pass | nothing: the service refuses ([`Why::Unasked`]) |
//! | root | everything, also unasked |
//!
//! # Files
//!
//! | file | owns |
//! |---|---|
//! | `wire.rs`, `frames.rs` | what is said over the socket |
//! | `client.rs` | the gate's end |
//! | `witness.rs` | the service's end: one confirmation from its connection to its signature |
//! | `receipt.rs` | which lines are signed, and that they are of their question |
//! | `shown.rs` | what the prompt shows of it |
//! | `turns.rs` | one prompt at a time for each user |
//! | `prompt.rs`, `polkit.rs` | who asks |
//! | `anchors.rs` | what was signed |
//! | `run.rs`, `install.rs` | the program |

#[cfg(target_os = "linux")]
mod anchors;
#[cfg(unix)]
mod client;
#[cfg(not(unix))]
#[path = "client/absent.rs"]
mod client;
#[cfg(unix)]
mod frames;
#[cfg(test)]
#[cfg(target_os = "linux")]
#[path = "../../../../tests/corpus/fuzz.rs"]
mod fuzzing;
#[cfg(target_os = "linux")]
mod install;
#[cfg(target_os = "linux")]
mod polkit;
#[cfg(target_os = "linux")]
mod prompt;
#[cfg(target_os = "linux")]
mod receipt;
mod refused;
#[cfg(target_os = "linux")]
mod run;
#[cfg(target_os = "linux")]
mod shown;
#[cfg(test)]
#[cfg(target_os = "linux")]
mod testing;
#[cfg(target_os = "linux")]
mod turns;
#[cfg(unix)]
mod wire;
#[cfg(target_os = "linux")]
mod witness;

pub use client::{Client, Confirmed, Reached};
pub use refused::{Refused, Why};
#[cfg(target_os = "linux")]
pub use run::main;
#[cfg(unix)]
pub use wire::{AGAIN, QUESTION_BYTES, SOCKET};

/// Elsewhere there is no such service.
#[cfg(not(target_os = "linux"))]
pub fn main(_arguments: impl Iterator<Item = String>) -> std::process::ExitCode {
    std::process::ExitCode::FAILURE
}
