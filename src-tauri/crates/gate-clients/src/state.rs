//! How each client is: whether it is there, connected, by which entries. Reads files, writes none.

use std::path::{Path, PathBuf};

use gate_core::Fault;
use serde_json::Value;

use crate::catalogue::{ASKS, Allow, Client, Format, Scope};
use crate::entry::{Entry, HOME, NAME, Start, entries, in_folders};
use crate::folders::Folders;
use crate::paths::{RulesFile, RulesKind};
use crate::plan::fault;
use crate::rules::{self, RulesState};
use crate::toolsets::Toolsets;
use crate::{files, merge, paths, questions};

/// What a client's configuration file that is there says, for everything that it holds for, or for one folder.
#[derive(Debug, Clone)]
pub struct Configured {
    /// Whose it is.
    pub client: Client,
    /// For whom it holds.
    pub scope: Scope,
    /// The file.
    pub path: PathBuf,
    /// The one folder that these entries of a user's file are for; absent for those of the whole scope.
    pub folder: Option<PathBuf>,
    /// What it says of Review Gates, ours and older ones; or why it can't be read.
    pub entries: Result<Vec<Entry>, Fault>,
    /// Whether our entry makes the client wait longer.
    pub time_out: TimeOut,
    /// Whether its agents may call our tools without asking the person before each call.
    pub permission: Permission,
}

/// Whether a client's agents may call our tools without asking the person before each call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Permission {
    /// They may.
    Given,
    /// The client asks the person first; the installer can change that.
    NotGiven,
    /// That can be changed in the client only, and not be seen from outside.
    ByHand,
    /// The client doesn't ask, unless the person has told it to.
    NotNeeded,
}

/// What an entry says of the client's time-out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeOut {
    /// It waits as long as it can be told to, or longer than the installer tells it.
    Raised,
    /// It could wait longer.
    NotRaised,
    /// The client can't be told.
    NoKey,
}

/// One of a client's files.
#[derive(Debug, Clone)]
pub struct FileState {
    /// For whom it holds.
    pub scope: Scope,
    /// The file.
    pub path: PathBuf,
    /// Whether it is there.
    pub exists: bool,
    /// Whether it has our entry.
    pub connected: bool,
    /// Why it can't be used.
    pub fault: Option<Fault>,
}

/// A client on this machine.
#[derive(Debug, Clone)]
pub struct State {
    /// Which.
    pub client: Client,
    /// Whether it is there.
    pub found: bool,
    /// Its files, those of the user first.
    pub files: Vec<FileState>,
    /// Whether one of them has our entry.
    pub connected: bool,
    /// The folders for which a user's file connects it by an entry of their own.
    pub folders: Vec<PathBuf>,
    /// Whether one of them has an entry of Review Gate V2.
    pub elsewhere: bool,
    /// How its rules are.
    pub rules: RulesState,
    /// For how many seconds a call may take, as our entry says.
    pub wait_seconds: Option<u64>,
    /// The toolsets that our entry asks for, the user's before the project's; absent where there is none, or it asks for
    /// something else.
    pub toolsets: Option<Toolsets>,
    /// Whether its agents may call our tools without asking the person before each call, wherever it is connected.
    pub permission: Permission,
    /// Where it stands that its permission questions come to the gate, the user's first.
    pub questions: Vec<QuestionsWay>,
}

/// A place where it stands that a client's permission questions come to the gate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuestionsWay {
    /// For whom it holds.
    pub scope: Scope,
    /// The file.
    pub file: PathBuf,
    /// The program that asks; absent where the client calls a tool.
    pub program: Option<PathBuf>,
    /// What is started to ask, where it is just what the installer writes; whatever else stands there may run anything.
    pub start: Option<Start>,
    /// The home whose gate is asked, where that is named.
    pub home: Option<PathBuf>,
    /// Whether the person has told the client to trust it; absent where the client doesn't ask that.
    pub trusted: Option<bool>,
}

/// What tells a client's agents when to ask, and where the client reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientRules {
    /// The file that the client reads them from; absent where it reads none from a file in this scope.
    pub file: Option<PathBuf>,
    /// Whether they are a section of a file that others write in as well; else they are the whole file.
    pub section: bool,
    /// The text of the file or of the section; without a file, the rules alone.
    pub text: String,
    /// How they are in the file.
    pub state: RulesState,
}

/// The configuration files that are there, of all clients, for this user and in the project of `folders`.
#[must_use]
pub fn configured(folders: &Folders) -> Vec<Configured> {
    let all = Client::ALL.into_iter().flat_map(|client| [(client, Scope::User), (client, Scope::Project)]);
    let files = all.flat_map(|(client, scope)| {
        paths::files(client, scope, folders).into_iter().map(move |path| (client, scope, path))
    });
    files.flat_map(|(client, scope, path)| look(client, scope, &path, folders)).collect()
}

/// How every client is.
#[must_use]
pub fn states(folders: &Folders) -> Vec<State> {
    let configured = configured(folders);
    Client::ALL.map(|client| state(client, folders, &configured)).into()
}

/// What tells a client's agents when to ask, as the installer writes it. Nothing is written.
#[must_use]
pub fn rules_for(client: Client, scope: Scope, folders: &Folders) -> ClientRules {
    match paths::rules(client, scope, folders) {
        Some(file) => ClientRules {
            section: file.kind == RulesKind::Section,
            text: rules::alone(file.kind),
            state: rules_in(&file),
            file: Some(file.file),
        },
        None => {
            let (section, text, state) = (false, rules::RULES.to_owned(), RulesState::Unsupported);
            ClientRules { file: None, section, text, state }
        }
    }
}

/// For how many seconds the clients wait that are connected for this user and can be told to.
#[must_use]
pub fn waits(folders: &Folders) -> Vec<(Client, u64)> {
    let of = |configured: Configured| {
        let entry = configured.entries.ok()?.into_iter().find(|entry| entry.name == NAME)?;
        Some((configured.client, entry.wait_seconds?))
    };
    configured(folders).into_iter().filter(|configured| configured.scope == Scope::User).filter_map(of).collect()
}

fn look(client: Client, scope: Scope, path: &Path, folders: &Folders) -> Vec<Configured> {
    let whole = match files::read(path, paths::bound(client, scope)) {
        Ok(None) => return Vec::new(),
        Ok(Some(bytes)) => read(client, path, &bytes),
        Err(fault) => Err(fault),
    };
    let of = |folder: Option<PathBuf>, entries: Result<Vec<Entry>, Fault>| {
        let own = entries.as_ref().ok().and_then(|entries| entries.iter().find(|entry| entry.name == NAME));
        let time_out = match (client.longest_wait(), own.and_then(|entry| entry.wait_seconds)) {
            (None, _) => TimeOut::NoKey,
            (Some(most), Some(seconds)) if seconds >= most => TimeOut::Raised,
            (Some(_), _) => TimeOut::NotRaised,
        };
        let permission = permission(client, scope, own, folders);
        Configured { client, scope, path: path.to_owned(), folder, entries, time_out, permission }
    };
    let in_folders = match (&whole, scope) {
        (Ok(whole), Scope::User) => in_folders(client, whole),
        _ => Vec::new(),
    };
    let mut all = vec![of(None, whole.map(|whole| entries(client, &whole)))];
    all.extend(in_folders.into_iter().map(|(folder, entry)| of(Some(folder), Ok(vec![entry]))));
    all
}

fn permission(client: Client, scope: Scope, own: Option<&Entry>, folders: &Folders) -> Permission {
    let given = match client.row().allow {
        Allow::Key(..) | Allow::Tools(_) => own.is_some_and(|entry| entry.allowed),
        Allow::Item { at, item, same } => {
            paths::allow_files(client, scope, folders).iter().any(|path| lists(path, at, item, same))
        }
        Allow::ByHand => return Permission::ByHand,
        Allow::NotNeeded => return Permission::NotNeeded,
    };
    if given { Permission::Given } else { Permission::NotGiven }
}

/// Whether a file lists our server; one that can't be read doesn't.
fn lists(path: &Path, at: &[&str], item: &str, same: &[&str]) -> bool {
    let bytes = files::read(path, gate_core::bounds::CLIENT_FILE_BYTES).ok().flatten();
    let whole = bytes.and_then(|bytes| merge::read(Format::Json, files::text(path, &bytes).ok()?).ok());
    whole.is_some_and(|whole| merge::lists(&whole, at, |each| each == item || same.contains(&each)))
}

fn read(client: Client, path: &Path, bytes: &[u8]) -> Result<Value, Fault> {
    let text = files::text(path, bytes)?;
    merge::read(client.row().format, text).map_err(|refusal| fault(path, &refusal))
}

fn state(client: Client, folders: &Folders, configured: &[Configured]) -> State {
    let own: Vec<&Configured> = configured.iter().filter(|found| found.client == client).collect();
    let whole: Vec<&Configured> = own.iter().copied().filter(|found| found.folder.is_none()).collect();
    let scopes = [Scope::User, Scope::Project];
    let files: Vec<FileState> = scopes
        .into_iter()
        .flat_map(|scope| paths::files(client, scope, folders).into_iter().map(move |path| (scope, path)))
        .map(|(scope, path)| {
            let found = whole.iter().find(|found| found.path == path && found.scope == scope);
            let entries = found.map(|found| &found.entries);
            FileState {
                scope,
                path,
                exists: found.is_some(),
                connected: matches!(entries, Some(Ok(entries)) if entries.iter().any(|entry| entry.name == NAME && !entry.v2)),
                fault: entries.and_then(|entries| entries.as_ref().err().cloned()),
            }
        })
        .collect();
    let entries = || whole.iter().filter_map(|found| found.entries.as_ref().ok()).flatten();
    State {
        client,
        found: paths::found(client, folders),
        connected: files.iter().any(|file| file.connected),
        folders: own.iter().filter_map(|found| found.folder.clone()).collect(),
        elsewhere: entries().any(|entry| entry.v2),
        rules: rules_of(client, folders),
        permission: {
            let names_us = |found: &&&Configured| {
                found.entries.as_ref().is_ok_and(|all| all.iter().any(|entry| entry.name == NAME))
            };
            let each: Vec<Permission> = whole.iter().filter(names_us).map(|found| found.permission).collect();
            match each.iter().find(|permission| **permission != Permission::Given).or(each.first()) {
                Some(permission) => *permission,
                None => permission(client, Scope::User, None, folders),
            }
        },
        questions: scopes.into_iter().flat_map(|scope| question_ways(client, scope, folders)).collect(),
        wait_seconds: entries().find(|entry| entry.name == NAME).and_then(|entry| entry.wait_seconds),
        toolsets: entries().find(|entry| entry.name == NAME).and_then(Entry::toolsets),
        files,
    }
}

/// Where a client's files of a scope say that its permission questions come to the gate. What can't be read says nothing.
fn question_ways(client: Client, scope: Scope, folders: &Folders) -> Vec<QuestionsWay> {
    let read_text = |path: &Path| {
        let bytes = files::read(path, gate_core::bounds::CLIENT_FILE_BYTES).ok().flatten()?;
        String::from_utf8(bytes).ok()
    };
    let way = |(file, format): (PathBuf, Format)| {
        let text = read_text(&file)?;
        if format == Format::Own {
            let program = questions::plugins_program(&text);
            let start = questions::start_of_plugin(&text);
            let home = questions::plugins_variables(&text).remove(HOME).map(PathBuf::from);
            let way = QuestionsWay { scope, file, program, start, home, trusted: None };
            return questions::is_plugin(&text).then_some(way);
        }
        let found = questions::find(client, ASKS, &merge::read(format, &text).ok()?)?;
        let trusted = (client == Client::Codex).then(|| {
            let place = format!("{}:permission_request:{}:{}", file.display(), found.group, found.hook);
            let trust = merge::read(Format::Toml, &read_text(&paths::trust_file(folders)).unwrap_or_default()).ok();
            trust.is_some_and(|trust| merge::get(&trust, &["hooks", "state", &place, "trusted_hash"]).is_some())
        });
        let command = found.command.as_deref();
        Some(QuestionsWay {
            scope,
            file,
            start: command.and_then(|command| questions::start_of_hook(client, command)),
            home: command.and_then(questions::home),
            program: found.program,
            trusted,
        })
    };
    paths::question_files(client, scope, folders).into_iter().filter_map(way).collect()
}

fn rules_of(client: Client, folders: &Folders) -> RulesState {
    let files = [Scope::User, Scope::Project].into_iter().filter_map(|scope| paths::rules(client, scope, folders));
    let states = files.map(|file| rules_in(&file));
    let rank = |state: &RulesState| match state {
        RulesState::Written => 3,
        RulesState::Changed => 2,
        RulesState::None => 1,
        RulesState::Unsupported => 0,
    };
    states.max_by_key(rank).unwrap_or(RulesState::Unsupported)
}

fn rules_in(file: &RulesFile) -> RulesState {
    let bytes = files::read(&file.file, gate_core::bounds::CLIENT_FILE_BYTES).ok().flatten();
    let text = bytes.as_deref().map(String::from_utf8_lossy);
    rules::state(file.kind, text.as_deref())
}
