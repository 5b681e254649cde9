//! What connecting or disconnecting a client will change. Reads files, writes none.

mod allow;
mod disconnect;
mod questions;
mod reading;

use std::path::{Path, PathBuf};

use gate_core::bounds::CLIENT_FILE_BYTES;
use gate_core::{Code, Fault};
use serde_json::{Map, Value};
use similar::TextDiff;

use crate::catalogue::{Client, Format, Scope};
use crate::connector::{Connector, Options};
use crate::entry::{self, Entry, NAME, Start};
use crate::files::{self, digest, refused};
use crate::ledger::{Kind, Ledger};
use crate::merge::{self, Refusal};
use crate::paths::{self, RulesFile, RulesKind};
use crate::rules;

/// What a change does to one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The file.
    pub path: PathBuf,
    /// What it is.
    pub kind: Kind,
    pub(crate) before: Option<Vec<u8>>,
    pub(crate) after: Option<Vec<u8>>,
    /// The groups that weren't there and are made.
    pub(crate) groups: Vec<Vec<String>>,
    pub(crate) bound: usize,
    pub(crate) keeping: Keeping,
}

/// What becomes of the record of a file that a change writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keeping {
    /// It is made, or says how the file is now.
    Remember,
    /// It says how the file is now, where there is one.
    Update,
    /// It goes.
    Forget,
}

impl Change {
    /// Whether anything changes.
    #[must_use]
    pub fn is_any(&self) -> bool {
        self.before != self.after
    }

    /// Whether a file is given up.
    #[must_use]
    pub fn deletes(&self) -> bool {
        self.before.is_some() && self.after.is_none()
    }

    /// The change as a unified diff; empty where nothing changes.
    #[must_use]
    pub fn diff(&self, shown: &str) -> String {
        let text =
            |bytes: &Option<Vec<u8>>| bytes.as_deref().map(String::from_utf8_lossy).unwrap_or_default().into_owned();
        let name = |there: bool| if there { shown } else { "/dev/null" };
        let (before, after) = (text(&self.before), text(&self.after));
        let diff = TextDiff::from_lines(before.as_str(), after.as_str());
        let header = (name(self.before.is_some()), name(self.after.is_some()));
        diff.unified_diff().context_radius(3).header(header.0, header.1).to_string()
    }
}

/// What a person should hear of besides the files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Remark {
    /// It is connected over HTTP by hand, which stays so.
    OverHttp(PathBuf),
    /// An entry of Review Gate V2 stays, with this name.
    OlderStays(String, PathBuf),
    /// An entry of Review Gate V2 goes.
    OlderGoes(String, PathBuf),
    /// The rules were changed by hand and stay so.
    RulesStay(PathBuf),
    /// The client reads no rules from a file in this scope.
    NoRules,
    /// The server of our name is reached over HTTP, so it may be another's: it gets no permission.
    NotAllowed(PathBuf),
    /// The file that is given back has an entry of its own, which was there before.
    EarlierEntry(PathBuf),
    /// The client's file has an entry for this folder alone, which stays.
    OfFolder(PathBuf, PathBuf),
}

impl Remark {
    /// The remark for a person; `shown` writes paths.
    pub fn sentence(&self, shown: impl Fn(&Path) -> String) -> String {
        match self {
            Self::OverHttp(path) => {
                format!("{} connects over HTTP already; that stays. --take-over replaces it.", shown(path))
            }
            Self::OlderStays(name, path) => {
                format!("{} still starts Review Gate V2 as {name:?}; --take-over takes it out.", shown(path))
            }
            Self::OlderGoes(name, path) => format!("Review Gate V2 ({name:?}) is taken out of {}.", shown(path)),
            Self::RulesStay(path) => format!("{} was written by hand and stays as it is.", shown(path)),
            Self::NoRules => {
                "It reads no rules for all projects from a file; paste what `review-gate rules` prints into its settings."
                    .to_owned()
            }
            Self::NotAllowed(path) => {
                format!("Permission is only given to this program, not to the address in {}.", shown(path))
            }
            Self::EarlierEntry(path) => {
                format!("{} is as it was, with the entry from before; run it again to take that out.", shown(path))
            }
            Self::OfFolder(folder, path) => {
                format!(
                    "{} has an entry for {} alone, which stays and holds there; `{}` in that folder takes it out.",
                    shown(path),
                    shown(folder),
                    entry::REMOVE_OF_FOLDER
                )
            }
        }
    }
}

/// What connecting or disconnecting will do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// Which client.
    pub client: Client,
    /// For whom.
    pub scope: Scope,
    /// Whether it connects; else it disconnects.
    pub connects: bool,
    /// File by file; some may change nothing.
    pub changes: Vec<Change>,
    /// What else there is to say.
    pub remarks: Vec<Remark>,
}

impl Plan {
    /// Whether anything changes.
    #[must_use]
    pub fn is_any(&self) -> bool {
        self.changes.iter().any(Change::is_any)
    }

    /// What this changes beyond another plan for the same client, as changes of what that one would leave.
    #[must_use]
    pub fn beyond(&self, other: &Self) -> Vec<Change> {
        let beyond = self.changes.iter().map(|change| {
            let same = other.changes.iter().find(|each| each.path == change.path && each.kind == change.kind);
            Change { before: same.map_or(&change.before, |same| &same.after).clone(), ..change.clone() }
        });
        beyond.filter(Change::is_any).collect()
    }
}

impl Connector {
    /// What connecting will change.
    ///
    /// # Errors
    /// `client_file` where a file isn't what it should be, `name_taken` where another server has our name,
    /// `invalid_input` where the client has no configuration for the scope; nothing is changed then.
    pub fn plan_connect(&self, client: Client, scope: Scope, options: Options) -> Result<Plan, Fault> {
        connect(self, client, scope, options)
    }

    /// What taking out of a connected client that its permission questions come to the gate will change.
    ///
    /// # Errors
    /// As [`Connector::plan_connect`].
    pub fn plan_without_questions(&self, client: Client, scope: Scope) -> Result<Plan, Fault> {
        questions::disconnect(self, client, scope)
    }

    /// What disconnecting will change.
    ///
    /// # Errors
    /// As [`Connector::plan_connect`].
    pub fn plan_disconnect(&self, client: Client, scope: Scope) -> Result<Plan, Fault> {
        disconnect::disconnect(self, client, scope)
    }
}

/// What connecting will do.
fn connect(connector: &Connector, client: Client, scope: Scope, options: Options) -> Result<Plan, Fault> {
    let mut plan = Plan { client, scope, connects: true, changes: Vec::new(), remarks: Vec::new() };
    let files = paths::files(client, scope, &connector.folders);
    let rules = paths::rules(client, scope, &connector.folders).filter(|_| options.rules);
    if files.is_empty() && rules.is_none() {
        return Err(unsupported(client, scope, connector.folders.project.is_some()));
    }
    for path in files {
        let change = connect_file(connector, client, scope, path, options, &mut plan.remarks)?;
        plan.changes.push(change);
    }
    if options.allow && !plan.remarks.iter().any(|remark| matches!(remark, Remark::OverHttp(_))) {
        plan.changes.extend(allow::give(connector, client, scope)?);
    }
    if options.questions {
        questions::give(connector, client, scope, &mut plan)?;
    }
    match rules {
        Some(rules) => {
            let change = write_rules(connector, client, scope, rules, &mut plan.remarks)?;
            plan.changes.push(change);
        }
        None if options.rules => plan.remarks.push(Remark::NoRules),
        None => {}
    }
    Ok(plan)
}

fn write_rules(
    connector: &Connector,
    client: Client,
    scope: Scope,
    into: RulesFile,
    remarks: &mut Vec<Remark>,
) -> Result<Change, Fault> {
    let file = into.file;
    let before = files::read(&file, CLIENT_FILE_BYTES)?;
    let text = before.as_deref().map(|bytes| files::text(&file, bytes)).transpose()?;
    let wanted = rules::with(into.kind, text).ok_or_else(|| half(&file))?;
    if matches!(into.kind, RulesKind::Alone(_)) && text.is_some_and(|text| text != wanted) {
        let ledger = Ledger::look(&connector.data)?;
        let left = ledger.find(client.id(), scope, Kind::Rules, &file).map(|record| record.after.as_str());
        if left != before.as_deref().map(digest).as_deref() {
            remarks.push(Remark::RulesStay(file.clone()));
            return Ok(change(file, Kind::Rules, before.clone(), before));
        }
    }
    Ok(change(file, Kind::Rules, before, Some(wanted.into_bytes())))
}

fn change(path: PathBuf, kind: Kind, before: Option<Vec<u8>>, after: Option<Vec<u8>>) -> Change {
    let (groups, bound, keeping) = (Vec::new(), CLIENT_FILE_BYTES, Keeping::Remember);
    Change { path, kind, before, after, groups, bound, keeping }
}

fn connect_file(
    connector: &Connector,
    client: Client,
    scope: Scope,
    path: PathBuf,
    options: Options,
    remarks: &mut Vec<Remark>,
) -> Result<Change, Fault> {
    let bound = paths::bound(client, scope);
    let before = files::read(&path, bound)?;
    let format = client.row().format;
    if format == Format::Own {
        let after = own_file(&connector.start, client, options, &path, before.as_deref())?;
        return Ok(Change { bound, ..change(path, Kind::Config, before, Some(after)) });
    }
    let mut text = match &before {
        Some(bytes) => files::text(&path, bytes)?.to_owned(),
        None => String::new(),
    };
    let whole = merge::read(format, &text).map_err(|refusal| fault(&path, &refusal))?;
    let at = entry::servers(client, &whole);
    let own = [at.as_slice(), &[NAME]].concat();
    let refuse = |refusal| fault(&path, &refusal);
    if scope == Scope::User {
        let of_folders = entry::in_folders(client, &whole).into_iter();
        let others = of_folders.filter(|(_, entry)| !entry.is_of(&connector.start));
        remarks.extend(others.map(|(folder, _)| Remark::OfFolder(folder, path.clone())));
    }
    for older in entry::entries(client, &whole).into_iter().filter(|entry| entry.v2 && entry.name != NAME) {
        if options.take_over {
            text = merge::remove(format, &text, &[at.as_slice(), &[&older.name]].concat()).map_err(refuse)?;
            remarks.push(Remark::OlderGoes(older.name, path.clone()));
        } else {
            remarks.push(Remark::OlderStays(older.name, path.clone()));
        }
    }
    let present = entry::entries(client, &whole).into_iter().find(|entry| entry.name == NAME);
    let toolsets = options.toolsets.or(present.as_ref().and_then(Entry::toolsets)).unwrap_or_default();
    let wanted = entry::wanted(client, &connector.start, toolsets, &whole);
    let mut groups = match merge::get(&whole, &at) {
        None | Some(Value::Null) => missing(&whole, &at),
        Some(_) => Vec::new(),
    };
    text = match present {
        Some(present) if present.url.is_some() && !options.take_over => {
            remarks.push(Remark::OverHttp(path.clone()));
            if options.allow {
                remarks.push(Remark::NotAllowed(path.clone()));
            }
            return Ok(Change { groups, bound, ..change(path, Kind::Config, before, Some(text.into_bytes())) });
        }
        Some(present) if present.starts_us() => {
            let there = merge::get(&whole, &own).and_then(Value::as_object).cloned().unwrap_or_default();
            updated(format, text, &own, &there, &wanted).map_err(refuse)?
        }
        Some(present) if !options.take_over => {
            let what = present.command.unwrap_or_else(|| "something else".to_owned());
            let what = what.chars().take(200).collect::<String>();
            return Err(Fault::new(
                Code::NameTaken,
                format!("{} has a server named `review-gate` that starts {what:?}.", path.display()),
                "Rename that server, or take its place with --take-over.",
            ));
        }
        _ => merge::set(format, &text, &own, &Value::Object(wanted)).map_err(refuse)?,
    };
    if options.allow {
        text = allow::within(client, toolsets, text, &own).map_err(refuse)?;
        if !allow::has_a_file(client) {
            groups.extend(reading::groups(client, &connector.data, &whole));
            text = reading::give(client, &connector.data, text).map_err(refuse)?;
        }
    }
    let after = if before.is_none() && text.is_empty() { None } else { Some(text.into_bytes()) };
    Ok(Change { groups, bound, ..change(path, Kind::Config, before, after) })
}

/// What a file of our own says. One that starts what it should stays: what else the person has written there is theirs.
fn own_file(
    start: &Start,
    client: Client,
    options: Options,
    path: &Path,
    before: Option<&[u8]>,
) -> Result<Vec<u8>, Fault> {
    let Some(before) = before else {
        return Ok(entry::own_file(client, start, options.toolsets.unwrap_or_default()).into_bytes());
    };
    let text = files::text(path, before)?;
    let whole = merge::read(Format::Own, text).map_err(|refusal| fault(path, &refusal))?;
    let present = entry::entries(client, &whole).into_iter().find(|entry| entry.name == NAME && entry.is_of(start));
    let served = present.and_then(|entry| entry.toolsets());
    let wanted = options.toolsets.or(served).unwrap_or_default();
    if served == Some(wanted) {
        return Ok(before.to_vec());
    }
    if served.is_some_and(|served| entry::own_file(client, start, served) != text) {
        return Err(refused(
            path,
            "was changed by hand, so its toolsets can't be changed without risk",
            &format!("Write `args: {}` there.", Value::from(wanted.arguments())),
        ));
    }
    Ok(entry::own_file(client, start, wanted).into_bytes())
}

/// An entry of ours with what it should say. What the person has added to it stays.
fn updated(
    format: Format,
    text: String,
    own: &[&str],
    there: &Map<String, Value>,
    wanted: &Map<String, Value>,
) -> Result<String, Refusal> {
    let mut text = text;
    for (key, value) in merge::ordered(wanted) {
        // Switched off is the person's wish, and so is a time-out of their own.
        if there.contains_key(key) && is_theirs(key) {
            continue;
        }
        let at = [own, &[key.as_str()]].concat();
        match (value, there.get(key)) {
            // Among variables of the person's.
            (Value::Object(ours), Some(Value::Object(_))) => {
                for (name, value) in ours {
                    text = merge::set(format, &text, &[at.as_slice(), &[name.as_str()]].concat(), value)?;
                }
            }
            _ => text = merge::set(format, &text, &at, value)?,
        }
    }
    Ok(text)
}

/// Keys that we write once and then leave to the person.
fn is_theirs(key: &str) -> bool {
    ["enabled", "description", "name"].contains(&key) || key.to_lowercase().contains("timeout")
}

/// Whether a group may go when what we wrote into it goes.
fn holds_nothing(value: &Value) -> bool {
    value.is_null() || value.as_object().is_some_and(Map::is_empty) || value.as_array().is_some_and(Vec::is_empty)
}

/// The groups on the way that aren't there.
fn missing(whole: &Value, at: &[&str]) -> Vec<Vec<String>> {
    let paths = (1..=at.len()).map(|depth| &at[..depth]);
    let missing = paths.filter(|path| merge::get(whole, path).is_none_or(Value::is_null));
    missing.map(|path| path.iter().map(|part| (*part).to_owned()).collect()).collect()
}

fn unsupported(client: Client, scope: Scope, project: bool) -> Fault {
    let title = client.title();
    match (scope, project) {
        (Scope::Project, false) => {
            Fault::new(Code::InvalidInput, "No project's folder was named.", "Name it: `--project FOLDER`.")
        }
        _ => Fault::new(
            Code::InvalidInput,
            format!("{title} has no configuration of its own in a project."),
            "Leave out --project: it is then connected for all projects.",
        ),
    }
}

fn half(path: &Path) -> Fault {
    refused(path, "has only one of the two marks around our section", "Delete the mark, then try again.")
}

/// Why a text can't be changed, for the person whose file it is.
pub(crate) fn fault(path: &Path, refusal: &Refusal) -> Fault {
    match refusal {
        Refusal::Broken { line, column, what } => refused(
            path,
            &format!("can't be read: {what}, line {line}, column {column}"),
            "Correct it there (the client can't read it either), then try again.",
        ),
        Refusal::Shape { at } if at.is_empty() => {
            refused(path, "holds no group of settings", "See what the client expects there, then try again.")
        }
        Refusal::Shape { at } if at.starts_with("hooks") => {
            refused(path, &format!("has something else than hooks at `{at}`"), "Correct it there, then try again.")
        }
        Refusal::Shape { at } => refused(
            path,
            &format!("has something else than a group of servers at `{at}`"),
            "Correct it there, then try again.",
        ),
        Refusal::Unsafe => refused(
            path,
            "is written in a way that can't be changed without risk",
            "Add or take out the entry `review-gate` by hand, as the README shows.",
        ),
    }
}
