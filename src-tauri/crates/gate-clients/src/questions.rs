//! How a client's files say that it hands its questions whether an agent may do something to the gate: by a hook that runs
//! `review-gate permit`, or by a file of ours that starts it (docs/permissions.md). What is written, and how it is known
//! again.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::catalogue::{ASKS, Client, HOOK_SECONDS, HOOKS, Questions, SIGN_SECONDS};
use crate::entry::{HOME, NAME, Start};
use crate::merge;

/// The command that hooks run.
const PERMIT: &str = "permit";
/// The tool that hooks written by hand may call in its place.
const TOOL: &str = "review_gate_permission";
/// The file of a client that loads one of ours; `PROGRAM` and `ENVIRONMENT` are filled in.
const PLUGIN: &str = include_str!("opencode.js");
/// What that file begins with: who wrote it, and how it goes.
const MARK: &str = "// Written by `review-gate install opencode --permissions`";

/// The events that hooks of ours stand at, that of the question first; none where the client runs no hooks.
pub(crate) fn events(client: Client) -> Vec<&'static str> {
    let Questions::Hook { signs, .. } = client.row().questions else { return Vec::new() };
    std::iter::once(ASKS).chain(signs.iter().map(|(event, _)| *event)).collect()
}

/// The group of our hook at an event, as it is written.
pub(crate) fn group(client: Client, event: &str, start: &Start) -> Option<Value> {
    let Questions::Hook { matcher, says, signs } = client.row().questions else { return None };
    let command = command(client, start);
    if let Some((_, matcher)) = signs.iter().find(|(sign, _)| *sign == event) {
        let hook = json!({ "type": "command", "command": command, "timeout": SIGN_SECONDS });
        return Some(json!({ "matcher": matcher, "hooks": [hook] }));
    }
    let mut hook = json!({ "type": "command", "command": command, "timeout": HOOK_SECONDS });
    if let (Some(says), Some(hook)) = (says, hook.as_object_mut()) {
        hook.insert("statusMessage".to_owned(), says.into());
    }
    Some(json!({ "matcher": matcher, "hooks": [hook] }))
}

/// What a hook runs, as a shell reads it.
pub(crate) fn command(client: Client, start: &Start) -> String {
    let home = start.home.as_ref().map(|home| format!("env {HOME}={} ", word(&home.display().to_string())));
    let program = word(&start.program.display().to_string());
    format!("{}{program} {PERMIT} {}", home.unwrap_or_default(), client.id())
}

/// The file of ours that a client loads.
pub(crate) fn plugin(start: &Start) -> String {
    let program = Value::from(start.program.display().to_string());
    let environment = match &start.home {
        Some(home) => json!({ HOME: home.display().to_string() }),
        None => json!({}),
    };
    PLUGIN.replacen("\"PROGRAM\"", &program.to_string(), 1).replacen("\"ENVIRONMENT\"", &environment.to_string(), 1)
}

/// Whether a file is one of ours.
pub(crate) fn is_plugin(text: &str) -> bool {
    text.trim_start_matches('\u{feff}').starts_with(MARK)
}

/// The program that a file of ours starts.
pub(crate) fn plugins_program(text: &str) -> Option<PathBuf> {
    let line = text.lines().find_map(|line| line.strip_prefix("const PROGRAM = "))?;
    serde_json::from_str::<String>(line).ok().map(PathBuf::from)
}

/// The variables that a file of ours gives its program beside the client's own.
pub(crate) fn plugins_variables(text: &str) -> BTreeMap<String, String> {
    let line = text.lines().find_map(|line| line.strip_prefix("const ENVIRONMENT = "));
    line.and_then(|line| serde_json::from_str(line).ok()).unwrap_or_default()
}

/// What a hook's command starts, where it is to the letter what is written for that: of any other one only a shell knows what
/// it would run.
pub(crate) fn start_of_hook(client: Client, text: &str) -> Option<Start> {
    let words = words(text);
    let [.., program, _, _] = words.as_slice() else { return None };
    let start = Start { program: program.into(), home: home(text) };
    (command(client, &start) == text).then_some(start)
}

/// What a file of ours starts, where it is to the letter what is written for that.
pub(crate) fn start_of_plugin(text: &str) -> Option<Start> {
    let home = plugins_variables(text).remove(HOME).map(PathBuf::from);
    let start = Start { program: plugins_program(text)?, home };
    (plugin(&start) == text).then_some(start)
}

/// The home that a hook's command names, whose gate is asked.
pub(crate) fn home(command: &str) -> Option<PathBuf> {
    let words = words(command);
    words.iter().find_map(|word| word.strip_prefix(HOME)?.strip_prefix('=')).map(PathBuf::from)
}

/// A hook of ours in a client's file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Found {
    /// Which group it is in.
    pub(crate) group: usize,
    /// Which hook of the group.
    pub(crate) hook: usize,
    /// The program that it runs, where it runs one.
    pub(crate) program: Option<PathBuf>,
    /// The command that it is, where it runs one.
    pub(crate) command: Option<String>,
}

/// The first hook of ours at an event in a client's file.
pub(crate) fn find(client: Client, event: &str, whole: &Value) -> Option<Found> {
    let groups = merge::get(whole, &[HOOKS, event])?.as_array()?;
    groups.iter().enumerate().find_map(|(group, it)| {
        let hooks = it.get("hooks")?.as_array()?;
        let (hook, it, program) = hooks.iter().enumerate().find_map(|(at, it)| Some((at, it, ours(client, it)?)))?;
        let command = program.as_ref().and_then(|_| it.get("command")?.as_str()).map(str::to_owned);
        Some(Found { group, hook, program, command })
    })
}

/// The program that a hook of ours runs, absent inside where it calls our tool; absent where it is somebody else's.
pub(crate) fn ours(client: Client, hook: &Value) -> Option<Option<PathBuf>> {
    let text = |key: &str| hook.get(key).and_then(Value::as_str);
    if text("server") == Some(NAME) && text("tool") == Some(TOOL) {
        return Some(None);
    }
    let words = words(text("command")?);
    let [before @ .., program, command, of] = words.as_slice() else { return None };
    let is_alone = before.iter().enumerate().all(|(at, word)| word.contains('=') || (at == 0 && word == "env"));
    let program = PathBuf::from(program);
    let is_us = program.file_stem().is_some_and(|name| name == NAME);
    (is_alone && is_us && command == PERMIT && Client::parse(of) == Ok(client)).then_some(Some(program))
}

/// A word for a shell: as it is where nothing in it means anything there.
fn word(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+:@%".contains(c);
    match !text.is_empty() && text.chars().all(plain) {
        true => text.to_owned(),
        false => format!("'{}'", text.replace('\'', "'\\''")),
    }
}

/// The words of a command, as a shell reads them where nothing is expanded.
fn words(command: &str) -> Vec<String> {
    let (mut words, mut word, mut within) = (Vec::new(), None::<String>, None);
    let mut rest = command.chars();
    while let Some(c) = rest.next() {
        match (within, c) {
            (Some(quote), c) if c == quote => within = None,
            (None, '\'' | '"') => {
                within = Some(c);
                word.get_or_insert_default();
            }
            (None | Some('"'), '\\') => word.get_or_insert_default().extend(rest.next()),
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_hook_runs_is_known_again_however_its_path_is_written() {
        for program in ["/usr/bin/review-gate", "/opt/review gate/it's/review-gate", "/opt/Zoë/$HOME/review-gate"] {
            for home in [None, Some(PathBuf::from("/mnt/my stick"))] {
                let start = Start { program: program.into(), home };
                let hook = json!({ "type": "command", "command": command(Client::Codex, &start) });
                assert_eq!(ours(Client::Codex, &hook), Some(Some(program.into())), "{hook}");
                assert_eq!(ours(Client::ClaudeCode, &hook), None, "it asks for another client");
                let command = command(Client::Codex, &start);
                assert_eq!(super::home(&command), start.home, "{command}");
                assert_eq!(start_of_hook(Client::Codex, &command), Some(start), "{command}");
            }
        }
        let tool = json!({ "type": "mcp_tool", "server": "review-gate", "tool": "review_gate_permission" });
        assert_eq!(ours(Client::ClaudeCode, &tool), Some(None), "as a person may have written it by hand");
        for command in ["review-gate mcp", "echo review-gate permit codex", "permit codex", "", "'", "rm -rf \\"] {
            assert_eq!(ours(Client::Codex, &json!({ "command": command })), None, "{command:?} is somebody else's");
        }
    }

    #[test]
    fn only_what_is_written_is_known_to_start_the_program_and_nothing_else() {
        for command in [
            "X=$(evil${IFS}x) review-gate permit codex",
            "X=`evil` /usr/bin/review-gate permit codex",
            "env X=1 /usr/bin/review-gate permit codex",
            "env REVIEW_GATE_HOME=$(evil) /usr/bin/review-gate permit codex",
            "env REVIEW_GATE_HOME=/a REVIEW_GATE_HOME=/b /usr/bin/review-gate permit codex",
            "LD_PRELOAD=/tmp/evil.so /usr/bin/review-gate permit codex",
            "$(evil)/review-gate permit codex",
            "\"$(evil)/review-gate\" permit codex",
            "~/review-gate permit codex",
            "/usr/bin/review-gate  permit codex",
            "/usr/bin/review-gate permit codex\n",
            "/usr/bin/review-gate permit claude-code",
        ] {
            assert_eq!(start_of_hook(Client::Codex, command), None, "a shell may make something else of {command:?}");
        }
        let start = Start { program: "/usr/bin/review-gate".into(), home: None };
        let text = plugin(&start);
        assert_eq!(start_of_plugin(&text), Some(start), "as it is written");
        for other in [
            text.replace("ENVIRONMENT = {}", "ENVIRONMENT = {\"LD_PRELOAD\":\"/tmp/evil.so\"}"),
            text.replace("\"permit\", ", "\"permit\", \"acp\", "),
            format!("{text}evil()\n"),
        ] {
            assert_eq!(start_of_plugin(&other), None, "it starts something else: {other}");
        }
    }

    #[test]
    fn the_file_that_is_loaded_names_the_program_and_nothing_is_left_to_fill_in() {
        let start = Start { program: "/opt/re\"view\\ gate/review-gate".into(), home: Some("/mnt/stick".into()) };
        let text = plugin(&start);
        assert!(is_plugin(&text), "it says who wrote it");
        assert_eq!(plugins_program(&text), Some(start.program.clone()), "{text}");
        assert!(text.contains("const ENVIRONMENT = {\"REVIEW_GATE_HOME\":\"/mnt/stick\"}"), "{text}");
        let variables = BTreeMap::from([("REVIEW_GATE_HOME".to_owned(), "/mnt/stick".to_owned())]);
        assert_eq!(plugins_variables(&text), variables);
    }
}
