//! The signature that a line carries, as it stands there.
//!
//! Knows its form; whether it holds is asked of a [`crate::Verifier`].

use serde::{Deserialize, Serialize};

use crate::keys::Fingerprint;
use crate::kinds::Level;
use crate::parts::Bytes;

/// Who signed a line, and the signature.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase", deny_unknown_fields)]
pub enum Proof {
    /// Nobody.
    None {},
    /// Ed25519 (RFC 8032) by a service of the system.
    Ed25519 {
        /// The key's name.
        key: Fingerprint,
        /// 64 bytes.
        sig: Bytes,
    },
    /// `ssh-keygen -Y sign`.
    Sshsig {
        /// The key's name.
        key: Fingerprint,
        /// The signature of OpenSSH's `PROTOCOL.sshsig`, without its armour.
        sig: Bytes,
    },
    /// WebAuthn, an assertion of a key that was made for the page.
    Webauthn {
        /// The key's name.
        key: Fingerprint,
        /// The signature as the browser gave it.
        sig: Bytes,
        /// The authenticator's data.
        authenticator: Bytes,
        /// What the browser signed along with it, JSON as it wrote it.
        client: Bytes,
    },
}

impl Proof {
    /// The key's name.
    #[must_use]
    pub fn key(&self) -> Option<&Fingerprint> {
        match self {
            Self::None {} => None,
            Self::Ed25519 { key, .. } | Self::Sshsig { key, .. } | Self::Webauthn { key, .. } => Some(key),
        }
    }

    /// The most that it can stand for, if it holds.
    #[must_use]
    pub fn most(&self) -> Level {
        match self {
            Self::None {} => Level::L1,
            Self::Ed25519 { .. } => Level::L2,
            Self::Sshsig { .. } | Self::Webauthn { .. } => Level::L3,
        }
    }
}
