//! Numbers, words and digests as columns have them.

use gate_core::{Digest, Fault};

use crate::error::StoreError;

/// A number as SQLite has it.
pub(super) fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// A number as it is meant.
pub(super) fn unsigned<T: TryFrom<i64> + Default>(number: i64) -> T {
    T::try_from(number).unwrap_or_default()
}

/// Reads a digest.
pub(super) fn digest(text: &str) -> Result<Digest, StoreError> {
    text.parse().map_err(|fault: Fault| StoreError::Unexpected(fault.message))
}

/// A word that was read, or why not.
pub(super) fn word<T>(read: Option<T>, text: &str) -> Result<T, StoreError> {
    read.ok_or_else(|| StoreError::Unexpected(format!("{text:?} is no word that this program writes there")))
}
