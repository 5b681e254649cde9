//! Proposed diffs: what git itself would make of them is what is shown, and nothing in a repository changes.

use std::fs;
use std::os::unix::fs::symlink;

use gate_git::{
    Application, Applied, Error, Fits, Format, Misfit, Mode, Objects, Oid, Options, Origin, Proposal, RepoPath,
    Revision, Unfit, Warning, Way,
};

use crate::scene::{FORMATS, Listing, Repo, Scene};

/// How git makes a diff that holds everything.
pub(crate) const WHOLE: [&str; 5] = ["diff", "--cached", "--binary", "--full-index", "--find-copies-harder"];

/// What comes of a proposal; nothing in the repository was changed.
pub(crate) async fn tried(
    scene: &Scene,
    repo: &Repo,
    diff: &[u8],
    base: Option<&str>,
    applied: Applied,
) -> Result<(Application, Objects), Error> {
    let before = Listing::of(&repo.path);
    let (repository, options) = (scene.open(repo).await, Options::default());
    let keep = scene.objects(repository.format()).await;
    let proposal = Proposal::read(diff, options.files)?;
    let base = base.map(|base| base.parse::<Revision>().expect("a name"));
    let application = repository.apply(&proposal, base.as_ref(), applied, &keep, &options).await;
    before.assert_same(&repo.path);
    Ok((application?, keep))
}

pub(crate) async fn proposed(scene: &Scene, repo: &Repo, diff: impl AsRef<[u8]>) -> Result<Application, Error> {
    tried(scene, repo, diff.as_ref(), None, Applied::Proposed).await.map(|(application, _)| application)
}

pub(crate) async fn fits(scene: &Scene, repo: &Repo, diff: impl AsRef<[u8]>) -> Fits {
    let before = Listing::of(&repo.path);
    let proposal = Proposal::read(diff.as_ref(), 100).expect("a diff");
    let fits = scene.open(repo).await.fits(&proposal, &Options::default()).await.expect("an answer");
    before.assert_same(&repo.path);
    fits
}

pub(crate) fn unfit(result: Result<Application, Error>) -> Unfit {
    match result {
        Err(Error::Unfit(unfit)) => *unfit,
        other => unreachable!("it doesn't fit: {other:?}"),
    }
}

/// The diff that git makes of what is done in a copy, and the tree that comes of it.
pub(crate) fn edited(repo: &Repo, edits: impl FnOnce(&Repo)) -> (Vec<u8>, Oid) {
    let copy = repo.copy("edited");
    edits(&copy);
    copy.git(&["add", "--all"]);
    let made = (copy.bytes(&WHOLE), Oid::parse(&copy.git(&["write-tree"])).expect("a tree"));
    fs::remove_dir_all(&copy.path).expect("the copy goes");
    made
}

/// A change of one line of a file.
pub(crate) fn line(path: &str, old: &str, new: &str) -> String {
    format!("--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-{old}\n+{new}\n")
}

pub(crate) fn of(application: &Application, path: &[u8]) -> (Option<Mode>, bool, bool) {
    let file = application.changes.iter().find(|file| file.0 == RepoPath::new(path)).expect("it differs");
    (file.1, file.2.is_some(), file.3.is_some())
}

#[tokio::test]
async fn every_kind_of_change_makes_the_tree_that_git_makes() {
    for format in FORMATS {
        let scene = Scene::new().await;
        let lib = scene.with("lib", format, &[("l", "1")]);
        let repo = scene.repo("repo", format);
        repo.write_all(&[
            ("same", "1\n"),
            ("changed", "1\n"),
            ("gone", "unlike any other\n"),
            ("script", "1\n"),
            ("to-link", "a file that becomes a link\n"),
            ("to-folder", "a file that becomes a folder\n"),
            ("folder/to-file", "a folder that becomes a file\n"),
            ("old-name", "1\n2\n3\n4\n5\n6\n7\n8\n"),
            ("copied", "a\nb\nc\nd\ne\nf\ng\nh\n"),
            ("no-end", "1\n2"),
            ("end", "1\n2\n"),
            ("crlf", "1\r\n2\r\nmixed\n"),
            ("with space", "1\n"),
            ("deep/a/b", "1\n"),
        ]);
        repo.write("binary", [0, 1, 2]);
        symlink("same", repo.file("link")).expect("a link");
        fs::write(repo.odd_file(b"\xff\n\t\"x\""), "1\n").expect("a file");
        repo.git(&["submodule", "--quiet", "add", "../lib", "sub"]);
        repo.commit("first");

        let (diff, tree) = edited(&repo, |copy| {
            copy.write_all(&[
                ("changed", "2\n"),
                ("no-end", "1\n2\n3\n"),
                ("end", "1\n2"),
                ("crlf", "1\r\n3\r\nmixed\r\n"),
            ]);
            copy.write_all(&[
                ("with space", "2\n"),
                ("deep/a/new", ""),
                ("deep/b/c/d", "1\n"),
                (".gitattributes", "* -text\n"),
            ]);
            copy.write_all(&[("copied", "a\nb\nc\nd\ne\nf\ng\n1\n"), ("copy", "a\nb\nc\nd\ne\nf\ng\nh\ni\n")]);
            for path in ["gone", "to-link", "to-folder", "link"] {
                fs::remove_file(copy.file(path)).expect("it was there");
            }
            fs::remove_dir_all(copy.file("folder")).expect("it was there");
            copy.write_all(&[("to-folder/inside", "1\n"), ("folder", "1\n")]);
            symlink("changed", copy.file("link")).expect("a link");
            symlink("changed", copy.file("to-link")).expect("a link");
            fs::rename(copy.file("old-name"), copy.file("new name")).expect("it was there");
            copy.write("binary", [0, 1, 3]);
            copy.write("new-binary", [0, 255]);
            fs::write(copy.odd_file(b"\xff\n\t\"x\""), "2\n").expect("a file");
            fs::write(copy.odd_file(b"new \xfe"), "2\n").expect("a file");
            copy.executable("script", true);
            let sub = scene.at("edited/sub");
            sub.write("more", "1\n");
            sub.commit("more");
        });
        let (made, keep) = tried(&scene, &repo, &diff, None, Applied::Proposed).await.expect("it fits");
        let head = repo.oid("HEAD");
        assert_eq!((made.way, made.commit.as_ref(), made.tree()), (Way::Forward, Some(&head), Some(&tree)));
        assert_eq!(made.base_tree(), Some(&repo.oid("HEAD^{tree}")));
        let copies: Vec<_> =
            made.files.iter().filter_map(|file| Some((file.path.to_string(), file.from.clone()?))).collect();
        let (renamed, copied) = (Origin::Renamed(RepoPath::new("old-name")), Origin::Copied(RepoPath::new("copied")));
        for pair in [("copy".to_owned(), copied), ("new name".to_owned(), renamed)] {
            assert!(copies.contains(&pair), "{pair:?} is said in the diff: {copies:?}");
        }
        assert_eq!(of(&made, b"old-name"), (None, true, false));
        assert_eq!(of(&made, b"new name"), (Some(Mode::File), false, true));
        assert_eq!(of(&made, b"to-folder/inside"), (Some(Mode::File), false, true));
        assert_eq!(of(&made, b"sub"), (Some(Mode::Submodule), true, true));
        assert_eq!(of(&made, b"\xff\n\t\"x\""), (Some(Mode::File), true, true));
        for warning in [
            Warning::Attributes(RepoPath::new(".gitattributes")),
            Warning::Link(RepoPath::new("link")),
            Warning::Link(RepoPath::new("to-link")),
            Warning::Submodule(RepoPath::new("sub")),
            Warning::Mode { path: RepoPath::new("script"), old: Some(Mode::File), new: Mode::Executable },
            Warning::Mode { path: RepoPath::new("to-link"), old: Some(Mode::File), new: Mode::Link },
        ] {
            assert!(made.warnings.contains(&warning), "{warning:?} is told: {:?}", made.warnings);
        }
        assert!(!made.warnings.contains(&Warning::Recounted), "git counts rightly");
        let again = keep.compare(&made.trees.0, &made.trees.1, &Options::default()).await.expect("it is kept");
        assert_eq!(again.diff, made.diff, "what was shown can be shown again");
        let crlf = made.files.iter().find(|file| file.path == RepoPath::new("crlf")).expect("it differs");
        assert_eq!((crlf.spans.len(), crlf.spans[0].old.clone(), crlf.spans[0].new.clone()), (1, 2..4, 2..4));
        let new = crlf.new.as_ref().map(|entry| entry.oid.clone()).expect("it is there");
        assert_eq!(keep.read(&new, 100).await.expect("it is kept"), b"1\r\n3\r\nmixed\r\n", "not a byte is converted");
        // The same as a commit on top would show it, as git makes it and as we do.
        let snapshot_keep = scene.objects(format).await;
        let clone = repo.copy("clone");
        fs::write(scene.path().join("diff"), &diff).expect("a diff");
        clone.git(&["reset", "--quiet", "--hard"]);
        clone.git(&["apply", "--index", "../diff"]);
        assert_eq!(clone.git(&["write-tree"]), tree.as_str(), "git applies it");
        clone.git(&["commit", "--quiet", "-m", "applied"]);
        let clone_repository = scene.open(&clone).await;
        let what = "HEAD".parse().expect("a commit");
        let snapshot = clone_repository.snapshot(&what, None, &snapshot_keep, &Options::default()).await;
        let snapshot = snapshot.expect("a snapshot");
        assert_eq!((&made.diff, &made.changes), (&snapshot.diff, &snapshot.manifest().files), "shown as a commit is");
        drop(lib);
    }
}

#[tokio::test]
async fn a_diff_fits_on_the_commit_that_is_named_and_on_head_otherwise() {
    for format in FORMATS {
        let scene = Scene::new().await;
        let repo = scene.with("repo", format, &[("f", "1\n"), ("g", "1\n")]);
        let first = repo.oid("HEAD");
        repo.write("f", "2\n");
        let second = repo.commit("second");
        let diff = line("f", "1", "9");
        let named = tried(&scene, &repo, diff.as_bytes(), Some("HEAD~1"), Applied::Proposed).await.expect("it fits").0;
        assert_eq!((named.way, named.commit.as_ref()), (Way::Forward, Some(&first)));
        let misfit = unfit(proposed(&scene, &repo, &diff).await);
        let is_so = (misfit.why, misfit.hunk, misfit.head.as_ref()) == (Misfit::Lines, Some((1, 1)), Some(&second));
        assert!(is_so, "HEAD has moved on: {misfit:?}");
        let said = misfit.to_string();
        assert!(said.contains("hunk 1") && said.contains(second.as_str()), "what and where to rebase is said: {said}");
        let error = tried(&scene, &repo, diff.as_bytes(), Some("nobody"), Applied::Proposed).await.expect_err("nobody");
        assert!(matches!(error, Error::UnknownRevision { .. }), "{error}");
    }
}

#[tokio::test]
async fn what_is_applied_already_is_known_backwards_where_it_may_be() {
    for format in FORMATS {
        let scene = Scene::new().await;
        let repo = scene.with(
            "repo",
            format,
            &[("f", "1\n"), ("old", "1\n2\n3\n4\n"), ("sub/x", "1\n"), ("copied", "a\nb\nc\nd\n"), ("to-link", "x\n")],
        );
        symlink("f", repo.file("gone-link")).expect("a link");
        symlink("sub", repo.file("from-link")).expect("a link");
        repo.commit("links");
        let base = repo.oid("HEAD^{tree}");
        let (diff, tree) = edited(&repo, |copy| {
            copy.write_all(&[("f", "2\n"), ("new", "1\n")]);
            fs::rename(copy.file("old"), copy.file("renamed")).expect("it was there");
            fs::remove_dir_all(copy.file("sub")).expect("it was there");
            copy.executable("f", true);
            copy.write("copy", "a\nb\nc\nd\n");
            fs::remove_file(copy.file("to-link")).expect("it was there");
            symlink("f", copy.file("to-link")).expect("a link");
            fs::remove_file(copy.file("gone-link")).expect("it was there");
            fs::remove_file(copy.file("from-link")).expect("it was there");
            copy.write("from-link", "x\n");
        });
        assert!(String::from_utf8_lossy(&diff).contains("copy from copied"), "git finds the copy");
        let fresh = proposed(&scene, &repo, &diff).await.expect("it fits");
        fs::write(scene.path().join("diff"), &diff).expect("a diff");
        repo.git(&["apply", "--index", "../diff"]);
        repo.commit("applied");
        assert_eq!(fits(&scene, &repo, &diff).await, Fits::Reverse);
        unfit(proposed(&scene, &repo, &diff).await);
        let (made, _) = tried(&scene, &repo, &diff, None, Applied::AlreadyApplied).await.expect("it has it");
        assert_eq!((made.way, made.commit.as_ref()), (Way::Reverse, Some(&repo.oid("HEAD"))));
        assert_eq!((made.base_tree(), made.tree()), (Some(&base), Some(&tree)));
        assert_eq!((made.files, made.changes, made.diff), (fresh.files, fresh.changes, fresh.diff), "it is the same");
    }
}

#[tokio::test]
async fn a_diff_fits_on_the_files_as_they_lie_there_byte_by_byte() {
    let scene = Scene::new().await;
    let repo = scene.with("repo", Format::Sha1, &[("f", "1\n"), ("g", "1\n"), ("script", "1\n"), ("sub/x", "1\n")]);
    // What git would convert when it is staged is proposed as it lies there.
    repo.git(&["config", "core.autocrlf", "true"]);
    repo.write("f", "2\r\n");
    repo.write("untracked", "1\n");
    repo.write("script", "2\n");
    repo.executable("script", true);
    let diff = format!(
        "{}{}{}{}--- /dev/null\n+++ b/new/x\n@@ -0,0 +1 @@\n+1\n",
        line("f", "2\r", "3\r"),
        line("g", "1", "3"),
        line("script", "2", "3"),
        line("untracked", "1", "3"),
    );
    let (made, keep) = tried(&scene, &repo, diff.as_bytes(), None, Applied::AlreadyApplied).await.expect("it fits");
    assert_eq!((made.way, made.commit.as_ref(), made.tree(), made.base_tree()), (Way::Worktree, None, None, None));
    assert_eq!(of(&made, b"script"), (Some(Mode::Executable), true, true));
    let new = made.files[0].new.as_ref().map(|entry| entry.oid.clone()).expect("it is there");
    assert_eq!(keep.read(&new, 100).await.expect("it is kept"), b"3\r\n");
    assert_eq!(made.changes.len(), 5);
    assert!(String::from_utf8_lossy(&made.diff).contains("-2\r\n+3\r\n"), "that is what is shown");
    assert_eq!(fits(&scene, &repo, &diff).await, Fits::Worktree);

    // Applied there, it is known backwards, and is what it was.
    fs::write(scene.path().join("diff"), &diff).expect("a diff");
    repo.git(&["-c", "core.autocrlf=false", "apply", "../diff"]);
    assert_eq!(fits(&scene, &repo, &diff).await, Fits::Worktree);
    unfit(proposed(&scene, &repo, &diff).await);
    let (known, _) = tried(&scene, &repo, diff.as_bytes(), None, Applied::AlreadyApplied).await.expect("they have it");
    assert_eq!((known.way, known.commit, known.changes), (Way::WorktreeReverse, None, made.changes));
    assert_eq!((known.trees, known.files, known.diff), (made.trees, made.files, made.diff));
    repo.git(&["-c", "core.autocrlf=false", "apply", "--reverse", "../diff"]);

    // Where files don't say whether they may be executed, git's word counts.
    repo.git(&["config", "core.fileMode", "false"]);
    repo.git(&["update-index", "--chmod=+x", "g"]);
    repo.git(&["commit", "--quiet", "-m", "g may be executed"]);
    let made = proposed(&scene, &repo, diff).await.expect("it fits");
    assert_eq!((of(&made, b"script").0, of(&made, b"g").0), (Some(Mode::File), Some(Mode::Executable)));
}

#[tokio::test]
async fn a_diff_that_counts_its_lines_wrongly_is_counted_anew_and_says_so() {
    let scene = Scene::new().await;
    let repo = scene.with("repo", Format::Sha1, &[("f", "1\n2\n3\n4\n"), ("g", "1\n2\n")]);
    let right =
        "--- a/f\n+++ b/f\n@@ -1,4 +1,5 @@\n 1\n-2\n+b\n+c\n 3\n 4\n--- a/g\n+++ b/g\n@@ -1,2 +1,2 @@\n-1\n+a\n 2\n";
    let known = proposed(&scene, &repo, right).await.expect("it fits");
    for (before, after) in [("+1,5", "+1,4"), ("-1,4 +1,5", "-1,9 +1,10"), ("-1,2 +1,2", "-1 +1"), ("-1,2", "-1,1")] {
        let wrong = right.replacen(before, after, 1);
        let made = proposed(&scene, &repo, &wrong).await.expect(&wrong);
        assert_eq!(made.trees, known.trees, "{wrong}");
        assert_eq!(made.warnings, [Warning::Recounted], "{wrong}");
    }
    let made = proposed(&scene, &repo, right.trim_end()).await.expect("it fits");
    assert_eq!((made.trees, made.warnings), (known.trees, vec![]), "the end of the last line is no count");
}

#[tokio::test]
async fn repositories_without_commits_bare_ones_and_further_work_trees_are_known() {
    for format in FORMATS {
        let scene = Scene::new().await;
        let empty = scene.repo("empty", format);
        let new = "--- /dev/null\n+++ b/sub/f\n@@ -0,0 +1 @@\n+1\n";
        let made = proposed(&scene, &empty, new).await.expect("it fits");
        assert_eq!(
            (made.way, made.commit.as_ref(), made.base_tree()),
            (Way::Forward, None, Some(&format.empty_tree()))
        );
        assert_eq!(fits(&scene, &empty, new).await, Fits::Forward);
        let misfit = unfit(proposed(&scene, &empty, line("f", "1", "2")).await);
        assert_eq!((misfit.why, misfit.head), (Misfit::Missing, None));
        empty.write("f", "1\n");
        assert_eq!(proposed(&scene, &empty, line("f", "1", "2")).await.expect("it fits").way, Way::Worktree);

        let repo = scene.with("repo", format, &[("f", "1\n")]);
        repo.git(&["worktree", "add", "--quiet", "../linked"]);
        let linked = scene.at("linked");
        linked.write("f", "2\n");
        let head = linked.commit("in the other");
        let made = proposed(&scene, &linked, line("f", "2", "3")).await.expect("it fits");
        assert_eq!(made.commit, Some(head), "each has a HEAD of its own");
        unfit(proposed(&scene, &repo, line("f", "2", "3")).await);
        repo.git(&["clone", "--quiet", "--bare", ".", "../bare.git"]);
        let bare = scene.at("bare.git");
        assert_eq!(proposed(&scene, &bare, line("f", "1", "2")).await.expect("it fits").way, Way::Forward);
        unfit(proposed(&scene, &bare, line("f", "2", "3")).await);
    }
}

#[tokio::test]
async fn all_of_a_tree_may_go() {
    let scene = Scene::new().await;
    let repo = scene.with("repo", Format::Sha1, &[("f", "1\n"), ("a/b/c", "1\n")]);
    let (diff, tree) = edited(&repo, |copy| drop(copy.git(&["rm", "-rq", "."])));
    let made = proposed(&scene, &repo, diff).await.expect("it fits");
    assert_eq!((made.tree(), &tree), (Some(&Format::Sha1.empty_tree()), &Format::Sha1.empty_tree()));
    assert!(made.files.iter().all(|file| file.new.is_none()), "{:?}", made.files);
}

#[tokio::test]
async fn settings_and_attributes_of_theirs_have_no_say() {
    let scene = Scene::new().await;
    let repo = scene.with(
        "repo",
        Format::Sha1,
        &[("f.txt", "1 \r\n2\n"), (".gitattributes", "* text eol=crlf ident whitespace=trailing-space\n")],
    );
    let diff = "--- a/f.txt\n+++ b/f.txt\n@@ -1,2 +1,3 @@\n 1 \r\n-2\n+3  \r\n+$Id$ \n";
    let plain = scene.with("plain", Format::Sha1, &[("x", "1\n")]);
    plain.write("f.txt", "1 \r\n2\n");
    plain.git(&["-c", "core.autocrlf=false", "add", "f.txt"]);
    let blob = plain.git(&["rev-parse", ":f.txt"]);
    repo.git(&["fetch", "--quiet", "../plain"]);
    repo.write("blob", "1 \r\n2\n");
    let written = repo.git(&["hash-object", "-w", "--no-filters", "blob"]);
    assert_eq!(written, blob);
    fs::remove_file(repo.file("blob")).expect("it was there");
    repo.git(&["update-index", "--cacheinfo", &format!("100644,{blob},f.txt")]);
    repo.git(&["commit", "--quiet", "-m", "with its bytes"]);
    for (key, value) in [
        ("apply.whitespace", "fix"),
        ("apply.ignoreWhitespace", "change"),
        ("core.whitespace", "trailing-space,cr-at-eol"),
        ("core.autocrlf", "true"),
        ("core.eol", "crlf"),
        ("core.safecrlf", "true"),
        ("core.protectNTFS", "false"),
        ("diff.noprefix", "true"),
        ("diff.context", "0"),
        ("diff.algorithm", "patience"),
    ] {
        repo.git(&["config", key, value]);
    }
    let (made, keep) = tried(&scene, &repo, diff.as_bytes(), None, Applied::Proposed).await.expect("it fits");
    let new = made.files[0].new.as_ref().map(|entry| entry.oid.clone()).expect("it is there");
    assert_eq!(keep.read(&new, 100).await.expect("it is kept"), b"1 \r\n3  \r\n$Id$ \n", "byte by byte");
    unfit(proposed(&scene, &repo, diff.replace(" 1 \r", " 1\r")).await);
}

#[tokio::test]
async fn a_binary_without_the_way_back_is_not_known_backwards_and_that_is_no_failure() {
    let scene = Scene::new().await;
    let repo = scene.with("repo", Format::Sha1, &[("f", "1\n")]);
    repo.write("binary", [0, 1]);
    repo.commit("a binary");
    let (diff, _) = edited(&repo, |copy| copy.write("binary", [0, 2]));
    let text = String::from_utf8(diff).expect("UTF-8");
    let (there, _back) = text.rsplit_once("literal ").expect("two of them");
    proposed(&scene, &repo, there).await.expect("it fits");
    repo.write("binary", [0, 2]);
    repo.commit("applied");
    for (diff, is_known) in [(&*text, true), (there, false)] {
        let tried = tried(&scene, &repo, diff.as_bytes(), None, Applied::AlreadyApplied).await.map(|made| made.0);
        assert_eq!(fits(&scene, &repo, diff).await == Fits::Reverse, is_known);
        match tried {
            Ok(made) => assert!(is_known && made.way == Way::Reverse),
            refused => assert!(!is_known && unfit(refused).why == Misfit::Contents),
        }
    }
}

#[tokio::test]
async fn a_file_that_is_named_twice_hides_no_other_that_it_comes_from() {
    let scene = Scene::new().await;
    let repo = scene.with("repo", Format::Sha1, &[("plain", "1\n"), ("rules/kept", "unlike any other\n")]);
    let diff = "diff --git a/plain b/plain\ndeleted file mode 100644\n--- a/plain\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n\
                diff --git a/rules/kept b/plain\nsimilarity index 100%\nrename from rules/kept\nrename to plain\n";
    let made = proposed(&scene, &repo, diff).await.expect("it fits");
    let touched: Vec<_> = made.files.iter().map(|file| (file.path.to_string(), file.new.is_some())).collect();
    assert_eq!(touched, [("plain".to_owned(), true), ("rules/kept".to_owned(), false)], "rules look at both");
    let differing: Vec<_> = made.changes.iter().map(|file| file.0.to_string()).collect();
    assert_eq!(differing, ["plain", "rules/kept"], "for both differ");
}
