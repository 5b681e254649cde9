//! Permission questions at the gate: from whoever asks for an agent, over the real socket and over MCP, to the person's page and
//! back. Nothing but the person's act allows; whatever breaks, the agent asks itself or is denied. What a hook reads and
//! prints is in `permit.rs`.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use gate_tests::{Agent, Control, Home, LIMIT, SCRIPTS_ANSWER, SignedPage, Terminal, eventually};
use serde_json::{Value, json};
use tokio::task::JoinHandle;

/// What a hook of Claude Code's would hand in.
fn question(home: &Home, tool: &str, input: &Value) -> Value {
    json!({"form": "claude_hook", "tool": tool, "input": input.to_string(), "folder": home.workspace(),
        "session": "9d779a8c", "offered": [r#"{"type":"addRules","rules":[{"toolName":"Bash","ruleContent":"npm test *"}],"behavior":"allow","destination":"localSettings"}"#]})
}

fn command(home: &Home, text: &str) -> Value {
    question(home, "Bash", &json!({"command": text, "description": "Runs it"}))
}

/// Whoever asks for an agent: a connection of its own, which waits for the verdict.
async fn ask(home: &Home, permission: Value) -> Result<JoinHandle<Result<Value>>> {
    let mut asker = Control::open(home).await?;
    Ok(tokio::spawn(async move {
        let asked = asker.command(json!({"command": "ask_permission", "permission": permission})).await?;
        asked.map(|asked| asked["verdict"].clone()).map_err(|fault| anyhow::anyhow!("refused: {fault}"))
    }))
}

async fn verdict(asked: JoinHandle<Result<Value>>) -> Result<Value> {
    tokio::time::timeout(LIMIT, asked).await.context("no verdict")??
}

/// The only permission that waits, as the page opens it.
async fn opened(page: &SignedPage) -> Result<Value> {
    let look = || async {
        let waiting = page.does(json!({"command": "requests"})).await?;
        Ok(waiting["requests"].as_array().and_then(|all| all.first()).map(|first| first["request_id"].clone()))
    };
    let id = eventually("a permission question", LIMIT, look).await?;
    Ok(page.does(json!({"command": "open_request", "request_id": id})).await?["request"].take())
}

fn id_of(view: &Value) -> Result<String> {
    view["summary"]["request_id"].as_str().map(str::to_owned).context("a request has an id")
}

/// Answers what was shown; the fault's code where it is refused.
async fn answer(page: &SignedPage, view: &Value, answer: Value) -> Result<Result<(), String>> {
    let (id, digest) = (&view["summary"]["request_id"], &view["digest"]);
    let command = json!({"command": "answer_permission", "request_id": id, "digest": digest, "answer": answer});
    Ok(page.command(command).await?.map(drop))
}

async fn nothing_waits(home: &Home, why: &str) -> Result<()> {
    eventually(why, LIMIT, || async { Ok(home.pending().await?.is_empty().then_some(())) }).await
}

/// What became of all requests, and how many of them were approved.
async fn record(home: &Home) -> Result<Vec<Value>> {
    home.rows("SELECT q.status, r.decision FROM review_requests q LEFT JOIN replies r ON r.request_id = q.request_id")
        .await
}

#[tokio::test]
async fn each_answer_of_the_person_reaches_whoever_asked() -> Result<()> {
    let home = Home::new()?;
    let _gate = home.serve().await?;
    let page = SignedPage::sign_in(&home).await?;
    let rule = command(&home, "")["offered"][0].clone();
    for (given, expected) in [
        (json!({"answer": "once"}), json!({"verdict": "allow"})),
        (json!({"answer": "deny", "reason": "Use make."}), json!({"verdict": "deny", "reason": "Use make."})),
        (json!({"answer": "deny", "reason": ""}), json!({"verdict": "deny"})),
        (
            json!({"answer": "edited", "text": "make test"}),
            json!({"verdict": "allow", "input": "{\"command\":\"make test\",\"description\":\"Runs it\"}"}),
        ),
        (json!({"answer": "rule", "id": "1"}), json!({"verdict": "allow", "rule": rule})),
    ] {
        let asked = ask(&home, command(&home, "npm test")).await?;
        let view = opened(&page).await?;
        let permission = &view["permission"];
        assert_eq!(permission["shown"], json!({"shows": "command", "text": "npm test", "programs": ["npm"]}));
        assert_eq!(permission["says"], "Runs it", "what the agent says of it stands apart");
        assert_eq!(view["summary"]["title"], "npm");
        answer(&page, &view, given.clone()).await?.map_err(anyhow::Error::msg)?;
        assert_eq!(verdict(asked).await?, expected, "{given}");
    }
    nothing_waits(&home, "that nothing is left").await
}

#[tokio::test]
async fn the_record_calls_what_became_of_a_permission_by_its_own_words() -> Result<()> {
    // Scripts read the record here; they answer no permission.
    let home = Home::with_config(SCRIPTS_ANSWER)?;
    let _gate = home.serve().await?;
    let page = SignedPage::sign_in(&home).await?;
    for given in [
        json!({"answer": "once"}),
        json!({"answer": "deny", "reason": "Use make instead."}),
        json!({"answer": "edited", "text": "make *all*"}),
        json!({"answer": "rule", "id": "1"}),
    ] {
        let asked = ask(&home, command(&home, "npm test")).await?;
        let view = opened(&page).await?;
        answer(&page, &view, given).await?.map_err(anyhow::Error::msg)?;
        verdict(asked).await?;
    }
    let asked = ask(&home, command(&home, "npm test")).await?;
    let view = opened(&page).await?;
    page.does(json!({"command": "dismiss", "request_id": id_of(&view)?})).await?;
    verdict(asked).await?;

    // Markdown, a terminal's list, and JSON.
    let text = home.run(["export"]).await?.succeeded()?.stdout;
    for words in [
        " · allowed\n",
        " · denied\n",
        " · allowed, changed\n",
        " · allowed for Bash(npm test *)\n",
        "\n```\nmake *all*\n```\n",
        "\n*put aside*\n",
    ] {
        assert!(text.contains(words), "{words:?} in\n{text}");
    }
    for review in ["approved", "changes requested", "withdrawn"] {
        assert!(!text.contains(review), "{review:?} is a review's word:\n{text}");
    }
    let found = home.run(["history", "instead"]).await?.succeeded()?.stdout;
    assert!(found.contains("  | denied: Use make instead."), "{found}");
    let found = home.run(["history", "instead", "--json"]).await?.succeeded()?.stdout;
    let found: Value = serde_json::from_str(&found)?;
    assert_eq!(found[0]["hit"]["permission"], json!({"said": "denied"}), "{found}");
    let file = home.folder().join("record.json").display().to_string();
    home.run(["export", "--format", "json", "--output", &file]).await?.succeeded()?;
    let exported: Value = serde_json::from_str(&std::fs::read_to_string(&file)?)?;
    let conversations = exported["conversations"].as_array().cloned().unwrap_or_default();
    let entries = conversations.iter().flat_map(|each| each["entries"].as_array().cloned().unwrap_or_default());
    let mut said: Vec<_> =
        entries.filter_map(|entry| entry["permission"]["said"].as_str().map(str::to_owned)).collect();
    said.sort();
    assert_eq!(said, ["denied", "edited", "once", "rule"], "{exported}");

    // And the windows' conversation.
    let mut said = Vec::new();
    for conversation in conversations {
        let open = json!({"command": "conversation", "session_uuid": conversation["session_uuid"]});
        let opened = page.does(open).await?["conversation"].take();
        let messages = opened["messages"].as_array().cloned().unwrap_or_default();
        said.extend(
            messages.into_iter().filter(|each| each["role"] == "person").map(|each| each["permission"].clone()),
        );
    }
    let rule = json!({"said": "rule", "kind": "allows", "what": "Bash(npm test *)"});
    assert!(said.contains(&rule) && said.contains(&json!({"said": "edited"})), "{said:?}");
    Ok(())
}

/// What a conversation's page says of how each of its questions ended.
async fn ends_in_windows(page: &SignedPage) -> Result<Vec<Value>> {
    let mut ends = Vec::new();
    let listed = page.does(json!({"command": "history"})).await?["conversations"].take();
    for entry in listed.as_array().into_iter().flatten() {
        let open = json!({"command": "conversation", "session_uuid": entry["session_uuid"]});
        let messages = page.does(open).await?["conversation"]["messages"].take();
        ends.extend(messages.as_array().into_iter().flatten().map(|each| each["permission"]["ended"].clone()));
    }
    Ok(ends)
}

#[tokio::test]
async fn why_a_question_ended_stays_in_the_record_and_goes_along_to_another() -> Result<()> {
    let home = Home::with_config(SCRIPTS_ANSWER)?;
    let mut gate = home.serve().await?;
    let page = SignedPage::sign_in(&home).await?;
    let waits = async || {
        let asked = ask(&home, command(&home, "npm test")).await?;
        anyhow::Ok((asked, opened(&page).await?))
    };

    waits().await?.0.abort();
    nothing_waits(&home, "that it is withdrawn").await?;
    let mut short = command(&home, "npm test");
    short["wait_seconds"] = json!(1);
    verdict(ask(&home, short).await?).await?;
    let (asked, view) = waits().await?;
    page.does(json!({"command": "dismiss", "request_id": id_of(&view)?})).await?;
    verdict(asked).await?;
    let (asked, _) = waits().await?;
    page.does(json!({"command": "set_away", "away": true})).await?;
    verdict(asked).await?;
    page.does(json!({"command": "set_away", "away": false})).await?;
    let (asked, _) = waits().await?;
    let sign = json!({"form": "claude_hook", "event": "Stop", "session": "9d779a8c"});
    let told = Control::open(&home).await?.command(json!({"command": "tell_permission", "sign": sign})).await?;
    told.map_err(anyhow::Error::msg)?;
    verdict(asked).await?;
    let file = home.workspace().join("a.txt");
    std::fs::write(&file, "one\n")?;
    let edit = json!({"file_path": file, "old_string": "one", "new_string": "two"});
    let asked = ask(&home, question(&home, "Edit", &edit)).await?;
    let view = opened(&page).await?;
    std::fs::write(&file, "one\nmore\n")?;
    assert!(answer(&page, &view, json!({"answer": "once"})).await?.is_err(), "the file is another one by now");
    let again = eventually("the question anew", LIMIT, || async {
        let again = opened(&page).await?;
        Ok((id_of(&again)? != id_of(&view)?).then_some(again))
    });
    answer(&page, &again.await?, json!({"answer": "once"})).await?.map_err(anyhow::Error::msg)?;
    verdict(asked).await?;
    let (asked, _) = waits().await?;
    gate.kill().await?;
    assert!(verdict(asked).await.is_err(), "whoever asked is cut off");
    let _gate = home.serve().await?;
    nothing_waits(&home, "that it is closed at the start").await?;

    let query = "SELECT ended, status FROM review_requests WHERE permission IS NOT NULL ORDER BY created_at";
    let expected = ["gone", "time_over", "put_aside", "away", "answered_there", "anew", "", "stopping"];
    let expected = expected.map(|end| if end.is_empty() { Value::Null } else { json!(end) });
    let kept = home.rows(query).await?;
    let ended: Vec<_> = kept.iter().map(|row| row["ended"].clone()).collect();
    assert_eq!(ended, expected, "each by its name, and none of what was answered");

    let text = home.run(["export"]).await?.succeeded()?.stdout;
    for words in [
        "not answered here: the agent stopped waiting",
        "not answered here: its time was over",
        "put aside",
        "not answered here: you were away",
        "answered at the agent’s own prompt",
        "asked anew: a file had changed",
        "not answered here: Review Gate was stopped",
    ] {
        assert!(text.contains(&format!("\n*{words}*\n")), "{words:?} in\n{text}");
    }
    let exported = home.folder().join("record.json").display().to_string();
    home.run(["export", "--format", "json", "--output", &exported]).await?.succeeded()?;
    let other = Home::with_config(SCRIPTS_ANSWER)?;
    let _other_gate = other.serve().await?;
    other.run(["import", &exported]).await?.succeeded()?;
    assert_eq!(other.rows(query).await?, kept, "another record has it from the export");
    let shown = ends_in_windows(&SignedPage::sign_in(&other).await?).await?;
    for end in expected.iter().filter(|end| !end.is_null()) {
        assert!(shown.contains(end), "windows are told of {end}: {shown:?}");
    }
    // Damaged, or of a newer program.
    other.run(["stop"]).await?.succeeded()?;
    other.change("UPDATE review_requests SET ended = 'aw4y' WHERE ended = 'away'").await?;
    let _other_gate = other.serve().await?;
    let shown = ends_in_windows(&SignedPage::sign_in(&other).await?).await?;
    assert!(shown.contains(&json!("gone")) && !shown.contains(&json!("away")), "the rest can be read: {shown:?}");
    other.run(["export"]).await?.succeeded()?;
    Ok(())
}

#[tokio::test]
async fn nothing_else_than_the_persons_act_allows() -> Result<()> {
    // Even where scripts may answer for the person.
    let home = Home::with_config(SCRIPTS_ANSWER)?;
    let _gate = home.serve().await?;
    let page = SignedPage::sign_in(&home).await?;
    let asked = ask(&home, command(&home, "rm -rf /")).await?;
    let view = opened(&page).await?;
    let id = id_of(&view)?;
    let (digest, once) = (&view["digest"], json!({"answer": "once"}));

    let ran = home.run(["answer", &id, "--approve"]).await?;
    assert!(ran.code != Some(0) && ran.stderr.contains("permission"), "a script's approval is none: {ran:?}");
    let ran = home.run(["answer", &id, "--text", "yes"]).await?;
    assert!(ran.code != Some(0), "nor is its text: {ran:?}");
    let mut script = Control::open(&home).await?;
    for command in [
        json!({"command": "answer_permission", "request_id": id, "digest": digest, "answer": once}),
        json!({"command": "answer_terminal_permission", "request_id": id, "digest": digest, "answer": once, "digits": "0000"}),
        json!({"command": "send_reply", "request_id": id, "digest": digest, "decision": "approved",
            "draft": {"text": "", "selected": [], "comments": [], "attachments": [], "remarks": []}}),
    ] {
        let refused = script.command(command.clone()).await?;
        assert!(refused.is_err(), "no script allows: {command}");
    }
    let reply = json!({"command": "send_reply", "request_id": id, "digest": digest, "decision": "approved",
        "draft": {"text": "", "selected": [], "comments": [], "attachments": [], "remarks": []}});
    let refused = page.command(reply).await?;
    assert!(refused.is_err_and(|fault| fault.contains("other_kind")), "an approval isn't what answers it");
    let other = json!({"command": "answer_permission", "request_id": id, "digest": "0".repeat(64), "answer": once});
    let refused = page.command(other).await?;
    assert!(refused.is_err_and(|fault| fault.contains("changed_question")), "nor is an answer to something else");
    assert!(!asked.is_finished(), "nothing of all that was an answer");

    let agent = Agent::start(&home, "claude-code").await?;
    let call = agent.call(json!({"message": "May I?", "title": "chat", "approval": true})).await?;
    let chat = home.waiting("chat").await?;
    let shown = page.does(json!({"command": "open_request", "request_id": chat})).await?["request"].take();
    let refused = answer(&page, &shown, once.clone()).await?;
    assert!(refused.is_err_and(|fault| fault.contains("other_kind")), "no other question is answered as a permission");
    agent.cancel(call).await?;
    answer(&page, &view, json!({"answer": "deny", "reason": ""})).await?.map_err(anyhow::Error::msg)?;
    assert_eq!(verdict(asked).await?, json!({"verdict": "deny"}));
    let approved = record(&home).await?.iter().filter(|row| row["decision"] == "approved").count();
    assert_eq!(approved, 0, "the record knows of no approval");
    Ok(())
}

/// Answers the question that waits from a terminal with these words, once its digits are asked for: with them, or others.
async fn at_a_terminal(home: &Home, words: &str, does: &str, with_its_digits: bool) -> Result<(Option<i32>, String)> {
    let listed = eventually("it is listed", LIMIT, || async { Ok(home.pending().await?.into_iter().next()) }).await?;
    assert_eq!(listed["permission"]["tool"], "Bash", "a terminal's list says what it is: {listed}");
    let id = listed["request_id"].as_str().context("it has an id")?;
    let line = format!("{} answer {id} {words}", gate_tests::bin("review-gate")?.display());
    let mut terminal = Terminal::start(home, &line)?;
    let prompt = terminal.shows(&format!(" to {does}")).await?.to_owned();
    assert!(prompt.contains("npm test"), "all of it is shown first: {prompt}");
    let digits = prompt.rsplit("Type ").next().and_then(|rest| rest.get(..4)).context("it shows digits")?;
    let typed = if with_its_digits { digits } else { "no" };
    terminal.types(&format!("{typed}\n")).await?;
    terminal.ended().await
}

#[tokio::test]
async fn a_terminal_decides_where_it_may_and_with_its_digits() -> Result<()> {
    let home = Home::new()?;
    let _gate = home.serve_with(&["--terminal"]).await?;
    let offered = command(&home, "")["offered"][0].clone();
    let deny = "--request-changes --text 'Use make, \"not\" npm.'";
    for (words, does, expected) in [
        ("--approve", "allow it", json!({"verdict": "allow"})),
        (deny, "deny it", json!({"verdict": "deny", "reason": "Use make, \"not\" npm."})),
        ("--request-changes", "deny it", json!({"verdict": "deny"})),
        ("--approve --choose 2", "allow it", json!({"verdict": "allow", "rule": offered})),
        (
            "--approve --choose '1. Always allow Bash(npm test *) (localSettings)'",
            "allow it",
            json!({"verdict": "allow", "rule": offered}),
        ),
    ] {
        let asked = ask(&home, command(&home, "npm test")).await?;
        let (code, shown) = at_a_terminal(&home, words, does, true).await?;
        assert!(code == Some(0) && shown.contains("Sent."), "{words}: {shown}");
        assert_eq!(verdict(asked).await?, expected, "{words}");
    }
    nothing_waits(&home, "that nothing is left").await?;
    let given = home.rows("SELECT decision, selected, answered_from FROM replies ORDER BY answered_at").await?;
    assert!(given.iter().all(|reply| reply["answered_from"] == "terminal"), "the record says where: {given:?}");
    assert!(given[3]["selected"].as_str().is_some_and(|it| it.contains("npm test *")), "and the rule: {given:?}");
    Ok(())
}

#[tokio::test]
async fn what_a_terminal_says_otherwise_allows_nothing() -> Result<()> {
    let home = Home::new()?;
    let _gate = home.serve_with(&["--terminal"]).await?;
    let asked = ask(&home, command(&home, "npm test")).await?;
    let (code, shown) = at_a_terminal(&home, "--approve", "allow it", false).await?;
    assert!(code != Some(0) && shown.contains("Nothing was sent."), "without its digits: {shown}");
    for (words, does) in [
        ("--approve --text 'but not now'", "allow it"),
        ("--approve --choose 1", "allow it"),
        ("--request-changes --choose 2", "deny it"),
    ] {
        let (code, shown) = at_a_terminal(&home, words, does, true).await?;
        assert!(code != Some(0), "{words}: it is no answer to a permission: {shown}");
        assert!(shown.contains("nothing was sent"), "{words}: whoever typed it is told: {shown}");
    }
    assert!(!asked.is_finished(), "its agent still waits");
    let (code, _) = at_a_terminal(&home, "--request-changes --text No.", "deny it", true).await?;
    assert_eq!(code, Some(0), "and can still be answered");
    assert_eq!(verdict(asked).await?, json!({"verdict": "deny", "reason": "No."}));
    Ok(())
}

#[tokio::test]
async fn a_question_goes_with_its_connection() -> Result<()> {
    let home = Home::new()?;
    let _gate = home.serve().await?;
    let page = SignedPage::sign_in(&home).await?;
    let asked = ask(&home, command(&home, "ls")).await?;
    let view = opened(&page).await?;
    asked.abort();
    let begin = Instant::now();
    nothing_waits(&home, "that it is withdrawn").await?;
    assert!(begin.elapsed() < Duration::from_secs(3), "within a second or so: {:?}", begin.elapsed());
    let late = answer(&page, &view, json!({"answer": "once"})).await?;
    assert!(late.is_err_and(|fault| fault.contains("not_pending")), "and nothing of it can be allowed any more");
    assert_eq!(record(&home).await?, [json!({"status": "cancelled", "decision": null})]);
    Ok(())
}

#[tokio::test]
async fn a_gate_that_is_killed_allows_nothing_and_the_next_one_asks_nobody() -> Result<()> {
    let home = Home::new()?;
    let mut gate = home.serve().await?;
    let page = SignedPage::sign_in(&home).await?;
    let asked = ask(&home, command(&home, "ls")).await?;
    opened(&page).await?;
    gate.kill().await?;
    let broken = verdict(asked).await;
    assert!(broken.is_err(), "whoever asked is cut off, and asks elsewhere: {broken:?}");
    let _gate = home.serve().await?;
    nothing_waits(&home, "that it is closed at the start").await?;
    assert_eq!(record(&home).await?, [json!({"status": "cancelled", "decision": null})]);
    Ok(())
}

#[tokio::test]
async fn where_nobody_answers_the_agent_is_told_to_ask_itself() -> Result<()> {
    let home = Home::new()?;
    let _gate = home.serve().await?;
    let nobody = verdict(ask(&home, command(&home, "ls")).await?).await?;
    assert_eq!(nobody, json!({"verdict": "ask", "why": "nobody"}), "without a window and a page");
    let page = SignedPage::sign_in(&home).await?;
    let mut short = command(&home, "ls");
    short["wait_seconds"] = json!(1);
    let over = verdict(ask(&home, short).await?).await?;
    assert_eq!(over, json!({"verdict": "ask", "why": "time_over"}));
    let asked = ask(&home, command(&home, "ls")).await?;
    let view = opened(&page).await?;
    page.does(json!({"command": "set_away", "away": true})).await?;
    assert_eq!(verdict(asked).await?, json!({"verdict": "ask", "why": "away"}), "who goes away is asked no more");
    let away = verdict(ask(&home, command(&home, "ls")).await?).await?;
    assert_eq!(away, json!({"verdict": "ask", "why": "away"}), "nor who is away");
    page.does(json!({"command": "set_away", "away": false})).await?;
    let asked = ask(&home, command(&home, "ls")).await?;
    let again = opened(&page).await?;
    assert_ne!(id_of(&again)?, id_of(&view)?, "what was withdrawn doesn't come back");
    page.does(json!({"command": "dismiss", "request_id": id_of(&again)?})).await?;
    assert_eq!(verdict(asked).await?, json!({"verdict": "ask", "why": "put_aside"}));
    let approved = record(&home).await?.iter().filter(|row| !row["decision"].is_null()).count();
    assert_eq!(approved, 0, "nothing of that is an answer");
    Ok(())
}

#[tokio::test]
async fn an_edit_is_shown_against_the_file_and_allowed_for_just_that() -> Result<()> {
    let home = Home::new()?;
    let _gate = home.serve().await?;
    let page = SignedPage::sign_in(&home).await?;
    let file = home.workspace().join("a.txt");
    std::fs::write(&file, "one\ntwo\nthree\n")?;
    let input = json!({"file_path": file, "old_string": "two", "new_string": "ZWEI"});
    let asked = ask(&home, question(&home, "Edit", &input)).await?;
    let view = opened(&page).await?;
    let rows = view["diff"]["files"][0]["hunks"][0]["rows"].as_array().context("it has a diff")?.clone();
    assert_eq!(rows.len(), 4, "a line that is taken away, its new one, and those around: {rows:?}");
    std::fs::write(&file, "one\ntwo\ntwo\n")?;
    let refused = answer(&page, &view, json!({"answer": "once"})).await?;
    assert!(refused.is_err_and(|fault| fault.contains("changed_question")), "the file is another one by now");
    let old = id_of(&view)?;
    let again = eventually("the question anew", LIMIT, || async {
        let view = opened(&page).await?;
        Ok((id_of(&view)? != old).then_some(view))
    })
    .await?;
    assert_eq!(again["permission"]["unknown"], "several", "it says that it can't know what would be done");
    assert!(again["diff"].is_null(), "and shows no diff for it");
    answer(&page, &again, json!({"answer": "deny", "reason": "Look again."})).await?.map_err(anyhow::Error::msg)?;
    assert_eq!(verdict(asked).await?, json!({"verdict": "deny", "reason": "Look again."}));
    Ok(())
}

async fn permission_tool(agent: &Agent, arguments: Value, meta: Value) -> Result<i64> {
    let params = json!({"name": "review_gate_permission", "arguments": arguments, "_meta": meta});
    agent.request("tools/call", params).await
}

#[tokio::test]
async fn the_tool_answers_in_the_one_form_that_claude_code_takes() -> Result<()> {
    let home = Home::new()?;
    let _gate = home.serve().await?;
    let page = SignedPage::sign_in(&home).await?;
    let agent = Agent::start(&home, "claude-code").await?;
    let listed = agent.result(agent.request("tools/list", json!({})).await?).await?;
    assert!(!listed.to_string().contains("review_gate_permission"), "a model isn't told of it");
    let arguments = json!({"tool_name": "Bash", "input": {"command": "npm test"}, "tool_use_id": "toolu_1"});
    let meta = json!({"claudecode/toolUseId": "toolu_1"});
    for (given, expected) in [
        (json!({"answer": "once"}), json!({"behavior": "allow", "updatedInput": {"command": "npm test"}})),
        (json!({"answer": "deny", "reason": "No."}), json!({"behavior": "deny", "message": "No."})),
        (
            json!({"answer": "edited", "text": "make"}),
            json!({"behavior": "allow", "updatedInput": {"command": "make"}}),
        ),
    ] {
        let call = permission_tool(&agent, arguments.clone(), meta.clone()).await?;
        let view = opened(&page).await?;
        assert!(view["permission"]["rules"].as_array().is_some_and(Vec::is_empty), "it offers no rule there");
        answer(&page, &view, given.clone()).await?.map_err(anyhow::Error::msg)?;
        let result = agent.result(call).await?;
        assert!(result.get("structuredContent").is_none(), "with it Claude Code denies: {result}");
        let blocks = result["content"].as_array().context("it has content")?;
        assert_eq!(blocks.len(), 1, "one block and no more: {result}");
        let said: Value = serde_json::from_str(blocks[0]["text"].as_str().context("it is a text")?)?;
        assert_eq!(said, expected, "{given}");
    }
    let own = permission_tool(&agent, arguments.clone(), json!({"claudecode/toolUseId": "toolu_2"})).await?;
    assert_eq!(agent.result(own).await?["isError"], true, "a model's own call asks nobody");

    let call = permission_tool(&agent, arguments.clone(), meta.clone()).await?;
    opened(&page).await?;
    agent.cancel(call).await?;
    nothing_waits(&home, "that it is withdrawn").await?;
    page.does(json!({"command": "set_away", "away": true})).await?;
    let call = permission_tool(&agent, arguments, meta).await?;
    let result = agent.result(call).await?;
    let said = result["content"][0]["text"].as_str().context("it is a text")?.to_owned();
    assert!(said.contains("\"deny\"") && said.contains("away"), "where nobody can be asked it is denied: {said}");
    Ok(())
}

#[tokio::test]
async fn a_hook_that_calls_the_tool_is_told_what_it_would_print() -> Result<()> {
    let home = Home::new()?;
    let _gate = home.serve().await?;
    let page = SignedPage::sign_in(&home).await?;
    let agent = Agent::start(&home, "claude-code").await?;
    let event = |event: &str, command: &str| {
        json!({"event": event, "tool_name": "Bash", "input": json!({ "command": command }).to_string(),
            "suggestions": "", "session": "s", "cwd": home.workspace()})
    };
    let call = permission_tool(&agent, event("PermissionRequest", "npm test"), json!({})).await?;
    let view = opened(&page).await?;
    answer(&page, &view, json!({"answer": "edited", "text": "make"})).await?.map_err(anyhow::Error::msg)?;
    let said = agent.result(call).await?["content"][0]["text"].as_str().context("it is a text")?.to_owned();
    let said: Value = serde_json::from_str(&said)?;
    let decision = json!({"behavior": "allow", "updatedInput": {"command": "make"}});
    assert_eq!(said["hookSpecificOutput"]["decision"], decision);
    let used = permission_tool(&agent, event("PostToolUse", "make"), json!({})).await?;
    let told = agent.result(used).await?["content"][0]["text"].as_str().context("it is a text")?.to_owned();
    assert!(told.contains("additionalContext"), "its model is told that it was changed: {told}");

    let call = permission_tool(&agent, event("PermissionRequest", "ls"), json!({})).await?;
    opened(&page).await?;
    let used = permission_tool(&agent, event("PostToolUse", "ls"), json!({})).await?;
    assert_eq!(agent.result(used).await?["content"][0]["text"], "");
    let elsewhere = agent.result(call).await?;
    assert_eq!(elsewhere["content"][0]["text"], "", "what was answered in its terminal has no answer here");
    nothing_waits(&home, "that it is closed").await
}
