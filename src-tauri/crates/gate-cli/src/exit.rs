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
/// An agent wasn't started, for it couldn't be put into a sandbox: what `env` and `timeout` end with before their command.
pub(crate) const NO_SANDBOX: u8 = 125;
