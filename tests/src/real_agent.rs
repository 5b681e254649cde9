//! The agents that people use, as they come from npm, with a [`Model`] behind them.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context as _, Result};
use rustix::process::{Pid, Signal, kill_process_group};
use tokio::process::{Child, Command};

use crate::agent_terminal::AgentTerminal;
use crate::bin;
use crate::home::{Home, HomeOptions, SCRIPTS_ANSWER};
use crate::model::{Model, Turn};
use crate::process::Process;
use crate::run::Ran;
use crate::skip::{out_of_reach, skip};

mod in_a_run;

/// The folder that npm has installed the agents in; empty where it couldn't.
const AGENTS: &str = "REVIEW_GATE_TEST_AGENTS";
/// How long an agent may take over all of its work. Each begins with a second or two of its own.
const AGENT_LIMIT: Duration = Duration::from_secs(300);
/// What a person asks of an agent where nothing else is said.
const TASK: &str = "Ask the person.";

/// An agent of another maker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Program {
    /// Claude Code, which speaks Anthropic's Messages.
    ClaudeCode,
    /// Codex, which speaks OpenAI's Responses.
    Codex,
    /// Gemini CLI.
    Gemini,
    /// opencode, which speaks OpenAI's Chat Completions to any server.
    OpenCode,
}

impl Program {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::ClaudeCode, Self::Codex, Self::Gemini, Self::OpenCode];

    /// What `review-gate install` calls it.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::Gemini => "gemini-cli",
            Self::OpenCode => "opencode",
        }
    }

    /// What it is called, and its package.
    fn package(self) -> (&'static str, &'static str) {
        match self {
            Self::ClaudeCode => ("Claude Code", "@anthropic-ai/claude-code"),
            Self::Codex => ("Codex", "@openai/codex"),
            Self::Gemini => ("Gemini CLI", "@google/gemini-cli"),
            Self::OpenCode => ("opencode", "opencode-ai"),
        }
    }

    /// The file that `install` connects it in, below the person's folder, with the time-out that it writes there and
    /// one of 15 s; absent where it writes none.
    fn time_out(self) -> Option<(&'static str, &'static str, &'static str)> {
        match self {
            Self::ClaudeCode => None,
            Self::Codex => Some((".codex/config.toml", "3600", "15")),
            Self::Gemini => Some((".gemini/settings.json", "3600000", "15000")),
            Self::OpenCode => Some((".config/opencode/opencode.json", "3600000", "15000")),
        }
    }

    /// The program and its first words, below `node_modules`.
    fn command(self, modules: &Path) -> Command {
        let script = |path: &str| {
            let mut command = Command::new("node");
            command.arg(modules.join(path));
            command
        };
        match self {
            Self::ClaudeCode => Command::new(modules.join("@anthropic-ai/claude-code-linux-x64/claude")),
            Self::Codex => script("@openai/codex/bin/codex.js"),
            Self::Gemini => script("@google/gemini-cli/bundle/gemini.js"),
            Self::OpenCode => Command::new(modules.join("opencode-linux-x64/bin/opencode")),
        }
    }
}

/// A person with one agent, its model, and a gate that the agent is connected to.
#[derive(Debug)]
pub struct RealAgent {
    program: Program,
    modules: PathBuf,
    /// The gate's home.
    pub home: Home,
    /// The model that the agent asks.
    pub model: Model,
}

impl RealAgent {
    /// An agent whose model takes these turns, with its own files written, not connected yet. Absent where it isn't
    /// installed.
    ///
    /// # Errors
    /// When its files can't be written, or it isn't installed where everything is required.
    pub async fn new(program: Program, turns: Vec<Turn>) -> Result<Option<Self>> {
        let Some(modules) = std::env::var_os(AGENTS).map(PathBuf::from) else {
            skip(&format!("{AGENTS} names no folder with {}: `cargo xtask agents`", program.id()))?;
            return Ok(None);
        };
        if modules.as_os_str().is_empty() {
            out_of_reach(&format!("npm can't give {} here", program.id()))?;
            return Ok(None);
        }
        let folder = tempfile::Builder::new().prefix("rg-").tempdir_in("/tmp").context("no folder for a person")?;
        let person = folder.path().join("person");
        std::fs::create_dir(&person)?;
        let path = std::env::var_os("PATH").unwrap_or_default();
        let own: [(&str, OsString); 8] = [
            ("HOME", person.clone().into()),
            ("PATH", path),
            ("XDG_CONFIG_HOME", person.join(".config").into()),
            ("XDG_DATA_HOME", person.join(".local/share").into()),
            ("XDG_CACHE_HOME", person.join(".cache").into()),
            ("XDG_STATE_HOME", person.join(".local/state").into()),
            ("CODEX_HOME", person.join(".codex").into()),
            ("CLAUDE_CONFIG_DIR", OsString::new()),
        ];
        let env = own.into_iter().map(|(name, value)| (name.into(), value)).collect();
        // What is tried here is the agent: the tests answer as scripts.
        let config = Some(SCRIPTS_ANSWER.to_owned());
        let home = Home::within(folder, HomeOptions { env, config, ..HomeOptions::default() }, None)?;
        let agent = Self { program, modules, home, model: Model::start(turns).await? };
        agent.write_files()?;
        Ok(Some(agent))
    }

    /// Another agent of the same person in the same folder, with a model of its own.
    ///
    /// # Errors
    /// As [`RealAgent::new`].
    pub async fn beside(&self, program: Program, turns: Vec<Turn>) -> Result<Self> {
        let (modules, home) = (self.modules.clone(), self.home.clone());
        let agent = Self { program, modules, home, model: Model::start(turns).await? };
        // Two of one program have their files together; where each one's model is, its environment says.
        if program != self.program {
            agent.write_files()?;
        }
        Ok(agent)
    }

    /// Which agent it is.
    #[must_use]
    pub fn program(&self) -> Program {
        self.program
    }

    /// The person's own folder.
    fn person(&self) -> PathBuf {
        self.home.folder().join("person")
    }

    /// What a person has set up before they connect anything: where the model is.
    fn write_files(&self) -> Result<()> {
        let (url, person) = (&self.model.url, self.person());
        let write = |path: &str, text: String| {
            let file = person.join(path);
            std::fs::create_dir_all(file.parent().context("a file is in a folder")?)?;
            std::fs::write(&file, text).with_context(|| format!("can't write {}", file.display()))
        };
        match self.program {
            Program::ClaudeCode => {
                write(".claude.json", "{\"hasCompletedOnboarding\": true}".to_owned())?;
                write(".claude/settings.json", "{}".to_owned())
            }
            Program::Codex => {
                std::fs::create_dir_all(person.join("passing"))?;
                write(
                    ".codex/config.toml",
                    format!(
                        "model = \"scripted\"\nmodel_provider = \"loopback\"\n\n[model_providers.loopback]\nname = \
                     \"loopback\"\nbase_url = \"{url}/v1\"\nwire_api = \"responses\"\n"
                    ),
                )
            }
            Program::Gemini => write(
                ".gemini/settings.json",
                serde_json::json!({
                    "security": {"auth": {"selectedType": "gemini-api-key"}},
                    "privacy": {"usageStatisticsEnabled": false},
                    "general": {"enableAutoUpdate": false},
                })
                .to_string(),
            ),
            Program::OpenCode => write(
                ".config/opencode/opencode.json",
                serde_json::json!({
                    "$schema": "https://opencode.ai/config.json",
                    "autoupdate": false,
                    "share": "disabled",
                    "model": "loopback/scripted",
                    "small_model": "loopback/scripted",
                    "provider": {"loopback": {
                        "npm": "@ai-sdk/openai-compatible",
                        "name": "loopback",
                        "options": {"baseURL": format!("{url}/v1"), "apiKey": "none"},
                        "models": {"scripted": {
                            "name": "scripted", "tool_call": true, "attachment": true,
                            "modalities": {"input": ["text", "image"], "output": ["text"]},
                        }},
                    }},
                })
                .to_string(),
            ),
        }
    }

    /// Connects the agent: `review-gate install` with these further words.
    ///
    /// # Errors
    /// When it fails.
    pub async fn install(&self, words: &[&str]) -> Result<Ran> {
        let all = ["install", self.program.id()].into_iter().chain(words.iter().copied());
        let mut command = self.home.command(all)?;
        command.env("PATH", Self::path()?);
        Ran::of(command).await?.succeeded()
    }

    /// Lets a call take 15 s, as the person may by the agent's own setting, so that the gate answers after 5 s. Where
    /// the agent has no such setting that the gate reads, the gate's says the latter.
    ///
    /// # Errors
    /// When the entry isn't what it was.
    pub fn shorten_calls(&self) -> Result<()> {
        let Some((path, long, short)) = self.program.time_out() else {
            let settings = format!("waiting:\n  clients:\n    {}: 5\n{SCRIPTS_ANSWER}", self.program.id());
            return std::fs::write(self.home.path().join("config.yaml"), settings).context("no settings");
        };
        let file = self.person().join(path);
        let text = std::fs::read_to_string(&file).with_context(|| format!("can't read {}", file.display()))?;
        anyhow::ensure!(text.matches(long).count() == 1, "one time-out of {long} in {text}");
        Ok(std::fs::write(&file, text.replace(long, short))?)
    }

    /// The agents' `PATH`: the program that is tried before all others.
    fn path() -> Result<OsString> {
        let folder = bin("review-gate")?.parent().context("a program is in a folder")?.to_owned();
        let all = std::env::var_os("PATH").unwrap_or_default();
        Ok(std::env::join_paths([folder].into_iter().chain(std::env::split_paths(&all)))?)
    }

    /// Lets the agent give up a call after 8 s, and the gate wait for longer: it is told so by the person, who is wrong.
    ///
    /// # Errors
    /// When the entry isn't what it was.
    pub fn give_up_first(&self) -> Result<()> {
        let settings = format!("waiting:\n  clients:\n    {}: 100\n{SCRIPTS_ANSWER}", self.program.id());
        std::fs::write(self.home.path().join("config.yaml"), settings).context("no settings")?;
        self.set_time_out(Some(8))
    }

    /// Takes the time-out of calls out of the agent's entry, so that it gives up when it does by itself.
    ///
    /// # Errors
    /// When the entry isn't what it was.
    pub fn have_own_time_out(&self) -> Result<()> {
        self.set_time_out(None)
    }

    /// Sets the time-out of calls in the agent's entry, in seconds, or takes it out.
    fn set_time_out(&self, seconds: Option<u64>) -> Result<()> {
        let (path, _, _) = self.program.time_out().unwrap_or((".claude.json", "", ""));
        let file = self.person().join(path);
        let text = std::fs::read_to_string(&file).with_context(|| format!("can't read {}", file.display()))?;
        if path.ends_with(".toml") {
            let is_other = |line: &&str| !line.starts_with("tool_timeout_sec");
            let own = seconds.map(|seconds| format!("tool_timeout_sec = {seconds}"));
            let lines = text.lines().filter(is_other).flat_map(|line| {
                let is_ours = line.ends_with("[mcp_servers.review-gate]");
                [Some(line), own.as_deref().filter(|_| is_ours)].into_iter().flatten()
            });
            return Ok(std::fs::write(&file, lines.map(|line| format!("{line}\n")).collect::<String>())?);
        }
        let mut all: serde_json::Value = serde_json::from_str(&text)?;
        let groups = all.as_object_mut().into_iter().flat_map(|all| all.values_mut());
        let entry = groups.filter_map(|servers| servers.get_mut("review-gate")?.as_object_mut()).next();
        let entry = entry.with_context(|| format!("our entry in {text}"))?;
        match seconds {
            Some(seconds) => entry.insert("timeout".to_owned(), (seconds * 1000).into()),
            None => entry.remove("timeout"),
        };
        Ok(std::fs::write(&file, all.to_string())?)
    }

    /// Its name and version.
    ///
    /// # Errors
    /// When its package can't be read.
    pub fn name(&self) -> Result<String> {
        let (name, package) = self.program.package();
        let file = self.modules.join(package).join("package.json");
        let text = std::fs::read_to_string(&file).with_context(|| format!("can't read {}", file.display()))?;
        let package: serde_json::Value = serde_json::from_str(&text)?;
        Ok(format!("{name} {}", package["version"].as_str().context("a package has a version")?))
    }

    /// Starts the agent on a task without a person at its terminal.
    ///
    /// # Errors
    /// When it can't be started.
    pub fn start(&self) -> Result<Child> {
        self.spawn(false, &[TASK])
    }

    /// Starts it anew, and it goes on with the conversation that it had last.
    ///
    /// # Errors
    /// When it can't be started.
    pub fn go_on(&self) -> Result<Child> {
        self.spawn(true, &[TASK])
    }

    /// Starts it on what a person says.
    ///
    /// # Errors
    /// When it can't be started.
    pub fn start_on(&self, said: &str) -> Result<Child> {
        self.spawn(false, &[said])
    }

    /// Starts Claude Code without a terminal, with this tool to ask whether it may.
    ///
    /// # Errors
    /// When it can't be started.
    pub fn start_with_prompt_tool(&self, tool: &str) -> Result<Child> {
        self.spawn(false, &["--permission-prompt-tool", tool, TASK])
    }

    /// Starts it on one of the gate's prompts, for a file, as a person calls that there. Codex knows no prompts of
    /// servers; it is told what another agent would know.
    ///
    /// # Errors
    /// When it can't be started.
    pub fn start_on_prompt(&self, prompt: &str, file: &str) -> Result<Child> {
        let command = self.slash_command(prompt);
        match self.program {
            Program::ClaudeCode | Program::Codex => self.start_on(&format!("{command} {file}")),
            Program::Gemini => self.start_on(&format!("{command} --file_path=\"{file}\"")),
            // A slash is for its terminal.
            Program::OpenCode => self.spawn(false, &["--command", command.trim_start_matches('/'), file]),
        }
    }

    /// What a person calls one of the gate's prompts by at its terminal; with Codex, what it might be.
    #[must_use]
    pub fn slash_command(&self, prompt: &str) -> String {
        match self.program {
            Program::ClaudeCode => format!("/mcp__review-gate__{prompt}"),
            Program::Codex | Program::Gemini => format!("/{prompt}"),
            Program::OpenCode => format!("/review-gate:{prompt}"),
        }
    }

    /// Starts it on a task in a sandbox of `review-gate run`, with these words for that.
    ///
    /// # Errors
    /// When it can't be started.
    pub fn start_in_a_sandbox(&self, words: &[&str]) -> Result<Child> {
        let agent = self.program.command(&self.modules);
        let mut command = Command::new(self.home.command_line()?);
        command.arg("run").args(words).args(["--client", self.program.id(), "--"]);
        // A script by itself, as its package's command is: what belongs to it isn't beside `node`.
        let agent = std::iter::once(agent.as_std().get_program()).chain(agent.as_std().get_args());
        command.args(agent.skip_while(|word| *word == "node"));
        self.spawn_as(command, false, &[TASK])
    }

    fn spawn(&self, goes_on: bool, said: &[&str]) -> Result<Child> {
        self.spawn_as(self.program.command(&self.modules), goes_on, said)
    }

    fn spawn_as(&self, mut command: Command, goes_on: bool, said: &[&str]) -> Result<Child> {
        let words: &[&str] = match (self.program, goes_on) {
            (Program::ClaudeCode, false) => &["--print"],
            (Program::ClaudeCode, true) => &["--continue", "--print"],
            (Program::Codex, false) => &["exec", "--skip-git-repo-check"],
            (Program::Codex, true) => &["exec", "resume", "--last", "--skip-git-repo-check"],
            (Program::Gemini, false) => &["--model", "gemini-2.5-pro", "--prompt"],
            (Program::Gemini, true) => &["--model", "gemini-2.5-pro", "--resume", "latest", "--prompt"],
            (Program::OpenCode, false) => &["run"],
            (Program::OpenCode, true) => &["run", "--continue"],
        };
        command.args(words).args(said);
        self.dress(&mut command)?;
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // As a shell does, so that Ctrl-C is heard by all that it has started.
        command.process_group(0);
        command.spawn().with_context(|| format!("{} can't be started", self.program.id()))
    }

    /// Makes a command one of the person's: where the model is, and nothing that leads elsewhere.
    fn dress(&self, command: &mut Command) -> Result<()> {
        match self.program {
            Program::ClaudeCode => {
                command.env("ANTHROPIC_BASE_URL", &self.model.url).env("ANTHROPIC_API_KEY", "none");
                command.env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1").env("DISABLE_AUTOUPDATER", "1");
            }
            Program::Codex => {
                // What its sandbox starts by is a link in its home, which it makes in no folder for what passes.
                command.env("TMPDIR", self.person().join("passing"));
            }
            Program::Gemini => {
                command.env("GEMINI_API_KEY", "none").env("GOOGLE_GEMINI_BASE_URL", &self.model.url);
                // It starts no servers in a folder that its person hasn't said to trust (docs/agents.md).
                command.env("GEMINI_CLI_TRUST_WORKSPACE", "true");
                // It would start itself once more, for room that it doesn't need here.
                command.env("GEMINI_CLI_NO_RELAUNCH", "true");
            }
            Program::OpenCode => {
                command.env("OPENCODE_DISABLE_AUTOUPDATE", "1").env("OPENCODE_DISABLE_MODELS_FETCH", "1");
            }
        }
        self.home.dress(command);
        for name in ["CLAUDE_CONFIG_DIR", "CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT"] {
            command.env_remove(name);
        }
        // The model is on loopback, where no proxy leads.
        for name in ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"] {
            command.env_remove(name).env_remove(name.to_lowercase());
        }
        command.env("PATH", Self::path()?);
        Ok(())
    }

    /// Sets the agent up so that it asks at a terminal before it runs a command or changes a file, and asks nothing else
    /// when it starts. To be called before it is connected.
    ///
    /// # Errors
    /// When its files can't be written.
    pub fn asks_before_it_acts(&self) -> Result<()> {
        let folder = self.home.workspace();
        let at = |path: &str| self.person().join(path);
        match self.program {
            Program::ClaudeCode => {
                let trusted =
                    serde_json::json!({"hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true});
                let mut projects = serde_json::Map::new();
                projects.insert(folder.display().to_string(), trusted);
                let state = serde_json::json!({
                    "hasCompletedOnboarding": true, "customApiKeyResponses": {"approved": ["none"]}, "projects": projects,
                });
                std::fs::write(at(".claude.json"), state.to_string()).context("no state of Claude Code's")
            }
            Program::Codex => {
                let file = at(".codex/config.toml");
                // One that runs its commands by a tool that the scripted model knows.
                let text = std::fs::read_to_string(&file)?.replace("\"scripted\"", "\"gpt-5.1-codex\"");
                let asks = "approval_policy = \"on-request\"\nsandbox_mode = \"read-only\"\n\
                            check_for_update_on_startup = false\n";
                let trusted = format!("\n[projects.{:?}]\ntrust_level = \"trusted\"\n", folder.display().to_string());
                std::fs::write(file, format!("{asks}{text}{trusted}")).context("no settings of Codex's")
            }
            Program::Gemini => Ok(()),
            Program::OpenCode => {
                let file = at(".config/opencode/opencode.json");
                let mut all: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(&file)?)?;
                all["permission"] = serde_json::json!({"bash": "ask", "edit": "ask"});
                std::fs::write(file, all.to_string()).context("no settings of opencode's")
            }
        }
    }

    /// Takes the gate's server out of the agent's files, where it was connected: none of its processes starts a gate then.
    ///
    /// # Errors
    /// When its file isn't what it was.
    pub fn forget_the_server(&self) -> Result<()> {
        let (path, _, _) = self.program.time_out().unwrap_or((".claude.json", "", ""));
        let file = self.person().join(path);
        let text = std::fs::read_to_string(&file).with_context(|| format!("can't read {}", file.display()))?;
        let left = if path.ends_with(".toml") {
            text.split_once("[mcp_servers.review-gate]").context("our entry is at the end")?.0.to_owned()
        } else {
            let mut all: serde_json::Value = serde_json::from_str(&text)?;
            let groups = all.as_object_mut().into_iter().flat_map(|all| all.values_mut());
            let taken = groups.filter_map(|servers| servers.as_object_mut()?.remove("review-gate")).count();
            anyhow::ensure!(taken == 1, "one entry of ours in {text}");
            all.to_string()
        };
        Ok(std::fs::write(&file, left)?)
    }

    /// Starts the agent on a task at a terminal, where a person could answer what it asks.
    ///
    /// # Errors
    /// When it can't be started.
    pub fn at_a_terminal(&self, said: &str) -> Result<AgentTerminal> {
        match self.program {
            Program::ClaudeCode => self.at_a_terminal_with(&[said]),
            // Else it asks first whether to trust the hook, and starts a daemon.
            Program::Codex => self.at_a_terminal_with(&["--dangerously-bypass-hook-trust", said]),
            Program::Gemini => self.at_a_terminal_with(&["--model", "gemini-2.5-pro", "--prompt-interactive", said]),
            Program::OpenCode => self.at_a_terminal_with(&["--prompt", said]),
        }
    }

    /// Starts the agent at a terminal with these words.
    ///
    /// # Errors
    /// When it can't be started.
    pub fn at_a_terminal_with(&self, words: &[&str]) -> Result<AgentTerminal> {
        let mut command = self.program.command(&self.modules);
        command.args(words);
        self.dress(&mut command)?;
        // Where no package of plugins can be fetched, it gives up sooner.
        command.env("npm_config_registry", "http://127.0.0.1:1/").env("npm_config_fetch_retries", "0");
        AgentTerminal::start(&command)
    }

    /// The agent by ACP, with `review-gate permit acp` between it and its client.
    ///
    /// # Errors
    /// When the program isn't built.
    pub fn by_acp(&self) -> Result<Command> {
        let mut agent = self.program.command(&self.modules);
        match self.program {
            Program::Gemini => agent.args(["--acp", "--model", "gemini-2.5-pro"]),
            Program::OpenCode | Program::ClaudeCode | Program::Codex => agent.arg("acp"),
        };
        let mut command = Command::new(bin("review-gate")?);
        command.args(["permit", "acp", "--"]).arg(agent.as_std().get_program()).args(agent.as_std().get_args());
        self.dress(&mut command)?;
        Ok(command)
    }

    /// What Ctrl-C in its terminal does.
    ///
    /// # Errors
    /// When it has ended.
    pub fn interrupt(&self, agent: &Child) -> Result<()> {
        let id = agent.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?)).context("it has ended")?;
        kill_process_group(id, Signal::INT).context("the agent can't be interrupted")
    }

    /// Kills the agent with all that is its own. What it started of the gate's finds out by itself.
    ///
    /// # Errors
    /// When one of its processes can't be killed.
    pub fn kill(&self) -> Result<()> {
        let name = |process: &Process| Some(Path::new(process.arguments().first()?).file_name()?.to_owned());
        let own =
            self.home.processes().into_iter().filter(|process| name(process).is_some_and(|it| it != "review-gate"));
        own.into_iter().try_for_each(|process| process.kill())
    }

    /// Waits for the end of the agent's work, and gives all that it printed.
    ///
    /// # Errors
    /// When it doesn't end in time.
    pub async fn ended(&self, agent: Child) -> Result<Ran> {
        let output = tokio::time::timeout(AGENT_LIMIT, agent.wait_with_output()).await;
        let output = output.with_context(|| format!("{} did not end in {AGENT_LIMIT:?}", self.program.id()))??;
        Ok(Ran {
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            code: output.status.code(),
        })
    }
}
