//! The settings as a resource.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use gate_core::{Fault, Owner};
use serde_json::{Map, Value, json};

use super::{ConfigEntry, ConfigPort};
use crate::port::ConnectionPort;
use crate::resource::{Contents, PRIORITY_HISTORY, Page, Resource, Resources, annotations, listed};
use crate::uri::Query;

/// The URI of the settings, as agents may see them.
pub const CONFIG: &str = "file://review-gate/config";

/// What there is of them: one resource.
#[derive(Clone)]
pub(super) struct Settings(pub(super) Arc<dyn ConfigPort>);

#[async_trait]
impl Resources for Settings {
    fn at(&self, uri: &str) -> Option<Box<dyn Resource>> {
        (uri == CONFIG).then(|| Box::new(self.clone()) as Box<dyn Resource>)
    }

    async fn page(&self, _gate: &dyn ConnectionPort, _client: &Owner, cursor: Option<&str>) -> Result<Page, Fault> {
        let about = "The settings of Review Gate by section, without those that protect the person.";
        let changed = self.0.config_changed().await?;
        let settings = listed(CONFIG, "config", "Settings", about);
        Page::whole(cursor, vec![settings.with_annotations(annotations(PRIORITY_HISTORY, changed))])
    }
}

#[async_trait]
impl Resource for Settings {
    fn uri(&self) -> String {
        CONFIG.to_owned()
    }

    async fn exists(&self, _client: &Owner) -> Result<bool, Fault> {
        Ok(true)
    }

    async fn read(
        &self,
        _gate: &dyn ConnectionPort,
        _client: &Owner,
        _query: Query,
    ) -> Result<Option<Contents>, Fault> {
        Contents::json(&by_section(&self.0.config(None)?)).map(Some)
    }
}

/// Sections, each with its settings.
fn by_section(settings: &[ConfigEntry]) -> Value {
    let mut sections: BTreeMap<&str, Map<String, Value>> = BTreeMap::new();
    for setting in settings {
        if let Some((section, name)) = setting.key.split_once('.') {
            sections.entry(section).or_default().insert(name.to_owned(), setting.value.clone());
        }
    }
    json!(sections)
}
