//! Marks of Markdown: fences, and lines that some run as commands.

/// A fence that is longer than any run of its marks in the code.
pub(super) fn fence(code: &str) -> String {
    let longest = code.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    "`".repeat(longest.saturating_add(1).max(3))
}

/// Whether a line of it begins with a command.
pub(super) fn has_command(code: &str) -> bool {
    code.split('\n').any(is_command)
}

/// With a blank before commands at a line's start.
pub(super) fn with_blanks(code: &str) -> String {
    let lines = code.split('\n').map(|line| if is_command(line) { format!(" {line}") } else { line.to_owned() });
    lines.collect::<Vec<_>>().join("\n")
}

/// Whether a line begins with a slash and a word.
pub(super) fn is_command(line: &str) -> bool {
    line.strip_prefix('/').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphanumeric()))
}
