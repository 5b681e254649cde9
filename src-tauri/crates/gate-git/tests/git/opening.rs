//! Which repository a folder is in, and whether folder and repository belong together.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use gate_git::{Error, Format, Kind, Owners, Repository};

use crate::scene::{FORMATS, Repo, Scene};

async fn opened(scene: &Scene, path: &Path) -> Result<Repository, Error> {
    Repository::open(&scene.git, path, Owners::Me).await
}

async fn code(scene: &Scene, path: &Path) -> &'static str {
    opened(scene, path).await.expect_err("it is refused").code()
}

#[tokio::test]
async fn every_kind_of_repository_is_found_from_within() {
    for format in FORMATS {
        let scene = Scene::new().await;
        let lib = scene.with("lib", format, &[("l", "1")]);
        let main = scene.with("main", format, &[("deep/down/f", "1")]);
        main.git(&["submodule", "--quiet", "add", "../lib", "sub"]);
        main.commit("with a submodule");
        main.git(&["worktree", "add", "--quiet", "../linked"]);
        main.git(&["clone", "--quiet", "--bare", ".", "../bare.git"]);
        main.git(&["clone", "--quiet", "--separate-git-dir", "../apart.git", ".", "../apart"]);

        let found = opened(&scene, &main.file("deep/down")).await.expect("a repository");
        assert_eq!((found.kind(), found.worktree()), (Kind::Main, Some(&*main.path)), "the nearest above");
        assert_eq!(found.format(), format);
        assert!(found.outside(&main.path).is_empty());

        let linked = opened(&scene, &scene.path().join("linked")).await.expect("a repository");
        assert_eq!(linked.kind(), Kind::Linked);
        assert_eq!(linked.common_dir(), found.common_dir(), "two work trees of one repository");
        assert_eq!(
            linked.outside(linked.worktree().expect("one")).len(),
            3,
            "its git directory, its settings, objects"
        );

        let sub = opened(&scene, &main.file("sub")).await.expect("a repository");
        assert_eq!(sub.kind(), Kind::Submodule);
        assert_ne!(sub.common_dir(), found.common_dir());
        assert!(!lib.path.starts_with(sub.common_dir()));

        let bare = opened(&scene, &scene.path().join("bare.git/refs")).await.expect("a repository");
        assert_eq!((bare.kind(), bare.worktree()), (Kind::Bare, None));

        let apart = opened(&scene, &scene.path().join("apart")).await.expect("a repository");
        assert_eq!(apart.kind(), Kind::Separate, "nothing there says whose it is");
        assert!(!apart.outside(&scene.path().join("apart")).is_empty(), "so whoever asks is told where it lies");
    }
}

#[tokio::test]
async fn a_folder_that_holds_a_bare_repository_and_its_work_trees_is_bare() {
    let scene = Scene::new().await;
    let main = scene.with("main", Format::Sha1, &[("f", "1")]);
    let hub = scene.path().join("hub");
    fs::create_dir(&hub).expect("a folder");
    main.git(&["clone", "--quiet", "--bare", ".", "../hub/.bare"]);
    fs::write(hub.join(".git"), "gitdir: ./.bare\n").expect("a link");
    scene.at("hub").git(&["worktree", "add", "--quiet", "work", "main"]);
    assert_eq!(opened(&scene, &hub).await.expect("a repository").kind(), Kind::Bare);
    let work = opened(&scene, &hub.join("work")).await.expect("a repository");
    assert_eq!((work.kind(), work.worktree()), (Kind::Linked, Some(&*hub.join("work"))), "it has files");
}

#[tokio::test]
async fn what_is_no_repository_is_named() {
    let scene = Scene::new().await;
    let empty = scene.path().join("empty");
    fs::create_dir(&empty).expect("a folder");
    fs::write(scene.path().join("file"), "").expect("a file");
    assert_eq!(code(&scene, &empty).await, "no_repository");
    assert_eq!(code(&scene, &scene.path().join("file")).await, "no_repository");
    assert_eq!(code(&scene, &scene.path().join("missing")).await, "no_repository");
    fs::write(empty.join(".git"), "gitdir: /nowhere/at/all\n").expect("a link");
    assert_eq!(code(&scene, &empty).await, "no_repository");
    fs::write(empty.join(".git"), "something else").expect("a link");
    assert_eq!(code(&scene, &empty).await, "unsupported");
    fs::write(empty.join(".git"), format!("gitdir: {}", "x".repeat(20_000))).expect("a link");
    assert_eq!(code(&scene, &empty).await, "too_large");
}

#[tokio::test]
async fn a_folder_that_leads_to_somebody_elses_repository_is_refused() {
    let scene = Scene::new().await;
    let secret = scene.with("secret", Format::Sha1, &[("password", "1")]);
    secret.git(&["worktree", "add", "--quiet", "../linked"]);
    let planted = scene.path().join("planted");
    fs::create_dir(&planted).expect("a folder");

    let link = format!("gitdir: {}\n", secret.file(".git/worktrees/linked").display());
    fs::write(planted.join(".git"), link).expect("a link");
    assert_eq!(code(&scene, &planted).await, "astray", "that work tree is another folder");

    // Nothing in it says whose it is, so this is no proof; but whoever asks sees where it leads.
    fs::remove_file(planted.join(".git")).expect("it was there");
    symlink(secret.file(".git"), planted.join(".git")).expect("a link");
    let found = opened(&scene, &planted).await.expect("a repository");
    assert_eq!(found.kind(), Kind::Separate);
    assert!(found.outside(&planted).iter().any(|path| path.starts_with(&secret.path)));

    let mine = scene.with("mine", Format::Sha1, &[("f", "1")]);
    mine.git(&["config", "core.worktree", scene.home().to_str().expect("UTF-8")]);
    assert_eq!(code(&scene, &mine.path).await, "astray", "its files would be those of the home folder");
}

#[tokio::test]
async fn a_repository_of_another_user_is_refused_unless_the_person_allowed_it() {
    let scene = Scene::new().await;
    let repo = scene.with("theirs", Format::Sha1, &[("f", "1")]);
    if std::os::unix::fs::chown(repo.file(".git"), Some(12_345), None).is_err() {
        // Only root may give files away; the rule itself is tested in `places.rs`.
        return;
    }
    assert_eq!(code(&scene, &repo.path).await, "not_owned");
    let allowed = Repository::open(&scene.git, &repo.path, Owners::Anyone).await;
    assert_eq!(allowed.expect("it is allowed").kind(), Kind::Main);
}

#[tokio::test]
async fn borrowed_objects_are_read_and_named() {
    let scene = Scene::new().await;
    let lender = scene.with("lender", Format::Sha1, &[("f", "1\n")]);
    lender.git(&["clone", "--quiet", "--shared", ".", "../borrower"]);
    let borrower = scene.at("borrower");
    borrower.write("f", "2\n");
    let snapshot = scene.snap(&borrower, "worktree").await.expect("a snapshot");
    assert!(String::from_utf8_lossy(&snapshot.diff).contains("-1\n+2\n"));
    let found = opened(&scene, &borrower.path).await.expect("a repository");
    assert_eq!(found.outside(&borrower.path), [lender.file(".git/objects")]);
}

#[tokio::test]
async fn settings_that_git_cannot_read_are_named() {
    let scene = Scene::new().await;
    let repo = scene.with("repo", Format::Sha1, &[("f", "1")]);
    fs::write(repo.file(".git/config"), "[core\nbroken").expect("settings");
    assert_eq!(code(&scene, &repo.path).await, "unsupported");
    fs::write(repo.file(".git/config"), "[core]\nrepositoryformatversion = 1\n[extensions]\nobjectformat = blake3\n")
        .expect("settings");
    assert_eq!(code(&scene, &repo.path).await, "unsupported");
}

#[tokio::test]
async fn references_in_tables_are_read() {
    let scene = Scene::new().await;
    let repo = Repo::clone_of(&scene, "tables", &["init", "--quiet", "--ref-format=reftable", "-b", "main", "tables"]);
    let Some(repo) = repo else {
        // Before 2.45 git has none.
        return;
    };
    repo.write("f", "1\n");
    let first = repo.commit("first");
    repo.write("f", "2\n");
    let second = repo.commit("second");
    let snapshot = scene.snap(&repo, "HEAD~1..main").await.expect("a snapshot");
    assert_eq!((snapshot.base, snapshot.commit), (Some(first), Some(second)));
}

#[tokio::test]
async fn its_hooks_are_where_git_looks_for_them() {
    let scene = Scene::new().await;
    let repo = scene.with("repo", Format::Sha1, &[("f", "1\n")]);
    repo.git(&["worktree", "add", "--quiet", "../linked"]);
    let hooks = async |repo: &Repo| scene.open(repo).await.hooks_folder();
    let real = repo.path.canonicalize().expect("it is there");
    assert_eq!(hooks(&repo).await, real.join(".git/hooks"));
    assert_eq!(hooks(&scene.at("linked")).await, real.join(".git/hooks"), "work trees share them");
    fs::write(scene.home().join(".gitconfig"), "[core]\n\thooksPath = ~/hooks\n").expect("settings");
    assert_eq!(hooks(&repo).await, scene.home().join("hooks"), "the person's own settings count");
    repo.git(&["config", "core.hooksPath", ".husky"]);
    assert_eq!(hooks(&repo).await, real.join(".husky"), "the repository's before them");
}
