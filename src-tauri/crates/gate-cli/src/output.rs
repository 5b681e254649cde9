//! The only place that prints.

use std::io::{self, Write as _};

use gate_core::Fault;
use serde::Serialize;

/// Prints a line on stdout. A closed pipe ends the output, not the program.
pub(crate) fn line(text: &str) {
    let _ = writeln!(io::stdout().lock(), "{text}");
}

/// Prints a value as one line of JSON on stdout.
pub(crate) fn json<T: Serialize>(value: &T) -> Result<(), Fault> {
    let text = serde_json::to_string(value).map_err(|error| Fault::internal(error.to_string()))?;
    line(&text);
    let _ = io::stdout().lock().flush();
    Ok(())
}

/// Prints a fault as one line on stderr: cause, mend, code.
pub(crate) fn fault(fault: &Fault) {
    let text = format!("{} {} [{}]", fault.message, fault.mend, fault.code.as_str()).replace('\n', " ");
    let _ = writeln!(io::stderr().lock(), "review-gate: {text}");
}
