//! What a work tree makes: the very tree that git would commit.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use gate_git::{Error, Format, Mode, Options, RepoPath, Revision, Snapshot};

use crate::scene::{FORMATS, Listing, Repo, Scene};

/// The snapshot of a work tree is what git makes of it, and nothing in it was changed.
async fn as_git_has_it(scene: &Scene, repo: &Repo) -> Snapshot {
    let before = Listing::of(&repo.path);
    let snapshot = scene.snap(repo, "worktree").await.expect("a snapshot");
    if repo.git(&["config", "--default=false", "index.sparse"]) == "true" {
        // Where git unfolds such an index it makes trees, and renews the times of those that are there.
        before.assert_same_contents(&repo.path);
    } else {
        before.assert_same(&repo.path);
    }
    let tree = repo.staged_tree();
    let differs = repo.git(&["diff-tree", "-r", "--name-status", snapshot.tree.as_str(), tree.as_str()]);
    assert_eq!(snapshot.tree, tree, "what was shown is what would be committed, but for {differs}");
    let diff = repo.diff(&snapshot.base_tree, &tree);
    assert_eq!(String::from_utf8_lossy(&snapshot.diff), String::from_utf8_lossy(&diff), "as git shows it");
    snapshot
}

fn mode(snapshot: &Snapshot, path: &str) -> Option<Mode> {
    let change = snapshot.files.iter().find(|change| change.path == RepoPath::new(path)).expect("it differs");
    change.new.as_ref().map(|entry| entry.mode)
}

#[tokio::test]
async fn every_kind_of_change_is_taken_in() {
    for format in FORMATS {
        let scene = Scene::new().await;
        let lib = scene.with("lib", format, &[("l", "1")]);
        let repo = scene.repo("repo", format);
        repo.write_all(&[
            ("same", "1\n"),
            ("changed", "1\n"),
            ("gone", "unlike any other\n"),
            ("script", "1\n"),
            ("target", "1\n"),
            ("to-link", "1\n"),
            ("to-folder", "1\n"),
            ("folder/to-file", "1\n"),
            ("linked/x", "1\n"),
            ("old-name", "1\n2\n3\n4\n5\n6\n7\n8\n"),
            (".gitignore", "*.log\n"),
            ("deep/a/b", "1\n"),
            ("kept.log", "1\n"),
        ]);
        repo.write("binary", [0, 1, 2]);
        symlink("target", repo.file("link")).expect("a link");
        symlink("target", repo.file("to-file")).expect("a link");
        repo.git(&["submodule", "--quiet", "add", "../lib", "sub"]);
        repo.git(&["add", "--force", "kept.log"]);
        repo.commit("first");

        repo.write("changed", "2\n");
        fs::remove_file(repo.file("gone")).expect("it was there");
        repo.executable("script", true);
        for path in ["to-link", "link", "to-file", "to-folder"] {
            fs::remove_file(repo.file(path)).expect("it was there");
        }
        symlink("changed", repo.file("link")).expect("a link");
        symlink("folder", repo.file("to-link")).expect("a link");
        repo.write("to-file", "2\n");
        repo.write("to-folder/inside", "2\n");
        fs::remove_dir_all(repo.file("folder")).expect("it was there");
        repo.write("folder", "2\n");
        // The files that were in it can still be seen through the link.
        fs::rename(repo.file("linked"), repo.file("moved")).expect("it was there");
        symlink("moved", repo.file("linked")).expect("a link");
        fs::rename(repo.file("old-name"), repo.file("new name")).expect("it was there");
        repo.write("deep/a/new", "");
        repo.write("deep/a/ignored.log", "1\n");
        repo.write("kept.log", "2\n");
        repo.write("binary", [0, 1, 3]);
        for odd in [&b"caf\xe9"[..], b"line\nend", b"tab\t\"quote\\", b"-dash", b":(top)x", b" ", "ünïcode".as_bytes()]
        {
            fs::write(repo.odd_file(odd), "1\n").expect("a file");
        }
        let made = Command::new("mkfifo").arg(repo.file("pipe")).status().expect("mkfifo runs");
        assert!(made.success(), "a pipe, which is nobody's content");
        scene.at("repo/sub").write("l", "2");
        scene.at("repo/sub").commit("further");
        lib.git(&["clone", "--quiet", ".", "../repo/inner"]);

        let snapshot = as_git_has_it(&scene, &repo).await;
        assert_eq!(mode(&snapshot, "script"), Some(Mode::Executable));
        assert_eq!(mode(&snapshot, "gone"), None);
        assert_eq!(mode(&snapshot, "link"), Some(Mode::Link));
        assert_eq!(mode(&snapshot, "sub"), Some(Mode::Submodule));
        assert_eq!(mode(&snapshot, "inner"), Some(Mode::Submodule));
        let renamed =
            snapshot.files.iter().find(|change| change.path == RepoPath::new("new name")).expect("it differs");
        assert_eq!(renamed.old_path, Some(RepoPath::new("old-name")));
        assert!(snapshot.files.iter().any(|change| change.path == RepoPath::new(*b"caf\xe9")), "bytes as they are");
        let binary = snapshot.files.iter().find(|change| change.path == RepoPath::new("binary")).expect("it differs");
        assert_eq!(binary.lines, None, "it has no lines");
    }
}

#[tokio::test]
async fn what_differs_from_the_index_only_in_its_time_is_no_change() {
    let scene = Scene::new().await;
    let repo = scene.with("repo", Format::Sha1, &[("a", "1"), ("b", "1"), ("c", "1"), ("d", "1")]);
    for path in ["a", "b", "c", "d"] {
        repo.write(path, "1");
    }
    repo.write("d", "2");
    let options = Options { files: 2, ..Options::default() };
    let snapshot = scene.snap_with(&repo, "worktree", &options).await.expect("only one differs");
    assert_eq!(snapshot.files.len(), 1);
}

#[tokio::test]
async fn the_first_commit_and_a_repository_without_an_index_have_a_base_without_files() {
    for format in FORMATS {
        let scene = Scene::new().await;
        let repo = scene.repo("repo", format);
        let nothing = scene.snap(&repo, "worktree").await.expect("a snapshot");
        assert_eq!((nothing.base, nothing.files.len(), nothing.diff.len()), (None, 0, 0));
        assert_eq!(nothing.tree, format.empty_tree());
        repo.write("f", "1\n");
        let snapshot = as_git_has_it(&scene, &repo).await;
        assert_eq!((snapshot.base, snapshot.base_tree), (None, format.empty_tree()));
    }
}

#[tokio::test]
async fn line_ends_become_what_git_makes_of_them() {
    let attributes =
        ["", "* text=auto\n", "*.txt text eol=crlf\n*.raw -text\n", "*.txt text working-tree-encoding=UTF-16LE\n"];
    for (place, autocrlf) in [("--local", "true"), ("--global", "input"), ("--local", "false")] {
        for attributes in attributes {
            let scene = Scene::new().await;
            let repo = scene.repo("repo", Format::Sha1);
            // As they were committed long ago, before anybody thought of line ends.
            repo.write_all(&[
                ("old.txt", "1\r\n2\r\n"),
                ("mixed.txt", "1\r\n2\n"),
                ("lf.txt", "1\n"),
                ("x.raw", "1\r\n"),
            ]);
            repo.commit("first");
            repo.git(&["config", place, "core.autocrlf", autocrlf]);
            repo.write(".gitattributes", attributes);
            if attributes.contains("UTF-16LE") {
                for path in ["old.txt", "mixed.txt", "lf.txt", "new.txt"] {
                    repo.write(path, "1\r\nx\n".encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>());
                }
            } else {
                repo.write_all(&[("old.txt", "1\r\n3\r\n"), ("mixed.txt", "1\r\n3\n"), ("new.txt", "1\r\n2\r\n")]);
            }
            repo.write_all(&[("x.raw", "1\r\n3\r\n"), ("new.raw", "1\r\n")]);
            as_git_has_it(&scene, &repo).await;
        }
    }
}

#[tokio::test]
async fn what_the_person_ignores_everywhere_is_ignored() {
    let scene = Scene::new().await;
    let repo = scene.with("repo", Format::Sha1, &[("f", "1")]);
    let (home, exclude) = (scene.home(), repo.file(".git/info/exclude"));
    fs::create_dir_all(home.join(".config/git")).expect("a folder");
    fs::write(home.join(".config/git/ignore"), "*.swp\n").expect("patterns");
    fs::write(home.join(".config/git/attributes"), "*.win text eol=crlf\n").expect("attributes");
    fs::write(exclude, "mine\n").expect("patterns");
    repo.write_all(&[("a.swp", "1"), ("mine", "1"), ("new", "1"), ("a.win", "1\r\n")]);
    let snapshot = as_git_has_it(&scene, &repo).await;
    let paths: Vec<_> = snapshot.files.iter().map(|change| change.path.to_string()).collect();
    assert_eq!(paths, ["a.win", "new"]);

    fs::write(home.join("elsewhere"), "new\n").expect("patterns");
    repo.git(&["reset", "--quiet"]);
    repo.git(&["config", "--global", "core.excludesFile", "~/elsewhere"]);
    let paths: Vec<_> = as_git_has_it(&scene, &repo).await.files.iter().map(|change| change.path.to_string()).collect();
    assert_eq!(paths, ["a.swp", "a.win"], "one file in place of the other");
}

#[tokio::test]
async fn a_file_that_goes_through_a_filter_is_to_be_staged_first() {
    let scene = Scene::new().await;
    let repo = scene.repo("repo", Format::Sha1);
    repo.git(&["config", "--global", "filter.upper.clean", "tr a-z A-Z"]);
    repo.git(&["config", "--global", "filter.upper.smudge", "tr A-Z a-z"]);
    repo.write_all(&[(".gitattributes", "*.up filter=upper\n"), ("a.up", "abc\n"), ("b.txt", "1\n")]);
    // Git reads a file again that is as young as its index.
    let file = fs::File::options().append(true).open(repo.file("a.up")).expect("a file");
    file.set_modified(std::time::SystemTime::UNIX_EPOCH).expect("a time");
    repo.commit("first");

    repo.write("b.txt", "2\n");
    let snapshot = as_git_has_it(&scene, &repo).await;
    assert_eq!(snapshot.files.len(), 1, "a filtered file that wasn't touched is no hindrance");

    repo.write("a.up", "abcd\n");
    let before = Listing::of(&repo.path);
    let error = scene.snap(&repo, "worktree").await.expect_err("it would run a program");
    assert!(matches!(&error, Error::Filtered { path, driver } if path.to_string() == "a.up" && driver == "upper"));
    assert!(error.mend().starts_with("Stage it first"));
    before.assert_same(&repo.path);

    repo.git(&["add", "a.up"]);
    let staged = scene.snap(&repo, "staged").await.expect("a snapshot");
    assert!(String::from_utf8_lossy(&staged.diff).contains("+ABCD\n"), "as its program made it when it was staged");
}

#[tokio::test]
async fn conflicts_are_named() {
    for what in ["worktree", "staged"] {
        let scene = Scene::new().await;
        let repo = scene.with("repo", Format::Sha1, &[("f", "1\n")]);
        repo.git(&["checkout", "--quiet", "-b", "other"]);
        repo.write("f", "2\n");
        repo.commit("two");
        repo.git(&["checkout", "--quiet", "main"]);
        repo.write("f", "3\n");
        repo.commit("three");
        assert!(!repo.tries(&["merge", "--quiet", "other"]).status.success(), "they conflict");
        let error = scene.snap(&repo, what).await.expect_err("it has conflicts");
        assert!(matches!(&error, Error::Unmerged { path } if path.to_string() == "f"), "{what}: {error}");
    }
}

#[tokio::test]
async fn what_git_cannot_take_in_is_named() {
    let scene = Scene::new().await;
    let repo = scene.with("repo", Format::Sha1, &[("f", "1")]);
    fs::create_dir(repo.file("inner")).expect("a folder");
    scene.at("repo/inner").git(&["init", "--quiet", "."]);
    let error = scene.snap(&repo, "worktree").await.expect_err("it has no commit that could be named");
    assert!(matches!(&error, Error::Unaddable { words } if words.contains("inner")), "{error}");
}

#[tokio::test]
async fn a_change_in_the_same_moment_as_the_index_is_seen() {
    let scene = Scene::new().await;
    let repo = scene.with("repo", Format::Sha1, &[("f", "0")]);
    for round in 1..6 {
        repo.write("f", format!("{round}a"));
        repo.git(&["add", "f"]);
        // The same size, and as like as not the same time as the index's.
        repo.write("f", format!("{round}b"));
        let snapshot = scene.snap(&repo, "worktree").await.expect("a snapshot");
        assert!(String::from_utf8_lossy(&snapshot.diff).contains(&format!("+{round}b")), "round {round}");
    }
}

#[tokio::test]
async fn other_work_trees_and_submodules_are_looked_at_by_themselves() {
    let scene = Scene::new().await;
    let lib = scene.with("lib", Format::Sha1, &[("l", "1\n")]);
    let main = scene.with("main", Format::Sha1, &[("f", "1\n")]);
    main.git(&["submodule", "--quiet", "add", "../lib", "sub"]);
    main.commit("with a submodule");
    main.git(&["worktree", "add", "--quiet", "../linked"]);
    let (linked, sub) = (scene.at("linked"), scene.at("main/sub"));
    linked.write("f", "2\n");
    linked.git(&["add", "f"]);
    main.write("f", "3\n");
    sub.write("l", "2\n");
    assert!(String::from_utf8_lossy(&as_git_has_it(&scene, &linked).await.diff).contains("+2\n"));
    let snapshot = as_git_has_it(&scene, &main).await;
    assert_eq!(snapshot.files.len(), 1, "files within a submodule are the submodule's");
    assert!(String::from_utf8_lossy(&as_git_has_it(&scene, &sub).await.diff).contains("+2\n"));
    assert_eq!(lib.git(&["status", "--porcelain"]), "");
}

#[tokio::test]
async fn indices_of_every_kind_are_read() {
    type Set = fn(&Repo);
    let kinds: [(&str, Set); 6] = [
        ("split", |repo| drop(repo.git(&["update-index", "--split-index"]))),
        ("sparse", |repo| drop(repo.git(&["sparse-checkout", "set", "--cone", "--sparse-index", "a"]))),
        ("version 4", |repo| drop(repo.git(&["update-index", "--index-version", "4"]))),
        ("with a cache of untracked files", |repo| drop(repo.git(&["update-index", "--force-untracked-cache"]))),
        ("with a file to be added", |repo| {
            repo.write("a/later", "1\n");
            drop(repo.git(&["add", "--intent-to-add", "a/later"]));
        }),
        ("without its checksum", |repo| {
            repo.git(&["config", "index.skipHash", "true"]);
            repo.write("a/x", "0\n");
            drop(repo.git(&["add", "a/x"]));
        }),
    ];
    for (kind, set) in kinds {
        let scene = Scene::new().await;
        let repo = scene.with("repo", Format::Sha1, &[("a/x", "1\n"), ("b/y", "1\n"), ("c/z", "1\n")]);
        set(&repo);
        let staged = scene.snap(&repo, "staged").await.expect(kind);
        assert_eq!(staged.tree.as_str(), repo.git(&["write-tree"]), "{kind}");
        repo.write("a/x", "2\n");
        repo.write("a/new", "2\n");
        let snapshot = as_git_has_it(&scene, &repo).await;
        assert!(snapshot.files.len() >= 2, "{kind}");
    }
}

#[tokio::test]
async fn files_that_git_was_told_to_pass_over_stay_as_they_were_committed() {
    let scene = Scene::new().await;
    let repo = scene.with("repo", Format::Sha1, &[("skipped", "1\n"), ("assumed", "1\n"), ("f", "1\n")]);
    repo.git(&["update-index", "--skip-worktree", "skipped"]);
    repo.git(&["update-index", "--assume-unchanged", "assumed"]);
    repo.write_all(&[("skipped", "2\n"), ("assumed", "2\n"), ("f", "2\n")]);
    let snapshot = as_git_has_it(&scene, &repo).await;
    assert_eq!(snapshot.files.len(), 1, "what isn't committed isn't approved, either");
}

#[tokio::test]
async fn a_locked_index_is_read_as_it_stands() {
    let scene = Scene::new().await;
    let repo = scene.with("repo", Format::Sha1, &[("f", "1\n")]);
    fs::write(repo.file(".git/index.lock"), "").expect("a lock");
    repo.write("f", "2\n");
    let before = Listing::of(&repo.path);
    for what in ["worktree", "staged"] {
        scene.snap(&repo, what).await.expect("a snapshot");
    }
    before.assert_same(&repo.path);
}

#[tokio::test]
async fn another_base_is_another_difference_to_the_same_tree() {
    let scene = Scene::new().await;
    let repo = scene.with("repo", Format::Sha1, &[("f", "1\n")]);
    let first = repo.oid("HEAD");
    repo.write("f", "2\n");
    repo.commit("second");
    repo.write("f", "3\n");
    let repository = scene.open(&repo).await;
    let base: Revision = "HEAD~1".parse().expect("a commit");
    let keep = scene.objects(Format::Sha1).await;
    let what = "worktree".parse().expect("good");
    let snapshot = repository.snapshot(&what, Some(&base), &keep, &Options::default()).await.expect("a snapshot");
    assert_eq!(snapshot.base, Some(first));
    assert!(String::from_utf8_lossy(&snapshot.diff).contains("-1\n+3\n"));
    assert_eq!(snapshot.tree, repo.staged_tree());
}

#[tokio::test]
async fn a_bare_repository_has_no_work_tree() {
    let scene = Scene::new().await;
    let repo = scene.with("repo", Format::Sha1, &[("f", "1\n")]);
    repo.git(&["clone", "--quiet", "--bare", ".", "../bare.git"]);
    for what in ["worktree", "staged"] {
        let error = scene.snap(&scene.at("bare.git"), what).await.expect_err("it has none");
        assert_eq!(error.code(), "no_worktree");
    }
}
