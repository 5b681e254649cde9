//! Slash commands of Claude Code and Cursor: Markdown in which `$ARGUMENTS` and `$1` are put in.

use std::fmt::Write as _;
use std::path::Path;

use gate_core::{PromptFormat, bounds};

use super::Gathered;
use crate::bare;

/// What a piece of a command stands for.
enum Piece<'a> {
    Text(&'a str),
    /// The name of an argument.
    Argument(String),
}

/// What the folders of this path say the commands are.
pub(super) fn kind(path: &Path) -> &'static str {
    let path = path.to_string_lossy().replace('\\', "/");
    if path.contains(".cursor") {
        "Cursor commands"
    } else if path.contains(".claude") {
        "Claude Code commands"
    } else {
        "slash commands"
    }
}

/// Whether this is a command, and not a prompt of ours.
pub(super) fn is(text: &str, path: &Path) -> bool {
    let (front, body) = divided(text);
    let ours = ["arguments", "title", "category", "version", "icon"];
    if ours.iter().any(|field| value(front, field).is_some()) {
        return false;
    }
    let theirs = ["argument-hint", "allowed-tools", "model", "disable-model-invocation"];
    let place = path.to_string_lossy().replace('\\', "/");
    place.contains(".claude/commands")
        || place.contains(".cursor/commands")
        || theirs.iter().any(|field| value(front, field).is_some())
        || pieces(body).iter().any(|piece| matches!(piece, Piece::Argument(_)))
        || (front.is_empty() && !body.contains("{{"))
}

pub(super) fn add(name: &str, from: &str, text: &str, gathered: &mut Gathered) {
    let (front, body) = divided(text.trim_start_matches('\u{feff}'));
    let hint = value(front, "argument-hint").unwrap_or_default();
    let (template, arguments) = template(body);
    let mut file = String::from("---\n");
    let mut line = |name: &str, text: &str| {
        if !text.is_empty() {
            let _ = writeln!(file, "{name}: {}", quoted(text));
        }
    };
    line(
        "description",
        &gate_core::ask::excerpt(
            &value(front, "description").unwrap_or_default(),
            bounds::PROMPT_DESCRIPTION_CHARS - 1,
        ),
    );
    if !arguments.is_empty() {
        file.push_str("arguments:\n");
        for argument in &arguments {
            let _ = writeln!(file, "  - name: {argument}");
            let hint = gate_core::ask::excerpt(&hint, 400);
            if !hint.is_empty() {
                let _ = writeln!(file, "    description: {}", quoted(&hint));
            }
        }
    }
    file.push_str("---\n");
    file.push_str(&template);
    gathered.add(name, "", from, file, PromptFormat::Markdown);
}

/// The front matter and what is below it.
fn divided(text: &str) -> (&str, &str) {
    let Some(rest) = text.strip_prefix("---\n").or_else(|| text.strip_prefix("---\r\n")) else { return ("", text) };
    let mut at = 0;
    for line in rest.split_inclusive('\n') {
        if line.trim_end() == "---" {
            return (rest.get(..at).unwrap_or_default(), rest.get(at + line.len()..).unwrap_or_default());
        }
        at += line.len();
    }
    ("", text)
}

/// What a line of the front matter says. It is often no YAML, so that nothing but the line is looked at.
fn value(front: &str, field: &str) -> Option<String> {
    front.lines().find_map(|line| {
        let value = line.strip_prefix(field)?.trim_start().strip_prefix(':')?.trim();
        let bare = ['"', '\''].iter().find_map(|quote| value.strip_prefix(*quote)?.strip_suffix(*quote));
        Some(bare.unwrap_or(value).to_owned())
    })
}

/// The text as a template, and the arguments that it has.
pub(super) fn template(body: &str) -> (String, Vec<String>) {
    let (mut template, mut arguments) = (String::new(), Vec::new());
    for piece in pieces(body) {
        match piece {
            Piece::Text(text) => template.push_str(&bare::literal(text)),
            Piece::Argument(name) => {
                let _ = write!(template, "{{{{{name}}}}}");
                if !arguments.contains(&name) {
                    arguments.push(name);
                }
            }
        }
    }
    // As they are counted, with everything at once in front.
    arguments.sort();
    (template, arguments)
}

fn pieces(body: &str) -> Vec<Piece<'_>> {
    let (mut pieces, mut rest, mut from) = (Vec::new(), body, 0);
    while let Some(at) = rest.get(from..).and_then(|later| later.find('$')).map(|at| from + at) {
        let after = rest.get(at + 1..).unwrap_or_default();
        let digit = after.chars().next().filter(|c| ('1'..='9').contains(c));
        let whole = |rest: &str| !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        let found = match after.strip_prefix("ARGUMENTS") {
            Some(later) if whole(later) => Some(("arguments".to_owned(), later)),
            _ => digit
                .and_then(|digit| Some((format!("argument_{digit}"), after.get(1..)?)))
                // `$100` and `$1.50` are money.
                .filter(|(_, later)| whole(later) && !later.starts_with(['.', ',']) || ends(later)),
        };
        let Some((name, later)) = found else {
            from = at + 1;
            continue;
        };
        pieces.push(Piece::Text(rest.get(..at).unwrap_or_default()));
        pieces.push(Piece::Argument(name));
        (rest, from) = (later, 0);
    }
    pieces.push(Piece::Text(rest));
    pieces
}

/// Whether a full stop or a comma here ends a sentence or a part of one.
fn ends(later: &str) -> bool {
    later.strip_prefix(['.', ',']).is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// A text as YAML in double quotes.
pub(super) fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            letter if letter.is_control() || matches!(letter, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}') => {
                let _ = write!(quoted, "\\u{:04x}", u32::from(letter));
            }
            letter => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
}
