//! `review-gate prompts`: what is served as prompts, whether the files are sound, and where they come from. Listing,
//! checking and showing need no gate.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, Subcommand};
use gate_api::subjects::prompts::{ImportPrompts, ListPrompts, PreviewPromptImport, SyncPrompts};
use gate_api::{PromptChange, PromptSyncStatus};
use gate_core::{
    Code, Fault, Prompt, PromptContent, PromptOrigin, PromptProblem, PromptRole, RenderedPrompt, Timestamp,
};
use gate_link::Home;
use gate_prompts::{Folders, Library, PromptSet};
use serde_json::json;

use crate::client::Client;
use crate::output::one_line;
use crate::{exit, output, settings};

/// Longest description on a line, in characters.
const LINE_CHARS: usize = 100;
/// How often it is asked whether the repository was fetched.
const POLL: Duration = Duration::from_millis(200);

#[derive(Debug, Args)]
#[command(
    after_help = "Prompts are files: YAML, Markdown or JSON in the folder prompts beside config.yaml, or in the folder that
prompts.folder names. Agents' clients show them as slash commands. docs/prompts.md says what stands in them. A team's
come from the repository that is named in the window's settings or on a signed-in page; where this home has never had a
window, by review-gate config set prompts.repository, too.

Exit codes: 0 done; 1 a file is broken (check); 2 wrong usage; 4 a fault, named on stderr.

Examples:
  review-gate prompts list
  review-gate prompts show code_review focus_areas=security,tests
  review-gate prompts check ~/team-prompts
  review-gate prompts sync"
)]
pub(crate) struct PromptsArguments {
    #[command(subcommand)]
    command: PromptsCommand,
}

#[derive(Debug, Subcommand)]
enum PromptsCommand {
    /// List the prompts that are served
    #[command(after_help = "Example:
  review-gate prompts list security --json | jq -r '.[].id'")]
    List {
        /// Only those with this in their id, title, category or description
        query: Option<String>,
        /// Print a JSON array
        #[arg(long)]
        json: bool,
    },
    /// Say what is wrong with prompts' files, with line and column
    #[command(after_help = "Example:
  review-gate prompts check . || exit 1        in the repository of a team's prompts")]
    Check {
        /// A folder; without one, the folders that are served
        folder: Option<PathBuf>,
        /// Print a JSON array
        #[arg(long)]
        json: bool,
    },
    /// Print what a prompt gives, or its file
    #[command(after_help = "Examples:
  review-gate prompts show code_review language=rust
  review-gate prompts show team/release --source")]
    Show {
        /// Its id
        id: String,
        /// Arguments, each as `name=value`
        arguments: Vec<String>,
        /// Print its file instead
        #[arg(long, conflicts_with = "arguments")]
        source: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Fetch the prompts from their repository now
    #[command(after_help = "Example:
  review-gate prompts sync --json | jq -r .commit")]
    Sync {
        /// Print JSON: how the synchronisation stands then
        #[arg(long)]
        json: bool,
    },
    /// Import prompts of mcp-feedback-enhanced, or a folder of slash commands
    #[command(after_help = "Prompts that are there already are left alone unless you name them.

Examples:
  review-gate prompts import ~/.claude/commands --dry-run
  review-gate prompts import prompts.json
  review-gate prompts import ~/.cursor/commands release")]
    Import {
        /// The file or folder
        path: PathBuf,
        /// The ids to take, also in the place of prompts that are there; without one, all that are new
        ids: Vec<String>,
        /// Only say what would be made
        #[arg(long)]
        dry_run: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

pub(crate) async fn run(home: &Home, arguments: PromptsArguments) -> Result<ExitCode, Fault> {
    match arguments.command {
        PromptsCommand::List { query, json } => list(&served(home), query.as_deref(), json)?,
        PromptsCommand::Check { folder, json } => return check(home, folder, json),
        PromptsCommand::Show { id, source: true, json, .. } => show_source(&served(home), &id, json)?,
        PromptsCommand::Show { id, arguments, json, .. } => show(&served(home), &id, &arguments, json)?,
        PromptsCommand::Sync { json } => sync(home, json).await?,
        PromptsCommand::Import { path, ids, dry_run, json } => import(home, &path, ids, dry_run, json).await?,
    }
    Ok(ExitCode::from(exit::DONE))
}

/// What a gate of this home serves, read from its folders.
fn served(home: &Home) -> Arc<PromptSet> {
    Library::open(gate_app::prompt_folders(home, &settings::of(home))).current()
}

fn list(set: &PromptSet, query: Option<&str>, json: bool) -> Result<(), Fault> {
    let query = query.map(str::to_lowercase);
    let fits = |prompt: &Prompt| {
        query.as_ref().is_none_or(|query| {
            [&prompt.id, &prompt.title, &prompt.category, &prompt.description]
                .into_iter()
                .any(|text| text.to_lowercase().contains(query))
        })
    };
    let list = &set.list;
    let prompts: Vec<_> = list.prompts.iter().filter(|prompt| fits(prompt)).map(|prompt| &**prompt).collect();
    if json {
        return output::json(&prompts);
    }
    if prompts.is_empty() {
        output::line("No prompt fits. `review-gate prompts list` shows all of them.");
    }
    for prompt in prompts {
        let what = if prompt.description.is_empty() { &prompt.title } else { &prompt.description };
        let (id, from) = (one_line(&prompt.id, LINE_CHARS), word(prompt.origin));
        output::line(&format!("{id:<28} {from:<9} {}", one_line(what, LINE_CHARS)));
    }
    let broken = set.problems().iter().filter(|problem| !problem.warning).count();
    if broken > 0 {
        output::error(&format!("{broken} files are broken; `review-gate prompts check` says where."));
    }
    Ok(())
}

fn word(origin: PromptOrigin) -> &'static str {
    match origin {
        PromptOrigin::BuiltIn => "built-in",
        PromptOrigin::Synced => "synced",
        PromptOrigin::Local => "yours",
    }
}

fn check(home: &Home, folder: Option<PathBuf>, json: bool) -> Result<ExitCode, Fault> {
    let set = match folder {
        None => served(home),
        Some(folder) => {
            let local = std::path::absolute(&folder).unwrap_or(folder);
            if !local.is_dir() {
                return Err(Fault::new(
                    Code::UnreadableFile,
                    format!("{} is no folder.", local.display()),
                    "Name the folder that holds the prompts' files.",
                ));
            }
            let set = Library::open(Folders { local, synced: None }).current();
            if let Some(fault) = &set.folder_fault {
                return Err(fault.clone());
            }
            set
        }
    };
    let problems = set.problems();
    let broken = problems.iter().filter(|problem| !problem.warning).count();
    if json {
        output::json(&problems)?;
    } else {
        for problem in problems {
            output::line(&on_a_line(problem));
        }
        let own = set.list.prompts.iter().filter(|prompt| prompt.origin != PromptOrigin::BuiltIn).count();
        output::line(&format!("{own} prompts are good, {broken} files are broken."));
    }
    Ok(ExitCode::from(if broken > 0 { exit::NOT_APPROVED } else { exit::DONE }))
}

/// A problem on a line, as compilers print theirs.
fn on_a_line(problem: &PromptProblem) -> String {
    let at = match (problem.line, problem.column) {
        (Some(line), Some(column)) => format!("{}:{line}:{column}", problem.file),
        (Some(line), None) => format!("{}:{line}", problem.file),
        _ => problem.file.clone(),
    };
    let kind = if problem.warning { "warning" } else { "error" };
    let kept = if problem.served && !problem.warning { " Its last good version is served." } else { "" };
    one_line(&format!("{at}: {kind}: {} {}{kept}", problem.message, problem.mend), 2000)
}

fn show_source(set: &PromptSet, id: &str, json: bool) -> Result<(), Fault> {
    let file = set.file(id).ok_or_else(|| unknown(id))?;
    if json {
        return output::json(&json!({ "id": id, "file": file.file, "origin": file.origin, "text": &*file.text }));
    }
    output::line(file.text.trim_end());
    Ok(())
}

fn show(set: &PromptSet, id: &str, arguments: &[String], json: bool) -> Result<(), Fault> {
    let mut given = BTreeMap::new();
    for argument in arguments {
        let (name, value) = argument.split_once('=').ok_or_else(|| {
            Fault::new(
                Code::InvalidInput,
                format!("`{argument}` is no argument."),
                "Write each as name=value, e.g. language=rust.",
            )
        })?;
        given.insert(name.to_owned(), value.to_owned());
    }
    if set.entry(id).is_none() {
        return Err(unknown(id));
    }
    let rendered = set.render(id, &given, today()).map_err(|fault| fault.fault)?;
    if json {
        return output::json(&rendered);
    }
    print(&rendered);
    Ok(())
}

fn print(rendered: &RenderedPrompt) {
    let several = rendered.messages.len() > 1;
    for message in &rendered.messages {
        if several {
            output::line(match message.role {
                PromptRole::User => "--- user",
                PromptRole::Assistant => "--- assistant",
            });
        }
        match &message.content {
            PromptContent::Text { text } => output::line(text.trim_end()),
            PromptContent::Resource { uri, text, .. } => {
                output::line(&format!("[{}]", one_line(uri, LINE_CHARS)));
                output::line(text.trim_end());
            }
        }
    }
}

fn today() -> Timestamp {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    Timestamp(i64::try_from(now.as_millis()).unwrap_or(i64::MAX))
}

fn unknown(id: &str) -> Fault {
    Fault::new(
        Code::UnknownPrompt,
        format!("No prompt has the id `{id}`."),
        "`review-gate prompts list` shows all of them.",
    )
}

async fn sync(home: &Home, json: bool) -> Result<(), Fault> {
    let mut client = Client::needed(home).await?;
    let mut state = client.ask(SyncPrompts {}).await?.sync;
    let began = state.tried_at;
    // It has begun when the state says so, and is done when it says so no longer.
    while state.status == PromptSyncStatus::Syncing || state.tried_at == began {
        tokio::time::sleep(POLL).await;
        state = client.ask(ListPrompts {}).await?.library.sync;
        if state.status == PromptSyncStatus::Off {
            break;
        }
    }
    if let Some(fault) = state.fault {
        return Err(fault);
    }
    if json {
        return output::json(&state);
    }
    let commit: String = state.commit.chars().take(10).collect();
    output::line(&format!(
        "{} prompts of {commit} are served: {}",
        state.prompts,
        one_line(&state.subject, LINE_CHARS)
    ));
    Ok(())
}

async fn import(home: &Home, path: &Path, ids: Vec<String>, dry_run: bool, json: bool) -> Result<(), Fault> {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned()).display().to_string();
    let mut client = Client::started(home).await?;
    let plan = client.ask(PreviewPromptImport { path: path.clone(), files: Vec::new() }).await?.import;
    if let Some(missing) = ids.iter().find(|id| plan.prompts.iter().all(|prompt| prompt.id != **id)) {
        return Err(Fault::new(
            Code::UnknownPrompt,
            format!("There is no `{missing}` to import."),
            "Leave the ids out with --dry-run to see which there are.",
        ));
    }
    let wanted = match ids.is_empty() {
        true => {
            let new = plan.prompts.iter().filter(|prompt| prompt.change == PromptChange::New);
            new.map(|prompt| prompt.id.clone()).collect()
        }
        false => ids,
    };
    let done = match dry_run {
        true => plan,
        false => client.ask(ImportPrompts { path, files: Vec::new(), ids: wanted.clone() }).await?.import,
    };
    if json {
        return output::json(&done);
    }
    for prompt in &done.prompts {
        let taken = wanted.contains(&prompt.id);
        let what = match (prompt.change, taken, dry_run) {
            (PromptChange::Same, ..) => "is there already as it is",
            (_, true, false) => "imported",
            (PromptChange::Changed, true, true) => "would be replaced",
            (PromptChange::Changed, false, _) => "is there already, left alone",
            (PromptChange::New | PromptChange::Gone, true, true) => "would be new",
            (PromptChange::New | PromptChange::Gone, false, _) => "left out",
        };
        output::line(&format!("{:<28} {what}", one_line(&prompt.id, LINE_CHARS)));
    }
    for problem in &done.problems {
        output::error(&on_a_line(problem));
    }
    Ok(())
}
