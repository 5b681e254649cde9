//! The table of programs: what each is called and looked for by, what its help has to have, which variables and files it
//! signs in by. How it is called stands in `call.rs`, how its answer is read in `reading.rs`.
//!
//! What docs/agents.md says of them (*As reviewers*) was tried with the programs themselves.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::variables::variable;

/// An agent program that can be run without a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Program {
    /// Claude Code.
    ClaudeCode,
    /// Codex.
    Codex,
    /// Gemini CLI.
    GeminiCli,
    /// opencode.
    OpenCode,
}

/// What is known of one.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) id: &'static str,
    pub(crate) name: &'static str,
    /// What it is looked for by, without an ending.
    pub(crate) command: &'static str,
    /// What stands before `--help` for the help on such a call.
    pub(crate) subcommand: &'static [&'static str],
    /// The options that a call may have, each of which that help has to name.
    pub(crate) options: &'static [&'static str],
    /// The variables of the person's that it has besides those that all have; a `*` at the end stands for anything.
    pub(crate) variables: &'static [&'static str],
    /// What is set for it.
    pub(crate) set: &'static [(&'static str, &'static str)],
    /// The files that it is signed in by. It writes them when a sign-in is renewed, and whoever lost that would be signed
    /// out.
    pub(crate) sign_in: &'static [Place],
    /// The files that it is set up by, of which it gets copies.
    pub(crate) set_up: &'static [Place],
}

/// A file of the person's.
#[derive(Debug)]
pub(crate) struct Place(Root, &'static str);

/// Where it lies: in a folder that a variable names, or else in one below the person's own.
#[derive(Debug)]
struct Root(Option<&'static str>, &'static str);

const HOME: Root = Root(None, "");
const CONFIG: Root = Root(Some("XDG_CONFIG_HOME"), ".config");
const DATA: Root = Root(Some("XDG_DATA_HOME"), ".local/share");
const CACHE: Root = Root(Some("XDG_CACHE_HOME"), ".cache");
const CLAUDE: Root = Root(Some("CLAUDE_CONFIG_DIR"), ".claude");
const CODEX: Root = Root(Some("CODEX_HOME"), ".codex");

impl Place {
    pub(crate) fn path(&self, person: &Path, environment: &[(OsString, OsString)]) -> PathBuf {
        let Self(Root(name, below), file) = self;
        let named = name.and_then(|name| variable(environment, name)).map(PathBuf::from);
        named.filter(|folder| folder.is_absolute()).unwrap_or_else(|| person.join(below)).join(file)
    }
}

const CLAUDE_CODE: Row = Row {
    id: "claude-code",
    name: "Claude Code",
    command: "claude",
    subcommand: &[],
    options: &[
        "--print",
        "--output-format",
        "--json-schema",
        "--tools",
        "--strict-mcp-config",
        "--no-session-persistence",
        "--safe-mode",
        "--max-budget-usd",
        "--model",
    ],
    variables: &[
        "ANTHROPIC_*",
        "CLAUDE_CONFIG_DIR",
        "CLAUDE_CODE_OAUTH_TOKEN",
        "CLAUDE_CODE_USE_*",
        "CLAUDE_CODE_SKIP_*_AUTH",
        "CLAUDE_CODE_CLIENT_*",
        "CLAUDE_CODE_CERT_STORE",
        "CLAUDE_CODE_MAX_RETRIES",
        "CLAUDE_CODE_GIT_BASH_PATH",
        "AWS_*",
        "CLOUD_ML_REGION",
        "VERTEX_REGION_*",
        "GOOGLE_APPLICATION_CREDENTIALS",
        "GOOGLE_CLOUD_PROJECT",
    ],
    set: &[("DISABLE_AUTOUPDATER", "1"), ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")],
    sign_in: &[Place(CLAUDE, ".credentials.json")],
    set_up: &[Place(HOME, ".claude.json"), Place(CLAUDE, ".claude.json"), Place(CLAUDE, "settings.json")],
};

const CODEX_CLI: Row = Row {
    id: "codex",
    name: "Codex",
    command: "codex",
    subcommand: &["exec"],
    options: &[
        "--config",
        "--sandbox",
        "--ephemeral",
        "--ignore-user-config",
        "--ignore-rules",
        "--skip-git-repo-check",
        "--color",
        "--json",
        "--cd",
        "--output-last-message",
        "--output-schema",
        "--model",
    ],
    variables: &["CODEX_HOME", "CODEX_API_KEY", "CODEX_ACCESS_TOKEN", "OPENAI_*", "AZURE_OPENAI_*"],
    set: &[],
    sign_in: &[Place(CODEX, "auth.json")],
    set_up: &[],
};

const GEMINI_CLI: Row = Row {
    id: "gemini-cli",
    name: "Gemini CLI",
    command: "gemini",
    subcommand: &[],
    options: &[
        "--prompt",
        "--approval-mode",
        "--output-format",
        "--skip-trust",
        "--allowed-mcp-server-names",
        "--extensions",
        "--model",
    ],
    variables: &[
        "GEMINI_API_KEY",
        "GEMINI_MODEL",
        "GEMINI_CLI_SYSTEM_SETTINGS_PATH",
        "GEMINI_CLI_SYSTEM_DEFAULTS_PATH",
        "GOOGLE_API_KEY",
        "GOOGLE_GEMINI_BASE_URL",
        "GOOGLE_VERTEX_BASE_URL",
        "GOOGLE_GENAI_*",
        "GOOGLE_CLOUD_*",
        "GOOGLE_APPLICATION_CREDENTIALS",
    ],
    // It would start itself once more, for room that a review doesn't need.
    set: &[("GEMINI_CLI_NO_RELAUNCH", "true")],
    sign_in: &[
        Place(HOME, ".gemini/oauth_creds.json"),
        Place(HOME, ".gemini/gemini-credentials.json"),
        Place(HOME, ".gemini/google_accounts.json"),
    ],
    set_up: &[
        Place(HOME, ".gemini/settings.json"),
        Place(HOME, ".gemini/.env"),
        Place(HOME, ".gemini/installation_id"),
    ],
};

const OPEN_CODE: Row = Row {
    id: "opencode",
    name: "opencode",
    command: "opencode",
    subcommand: &["run"],
    options: &["--pure", "--agent", "--format", "--model"],
    variables: &[
        "OPENCODE_CONFIG",
        "OPENCODE_API_KEY",
        "OPENCODE_AUTH_CONTENT",
        "OPENCODE_DISABLE_MODELS_FETCH",
        "OPENCODE_MODELS_URL",
        "ANTHROPIC_API_KEY",
        "AWS_*",
        "AZURE_*",
        "CEREBRAS_API_KEY",
        "DEEPSEEK_API_KEY",
        "FIREWORKS_API_KEY",
        "GEMINI_API_KEY",
        "GITHUB_TOKEN",
        "GOOGLE_APPLICATION_CREDENTIALS",
        "GOOGLE_CLOUD_PROJECT",
        "GOOGLE_GENERATIVE_AI_API_KEY",
        "GROQ_API_KEY",
        "HF_TOKEN",
        "MISTRAL_API_KEY",
        "MOONSHOT_API_KEY",
        "OPENAI_API_KEY",
        "OPENROUTER_API_KEY",
        "TOGETHER_API_KEY",
        "VERTEX_LOCATION",
        "XAI_API_KEY",
        "ZHIPU_API_KEY",
    ],
    set: &[
        ("OPENCODE_DISABLE_AUTOUPDATE", "1"),
        // Its agent for plans may write plans, and start others.
        (
            "OPENCODE_PERMISSION",
            r#"{"*":"deny","read":"allow","grep":"allow","glob":"allow","list":"allow","external_directory":"deny"}"#,
        ),
    ],
    sign_in: &[Place(DATA, "opencode/auth.json")],
    set_up: &[
        Place(CONFIG, "opencode/opencode.json"),
        Place(CONFIG, "opencode/opencode.jsonc"),
        Place(CONFIG, "opencode/config.json"),
        Place(CACHE, "opencode/models.json"),
    ],
};

impl Program {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::ClaudeCode, Self::Codex, Self::GeminiCli, Self::OpenCode];

    pub(crate) const fn row(self) -> &'static Row {
        match self {
            Self::ClaudeCode => &CLAUDE_CODE,
            Self::Codex => &CODEX_CLI,
            Self::GeminiCli => &GEMINI_CLI,
            Self::OpenCode => &OPEN_CODE,
        }
    }

    /// Its name in settings and records, as `review-gate install` has it. It never changes.
    #[must_use]
    pub const fn id(self) -> &'static str {
        self.row().id
    }

    /// What people call it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.row().name
    }

    /// The one with this [`Program::id`].
    #[must_use]
    pub fn of_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|program| program.id() == id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_has_an_id_of_its_own() {
        for program in Program::ALL {
            assert_eq!(Program::of_id(program.id()), Some(program));
        }
        assert_eq!(Program::of_id("claude"), None, "what a person types is no id");
    }

    #[test]
    fn files_are_where_variables_say_and_else_below_the_person() {
        let person = Path::new(if cfg!(windows) { r"C:\me" } else { "/me" });
        let elsewhere = if cfg!(windows) { r"D:\codex" } else { "/elsewhere" };
        let auth = &CODEX_CLI.sign_in[0];
        assert_eq!(auth.path(person, &[]), person.join(".codex/auth.json"));
        let named = [(OsString::from("CODEX_HOME"), OsString::from(elsewhere))];
        assert_eq!(auth.path(person, &named), Path::new(elsewhere).join("auth.json"));
        let empty = [(OsString::from("CODEX_HOME"), OsString::new())];
        assert_eq!(auth.path(person, &empty), person.join(".codex/auth.json"), "an empty one names nothing");
    }
}
