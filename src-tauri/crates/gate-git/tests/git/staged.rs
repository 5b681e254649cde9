//! What is staged: what a commit will hold, also while its hook runs.

use std::fs;

use gate_git::Format;

use crate::scene::{FORMATS, Listing, Scene};

#[tokio::test]
async fn what_is_staged_is_shown_whatever_the_files_are_now() {
    for format in FORMATS {
        let scene = Scene::new().await;
        let repo = scene.with("repo", format, &[("a", "1\n"), ("b", "1\n")]);
        repo.write("a", "2\n");
        repo.git(&["add", "a"]);
        repo.write_all(&[("a", "3\n"), ("b", "3\n"), ("new", "3\n")]);
        let before = Listing::of(&repo.path);
        let snapshot = scene.snap(&repo, "staged").await.expect("a snapshot");
        before.assert_same(&repo.path);
        assert_eq!(snapshot.tree.as_str(), repo.git(&["write-tree"]));
        assert_eq!(snapshot.base, Some(repo.oid("HEAD")));
        let diff = String::from_utf8_lossy(&snapshot.diff).into_owned();
        assert!(diff.contains("-1\n+2\n") && !diff.contains("+3"), "{diff}");
    }
}

#[tokio::test]
async fn a_commit_of_some_files_is_known_while_its_hook_runs() {
    let scene = Scene::new().await;
    let repo = scene.with("repo", Format::Sha1, &[("a", "1\n"), ("b", "1\n"), ("c", "1\n")]);
    let hook = repo.file(".git/hooks/pre-commit");
    fs::create_dir_all(hook.parent().expect("a folder")).expect("a folder");
    fs::write(&hook, "#!/bin/sh\ncp \"$GIT_INDEX_FILE\" .git/while-the-hook-ran\n").expect("a hook");
    repo.executable(".git/hooks/pre-commit", true);
    repo.write_all(&[("a", "2\n"), ("b", "2\n"), ("c", "2\n")]);
    repo.git(&["add", "b"]);
    repo.git(&["commit", "--quiet", "-m", "only a", "a"]);

    let committed = scene.open(&repo).await.commit(&repo.oid("HEAD")).await.expect("a commit");
    repo.git(&["reset", "--quiet", "--soft", "HEAD~1"]);
    let repository = scene.open(&repo).await.with_index(&repo.file(".git/while-the-hook-ran"));
    let staged = repository.staged().await.expect("a tree");
    assert_eq!(staged.tree, committed.tree, "what is being committed, not what is staged beside it");
    assert_eq!(staged.base, committed.parents.first().cloned());
}

#[tokio::test]
async fn a_staged_file_whose_object_is_lost_is_named() {
    let scene = Scene::new().await;
    let repo = scene.with("repo", Format::Sha1, &[("f", "1\n")]);
    repo.write("f", "2\n");
    repo.git(&["add", "f"]);
    let lost = repo.oid(":f");
    let (folder, file) = lost.as_str().split_at(2);
    fs::remove_file(repo.file(&format!(".git/objects/{folder}/{file}"))).expect("it was there");
    let error = scene.snap(&repo, "staged").await.expect_err("it is lost");
    assert!(matches!(&error, gate_git::Error::Missing { oid, cut: false } if *oid == lost), "{error}");
}
