//! Hooks of git: commits and pushes of agents, and a hook that was there before.

use std::fs;

use anyhow::{Context as _, Result};
use gate_tests::{Ran, Terminal};
use tokio::process::Command;

use super::scene::{APPROVED, Scene};

/// Runs git below a process that calls itself an agent.
async fn by_an_agent(scene: &Scene, line: &str) -> Result<Ran> {
    let mut command = Command::new("bash");
    command.args(["-c", "exec -a claude bash -c \"$0\"", &format!("{line}; exit $?")]);
    scene.home.dress(&mut command);
    command.current_dir(&scene.repo).env("GIT_CONFIG_GLOBAL", "/dev/null");
    Ran::of(command).await
}

async fn install(scene: &Scene, words: &[&str]) -> Result<Ran> {
    let mut command = scene.home.command(["install", "git"].iter().chain(words).copied())?;
    command.current_dir(&scene.repo);
    Ran::of(command).await
}

#[tokio::test]
async fn a_hook_asks_agents_for_an_approval_and_leaves_the_person_alone() -> Result<()> {
    let mut scene = Scene::new().await?;
    for (key, value) in [("user.name", "t"), ("user.email", "t@example.invalid")] {
        scene.git(&["config", key, value]).await?;
    }
    let said = install(&scene, &["--pre-commit"]).await?.succeeded()?.stdout;
    assert!(said.contains("pre-commit: written.") && said.contains("This is advice"), "{said}");
    assert!(!scene.repo.join(".git/hooks/pre-push").exists(), "only what was asked for");
    scene.write("b.txt", "two\n")?;
    scene.git(&["add", "--all"]).await?;
    let refused = by_an_agent(&scene, "git commit --quiet -m agents").await?;
    assert!(refused.code != Some(0) && refused.stderr.contains("NOT APPROVED: what is staged"), "{refused:?}");
    scene.approve_staged().await?;
    let done = by_an_agent(&scene, "git commit --quiet -m agents").await?;
    assert_eq!(done.code, Some(0), "it was approved: {done:?}");

    scene.write("b.txt", "the person's own\n")?;
    let line = format!("cd {} && git commit --quiet --all -m mine", scene.repo.display());
    let (code, shown) = Terminal::start(&scene.home, &line)?.ended().await?;
    assert_eq!(code, Some(0), "a person needs no approval of their own: {shown}");

    install(&scene, &["--pre-commit", "--all"]).await?.succeeded()?;
    scene.write("b.txt", "the person's own again\n")?;
    let (code, shown) = Terminal::start(&scene.home, &line)?.ended().await?;
    assert!(code != Some(0) && shown.contains("NOT APPROVED"), "with --all everybody does: {shown}");
    Ok(())
}

#[tokio::test]
async fn a_push_brings_a_remote_only_what_was_approved() -> Result<()> {
    let mut scene = Scene::new().await?;
    scene.git(&["clone", "--quiet", "--bare", ".", "../remote.git"]).await?;
    scene.git(&["remote", "add", "origin", "../remote.git"]).await?;
    scene.git(&["fetch", "--quiet", "origin"]).await?;
    install(&scene, &["--pre-push", "--all"]).await?.succeeded()?;
    scene.write("b.txt", "two\n")?;
    scene.commit("nobody saw it").await?;
    let refused = scene.tries(&["push", "--quiet", "origin", "main"]).await?;
    assert!(refused.code != Some(0) && refused.stderr.contains("NOT APPROVED"), "{refused:?}");
    let refused = scene.tries(&["push", "--quiet", "origin", "main:other"]).await?;
    assert!(refused.code != Some(0), "nor a new branch: {refused:?}");
    let (base, tree) = (scene.tree("HEAD~1").await?, scene.tree("HEAD").await?);
    scene.give(&base, &tree, APPROVED).await?;
    scene.git(&["push", "--quiet", "origin", "main:other"]).await?;
    scene.git(&["push", "--quiet", "origin", "main"]).await?;
    scene.git(&["push", "--quiet", "origin", "--delete", "other"]).await?;
    scene.git(&["notes", "--ref=review-gate", "add", "--message", "a receipt"]).await?;
    scene.git(&["push", "--quiet", "origin", "refs/notes/review-gate"]).await?;
    scene.git(&["push", "--quiet", "origin", "main"]).await.context("everything is there already")?;
    Ok(())
}

#[tokio::test]
async fn a_hook_that_was_there_runs_first_and_comes_back_to_the_byte() -> Result<()> {
    let scene = Scene::new().await?;
    let hooks = scene.repo.join(".githooks");
    fs::create_dir(&hooks)?;
    scene.git(&["config", "core.hooksPath", ".githooks"]).await?;
    let (hook, before) = (hooks.join("pre-commit"), "#!/bin/sh\necho ran >> \"$PWD/../ran\"\n# \u{e9}\r\n");
    fs::write(&hook, before)?;
    let mut command = Command::new("chmod");
    command.arg("755").arg(&hook);
    Ran::of(command).await?.succeeded()?;
    let would = install(&scene, &["--dry-run"]).await?.succeeded()?.stdout;
    assert!(would.contains("would be written") && would.contains("verify --staged"), "{would}");
    assert_eq!(fs::read_to_string(&hook)?, before, "nothing was changed");

    install(&scene, &["--all"]).await?.succeeded()?;
    assert!(!scene.repo.join(".git/hooks/pre-commit").exists(), "git looks elsewhere");
    scene.write("b.txt", "two\n")?;
    scene.git(&["add", "b.txt"]).await?;
    let refused = scene.tries(&["commit", "--quiet", "--message", "two"]).await?;
    assert!(refused.code != Some(0) && refused.stderr.contains("NOT APPROVED"), "{refused:?}");
    assert_eq!(fs::read_to_string(scene.home.workspace().join("ran"))?, "ran\n", "what was there ran first");

    let uninstall = || async {
        let mut command = scene.home.command(["uninstall", "git"])?;
        command.current_dir(&scene.repo);
        Ran::of(command).await
    };
    uninstall().await?.succeeded()?;
    assert_eq!(fs::read_to_string(&hook)?, before);
    let names: Vec<_> =
        fs::read_dir(&hooks)?.map(|file| file.map(|file| file.file_name())).collect::<Result<_, _>>()?;
    assert_eq!(names, ["pre-commit"], "nothing is left behind");
    let said = uninstall().await?.succeeded()?.stdout;
    assert!(said.contains("isn't Review Gate's, and stays"), "{said}");
    let mut command = scene.home.command(["install", "git", "cursor"])?;
    command.current_dir(&scene.repo);
    assert_eq!(Ran::of(command).await?.code, Some(2), "git is no client");
    Ok(())
}
