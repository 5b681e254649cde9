//! Notes and files of commits.

use std::fs;

use gate_git::{Format, NOTES, Oid, RepoPath, Signature};

use crate::scene::{FORMATS, Listing, Repo, Scene};

fn by() -> Signature {
    Signature { name: "Review Gate".into(), email: "gate@example.org".into(), seconds: 1_700_000_000 }
}

async fn note(scene: &Scene, repo: &Repo, on: &Oid) -> Option<Vec<u8>> {
    scene.open(repo).await.note(on, 1000).await.expect("an answer")
}

#[tokio::test]
async fn a_note_is_written_read_replaced_and_pushed_like_any_other() {
    for format in FORMATS {
        let scene = Scene::new().await;
        let repo = scene.with("repo", format, &[("f", "1\n")]);
        let (head, repository) = (repo.oid("HEAD"), scene.open(&repo).await);
        assert_eq!(note(&scene, &repo, &head).await, None);
        repository.set_note(&head, b"one\n\n#not a comment\n\xff", &by()).await.expect("it is written");
        assert_eq!(
            note(&scene, &repo, &head).await.as_deref(),
            Some(&b"one\n\n#not a comment\n\xff"[..]),
            "to the byte"
        );
        repo.git(&["pack-refs", "--all"]);
        repository.set_note(&head, b"two", &by()).await.expect("it is written");
        assert_eq!(repo.git(&["notes", "--ref=review-gate", "show"]), "two", "git knows it");
        assert_eq!(repo.git(&["log", "--format=%an %ae %at", "-1", NOTES]), "Review Gate gate@example.org 1700000000");
        assert_eq!(repo.git(&["rev-list", "--count", NOTES]), "2", "its past is kept");
        repo.git(&["fsck", "--strict"]);
        assert!(!repo.file(&format!(".git/{NOTES}.lock")).exists());

        repo.git(&["clone", "--quiet", "--bare", ".", "../remote.git"]);
        repo.git(&["push", "--quiet", "../remote.git", NOTES]);
        let remote = scene.at("remote.git");
        let before = Listing::of(&remote.path);
        assert_eq!(note(&scene, &remote, &head).await.as_deref(), Some(&b"two"[..]), "where it is checked");
        before.assert_same(&remote.path);
    }
}

#[tokio::test]
async fn a_note_among_many_is_found() {
    let scene = Scene::new().await;
    let repo = scene.with("repo", Format::Sha1, &[("f", "1\n")]);
    let head = repo.oid("HEAD");
    // Git sorts notes into folders once there are a few hundred.
    let commit = |reference: &str| format!("commit {reference}\n{{}}committer A <a> 1 +0000\ndata 0\n");
    let mut stream = String::new();
    for number in 1..=600 {
        stream.push_str(&commit("refs/heads/many").replace("{}", &format!("mark :{number}\n")));
    }
    stream.push_str(&commit(NOTES).replace("{}", ""));
    for on in (1..=600).map(|number| format!(":{number}")).chain([head.to_string()]) {
        stream.push_str(&format!("N inline {on}\ndata 4\nmany\n"));
    }
    stream.push_str("done\n");
    fs::write(scene.path().join("stream"), stream).expect("a file");
    let input = fs::File::open(scene.path().join("stream")).expect("a file");
    let done = repo.command(&["fast-import", "--quiet", "--done"]).stdin(input).status().expect("git runs");
    assert!(done.success(), "notes");
    let folders = repo.git(&["ls-tree", NOTES]);
    assert!(folders.contains(" tree "), "it is in a folder: {folders}");
    assert_eq!(note(&scene, &repo, &head).await.as_deref(), Some(&b"many"[..]));
    scene.open(&repo).await.set_note(&head, b"mine", &by()).await.expect("it is written");
    assert_eq!(note(&scene, &repo, &head).await.as_deref(), Some(&b"mine"[..]));
    assert_eq!(repo.git(&["notes", "--ref=review-gate", "list"]).lines().count(), 601, "the others are still there");
}

#[tokio::test]
async fn notes_that_others_write_at_the_same_time_are_not_lost() {
    let scene = Scene::new().await;
    let repo = scene.with("repo", Format::Sha1, &[("f", "1\n")]);
    let head = repo.oid("HEAD");
    fs::create_dir_all(repo.file(".git/refs/notes")).expect("a folder");
    fs::write(repo.file(&format!(".git/{NOTES}.lock")), "").expect("a lock");
    let error = scene.open(&repo).await.set_note(&head, b"one", &by()).await.expect_err("another writes");
    assert_eq!(error.code(), "reference_moved");
    assert!(repo.file(&format!(".git/{NOTES}.lock")).exists(), "another's lock is another's");
    fs::remove_file(repo.file(&format!(".git/{NOTES}.lock"))).expect("it was there");
    scene.open(&repo).await.set_note(&head, b"one", &by()).await.expect("it is written");
}

#[tokio::test]
async fn a_work_tree_beside_the_first_writes_the_same_notes() {
    let scene = Scene::new().await;
    let repo = scene.with("repo", Format::Sha1, &[("f", "1\n")]);
    repo.git(&["worktree", "add", "--quiet", "../linked"]);
    let head = repo.oid("HEAD");
    scene.open(&scene.at("linked")).await.set_note(&head, b"one", &by()).await.expect("it is written");
    assert_eq!(note(&scene, &repo, &head).await.as_deref(), Some(&b"one"[..]));
}

#[tokio::test]
async fn a_file_of_a_commit_is_read_as_it_was_committed() {
    for format in FORMATS {
        let scene = Scene::new().await;
        let repo = scene.with("repo", format, &[("a/b/rules.yaml", "one\r\n"), ("top", "1")]);
        repo.write("a/b/rules.yaml", "another\n");
        let (head, repository) = (repo.oid("HEAD"), scene.open(&repo).await);
        let file = async |path: &str| repository.file(&head, &RepoPath::new(path), 100).await.expect("an answer");
        assert_eq!(file("a/b/rules.yaml").await.as_deref(), Some(&b"one\r\n"[..]));
        assert_eq!(file("top").await.as_deref(), Some(&b"1"[..]));
        assert_eq!(file("a/b/missing").await, None);
        assert_eq!(file("a/b").await, None, "a folder is no file");
        let error = repository.file(&head, &RepoPath::new("top"), 0).await.expect_err("it is larger");
        assert_eq!(error.code(), "too_large");
        let error = repository.file(&head, &RepoPath::new("a\nb"), 0).await.expect_err("it has a line end");
        assert_eq!(error.code(), "what");
    }
}
