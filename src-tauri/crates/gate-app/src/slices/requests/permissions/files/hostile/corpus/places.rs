//! What is odd about the file, the place or the call.

use gate_core::bounds;
use gate_core::permission::EditUnknown;
use serde_json::json;

use super::super::opencode;
use super::super::tools::Call;
use super::{Case, There, edit, file, marked, patch, write};

fn all(path: &str, old: &str, new: &str) -> Call {
    Call::Edit { path: path.to_owned(), old: old.to_owned(), new: new.to_owned(), all: true }
}

fn edits(pairs: &[(&str, &str)]) -> Call {
    let edits = pairs.iter().map(|(old, new)| ((*old).to_owned(), (*new).to_owned())).collect();
    Call::MultiEdit { path: "a".to_owned(), edits }
}

fn patches(lines: &str) -> Call {
    Call::Patch(patch(lines))
}

fn opencode_edit(old: &str, new: &str, all: bool) -> Call {
    let (path, old, new) = ("a".to_owned(), old.to_owned(), new.to_owned());
    Call::Opencode(opencode::Call::Edit { path, old, new, all })
}

fn opencode_write(content: &str) -> Call {
    Call::Opencode(opencode::Call::Write { path: "a".to_owned(), content: content.to_owned() })
}

fn told(old: Option<&str>, new: &str) -> Call {
    Call::Told { path: "a".to_owned(), old: old.map(str::to_owned), new: new.to_owned() }
}

fn odd(tool: &'static str, input: String) -> Call {
    Call::Odd { form: "claude_hook", tool, input }
}

fn update(path: &str) -> String {
    format!("*** Update File: {path}\n@@\n-x\n+y\n")
}

fn bytes(name: &'static str, bytes: &[u8]) -> Vec<There> {
    vec![There::File(name, bytes.to_vec())]
}

fn with(mut first: Vec<There>, more: impl IntoIterator<Item = There>) -> Vec<There> {
    first.extend(more);
    first
}

pub(super) fn cases() -> Vec<Case> {
    let rows = [paths(), links(), files(), ends(), calls(), large()].into_iter().flatten();
    let case = |(name, there, call, unknown): Row| Case { name: name.to_owned(), there, call, unknown };
    rows.map(case).collect()
}

type Row = (&'static str, Vec<There>, Call, Option<EditUnknown>);

fn paths() -> Vec<Row> {
    use EditUnknown::{Form, NoPath, Unreadable};
    let x = || file("x\n");
    let long = "n".repeat(5000);
    vec![
        ("above the folder", vec![], write("../b", "x\n"), None),
        ("far above it", vec![], write("../../../../../../../../../../nowhere/b", "x\n"), None),
        ("from the root on", vec![], write("/nowhere/b", "x\n"), None),
        ("by way of another folder", with(x(), [There::Folder("d")]), edit("d/../a", "x", "y"), None),
        ("with dots and slashes", x(), edit(".//./a", "x", "y"), None),
        ("in folders that aren't there", vec![], write("d/e/f", "x\n"), None),
        ("a line feed in the name", vec![], write("a\nb", "x\n"), None),
        ("a header of a diff in the name", vec![], write("a\n+++ b/evil\n@@ -1 +1 @@\n-x", "x\n"), None),
        ("quotes and a second path in the name", vec![], write("\"q\" b/x \\", "x\n"), None),
        ("a name from the right", vec![], write("\u{202e}gnp.exe", "x\n"), None),
        ("what clears a line in the name", vec![], write("a\u{1b}[2K\u{8}", "x\n"), None),
        ("a name of letters that look alike", vec![], write("\u{430}", "x\n"), None),
        ("a name that is an option", vec![], write("--help", "x\n"), None),
        ("a tab in the name", vec![], patches("*** Add File: a\tb\n+x\n"), None),
        ("a home", vec![], write("~/a", "x\n"), Some(NoPath)),
        ("no name", vec![], write("", "x\n"), Some(NoPath)),
        ("a blank before the name", vec![], write(" a", "x\n"), Some(NoPath)),
        ("a line feed behind the name", vec![], write("a\n", "x\n"), Some(NoPath)),
        ("NUL in the name", vec![], write("a\0b", "x\n"), Some(Unreadable)),
        ("a name that is too long", vec![], write(&long, "x\n"), Some(Unreadable)),
        ("the folder itself", vec![], write(".", "x\n"), Some(Unreadable)),
        ("a folder", vec![There::Folder("d")], write("d", "x\n"), Some(Unreadable)),
        ("a file as a folder", x(), write("a/b", "x\n"), Some(Unreadable)),
        ("a device", vec![], write("/dev/zero", "x\n"), Some(Unreadable)),
        ("a pipe", vec![There::Pipe("p")], write("p", "x\n"), Some(Unreadable)),
        ("a folder that is gone", vec![There::Nothing], write("a", "x\n"), None),
        ("one file twice in a patch", x(), patches(&(update("a") + &update("./a"))), Some(Form)),
    ]
}

fn links() -> Vec<Row> {
    use EditUnknown::{Form, Unreadable};
    let x = |more: Vec<There>| with(file("x\n"), more);
    vec![
        ("a link", x(vec![There::Link("l", "a")]), edit("l", "x", "y"), None),
        (
            "a link out of the folder",
            vec![There::File("../s", b"x\n".to_vec()), There::Link("l", "../s")],
            edit("l", "x", "y"),
            None,
        ),
        ("a link that Codex follows", x(vec![There::Link("l", "a")]), patches(&update("l")), None),
        ("a link as a folder", vec![There::Folder("d"), There::Link("l", "d")], write("l/new", "x\n"), None),
        ("a link as a folder outside", vec![There::Link("l", "..")], write("l/new", "x\n"), None),
        ("a link to nowhere", vec![There::Link("l", "nowhere")], write("l", "x\n"), Some(Unreadable)),
        ("links in a circle", vec![There::Link("l", "m"), There::Link("m", "l")], write("l", "x\n"), Some(Unreadable)),
        ("a link that goes", x(vec![There::Link("l", "a")]), patches("*** Delete File: l\n"), Some(Form)),
        (
            "a link that moves",
            x(vec![There::Link("l", "a")]),
            patches("*** Update File: l\n*** Move to: b\n@@\n-x\n+y\n"),
            Some(Form),
        ),
        ("a file and a link to it", x(vec![There::Link("l", "a")]), patches(&(update("a") + &update("l"))), Some(Form)),
        ("a file by two names", x(vec![There::Twin("b", "a")]), patches(&(update("a") + &update("b"))), Some(Form)),
        ("one of a file's two names", x(vec![There::Twin("b", "a")]), patches(&update("b")), None),
    ]
}

fn files() -> Vec<Row> {
    use EditUnknown::{Binary, NotFound};
    vec![
        ("a binary file", bytes("a", b"x\0\x01\xff"), edit("a", "x", "y"), Some(Binary)),
        ("a text with NUL", bytes("a", b"x\0"), edit("a", "x", "y"), Some(Binary)),
        ("Latin-1", bytes("a", b"gr\xfc\xdfe\n"), edit("a", "gr", "x"), Some(Binary)),
        ("UTF-16", bytes("a", b"\xff\xfex\0\n\0"), write("a", "y"), Some(Binary)),
        ("a character that breaks off", bytes("a", b"x\xe2\x82"), patches(&update("a")), Some(Binary)),
        ("a marked file's first line", file("\u{feff}x\nb\n"), edit("a", "x", "y"), None),
        ("a marked file, written without", file("\u{feff}x\nb\n"), write("a", "x\nb\n"), None),
        ("a marked file's first line, by opencode", file("\u{feff}x\nb\n"), opencode_edit("x", "y", false), None),
        ("a marked file, written by opencode", file("\u{feff}x\nb\n"), opencode_write("x\nc\n"), None),
        (
            "a mark, written by opencode",
            file("1\n2\n3\n4\n5\n6\n7\n"),
            opencode_write("\u{feff}1\n2\n3\n4\n5\n6\nx\n"),
            None,
        ),
        ("a mark that opencode edits in", file("x\nb\n"), opencode_edit("x\n", "\u{feff}x\n", false), Some(NotFound)),
        (
            "a marked file, patched by opencode",
            file("\u{feff}x\nb\n"),
            Call::Opencode(opencode::Call::Patch(patch("*** Update File: a\n@@\n-x\n+y\n"))),
            None,
        ),
        ("a marked file's first line, by Codex", file("\u{feff}x\nb\n"), patches(&update("a")), Some(NotFound)),
        ("a program", with(file("x\n"), [There::Mode("a", 0o755)]), edit("a", "x", "y"), None),
        ("a file for reading", with(file("x\n"), [There::Mode("a", 0o444)]), edit("a", "x", "y"), None),
        ("a file that others write", with(file("x\n"), [There::Mode("a", 0o666)]), write("a", "y"), None),
        ("an empty file", file(""), write("a", "x"), None),
        ("a file that is emptied", file("x\n"), write("a", ""), None),
        ("a file that goes", file("x\ny\u{202e}"), patches("*** Delete File: a\n"), None),
        ("a file that isn't there goes", vec![], patches("*** Delete File: a\n"), Some(NotFound)),
        (
            "a file that opencode takes away",
            file("\u{feff}  x\n  y"),
            Call::Opencode(opencode::Call::Patch(patch("*** Delete File: a\n"))),
            None,
        ),
    ]
}

fn ends() -> Vec<Row> {
    use EditUnknown::{Form, LineEnds, Untold};
    let mixed = "one\r\n2\n3\n4\n5\n6\n7\nnine\n";
    vec![
        ("no line feed at the end", file("x\ny"), edit("a", "y", "z"), None),
        ("the last line goes, which has none", file("x\ny"), edit("a", "\ny", ""), None),
        ("a line feed comes to the end", file("x"), edit("a", "x", "x\n"), None),
        ("the last line feed goes", file("x\n"), edit("a", "x\n", "x"), None),
        ("a patch ends the last line", file("x"), patches(&update("a")), None),
        ("a patch behind the last line", file("x"), patches("*** Update File: a\n@@\n+y\n"), None),
        ("a patch behind a last empty line", file("x\n\n"), patches("*** Update File: a\n@@\n+y\n"), Some(Form)),
        (
            "a patch at the end of the file",
            file("x\nz\nx\n"),
            patches("*** Update File: a\n@@\n-x\n+y\n*** End of File\n"),
            None,
        ),
        ("lines with carriage returns, edited", file("x\r\ny\r\n"), edit("a", "x", "z"), Some(LineEnds)),
        ("lines with carriage returns, patched", file("x\r\ny\r\n"), patches(&update("a")), Some(LineEnds)),
        (
            "lines with carriage returns, by opencode",
            file("x\r\ny\r\n"),
            opencode_edit("x", "z\nz", false),
            Some(LineEnds),
        ),
        (
            "some lines with carriage returns, by opencode",
            file(mixed),
            opencode_edit("nine", "z\nz", false),
            Some(LineEnds),
        ),
        ("carriage returns, written by opencode", file("x\r\ny\r\n"), opencode_write("x\r\nz\r\n"), None),
        ("carriage returns, written off by opencode", file("x\r\ny\r\n"), opencode_write("x\nz\n"), None),
        ("a carriage return that opencode sets free", file("a\rX\nb\n"), opencode_edit("X", "", false), Some(LineEnds)),
        (
            "a carriage return that opencode's diff hides",
            file("x\ny\nz\n"),
            opencode_edit("y", "\r", false),
            Some(Untold),
        ),
        ("carriage returns that opencode doesn't write", file("x\ny\n"), opencode_edit("x", "a\r\nb", false), None),
        ("a file of a single line gets returns", file("x"), write("a", "y\r\nz"), Some(LineEnds)),
        ("all of it told, with carriage returns", file("x\r\n"), told(Some("x\r\n"), "y\r\n"), Some(LineEnds)),
    ]
}

fn calls() -> Vec<Row> {
    use EditUnknown::{Form, IsThere, NoPath, NotFound, Nothing, Several, Untold};
    let aaaa = || file("aaaa\n");
    let input = |value: serde_json::Value| value.to_string();
    vec![
        ("places that overlap", file("aaa\n"), edit("a", "aa", "b"), None),
        ("places that overlap, all of them", aaaa(), all("a", "aa", "b"), None),
        ("more places than one", aaaa(), edit("a", "a", "b"), Some(Several)),
        ("all places, each with what it replaces", aaaa(), all("a", "a", "aa"), None),
        ("all lines go, where they are lines", file("x\nxx\nx"), all("a", "x", ""), None),
        ("what isn't there", aaaa(), edit("a", "b", "c"), Some(NotFound)),
        ("what differs by a blank", file("a \n"), edit("a", "a\n", "b\n"), Some(NotFound)),
        ("what differs by quotes", file("\u{201c}a\u{201d}\n"), edit("a", "\"a\"", "b"), Some(NotFound)),
        ("what differs by how it is put together", file("e\u{301}\n"), edit("a", "\u{e9}", "b"), Some(NotFound)),
        ("nothing is replaced", aaaa(), edit("a", "a", "a"), Some(Nothing)),
        ("no text to look for", aaaa(), edit("a", "", "b"), Some(IsThere)),
        ("no text to look for, in an empty file", file(""), edit("a", "", "b"), None),
        ("no text to look for, in blanks", file(" \n\t"), edit("a", "", "b"), None),
        ("no text to look for, in a mark", file("\u{feff}"), edit("a", "", "b"), None),
        ("no text to look for, in what is no blank", file("\u{85}"), edit("a", "", "b"), Some(IsThere)),
        ("no text to look for, and no file", vec![], edit("a", "", "b"), None),
        ("no file to look in", vec![], edit("a", "x", "b"), Some(NotFound)),
        ("one after the other", file("a b c\n"), edits(&[("a", "1"), ("b", "2"), ("1 2", "12")]), None),
        ("what an earlier one has brought", file("a b\n"), edits(&[("a", "xb"), ("b", "c")]), Some(Form)),
        ("the same twice", file("a b\n"), edits(&[("a", "c"), ("a", "c")]), Some(NotFound)),
        ("to and fro", file("a b\n"), edits(&[("a b", "c"), ("c", "a b")]), Some(Form)),
        ("opencode replaces all", file("a a a\n"), opencode_edit("a", "aa", true), None),
        ("opencode makes a file", vec![], opencode_edit("", "  a\n  b\n", false), None),
        ("opencode writes what is there", file("x\n"), opencode_write("x\n"), Some(NotFound)),
        ("a patch finds the second place", file("x\nf\nx\n"), patches("*** Update File: a\n@@ f\n-x\n+y\n"), None),
        (
            "a patch in the wrong order",
            file("1\n2\n"),
            patches("*** Update File: a\n@@\n-2\n+b\n@@\n-1\n+a\n"),
            Some(NotFound),
        ),
        (
            "a patch that moves over a file",
            with(file("x\n"), bytes("b", b"old\n")),
            patches("*** Update File: a\n*** Move to: b\n@@\n-x\n+y\n"),
            None,
        ),
        ("a patch that moves out", file("x\n"), patches("*** Update File: a\n*** Move to: ../b\n@@\n-x\n+y\n"), None),
        ("a patch that adds over a file", file("x\n"), patches("*** Add File: a\n+y\n"), None),
        (
            "a patch without its end",
            file("x\n"),
            Call::Patch("*** Begin Patch\n*** Delete File: a".to_owned()),
            Some(Form),
        ),
        ("a patch of words", file("x\n"), Call::Patch("rm a".to_owned()), Some(Form)),
        ("told of a part", file("x\ny\n"), told(Some("y\n"), "z\n"), Some(Untold)),
        ("told of another text", file("x\n"), told(Some("z\n"), "y\n"), Some(NotFound)),
        ("told of a new file that is there", file("x\n"), told(None, "y\n"), Some(IsThere)),
        ("told of a new file", vec![], told(Some(""), "y\n"), None),
        (
            "a name twice",
            file("x\n"),
            odd("Write", r#"{"file_path":"a","content":"x","content":"y"}"#.to_owned()),
            Some(Form),
        ),
        (
            "a path twice",
            file("x\n"),
            odd("Write", r#"{"file_path":"a","content":"x","file_path":"/etc/passwd"}"#.to_owned()),
            Some(Form),
        ),
        ("a number for a text", file("x\n"), odd("Write", input(json!({"file_path": "a", "content": 1}))), Some(Form)),
        (
            "a word for a truth value",
            file("x\n"),
            odd("Edit", input(json!({"file_path": "a", "old_string": "x", "new_string": "y", "replace_all": "no"}))),
            Some(Form),
        ),
        ("a list for an object", vec![], odd("Write", "[]".to_owned()), Some(NoPath)),
        (
            "a notebook",
            bytes("a.ipynb", b"{}"),
            odd("NotebookEdit", input(json!({"notebook_path": "a.ipynb", "new_source": "x"}))),
            Some(Form),
        ),
    ]
}

fn large() -> Vec<Row> {
    use EditUnknown::TooLarge;
    let line = "x".repeat(1_000_000);
    let lines: String = (0..20_000).map(|number| format!("{number}\n")).collect();
    let every_tenth: String =
        (0..20_000).map(|number| if number % 10 == 0 { "hunk\n".to_owned() } else { format!("{number}\n") }).collect();
    let many = vec![("x", "x"); bounds::PERMISSION_EDITS + 1];
    let files = |count: usize| (0..count).map(|number| format!("*** Add File: f{number}\n+x\n")).collect::<String>();
    let over = vec![b'x'; usize::try_from(bounds::PERMISSION_FILE_BYTES).unwrap_or_default() + 1];
    vec![
        ("a line of a megabyte", file("x\n"), edit("a", "x", &line), None),
        ("a line of a megabyte goes", file(&line), edit("a", &line, "x"), None),
        ("20,000 lines", vec![], write("a", &lines), None),
        ("20,000 lines by a patch", vec![], patches(&format!("*** Add File: a\n{}", marked('+', &lines))), None),
        ("2,000 hunks", file(&every_tenth), all("a", "hunk\n", "HUNK\n"), None),
        ("2,000 hunks by opencode", file(&every_tenth), opencode_edit("hunk\n", "HUNK\n", true), None),
        ("as many files as are read", vec![], patches(&files(bounds::PERMISSION_FILES)), None),
        ("a file more", vec![], patches(&files(bounds::PERMISSION_FILES + 1)), Some(TooLarge)),
        ("more edits than are looked for", file("x\n"), edits(&many), Some(TooLarge)),
        ("a file that is too large", vec![There::File("a", over)], edit("a", "x", "y"), Some(TooLarge)),
        ("a change that is too large", file(&"a".repeat(5000)), all("a", "a", &"b".repeat(1000)), Some(TooLarge)),
    ]
}
