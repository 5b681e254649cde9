//! Digests: SHA-256 of canonical JSON, or of bytes.

mod canonical;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest as _, Sha256};

use crate::fault::{Code, Fault};

pub use canonical::json as canonical_json;

/// How many of its digits stand for a digest where a person reads it.
const SHOWN: usize = 8;
/// Hexadecimal digits by what they stand for.
const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// SHA-256, of canonical JSON ([RFC 8785](https://www.rfc-editor.org/rfc/rfc8785)) or of bytes as they are. Outside, 64
/// hexadecimal digits in lower case.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "typescript", ts(type = "string"))]
pub struct Digest([u8; 32]);

impl Digest {
    /// Of any value. Some milliseconds for one of megabytes.
    ///
    /// # Errors
    /// `internal` where it has a number that is no integer below 2⁵³, or can't be serialised.
    pub fn of(value: &impl Serialize) -> Result<Self, Fault> {
        Ok(Self(Sha256::digest(canonical::json(value)?.as_bytes()).into()))
    }

    /// Of bytes as they are.
    #[must_use]
    pub fn of_bytes(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// Its 32 bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Its first digits, to be read by a person.
    #[must_use]
    pub fn beginning(&self) -> String {
        self.to_string().chars().take(SHOWN).collect()
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A result holds several, and is written thousands of times a second: not digit by digit.
        let mut digits = [0; 2 * 32];
        for (pair, byte) in digits.chunks_exact_mut(2).zip(self.0) {
            pair.copy_from_slice(&[DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 0xf)]]);
        }
        f.write_str(std::str::from_utf8(&digits).map_err(|_| fmt::Error)?)
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({self})")
    }
}

impl FromStr for Digest {
    type Err = Fault;

    fn from_str(text: &str) -> Result<Self, Fault> {
        let none = || {
            Fault::new(
                Code::InvalidInput,
                format!(
                    "`digest` must be 64 hexadecimal digits in lower case, but it is {:?}.",
                    text.chars().take(80).collect::<String>()
                ),
                "Pass the `digest` exactly as it was shown with the question.",
            )
        };
        let digit = |byte: &u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(byte);
        if text.len() != 64 || !text.as_bytes().iter().all(digit) {
            return Err(none());
        }
        let mut bytes = [0; 32];
        for (at, byte) in bytes.iter_mut().enumerate() {
            let digits = text.get(2 * at..2 * at + 2).ok_or_else(none)?;
            *byte = u8::from_str_radix(digits, 16).map_err(|_| none())?;
        }
        Ok(Self(bytes))
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(|fault: Fault| serde::de::Error::custom(fault.message))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_is_written_in_digits_and_read_back() -> Result<(), Fault> {
        let known = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(Digest::of_bytes(b"abc").to_string(), known, "as FIPS 180 has it");
        for first in (0..=u8::MAX).step_by(32) {
            let bytes = std::array::from_fn(|at| first.wrapping_add(u8::try_from(at).unwrap_or_default()));
            let digest = Digest(bytes);
            assert_eq!(digest.to_string().parse::<Digest>()?, digest, "every byte comes back");
            assert_eq!(digest.to_string(), bytes.map(|byte| format!("{byte:02x}")).concat());
        }
        Ok(())
    }
}
