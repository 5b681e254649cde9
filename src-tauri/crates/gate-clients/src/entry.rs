//! A client's entry for the gate: what is written, and what is read of one that is there.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use crate::catalogue::{Allow, Client, Format, WaitKey};
use crate::merge;
use crate::toolsets::Toolsets;

/// The name of our entry in every client.
pub const NAME: &str = "review-gate";

/// What clients start, and for which gate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Start {
    /// The program, by its absolute path ([`stable_program`]).
    pub program: PathBuf,
    /// The gate's home, where it isn't the platform's usual one: clients start the program without the variable
    /// that says so.
    pub home: Option<PathBuf>,
}

/// Where Claude Code's own file keeps what is for one folder alone: `claude mcp add` without `--scope user` writes
/// there. <https://code.claude.com/docs/en/mcp>
const FOLDERS: &str = "projects";

/// What takes such an entry out, in its folder.
pub const REMOVE_OF_FOLDER: &str = "claude mcp remove --scope local review-gate";

/// The variable that names the gate's home.
pub(crate) const HOME: &str = "REVIEW_GATE_HOME";

/// An entry of a client's configuration that starts or reaches a Review Gate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its name.
    pub name: String,
    /// The program that it starts; absent for one that is reached over HTTP.
    pub command: Option<String>,
    /// The program's arguments.
    pub args: Vec<String>,
    /// The variables that it gets.
    pub env: BTreeMap<String, String>,
    /// The address of one that is reached over HTTP.
    pub url: Option<String>,
    /// Whether it is one of Review Gate V2, the older program.
    pub v2: bool,
    /// For how many seconds a call may take, as the entry says.
    pub wait_seconds: Option<u64>,
    /// Whether the entry itself lets agents call the tools without asking the person before each call.
    pub allowed: bool,
}

impl Entry {
    /// The toolsets that it asks for; absent where it starts something else, or is reached over HTTP.
    #[must_use]
    pub fn toolsets(&self) -> Option<Toolsets> {
        self.starts_us().then(|| Toolsets::of_arguments(&self.args)).flatten()
    }

    /// Whether it starts exactly this, with whichever toolsets.
    pub(crate) fn is_of(&self, start: &Start) -> bool {
        let home = start.home.as_ref().map(|home| home.display().to_string());
        self.command.as_deref() == Some(&*start.program.to_string_lossy())
            && Toolsets::of_arguments(&self.args).is_some()
            && home.is_none_or(|home| self.env.get(HOME) == Some(&home))
    }

    /// Whether it starts a program of our name.
    pub(crate) fn starts_us(&self) -> bool {
        let name = self.command.as_deref().map(|command| command.rsplit(['/', '\\']).next().unwrap_or(command));
        name.is_some_and(|name| name.trim_end_matches(".exe") == NAME)
    }
}

/// Where the servers stand in this file. opencode 2 has them one group deeper than opencode 1, and reads both:
/// what a file uses already is used. <https://opencode.ai/v2/docs/mcp-servers>
pub(crate) fn servers(client: Client, whole: &Value) -> Vec<&'static str> {
    let mut at = client.row().at.to_vec();
    if client == Client::OpenCode && is_second_opencode(whole) {
        at.push("servers");
    }
    at
}

fn is_second_opencode(whole: &Value) -> bool {
    merge::get(whole, &["mcp", "servers"]).is_some_and(|servers| servers.is_object() && servers.get("type").is_none())
}

/// The entry as this client wants it.
pub(crate) fn wanted(client: Client, start: &Start, toolsets: Toolsets, whole: &Value) -> Map<String, Value> {
    let program = start.program.display().to_string();
    let args = toolsets.arguments();
    let command = Value::from(program.as_str());
    let mut entry = Map::new();
    let mut put = |key: &str, value: Value| {
        entry.insert(key.to_owned(), value);
    };
    match client {
        Client::ClaudeCode | Client::VsCode => {
            put("type", "stdio".into());
            put("command", command);
            put("args", args.into());
        }
        Client::OpenCode => {
            put("type", "local".into());
            put("command", [vec![program], args].concat().into());
        }
        Client::Goose => {
            put("enabled", true.into());
            put("type", "stdio".into());
            put("name", NAME.into());
            put("description", "Asks the person for review and decisions".into());
            put("cmd", command);
            put("args", args.into());
        }
        Client::Continue => {
            put("name", NAME.into());
            put("type", "stdio".into());
            put("command", command);
            put("args", args.into());
        }
        Client::Cursor
        | Client::ClaudeDesktop
        | Client::Codex
        | Client::Windsurf
        | Client::Cline
        | Client::Zed
        | Client::Gemini
        | Client::JetBrains => {
            put("command", command);
            put("args", args.into());
        }
    }
    if let Some(home) = &start.home {
        let key = match client {
            Client::Goose => "envs",
            Client::OpenCode => "environment",
            _ => "env",
        };
        put(key, json!({ HOME: home.display().to_string() }));
    }
    if let Some(wait) = client.row().wait {
        match client == Client::OpenCode && is_second_opencode(whole) {
            true => put(wait.key, json!({ "request": wait.value })),
            false => put(wait.key, wait.value.into()),
        }
    }
    entry
}

/// The whole file of a client that has one for each server.
pub(crate) fn own_file(client: Client, start: &Start, toolsets: Toolsets) -> String {
    let mut lines = String::from("name: Review Gate\nversion: 1.0.0\nschema: v1\nmcpServers:\n");
    for (index, (key, value)) in merge::ordered(&wanted(client, start, toolsets, &Value::Null)).into_iter().enumerate()
    {
        let lead = if index == 0 { "  - " } else { "    " };
        lines.push_str(&format!("{lead}{key}: {value}\n"));
    }
    lines
}

/// The entries in a file that have to do with a Review Gate, ours and older ones.
pub(crate) fn entries(client: Client, whole: &Value) -> Vec<Entry> {
    let servers = merge::get(whole, &servers(client, whole));
    let all: Vec<Entry> = match (client.row().format, servers) {
        (Format::Own, Some(Value::Array(servers))) => {
            servers.iter().filter_map(|server| Some(read(client, server.get("name")?.as_str()?, server))).collect()
        }
        (_, Some(Value::Object(servers))) => servers.iter().map(|(name, server)| read(client, name, server)).collect(),
        _ => Vec::new(),
    };
    all.into_iter().filter(|entry| entry.name == NAME || entry.v2 || entry.starts_us()).collect()
}

/// The entries of our name that a user's file has for one folder alone, with that folder. Clients keep what they know
/// of folders that are long gone; those count for nothing.
pub(crate) fn in_folders(client: Client, whole: &Value) -> Vec<(PathBuf, Entry)> {
    if client != Client::ClaudeCode {
        return Vec::new();
    }
    let folders = merge::get(whole, &[FOLDERS]).and_then(Value::as_object);
    let own = |(folder, of_folder): (&String, &Value)| {
        let entry = entries(client, of_folder).into_iter().find(|entry| entry.name == NAME && !entry.v2)?;
        Some((PathBuf::from(folder), entry)).filter(|(folder, _)| folder.is_dir())
    };
    folders.into_iter().flatten().filter_map(own).collect()
}

fn read(client: Client, name: &str, server: &Value) -> Entry {
    let text = |keys: &[&str]| keys.iter().find_map(|key| Some(server.get(*key)?.as_str()?.to_owned()));
    let list = |key: &str| -> Vec<String> {
        let elements = server.get(key).and_then(Value::as_array);
        elements.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let env = ["env", "envs", "environment"].iter().find_map(|key| server.get(*key)?.as_object());
    let env: BTreeMap<String, String> =
        env.into_iter().flatten().filter_map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned()))).collect();
    let mut whole_command = list("command").into_iter();
    let command = text(&["command", "cmd"]).or_else(|| whole_command.next());
    let args: Vec<String> = whole_command.chain(list("args")).collect();
    let plain: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
    let v2 = plain.eq_ignore_ascii_case("reviewgatev2")
        || command.iter().chain(&args).any(|part| part.contains("review_gate_v2_mcp"));
    let wait_seconds = client.row().wait.and_then(|wait| seconds(&wait, server));
    Entry {
        name: name.to_owned(),
        command,
        env,
        url: text(&["url", "httpUrl", "serverUrl", "uri"]),
        v2,
        wait_seconds,
        allowed: allowed(client, Toolsets::of_arguments(&args), server),
        args,
    }
}

fn allowed(client: Client, toolsets: Option<Toolsets>, server: &Value) -> bool {
    match client.row().allow {
        Allow::Key(key, value) => server.get(key) == Some(&value.json()),
        Allow::Tools(key) => {
            toolsets.unwrap_or_default().tools().all(|tool| merge::lists(server, &[key], |each| each == tool))
        }
        Allow::Item { .. } | Allow::ByHand | Allow::NotNeeded => false,
    }
}

fn seconds(wait: &WaitKey, server: &Value) -> Option<u64> {
    let value = server.get(wait.key)?;
    let number = value.as_u64().or_else(|| value.get("request")?.as_u64())?;
    Some((number / wait.per_second).min(wait.most_seconds))
}

/// The path by which clients start this program: the one in `PATH` where that is the same file, since it
/// outlives an update; else `program` itself.
#[must_use]
pub fn stable_program(program: &Path, path: &[PathBuf]) -> PathBuf {
    let Ok(real) = std::fs::canonicalize(program) else { return program.to_owned() };
    let Some(name) = program.file_name() else { return program.to_owned() };
    let named = path.iter().filter(|folder| folder.is_absolute()).map(|folder| folder.join(name));
    let same = named.into_iter().find(|file| std::fs::canonicalize(file).is_ok_and(|found| found == real));
    same.unwrap_or_else(|| program.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let several = Toolsets::named(["gate", "broker"]).unwrap();
        let all = Client::ALL.into_iter().flat_map(|client| [(client, Toolsets::default()), (client, several)]);
        for (client, toolsets) in all {
            let home = Some(PathBuf::from("/portable"));
            let start = Start { program: "/opt/Review Gate/review-gate".into(), home };
            let whole = match client.row().format {
                Format::Own => merge::read(Format::Own, &own_file(client, &start, toolsets)).unwrap(),
                _ => {
                    let entry = Value::Object(wanted(client, &start, toolsets, &Value::Null));
                    let servers = json!({ NAME: entry });
                    client.row().at.iter().rev().fold(servers, |inner, key| json!({ *key: inner }))
                }
            };
            let read = entries(client, &whole);
            assert_eq!(read.len(), 1, "{client:?}: {whole}");
            assert_eq!(read[0].command.as_deref(), Some("/opt/Review Gate/review-gate"), "{client:?}");
            assert_eq!(read[0].toolsets(), Some(toolsets), "{client:?}");
            assert!(read[0].is_of(&start), "{client:?}");
            let home = read[0].env.get(HOME).map(String::as_str);
            assert_eq!(home, Some("/portable"), "{client:?} comes to the same gate");
            assert_eq!(read[0].wait_seconds, client.longest_wait(), "{client:?} waits as long as it can");
            assert!(read[0].starts_us() && !read[0].v2, "{client:?}");
        }
    }

    #[test]
    fn the_older_program_is_known_by_its_name_and_by_its_script() {
        let whole = json!({ "mcpServers": {
            "review-gate-v2": { "command": "python" },
            "gate": { "command": "/x/venv/bin/python", "args": ["/x/review_gate_v2_mcp.py"] },
            "other": { "command": "python", "args": ["server.py"] },
        }});
        let names: Vec<String> = entries(Client::Cursor, &whole).into_iter().filter(|e| e.v2).map(|e| e.name).collect();
        assert_eq!(names, ["gate", "review-gate-v2"]);
    }
}
