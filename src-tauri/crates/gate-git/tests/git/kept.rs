//! What a snapshot keeps, once the repository has forgotten it.

use std::fs;

use gate_git::{Format, Objects, Options};

use crate::scene::{FORMATS, Scene, whole};

#[tokio::test]
async fn a_snapshot_can_be_shown_again_when_the_repository_is_gone() {
    for format in FORMATS {
        for what in ["worktree", "staged", "HEAD", "HEAD~1..HEAD"] {
            let scene = Scene::new().await;
            let repo = scene.with("repo", format, &[("deep/f", "1\n"), ("other", "1\n")]);
            repo.write("deep/f", "2\n");
            repo.commit("second");
            repo.write("deep/f", "3\n");
            repo.git(&["add", "deep/f"]);
            let folder = scene.path().join("kept");
            let keep = Objects::create(&scene.git, &folder, format).await.expect("objects");
            let snapshot = scene.open(&repo).await;
            let snapshot = snapshot.snapshot(&what.parse().expect("good"), None, &keep, &Options::default()).await;
            let snapshot = snapshot.expect(what);
            fs::remove_dir_all(&repo.path).expect("it was there");

            let keep = Objects::open(&scene.git, &folder).await.expect("objects");
            let again = keep.compare(&snapshot.base_tree, &snapshot.tree, &Options::default()).await.expect(what);
            assert_eq!((again.diff, again.files), (snapshot.diff, snapshot.files.clone()), "{what}");
            let entry = snapshot.files[0].new.as_ref().expect("it is there");
            let holds = keep.read(&entry.oid, 100).await.expect(what);
            assert_eq!(holds, if matches!(what, "worktree" | "staged") { b"3\n" } else { b"2\n" });
            assert_eq!(keep.read(&entry.oid, 1).await.expect_err("larger").code(), "too_large");
            assert_eq!(keep.read(&snapshot.tree, 100).await.expect_err("no file").code(), "missing");
        }
    }
}

#[tokio::test]
async fn objects_that_are_not_there_cannot_be_opened() {
    let scene = Scene::new().await;
    let error = Objects::open(&scene.git, &scene.path().join("nowhere")).await.expect_err("nothing is there");
    assert_eq!(error.code(), "io");
}

#[tokio::test]
async fn a_whole_diff_makes_the_same_tree_on_a_fresh_clone() {
    for format in FORMATS {
        let scene = Scene::new().await;
        let repo = scene.with(
            "repo",
            format,
            &[("text", "1\r\n2\r\n"), ("gone", "1\n"), ("mode", "1\n"), ("old", "a\nb\nc\nd\n")],
        );
        repo.write("binary", (0..=255).collect::<Vec<u8>>());
        repo.commit("first");
        repo.git(&["clone", "--quiet", ".", "../fresh"]);
        repo.write("text", "1\r\n3\r\nno end");
        fs::remove_file(repo.file("gone")).expect("it was there");
        repo.executable("mode", true);
        fs::rename(repo.file("old"), repo.file("new name")).expect("it was there");
        repo.write("binary", (0..=255).rev().collect::<Vec<u8>>());
        repo.write("empty", "");
        fs::write(repo.odd_file(b"caf\xe9"), "1\n").expect("a file");
        let snapshot = scene.snap_with(&repo, "worktree", &whole()).await.expect("a snapshot");
        let fresh = scene.at("fresh");
        fs::write(scene.path().join("patch"), &snapshot.diff).expect("a file");
        fresh.git(&["apply", "--index", "--whitespace=nowarn", "../patch"]);
        assert_eq!(fresh.git(&["write-tree"]), snapshot.tree.as_str());
    }
}

#[tokio::test]
async fn one_folder_keeps_several_snapshots() {
    let scene = Scene::new().await;
    let repo = scene.with("repo", Format::Sha1, &[("f", "1\n")]);
    let (repository, keep) = (scene.open(&repo).await, scene.objects(Format::Sha1).await);
    let (what, options) = ("worktree".parse().expect("good"), Options::default());
    let mut shown = Vec::new();
    for round in 2..5 {
        repo.write("f", format!("{round}\n"));
        let snapshot = repository.snapshot(&what, None, &keep, &options).await.expect("a snapshot");
        shown.push(snapshot);
    }
    for snapshot in shown {
        let again = keep.compare(&snapshot.base_tree, &snapshot.tree, &options).await.expect("it is kept");
        assert_eq!(again.diff, snapshot.diff);
    }
}

#[tokio::test]
async fn nothing_stays_in_the_folder_for_what_is_thrown_away() {
    let scene = Scene::new().await;
    let repo = scene.with("repo", Format::Sha1, &[("f", "1\n")]);
    repo.write("f", "2\n");
    scene.snap(&repo, "worktree").await.expect("a snapshot");
    scene.snap(&repo, "nothing").await.expect_err("there is none");
    let left = fs::read_dir(scene.path().join("scratch")).expect("a folder").count();
    assert_eq!(left, 0);
}
