//! History: ranges, what a branch has, merges and rebases that git makes again.

use gate_git::{Format, Oid, Options};

use crate::commits::criss_cross;
use crate::scene::{FORMATS, Listing, Repo, Scene};

fn oids<'a>(commits: impl IntoIterator<Item = &'a gate_git::Commit>) -> Vec<Oid> {
    commits.into_iter().map(|commit| commit.oid.clone()).collect()
}

/// `main` and `feature`, each with a commit of its own.
fn forked(scene: &Scene, format: Format) -> Repo {
    let lines: String = (1..=20).map(|line| format!("{line}\n")).collect();
    let repo = scene.with("repo", format, &[("f", &lines), ("g", "1\n")]);
    repo.git(&["checkout", "--quiet", "-b", "feature"]);
    repo.write("f", lines.replace("20\n", "twenty\n"));
    repo.commit("twenty");
    repo.git(&["checkout", "--quiet", "main"]);
    repo.write("f", lines.replacen("1\n", "one\nand a half\n", 1));
    repo.commit("one");
    repo
}

#[tokio::test]
async fn commits_have_their_trees_and_parents() {
    for format in FORMATS {
        let scene = Scene::new().await;
        let repo = forked(&scene, format);
        repo.git(&["merge", "--quiet", "--no-ff", "-m", "merge", "feature"]);
        let before = Listing::of(&repo.path);
        let repository = scene.open(&repo).await;
        let commit = repository.commit(&repo.oid("HEAD")).await.expect("a commit");
        assert_eq!(commit.tree, repo.oid("HEAD^{tree}"));
        assert_eq!(commit.parents, [repo.oid("HEAD^1"), repo.oid("HEAD^2")]);
        let root = repository.commit(&repo.oid("HEAD~2")).await.expect("a commit");
        assert_eq!(root.parents, []);
        let error = repository.commit(&repo.oid("HEAD^{tree}")).await.expect_err("a tree");
        assert_eq!(error.code(), "missing", "a tree is no commit");
        before.assert_same(&repo.path);
    }
}

#[tokio::test]
async fn a_range_has_its_commits_in_order_and_what_they_stand_on() {
    let scene = Scene::new().await;
    let repo = forked(&scene, Format::Sha1);
    let (base, main, feature) = (repo.oid("HEAD~1"), repo.oid("main"), repo.oid("feature"));
    repo.git(&["merge", "--quiet", "--no-ff", "-m", "merge", "feature"]);
    let repository = scene.open(&repo).await;
    let range = repository.range(&base, &repo.oid("HEAD")).await.expect("a range");
    assert_eq!(range.commits.len(), 3);
    assert_eq!(oids(range.commits.last()), [repo.oid("HEAD")], "a parent before its children");
    assert_eq!(range.before, std::slice::from_ref(&base));
    let range = repository.range(&main, &repo.oid("HEAD")).await.expect("a range");
    assert_eq!(oids(&range.commits), [feature, repo.oid("HEAD")]);
    assert!(range.before.contains(&main) && range.before.contains(&base));
    let range = repository.range(&main, &base).await.expect("a range");
    assert_eq!((range.commits.len(), range.before.len()), (0, 0), "nothing is new");
    let past = repository.past(&repo.oid("HEAD")).await.expect("a range");
    assert_eq!((past.commits.len(), past.before.len()), (4, 0), "all of it");
    assert_eq!(oids(past.commits.first()), [base], "from its first commit on");
}

#[tokio::test]
async fn a_branch_has_what_lies_in_its_past() {
    let scene = Scene::new().await;
    let repo = forked(&scene, Format::Sha1);
    let (base, main, feature) = (repo.oid("main~1"), repo.oid("main"), repo.oid("feature"));
    let repository = scene.open(&repo).await;
    assert!(repository.has(&main, &main).await.expect("an answer"));
    assert!(repository.has(&main, &base).await.expect("an answer"));
    assert!(!repository.has(&main, &feature).await.expect("an answer"));
    assert!(!repository.has(&base, &main).await.expect("an answer"));
    repo.git(&["merge", "--quiet", "--no-ff", "-m", "merge", "feature"]);
    assert!(repository.has(&repo.oid("main"), &feature).await.expect("an answer"), "by the second parent");
}

#[tokio::test]
async fn a_merge_that_git_makes_by_itself_is_made_again() {
    for format in FORMATS {
        let scene = Scene::new().await;
        let repo = forked(&scene, format);
        let (main, feature) = (repo.oid("main"), repo.oid("feature"));
        repo.git(&["merge", "--quiet", "--no-ff", "-m", "merge", "feature"]);
        let before = Listing::of(&repo.path);
        let repository = scene.open(&repo).await;
        let made = repository.merged(&main, &feature).await.expect("an answer");
        assert_eq!(made, Some(repo.oid("HEAD^{tree}")));
        before.assert_same(&repo.path);

        repo.write("g", "something else\n");
        repo.git(&["commit", "--quiet", "--all", "--amend", "-m", "an evil merge"]);
        assert_ne!(made, Some(repo.oid("HEAD^{tree}")), "what was slipped in isn't git's");
    }
}

#[tokio::test]
async fn a_merge_with_renames_and_folders_is_made_again() {
    let scene = Scene::new().await;
    let text = "1\n2\n3\n4\n5\n6\n7\n8\n";
    let repo = scene.with("repo", Format::Sha1, &[("lib/a", text), ("lib/b", text), ("x", "1\n"), ("y/z/w", "1\n")]);
    repo.git(&["checkout", "--quiet", "-b", "feature"]);
    repo.git(&["mv", "lib", "src"]);
    repo.commit("a folder is renamed");
    repo.git(&["checkout", "--quiet", "main"]);
    repo.write("lib/a", text.replace('8', "eight"));
    repo.commit("meanwhile");
    repo.git(&["merge", "--quiet", "--no-ff", "-m", "merge", "feature"]);
    let made = scene.open(&repo).await.merged(&repo.oid("HEAD^1"), &repo.oid("HEAD^2")).await.expect("an answer");
    assert_eq!(made, Some(repo.oid("HEAD^{tree}")));
}

#[tokio::test]
async fn what_git_does_not_merge_by_itself_is_not_made_again() {
    let scene = Scene::new().await;
    let repo = scene.with("repo", Format::Sha1, &[("f", "1\n")]);
    repo.git(&["checkout", "--quiet", "-b", "other"]);
    repo.write("f", "2\n");
    let other = repo.commit("two");
    repo.git(&["checkout", "--quiet", "main"]);
    repo.write("f", "3\n");
    let main = repo.commit("three");
    assert_eq!(scene.open(&repo).await.merged(&main, &other).await.expect("an answer"), None, "they conflict");
    let repo = criss_cross(&scene);
    let made = scene.open(&repo).await.merged(&repo.oid("main"), &repo.oid("other")).await.expect("an answer");
    assert_eq!(made, None, "several bases are merged first, which isn't done here");
}

#[tokio::test]
async fn a_rebase_is_the_same_patch_and_the_tree_that_git_makes() {
    for format in FORMATS {
        let scene = Scene::new().await;
        let repo = forked(&scene, format);
        let (base, old) = (repo.oid("main~1"), repo.oid("feature"));
        repo.git(&["rebase", "--quiet", "main", "feature"]);
        let (onto, new) = (repo.oid("main"), repo.oid("feature"));
        let before = Listing::of(&repo.path);
        let repository = scene.open(&repo).await;
        let options = Options::default();
        let trees = repository.commits(&[base.clone(), old.clone(), onto.clone(), new.clone()]).await.expect("commits");
        let trees: Vec<Oid> = trees.into_iter().map(|commit| commit.tree).collect();
        let approved = repository.patch(&trees[0], &trees[1], &options).await.expect("a patch");
        let rebased = repository.patch(&trees[2], &trees[3], &options).await.expect("a patch");
        assert!(approved.is_some());
        assert_eq!(approved, rebased, "the same patch, further down");
        assert_eq!(repository.rebased(&base, &old, &onto).await.expect("an answer"), Some(trees[3].clone()));
        before.assert_same(&repo.path);

        repo.write("f", repo.git(&["show", "HEAD:f"]).replace("twenty", "twenty ") + "\n");
        repo.git(&["commit", "--quiet", "--all", "--amend", "-m", "twenty"]);
        let other = repository.patch(&trees[2], &repo.oid("HEAD^{tree}"), &options).await.expect("a patch");
        assert_ne!(other, approved, "to the byte");
        // The same tree on the newer base takes back what others did there.
        let undone = repository.patch(&trees[2], &trees[1], &options).await.expect("a patch");
        assert_ne!(undone, approved);
    }
}
