//! The way in for questions whether an agent may do something ([`crate::questions`]): how it comes into a client's files
//! beside all else, and how it goes out again, alone or with the connection.

use std::path::{Path, PathBuf};

use gate_core::Fault;
use gate_core::bounds::CLIENT_FILE_BYTES;
use serde_json::{Map, Value};

use super::{Change, Keeping, Plan, change, fault, holds_nothing, missing, unsupported};
use crate::catalogue::{Client, Format, HOOKS, Questions, Scope};
use crate::connector::Connector;
use crate::files::{self, refused};
use crate::ledger::{Kind, Ledger, Record};
use crate::merge::{self, Refusal};
use crate::{paths, questions};

/// Puts the way in beside what a plan changes already.
pub(super) fn give(connector: &Connector, client: Client, scope: Scope, plan: &mut Plan) -> Result<(), Fault> {
    let Some((path, format)) = place(connector, client, scope, &plan.changes)? else {
        return Err(unsupported(client, scope, connector.folders.project.is_some()));
    };
    let before = text_of(&plan.changes, &path)?;
    let (after, groups) = match client.row().questions {
        Questions::Hook { .. } => with(connector, client, format, before.as_deref().unwrap_or_default())
            .map_err(|refusal| fault(&path, &refusal))?,
        Questions::Plugin | Questions::None(_) => (questions::plugin(&connector.start), Vec::new()),
    };
    if format == Format::Own && before.as_deref().is_some_and(|text| !questions::is_plugin(text)) {
        return Err(refused(&path, "was written by somebody else", "Move it away, then try again."));
    }
    match plan.changes.iter_mut().find(|change| change.path == path) {
        Some(change) => {
            change.after = Some(after.into_bytes());
            change.groups.extend(groups);
        }
        None => {
            let before = before.map(String::into_bytes);
            plan.changes.push(Change { groups, ..change(path, Kind::Permission, before, Some(after.into_bytes())) });
        }
    }
    Ok(())
}

/// The file that the way in belongs into, and its format; absent where the client has none in this scope.
fn place(
    connector: &Connector,
    client: Client,
    scope: Scope,
    changes: &[Change],
) -> Result<Option<(PathBuf, Format)>, Fault> {
    if let Some(fault) = client.questions_fault() {
        return Err(fault);
    }
    let files = paths::question_files(client, scope, &connector.folders);
    // Codex reads hooks from both of its files, and warns at each start where both have some.
    for (path, format) in &files {
        let Some(text) = text_of(changes, path)? else { continue };
        let is_theirs = match format {
            Format::Toml => {
                let whole = merge::read(Format::Toml, &text).map_err(|refusal| fault(path, &refusal))?;
                let hooks = merge::get(&whole, &[HOOKS]).and_then(Value::as_object);
                hooks.into_iter().flat_map(Map::keys).any(|key| key != "state")
            }
            Format::Json | Format::Yaml | Format::Own => true,
        };
        if is_theirs {
            return Ok(Some((path.clone(), *format)));
        }
    }
    Ok(files.into_iter().next())
}

/// The text of a file, as a plan leaves it so far.
fn text_of(changes: &[Change], path: &Path) -> Result<Option<String>, Fault> {
    let bytes = match changes.iter().find(|change| change.path == path) {
        Some(change) => change.after.clone(),
        None => files::read(path, CLIENT_FILE_BYTES)?,
    };
    bytes.map(|bytes| files::text(path, &bytes).map(str::to_owned)).transpose()
}

/// The text with our hooks, and the groups that are made for them. One of ours that is there stays where it is, with what
/// the person has changed about it, and runs this program; where the person has one that calls our tool, all is as they
/// want it.
fn with(
    connector: &Connector,
    client: Client,
    format: Format,
    text: &str,
) -> Result<(String, Vec<Vec<String>>), Refusal> {
    let whole = merge::read(format, text)?;
    let (mut text, mut groups) = (text.to_owned(), Vec::new());
    let events = questions::events(client);
    if events.iter().any(|event| questions::find(client, event, &whole).is_some_and(|found| found.program.is_none())) {
        return Ok((text, groups));
    }
    for event in events {
        let whole = merge::read(format, &text)?;
        let Some(wanted) = questions::group(client, event, &connector.start) else { continue };
        let at = [HOOKS, event];
        let Some(found) = questions::find(client, event, &whole) else {
            groups.extend(missing(&whole, &at));
            text = merge::append(format, &text, &at, &wanted)?;
            continue;
        };
        let mut group = merge::get(&whole, &at).and_then(|groups| groups.get(found.group)).cloned().unwrap_or_default();
        let command = Value::from(questions::command(client, &connector.start));
        let hook = group.get_mut("hooks").and_then(|hooks| hooks.get_mut(found.hook)).and_then(Value::as_object_mut);
        if hook.is_some_and(|hook| hook.insert("command".to_owned(), command.clone()) != Some(command)) {
            text = merge::at_index(format, &text, &at, found.group, Some(&group))?;
        }
    }
    Ok((text, groups))
}

/// The text without hooks of ours.
pub(super) fn without(client: Client, format: Format, text: String) -> Result<String, Refusal> {
    let mut text = text;
    if !matches!(format, Format::Json | Format::Toml) {
        return Ok(text);
    }
    for event in questions::events(client) {
        let at = [HOOKS, event];
        loop {
            let whole = merge::read(format, &text)?;
            let Some(found) = questions::find(client, event, &whole) else { break };
            let groups = merge::get(&whole, &at).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
            let mut group = groups.get(found.group).cloned().unwrap_or_default();
            let mut is_empty = true;
            if let Some(hooks) = group.get_mut("hooks").and_then(Value::as_array_mut) {
                hooks.remove(found.hook);
                is_empty = hooks.is_empty();
            }
            // Codex knows by its place what the person trusts: what stands behind ours has to stay where it is.
            let holds_a_place = client == Client::Codex && found.group + 1 < groups.len();
            let item = (!is_empty || holds_a_place).then_some(&group);
            text = merge::at_index(format, &text, &at, found.group, item)?;
        }
    }
    Ok(text)
}

/// Takes out ways in of files that a plan for disconnecting doesn't change otherwise.
pub(super) fn take(
    connector: &Connector,
    client: Client,
    scope: Scope,
    changes: &mut Vec<Change>,
) -> Result<(), Fault> {
    for (path, format) in paths::question_files(client, scope, &connector.folders) {
        if changes.iter().any(|change| change.path == path) {
            continue;
        }
        let Some(before) = files::read(&path, CLIENT_FILE_BYTES)? else { continue };
        match out_of(client, format, &path, &before) {
            Ok(after) if after.as_ref() != Some(&before) => {
                changes.push(change(path, Kind::Permission, Some(before), after));
            }
            Ok(_) => {}
            // A file that can't be read, and hardly has anything of ours.
            Err(_) if !String::from_utf8_lossy(&before).contains(" permit ") => {}
            Err(fault) => return Err(fault),
        }
    }
    Ok(())
}

/// Whether these are the bytes of a file of ours.
pub(super) fn is_plugin(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_ok_and(questions::is_plugin)
}

/// The bytes of a file without our way in; absent where the file is ours.
fn out_of(client: Client, format: Format, path: &Path, bytes: &[u8]) -> Result<Option<Vec<u8>>, Fault> {
    let text = files::text(path, bytes)?;
    if format == Format::Own {
        return Ok((!questions::is_plugin(text)).then(|| bytes.to_owned()));
    }
    let text = without(client, format, text.to_owned()).map_err(|refusal| fault(path, &refusal))?;
    Ok(Some(text.into_bytes()))
}

/// What taking the way in alone out will do: the client stays connected.
pub(super) fn disconnect(connector: &Connector, client: Client, scope: Scope) -> Result<Plan, Fault> {
    let mut plan = Plan { client, scope, connects: false, changes: Vec::new(), remarks: Vec::new() };
    let files = paths::question_files(client, scope, &connector.folders);
    if files.is_empty() {
        return Err(client
            .questions_fault()
            .unwrap_or_else(|| unsupported(client, scope, connector.folders.project.is_some())));
    }
    let ledger = Ledger::look(&connector.data)?;
    for (path, format) in files {
        let Some(before) = files::read(&path, CLIENT_FILE_BYTES)? else { continue };
        let after = out_of(client, format, &path, &before)?;
        if after.as_ref() == Some(&before) {
            continue;
        }
        let kinds = [Kind::Config, Kind::Permission];
        let record = kinds.into_iter().find_map(|kind| ledger.find(client.id(), scope, kind, &path));
        let (kind, bound) = match record.map(|record| record.kind) {
            Some(Kind::Config) => (Kind::Config, paths::bound(client, scope)),
            _ => (Kind::Permission, CLIENT_FILE_BYTES),
        };
        let after = match (after, record) {
            (Some(after), Some(record)) => as_before(&ledger, record, format, &path, after)?,
            (after, _) => after,
        };
        let is_as_before = record.is_some_and(|record| match (&record.before, &after) {
            (None, None) => true,
            (Some(before), Some(after)) => *before == files::digest(after),
            _ => false,
        });
        let keeping = if is_as_before || after.is_none() { Keeping::Forget } else { Keeping::Update };
        plan.changes.push(Change { bound, keeping, ..change(path, kind, Some(before), after) });
    }
    Ok(plan)
}

/// What is left of a file, without the groups that were made for our hook; to the byte what there was before, where that
/// says the same.
fn as_before(
    ledger: &Ledger,
    record: &Record,
    format: Format,
    path: &Path,
    left: Vec<u8>,
) -> Result<Option<Vec<u8>>, Fault> {
    let refuse = |refusal| fault(path, &refusal);
    let mut text = files::text(path, &left)?.to_owned();
    for group in record.groups.iter().filter(|group| group.first().is_some_and(|first| first == HOOKS)).rev() {
        let group: Vec<&str> = group.iter().map(String::as_str).collect();
        if merge::get(&merge::read(format, &text).map_err(refuse)?, &group).is_some_and(holds_nothing) {
            text = merge::remove(format, &text, &group).map_err(refuse)?;
        }
    }
    let left: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let Some(before) = &record.before else {
        return Ok((!matches!(left.as_str(), "" | "{}")).then(|| text.into_bytes()));
    };
    let before = ledger.kept(path, before).filter(|before| {
        let says = |bytes: &[u8]| merge::read(format, std::str::from_utf8(bytes).ok()?).ok();
        says(before).is_some_and(|before| Some(before) == says(text.as_bytes()))
    });
    Ok(Some(before.unwrap_or_else(|| text.into_bytes())))
}
