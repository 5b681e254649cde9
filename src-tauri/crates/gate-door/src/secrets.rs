//! Digests of secrets, and files that only their owner reads.

use std::io::{self, Write as _};
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use gate_core::Fault;
use gate_os::files;

/// A SHA-256.
pub(crate) type Digested = [u8; 32];

/// Writes a file that only its owner reads, beside it first and then in its place: a reader sees the
/// old or the new one.
pub(crate) fn write_private(file: &Path, bytes: &[u8]) -> io::Result<()> {
    let beside = file.with_extension("new");
    let mut new = files::private().write(true).create(true).truncate(true).open(&beside)?;
    files::make_private_open(&new, &beside)?;
    new.write_all(bytes)?;
    new.sync_all()?;
    std::fs::rename(&beside, file)
}

/// Random bytes as text that addresses and headers may hold.
///
/// # Errors
/// When the system has no randomness to give.
pub(crate) fn random<const BYTES: usize>() -> Result<String, Fault> {
    let mut random = [0_u8; BYTES];
    getrandom::fill(&mut random).map_err(|error| Fault::internal(format!("No randomness: {error}.")))?;
    Ok(URL_SAFE_NO_PAD.encode(random))
}

/// A digest in hexadecimal.
pub(crate) fn to_hex(digest: &Digested) -> String {
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A digest that was written in hexadecimal; absent for what is none.
pub(crate) fn from_hex(text: &str) -> Option<Digested> {
    let mut bytes = Digested::default();
    if text.len() != 2 * bytes.len() || !text.is_ascii() {
        return None;
    }
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&text[2 * at..2 * at + 2], 16).ok()?;
    }
    Some(bytes)
}
