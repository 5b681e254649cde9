//! Names of objects, and which of git's two hashes they are made with. Knows no repository.

use std::fmt;

use serde::{Serialize, Serializer};

/// Which hash a repository names its objects by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// SHA-1, 40 digits.
    Sha1,
    /// SHA-256, 64 digits.
    Sha256,
}

impl Format {
    /// As `extensions.objectFormat` has it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Sha1 => "sha1",
            Self::Sha256 => "sha256",
        }
    }

    pub(crate) fn of_name(name: &[u8]) -> Option<Self> {
        [Self::Sha1, Self::Sha256].into_iter().find(|format| format.name().as_bytes() == name)
    }

    fn digits(self) -> usize {
        match self {
            Self::Sha1 => 40,
            Self::Sha256 => 64,
        }
    }

    /// The tree without entries, which git knows without having it.
    #[must_use]
    pub fn empty_tree(self) -> Oid {
        Oid(match self {
            Self::Sha1 => "4b825dc642cb6eb9a060e54bf8d69288fbee4904".to_owned(),
            Self::Sha256 => "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321".to_owned(),
        })
    }

    /// What stands for no object.
    pub(crate) fn nothing(self) -> String {
        "0".repeat(self.digits())
    }
}

/// The name of an object: all its hexadecimal digits, in lower case.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Oid(String);

impl Oid {
    /// Absent for anything but 40 or 64 digits in lower case, and for zeros alone, which stand for no object.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let hexadecimal = text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        let fits = matches!(text.len(), 40 | 64) && hexadecimal && text.bytes().any(|byte| byte != b'0');
        fits.then(|| Self(text.to_owned()))
    }

    pub(crate) fn of_bytes(bytes: &[u8]) -> Option<Self> {
        std::str::from_utf8(bytes).ok().and_then(Self::parse)
    }

    /// Its digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The hash that it is made with.
    #[must_use]
    pub fn format(&self) -> Format {
        if self.0.len() == Format::Sha1.digits() { Format::Sha1 } else { Format::Sha256 }
    }
}

impl fmt::Display for Oid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Serialize for Oid {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_whole_and_of_one_spelling() {
        for format in [Format::Sha1, Format::Sha256] {
            let empty = format.empty_tree();
            assert_eq!(Oid::parse(empty.as_str()), Some(empty.clone()));
            assert_eq!(empty.format(), format);
            assert_eq!(Oid::parse(&empty.as_str().to_uppercase()), None, "one name has one spelling");
            assert_eq!(Oid::parse(&empty.as_str()[1..]), None, "a beginning may be another's tomorrow");
            assert_eq!(Oid::parse(&format.nothing()), None, "zeros name nothing");
        }
    }
}
