//! Every message that the product's own tools make keeps to the specification's JSON Schema of its
//! revision, over stdio and over HTTP.

use anyhow::{Context as _, Result};
use gate_tests::{Agent, Control, Home, Http, SCRIPTS_ANSWER, specification, stateless_meta};
use serde_json::{Value, json};

const PICTURE: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mP4z8AAAAMBAQD3A0FDAAAAAElFTkSuQmCC";

/// The schemas of one revision.
struct Revision {
    name: &'static str,
    keyword: String,
    definitions: Value,
}

impl Revision {
    fn of(all: &Value, name: &'static str) -> Result<Self> {
        let found = &all[name];
        let keyword = found["keyword"].as_str().with_context(|| format!("no schema of {name}"))?.to_owned();
        Ok(Self { name, keyword, definitions: found["definitions"].clone() })
    }

    /// Fails with every rule of a definition that the value breaks.
    fn keeps(&self, definition: &str, value: &Value) -> Result<()> {
        assert!(self.definitions[definition].is_object(), "{} defines {definition}", self.name);
        let mut schema = json!({"$ref": format!("#/{}/{definition}", self.keyword)});
        schema[&self.keyword] = self.definitions.clone();
        let broken = gate_tests::schemas::broken_but_for_formats(&schema, value)?;
        assert!(broken.is_empty(), "{} {definition}: {broken:#?} in {value}", self.name);
        Ok(())
    }

    /// A response as a whole, and its result as this definition says.
    fn answers(&self, definition: &str, response: &Value) -> Result<()> {
        if let Some(result) = response.get("result") {
            self.keeps("JSONRPCResultResponse", response)?;
            self.keeps(definition, result)
        } else {
            assert_eq!(definition, "error", "a result was expected: {response}");
            self.keeps("JSONRPCErrorResponse", response)
        }
    }
}

/// Answers with all that a reply may hold.
async fn answer_fully(home: &Home, id: &str) -> Result<()> {
    let mut control = Control::open(home).await?;
    let mut attachments = Vec::new();
    for (name, data) in [("shot.png", PICTURE), ("notes.txt", "bm90ZXM=")] {
        let attach = json!({"command": "attach", "request_id": id, "name": name, "data": data});
        let attached = control.command(attach).await?.map_err(|fault| anyhow::anyhow!("{fault}"))?;
        attachments.push(attached["attachment"]["attachment_id"].clone());
    }
    let comments = json!([{"file": "a.rs", "start_line": 1, "line": 2, "side": "new", "body": "why?"}]);
    let draft = json!({
        "text": "yes", "selected": ["A"], "comments": comments, "attachments": attachments,
        "remarks": [{"quote": "answered", "body": "by whom?"}],
    });
    control.reply(id, Some("approved"), draft).await?.map(drop).map_err(|fault| anyhow::anyhow!("{fault}"))
}

fn question(title: &str) -> Value {
    let diff = "--- a/a.rs\n+++ b/a.rs\n@@ -1 +1 @@\n-a\n+b\n";
    json!({"message": title, "title": title, "options": ["A"], "approval": true, "diff": diff})
}

fn home() -> Result<Home> {
    Home::with_config(&format!("network:\n  port: 0\nwaiting:\n  clients:\n    impatient: 5\n{SCRIPTS_ANSWER}"))
}

#[tokio::test]
async fn the_initialize_era() -> Result<()> {
    let Some(all) = specification().await? else { return Ok(()) };
    let revision = Revision::of(&all, "2025-11-25")?;
    let home = home()?;
    let _gate = home.serve().await?;
    let agent = Agent::spawn(&home)?;
    let begin = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "impatient", "version": "1"}});
    let id = agent.request("initialize", begin).await?;
    revision.answers("InitializeResult", &agent.wait(id).await?)?;
    agent.notify("notifications/initialized", json!({})).await?;
    for (method, params, definition) in [
        ("ping", json!({}), "EmptyResult"),
        ("logging/setLevel", json!({"level": "notice"}), "EmptyResult"),
        ("logging/setLevel", json!({"level": "loud"}), "error"),
        ("tools/list", json!({}), "ListToolsResult"),
        ("resources/list", json!({}), "ListResourcesResult"),
        ("resources/templates/list", json!({}), "ListResourceTemplatesResult"),
        ("tools/call", json!({"name": "review_gate_chat", "arguments": {}}), "CallToolResult"),
        ("tools/call", json!({"name": "nonsense"}), "error"),
        ("resources/read", json!({"uri": "file://review-gate/nonsense"}), "error"),
        ("nonsense/method", json!({}), "error"),
    ] {
        let id = agent.request(method, params).await?;
        revision.answers(definition, &agent.wait(id).await?).with_context(|| method.to_owned())?;
    }
    revision.keeps("LoggingMessageNotification", &agent.notification("notifications/message").await?)?;
    let waits = agent.call_with(question("answered"), json!({"progressToken": "p"})).await?;
    answer_fully(&home, &home.waiting("answered").await?).await?;
    let response = agent.wait(waits).await?;
    revision.answers("CallToolResult", &response)?;
    revision.keeps("ProgressNotification", &agent.notification("notifications/progress").await?)?;
    let links = response["result"]["structuredContent"]["attachments"].as_array().context("attachments")?;
    for link in links {
        let id = agent.request("resources/read", json!({"uri": link["uri"]})).await?;
        revision.answers("ReadResourceResult", &agent.wait(id).await?)?;
    }
    let pending = agent.call(question("pending")).await?;
    let response = agent.wait(pending).await?;
    assert_eq!(response["result"]["structuredContent"]["status"], "pending", "{response}");
    revision.answers("CallToolResult", &response)?;

    let mut http = Http::of(&home)?;
    http.initialize("impatient").await?;
    for (method, definition) in [("tools/list", "ListToolsResult"), ("ping", "EmptyResult"), ("nonsense", "error")] {
        revision.answers(definition, &http.post(method, json!({}), &[]).await?.answer()?)?;
    }
    Ok(())
}

#[tokio::test]
async fn the_era_without_sessions() -> Result<()> {
    let Some(all) = specification().await? else { return Ok(()) };
    let revision = Revision::of(&all, "2026-07-28")?;
    let home = home()?;
    let _gate = home.serve().await?;
    let agent = Agent::spawn(&home)?;
    let mut forms = stateless_meta("modern");
    forms["io.modelcontextprotocol/clientCapabilities"] = json!({"elicitation": {"form": {}}});
    let plain = stateless_meta("modern");
    let form = json!({"message": "form", "title": "form", "options": ["A", "B"]});
    for (method, params, meta, definition) in [
        ("server/discover", json!({}), &plain, "DiscoverResult"),
        ("tools/list", json!({}), &plain, "ListToolsResult"),
        ("resources/list", json!({}), &plain, "ListResourcesResult"),
        ("tools/call", json!({"name": "review_gate_chat", "arguments": {}}), &plain, "CallToolResult"),
        ("tools/call", json!({"name": "review_gate_chat", "arguments": form}), &forms, "InputRequiredResult"),
        ("tools/call", json!({"name": "nonsense", "arguments": {}}), &plain, "error"),
        ("nonsense/method", json!({}), &plain, "error"),
    ] {
        let mut params = params;
        params["_meta"] = meta.clone();
        let id = agent.request(method, params).await?;
        revision.answers(definition, &agent.wait(id).await?).with_context(|| method.to_owned())?;
    }
    let waits = agent.call_with(question("answered"), plain.clone()).await?;
    answer_fully(&home, &home.waiting("answered").await?).await?;
    let response = agent.wait(waits).await?;
    revision.answers("CallToolResult", &response)?;
    let uri = response["result"]["structuredContent"]["attachments"][0]["uri"].clone();
    let read = agent.request("resources/read", json!({"uri": uri, "_meta": plain})).await?;
    revision.answers("ReadResourceResult", &agent.wait(read).await?)?;

    let http = Http::of(&home)?;
    let over_http = http.chat_stateless("modern", json!({"message": "", "title": "empty"})).await?;
    revision.answers("CallToolResult", &over_http.answer()?)
}
