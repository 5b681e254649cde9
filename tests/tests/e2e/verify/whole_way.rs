//! From an agent's question to a commit, and to its being revoked, through a gate.

use anyhow::{Context as _, Result};
use gate_tests::{Agent, Home, SignedPage, Terminal};
use serde_json::json;

use super::scene::Scene;

#[tokio::test]
async fn an_approval_goes_all_the_way_and_is_revoked_by_its_person() -> Result<()> {
    let scene = Scene::new().await?;
    let _gate = scene.home.serve().await?;
    let person = SignedPage::sign_in(&scene.home).await?;
    let agent = Agent::start(&scene.home, "claude-code").await?;
    scene.write("b.txt", "two\n")?;
    scene.git(&["add", "--all"]).await?;
    let repository = json!({"path": "shop", "what": "staged"});
    let ask = json!({"message": "May I?", "title": "Commit", "approval": true, "repository": repository});
    let call = agent.call(ask).await?;
    person.approves(&scene.home.waiting("Commit").await?, "").await?;
    let outcome = agent.outcome(call).await?;
    let said = scene.good(&["--staged"]).await?;
    scene.git(&["commit", "--quiet", "--message", "approved"]).await?;
    scene.good(&[]).await?;
    assert_eq!(scene.refused(&["--require", "L2"]).await?, "level", "the page alone is L1");

    let listed = scene.home.run(["receipts", "--json"]).await?.json()?;
    let receipt = listed[0]["receipt"]["id"].as_str().context("a receipt")?.to_owned();
    assert_eq!(said["receipts"][0]["receipt"], json!(receipt));
    assert_eq!(listed[0]["request_id"], outcome["request_id"], "{listed}");
    assert_eq!((&listed[0]["receipt"]["standing"], &listed[0]["given"]), (&json!("good"), &json!("browser")));
    let text = scene.home.run(["receipts", "--limit", "1"]).await?.succeeded()?.stdout;
    assert!(text.contains("approved on the gate's page (L1): good until"), "{text}");

    let line = format!("{} revoke {}", scene.home.command_line()?.display(), &receipt[..8]);
    let mut terminal = Terminal::start(&scene.home, &line)?;
    terminal.shows("Type yes").await?;
    terminal.types("no\n").await?;
    assert_eq!(terminal.ended().await?.0, Some(1), "it wasn't meant");
    scene.good(&[]).await?;
    let mut terminal = Terminal::start(&scene.home, &line)?;
    terminal.shows("Type yes").await?;
    terminal.types("yes\n").await?;
    let (code, shown) = terminal.ended().await?;
    assert!(code == Some(0) && shown.contains("Withdrawn."), "{code:?} {shown}");
    assert_eq!(scene.refused(&[]).await?, "withdrawn");
    let (code, again) = Terminal::start(&scene.home, &format!("{line} --yes"))?.ended().await?;
    assert!(code == Some(4) && again.contains("withdrawn before"), "{code:?} {again}");
    Ok(())
}

#[tokio::test]
async fn a_script_revokes_nothing_where_scripts_do_nothing_of_the_persons() -> Result<()> {
    let home = Home::new()?;
    let _gate = home.serve().await?;
    let refused = home.run(["revoke".to_owned(), "0".repeat(64), "--yes".to_owned()]).await?;
    assert!(refused.code == Some(4) && refused.stderr.contains("[scripted_answers_off]"), "{refused:?}");
    assert_eq!(home.run(["receipts", "--json"]).await?.json()?, json!([]), "looking is anybody's");
    Ok(())
}

#[tokio::test]
async fn a_withdrawal_that_was_cut_off_the_log_is_missed_by_what_the_record_knows() -> Result<()> {
    let scene = Scene::new().await?;
    let mut gate = scene.home.serve().await?;
    let person = SignedPage::sign_in(&scene.home).await?;
    let agent = Agent::start(&scene.home, "claude-code").await?;
    scene.write("b.txt", "two\n")?;
    scene.git(&["add", "--all"]).await?;
    let repository = json!({"path": "shop", "what": "staged"});
    let ask = json!({"message": "May I?", "title": "Commit", "approval": true, "repository": repository});
    let call = agent.call(ask).await?;
    person.approves(&scene.home.waiting("Commit").await?, "").await?;
    agent.outcome(call).await?;
    let staged = ["--staged"];
    scene.good(&staged).await?;
    assert_eq!(scene.verify(&staged).await?.stderr, "", "nothing is wrong with it");
    let listed = scene.home.run(["receipts", "--json"]).await?.json()?;
    let receipt = listed[0]["receipt"]["id"].as_str().context("a receipt")?;
    scene.home.at_a_terminal(&format!("revoke {receipt} --yes")).await?;
    assert_eq!(scene.refused(&staged).await?, "withdrawn");
    agent.kill().await?;
    scene.home.run(["stop"]).await?.succeeded()?;
    gate.ended().await?;

    let log = scene.home.path().join("receipts.log");
    let text = std::fs::read_to_string(&log)?;
    let cut = text.lines().filter(|line| !line.contains("\"kind\":\"withdrawn\"")).map(|line| format!("{line}\n"));
    let cut: String = cut.collect();
    assert!(text.starts_with(&cut) && text.len() > cut.len(), "it is the last line");
    std::fs::write(&log, cut)?;
    let ran = scene.verify(&staged).await?;
    assert!(ran.stderr.contains("is damaged") && ran.stderr.contains("is missing"), "it is said: {ran:?}");
    Ok(())
}
