//! WebAuthn (<https://www.w3.org/TR/webauthn-3/>), as far as receipts need it: what a browser says of a key that it has
//! just had made (sections 6.5.1 and 7.1), and assertions of such keys (sections 6.1, 6.3.3 and 7.2). Nothing is believed
//! of who made a key's device: no attestation is asked for.
//!
//! Knows neither lines nor which keys are enrolled.

mod cose;
#[cfg(test)]
mod fuzz;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use gate_core::Digest;
use serde::Deserialize;

use crate::keys::PublicKey;
use crate::sshsig::Touch;
use crate::wire::{Reader, WireError};

/// What the browser signs along. It may hold more, which is signed, too, and says nothing here.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Client {
    #[serde(rename = "type")]
    act: String,
    challenge: String,
    origin: String,
    #[serde(default)]
    cross_origin: bool,
    top_origin: Option<String>,
}

impl Client {
    /// Whether the browser did this, for this challenge, in a page that stood in no other.
    fn is_for(&self, act: &str, challenge: &[u8]) -> bool {
        self.act == act
            && self.challenge == URL_SAFE_NO_PAD.encode(challenge)
            && !self.cross_origin
            && self.top_origin.is_none()
    }
}

/// Longest name of a credential, in bytes (section 5.1).
const CREDENTIAL_BYTES: usize = 1023;
/// The key can be copied: it is kept by whoever synchronises keys, and not by a device (section 6.1.3).
const COPIABLE: u8 = 1 << 3;
/// A key follows, and further data.
const HAS_KEY: u8 = 1 << 6;
const HAS_MORE: u8 = 1 << 7;

/// What a key that is registered has to be for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Asked<'a> {
    /// What the page was given to have a key made.
    pub challenge: &'a [u8],
    /// The relying party, e.g. `localhost`.
    pub site: &'a str,
    /// The page's origin with its port: `localhost` is one site to a key, whatever the port.
    pub origin: &'a str,
}

/// A key that a browser had made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Registration {
    /// The key.
    pub public: PublicKey,
    /// By what its device knows it.
    pub credential: Vec<u8>,
}

/// Why a key isn't taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unregistered {
    /// It isn't written as it has to be, or is of a kind that signs no receipts.
    #[error("what the browser says of the key can't be read, or the key is neither of P-256 nor of Ed25519")]
    Unreadable,
    /// The page was another one.
    #[error("the key was made for another page")]
    OtherPage,
    /// It isn't what was asked for.
    #[error("it isn't the key that was asked for")]
    Wrong,
    /// Nobody touched it.
    #[error("nobody touched the security key")]
    Untouched,
    /// It doesn't stay where it is.
    #[error(
        "the key can be copied elsewhere, as one of a password manager, so that it stands for no touch of a device"
    )]
    Copied,
}

impl Registration {
    /// Reads the authenticator's data and the browser's, and holds them against what was asked for (section 7.1).
    ///
    /// # Errors
    /// Why the key isn't taken.
    pub fn of(authenticator: &[u8], client: &[u8], asked: Asked<'_>) -> Result<Self, Unregistered> {
        let client: Client = serde_json::from_slice(client).map_err(|_| Unregistered::Unreadable)?;
        let made = Made::parse(authenticator, asked.site).map_err(|_| Unregistered::Unreadable)?;
        if client.origin != asked.origin {
            return Err(Unregistered::OtherPage);
        }
        if !client.is_for("webauthn.create", asked.challenge)
            || made.site != *Digest::of_bytes(asked.site.as_bytes()).as_bytes()
        {
            return Err(Unregistered::Wrong);
        }
        if !made.touch.touched() {
            return Err(Unregistered::Untouched);
        }
        if made.touch.flags & COPIABLE != 0 {
            return Err(Unregistered::Copied);
        }
        Ok(made.registration)
    }
}

/// What an authenticator says of a key that it has made.
struct Made {
    site: [u8; 32],
    touch: Touch,
    registration: Registration,
}

impl Made {
    fn parse(authenticator: &[u8], site: &str) -> Result<Self, WireError> {
        let mut reader = Reader::of(authenticator);
        let read = reader.bytes(32)?.try_into().map_err(|_| WireError)?;
        let touch = Touch { flags: reader.byte()?, counter: reader.number()? };
        if touch.flags & HAS_KEY == 0 {
            return Err(WireError);
        }
        let _model = reader.bytes(16)?;
        let length = reader.short()?;
        if length == 0 || usize::from(length) > CREDENTIAL_BYTES {
            return Err(WireError);
        }
        let credential = reader.bytes(usize::from(length))?.to_vec();
        let public = cose::public_key(&mut reader, site)?;
        if touch.flags & HAS_MORE == 0 {
            reader.end()?;
        }
        Ok(Self { site: read, touch, registration: Registration { public, credential } })
    }
}

/// An assertion, read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assertion {
    /// What the key says with it.
    pub touch: Touch,
    site: [u8; 32],
    client: Client,
    signed: Vec<u8>,
}

impl Assertion {
    /// Reads the authenticator's data and the browser's.
    ///
    /// # Errors
    /// Where they aren't what they have to be.
    pub fn parse(authenticator: &[u8], client: &[u8]) -> Result<Self, WireError> {
        let mut reader = Reader::of(authenticator);
        let site = reader.bytes(32)?.try_into().map_err(|_| WireError)?;
        let touch = Touch { flags: reader.byte()?, counter: reader.number()? };
        let read = serde_json::from_slice(client).map_err(|_| WireError)?;
        let signed = [authenticator, Digest::of_bytes(client).as_bytes()].concat();
        Ok(Self { touch, site, client: read, signed })
    }

    /// The page's origin, with its port, as the browser saw it.
    #[must_use]
    pub fn origin(&self) -> &str {
        &self.client.origin
    }

    /// Whether this key made it for this text, in a page that stood in no other.
    ///
    /// `localhost` is one site to a key, whatever the port: that [`Self::origin`] is the right one is for the caller.
    #[must_use]
    pub fn is_of(&self, text: &[u8], key: &PublicKey, signature: &[u8]) -> bool {
        let site = key.application().map(|site| *Digest::of_bytes(site.as_bytes()).as_bytes());
        self.client.is_for("webauthn.get", Digest::of_bytes(text).as_bytes())
            && site == Some(self.site)
            && key.made_for_the_web(signature, &self.signed)
    }
}

#[cfg(test)]
mod tests;
