//! Prompts as a client sees them: over a relay's connection, in both eras of the protocol.

use std::sync::Arc;

use rmcp::model::sha256_digest;
use serde_json::{Value, json};

use crate::connection::relayed::{Relay, nobody_listens, stateless};
use crate::fake_gate::{FakeGate, prompts};

const REVIEW: &str = "team/code_review";
const LIST_CHANGED: &str = "notifications/prompts/list_changed";

fn gate() -> Arc<FakeGate> {
    let gate = Arc::new(FakeGate::default());
    gate.serve(vec![prompts::review(), prompts::prompt("prüfung/a b"), prompts::prompt("commit")]);
    gate
}

/// Every page of a list, by what `of` takes of each entry.
async fn pages(relay: &mut Relay, method: &str, field: &str, of: &str) -> Vec<Vec<String>> {
    let (mut pages, mut params) = (Vec::new(), json!({}));
    loop {
        let page = relay.ask(method, params).await["result"].take();
        let entries = page[field].as_array().unwrap_or_else(|| panic!("{method}: {page}")).iter();
        pages.push(entries.map(|entry| entry[of].as_str().unwrap().to_owned()).collect());
        match page["nextCursor"].as_str() {
            Some(cursor) => params = json!({ "cursor": cursor }),
            None => return pages,
        }
    }
}

#[tokio::test]
async fn prompts_are_listed_with_all_that_a_form_needs() {
    let gate = gate();
    let mut relay = Relay::initialized(&gate).await;
    let listed = relay.ask("prompts/list", json!({})).await["result"].take();
    let expected = json!({
        "name": REVIEW,
        "title": "Title of team/code_review",
        "description": "Reviews code.",
        "icons": [{"src": "data:image/svg+xml;base64,PHN2Zy8+", "mimeType": "image/svg+xml"}],
        "arguments": [
            {
                "name": "language",
                "title": "Language",
                "description": "What the code is written in. One of: Rust, TypeScript, JavaScript, Python.",
                "required": true,
            },
            {"name": "depth", "description": "A number. Without it: 3.", "required": false},
            {"name": "strict", "description": "`true` or `false`.", "required": false},
            {
                "name": "focus",
                "description": "Several texts, separated by commas or as a JSON array, of: bugs, style, debugging, \
                                naming, wording.",
                "required": false,
            },
            {"name": "file", "description": "A file of the workspace.", "required": false},
            {
                "name": "files",
                "description": "Several files of the workspace, separated by commas or as a JSON array.",
                "required": false,
            },
        ],
    });
    assert_eq!(listed["prompts"][2], expected);
    let plain = json!({"name": "commit", "title": "Title of commit"});
    assert_eq!(listed["prompts"][0], plain, "what a prompt doesn't say is absent");
    assert_eq!(listed.get("nextCursor"), None, "they fit one page");

    let mut new = Relay::connect(&gate);
    let found = new.ask("server/discover", json!({"_meta": stateless()})).await["result"].take();
    assert_eq!(found["capabilities"]["prompts"], json!({"listChanged": true}), "{found}");
    assert!(found["capabilities"]["extensions"]["io.modelcontextprotocol/skills"].is_object(), "{found}");
    assert!(found["instructions"].as_str().unwrap().contains("prompts"), "the model hears of them: {found}");
    let same = new.ask("prompts/list", json!({"_meta": stateless()})).await["result"].take();
    assert_eq!(same["prompts"], listed["prompts"], "in both eras");
    assert_eq!((&same["resultType"], &same["cacheScope"]), (&json!("complete"), &json!("private")), "{same}");
    relay.close().await;
    new.close().await;
}

#[tokio::test]
async fn many_prompts_are_paged_and_a_cursor_outlives_what_it_names() {
    let gate = Arc::new(FakeGate::default());
    let ids: Vec<_> = (0..1200).map(|number| format!("team/prompt {number:04}")).collect();
    let all = || ids.iter().map(|id| prompts::prompt(id)).collect::<Vec<_>>();
    gate.serve(all());
    let mut relay = Relay::initialized(&gate).await;
    let found = pages(&mut relay, "prompts/list", "prompts", "name").await;
    assert_eq!(found.iter().map(Vec::len).collect::<Vec<_>>(), [500, 500, 200]);
    assert_eq!(found.concat(), ids, "each once, in order");

    let first = relay.ask("prompts/list", json!({})).await["result"].take();
    let cursor = first["nextCursor"].as_str().unwrap().to_owned();
    let mut fewer = all();
    fewer.remove(499);
    fewer.push(prompts::prompt("a new one"));
    gate.serve(fewer);
    let second = relay.ask("prompts/list", json!({ "cursor": cursor })).await["result"].take();
    assert_eq!(second["prompts"][0]["name"], ids[500], "the page goes on where it was");

    let listed = relay.ask("skills/list", json!({})).await["result"].take();
    let of_skills = listed["nextCursor"].as_str().unwrap();
    let forged = format!("{}x", cursor.split_at(cursor.len() - 1).0);
    for wrong in [forged.as_str(), "team/prompt 0003", of_skills] {
        for method in ["prompts/list", "resources/list"] {
            let refused = relay.ask(method, json!({ "cursor": wrong })).await;
            assert_eq!(refused["error"]["code"], -32602, "{method} {wrong}: {refused}");
            assert_eq!(refused["error"]["data"]["code"], "invalid_cursor", "{method} {wrong}");
        }
    }

    let mut long = prompts::prompt("long");
    long.description = "x".repeat(700_000);
    gate.serve(["1", "2", "3"].map(|id| gate_core::Prompt { id: id.to_owned(), ..long.clone() }).into());
    let found = pages(&mut relay, "prompts/list", "prompts", "name").await;
    assert_eq!(found, [vec!["1", "2"], vec!["3"]], "long ones fill a page sooner");
    relay.close().await;
}

#[tokio::test]
async fn a_prompt_is_given_with_its_arguments_put_in() {
    let gate = gate();
    let mut relay = Relay::initialized(&gate).await;
    let arguments = json!({"language": "Rust", "depth": 3, "strict": true, "focus": ["bugs", "a, b"], "file": null});
    let got = relay.ask("prompts/get", json!({"name": REVIEW, "arguments": arguments})).await["result"].take();
    assert_eq!(got["description"], "Reviews code.");
    let text = r#"{"depth": "3", "focus": "[\"bugs\",\"a, b\"]", "language": "Rust", "strict": "true"} for /work"#;
    let messages = json!([
        {"role": "user", "content": {"type": "text", "text": text}},
        {
            "role": "assistant",
            "content": {
                "type": "resource",
                "resource": {"uri": "file:///docs/style.md", "mimeType": "text/markdown", "text": "# Style"},
            },
        },
    ]);
    assert_eq!(got["messages"], messages, "what isn't a string is passed as its JSON, and null isn't passed");
    let plain = relay.ask("prompts/get", json!({"name": "prüfung/a b"})).await["result"].take();
    assert_eq!(plain["messages"][0]["content"]["text"], "{} for /work", "arguments may be left out");
    assert_eq!(plain.get("description"), None);

    for (params, code, words) in [
        (json!({"name": "nonsense"}), "unknown_prompt", "no such prompt. List them."),
        (json!({"name": REVIEW, "arguments": {}}), "prompt", "`language` is missing. Pass it."),
    ] {
        let refused = relay.ask("prompts/get", params).await["error"].take();
        assert_eq!((&refused["code"], &refused["data"]["code"]), (&json!(-32602), &json!(code)), "{refused}");
        assert!(refused["message"].as_str().unwrap().ends_with(words), "{refused}");
    }
    for params in [json!({"name": 3}), json!({"name": REVIEW, "arguments": ["Rust"]})] {
        let refused = relay.ask("prompts/get", params).await["error"].take();
        assert_eq!(refused["code"], -32602, "{refused}");
        assert!(refused["message"].as_str().unwrap().contains("`arguments`, an object"), "{refused}");
    }
    relay.close().await;
}

#[tokio::test]
async fn arguments_are_completed() {
    let gate = gate();
    let mut relay = Relay::initialized(&gate).await;
    let complete = |name: &str, value: &str| json!({"ref": {"type": "ref/prompt", "name": REVIEW}, "argument": {"name": name, "value": value}});
    let all = |values: &[&str]| json!({"values": values, "total": values.len(), "hasMore": false});
    for (name, typed, expected) in [
        ("language", "", all(&["Rust", "TypeScript", "JavaScript", "Python"])),
        ("language", "t", all(&["TypeScript", "Rust", "JavaScript", "Python"])),
        ("language", "x", all(&[])),
        ("strict", "t", all(&["true"])),
        ("depth", "3", all(&[])),
        ("focus", "bug", all(&["bugs", "debugging"])),
        ("focus", "bugs, ", all(&["bugs, style", "bugs, debugging", r#"["bugs","naming, wording"]"#])),
        ("focus", r#"["bugs", "s"#, all(&[r#"["bugs", "style"]"#])),
        ("focus", r#"["bugs"]"#, json!({"values": [], "hasMore": false})),
        ("file", "149", all(&["src/file149.rs"])),
        ("files", "src/file3.rs,file149", all(&["src/file3.rs,src/file149.rs"])),
    ] {
        let mut completed = relay.ask("completion/complete", complete(name, typed)).await;
        assert_eq!(completed["result"]["completion"].take(), expected, "{name}: {typed}");
    }
    let many = relay.ask("completion/complete", complete("file", "")).await["result"]["completion"].take();
    assert_eq!((many["values"].as_array().map(Vec::len), &many["hasMore"]), (Some(100), &json!(true)));

    let unknown = json!({"ref": {"type": "ref/prompt", "name": "x"}, "argument": {"name": "a", "value": ""}});
    for (params, code) in [(unknown, "unknown_prompt"), (complete("colour", ""), "invalid_input")] {
        let refused = relay.ask("completion/complete", params).await["error"].take();
        assert_eq!((&refused["code"], &refused["data"]["code"]), (&json!(-32602), &json!(code)), "{refused}");
    }
    let reference = json!({"type": "ref/resource", "uri": "file://review-gate/templates/{+name}"});
    let argument = json!({"name": "name", "value": "CO"});
    let named = relay.ask("completion/complete", json!({"ref": reference, "argument": argument})).await;
    assert_eq!(named["result"]["completion"], all(&["commit", REVIEW]), "{named}");
    relay.close().await;

    // Without a workspace there are no files.
    let mut new = Relay::connect(&gate);
    let mut params = complete("language", "ru");
    params["_meta"] = stateless();
    let completed = new.ask("completion/complete", params).await["result"]["completion"].take();
    assert_eq!(completed, all(&["Rust"]), "in both eras");
    new.close().await;
}

#[tokio::test]
async fn clients_of_both_eras_hear_that_prompts_changed() {
    let gate = gate();
    let mut old = Relay::initialized(&gate).await;
    let skill = "skill://team-code-review/SKILL.md";
    let uris = ["file://review-gate/templates", "file://review-gate/templates/team%2fcode_review", skill];
    for uri in uris {
        assert!(old.ask("resources/subscribe", json!({ "uri": uri })).await["result"].is_object(), "{uri}");
    }
    for unknown in ["file://review-gate/templates/nonsense", "skill://nonsense/SKILL.md"] {
        let refused = old.ask("resources/subscribe", json!({ "uri": unknown })).await;
        assert_eq!(refused["error"]["code"], -32002, "{refused}");
    }
    let mut new = Relay::connect(&gate);
    let filter = json!({"promptsListChanged": true, "resourceSubscriptions": [skill]});
    let listens = new.send("subscriptions/listen", json!({"notifications": filter, "_meta": stateless()})).await;
    let acknowledged = new.told("notifications/subscriptions/acknowledged").await;
    assert_eq!(acknowledged["params"]["notifications"], filter, "{acknowledged}");
    let mut other = Relay::connect(&gate);
    let filter = json!({"resourcesListChanged": true});
    other.send("subscriptions/listen", json!({"notifications": filter, "_meta": stateless()})).await;
    other.told("notifications/subscriptions/acknowledged").await;

    gate.serve(vec![prompts::review()]);
    let mut told = Vec::new();
    for _ in uris {
        let note = old.told("notifications/resources/updated").await;
        told.push(note["params"]["uri"].as_str().unwrap().to_owned());
    }
    told.sort();
    assert_eq!(told, uris, "each as the client wrote it");
    old.told("notifications/resources/list_changed").await;
    old.told(LIST_CHANGED).await;
    assert_eq!(new.told("notifications/resources/updated").await["params"]["uri"], skill);
    let note = new.told(LIST_CHANGED).await;
    assert_eq!(note["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], json!(listens), "{note}");
    other.told("notifications/resources/list_changed").await;

    // Something else changes: nobody hears of prompts, and nobody who didn't ask ever does.
    gate.begin();
    for relay in [&mut old, &mut other] {
        relay.told("notifications/resources/list_changed").await;
    }
    for relay in [&old, &new, &other] {
        assert!(relay.heard.iter().all(|note| note["method"] != LIST_CHANGED), "{:?}", relay.heard);
    }
    for relay in [old, new, other] {
        relay.close().await;
    }
    nobody_listens(&gate).await;
}

#[tokio::test]
async fn the_files_are_resources() {
    let gate = gate();
    gate.begin();
    let mut relay = Relay::initialized(&gate).await;
    let uris = pages(&mut relay, "resources/list", "resources", "uri").await.concat();
    let file = "file://review-gate/templates/pr%C3%BCfung/a%20b";
    let of_review = format!("file://review-gate/templates/{REVIEW}");
    assert_eq!(uris[uris.len() - 3..], ["file://review-gate/templates/commit", file, &of_review], "after the rest");
    let listed = relay.ask("resources/list", json!({})).await["result"]["resources"].take();
    let review = listed.as_array().unwrap().iter().find(|resource| resource["uri"] == of_review.as_str()).unwrap();
    let expected = json!({
        "uri": of_review,
        "name": "templates/team/code_review",
        "title": "Title of team/code_review",
        "description": "Reviews code.",
        "mimeType": "text/markdown",
        "annotations": {"audience": ["user", "assistant"], "priority": 0.5},
    });
    assert_eq!(review, &expected);

    let all = relay.read("file://review-gate/templates").await;
    assert_eq!((&all["template_count"], &all["next"]), (&json!(3), &Value::Null));
    assert_eq!(all["templates"][1]["uri"], file);
    let argument = json!({
        "name": "depth", "title": "", "description": "", "type": "number", "required": false, "default": 3,
        "values": [], "completes": "nothing", "secret": false, "inferred": false,
    });
    let review = &all["templates"][2];
    assert_eq!((&review["id"], &review["arguments"][1]), (&json!(REVIEW), &argument), "{review}");
    let text = relay.ask("resources/read", json!({"uri": file})).await["result"]["contents"][0].take();
    let expected = "---\ntitle: Title of prüfung/a b\n---\n\n";
    assert_eq!(text, json!({"uri": file, "mimeType": "text/markdown", "text": expected}), "as it is written");
    for (uri, code) in [
        ("file://review-gate/templates/nonsense", -32002),
        ("file://review-gate/templates/a/../commit", -32002),
        ("file://review-gate/templates?cursor=forged", -32602),
    ] {
        let refused = relay.ask("resources/read", json!({ "uri": uri })).await;
        assert_eq!(refused["error"]["code"], code, "{uri}: {refused}");
    }

    gate.serve((0..1001).map(|number| prompts::prompt(&format!("p{number:04}"))).collect());
    let uris = pages(&mut relay, "resources/list", "resources", "uri").await;
    assert_eq!(uris.iter().map(Vec::len).collect::<Vec<_>>(), [506, 500, 1], "a page of prompts comes with the rest");
    let first = relay.read("file://review-gate/templates").await;
    let second = relay.read(first["next"].as_str().unwrap()).await;
    assert_eq!(second["templates"][0]["id"], "p0500");
    relay.close().await;
}

#[tokio::test]
async fn every_prompt_is_a_skill() {
    let gate = gate();
    let mut relay = Relay::initialized(&gate).await;
    let listed = relay.ask("skills/list", json!({})).await["result"].take();
    let skills = listed["skills"].as_array().unwrap();
    let skill = &skills[2];
    let uri = "skill://team-code-review/SKILL.md";
    let file = relay.ask("resources/read", json!({"uri": uri})).await["result"]["contents"][0].take();
    let text = file["text"].as_str().unwrap();
    let expected = json!({
        "uri": uri,
        "frontmatter": {
            "name": "team-code-review",
            "description": "Reviews code.",
            "metadata": {"prompt": REVIEW, "version": "2.1"},
        },
        "resources": [{"uri": uri, "digest": sha256_digest(text.as_bytes()), "size": text.len()}],
    });
    assert_eq!(skill, &expected, "with the digest of what is read");
    assert_eq!(file["mimeType"], "text/markdown");
    let head = "---\nname: \"team-code-review\"\ndescription: \"Reviews code.\"\nmetadata:\n  \
                prompt: \"team/code_review\"\n  version: \"2.1\"\n---\n";
    assert!(text.starts_with(head), "{text}");
    assert!(text.contains("- `{{language}}` (required): What the code is written in. One of: Rust,"), "{text}");
    assert!(
        text.ends_with("Do team/code_review with {{language}} {{depth}} {{strict}} {{focus}} {{file}} {{files}}.\n")
    );

    let index = relay.read("skill://index.json").await;
    let entry = json!({"name": "team-code-review", "type": "skill-md", "description": "Reviews code.", "url": uri});
    assert_eq!(index["skills"][2], entry);
    for one in skills {
        let got = relay.ask("skills/get", json!({"uri": one["uri"]})).await["result"]["skill"].take();
        assert_eq!(&got, one);
    }
    for unknown in ["skill://nonsense/SKILL.md", "skill://team/code_review/SKILL.md", "skill://commit/SKILL.md?x=1"] {
        let refused = relay.ask("skills/get", json!({ "uri": unknown })).await;
        assert_eq!(refused["error"]["code"], -32602, "{unknown}: {refused}");
    }
    let refused = relay.ask("resources/read", json!({"uri": "skill://nonsense/SKILL.md"})).await;
    assert_eq!(refused["error"]["code"], -32002, "{refused}");

    gate.serve((0..250).map(|number| prompts::prompt(&format!("p{number:03}"))).collect());
    let found = pages(&mut relay, "skills/list", "skills", "uri").await;
    assert_eq!(found.iter().map(Vec::len).collect::<Vec<_>>(), [100, 100, 50]);
    relay.close().await;
}
