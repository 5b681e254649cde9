//! Public keys as authenticators write them: COSE (RFC 9053) in the one form that CTAP2 has for each, so that bytes are
//! compared and no CBOR is parsed.
//!
//! Knows no page and no browser.

use crate::keys::PublicKey;
use crate::wire::{Reader, WireError};

/// `{1: 2, 3: -7, -1: 1, -2: X, -3: Y}`: a point on P-256 for ES256, up to X and from there to Y.
const ES256: (&[u8], &[u8]) = (&[0xa5, 1, 2, 3, 0x26, 0x20, 1, 0x21, 0x58, 32], &[0x22, 0x58, 32]);
/// `{1: 1, 3: -8, -1: 6, -2: X}`: a key of Ed25519 for `EdDSA`, up to X.
const EDDSA: &[u8] = &[0xa4, 1, 1, 3, 0x27, 0x20, 6, 0x21, 0x58, 32];
/// How a point that isn't compressed begins (SEC 1, section 2.3.3).
const UNCOMPRESSED: u8 = 4;

/// Reads a key that was made for this site.
pub(super) fn public_key(reader: &mut Reader<'_>, site: &str) -> Result<PublicKey, WireError> {
    let application = site.to_owned();
    match reader.bytes(EDDSA.len())? {
        beginning if beginning == EDDSA => Ok(PublicKey::SkEd25519 { key: fixed(reader.bytes(32)?)?, application }),
        beginning if beginning == ES256.0 => {
            let x = reader.bytes(32)?;
            if reader.bytes(ES256.1.len())? != ES256.1 {
                return Err(WireError);
            }
            let y = reader.bytes(32)?;
            Ok(PublicKey::SkP256 { point: fixed(&[&[UNCOMPRESSED][..], x, y].concat())?, application })
        }
        _ => Err(WireError),
    }
}

fn fixed<const N: usize>(bytes: &[u8]) -> Result<[u8; N], WireError> {
    bytes.try_into().map_err(|_| WireError)
}
