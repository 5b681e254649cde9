//! Signed receipts beside commits: a bare remote, and a build server that has neither a home of the person's nor trust in
//! who pushed.

use std::path::PathBuf;

use anyhow::{Context as _, Result, ensure};
use gate_tests::{Agent, Home, Ran, Serve, SoftwareKey, Terminal};
use serde_json::{Value, json};

use super::scene::Scene;
use crate::levels;

const NOTES: &str = "refs/notes/review-gate";

/// A person's repository whose remote's main branch has rules, and a build server's clone of that.
struct World {
    scene: Scene,
    server: Home,
    clone: PathBuf,
    key: SoftwareKey,
    _gate: Serve,
}

impl World {
    async fn new() -> Result<Option<Self>> {
        let Some(key) = SoftwareKey::new().await? else { return Ok(None) };
        let scene = Scene::of(key.home("security:\n  require: L3\n")?).await?;
        key.enrol(&scene.home)?;
        let gate = scene.home.serve_with(&["--terminal"]).await?;
        let server = Home::new()?;
        let clone = server.workspace().join("clone");
        let world = Self { scene, server, clone, key, _gate: gate };
        let printed = world.scene.home.run(["receipts", "--keys"]).await?.json()?;
        world.rule(&printed).await?;
        world.scene.git(&["clone", "--quiet", "--bare", ".", "../remote.git"]).await?;
        world.scene.git(&["remote", "add", "origin", "../remote.git"]).await?;
        world.scene.git(&["fetch", "--quiet", "origin"]).await?;
        let remote = world.scene.home.workspace().join("remote.git");
        let paths = [remote, world.clone.clone()].map(|path| path.display().to_string());
        world.scene.git(&["clone", "--quiet", &paths[0], &paths[1]]).await?;
        world.scene.git(&["checkout", "--quiet", "-b", "topic"]).await?;
        Ok(Some(world))
    }

    /// Commits rules to the branch that is checked out.
    async fn rule(&self, rules: &Value) -> Result<()> {
        self.scene.write(".review-gate.json", &rules.to_string())?;
        self.scene.commit("rules").await
    }

    /// The same to the remote's main branch.
    async fn rule_of_main(&self, rules: &Value) -> Result<()> {
        self.scene.git(&["checkout", "--quiet", "main"]).await?;
        self.rule(rules).await?;
        self.scene.git(&["push", "--quiet", "origin", "main"]).await?;
        self.scene.git(&["checkout", "--quiet", "topic"]).await.map(drop)
    }

    /// Has what is staged approved with the key.
    async fn approve(&self, agent: &Agent, title: &str) -> Result<()> {
        let repository = json!({"path": "shop", "what": "staged"});
        let ask = json!({"message": "May I?", "title": title, "approval": true, "repository": repository});
        let call = agent.call(ask).await?;
        let (code, shown) = levels::approve(&self.scene.home, &self.scene.home.waiting(title).await?).await?;
        ensure!(code == Some(0), "{shown}");
        ensure!(agent.outcome(call).await?["assurance"] == "L3", "it is signed");
        Ok(())
    }

    /// Writes notes beside what main hasn't got.
    async fn note(&self) -> Result<Ran> {
        let mut command = self.scene.home.command(["receipts", "--notes", "origin/main..HEAD"])?;
        command.current_dir(&self.scene.repo);
        Ran::of(command).await
    }

    /// Puts a note of somebody's on the last commit, in the place of what is there.
    async fn forge(&self, line: &str) -> Result<()> {
        self.scene.git(&["notes", "--ref", NOTES, "add", "--force", "--message", line, "HEAD"]).await.map(drop)
    }

    /// What the build server says of the branch once it was pushed with its notes.
    async fn says(&self) -> Result<(Option<i32>, Value)> {
        self.scene.git(&["push", "--quiet", "--force", "origin", "topic", NOTES]).await?;
        let mut fetch = self.scene.command(&self.clone, &["fetch", "--quiet", "origin"]);
        fetch.args(["+refs/heads/*:refs/remotes/origin/*", &format!("+{NOTES}:{NOTES}")]);
        Ran::of(fetch).await?.succeeded()?;
        let ran = self.asks().await?;
        let said = serde_json::from_str(&ran.stdout).with_context(|| format!("{ran:?}"))?;
        Ok((ran.code, said))
    }

    /// What the build server is asked then.
    async fn asks(&self) -> Result<Ran> {
        let words = ["verify", "--notes", "--json", "--protected", "origin/main", "origin/main..origin/topic"];
        let mut verify = self.server.command(words)?;
        verify.current_dir(&self.clone);
        Ran::of(verify).await
    }

    /// Why it refuses, in a word.
    async fn refuses(&self) -> Result<String> {
        let (code, said) = self.says().await?;
        ensure!(code == Some(1), "it isn't good: {said}");
        Ok(said["problem"]["code"].as_str().context("a code")?.to_owned())
    }
}

#[tokio::test]
async fn a_build_server_believes_what_a_key_of_the_protected_branch_has_signed() -> Result<()> {
    let Some(world) = World::new().await? else { return Ok(()) };
    let scene = &world.scene;
    let agent = Agent::start(&scene.home, "claude-code").await?;
    scene.write("b.txt", "two\n")?;
    scene.git(&["add", "--all"]).await?;
    world.approve(&agent, "First").await?;
    scene.git(&["commit", "--quiet", "--message", "approved"]).await?;
    let said = world.note().await?.succeeded()?.stdout;
    assert!(said.contains("1 receipt noted."), "{said}");
    let again = world.note().await?.succeeded()?.stdout;
    assert!(again.contains("noted before"), "twice changes nothing: {again}");
    let (code, said) = world.says().await?;
    assert_eq!(
        (code, &said["receipts"][0]["level"], &said["required"]),
        (Some(0), &json!("L3"), &json!("L2")),
        "{said}"
    );
    let receipt = said["receipts"][0]["receipt"].clone();

    // A change that nobody has approved, with what an agent could note beside it.
    let (base, first) = (scene.tree("HEAD~1").await?, scene.tree("HEAD").await?);
    let signed = scene.git(&["notes", "--ref", NOTES, "show", "HEAD"]).await?;
    let folder = scene.home.folder().display().to_string();
    for kept in [folder.as_str(), "claude-code", "First", "May I?"] {
        assert!(!signed.contains(kept), "who reads the repository learns nothing of {kept:?}: {signed}");
    }
    scene.write("b.txt", "three\n")?;
    scene.commit("by an agent").await?;
    assert_eq!(world.refuses().await?, "other_tree");
    let trees = |base: &str, tree: &str| format!("\"base\":\"{base}\",\"tree\":\"{tree}\"");
    let moved = signed.replace(&trees(&base, &first), &trees(&first, &scene.tree("HEAD").await?));
    assert_ne!(moved, signed, "it names the new tree");
    world.forge(&moved).await?;
    assert_eq!(world.refuses().await?, "signature", "another's signature");
    let (before, proof) = moved.split_once("\"proof\":{").context("a proof")?;
    let after = proof.split_once('}').context("its end")?.1;
    let unsigned =
        format!("{before}\"proof\":{{\"type\":\"none\"}}{after}").replace("\"level\":\"L3\"", "\"level\":\"L1\"");
    world.forge(&unsigned).await?;
    assert_eq!(world.refuses().await?, "level", "what anybody could have written");
    let nothing = world.note().await?;
    assert!(nothing.stdout.contains("no signed receipt leads to it"), "{nothing:?}");
    scene.git(&["reset", "--quiet", "--hard", "HEAD~1"]).await?;
    assert_eq!(world.says().await?.0, Some(0), "without it, all is approved");

    // Somebody who may push tags, and no branch: git would take the tag.
    Ran::of(scene.command(&world.clone, &["tag", "origin/main", "origin/topic"])).await?.succeeded()?;
    let ran = world.asks().await?;
    let said = format!("{}{}", ran.stdout, ran.stderr);
    assert!(ran.code != Some(0) && said.contains("`origin/main` names several things"), "{ran:?}");
    Ran::of(scene.command(&world.clone, &["tag", "--delete", "origin/main"])).await?.succeeded()?;

    // The branch's own file still has the key.
    world.rule_of_main(&json!({"keys": []})).await?;
    assert_eq!(world.refuses().await?, "signature", "keys are those of the protected branch");
    world.rule_of_main(&json!({"keys": [world.key.public()?], "revoked": [receipt]})).await?;
    assert_eq!(world.refuses().await?, "revoked");
    world.rule_of_main(&json!({"keys": [world.key.public()?], "require": "L3"})).await?;
    assert_eq!(world.says().await?.1["required"], "L3", "and rules are");

    let line = format!("{} revoke {} --yes", scene.home.command_line()?.display(), receipt.as_str().context("a name")?);
    let (code, shown) = Terminal::start(&scene.home, &line)?.ended().await?;
    assert_eq!(code, Some(0), "{shown}");
    world.note().await?;
    assert_eq!(world.refuses().await?, "withdrawn", "what was revoked is noted, too");
    Ok(())
}

#[tokio::test]
async fn a_build_server_is_told_what_it_lacks() -> Result<()> {
    let scene = Scene::new().await?;
    scene.git(&["checkout", "--quiet", "-b", "topic"]).await?;
    scene.write("b.txt", "two\n")?;
    scene.commit("two").await?;
    let ran = scene.verify(&["--notes"]).await?;
    assert_eq!(ran.code, Some(2), "nothing names the branch: {ran:?}");
    let words = ["--notes", "--protected", "main"];
    let ran = scene.verify(&words).await?;
    assert!(ran.code == Some(4) && ran.stderr.contains("main has no .review-gate.json"), "{ran:?}");
    scene.write(".review-gate.json", "{\"keys\": [], \"require\": \"L3\"}")?;
    scene.commit("its own rules").await?;
    assert_eq!(scene.verify(&words).await?.code, Some(4), "a branch that is to be approved makes no rules");
    scene.git(&["branch", "--force", "main"]).await?;
    scene.write("b.txt", "three\n")?;
    scene.commit("three").await?;
    let ran = scene.verify(&words).await?;
    assert!(ran.code == Some(1) && ran.stderr.contains("No receipt is noted"), "{ran:?}");
    for wrong in ["{\"keys\": [\"ssh-rsa AAAA\"]}", "{\"keys\": [], \"require\": \"L1\"}", "keys"] {
        scene.write(".review-gate.json", wrong)?;
        scene.commit("wrong").await?;
        scene.git(&["branch", "--force", "main"]).await?;
        let ran = scene.verify(&words).await?;
        assert!(ran.code == Some(4) && ran.stderr.contains("can't be read"), "{wrong}: {ran:?}");
    }
    Ok(())
}
