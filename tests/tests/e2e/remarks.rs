//! What a person says about passages and ranges of lines reaches the agent and the record; snippets
//! for replies; the files of the agent's workspace; what changed since an earlier question; and that
//! large things are shown whole.

use anyhow::{Context as _, Result, anyhow};
use gate_tests::{Agent, Control, Home};
use serde_json::{Value, json};

const DIFF: &str =
    "--- a/src/a.rs\n+++ b/src/a.rs\n@@ -1,3 +1,4 @@\n fn a() {\n-    one();\n+    two();\n+    three();\n }\n";

async fn command(control: &mut Control, command: Value) -> Result<Value> {
    control.command(command).await?.map_err(|fault| anyhow!("refused: {fault}"))
}

async fn reply(control: &mut Control, id: &str, decision: Option<&str>, draft: Value) -> Result<()> {
    control.reply(id, decision, draft).await?.map(drop).map_err(|fault| anyhow!("refused: {fault}"))
}

fn code(answer: &Result<Value, Value>) -> Option<&str> {
    answer.as_ref().err().and_then(|fault| fault["code"].as_str())
}

/// Asks in a session and has it answered with a draft; gives the call's result.
async fn talk(home: &Home, agent: &Agent, question: Value, draft: Value) -> Result<Value> {
    let title = question["title"].as_str().context("a question of a test has a title")?.to_owned();
    let call = agent.call(question).await?;
    let id = home.waiting(&title).await?;
    reply(&mut Control::open(home).await?, &id, None, draft).await?;
    agent.result(call).await
}

#[tokio::test]
async fn ranges_and_remarks_reach_the_agent_the_record_and_another_home() -> Result<()> {
    let home = Home::with_scripts()?;
    let _gate = home.serve().await?;
    let agent = Agent::start(&home, "claude-code").await?;
    let list = agent.request("tools/list", json!({})).await?;
    let schema = agent.result(list).await?["tools"][0]["outputSchema"].take();
    let message = "## Plan\n\nWe use two queues.\nOne is for urgent work.";
    let call = agent.call(json!({"message": message, "title": "plan", "approval": true, "diff": DIFF})).await?;
    let id = home.waiting("plan").await?;
    let comments = json!([
        {"file": "src/a.rs", "start_line": 2, "line": 3, "side": "new", "body": "Both?\nReally?"},
        {"file": "src/a.rs", "line": 2, "side": "old", "body": "Keep it."},
    ]);
    let remarks =
        json!([{"quote": "We use two queues.\nOne is for urgent work.", "body": "One is enough, zweifellos."}]);
    let draft = json!({"text": "", "selected": [], "comments": comments, "attachments": [], "remarks": remarks});
    let mut control = Control::open(&home).await?;
    command(&mut control, json!({"command": "save_draft", "request_id": id, "draft": draft})).await?;
    let opened = command(&mut control, json!({"command": "open_request", "request_id": id})).await?;
    assert_eq!(opened["request"]["draft"], draft, "a draft keeps every part");
    reply(&mut control, &id, Some("approved"), draft).await?;

    let result = agent.result(call).await?;
    let said = &result["structuredContent"];
    assert_eq!((&said["comments"], &said["remarks"]), (&comments, &remarks), "programs get them as they were given");
    assert_eq!(said["decision"], "approved", "an approval may come with a remark");
    let broken = gate_tests::schemas::broken_but_for_formats(&schema, said)?;
    assert!(broken.is_empty(), "the result keeps to the tool's schema: {broken:?}");
    let text = result["content"][0]["text"].as_str().context("a model reads the reply")?;
    assert!(text.contains("- src/a.rs lines 2-3: Both?\n  Really?"), "a range is named: {text}");
    assert!(text.contains("- src/a.rs:2 (old side): Keep it."), "{text}");
    let quoted = "> We use two queues.\n> One is for urgent work.\n\nOne is enough, zweifellos.";
    assert!(text.contains(quoted), "the passage is quoted before what is said about it: {text}");

    let read = agent.request("tools/call", json!({"name": "review_gate_get_context", "arguments": {}})).await?;
    let context = agent.result(read).await?;
    let person = &context["structuredContent"]["messages"][1];
    assert_eq!((&person["comments"], &person["remarks"]), (&comments, &remarks), "the record has them");
    let text = context["content"][0]["text"].as_str().unwrap_or_default();
    assert!(text.contains("1 remarks on passages"), "{text}");

    let found = home.run(["history", "zweifellos", "--json"]).await?.json()?;
    assert_eq!(found.as_array().map(Vec::len), Some(1), "a remark's words are found");
    let markdown = home.run(["export"]).await?.succeeded()?.stdout;
    assert!(markdown.contains("`src/a.rs lines 2-3` Both?") && markdown.contains(quoted), "{markdown}");
    let file = home.folder().join("record.json").display().to_string();
    home.run(["export", "--format", "json", "--output", &file]).await?.succeeded()?;
    let other = Home::with_scripts()?;
    let _other_gate = other.serve().await?;
    other.run(["import", &file]).await?.succeeded()?;
    let rows = other.rows("SELECT comments, remarks FROM replies").await?;
    let stored = |field: &str| serde_json::from_str::<Value>(rows[0][field].as_str().unwrap_or_default());
    assert_eq!((stored("comments")?, stored("remarks")?), (comments, remarks), "an import loses nothing");
    Ok(())
}

#[tokio::test]
async fn a_reply_of_remarks_is_one_and_a_reply_without_them_is_as_it_was() -> Result<()> {
    let home = Home::with_scripts()?;
    let _gate = home.serve().await?;
    let agent = Agent::start(&home, "cursor").await?;
    let remarks = json!([{"quote": "m", "body": "What?"}]);
    let result = talk(&home, &agent, json!({"message": "m", "title": "one"}), json!({"remarks": remarks})).await?;
    assert_eq!(result["structuredContent"]["remarks"], remarks);
    let result = talk(&home, &agent, json!({"message": "m", "title": "two"}), json!({"text": "yes"})).await?;
    assert_eq!(result["structuredContent"].get("remarks"), None, "a reply without remarks has no such field");

    agent.call(json!({"message": "m", "title": "three", "diff": DIFF})).await?;
    let id = home.waiting("three").await?;
    let mut control = Control::open(&home).await?;
    let comment =
        |first: u32| json!([{"file": "src/a.rs", "start_line": first, "line": 3, "side": "new", "body": "b"}]);
    for (draft, refused) in [
        (json!({"comments": comment(3)}), "invalid_input"),
        (json!({"comments": comment(0)}), "invalid_input"),
        (json!({"remarks": [{"quote": " ", "body": "b"}]}), "invalid_input"),
        (json!({"remarks": [{"quote": "q".repeat(4001), "body": "b"}]}), "too_large"),
        (json!({"remarks": vec![json!({"quote": "q", "body": "b"}); 1001]}), "too_many"),
    ] {
        let save = json!({"command": "save_draft", "request_id": id, "draft": draft});
        assert_eq!(code(&control.command(save).await?), Some(refused), "a bound holds before anything is stored");
    }
    Ok(())
}

#[tokio::test]
async fn a_second_question_about_the_same_files_marks_what_is_new() -> Result<()> {
    let home = Home::with_scripts()?;
    let _gate = home.serve().await?;
    let agent = Agent::start(&home, "claude-code").await?;
    let same = "--- a/same.rs\n+++ b/same.rs\n@@ -9 +9 @@\n-x\n+y\n";
    let first = json!({"message": "m", "title": "first", "diff": format!("{DIFF}{same}")});
    let mut control = Control::open(&home).await?;
    let call = agent.call(first).await?;
    let id = home.waiting("first").await?;
    let open = async |control: &mut Control, id: &str| -> Result<Value> {
        let opened = command(control, json!({"command": "open_request", "request_id": id})).await?;
        Ok(opened["request"]["diff"]["files"].clone())
    };
    let files = open(&mut control, &id).await?;
    assert_eq!(files[0]["since"], Value::Null, "there is nothing to compare the first diff with");
    reply(&mut control, &id, None, json!({"text": "Only two()."})).await?;
    let session = agent.outcome(call).await?["session_uuid"].clone();

    // The agent keeps one file, moves and changes another, and brings a third.
    let changed =
        "--- a/src/a.rs\n+++ b/src/a.rs\n@@ -11,3 +11,4 @@\n fn a() {\n-    one();\n+    two();\n+    four();\n }\n";
    let new = "--- /dev/null\n+++ b/new.rs\n@@ -0,0 +1 @@\n+z\n";
    let moved = same.replace("-9 +9", "-19 +29");
    let second = json!({
        "message": "m", "title": "second", "session_uuid": session, "diff": format!("{changed}{moved}{new}"),
    });
    agent.call(second).await?;
    let id = home.waiting("second").await?;
    let files = open(&mut control, &id).await?;
    let files = files.as_array().context("files")?;
    let since: Vec<_> = files.iter().map(|file| file["since"].as_str().unwrap_or_default()).collect();
    assert_eq!(since, ["changed", "same", "new"]);
    let rows = files.iter().filter_map(|file| file["hunks"][0]["rows"].as_array()).flatten();
    let fresh = rows.filter(|row| row["fresh"] == true).map(|row| row["segments"][0]["text"].clone());
    assert_eq!(fresh.collect::<Vec<_>>(), ["    four();", "z"], "what the person has seen isn't marked again");
    Ok(())
}

#[tokio::test]
async fn snippets_stay_and_come_by_use() -> Result<()> {
    let home = Home::with_scripts()?;
    let mut gate = home.serve().await?;
    let mut control = Control::open(&home).await?;
    let save =
        |name: &str, text: &str| json!({"command": "save_snippet", "snippet_id": null, "name": name, "text": text});
    command(&mut control, save("Tests", "Write a test first.")).await?;
    let list = command(&mut control, save("Ship it", "Go ahead.")).await?;
    let names = |list: &Value| -> Vec<String> {
        let list = list["snippets"].as_array().cloned().unwrap_or_default();
        list.iter().filter_map(|snippet| snippet["name"].as_str().map(str::to_owned)).collect()
    };
    assert_eq!(names(&list), ["Ship it", "Tests"], "by name, until they are used");
    assert_eq!(code(&control.command(save("SHIP IT", "x")).await?), Some("name_taken"));
    let tests = list["snippets"][1]["snippet_id"].clone();
    command(&mut control, json!({"command": "use_snippet", "snippet_id": tests})).await?;
    gate.kill().await?;

    let _gate = home.serve().await?;
    let mut control = Control::open(&home).await?;
    let list = command(&mut control, json!({"command": "snippets"})).await?;
    assert_eq!(names(&list), ["Tests", "Ship it"], "they survive a kill, and the used one comes first");
    assert_eq!((&list["snippets"][0]["uses"], &list["snippets"][1]["used_at"]), (&json!(1), &Value::Null));
    let list = command(&mut control, json!({"command": "delete_snippet", "snippet_id": tests})).await?;
    assert_eq!(names(&list), ["Ship it"]);
    let gone = control.command(json!({"command": "use_snippet", "snippet_id": tests})).await?;
    assert_eq!(code(&gone), Some("unknown_snippet"));
    Ok(())
}

#[tokio::test]
async fn files_of_the_workspace_are_found_and_no_others() -> Result<()> {
    let home = Home::with_scripts()?;
    let work = home.workspace();
    for (path, content) in [("src/main.rs", ""), ("src/deliver.rs", ""), ("out/main.o", ""), (".gitignore", "out/\n")] {
        let path = work.join(path);
        std::fs::create_dir_all(path.parent().context("a folder")?)?;
        std::fs::write(path, content)?;
    }
    std::fs::write(home.folder().join("secret-main.rs"), "")?;
    std::os::unix::fs::symlink(home.folder(), work.join("up"))?;
    let _gate = home.serve().await?;
    let agent = Agent::start(&home, "cursor").await?;
    agent.call(json!({"message": "m", "title": "files"})).await?;
    let id = home.waiting("files").await?;
    let mut control = Control::open(&home).await?;
    let complete = |query: &str| json!({"command": "complete_file", "request_id": id, "query": query});
    let found = command(&mut control, complete("main")).await?;
    let main = json!([{"path": "src/main.rs", "positions": [4, 5, 6, 7]}]);
    assert_eq!((&found["files"], &found["more"]), (&main, &json!(false)), "not what is ignored, nor beyond a link");
    let all = command(&mut control, complete("")).await?;
    assert_eq!(all["files"].as_array().map(Vec::len), Some(2), "an empty query lists what there is: {all}");
    assert_eq!(command(&mut control, complete("../secret")).await?["files"], json!([]));
    let nobody = json!({"command": "complete_file", "request_id": uuid_of_nothing(), "query": ""});
    assert_eq!(code(&control.command(nobody).await?), Some("unknown_request"));
    Ok(())
}

fn uuid_of_nothing() -> &'static str {
    "01900000-0000-7000-8000-000000000000"
}

#[tokio::test]
async fn a_diff_of_20_000_lines_and_a_message_of_a_mebibyte_are_shown_whole() -> Result<()> {
    let home = Home::with_scripts()?;
    let _gate = home.serve().await?;
    let agent = Agent::start(&home, "claude-code").await?;
    let file = |number: usize| {
        let lines: String = (0..500).map(|line| format!("-old {line}\n+new {line}\n")).collect();
        format!("--- a/f{number}\n+++ b/f{number}\n@@ -1,500 +1,500 @@\n{lines}")
    };
    let diff: String = (0..20).map(file).collect();
    let section = "## Part\n\nSome `code` and **words**, enough to be a paragraph.\n\n- a point\n- another\n\n";
    let message = section.repeat((1 << 20) / section.len());
    agent.call(json!({"message": message, "title": "large", "diff": diff})).await?;
    let id = home.waiting("large").await?;
    let open = json!({"command": "open_request", "request_id": id});
    let opened = command(&mut Control::open(&home).await?, open).await?;
    let request = &opened["request"];
    let files = request["diff"]["files"].as_array().context("files")?;
    let rows: usize = files.iter().filter_map(|file| file["hunks"][0]["rows"].as_array()).map(Vec::len).sum();
    assert_eq!(rows, 20_000, "no line is left out");
    assert_eq!(request["message"]["rest"], Value::Null, "the whole message is formatted");
    let blocks = request["message"]["blocks"].as_array().map(Vec::len);
    assert_eq!(blocks, Some(3 * ((1 << 20) / section.len())), "block by block");
    Ok(())
}
