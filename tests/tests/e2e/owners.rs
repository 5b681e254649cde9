//! Whose a session is: agents of other clients find nothing of it, and can do nothing to it. A client that is started
//! again in the same folder goes on with what it names. At the default settings.

use std::path::PathBuf;

use anyhow::{Context as _, Result};
use gate_tests::{Agent, Home, Http, LIMIT, Process, SignedPage, Spawning, stateless_meta};
use serde_json::{Value, json};

const CONVERSATIONS: &str = "file://review-gate/conversations";
/// What no request and no session is called.
const NOBODY: &str = "0190a6e4-7a10-7000-8000-000000000001";

/// An agent of a client of its own, which works in this folder.
async fn agent(home: &Home, folder: PathBuf, name: &str) -> Result<Agent> {
    let agent = Agent::spawn_with(home, Spawning { folder: Some(folder), apart: true, ..Spawning::default() })?;
    agent.initialize(name).await?;
    Ok(agent)
}

/// A further folder to work in.
fn another_folder(home: &Home) -> Result<PathBuf> {
    let folder = home.folder().join("another");
    std::fs::create_dir(&folder)?;
    Ok(folder)
}

/// Ends an agent with its client, as a crash does.
fn ends(agent: Agent) -> Result<()> {
    let client = Process::open(agent.pid().context("it runs")?).context("it runs")?;
    client.kill()?;
    drop(agent);
    assert!(client.ends_within(LIMIT), "it was killed");
    Ok(())
}

/// What a call of `review_gate_chat` with these arguments is refused with: code and text.
async fn refused(agent: &Agent, arguments: Value) -> Result<(String, String)> {
    let call = agent.call(arguments.clone()).await?;
    let result = agent.result(call).await?;
    assert_eq!(result["isError"], true, "{arguments} had to be refused: {result}");
    let code = result["_meta"]["review-gate/fault"]["code"].as_str().unwrap_or_default().to_owned();
    Ok((code, result["content"][0]["text"].as_str().unwrap_or_default().to_owned()))
}

/// The URIs of a list of resources that are conversations.
fn conversations(listed: &Value) -> Vec<&str> {
    let resources = listed["resources"].as_array().map(Vec::as_slice).unwrap_or_default();
    let uris = resources.iter().filter_map(|resource| resource["uri"].as_str());
    uris.filter(|uri| uri.starts_with(&format!("{CONVERSATIONS}/0"))).collect()
}

#[tokio::test]
async fn an_agent_in_another_folder_finds_nothing_and_does_nothing() -> Result<()> {
    let home = Home::new()?;
    let _gate = home.serve().await?;
    let person = SignedPage::sign_in(&home).await?;
    let one = agent(&home, home.workspace(), "claude-code").await?;
    let elsewhere = another_folder(&home)?;
    let other = agent(&home, elsewhere.clone(), "claude-code").await?;
    let waits = one.call(json!({"message": "Which password?", "title": "secret"})).await?;
    let id = home.waiting("secret").await?;
    let rows = home.rows("SELECT session_uuid FROM conversations").await?;
    let session = rows[0]["session_uuid"].as_str().context("a session")?;

    for (field, mine) in [("request_id", id.as_str()), ("session_uuid", session)] {
        let told = refused(&other, json!({"message": "m", field: mine})).await?;
        let (code, text) = refused(&other, json!({"message": "m", field: NOBODY})).await?;
        assert_eq!(told, (code, text.replace(NOBODY, mine)), "as if there were none");
    }
    for path in [format!("conversations/{session}"), format!("sessions/{session}"), format!("checkpoints/{session}")] {
        let uri = format!("file://review-gate/{path}");
        for method in ["resources/read", "resources/subscribe"] {
            let asked = other.request(method, json!({ "uri": uri })).await?;
            assert_eq!(other.wait(asked).await?["error"]["code"], -32002, "{method} {uri}");
        }
    }
    let report = json!({"session_uuid": session, "progress_percent": 1});
    let report = json!({"name": "review_gate_update_progress", "arguments": report});
    let reported = other.result(other.request("tools/call", report).await?).await?;
    assert_eq!(reported["isError"], true, "nor does anybody report in another's session: {reported}");
    let asked = other.request("resources/list", json!({})).await?;
    assert_eq!(conversations(&other.result(asked).await?), [""; 0], "nothing of others is listed");
    let template = json!({"type": "ref/resource", "uri": "file://review-gate/sessions/{uuid}"});
    let typed = json!({"ref": template, "argument": {"name": "uuid", "value": ""}});
    let asked = other.request("completion/complete", typed).await?;
    assert_eq!(other.result(asked).await?["completion"]["values"], json!([]), "or offered");

    let modern = Agent::spawn_with(&home, Spawning { folder: Some(elsewhere), apart: true, ..Spawning::default() })?;
    let mut meta = stateless_meta("modern");
    meta["io.modelcontextprotocol/clientCapabilities"] = json!({"extensions": {"io.modelcontextprotocol/tasks": {}}});
    for method in ["tasks/get", "tasks/cancel"] {
        let asked = modern.request(method, json!({"taskId": id, "_meta": meta})).await?;
        let refused = modern.wait(asked).await?;
        assert!(refused["error"]["message"].as_str().is_some_and(|text| text.contains(&id)), "{method}: {refused}");
    }
    person.writes(&id, "hunter2").await?;
    assert_eq!(one.outcome(waits).await?["text"], "hunter2", "whoever asked is still waiting, and has the reply");
    let asked = one.request("resources/list", json!({})).await?;
    let own = format!("{CONVERSATIONS}/{session}");
    assert_eq!(conversations(&one.result(asked).await?), [own.as_str()], "and finds what was said");
    Ok(())
}

#[tokio::test]
async fn the_next_of_the_same_client_in_the_same_folder_has_the_reply() -> Result<()> {
    let home = Home::new()?;
    let _gate = home.serve().await?;
    let person = SignedPage::sign_in(&home).await?;
    let first = agent(&home, home.workspace(), "claude-code").await?;
    let second = agent(&home, home.workspace(), "claude-code").await?;
    let elsewhere = agent(&home, another_folder(&home)?, "claude-code").await?;
    first.call(json!({"message": "Shall I?", "title": "inherited", "approval": true})).await?;
    let id = home.waiting("inherited").await?;
    let resumes = || json!({"message": "Shall I?", "request_id": id});
    assert_eq!(refused(&second, resumes()).await?.0, "unknown_request", "while the first one runs, it is the first's");
    ends(first)?;
    person.approves(&id, "go").await?;
    assert_eq!(refused(&elsewhere, resumes()).await?.0, "unknown_request", "nobody else inherits it");
    let fetched = second.chat(resumes()).await?;
    assert_eq!((&fetched["decision"], &fetched["text"]), (&json!("approved"), &json!("go")), "but the heir, by its id");
    Ok(())
}

/// A session of a client over HTTP.
async fn session(home: &Home, token: &str, name: &str) -> Result<Http> {
    let mut http = Http::of(home)?;
    http.token = token.to_owned();
    http.initialize(name).await?;
    Ok(http)
}

/// What a client over HTTP is listed of conversations.
async fn listed(http: &Http) -> Result<Vec<String>> {
    let answer = http.post("resources/list", json!({}), &[]).await?.answer()?;
    Ok(conversations(&answer["result"]).into_iter().map(str::to_owned).collect())
}

async fn reads(http: &Http, uri: &str) -> Result<bool> {
    let answer = http.post("resources/read", json!({ "uri": uri }), &[]).await?.answer()?;
    Ok(answer.get("error").is_none())
}

/// Begins a conversation; gives its session and its URI.
async fn begins(http: &Http) -> Result<(String, String)> {
    let report = json!({"name": "review_gate_update_progress", "arguments": {"progress_percent": 1}});
    let begun = http.post("tools/call", report, &[]).await?.outcome()?;
    let session = begun["session_uuid"].as_str().context("a session")?;
    Ok((session.to_owned(), format!("{CONVERSATIONS}/{session}")))
}

#[tokio::test]
async fn over_http_a_token_is_an_owner_and_the_shared_one_lists_nothing() -> Result<()> {
    let home = Home::with_env([("REVIEW_GATE__NETWORK__PORT", "0")])?;
    let _gate = home.serve().await?;
    let create = async |arguments: &str| -> Result<String> {
        Ok(home.at_a_terminal(&format!("token create {arguments}")).await?.trim().to_owned())
    };
    let one = session(&home, &create("one").await?, "editor").await?;
    let other = session(&home, &create("other").await?, "editor").await?;
    let reader = session(&home, &create("reader --reads-all").await?, "dashboard").await?;
    let shared = Http::of(&home)?.token;
    let (shared, beside) = (session(&home, &shared, "editor").await?, session(&home, &shared, "cursor").await?);
    let (session_uuid, uri) = begins(&one).await?;
    let (_, of_shared) = begins(&shared).await?;

    assert_eq!((listed(&one).await?, reads(&one, &uri).await?), (vec![uri.clone()], true), "one's own");
    for (http, who) in [(&other, "another token"), (&shared, "the shared token")] {
        assert_eq!((listed(http).await?, reads(http, &uri).await?), (vec![], false), "{who} has none of it");
    }
    assert_eq!((listed(&beside).await?, reads(&beside, &of_shared).await?), (vec![], true), "with the id, it works");
    assert_eq!(listed(&reader).await?.len(), 2, "whom the person lets read all");

    home.at_a_terminal(&format!("session give {session_uuid} other")).await?;
    assert_eq!((listed(&one).await?, listed(&other).await?), (vec![], vec![uri]), "what the person has given away");
    Ok(())
}
