//! `review-gate install` and `review-gate uninstall`: the gate in clients' configurations.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Subcommand};
use gate_api::subjects::connections::ListClients;
use gate_clients::{
    Client, Connector, Done, Folders, Options, Permission, Plan, RulesState, Scope, Start, State, Toolsets,
};
use gate_core::{Code, Fault};
use gate_link::Home;
use gate_texts::Texts;
use serde_json::{Value, json};

use crate::output::one_line;
use crate::{allowing, exit, hooks, output};

/// Longest sentence of a fault in a list, in characters.
const TEXT_CHARS: usize = 400;

#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Writes the entry that starts `review-gate mcp` into a client's configuration and leaves every other byte
as it is. The file from before is kept; `uninstall` gives it back. Done twice it changes nothing.

Many clients ask you before an agent may call a tool, and so before it may ask you. --allow gives that
permission beforehand, for this server's tools alone. Claude Code, Codex, Cline and Gemini CLI keep it
in a file; for each other one it says what there is to do. Claude Code, Gemini CLI and opencode are
allowed to read the files that you attach as well, and no others. Without --allow, what stands stays;
`uninstall` takes out what --allow wrote. At a terminal you are asked, and shown what it would write;
--no-allow, --dry-run and --json ask nothing.

With --permissions the agents of Claude Code, Codex and opencode ask you here whether they may run a command or change
a file: by a hook that runs `review-gate permit` where they would ask. Nothing is allowed by it but what you allow; where
no gate runs, or nobody answers in time, they ask in their own terminal. Codex asks you once whether to trust the
hook. `uninstall` takes it out, `uninstall --permissions` that alone.

With --toolset its agents are served what is named, and nothing else: `gate` is what they have by themselves, `broker`
the tools by which they propose changes and review those of others, `workflow` those by which a reviewer takes a pull
request through phases. What an entry asks for already stays without it.

Clients: cursor, claude-code, claude-desktop, vscode, codex, windsurf, continue, cline, zed, gemini,
jetbrains, goose, opencode. Without one: which are there, and which are connected. `git` is no client: hooks of the
repository here that verify what agents commit.

Exit codes: 0 done; 2 wrong usage; 4 a fault, named on stderr (other clients are done all the same).

Examples:
  review-gate install                        which clients there are
  review-gate install cursor codex --rules   connect two, and tell their agents when to ask
  review-gate install codex --allow          its agents ask without being confirmed each time
  review-gate install claude-code --permissions   they ask here whether they may run a command
  review-gate install codex --toolset gate --toolset broker   they review changes of other agents, and propose their own
  review-gate install --all --dry-run        what would be changed
  review-gate install claude-code --project  in this folder's project only
  review-gate install cursor --take-over     in the place of Review Gate V2
  review-gate install git                    hooks that verify what agents commit and push"
)]
pub(crate) struct InstallArguments {
    #[command(subcommand)]
    elsewhere: Option<InstallElsewhere>,
    #[command(flatten)]
    which: Which,
    /// Write the rules that tell agents when to ask, too
    #[arg(long)]
    rules: bool,
    /// Take the place of a Review Gate V2 entry, or of another server of our name
    #[arg(long)]
    take_over: bool,
    /// Let its agents call this server's tools, and read what you attach, without asking you before each call
    #[arg(long)]
    allow: bool,
    /// Don't, and don't ask at the terminal whether to; permission that is there stays
    #[arg(long, conflicts_with = "allow")]
    no_allow: bool,
    /// Have its agents ask here, too, whether they may run a command or change a file
    #[arg(long)]
    permissions: bool,
    /// What its agents are served; given again, several toolsets together
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    toolset: Vec<String>,
}

// What isn't a client. (A doc comment would take the place of the command's own.)
#[derive(Debug, Subcommand)]
enum InstallElsewhere {
    /// Write hooks of git into this repository that verify what agents commit and push
    Git(hooks::GitArguments),
}

#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Gives a client's files back as they were, or takes out our entry where somebody else has changed them
since. Files that are empty without us are deleted. Rules and hooks go, too; with --permissions, nothing but the hook.

Exit codes: 0 done, or there was nothing to do; 2 wrong usage; 4 a fault, named on stderr.

Examples:
  review-gate uninstall cursor
  review-gate uninstall --all --dry-run
  review-gate uninstall claude-code --permissions   it asks in its own terminal alone again
  review-gate uninstall git"
)]
pub(crate) struct UninstallArguments {
    #[command(subcommand)]
    elsewhere: Option<UninstallElsewhere>,
    #[command(flatten)]
    which: Which,
    /// Only that its agents ask here whether they may; the client stays connected
    #[arg(long)]
    permissions: bool,
}

// What isn't a client. (A doc comment would take the place of the command's own.)
#[derive(Debug, Subcommand)]
enum UninstallElsewhere {
    /// Take the hooks out of this repository, and put back what was there
    Git(hooks::OutOfGitArguments),
}

#[derive(Debug, Args)]
struct Which {
    /// The clients, e.g. cursor
    #[arg(value_name = "CLIENT")]
    clients: Vec<String>,
    /// All clients that are on this machine
    #[arg(long, conflicts_with = "clients")]
    all: bool,
    /// Only in this project; its folder, else the current one
    #[arg(long, value_name = "FOLDER", num_args = 0..=1, require_equals = true, default_missing_value = ".")]
    project: Option<PathBuf>,
    /// Show what would be changed, and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What is to be done with each client.
#[derive(Clone, Copy)]
enum Wish {
    Connect(Options),
    Disconnect,
    /// It stays connected, and asks in its own terminal alone whether it may.
    KeepQuestions,
}

pub(crate) async fn install(home: &Home, arguments: &InstallArguments) -> Result<ExitCode, Fault> {
    if let Some(InstallElsewhere::Git(git)) = &arguments.elsewhere {
        return hooks::install(home, git).await;
    }
    let options = Options {
        rules: arguments.rules,
        take_over: arguments.take_over,
        allow: arguments.allow,
        questions: arguments.permissions,
        toolsets: match arguments.toolset.is_empty() {
            true => None,
            false => Some(Toolsets::named(arguments.toolset.iter().map(String::as_str))?),
        },
    };
    let is_told = arguments.allow || arguments.no_allow || arguments.which.dry_run || arguments.which.json;
    let asks = !is_told && allowing::is_heard(home).await;
    run(home, &arguments.which, Wish::Connect(options), asks).await
}

pub(crate) async fn uninstall(home: &Home, arguments: &UninstallArguments) -> Result<ExitCode, Fault> {
    if let Some(UninstallElsewhere::Git(git)) = &arguments.elsewhere {
        return hooks::uninstall(git).await;
    }
    let wish = if arguments.permissions { Wish::KeepQuestions } else { Wish::Disconnect };
    run(home, &arguments.which, wish, false).await
}

/// `asks`: whether a person is asked for permission that they didn't speak of.
async fn run(home: &Home, which: &Which, wish: Wish, asks: bool) -> Result<ExitCode, Fault> {
    let folders = folders(which.project.as_deref())?;
    if which.clients.is_empty() && !which.all {
        // A client may be connected in the project that the person is in.
        let folders = match (&which.project, std::env::current_dir()) {
            (None, Ok(here)) => folders.with_project(&here),
            _ => folders,
        };
        list(&gate_clients::states(&folders), &folders, which.json)?;
        return Ok(ExitCode::from(exit::DONE));
    }
    let states = gate_clients::states(&folders);
    let clients = chosen(which, &states, wish)?;
    let program = gate_os::programs::this().map_err(|error| Fault::internal(error.to_string()))?;
    let program = gate_clients::stable_program(&program, &folders.path);
    let start = Start { program, home: home.single_folder().map(Path::to_owned) };
    let connector = Connector::new(folders, home.data_folder().to_owned(), start);
    let scope = if which.project.is_some() { Scope::Project } else { Scope::User };
    let wish = match wish {
        Wish::Connect(options) if asks => {
            let allow = allowing::is_given(&connector, &clients, scope, options)?;
            Wish::Connect(Options { allow, ..options })
        }
        told => told,
    };
    let mut reports = Vec::new();
    let (mut failed, mut said) = (false, false);
    for client in clients {
        // Of all, those that can't hand over their questions are connected all the same.
        let wish = match wish {
            Wish::Connect(options) if which.all => {
                Wish::Connect(Options { questions: options.questions && client.hands_over_questions(), ..options })
            }
            told => told,
        };
        match carry_out(&connector, client, scope, wish, which.dry_run) {
            // Of all, only those that were connected are worth a line.
            Ok((plan, _)) if which.all && !matches!(wish, Wish::Connect(_)) && !plan.is_any() => {}
            Ok((plan, done)) => {
                said = true;
                match which.json {
                    true => reports.push(report(&connector, &plan, &done, wish)),
                    false => say(&connector, &plan, &done, wish, which.dry_run),
                }
            }
            // With --all, a client that has no place for this isn't meant.
            Err(fault) if which.all && fault.code == Code::InvalidInput => {}
            Err(fault) => {
                failed = true;
                output::fault(&fault);
                reports.push(json!({ "client": client.id(), "fault": fault }));
            }
        }
    }
    if which.json {
        output::json(&reports)?;
    } else if !said && !failed {
        output::line("No client is connected; nothing changes.");
    }
    if !which.dry_run {
        // How long its clients wait now.
        crate::client::Client::tell(home, ListClients { project: None }).await;
    }
    Ok(ExitCode::from(if failed { exit::FAULT } else { exit::DONE }))
}

/// This user's folders, and the project's.
pub(crate) fn folders(project: Option<&Path>) -> Result<Folders, Fault> {
    let folders = Folders::of_process()?;
    let Some(project) = project else { return Ok(folders) };
    match std::fs::canonicalize(project) {
        Ok(folder) if folder.is_dir() => Ok(folders.with_project(&folder)),
        _ => Err(Fault::new(
            Code::InvalidInput,
            format!("{} is no folder.", project.display()),
            "Name the project's folder: `--project=FOLDER`.",
        )),
    }
}

fn chosen(which: &Which, states: &[State], wish: Wish) -> Result<Vec<Client>, Fault> {
    if !which.all {
        let mut clients = which.clients.iter().map(|name| Client::parse(name)).collect::<Result<Vec<_>, _>>()?;
        clients.dedup();
        return Ok(clients);
    }
    match wish {
        Wish::Disconnect | Wish::KeepQuestions => Ok(Client::ALL.to_vec()),
        Wish::Connect(_) => {
            let found: Vec<Client> = states.iter().filter(|state| state.found).map(|state| state.client).collect();
            let nobody = || {
                let mend = "Name the one that you use: `review-gate install cursor`.";
                Fault::new(Code::UnknownClient, "No client was found on this machine.", mend)
            };
            if found.is_empty() { Err(nobody()) } else { Ok(found) }
        }
    }
}

fn carry_out(
    connector: &Connector,
    client: Client,
    scope: Scope,
    wish: Wish,
    dry_run: bool,
) -> Result<(Plan, Done), Fault> {
    let plan = match wish {
        Wish::Connect(options) => connector.plan_connect(client, scope, options)?,
        Wish::Disconnect => connector.plan_disconnect(client, scope)?,
        Wish::KeepQuestions => connector.plan_without_questions(client, scope)?,
    };
    let done = if dry_run { Done::default() } else { connector.carry_out(&plan)? };
    Ok((plan, done))
}

fn report(connector: &Connector, plan: &Plan, done: &Done, wish: Wish) -> Value {
    let files = plan.changes.iter().map(|change| {
        json!({
            "path": change.path, "kind": change.kind, "changed": change.is_any(), "deleted": change.deletes(),
            "diff": change.diff(&change.path.display().to_string()),
        })
    });
    let folders = connector.folders();
    let remarks = plan.remarks.iter().map(|remark| remark.sentence(|path| folders.shown(path)));
    json!({
        "client": plan.client.id(), "scope": plan.scope, "connected": !matches!(wish, Wish::Disconnect),
        "changed": plan.is_any(), "files": files.collect::<Vec<_>>(), "backups": done.backups,
        "remarks": remarks.collect::<Vec<_>>(),
        "permission": permission(plan.client, wish),
        "questions": questions(plan.client, wish),
        "next": matches!(wish, Wish::Connect(_)).then(|| next_step(plan.client)),
    })
}

fn say(connector: &Connector, plan: &Plan, done: &Done, wish: Wish, dry_run: bool) {
    let folders = connector.folders();
    let title = plan.client.title();
    let changed = plan.is_any();
    let headline = match (wish, changed, dry_run) {
        (Wish::Connect(_), true, true) => "would be connected:",
        (Wish::Connect(_), true, false) => "connected.",
        (Wish::Connect(_), false, _) => "connected already; nothing changes.",
        (Wish::Disconnect, true, true) => "would be disconnected:",
        (Wish::Disconnect, true, false) => "disconnected.",
        (Wish::Disconnect, false, _) => "not connected; nothing changes.",
        (Wish::KeepQuestions, true, true) => "its permission questions would stay with it:",
        (Wish::KeepQuestions, true, false) => "its permission questions stay with it.",
        (Wish::KeepQuestions, false, _) => "its permission questions don't come here; nothing changes.",
    };
    output::line(&format!("{title}: {headline}"));
    for change in plan.changes.iter().filter(|change| change.is_any()) {
        let path = folders.shown(&change.path);
        if dry_run {
            output::line(change.diff(&path).trim_end());
        } else {
            output::line(&format!("  {} {path}", if change.deletes() { "deleted" } else { "wrote" }));
        }
    }
    for backup in done.backups.iter().filter(|_| matches!(wish, Wish::Connect(_))) {
        output::line(&format!("  the file from before: {}", folders.shown(backup)));
    }
    for remark in &plan.remarks {
        output::line(&format!("  {}", remark.sentence(|path| folders.shown(path))));
    }
    for step in [permission(plan.client, wish), questions(plan.client, wish)].into_iter().flatten() {
        output::line(&format!("  {step}"));
    }
    if let Wish::Connect(options) = wish
        && changed
        && !dry_run
    {
        output::line(&format!("  {}", next_step(plan.client)));
        if !options.rules {
            output::line("  With --rules its agents are told when to ask.");
        }
        let states = gate_clients::states(folders);
        if states.iter().any(|state| state.client == plan.client && state.permission == Permission::NotGiven) {
            output::line("  It may ask you first whenever its agents want to ask you: --allow spares you that.");
        }
    }
}

/// What the person has to do in a client once it is connected.
fn next_step(client: Client) -> String {
    Texts::english().say(&client.next_step())
}

/// What there is to say of permission that was asked for, where writing it isn't all.
fn permission(client: Client, wish: Wish) -> Option<String> {
    match wish {
        Wish::Connect(Options { allow: true, .. }) => client.allow_step().map(|step| Texts::english().say(&step)),
        Wish::Connect(_) | Wish::Disconnect | Wish::KeepQuestions => None,
    }
}

/// What there is to say of permission questions that are to come here.
fn questions(client: Client, wish: Wish) -> Option<String> {
    match wish {
        Wish::Connect(Options { questions: true, .. }) => {
            client.questions_step().map(|step| Texts::english().say(&step))
        }
        Wish::Connect(_) | Wish::Disconnect | Wish::KeepQuestions => None,
    }
}

fn list(states: &[State], folders: &Folders, json: bool) -> Result<(), Fault> {
    if json {
        let all = states.iter().map(|state| {
            let files = state.files.iter().map(|file| {
                json!({ "scope": file.scope, "path": file.path, "exists": file.exists, "connected": file.connected, "fault": file.fault })
            });
            json!({
                "client": state.client.id(), "title": state.client.title(), "found": state.found,
                "connected": state.connected, "folders": state.folders, "review_gate_v2": state.elsewhere,
                "rules": state.rules, "permission": state.permission,
                "permission_questions": state.questions.iter().map(|way| &way.file).collect::<Vec<_>>(),
                "toolsets": state.toolsets.map(|toolsets| toolsets.names().collect::<Vec<_>>()),
                "wait_seconds": state.wait_seconds, "files": files.collect::<Vec<_>>(),
            })
        });
        return output::json(&all.collect::<Vec<_>>());
    }
    for state in states {
        let how = match (state.connected, state.folders.is_empty(), state.found) {
            (true, _, _) => "connected",
            (false, false, _) => "in some folders only",
            (false, true, true) => "found",
            (false, true, false) => "-",
        };
        let rules = if state.rules == RulesState::Written { ", with rules" } else { "" };
        let allowed = if state.connected && state.permission == Permission::Given { ", allowed" } else { "" };
        let asks = if state.questions.is_empty() { "" } else { ", asks here" };
        let served = match state.toolsets {
            Some(toolsets) if toolsets != Toolsets::default() => {
                format!(", {}", toolsets.names().collect::<Vec<_>>().join(" and "))
            }
            Some(_) | None => String::new(),
        };
        let older = if state.elsewhere { ", Review Gate V2" } else { "" };
        let file = state.files.iter().find(|file| file.connected).or_else(|| state.files.first());
        let path = file.map_or(String::new(), |file| folders.shown(&file.path));
        output::line(&format!(
            "{:<15} {:<32} {path}",
            state.client.id(),
            format!("{how}{served}{rules}{allowed}{asks}{older}")
        ));
        for folder in state.folders.iter().filter(|_| !state.connected) {
            output::line(&format!("{:<15} {:<32} {}", "", "", folders.shown(folder)));
        }
        for fault in state.files.iter().filter_map(|file| file.fault.as_ref()) {
            output::line(&format!("{:<15} {}", "", one_line(&fault.message, TEXT_CHARS)));
        }
    }
    output::line("Connect one with `review-gate install CLIENT`, all that are found with `--all`.");
    Ok(())
}
