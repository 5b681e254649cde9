//! Who asked, from where, and what was seen: what a receipt has as a salted digest, since it stays home.
//!
//! Knows no line. Whoever has it can show that it belongs to a receipt; from the receipt nobody can guess it.

use gate_core::{Digest, Fault};
use serde::{Deserialize, Serialize};

use crate::parts::{Bytes, StoredPath};

/// Bytes of salt.
pub const SALT_BYTES: usize = 32;

/// What stays home of a receipt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct About {
    /// [`SALT_BYTES`] random bytes, new for each receipt.
    pub salt: Bytes,
    /// What the asking client calls itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// The program that asked, by the kernel's word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<StoredPath>,
    /// The folder that it asked from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<StoredPath>,
    /// The seat or the display of the person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seat: Option<String>,
    /// The files that were on the screen, as the diff names them.
    pub seen: Vec<StoredPath>,
}

impl About {
    /// What the receipt has of it.
    ///
    /// # Errors
    /// None that can happen; as [`Digest::of`].
    pub fn digest(&self) -> Result<Digest, Fault> {
        Digest::of(self)
    }
}
