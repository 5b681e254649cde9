//! A private key of a service's, and what it signs: lines, and nothing else.
//!
//! Knows no file and no person: whether something is to be signed is decided elsewhere.

use std::fmt;

use ring::rand::SystemRandom;
use ring::signature::{Ed25519KeyPair, KeyPair as _};

use crate::keys::PublicKey;
use crate::line::{Line, LineError};
use crate::parts::Bytes;
use crate::proof::Proof;

/// A private key, Ed25519. It isn't shown by `Debug`.
pub struct SigningKey {
    pair: Ed25519KeyPair,
    public: PublicKey,
}

/// What isn't a private key, or couldn't be made into one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SigningError {
    /// The system gives no randomness.
    #[error("no key can be made: the system gives no randomness")]
    NoRandomness,
    /// The bytes are no key.
    #[error("no private key for Ed25519 (PKCS #8)")]
    NoKey,
}

impl SigningKey {
    /// Makes a key, as it is kept: PKCS #8 (RFC 8410).
    ///
    /// # Errors
    /// Where the system gives no randomness.
    pub fn generate() -> Result<Vec<u8>, SigningError> {
        let made = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).map_err(|_| SigningError::NoRandomness)?;
        Ok(made.as_ref().to_vec())
    }

    /// Reads a key as [`Self::generate`] made it.
    ///
    /// # Errors
    /// Where it is none.
    pub fn from_pkcs8(bytes: &[u8]) -> Result<Self, SigningError> {
        let pair = Ed25519KeyPair::from_pkcs8(bytes).map_err(|_| SigningError::NoKey)?;
        let public = pair.public_key().as_ref().try_into().map_err(|_| SigningError::NoKey)?;
        Ok(Self { pair, public: PublicKey::Ed25519(public) })
    }

    /// The public half.
    #[must_use]
    pub fn public(&self) -> &PublicKey {
        &self.public
    }

    /// A proof that stands in a line's place of one until it is signed: by this key, of nothing.
    #[must_use]
    pub fn unsigned(&self) -> Proof {
        Proof::Ed25519 { key: self.public.fingerprint(), sig: Bytes(Vec::new()) }
    }

    /// The line with this key's signature, in the place of what stood there.
    ///
    /// # Errors
    /// As [`Line::signed`].
    pub fn sign(&self, line: Line) -> Result<Line, LineError> {
        let text = line.signed()?;
        let sig = Bytes(self.pair.sign(text.as_bytes()).as_ref().to_vec());
        Ok(Line { proof: Proof::Ed25519 { key: self.public.fingerprint(), sig }, ..line })
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SigningKey").field("public", &self.public).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::{Decided, Level, Said};
    use crate::testing::{AT, approval, line};
    use crate::verify::{Enrolled, Keys, Unproved, Verifier as _, Vouched, assured};

    #[test]
    fn what_a_kept_key_signs_holds_and_nothing_else_does() {
        let kept = SigningKey::generate().expect("there is randomness");
        let key = SigningKey::from_pkcs8(&kept).expect("it is the key that was made");
        let enrolled = Enrolled { public: key.public().clone(), origin: None, after: 0, until: None };
        let keys = Keys(vec![enrolled]);
        let said = Said::Decided(Decided { level: Level::L2, ..approval(1, AT) });
        let signed = key.sign(line(said)).expect("it can be written");
        let proved = keys.prove(&signed).expect("it holds").expect("it is signed");
        assert_eq!(proved.level, Level::L2, "a service of the system confirms");
        let other = Line { seq: signed.seq + 1, ..signed.clone() };
        assert_eq!(keys.prove(&other), Err(Unproved::Wrong), "another line isn't signed");
        let empty = Line { proof: key.unsigned(), ..signed };
        assert_eq!(keys.prove(&empty), Err(Unproved::Wrong), "what stands in its place proves nothing");
        assert!(!format!("{key:?}").contains("pair"), "no log shows it");
    }

    #[test]
    fn a_services_key_is_as_sure_as_the_service_says_that_it_is_its_own() {
        let made =
            || SigningKey::from_pkcs8(&SigningKey::generate().expect("there is randomness")).expect("it is a key");
        let (key, other) = (made(), made());
        let keys = Keys(vec![Enrolled { public: key.public().clone(), origin: None, after: 0, until: None }]);
        assert_eq!(keys.of_services().collect::<Vec<_>>(), [key.public()]);
        let said = Said::Decided(Decided { level: Level::L2, ..approval(1, AT) });
        let signed = key.sign(line(said.clone())).expect("it can be written");
        let level = |line: &Line, own| assured(line, &Vouched { keys: &keys, own });
        assert_eq!(level(&signed, Some(key.public())), Ok(Level::L2));
        assert_eq!(level(&signed, Some(other.public())), Ok(Level::L1), "a line may enrol any key");
        assert_eq!(level(&signed, None), Ok(Level::L1), "nobody says whose it is");
        let forged = other.sign(line(said)).expect("it can be written");
        assert_eq!(level(&forged, Some(other.public())), Err(Unproved::UnknownKey), "no line enrols it");
    }

    #[test]
    fn what_is_no_key_is_refused() {
        assert!(matches!(SigningKey::from_pkcs8(b"no key"), Err(SigningError::NoKey)));
    }
}
