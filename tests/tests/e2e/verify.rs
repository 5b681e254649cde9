//! `review-gate verify` with real git: what was approved is good as it was shown, and nothing else is. The receipts are
//! written by the tests, line by line, as another implementation would; `whole_way.rs` goes through a gate.

mod hooks;
mod noted;
mod sandbox;
mod scene;
mod whole_way;

use std::fs;

use anyhow::Result;
use gate_tests::Ran;
use serde_json::json;

use scene::{APPROVED, DAY, MINUTE, Making, Scene};

#[tokio::test]
async fn a_commit_is_good_as_it_was_shown_and_another_is_refused_with_both_trees() -> Result<()> {
    let mut scene = Scene::new().await?;
    let receipt = scene.approved_commit("b.txt", "two\n").await?;
    let said = scene.good(&[]).await?;
    assert_eq!((&said["how"], &said["receipts"][0]["receipt"]), (&json!("as_shown"), &json!(receipt)));
    assert_eq!(said["receipts"][0]["level"], "L1");
    let text = scene.verify(&["HEAD"]).await?.succeeded()?.stdout;
    for part in [&receipt, "in the window, L1", &scene.tree("HEAD").await?, &scene.tree("HEAD~1").await?] {
        assert!(text.contains(part), "{part} is said: {text}");
    }
    scene.good(&[&receipt]).await?;
    scene.good(&["--tree", &scene.tree("HEAD").await?]).await?;
    assert_eq!(scene.refused(&["HEAD~1"]).await?, "nothing", "nobody has approved the first");

    let approved = scene.tree("HEAD").await?;
    scene.git(&["reset", "--quiet", "--hard", "HEAD~1"]).await?;
    scene.write("b.txt", "two and more\n")?;
    scene.commit("another").await?;
    assert_eq!(scene.refused(&[]).await?, "other_tree");
    let ran = scene.verify(&[]).await?;
    assert_eq!((ran.code, &*ran.stdout), (Some(1), ""));
    for part in ["NOT APPROVED", &approved, &scene.tree("HEAD").await?, "was approved, this is", "Ask for an approval"]
    {
        assert!(ran.stderr.contains(part), "{part} is said: {ran:?}");
    }
    Ok(())
}

#[tokio::test]
async fn wrong_usage_and_what_cannot_be_read_are_told_from_what_is_not_approved() -> Result<()> {
    let scene = Scene::new().await?;
    for words in [&["--staged", "HEAD"][..], &["--require", "L9"], &["--base", "x"]] {
        assert_eq!(scene.verify(words).await?.code, Some(2), "{words:?}");
    }
    for (words, code) in
        [(&["nothing"][..], "invalid_input"), (&["a...b"], "invalid_input"), (&["--tree", "x"], "invalid_input")]
    {
        let ran = scene.verify(words).await?;
        assert!(ran.code == Some(4) && ran.stderr.contains(code), "{words:?}: {ran:?}");
    }
    let ran = scene.verify_in(scene.home.folder(), &[]).await?;
    assert!(ran.code == Some(4) && ran.stderr.contains("isn't in a git repository"), "{ran:?}");
    let ran = scene.verify(&[]).await?;
    assert!(ran.code == Some(1) && ran.stderr.contains("no receipts yet"), "{ran:?}");
    Ok(())
}

#[tokio::test]
async fn amending_keeps_an_approval_only_where_nothing_changes() -> Result<()> {
    let mut scene = Scene::new().await?;
    scene.approved_commit("b.txt", "two\n").await?;
    scene.git(&["commit", "--quiet", "--amend", "--message", "another message"]).await?;
    scene.good(&[]).await?;
    scene.good(&["--staged"]).await?;

    scene.write("b.txt", "three\n")?;
    scene.git(&["add", "--all"]).await?;
    let receipt = scene.approve_staged().await?;
    assert_eq!(scene.good(&["--staged"]).await?["receipts"][0]["receipt"], json!(receipt));
    scene.git(&["commit", "--quiet", "--amend", "--no-edit"]).await?;
    assert_eq!(scene.good(&[]).await?["how"], "joined", "in two steps, each of which was shown");

    scene.write("b.txt", "four\n")?;
    scene.git(&["commit", "--quiet", "--all", "--amend", "--no-edit"]).await?;
    assert_eq!(scene.refused(&[]).await?, "other_tree");
    Ok(())
}

#[tokio::test]
async fn the_same_tree_on_a_newer_base_would_undo_what_others_did() -> Result<()> {
    let mut scene = Scene::new().await?;
    scene.write("b.txt", "mine\n")?;
    scene.git(&["add", "--all"]).await?;
    scene.approve_staged().await?;
    let approved = scene.git(&["write-tree"]).await?;
    scene.git(&["reset", "--quiet", "--hard"]).await?;
    scene.write("a.txt", "somebody's fix\n")?;
    scene.commit("a fix").await?;
    let commit = scene.git(&["commit-tree", &approved, "-p", "HEAD", "-m", "mine"]).await?;
    assert_eq!(scene.refused(&[&commit]).await?, "other_base");
    scene.git(&["read-tree", &approved]).await?;
    assert_eq!(scene.refused(&["--staged"]).await?, "other_base");
    Ok(())
}

#[tokio::test]
async fn a_rebase_is_the_same_patch_only_where_that_is_asked_for() -> Result<()> {
    let mut scene = Scene::new().await?;
    scene.git(&["checkout", "--quiet", "-b", "feature"]).await?;
    let text = fs::read_to_string(scene.repo.join("a.txt"))?;
    scene.approved_commit("a.txt", &text.replace("20\n", "twenty\n")).await?;
    scene.git(&["checkout", "--quiet", "main"]).await?;
    scene.write("a.txt", &text.replacen("1\n", "one\nand a half\n", 1))?;
    scene.commit("meanwhile").await?;
    scene.git(&["rebase", "--quiet", "main", "feature"]).await?;
    assert_eq!(scene.refused(&[]).await?, "nothing");
    let said = scene.good(&["--rebased"]).await?;
    assert_eq!(said["how"], "rebased");
    let text = scene.verify(&["--rebased"]).await?.succeeded()?.stdout;
    assert!(text.contains("the same patch to the byte"), "it says so: {text}");
    scene.good(&["main..feature", "--rebased"]).await?;

    let changed = fs::read_to_string(scene.repo.join("a.txt"))?.replace("twenty", "twenty ");
    scene.write("a.txt", &changed)?;
    scene.git(&["commit", "--quiet", "--all", "--amend", "--no-edit"]).await?;
    assert_eq!(scene.refused(&["--rebased"]).await?, "nothing", "to the byte");
    Ok(())
}

#[tokio::test]
async fn a_merge_is_good_where_git_makes_it_again_of_what_counts() -> Result<()> {
    let mut scene = Scene::new().await?;
    scene.git(&["checkout", "--quiet", "-b", "feature"]).await?;
    scene.approved_commit("b.txt", "two\n").await?;
    scene.git(&["checkout", "--quiet", "main"]).await?;
    scene.write("a.txt", "somebody's\n")?;
    scene.commit("meanwhile").await?;
    scene.git(&["checkout", "--quiet", "feature"]).await?;
    scene.git(&["merge", "--quiet", "--no-ff", "--message", "merge", "main"]).await?;
    assert_eq!(scene.refused(&[]).await?, "parent", "nobody has approved what main got");
    assert_eq!(scene.good(&["--protected", "main"]).await?["how"], "merged");
    assert_eq!(scene.good(&["main..feature"]).await?["commits"], 2);

    scene.write("b.txt", "slipped in\n")?;
    scene.git(&["commit", "--quiet", "--all", "--amend", "--no-edit"]).await?;
    assert_eq!(scene.refused(&["--protected", "main"]).await?, "merge");
    assert_eq!(scene.refused(&["main..feature"]).await?, "merge");
    scene.git(&["reset", "--quiet", "--hard", "HEAD^1"]).await?;
    scene.git(&["merge", "--quiet", "--strategy", "ours", "--message", "ours", "main"]).await?;
    assert_eq!(scene.refused(&["--protected", "main"]).await?, "merge", "it drops main's work, which no diff shows");
    Ok(())
}

#[tokio::test]
async fn the_receipts_of_a_range_have_to_join() -> Result<()> {
    let mut scene = Scene::new().await?;
    let first = scene.git(&["rev-parse", "HEAD"]).await?;
    let range = format!("{first}..HEAD");
    assert_eq!(scene.good(&[&range]).await?["commits"], 0, "nothing is new");
    scene.approved_commit("b.txt", "two\n").await?;
    scene.approved_commit("b.txt", "three\n").await?;
    let said = scene.good(&[&range]).await?;
    assert_eq!((&said["commits"], said["receipts"].as_array().map(Vec::len)), (&json!(2), Some(2)));

    scene.write("b.txt", "four\n")?;
    scene.commit("nobody saw it").await?;
    let gap = scene.git(&["rev-parse", "HEAD"]).await?;
    scene.approved_commit("b.txt", "five\n").await?;
    scene.good(&["HEAD"]).await?;
    let ran = scene.verify(&[&range]).await?;
    assert!(ran.code == Some(1) && ran.stderr.contains(&gap[..12]), "it names the gap: {ran:?}");

    let (base, tree) = (scene.tree(&first).await?, scene.tree("HEAD").await?);
    scene.give(&base, &tree, APPROVED).await?;
    let said = scene.good(&[&range]).await?;
    assert_eq!(said["commits_within"], 1, "all of it was shown at once: {said}");
    Ok(())
}

#[tokio::test]
async fn only_an_approval_that_counts_now_does() -> Result<()> {
    for (making, code) in [
        (Making { held: 60 * MINUTE, ..APPROVED }, "held"),
        (Making { at: -31 * DAY, ..APPROVED }, "expired"),
        (Making { level: "L0", given: "script", ..APPROVED }, "level"),
        (Making { decision: "changes_requested", ..APPROVED }, "changes_requested"),
    ] {
        let mut scene = Scene::new().await?;
        scene.write("b.txt", "two\n")?;
        scene.commit("second").await?;
        let (base, tree) = (scene.tree("HEAD~1").await?, scene.tree("HEAD").await?);
        let receipt = scene.give(&base, &tree, making).await?;
        assert_eq!(scene.refused(&[]).await?, code);
        assert_eq!(scene.refused(&[&receipt]).await?, code, "the receipt itself says the same");
        match code {
            "expired" => drop(scene.good(&["--protected", "main"]).await?),
            "level" => drop(scene.good(&["--require", "L0"]).await?),
            _ => {}
        }
        let good = scene.give(&base, &tree, APPROVED).await?;
        scene.good(&[]).await?;
        assert_eq!(scene.refused(&["--require", "L2"]).await?, "level");
        scene.withdraw(&good).await?;
        assert_eq!(scene.refused(&[&good]).await?, "withdrawn");
        assert!(!scene.refused(&[]).await?.is_empty(), "neither of the two counts");
    }
    Ok(())
}

#[tokio::test]
async fn a_line_that_was_changed_is_no_receipt_any_more() -> Result<()> {
    let mut scene = Scene::new().await?;
    scene.approved_commit("b.txt", "two\n").await?;
    scene.approved_commit("b.txt", "three\n").await?;
    let log = scene.home.path().join("receipts.log");
    let text = fs::read_to_string(&log)?;
    fs::write(&log, text.replacen("\"given\":\"desktop\"", "\"given\":\"browser\"", 1))?;
    let ran = scene.verify(&["HEAD~1"]).await?;
    assert!(ran.code == Some(1) || ran.stderr.contains("is damaged"), "{ran:?}");
    let ran = scene.verify(&["HEAD"]).await?;
    assert!(ran.stderr.contains("is damaged"), "whatever counts, it is said: {ran:?}");
    Ok(())
}

#[tokio::test]
async fn what_is_staged_is_looked_at_in_work_trees_with_line_ends_and_in_parts() -> Result<()> {
    let mut scene = Scene::new().await?;
    scene.write(".gitattributes", "* text=auto eol=crlf\n")?;
    scene.commit("line ends").await?;
    scene.write("b.txt", "two\r\nthree\r\n")?;
    scene.git(&["add", "b.txt"]).await?;
    scene.approve_staged().await?;
    scene.write("a.txt", "not staged\n")?;
    scene.good(&["--staged"]).await?;
    scene.git(&["commit", "--quiet", "--message", "in part", "--", "b.txt"]).await?;
    scene.good(&["HEAD"]).await?;

    scene.git(&["worktree", "add", "--quiet", "../linked", "-b", "linked"]).await?;
    let linked = scene.home.workspace().join("linked");
    fs::write(linked.join("b.txt"), "four\r\n")?;
    Ran::of(scene.command(&linked, &["add", "b.txt"])).await?.succeeded()?;
    assert_eq!(scene.verify_in(&linked, &["--staged"]).await?.code, Some(1));
    let tree = Ran::of(scene.command(&linked, &["write-tree"])).await?.succeeded()?.stdout.trim().to_owned();
    let base = scene.tree("HEAD").await?;
    scene.give(&base, &tree, APPROVED).await?;
    assert_eq!(scene.verify_in(&linked, &["--staged"]).await?.code, Some(0));
    Ok(())
}
