//! What a client does with a tool call, as data: how long it waits, and what of the result reaches its model. From the
//! clients' documentation and trackers up to 2026-11, and from trials of the clients themselves (`docs/agents.md`); the
//! gate answers `pending` shortly before a client would give up.

use serde::{Deserialize, Serialize};
use std::time::Duration;

/// How a client reaches the gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Transport {
    /// Standard input and output, through the relay.
    Stdio,
    /// Streamable HTTP.
    Http,
}

impl Transport {
    /// The word for it in the record and in settings.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Stdio => "stdio",
            Self::Http => "http",
        }
    }
}

/// One row: which client, after how many seconds it is told `pending`, and what a result is for it.
struct Row {
    /// A part of the normalised client name (lower case, letters and digits only).
    name: &'static str,
    stdio: u64,
    http: u64,
    /// Over HTTP when a progress token keeps the connection alive.
    http_with_progress: u64,
    result: ResultForm,
}

/// The form in which a client is given the results of tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResultForm {
    /// Text, pictures and links, and what the text says as `structuredContent`: as MCP asks where a tool has an
    /// `outputSchema`. Some clients hand their model the structure in place of the text, so neither says less.
    Structured,
    /// Text, pictures and links alone, and no tool has an `outputSchema`: the client hands its model the structure in
    /// place of all of them, or never.
    ContentAlone,
}

const HOURS_12: u64 = 12 * 60 * 60;

use ResultForm::{ContentAlone, Structured};

const ROWS: &[Row] = &[
    Row { name: "claudecode", stdio: HOURS_12, http: 270, http_with_progress: HOURS_12, result: Structured },
    Row { name: "claudeai", stdio: 50, http: 50, http_with_progress: 50, result: Structured },
    Row { name: "claudedesktop", stdio: 50, http: 50, http_with_progress: 50, result: Structured },
    Row { name: "codex", stdio: 50, http: 50, http_with_progress: 50, result: ContentAlone },
    Row { name: "cursor", stdio: 280, http: 280, http_with_progress: 280, result: Structured },
    Row { name: "visualstudiocode", stdio: 280, http: 280, http_with_progress: 280, result: Structured },
    Row { name: "vscode", stdio: 280, http: 280, http_with_progress: 280, result: Structured },
    Row { name: "jetbrains", stdio: 25, http: 25, http_with_progress: 25, result: Structured },
    Row { name: "intellij", stdio: 25, http: 25, http_with_progress: 25, result: Structured },
    Row { name: "geminicli", stdio: 50, http: 50, http_with_progress: 50, result: ContentAlone },
    Row { name: "opencode", stdio: 50, http: 50, http_with_progress: 50, result: ContentAlone },
];

/// For clients that stand in no row: the TypeScript SDK's default of 60 s, less a margin.
const UNKNOWN_SECONDS: u64 = 50;

/// A waiting time from the settings, which wins over the table.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Override {
    /// A part of the client's name, matched as the table's names are.
    name: String,
    /// The version from which on it holds.
    from: Option<Vec<u64>>,
    /// Over stdio, in seconds.
    stdio: Option<u64>,
    /// Over HTTP, in seconds.
    http: Option<u64>,
    /// Whether the person chose it; else the client was connected so.
    chosen: bool,
}

impl Override {
    /// A waiting time in seconds for the clients that `pattern` names: a part of a name, or one with
    /// the version from which on it holds, as in `codex >= 0.60`. Absent when the pattern names
    /// nobody or its version can't be read.
    #[must_use]
    pub fn new(pattern: &str, stdio: Option<u64>, http: Option<u64>) -> Option<Self> {
        let (name, from) = match pattern.split_once(">=") {
            Some((name, version)) => (name, Some(version_of(version)?)),
            None => (pattern, None),
        };
        let name = normalised(name);
        (!name.is_empty()).then_some(Self { name, from, stdio, http, chosen: true })
    }

    /// A waiting time in seconds over stdio for a client that was connected to wait longer; the person's
    /// own win over it. Absent when the name names nobody.
    #[must_use]
    pub fn installed(name: &str, seconds: u64) -> Option<Self> {
        Some(Self { chosen: false, ..Self::new(name, Some(seconds), None)? })
    }

    /// The seconds for this client; absent where it is another one.
    fn seconds(&self, client: &Client<'_>) -> Option<u64> {
        if !normalised(client.name).contains(&self.name) {
            return None;
        }
        if let Some(from) = &self.from
            && version_of(client.version).is_none_or(|version| version < *from)
        {
            return None;
        }
        match client.transport {
            Transport::Stdio => self.stdio,
            Transport::Http => self.http,
        }
    }
}

/// The client that calls, and how.
#[derive(Debug, Clone, Copy)]
pub struct Client<'a> {
    /// Its own name.
    pub name: &'a str,
    /// Its own version.
    pub version: &'a str,
    /// How it came.
    pub transport: Transport,
    /// Whether it sent a progress token.
    pub progress: bool,
}

/// Whether what [`Override::new`] is given names this client and no other one: its own name, or one that the table knows
/// it by.
#[must_use]
pub fn is_named(client: &str, pattern: &str) -> bool {
    let name = normalised(pattern.split_once(">=").map_or(pattern, |(name, _)| name));
    let same_row = || row(&name).zip(row(client)).is_some_and(|(one, other)| one.name == other.name);
    !name.is_empty() && (name == normalised(client) || same_row())
}

/// How long a call of this client may wait before it is answered `pending`. Of several overrides
/// that fit, the person's own win, then the one with the newest version, then the one with the longest name.
#[must_use]
pub fn patience(client: &Client<'_>, overrides: &[Override]) -> Duration {
    let fitting = overrides.iter().filter_map(|each| Some((each, each.seconds(client)?)));
    if let Some((_, seconds)) = fitting.max_by_key(|(each, _)| (each.chosen, each.from.clone(), each.name.len())) {
        return Duration::from_secs(seconds);
    }
    let seconds = row(client.name).map_or(UNKNOWN_SECONDS, |row| match (client.transport, client.progress) {
        (Transport::Stdio, _) => row.stdio,
        (Transport::Http, false) => row.http,
        (Transport::Http, true) => row.http_with_progress,
    });
    Duration::from_secs(seconds)
}

/// The form of results for the client of this name; one that stands in no row is given all of it.
#[must_use]
pub fn result_form(client: &str) -> ResultForm {
    row(client).map_or(Structured, |row| row.result)
}

fn row(client: &str) -> Option<&'static Row> {
    let name = normalised(client);
    ROWS.iter().find(|row| name.contains(row.name))
}

/// A client's name as a person reads it: `claude-code` is shown as `Claude Code`. Empty for a client without a name:
/// each front end calls it in the language that it speaks.
#[must_use]
pub fn display_name(client: &str) -> String {
    let known = [
        ("claudecode", "Claude Code"),
        ("claudeai", "Claude Desktop"),
        ("codex", "Codex"),
        ("cursor", "Cursor"),
        ("visualstudiocode", "VS Code"),
        ("vscode", "VS Code"),
    ];
    let plain = normalised(client);
    match known.iter().find(|(name, _)| plain.contains(name)) {
        Some((_, shown)) => (*shown).to_owned(),
        None => crate::ask::excerpt(client, 60),
    }
}

/// The same where English is spoken, as in a terminal and in files.
#[must_use]
pub fn english_name(client: &str) -> String {
    match display_name(client) {
        none if none.is_empty() => "An agent".to_owned(),
        name => name,
    }
}

fn normalised(name: &str) -> String {
    // Each call looks at its client's name several times: with room for all of it from the start.
    let mut plain = String::with_capacity(name.len());
    plain.extend(name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase));
    plain
}

/// The numbers at the start of a version: `v1.20.3-beta` is 1, 20, 3.
fn version_of(text: &str) -> Option<Vec<u64>> {
    let text = text.trim().trim_start_matches(['v', 'V']);
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let numbers: Option<Vec<u64>> =
        text[..end].trim_end_matches('.').split('.').map(|part| part.parse().ok()).collect();
    numbers.filter(|numbers| !numbers.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(name: &str, transport: Transport, progress: bool) -> u64 {
        patience(&Client { name, version: "1.0", transport, progress }, &[]).as_secs()
    }

    fn with(name: &str, version: &str, transport: Transport, overrides: &[Option<Override>]) -> u64 {
        let overrides: Vec<Override> = overrides.iter().flatten().cloned().collect();
        patience(&Client { name, version, transport, progress: false }, &overrides).as_secs()
    }

    #[test]
    fn every_client_of_the_table_is_answered_before_it_gives_up() {
        use Transport::{Http, Stdio};
        assert_eq!(seconds("claude-code", Stdio, false), HOURS_12, "Claude Code waits over stdio");
        assert_eq!(seconds("claude-code", Http, false), 270, "over HTTP it gives up after 300 s of silence");
        assert_eq!(seconds("claude-code", Http, true), HOURS_12, "progress resets that");
        assert_eq!(seconds("claude-ai", Stdio, false), 50, "Claude Desktop gives up after 60 s");
        assert_eq!(seconds("codex-mcp-client", Stdio, true), 50, "older Codex gives up after 60 s");
        assert_eq!(seconds("cursor-vscode", Stdio, false), 280, "Cursor gives up after 5 min");
        assert_eq!(seconds("Visual Studio Code", Stdio, false), 280, "VS Code gives up after 5 min");
        assert_eq!(seconds("JetBrains-IU/2026.2", Stdio, false), 25, "JetBrains gives up after 30 s");
        assert_eq!(seconds("Cline", Stdio, false), 50, "Cline uses the SDK's default");
        assert_eq!(seconds("", Stdio, false), 50, "a client without a name gets the careful default");
    }

    #[test]
    fn a_client_without_a_name_is_called_by_those_who_show_it() {
        assert_eq!(["claude-code", "x", " \n"].map(display_name), ["Claude Code", "x", ""]);
        assert_eq!(["claude-code", "x", " \n"].map(english_name), ["Claude Code", "x", "An agent"]);
    }

    #[test]
    fn clients_that_would_drop_pictures_are_given_no_structure() {
        for name in ["codex-mcp-client", "gemini-cli-mcp-client-review-gate", "opencode"] {
            assert_eq!(result_form(name), ContentAlone, "{name}");
        }
        for name in ["", "claude-code", "cursor-vscode", "a program"] {
            assert_eq!(result_form(name), Structured, "{name:?}");
        }
    }

    #[test]
    fn settings_win_over_the_table() {
        use Transport::{Http, Stdio};
        let mine = [Override::new("Codex", Some(290), None)];
        assert_eq!(with("codex-mcp-client", "0.1", Stdio, &mine), 290);
        assert_eq!(with("codex-mcp-client", "0.1", Http, &mine), 50, "what it leaves out stays the table's");
        assert_eq!(Override::new(" >= 1", Some(1), None), None, "a blank name matches nobody");
        assert_eq!(Override::new("codex >= soon", Some(1), None), None, "a version is numbers");
    }

    #[test]
    fn a_pattern_that_fits_others_names_no_client() {
        for (pattern, is_own) in [
            ("codex-mcp-client", true),
            ("Codex", true),
            ("codex >= 0.60", true),
            ("code", false),
            ("cursor", false),
            ("c", false),
            ("", false),
        ] {
            assert_eq!(is_named("codex-mcp-client", pattern), is_own, "{pattern:?}");
        }
        assert!(is_named("mine", "Mine") && !is_named("mine", "min"), "one that the table doesn't know");
        assert!(!is_named("", ""), "nobody");
    }

    #[test]
    fn a_client_that_was_connected_to_wait_longer_does() {
        use Transport::{Http, Stdio};
        let installed = Override::installed("codex", 3590);
        assert_eq!(with("codex-mcp-client", "1", Stdio, std::slice::from_ref(&installed)), 3590);
        assert_eq!(with("codex-mcp-client", "1", Http, std::slice::from_ref(&installed)), 50, "its entry is of stdio");
        let mine = [Override::new("code", Some(100), None), installed];
        assert_eq!(with("codex-mcp-client", "1", Stdio, &mine), 100, "what the person says wins");
    }

    #[test]
    fn an_override_may_hold_from_a_version_on() {
        use Transport::Stdio;
        let mine = [Override::new("codex", Some(100), None), Override::new("codex >= 0.60", Some(290), None)];
        assert_eq!(with("codex", "0.59.9", Stdio, &mine), 100, "an older one");
        assert_eq!(with("codex", "0.60", Stdio, &mine), 290, "exactly that one");
        assert_eq!(with("codex", "v0.102.0-alpha.3", Stdio, &mine), 290, "a newer one, however it is written");
        assert_eq!(with("codex", "", Stdio, &mine), 100, "one that doesn't say");
    }
}
