//! `review-gate rules`: what tells a client's agents when to ask, and where the client reads it. Changes nothing.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use gate_clients::{Client, ClientRules, Folders, RulesState, Scope, rules_for};
use gate_core::Fault;
use serde_json::{Value, json};

use crate::{exit, install, output};

#[derive(Debug, Args)]
#[command(after_help = "Prints what `review-gate install CLIENT --rules` writes, and changes nothing. The text goes to
stdout; which file it belongs to is said on stderr, so that the text can be piped on. Without a client:
where each of them reads rules, and whether they are there.

Exit codes: 0 done; 2 wrong usage; 4 a fault, named on stderr.

Examples:
  review-gate rules                        where each client reads them
  review-gate rules codex                  what its agents are told, and in which file
  review-gate rules cursor --project       in this folder's project
  review-gate rules claude-desktop | xclip -selection clipboard   to paste them into its settings
  review-gate rules codex --json | jq -r .file")]
pub(crate) struct RulesArguments {
    /// The client, e.g. codex
    client: Option<String>,
    /// In this project; its folder, else the current one
    #[arg(long, value_name = "FOLDER", num_args = 0..=1, require_equals = true, default_missing_value = ".")]
    project: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &RulesArguments) -> Result<ExitCode, Fault> {
    let folders = install::folders(arguments.project.as_deref())?;
    let scope = if arguments.project.is_some() { Scope::Project } else { Scope::User };
    match &arguments.client {
        Some(name) => {
            let client = Client::parse(name)?;
            let rules = rules_for(client, scope, &folders);
            if arguments.json {
                output::json(&row(client, scope, &rules))?;
            } else {
                output::line(rules.text.trim_end());
                output::error(&where_to(client, &rules, arguments.project.as_deref(), &folders));
            }
        }
        None if arguments.json => {
            let rows = Client::ALL.map(|client| row(client, scope, &rules_for(client, scope, &folders)));
            output::json(&rows)?;
        }
        None => list(scope, &folders),
    }
    Ok(ExitCode::from(exit::DONE))
}

fn row(client: Client, scope: Scope, rules: &ClientRules) -> Value {
    json!({
        "client": client.id(), "title": client.title(), "scope": scope, "file": rules.file,
        "section": rules.section, "state": rules.state, "text": rules.text,
    })
}

fn list(scope: Scope, folders: &Folders) {
    for client in Client::ALL {
        let rules = rules_for(client, scope, folders);
        let state = match rules.state {
            RulesState::Written => "written",
            RulesState::Changed => "edited by hand",
            RulesState::None | RulesState::Unsupported => "-",
        };
        let place = match (&rules.file, scope) {
            (Some(file), _) => folders.shown(file),
            (None, Scope::User) => "pasted into its settings".to_owned(),
            (None, Scope::Project) => "none of a project".to_owned(),
        };
        output::line(&format!("{:<15} {state:<15} {place}", client.id()));
    }
    output::line("Print them with `review-gate rules CLIENT`, write them with `review-gate install CLIENT --rules`.");
}

/// Where the rules belong, and how they get there.
fn where_to(client: Client, rules: &ClientRules, project: Option<&Path>, folders: &Folders) -> String {
    let (id, title) = (client.id(), client.title());
    let Some(file) = &rules.file else {
        return match project {
            None => format!("{title} reads no rules for all projects from a file: paste these into its settings."),
            Some(_) => format!("{title} reads no rules of a project from a file: see `review-gate rules {id}`."),
        };
    };
    let flag = match project {
        None => String::new(),
        Some(folder) if folder == Path::new(".") => " --project".to_owned(),
        Some(folder) => format!(" --project={}", folder.display()),
    };
    let install = format!("`review-gate install {id} --rules{flag}`");
    let what = if rules.section { "a section of" } else { "all of" };
    let then = match rules.state {
        RulesState::Written => "where they stand already".to_owned(),
        RulesState::Changed if rules.section => format!("where others stand, which {install} replaces"),
        RulesState::Changed => format!("where others stand, which {install} replaces unless somebody has edited them"),
        RulesState::None | RulesState::Unsupported => format!("which {install} writes"),
    };
    format!("{title} reads these rules as {what} {}, {then}.", folders.shown(file))
}

#[cfg(test)]
mod tests {
    use gate_clients::Platform;

    use super::*;

    #[test]
    fn a_client_says_where_its_rules_belong_and_how_they_get_there() {
        let folders = Folders::below("/home/you", Platform::Linux).with_project(Path::new("/home/you/shop"));
        let said = |client, project: Option<&str>, state: Option<RulesState>| {
            let scope = if project.is_some() { Scope::Project } else { Scope::User };
            let rules = rules_for(client, scope, &folders);
            let state = state.unwrap_or(rules.state);
            where_to(client, &ClientRules { state, ..rules }, project.map(Path::new), &folders)
        };
        let agents = "Codex reads these rules as a section of ~/.codex/AGENTS.md";
        let own = "Claude Code reads these rules as all of ~/.claude/rules/review-gate.md";
        for (client, project, state, sentence) in [
            (Client::Codex, None, None, format!("{agents}, which `review-gate install codex --rules` writes.")),
            (Client::Codex, None, Some(RulesState::Written), format!("{agents}, where they stand already.")),
            (
                Client::Codex,
                None,
                Some(RulesState::Changed),
                format!("{agents}, where others stand, which `review-gate install codex --rules` replaces."),
            ),
            (
                Client::ClaudeCode,
                None,
                Some(RulesState::Changed),
                format!(
                    "{own}, where others stand, which `review-gate install claude-code --rules` replaces unless \
                     somebody has edited them."
                ),
            ),
            (
                Client::Cursor,
                Some("."),
                None,
                "Cursor reads these rules as all of ~/shop/.cursor/rules/review-gate.mdc, which `review-gate install \
                 cursor --rules --project` writes."
                    .to_owned(),
            ),
            (
                Client::Cursor,
                None,
                None,
                "Cursor reads no rules for all projects from a file: paste these into its settings.".to_owned(),
            ),
            (
                Client::Goose,
                Some("."),
                None,
                "Goose reads no rules of a project from a file: see `review-gate rules goose`.".to_owned(),
            ),
        ] {
            assert_eq!(said(client, project, state), sentence);
        }
    }
}
