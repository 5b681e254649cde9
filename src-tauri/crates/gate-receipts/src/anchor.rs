//! What remembers beside the log how far it went.
//!
//! A log can be cut at its end, or replaced by an older one, without a line being wrong. Only something elsewhere can
//! tell. Knows no such thing: the database, a service, the system's journal each have their own.

use std::fmt::Debug;

use gate_core::RequestId;

use crate::parts::Head;

/// Something beside the log that remembers how far it went.
///
/// All of it may wait for a disk, and is called where that holds up nobody.
pub trait Anchor: Debug + Send {
    /// Its name in a `break`, e.g. `database`.
    fn name(&self) -> &'static str;

    /// The heads that it knows, newest first; none before the first was kept.
    ///
    /// A few are worth having: where the newest line is damaged, the one before still vouches for the rest.
    ///
    /// # Errors
    /// Why it can't be asked. The log goes on without it, and says so.
    fn heads(&self) -> Result<Vec<Head>, String>;

    /// Remembers a head. The line is on disk by then, so that this may be written with what comes next.
    ///
    /// # Errors
    /// Why it couldn't. The line stays, and whoever wrote it is told.
    fn keep(&mut self, head: Head) -> Result<(), String>;

    /// The requests whose replies weren't delivered yet, where it knows that.
    fn undelivered(&self) -> Vec<RequestId> {
        Vec::new()
    }
}

/// An anchor that couldn't be asked or told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Silent {
    /// Its name.
    pub by: &'static str,
    /// Why.
    pub why: String,
}
