//! Exit codes, as `--help` documents them.

/// Done, answered or approved.
pub(crate) const DONE: u8 = 0;
/// Changes requested, or closed without an answer; a record that isn't sound.
pub(crate) const NOT_APPROVED: u8 = 1;
/// Arguments that can't be understood.
pub(crate) const USAGE: u8 = 2;
/// Still pending.
pub(crate) const PENDING: u8 = 3;
/// A fault, named on stderr.
pub(crate) const FAULT: u8 = 4;
