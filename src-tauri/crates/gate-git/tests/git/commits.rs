//! Commits and ranges, beside what they are looked at.

use std::fs;

use gate_git::{Error, Format, Mode, Options, RepoPath, Revision};

use crate::scene::{FORMATS, Listing, Repo, Scene};

#[tokio::test]
async fn a_commit_is_shown_beside_its_first_parent() {
    for format in FORMATS {
        let scene = Scene::new().await;
        let repo = scene.with("repo", format, &[("f", "1\n")]);
        let first = repo.oid("HEAD");
        repo.write("f", "2\n");
        let second = repo.commit("second");
        let before = Listing::of(&repo.path);
        for name in ["HEAD", "main", second.as_str(), &second.as_str()[..10], "HEAD^{commit}", "main@{0}"] {
            let snapshot = scene.snap(&repo, name).await.expect(name);
            assert_eq!((snapshot.base.as_ref(), snapshot.commit.as_ref()), (Some(&first), Some(&second)), "{name}");
            assert_eq!(snapshot.diff, repo.diff(&first, &second), "{name}");
            assert_eq!(snapshot.tree, repo.oid("HEAD^{tree}"));
            assert_eq!(snapshot.base_tree, repo.oid("HEAD~1^{tree}"));
        }
        let root = scene.snap(&repo, "HEAD~1").await.expect("a snapshot");
        assert_eq!((root.base, root.base_tree), (None, format.empty_tree()));
        assert_eq!(root.files.len(), 1);
        before.assert_same(&repo.path);
    }
}

#[tokio::test]
async fn a_range_is_what_its_commits_bring_wherever_its_beginning_has_gone() {
    for format in FORMATS {
        let scene = Scene::new().await;
        let repo = scene.with("repo", format, &[("f", "1\n"), ("g", "1\n")]);
        let base = repo.oid("HEAD");
        repo.git(&["checkout", "--quiet", "-b", "feature"]);
        repo.write("f", "2\n");
        repo.commit("two");
        repo.write("f", "3\n");
        let tip = repo.commit("three");
        let straight = scene.snap(&repo, "main..feature").await.expect("a snapshot");
        repo.git(&["checkout", "--quiet", "main"]);
        repo.write("g", "2\n");
        repo.commit("meanwhile");
        let moved = scene.snap(&repo, "main..feature").await.expect("a snapshot");
        assert_eq!(moved, straight, "what main got meanwhile is none of its doing");
        assert_eq!((moved.base, moved.commit), (Some(base), Some(tip)));
        assert!(String::from_utf8_lossy(&moved.diff).contains("-1\n+3\n"));
    }
}

#[tokio::test]
async fn a_name_that_means_a_branch_is_told_from_one_that_only_leads_to_its_commit() {
    for format in FORMATS {
        let scene = Scene::new().await;
        let repo = scene.with("repo", format, &[("f", "1\n")]);
        let main = repo.oid("main");
        repo.git(&["update-ref", "refs/remotes/origin/main", "main"]);
        repo.git(&["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main"]);
        repo.git(&["symbolic-ref", "refs/heads/alias", "refs/heads/main"]);
        repo.git(&["tag", "v1"]);
        let described = format!("v1-0-g{}", &main.as_str()[..8]);
        let before = Listing::of(&repo.path);
        let repository = scene.open(&repo).await;
        for (name, full) in [
            ("main", Some("refs/heads/main")),
            ("heads/main", Some("refs/heads/main")),
            ("HEAD", Some("refs/heads/main")),
            ("@", Some("refs/heads/main")),
            ("alias", Some("refs/heads/main")),
            ("origin", Some("refs/remotes/origin/main")),
            ("v1", Some("refs/tags/v1")),
            ("main~0", None),
            ("main^{commit}", None),
            (&described, None),
            (main.as_str(), None),
            (&main.as_str()[..8], None),
            ("nobody", None),
        ] {
            let said = repository.reference(&name.parse::<Revision>().expect("good")).await.expect(name);
            assert_eq!(said.as_deref(), full, "{name}");
        }
        before.assert_same(&repo.path);
        repo.git(&["checkout", "--quiet", "--detach"]);
        let detached = repository.reference(&Revision::head()).await.expect("an answer");
        assert_eq!(detached, None, "no branch is checked out");
    }
}

/// Two branches that have each merged the other.
pub(crate) fn criss_cross(scene: &Scene) -> Repo {
    let repo = scene.with("criss-cross", Format::Sha1, &[("f", "1\n"), ("g", "1\n")]);
    repo.git(&["checkout", "--quiet", "-b", "other"]);
    repo.write("g", "2\n");
    let other = repo.commit("g");
    repo.git(&["checkout", "--quiet", "main"]);
    repo.write("f", "2\n");
    let main = repo.commit("f");
    repo.git(&["merge", "--quiet", "--no-ff", "-m", "merge", other.as_str()]);
    repo.git(&["checkout", "--quiet", "other"]);
    repo.git(&["merge", "--quiet", "--no-ff", "-m", "merge", main.as_str()]);
    repo
}

#[tokio::test]
async fn a_range_without_one_beginning_is_refused() {
    let scene = Scene::new().await;
    let repo = scene.with("repo", Format::Sha1, &[("f", "1\n")]);
    repo.git(&["checkout", "--quiet", "--orphan", "alone"]);
    repo.commit("alone");
    let error = scene.snap(&repo, "main..alone").await.expect_err("nothing in common");
    assert!(matches!(error, Error::Parted { count: 0 }), "{error}");
    let error = scene.snap(&criss_cross(&scene), "main..other").await.expect_err("two");
    assert!(matches!(error, Error::Parted { count: 2 }), "{error}");

    let (repository, keep) = (scene.open(&repo).await, scene.objects(Format::Sha1).await);
    let what = "HEAD~0..HEAD".parse().expect("a range");
    let error = repository.snapshot(&what, Some(&Revision::head()), &keep, &Options::default()).await;
    assert_eq!(error.expect_err("it has its own").code(), "base_of_range");
}

#[tokio::test]
async fn names_that_name_no_commit_are_refused() {
    let scene = Scene::new().await;
    let repo = scene.with("repo", Format::Sha1, &[("f", "1\n")]);
    let blob = repo.oid("HEAD:f");
    for name in ["nothing", "HEAD~7", "deadbeef", blob.as_str(), &"a".repeat(64), "HEAD^{tree}", "HEAD^@"] {
        let error = scene.snap(&repo, name).await.expect_err(name);
        assert!(matches!(&error, Error::UnknownRevision { name: said } if said == name), "{name}: {error}");
    }
    repo.git(&["branch", "staged"]);
    scene.snap(&repo, "refs/heads/staged").await.expect("a branch of that name has a longer one");
}

#[tokio::test]
async fn a_short_name_that_a_tag_and_a_branch_have_is_refused() {
    let scene = Scene::new().await;
    let repo = scene.with("repo", Format::Sha1, &[("f", "1\n")]);
    repo.git(&["branch", "both"]);
    scene.snap(&repo, "both").await.expect("a branch");
    repo.git(&["tag", "both"]);
    repo.git(&["update-ref", "refs/remotes/origin/main", "HEAD"]);
    repo.git(&["tag", "origin/main"]);
    for name in ["both", "both~0", "both..HEAD", "HEAD..both", "origin/main", "origin/main^0..HEAD"] {
        let error = scene.snap(&repo, name).await.expect_err(name);
        assert_eq!(error.code(), "ambiguous_revision", "{name}: {error}");
    }
    for name in ["refs/heads/both", "refs/tags/both", "refs/remotes/origin/main", "tags/both"] {
        scene.snap(&repo, name).await.expect(name);
    }
}

#[tokio::test]
async fn attributes_hide_nothing() {
    let scene = Scene::new().await;
    let repo = scene.with("repo", Format::Sha1, &[("f.rs", "1\n"), (".gitattributes", "* binary\n*.rs -diff\n")]);
    fs::create_dir_all(repo.file(".git/info")).expect("a folder");
    fs::write(repo.file(".git/info/attributes"), "* -diff\n").expect("attributes");
    repo.write("f.rs", "2\n");
    let shown = String::from_utf8_lossy(&repo.bytes(&["diff"])).into_owned();
    assert!(shown.contains("Binary files"), "git itself says nothing of it: {shown}");
    for what in ["worktree", "staged", "HEAD", "HEAD~1..HEAD"] {
        if what == "staged" {
            repo.commit("second");
            repo.write("f.rs", "3\n");
            repo.git(&["add", "f.rs"]);
        }
        let diff = scene.snap(&repo, what).await.expect("a snapshot").diff;
        let diff = String::from_utf8_lossy(&diff).into_owned();
        assert!(diff.contains("+2\n") || diff.contains("+3\n"), "{what}: {diff}");
    }
}

#[tokio::test]
async fn replacements_and_grafts_have_no_say() {
    let scene = Scene::new().await;
    let repo = scene.with("repo", Format::Sha1, &[("f", "1\n")]);
    let first = repo.oid("HEAD");
    repo.write("f", "evil\n");
    let second = repo.commit("second");
    repo.write("f", "harmless\n");
    let harmless = repo.commit("third");
    repo.git(&["replace", second.as_str(), harmless.as_str()]);
    fs::write(repo.file(".git/info/grafts"), format!("{second}\n")).expect("a graft");
    let snapshot = scene.snap(&repo, second.as_str()).await.expect("a snapshot");
    assert_eq!(snapshot.base, Some(first));
    assert!(String::from_utf8_lossy(&snapshot.diff).contains("+evil"));
    let real = scene.snap(&repo, "HEAD~1").await.expect("a snapshot");
    assert_eq!(real.commit, Some(second), "the past is the one that was committed");
}

#[tokio::test]
async fn modes_links_submodules_and_renames_are_told_apart() {
    let scene = Scene::new().await;
    scene.with("lib", Format::Sha1, &[("l", "1")]);
    let repo = scene.with("repo", Format::Sha1, &[("a", "1\n2\n3\n4\n5\n6\n"), ("x", "1\n"), ("y", "1\n")]);
    repo.git(&["mv", "a", "b"]);
    repo.executable("x", true);
    fs::remove_file(repo.file("y")).expect("it was there");
    std::os::unix::fs::symlink("b", repo.file("y")).expect("a link");
    repo.git(&["submodule", "--quiet", "add", "../lib", "sub"]);
    repo.commit("second");
    let snapshot = scene.snap(&repo, "HEAD").await.expect("a snapshot");
    let looks: Vec<_> = snapshot
        .files
        .iter()
        .map(|change| {
            let mode = |entry: &Option<gate_git::Entry>| entry.as_ref().map(|entry| entry.mode);
            let old = change.old_path.as_ref().map(RepoPath::to_string);
            (change.path.to_string(), old, mode(&change.old), mode(&change.new))
        })
        .collect();
    let file = Some(Mode::File);
    assert_eq!(
        looks,
        [
            (".gitmodules".into(), None, None, file),
            ("b".into(), Some("a".into()), file, file),
            ("sub".into(), None, None, Some(Mode::Submodule)),
            ("x".into(), None, file, Some(Mode::Executable)),
            ("y".into(), None, file, Some(Mode::Link)),
        ]
    );
    let manifest = serde_json::to_value(snapshot.manifest()).expect("JSON");
    let paths: Vec<_> = manifest["files"].as_array().expect("rows").iter().map(|row| row[0].clone()).collect();
    assert_eq!(paths, [".gitmodules", "a", "b", "sub", "x", "y"], "both ends of a rename");
    assert_eq!(manifest["files"][1][1], serde_json::Value::Null, "it went");
    assert_eq!(manifest["files"][4], serde_json::json!(["x", "100755", repo.oid("HEAD:x"), repo.oid("HEAD:x")]));
    assert_eq!(manifest["tree"], serde_json::json!(repo.oid("HEAD^{tree}")));
}

#[tokio::test]
async fn a_bare_remote_shows_what_was_pushed() {
    let scene = Scene::new().await;
    let repo = scene.with("repo", Format::Sha1, &[("f", "1\n")]);
    repo.git(&["clone", "--quiet", "--bare", ".", "../remote.git"]);
    repo.write("f", "2\n");
    let pushed = repo.commit("second");
    repo.git(&["push", "--quiet", "../remote.git", "main"]);
    let remote = scene.at("remote.git");
    let before = Listing::of(&remote.path);
    let snapshot = scene.snap(&remote, "HEAD~1..main").await.expect("a snapshot");
    assert_eq!(snapshot.commit, Some(pushed));
    before.assert_same(&remote.path);
}

#[tokio::test]
async fn what_a_shallow_or_a_partial_clone_lacks_is_named_and_not_fetched() {
    let scene = Scene::new().await;
    let repo = scene.with("repo", Format::Sha1, &[("f", "1\n"), ("same", "1\n")]);
    repo.write("f", "2\n");
    repo.commit("second");
    repo.write("f", "3\n");
    repo.commit("third");
    repo.git(&["config", "uploadpack.allowFilter", "true"]);
    let url = format!("file://{}", repo.path.display());

    repo.git(&["clone", "--quiet", "--depth=1", &url, "../shallow"]);
    let shallow = scene.at("shallow");
    let error = scene.snap(&shallow, "HEAD").await.expect_err("its parent isn't there");
    assert!(matches!(error, Error::Missing { cut: true, .. }), "{error}");
    shallow.write("f", "4\n");
    let snapshot = scene.snap(&shallow, "worktree").await.expect("what is there is enough for that");
    assert!(String::from_utf8_lossy(&snapshot.diff).contains("-3\n+4\n"));

    repo.git(&["clone", "--quiet", "--filter=blob:none", &url, "../partial"]);
    let partial = scene.at("partial");
    let before = Listing::of(&partial.path);
    let error = scene.snap(&partial, "HEAD~1").await.expect_err("its contents aren't there");
    assert!(matches!(error, Error::Missing { cut: true, .. }), "{error}");
    before.assert_same(&partial.path);
    partial.write("f", "4\n");
    let snapshot = scene.snap(&partial, "worktree").await.expect("what is there is enough for that");
    assert_eq!(snapshot.tree, partial.staged_tree());
}
