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
use crate::{shell, words};

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
        Err(fault) => return vec![CLIENTS.failed(&fault)],
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
        ([], true) => {
            Some(CLIENTS.warning(words::clients_none(), words::mend_clients_none()).command("review-gate install"))
        }
        ([first, ..], true) => {
            let found = CLIENTS.warning(words::clients_unconnected(titles), words::mend_connect());
            Some(found.command(install(first)))
        }
        ([first, ..], false) => Some(CLIENTS.note(words::clients_others(titles)).command(install(first))),
    }
}

/// A client that is connected in some folders and nowhere else, as its own command does by itself.
fn in_folders_only(state: &State) -> Finding {
    let folders = state.folders.iter().map(|folder| folder.display().to_string()).collect::<Vec<_>>().join(", ");
    let title = state.client.title();
    CLIENTS
        .note(words::clients_in_folders(title, folders))
        .mend(words::mend_connect_everywhere())
        .command(format!("review-gate install {}", state.client.id()))
}

/// What is wrong with a file, and what of it can be tried.
fn look(environment: &Environment, gate: &Gate, file: &Configured) -> (Vec<Finding>, Vec<Trial>) {
    let place = place(file);
    let shown = place.as_str();
    let entries = match &file.entries {
        Ok(entries) => entries,
        Err(fault) => {
            let found = fault_of(file, words::as_it_is(fault.message.as_str()));
            return (vec![found.mend(words::as_it_is(fault.mend.as_str()))], Vec::new());
        }
    };
    let (mut findings, mut trials) = (Vec::new(), Vec::new());
    let (old, ours): (Vec<&Entry>, Vec<&Entry>) = entries.iter().partition(|entry| entry.v2);
    if let Some(entry) = old.first() {
        let name = environment.privacy().foreign(&entry.name, []);
        findings.push(
            warning_of(file, words::entry_of_v2(shown, name))
                .mend(words::mend_take_over())
                .command(format!("{} --take-over", install(environment, file))),
        );
    }
    if let [others @ .., last] = ours.as_slice()
        && !others.is_empty()
    {
        let foreign = |name: &str| environment.privacy().foreign(name, []);
        let names: Vec<&str> = others.iter().map(|entry| entry.name.as_str()).collect();
        let cause = words::entry_again(shown, ours.len(), foreign(&names.join(", ")), foreign(&last.name));
        findings.push(warning_of(file, cause).mend(words::mend_leave_one()));
    }
    for entry in ours {
        let found = match (&entry.url, &entry.command) {
            (Some(url), _) => over_http(environment, gate, file, url),
            (None, Some(command)) => match program(environment, file, entry, command) {
                Some(wrong) => wrong,
                None => {
                    let (args, env) = (entry.args.clone(), entry.env.clone());
                    trials.push(Trial { command: command.clone(), args, env });
                    of(file, Level::Good, words::entry_good(shown, command.as_str()))
                }
            },
            (None, None) => fault_of(file, words::entry_empty(shown))
                .mend(words::mend_entry_empty())
                .command(install(environment, file)),
        };
        findings.push(found);
    }
    if file.time_out == TimeOut::NotRaised && !trials.is_empty() {
        let cause = words::entry_time_out(file.client.title(), shown);
        findings.push(warning_of(file, cause).mend(words::mend_time_out()).command(install(environment, file)));
    }
    findings.extend(asks_first(environment, file).filter(|_| !trials.is_empty()));
    (findings, trials)
}

/// A client that asks its user before each of our tools, or may: the question is then confirmed before it is seen.
fn asks_first(environment: &Environment, file: &Configured) -> Option<Finding> {
    // Permission isn't kept by folder.
    if file.folder.is_some() {
        return None;
    }
    match file.permission {
        Permission::Given | Permission::NotNeeded => None,
        Permission::NotGiven => Some(
            of(file, Level::Note, words::entry_asks_first(file.client.title()))
                .mend(words::mend_asks_first())
                .command(format!("{} --allow", install(environment, file))),
        ),
        Permission::ByHand => {
            let found = of(file, Level::Note, words::entry_may_ask(file.client.title()));
            Some(Finding { mend: file.client.allow_step().map(Phrase::new), ..found })
        }
    }
}

/// What is wrong with the command of an entry, if anything.
fn program(environment: &Environment, file: &Configured, entry: &Entry, command: &str) -> Option<Finding> {
    let place = place(file);
    let shown = place.as_str();
    let path = match command.contains('/') {
        true => PathBuf::from(command),
        false => match environment.on_path(command) {
            Some(path) => path,
            None => {
                let cause = words::entry_not_on_path(shown, command);
                return Some(fault_of(file, cause).mend(words::mend_entry_path()).command(install(environment, file)));
            }
        },
    };
    if !path.exists() {
        let cause = words::entry_missing(shown, command);
        return Some(fault_of(file, cause).mend(words::mend_entry_path()).command(install(environment, file)));
    }
    if !is_executable(&path) {
        let cause = words::entry_not_executable(shown, command);
        let chmod = format!("chmod +x {}", shell::word(&path, environment.user_folder()));
        return Some(fault_of(file, cause).mend(words::mend_executable()).command(chmod));
    }
    let is_ours = path.file_stem().is_some_and(|name| name == PROGRAM);
    if is_ours && entry.args.first().is_none_or(|first| first != MCP) {
        let cause = words::entry_no_server(shown, command);
        return Some(fault_of(file, cause).mend(words::mend_write_entry()).command(install(environment, file)));
    }
    other_home(environment, file, entry)
}

/// An entry that leads to the gate of another home is not tried: it would start that one.
fn other_home(environment: &Environment, file: &Configured, entry: &Entry) -> Option<Finding> {
    let theirs = entry.env.get(HOME).map(Path::new)?;
    let ours = environment.home.single_folder();
    (ours != Some(theirs)).then(|| {
        let cause = words::entry_other_home(place(file), theirs, environment.home.data_folder());
        warning_of(file, cause).mend(words::mend_entry_home()).command(install(environment, file))
    })
}

/// An entry over HTTP isn't tried: what it shows at the door is a secret.
fn over_http(environment: &Environment, gate: &Gate, file: &Configured, url: &str) -> Finding {
    let shown = environment.privacy().foreign(url.split(['?', '#']).next().unwrap_or_default(), []);
    let (place, served) = (place(file), gate.http());
    let path = place.as_str();
    let rest = |base: &str| {
        let local = url.replacen("://localhost:", "://127.0.0.1:", 1);
        local.strip_prefix(base).is_some_and(|rest| rest.starts_with("/mcp"))
    };
    match served {
        Some(base) if rest(base) => of(file, Level::Good, words::entry_url(path, shown)),
        Some(base) => fault_of(file, words::entry_url_elsewhere(path, shown, format!("{base}/mcp")))
            .mend(words::mend_entry_url())
            .command(install(environment, file)),
        None => of(file, Level::Note, words::entry_url_unserved(path, shown)),
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
        return tried.iter().map(|each| trial_of(each.file, Level::Skipped, words::trial_without_gate())).collect();
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
        None => trial_of(each.file, Level::Skipped, words::trial_too_many(TRIALS)),
    };
    tried.iter().map(found).collect()
}

fn went_well(environment: &Environment, file: &Configured, met: &Met) -> Finding {
    if met.version != environment.version {
        let version = environment.privacy().foreign(&met.version, []);
        return trial_of(file, Level::Warning, words::trial_other_version(version, environment.version))
            .mend(words::mend_trial_other_version())
            .command("review-gate stop");
    }
    let took_ms = u64::try_from(met.took.as_millis()).unwrap_or(u64::MAX);
    trial_of(file, Level::Good, words::trial_good(met.tools, took_ms))
}

fn went_wrong(environment: &Environment, each: &Tried<'_>, failure: &Failure) -> Finding {
    let (file, command) = (each.file, each.trial.command.as_str());
    let secrets = || each.trial.env.values().map(String::as_str);
    let said = |text: &str| environment.privacy().foreign(text, secrets());
    let cause = match failure {
        Failure::NoStart(error) => words::cant_start(command, error.as_str()),
        Failure::Silent(asked) => words::trial_silent(command, *asked, probe::LIMIT.as_secs()),
        Failure::Ended { asked, code, errors } => {
            let errors = Some(errors.trim()).filter(|errors| !errors.is_empty());
            words::trial_ended(command, *asked, code.map(|code| code.to_string()), errors.map(said))
        }
        Failure::NoMcp(line) => words::trial_no_mcp(command, said(line)),
        Failure::NoAnswer => words::trial_no_answer(command, probe::LINES),
        Failure::Refused { asked, words } => words::trial_refused(command, *asked, words.as_deref().map(said)),
        Failure::Another(name) => words::trial_another(command, said(name)),
        Failure::NoChat => words::trial_no_chat(command),
    };
    let found = trial_of(file, Level::Fault, cause);
    match failure {
        // The configuration is right; the gate isn't.
        Failure::Refused { .. } => found.mend(words::mend_trial_refused()).command("review-gate serve"),
        _ => found.mend(words::mend_write_entry()).command(install(environment, file)),
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
        Some(folder) => format!("{} ({})", file.path.display(), folder.display()),
        None => file.path.display().to_string(),
    }
}

fn fault_of(file: &Configured, cause: Phrase) -> Finding {
    of(file, Level::Fault, cause)
}

fn warning_of(file: &Configured, cause: Phrase) -> Finding {
    of(file, Level::Warning, cause)
}

/// Of a client's configuration.
fn of(file: &Configured, level: Level, cause: Phrase) -> Finding {
    about(CLIENT, file, level, cause)
}

/// Of trying what a client's configuration names.
fn trial_of(file: &Configured, level: Level, cause: Phrase) -> Finding {
    about(TRIAL, file, level, cause)
}

fn about(check: &str, file: &Configured, level: Level, cause: Phrase) -> Finding {
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
