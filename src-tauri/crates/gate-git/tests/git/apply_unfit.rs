//! Proposals that don't fit, not any more, or aren't taken: what is said of them, which is of the proposal alone.

use std::fs;
use std::os::unix::fs::symlink;

use gate_git::{Applied, Fits, Format, Misfit, Mode, Options, Proposal, RepoPath, Unfit, Warning, Way};

use crate::apply::{edited, fits, line, of, proposed, unfit};
use crate::scene::Scene;

#[tokio::test]
async fn of_a_work_tree_nothing_is_read_that_is_elsewhere() {
    let scene = Scene::new().await;
    let repo = scene.with("repo", Format::Sha1, &[("f", "1\n"), ("folder/x", "1\n")]);
    fs::create_dir(scene.path().join("elsewhere")).expect("a folder");
    fs::write(scene.path().join("elsewhere/secret"), "secret\n").expect("a file");
    symlink("../elsewhere", repo.file("link")).expect("a link");
    symlink("../elsewhere/secret", repo.file("secret")).expect("a link");
    let inner = scene.with("repo/inner", Format::Sha1, &[("secret", "secret\n")]);
    for path in ["link/secret", "secret", "inner/secret"] {
        let misfit = unfit(proposed(&scene, &repo, line(path, "secret", "public")).await);
        assert_eq!(misfit.path, RepoPath::new(path), "what isn't the repository's own isn't found");
    }
    let made = std::process::Command::new("mkfifo").arg(repo.file("pipe")).status().expect("mkfifo runs");
    assert!(made.success(), "a pipe");
    unfit(proposed(&scene, &repo, line("pipe", "1", "2")).await);
    // The link itself is the repository's.
    let link = "diff --git a/secret b/secret\nindex 1..2 120000\n--- a/secret\n+++ b/secret\n@@ -1 +1 @@\n\
                -../elsewhere/secret\n\\ No newline at end of file\n+f\n\\ No newline at end of file\n";
    let made = proposed(&scene, &repo, link).await.expect("it fits");
    assert_eq!((made.way, of(&made, b"secret").0), (Way::Worktree, Some(Mode::Link)));
    drop(inner);
}

#[tokio::test]
async fn a_file_in_a_folders_place_or_the_other_way_round_doesnt_fit() {
    let new = |path: &str| format!("--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+1\n");
    let gone = |path: &str| format!("--- a/{path}\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n");
    for in_worktree in [false, true] {
        let scene = Scene::new().await;
        let files = [("f", "1\n"), ("folder/a", "1\n"), ("folder/b/c", "1\n"), ("folder/b/d", "1\n")];
        let repo = scene.with("repo", Format::Sha1, &[("other", "1\n")]);
        repo.write_all(&files);
        symlink("folder", repo.file("link")).expect("a link");
        // To be sure that it fits in this way alone, each begins with a line that only this has.
        if in_worktree {
            repo.write("other", "2\n");
        } else {
            repo.commit("files");
        }
        let begins = if in_worktree { line("other", "2", "3") } else { line("other", "1", "3") };
        for (diff, why) in [
            (new("folder"), Misfit::Folder),
            (new("folder/b"), Misfit::Folder),
            (new("folder/b") + &gone("folder/b/c"), Misfit::Folder),
            (new("f/x"), Misfit::Folder),
            (new("f/x/y"), Misfit::Folder),
            (new("link/x"), Misfit::Link),
            (new("f"), Misfit::There),
            (gone("nothing"), Misfit::Missing),
            (line("f/x", "1", "2"), Misfit::Missing),
            (line("folder/b", "1", "2"), Misfit::Missing),
            (new("x") + &new("x/y"), Misfit::Folder),
        ] {
            let misfit = unfit(proposed(&scene, &repo, begins.clone() + &diff).await);
            let expected = if in_worktree { Misfit::Lines } else { why };
            assert_eq!(misfit.why, expected, "{diff}: {misfit:?}");
        }
        for diff in [
            new("folder/b") + &gone("folder/b/c") + &gone("folder/b/d"),
            gone("f") + &new("f/x"),
            gone("folder/a") + &gone("folder/b/c") + &gone("folder/b/d") + &new("folder"),
        ] {
            let made = proposed(&scene, &repo, begins.clone() + &diff).await;
            let made = made.unwrap_or_else(|error| unreachable!("{in_worktree} {diff}: {error}"));
            assert_eq!(made.way == Way::Worktree, in_worktree, "{diff}");
        }
    }
}

#[tokio::test]
async fn what_doesnt_fit_is_named_by_the_proposal_alone() {
    let scene = Scene::new().await;
    let repo = scene.with("repo", Format::Sha1, &[("a", "1\n"), ("f", "SECRET\nSECRET 2\n"), ("z", "1\n")]);
    repo.write("binary", [0, 1]);
    symlink("a", repo.file("link")).expect("a link");
    repo.commit("more");
    let second = "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n-SECRET\n+1\n SECRET 2\n@@ -7,2 +7,2 @@\n x\n-y\n+z\n";
    let misfit = unfit(proposed(&scene, &repo, line("a", "1", "2") + second + &line("z", "0", "1")).await);
    assert_eq!((misfit.path, misfit.why, misfit.hunk), (RepoPath::new("f"), Misfit::Lines, Some((2, 7))));
    let (binary, _) = edited(&repo, |copy| copy.write("binary", [0, 2]));
    repo.write("binary", [0, 3]);
    repo.commit("another");
    let misfit = unfit(proposed(&scene, &repo, binary).await);
    assert_eq!((misfit.path, misfit.why), (RepoPath::new("binary"), Misfit::Contents));
    let as_file = "diff --git a/link b/link\nold mode 100644\nnew mode 100755\n";
    assert_eq!(unfit(proposed(&scene, &repo, as_file).await).why, Misfit::Kind);
    // Of many complaints the first one is the one that is told.
    let many: String = (0..300).map(|number| line(&format!("no-such-file-of-this-name-{number}"), "1", "2")).collect();
    assert_eq!(unfit(proposed(&scene, &repo, many).await).path, RepoPath::new("no-such-file-of-this-name-0"));
    for diff in [line("f", "x", "y"), second.replace("-SECRET", "-x"), line("f", "SECRE", "y")] {
        let error = proposed(&scene, &repo, diff).await.expect_err("it doesn't fit");
        assert!(!format!("{error} {error:?}").contains("SECRET"), "{error:?}");
    }
}

#[tokio::test]
async fn what_was_proposed_may_fit_no_more() {
    let scene = Scene::new().await;
    let repo = scene.with("repo", Format::Sha1, &[("f", "1\n"), ("g", "1\n")]);
    let diff = line("f", "1", "2");
    assert_eq!(fits(&scene, &repo, &diff).await, Fits::Forward);
    repo.write("g", "2\n");
    repo.commit("another file");
    assert_eq!(fits(&scene, &repo, &diff).await, Fits::Forward, "another file is none of its own");
    repo.write("f", "2\n");
    repo.commit("the same");
    assert_eq!(fits(&scene, &repo, &diff).await, Fits::Reverse);
    repo.write("f", "3\n");
    let head = repo.commit("something else");
    let neither = fits(&scene, &repo, &diff).await;
    let is_told = |unfit: &Unfit| unfit.path == RepoPath::new("f") && unfit.head.as_ref() == Some(&head);
    assert!(matches!(&neither, Fits::Neither(unfit) if is_told(unfit)), "{neither:?}");
}

#[tokio::test]
async fn what_only_git_refuses_is_refused() {
    let scene = Scene::new().await;
    let repo = scene.with("repo", Format::Sha1, &[("f", "1\n"), ("binary", "1\n")]);
    let link = "diff --git a/.gitmodules b/.gitmodules\nnew file mode 120000\n--- /dev/null\n+++ b/.gitmodules\n\
                @@ -0,0 +1 @@\n+f\n\\ No newline at end of file\n";
    let oid = "1".repeat(40);
    let garbled =
        format!("diff --git a/binary b/binary\nindex {oid}..{oid} 100644\nGIT binary patch\nliteral 9\nnonsense\n\n");
    let same = "diff --git a/f b/f\nold mode 100644\nnew mode 100644\n";
    let to_and_fro = line("f", "1", "2") + &line("f", "2", "1");
    let new_of_old = "diff --git a/x b/x\nnew file mode 100644\n--- /dev/null\n+++ b/x\n@@ -1 +1 @@\n-1\n+2\n";
    let unreadable = [link, &garbled, same, new_of_old].map(|diff| (diff, "diff_unreadable"));
    for (diff, code) in unreadable.into_iter().chain([(&*to_and_fro, "diff_empty")]) {
        let error = proposed(&scene, &repo, diff).await.expect_err(diff);
        assert_eq!(error.code(), code, "{diff}: {error}");
    }
}

#[tokio::test]
async fn bounds_hold() {
    let scene = Scene::new().await;
    let repo = scene.with("repo", Format::Sha1, &[("large", &"line\n".repeat(1000)), ("g", "1\n")]);
    let (repository, keep) = (scene.open(&repo).await, scene.objects(Format::Sha1).await);
    let read = |diff: &str| Proposal::read(diff.as_bytes(), 10).expect("a diff");
    let (one, two) = (read(&line("g", "1", "2")), read(&(line("g", "1", "2") + &line("h", "1", "2"))));
    let few = Options { files: 1, ..Options::default() };
    repository.apply(&one, None, Applied::Proposed, &keep, &few).await.expect("one file");
    let error = repository.apply(&two, None, Applied::Proposed, &keep, &few).await.expect_err("two files");
    assert_eq!(error.code(), "diff_too_many");
    let small = Options { content_bytes: 1000, ..Options::default() };
    repository.apply(&one, None, Applied::Proposed, &keep, &small).await.expect("a small file");
    let large = read(&format!("--- a/large\n+++ b/large\n@@ -1,4 +1,4 @@\n-line\n+2\n{}", " line\n".repeat(3)));
    let error = repository.apply(&large, None, Applied::Proposed, &keep, &small).await.expect_err("a large one");
    assert_eq!(error.code(), "too_large");
    repo.write("large", "other\n".repeat(1000));
    let error = repository.fits(&large, &small).await.expect_err("a large one");
    assert_eq!(error.code(), "too_large");
}

#[tokio::test]
async fn as_many_files_as_there_may_be_fit_at_once() {
    let scene = Scene::new().await;
    let repo = scene.repo("repo", Format::Sha1);
    let path = |number: usize| {
        format!("a-folder-of-some-length/{}/{}/a-file-of-some-length-{number}", number % 7, number % 70)
    };
    (0..gate_git::FILES).for_each(|number| repo.write(&path(number), "1\n"));
    repo.commit("many");
    let (diff, tree) = edited(&repo, |copy| (0..gate_git::FILES).for_each(|number| copy.write(&path(number), "2\n")));
    let made = proposed(&scene, &repo, &diff).await.expect("it fits");
    assert_eq!((made.tree(), made.files.len()), (Some(&tree), gate_git::FILES));
    let one_more = [&diff[..], line("one-more", "1", "2").as_bytes()].concat();
    let error = proposed(&scene, &repo, one_more).await.expect_err("one more");
    assert_eq!(error.code(), "diff_too_many");
}

#[tokio::test]
async fn what_is_within_a_submodule_is_of_another_repository() {
    let scene = Scene::new().await;
    scene.with("lib", Format::Sha1, &[("l", "1\n")]);
    let repo = scene.with("repo", Format::Sha1, &[("f", "1\n")]);
    repo.git(&["submodule", "--quiet", "add", "../lib", "sub"]);
    repo.commit("with a submodule");
    let new = "--- /dev/null\n+++ b/sub/new\n@@ -0,0 +1 @@\n+1\n";
    for (diff, why) in [(line("sub/l", "1", "2"), Misfit::Missing), (new.to_owned(), Misfit::Folder)] {
        let misfit = unfit(proposed(&scene, &repo, diff).await);
        assert_eq!((misfit.why, misfit.head), (why, Some(repo.oid("HEAD"))));
    }
    let oid = |digit: &str| digit.repeat(40);
    let here = repo.git(&["rev-parse", ":sub"]);
    let to = |from: &str| {
        let (index, lines) = (format!("index {from}..{} 160000", oid("2")), "@@ -1 +1 @@");
        let hunk = format!("{lines}\n-Subproject commit {from}\n+Subproject commit {}\n", oid("2"));
        format!("diff --git a/sub b/sub\n{index}\n--- a/sub\n+++ b/sub\n{hunk}")
    };
    let made = proposed(&scene, &repo, to(&here)).await.expect("it fits");
    assert_eq!(made.warnings, [Warning::Submodule(RepoPath::new("sub"))], "whoever looks at it is told");
    assert_eq!(unfit(proposed(&scene, &repo, to(&oid("1"))).await).why, Misfit::Lines, "it is at another commit");
}
