//! Paths in the headers of a diff: how git reads them there, and which ones no diff may have.

use super::Refused;
use crate::path::RepoPath;

/// Longest path, in bytes: longer ones no system has.
const PATH_BYTES: usize = 4096;

/// The name that a header line has, up to its end or a tab: in quotes as in C, or as it is.
pub(super) fn name(text: &[u8]) -> Option<Vec<u8>> {
    if text.starts_with(b"\"") {
        return unquoted(text).map(|(name, _)| name);
    }
    let end = text.iter().position(|byte| matches!(byte, b'\t' | b'\r' | b'\n')).unwrap_or(text.len());
    (end > 0).then(|| text[..end].to_vec())
}

/// Without its first part, `a/` or `b/`.
pub(super) fn stripped(name: &[u8]) -> Option<&[u8]> {
    let at = name.iter().position(|byte| *byte == b'/').filter(|at| *at > 0)?;
    Some(&name[at + 1..])
}

/// What comes behind `diff --git `, where both names are the same but for their first part.
pub(super) fn of_both(text: &[u8]) -> Option<Vec<u8>> {
    let end = text.iter().rposition(|byte| !matches!(byte, b'\r' | b'\n')).map_or(0, |last| last + 1);
    let text = &text[..end];
    if text.len() > 2 * PATH_BYTES {
        return None;
    }
    if text.starts_with(b"\"") {
        let (one, rest) = unquoted(text)?;
        let other = rest.trim_ascii_start();
        let other = if other.starts_with(b"\"") { unquoted(other)?.0 } else { other.to_vec() };
        return same(&one, &other);
    }
    if text.ends_with(b"\"") {
        let at = text.windows(2).position(|pair| pair == b" \"")?;
        let (other, rest) = unquoted(&text[at + 1..])?;
        return if rest.is_empty() { same(&text[..at], &other) } else { None };
    }
    // Either may have spaces, and nothing says where the first one ends.
    let mut ends = (0..text.len()).filter(|at| matches!(text[*at], b' ' | b'\t'));
    ends.find_map(|at| same(&text[..at], &text[at + 1..]))
}

fn same(one: &[u8], other: &[u8]) -> Option<Vec<u8>> {
    let (one, other) = (stripped(one)?, stripped(other)?);
    (one == other).then(|| one.to_vec())
}

/// See `unquote_c_style` of git: a name in quotes, and what comes behind it.
fn unquoted(text: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let mut name = Vec::new();
    let mut rest = text.strip_prefix(b"\"")?;
    loop {
        let (byte, after) = rest.split_first()?;
        rest = after;
        match byte {
            b'"' => return Some((name, rest)),
            b'\n' => return None,
            b'\\' => {
                let (escaped, after) = rest.split_first()?;
                rest = after;
                name.push(match escaped {
                    b'a' => 7,
                    b'b' => 8,
                    b't' => b'\t',
                    b'n' => b'\n',
                    b'v' => 11,
                    b'f' => 12,
                    b'r' => b'\r',
                    b'"' | b'\\' => *escaped,
                    b'0'..=b'3' => {
                        let digits = rest.get(..2)?;
                        rest = &rest[2..];
                        let octal = |digit: &u8| matches!(digit, b'0'..=b'7').then(|| digit - b'0');
                        (escaped - b'0') * 64 + octal(&digits[0])? * 8 + octal(&digits[1])?
                    }
                    _ => return None,
                });
            }
            _ => name.push(*byte),
        }
    }
}

/// A path from the top of the repository, if a diff may have it.
pub(super) fn checked(line: usize, path: &[u8]) -> Result<RepoPath, Refused> {
    let named = || RepoPath::new(path);
    let unreadable = |why| Err(Refused::Unreadable { line, why });
    if path.len() > PATH_BYTES {
        return unreadable("a path is longer than 4,096 bytes");
    }
    if path.contains(&0) {
        return Err(Refused::Nul { line });
    }
    let drive = path.first().is_some_and(u8::is_ascii_alphabetic) && path.get(1) == Some(&b':');
    if matches!(path.first(), Some(b'/' | b'\\')) || (drive && matches!(path.get(2), Some(b'/' | b'\\'))) {
        return Err(Refused::Absolute { line, path: named() });
    }
    // What is one name here is several where a backslash is a slash.
    for part in path.split(|byte| matches!(byte, b'/' | b'\\')) {
        if part == b".." {
            return Err(Refused::Parent { line, path: named() });
        }
        if is_git(part) {
            return Err(Refused::GitFolder { line, path: named() });
        }
    }
    if path.split(|byte| *byte == b'/').any(|part| matches!(part, b"" | b".")) {
        return unreadable("a path has an empty part, or one that is `.`");
    }
    Ok(named())
}

/// Whether a file system may take this for `.git`: whatever its case, with characters between that it passes over, with
/// dots and spaces behind or the name of a stream, or by the short name that it gives it.
fn is_git(part: &[u8]) -> bool {
    let seen: String = String::from_utf8_lossy(part).chars().filter(|c| !is_passed_over(*c)).collect();
    let seen = seen.to_ascii_lowercase();
    let name = seen.split(':').next().unwrap_or_default().trim_end_matches(['.', ' ']);
    let number = name.strip_prefix("git~").unwrap_or_default();
    let short = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    name == ".git" || short
}

/// Those that HFS+ passes over (`next_hfs_char` of git), and the others that nobody sees.
fn is_passed_over(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}
