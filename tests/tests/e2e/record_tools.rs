//! The tools of the record: progress, context and checkpoints, over both transports (contract,
//! section 5).

use std::collections::{HashMap, HashSet};

use anyhow::{Context as _, Result};
use gate_tests::{Agent, Control, Home, Http};
use serde_json::{Value, json};

/// A client of either transport.
enum Client {
    Stdio(Box<Agent>),
    Http(Http),
}

impl Client {
    fn stdio(agent: Agent) -> Self {
        Self::Stdio(Box::new(agent))
    }

    /// Calls any tool and gives its result.
    async fn tool(&self, name: &str, arguments: Value) -> Result<Value> {
        let params = json!({"name": name, "arguments": arguments});
        match self {
            Self::Stdio(agent) => {
                let call = agent.request("tools/call", params).await?;
                agent.result(call).await
            }
            Self::Http(http) => Ok(http.post("tools/call", params, &[]).await?.answer()?["result"].take()),
        }
    }

    /// The structured result of a tool.
    async fn outcome(&self, name: &str, arguments: Value) -> Result<Value> {
        let mut result = self.tool(name, arguments).await?;
        assert_ne!(result["isError"], true, "{name} failed: {result}");
        Ok(result["structuredContent"].take())
    }

    /// The code of a tool's fault.
    async fn fault(&self, name: &str, arguments: Value) -> Result<(String, String)> {
        let result = self.tool(name, arguments).await?;
        assert_eq!(result["isError"], true, "{name} had to fail: {result}");
        let code = result["_meta"]["review-gate/fault"]["code"].as_str().context("a fault has a code")?;
        let text = result["content"][0]["text"].as_str().context("a model reads the fault")?;
        Ok((code.to_owned(), text.to_owned()))
    }
}

fn home() -> Result<Home> {
    Home::with_scripts_and_env([("REVIEW_GATE__NETWORK__PORT", "0")])
}

/// Asks in a session, or in a new one, and has it answered at once. Gives the outcome.
async fn asked(home: &Home, agent: &Agent, title: &str, session: &Value) -> Result<Value> {
    let call =
        agent.call(json!({"message": format!("About {title}?"), "title": title, "session_uuid": session})).await?;
    let id = home.waiting(title).await?;
    let draft = json!({"text": format!("reply to {title}"), "selected": [], "comments": [], "attachments": []});
    Control::open(home).await?.reply(&id, None, draft).await?.map_err(|fault| anyhow::anyhow!("{fault}"))?;
    agent.outcome(call).await
}

/// The texts of a context's messages.
fn texts(context: &Value) -> Vec<&str> {
    let messages = context["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
    messages.iter().map(|message| message["text"].as_str().unwrap_or_default()).collect()
}

fn keeps_to(schema: &Value, value: &Value) -> Result<()> {
    let broken = gate_tests::schemas::broken(schema, value)?;
    assert!(broken.is_empty(), "a result keeps to its tool's own schema: {broken:#?} in {value}");
    Ok(())
}

#[tokio::test]
async fn every_tool_does_its_work_over_both_transports() -> Result<()> {
    let home = home()?;
    let _gate = home.serve().await?;
    let mut http = Http::of(&home)?;
    http.initialize("over-http").await?;
    for client in [Client::stdio(Agent::start(&home, "over-stdio").await?), Client::Http(http)] {
        let steps = json!(["read", {"name": "write", "state": "in_progress"}]);
        let report = json!({"progress_percent": 33.4, "status_message": "Reading.", "steps": steps, "eta": "soon"});
        let mut result = client.tool("review_gate_update_progress", report).await?;
        let text = result["content"][0]["text"].as_str().unwrap_or_default();
        assert!(text.contains("eta"), "the agent learns what was ignored: {text}");
        let reported = result["structuredContent"].take();
        let session = reported["session_uuid"].clone();
        assert_eq!(reported["status"], "active");
        let progress = &reported["progress"];
        assert_eq!((&progress["progress_percent"], &progress["status_message"]), (&json!(33), &json!("Reading.")));
        let states: Vec<_> = progress["steps"].as_array().context("steps")?.iter().map(|step| &step["state"]).collect();
        assert_eq!(states, ["pending", "in_progress"], "a plain string has not begun");
        assert!(progress["steps"][1]["started_at"].is_string(), "the gate notes when a step begins: {progress}");

        let name = json!({"name": "before", "description": "All is well."});
        let made = client.outcome("review_gate_create_checkpoint", name.clone()).await?;
        assert_eq!(made["session_uuid"], session, "without a session_uuid, the agent's only session is meant");
        let (code, _) = client.fault("review_gate_set_checkpoint", name).await?;
        assert_eq!(code, "name_taken", "the tool's other name is the same tool");
        let listed = client.outcome("review_gate_list_checkpoints", json!({})).await?;
        let then = json!({"progress_percent": 33, "status_message": "Reading.", "step_name": null});
        assert_eq!(made["checkpoint"]["progress"], then, "how far it was, without its steps");
        let all = json!([made["checkpoint"]]);
        let page = json!({"session_uuid": session, "checkpoints": all, "checkpoint_count": 1, "next_cursor": null});
        assert_eq!(listed, page);

        client.outcome("review_gate_update_progress", json!({"progress_percent": 90, "steps": []})).await?;
        let id = &made["checkpoint"]["checkpoint_id"];
        let restored = client.outcome("review_gate_restore_checkpoint", json!({"checkpoint_id": id})).await?;
        assert_eq!(restored["progress"]["progress_percent"], 33, "the progress is the checkpoint's: {restored}");
        let context = client.outcome("review_gate_get_context", json!({})).await?;
        assert_eq!(context["progress"]["progress_percent"], 33);
        assert_eq!((&context["checkpoints"], &context["checkpoint_count"]), (&listed["checkpoints"], &json!(1)));
        let undo = json!({"undo": true, "restore_id": restored["restore_id"]});
        let undone = client.outcome("review_gate_restore_checkpoint", undo).await?;
        assert_eq!(undone["progress"]["progress_percent"], 90, "and a restore can be undone: {undone}");
        assert!(undone["undone_at"].is_string());
        let done = client.outcome("review_gate_update_progress", json!({"completed": true})).await?;
        assert_eq!(done["status"], "completed", "the agent says when its work is done");
    }
    Ok(())
}

/// The tools that an agent is told of.
async fn tools_of(agent: &Agent) -> Result<Vec<Value>> {
    let listed = agent.request("tools/list", json!({})).await?;
    let tools = agent.result(listed).await?["tools"].take();
    Ok(tools.as_array().context("a list of tools")?.clone())
}

/// The relay of an agent that was started to ask a tool for permissions.
async fn agent_with_permission_tool(home: &Home) -> Result<Agent> {
    let mut command = tokio::process::Command::new("sh");
    // The flag is an argument of the shell, which is the agent here; it stays, to be looked at.
    command.arg0("claude").args(["-c", "\"$0\" mcp; exit $?"]).arg(home.command_line()?);
    command.arg("--permission-prompt-tool=mcp__review-gate__review_gate_permission");
    home.dress(&mut command);
    let agent = Agent::from_command(home, command)?;
    agent.initialize("claude-code").await?;
    Ok(agent)
}

#[tokio::test]
async fn results_keep_to_the_tools_schemas() -> Result<()> {
    let home = home()?;
    let _gate = home.serve().await?;
    let agent = Agent::start(&home, "claude-code").await?;
    let tools = tools_of(&agent).await?;
    let names: Vec<_> = tools.iter().map(|tool| tool["name"].as_str().unwrap_or_default()).collect();
    assert!(!names.contains(&"review_gate_set_checkpoint"), "another name is accepted, not listed: {names:?}");
    let schema = |name: &str| tools.iter().find(|tool| tool["name"] == name).map(|tool| &tool["outputSchema"]);
    asked(&home, &agent, "full", &Value::Null).await?;
    let client = Client::stdio(agent);
    let steps = json!([{"name": "a", "state": "completed"}, "b"]);
    for (name, arguments) in [
        ("review_gate_get_context", json!({})),
        ("review_gate_update_progress", json!({"step_name": "a", "steps": steps})),
        ("review_gate_create_checkpoint", json!({"name": "one"})),
        ("review_gate_list_checkpoints", json!({})),
        ("review_gate_restore_checkpoint", json!({"checkpoint_id": "one"})),
        ("review_gate_restore_checkpoint", json!({"undo": true})),
        ("review_gate_get_context", json!({})),
        ("review_gate_get_config", json!({})),
        ("review_gate_update_config", json!({"values": {"window.theme": "dark"}})),
    ] {
        let schema = schema(name).with_context(|| format!("{name} is listed, with its output"))?;
        let outcome = client.outcome(name, arguments).await?;
        keeps_to(schema, &outcome).with_context(|| name.to_owned())?;
    }
    let tools = tools_of(&agent_with_permission_tool(&home).await?).await?;
    assert_eq!(tools.len(), names.len() + 1, "a client that was started to ask a tool for permissions has it, too");
    let of_icons: usize = tools.iter().map(|tool| tool["icons"].to_string().len()).sum();
    assert!(of_icons < 180 * tools.len(), "every client is sent them in each list: {of_icons} bytes");
    let mut signs = HashMap::new();
    for tool in &tools {
        let annotations = &tool["annotations"];
        assert_eq!(annotations["destructiveHint"], false, "nothing here destroys anything: {tool}");
        let name = tool["name"].as_str().unwrap_or_default();
        let asks = ["review_gate_chat", "review_gate_permission"].contains(&name);
        let looks =
            ["review_gate_get_context", "review_gate_list_checkpoints", "review_gate_get_config"].contains(&name);
        assert_eq!(annotations["readOnlyHint"], asks || looks, "{name}");
        assert_eq!(annotations["openWorldHint"], false, "{name} reaches the person and the record alone");
        let more_each_time =
            asks || ["review_gate_create_checkpoint", "review_gate_restore_checkpoint"].contains(&name);
        assert_eq!(annotations["idempotentHint"], !more_each_time, "{name}");
        assert_eq!(annotations["title"], tool["title"], "{name} is called the same in both places");
        let icon = tool["icons"][0]["src"].as_str().unwrap_or_default();
        assert!(icon.starts_with("data:image/svg+xml,%3Csvg "), "{name} has a sign that needs no network: {icon:?}");
        let does = match (asks, looks) {
            (true, _) => "asks",
            (_, true) => "looks",
            _ => "writes",
        };
        let same = *signs.entry(does).or_insert(icon) == icon;
        assert!(same, "{name}: what {does} has one sign: {signs:?}");
        // What is answered to a question for a permission is its client's form, a text without a structure.
        let schemas =
            if name == "review_gate_permission" { &["inputSchema"][..] } else { &["inputSchema", "outputSchema"] };
        for schema in schemas {
            let unsound = gate_tests::schemas::unsound(&tool[schema])?;
            assert!(unsound.is_empty(), "{name} {schema}: {unsound:?}");
        }
    }
    let different: HashSet<_> = signs.values().collect();
    assert_eq!(different.len(), 3, "asking, looking and writing are told apart: {signs:?}");
    Ok(())
}

#[tokio::test]
async fn what_is_wrong_with_a_call_names_its_field_and_costs_nothing() -> Result<()> {
    let home = home()?;
    let _gate = home.serve().await?;
    let client = Client::stdio(Agent::start(&home, "claude-code").await?);
    for (tool, arguments, code, named) in [
        ("update_progress", json!({}), "invalid_input", "`progress_percent`"),
        ("update_progress", json!({"progress_percent": 101}), "invalid_input", "`progress_percent`"),
        ("update_progress", json!({"steps": [{"name": "a", "state": "done"}]}), "invalid_input", "`steps[0].state`"),
        ("update_progress", json!({"status_message": "x".repeat(2001)}), "too_large", "`status_message`"),
        ("update_progress", json!({"steps": vec!["s"; 201]}), "too_many", "`steps`"),
        ("create_checkpoint", json!({}), "invalid_input", "`name`"),
        ("create_checkpoint", json!({"name": "x".repeat(201)}), "too_large", "`name`"),
        ("restore_checkpoint", json!({"checkpoint_id": 3}), "invalid_input", "`checkpoint_id`"),
        ("get_context", json!({"cursor": "m.1"}), "invalid_cursor", "`cursor`"),
        ("list_checkpoints", json!({"session_uuid": "x"}), "invalid_input", "`session_uuid`"),
    ] {
        let (found, text) = client.fault(&format!("review_gate_{tool}"), arguments.clone()).await?;
        assert!(found == code && text.contains(named), "{tool} {arguments}: {text}");
    }
    let stranger = json!({"session_uuid": "0190a6e4-7a10-7000-8000-000000000001"});
    let (code, _) = client.fault("review_gate_get_context", stranger).await?;
    assert_eq!(code, "unknown_session");
    assert_eq!(home.rows("SELECT 1 FROM conversations").await?, Vec::<Value>::new(), "no session began by mistake");
    Ok(())
}

#[tokio::test]
async fn two_agents_with_checkpoints_stay_apart() -> Result<()> {
    let home = home()?;
    let _gate = home.serve().await?;
    let (one, other) = (Agent::start(&home, "one").await?, Agent::start(&home, "other").await?);
    let (first, second) =
        tokio::try_join!(asked(&home, &one, "one a", &Value::Null), asked(&home, &other, "other a", &Value::Null))?;
    let (mine, theirs) = (first["session_uuid"].clone(), second["session_uuid"].clone());
    let (one, other) = (Client::stdio(one), Client::stdio(other));
    for (client, percent) in [(&one, 10), (&other, 20)] {
        client.outcome("review_gate_update_progress", json!({"progress_percent": percent})).await?;
        client.outcome("review_gate_create_checkpoint", json!({"name": "start"})).await?;
    }
    for (client, session, title, percent) in [(&one, &mine, "one b", 60), (&other, &theirs, "other b", 70)] {
        let Client::Stdio(agent) = client else { continue };
        asked(&home, agent, title, session).await?;
        client.outcome("review_gate_update_progress", json!({"progress_percent": percent})).await?;
    }
    let before = other.outcome("review_gate_get_context", json!({})).await?;
    assert_eq!(texts(&before), ["About other a?", "reply to other a", "About other b?", "reply to other b"]);

    let restored = one.outcome("review_gate_restore_checkpoint", json!({"checkpoint_id": "start"})).await?;
    assert_eq!((&restored["session_uuid"], &restored["superseded"]), (&mine, &json!(2)), "two messages came later");
    let context = one.outcome("review_gate_get_context", json!({})).await?;
    assert_eq!(texts(&context), ["About one a?", "reply to one a"], "the conversation is as it was");
    assert_eq!(context["progress"]["progress_percent"], 10);
    let after = other.outcome("review_gate_get_context", json!({})).await?;
    assert_eq!(after, before, "nothing in the other one has changed");

    one.outcome("review_gate_restore_checkpoint", json!({"undo": true})).await?;
    let context = one.outcome("review_gate_get_context", json!({})).await?;
    assert_eq!(texts(&context).len(), 4, "undone, they count again");
    assert_eq!(context["progress"]["progress_percent"], 60);
    let (code, _) = one.fault("review_gate_restore_checkpoint", json!({"undo": true})).await?;
    assert_eq!(code, "unknown_restore", "there is nothing left to undo");
    let elsewhere = json!({"checkpoint_id": before["checkpoints"][0]["checkpoint_id"]});
    let (code, _) = one.fault("review_gate_restore_checkpoint", elsewhere).await?;
    assert_eq!(code, "unknown_checkpoint", "another conversation's checkpoint is none of ours");
    Ok(())
}

#[tokio::test]
async fn first_calls_at_the_same_time_begin_one_session() -> Result<()> {
    /// Of each kind; whichever comes first begins the session.
    const CALLS: usize = 8;
    let home = home()?;
    let _gate = home.serve().await?;
    let agent = Agent::start(&home, "claude-code").await?;
    let mut calls = Vec::new();
    for number in 0..CALLS {
        let report = json!({"name": "review_gate_update_progress", "arguments": {"progress_percent": number}});
        let checkpoint = json!({"name": "review_gate_create_checkpoint", "arguments": {"name": format!("c{number}")}});
        for params in [report, checkpoint] {
            calls.push(agent.request("tools/call", params).await?);
        }
    }
    let mut sessions = Vec::new();
    for call in calls {
        sessions.push(agent.outcome(call).await?["session_uuid"].take());
    }
    sessions.dedup();
    assert_eq!(sessions.len(), 1, "all of them are about the same one: {sessions:?}");
    let rows = home.rows("SELECT session_uuid FROM conversations").await?;
    assert_eq!(rows, [json!({"session_uuid": sessions[0]})], "and there is no other");
    let context = Client::stdio(agent).outcome("review_gate_get_context", json!({})).await?;
    assert_eq!(context["checkpoint_count"], CALLS, "nothing was lost");
    Ok(())
}

#[tokio::test]
async fn a_session_with_an_open_question_is_not_completed() -> Result<()> {
    let home = home()?;
    let _gate = home.serve().await?;
    let agent = Agent::start(&home, "claude-code").await?;
    let session = asked(&home, &agent, "first", &Value::Null).await?["session_uuid"].take();
    let call = agent.call(json!({"message": "And now?", "title": "open", "session_uuid": session})).await?;
    let id = home.waiting("open").await?;
    let done =
        json!({"session_uuid": session, "completed": true, "progress_percent": 100, "status_message": "All done."});
    let params = json!({"name": "review_gate_update_progress", "arguments": done});
    let refused = agent.request("tools/call", params.clone()).await?;
    let refused = agent.result(refused).await?;
    assert_eq!(refused["_meta"]["review-gate/fault"]["code"], "still_pending", "{refused}");
    assert_eq!(home.rows("SELECT 1 FROM progress").await?, Vec::<Value>::new(), "nothing of it is stored");
    let status = || home.rows("SELECT status FROM conversations");
    assert_eq!(status().await?, [json!({"status": "active"})]);

    home.answer(&id, ["--text", "Stop."]).await?;
    agent.outcome(call).await?;
    let completed = agent.request("tools/call", params).await?;
    assert_eq!(agent.outcome(completed).await?["status"], "completed", "once it is answered, it may be");
    assert_eq!(status().await?, [json!({"status": "completed"})]);
    Ok(())
}

#[tokio::test]
async fn an_agent_with_several_sessions_has_to_name_one() -> Result<()> {
    let home = home()?;
    let _gate = home.serve().await?;
    let agent = Agent::start(&home, "claude-code").await?;
    let one = asked(&home, &agent, "one", &Value::Null).await?["session_uuid"].take();
    let two = asked(&home, &agent, "two", &Value::Null).await?["session_uuid"].take();
    assert_ne!(one, two, "each question without a session begins one");
    let client = Client::stdio(agent);
    for tool in ["get_context", "list_checkpoints"] {
        let (code, text) = client.fault(&format!("review_gate_{tool}"), json!({})).await?;
        assert_eq!(code, "ambiguous_session", "{tool}: {text}");
        assert!(text.contains("session_uuid"), "the agent is told what to pass: {text}");
    }
    let context = client.outcome("review_gate_get_context", json!({"session_uuid": two})).await?;
    assert_eq!(texts(&context), ["About two?", "reply to two"]);
    Ok(())
}

#[tokio::test]
async fn a_long_conversation_is_read_backwards_page_by_page() -> Result<()> {
    const QUESTIONS: usize = 30;
    let home = home()?;
    let _gate = home.serve().await?;
    let agent = Agent::start(&home, "claude-code").await?;
    let mut session = Value::Null;
    let mut wanted = Vec::new();
    for number in 0..QUESTIONS {
        let title = format!("question {number}");
        session = asked(&home, &agent, &title, &session).await?["session_uuid"].take();
        wanted.extend([format!("About {title}?"), format!("reply to {title}")]);
    }
    let client = Client::stdio(agent);
    let newest = client.outcome("review_gate_get_context", json!({})).await?;
    assert_eq!(texts(&newest), wanted[2 * QUESTIONS - 50..], "the newest fifty, in order");
    let cursor = newest["next_cursor"].clone();
    let older = client.outcome("review_gate_get_context", json!({"cursor": cursor})).await?;
    assert_eq!(texts(&older), wanted[..2 * QUESTIONS - 50], "and then the rest");
    assert_eq!(older["next_cursor"], Value::Null, "there is no more");
    let elsewhere = asked_elsewhere(&home).await?;
    let (code, _) =
        client.fault("review_gate_get_context", json!({"cursor": cursor, "session_uuid": elsewhere})).await?;
    assert_eq!(code, "invalid_cursor", "a cursor belongs to its conversation");
    Ok(())
}

/// A session of another agent.
async fn asked_elsewhere(home: &Home) -> Result<Value> {
    let agent = Agent::start(home, "other").await?;
    Ok(asked(home, &agent, "elsewhere", &Value::Null).await?["session_uuid"].take())
}
