//! Repositories whose objects aren't what their names say: what is shown is what was named, or nothing is.

use std::fs;
use std::path::PathBuf;

use gate_git::{Applied, Error, Format, Oid, Options, Proposal};

use crate::scene::{Repo, Scene};

fn loose(repo: &Repo, oid: &Oid) -> PathBuf {
    let (folder, file) = oid.as_str().split_at(2);
    repo.file(&format!(".git/objects/{folder}/{file}"))
}

/// Puts one object's bytes under another's name.
fn lie(repo: &Repo, about: &Oid, with: &Oid) {
    let bytes = fs::read(loose(repo, with)).expect("an object");
    fs::remove_file(loose(repo, about)).expect("an object");
    fs::write(loose(repo, about), bytes).expect("an object");
}

/// With a commit that is evil, and one that is harmless.
async fn scene() -> (Scene, Repo) {
    let scene = Scene::new().await;
    let repo = scene.with("repo", Format::Sha1, &[("f", "1\n")]);
    repo.git(&["checkout", "--quiet", "-b", "harmless"]);
    repo.write("f", "harmless\n");
    repo.commit("harmless");
    repo.git(&["checkout", "--quiet", "-b", "evil", "main"]);
    repo.write("f", "evil evil\n");
    repo.commit("evil");
    (scene, repo)
}

#[tokio::test]
async fn a_file_a_tree_or_a_commit_under_anothers_name_is_found_out() {
    for part in [":f", "^{tree}", ""] {
        let (scene, repo) = scene().await;
        let (about, with) = (repo.oid(&format!("evil{part}")), repo.oid(&format!("harmless{part}")));
        lie(&repo, &about, &with);
        let shown = repo.git(&["show", "evil"]);
        assert!(!shown.contains("evil evil"), "git believes it: {shown}");
        for what in ["evil", "main..evil"] {
            let error = scene.snap(&repo, what).await.expect_err("it isn't what it says");
            // Of the commit that a branch names git notices by itself.
            let is_found = match &error {
                Error::Damaged { oid } => *oid == about,
                Error::UnknownRevision { name } => part.is_empty() && name == "evil",
                _ => false,
            };
            assert!(is_found, "{part} {what}: {error}");
        }
    }
}

#[tokio::test]
async fn a_staged_file_under_anothers_name_is_found_out() {
    let (scene, repo) = scene().await;
    repo.write("f", "worse\n");
    repo.git(&["add", "f"]);
    let (about, with) = (repo.oid(":f"), repo.oid("harmless:f"));
    lie(&repo, &about, &with);
    let error = scene.snap(&repo, "staged").await.expect_err("it isn't what it says");
    assert!(matches!(&error, Error::Damaged { oid } if *oid == about), "{error}");
}

#[tokio::test]
async fn a_false_summary_of_history_is_not_believed() {
    let (scene, repo) = scene().await;
    repo.git(&["commit-graph", "write", "--reachable"]);
    let graph = repo.file(".git/objects/info/commit-graph");
    let bytes = |oid: Oid| -> Vec<u8> {
        let digits = oid.as_str().as_bytes().chunks(2);
        digits.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).expect("digits"), 16).expect("digits")).collect()
    };
    let (tree, other) = (bytes(repo.oid("evil^{tree}")), bytes(repo.oid("harmless^{tree}")));
    let mut content = fs::read(&graph).expect("a summary");
    let at = content.windows(tree.len()).position(|window| window == tree).expect("the commit's tree");
    content[at..at + tree.len()].copy_from_slice(&other);
    fs::remove_file(&graph).expect("it was there");
    fs::write(&graph, content).expect("a summary");
    assert_eq!(
        repo.git(&["log", "-1", "--format=%T", "evil"]),
        repo.oid("harmless^{tree}").as_str(),
        "git believes it"
    );

    let repository = scene.open(&repo).await;
    let evil = Oid::parse(&repo.git(&["-c", "core.commitGraph=false", "rev-parse", "evil^{tree}"])).expect("a tree");
    let range = repository.range(&repo.oid("main"), &repo.oid("evil")).await.expect("a range");
    assert_eq!(range.commits[0].tree, evil);
    let snapshot = scene.snap(&repo, "evil").await.expect("a snapshot");
    assert_eq!(snapshot.tree, evil);
    assert!(String::from_utf8_lossy(&snapshot.diff).contains("+evil evil"));
}

#[tokio::test]
async fn a_past_that_was_made_up_is_found_out() {
    let (scene, repo) = scene().await;
    repo.write("f", "on top\n");
    let top = repo.commit("on top");
    // As if what lies between had never been.
    let (middle, main) = (repo.oid("HEAD~1"), repo.oid("main"));
    lie(&repo, &middle, &main);
    let repository = scene.open(&repo).await;
    let errors = [
        repository.range(&main, &top).await.map(drop),
        repository.parted(&main, &top).await.map(drop),
        repository.commit(&middle).await.map(drop),
    ];
    for error in errors {
        let error = error.expect_err("it isn't what it says");
        assert!(matches!(&error, Error::Damaged { oid } if *oid == middle), "{error}");
    }
}

#[tokio::test]
async fn a_proposal_is_not_held_against_a_lie() {
    for part in [":f", "^{tree}", ""] {
        let (scene, repo) = scene().await;
        let (about, with) = (repo.oid(&format!("evil{part}")), repo.oid(&format!("harmless{part}")));
        lie(&repo, &about, &with);
        let (repository, keep, options) =
            (scene.open(&repo).await, scene.objects(Format::Sha1).await, Options::default());
        let diff = "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-harmless\n+2\n";
        let proposal = Proposal::read(diff.as_bytes(), 10).expect("a diff");
        let errors = [
            repository.apply(&proposal, None, Applied::Proposed, &keep, &options).await.map(drop),
            repository.fits(&proposal, &options).await.map(drop),
        ];
        for error in errors {
            let error = error.expect_err(&format!("{part} isn't what it says"));
            // Of the commit that a branch names git notices by itself, and names none.
            let is_found = matches!(&error, Error::Damaged { oid } if *oid == about) || part.is_empty();
            assert!(is_found, "{part}: {error:?}");
        }
    }
}
