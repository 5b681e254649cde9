//! Containers: an agent in one, with the relays' socket of a gate outside; both in containers of their own, which see
//! nothing of each other but a folder; a gate in one that clients outside come to over HTTP. The person decides at a
//! terminal (`serve --terminal`) and on the page.

use anyhow::{Context as _, Result};
use gate_tests::{Agent, Container, Home, Http, SignedPage, Terminal, free_port};
use serde_json::{Value, json};

fn question(title: &str) -> Value {
    json!({"message": format!("About {title}"), "title": title, "approval": true})
}

/// Decides at a terminal: runs this line, reads all that is shown, and types the digits.
async fn decides(home: &Home, line: &str) -> Result<()> {
    let mut terminal = Terminal::start(home, line)?;
    let shown = terminal.shows("; anything else sends nothing.").await?.to_owned();
    assert!(shown.contains("About "), "the question itself is shown before: {shown}");
    let digits = shown.rsplit("Type ").next().and_then(|rest| rest.get(..4)).context("four digits")?.to_owned();
    terminal.types(&format!("{digits}\n")).await?;
    let (code, shown) = terminal.ended().await?;
    assert!(code == Some(0) && shown.contains("Sent."), "{code:?} {shown}");
    Ok(())
}

async fn is_given(agent: &Agent, call: i64, decision: &str, why: &str) -> Result<()> {
    is_terminals(&agent.outcome(call).await?, decision, why);
    Ok(())
}

fn is_terminals(outcome: &Value, decision: &str, why: &str) {
    let given = ["decision", "answered_from", "assurance"].map(|field| outcome[field].clone());
    assert_eq!(given, [json!(decision), json!("terminal"), json!("L1")], "{why}: {outcome}");
}

/// What a call is refused with.
async fn refused(agent: &Agent, arguments: Value) -> Result<String> {
    let result = agent.result(agent.call(arguments).await?).await?;
    assert_eq!(result["isError"], true, "{result}");
    Ok(result["content"][0]["text"].as_str().unwrap_or_default().to_owned())
}

#[tokio::test]
async fn a_day_with_an_agent_in_a_container_and_the_gate_outside() -> Result<()> {
    let home = Home::with_env([("REVIEW_GATE__NETWORK__PORT", "0")])?;
    if !Container::possible(&home).await? {
        return Ok(());
    }
    let program = home.command_line()?.display().to_string();
    let mut gate = home.serve_with(&["--terminal"]).await?;
    let agent = Agent::in_a_container(&home, "claude-code").await?;
    let call = agent.call(question("the schema")).await?;
    let id = home.waiting("the schema").await?;
    decides(&home, &format!("{program} answer {id} --request-changes --text 'Name it'")).await?;
    is_given(&agent, call, "changes_requested", "from outside of the container").await?;

    // The gate is started anew, and so has another socket; the relay inside starts none of its own meanwhile.
    let call = agent.call(question("the index")).await?;
    home.waiting("the index").await?;
    gate.kill().await?;
    let _gate = home.serve_with(&["--terminal"]).await?;
    let id = home.waiting("the index").await?;
    decides(&home, &format!("{program} answer {id} --approve")).await?;
    is_given(&agent, call, "approved", "its relay has found the gate again").await?;

    // The container is made anew. The kernel names whose the process was, so the next one inherits.
    agent.call(question("the migration")).await?;
    let id = home.waiting("the migration").await?;
    agent.kill().await?;
    drop(agent);
    let agent = Agent::in_a_container(&home, "claude-code").await?;
    let call = agent.call(json!({"message": "again", "request_id": id})).await?;
    decides(&home, &format!("{program} answer {id} --approve")).await?;
    is_given(&agent, call, "approved", "the agent's next has the answer to what its last one asked").await
}

#[tokio::test]
async fn a_day_with_the_gate_and_the_agent_in_containers_of_their_own() -> Result<()> {
    let (home, port) = (Home::new()?, free_port()?.to_string());
    let flags = ["--terminal", "--port", &port];
    if !Container::possible(&home).await? {
        return Ok(());
    }
    let gate = Container::gate(&home, &flags).await?;
    let agent = Agent::in_a_container(&home, "claude-code").await?;
    let call = agent.call(question("the schema")).await?;
    let id = home.waiting("the schema").await?;
    let rows = home.rows("SELECT owner FROM conversations").await?;
    let owner = rows[0]["owner"].as_str().context("it has an owner")?;
    assert!(owner.starts_with("relay "), "the kernel names no process of another container: {owner}");
    let listed = Terminal::start(&home, &gate.exec("requests"))?.ended().await?.1;
    assert!(listed.contains(&id) && listed.contains("Answer with"), "what to do: {listed}");
    decides(&home, &gate.exec(&format!("answer {id} --approve"))).await?;
    is_given(&agent, call, "approved", "by `exec` in the gate's container").await?;

    let call = agent.call(question("the index")).await?;
    home.waiting("the index").await?;
    gate.ends().await?;
    let gate = Container::gate(&home, &flags).await?;
    let id = home.waiting("the index").await?;
    decides(&home, &gate.exec(&format!("answer {id} --request-changes --text 'Name it'"))).await?;
    is_given(&agent, call, "changes_requested", "its relay has found the gate's next container").await?;

    // The agent's container is made anew. Nobody can say that it is the same one's: it is told to ask anew, and the person
    // gives it what its last one has asked.
    agent.call(question("the migration")).await?;
    let id = home.waiting("the migration").await?;
    agent.kill().await?;
    drop(agent);
    let agent = Agent::in_a_container(&home, "claude-code").await?;
    let resumes = json!({"message": "again", "request_id": id});
    let told = refused(&agent, resumes.clone()).await?;
    assert!(told.contains("asks anew without `request_id`"), "what to do: {told}");
    let listed = Terminal::start(&home, &gate.exec("requests --json"))?.ended().await?.1;
    let listed: Value = serde_json::from_str(listed.trim()).with_context(|| listed.clone())?;
    let session = listed[0]["session_uuid"].as_str().context("a session")?;
    let given = Terminal::start(&home, &gate.exec(&format!("session give {session}")))?.ended().await?;
    assert!(given.0 == Some(0) && given.1.contains("whose agent names it first"), "{given:?}");
    let call = agent.call(resumes).await?;
    decides(&home, &gate.exec(&format!("answer {id} --approve"))).await?;
    is_given(&agent, call, "approved", "it goes on in what it was given").await
}

#[tokio::test]
async fn a_day_with_the_gate_in_a_container_and_clients_outside() -> Result<()> {
    let (home, port) = (Home::new()?, free_port()?.to_string());
    let flags = ["--terminal", "--port", &port];
    if !Container::possible(&home).await? {
        return Ok(());
    }
    let gate = Container::gate(&home, &flags).await?;
    let made = Terminal::start(&home, &gate.exec("token create laptop"))?.ended().await?;
    let token = made.1.lines().map(str::trim).rfind(|line| !line.is_empty()).context("a token")?.to_owned();
    let mut client = Http::of(&home)?;
    client.token.clone_from(&token);
    client.initialize("claude-code").await?;
    let asks = async {
        let answered = client.chat(question("the schema")).await?;
        answered.outcome()
    };
    let decided =
        async { decides(&home, &gate.exec(&format!("answer {} --approve", home.waiting("the schema").await?))).await };
    let (outcome, decided) = tokio::join!(asks, decided);
    decided?;
    is_terminals(&outcome?, "approved", "over HTTP, decided in the container");

    // A browser outside signs in by a link of the container's.
    let linked = Terminal::start(&home, &gate.exec("link --json"))?.ended().await?;
    let link: Value = serde_json::from_str(linked.1.trim()).with_context(|| linked.1.clone())?;
    let page = SignedPage::follow(&home, &link["ui"]).await?;
    gate.ends().await?;
    let _gate = Container::gate(&home, &flags).await?;
    let page = page.again(&home).await?;
    let mut client = client.again(&home)?;
    client.token = token;
    let asks = async {
        let answered = client.chat(question("the index")).await?;
        answered.outcome()
    };
    let decided = async {
        page.answers(&home.waiting("the index").await?, Some("changes_requested"), json!({"text": "No."})).await
    };
    let (outcome, decided) = tokio::join!(asks, decided);
    decided?;
    let outcome = outcome?;
    let given = ["decision", "text", "answered_from", "assurance"].map(|field| outcome[field].clone());
    assert_eq!(given, [json!("changes_requested"), json!("No."), json!("browser"), json!("L1")], "{outcome}");
    Ok(())
}
