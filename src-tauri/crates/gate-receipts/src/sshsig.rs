//! Signatures of `ssh-keygen -Y sign` (OpenSSH's `PROTOCOL.sshsig`; of security keys also `PROTOCOL.u2f`).
//!
//! `ssh-keygen -Y verify` takes the signature of a security key that nobody touched; what a key says of that is told
//! here. Knows neither lines nor which keys are enrolled.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gate_core::Digest;
use ring::digest::{SHA256, SHA512, digest};

use crate::keys::PublicKey;
use crate::wire::{Reader, WireError, put};

/// What receipts are signed as: `ssh-keygen -Y sign -n review-gate-receipt`.
pub const NAMESPACE: &str = "review-gate-receipt";

const BEGIN: &str = "-----BEGIN SSH SIGNATURE-----";
const END: &str = "-----END SSH SIGNATURE-----";
const MAGIC: &[u8; 6] = b"SSHSIG";
const VERSION: u32 = 1;

/// What a security key says with a signature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Touch {
    /// What happened, as bits: 1 for a touch, 4 for a PIN or a finger.
    pub flags: u8,
    /// How often the key has signed; 0 always for a key that doesn't count.
    pub counter: u32,
}

impl Touch {
    /// Whether somebody touched it.
    #[must_use]
    pub fn touched(self) -> bool {
        self.flags & 1 != 0
    }

    /// Whether it asked for a PIN or a finger.
    #[must_use]
    pub fn verified(self) -> bool {
        self.flags & 4 != 0
    }
}

/// A signature, read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SshSignature {
    /// The key that it says it is by.
    pub key: PublicKey,
    /// What a security key says with it.
    pub touch: Option<Touch>,
    namespace: String,
    reserved: Vec<u8>,
    hash: Hash,
    /// 64 bytes.
    signature: Vec<u8>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Hash {
    Sha256,
    Sha512,
}

impl Hash {
    fn name(self) -> &'static str {
        match self {
            Self::Sha256 => "sha256",
            Self::Sha512 => "sha512",
        }
    }

    fn of(self, bytes: &[u8]) -> ring::digest::Digest {
        match self {
            Self::Sha256 => digest(&SHA256, bytes),
            Self::Sha512 => digest(&SHA512, bytes),
        }
    }
}

impl SshSignature {
    /// Reads a signature without its armour.
    ///
    /// # Errors
    /// Where it isn't one of a key that receipts may be signed with.
    pub fn parse(bytes: &[u8]) -> Result<Self, WireError> {
        let mut reader = Reader::of(bytes);
        if reader.bytes(MAGIC.len())? != MAGIC || reader.number()? != VERSION {
            return Err(WireError);
        }
        let key = PublicKey::from_wire(reader.string()?)?;
        let namespace = reader.text()?.to_owned();
        let reserved = reader.string()?.to_vec();
        let hash = match reader.text()? {
            "sha256" => Hash::Sha256,
            "sha512" => Hash::Sha512,
            _ => return Err(WireError),
        };
        let mut inner = Reader::of(reader.string()?);
        reader.end()?;
        if inner.text()? != key.algorithm() {
            return Err(WireError);
        }
        let signature = match &key {
            PublicKey::Ed25519(_) | PublicKey::SkEd25519 { .. } => inner.exactly::<64>()?.to_vec(),
            PublicKey::SkP256 { .. } => {
                let mut pair = Reader::of(inner.string()?);
                let both = [pair.integer_of_32_bytes()?, pair.integer_of_32_bytes()?].concat();
                pair.end()?;
                both
            }
        };
        let touch = match &key {
            PublicKey::Ed25519(_) => None,
            PublicKey::SkEd25519 { .. } | PublicKey::SkP256 { .. } => {
                Some(Touch { flags: inner.byte()?, counter: inner.number()? })
            }
        };
        inner.end()?;
        Ok(Self { key, touch, namespace, reserved, hash, signature })
    }

    /// Takes off the armour that `ssh-keygen -Y sign` writes.
    ///
    /// # Errors
    /// Where it isn't there, or there is something else in it.
    pub fn without_armour(text: &str) -> Result<Vec<u8>, WireError> {
        let inner = text.trim().strip_prefix(BEGIN).and_then(|text| text.strip_suffix(END)).ok_or(WireError)?;
        let digits: String = inner.split_ascii_whitespace().collect();
        STANDARD.decode(digits).map_err(|_| WireError)
    }

    /// Whether the key that it names made it, of this text, as a receipt.
    #[must_use]
    pub fn is_of(&self, text: &[u8]) -> bool {
        let mut signed = MAGIC.to_vec();
        put(&mut signed, self.namespace.as_bytes());
        put(&mut signed, &self.reserved);
        put(&mut signed, self.hash.name().as_bytes());
        put(&mut signed, self.hash.of(text).as_ref());
        if let (Some(touch), Some(application)) = (self.touch, self.key.application()) {
            signed = by_security_key(application, touch, &signed);
        }
        self.namespace == NAMESPACE && self.key.made(&self.signature, &signed)
    }
}

/// What a security key signs in place of a message (`PROTOCOL.u2f`, “Signatures”).
fn by_security_key(application: &str, touch: Touch, message: &[u8]) -> Vec<u8> {
    let mut signed = Digest::of_bytes(application.as_bytes()).as_bytes().to_vec();
    signed.push(touch.flags);
    signed.extend_from_slice(&touch.counter.to_be_bytes());
    signed.extend_from_slice(Digest::of_bytes(message).as_bytes());
    signed
}

#[cfg(test)]
mod fuzz;
