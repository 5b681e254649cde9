//! `review-gate verify` in a sandbox, where there is neither a home nor a log: the gate says yes or no by the relays' socket.

use std::path::Path;

use anyhow::Result;
use gate_tests::{Agent, Ran, SignedPage};
use serde_json::json;

use super::scene::Scene;

/// What `verify` with these words says in a sandbox, and by which number it ends.
async fn says(scene: &Scene, folder: &Path, words: &str) -> Result<Ran> {
    let program = scene.home.command_line()?.display().to_string();
    let line = format!("{program} verify {words}; echo \"ends with $?\"");
    let mut command = scene.home.command(["run", "--", "sh", "-c", &line])?;
    command.current_dir(folder);
    Ran::of(command).await?.succeeded()
}

#[tokio::test]
async fn in_a_sandbox_the_gate_says_what_was_approved_in_its_folder() -> Result<()> {
    let scene = Scene::new().await?;
    let _gate = scene.home.serve().await?;
    let person = SignedPage::sign_in(&scene.home).await?;
    let other = scene.home.workspace().join("other");
    let agent = Agent::start(&scene.home, "claude-code").await?;
    scene.write("b.txt", "two\n")?;
    scene.git(&["add", "--all"]).await?;
    let repository = json!({"path": "shop", "what": "staged"});
    let ask = json!({"message": "May I?", "title": "Commit", "approval": true, "repository": repository});
    let call = agent.call(ask).await?;
    let before = says(&scene, &scene.repo, "--staged").await?;
    assert!(before.stderr.contains("Nobody has approved anything like it"), "nobody has yet: {before:?}");
    assert!(before.stdout.ends_with("ends with 1\n"), "{before:?}");
    person.approves(&scene.home.waiting("Commit").await?, "").await?;
    agent.outcome(call).await?;
    let staged = says(&scene, &scene.repo, "--staged").await?;
    assert!(staged.stdout.contains("Approved: what is staged"), "{staged:?}");
    assert!(staged.stdout.ends_with("ends with 0\n"), "{staged:?}");
    scene.git(&["commit", "--quiet", "--no-verify", "--message", "approved"]).await?;
    for (words, said) in [
        ("", "Approved: commit"),
        ("HEAD~1..HEAD", "Approved: "),
        ("--require L2", "isn't as sure as it has to be"),
        ("HEAD~1", "Nobody has approved anything like it"),
        ("--rebased", "[sandbox]"),
    ] {
        let ran = says(&scene, &scene.repo, words).await?;
        assert!(ran.stdout.contains(said) || ran.stderr.contains(said), "{words}: {said}: {ran:?}");
    }
    let (base, tree) = (scene.tree("HEAD~1").await?, scene.tree("HEAD").await?);
    let by_name = says(&scene, &scene.repo, &format!("--tree {tree} --base {base}")).await?;
    assert!(by_name.stdout.contains("Approved: the tree"), "{by_name:?}");

    // The same commits in another repository, which nobody was asked about.
    scene.git(&["clone", "--quiet", ".", &other.display().to_string()]).await?;
    let elsewhere = says(&scene, &other, "").await?;
    assert!(elsewhere.stderr.contains("of what was asked about in this folder"), "{elsewhere:?}");
    let json = says(&scene, &scene.repo, "--json").await?.stdout;
    assert!(json.contains("\"how\":\"told\"") && json.contains("\"receipts\":[]"), "yes, and no more: {json}");
    Ok(())
}
