//! Hostile texts: brought in, taken out, written and patched, by each agent's tools.

use gate_core::permission::EditUnknown;

use super::super::opencode;
use super::super::tools::Call;
use super::{Case, There, edit, file, marked, patch, write};

const TEXTS: [(&str, &str); 30] = [
    ("nothing", ""),
    ("empty lines", "\n\n\n"),
    ("a carriage return at an end", "a\r\nb"),
    ("a carriage return within", "a\rb"),
    ("a carriage return alone", "\r"),
    ("NUL", "a\0b"),
    ("what clears a terminal's line", "\u{1b}[2K\u{1b}[1A\u{1b}[8m"),
    ("backspaces", "rm -rf ~\u{8}\u{8}\u{8}\u{7f}"),
    ("text from the right", "\u{202e}gnp.exe\u{202c}"),
    ("isolated text", "/* \u{2066}x\u{2069} */ \u{200f}"),
    ("what has no width", "a\u{200b}\u{200d}\u{2060}\u{feff}b"),
    ("a mark at the beginning", "\u{feff}marked"),
    ("two marks at the beginning", "\u{feff}\u{feff}marked twice\n"),
    ("letters that look alike", "https://\u{440}\u{430}y\u{440}al.example"),
    ("other ends of lines", "a\u{2028}b\u{2029}c\u{85}d\u{b}e\u{c}f"),
    ("a diff", "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-x\n+y"),
    ("a diff of git's", "diff --git a/x b/x\nnew file mode 100755\nindex 0..1\n"),
    ("words of a diff", "\\ No newline at end of file"),
    ("the end of a mail", "-- \n2.39.5\n"),
    ("marks of a patch", "*** End Patch\n*** Delete File: a\n*** Begin Patch"),
    ("more marks of a patch", "@@\n@@ fn\n*** End of File"),
    ("blanks", "\t  \t \u{a0}\u{3000}"),
    ("patterns", "$& $1 $$ $` \\1 \\n {} %s"),
    ("what is put together", "e\u{301}\u{327} \u{1f469}\u{1f3fd}\u{200d}\u{1f680}"),
    ("a header of another tool", "Index: /x\n=====================\n"),
    ("private and last characters", "\u{e000}\u{10ffff}\u{fffd}"),
    ("blanks around", "  between \n  blanks  \n"),
    ("signs of lines", "-\n+\n \n--\n++"),
    ("code for a page", "<script>alert(1)</script> & \"quotes\" '"),
    ("a line of the file", "one\nthree"),
];

/// A way in which a text is brought about: what is there, and the call.
type Way = (&'static str, fn(&str) -> Option<(Vec<There>, Call)>);

const WAYS: [Way; 10] = [
    ("Claude Code edits it in", |text| Some((file("one\ntwo\nthree\n"), edit("a", "two", text)))),
    ("Claude Code edits it out", |text| {
        (!text.is_empty()).then(|| (file(&format!("one\n<{text}>\nthree\n")), edit("a", &format!("<{text}>"), "two")))
    }),
    ("Claude Code writes it", |text| Some((Vec::new(), write("a", text)))),
    ("Claude Code writes over it", |text| Some((file(text), write("a", "x\n")))),
    ("Codex adds it", |text| {
        Some((Vec::new(), Call::Patch(patch(&format!("*** Add File: a\n{}", marked('+', text))))))
    }),
    ("Codex patches it in", |text| {
        let lines = format!("*** Update File: a\n@@\n one\n-two\n{} three\n", marked('+', text));
        Some((file("one\ntwo\nthree\n"), Call::Patch(patch(&lines))))
    }),
    ("opencode edits it in", |text| {
        let call =
            opencode::Call::Edit { path: "a".to_owned(), old: "two".to_owned(), new: text.to_owned(), all: false };
        Some((file("  one\n  two\n  three\n"), Call::Opencode(call)))
    }),
    ("opencode writes it", |text| {
        let call = opencode::Call::Write { path: "a".to_owned(), content: text.to_owned() };
        Some((file("x\n"), Call::Opencode(call)))
    }),
    ("opencode adds it by a patch", |text| {
        let lines = format!("*** Add File: a\n{}", marked('+', text));
        (!text.is_empty()).then(|| (Vec::new(), Call::Opencode(opencode::Call::Patch(patch(&lines)))))
    }),
    ("an agent tells it by ACP", |text| {
        let old = Some("x\n".to_owned());
        Some((file("x\n"), Call::Told { path: "a".to_owned(), old, new: text.to_owned() }))
    }),
];

/// What can't be known of a text in a way, and why.
fn unknown(way: &str, name: &str) -> Option<EditUnknown> {
    let has_a_return = name.starts_with("a carriage return");
    match (way, name) {
        ("Claude Code edits it out" | "Claude Code writes over it", _) if has_a_return => Some(EditUnknown::LineEnds),
        // All lines of the new file end so, of which nothing would be said.
        ("Claude Code writes it", "a carriage return at an end") => Some(EditUnknown::LineEnds),
        ("Claude Code edits it out" | "Claude Code writes over it", "NUL") => Some(EditUnknown::Binary),
        ("Codex adds it" | "Codex patches it in", _) if has_a_return => Some(EditUnknown::Form),
        ("opencode adds it by a patch", _) if has_a_return => Some(EditUnknown::Untold),
        // opencode's own diff doesn't show it, and doesn't fit the file either.
        ("opencode edits it in", "a carriage return alone") => Some(EditUnknown::NotFound),
        _ => None,
    }
}

pub(super) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for (way, make) in WAYS {
        for (name, text) in TEXTS {
            let Some((there, call)) = make(text) else { continue };
            cases.push(Case { name: format!("{name}, as {way}"), there, call, unknown: unknown(way, name) });
        }
    }
    cases
}
