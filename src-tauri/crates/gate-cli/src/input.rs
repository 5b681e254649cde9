//! What a person pipes in.

use std::io::Read as _;

use gate_core::{Code, Fault, bounds};

/// All of stdin, up to what a reply may be long and a byte more, so that a longer one is known to be too long.
pub(crate) fn stdin() -> Result<String, Fault> {
    let mut text = String::new();
    let bound = bounds::REPLY_BYTES as u64 + 1;
    std::io::stdin().lock().take(bound).read_to_string(&mut text).map_err(|error| {
        Fault::new(Code::InvalidInput, format!("stdin can't be read as UTF-8: {error}."), "Pass text.")
    })?;
    Ok(text)
}
