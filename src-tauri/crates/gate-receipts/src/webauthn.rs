//! Assertions of WebAuthn (<https://www.w3.org/TR/webauthn-2/>, sections 6.1, 6.3.3 and 7.2), as far as a receipt needs
//! them.
//!
//! Knows neither lines nor which keys are enrolled.

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
        let challenge = URL_SAFE_NO_PAD.encode(Digest::of_bytes(text).as_bytes());
        let site = key.application().map(|site| *Digest::of_bytes(site.as_bytes()).as_bytes());
        self.client.act == "webauthn.get"
            && self.client.challenge == challenge
            && !self.client.cross_origin
            && self.client.top_origin.is_none()
            && site == Some(self.site)
            && key.made_for_the_web(signature, &self.signed)
    }
}
