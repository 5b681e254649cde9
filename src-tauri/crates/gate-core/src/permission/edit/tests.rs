//! What edits would do, byte for byte, by the agents' own rules.

use super::*;
use crate::PermissionQuestion;

fn change(form: &str, tool: &str, input: &Value) -> Result<Change, EditUnknown> {
    let question = serde_json::json!({"form": form, "tool": tool, "input": input.to_string(), "folder": "/w"});
    let question: PermissionQuestion = serde_json::from_value(question).expect("it is a question");
    Change::of(&question.permission().expect("it can be asked"))
}

fn done(change: Result<Change, EditUnknown>, before: Option<&str>) -> Result<String, EditUnknown> {
    let change = change?;
    let found = before.map_or(FileFound::Missing, |text| FileFound::Text(text.to_owned()));
    let found = vec![found; change.paths().len()];
    let Prepared { diff, unknown } = prepared(&change, &found);
    diff.ok_or_else(|| unknown.expect("there is a diff or a reason"))
}

/// What the diff makes of the file that it is of: so that it says each byte.
fn after(change: Result<Change, EditUnknown>, before: &str) -> Result<String, EditUnknown> {
    let diff = done(change, Some(before))?;
    Ok(hunks::applied(before, &diff).expect("a diff fits the file that it was made of"))
}

fn edit(old: &str, new: &str, all: bool) -> Result<Change, EditUnknown> {
    let input = serde_json::json!({"file_path": "/w/a", "old_string": old, "new_string": new, "replace_all": all});
    change("claude_hook", "Edit", &input)
}

#[test]
fn an_edit_of_claude_code_says_what_it_would_do() {
    for (old, new, all, before, expected) in [
        ("two", "ZWEI", false, "one\ntwo\nthree\n", Ok("one\nZWEI\nthree\n")),
        ("a", "b", true, "a a\na", Ok("b b\nb")),
        ("a", "b", false, "a a", Err(EditUnknown::Several)),
        ("x", "b", false, "a", Err(EditUnknown::NotFound)),
        ("two", "", false, "one\ntwo\nthree\n", Ok("one\nthree\n")),
        ("two", "", false, "one two", Ok("one ")),
        ("", "b", false, "", Ok("b")),
        ("", "b", false, "a", Err(EditUnknown::IsThere)),
        ("a", "$&$1", false, "a", Ok("$&$1")),
        ("a", "b", false, "a\r\n", Err(EditUnknown::LineEnds)),
        ("a", "a", false, "a", Err(EditUnknown::Nothing)),
        ("b\u{202e}", "c", false, "a\nb\u{202e}\n", Ok("a\nc\n")),
    ] {
        let done = after(edit(old, new, all), before);
        assert_eq!(done.as_deref(), expected.as_deref(), "{old:?} by {new:?} in {before:?}");
    }
    let edits = serde_json::json!({"file_path": "/w/a", "edits": [
        {"old_string": "a", "new_string": "b"}, {"old_string": "bc", "new_string": "d"}]});
    assert_eq!(after(change("claude_hook", "MultiEdit", &edits), "ac").as_deref(), Ok("d"), "one after the other");
    let notebook = serde_json::json!({"notebook_path": "/w/a.ipynb", "new_source": "x"});
    assert_eq!(change("claude_hook", "NotebookEdit", &notebook), Err(EditUnknown::Form));
    let twice: PermissionQuestion = serde_json::from_value(serde_json::json!({
        "form": "claude_hook", "tool": "Write", "folder": "/w",
        "input": r#"{"file_path":"/w/a","content":"x","content":"y"}"#,
    }))
    .expect("it is a question");
    let twice = Change::of(&twice.permission().expect("it can be asked"));
    assert_eq!(twice, Err(EditUnknown::Form), "of two contents nobody knows which one is written");
}

#[test]
fn a_file_that_is_written_is_shown_against_the_one_that_is_there() {
    let write =
        |content: &str| change("claude_hook", "Write", &serde_json::json!({"file_path": "/w/a b", "content": content}));
    assert_eq!(after(write("x\ny"), "x\n").as_deref(), Ok("x\ny"));
    let new = done(write("x\n"), None).expect("a new file is known");
    assert_eq!(
        new,
        "diff --git a//w/a b b//w/a b\nnew file mode 100644\n--- /dev/null\n+++ b//w/a b\n@@ -0,0 +1 @@\n+x\n"
    );
    let empty = done(write(""), None);
    assert!(empty.as_ref().is_ok_and(|diff| diff.contains("new file")), "an empty file is one, too: {empty:?}");
}

#[test]
fn a_diff_by_acp_is_known_only_where_it_is_of_the_whole_file() {
    let told = |diff: &Value| change("acp", "edit", &serde_json::json!({"toolCallId": "t", "content": [diff]}));
    let diff = |old: Value| serde_json::json!({"type": "diff", "path": "/w/a", "oldText": old, "newText": "x\n"});
    for (old, before, expected) in [
        (Value::from("one\ntwo\n"), Some("one\ntwo\n"), Ok(())),
        (Value::from("two\n"), Some("one\ntwo\n"), Err(EditUnknown::Untold)),
        (Value::from("three\n"), Some("one\ntwo\n"), Err(EditUnknown::NotFound)),
        (Value::from("one\n"), None, Err(EditUnknown::NotFound)),
        (Value::from(""), None, Ok(())),
        (Value::from(""), Some("one\n"), Err(EditUnknown::Untold)),
        (Value::Null, None, Ok(())),
        (Value::Null, Some("one\n"), Err(EditUnknown::IsThere)),
        (Value::from("one\n"), Some("one\r\n"), Err(EditUnknown::LineEnds)),
        (Value::from(1), Some("one\n"), Err(EditUnknown::Form)),
    ] {
        let known = done(told(&diff(old.clone())), before).map(drop);
        assert_eq!(
            known, expected,
            "{old} where {before:?} is: a snippet is never shown as if it became the whole file"
        );
    }
    let mut other = diff(Value::Null);
    other["type"] = Value::from("content");
    assert_eq!(told(&other), Err(EditUnknown::Form), "what is no diff isn't read as one");
    other.as_object_mut().expect("an object").remove("type");
    assert_eq!(told(&other), Err(EditUnknown::Form));
    let mut absent = diff(Value::Null);
    absent.as_object_mut().expect("an object").remove("oldText");
    assert_eq!(done(told(&absent), None).map(drop), Ok(()), "a new file may have no text from before");
}

#[test]
fn what_opencode_tells_by_acp_leaves_out_what_nobody_can_know() {
    let content = serde_json::json!([{"type": "diff", "path": "/w/a", "oldText": "a\nb\n", "newText": "a\nc\n"}]);
    // It looks the same where `c` has a carriage return, where a mark comes before `a`, and where the file goes.
    let raw = serde_json::json!({"filepath": "/w/a", "diff": "@@ -1,2 +1,2 @@\n a\n-b\n+c\n"});
    let told = |raw: &Value| {
        change("acp", "edit", &serde_json::json!({"toolCallId": "t", "content": content, "rawInput": raw}))
    };
    assert_eq!(told(&raw), Err(EditUnknown::Untold));
    let other = serde_json::json!({"file": "/w/a"});
    assert_eq!(
        after(told(&other), "a\nb\n").as_deref(),
        Ok("a\nc\n"),
        "texts of their own are taken for what they say"
    );
}

#[test]
fn a_path_can_not_write_lines_of_the_diff() {
    let path = "a\n+++ b/evil\n@@ -1 +1 @@\n-x\n+y \"\u{1b}[2J";
    let write = change("claude_hook", "Write", &serde_json::json!({"file_path": path, "content": "x\n"}));
    let diff = done(write, None).expect("it is known");
    let files = crate::diff::parse(&diff).expect("it is a diff").files;
    assert_eq!(files.len(), 1, "{diff}");
    assert_eq!(files[0].new_path, path, "and the file's name is what it is");
}

fn patch(text: &str) -> Result<Change, EditUnknown> {
    change("codex_hook", "apply_patch", &serde_json::json!({ "command": text }))
}

#[test]
fn a_patch_of_codex_says_what_it_would_do() {
    let update = "*** Begin Patch\n*** Update File: a\n@@\n one\n-two\n+ZWEI\n three\n*** End Patch";
    assert_eq!(after(patch(update), "one\ntwo\nthree\n").as_deref(), Ok("one\nZWEI\nthree\n"));
    assert_eq!(after(patch(update), "one\ntwo\nthree").as_deref(), Ok("one\nZWEI\nthree\n"), "it ends the last line");
    assert_eq!(after(patch(update), "one \ntwo\nthree\n"), Err(EditUnknown::NotFound), "likeness isn't guessed at");
    let twice = "*** Begin Patch\n*** Update File: a\n@@ fn b\n-x\n+y\n@@\n+end\n*** End Patch";
    assert_eq!(after(patch(twice), "x\nfn b\nx\nz\n").as_deref(), Ok("x\nfn b\ny\nz\nend\n"), "behind its context");
    let add = "*** Begin Patch\n*** Add File: n\n+a\n+b\n*** End Patch\n";
    assert!(done(patch(add), None).is_ok_and(|diff| diff.contains("@@ -0,0 +1,2 @@\n+a\n+b\n")));
    let moved = "*** Begin Patch\n*** Update File: a\n*** Move to: b\n@@\n-x\n+y\n*** End Patch";
    let both = patch(moved).map(|change| change.paths().len());
    assert_eq!(both, Ok(2), "a new name is a file as well");
    for odd in
        ["", "*** Begin Patch\n*** End Patch", "*** Begin Patch\nx\n*** End Patch", "*** Begin Patch\n*** Add File: a"]
    {
        assert_eq!(patch(odd), Err(EditUnknown::Form), "{odd:?}");
    }
}

#[test]
fn a_patch_that_versions_of_codex_read_in_different_ways_is_not_known() {
    let patch = |lines: &str| patch(&format!("*** Begin Patch\n{lines}\n *** End Patch "));
    let trimmed = patch("*** Add File: n \n+a\n  *** Update File: a\n@@\n-x\n+y");
    assert_eq!(trimmed.as_ref().map(Change::paths), Ok(vec!["n", "a"]), "blanks around a header count for nothing");
    for odd in [
        "*** Update File: a\n\n@@\n-x\n+y",
        "*** Update File: a\n\n-x\n+y",
        "*** Update File: a\n@@\n-x\n+y\n*** End of File\n\n@@\n-z",
        "*** Update File: a\n@@\n-x\n+y\n *** Update File: b\n@@\n-x\n+y",
        "*** Update File: a\n@@\n-x\n @@ fn\n+y",
        "*** Update File: a\n@@ fn \n-x",
        "*** Update File: a\n*** Move to: b \n@@\n-x",
        "*** Update File: a\n@@\n-x\r\n+y",
    ] {
        assert_eq!(patch(odd), Err(EditUnknown::Form), "{odd:?}");
    }
    for (lines, before, why) in [
        ("@@\n-x\n+y\n ", "x\n", EditUnknown::Form),
        ("@@\n-x\n+y", "x\n\n", EditUnknown::Form),
        ("@@\n-x\n+", "x\n", EditUnknown::Form),
        ("@@\n+y", "x\n\n", EditUnknown::Form),
        ("@@ x\n+y", "x\nz\n", EditUnknown::Form),
        ("@@\n-x\n+y", "x\na\r\n", EditUnknown::LineEnds),
    ] {
        let done = after(patch(&format!("*** Update File: a\n{lines}")), before);
        assert_eq!(done, Err(why), "{lines:?} in {before:?}");
    }
    let emptied = after(patch("*** Update File: a\n@@\n-x\n-\n+y"), "x\n\n");
    assert_eq!(emptied.as_deref(), Ok("y\n"), "an empty line that is in the file is a line like others");
}

#[test]
fn a_file_that_a_patch_names_twice_is_not_known() {
    let update = |path: &str| format!("*** Update File: {path}\n@@\n-x\n+y\n");
    for lines in [
        update("a") + &update("a"),
        update("a") + &update("./b/../a"),
        update("a") + &update("/w//a"),
        update("a\n*** Move to: a"),
        update("a\n*** Move to: b") + "*** Delete File: b\n",
    ] {
        assert_eq!(patch(&format!("*** Begin Patch\n{lines}*** End Patch")), Err(EditUnknown::Form), "{lines:?}");
    }
}

#[test]
fn a_path_that_agents_may_read_otherwise_is_none() {
    for path in ["~/a", "~", " /w/a", "/w/a ", "/w/a\n", "", " "] {
        for tool in ["Write", "Edit"] {
            let input = serde_json::json!({"file_path": path, "content": "x", "old_string": "x", "new_string": "y"});
            assert_eq!(change("claude_hook", tool, &input), Err(EditUnknown::NoPath), "{tool} {path:?}");
        }
    }
}

#[test]
fn an_edit_of_more_places_than_can_be_looked_for_is_not_known() {
    let edits = |count: usize| {
        let edits = vec![serde_json::json!({"old_string": "a", "new_string": "a"}); count];
        change("claude_hook", "MultiEdit", &serde_json::json!({"file_path": "/w/a", "edits": edits}))
    };
    assert!(edits(bounds::PERMISSION_EDITS).is_ok(), "as many are");
    assert_eq!(edits(bounds::PERMISSION_EDITS + 1), Err(EditUnknown::TooLarge));
}

#[test]
fn a_patch_of_opencode_is_of_the_file_that_it_lists() {
    let called = serde_json::json!({"patchText": "*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n*** End Patch"});
    let asked = |filepath: &str, files: Option<Value>, diff: &str| {
        let mut metadata = serde_json::json!({"filepath": filepath, "diff": diff});
        if let Some(files) = files {
            metadata["files"] = files;
        }
        change("opencode", "edit", &serde_json::json!({"patterns": ["a"], "metadata": metadata, "args": called}))
    };
    let diff = "Index: /w/a\n--- /w/a\n+++ /w/a\n@@ -1 +1 @@\n-x\n+y\n\n";
    let one = |kind: &str| serde_json::json!([{"filePath": "/w/a", "relativePath": "a", "type": kind}]);
    assert_eq!(after(asked("a", Some(one("update")), diff), "x\n").as_deref(), Ok("y\n"));
    assert_eq!(asked("a", None, diff), Err(EditUnknown::NoPath), "nobody knows where the work tree begins");
    let two = serde_json::json!([one("update")[0], one("update")[0]]);
    assert_eq!(asked("a.txt, deploy/app.yaml", Some(two), diff), Err(EditUnknown::Form));
    assert_eq!(asked("a", Some(serde_json::json!([])), diff), Err(EditUnknown::Form));
    let patch = "*** Begin Patch\n*** Add File: a\n+  y\n*** End Patch";
    let added = |args: Value| {
        let metadata = serde_json::json!({"filepath": "a", "diff": "@@ -0,0 +1 @@\n+y\n", "files": one("add")});
        change("opencode", "edit", &serde_json::json!({"patterns": ["a"], "metadata": metadata, "args": args}))
    };
    let written = after(added(serde_json::json!({"patchText": patch})), "x\n");
    assert_eq!(written.as_deref(), Ok("  y\n"), "what was there is written over, and indents aren't in the diff");
    assert_eq!(after(added(Value::Null), "x\n"), Err(EditUnknown::Untold), "nobody knows how far it is indented");
    let deleted = done(asked("a", Some(one("delete")), "@@ -1 +0,0 @@\n-x\n"), Some("x\n"));
    assert!(deleted.as_ref().is_ok_and(|diff| diff.contains("deleted file")), "{deleted:?}");
    let moved = serde_json::json!([{"filePath": "/w/a", "type": "move", "movePath": "/w/deploy/b"}]);
    let moved = asked("a", Some(moved), diff);
    assert_eq!(moved.as_ref().map(Change::paths), Ok(vec!["/w/a", "/w/deploy/b"]), "a new name is a file as well");
    let moved = prepared(&moved.expect("it is known"), &[FileFound::Text("x\n".to_owned()), FileFound::Missing]);
    let moved = moved.diff.expect("it is known");
    assert!(moved.contains("deleted file") && moved.contains("+++ b//w/deploy/b\n@@ -0,0 +1 @@\n+y\n"), "{moved}");
}

#[test]
fn a_diff_that_comes_with_an_edit_counts_only_where_it_fits() {
    let given = |args: Value, diff: &str| {
        let metadata = serde_json::json!({"filepath": "/w/a", "diff": diff});
        change("opencode", "edit", &serde_json::json!({"patterns": ["a"], "metadata": metadata, "args": args}))
    };
    let edit = |old: &str, new: &str| serde_json::json!({"oldString": old, "newString": new});
    let diff = "Index: /w/a\n=====\n--- /w/a\n+++ /w/a\n@@ -1,3 +1,3 @@\n one\n-two\n+ZWEI\n three\n";
    for args in [edit("two", "ZWEI"), edit("one \ntwo", "one\nZWEI")] {
        let done = after(given(args.clone(), diff), "one\ntwo\nthree\n");
        assert_eq!(done.as_deref(), Ok("one\nZWEI\nthree\n"), "found as it stands, or by likeness: {args}");
        assert_eq!(after(given(args, diff), "one\nTWO\nthree\n"), Err(EditUnknown::NotFound));
    }
    let alone = after(given(Value::Null, diff), "one\ntwo\nthree\n");
    assert_eq!(alone, Err(EditUnknown::Untold), "nobody knows what the diff leaves out");
    let last = "--- a\n+++ a\n@@ -1 +1 @@\n-x\n\\ No newline at end of file\n+y\n";
    assert_eq!(after(given(edit("x", "y\n"), last), "x").as_deref(), Ok("y\n"), "ends of files count");
    let wrong = "@@ -1 +1 @@\n-x\n";
    assert_eq!(after(given(edit("x", ""), wrong), "x\n"), Err(EditUnknown::NotFound), "one that breaks off is none");
}

#[test]
fn what_the_diff_of_opencode_leaves_out_is_known_or_said_not_to_be() {
    let asked = |args: Value, diff: &str| {
        let metadata = serde_json::json!({"filepath": "/w/a", "diff": diff});
        change("opencode", "edit", &serde_json::json!({"patterns": ["a"], "metadata": metadata, "args": args}))
    };
    let write = |content: &str| serde_json::json!({"filePath": "/w/a", "content": content});
    let edit = |old: &str, new: &str| serde_json::json!({"filePath": "/w/a", "oldString": old, "newString": new});
    let diff = "@@ -1,2 +1,2 @@\n a\n-b\n+c\n";
    for (args, before, expected) in [
        (write("a\nc\n"), "\u{feff}a\nb\n", Ok("\u{feff}a\nc\n")),
        (write("\u{feff}a\nc\n"), "a\nb\n", Ok("\u{feff}a\nc\n")),
        (write("\u{feff}a\nc\n"), "\u{feff}a\nb\n", Ok("\u{feff}a\nc\n")),
        (edit("b", "c"), "\u{feff}a\nb\n", Ok("\u{feff}a\nc\n")),
        (edit("a\nb", "\u{feff}a\nc"), "a\nb\n", Ok("\u{feff}a\nc\n")),
        (edit("a \nb", "\u{feff}a\nc"), "a\nb\n", Err(EditUnknown::Untold)),
        (edit("b", "c\r\n"), "a\nb", Err(EditUnknown::NotFound)),
        (edit("b\n", "c\r\n"), "a\nb\n", Ok("a\nc\n")),
        (edit("b", "c"), "a\nb\nx\r\n", Err(EditUnknown::LineEnds)),
    ] {
        let done = after(asked(args.clone(), diff), before);
        assert_eq!(done.as_deref(), expected.as_deref(), "{args} where {before:?} is");
    }
}

#[test]
fn what_a_window_does_not_show_of_a_diff_is_not_known() {
    let write =
        |content: &str| change("claude_hook", "Write", &serde_json::json!({"file_path": "/w/a", "content": content}));
    for (content, before, expected) in [
        ("a\r\nb\r\n", None, Err(EditUnknown::LineEnds)),
        ("a\r\nb\n", None, Ok(())),
        ("a\r\n", Some("a"), Err(EditUnknown::LineEnds)),
        ("a\r", None, Ok(())),
        ("a\rb\n", None, Ok(())),
    ] {
        let done = done(write(content), before).map(drop);
        assert_eq!(done, expected, "{content:?} in the place of {before:?}: how lines end is shown where it differs");
    }
}

#[test]
fn an_edit_that_claude_code_would_refuse_is_shown_as_none() {
    let edits = |pairs: &[(&str, &str)]| {
        let edits = pairs.iter().map(|(old, new)| serde_json::json!({"old_string": old, "new_string": new}));
        let edits: Vec<_> = edits.collect();
        change("claude_hook", "MultiEdit", &serde_json::json!({"file_path": "/w/a", "edits": edits}))
    };
    assert_eq!(
        after(edits(&[("a", "xb"), ("b", "c")]), "a b"),
        Err(EditUnknown::Form),
        "one has brought what the next seeks"
    );
    assert_eq!(after(edits(&[("a", "x"), ("b", "b")]), "a b"), Err(EditUnknown::Nothing), "one of them does nothing");
    assert_eq!(after(edit("", "x", false), "\u{85}"), Err(EditUnknown::IsThere), "no blank, to an agent");
    assert_eq!(after(edit("", "x", false), "\u{feff} ").as_deref(), Ok("x"));
}

#[test]
fn the_diff_of_opencode_does_not_say_how_far_all_of_it_is_indented() {
    let asked = |args: &Value, diff: &str| {
        let metadata = serde_json::json!({"filepath": "/w/a", "diff": diff});
        change("opencode", "edit", &serde_json::json!({"patterns": ["a"], "metadata": metadata, "args": args}))
    };
    let edit = |old: &str, new: &str| serde_json::json!({"filePath": "/w/a", "oldString": old, "newString": new});
    // As opencode 1.18.33 sends it: two blanks are gone from each line, and the tab that was one of them.
    let before = "fn a() {\n\t  1\n    2\n\n    3\n}\n";
    let diff = "Index: /w/a\n===\n--- /w/a\n+++ /w/a\n@@ -2,4 +2,6 @@\n  1\n-  2\n+ 22\n+}\n+\n \n   3\n";
    for (args, expected) in [
        (edit("    2\n", "   22\n  }\n\n"), Ok("fn a() {\n\t  1\n   22\n  }\n\n\n    3\n}\n")),
        (edit("    2\n", "\t  22\n  }\n\n"), Ok("fn a() {\n\t  1\n\t  22\n  }\n\n\n    3\n}\n")),
        (edit("    4\n", "   22\n  }\n\n"), Err(EditUnknown::NotFound)),
        (edit("    2\n", "   23\n  }\n\n"), Err(EditUnknown::NotFound)),
        (edit("    2\n", "   22\n  }\n"), Err(EditUnknown::NotFound)),
        (Value::Null, Err(EditUnknown::Untold)),
    ] {
        let done = after(asked(&args, diff), before);
        assert_eq!(done.as_deref(), expected.as_deref(), "{args}");
    }
    let new = "@@ -0,0 +1,2 @@\n+- a\n+  - b\n\\ No newline at end of file\n";
    let write = |content: &str| serde_json::json!({"filePath": "/w/a", "content": content});
    for (args, expected) in [
        (write("  - a\n    - b"), Ok("  - a\n    - b")),
        (write("- a\n  - b"), Ok("- a\n  - b")),
        (write("  - a\n   - b"), Err(EditUnknown::Untold)),
        (write("  - a\n    - b\n"), Err(EditUnknown::Untold)),
        (Value::Null, Err(EditUnknown::Untold)),
    ] {
        let done = after(asked(&args, new), "");
        assert_eq!(done.as_deref(), expected.as_deref(), "a new file, {args}");
    }
    let header = "@@ -1,2 +1,2 @@\n--- x\n+-- y\n   z\n";
    for (old, new, before, expected) in
        [("-- x", "-- y", "-- x\n  z\n", "-- y\n  z\n"), ("-- x", "  -- y", "-- x\n    z\n", "  -- y\n    z\n")]
    {
        let done = after(asked(&edit(old, new), header), before);
        assert_eq!(done.as_deref(), Ok(expected), "what begins like a header isn't cut, and doesn't count");
    }
}

#[test]
fn what_an_edit_would_make_too_large_is_not_made_to_see_that() {
    let (before, new) = ("a".repeat(1_000_000), "b".repeat(1_000_000));
    assert_eq!(after(edit("a", &new, true), &before), Err(EditUnknown::TooLarge), "a million times a million bytes");
    let input = serde_json::json!({
        "metadata": {"filepath": "/w/a", "diff": "@@ -1 +1 @@\n-a\n+b\n"},
        "args": {"oldString": "a", "newString": new, "replaceAll": true},
    });
    assert_eq!(after(change("opencode", "edit", &input), &before), Err(EditUnknown::NotFound));
}

#[test]
fn a_large_change_is_found_in_time_and_says_each_byte() {
    let old: String = (0..40_000).map(|line| format!("{line}\n")).collect();
    let new: String = (0..40_000).map(|line| format!("x{line}\n")).collect();
    let write = change("claude_hook", "Write", &serde_json::json!({"file_path": "/w/a", "content": new}));
    assert_eq!(after(write, &old).as_deref(), Ok(new.as_str()));
    let much = "x".repeat(bounds::DIFF_BYTES);
    let write =
        change("claude_hook", "Write", &serde_json::json!({"file_path": "/w/a", "content": much[..much.len() - 1000]}));
    assert_eq!(after(write, &much[..10]).map(drop), Ok(()), "what fits is shown");
}
