//! Ways to an approval of something else than was seen: a question that changes below its answer, an option that looks
//! like a decision, a label that nobody can read. What an earlier approval is good for is in `waiting.rs` and
//! `owners.rs`. At the default settings.

use anyhow::{Context as _, Result};
use gate_tests::{Agent, Control, Home, SignedPage};
use serde_json::{Value, json};

/// A request as it is shown: its title, its message and the digest of its question.
async fn shown(home: &Home, id: &str) -> Result<Value> {
    let opened = Control::open(home).await?.command(json!({"command": "question", "request_id": id})).await?;
    opened.map_err(|fault| anyhow::anyhow!("{fault}"))
}

#[tokio::test]
async fn a_question_that_is_shown_never_changes_and_gives_its_id_to_no_other() -> Result<()> {
    let home = Home::new()?;
    let _gate = home.serve().await?;
    let agent = Agent::start(&home, "claude-code").await?;
    let call = agent.call(json!({"message": "May I fix the typo?", "title": "Typo", "approval": true})).await?;
    let id = home.waiting("Typo").await?;
    let before = shown(&home, &id).await?;
    let diff = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n";
    for words in [
        json!({"message": "May I drop the database?", "request_id": id}),
        json!({"message": "May I fix the typo?", "title": "Another", "diff": diff, "request_id": id}),
    ] {
        let again = agent.call(words.clone()).await?;
        assert_eq!(home.pending().await?.len(), 1, "{words}: it waits for what there is");
        assert_eq!(shown(&home, &id).await?, before, "{words}: which stays as the person saw it");
        assert_eq!(agent.take(again), None);
    }

    let question = json!({"message": "May I fix the typo?", "title": "Withdrawn", "approval": true});
    let withdrawn = agent.call(question.clone()).await?;
    let gone = home.waiting("Withdrawn").await?;
    agent.cancel(withdrawn).await?;
    let left = || async { Ok((home.pending().await?.len() == 1).then_some(())) };
    gate_tests::eventually("the withdrawal", gate_tests::LIMIT, left).await?;
    agent.call(question).await?;
    assert_ne!(home.waiting("Withdrawn").await?, gone, "what was withdrawn stays so");
    let rows = home.rows("SELECT title FROM review_requests ORDER BY request_id").await?;
    let titles: Vec<&str> = rows.iter().filter_map(|row| row["title"].as_str()).collect();
    assert_eq!(titles, ["Typo", "Withdrawn", "Withdrawn"], "nothing else was asked");
    assert_eq!(shown(&home, &id).await?, before, "and the first one is as it was");
    assert_eq!(agent.take(call), None, "which nobody has answered");
    Ok(())
}

#[tokio::test]
async fn an_option_called_approve_decides_nothing() -> Result<()> {
    let home = Home::new()?;
    let _gate = home.serve().await?;
    let person = SignedPage::sign_in(&home).await?;
    let agent = Agent::start(&home, "claude-code").await?;
    let options = json!(["Approve", "Request changes", "批准"]);
    let call = agent.call(json!({"message": "m", "title": "Deploy", "approval": true, "options": options})).await?;
    person.answers(&home.waiting("Deploy").await?, None, json!({"selected": ["Approve"]})).await?;
    let result = agent.result(call).await?;
    let outcome = &result["structuredContent"];
    assert_eq!((&outcome["selected"], &outcome["decision"]), (&json!(["Approve"]), &Value::Null), "{outcome}");
    let text = result["content"][0]["text"].as_str().context("a text")?;
    assert!(!text.starts_with("APPROVED") && text.contains("Not approved"), "no model reads it as one: {text}");
    Ok(())
}

#[tokio::test]
async fn an_option_that_nobody_can_read_is_refused() -> Result<()> {
    let home = Home::new()?;
    let _gate = home.serve().await?;
    let agent = Agent::start(&home, "claude-code").await?;
    for label in ["\u{3164}", "\u{200b}\u{2060}", " \u{2800} ", "\u{e0041}"] {
        let call = agent.call(json!({"message": "m", "title": "Hidden", "options": ["Yes", label]})).await?;
        let refused = agent.result(call).await?;
        assert_eq!(refused["_meta"]["review-gate/fault"]["code"], "invalid_input", "{label:?}: {refused}");
        assert!(refused.to_string().contains("options[1].label"), "it names the field: {refused}");
    }
    assert_eq!(home.pending().await?, Vec::<Value>::new(), "nothing was asked");
    Ok(())
}
