//! What was approved, held against what was committed or staged.

use std::fs;

use gate_git::{Applied, Approved, Format, Options, Outcome, RepoPath, What};

use crate::apply::{edited, tried};
use crate::scene::{FORMATS, Listing, Repo, Scene};

/// Lines one to nine, with something else in the place of some.
fn lines(others: &[(usize, &str)]) -> String {
    let line = |number: usize| {
        let other = others.iter().find(|(at, _)| *at == number).map(|(_, text)| (*text).to_owned());
        other.unwrap_or_else(|| number.to_string()) + "\n"
    };
    (1..20).map(line).collect()
}

/// Applies a diff in a copy, does more there, commits or stages it, and says what became of the approval.
async fn after(scene: &Scene, repo: &Repo, diff: &[u8], what: &str, more: impl FnOnce(&Repo)) -> Outcome {
    let (approved, _) = tried(scene, repo, diff, None, Applied::Proposed).await.expect("it fits");
    let copy = repo.copy("after");
    more(&copy);
    if what == "staged" {
        copy.git(&["add", "--all"]);
    } else {
        copy.commit("after");
    }
    let before = Listing::of(&copy.path);
    let (repository, keep) = (scene.open(&copy).await, scene.objects(repo.format()).await);
    let what = what.parse::<What>().expect("good");
    let snapshot = repository.snapshot(&what, None, &keep, &Options::default()).await.expect("a snapshot");
    let approved = Approved { changes: &approved.changes, diff: &approved.diff };
    let outcome = repository.outcome(&approved, &snapshot, &keep).await.expect("an outcome");
    before.assert_same(&copy.path);
    fs::remove_dir_all(&copy.path).expect("the copy goes");
    outcome
}

/// Applies it as git does.
fn apply(scene: &Scene, repo: &Repo, diff: &[u8]) {
    fs::write(scene.path().join("diff"), diff).expect("a diff");
    repo.git(&["apply", "../diff"]);
}

fn paths(paths: &[&str]) -> Vec<RepoPath> {
    paths.iter().map(|path| RepoPath::new(*path)).collect()
}

#[tokio::test]
async fn what_was_approved_is_told_from_what_was_not() {
    for format in FORMATS {
        let scene = Scene::new().await;
        let repo = scene.with(
            "repo",
            format,
            &[("f", &lines(&[])), ("old", &lines(&[(1, "old")])), ("gone", "1\n"), ("x", "1\n")],
        );
        let (diff, _) = edited(&repo, |copy| {
            copy.write("f", lines(&[(15, "b")]));
            copy.write("new", "1\n");
            fs::remove_file(copy.file("gone")).expect("it was there");
            fs::rename(copy.file("old"), copy.file("renamed")).expect("it was there");
            copy.write("renamed", lines(&[(1, "old"), (15, "b")]));
        });
        let outcome = async |what, more: &dyn Fn(&Repo)| after(&scene, &repo, &diff, what, |copy| more(copy)).await;
        for what in ["HEAD", "staged"] {
            assert_eq!(outcome(what, &|copy| apply(&scene, copy, &diff)).await, Outcome::Exact, "{what}");
            let extra = outcome(what, &|copy| {
                apply(&scene, copy, &diff);
                copy.write("more", "1\n");
            })
            .await;
            assert_eq!(extra, Outcome::Differs { paths: vec![], extra: paths(&["more"]) }, "{what}");
            let other = outcome(what, &|copy| {
                apply(&scene, copy, &diff);
                copy.write("f", lines(&[(15, "b ")]));
            })
            .await;
            assert_eq!(other, Outcome::Differs { paths: paths(&["f"]), extra: vec![] }, "{what}: whitespace");
            let mode = outcome(what, &|copy| {
                apply(&scene, copy, &diff);
                copy.executable("f", true);
            })
            .await;
            assert_eq!(mode, Outcome::Differs { paths: paths(&["f"]), extra: vec![] }, "{what}: its mode");
            let half = outcome(what, &|copy| copy.write("new", "1\n")).await;
            let lacks = Outcome::Differs { paths: paths(&["f", "gone", "old", "renamed"]), extra: vec![] };
            assert_eq!(half, lacks, "{what}: the rest isn't there");
            assert_eq!(outcome(what, &|copy| copy.write("x", "2\n")).await, Outcome::Missing, "{what}");
            assert_eq!(outcome(what, &|_| ()).await, Outcome::Missing, "{what}: nothing");
        }
        // Somebody else's commit came between.
        let moved = outcome("HEAD", &|copy| {
            copy.write("f", lines(&[(2, "meanwhile")]));
            copy.write("old", lines(&[(1, "old"), (3, "meanwhile")]));
            copy.commit("meanwhile");
            apply(&scene, copy, &diff);
        })
        .await;
        assert_eq!(moved, Outcome::Equivalent);
        // It undoes what came between: the same contents, and not what was approved.
        let undone = outcome("HEAD", &|copy| {
            copy.write("f", lines(&[(2, "meanwhile")]));
            copy.commit("meanwhile");
            apply(&scene, copy, &diff);
            copy.write("f", lines(&[(15, "b")]));
        })
        .await;
        assert_eq!(undone, Outcome::Differs { paths: paths(&["f"]), extra: vec![] });
    }
}

#[tokio::test]
async fn what_goes_through_a_filter_is_said_to_be_unchecked() {
    let scene = Scene::new().await;
    let repo = scene.with(
        "repo",
        Format::Sha1,
        &[("f", "1\n"), ("sub/f.big", "1\n"), ("sub/.gitattributes", "*.big filter=lfs\n")],
    );
    let (diff, _) = edited(&repo, |copy| copy.write("sub/f.big", "2\n"));
    let pointer = |copy: &Repo| copy.write("sub/f.big", "version https://git-lfs.github.com/spec/v1\n");
    let outcome = after(&scene, &repo, &diff, "HEAD", pointer).await;
    assert_eq!(outcome, Outcome::Unchecked { paths: paths(&["sub/f.big"]) });
    let beside = after(&scene, &repo, &diff, "HEAD", |copy| {
        pointer(copy);
        copy.write("f", "2\n");
    });
    let differs = Outcome::Differs { paths: paths(&["sub/f.big"]), extra: paths(&["f"]) };
    assert_eq!(beside.await, differs, "what has no filter is checked");
    let (diff, _) = edited(&repo, |copy| copy.write("f", "2\n"));
    let outcome = after(&scene, &repo, &diff, "staged", |copy| copy.write("f", "3\n")).await;
    assert_eq!(outcome, Outcome::Differs { paths: paths(&["f"]), extra: vec![] });
}

#[tokio::test]
async fn binaries_are_the_same_by_their_objects_alone() {
    let scene = Scene::new().await;
    let repo = scene.with("repo", Format::Sha1, &[("x", "1\n")]);
    repo.write("binary", [0, 1, 2]);
    repo.commit("a binary");
    let (diff, _) = edited(&repo, |copy| copy.write("binary", [0, 9]));
    let exact = after(&scene, &repo, &diff, "HEAD", |copy| copy.write("binary", [0, 9])).await;
    assert_eq!(exact, Outcome::Exact);
    let other = after(&scene, &repo, &diff, "HEAD", |copy| copy.write("binary", [0, 8])).await;
    assert_eq!(other, Outcome::Differs { paths: paths(&["binary"]), extra: vec![] });
}
