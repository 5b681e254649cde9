//! How long a client waits for a tool call, as data. From the clients' documentation and trackers
//! up to 2026-11; the gate answers `pending` shortly before a client would give up.

use std::time::Duration;

/// How a client reaches the gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transport {
    /// Standard input and output, through the relay.
    Stdio,
    /// Streamable HTTP.
    Http,
}

/// One row: which client, and after how many seconds it is told `pending`.
struct Row {
    /// A part of the normalised client name (lower case, letters and digits only).
    name: &'static str,
    stdio: u64,
    http: u64,
    /// Over HTTP when a progress token keeps the connection alive.
    http_with_progress: u64,
}

const HOURS_12: u64 = 12 * 60 * 60;

const ROWS: &[Row] = &[
    Row { name: "claudecode", stdio: HOURS_12, http: 270, http_with_progress: HOURS_12 },
    Row { name: "claudeai", stdio: 50, http: 50, http_with_progress: 50 },
    Row { name: "claudedesktop", stdio: 50, http: 50, http_with_progress: 50 },
    Row { name: "codex", stdio: 50, http: 50, http_with_progress: 50 },
    Row { name: "cursor", stdio: 280, http: 280, http_with_progress: 280 },
    Row { name: "visualstudiocode", stdio: 280, http: 280, http_with_progress: 280 },
    Row { name: "vscode", stdio: 280, http: 280, http_with_progress: 280 },
    Row { name: "jetbrains", stdio: 25, http: 25, http_with_progress: 25 },
    Row { name: "intellij", stdio: 25, http: 25, http_with_progress: 25 },
];

/// For clients that stand in no row: the TypeScript SDK's default of 60 s, less a margin.
const UNKNOWN_SECONDS: u64 = 50;

/// How long a call of the client called `client` may wait before it is answered `pending`.
///
/// `overrides` come from the settings and win over the table: pairs of a client name, matched in
/// the same way, and seconds.
#[must_use]
pub fn patience(client: &str, transport: Transport, progress: bool, overrides: &[(String, u64)]) -> Duration {
    let client = normalised(client);
    let chosen = overrides.iter().find(|(name, _)| {
        let name = normalised(name);
        !name.is_empty() && client.contains(&name)
    });
    if let Some((_, seconds)) = chosen {
        return Duration::from_secs(*seconds);
    }
    let seconds =
        ROWS.iter().find(|row| client.contains(row.name)).map_or(UNKNOWN_SECONDS, |row| match (transport, progress) {
            (Transport::Stdio, _) => row.stdio,
            (Transport::Http, false) => row.http,
            (Transport::Http, true) => row.http_with_progress,
        });
    Duration::from_secs(seconds)
}

/// A client's name as a person reads it: `claude-code` is shown as `Claude Code`.
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
        None if client.trim().is_empty() => "An agent".to_owned(),
        None => crate::ask::excerpt(client, 60),
    }
}

fn normalised(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(client: &str, transport: Transport, progress: bool) -> u64 {
        patience(client, transport, progress, &[]).as_secs()
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
    fn settings_win_over_the_table() {
        let mine = [("Codex".to_owned(), 290)];
        assert_eq!(patience("codex-mcp-client", Transport::Stdio, false, &mine).as_secs(), 290);
        let blank = [(String::new(), 1)];
        assert_eq!(patience("codex", Transport::Stdio, false, &blank).as_secs(), 50, "a blank name matches nobody");
    }
}
