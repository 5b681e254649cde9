//! Ways of a client of MCP without a shell, to what is another's: its forms, its relay's name, its files. At the
//! default settings. Whose sessions, requests and resources are is in `owners.rs`.

use std::path::PathBuf;

use anyhow::{Context as _, Result};
use gate_tests::{Agent, Home, Http, LIMIT, SignedPage, Spawning, eventually, stateless_meta};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::UnixStream;

/// A client of its own that works in this folder and says nothing yet.
fn client(home: &Home, folder: PathBuf) -> Result<Agent> {
    Agent::spawn_with(home, Spawning { folder: Some(folder), apart: true, ..Spawning::default() })
}

/// A folder beside the one that agents work in.
fn another_folder(home: &Home) -> Result<PathBuf> {
    let folder = home.folder().join("another");
    std::fs::create_dir(&folder)?;
    Ok(folder)
}

/// What a client of MCP 2026-07-28 says of itself that shows forms.
fn shows_forms(name: &str) -> Value {
    let mut meta = stateless_meta(name);
    meta["io.modelcontextprotocol/clientCapabilities"] = json!({"elicitation": {"form": {}}});
    meta
}

#[tokio::test]
async fn a_form_that_another_client_was_given_is_not_taken() -> Result<()> {
    let home = Home::new()?;
    let _gate = home.serve().await?;
    let (one, other) = (client(&home, home.workspace())?, client(&home, another_folder(&home)?)?);
    let question = json!({"message": "Which colour?", "title": "Colour", "options": ["red", "blue"]});
    let ask = |further: Value, name: &str| {
        let mut params = json!({"name": "review_gate_chat", "arguments": question, "_meta": shows_forms(name)});
        for (field, value) in further.as_object().into_iter().flatten() {
            params[field] = value.clone();
        }
        params
    };
    let id = one.request("tools/call", ask(json!({}), "one")).await?;
    let asked = one.result(id).await?;
    let state = asked["requestState"].as_str().context("a form's state")?;

    let content = json!({"selected": "red", "text": "go"});
    let filled = json!({"reply": {"action": "accept", "content": content}});
    for responses in [filled.clone(), json!({"reply": {"action": "decline"}})] {
        let brought = ask(json!({"requestState": state, "inputResponses": responses}), "other");
        let id = other.request("tools/call", brought).await?;
        let result = other.result(id).await?;
        assert_eq!(result["isError"], true, "{responses}: {result}");
        assert_eq!(result["_meta"]["review-gate/fault"]["code"], "unknown_request", "as if there were none: {result}");
    }
    assert_eq!(home.pending().await?.len(), 1, "nothing was answered or withdrawn");
    let id = one.request("tools/call", ask(json!({"requestState": state, "inputResponses": filled}), "one")).await?;
    let outcome = one.outcome(id).await?;
    assert_eq!((&outcome["selected"], &outcome["answered_from"]), (&json!(["red"]), &json!("form")), "{outcome}");
    Ok(())
}

#[tokio::test]
async fn a_second_process_that_calls_itself_by_a_relays_name_hears_nothing() -> Result<()> {
    let home = Home::new()?;
    let _gate = home.serve().await?;
    let person = SignedPage::sign_in(&home).await?;
    let agent = Agent::start(&home, "claude-code").await?;
    let call = agent.call(json!({"message": "Which password?", "title": "secret"})).await?;
    let id = home.waiting("secret").await?;
    let rows = home.rows("SELECT call_key FROM calls").await?;
    let key = rows[0]["call_key"].as_str().context("the call is noted")?;
    let (relay, number) = key.rsplit_once(':').context("a relay and a number")?;

    let hello = json!({
        "review_gate": 1, "role": "relay", "relay_id": relay, "toolset": "gate", "workspace": home.workspace(),
        "pid": std::process::id(), "version": "0", "resumed": true,
    });
    let arguments = json!({"message": "Which password?", "title": "secret"});
    let params = json!({"name": "review_gate_chat", "arguments": arguments, "_meta": stateless_meta("claude-code")});
    let again = json!({"jsonrpc": "2.0", "id": number.parse::<i64>()?, "method": "tools/call", "params": params});
    let (read, mut write) = UnixStream::connect(home.path().join("mcp.sock")).await?.into_split();
    // The gate may be gone from the connection by then.
    let _ = write.write_all(format!("{hello}\n{again}\n").as_bytes()).await;
    person.writes(&id, "hunter2").await?;
    let mut lines = BufReader::new(read).lines();
    let said = tokio::time::timeout(LIMIT, lines.next_line()).await.context("the connection ends")?;
    assert!(!matches!(said, Ok(Some(_))), "nothing is said to whoever isn't that relay: {said:?}");
    assert_eq!(agent.outcome(call).await?["text"], "hunter2", "whoever asked has its reply");
    Ok(())
}

/// What is offered for an argument.
fn offered(answer: &Value) -> Result<Vec<&str>> {
    let values = answer["completion"]["values"].as_array().with_context(|| format!("values: {answer}"))?;
    Ok(values.iter().filter_map(Value::as_str).collect())
}

#[tokio::test]
async fn a_client_that_names_another_folder_is_told_of_no_file_there() -> Result<()> {
    let home = Home::with_config("network:\n  port: 0\n")?;
    let _gate = home.serve().await?;
    let elsewhere = another_folder(&home)?;
    std::fs::write(elsewhere.join("secret.key"), "")?;
    std::fs::write(home.workspace().join("lib.rs"), "")?;
    let (agent, honest) = (client(&home, home.workspace())?, client(&home, home.workspace())?);
    // It answers the gate's question for its roots with a folder that isn't its own.
    agent.initialize_with("claude-code", json!({"roots": {}})).await?;
    let asked = agent.notification("roots/list").await?;
    let root = json!({"uri": format!("file://{}", elsewhere.display()), "name": "elsewhere"});
    agent.say(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": {"roots": [root]}}).to_string()).await?;

    let listed = agent.request("prompts/list", json!({})).await?;
    let listed = agent.result(listed).await?;
    let (prompt, argument) = of_files(&listed).context("a prompt with an argument of files")?;
    let complete = json!({
        "ref": {"type": "ref/prompt", "name": prompt}, "argument": {"name": argument, "value": ""},
    });
    honest.initialize("claude-code").await?;
    let asked = honest.request("completion/complete", complete.clone()).await?;
    assert_eq!(offered(&honest.result(asked).await?)?, ["lib.rs"], "where its relay works, as the kernel says");
    // Until its answer was read, it works where its relay does.
    let look = || async {
        let asked = agent.request("completion/complete", complete.clone()).await?;
        let answer = agent.result(asked).await?;
        assert!(!offered(&answer)?.contains(&"secret.key"), "its word leads nowhere: {answer}");
        Ok(offered(&answer)?.is_empty().then_some(()))
    };
    eventually("the folder that it named", LIMIT, look).await?;

    let mut http = Http::of(&home)?;
    http.initialize("claude-code").await?;
    let answer = http.post("completion/complete", complete, &[]).await?.answer()?;
    assert_eq!(offered(&answer["result"])?, [""; 0], "over HTTP nobody knows where a client works");
    Ok(())
}

/// The first prompt of a list that has an argument for files, and that argument.
fn of_files(listed: &Value) -> Option<(String, String)> {
    let prompts = listed["prompts"].as_array()?;
    prompts.iter().find_map(|prompt| {
        let arguments = prompt["arguments"].as_array()?;
        let name = |argument: &Value| argument["name"].as_str().filter(|name| name.contains("file")).map(str::to_owned);
        Some((prompt["name"].as_str()?.to_owned(), arguments.iter().find_map(name)?))
    })
}

#[tokio::test]
async fn an_agent_that_asks_without_end_is_stopped_and_no_other_is() -> Result<()> {
    const MOST: usize = 50;
    let home = Home::new()?;
    let _gate = home.serve().await?;
    let (one, other) = (client(&home, home.workspace())?, client(&home, another_folder(&home)?)?);
    one.initialize("one").await?;
    other.initialize("other").await?;
    for number in 0..MOST {
        one.call(json!({"message": format!("Question {number}")})).await?;
    }
    let all = |most| {
        let home = &home;
        move || async move { Ok((home.pending().await?.len() == most).then_some(())) }
    };
    eventually("all of them wait for the person", LIMIT, all(MOST)).await?;
    let id = one.call(json!({"message": "One more"})).await?;
    let refused = one.result(id).await?;
    assert_eq!(refused["_meta"]["review-gate/fault"]["code"], "too_many", "one more is refused: {refused}");
    let text = refused["content"][0]["text"].as_str().unwrap_or_default();
    assert!(text.contains("50 requests of this client") && text.contains("Wait until"), "with what to do: {text}");
    other.call(json!({"message": "Mine"})).await?;
    eventually("another client asks as ever", LIMIT, all(MOST + 1)).await?;
    Ok(())
}
