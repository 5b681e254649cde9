//! The record as resources: lists, pages, search, completion (contract, section 6), through the real
//! relay.

use anyhow::{Context as _, Result};
use gate_tests::{Agent, Control, Home, LIMIT, eventually, specification, stateless_meta};
use serde_json::{Value, json};

/// More than fit on one page.
const MANY: usize = 53;
const CONVERSATIONS: &str = "file://review-gate/conversations";
/// How the prompts begin that follow the conversations.
const TEMPLATES: &str = "file://review-gate/templates/";

fn home() -> Result<Home> {
    Home::with_scripts_and_env([("REVIEW_GATE__NETWORK__PORT", "0")])
}

/// Begins conversations, each through a relay of its own, and gives their identifiers, the oldest first.
async fn begin(home: &Home, count: usize) -> Result<Vec<String>> {
    let mut sessions = Vec::new();
    for number in 0..count {
        let agent = Agent::start(home, "many").await?;
        let arguments = json!({"status_message": format!("conversation {number}")});
        let params = json!({"name": "review_gate_update_progress", "arguments": arguments});
        let call = agent.request("tools/call", params).await?;
        let outcome = agent.outcome(call).await?;
        sessions.push(outcome["session_uuid"].as_str().context("a session")?.to_owned());
    }
    Ok(sessions)
}

async fn ask(agent: &Agent, method: &str, params: Value) -> Result<Value> {
    let id = agent.request(method, params).await?;
    agent.result(id).await
}

/// What a URI reads as.
async fn read(agent: &Agent, uri: &str) -> Result<Value> {
    let mut result = ask(agent, "resources/read", json!({"uri": uri})).await?;
    let contents = result["contents"][0].take();
    assert_eq!((&contents["uri"], &contents["mimeType"]), (&json!(uri), &json!("application/json")));
    serde_json::from_str(contents["text"].as_str().context("JSON is text")?).context("it is JSON")
}

/// The code and the sentence that reading a URI is refused with.
async fn refused(agent: &Agent, uri: &str) -> Result<(i64, String)> {
    let id = agent.request("resources/read", json!({"uri": uri})).await?;
    let response = agent.wait(id).await?;
    let error = response.get("error").with_context(|| format!("{uri} had to be refused: {response}"))?;
    Ok((error["code"].as_i64().context("a code")?, error["message"].as_str().unwrap_or_default().to_owned()))
}

fn ids(page: &Value) -> Vec<&str> {
    let conversations = page["conversations"].as_array().map(Vec::as_slice).unwrap_or_default();
    conversations.iter().filter_map(|conversation| conversation["session_uuid"].as_str()).collect()
}

/// Asks, and has it answered. Gives the session.
async fn answered(home: &Home, agent: &Agent, title: &str, message: &str, reply: &str) -> Result<String> {
    let call = agent.call(json!({"message": message, "title": title})).await?;
    let id = home.waiting(title).await?;
    let draft = json!({"text": reply, "selected": [], "comments": [], "attachments": []});
    Control::open(home).await?.reply(&id, None, draft).await?.map_err(|fault| anyhow::anyhow!("{fault}"))?;
    let outcome = agent.outcome(call).await?;
    Ok(outcome["session_uuid"].as_str().context("a session")?.to_owned())
}

#[tokio::test]
async fn every_conversation_is_listed_once_the_newest_first() -> Result<()> {
    let home = home()?;
    let _gate = home.serve().await?;
    let agent = Agent::start(&home, "reader").await?;
    let mut sessions = begin(&home, MANY).await?;
    sessions.reverse();
    let first = ask(&agent, "resources/list", json!({})).await?;
    let resources = first["resources"].as_array().context("a list")?;
    assert_eq!(resources[0]["uri"], CONVERSATIONS);
    assert_eq!(resources[1]["uri"], format!("{CONVERSATIONS}/active"));
    assert_eq!(resources[2]["uri"], "file://review-gate/config");
    assert_eq!(resources[3]["uri"], "file://review-gate/templates");
    assert_eq!(resources[4]["uri"], "skill://index.json");
    let newest = &resources[5];
    assert_eq!(newest["uri"], format!("{CONVERSATIONS}/{}", sessions[0]));
    assert_eq!(newest["mimeType"], "application/json");
    assert!(newest["title"].as_str().is_some_and(|title| title.contains("many")), "it says whose it is: {newest}");
    let annotations = &newest["annotations"];
    assert_eq!((&annotations["audience"], &annotations["priority"]), (&json!(["user", "assistant"]), &json!(0.8)));
    assert!(annotations["lastModified"].as_str().is_some_and(|at| at.ends_with('Z')), "RFC 3339: {annotations}");
    let next = ask(&agent, "resources/list", json!({"cursor": first["nextCursor"]})).await?;
    assert_eq!(next.get("nextCursor"), None, "two pages are all: {next}");
    let uris = resources.iter().chain(next["resources"].as_array().context("a list")?).skip(5);
    let uris = uris.map(|resource| resource["uri"].as_str().unwrap_or_default().to_owned());
    let uris: Vec<_> = uris.filter(|uri| !uri.starts_with(TEMPLATES)).collect();
    let wanted: Vec<_> = sessions.iter().map(|session| format!("{CONVERSATIONS}/{session}")).collect();
    assert_eq!(uris, wanted, "each once, in order");

    let page = read(&agent, CONVERSATIONS).await?;
    assert_eq!(ids(&page), sessions[..50], "fifty on a page");
    let rest = read(&agent, page["next"].as_str().context("the next page's URI")?).await?;
    assert_eq!(ids(&rest), sessions[50..], "and the rest on the next");
    assert_eq!((&rest["next"], &rest["next_cursor"]), (&Value::Null, &Value::Null));
    let active = read(&agent, &format!("{CONVERSATIONS}/active")).await?;
    assert_eq!(ids(&active)[..3], sessions[..3], "all of them are active");
    let completed = read(&agent, &format!("{CONVERSATIONS}?status=completed")).await?;
    assert_eq!(ids(&completed), Vec::<&str>::new());
    Ok(())
}

#[tokio::test]
async fn a_cursor_outlives_the_gate_and_none_can_be_made() -> Result<()> {
    let home = home()?;
    let mut gate = home.serve().await?;
    let mut sessions = begin(&home, MANY).await?;
    sessions.reverse();
    let agent = Agent::start(&home, "reader").await?;
    let page = read(&agent, CONVERSATIONS).await?;
    let list = ask(&agent, "resources/list", json!({})).await?;
    gate.kill().await?;
    // The relay starts another gate.
    let next = page["next"].as_str().context("the next page's URI")?;
    assert_eq!(ids(&read(&agent, next).await?), sessions[50..], "the page goes on where it was");
    let listed = ask(&agent, "resources/list", json!({"cursor": list["nextCursor"]})).await?;
    let listed = listed["resources"].as_array().context("a list")?.iter();
    let uris = listed.filter_map(|resource| resource["uri"].as_str()).filter(|uri| !uri.starts_with(TEMPLATES));
    assert_eq!(uris.count(), MANY - 50, "before the prompts");

    let cursor = page["next_cursor"].as_str().context("a cursor")?;
    let forged = format!("{}x", cursor.split_at(cursor.len() - 1).0);
    for uri in [
        format!("{CONVERSATIONS}?cursor={forged}"),
        format!("{CONVERSATIONS}?cursor=c.1.{}", sessions[0]),
        format!("{CONVERSATIONS}?status=active&cursor={cursor}"),
        format!("{CONVERSATIONS}/{}?cursor={cursor}", sessions[0]),
    ] {
        let (code, text) = refused(&agent, &uri).await?;
        assert!(code == -32602 && text.contains("`cursor`"), "{uri}: {text}");
    }
    let id = agent.request("resources/list", json!({"cursor": cursor})).await?;
    let response = agent.wait(id).await?;
    assert_eq!(response["error"]["code"], -32602, "a cursor of another list: {response}");
    Ok(())
}

#[tokio::test]
async fn a_conversation_is_found_by_its_words_and_read_whole() -> Result<()> {
    let home = home()?;
    let _gate = home.serve().await?;
    let agent = Agent::start(&home, "claude-code").await?;
    let one =
        answered(&home, &agent, "Retry", "How often shall the webhook retry?", "Five times, then give up.").await?;
    let other = answered(&home, &agent, "Colour", "Which colour has the button?", "Green & blue.").await?;
    let found = read(&agent, &format!("{CONVERSATIONS}?q=webhook+retr")).await?;
    assert_eq!(ids(&found), [one.as_str()]);
    let excerpt = found["conversations"][0]["match"]["excerpt"].as_str().unwrap_or_default();
    assert!(excerpt.contains("webhook"), "the words are shown where they stand: {found}");
    let found = read(&agent, &format!("{CONVERSATIONS}?q=green%20%26%20blue")).await?;
    assert_eq!(ids(&found), [other.as_str()], "a reply is found, too");

    let whole = read(&agent, &format!("{CONVERSATIONS}/{one}")).await?;
    assert_eq!((&whole["title"], &whole["message_count"]), (&json!("Retry"), &json!(2)));
    let said: Vec<_> = whole["messages"].as_array().context("messages")?.iter().collect();
    assert_eq!(said.len(), 2);
    assert_eq!((&said[0]["role"], &said[0]["status"]), (&json!("agent"), &json!("answered")));
    assert_eq!((&said[1]["role"], &said[1]["text"]), (&json!("person"), &json!("Five times, then give up.")));
    let session = read(&agent, &format!("file://review-gate/sessions/{one}")).await?;
    assert_eq!((&session["status"], &session["transport"]), (&json!("active"), &json!("stdio")));
    assert_eq!(session["pending"], json!([]), "nothing is open");
    let checkpoints = read(&agent, &format!("file://review-gate/checkpoints/{one}")).await?;
    let none =
        json!({"session_uuid": one, "checkpoints": [], "checkpoint_count": 0, "next_cursor": null, "next": null});
    assert_eq!(checkpoints, none);

    let nobody = "0190a6e4-7a10-7000-8000-000000000001";
    for (uri, code, named) in [
        (format!("{CONVERSATIONS}/{nobody}"), -32002, nobody),
        (format!("file://review-gate/sessions/{nobody}"), -32002, nobody),
        (format!("file://review-gate/checkpoints/{nobody}"), -32002, nobody),
        ("file://review-gate/secrets".to_owned(), -32002, "secrets"),
        (format!("{CONVERSATIONS}?limit=3"), -32602, "`limit`"),
        (format!("{CONVERSATIONS}?status=open"), -32602, "`status`"),
        (format!("{CONVERSATIONS}/{one}?q=x"), -32602, "`q`"),
        (format!("{CONVERSATIONS}?q={}", "x".repeat(501)), -32602, "`q`"),
    ] {
        let (found, text) = refused(&agent, &uri).await?;
        assert!(found == code && text.contains(named), "{uri:.80}: {found} {text}");
    }
    Ok(())
}

#[tokio::test]
async fn templates_are_listed_and_their_arguments_completed() -> Result<()> {
    let home = home()?;
    let _gate = home.serve().await?;
    let agent = Agent::start(&home, "claude-code").await?;
    let sessions = begin(&home, 3).await?;
    let listed = ask(&agent, "resources/templates/list", json!({})).await?;
    let templates = listed["resourceTemplates"].as_array().context("a list")?;
    let uris: Vec<_> = templates.iter().map(|template| template["uriTemplate"].as_str().unwrap_or_default()).collect();
    assert_eq!(
        uris,
        [
            "file://review-gate/conversations{?cursor,q,status}",
            "file://review-gate/conversations/{id}{?cursor}",
            "file://review-gate/sessions/{uuid}",
            "file://review-gate/checkpoints/{conversation_id}{?cursor}",
            "file://review-gate/attachments/{id}",
            "file://review-gate/templates{?cursor}",
            "file://review-gate/templates/{+name}",
        ]
    );
    let complete = |uri: &str, name: &str, value: &str| {
        let reference = json!({"type": "ref/resource", "uri": uri});
        json!({"ref": reference, "argument": {"name": name, "value": value}})
    };
    let newest = sessions.last().context("three sessions")?;
    for (uri, name) in [(uris[1], "id"), (uris[2], "uuid"), (uris[3], "conversation_id")] {
        let completed = ask(&agent, "completion/complete", complete(uri, name, newest)).await?;
        assert_eq!(completed["completion"], json!({"values": [newest], "total": 1, "hasMore": false}), "{uri}");
        let all = ask(&agent, "completion/complete", complete(uri, name, "")).await?;
        assert_eq!(all["completion"]["total"], 3, "nothing typed begins them all: {all}");
    }
    let completed = ask(&agent, "completion/complete", complete(uris[0], "status", "st")).await?;
    assert_eq!(completed["completion"]["values"], json!(["stale"]));
    let nothing = ask(&agent, "completion/complete", complete(uris[2], "uuid", "%")).await?;
    assert_eq!(nothing["completion"]["values"], json!([]), "no letter means more than itself");
    for wrong in [complete(uris[2], "name", ""), complete("file://review-gate/{x}", "x", "")] {
        let id = agent.request("completion/complete", wrong.clone()).await?;
        let response = agent.wait(id).await?;
        assert_eq!(response["error"]["code"], -32602, "{wrong}: {response}");
    }
    Ok(())
}

#[tokio::test]
async fn what_is_listed_says_when_it_last_changed() -> Result<()> {
    let home = home()?;
    let prompts = home.path().join("prompts");
    std::fs::create_dir(&prompts)?;
    std::fs::write(prompts.join("mine.md"), "---\ntitle: Mine\n---\nDo it.\n")?;
    let _gate = home.serve().await?;
    let agent = Agent::start(&home, "claude-code").await?;
    answered(&home, &agent, "One", "One?", "One.").await?;
    home.run(["config", "set", "window.theme", "dark"]).await?.succeeded()?;
    let look = || async {
        let listed = ask(&agent, "resources/list", json!({})).await?;
        let listed = listed["resources"].as_array().cloned().unwrap_or_default();
        let dated = listed.iter().filter(|resource| resource["annotations"]["lastModified"].is_string());
        let dated: Vec<_> = dated.filter_map(|resource| resource["uri"].as_str().map(str::to_owned)).collect();
        let wanted = ["conversations", "conversations/active", "config", "templates", "templates/mine"];
        let all = wanted.iter().all(|name| dated.contains(&format!("file://review-gate/{name}")));
        // One that comes with the program.
        let built_in = dated.contains(&"file://review-gate/templates/code_review".to_owned());
        let skills = dated.contains(&"skill://index.json".to_owned());
        Ok((all && built_in && skills && dated.len() == listed.len()).then_some(()))
    };
    // When a prompt's file was first seen is noted a moment after the start.
    eventually("the times of all that is listed", LIMIT, look).await
}

/// Fails with every rule of a revision's definition that the value breaks.
fn keeps(all: &Value, revision: &str, definition: &str, value: &Value) -> Result<()> {
    let found = &all[revision];
    let keyword = found["keyword"].as_str().context("a schema")?;
    assert!(found["definitions"][definition].is_object(), "{revision} defines {definition}");
    let mut schema = json!({"$ref": format!("#/{keyword}/{definition}")});
    schema[keyword] = found["definitions"].clone();
    let broken = gate_tests::schemas::broken_but_for_formats(&schema, value)?;
    assert!(broken.is_empty(), "{revision} {definition}: {broken:#?} in {value}");
    Ok(())
}

#[tokio::test]
async fn what_is_said_of_resources_keeps_to_the_specification() -> Result<()> {
    let Some(all) = specification().await? else { return Ok(()) };
    let home = home()?;
    let _gate = home.serve().await?;
    let old = Agent::start(&home, "claude-code").await?;
    let session = answered(&home, &old, "One", "One?", "One.").await?;
    let new = Agent::spawn(&home)?;
    let template = json!({"type": "ref/resource", "uri": "file://review-gate/sessions/{uuid}"});
    let context = json!({"name": "review_gate_get_context", "arguments": {"session_uuid": session}});
    for (method, params, definition) in [
        ("resources/list", json!({}), "ListResourcesResult"),
        ("resources/templates/list", json!({}), "ListResourceTemplatesResult"),
        ("resources/read", json!({"uri": format!("{CONVERSATIONS}/{session}")}), "ReadResourceResult"),
        ("completion/complete", json!({"ref": template, "argument": {"name": "uuid", "value": ""}}), "CompleteResult"),
        ("tools/list", json!({}), "ListToolsResult"),
        ("tools/call", context, "CallToolResult"),
    ] {
        keeps(&all, "2025-11-25", definition, &ask(&old, method, params.clone()).await?)?;
        let mut params = params;
        params["_meta"] = stateless_meta("new");
        keeps(&all, "2026-07-28", definition, &ask(&new, method, params).await?)?;
    }
    keeps(&all, "2025-11-25", "EmptyResult", &ask(&old, "resources/subscribe", json!({"uri": CONVERSATIONS})).await?)?;
    let filter = json!({"resourceSubscriptions": [CONVERSATIONS], "resourcesListChanged": true});
    new.request("subscriptions/listen", json!({"notifications": filter, "_meta": stateless_meta("new")})).await?;
    let acknowledged = new.notification("notifications/subscriptions/acknowledged").await?;
    keeps(&all, "2026-07-28", "SubscriptionsAcknowledgedNotification", &acknowledged)?;
    begin(&home, 1).await?;
    for (agent, revision) in [(&old, "2025-11-25"), (&new, "2026-07-28")] {
        let updated = agent.notification("notifications/resources/updated").await?;
        keeps(&all, revision, "ResourceUpdatedNotification", &updated)?;
        let changed = agent.notification("notifications/resources/list_changed").await?;
        keeps(&all, revision, "ResourceListChangedNotification", &changed)?;
    }
    Ok(())
}
