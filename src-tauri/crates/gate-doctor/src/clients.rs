//! Each client's configuration: whether it names this program rightly, and, by trying, whether what it
//! names answers.

use std::path::{Path, PathBuf};

use gate_api::{Finding, Level, Phrase};
use gate_clients::{Client, Configured, Entry, Folders, Permission, REMOVE_OF_FOLDER, Scope, State, TimeOut};
use tokio::task::JoinSet;

use crate::environment::{Environment, is_executable};
use crate::finding::{CLIENTS, Mending as _, named};
use crate::gate::{self, Gate};
use crate::probe::{self, Failure, Met, Trial};
use crate::shell;

/// Commands that are tried at the same time.
const AT_ONCE: usize = 4;
/// Most different commands that are tried.
const TRIALS: usize = 16;
/// The variable that names another home.
const HOME: &str = "REVIEW_GATE_HOME";
/// The checks of a client's configuration, and of trying it.
pub(crate) const CLIENT: &str = "client";
pub(crate) const TRIAL: &str = "trial";
/// This program's name, as commands name it.
const PROGRAM: &str = "review-gate";
/// Its subcommand for clients.
const MCP: &str = "mcp";

/// An entry that can be tried, and the findings that tell how that went.
struct Tried<'a> {
    file: &'a Configured,
    trial: Trial,
}

pub(crate) async fn check(environment: &Environment, gate: &Gate, progress: &impl Fn(&str)) -> Vec<Finding> {
    let folders = match Folders::of_process() {
        Ok(folders) => folders,
        Err(fault) => return vec![CLIENTS.fault(fault.message, fault.mend)],
    };
    let folders = match std::env::current_dir() {
        Ok(project) => folders.with_project(&project),
        Err(_) => folders,
    };
    let configured = gate_clients::configured(&folders);
    let (mut findings, mut tried) = (Vec::new(), Vec::new());
    for file in &configured {
        let (found, trials) = look(environment, gate, file);
        findings.extend(found);
        tried.extend(trials.into_iter().map(|trial| Tried { file, trial }));
    }
    let (partly, missing): (Vec<State>, Vec<State>) = gate_clients::states(&folders)
        .into_iter()
        .filter(|state| state.found && !state.connected && !state.elsewhere)
        .partition(|state| !state.folders.is_empty());
    let missing: Vec<Client> = missing.into_iter().map(|state| state.client).collect();
    // One that can't be read may well name it.
    let named = configured.iter().any(|file| file.entries.as_ref().map_or(true, |entries| !entries.is_empty()));
    findings.extend(unconnected(&missing, !named));
    findings.extend(partly.iter().map(in_folders_only));
    findings.extend(trials(environment, gate, tried, progress).await);
    findings
}

/// What is there and could be connected.
fn unconnected(missing: &[Client], none_is: bool) -> Option<Finding> {
    let titles = missing.iter().map(|client| client.title()).collect::<Vec<_>>().join(", ");
    let install = |client: &Client| format!("review-gate install {}", client.id());
    match (missing, none_is) {
        ([], false) => None,
        ([], true) => Some(
            CLIENTS
                .warning(
                    "No client's configuration names Review Gate, and none of the clients that it knows is here.",
                    "Install an agent, or connect one by hand as the Connect page shows.",
                )
                .command("review-gate install"),
        ),
        ([first, ..], true) => Some(
            CLIENTS
                .warning(format!("No client's configuration names Review Gate. Here are: {titles}."), "Connect one.")
                .command(install(first)),
        ),
        ([first, ..], false) => {
            Some(CLIENTS.note(format!("Here, and not connected: {titles}.")).command(install(first)))
        }
    }
}

/// A client that is connected in some folders and nowhere else, as its own command does by itself.
fn in_folders_only(state: &State) -> Finding {
    let folders = state.folders.iter().map(|folder| folder.display().to_string()).collect::<Vec<_>>().join(", ");
    let title = state.client.title();
    CLIENTS
        .note(format!("{title} is connected in {folders} only: in other folders its agents can't ask you."))
        .mend("Connect it everywhere.")
        .command(format!("review-gate install {}", state.client.id()))
}

/// What is wrong with a file, and what of it can be tried.
fn look(environment: &Environment, gate: &Gate, file: &Configured) -> (Vec<Finding>, Vec<Trial>) {
    let shown = place(file);
    let entries = match &file.entries {
        Ok(entries) => entries,
        Err(fault) => return (vec![fault_of(file, &fault.message).mend(&fault.mend)], Vec::new()),
    };
    let (mut findings, mut trials) = (Vec::new(), Vec::new());
    let (old, ours): (Vec<&Entry>, Vec<&Entry>) = entries.iter().partition(|entry| entry.v2);
    if let Some(entry) = old.first() {
        let name = environment.privacy().foreign(&entry.name, []);
        findings.push(
            warning_of(file, format!("{shown} has an entry of Review Gate V2, {name}: agents would ask that one."))
                .mend("Let Review Gate take it over.")
                .command(format!("{} --take-over", install(environment, file))),
        );
    }
    if ours.len() > 1 {
        let names: Vec<&str> = ours.iter().map(|entry| entry.name.as_str()).collect();
        let names = environment.privacy().foreign(&names.join(" and "), []);
        findings.push(
            warning_of(
                file,
                format!("{shown} names Review Gate {} times: {names}. Agents see each tool as often.", ours.len()),
            )
            .mend("Leave one of them."),
        );
    }
    for entry in ours {
        let found = match (&entry.url, &entry.command) {
            (Some(url), _) => over_http(environment, gate, file, url),
            (None, Some(command)) => match program(environment, file, entry, command) {
                Some(wrong) => wrong,
                None => {
                    let (args, env) = (entry.args.clone(), entry.env.clone());
                    trials.push(Trial { command: command.clone(), args, env });
                    of(file, Level::Good, format!("{shown} starts {command}."))
                }
            },
            (None, None) => fault_of(file, format!("The entry in {shown} names neither a command nor a URL."))
                .mend("Write it anew.")
                .command(install(environment, file)),
        };
        findings.push(found);
    }
    if file.time_out == TimeOut::NotRaised && !trials.is_empty() {
        findings.push(
            warning_of(
                file,
                format!(
                    "{} gives up waiting for you after its usual time: {shown} sets no longer one.",
                    file.client.title()
                ),
            )
            .mend("Set it; the agent then asks less often whether you have answered.")
            .command(install(environment, file)),
        );
    }
    findings.extend(asks_first(environment, file).filter(|_| !trials.is_empty()));
    (findings, trials)
}

/// A client that asks its user before each of our tools: the question is then confirmed before it is seen.
fn asks_first(environment: &Environment, file: &Configured) -> Option<Finding> {
    // Permission isn't kept by folder.
    (file.permission == Permission::NotGiven && file.folder.is_none()).then(|| {
        let cause = format!(
            "{} may ask you before each call of the gate's tools: nothing allows them beforehand.",
            file.client.title()
        );
        of(file, Level::Note, cause)
            .mend("Let its agents ask you without that; it holds for this server alone.")
            .command(format!("{} --allow", install(environment, file)))
    })
}

/// What is wrong with the command of an entry, if anything.
fn program(environment: &Environment, file: &Configured, entry: &Entry, command: &str) -> Option<Finding> {
    let shown = place(file);
    let path = match command.contains('/') {
        true => PathBuf::from(command),
        false => match environment.on_path(command) {
            Some(path) => path,
            None => {
                let cause = format!("{shown} starts `{command}`, which no folder of PATH has.");
                return Some(
                    fault_of(file, cause).mend("Name this program by its path.").command(install(environment, file)),
                );
            }
        },
    };
    if !path.exists() {
        let cause = format!("{shown} starts {command}, which isn't there.");
        return Some(fault_of(file, cause).mend("Name this program by its path.").command(install(environment, file)));
    }
    if !is_executable(&path) {
        let cause = format!("{shown} starts {command}, which may not be started.");
        let chmod = format!("chmod +x {}", shell::word(&path, environment.user_folder()));
        return Some(fault_of(file, cause).mend("Make it executable.").command(chmod));
    }
    let is_ours = path.file_stem().is_some_and(|name| name == PROGRAM);
    if is_ours && entry.args.first().is_none_or(|first| first != MCP) {
        let cause = format!("{shown} starts {command} without `{MCP}` first, which is no MCP server.");
        return Some(fault_of(file, cause).mend("Write the entry anew.").command(install(environment, file)));
    }
    other_home(environment, file, entry)
}

/// An entry that leads to the gate of another home is not tried: it would start that one.
fn other_home(environment: &Environment, file: &Configured, entry: &Entry) -> Option<Finding> {
    let theirs = entry.env.get(HOME).map(Path::new)?;
    let ours = environment.home.single_folder();
    (ours != Some(theirs)).then(|| {
        let cause = format!(
            "{} sets {HOME} to {}, so its agents ask the gate of another home than this one, {}.",
            place(file),
            theirs.display(),
            environment.home.data_folder().display()
        );
        warning_of(file, cause).mend("Write the entry anew, or look at that home.").command(install(environment, file))
    })
}

/// An entry over HTTP isn't tried: what it shows at the door is a secret.
fn over_http(environment: &Environment, gate: &Gate, file: &Configured, url: &str) -> Finding {
    let shown = environment.privacy().foreign(url.split(['?', '#']).next().unwrap_or_default(), []);
    let (path, served) = (place(file), gate.http());
    let rest = |base: &str| {
        let local = url.replacen("://localhost:", "://127.0.0.1:", 1);
        local.strip_prefix(base).is_some_and(|rest| rest.starts_with("/mcp"))
    };
    match served {
        Some(base) if rest(base) => of(file, Level::Good, format!("{path} names {shown}, where the gate serves HTTP.")),
        Some(base) => fault_of(file, format!("{path} names {shown}, and the gate serves {base}/mcp."))
            .mend("Name the command instead of the address: it finds the gate wherever it is.")
            .command(install(environment, file)),
        None => of(file, Level::Note, format!("{path} names {shown}; no gate serves HTTP now.")),
    }
}

/// Tries the commands, each different one once, some at a time.
async fn trials(
    environment: &Environment,
    gate: &Gate,
    tried: Vec<Tried<'_>>,
    progress: &impl Fn(&str),
) -> Vec<Finding> {
    if matches!(gate, Gate::Silent | Gate::Locked | Gate::Unreachable(_)) {
        let why = "Not tried: the gate itself doesn't answer.";
        return tried.iter().map(|each| trial_of(each.file, Level::Skipped, why)).collect();
    }
    let mut different: Vec<Trial> = Vec::new();
    for Tried { trial, .. } in &tried {
        if !different.contains(trial) && different.len() < TRIALS {
            different.push(trial.clone());
        }
    }
    let (mut running, mut outcomes) = (JoinSet::new(), Vec::new());
    let mut waiting = different.iter().enumerate();
    loop {
        while running.len() < AT_ONCE
            && let Some((at, trial)) = waiting.next()
        {
            let trial = trial.clone();
            if let Some(each) = tried.iter().find(|each| each.trial == trial) {
                progress(&format!("what {} starts", each.file.client.title()));
            }
            running.spawn(async move { (at, probe::attempt(&trial).await) });
        }
        match running.join_next().await {
            Some(Ok(outcome)) => outcomes.push(outcome),
            // Nothing in it panics; one that did has no outcome and is told as not tried.
            Some(Err(_)) => {}
            None => break,
        }
    }
    if matches!(gate, Gate::None) && !different.is_empty() {
        gate::leave(&environment.home).await;
    }
    let outcome_of = |trial: &Trial| {
        let at = different.iter().position(|each| each == trial)?;
        outcomes.iter().find(|(number, _)| *number == at).map(|(_, outcome)| outcome)
    };
    let found = |each: &Tried<'_>| match outcome_of(&each.trial) {
        Some(Ok(met)) => went_well(environment, each.file, met),
        Some(Err(failure)) => went_wrong(environment, each, failure),
        None => trial_of(each.file, Level::Skipped, format!("Not tried: more than {TRIALS} different commands.")),
    };
    tried.iter().map(found).collect()
}

fn went_well(environment: &Environment, file: &Configured, met: &Met) -> Finding {
    let (tools, took) = (met.tools, met.took.as_millis());
    if met.version != environment.version {
        let version = environment.privacy().foreign(&met.version, []);
        let cause = format!("It answers, with version {version}; this program is version {}.", environment.version);
        return trial_of(file, Level::Warning, cause)
            .mend("Stop the older gate, or write the entry anew with this program.")
            .command("review-gate stop");
    }
    trial_of(
        file,
        Level::Good,
        format!("It was started and has answered: {tools} tools, to the record and back in {took} ms."),
    )
}

fn went_wrong(environment: &Environment, each: &Tried<'_>, failure: &Failure) -> Finding {
    let (file, command) = (each.file, &each.trial.command);
    let secrets = || each.trial.env.values().map(String::as_str);
    let said = |text: &str| environment.privacy().foreign(text, secrets());
    let cause = match failure {
        Failure::NoStart(error) => format!("{command} can't be started: {error}."),
        Failure::Silent(asked) => {
            format!("{command} was started and doesn't answer `{asked}` within {} s.", probe::LIMIT.as_secs())
        }
        Failure::Ended { asked, code, errors } => {
            let ended = code.map_or("it was killed".to_owned(), |code| format!("it ended with code {code}"));
            let words = match errors.trim() {
                "" => "It said nothing.".to_owned(),
                errors => format!("It said: {}", said(errors)),
            };
            format!("{command} was started and didn't answer `{asked}`: {ended}. {words}")
        }
        Failure::NoMcp(line) => format!("{command} was started and doesn't speak MCP. It said: {}", said(line)),
        Failure::Refused { asked, words } => format!("{command} was started and refuses `{asked}`: {}", said(words)),
        Failure::Another(name) => format!("{command} is the server of another program, {}.", said(name)),
        Failure::NoChat => format!("{command} has no tool that asks you, review_gate_chat."),
    };
    let found = trial_of(file, Level::Fault, cause);
    match failure {
        // The configuration is right; the gate isn't.
        Failure::Refused { .. } => {
            found.mend("Start the gate in a terminal to see what it lacks.").command("review-gate serve")
        }
        _ => found.mend("Write the entry anew.").command(install(environment, file)),
    }
}

/// What connects this client in this scope. An entry for one folder alone is the client's own, and makes room for one
/// that holds everywhere.
fn install(environment: &Environment, file: &Configured) -> String {
    let project = if file.scope == Scope::Project { " --project" } else { "" };
    let install = format!("review-gate install {}{project}", file.client.id());
    match &file.folder {
        Some(folder) => {
            let folder = shell::word(folder, environment.user_folder());
            format!("cd {folder} && {REMOVE_OF_FOLDER}; {install}")
        }
        None => install,
    }
}

/// Where an entry stands.
fn place(file: &Configured) -> String {
    match &file.folder {
        Some(folder) => format!("{} (for {} alone)", file.path.display(), folder.display()),
        None => file.path.display().to_string(),
    }
}

fn fault_of(file: &Configured, cause: impl Into<String>) -> Finding {
    of(file, Level::Fault, cause)
}

fn warning_of(file: &Configured, cause: impl Into<String>) -> Finding {
    of(file, Level::Warning, cause)
}

/// Of a client's configuration.
fn of(file: &Configured, level: Level, cause: impl Into<String>) -> Finding {
    about(CLIENT, file, level, cause)
}

/// Of trying what a client's configuration names.
fn trial_of(file: &Configured, level: Level, cause: impl Into<String>) -> Finding {
    about(TRIAL, file, level, cause)
}

fn about(check: &str, file: &Configured, level: Level, cause: impl Into<String>) -> Finding {
    named(format!("{check}.{}", file.client.id()), title(check, file.client, file.scope), level, cause)
}

/// What a check of a client is called.
pub(crate) fn title(check: &str, client: Client, scope: Scope) -> Phrase {
    let of_scope = match scope {
        Scope::User => "",
        Scope::Project => "-project",
    };
    Phrase::new(format!("check-{check}{of_scope}")).with("client", client.title())
}
