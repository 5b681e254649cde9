//! Markdown with front matter: YAML between two lines of `---`, and below it the template.

use crate::trouble::{Spot, Trouble};

/// What clients' own commands say in their front matter, and a prompt has no use for.
pub(super) const OF_COMMANDS: &[&str] =
    &["argument-hint", "allowed-tools", "model", "disable-model-invocation", "user-invocable", "context", "agent"];

pub(super) struct Parts {
    pub(super) front: String,
    pub(super) front_line: u32,
    pub(super) body: String,
    pub(super) body_line: u32,
}

pub(super) fn parts(text: &str) -> Result<Parts, Trouble> {
    let mut lines = text.split_inclusive('\n');
    if lines.next().map(str::trim_end) != Some("---") {
        return Ok(Parts { front: String::new(), front_line: 1, body: text.to_owned(), body_line: 1 });
    }
    let mut front = String::new();
    let mut body_line = 2;
    while let Some(line) = lines.next() {
        body_line += 1;
        if line.trim_end() == "---" {
            return Ok(Parts { front, front_line: 2, body: lines.collect(), body_line });
        }
        // What clients write there is often no YAML, e.g. `argument-hint: [file] [level]`.
        let name = line.split(':').next().unwrap_or_default();
        let value = line.get(name.len() + 1..).unwrap_or_default().trim();
        if OF_COMMANDS.contains(&name) && !value.is_empty() && !value.starts_with(['|', '>']) {
            front.push('\n');
        } else {
            front.push_str(line);
        }
    }
    Err(Trouble::new(
        Some(Spot { line: 1, column: 1 }),
        "The front matter that begins here is never closed.",
        "Put a line with `---` alone between the fields and the template.",
    ))
}
