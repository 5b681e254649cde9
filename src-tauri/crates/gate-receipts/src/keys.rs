//! Public keys as SSH writes them, their names, and whether a signature is theirs.
//!
//! Knows no line and no form of signatures beyond the bytes of each algorithm.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use gate_core::Digest;
use ring::signature::{
    ECDSA_P256_SHA256_ASN1, ECDSA_P256_SHA256_FIXED, ED25519, UnparsedPublicKey, VerificationAlgorithm,
};
use serde::{Deserialize, Serialize};

use crate::wire::{Reader, WireError, put};

/// A key's name: `SHA256:` and the base64 of its digest without padding, as `ssh-keygen -l` prints it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct Fingerprint(String);

impl Fingerprint {
    /// As `ssh-keygen -l` prints it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for Fingerprint {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let digest = text.strip_prefix("SHA256:").and_then(|digits| STANDARD_NO_PAD.decode(digits).ok());
        match digest {
            Some(digest) if digest.len() == 32 => Ok(Self(text)),
            _ => Err("a key's name is `SHA256:` and 43 digits of base64".to_owned()),
        }
    }
}

/// A public key that receipts are signed with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PublicKey {
    /// Ed25519, on no device of its own.
    Ed25519([u8; 32]),
    /// Ed25519 on a security key.
    SkEd25519 {
        /// The key.
        key: [u8; 32],
        /// What it was made for: `ssh:` by default, or the page's relying party.
        application: String,
    },
    /// ECDSA over P-256 on a security key.
    SkP256 {
        /// The point, uncompressed (SEC 1, section 2.3.3).
        point: [u8; 65],
        /// As above.
        application: String,
    },
}

const ED25519_NAME: &str = "ssh-ed25519";
const SK_ED25519_NAME: &str = "sk-ssh-ed25519@openssh.com";
const SK_P256_NAME: &str = "sk-ecdsa-sha2-nistp256@openssh.com";
const CURVE: &str = "nistp256";

impl PublicKey {
    /// Reads what SSH writes of a key (RFC 4253, section 6.6; OpenSSH's `PROTOCOL.u2f`).
    ///
    /// # Errors
    /// Where it is none of these.
    pub fn from_wire(bytes: &[u8]) -> Result<Self, WireError> {
        let mut reader = Reader::of(bytes);
        let key = match reader.text()? {
            ED25519_NAME => Self::Ed25519(reader.exactly()?),
            SK_ED25519_NAME => Self::SkEd25519 { key: reader.exactly()?, application: reader.text()?.to_owned() },
            SK_P256_NAME if reader.text()? == CURVE => {
                Self::SkP256 { point: reader.exactly()?, application: reader.text()?.to_owned() }
            }
            _ => return Err(WireError),
        };
        reader.end()?;
        Ok(key)
    }

    /// As SSH writes it.
    #[must_use]
    pub fn to_wire(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        put(&mut bytes, self.algorithm().as_bytes());
        match self {
            Self::Ed25519(key) => put(&mut bytes, key),
            Self::SkEd25519 { key, application } => {
                put(&mut bytes, key);
                put(&mut bytes, application.as_bytes());
            }
            Self::SkP256 { point, application } => {
                put(&mut bytes, CURVE.as_bytes());
                put(&mut bytes, point);
                put(&mut bytes, application.as_bytes());
            }
        }
        bytes
    }

    /// The name of its algorithm in SSH.
    #[must_use]
    pub fn algorithm(&self) -> &'static str {
        match self {
            Self::Ed25519(_) => ED25519_NAME,
            Self::SkEd25519 { .. } => SK_ED25519_NAME,
            Self::SkP256 { .. } => SK_P256_NAME,
        }
    }

    /// Its name.
    #[must_use]
    pub fn fingerprint(&self) -> Fingerprint {
        let digest = Digest::of_bytes(&self.to_wire());
        Fingerprint(format!("SHA256:{}", STANDARD_NO_PAD.encode(digest.as_bytes())))
    }

    /// What a security key was made for.
    #[must_use]
    pub fn application(&self) -> Option<&str> {
        match self {
            Self::Ed25519(_) => None,
            Self::SkEd25519 { application, .. } | Self::SkP256 { application, .. } => Some(application),
        }
    }

    /// Whether this key made that signature: 64 bytes, of a point on P-256 `r` and `s`.
    pub(crate) fn made(&self, signature: &[u8], of: &[u8]) -> bool {
        match self {
            Self::Ed25519(key) | Self::SkEd25519 { key, .. } => is_by(&ED25519, key, signature, of),
            Self::SkP256 { point, .. } => is_by(&ECDSA_P256_SHA256_FIXED, point, signature, of),
        }
    }

    /// The same with a signature as WebAuthn has it: that of P-256 in DER (RFC 3279, section 2.2.3).
    pub(crate) fn made_for_the_web(&self, signature: &[u8], of: &[u8]) -> bool {
        match self {
            Self::SkP256 { point, .. } => is_by(&ECDSA_P256_SHA256_ASN1, point, signature, of),
            Self::Ed25519(_) | Self::SkEd25519 { .. } => self.made(signature, of),
        }
    }
}

/// Whether who has this key, a point on P-256 as it stands uncompressed, made that signature: `r` and `s`, of ECDSA with
/// SHA-256 (as WebCrypto signs). For what isn't a receipt.
#[must_use]
pub fn is_by_point(point: &[u8], signature: &[u8], of: &[u8]) -> bool {
    is_by(&ECDSA_P256_SHA256_FIXED, point, signature, of)
}

fn is_by(algorithm: &'static dyn VerificationAlgorithm, key: &[u8], signature: &[u8], of: &[u8]) -> bool {
    UnparsedPublicKey::new(algorithm, key).verify(of, signature).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys() -> [PublicKey; 3] {
        let application = "ssh:".to_owned();
        [
            PublicKey::Ed25519([7; 32]),
            PublicKey::SkEd25519 { key: [8; 32], application: application.clone() },
            PublicKey::SkP256 { point: [4; 65], application },
        ]
    }

    #[test]
    fn a_key_comes_back_from_its_wire_form_and_from_nothing_longer_or_shorter() {
        for key in keys() {
            let wire = key.to_wire();
            assert_eq!(PublicKey::from_wire(&wire), Ok(key.clone()));
            assert_eq!(PublicKey::from_wire(&wire[..wire.len() - 1]), Err(WireError), "{key:?}, cut");
            assert_eq!(PublicKey::from_wire(&[&wire[..], &[0]].concat()), Err(WireError), "{key:?}, with more");
        }
        let mut other = Vec::new();
        put(&mut other, b"ssh-rsa");
        assert_eq!(PublicKey::from_wire(&other), Err(WireError), "no other kind signs receipts");
    }

    #[test]
    fn a_name_is_a_fingerprint() {
        for key in keys() {
            let name = key.fingerprint();
            assert_eq!(Fingerprint::try_from(name.to_string()), Ok(name));
        }
        for wrong in ["", "SHA256:", "MD5:00", "SHA256:AAAA", &format!("SHA256:{}=", "A".repeat(43))] {
            assert!(Fingerprint::try_from(wrong.to_owned()).is_err(), "{wrong}");
        }
    }
}
