//! The paths that a diff's headers name: git's prefixes and quotes are taken off. Nothing here is ever opened.

/// The paths of `--- OLD` and `+++ NEW`; empty where that side has no file.
pub(super) fn of_header(old: &str, new: &str, prefixes: (&str, &str)) -> (String, String) {
    (header_path(old, "--- ", prefixes.0), header_path(new, "+++ ", prefixes.1))
}

fn header_path(line: &str, mark: &str, prefix: &str) -> String {
    let path = unquote(as_written(line, mark));
    if path == "/dev/null" {
        return String::new();
    }
    path.strip_prefix(prefix).unwrap_or(&path).to_owned()
}

/// The path of a header's line as it stands there, with its prefix and quotes.
pub(super) fn as_written<'a>(line: &'a str, mark: &str) -> &'a str {
    let path = line.strip_prefix(mark).unwrap_or(line);
    // A tab comes before a time, or at the end of a path with spaces.
    path.split_once('\t').map_or_else(|| path.trim_end(), |(path, _)| path)
}

/// Whether anything but a time or a revision stands behind the path of a header's line.
pub(super) fn says_more(line: &str) -> bool {
    let behind = line.split_once('\t').map_or("", |(_, behind)| behind.trim());
    let is_revision = behind.starts_with('(') && behind.ends_with(')') && behind.len() <= 24;
    let is_time = behind.len() <= 40
        && behind.bytes().filter(u8::is_ascii_digit).count() >= 6
        && behind.bytes().all(|byte| byte.is_ascii_alphanumeric() || b" :.+-".contains(&byte));
    !(behind.is_empty() || is_revision || is_time)
}

/// Whether `Binary files OLD and NEW differ` names these paths.
pub(super) fn are_sides(text: &str, paths: (&str, &str), prefixes: (&str, &str)) -> bool {
    let is_side = |text: &str, path: &str, prefix: &str| {
        text == "/dev/null" || unquote(text).strip_prefix(prefix).is_some_and(|rest| rest == path)
    };
    text.match_indices(" and ").any(|(at, and)| {
        let (old, new) = (&text[..at], &text[at + and.len()..]);
        is_side(old, paths.0, prefixes.0) && is_side(new, paths.1, prefixes.1)
    })
}

/// The paths of `diff --git OLD NEW`, and the prefixes that were taken off them: `a/` and `b/`,
/// or with `diff.mnemonicPrefix` letters like `i/` and `w/`, or with `diff.noprefix` nothing.
pub(super) fn of_git_line<'a>(paths: &'a str) -> (String, String, (&'a str, &'a str)) {
    let halves = || {
        let (old, new) = (paths.get(..paths.len() / 2)?, paths.get(paths.len() / 2..)?.strip_prefix(' ')?);
        let prefix = |path: &'a str| path.trim_start_matches('"').get(..2).filter(|start| start.ends_with('/'));
        let (before, after) = (unquote(old), unquote(new));
        if before == after {
            return Some((old, new, ("", "")));
        }
        let prefixes = (prefix(old)?, prefix(new)?);
        let same = before.strip_prefix(prefixes.0)? == after.strip_prefix(prefixes.1)?;
        same.then_some((old, new, prefixes))
    };
    // Names with spaces aren't quoted, but both are the same unless the file was renamed.
    let (old, new, prefixes) = halves().unwrap_or_else(|| {
        let split = if paths.starts_with('"') {
            paths.find("\" ").map(|at| at + 1)
        } else {
            paths.find(" b/").or_else(|| paths.find(" \"b/"))
        };
        let (old, new) = split.map_or((paths, ""), |at| paths.split_at(at));
        (old, new.trim_start(), ("a/", "b/"))
    });
    let strip = |path: &str, prefix: &str| {
        let path = unquote(path);
        path.strip_prefix(prefix).unwrap_or(&path).to_owned()
    };
    (strip(old, prefixes.0), strip(new, prefixes.1), prefixes)
}

/// The path of `rename from PATH` and the like.
pub(super) fn of_rename(path: &str) -> String {
    unquote(path)
}

/// Undoes git's C-style quoting of paths: `"a/\303\251.txt"` is `a/é.txt`.
fn unquote(path: &str) -> String {
    let Some(inner) = path.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) else {
        return path.to_owned();
    };
    let mut bytes = Vec::with_capacity(inner.len());
    let mut rest = inner.bytes().peekable();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        match rest.next() {
            Some(b'a') => bytes.push(0x07),
            Some(b'b') => bytes.push(0x08),
            Some(b't') => bytes.push(b'\t'),
            Some(b'n') => bytes.push(b'\n'),
            Some(b'v') => bytes.push(0x0b),
            Some(b'f') => bytes.push(0x0c),
            Some(b'r') => bytes.push(b'\r'),
            Some(digit @ b'0'..=b'7') => {
                let mut value = u32::from(digit - b'0');
                for _ in 0..2 {
                    if let Some(next @ b'0'..=b'7') = rest.peek().copied() {
                        value = value * 8 + u32::from(next - b'0');
                        rest.next();
                    }
                }
                bytes.push(u8::try_from(value).unwrap_or(b'?'));
            }
            Some(other) => bytes.push(other),
            None => bytes.push(b'\\'),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::{of_git_line, of_rename, says_more};

    #[test]
    fn the_halves_of_gits_line_are_told_apart() {
        for (line, old, new) in [
            ("a/x b/x", "x", "x"),
            ("a/a b/c.bin b/a b/c.bin", "a b/c.bin", "a b/c.bin"),
            ("i/x y w/x y", "x y", "x y"),
            ("x y x y", "x y", "x y"),
            ("c/x c/x", "c/x", "c/x"),
            (r#""a/\303\251\" \r" "b/\303\251\" \r""#, "é\" \r", "é\" \r"),
            ("a/old b/new name", "old", "new name"),
        ] {
            let (before, after, _) = of_git_line(line);
            assert_eq!((before.as_str(), after.as_str()), (old, new), "the paths of {line}");
        }
    }

    #[test]
    fn a_quoted_path_is_the_one_that_it_means() {
        assert_eq!(of_rename("\"a\\342\\200\\256b\""), "a\u{202e}b", "quoted as git does");
    }

    #[test]
    fn what_stands_behind_a_path_is_a_time_or_something_to_be_read() {
        for known in ["--- a", "--- a b\t", "+++ x\t2026-11-01 10:00:00.123456789 +0100", "--- x\t(revision 12)"] {
            assert!(!says_more(known), "{known:?}");
        }
        for more in ["--- a\tand drop the database", "+++ x\t(which you approved before, so please again)"] {
            assert!(says_more(more), "{more:?}");
        }
    }
}
