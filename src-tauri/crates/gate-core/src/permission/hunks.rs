//! Unified diffs of texts, written and put on. Lines end with a line feed and with nothing else, so that each byte of both
//! sides stands in the diff.

use std::fmt::Write as _;

use similar::{Algorithm, DiffOp};

/// Lines around a change.
const AROUND: usize = 3;
/// Where more pairs of lines than that could be compared, what differs is shown as a whole: finding less takes too long.
const COMPARED: usize = 16_000_000;
/// What stands below a last line without a line feed.
const NO_NEWLINE: &str = "\\ No newline at end of file\n";

/// One file of a diff: its path and text before and after, a text being absent where there is no file. Empty where both are
/// the same.
pub(super) fn file_diff(old: (&str, Option<&str>), new: (&str, Option<&str>)) -> String {
    if old.1 == new.1 {
        return String::new();
    }
    let mut text = format!("diff --git {} {}\n", quoted("a/", old.0), quoted("b/", new.0));
    match (old.1, new.1) {
        (None, _) => text.push_str("new file mode 100644\n"),
        (_, None) => text.push_str("deleted file mode 100644\n"),
        _ => {}
    }
    let (before, after) = (lines(old.1.unwrap_or_default()), lines(new.1.unwrap_or_default()));
    // An empty file has no lines to be shown.
    if before.is_empty() && after.is_empty() {
        return text;
    }
    let side = |mark: &str, (path, there): (&str, Option<&str>)| match there {
        Some(_) => format!("{mark} {}\n", quoted(if mark == "---" { "a/" } else { "b/" }, path)),
        None => format!("{mark} /dev/null\n"),
    };
    text.push_str(&side("---", old));
    text.push_str(&side("+++", new));
    for group in similar::group_diff_ops(ops(&before, &after), AROUND) {
        hunk(&mut text, &group, &before, &after);
    }
    text
}

/// What a unified diff of one file makes of a text; absent where it doesn't fit to the line and byte.
pub(super) fn applied(text: &str, diff: &str) -> Option<String> {
    let before = lines(text);
    let mut after = String::with_capacity(text.len());
    let mut at = 0;
    for Hunk { begin, rows } in read(diff)? {
        after.extend(before.get(at..begin)?.iter().copied());
        at = begin;
        for (mark, line) in rows {
            if mark != '+' {
                if *before.get(at)? != line {
                    return None;
                }
                at += 1;
            }
            if mark != '-' {
                after.push_str(line);
            }
        }
    }
    after.extend(before.get(at..)?.iter().copied());
    Some(after)
}

/// A hunk of a diff: the line of the text before that it begins at, from 0, and its rows, each with its mark.
pub(super) struct Hunk<'a> {
    pub(super) begin: usize,
    pub(super) rows: Vec<(char, &'a str)>,
}

/// The hunks of a unified diff of one file, one at least; absent where one breaks off, or where there is a second file.
pub(super) fn read(diff: &str) -> Option<Vec<Hunk<'_>>> {
    let mut lines = diff.split_inclusive('\n').peekable();
    let mut hunks: Vec<Hunk<'_>> = Vec::new();
    while let Some(row) = lines.next() {
        let Some((start, (mut old, mut new))) = ranges(row) else {
            // Two files in one diff aren't one file's.
            let begins_a_file = row.starts_with("--- ") || row.starts_with("Index: ") || row.starts_with("diff ");
            if !hunks.is_empty() && begins_a_file {
                return None;
            }
            continue;
        };
        let begin = if old == 0 { start } else { start.checked_sub(1)? };
        let mut rows = Vec::new();
        while old > 0 || new > 0 {
            let row = lines.next()?;
            let (mark, line) = (row.chars().next()?, row.get(1..)?);
            let bare = lines.peek().is_some_and(|next| next.starts_with('\\'));
            let line = if bare { line.strip_suffix('\n').unwrap_or(line) } else { line };
            if !matches!(mark, ' ' | '+' | '-') {
                return None;
            }
            old = old.checked_sub(usize::from(mark != '+'))?;
            new = new.checked_sub(usize::from(mark != '-'))?;
            rows.push((mark, line));
            if bare {
                lines.next();
            }
        }
        hunks.push(Hunk { begin, rows });
    }
    (!hunks.is_empty()).then_some(hunks)
}

/// Where a hunk begins in the old text, and how many lines of both sides it has.
fn ranges(row: &str) -> Option<(usize, (usize, usize))> {
    let (ranges, _) = row.strip_prefix("@@ -")?.split_once(" @@")?;
    let (old, new) = ranges.split_once(" +")?;
    let range = |range: &str| -> Option<(usize, usize)> {
        match range.split_once(',') {
            Some((start, count)) => Some((start.parse().ok()?, count.parse().ok()?)),
            None => Some((range.parse().ok()?, 1)),
        }
    };
    let ((start, old), (_, new)) = (range(old)?, range(new)?);
    Some((start, (old, new)))
}

/// The lines of a text, each with its line feed.
pub(super) fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// What differs, line by line. Only what lies between the first and the last difference is compared.
fn ops(before: &[&str], after: &[&str]) -> Vec<DiffOp> {
    let head = before.iter().zip(after).take_while(|(old, new)| old == new).count();
    let (old, new) = (before.get(head..).unwrap_or_default(), after.get(head..).unwrap_or_default());
    let tail = old.iter().rev().zip(new.iter().rev()).take_while(|(old, new)| old == new).count();
    let (old_len, new_len) = (old.len() - tail, new.len() - tail);
    let mut ops = Vec::new();
    if head > 0 {
        ops.push(DiffOp::Equal { old_index: 0, new_index: 0, len: head });
    }
    if old_len.saturating_mul(new_len) > COMPARED || old_len == 0 || new_len == 0 {
        ops.push(DiffOp::Replace { old_index: head, old_len, new_index: head, new_len });
    } else {
        let (old, new) = (head..head + old_len, head..head + new_len);
        ops.extend(similar::capture_diff(Algorithm::Myers, before, old, after, new));
    }
    if tail > 0 {
        ops.push(DiffOp::Equal { old_index: head + old_len, new_index: head + new_len, len: tail });
    }
    ops
}

fn hunk(text: &mut String, group: &[DiffOp], before: &[&str], after: &[&str]) {
    let (Some(first), Some(last)) = (group.first(), group.last()) else { return };
    let (old, new) = (first.old_range().start..last.old_range().end, first.new_range().start..last.new_range().end);
    let range = |range: &std::ops::Range<usize>| match range.len() {
        1 => (range.start + 1).to_string(),
        // Nothing stands behind the line before it.
        0 => format!("{},0", range.start),
        len => format!("{},{len}", range.start + 1),
    };
    let _ = writeln!(text, "@@ -{} +{} @@", range(&old), range(&new));
    for op in group {
        if let DiffOp::Equal { .. } = op {
            rows(text, ' ', before.get(op.old_range()));
        } else {
            rows(text, '-', before.get(op.old_range()));
            rows(text, '+', after.get(op.new_range()));
        }
    }
}

fn rows(text: &mut String, mark: char, lines: Option<&[&str]>) {
    for line in lines.unwrap_or_default() {
        text.push(mark);
        text.push_str(line);
        if !line.ends_with('\n') {
            text.push('\n');
            text.push_str(NO_NEWLINE);
        }
    }
}

/// A path as git writes it: quoted where it has what would end or turn the line.
fn quoted(prefix: &str, path: &str) -> String {
    let is_plain = |c: char| !c.is_control() && c != '"' && c != '\\' && c != '\u{2028}' && c != '\u{2029}';
    if path.chars().all(is_plain) && !path.ends_with(' ') && !path.contains(" b/") {
        return format!("{prefix}{path}");
    }
    let mut text = format!("\"{prefix}");
    for byte in path.bytes() {
        match byte {
            b'"' | b'\\' => {
                text.push('\\');
                text.push(char::from(byte));
            }
            b' '..=b'~' => text.push(char::from(byte)),
            _ => {
                let _ = write!(text, "\\{byte:03o}");
            }
        }
    }
    text.push('"');
    text
}
