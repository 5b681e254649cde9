//! SSH's way of writing values one after the other (RFC 4251, section 5).
//!
//! Knows no message.

/// Bytes that aren't what they have to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("it isn't written as SSH writes it")]
pub struct WireError;

/// Reads values, each once.
#[derive(Debug)]
pub(crate) struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    pub(crate) fn of(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// So many bytes as they are.
    pub(crate) fn bytes(&mut self, length: usize) -> Result<&'a [u8], WireError> {
        let (bytes, rest) = self.0.split_at_checked(length).ok_or(WireError)?;
        self.0 = rest;
        Ok(bytes)
    }

    pub(crate) fn byte(&mut self) -> Result<u8, WireError> {
        self.bytes(1)?.first().copied().ok_or(WireError)
    }

    pub(crate) fn short(&mut self) -> Result<u16, WireError> {
        self.bytes(2)?.try_into().map(u16::from_be_bytes).map_err(|_| WireError)
    }

    pub(crate) fn number(&mut self) -> Result<u32, WireError> {
        self.bytes(4)?.try_into().map(u32::from_be_bytes).map_err(|_| WireError)
    }

    /// A `string`.
    pub(crate) fn string(&mut self) -> Result<&'a [u8], WireError> {
        let length = usize::try_from(self.number()?).map_err(|_| WireError)?;
        self.bytes(length)
    }

    /// A `string` of UTF-8.
    pub(crate) fn text(&mut self) -> Result<&'a str, WireError> {
        std::str::from_utf8(self.string()?).map_err(|_| WireError)
    }

    /// A `string` of just so many bytes.
    pub(crate) fn exactly<const N: usize>(&mut self) -> Result<[u8; N], WireError> {
        self.string()?.try_into().map_err(|_| WireError)
    }

    /// An `mpint` that isn't negative, as the 32 bytes that it has at most, with zeros in front.
    pub(crate) fn integer_of_32_bytes(&mut self) -> Result<[u8; 32], WireError> {
        let written = self.string()?;
        let digits = match written {
            [0, next, ..] if *next >= 0x80 => &written[1..],
            // Zero, or with zeros in front that it needn't have.
            [] | [0, ..] => return Err(WireError),
            [first, ..] if *first >= 0x80 => return Err(WireError),
            _ => written,
        };
        let mut bytes = [0; 32];
        let start = bytes.len().checked_sub(digits.len()).ok_or(WireError)?;
        bytes[start..].copy_from_slice(digits);
        Ok(bytes)
    }

    /// That nothing is left over.
    pub(crate) fn end(&self) -> Result<(), WireError> {
        if self.0.is_empty() { Ok(()) } else { Err(WireError) }
    }
}

/// Writes a `string`. What is written here is far shorter than a `string` may be.
pub(crate) fn put(bytes: &mut Vec<u8>, string: &[u8]) {
    bytes.extend_from_slice(&u32::try_from(string.len()).unwrap_or(u32::MAX).to_be_bytes());
    bytes.extend_from_slice(string);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn integer(bytes: &[u8]) -> Result<[u8; 32], WireError> {
        let mut written = Vec::new();
        put(&mut written, bytes);
        Reader::of(&written).integer_of_32_bytes()
    }

    #[test]
    fn an_integer_has_one_form() {
        let mut one = [0; 32];
        one[31] = 1;
        assert_eq!(integer(&[1]), Ok(one));
        assert_eq!(integer(&[&[0][..], &[0xff; 32]].concat()), Ok([0xff; 32]), "the zero says that it isn't negative");
        assert_eq!(integer(&[0x7f; 32]), Ok([0x7f; 32]));
        let long = [&[1][..], &[0; 32]].concat();
        for wrong in [&[][..], &[0], &[0, 1], &[0x80], &long] {
            assert_eq!(integer(wrong), Err(WireError), "{wrong:x?}");
        }
    }

    #[test]
    fn nothing_is_read_beyond_the_end() {
        let mut bytes = Vec::new();
        put(&mut bytes, b"abc");
        assert_eq!(Reader::of(&bytes).exactly::<3>(), Ok(*b"abc"));
        assert_eq!(Reader::of(&bytes).exactly::<2>(), Err(WireError));
        assert_eq!(Reader::of(&bytes[..6]).string(), Err(WireError));
        assert_eq!(Reader::of(&[255; 4]).string(), Err(WireError), "four gigabytes that aren't there");
        assert_eq!(Reader::of(&[]).end(), Ok(()));
        assert_eq!(Reader::of(&[0]).end(), Err(WireError));
    }
}
