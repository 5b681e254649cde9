//! What is read in diffs, and what is refused in them.

use super::{Origin, Proposal, Refused};
use crate::path::RepoPath;

fn read(text: &str) -> Result<Proposal, Refused> {
    Proposal::read(text.as_bytes(), 10)
}

/// A diff that changes a line of a file, whose headers name it so.
fn of(old: &str, new: &str) -> String {
    format!("--- {old}\n+++ {new}\n@@ -1 +1 @@\n-1\n+2\n")
}

fn refused(text: &str) -> Refused {
    read(text).expect_err(text)
}

fn paths(proposal: &Proposal) -> Vec<String> {
    proposal.files().iter().map(|file| file.path.to_string()).collect()
}

#[test]
fn what_stands_around_files_has_no_say() {
    let text = format!(
        "From 1234\nSubject: x\n\n--- \n f | 2 +-\n\ndiff --git a/f b/f\nindex 1..2 100644\n{}-- \n2.47\n\n{}",
        of("a/f", "b/f"),
        of("a/old name\t2024-01-01 00:00:00 +0000", "b/old name\t2024-01-02 00:00:00 +0000")
    );
    let proposal = read(&text).expect("a diff");
    assert_eq!(paths(&proposal), ["f", "old name"]);
    assert!(!proposal.is_recounted(), "the end of a mail is no line of a file");
    assert_eq!(proposal.text(), text.as_bytes(), "git is given what was given");
    assert_eq!(proposal.files()[0].line, 7);
}

#[test]
fn spans_are_the_lines_that_change() {
    let text = "--- a/f\n+++ b/f\n@@ -10,4 +10,5 @@ fn\n a\n-b\n+B\n+C\n c\n d\n@@ -30,2 +31,0 @@\n-x\n-y\n@@ -50,0 +49,1 @@\n+z\n";
    let proposal = read(text).expect("a diff");
    let spans: Vec<_> = proposal.files()[0].spans.iter().map(|span| (span.old.clone(), span.new.clone())).collect();
    assert_eq!(spans, [(11..12, 11..13), (30..32, 32..32), (51..51, 49..50)]);
}

#[test]
fn hunks_that_count_wrongly_are_counted_anew_and_others_are_left() {
    let right = "--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@ fn\n a\n-b\n+c\n d\n--- a/g\n+++ b/g\n@@ -1,2 +1 @@\n x\n-y\n";
    assert!(!read(right).expect("a diff").is_recounted());
    for (wrong, said) in [("-1,3 +1,3", "-1,9 +1,9"), ("-1,3 +1,3", "-1,2 +1,2"), ("-1,2 +1", "-1,7 +1,7")] {
        let text = right.replace(&format!("@@ {wrong} @@"), &format!("@@ {said} @@"));
        let proposal = read(&text).expect("a diff");
        assert!(proposal.is_recounted(), "{said}");
        assert_eq!(paths(&proposal), ["f", "g"], "{said}: no header was taken for a line");
        let given = String::from_utf8_lossy(&proposal.text()).into_owned();
        assert_eq!(given.replace("+1,1 @@", "+1 @@"), right, "{said}");
    }
    let text = "--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n a\n-b\n+c\n d\n+e\n\n\n";
    let given = read(text).expect("a diff").text();
    assert!(String::from_utf8_lossy(&given).contains("@@ -1,3 +1,4 @@"), "empty lines at the end are of nothing");
}

#[test]
fn a_line_that_looks_like_the_end_of_a_mail_is_one_only_where_a_version_follows() {
    let text = "--- a/f\n+++ b/f\n@@ -1,7 +1 @@\n 1\n--\n--- \n-x\n";
    let given = String::from_utf8(read(text).expect("a diff").text()).expect("UTF-8");
    assert_eq!(given, text.replace("-1,7 +1", "-1,4 +1,1"), "`-` and `-- ` are lines of the file");
    let mail = "--- a/f\n+++ b/f\n@@ -1,7 +1 @@\n 1\n-x\n-- \n2.47.3\n";
    let given = String::from_utf8(read(mail).expect("a diff").text()).expect("UTF-8");
    assert_eq!(given, mail.replace("-1,7 +1", "-1,2 +1,1"), "the end of the mail isn't");
}

#[test]
fn a_last_line_without_an_end_gets_one() {
    let text = of("a/f", "b/f");
    let proposal = read(text.trim_end()).expect("a diff");
    assert_eq!((proposal.text(), proposal.is_recounted()), (text.clone().into_bytes(), false));
    let text = "diff --git a/f b/f\nold mode 100644\nnew mode 100755";
    assert_eq!(read(text).expect("a diff").text(), format!("{text}\n").as_bytes());
}

#[test]
fn names_are_read_as_git_writes_them() {
    for (names, path) in [
        ("a/f b/f", "f"),
        ("a/x b/x b/x b/x", "x b/x"),
        ("a/a b b/a b", "a b"),
        ("\"a/q\\\"\\t\\\\\\303\\244\" \"b/q\\\"\\t\\\\\\303\\244\"", "q\"\\x09\\ä"),
        ("i/f w/f", "f"),
    ] {
        let text = format!("diff --git {names}\nold mode 100644\nnew mode 100755\n");
        assert_eq!(paths(&read(&text).expect(names)), [path]);
    }
    let renamed = "diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to \"y\\377\"\n";
    let file = read(renamed).expect("a diff").files()[0].clone();
    assert_eq!((file.path, file.from), (RepoPath::new(*b"y\xff"), Some(Origin::Renamed(RepoPath::new("x")))));
    let kept_beside = read(&of("a/f.orig", "b/f")).expect("a diff");
    assert_eq!(paths(&kept_beside), ["f"]);
}

#[test]
fn what_leads_out_of_the_repository_or_into_gits_own_is_refused() {
    for path in ["/etc/passwd", "C:\\x", "C:/x", "\\x", "\\\\host\\x"] {
        for text in [of(&format!("a/{path}"), "/dev/null"), of(path, path)] {
            let is_so =
                matches!(refused(&text), Refused::Absolute { line: 1, path: said } if path.contains(&said.to_string()));
            assert!(is_so || path.contains('\\'), "{path}: {}", refused(&text));
        }
    }
    for path in ["..", "../x", "x/../y", "x/..", "x\\..\\y"] {
        assert!(matches!(refused(&of("/dev/null", &format!("b/{path}"))), Refused::Parent { line: 2, .. }), "{path}");
        let rename = format!("diff --git a/f b/f\nrename from f\nrename to {path}\n");
        assert!(matches!(refused(&rename), Refused::Parent { line: 3, .. }), "{path}");
    }
    for path in [
        ".git",
        ".git/config",
        "sub/.git/hooks/x",
        ".GIT/config",
        ".Git",
        ".git /x",
        ".git./x",
        ".git . ./x",
        "GIT~1/x",
        "git~2",
        ".git::$INDEX_ALLOCATION/x",
        ".g\u{200c}it/x",
        "\u{feff}.git",
        ".git\u{202e}",
        "x\\.git\\config",
    ] {
        let refused = refused(&of(&format!("a/{path}"), &format!("b/{path}")));
        assert!(matches!(&refused, Refused::GitFolder { line: 1, .. }), "{path}: {refused}");
    }
    for path in [".gitignore", "git", "x.git", ".gitmodules", "git~x", "..x", "x..y", "C:"] {
        assert!(read(&of(&format!("a/{path}"), &format!("b/{path}"))).is_ok(), "{path}: it is a file as any other");
    }
}

#[test]
fn what_is_no_diff_that_git_takes_is_refused_by_its_line() {
    let line = |text: &str| match refused(text) {
        Refused::Unreadable { line, .. } => line,
        other => unreachable!("{text}: {other:?}"),
    };
    assert_eq!(line("x\n@@ -1 +1 @@\n-1\n+2\n"), 2, "a hunk of no file");
    assert_eq!(line("diff --cc f\nindex 1,2..3\n"), 1, "of a merge");
    assert_eq!(line("--- a/f\n+++ b/f\n@@ -1 +1 @@\n x\n"), 3, "nothing changes");
    assert_eq!(line("diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ ... @@\n+1\n"), 4, "a hunk without numbers");
    assert_eq!(line("diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1 +99999999999999999999 @@\n+1\n"), 4, "or odd ones");
    assert_eq!(line("diff --git a/f b/f\nindex 1..2 100644\n"), 1, "a header alone");
    assert_eq!(line("diff --git a/f b/g\nold mode 100644\nnew mode 100755\n"), 1, "two paths");
    assert_eq!(line("diff --git a/f b/f\nold mode 100644\nnew mode 040000\n"), 3, "a folder");
    assert_eq!(line("diff --git a/f b/f\nrename from f\n"), 1, "a rename to nowhere");
    assert_eq!(line(&of("f", "f")), 1, "paths without `a/` and `b/`");
    assert_eq!(line(&of("a/x//y", "b/x//y")), 1, "an odd path");
    assert_eq!(line(&of("\"a/x", "b/x")), 1, "odd quotes");
    assert_eq!(line(&of(&format!("a/{}", "x".repeat(5000)), "b/x")), 1, "a path that no system has");
    assert_eq!(line("diff --git a/b b/b\nindex 1..2 100644\nGIT binary patch\nliteral 1\nIc$xx\n\n"), 3, "short names");
}

#[test]
fn what_isnt_text_or_too_much_or_nothing_is_refused() {
    assert_eq!(refused(""), Refused::Empty);
    assert_eq!(refused("Looks good to me.\n"), Refused::Empty);
    assert_eq!(refused("x\n--- a/f\0\n"), Refused::Nul { line: 2 });
    assert_eq!(refused(&of("\"a/\\000\"", "b/f")), Refused::Nul { line: 1 });
    let binary = "diff --git a/b b/b\nindex 1..2 100644\nBinary files a/b and b/b differ\n";
    assert_eq!(refused(binary), Refused::NoData { line: 3 });
    assert_eq!(refused("Binary files x and y differ\n"), Refused::NoData { line: 1 });
    let oid = "1".repeat(40);
    let empty = format!("diff --git a/b b/b\nindex {oid}..{oid} 100644\nGIT binary patch\nliteral 0\n\n");
    assert_eq!(refused(&empty), Refused::NoData { line: 3 });
    let many: String = (0..11).map(|number| of(&format!("a/{number}"), &format!("b/{number}"))).collect();
    assert_eq!(refused(&many), Refused::TooMany { most: 10 });
    let large = "x".repeat(super::PROPOSAL_BYTES + 1);
    assert_eq!(refused(&large), Refused::TooLarge { most: super::PROPOSAL_BYTES });
    for refused in [refused(""), refused(binary), refused(&many), refused(&large)] {
        assert!(refused.code().starts_with("diff_") && refused.mend().ends_with('.'), "{refused}");
    }
}

#[test]
fn what_git_takes_back_has_no_copies() {
    let copy = "diff --git a/x b/y\nsimilarity index 100%\ncopy from x\ncopy to y\n";
    let (one, other) = (of("a/f", "b/f"), of("a/g", "b/g").replace("@@ -1 +1 @@", "@@ -1,2 +1,2 @@"));
    let text = format!("Hello,\n\n{one}{copy}diff --git a/g b/g\n{}", other.trim_end());
    let backwards = String::from_utf8(read(&text).expect("a diff").text_backwards()).expect("UTF-8");
    let corrected = other.replace("@@ -1,2 +1,2 @@", "@@ -1,1 +1,1 @@");
    assert_eq!(backwards, format!("{one}diff --git a/g b/g\n{corrected}"));
}
