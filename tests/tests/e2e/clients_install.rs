//! `review-gate install` and `uninstall` through the real program, in a user's folders of the test's own.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use gate_tests::{Agent, Control, Home, Ran, Terminal};
use serde_json::{Value, json};
use tokio::process::Command;

/// A home of the gate, and a user's folder beside it in which clients keep their files.
struct User {
    home: Home,
}

impl User {
    fn new() -> Result<Self> {
        Self::of(Home::new()?)
    }

    fn of(home: Home) -> Result<Self> {
        let folder = |home: &Path| home.with_file_name("user");
        fs::create_dir_all(folder(home.path()).join(".cursor"))?;
        fs::create_dir_all(folder(home.path()).join(".codex"))?;
        Ok(Self { home })
    }

    fn folder(&self) -> PathBuf {
        self.home.path().with_file_name("user")
    }

    fn command(&self, arguments: &[&str]) -> Result<Command> {
        let mut command = self.home.command(arguments)?;
        self.dress(&mut command);
        Ok(command)
    }

    fn dress(&self, command: &mut Command) {
        command.env("HOME", self.folder()).env("PATH", "/usr/bin:/bin");
        for name in ["XDG_CONFIG_HOME", "XDG_DATA_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "APPDATA"] {
            command.env_remove(name);
        }
    }

    async fn run(&self, arguments: &[&str]) -> Result<Ran> {
        Ran::of(self.command(arguments)?).await
    }

    fn write(&self, path: &str, text: &str) -> Result<PathBuf> {
        let file = self.folder().join(path);
        fs::create_dir_all(file.parent().context("a file has a folder")?)?;
        fs::write(&file, text)?;
        Ok(file)
    }
}

/// Everything in a folder: files with their bytes.
pub(super) fn files_in(folder: &Path) -> Result<Vec<(PathBuf, Vec<u8>)>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        match path.is_dir() {
            true => found.extend(files_in(&path)?),
            false => found.push((path.clone(), fs::read(&path)?)),
        }
    }
    found.sort();
    Ok(found)
}

const CURSOR: &str = "{\n  // mine\n  \"mcpServers\": {\n    \"a\": { \"command\": \"x\" }, // one\n  },\n}\n";
const CODEX: &str = "# mine\nmodel = \"x\"\n";

#[tokio::test]
async fn what_is_installed_is_uninstalled_to_the_byte() -> Result<()> {
    let user = User::new()?;
    let (cursor, codex) = (user.write(".cursor/mcp.json", CURSOR)?, user.write(".codex/config.toml", CODEX)?);

    let dry = user.run(&["install", "cursor", "codex", "--rules", "--dry-run"]).await?.succeeded()?;
    assert!(dry.stdout.contains("+++ ~/.cursor/mcp.json"), "the change is shown as a diff: {}", dry.stdout);
    assert!(dry.stdout.contains("+    \"review-gate\": {"), "{}", dry.stdout);
    assert_eq!(
        (fs::read_to_string(&cursor)?.as_str(), fs::read_to_string(&codex)?.as_str()),
        (CURSOR, CODEX),
        "only shown"
    );

    let done = user.run(&["install", "cursor", "codex", "--rules"]).await?.succeeded()?;
    assert!(done.stdout.contains("Cursor: connected."), "{}", done.stdout);
    assert!(done.stdout.contains("Tools & MCP"), "it says what to do in the client: {}", done.stdout);
    assert!(user.folder().join(".codex/AGENTS.md").exists(), "the rules are where Codex reads them");
    let again = user.run(&["install", "cursor", "codex", "--rules"]).await?.succeeded()?;
    assert!(again.stdout.contains("connected already"), "a second time changes nothing: {}", again.stdout);

    let list = user.run(&["install", "--json"]).await?.json()?;
    let of = |id: &str| list.as_array().into_iter().flatten().find(|client| client["client"] == id).cloned();
    assert_eq!(of("cursor").map(|client| client["connected"].clone()), Some(json!(true)), "{list}");
    assert_eq!(of("codex").map(|client| client["wait_seconds"].clone()), Some(json!(3600)), "{list}");
    assert_eq!(of("zed").map(|client| client["found"].clone()), Some(json!(false)), "{list}");

    let gone = user.run(&["uninstall", "--all"]).await?.succeeded()?;
    assert!(gone.stdout.contains("Codex: disconnected."), "{}", gone.stdout);
    assert_eq!(
        (fs::read_to_string(&cursor)?.as_str(), fs::read_to_string(&codex)?.as_str()),
        (CURSOR, CODEX),
        "to the byte"
    );
    assert!(!user.folder().join(".codex/AGENTS.md").exists(), "and nothing is left over");
    assert!(user.home.gate().is_none(), "no gate was started for it");
    Ok(())
}

#[tokio::test]
async fn what_it_writes_other_parsers_read_and_clients_start() -> Result<()> {
    let user = User::new()?;
    let project = user.folder().join("Projekt ü");
    fs::create_dir_all(&project)?;
    fs::write(user.folder().join(".claude.json"), "{\n  \"numStartups\": 3\n}")?;
    user.run(&["install", "claude-code", "codex"]).await?.succeeded()?;
    let in_project = format!("--project={}", project.display());
    user.run(&["install", "vscode", "codex", &in_project]).await?.succeeded()?;
    let claude = parsed("json", user.folder().join(".claude.json")).await?;
    assert_eq!(claude["numStartups"], 3, "the rest is there: {claude}");
    let entry = &claude["mcpServers"]["review-gate"];
    assert_eq!((&entry["type"], &entry["args"]), (&json!("stdio"), &json!(["mcp"])), "{entry}");
    let program = entry["command"].as_str().context("it names the program")?;
    assert!(Path::new(program).is_absolute(), "clients have another PATH: {program}");
    let codex = parsed("tomllib", user.folder().join(".codex/config.toml")).await?;
    assert_eq!(codex["mcp_servers"]["review-gate"]["tool_timeout_sec"], 3600, "{codex}");
    let code = parsed("json", project.join(".vscode/mcp.json")).await?;
    assert_eq!(code["servers"]["review-gate"]["command"], program, "{code}");
    let codex = parsed("tomllib", project.join(".codex/config.toml")).await?;
    assert_eq!(codex["mcp_servers"]["review-gate"]["command"], program, "{codex}");

    let mut started = Command::new(program);
    started.args(["mcp", "--help"]);
    user.dress(&mut started);
    Ran::of(started).await?.succeeded()?;
    Ok(())
}

#[tokio::test]
async fn what_claude_codes_own_command_connects_is_recognised() -> Result<()> {
    let user = User::new()?;
    let shop = user.folder().join("shop");
    fs::create_dir_all(&shop)?;
    let entry = json!({ "type": "stdio", "command": "/opt/review-gate", "args": ["mcp"], "env": {} });
    let servers = json!({ "review-gate": entry });
    let local = json!({ "projects": { shop.display().to_string(): { "mcpServers": servers } } });
    user.write(".claude.json", &local.to_string())?;
    let of = |list: Value| list.as_array().into_iter().flatten().find(|each| each["client"] == "claude-code").cloned();
    let claude = of(user.run(&["install", "--json"]).await?.json()?).context("it is listed")?;
    assert_eq!((&claude["connected"], &claude["folders"]), (&json!(false), &json!([shop])), "in one folder only");
    let list = user.run(&["install"]).await?.succeeded()?.stdout;
    assert!(list.contains("in some folders only") && list.contains("~/shop"), "{list}");
    let done = user.run(&["install", "claude-code"]).await?.succeeded()?;
    assert!(done.stdout.contains("an entry for ~/shop alone, which stays"), "it is told: {}", done.stdout);

    user.write(".claude.json", "{}")?;
    user.write("shop/.mcp.json", &json!({ "mcpServers": servers }).to_string())?;
    let mut command = user.command(&["install", "--json"])?;
    command.current_dir(&shop);
    let claude = of(Ran::of(command).await?.json()?).context("it is listed")?;
    assert_eq!(claude["connected"], true, "in the project that the person is in");
    Ok(())
}

#[tokio::test]
async fn faults_are_one_line_and_the_others_are_done() -> Result<()> {
    let user = User::new()?;
    let broken = user.write(".cursor/mcp.json", "{\n  \"mcpServers\": {\n")?;
    let ran = user.run(&["install", "cursor", "codex"]).await?;
    assert_eq!(ran.code, Some(4), "one can't be connected: {ran:?}");
    assert_eq!(ran.stderr.trim_end().lines().count(), 1, "{}", ran.stderr);
    assert!(ran.stderr.contains("[client_file]") && ran.stderr.contains("line "), "with its place: {}", ran.stderr);
    assert!(ran.stdout.contains("Codex: connected."), "the other is: {}", ran.stdout);
    assert_eq!(fs::read_to_string(broken)?, "{\n  \"mcpServers\": {\n", "and the broken one is as it was");
    let unknown = user.run(&["install", "cursr"]).await?;
    assert_eq!(unknown.code, Some(4));
    assert!(unknown.stderr.contains("`cursor`"), "the nearest name is offered: {}", unknown.stderr);
    let none = user.run(&["install", "windsurf", "--project"]).await?;
    assert!(none.code == Some(4) && none.stderr.contains("project"), "it has none in projects: {none:?}");
    let nobody = user.run(&["install", "--all", "cursor"]).await?;
    assert_eq!(nobody.code, Some(2), "all, or some: {nobody:?}");
    Ok(())
}

#[tokio::test]
async fn a_gate_shows_and_connects_clients_for_the_person_only() -> Result<()> {
    let user = User::of(Home::with_scripts()?)?;
    let cursor = user.write(".cursor/mcp.json", CURSOR)?;
    for (scripts, allowed) in [("true", true), ("false", false)] {
        let mut serve = user.command(&["serve", "--port", "0"])?;
        serve.env("REVIEW_GATE__SECURITY__SCRIPTED_ANSWERS", scripts).stdout(std::process::Stdio::null());
        let mut gate = serve.spawn()?;
        let mut front = open(&user.home).await?;
        let connect = json!({"command": "connect_client", "client": "cursor", "scope": "user"});
        match (front.command(connect).await?, allowed) {
            (Ok(answer), true) => {
                assert_eq!(client(&answer, "cursor")["connected"], true, "{answer}");
                let preview =
                    json!({"command": "preview_client", "client": "cursor", "scope": "user", "connect": false});
                let preview = front.command(preview).await?.map_err(|fault| anyhow::anyhow!("{fault}"))?;
                let diff = preview["files"][0]["diff"].as_str().unwrap_or_default();
                assert!(diff.contains("-    \"review-gate\": {"), "what would go is shown: {preview}");
                let disconnect = json!({"command": "disconnect_client", "client": "cursor", "scope": "user"});
                let answer = front.command(disconnect).await?.map_err(|fault| anyhow::anyhow!("{fault}"))?;
                assert_eq!(client(&answer, "cursor")["connected"], false, "{answer}");
            }
            (Err(fault), false) => assert_eq!(fault["code"], "scripted_answers_off", "{fault}"),
            (other, _) => anyhow::bail!("scripted_answers {scripts}: {other:?}"),
        }
        assert_eq!(fs::read_to_string(&cursor)?, CURSOR, "the file is as it was");
        user.run(&["stop"]).await?.succeeded()?;
        gate.wait().await?;
    }
    Ok(())
}

#[tokio::test]
async fn the_page_brings_permission_questions_here_and_takes_them_out_alone() -> Result<()> {
    let user = User::of(Home::with_scripts()?)?;
    let mine = "{\n  // mine\n  \"model\": \"opus\"\n}\n";
    let settings = user.write(".claude/settings.json", mine)?;
    let _gate = user.home.serve().await?;
    let mut front = open(&user.home).await?;
    let ask = |command: &str, more: Value| {
        let mut asked = json!({"command": command, "client": "claude-code", "scope": "user", "questions": true});
        if let (Some(asked), Some(more)) = (asked.as_object_mut(), more.as_object()) {
            asked.extend(more.clone());
        }
        asked
    };
    let preview = front.command(ask("preview_client", json!({"connect": true}))).await?;
    let preview = preview.map_err(|fault| anyhow::anyhow!("{fault}"))?;
    let diffs = preview["files"].as_array().cloned().unwrap_or_default();
    let hook = diffs.iter().find(|file| file["path"] == "~/.claude/settings.json").cloned().unwrap_or_default();
    assert!(hook["diff"].as_str().is_some_and(|diff| diff.contains("permit")), "the hook is shown: {preview}");
    assert_eq!(fs::read_to_string(&settings)?, mine, "and nothing is written by that");
    let answer = front.command(ask("connect_client", json!({}))).await?.map_err(|fault| anyhow::anyhow!("{fault}"))?;
    let claude = client(&answer, "claude-code");
    assert_eq!(claude["asks_here"][0]["path"], "~/.claude/settings.json", "the page says where: {claude}");
    assert_eq!((&answer["takes_questions"], &claude["can_ask_here"]), (&json!(true), &json!(true)), "{answer}");
    assert_eq!(client(&answer, "cursor")["can_ask_here"], false, "others can't, and say why: {answer}");
    assert_eq!(client(&answer, "cursor")["asks_here_note"]["id"], "client-questions-every-call");
    let answer = front.command(ask("disconnect_client", json!({}))).await?;
    let answer = answer.map_err(|fault| anyhow::anyhow!("{fault}"))?;
    let claude = client(&answer, "claude-code");
    assert_eq!((&claude["asks_here"], &claude["connected"]), (&json!([]), &json!(true)), "that alone went: {claude}");
    assert_eq!(fs::read_to_string(&settings)?, mine, "to the byte");
    let refused = front.command(json!({"command": "connect_client", "client": "cursor", "questions": true})).await?;
    let fault = refused.err().unwrap_or_default();
    assert_eq!(fault["code"], "invalid_input", "what can't come isn't promised: {fault}");
    Ok(())
}

#[tokio::test]
async fn the_page_says_when_a_client_last_spoke() -> Result<()> {
    let user = User::new()?;
    let _gate = user.home.serve().await?;
    let agent = Agent::start(&user.home, "cursor-vscode").await?;
    let asking = agent.chat(json!({"message": "Here?", "title": "Here"}));
    let look = async {
        user.home.waiting("Here").await?;
        let mut front = open(&user.home).await?;
        let answer = front.command(json!({"command": "clients"})).await?.map_err(|fault| anyhow::anyhow!("{fault}"))?;
        let cursor = client(&answer, "cursor");
        assert_eq!(cursor["sessions"], 1, "its session is alive: {cursor}");
        assert!(cursor["last_spoke"].is_string(), "and it spoke: {cursor}");
        assert_eq!(client(&answer, "zed")["last_spoke"], Value::Null, "others didn't");
        anyhow::Ok(())
    };
    tokio::select! {
        looked = look => looked,
        answered = asking => anyhow::bail!("nobody answered, and yet: {answered:?}"),
    }
}

#[tokio::test]
async fn agents_are_served_what_their_entry_asks_for_and_each_of_it_is_allowed() -> Result<()> {
    let user = User::new()?;
    let unknown = user.run(&["install", "cline", "--toolset", "brokr"]).await?;
    assert!(unknown.stderr.contains("gate, broker, workflow, gsd, all"), "those that there are: {}", unknown.stderr);
    let both = ["install", "cline", "--toolset", "gate", "--toolset", "broker", "--allow"];
    user.run(&both).await?.succeeded()?;
    let listed = user.run(&["install"]).await?.succeeded()?.stdout;
    let row = listed.lines().find(|line| line.starts_with("cline")).context("it is in the list")?;
    assert!(row.contains("connected, gate and broker, allowed"), "{row}");

    let states: Value = serde_json::from_str(&user.run(&["install", "--json"]).await?.succeeded()?.stdout)?;
    let state = states.as_array().into_iter().flatten().find(|state| state["client"] == "cline");
    let state = state.context("its state")?;
    assert_eq!(state["toolsets"], json!(["gate", "broker"]));
    let file = state["files"][0]["path"].as_str().context("its file")?;
    let entry: Value = serde_json::from_str(&fs::read_to_string(file)?)?;
    let entry = &entry["mcpServers"]["review-gate"];
    let mut command = Command::new(entry["command"].as_str().context("a program")?);
    command.args(entry["args"].as_array().into_iter().flatten().filter_map(Value::as_str));
    command
        .envs(entry["env"].as_object().into_iter().flatten().filter_map(|(name, value)| Some((name, value.as_str()?))));
    user.dress(&mut command);

    let _gate = user.home.serve().await?;
    let agent = Agent::from_command(&user.home, command)?;
    agent.initialize("cline").await?;
    let tools = agent.result(agent.request("tools/list", json!({})).await?).await?;
    let names: Vec<&Value> = tools["tools"].as_array().into_iter().flatten().map(|tool| &tool["name"]).collect();
    let allowed: Vec<&Value> = entry["autoApprove"].as_array().into_iter().flatten().collect();
    assert_eq!(names, allowed, "each tool, and no more");
    Ok(())
}

#[tokio::test]
async fn permission_to_ask_comes_when_it_is_asked_for_and_goes_again() -> Result<()> {
    let user = User::new()?;
    let codex = user.write(".codex/config.toml", CODEX)?;
    let mine = "{\n  // mine\n  \"permissions\": { \"allow\": [\"Bash(ls)\"] }\n}\n";
    let claude = user.write(".claude/settings.json", mine)?;
    let gemini = user.write(".gemini/settings.json", "{}\n")?;
    let names = ["codex", "claude-code", "gemini", "cline"];
    let plain = user.run(&[&["install"][..], &names[..]].concat()).await?.succeeded()?;
    assert_eq!(fs::read_to_string(&claude)?, mine, "nobody asked for it");
    let sparing = |ran: &Ran| ran.stdout.lines().filter(|line| line.ends_with("--allow spares you that.")).count();
    assert_eq!(sparing(&plain), names.len(), "each that would ask first says so: {}", plain.stdout);
    let doctor: Value = serde_json::from_str(&user.run(&["doctor", "--json"]).await?.stdout)?;
    let hints = |doctor: &Value| {
        let all = doctor["findings"].as_array().cloned().unwrap_or_default();
        let commands = all.iter().filter(|finding| finding["level"] == "note");
        let commands = commands.filter_map(|finding| finding["command"].as_str()).map(str::to_owned);
        commands.filter(|command| command.ends_with(" --allow")).collect::<Vec<_>>()
    };
    let mut hinted = hints(&doctor);
    hinted.sort();
    let mends = ["claude-code", "cline", "codex", "gemini"].map(|name| format!("review-gate install {name} --allow"));
    assert_eq!(hinted, mends, "each that would ask first is named with its mend: {doctor}");

    let dry = user.run(&["install", "claude-code", "codex", "--allow", "--dry-run"]).await?.succeeded()?;
    for line in ["+++ ~/.claude/settings.json", "mcp__review-gate", "+default_tools_approval_mode = \"approve\""] {
        assert!(dry.stdout.contains(line), "it is shown before it is written: {}", dry.stdout);
    }
    let allowing = user.run(&[&["install", "--allow"][..], &names[..]].concat()).await?.succeeded()?;
    assert_eq!(sparing(&allowing), 0, "it is spared: {}", allowing.stdout);
    let written = parsed("tomllib", codex.clone()).await?;
    assert_eq!(written["mcp_servers"]["review-gate"]["default_tools_approval_mode"], "approve", "{written}");
    let allowed = fs::read_to_string(&claude)?;
    for listed in ["[\"Bash(ls)\", \"Read(/", "/attachments/**)\", \"mcp__review-gate\"]"] {
        assert!(allowed.contains(listed), "beside the person's own: {allowed}");
    }
    assert_eq!(parsed("json", gemini.clone()).await?["mcpServers"]["review-gate"]["trust"], true);
    let cline = parsed("json", user.folder().join(".cline/data/settings/cline_mcp_settings.json")).await?;
    let listed = &cline["mcpServers"]["review-gate"]["autoApprove"];
    assert_eq!(*listed, json!(gate_tests::TOOLS), "every tool that the gate has, and no other");
    let doctor: Value = serde_json::from_str(&user.run(&["doctor", "--json"]).await?.stdout)?;
    assert_eq!(hints(&doctor), Vec::<String>::new(), "none asks first now: {doctor}");

    let by_hand = user.run(&["install", "cursor", "--allow"]).await?.succeeded()?;
    assert!(by_hand.stdout.contains("review-gate:*"), "where it is done by hand, that is said: {}", by_hand.stdout);
    user.run(&["uninstall", "--all"]).await?.succeeded()?;
    assert_eq!(
        (
            fs::read_to_string(&codex)?.as_str(),
            fs::read_to_string(&claude)?.as_str(),
            fs::read_to_string(&gemini)?.as_str()
        ),
        (CODEX, mine, "{}\n"),
        "to the byte"
    );
    Ok(())
}

#[tokio::test]
async fn permission_questions_come_here_where_that_is_asked_for_and_go_again() -> Result<()> {
    let user = User::new()?;
    let (cursor, codex) = (user.write(".cursor/mcp.json", CURSOR)?, user.write(".codex/config.toml", CODEX)?);
    let hooks = user.folder().join(".codex/hooks.json");

    let refused = user.run(&["install", "cursor", "gemini", "--permissions", "--no-allow"]).await?;
    assert_eq!(refused.code, Some(4), "a client that can't is refused: {refused:?}");
    let [of_cursor, of_gemini] = refused.stderr.lines().collect::<Vec<_>>()[..] else {
        anyhow::bail!("a line for each: {refused:?}")
    };
    assert!(of_cursor.contains("Cursor's permission questions can't come to the gate"), "{of_cursor}");
    assert!(of_gemini.contains("None of its hooks can allow"), "each with its reason: {of_gemini}");
    assert_eq!(fs::read_to_string(&cursor)?, CURSOR, "and nothing is written");

    let dry = user.run(&["install", "codex", "--permissions", "--dry-run"]).await?.succeeded()?;
    assert!(dry.stdout.contains("+++ ~/.codex/hooks.json") && dry.stdout.contains("permit codex"), "{}", dry.stdout);
    assert!(!hooks.exists(), "nothing is written");

    let done = user.run(&["install", "--all", "--permissions", "--no-allow"]).await?.succeeded()?;
    assert!(done.stdout.contains("trust the hook"), "what is left to the person is said: {}", done.stdout);
    assert!(fs::read_to_string(&cursor)?.contains("review-gate"), "of all, one that can't is connected without it");
    let hook: Value = serde_json::from_str(&fs::read_to_string(&hooks)?)?;
    let command = hook["hooks"]["PermissionRequest"][0]["hooks"][0]["command"].as_str().context("a command")?;
    assert!(command.ends_with(" permit codex"), "{command}");
    let mut asks = Command::new("sh");
    asks.args(["-c", command]).stdin(std::process::Stdio::null());
    let said = Ran::of(asks).await?;
    assert_eq!(
        (said.stdout.as_str(), said.code),
        ("", Some(0)),
        "what Codex runs is there, and says nothing to nothing"
    );
    let list = user.run(&["install"]).await?.succeeded()?;
    assert!(list.stdout.lines().any(|line| line.starts_with("codex") && line.contains("asks here")), "{}", list.stdout);

    let out = user.run(&["uninstall", "--all", "--permissions"]).await?.succeeded()?;
    assert!(out.stdout.contains("Codex: its permission questions stay with it."), "{}", out.stdout);
    assert!(!hooks.exists(), "the hook is gone");
    assert!(fs::read_to_string(&codex)?.contains("[mcp_servers.review-gate]"), "and it is connected still");
    user.run(&["uninstall", "--all"]).await?.succeeded()?;
    assert_eq!((fs::read_to_string(&cursor)?.as_str(), fs::read_to_string(&codex)?.as_str()), (CURSOR, CODEX));
    Ok(())
}

#[tokio::test]
async fn a_person_at_a_terminal_is_asked_for_permission() -> Result<()> {
    const ASKED: &str = "Allow that? Type yes";
    let user = User::new()?;
    let codex = user.write(".codex/config.toml", CODEX)?;
    // What each line of the shell runs, in the user's folders.
    let line = |arguments: &str| -> Result<String> {
        let names = ["XDG_CONFIG_HOME", "XDG_DATA_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME"];
        let program = user.home.command_line()?;
        let folder = user.folder();
        Ok(format!(
            "unset {}; HOME={} PATH=/usr/bin:/bin {} {arguments}",
            names.join(" "),
            folder.display(),
            program.display()
        ))
    };
    let allowed = || -> Result<bool> { Ok(fs::read_to_string(&codex)?.contains("default_tools_approval_mode")) };

    for (answer, is_given) in [("\n", false), ("no\n", false), ("yes\n", true)] {
        let mut terminal = Terminal::start(&user.home, &line("install codex")?)?;
        let shown = terminal.shows(ASKED).await?;
        let added = "+default_tools_approval_mode = \"approve\"";
        assert!(shown.contains("agents in Codex call this server's tools"), "it says for whom and what: {shown}");
        assert!(shown.contains("~/.codex/config.toml") && shown.contains(added), "and what it would write: {shown}");
        assert!(!shown.contains("+command"), "which isn't what connects it: {shown}");
        assert!(!allowed()?, "before the answer nothing is written");
        terminal.types(answer).await?;
        let (code, shown) = terminal.ended().await?;
        assert_eq!(code, Some(0), "it is connected either way: {shown}");
        assert!(shown.contains("Codex: connected"), "and says so: {shown}");
        assert_eq!(allowed()?, is_given, "{answer:?} is the person's answer: {shown}");
    }
    let (code, shown) = Terminal::start(&user.home, &line("install codex")?)?.ended().await?;
    assert!(code == Some(0) && !shown.contains(ASKED), "what is given isn't asked for: {shown}");
    assert!(allowed()?, "and stays");

    user.run(&["uninstall", "codex"]).await?.succeeded()?;
    for words in ["install codex --dry-run", "install codex --json", "install codex --no-allow", "install zed"] {
        let (code, shown) = Terminal::start(&user.home, &line(words)?)?.ended().await?;
        assert!(code == Some(0) && !shown.contains(ASKED), "`{words}` asks nothing: {shown}");
        assert!(!allowed()?, "`{words}` gives nothing");
    }
    user.run(&["uninstall", "codex"]).await?.succeeded()?;
    let piped = user.run(&["install", "codex"]).await?.succeeded()?;
    assert!(!piped.stderr.contains(ASKED) && !allowed()?, "without a terminal there is no question: {piped:?}");
    let both = user.run(&["install", "codex", "--allow", "--no-allow"]).await?;
    assert_eq!(both.code, Some(2), "both at once mean nothing: {both:?}");
    user.run(&["uninstall", "codex"]).await?.succeeded()?;
    assert_eq!(fs::read_to_string(&codex)?, CODEX, "to the byte");
    Ok(())
}

#[tokio::test]
async fn a_terminal_of_an_agent_is_asked_for_no_permission() -> Result<()> {
    let user = User::new()?;
    let codex = user.write(".codex/config.toml", CODEX)?;
    // An agent whose relay this test has started: what it starts is below it.
    let _gate = user.home.serve().await?;
    let agent = Agent::start(&user.home, "claude-code").await?;
    let program = user.home.command_line()?;
    let line = format!("HOME={} {} install codex", user.folder().display(), program.display());
    let (code, shown) = Terminal::below(&user.home, &format!("unset CODEX_HOME; {line}"))?.ended().await?;
    assert!(code == Some(0) && !shown.contains("Allow that?"), "an agent gives itself nothing: {shown}");
    assert!(!fs::read_to_string(&codex)?.contains("default_tools_approval_mode"), "and has none");
    drop(agent);
    Ok(())
}

/// What Python's own parser makes of a file.
async fn parsed(module: &str, file: PathBuf) -> Result<Value> {
    let script = format!("import sys, json, {module}; print(json.dumps({module}.load(open(sys.argv[1], 'rb'))))");
    let mut python = Command::new("python3");
    python.arg("-c").arg(script).arg(file);
    Ran::of(python).await?.json()
}

fn client(answer: &Value, id: &str) -> Value {
    let all = answer["clients"].as_array().into_iter().flatten();
    all.clone().find(|client| client["client"] == id).cloned().unwrap_or_default()
}

async fn open(home: &Home) -> Result<Control> {
    let look = || async { Ok(Control::open(home).await.ok()) };
    gate_tests::eventually("a gate", gate_tests::LIMIT, look).await
}

#[tokio::test]
async fn rules_are_shown_as_they_would_be_written_and_nothing_is() -> Result<()> {
    let user = User::new()?;
    let agents = user.write(".codex/AGENTS.md", "# House rules\n")?;
    let before = files_in(&user.folder())?;
    let list = user.run(&["rules"]).await?.succeeded()?.stdout;
    for row in ["codex           -               ~/.codex/AGENTS.md\n", "zed             -               pasted into"] {
        assert!(list.contains(row), "{row:?}: {list}");
    }
    assert!(list.ends_with("write them with `review-gate install CLIENT --rules`.\n"), "it teaches: {list}");
    let shown = user.run(&["rules", "codex"]).await?.succeeded()?;
    assert!(shown.stdout.contains("review_gate_chat"), "what its agents are told: {}", shown.stdout);
    assert!(shown.stderr.contains("as a section of ~/.codex/AGENTS.md"), "where: {}", shown.stderr);
    assert_eq!(shown.stderr.lines().count(), 1, "{}", shown.stderr);
    let pasted = user.run(&["rules", "zed"]).await?.succeeded()?;
    assert!(pasted.stderr.contains("paste these into its settings"), "{}", pasted.stderr);
    let unknown = user.run(&["rules", "emacs"]).await?;
    assert!(unknown.code == Some(4) && unknown.stderr.contains("[unknown_client]"), "{unknown:?}");
    assert_eq!(files_in(&user.folder())?, before, "nothing is written");

    user.run(&["install", "codex", "--rules"]).await?.succeeded()?;
    let written = fs::read_to_string(&agents)?;
    assert_eq!(written, format!("# House rules\n\n{}", shown.stdout), "to the letter");
    let row = user.run(&["rules", "codex", "--json"]).await?.json()?;
    assert_eq!(
        (&row["state"], &row["file"], &row["section"]),
        (&json!("written"), &json!(agents), &json!(true)),
        "{row}"
    );
    let all = user.run(&["rules", "--json", "--project"]).await?.json()?;
    assert_eq!(all.as_array().map(Vec::len), Some(13), "every client: {all}");
    Ok(())
}
