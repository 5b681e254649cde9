//! What clients of MCP 2026-07-28 may declare: tasks, which don't block and outlive the gate, and
//! forms, in which the client itself asks its person where no window can be shown.

use anyhow::{Context as _, Result};
use gate_tests::{Agent, Home, Http, LIMIT, eventually, stateless_meta};
use serde_json::{Value, json};

fn meta(capabilities: Value) -> Value {
    let mut meta = stateless_meta("modern");
    meta["io.modelcontextprotocol/clientCapabilities"] = capabilities;
    meta
}

fn tasks() -> Value {
    meta(json!({"extensions": {"io.modelcontextprotocol/tasks": {}}}))
}

fn forms() -> Value {
    meta(json!({"elicitation": {"form": {}}}))
}

async fn ask(agent: &Agent, title: &str, meta: Value, further: Value) -> Result<Value> {
    // A form decides nothing, so an approval is asked for in another way.
    let arguments = json!({"message": title, "title": title, "approval": meta != forms()});
    let mut params = json!({"name": "review_gate_chat", "arguments": arguments});
    params["_meta"] = meta;
    for (name, value) in further.as_object().into_iter().flatten() {
        params[name] = value.clone();
    }
    let id = agent.request("tools/call", params).await?;
    agent.result(id).await
}

async fn task(agent: &Agent, method: &str, id: &str) -> Result<Value> {
    let id = agent.request(method, json!({"taskId": id, "_meta": tasks()})).await?;
    agent.result(id).await
}

#[tokio::test]
async fn a_task_is_kept_over_a_restart_and_gives_the_reply_once_it_is_there() -> Result<()> {
    let home = Home::with_scripts()?;
    let mut gate = home.serve().await?;
    let agent = Agent::spawn(&home)?;
    let created = ask(&agent, "commit", tasks(), json!({})).await?;
    assert_eq!((&created["resultType"], &created["status"]), (&json!("task"), &json!("working")), "{created}");
    let id = created["taskId"].as_str().context("a task has an id")?.to_owned();
    assert_eq!(task(&agent, "tasks/get", &id).await?["status"], "working", "nobody has answered");

    gate.kill().await?;
    let pending = task(&agent, "tasks/get", &id).await?;
    assert_eq!(pending["status"], "working", "the next gate knows it: {pending}");
    home.answer(&home.waiting("commit").await?, ["--approve", "--text", "go"]).await?;
    let done = task(&agent, "tasks/get", &id).await?;
    assert_eq!(done["status"], "completed", "{done}");
    let outcome = &done["result"]["structuredContent"];
    assert_eq!((&outcome["decision"], &outcome["text"]), (&json!("approved"), &json!("go")));
    let delivered = || async {
        let left = home.rows("SELECT 1 FROM replies WHERE delivered_at IS NULL").await?;
        Ok(left.is_empty().then_some(()))
    };
    eventually("the reply is noted as delivered", LIMIT, delivered).await?;
    assert_eq!(task(&agent, "tasks/get", &id).await?["status"], "completed", "it stays there");
    Ok(())
}

#[tokio::test]
async fn a_task_that_is_cancelled_withdraws_its_request() -> Result<()> {
    let home = Home::new()?;
    let _gate = home.serve().await?;
    let agent = Agent::spawn(&home)?;
    let created = ask(&agent, "cancelled", tasks(), json!({})).await?;
    let id = created["taskId"].as_str().context("a task has an id")?.to_owned();
    home.waiting("cancelled").await?;
    task(&agent, "tasks/update", &id).await.err().context("an update needs its answers")?;
    task(&agent, "tasks/cancel", &id).await?;
    assert_eq!(task(&agent, "tasks/get", &id).await?["status"], "cancelled");
    assert_eq!(home.pending().await?, Vec::<Value>::new(), "the person isn't asked any longer");
    let unknown = task(&agent, "tasks/get", "019a0000-0000-7000-8000-000000000000").await;
    assert!(unknown.is_err_and(|error| error.to_string().contains("unknown_request")), "there is no other task");
    Ok(())
}

#[tokio::test]
async fn a_client_that_declares_no_tasks_gets_none() -> Result<()> {
    let home = Home::with_scripts()?;
    let _gate = home.serve().await?;
    let agent = Agent::start(&home, "older").await?;
    let refused = agent.request("tasks/get", json!({"taskId": "x"})).await?;
    assert!(agent.result(refused).await.is_err(), "tasks are for those who declare them");
    let call = agent.call(json!({"message": "waits", "title": "waits"})).await?;
    home.answer(&home.waiting("waits").await?, ["--text", "done"]).await?;
    assert_eq!(agent.outcome(call).await?["text"], "done", "its call blocks as before");
    Ok(())
}

#[tokio::test]
async fn a_client_of_the_initialize_era_blocks_whatever_it_declares() -> Result<()> {
    let home = Home::with_scripts()?;
    let _gate = home.serve().await?;
    let agent = Agent::spawn(&home)?;
    agent.initialize_with("inspector", json!({"extensions": {"io.modelcontextprotocol/tasks": {}}})).await?;
    let call = agent.call(json!({"message": "waits", "title": "waits"})).await?;
    home.answer(&home.waiting("waits").await?, ["--text", "done"]).await?;
    assert_eq!(agent.outcome(call).await?["text"], "done", "its era knows no such result");
    Ok(())
}

#[tokio::test]
async fn a_form_of_the_client_is_answered_by_its_person_and_by_nobody_else() -> Result<()> {
    let home = Home::new()?;
    let _gate = home.serve().await?;
    let agent = Agent::spawn(&home)?;
    let asked = ask(&agent, "form", forms(), json!({})).await?;
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    let form = &asked["inputRequests"]["reply"];
    assert_eq!(form["method"], "elicitation/create");
    assert_eq!(form["params"]["requestedSchema"]["required"], json!([]), "nothing has to be said");
    let state = asked["requestState"].as_str().context("a state to bring back")?.to_owned();
    assert_eq!(home.pending().await?.len(), 1, "a terminal can answer it meanwhile");

    let closed = json!({"requestState": state, "inputResponses": {"reply": {"action": "cancel"}}});
    let closed = ask(&agent, "form", forms(), closed).await?;
    assert_eq!(closed["structuredContent"]["status"], "pending", "a closed form answers nothing: {closed}");
    let mut forged = state.clone();
    forged.replace_range(forged.len() - 2.., "AA");
    let forged = ask(&agent, "form", forms(), json!({"requestState": forged, "inputResponses": {}})).await?;
    assert_eq!(forged["isError"], true, "a state of one's own making is refused: {forged}");

    let posed = json!({"message": "Is the colour fine?", "request_id": home.waiting("form").await?});
    let id =
        agent.request("tools/call", json!({"name": "review_gate_chat", "arguments": posed, "_meta": forms()})).await?;
    let shown = agent.result(id).await?["inputRequests"]["reply"]["params"]["message"].take();
    assert_eq!(shown, "form\n\nform", "the person sees what was asked, not what is said beside its id");

    let filled = json!({"action": "accept", "content": {"decision": "approved", "text": "go"}});
    let filled =
        ask(&agent, "form", forms(), json!({"requestState": state, "inputResponses": {"reply": filled}})).await?;
    let outcome = &filled["structuredContent"];
    assert_eq!(
        (&outcome["decision"], &outcome["text"]),
        (&Value::Null, &json!("go")),
        "a form decides nothing: {filled}"
    );
    let given = (&outcome["answered_from"], &outcome["assurance"]);
    assert_eq!(given, (&json!("form"), &json!("L0")), "the record doesn't claim to have seen a person");
    Ok(())
}

#[tokio::test]
async fn a_form_that_is_declined_and_one_that_a_terminal_overtakes() -> Result<()> {
    let home = Home::with_scripts_and_env([("REVIEW_GATE__NETWORK__PORT", "0")])?;
    let _gate = home.serve().await?;
    let agent = Agent::spawn(&home)?;
    let asked = ask(&agent, "declined", forms(), json!({})).await?;
    let no = json!({"requestState": asked["requestState"], "inputResponses": {"reply": {"action": "decline"}}});
    let declined = ask(&agent, "declined", forms(), no).await?;
    assert_eq!(declined["structuredContent"]["status"], "cancelled", "to decline is no approval: {declined}");

    let asked = ask(&agent, "overtaken", forms(), json!({})).await?;
    home.answer(&home.waiting("overtaken").await?, ["--request-changes", "--text", "not yet"]).await?;
    let late = json!({"action": "accept", "content": {"text": "go"}});
    let late = json!({"requestState": asked["requestState"], "inputResponses": {"reply": late}});
    let outcome = ask(&agent, "overtaken", forms(), late).await?;
    assert_eq!(outcome["structuredContent"]["decision"], "changes_requested", "the first answer wins");

    let http = Http::of(&home)?;
    let params =
        json!({"name": "review_gate_chat", "arguments": {"message": "http", "title": "http"}, "_meta": forms()});
    let head = [("mcp-protocol-version", "2026-07-28"), ("mcp-method", "tools/call"), ("mcp-name", "review_gate_chat")];
    let answer = http.post("tools/call", params, &head).await?.answer()?;
    assert_eq!(answer["result"]["resultType"], "input_required", "over HTTP as over stdio: {answer}");
    Ok(())
}
