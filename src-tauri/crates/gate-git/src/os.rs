//! Paths as git writes them.

use std::ffi::{OsStr, OsString};

/// As bytes; on Windows in UTF-8, as git has them there.
pub(crate) fn bytes(text: &OsStr) -> &[u8] {
    text.as_encoded_bytes()
}

pub(crate) fn text(bytes: &[u8]) -> OsString {
    gate_os::files::from_bytes(bytes.to_vec())
}
