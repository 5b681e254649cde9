//! Resources as MCP serves them, of whichever subjects: list, templates, reading, completion.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gate_core::page::bad_cursor;
use gate_core::{Code, Fault, Owner};
use rmcp::model::{
    ErrorData, ListResourceTemplatesResult, ListResourcesResult, ReadResourceResult, ResourceContents, ResourceTemplate,
};

use crate::completion::Found;
use crate::cursor;
use crate::faults::{no_resource, protocol_error};
use crate::port::ConnectionPort;
use crate::resource::{Contents, Data, PRIORITY_HISTORY, Page, Resource, Resources, Template, annotations};
use crate::uri::Query;

/// The resources of one endpoint or connection, in the order of the list.
pub(crate) type All = [Arc<dyn Resources>];

/// `resources/list`: what the subjects tell first, then the pages of each, one subject after the other.
pub(crate) async fn list(
    all: &All,
    gate: &dyn ConnectionPort,
    client: &Owner,
    cursor: Option<&str>,
) -> Result<ListResourcesResult, Fault> {
    let cursor = cursor.filter(|cursor| !cursor.is_empty());
    let (mut told, after) = match cursor {
        Some(cursor) => page_at(all, gate, client, cursor).await?,
        None => (Page::default(), 0),
    };
    for subject in all.iter().skip(after) {
        if cursor.is_some() && told.next.is_some() {
            break;
        }
        let page = subject.page(gate, client, None).await?;
        told.first.extend(page.first);
        // The last page of one subject is the first one of the next.
        if told.next.is_none() {
            told.resources.extend(page.resources);
            told.next = page.next;
        }
    }
    let first = if cursor.is_none() { told.first } else { Vec::new() };
    let mut result = ListResourcesResult::with_all_items(first.into_iter().chain(told.resources).collect());
    result.next_cursor = told.next;
    Ok(result)
}

/// The page that a cursor names, and how many subjects it leaves behind.
async fn page_at(all: &All, gate: &dyn ConnectionPort, client: &Owner, cursor: &str) -> Result<(Page, usize), Fault> {
    for (index, subject) in all.iter().enumerate() {
        match subject.page(gate, client, Some(cursor)).await {
            Err(fault) if fault.code == Code::InvalidCursor => {}
            page => return Ok((page?, index + 1)),
        }
    }
    Err(bad_cursor())
}

/// `resources/templates/list`, all on one page.
pub(crate) fn templates(all: &All, cursor: Option<&str>) -> Result<ListResourceTemplatesResult, Fault> {
    cursor::none(cursor)?;
    let template = |template: &Template| {
        let listed = ResourceTemplate::new(template.uri, template.name)
            .with_title(template.title)
            .with_description(template.about)
            .with_annotations(annotations(PRIORITY_HISTORY, None));
        match template.mime_type {
            Some(mime_type) => listed.with_mime_type(mime_type),
            None => listed,
        }
    };
    let templates = all.iter().flat_map(|subject| subject.templates()).map(template);
    Ok(ListResourceTemplatesResult::with_all_items(templates.collect()))
}

/// The resource that a URI names, and its query. Absent where it names nothing that there could be.
pub(crate) fn named<'a>(all: &All, uri: &'a str) -> Option<(Box<dyn Resource>, &'a str)> {
    let (path, query) = uri.split_once('?').unwrap_or((uri, ""));
    Some((all.iter().find_map(|subject| subject.at(path))?, query))
}

/// The resource that a URI with a query names that this may have.
fn asked_for(all: &All, uri: &str) -> Result<(Box<dyn Resource>, Query), ErrorData> {
    let (resource, query) = named(all, uri).ok_or_else(|| no_resource(uri))?;
    let query = Query::parse(resource.parameters(), query).map_err(|fault| protocol_error(&fault))?;
    Ok((resource, query))
}

/// Whether a URI may name a resource.
pub(crate) fn may_name(all: &All, uri: &str) -> bool {
    asked_for(all, uri).is_ok()
}

/// `resources/read`.
pub(crate) async fn read(
    all: &All,
    gate: &dyn ConnectionPort,
    client: &Owner,
    uri: &str,
) -> Result<ReadResourceResult, ErrorData> {
    let (resource, query) = asked_for(all, uri)?;
    let contents = resource.read(gate, client, query).await.map_err(|fault| protocol_error(&fault))?;
    let Contents { mime_type, data } = contents.ok_or_else(|| no_resource(uri))?;
    let contents = match data {
        Data::Text(text) => ResourceContents::text(text, uri),
        Data::Bytes(bytes) => ResourceContents::blob(STANDARD.encode(bytes), uri),
    };
    Ok(ReadResourceResult::new(vec![contents.with_mime_type(mime_type)]))
}

/// The resource of a URI that a client could subscribe to.
///
/// # Errors
/// As for reading it, but for its cursor, which isn't opened.
pub(crate) async fn subscribable(all: &All, client: &Owner, uri: &str) -> Result<Box<dyn Resource>, ErrorData> {
    let (resource, _) = asked_for(all, uri)?;
    match resource.exists(client).await {
        Ok(true) => Ok(resource),
        Ok(false) => Err(no_resource(uri)),
        Err(fault) => Err(protocol_error(&fault)),
    }
}

/// Values that fit what a client typed of a template's variable.
pub(crate) async fn complete(
    all: &All,
    client: &Owner,
    template: &str,
    variable: &str,
    begun: &str,
) -> Result<Found, ErrorData> {
    let has_it = |subject: &&Arc<dyn Resources>| subject.templates().iter().any(|known| known.uri == template);
    let subject = all.iter().find(has_it).ok_or_else(|| {
        let message = format!("There is no resource template {template:?}; resources/templates/list names all.");
        ErrorData::invalid_params(message, None)
    })?;
    let found = subject.complete(client, template, variable, begun).await.map_err(|fault| protocol_error(&fault))?;
    found.ok_or_else(|| {
        let message = format!("The template {template} has no argument {variable:?}.");
        ErrorData::invalid_params(message, None)
    })
}
