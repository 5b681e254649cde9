//! The settings through the real programs: from a terminal, by an agent, and by whoever writes the file.

use std::fs;

use anyhow::{Context as _, Result};
use gate_tests::{Agent, Control, Home, HomeOptions, Http, LIMIT, SCRIPTS_ANSWER, Terminal, eventually};
use serde_json::{Value, json};

/// A file as a person writes it.
const MINE: &str = "# my own\nnetwork:\n  port: 0 # any\nwindow:\n  theme: dark\n  colour: red # nobody knows it\n";

async fn command(control: &mut Control, command: Value) -> Result<Value> {
    control.command(command).await?.map_err(|fault| anyhow::anyhow!("refused: {fault}"))
}

/// A setting as the page shows it, once `is_so` says so.
async fn setting(home: &Home, key: &str, is_so: impl Fn(&Value) -> bool) -> Result<Value> {
    let look = || async {
        let answer = command(&mut Control::open(home).await?, json!({"command": "settings"})).await?;
        let all = answer["settings"].as_array().context("a list of settings")?;
        let found = all.iter().find(|setting| setting["key"] == key).context("the setting")?.clone();
        Ok(is_so(&found).then_some(found))
    };
    eventually(&format!("{key} to be as it was wanted"), LIMIT, look).await
}

/// The changes that are remembered, the latest first: key, what it is now, by whom, whether taken back.
async fn changes(home: &Home) -> Result<Vec<Value>> {
    let answer = command(&mut Control::open(home).await?, json!({"command": "settings"})).await?;
    let all = answer["changes"].as_array().context("a list of changes")?;
    Ok(all.iter().map(|change| json!([change["key"], change["to"], change["by"], change["undone"]])).collect())
}

fn file(home: &Home) -> Result<String> {
    fs::read_to_string(home.path().join("config.yaml")).context("the settings file")
}

async fn tool(agent: &Agent, name: &str, arguments: Value) -> Result<Value> {
    let id = agent.request("tools/call", json!({"name": name, "arguments": arguments})).await?;
    agent.result(id).await
}

/// The code of a tool's error.
fn code(result: &Value) -> &str {
    result["_meta"]["review-gate/fault"]["code"].as_str().unwrap_or_default()
}

#[tokio::test]
async fn a_change_of_the_file_holds_at_once_and_a_broken_one_changes_nothing() -> Result<()> {
    let home = Home::with_config("network:\n  port: 0\n")?;
    let _gate = home.serve().await?;
    let path = home.path().join("config.yaml");
    fs::write(&path, MINE)?;
    let theme = setting(&home, "window.theme", |setting| setting["value"] == "dark").await?;
    assert_eq!((&theme["source"], &theme["set"]), (&json!("file"), &json!(true)), "{theme}");
    let remembered = || async { Ok(changes(&home).await?.pop()) };
    let change = eventually("the change to be remembered", LIMIT, remembered).await?;
    assert_eq!(change, json!(["window.theme", "dark", "file", false]), "with who made it");
    let answer = command(&mut Control::open(&home).await?, json!({"command": "settings"})).await?;
    assert!(answer["problems"].to_string().contains("line 6, column 3"), "what is wrong has its place: {answer}");

    fs::write(&path, "window: [\n")?;
    let look = || async {
        let answer = command(&mut Control::open(&home).await?, json!({"command": "settings"})).await?;
        Ok(answer["problems"].to_string().contains("settings_file").then_some(answer))
    };
    let answer = eventually("the broken file to be told", LIMIT, look).await?;
    let all = answer["settings"].as_array().context("settings")?;
    assert!(all.iter().any(|s| s["key"] == "window.theme" && s["value"] == "dark"), "what held goes on to hold");
    let save = json!({"command": "save_settings", "values": {"window.theme": "light"}});
    let refused = Control::open(&home).await?.command(save).await?;
    assert_eq!(refused.err().map(|fault| fault["code"].clone()), Some(json!("settings_file")), "nor is it written");
    assert_eq!(file(&home)?, "window: [\n", "not a byte");
    fs::write(&path, "window:\n  theme: light\n")?;
    setting(&home, "window.theme", |setting| setting["value"] == "light").await?;
    let snapshot = command(&mut Control::open(&home).await?, json!({"command": "snapshot"})).await?;
    assert_eq!(snapshot["warnings"], json!([]), "what was mended is no longer told");
    assert_eq!(snapshot["settings"]["theme"], "light");
    Ok(())
}

#[tokio::test]
async fn an_agent_changes_what_it_may_and_the_person_takes_it_back() -> Result<()> {
    let home = Home::with_config(MINE)?;
    let _gate = home.serve().await?;
    let agent = Agent::start(&home, "claude-code").await?;
    agent.request("resources/subscribe", json!({"uri": "file://review-gate/config"})).await?;
    let listed = tool(&agent, "review_gate_get_config", json!({})).await?;
    let listed = listed["structuredContent"]["settings"].as_array().context("settings")?;
    assert!(listed.iter().any(|s| s["key"] == "window.theme" && s["value"] == "dark" && s["access"] == "change"));
    assert!(listed.iter().all(|s| !s["key"].to_string().contains("security")), "what protects the person isn't shown");

    let changed = tool(
        &agent,
        "review_gate_update_config",
        json!({
            "values": {"window.theme": "light", "waiting.clients": {"claude-code": {"http": 100}}},
        }),
    )
    .await?;
    let changed = &changed["structuredContent"]["changed"];
    assert_eq!(changed.as_array().map(Vec::len), Some(2), "{changed}");
    let theme = changed.as_array().into_iter().flatten().find(|change| change["key"] == "window.theme");
    let expected = json!({"key": "window.theme", "from": "dark", "to": "light", "applies": "now", "overridden": false});
    assert_eq!(theme, Some(&expected), "what changed is said");
    let updated = agent.notification("notifications/resources/updated").await?;
    assert_eq!(updated["params"]["uri"], "file://review-gate/config", "who subscribed hears of it");
    let read = agent.request("resources/read", json!({"uri": "file://review-gate/config"})).await?;
    let text = agent.result(read).await?["contents"][0]["text"].as_str().context("a text")?.to_owned();
    let config: Value = serde_json::from_str(&text)?;
    assert_eq!(config["window"]["theme"], "light", "the resource says the same");
    assert_eq!(config["security"], Value::Null, "and nothing of what protects the person");

    for (values, wanted) in [
        (json!({"security.scripted_answers": true}), "setting_forbidden"),
        (json!({"window.theme": "dark", "network.allowed_origins": ["http://evil.example"]}), "setting_forbidden"),
        (json!({"window.theme": "dark", "notifications.enabled": false}), "setting_forbidden"),
        (json!({"notifications.quiet_hours": "00:00-23:59"}), "setting_forbidden"),
        (json!({"window.raise": false}), "setting_forbidden"),
        (json!({"waiting.clients": {"claude-code": 100, "codex": 5}}), "setting_forbidden"),
        (json!({"waiting.clients": {"c": 5}}), "setting_forbidden"),
        (json!({"window.theme": "pink"}), "setting_rejected"),
        (json!({"window.colour": "blue"}), "unknown_setting"),
        (json!({}), "invalid_input"),
    ] {
        let refused = tool(&agent, "review_gate_update_config", json!({"values": values})).await?;
        assert_eq!((&refused["isError"], code(&refused)), (&json!(true), wanted), "{values}: {refused}");
    }
    let hidden = tool(&agent, "review_gate_get_config", json!({"keys": ["security.scripted_answers"]})).await?;
    assert_eq!(code(&hidden), "setting_forbidden", "{hidden}");
    let text = file(&home)?;
    for line in ["# my own", "  port: 0 # any", "  theme: light", "  colour: red # nobody knows it"] {
        assert!(text.lines().any(|found| found == line), "{line:?} stands in\n{text}");
    }

    let mut control = Control::open(&home).await?;
    let undone = command(&mut control, json!({"command": "undo_settings"})).await?;
    assert_eq!(undone["can_undo"], false, "one save was made, and is taken back: {undone}");
    setting(&home, "window.theme", |setting| setting["value"] == "dark").await?;
    setting(&home, "waiting.clients", |setting| setting["value"] == json!({})).await?;
    let all = changes(&home).await?;
    assert!(all.iter().all(|change| change[2] == "agent" && change[3] == true), "{all:?}");
    Ok(())
}

#[tokio::test]
async fn one_change_is_taken_back_unless_it_was_changed_again() -> Result<()> {
    let home = Home::with_config(MINE)?;
    let _gate = home.serve().await?;
    let mut control = Control::open(&home).await?;
    let save = |values: Value| json!({"command": "save_settings", "values": values});
    let saved = command(&mut control, save(json!({"window.theme": "light", "window.font_size": 18}))).await?;
    let id = |key: &str| {
        let mut all = saved["changes"].as_array().into_iter().flatten();
        all.find(|change| change["key"] == key).map(|change| change["change_id"].clone())
    };
    let undo = |id: Option<Value>| json!({"command": "undo_setting_change", "change_id": id});
    command(&mut control, undo(id("window.theme"))).await?;
    setting(&home, "window.theme", |setting| setting["value"] == "dark").await?;
    setting(&home, "window.font_size", |setting| setting["value"] == 18).await?;
    command(&mut control, save(json!({"window.font_size": 20}))).await?;
    let late = control.command(undo(id("window.font_size"))).await?;
    assert_eq!(late.err().map(|fault| fault["code"].clone()), Some(json!("setting_conflict")), "it is another by now");
    let unknown = control.command(undo(Some(json!("0190a6e4-7a10-7000-8000-000000000001")))).await?;
    assert_eq!(unknown.err().map(|fault| fault["code"].clone()), Some(json!("unknown_setting")));
    let seen =
        json!({"command": "save_settings", "values": {"window.font_size": 12}, "seen": {"window.font_size": 18}});
    let conflict = control.command(seen).await?;
    assert_eq!(
        conflict.err().map(|fault| fault["code"].clone()),
        Some(json!("setting_conflict")),
        "a page that is behind"
    );
    Ok(())
}

#[tokio::test]
async fn hosts_and_waiting_times_hold_without_a_restart() -> Result<()> {
    let home = Home::with_config("network:\n  port: 0\n")?;
    let _gate = home.serve().await?;
    let http = Http::of(&home)?;
    let head = [("host".to_owned(), "gate.internal".to_owned())];
    let health = || http.send("GET", "/healthz", &head, b"");
    assert_eq!(health().await?.status, 403, "a name that nobody allowed");
    home.run(["config", "set", "network.allowed_hosts", "gate.internal"]).await?.succeeded()?;
    assert_eq!(health().await?.status, 200, "it is allowed at once");
    home.run(["config", "set", "waiting.clients", "{impatient: 5}"]).await?.succeeded()?;
    let agent = Agent::start(&home, "impatient").await?;
    let pending = agent.chat(json!({"message": "m", "title": "t"})).await?;
    assert_eq!(pending["status"], "pending", "a client is answered as the settings say now");
    Ok(())
}

#[tokio::test]
async fn the_command_line_reads_and_changes_settings_with_a_gate_and_without() -> Result<()> {
    let home = Home::with_config(MINE)?;
    for running in [false, true] {
        let _gate = if running { Some(home.serve().await?) } else { None };
        let get = async |key: &str| Ok::<_, anyhow::Error>(home.run(["config", "get", key]).await?.succeeded()?.stdout);
        assert_eq!(get("window.theme").await?, "dark\n", "running: {running}");
        let set = home.run(["config", "set", "window.theme", "light"]).await?.succeeded()?;
        assert_eq!(set.stdout, "window.theme is light.\n", "running: {running}");
        for line in ["  theme: light\n", "  colour: red # nobody knows it\n", "# my own\n"] {
            assert!(file(&home)?.contains(line), "{line:?} stands in\n{}", file(&home)?);
        }
        home.run(["config", "unset", "window.theme"]).await?.succeeded()?;
        assert_eq!(get("window.theme").await?, "system\n", "its default holds again");
        home.run(["config", "set", "window.theme", "dark"]).await?.succeeded()?;
        let list = home.run(["config", "list", "--json"]).await?.json()?;
        let list = list.as_array().context("an array")?;
        let undo = list.iter().find(|setting| setting["key"] == "window.undo_seconds").context("the setting")?;
        assert_eq!((&undo["value"], &undo["source"]), (&json!(5), &json!("default")), "what nobody has set is there");
        for (arguments, exit, named) in [
            (vec!["set", "window.theme", "pink"], 4, "[setting_rejected]"),
            (vec!["set", "window.colour", "red"], 4, "[unknown_setting]"),
            (vec!["set", "look.theme", "dark"], 4, "`window.theme`"),
            (vec!["get", "nonsense"], 4, "[unknown_setting]"),
            (vec!["set", "security.terminal_answers", "true"], 4, "[setting_forbidden]"),
            (vec!["set", "window.theme"], 2, "required"),
        ] {
            let ran = home.run(["config"].into_iter().chain(arguments.clone())).await?;
            assert_eq!(ran.code, Some(exit), "{arguments:?}: {ran:?}");
            assert!(ran.stderr.contains(named), "{arguments:?}: {}", ran.stderr);
            assert_eq!(
                ran.stderr.trim_end().lines().filter(|line| !line.contains("colour` is no")).count(),
                1,
                "{ran:?}"
            );
        }
    }
    let validate = home.run(["config", "validate"]).await?;
    assert_eq!(validate.code, Some(1), "the file has a word that is no setting");
    assert!(validate.stdout.contains("line 5, column 3: `window.colour` is no setting."), "{}", validate.stdout);
    let path = home.run(["config", "path"]).await?.succeeded()?.stdout;
    assert_eq!(path.trim_end(), home.path().join("config.yaml").display().to_string());
    Ok(())
}

#[tokio::test]
async fn a_terminal_makes_what_protects_the_person_safer_only() -> Result<()> {
    let home = Home::with_config(&format!("network:\n  port: 0\n{SCRIPTS_ANSWER}"))?;
    let _gate = home.serve().await?;
    let program = gate_tests::bin("review-gate")?;
    home.at_a_terminal("config set security.scripted_answers false").await?;
    let answers = setting(&home, "security.scripted_answers", |setting| setting["value"] == false).await?;
    assert_eq!(answers["agent"], "none", "{answers}");
    let away = home.run(["away"]).await?;
    assert!(away.stderr.contains("[scripted_answers_off]"), "it holds at once: {away:?}");
    let line = format!("{} config set security.scripted_answers true", program.display());
    let (code, shown) = Terminal::start(&home, &line)?.ended().await?;
    assert!(code == Some(4) && shown.contains("[setting_forbidden]"), "not the other way: {code:?} {shown}");
    Ok(())
}

#[tokio::test]
async fn settings_go_from_one_home_to_another_after_a_look_at_what_differs() -> Result<()> {
    let one = Home::with_config(MINE)?;
    let other = Home::new()?;
    let text = one.run(["config", "export"]).await?.succeeded()?.stdout;
    assert!(text.contains("theme: dark") && !text.contains("colour"), "what is set and known: {text}");
    let exported = other.folder().join("settings.yaml");
    fs::write(&exported, &text)?;
    let exported = exported.to_str().context("a path")?;
    let _gate = other.serve().await?;
    let dry = other.run(["config", "import", exported, "--dry-run"]).await?.succeeded()?.stdout;
    assert!(dry.contains("window.theme: default -> dark") && dry.contains("Nothing was changed"), "{dry}");
    assert!(file(&other).is_err(), "and nothing was");
    other.run(["config", "import", exported]).await?.succeeded()?;
    setting(&other, "window.theme", |setting| setting["value"] == "dark").await?;
    fs::write(exported, "window:\n  theme: pink\n")?;
    let bad = other.run(["config", "import", exported]).await?;
    assert!(bad.code == Some(4) && bad.stderr.contains("line 2, column 3"), "what is wrong has its place: {bad:?}");
    Ok(())
}

#[tokio::test]
async fn an_argument_and_the_environment_win_and_say_so() -> Result<()> {
    let env = vec![("REVIEW_GATE__WINDOW__THEME".into(), "light".into())];
    let home = Home::with(HomeOptions { env, config: Some(MINE.to_owned()), ..HomeOptions::default() })?;
    let _gate = home.serve().await?;
    let theme = setting(&home, "window.theme", |setting| setting["value"] == "light").await?;
    assert_eq!(theme["source"], "environment", "{theme}");
    let set = home.run(["config", "set", "window.theme", "system"]).await?.succeeded()?;
    assert!(set.stdout.contains("light") && set.stdout.contains("environment"), "no silent change: {}", set.stdout);
    assert!(file(&home)?.contains("theme: system"), "the file has it all the same");
    let agent = Agent::start(&home, "claude-code").await?;
    let changed = tool(&agent, "review_gate_update_config", json!({"values": {"window.theme": "dark"}})).await?;
    assert_eq!(changed["structuredContent"]["changed"][0]["overridden"], true, "an agent is told, too: {changed}");
    Ok(())
}
