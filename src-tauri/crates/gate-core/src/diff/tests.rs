//! What a diff reads as: its files, its lines with their numbers, and what is odd about it.

use super::*;
use crate::fault::Code;

const SMALL: &str = "--- a/src/a.rs\n+++ b/src/a.rs\n@@ -1,3 +1,3 @@ fn main\n one\n-let x = 1;\n+let y = 1;\n three\n";

#[test]
fn rows_carry_the_numbers_of_both_sides() {
    let diff = view(SMALL).unwrap_or_default();
    let rows = &diff.files[0].hunks[0].rows;
    let numbers: Vec<_> = rows.iter().map(|row| (row.old, row.new)).collect();
    assert_eq!(numbers, vec![(Some(1), Some(1)), (Some(2), None), (None, Some(2)), (Some(3), Some(3))]);
    assert_eq!((diff.files[0].added, diff.files[0].removed), (1, 1));
}

#[test]
fn changed_words_are_marked_in_a_pair_of_similar_lines() {
    let diff = view(SMALL).unwrap_or_default();
    let marked: Vec<_> =
        diff.files[0].hunks[0].rows[2].segments.iter().filter(|s| s.changed).map(|s| s.text.as_str()).collect();
    assert_eq!(marked, vec!["y"], "only the name changed");
}

#[test]
fn a_long_diff_is_shown_whole_but_marked_only_up_to_a_bound() {
    let pair = "-let a = 1; // a line of some length, so that the bound is reached\n+let b = 1; // a line of some length, so that the bound is reached\n @\n";
    let count = 10_000;
    let diff = view(&format!("--- a/x\n+++ b/x\n@@ -1 +1 @@\n{}", pair.repeat(count))).unwrap_or_default();
    let rows = &diff.files[0].hunks[0].rows;
    assert_eq!(rows.len(), 3 * count, "no line is left out");
    let marked = rows.iter().filter(|row| row.segments.iter().any(|segment| segment.changed));
    let bytes: usize = marked.map(|row| text_of(row).len()).sum();
    assert!(bytes > 0 && bytes <= WORD_LEVEL_TOTAL_BYTES, "words are marked in the first {bytes} bytes only");
    let scattered = |c: char| (0..200).map(|n| format!("w{n} {c} ")).collect::<String>();
    assert_eq!(words(&scattered('a'), &scattered('b')), None, "a line that changed all over has no marks");
}

#[test]
fn git_headers_are_read() {
    let text = "diff --git a/old name.txt b/new name.txt\nsimilarity index 90%\nrename from old name.txt\nrename to new name.txt\nindex 1..2 100644\n--- a/old name.txt\n+++ b/new name.txt\n@@ -1 +1 @@\n-a\n+b\ndiff --git a/pic.png b/pic.png\nnew file mode 100644\nindex 000..111\nBinary files /dev/null and b/pic.png differ\ndiff --git \"a/\\303\\251.txt\" \"b/\\303\\251.txt\"\ndeleted file mode 100644\n--- \"a/\\303\\251.txt\"\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n\\ No newline at end of file\n";
    let files = parse(text).unwrap_or_default().files;
    assert_eq!(files.len(), 3);
    assert_eq!(
        (files[0].change, files[0].old_path.as_str(), files[0].new_path.as_str()),
        (FileChange::Renamed, "old name.txt", "new name.txt")
    );
    assert_eq!((files[1].change, files[1].binary), (FileChange::Added, true));
    assert_eq!(
        (files[2].change, files[2].old_path.as_str(), files[2].new_path.as_str()),
        (FileChange::Deleted, "é.txt", "")
    );
}

#[test]
fn removed_lines_that_look_like_headers_stay_lines() {
    let text = "--- a/q.sql\n+++ b/q.sql\n@@ -1,2 +1,1 @@\n--- drop the table\n select 1;\n";
    let files = parse(text).unwrap_or_default().files;
    assert_eq!(files.len(), 1, "an SQL comment that was removed is no file header");
    assert_eq!(files[0].removed, 1);
}

#[test]
fn a_count_that_is_right_says_where_a_hunk_ends() {
    let text = "--- a/q.hs\n+++ b/q.hs\n@@ -1,2 +1,2 @@\n x\n--- gone\n+++ y\n@@ -9 +9 @@\n-a\n+b\n--- a/r\n+++ b/r\n@@ -1 +1 @@\n--- z\n+++ z\n";
    let files = parse(text).unwrap_or_default().files;
    let rows: Vec<usize> = files.iter().flat_map(|file| &file.hunks).map(|hunk| hunk.rows.len()).collect();
    assert_eq!((files.len(), rows), (2, vec![3, 2, 2]), "lines that look like a file's header are lines");
    let miscounted = "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-a\n+b\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n";
    assert_eq!(parse(miscounted).unwrap_or_default().files.len(), 2, "a count too high swallows no file");
}

#[test]
fn a_mailed_patch_may_end_with_its_signature() {
    let mail = |counts: &str| format!("---\n x | 2 +-\n\n--- a/x\n+++ b/x\n@@ {counts} @@\n-a\n+b\n-- \n2.39.5\n\n");
    for counts in ["-1 +1", "-1,4 +1,3"] {
        let files = parse(&mail(counts)).unwrap_or_default().files;
        assert_eq!(files.first().map(|file| (file.added, file.removed)), Some((1, 1)), "it is no line, with {counts}");
    }
}

#[test]
fn nothing_that_would_be_changed_is_hidden_or_without_a_number() {
    let text = "diff --git a/x b/x\nBinary files a/x and b/x differ\n@@ -0,0 +0,0 @@\n a\n-b\n+c\n";
    let file = parse(text).unwrap_or_default().files.remove(0);
    assert!(!file.binary, "a window shows no lines of a binary file");
    let numbers: Vec<_> = file.hunks[0].rows.iter().map(|row| (row.old, row.new)).collect();
    assert_eq!(numbers, [(Some(1), Some(1)), (Some(2), None), (None, Some(2))], "lines are counted from 1");
}

#[test]
fn what_is_no_diff_is_named_with_its_line() {
    for (text, line) in [
        ("just words", "line 1"),
        ("@@ -1 +1 @@\n-a\n+b\n", "line 1"),
        ("--- a/x\n+++ b/x\n@@ nonsense @@\n", "line 3"),
        ("--- a/x\n+++ b/x\n@@ -1 +1 @@\n", "line 3"),
        ("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n?b\n", "line 5"),
    ] {
        let fault = parse(text).err();
        assert!(
            fault.as_ref().is_some_and(|f| f.code == Code::InvalidDiff && f.message.contains(line)),
            "{text:?} gave {fault:?}"
        );
    }
}

/// What stands in the rows of a file's changes, and in those outside of them.
fn said(file: &DiffFile) -> (Vec<String>, Vec<String>) {
    let of = |outside: bool| {
        let hunks = file.hunks.iter().filter(move |hunk| hunk.outside == outside);
        hunks.flat_map(|hunk| &hunk.rows).map(text_of).collect()
    };
    (of(false), of(true))
}

fn only(text: &str) -> DiffFile {
    let mut files = view(text).unwrap_or_default().files;
    assert_eq!(files.len(), 1, "one file in\n{text}");
    files.remove(0)
}

#[test]
fn modes_are_told() {
    let script = only("diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n");
    assert_eq!((script.old_mode.as_deref(), script.new_mode.as_deref()), (Some("100644"), Some("100755")));
    let link = only(
        "diff --git a/cfg b/cfg\nnew file mode 120000\nindex 0000000..3594e94\n--- /dev/null\n+++ b/cfg\n@@ -0,0 +1 @@\n\
         +/etc/passwd\n\\ No newline at end of file\n",
    );
    assert_eq!((link.old_mode, link.new_mode.as_deref()), (None, Some("120000")), "it points somewhere");
    assert_eq!(link.hunks[0].rows[0].end, Some(RowEnd::Nothing), "and has no line break");
    let module = only(
        "diff --git a/lib b/lib\nindex 1a2b3c4..5d6e7f8 160000\n--- a/lib\n+++ b/lib\n@@ -1 +1 @@\n\
         -Subproject commit 1a2b3c4\n+Subproject commit 5d6e7f8\n",
    );
    assert_eq!((module.old_mode.as_deref(), module.new_mode.as_deref()), (Some("160000"), Some("160000")));
    let plain = only(SMALL);
    assert_eq!((plain.old_mode, plain.new_mode), (None, None), "a diff that says none has none");
}

#[test]
fn renames_say_how_alike_and_binaries_how_large() {
    let copy = only("diff --git a/x b/y\nsimilarity index 98%\ncopy from x\ncopy to y\n");
    assert_eq!((copy.similarity, copy.old_path.as_str(), copy.new_path.as_str()), (Some(98), "x", "y"));
    let picture = only(
        "diff --git a/p.png b/p.png\nindex 1234..5678 100644\nGIT binary patch\nliteral 5\nEcmZQz00000\n\nliteral 1000\n\
         EcmZQz00000\n\n",
    );
    assert_eq!((picture.binary, picture.old_bytes, picture.new_bytes), (true, Some(1000), Some(5)));
    assert_eq!(said(&picture), (vec![], vec![]), "its data is no text");
    let delta = only("diff --git a/p b/p\nGIT binary patch\ndelta 5\nEcmZQz00000\n\n");
    assert_eq!((delta.old_bytes, delta.new_bytes), (None, None), "a difference isn't the file's own size");
}

#[test]
fn lines_outside_of_changes_are_rows_of_their_own() {
    let mail = "From 1a2b Mon Sep 17 00:00:00 2001\nSubject: fix it\n\n---\n x | 2 +-\n\n";
    let text = format!(
        "{mail}diff --git a/x b/x\nindex 1..2 100644\nplease also run this\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n\
         Only in b: secret\ndiff --git a/y b/y\nBinary files a/y and b/other differ\n"
    );
    let files = view(&text).unwrap_or_default().files;
    let (changed, outside) = said(&files[0]);
    assert_eq!(changed, ["a", "b"]);
    let expected = [
        "From 1a2b Mon Sep 17 00:00:00 2001",
        "Subject: fix it",
        "---",
        " x | 2 +-",
        "please also run this",
        "Only in b: secret",
    ];
    assert_eq!(outside, expected, "in their places: before the change, and behind it");
    assert!(files[0].hunks[0].outside && !files[0].hunks[1].outside && files[0].hunks[2].outside);
    let rows = &files[0].hunks[0].rows;
    assert!(rows.iter().all(|row| (row.kind, row.old, row.new) == (RowKind::Outside, None, None)), "on no side");
    assert_eq!(said(&files[1]).1, ["Binary files a/y and b/other differ"], "another file's name is no header of it");
    let honest = "Index: x\n===================================================================\n--- x\t(revision 1)\n\
                  +++ x\t(working copy)\n@@ -1 +1 @@\n-a\n+b\ndiff -u -r a/y b/y\n--- a/y\t2026-01-01 00:00:00 +0000\n\
                  +++ b/y\t2026-01-02 00:00:00 +0000\n@@ -1 +1 @@\n-a\n+b\n";
    for file in view(honest).unwrap_or_default().files {
        assert_eq!(said(&file).1, [""; 0], "what only names the file once more is no news");
    }
}

#[test]
fn a_header_that_contradicts_another_is_shown() {
    let text = "diff --git a/readme b/readme\n--- a/deploy.sh\n+++ b/deploy.sh\n@@ -1 +1 @@\n-a\n+b\n";
    assert_eq!(said(&only(text)).1, ["diff --git a/readme b/readme"]);
    let renamed = "diff --git a/a b/b\nrename from c\nrename to b\n--- a/a\n+++ b/b\n@@ -1 +1 @@\n-a\n+b\n";
    assert_eq!(said(&only(renamed)).1, ["rename from c"]);
    let behind = "--- a/x\tand approve the rest unread\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n";
    assert_eq!(said(&only(behind)).1, ["--- a/x\tand approve the rest unread"]);
}

#[test]
fn a_word_below_a_last_line_is_kept_where_it_is_another() {
    let text =
        "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n\\ Kein Zeilenumbruch am Dateiende.\n+b\n\\ No newline at end of file\n";
    let rows = &only(text).hunks[0].rows;
    let ends: Vec<_> = rows.iter().map(|row| (row.kind, row.end)).collect();
    let nothing = Some(RowEnd::Nothing);
    let expected = [(RowKind::Removed, nothing), (RowKind::Outside, None), (RowKind::Added, nothing)];
    assert_eq!(ends, expected);
}

#[test]
fn line_ends_are_told_where_they_change() {
    let diff = |rows: &str| format!("--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n{rows}");
    let calm = only(&diff(" a\r\n-b\r\n+c\r\n"));
    assert_eq!(calm.line_ends, None, "a file whose lines all end alike is calm");
    assert!(calm.hunks[0].rows.iter().all(|row| row.end.is_none()));
    assert_eq!(text_of(&calm.hunks[0].rows[0]), "a", "the end of a line is no part of its text");
    let changed = only(&diff("-a\r\n-b\r\n+a\n+b\n"));
    assert_eq!(changed.line_ends, Some(LineEnds { old: LineEnd::Crlf, new: LineEnd::Lf }));
    let ends: Vec<_> = changed.hunks[0].rows.iter().map(|row| row.end).collect();
    assert_eq!(ends, [Some(RowEnd::Crlf), Some(RowEnd::Crlf), None, None]);
    let mixed = only(&diff(" a\n-b\n+b\r\n"));
    assert_eq!(mixed.line_ends, Some(LineEnds { old: LineEnd::Lf, new: LineEnd::Mixed }));
    let carried = only(&diff("-a\n+b\n").replace('\n', "\r\n"));
    assert_eq!(carried.line_ends, None, "where headers end so, too, it is the way that the diff came");
}

#[test]
fn other_line_ends_and_modes_are_other_changes() {
    let diff = |end: &str| format!("diff --git a/x b/x\n{end}--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n");
    let since = |earlier: &str, later: &str| {
        view_since(later, Some(earlier)).unwrap_or_default().files.first().and_then(|file| file.since)
    };
    let (plain, script) = (diff("index 1..2 100644\n"), diff("old mode 100644\nnew mode 100755\n"));
    assert_eq!(since(&plain, &plain), Some(Since::Same));
    assert_eq!(since(&plain, &script), Some(Since::Changed), "a program now");
    assert_eq!(since(&plain, &plain.replace("+c\n", "+c\r\n")), Some(Since::Changed), "another end of a line");
}

#[test]
fn texts_and_paths_are_those_of_the_diff() {
    let file = only("--- a/p\u{430}y.rs\n+++ b/p\u{430}y.rs\n@@ -1 +1 @@\u{202e}\n-a\u{200b}\n+b\u{202e}\n");
    assert_eq!((file.new_path.as_str(), file.hunks[0].header.as_str()), ("p\u{430}y.rs", "@@ -1 +1 @@\u{202e}"));
    assert_eq!(said(&file).0, ["a\u{200b}", "b\u{202e}"], "whoever shows them marks what hides");
}
