//! What disconnecting a client will change: the file from before where that can be given back, else our entry
//! taken out of the file as it is.

use std::path::{Path, PathBuf};

use gate_core::Fault;
use gate_core::bounds::CLIENT_FILE_BYTES;
use serde_json::Value;

use super::{
    Change, Keeping, Plan, Remark, allow, change, fault, half, holds_nothing, questions, reading, unsupported,
};
use crate::catalogue::{Client, Format, Scope};
use crate::connector::Connector;
use crate::entry::{self, NAME};
use crate::files;
use crate::ledger::{Kind, Ledger};
use crate::merge::{self, Refusal};
use crate::{paths, rules};

/// What disconnecting will do.
pub(super) fn disconnect(connector: &Connector, client: Client, scope: Scope) -> Result<Plan, Fault> {
    let mut plan = Plan { client, scope, connects: false, changes: Vec::new(), remarks: Vec::new() };
    let ledger = Ledger::look(&connector.data)?;
    let inside = |path: &Path| match (scope, &connector.folders.project) {
        (Scope::User, _) => true,
        (Scope::Project, Some(project)) => path.starts_with(project),
        (Scope::Project, None) => false,
    };
    let written = |kind: Kind| {
        let records = ledger.records.iter();
        let ours =
            records.filter(move |record| record.client == client.id() && record.scope == scope && record.kind == kind);
        ours.map(|record| record.path.clone()).filter(|path| inside(path)).collect::<Vec<_>>()
    };
    let mut files = paths::files(client, scope, &connector.folders);
    files.extend(written(Kind::Config));
    let mut texts: Vec<PathBuf> =
        paths::rules(client, scope, &connector.folders).map(|rules| rules.file).into_iter().collect();
    texts.extend(written(Kind::Rules));
    if files.is_empty() && texts.is_empty() {
        return Err(unsupported(client, scope, connector.folders.project.is_some()));
    }
    for path in unique(files) {
        plan.changes.extend(disconnect_file(connector, &ledger, client, scope, path, &mut plan.remarks)?);
    }
    for path in unique(written(Kind::Permission)) {
        plan.changes.extend(allow::take(connector, &ledger, client, scope, path)?);
    }
    questions::take(connector, client, scope, &mut plan.changes)?;
    for path in unique(texts) {
        plan.changes.extend(take_rules(connector, &ledger, client, scope, path, &mut plan.remarks)?);
    }
    for change in &mut plan.changes {
        change.keeping = Keeping::Forget;
    }
    Ok(plan)
}

fn unique(mut paths: Vec<PathBuf>) -> Vec<PathBuf> {
    paths.sort();
    paths.dedup();
    paths
}

fn disconnect_file(
    connector: &Connector,
    ledger: &Ledger,
    client: Client,
    scope: Scope,
    path: PathBuf,
    remarks: &mut Vec<Remark>,
) -> Result<Option<Change>, Fault> {
    let bound = paths::bound(client, scope);
    let Some(before) = files::read(&path, bound)? else { return Ok(None) };
    let record = ledger.find(client.id(), scope, Kind::Config, &path);
    let format = client.row().format;
    if scope == Scope::User
        && let Some(whole) = std::str::from_utf8(&before).ok().and_then(|text| merge::read(format, text).ok())
    {
        let of_folders = entry::in_folders(client, &whole).into_iter();
        remarks.extend(of_folders.map(|(folder, _)| Remark::OfFolder(folder, path.clone())));
    }
    let after = if ledger.is_shared(record, &path, Kind::Config) {
        Some(before.clone())
    } else if let Some(given_back) = ledger.given_back(record, &path, &before) {
        let has_entry = |bytes: &Vec<u8>| {
            let whole = std::str::from_utf8(bytes).ok().and_then(|text| merge::read(format, text).ok());
            whole.is_some_and(|whole| entry::entries(client, &whole).iter().any(|entry| entry.name == NAME))
        };
        if given_back.as_ref().is_some_and(has_entry) {
            remarks.push(Remark::EarlierEntry(path.clone()));
        }
        given_back
    } else if format == Format::Own {
        let whole = merge::read(format, files::text(&path, &before)?).map_err(|refusal| fault(&path, &refusal))?;
        // A file of that name which the person fills with something else is theirs.
        let ours = entry::entries(client, &whole).iter().any(|entry| entry.name == NAME);
        let servers = merge::get(&whole, client.row().at).and_then(Value::as_array).map_or(0, Vec::len);
        match (ours, servers) {
            (false, _) => Some(before.clone()),
            (true, 1) => None,
            (true, _) => return Err(fault(&path, &Refusal::Unsafe)),
        }
    } else {
        let text = files::text(&path, &before)?;
        let whole = merge::read(format, text).map_err(|refusal| fault(&path, &refusal))?;
        let own = [entry::servers(client, &whole).as_slice(), &[NAME]].concat();
        let mut text = merge::remove(format, text, &own).map_err(|refusal| fault(&path, &refusal))?;
        text = questions::without(client, format, text).map_err(|refusal| fault(&path, &refusal))?;
        if record.is_some() && !allow::has_a_file(client) {
            text = reading::take(client, &connector.data, text).map_err(|refusal| fault(&path, &refusal))?;
        }
        for group in record.iter().flat_map(|record| record.groups.iter().rev()) {
            let group: Vec<&str> = group.iter().map(String::as_str).collect();
            let now = merge::read(format, &text).map_err(|refusal| fault(&path, &refusal))?;
            if merge::get(&now, &group).is_some_and(holds_nothing) {
                text = merge::remove(format, &text, &group).map_err(|refusal| fault(&path, &refusal))?;
            }
        }
        let made_by_us = record.is_some_and(|record| record.before.is_none());
        let left: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        if made_by_us && matches!(left.as_str(), "" | "{}") { None } else { Some(text.into_bytes()) }
    };
    Ok(Some(Change { bound, ..change(path, Kind::Config, Some(before), after) }))
}

fn take_rules(
    connector: &Connector,
    ledger: &Ledger,
    client: Client,
    scope: Scope,
    path: PathBuf,
    remarks: &mut Vec<Remark>,
) -> Result<Option<Change>, Fault> {
    let Some(before) = files::read(&path, CLIENT_FILE_BYTES)? else { return Ok(None) };
    let record = ledger.find(client.id(), scope, Kind::Rules, &path);
    let kind =
        paths::rules(client, scope, &connector.folders).filter(|rules| rules.file == path).map(|rules| rules.kind);
    let after = if ledger.is_shared(record, &path, Kind::Rules) {
        Some(before.clone())
    } else if let Some(given_back) = ledger.given_back(record, &path, &before) {
        given_back
    } else if matches!(kind, Some(paths::RulesKind::Alone(_))) {
        let text = files::text(&path, &before)?;
        let state = kind.map(|kind| rules::state(kind, Some(text)));
        if state == Some(rules::RulesState::Written) {
            None
        } else {
            remarks.push(Remark::RulesStay(path.clone()));
            Some(before.clone())
        }
    } else {
        let text = rules::without(files::text(&path, &before)?).ok_or_else(|| half(&path))?;
        let made_by_us = record.is_some_and(|record| record.before.is_none());
        if made_by_us && text.trim().is_empty() { None } else { Some(text.into_bytes()) }
    };
    Ok(Some(change(path, Kind::Rules, Some(before), after)))
}
