//! What an agent reads back of its own record, held against the receipts: by the tool, as a resource, by search.

use anyhow::{Context as _, Result};
use gate_tests::{Agent, Home, LIMIT, SignedPage, eventually};
use serde_json::{Value, json};

use crate::receipts::forgery;

const CONVERSATIONS: &str = "file://review-gate/conversations";

/// A question that an agent waits for: its call, and its request.
struct Asked {
    call: i64,
    request: String,
}

async fn asked(home: &Home, agent: &Agent, title: &str) -> Result<Asked> {
    let call = agent.call(json!({"message": "May I?", "title": title, "approval": true})).await?;
    Ok(Asked { call, request: home.waiting(title).await? })
}

/// A resource, as JSON.
async fn read(agent: &Agent, uri: &str) -> Result<Value> {
    let id = agent.request("resources/read", json!({"uri": uri})).await?;
    let mut result = agent.result(id).await?;
    serde_json::from_str(result["contents"][0]["text"].take().as_str().context("JSON is text")?).context("it is JSON")
}

/// How many of the agent's conversations are found by a word.
async fn found(agent: &Agent, word: &str) -> Result<usize> {
    let page = read(agent, &format!("{CONVERSATIONS}?q={word}")).await?;
    Ok(page["conversations"].as_array().context("a list")?.len())
}

/// What is shown around a word that is found once.
async fn excerpt(agent: &Agent, word: &str) -> Result<String> {
    let mut page = read(agent, &format!("{CONVERSATIONS}?q={word}")).await?;
    let found = page["conversations"][0]["match"]["excerpt"].take();
    Ok(found.as_str().with_context(|| format!("it is found with its text: {page}"))?.to_owned())
}

/// Waits until it is noted that an agent has the reply to a request: what can't change any more is remembered from then
/// on.
async fn delivered(home: &Home, request: &str) -> Result<()> {
    let select = format!("SELECT delivered_at FROM replies WHERE request_id = '{request}'");
    let look = || async { Ok(home.rows(&select).await?[0]["delivered_at"].as_i64()) };
    eventually("that the reply is noted as delivered", LIMIT, look).await.map(drop)
}

/// The messages about a request, by the tool and by the resource, which say the same.
async fn messages(agent: &Agent, request: &str) -> Result<Vec<Value>> {
    let params = json!({"name": "review_gate_get_context", "arguments": {}});
    let call = agent.request("tools/call", params).await?;
    let context = agent.outcome(call).await?;
    let session = context["session_uuid"].as_str().context("a session")?;
    let recorded = read(agent, &format!("{CONVERSATIONS}/{session}")).await?;
    assert_eq!(recorded["messages"], context["messages"], "the resource says the same as the tool");
    let all = context["messages"].as_array().context("messages")?;
    Ok(all.iter().filter(|message| message["request_id"] == request).cloned().collect())
}

#[tokio::test]
async fn what_only_the_database_has_is_read_back_by_no_agent() -> Result<()> {
    let home = Home::new()?;
    let _gate = home.serve().await?;
    let agent = Agent::start(&home, "claude-code").await?;
    let Asked { call, request } = asked(&home, &agent, "Question").await?;
    home.change(&forgery(&request, "approved")).await?;
    assert_eq!(found(&agent, "forged").await?, 0, "its words aren't found");
    let said = messages(&agent, &request).await?;
    let [question] = said.as_slice() else { anyhow::bail!("the question alone: {said:?}") };
    assert_eq!((&question["role"], &question["status"]), (&json!("agent"), &json!("pending")));
    assert_eq!(agent.take(call), None, "nor is it the call's result");
    assert_eq!(home.waiting("Question").await?, request, "the person has it as a draft");

    home.change(&forgery(&request, "approved")).await?;
    home.change("UPDATE replies SET delivered_at = answered_at").await?;
    let said = messages(&agent, &request).await?;
    let [_, reply] = said.as_slice() else { anyhow::bail!("what an agent had is told of: {said:?}") };
    assert_eq!((&reply["withheld"], &reply["text"]), (&json!("not_given_here"), &json!("")));
    assert_eq!(reply.get("decision"), None, "{reply}");
    assert_eq!(found(&agent, "forged").await?, 0);
    Ok(())
}

#[tokio::test]
async fn changed_words_are_read_back_by_no_agent() -> Result<()> {
    let home = Home::new()?;
    let mut gate = home.serve().await?;
    let person = SignedPage::sign_in(&home).await?;
    let agent = Agent::start(&home, "claude-code").await?;
    let Asked { call, request } = asked(&home, &agent, "Question").await?;
    person.approves(&request, "xylophone").await?;
    agent.outcome(call).await?;
    delivered(&home, &request).await?;
    let said = messages(&agent, &request).await?;
    assert_eq!(said[1]["text"], "xylophone", "what was given is read back");
    assert_eq!(found(&agent, "xylophone").await?, 1);

    // What was read before is remembered, and is as it was given.
    home.change(&format!("UPDATE messages SET body = 'marimba' WHERE role = 'person' AND request_id = '{request}'"))
        .await?;
    assert_eq!(messages(&agent, &request).await?[1]["text"], "xylophone");
    let shown = excerpt(&agent, "xylophone").await?;
    assert!(shown.contains("xylophone") && !shown.contains("marimba"), "so it is where a word of it is found: {shown}");
    // A start would put back from the second copy what was given.
    std::fs::remove_file(home.path().join("replies.journal"))?;
    gate.kill().await?;
    // The relay starts another gate.
    let said = messages(&agent, &request).await?;
    assert_eq!((&said[1]["withheld"], &said[1]["text"]), (&json!("not_given_here"), &json!("")), "{said:?}");
    assert_eq!(said[1].get("decision"), None, "{said:?}");
    assert_eq!(found(&agent, "marimba").await?, 0);
    Ok(())
}

#[tokio::test]
async fn what_was_revoked_is_read_back_as_that() -> Result<()> {
    let home = Home::new()?;
    let _gate = home.serve().await?;
    let person = SignedPage::sign_in(&home).await?;
    let agent = Agent::start(&home, "claude-code").await?;
    let Asked { call, request } = asked(&home, &agent, "Question").await?;
    person.approves(&request, "xylophone").await?;
    let outcome = agent.outcome(call).await?;
    let receipt = outcome["receipt"].as_str().context("a receipt")?;
    assert_eq!(messages(&agent, &request).await?[1]["decision"], "approved");
    home.at_a_terminal(&format!("revoke {receipt} --yes")).await?;
    let said = messages(&agent, &request).await?;
    assert_eq!(said[0]["status"], "cancelled", "as a call with its id is told: {said:?}");
    assert_eq!((&said[1]["withheld"], &said[1]["text"]), (&json!("revoked"), &json!("")), "{said:?}");
    assert_eq!(said[1].get("decision"), None, "{said:?}");
    assert_eq!(found(&agent, "xylophone").await?, 0);
    Ok(())
}
