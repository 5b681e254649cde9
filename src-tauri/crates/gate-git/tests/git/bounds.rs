//! Bounds: on what a diff, files and time may take; and ending when nobody waits any more.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use gate_git::{Error, Format, Git, Options, Person};

use crate::scene::{Scene, git_by, program};
use crate::wait::until;

/// A git that does something else first, in a shell that knows the arguments.
pub(crate) fn wrapped(folder: &Path, first: &str) -> PathBuf {
    let file = folder.join("wrapped-git");
    let script = format!("#!/bin/sh\n{first}\nexec {} \"$@\"\n", program().display());
    fs::write(&file, script).expect("a script");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).expect("a mode");
    file
}

fn options() -> Options {
    Options::default()
}

#[tokio::test]
async fn a_diff_that_is_too_long_is_refused() {
    let scene = Scene::new().await;
    let repo = scene.with("repo", Format::Sha1, &[("f", "1\n")]);
    repo.write("f", "x\n".repeat(1000));
    let error = scene.snap_with(&repo, "worktree", &Options { diff_bytes: 1000, ..options() }).await;
    let error = error.expect_err("it is longer");
    assert!(matches!(error, Error::TooLarge { what: "The diff", most: 1000 }), "{error}");
    assert_eq!(error.to_string(), "The diff is larger than 1000 bytes.");
}

#[tokio::test]
async fn too_many_files_are_refused_wherever_they_are() {
    let scene = Scene::new().await;
    let repo = scene.with("repo", Format::Sha1, &[("f", "1\n")]);
    let few = Options { files: 3, ..options() };
    for number in 0..10 {
        repo.write(&format!("new/{number}"), number.to_string());
    }
    for what in ["worktree", "staged", "HEAD"] {
        let error = scene.snap_with(&repo, what, &few).await.expect_err(what);
        assert!(matches!(error, Error::TooMany { most: 3, .. }), "{what}: {error}");
        if what == "worktree" {
            repo.git(&["add", "--all"]);
        } else {
            repo.commit("all");
        }
    }
}

#[tokio::test]
async fn a_huge_file_is_refused_before_it_is_read_and_a_large_one_is_named_without_its_lines() {
    let scene = Scene::new().await;
    let repo = scene.with("repo", Format::Sha1, &[("f", "1\n")]);
    // It takes no room: nothing is written in it.
    fs::File::create(repo.file("huge")).and_then(|file| file.set_len(1 << 40)).expect("a file");
    let error = scene.snap(&repo, "worktree").await.expect_err("a tebibyte");
    assert!(matches!(error, Error::TooLarge { what: "What is looked at", .. }), "{error}");
    fs::remove_file(repo.file("huge")).expect("it was there");

    repo.write("large", "line\n".repeat(4_000_000));
    let snapshot = scene.snap(&repo, "worktree").await.expect("a snapshot");
    assert_eq!(snapshot.files[0].lines, None, "it is too large to be read line by line");
    assert!(String::from_utf8_lossy(&snapshot.diff).contains("Binary files /dev/null and b/large differ"));
    assert_eq!(snapshot.tree, repo.staged_tree(), "but it is in the tree");

    repo.commit("large");
    let small = Options { content_bytes: 1_000_000, ..options() };
    let error = scene.snap_with(&repo, "HEAD", &small).await.expect_err("it is larger");
    assert!(matches!(error, Error::TooLarge { most: 1_000_000, .. }), "{error}");
}

#[tokio::test]
async fn a_small_object_that_unfolds_to_a_huge_one_is_refused_before_it_is_unfolded() {
    let scene = Scene::new().await;
    let repo = scene.with("repo", Format::Sha1, &[("f", "1\n")]);
    let zeros = scene.path().join("zeros");
    fs::File::create(&zeros).and_then(|file| file.set_len(300 * 1024 * 1024)).expect("a file");
    fs::rename(&zeros, repo.file("bomb")).expect("a file");
    repo.commit("a bomb");
    let error = scene.snap(&repo, "HEAD").await.expect_err("it is larger");
    assert!(matches!(error, Error::TooLarge { what: "What is looked at", .. }), "{error}");
}

/// Whether a process of this number is there.
fn lives(number: &str) -> bool {
    let state = fs::read_to_string(format!("/proc/{number}/stat")).unwrap_or_default();
    // One that has ended and wasn't waited for yet is `Z`.
    state.rsplit(')').next().is_some_and(|rest| !rest.is_empty() && !rest.trim_start().starts_with('Z'))
}

/// A git that stops for ever before it compares trees, and says its number first.
fn stuck(folder: &Path) -> PathBuf {
    let note = folder.join("number");
    wrapped(
        folder,
        &format!("case \"$1\" in diff-tree) echo $$ > {0}.new; mv {0}.new {0}; exec sleep 1000;; esac", note.display()),
    )
}

#[tokio::test]
async fn a_git_that_does_not_end_is_ended() {
    let folder = tempfile::tempdir().expect("a folder");
    let scene = Scene::by(&stuck(folder.path())).await;
    let repo = scene.with("repo", Format::Sha1, &[("f", "1\n")]);
    let error = scene.snap_with(&repo, "HEAD", &Options { seconds: 1, ..options() }).await.expect_err("it doesn't end");
    assert!(matches!(error, Error::TooSlow { seconds: 1 }), "{error}");
    let number = fs::read_to_string(folder.path().join("number")).expect("it began");
    until(|| (!lives(number.trim())).then_some(())).await;
}

#[tokio::test]
async fn a_question_that_is_dropped_ends_its_git() {
    let folder = tempfile::tempdir().expect("a folder");
    let scene = Scene::by(&stuck(folder.path())).await;
    let repo = scene.with("repo", Format::Sha1, &[("f", "1\n")]);
    let note = folder.path().join("number");
    let number = {
        let question = std::pin::pin!(scene.snap(&repo, "HEAD"));
        let began = until(|| fs::read_to_string(&note).ok());
        tokio::select! {
            _ = question => unreachable!("it doesn't end"),
            number = began => number,
        }
    };
    until(|| (!lives(number.trim())).then_some(())).await;
    until(|| fs::read_dir(scene.path().join("scratch")).ok()?.next().is_none().then_some(())).await;
}

#[tokio::test]
async fn a_git_that_is_missing_or_old_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("scratch")).expect("a folder");
    let error = git_by(&folder.path().join("nothing"), folder.path()).await.expect_err("it isn't there");
    assert_eq!(error.code(), "no_git");
    let old = wrapped(folder.path(), "echo 'git version 2.30.9'; exit");
    let error = git_by(&old, folder.path()).await.expect_err("it is old");
    assert_eq!(error.to_string(), "Git 2.30 is too old: this needs 2.31 or newer.");

    let before = wrapped(folder.path(), "case \"$1\" in --version) echo 'git version 2.31.1'; exit;; esac");
    let scene = Scene::by(&before).await;
    let repo = scene.with("repo", Format::Sha1, &[("f", "1\n")]);
    scene.snap(&repo, "HEAD").await.expect("it is new enough for that");
    let head = repo.oid("HEAD");
    let error = scene.open(&repo).await.merged(&head, &head).await.expect_err("and too old for that");
    assert!(matches!(error, Error::OldGit { needs: (2, 40), .. }), "{error}");
}

#[tokio::test]
async fn the_program_is_found_by_its_whole_path() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("git"), "").expect("a file");
    let path = std::env::join_paths([Path::new("relative"), Path::new(""), folder.path(), Path::new("/usr/bin")]);
    assert_eq!(Git::find(&path.expect("a PATH")), Some(folder.path().join("git")));
    assert_eq!(Git::find("relative:.".as_ref()), None, "not from wherever somebody stands");
    let person = Person::default();
    let git = Git::new(&program(), person, folder.path()).await;
    git.expect("nobody's settings are needed");
}
