//! Approvals that have to be surer than a window or a terminal: a security key in software signs them, by the real
//! `ssh-keygen`.

use anyhow::{Context as _, Result};
use gate_tests::{Agent, Home, LIMIT, Ran, SoftwareKey, Terminal, eventually};
use serde_json::{Value, json};

const L3: &str = "security:\n  require: L3\n";

/// Approves at a terminal, which takes four digits, and what an approval takes besides; how it ends.
pub(crate) async fn approve(home: &Home, id: &str) -> Result<(Option<i32>, String)> {
    let line = format!("{} answer {id} --approve --text 'Go on.'", gate_tests::bin("review-gate")?.display());
    let mut terminal = Terminal::start(home, &line)?;
    let shown = terminal.shows(" to approve").await?.to_owned();
    assert!(shown.contains("This takes a touch of your security key (L3)."), "it is told before: {shown}");
    let digits = shown.split("Type ").nth(1).and_then(|rest| rest.get(..4)).context("four digits")?.to_owned();
    terminal.types(&format!("{digits}\n")).await?;
    terminal.ended().await
}

async fn asks(agent: &Agent, title: &str, more: Value) -> Result<i64> {
    let mut ask = json!({"message": "May I?", "title": title, "approval": true});
    if let (Some(ask), Some(more)) = (ask.as_object_mut(), more.as_object()) {
        ask.extend(more.clone());
    }
    agent.call(ask).await
}

#[tokio::test]
async fn an_approval_that_was_touched_is_told_as_that_and_verifies() -> Result<()> {
    let Some(key) = SoftwareKey::new().await? else { return Ok(()) };
    let home = key.home(L3)?;
    key.enrol(&home)?;
    let _gate = home.serve_with(&["--terminal"]).await?;
    let agent = Agent::start(&home, "claude-code").await?;
    let call = asks(&agent, "Deploy", json!({})).await?;
    let id = home.waiting("Deploy").await?;
    let pending = home.pending().await?;
    assert_eq!(pending[0]["needs"], json!({"level": "L3"}), "a script sees it, too: {pending:?}");
    let (code, shown) = approve(&home, &id).await?;
    assert_eq!(code, Some(0), "{shown}");
    let result = agent.result(call).await?;
    let text = result["content"][0]["text"].as_str().context("a text")?;
    assert!(text.starts_with("APPROVED by the person at a terminal, with a security key (L3)."), "{text}");
    let outcome = &result["structuredContent"];
    assert_eq!((&outcome["assurance"], &outcome["decision"]), (&json!("L3"), &json!("approved")), "{outcome}");
    let receipt = outcome["receipt"].as_str().context("a receipt")?;
    home.run(["verify", receipt, "--require", "L3"]).await?.succeeded()?;
    let listed = home.run(["receipts", "--json"]).await?.json()?;
    assert_eq!(listed[0]["receipt"]["level"], "L3", "{listed}");
    Ok(())
}

#[tokio::test]
async fn an_approval_that_nobody_touched_stays_a_draft_and_its_request_waits() -> Result<()> {
    let Some(key) = SoftwareKey::new().await? else { return Ok(()) };
    let home = key.home(L3)?;
    key.enrol(&home)?;
    let _gate = home.serve_with(&["--terminal"]).await?;
    let agent = Agent::start(&home, "claude-code").await?;
    let call = asks(&agent, "Deploy", json!({})).await?;
    let id = home.waiting("Deploy").await?;
    for (does, says) in
        [("untouched", "nobody touched the security key"), ("gone", "device not found"), ("pin", "asks for a PIN")]
    {
        key.does(does)?;
        let (code, shown) = approve(&home, &id).await?;
        assert!(code == Some(4) && shown.contains("[not_signed]") && shown.contains(says), "{does}: {code:?} {shown}");
        assert_eq!(home.pending().await?.len(), 1, "it waits for its person");
        assert_eq!(home.run(["receipts", "--json"]).await?.json()?, json!([]), "nothing was given");
        assert_eq!(draft(&home, &id).await?, "Go on.", "what was written is there");
    }
    key.does("touch")?;
    assert_eq!(approve(&home, &id).await?.0, Some(0), "and it can be sent again");
    assert_eq!(agent.outcome(call).await?["assurance"], "L3");
    Ok(())
}

/// The text of a request's draft, as the record has it.
async fn draft(home: &Home, id: &str) -> Result<String> {
    let database = home.database();
    let mut query = tokio::process::Command::new("sqlite3");
    query.arg(database).arg(format!("SELECT json_extract(draft, '$.text') FROM drafts WHERE request_id = '{id}'"));
    Ok(Ran::of(query).await?.succeeded()?.stdout.trim().to_owned())
}

#[tokio::test]
async fn other_requests_are_answered_while_a_key_blinks() -> Result<()> {
    let Some(key) = SoftwareKey::new().await? else { return Ok(()) };
    let home = key.home("security:\n  require_for: ['L3; words=production']\n")?;
    key.enrol(&home)?;
    let _gate = home.serve_with(&["--terminal"]).await?;
    let (first, second) = (Agent::start(&home, "claude-code").await?, Agent::start(&home, "claude-code").await?);
    let (touched, plain) = (
        asks(&first, "To production", json!({})).await?,
        second.call(json!({"message": "m", "title": "Plain"})).await?,
    );
    let id = home.waiting("To production").await?;
    key.does("wait")?;
    let approving = tokio::spawn({
        let home = home.clone();
        async move { approve(&home, &id).await }
    });
    let off = || async { Ok((home.pending().await?.len() == 1).then_some(())) };
    eventually("the first one is being signed", LIMIT, off).await?;
    let plain_id = home.waiting("Plain").await?;
    let line = format!("{} answer {plain_id} --text yes", gate_tests::bin("review-gate")?.display());
    let (code, shown) = Terminal::start(&home, &line)?.ended().await?;
    assert_eq!(code, Some(0), "{shown}");
    assert_eq!(second.outcome(plain).await?["text"], "yes", "nobody waits for another's key");
    // The line was drawn up before that reply came: it is signed anew.
    key.does("touch")?;
    assert_eq!(approving.await??.0, Some(0));
    assert_eq!(first.outcome(touched).await?["assurance"], "L3");
    Ok(())
}

#[tokio::test]
async fn what_no_key_is_there_for_is_told_before_and_changes_take_none() -> Result<()> {
    let home = Home::new()?;
    let _gate = home.serve_with(&["--terminal"]).await?;
    let agent = Agent::start(&home, "claude-code").await?;
    let call = asks(&agent, "Deploy", json!({"require": "L3"})).await?;
    let id = home.waiting("Deploy").await?;
    let program = gate_tests::bin("review-gate")?.display().to_string();
    let (code, shown) = Terminal::start(&home, &format!("{program} answer {id} --approve"))?.ended().await?;
    assert!(code == Some(4) && shown.contains("[level_unreachable]"), "{code:?} {shown}");
    assert!(shown.contains("This needs a security key"), "it says what is missing: {shown}");
    assert!(!shown.contains("Type "), "before anything is typed: {shown}");
    let mut terminal = Terminal::start(&home, &format!("{program} answer {id} --request-changes --text 'Not so.'"))?;
    let shown = terminal.shows(" to request changes").await?.to_owned();
    let digits = shown.split("Type ").nth(1).and_then(|rest| rest.get(..4)).context("four digits")?.to_owned();
    terminal.types(&format!("{digits}\n")).await?;
    assert_eq!(terminal.ended().await?.0, Some(0), "only approvals have to be surer");
    let outcome = agent.outcome(call).await?;
    assert_eq!((&outcome["decision"], &outcome["assurance"]), (&json!("changes_requested"), &json!("L1")));
    Ok(())
}

#[tokio::test]
async fn what_is_less_sure_ends_no_ask_with_0() -> Result<()> {
    // Scripts may answer here, and are L0.
    let home = Home::new()?;
    let _gate = home.serve_with(&["--allow-scripts"]).await?;
    let ask = ["ask", "Shall I?", "--title", "Mine", "--approval", "--require", "L3", "--timeout", "30"];
    let asking = tokio::spawn(Ran::of(home.command(ask)?));
    let id = home.waiting("Mine").await?;
    let refused = home.run(["answer", &id, "--approve"]).await?;
    assert!(refused.code == Some(4) && refused.stderr.contains("[level_unreachable]"), "{refused:?}");
    home.answer(&id, ["--text", "yes"]).await?;
    let ran = asking.await??;
    assert_eq!(ran.code, Some(1), "a text is no approval, and L0 is less than L3: {ran:?}");
    assert!(ran.stderr.contains("L3 is required"), "{ran:?}");
    Ok(())
}
