//! What a subject's resources are to those that serve them: their list, their templates, and each by its URI.
//!
//! A resource that a toolset has is known to the module of its subject and to nobody else.

use async_trait::async_trait;
use gate_core::page::bad_cursor;
use gate_core::{Fault, Owner, Timestamp};
use rmcp::model::{Annotations, Resource as Listed, Role};
use serde::Serialize;

use crate::completion::Found;
use crate::port::{Change, ConnectionPort};
use crate::uri::{Parameter, Query};

/// The type of most resources.
pub(crate) const JSON: &str = "application/json";
/// What the work at hand is worth beside history, from 0 to 1.
pub(crate) const PRIORITY_ACTIVE: f32 = 0.8;
pub(crate) const PRIORITY_HISTORY: f32 = 0.5;

/// The resources of one subject, with its port.
#[async_trait]
pub(crate) trait Resources: Send + Sync {
    /// Their URI templates.
    fn templates(&self) -> &'static [Template] {
        &[]
    }

    /// The resource that a URI without its query names; absent where it can't name any of them.
    fn at(&self, uri: &str) -> Option<Box<dyn Resource>>;

    /// Their part of `resources/list` for a client: the page that a cursor names, the first one without.
    ///
    /// # Errors
    /// `invalid_cursor` for a cursor that is none of theirs.
    async fn page(&self, _gate: &dyn ConnectionPort, _client: &Owner, cursor: Option<&str>) -> Result<Page, Fault> {
        Page::whole(cursor, Vec::new())
    }

    /// Whether a change makes their part of `resources/list` another, where it isn't [`Change::Anything`].
    fn is_listed_otherwise(&self, _change: &Change) -> bool {
        false
    }

    /// What the variable of one of their templates may be for a client; absent where that has no such variable.
    async fn complete(
        &self,
        _client: &Owner,
        _template: &str,
        _variable: &str,
        _begun: &str,
    ) -> Result<Option<Found>, Fault> {
        Ok(None)
    }
}

/// A resource that a URI may name.
#[async_trait]
pub(crate) trait Resource: Send + Sync {
    /// The one URI of it, without a query.
    fn uri(&self) -> String;

    /// The parameters that its query may have.
    fn parameters(&self) -> &'static [Parameter] {
        &[]
    }

    /// Whether there is such a resource for a client.
    async fn exists(&self, client: &Owner) -> Result<bool, Fault>;

    /// What it reads as; absent where there is none for this client.
    async fn read(&self, gate: &dyn ConnectionPort, client: &Owner, query: Query) -> Result<Option<Contents>, Fault>;

    /// Whether it ever changes.
    fn may_change(&self) -> bool {
        true
    }

    /// Whether a change makes it read otherwise, where that neither names it nor is [`Change::Anything`].
    fn reads_otherwise(&self, _change: &Change) -> bool {
        false
    }
}

/// A URI template (RFC 6570).
#[derive(Debug)]
pub(crate) struct Template {
    pub(crate) uri: &'static str,
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    /// What a model is told of it.
    pub(crate) about: &'static str,
    /// Where that is always the same.
    pub(crate) mime_type: Option<&'static str>,
}

/// A page of a subject's part of `resources/list`.
#[derive(Debug, Default)]
pub(crate) struct Page {
    /// What is told before the pages of all subjects; on the first page only.
    pub(crate) first: Vec<Listed>,
    pub(crate) resources: Vec<Listed>,
    /// The cursor of the next page; absent on the last.
    pub(crate) next: Option<String>,
}

impl Page {
    /// Of a subject that has none but these.
    ///
    /// # Errors
    /// `invalid_cursor` for any cursor: it has given none.
    pub(crate) fn whole(cursor: Option<&str>, first: Vec<Listed>) -> Result<Self, Fault> {
        match cursor {
            None => Ok(Self { first, ..Self::default() }),
            Some(_) => Err(bad_cursor()),
        }
    }
}

/// What a resource reads as.
#[derive(Debug)]
pub(crate) struct Contents {
    pub(crate) mime_type: String,
    pub(crate) data: Data,
}

#[derive(Debug)]
pub(crate) enum Data {
    Text(String),
    Bytes(Vec<u8>),
}

impl Contents {
    pub(crate) fn json(value: &impl Serialize) -> Result<Self, Fault> {
        let text = serde_json::to_string(value).map_err(|error| Fault::internal(error.to_string()))?;
        Ok(Self::text(text, JSON))
    }

    pub(crate) fn text(text: String, mime_type: &str) -> Self {
        Self { mime_type: mime_type.to_owned(), data: Data::Text(text) }
    }
}

/// One that is told first: a list, or what there is one of.
pub(crate) fn listed(uri: impl Into<String>, name: &str, title: &str, about: &str) -> Listed {
    Listed::new(uri, name)
        .with_title(title)
        .with_description(about)
        .with_mime_type(JSON)
        .with_annotations(annotations(PRIORITY_HISTORY, None))
}

pub(crate) fn annotations(priority: f32, changed: Option<Timestamp>) -> Annotations {
    let mut annotations =
        Annotations::default().with_audience(vec![Role::User, Role::Assistant]).with_priority(priority);
    annotations.last_modified = changed.map(|at| at.to_string());
    annotations
}
