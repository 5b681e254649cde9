//! `review_gate_chat` with an answer: everything that an agent may ask and a person may reply
//! (contract, section 4), through the real relay and a gate without windows.

use std::path::PathBuf;

use anyhow::{Context as _, Result};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gate_tests::{Agent, Control, Home, LIMIT, eventually};
use serde_json::{Value, json};

/// The smallest picture: one transparent pixel.
const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

/// Takes the fields that differ from run to run out of an answered outcome, after a look at them.
fn plain(mut outcome: Value) -> Result<Value> {
    let fields = outcome.as_object_mut().context("an outcome is an object")?;
    for id in ["session_uuid", "request_id"] {
        let id = fields.remove(id).context("an outcome names its session and request")?;
        assert_eq!(id.as_str().map(str::len), Some(36), "ids are hyphenated UUIDs: {id}");
    }
    let digest = fields.remove("digest").context("an answered outcome names its question")?;
    assert_eq!(digest.as_str().map(str::len), Some(64), "by a SHA-256: {digest}");
    let receipt = fields.remove("receipt").context("an answered outcome names its receipt")?;
    assert_eq!(receipt.as_str().map(str::len), Some(64), "by the SHA-256 of its line: {receipt}");
    let at = fields.remove("answered_at").context("an outcome says when it was answered")?;
    let at = at.as_str().context("answered_at is text")?;
    // Who gave it, and that scripts may answer here: `trust.rs` looks at that.
    fields.remove("asides");
    assert!(at.ends_with('Z') && at.contains('T') && at.starts_with("20"), "answered_at is RFC 3339: {at}");
    Ok(outcome)
}

fn text_of(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap_or_default()
}

#[tokio::test]
async fn a_question_shows_all_that_the_agent_said_and_brings_back_text() -> Result<()> {
    let home = Home::with_scripts()?;
    let _gate = home.serve().await?;
    let agent = Agent::start(&home, "claude-code").await?;
    let call = agent
        .call(json!({
            "message": "# Which name?\nThe flag needs **one**.",
            "title": "Name of the flag",
            "context": "renaming flags",
            "urgent": true,
            "options": ["--dry", {"label": "--dry-run", "description": "as make has it", "recommended": true}],
        }))
        .await?;
    let id = home.waiting("Name of the flag").await?;
    let mut shown = home.pending().await?.pop().context("one request waits")?;
    let fields = shown.as_object_mut().context("a request is an object")?;
    let created = fields.remove("created_at").context("a request has its time")?;
    assert!(created.as_str().is_some_and(|at| at.ends_with('Z')), "created_at is RFC 3339: {created}");
    let until = fields.remove("waits_until").context("a request says how long its agent waits")?;
    assert!(until.is_string(), "its agent waits, and not for ever: {until}");
    let session = fields.remove("session_uuid").context("a request has its session")?;
    // Of {"allow_multiple":false,"approval":false,"context":"renaming flags","message":"…","options":[…],"title":"…"}.
    let digest = fields.remove("digest").context("a request has its question's digest")?;
    assert_eq!(digest, "0dd2d99db8d7cdbf86d2b83d2d7db108d99d6945a482cedcefc412677b4b8381", "others make the same");
    assert_eq!(
        shown,
        json!({
            "request_id": id,
            "title": "Name of the flag",
            "message": "# Which name?\nThe flag needs **one**.",
            "options": [{"label": "--dry"}, {"label": "--dry-run", "description": "as make has it", "recommended": true}],
            "allow_multiple": false,
            "approval": false,
            "urgent": true,
            "client": "claude-code",
            "workspace": home.workspace(),
            "agent": "waiting",
            "git": null,
            "needs": null,
            "permission": null,
            "put_off": false,
            "put_off_until": null,
        }),
        "the person has to see the whole question and who asks it from where"
    );

    home.answer(&id, ["--text", "Neither: `--preview`.\nRename both."]).await?;
    let result = agent.result(call).await?;
    assert!(!result["isError"].as_bool().unwrap_or(false), "an answer is no error: {result}");
    assert!(
        text_of(&result).starts_with("Neither: `--preview`.\nRename both."),
        "a model reads the text first: {result}"
    );
    let outcome = &result["structuredContent"];
    assert_eq!((&outcome["request_id"], &outcome["session_uuid"]), (&json!(id), &session), "it is the same request");
    assert_eq!(outcome["digest"], digest, "and the same question");
    assert_eq!(
        plain(outcome.clone())?,
        json!({
            "status": "answered", "decision": null, "text": "Neither: `--preview`.\nRename both.", "selected": [],
            "comments": [], "attachments": [], "answered_from": "script", "assurance": "L0",
        }),
        "the agent gets exactly what was given, and where from: this answer came from no terminal"
    );
    assert_eq!(home.pending().await?, Vec::<Value>::new(), "what is answered waits no longer");
    Ok(())
}

#[tokio::test]
async fn several_options_come_back_in_the_order_of_the_question() -> Result<()> {
    let home = Home::with_scripts()?;
    let _gate = home.serve().await?;
    let agent = Agent::start(&home, "cursor").await?;
    let many = json!({"message": "m", "title": "several", "options": ["a", "b", "c"], "allow_multiple": true});
    let call = agent.call(many).await?;
    home.answer(&home.waiting("several").await?, ["--choose", "c", "--choose", "a"]).await?;
    let result = agent.result(call).await?;
    assert_eq!(result["structuredContent"]["selected"], json!(["a", "c"]), "the question's order is the list's");
    assert!(text_of(&result).starts_with("Chosen: a | c"), "a model reads the choice: {result}");

    let call = agent.call(json!({"message": "m", "title": "one", "options": ["a", "b"]})).await?;
    let id = home.waiting("one").await?;
    let refused = home.run(["answer", &id, "--choose", "a", "--choose", "b"]).await?;
    assert_eq!(refused.code, Some(4), "one option means one: {refused:?}");
    assert!(refused.stderr.contains("[invalid_input]"), "the fault has its code: {refused:?}");
    home.answer(&id, ["--choose", "b"]).await?;
    let outcome = agent.outcome(call).await?;
    assert_eq!(outcome["selected"], json!(["b"]), "a refused reply leaves the request open for a good one");
    Ok(())
}

#[tokio::test]
async fn approval_is_given_only_by_saying_so() -> Result<()> {
    let home = Home::with_scripts()?;
    let _gate = home.serve().await?;
    let agent = Agent::start(&home, "claude-code").await?;

    let call = agent.call(json!({"message": "Deploy?", "title": "yes", "approval": true})).await?;
    home.answer(&home.waiting("yes").await?, ["--approve"]).await?;
    let result = agent.result(call).await?;
    assert_eq!(result["structuredContent"]["decision"], "approved", "an approval arrives as one");
    assert!(text_of(&result).starts_with("APPROVED"), "and a model reads it first: {result}");

    let call = agent.call(json!({"message": "Deploy?", "title": "no", "approval": true})).await?;
    home.answer(&home.waiting("no").await?, ["--request-changes", "--text", "Tests first."]).await?;
    let result = agent.result(call).await?;
    assert_eq!(result["structuredContent"]["decision"], "changes_requested", "a refusal arrives as one");
    assert_eq!(result["structuredContent"]["text"], "Tests first.", "with its reason");
    assert!(!text_of(&result).contains("APPROVED"), "no model may read it as an approval: {result}");

    let call = agent.call(json!({"message": "Deploy?", "title": "hm", "approval": true})).await?;
    home.answer(&home.waiting("hm").await?, ["--text", "approved"]).await?;
    let result = agent.result(call).await?;
    assert_eq!(result["structuredContent"]["decision"], Value::Null, "text is no decision, whatever it says");
    assert!(text_of(&result).contains("Not approved"), "a model is told that it is none: {result}");
    Ok(())
}

#[tokio::test]
async fn comments_on_the_lines_of_a_diff_name_file_line_and_side() -> Result<()> {
    let home = Home::with_scripts()?;
    let _gate = home.serve().await?;
    let agent = Agent::start(&home, "cursor").await?;
    let diff = "--- a/src/a.rs\n+++ b/src/a.rs\n@@ -1,2 +1,2 @@\n fn a() {\n-    one();\n+    two();\n";
    let call = agent.call(json!({"message": "m", "title": "diff", "approval": true, "diff": diff})).await?;
    let id = home.waiting("diff").await?;
    let comments = json!([
        {"file": "src/a.rs", "line": 2, "side": "new", "body": "Why two?"},
        {"file": "src/a.rs", "line": 2, "side": "old", "body": "Keep this\nfor now."},
    ]);
    let draft = json!({"text": "See below.", "selected": [], "comments": comments, "attachments": []});
    let sent = Control::open(&home).await?.reply(&id, Some("changes_requested"), draft).await?;
    assert!(sent.is_ok(), "the reply is a good one: {sent:?}");
    let result = agent.result(call).await?;
    assert_eq!(
        plain(result["structuredContent"].clone())?,
        json!({
            "status": "answered", "decision": "changes_requested", "text": "See below.", "selected": [],
            "comments": comments, "attachments": [], "answered_from": "script", "assurance": "L0",
        }),
        "each comment has to find its line again"
    );
    let text = text_of(&result);
    let first = text.find("- src/a.rs:2: Why two?");
    assert!(first.is_some() && text.contains("(old side): Keep this"), "a model reads them too: {text}");
    Ok(())
}

#[tokio::test]
async fn images_are_seen_and_other_files_are_linked_and_readable() -> Result<()> {
    let home = Home::with_scripts()?;
    let left = home.path().join("attachments/0190a6e4-7a10-7000-8000-000000000001");
    std::fs::create_dir_all(left.join("copy"))?;
    let _gate = home.serve().await?;
    let agent = Agent::start(&home, "claude-code").await?;
    let picture = home.folder().join("shot.png");
    std::fs::write(&picture, STANDARD.decode(PNG)?)?;
    let swept = || async { Ok((!left.exists()).then_some(())) };
    eventually("the end of what a gate that broke down had left", LIMIT, swept).await?;
    let notes = home.folder().join("notes.txt");
    std::fs::write(&notes, "first\nsecond: ü\n")?;
    let raw = home.folder().join("raw.bin");
    std::fs::write(&raw, [0_u8, 159, 146, 150])?;

    let call = agent.call(json!({"message": "m", "title": "files"})).await?;
    let id = home.waiting("files").await?;
    let paths = [&picture, &notes, &raw].map(|path| path.display().to_string());
    let attach = paths.iter().flat_map(|path| ["--attach", path]);
    home.answer(&id, attach.chain(["--text", "Look."])).await?;

    let result = agent.result(call).await?;
    let mut links = result["structuredContent"]["attachments"].as_array().context("a list of files")?.clone();
    let (mut uris, mut copies) = (Vec::new(), Vec::new());
    for link in &mut links {
        let uri = link["uri"].take().as_str().unwrap_or_default().to_owned();
        assert!(uri.starts_with("file://review-gate/attachments/"), "the contract names the place: {uri}");
        uris.push(uri);
        let path = link.as_object_mut().and_then(|link| link.remove("path")).context("a link names a copy")?;
        copies.push(PathBuf::from(path.as_str().context("a path is text")?));
    }
    for (copy, file) in copies.iter().zip([&picture, &notes, &raw]) {
        assert_eq!(copy.file_name(), file.file_name(), "a copy is called as the file");
        assert_eq!(std::fs::read(copy)?, std::fs::read(file)?, "and holds what it held");
    }
    let told = text_of(&result);
    assert!(copies.iter().all(|copy| told.contains(&copy.display().to_string())), "the model is told where: {told}");
    assert_eq!(
        Value::from(links),
        json!([
            {"uri": null, "name": "shot.png", "mime_type": "image/png", "size": 70},
            {"uri": null, "name": "notes.txt", "mime_type": "text/plain", "size": 17},
            {"uri": null, "name": "raw.bin", "mime_type": "application/octet-stream", "size": 4},
        ]),
        "in the order they were attached, typed by what is in them"
    );
    let blocks = result["content"].as_array().context("a list of blocks")?;
    let kinds: Vec<_> = blocks.iter().map(|block| block["type"].as_str().unwrap_or_default()).collect();
    assert_eq!(
        kinds,
        ["text", "image", "resource_link", "resource_link"],
        "a model sees images, and links to the rest"
    );
    assert_eq!(blocks[1]["data"], PNG, "the image is the file, byte for byte");
    assert_eq!(blocks[1]["mimeType"], "image/png", "with its type");
    assert_eq!(
        (&blocks[2]["uri"], &blocks[2]["name"]),
        (&json!(uris[1]), &json!("notes.txt")),
        "the link is the file's"
    );
    let answered_at = &result["structuredContent"]["answered_at"];
    assert_eq!(&blocks[2]["annotations"]["lastModified"], answered_at, "and says when it was attached");

    let mut contents = Vec::new();
    for uri in &uris {
        let read = agent.request("resources/read", json!({"uri": uri})).await?;
        contents.push(agent.result(read).await?["contents"][0].take());
    }
    assert_eq!(
        contents,
        [
            json!({"uri": uris[0], "mimeType": "image/png", "blob": PNG}),
            json!({"uri": uris[1], "mimeType": "text/plain", "text": "first\nsecond: ü\n"}),
            json!({"uri": uris[2], "mimeType": "application/octet-stream", "blob": "AJ+Slg=="}),
        ],
        "what is linked can be read: text as text, the rest as bytes"
    );
    let read =
        agent.request("resources/read", json!({"uri": "file://review-gate/attachments/../../etc/passwd"})).await?;
    let refused = agent.wait(read).await?;
    assert!(refused["error"]["code"].is_i64(), "only attachments are read there: {refused}");

    let session = result["structuredContent"]["session_uuid"].clone();
    let close = json!({"command": "close_session", "session_uuid": session});
    assert!(Control::open(&home).await?.command(close).await?.is_ok(), "nothing waits in it");
    let gone = || async { Ok(copies.iter().all(|copy| !copy.exists()).then_some(())) };
    eventually("the copies are gone with their session", LIMIT, gone).await
}

#[tokio::test]
async fn a_client_that_would_drop_pictures_gets_no_structure_in_their_place() -> Result<()> {
    let home = Home::with_scripts()?;
    let _gate = home.serve().await?;
    let picture = home.folder().join("shot.png");
    std::fs::write(&picture, STANDARD.decode(PNG)?)?;
    for client in ["codex-mcp-client", "opencode", "gemini-cli-mcp-client"] {
        let agent = Agent::start(&home, client).await?;
        let list = agent.request("tools/list", json!({})).await?;
        let list = agent.result(list).await?;
        let tools = list["tools"].as_array().context("a list of tools")?;
        assert!(tools.iter().all(|tool| tool["outputSchema"].is_null()), "{client}: nothing promises a structure");
        let call = agent.call(json!({"message": "m", "title": client, "approval": true})).await?;
        let path = picture.display().to_string();
        home.answer(&home.waiting(client).await?, ["--attach", &path, "--text", "Look."]).await?;
        let result = agent.result(call).await?;
        assert!(result["structuredContent"].is_null(), "{client}: {result}");
        assert_eq!(result["content"][1]["data"], PNG, "{client}: {result}");
        let told = text_of(&result);
        for said in ["has no decision", "Look.", "shot.png", "session_uuid"] {
            assert!(told.contains(said), "{client}: the text says all: {told}");
        }
    }
    Ok(())
}

#[tokio::test]
async fn unknown_fields_are_named_and_cost_nothing() -> Result<()> {
    let home = Home::with_scripts()?;
    let _gate = home.serve().await?;
    let agent = Agent::start(&home, "claude-code").await?;
    let call = agent.call(json!({"message": "m", "title": "stray", "timeout": 1, "priority": "high"})).await?;
    home.answer(&home.waiting("stray").await?, ["--text", "ok"]).await?;
    let result = agent.result(call).await?;
    assert_eq!(result["structuredContent"]["text"], "ok", "a stray field doesn't cost the question");
    let text = text_of(&result);
    assert!(text.contains("timeout") && text.contains("priority"), "the agent learns what was ignored: {text}");
    let asides = result["structuredContent"]["asides"].to_string();
    assert!(asides.contains("timeout"), "also where its client hands on the structure alone: {asides}");
    Ok(())
}

#[tokio::test]
async fn a_session_goes_on_where_its_uuid_is_passed() -> Result<()> {
    let home = Home::with_scripts()?;
    let _gate = home.serve().await?;
    let agent = Agent::start(&home, "claude-code").await?;
    let mut sessions = Vec::new();
    let mut session = Value::Null;
    for title in ["one", "two"] {
        let call = agent.call(json!({"message": "m", "title": title, "session_uuid": session})).await?;
        home.answer(&home.waiting(title).await?, ["--text", title]).await?;
        let outcome = agent.outcome(call).await?;
        assert_eq!(outcome["text"], title, "each reply belongs to its question");
        session = outcome["session_uuid"].clone();
        sessions.push(session.clone());
    }
    assert_eq!(sessions[0], sessions[1], "one conversation has one uuid");
    let call = agent.call(json!({"message": "m", "title": "three"})).await?;
    home.answer(&home.waiting("three").await?, ["--text", "x"]).await?;
    let fresh = agent.outcome(call).await?["session_uuid"].take();
    assert_ne!(fresh, sessions[0], "without a uuid a new conversation begins");
    Ok(())
}

#[tokio::test]
async fn urgent_questions_stand_in_front_and_the_others_in_their_order() -> Result<()> {
    let home = Home::new()?;
    let _gate = home.serve().await?;
    let agent = Agent::start(&home, "claude-code").await?;
    for (title, urgent) in [("first", false), ("second", false), ("third", true)] {
        agent.call(json!({"message": "m", "title": title, "urgent": urgent})).await?;
        home.waiting(title).await?;
    }
    let titles: Vec<_> = home.pending().await?.iter().map(|request| request["title"].clone()).collect();
    assert_eq!(titles, ["third", "first", "second"], "urgent ones first, then the oldest");
    Ok(())
}
