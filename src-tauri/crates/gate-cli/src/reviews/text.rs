//! Parsed Markdown and diffs as lines of a terminal. What would steer the terminal is shown instead.

use gate_core::diff::{DiffFile, DiffView, FileChange, Row, RowEnd, RowKind};
use gate_core::markdown::{Block, Document, Inline};

use crate::output::visible_line;

/// A text in lines, as it reads without its marks.
pub(super) fn document(document: &Document) -> Vec<String> {
    let mut lines = blocks(&document.blocks);
    lines.extend(document.rest.iter().flat_map(|rest| rest.lines()).map(str::to_owned));
    lines.iter().map(|line| visible_line(line)).collect()
}

fn blocks(all: &[Block]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for block in all {
        if !lines.is_empty() {
            lines.push(String::new());
        }
        lines.extend(one_block(block));
    }
    lines
}

fn one_block(block: &Block) -> Vec<String> {
    let text = |children: &[Inline]| -> Vec<String> { inline(children).split('\n').map(str::to_owned).collect() };
    match block {
        Block::Paragraph { children } | Block::Heading { children, .. } => text(children),
        Block::Code { text, .. } => text.lines().map(|line| format!("    {line}")).collect(),
        Block::Quote { children } => blocks(children).into_iter().map(|line| format!("> {line}")).collect(),
        Block::List { start, items } => {
            let mut lines = Vec::new();
            for (at, item) in items.iter().enumerate() {
                let number = start.map(|start| u64::from(start).saturating_add(at as u64));
                let mark = match (number, item.checked) {
                    (_, Some(true)) => "[x] ".to_owned(),
                    (_, Some(false)) => "[ ] ".to_owned(),
                    (Some(number), None) => format!("{number}. "),
                    (None, None) => "- ".to_owned(),
                };
                let within = blocks(&item.children).into_iter().enumerate();
                lines.extend(
                    within.map(|(at, line)| if at == 0 { format!("{mark}{line}") } else { format!("  {line}") }),
                );
            }
            lines
        }
        Block::Table { head, rows } => {
            let row = |cells: &Vec<Vec<Inline>>| {
                cells.iter().map(|cell| inline(cell).replace('\n', " ")).collect::<Vec<_>>().join(" | ")
            };
            [head].into_iter().chain(rows).map(row).collect()
        }
        Block::Rule => vec!["---".to_owned()],
    }
}

fn inline(all: &[Inline]) -> String {
    let piece = |piece: &Inline| match piece {
        Inline::Text { text } | Inline::Dropped { text } => text.clone(),
        Inline::Code { text } => format!("`{text}`"),
        Inline::Emphasis { children } | Inline::Strong { children } => inline(children),
        Inline::Strike { children } => format!("~~{}~~", inline(children)),
        Inline::Link { href, children, .. } => match inline(children) {
            text if text == *href => text,
            text => format!("{text} ({href})"),
        },
        Inline::Break => "\n".to_owned(),
        Inline::Blank { lines } => format!("\n[{lines} empty lines]\n"),
    };
    all.iter().map(piece).collect()
}

/// A diff in lines, as `git diff` writes them.
pub(super) fn diff(diff: &DiffView) -> Vec<String> {
    diff.files.iter().flat_map(file).map(|line| visible_line(&line)).collect()
}

fn file(file: &DiffFile) -> Vec<String> {
    let side =
        |path: &str, letter: &str| if path.is_empty() { "/dev/null".to_owned() } else { format!("{letter}/{path}") };
    let (old, new) = (side(&file.old_path, "a"), side(&file.new_path, "b"));
    let mut lines = Vec::new();
    match (file.change, &file.old_mode, &file.new_mode) {
        (FileChange::Added, _, Some(mode)) => lines.push(format!("new file mode {mode}")),
        (FileChange::Deleted, Some(mode), _) => lines.push(format!("deleted file mode {mode}")),
        (_, Some(before), Some(after)) if before != after => {
            lines.push(format!("old mode {before}"));
            lines.push(format!("new mode {after}"));
        }
        _ => {}
    }
    lines.push(format!("--- {old}"));
    lines.push(format!("+++ {new}"));
    if file.binary {
        lines.push("a binary file, whose bytes aren't shown".to_owned());
    }
    for hunk in &file.hunks {
        if !hunk.outside {
            lines.push(hunk.header.clone());
        }
        lines.extend(hunk.rows.iter().flat_map(row));
    }
    lines
}

fn row(row: &Row) -> Vec<String> {
    let text: String = row.segments.iter().map(|segment| &*segment.text).collect();
    let mark = match row.kind {
        RowKind::Context => " ",
        RowKind::Removed => "-",
        RowKind::Added => "+",
        RowKind::Outside => "",
    };
    let line = format!("{mark}{text}");
    match row.end {
        Some(RowEnd::Nothing) => vec![line, "\\ No newline at end of file".to_owned()],
        Some(RowEnd::Crlf) => vec![format!("{line}\r")],
        None => vec![line],
    }
}

#[cfg(test)]
mod tests {
    use gate_core::markdown::parse;

    use super::*;

    #[test]
    fn a_text_reads_without_its_marks_and_steers_no_terminal() {
        let lines =
            document(&parse("# It **fits**\n\n- one\n- `two`\n\n1. see [there](https://x.example)\n\n> a\u{1b}[2Jb\n"));
        assert_eq!(
            lines,
            ["It fits", "", "- one", "- `two`", "", "1. see there (https://x.example)", "", "> a⟨U+001B⟩[2Jb"]
        );
    }

    #[test]
    fn a_diff_is_shown_as_git_writes_it() {
        let text =
            "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n\\ No newline at end of file\n";
        let view = gate_core::diff::view(text).expect("a diff");
        assert_eq!(
            diff(&view),
            ["--- a/f", "+++ b/f", "@@ -1,2 +1,2 @@", " one", "-two", "+2", "\\ No newline at end of file"]
        );
        let text = "diff --git a/n b/n\nnew file mode 100755\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+a\n";
        let view = gate_core::diff::view(text).expect("a diff");
        assert_eq!(diff(&view), ["new file mode 100755", "--- /dev/null", "+++ b/n", "@@ -0,0 +1 @@", "+a"]);
    }
}
