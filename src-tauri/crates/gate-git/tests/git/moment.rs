//! Repositories that change while they are looked at: what comes is of one moment, or an error.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc;

use gate_git::{Error, Format, Git, Objects, Options, Owners, Repository};

use crate::bounds::wrapped;
use crate::scene::{Repo, Scene, git_by};

/// A git that does this before each run of a subcommand, as often as there are marks in a folder.
async fn meddling(scene: &Scene, before: &str, times: usize, does: &str) -> Git {
    let marks = scene.path().join("marks");
    fs::create_dir(&marks).expect("a folder");
    (0..times).for_each(|mark| fs::write(marks.join(mark.to_string()), "").expect("a mark"));
    let script = format!(
        "case \"$1\" in {before}) mark=$(ls {0} | head -1); [ -n \"$mark\" ] && rm {0}/$mark && {{ {does}; }};; esac",
        marks.display()
    );
    git_by(&wrapped(scene.path(), &script), scene.path()).await.expect("a git")
}

async fn snap(git: &Git, repo: &Repo, keep: &Path, what: &str) -> Result<gate_git::Snapshot, Error> {
    let repository = Repository::open(git, &repo.path, Owners::Me).await?;
    let keep = Objects::create(git, keep, Format::Sha1).await?;
    repository.snapshot(&what.parse()?, None, &keep, &Options::default()).await
}

#[tokio::test]
async fn a_file_that_changes_while_it_is_read_is_read_again() {
    // Before the files are read, before they are written, and after both.
    for moment in ["update-index", "diff-index", "fast-import"] {
        let scene = Scene::new().await;
        let repo = scene.with("repo", Format::Sha1, &[("a", "1\n"), ("b", "1\n")]);
        repo.write("a", "2\n");
        let path = repo.file("a");
        let git = meddling(&scene, moment, 1, &format!("echo 3 > {}", path.display())).await;
        let snapshot = snap(&git, &repo, &scene.path().join("kept"), "worktree").await.expect(moment);
        assert!(String::from_utf8_lossy(&snapshot.diff).contains("+3\n"), "{moment}: as it is at the end");
        assert_eq!(snapshot.tree, repo.staged_tree(), "{moment}");
    }
}

#[tokio::test]
async fn a_file_that_comes_while_others_are_read_is_seen() {
    let scene = Scene::new().await;
    let repo = scene.with("repo", Format::Sha1, &[("a", "1\n")]);
    repo.write("a", "2\n");
    let git = meddling(&scene, "fast-import", 1, &format!("echo 1 > {}", repo.file("late").display())).await;
    let snapshot = snap(&git, &repo, &scene.path().join("kept"), "worktree").await.expect("a snapshot");
    assert_eq!(snapshot.files.len(), 2);
}

#[tokio::test]
async fn a_work_tree_that_never_rests_is_an_error() {
    let scene = Scene::new().await;
    let repo = scene.with("repo", Format::Sha1, &[("a", "1\n")]);
    repo.write("a", "2\n");
    let git = meddling(&scene, "fast-import", 100, &format!("echo $mark >> {}", repo.file("a").display())).await;
    let error = snap(&git, &repo, &scene.path().join("kept"), "worktree").await.expect_err("it never rests");
    assert!(matches!(error, Error::Changing), "{error}");
}

#[tokio::test]
async fn a_commit_in_between_is_seen() {
    for what in ["staged", "worktree"] {
        let scene = Scene::new().await;
        let repo = scene.with("repo", Format::Sha1, &[("a", "1\n"), ("b", "1\n")]);
        repo.write("a", "2\n");
        repo.git(&["add", "a"]);
        let commit = format!(
            "(cd {} && HOME={} GIT_DIR= && unset GIT_DIR GIT_INDEX_FILE GIT_OBJECT_DIRECTORY GIT_WORK_TREE \
             GIT_ALTERNATE_OBJECT_DIRECTORIES && /usr/bin/env git -c user.name=A -c user.email=a commit -q -m meanwhile)",
            repo.path.display(),
            scene.home().display(),
        );
        let git = meddling(&scene, "diff-index", 1, &commit).await;
        let snapshot = snap(&git, &repo, &scene.path().join("kept"), what).await.expect(what);
        assert_eq!(snapshot.base, Some(repo.oid("HEAD")), "{what}: beside what is committed now");
        assert_eq!(repo.git(&["log", "-1", "--format=%s"]), "meanwhile", "{what}");
        assert_eq!(snapshot.files.len(), 0, "{what}: nothing is left to be shown");
    }
}

/// Two files of which the second one is always a step behind the first, or level with it. They are written as often as
/// it is told, and left alone in between.
fn writer(folder: PathBuf, told: mpsc::Receiver<u32>) -> std::thread::JoinHandle<()> {
    std::thread::spawn(move || {
        let put = |name: &str, number: u32| {
            let new = folder.join(".git").join(name);
            fs::write(&new, format!("{number:08}\n")).expect("a file");
            fs::rename(new, folder.join(name)).expect("a file");
        };
        let mut number = 0;
        for often in told {
            for _ in 0..often {
                number += 1;
                put("first", number);
                put("second", number);
            }
        }
    })
}

#[tokio::test]
async fn two_files_that_are_written_one_after_the_other_are_shown_as_they_were_together() {
    let scene = Scene::new().await;
    let repo = scene.with("repo", Format::Sha1, &[("first", "00000000\n"), ("second", "00000000\n")]);
    let (tells, told) = mpsc::channel();
    let thread = writer(repo.path.clone(), told);
    let (mut good, mut moved) = (0, 0);
    for round in 0..40 {
        // For a part of the look, and for longer than all of it.
        tells.send(round % 8 * 50).expect("it listens");
        match scene.snap(&repo, "worktree").await {
            Ok(snapshot) => {
                let keep = |name: &str| repo_number(&snapshot, name);
                let (first, second) = (keep("first"), keep("second"));
                assert!(
                    first == second || first == second + 1,
                    "round {round}: {first} and {second} never were together"
                );
                good += 1;
            }
            Err(Error::Changing) => moved += 1,
            Err(error) => unreachable!("round {round}: {error}"),
        }
    }
    drop(tells);
    thread.join().expect("it ends");
    assert_eq!(good + moved, 40);
    let snapshot = scene.snap(&repo, "worktree").await.expect("it rests");
    assert_eq!(snapshot.tree, repo.staged_tree(), "and what is there at last is shown");
}

/// The number that a file of the diff has; 0 where it isn't among them.
fn repo_number(snapshot: &gate_git::Snapshot, name: &str) -> u32 {
    let diff = String::from_utf8_lossy(&snapshot.diff).into_owned();
    let after = diff.split(&format!("+++ b/{name}\n")).nth(1).unwrap_or_default();
    let line = after.lines().find(|line| line.starts_with('+')).unwrap_or("+0");
    line[1..].parse().expect("a number")
}
