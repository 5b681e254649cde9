//! The clients that can be connected: their names, the shape of an entry, their time-out, where permission to ask
//! stands. Data only;
//! where their files are is in `paths`, the rules they read in `rules`, what is said of them in
//! `ui/locales/*/client.ftl`.

use gate_core::{Code, Fault};

/// A client that can be connected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Client {
    /// Cursor. <https://cursor.com/docs/context/mcp>
    Cursor,
    /// Claude Code. <https://code.claude.com/docs/en/mcp>
    ClaudeCode,
    /// Claude Desktop. <https://modelcontextprotocol.io/docs/develop/connect-local-servers>
    ClaudeDesktop,
    /// Visual Studio Code. <https://code.visualstudio.com/docs/copilot/chat/mcp-servers>
    VsCode,
    /// Codex: the CLI, its editor extension and the app share one file. <https://developers.openai.com/codex/mcp>
    Codex,
    /// Windsurf. <https://docs.windsurf.com/windsurf/cascade/mcp>
    Windsurf,
    /// Continue. <https://docs.continue.dev/customize/deep-dives/mcp>
    Continue,
    /// Cline: the editor extension and the CLI. <https://docs.cline.bot/mcp/configuring-mcp-servers>
    Cline,
    /// Zed. <https://zed.dev/docs/ai/mcp>
    Zed,
    /// Gemini CLI. <https://geminicli.com/docs/tools/mcp-server>
    Gemini,
    /// Junie in the IDEs of JetBrains. <https://www.jetbrains.com/help/junie/model-context-protocol-mcp.html>
    JetBrains,
    /// Goose. <https://block.github.io/goose/docs/guides/config-files>
    Goose,
    /// opencode. <https://opencode.ai/docs/mcp-servers>
    OpenCode,
}

/// For whom a configuration holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// For everything that this user does.
    User,
    /// For one project's folder.
    Project,
}

impl Scope {
    /// The word for it, as it is stored.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Project => "project",
        }
    }
}

/// How a configuration file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// JSON; comments and trailing commas are kept where they stand.
    Json,
    /// TOML.
    Toml,
    /// YAML.
    Yaml,
    /// A file that holds our entry and nothing else.
    Own,
}

/// The key of an entry that says how long a call may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct WaitKey {
    /// The key.
    pub(crate) key: &'static str,
    /// What the installer writes.
    pub(crate) value: u64,
    /// How many of the key's units are a second.
    pub(crate) per_second: u64,
    /// The longest time that the client grants, in seconds, whatever the key says.
    pub(crate) most_seconds: u64,
}

/// Where a client keeps the person's permission for its agents to call this server's tools without asking the person
/// before each call. Only what holds for this server alone is written: a client that has nothing so narrow in a file
/// of its own is [`Allow::ByHand`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Allow {
    /// A key of our entry, with this value.
    Key(&'static str, AllowValue),
    /// A key of our entry that lists the tools which need no confirmation.
    Tools(&'static str),
    /// An item of the list at this place of another file (`paths::allow_files`), and others that mean the same.
    Item { at: &'static [&'static str], item: &'static str, same: &'static [&'static str] },
    /// The person does it in the client.
    ByHand,
    /// The client doesn't ask, unless the person has told it to.
    NotNeeded,
}

/// The value of a key that gives permission.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AllowValue {
    /// `true`.
    True,
    /// A word.
    Word(&'static str),
}

impl AllowValue {
    /// As it is written.
    pub(crate) fn json(self) -> serde_json::Value {
        match self {
            Self::True => true.into(),
            Self::Word(word) => word.into(),
        }
    }
}

/// How a client hands over its questions whether an agent may do something (docs/permissions.md).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Questions {
    /// By a hook that it runs where it would ask, in the list of [`ASKS`].
    Hook {
        /// The tools that it is run for.
        matcher: &'static str,
        /// What the client says meanwhile, where it says something.
        says: Option<&'static str>,
        /// Further hooks, with the tools that they are run for: what they tell is that a question may be over.
        signs: &'static [(&'static str, &'static str)],
    },
    /// By a file of ours that it loads.
    Plugin,
    /// Not at all.
    None(NoQuestions),
}

/// Why a client can't hand over its questions whether an agent may do something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoQuestions {
    /// No way is known.
    NoWay,
    /// It has a hook for each call alone.
    EveryCall,
    /// It asks at its own prompt in any case.
    OwnPrompt,
}

impl NoQuestions {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::NoWay, Self::EveryCall, Self::OwnPrompt];

    /// Why, as a sentence.
    #[must_use]
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::NoWay => "It has no way to hand them over that is known.",
            Self::EveryCall => {
                "It has no hook for what it would ask: each call would be a question, and runs where the hook fails."
            }
            Self::OwnPrompt => "None of its hooks can allow anything: its own prompt comes in any case.",
        }
    }

    /// The same by the text's id in the catalogues.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::NoWay => "client-questions-no-way",
            Self::EveryCall => "client-questions-every-call",
            Self::OwnPrompt => "client-questions-own-prompt",
        }
    }
}

/// The group of a client's file in which hooks stand, each event with its list.
pub(crate) const HOOKS: &str = "hooks";
/// The event of hooks that are run when a client would ask.
pub(crate) const ASKS: &str = "PermissionRequest";
/// How long a question may take, in seconds. The gate gives up before.
pub(crate) const HOOK_SECONDS: u64 = 600;
/// How long a sign may take, in seconds: the client waits for it.
pub(crate) const SIGN_SECONDS: u64 = 10;

/// Our own tools, and what is a question but no permission.
const CLAUDE_MATCHER: &str = "^(?!mcp__review-gate__|AskUserQuestion$|ExitPlanMode$).*";

/// The tools that Claude Code may have asked for. Nothing else says that its own dialog was answered with yes.
const CLAUDE_USED: &str = "^(Bash|Edit|MultiEdit|Write|NotebookEdit|WebFetch|mcp__(?!review-gate__)).*";
const CLAUDE_SIGNS: &[(&str, &str)] = &[("PostToolUse", CLAUDE_USED), ("PostToolUseFailure", CLAUDE_USED)];

const NO_WAY: Questions = Questions::None(NoQuestions::NoWay);
const EVERY_CALL: Questions = Questions::None(NoQuestions::EveryCall);

/// For how long a connected client is to wait for a person, in seconds. An hour is the most that Cline takes.
pub(crate) const WAIT_SECONDS: u64 = 3600;

/// What is known of a client.
pub(crate) struct Row {
    pub(crate) client: Client,
    pub(crate) id: &'static str,
    pub(crate) title: &'static str,
    /// Other names that a person may type.
    aliases: &'static [&'static str],
    /// How its name begins when it introduces itself, in lower case letters and digits.
    agents: &'static [&'static str],
    pub(crate) format: Format,
    /// Where the servers' entries stand in the file.
    pub(crate) at: &'static [&'static str],
    pub(crate) wait: Option<WaitKey>,
    pub(crate) allow: Allow,
    pub(crate) questions: Questions,
}

const MCP_SERVERS: &[&str] = &["mcpServers"];

const fn seconds(key: &'static str) -> Option<WaitKey> {
    Some(WaitKey { key, value: WAIT_SECONDS, per_second: 1, most_seconds: WAIT_SECONDS })
}

const fn millis(key: &'static str) -> Option<WaitKey> {
    Some(WaitKey { key, value: WAIT_SECONDS * 1000, per_second: 1000, most_seconds: WAIT_SECONDS })
}

/// Zed's `timeout` was milliseconds when it came and is seconds now. 600,000 is ten minutes in the one and
/// enough in the other; the gate counts on ten minutes.
const ZED_WAIT: Option<WaitKey> = Some(WaitKey { key: "timeout", value: 600_000, per_second: 1000, most_seconds: 600 });

pub(crate) const ROWS: &[Row] = &[
    Row {
        client: Client::Cursor,
        id: "cursor",
        title: "Cursor",
        aliases: &[],
        agents: &["cursor"],
        format: Format::Json,
        at: MCP_SERVERS,
        wait: None,
        // `mcpAllowlist` in permissions.json would take the place of the list in its settings, with all that the
        // person has there: <https://cursor.com/docs/reference/permissions>.
        allow: Allow::ByHand,
        questions: EVERY_CALL,
    },
    Row {
        client: Client::ClaudeCode,
        id: "claude-code",
        title: "Claude Code",
        aliases: &["claude", "claudecode"],
        agents: &["claudecode"],
        format: Format::Json,
        at: MCP_SERVERS,
        // Over stdio it waits for about 28 hours by itself (`MCP_TOOL_TIMEOUT` would shorten that).
        wait: None,
        // <https://code.claude.com/docs/en/permissions>
        allow: Allow::Item { at: &["permissions", "allow"], item: "mcp__review-gate", same: &["mcp__review-gate__*"] },
        questions: Questions::Hook { matcher: CLAUDE_MATCHER, says: None, signs: CLAUDE_SIGNS },
    },
    Row {
        client: Client::ClaudeDesktop,
        id: "claude-desktop",
        title: "Claude Desktop",
        aliases: &["claudedesktop"],
        agents: &["claudeai", "claudedesktop"],
        format: Format::Json,
        at: MCP_SERVERS,
        wait: None,
        allow: Allow::ByHand,
        questions: NO_WAY,
    },
    Row {
        client: Client::VsCode,
        id: "vscode",
        title: "VS Code",
        aliases: &["code", "vs-code", "visual-studio-code", "copilot"],
        agents: &["visualstudiocode", "vscode"],
        format: Format::Json,
        at: &["servers"],
        wait: None,
        // Its approvals are in its own storage: <https://code.visualstudio.com/docs/agents/approvals>.
        allow: Allow::ByHand,
        questions: EVERY_CALL,
    },
    Row {
        client: Client::Codex,
        id: "codex",
        title: "Codex",
        aliases: &["codex-cli"],
        agents: &["codex"],
        format: Format::Toml,
        at: &["mcp_servers"],
        wait: seconds("tool_timeout_sec"),
        // `auto`, `prompt`, `writes` or `approve`, which never asks: <https://developers.openai.com/codex/config-reference>.
        allow: Allow::Key("default_tools_approval_mode", AllowValue::Word("approve")),
        // Its matchers know no lookahead: the gate leaves its own tools to Codex.
        questions: Questions::Hook { matcher: "*", says: Some("Asked in Review Gate; Esc stops"), signs: &[] },
    },
    Row {
        client: Client::Windsurf,
        id: "windsurf",
        title: "Windsurf",
        aliases: &["codeium"],
        agents: &["windsurf"],
        format: Format::Json,
        at: MCP_SERVERS,
        wait: None,
        allow: Allow::ByHand,
        questions: NO_WAY,
    },
    Row {
        client: Client::Continue,
        id: "continue",
        title: "Continue",
        aliases: &["continue-dev"],
        agents: &["continue"],
        format: Format::Own,
        at: &["mcpServers"],
        // The time to connect is also that of a call: continuedev/continue, core/tools/callTool.ts.
        wait: millis("connectionTimeout"),
        allow: Allow::ByHand,
        questions: NO_WAY,
    },
    Row {
        client: Client::Cline,
        id: "cline",
        title: "Cline",
        aliases: &[],
        agents: &["cline"],
        format: Format::Json,
        at: MCP_SERVERS,
        wait: seconds("timeout"),
        // cline/cline, src/services/mcp/schemas.ts: names of tools, without wildcards.
        allow: Allow::Tools("autoApprove"),
        questions: NO_WAY,
    },
    Row {
        client: Client::Zed,
        id: "zed",
        title: "Zed",
        aliases: &[],
        agents: &["zed"],
        format: Format::Json,
        at: &["context_servers"],
        wait: ZED_WAIT,
        // It knows single tools only, outside of the server's entry: <https://zed.dev/docs/ai/tool-permissions>.
        allow: Allow::ByHand,
        questions: NO_WAY,
    },
    Row {
        client: Client::Gemini,
        id: "gemini",
        title: "Gemini CLI",
        aliases: &["gemini-cli"],
        agents: &["gemini"],
        format: Format::Json,
        at: MCP_SERVERS,
        wait: millis("timeout"),
        allow: Allow::Key("trust", AllowValue::True),
        questions: Questions::None(NoQuestions::OwnPrompt),
    },
    Row {
        client: Client::JetBrains,
        id: "jetbrains",
        title: "JetBrains (Junie)",
        aliases: &["junie", "intellij", "pycharm", "webstorm"],
        agents: &["jetbrains", "junie", "intellij"],
        format: Format::Json,
        at: MCP_SERVERS,
        wait: None,
        // A page of the IDE's settings: <https://junie.jetbrains.com/docs/action-allowlist.html>.
        allow: Allow::ByHand,
        questions: NO_WAY,
    },
    Row {
        client: Client::Goose,
        id: "goose",
        title: "Goose",
        aliases: &["block-goose"],
        agents: &["goose"],
        format: Format::Yaml,
        at: &["extensions"],
        wait: seconds("timeout"),
        // Its usual mode asks for nothing: <https://block.github.io/goose/docs/guides/goose-permissions/>.
        allow: Allow::NotNeeded,
        questions: NO_WAY,
    },
    Row {
        client: Client::OpenCode,
        id: "opencode",
        title: "opencode",
        aliases: &["open-code"],
        agents: &["opencode"],
        format: Format::Json,
        at: &["mcp"],
        wait: millis("timeout"),
        // What no rule names is allowed: <https://opencode.ai/docs/permissions>.
        allow: Allow::NotNeeded,
        questions: Questions::Plugin,
    },
];

impl Client {
    /// Every one, in the order in which they are shown.
    pub const ALL: [Self; 13] = [
        Self::Cursor,
        Self::ClaudeCode,
        Self::ClaudeDesktop,
        Self::VsCode,
        Self::Codex,
        Self::Windsurf,
        Self::Continue,
        Self::Cline,
        Self::Zed,
        Self::Gemini,
        Self::JetBrains,
        Self::Goose,
        Self::OpenCode,
    ];

    pub(crate) fn row(self) -> &'static Row {
        // Every client has a row: a test goes through all of them.
        ROWS.iter().find(|row| row.client == self).unwrap_or(&ROWS[0])
    }

    /// The name that a person types, e.g. `claude-code`. Stable.
    #[must_use]
    pub fn id(self) -> &'static str {
        self.row().id
    }

    /// The name that a person reads, e.g. `Claude Code`.
    #[must_use]
    pub fn title(self) -> &'static str {
        self.row().title
    }

    /// How its name begins when it introduces itself to the gate, in lower case letters and digits.
    #[must_use]
    pub fn agent_name(self) -> &'static str {
        self.row().agents.first().copied().unwrap_or(self.row().id)
    }

    /// What the person has to do in the client once it is connected, by the text's id in the catalogues.
    #[must_use]
    pub fn next_step(self) -> String {
        format!("client-{}-next", self.id())
    }

    /// What there is to say of permission to ask in this client, by the text's id in the catalogues: what the person
    /// does by hand, or why nothing needs to be done; absent where what the installer writes is all.
    #[must_use]
    pub fn allow_step(self) -> Option<String> {
        match self.row().allow {
            Allow::Key(..) | Allow::Item { .. } => None,
            Allow::Tools(_) | Allow::ByHand | Allow::NotNeeded => Some(format!("client-{}-allow", self.id())),
        }
    }

    /// What there is to say of its permission questions once they come to the gate, by the text's id in the catalogues;
    /// absent where they can't.
    #[must_use]
    pub fn questions_step(self) -> Option<String> {
        self.hands_over_questions().then(|| format!("client-{}-questions", self.id()))
    }

    /// Whether its questions whether an agent may do something can come to the gate.
    #[must_use]
    pub fn hands_over_questions(self) -> bool {
        !matches!(self.row().questions, Questions::None(_))
    }

    /// Why its questions whether an agent may do something can't come to the gate, where they can't.
    #[must_use]
    pub fn no_questions(self) -> Option<NoQuestions> {
        match self.row().questions {
            Questions::None(why) => Some(why),
            Questions::Hook { .. } | Questions::Plugin => None,
        }
    }

    /// The fault of bringing them to the gate all the same.
    #[must_use]
    pub fn questions_fault(self) -> Option<Fault> {
        let why = self.no_questions()?.sentence();
        Some(Fault::new(
            Code::InvalidInput,
            format!("{}'s permission questions can't come to the gate. {why}", self.title()),
            "Leave out --permissions, and answer them in the client.",
        ))
    }

    /// For how many seconds a call may take in a client that the installer has connected; absent where the
    /// client has no key for it.
    #[must_use]
    pub fn longest_wait(self) -> Option<u64> {
        self.row().wait.map(|wait| wait.most_seconds)
    }

    /// The client that a person means.
    ///
    /// # Errors
    /// `unknown_client` with the nearest name.
    pub fn parse(name: &str) -> Result<Self, Fault> {
        let typed: String = name.trim().to_lowercase().replace([' ', '_'], "-");
        let means = |row: &&Row| row.id == typed || row.aliases.contains(&typed.as_str());
        if let Some(row) = ROWS.iter().find(means) {
            return Ok(row.client);
        }
        let names = ROWS.iter().flat_map(|row| std::iter::once(row.id).chain(row.aliases.iter().copied()));
        let near = names.map(|known| (strsim::damerau_levenshtein(known, &typed), known)).min();
        let mend = match near {
            Some((distance, known)) if distance <= 2 => format!("Did you mean `{known}`?"),
            _ => format!("Use one of: {}.", Self::ALL.map(Self::id).join(", ")),
        };
        let shown: String = name.chars().take(60).collect();
        Err(Fault::new(Code::UnknownClient, format!("There is no client {shown:?}."), mend))
    }

    /// The client that introduces itself to the gate by this name (MCP's `clientInfo.name`); absent for a
    /// name of nobody in the catalogue.
    #[must_use]
    pub fn of_agent(name: &str) -> Option<Self> {
        let plain: String = name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
        ROWS.iter().find(|row| row.agents.iter().any(|start| plain.starts_with(start))).map(|row| row.client)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_client_has_one_row() {
        assert_eq!(ROWS.len(), Client::ALL.len(), "one row for each client");
        for client in Client::ALL {
            assert_eq!(client.row().client, client, "a client finds its own row");
            assert_eq!(Client::parse(client.id()), Ok(client), "its id is a name that can be typed");
        }
    }

    #[test]
    fn a_name_that_nobody_has_is_answered_with_the_nearest() {
        let mend = |name: &str| Client::parse(name).map_err(|fault| fault.mend);
        assert_eq!(mend("cursr"), Err("Did you mean `cursor`?".to_owned()));
        assert_eq!(mend("Claude Code"), Ok(Client::ClaudeCode), "as people write it");
        assert_eq!(mend("junie"), Ok(Client::JetBrains), "another name of it");
        assert!(mend("emacs").is_err_and(|mend| mend.contains("opencode")), "nothing near: all are named");
    }

    #[test]
    fn agents_are_known_by_how_they_introduce_themselves() {
        for (name, client) in [
            ("claude-code", Some(Client::ClaudeCode)),
            ("claude-ai", Some(Client::ClaudeDesktop)),
            ("codex-mcp-client", Some(Client::Codex)),
            ("cursor-vscode", Some(Client::Cursor)),
            ("Visual Studio Code", Some(Client::VsCode)),
            ("gemini-cli-mcp-client", Some(Client::Gemini)),
            ("JetBrains-IU/2026.2", Some(Client::JetBrains)),
            ("continue-client", Some(Client::Continue)),
            ("my-agent", None),
            ("", None),
        ] {
            assert_eq!(Client::of_agent(name), client, "{name}");
        }
    }
}
