//! Permission for agents to call our tools without asking the person before each call: how it comes into a client's
//! files, and how what we wrote of it goes out again. It never names anything but our own server, and the folder with
//! the copies of what people attach ([`reading`]). Of the file that it stands in, all of ours goes at once ([`questions`]).

use std::path::PathBuf;

use gate_core::Fault;
use gate_core::bounds::CLIENT_FILE_BYTES;

use super::{Change, change, fault, holds_nothing, missing, questions, reading};
use crate::catalogue::{Allow, Client, Format, Scope};
use crate::connector::Connector;
use crate::ledger::{Kind, Ledger};
use crate::merge::{self, Refusal};
use crate::toolsets::Toolsets;
use crate::{files, paths};

/// The text of a client's configuration with permission in our entry at `own`, where it stands there.
pub(super) fn within(client: Client, toolsets: Toolsets, text: String, own: &[&str]) -> Result<String, Refusal> {
    match client.row().allow {
        Allow::Key(key, value) => merge::set(client.row().format, &text, &[own, &[key]].concat(), &value.json()),
        Allow::Tools(key) => {
            let at = [own, &[key]].concat();
            toolsets.tools().try_fold(text, |text, tool| merge::add(&text, &at, tool, &[]))
        }
        Allow::Item { .. } | Allow::ByHand | Allow::NotNeeded => Ok(text),
    }
}

/// Whether the client keeps permission in another file than its servers.
pub(super) fn has_a_file(client: Client) -> bool {
    matches!(client.row().allow, Allow::Item { .. })
}

/// The change to the file that lists what is allowed, where the client has one.
pub(super) fn give(connector: &Connector, client: Client, scope: Scope) -> Result<Option<Change>, Fault> {
    let Allow::Item { at, item, same } = client.row().allow else { return Ok(None) };
    let Some(path) = paths::allow_files(client, scope, &connector.folders).into_iter().next() else { return Ok(None) };
    let before = files::read(&path, CLIENT_FILE_BYTES)?;
    let text = before.as_deref().map(|bytes| files::text(&path, bytes)).transpose()?.unwrap_or_default();
    let refuse = |refusal| fault(&path, &refusal);
    let groups = missing(&merge::read(Format::Json, text).map_err(refuse)?, at);
    let text = reading::give(client, &connector.data, text.to_owned()).map_err(refuse)?;
    let after = merge::add(&text, at, item, same).map_err(refuse)?.into_bytes();
    Ok(Some(Change { groups, ..change(path, Kind::Permission, before, Some(after)) }))
}

/// The change that takes out of a file what we wrote there. What nobody remembers is the person's.
pub(super) fn take(
    connector: &Connector,
    ledger: &Ledger,
    client: Client,
    scope: Scope,
    path: PathBuf,
) -> Result<Option<Change>, Fault> {
    let Some(record) = ledger.find(client.id(), scope, Kind::Permission, &path) else { return Ok(None) };
    let Some(before) = files::read(&path, CLIENT_FILE_BYTES)? else {
        return Ok(Some(change(path, Kind::Permission, None, None)));
    };
    let after = if ledger.is_shared(Some(record), &path, Kind::Permission) {
        Some(before.clone())
    } else if let Some(given_back) = ledger.given_back(Some(record), &path, &before) {
        given_back
    } else if questions::is_plugin(&before) {
        None
    } else {
        let refuse = |refusal| fault(&path, &refusal);
        let mut text = files::text(&path, &before)?.to_owned();
        if let Allow::Item { at, item, .. } = client.row().allow {
            text = merge::drop(&text, at, item).map_err(refuse)?;
            text = reading::take(client, &connector.data, text).map_err(refuse)?;
        }
        text = questions::without(client, Format::Json, text).map_err(refuse)?;
        for group in record.groups.iter().rev() {
            let group: Vec<&str> = group.iter().map(String::as_str).collect();
            let now = merge::read(Format::Json, &text).map_err(refuse)?;
            if merge::get(&now, &group).is_some_and(holds_nothing) {
                text = merge::remove(Format::Json, &text, &group).map_err(refuse)?;
            }
        }
        let left: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        if record.before.is_none() && matches!(left.as_str(), "" | "{}") { None } else { Some(text.into_bytes()) }
    };
    Ok(Some(change(path, Kind::Permission, Some(before), after)))
}
