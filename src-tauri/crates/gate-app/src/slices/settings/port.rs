//! The settings as agents' tools know them.

use std::sync::Arc;

use async_trait::async_trait;
use gate_core::{Fault, Timestamp};
use gate_mcp::{ChangedSetting, ConfigEntry, ConfigPort, Whose};
use serde_json::{Map, Value};

use crate::slices::Gate;
use crate::work::whole;

#[async_trait]
impl ConfigPort for Gate {
    fn config(&self, keys: Option<&[String]>) -> Result<Vec<ConfigEntry>, Fault> {
        self.inner.settings.config_for_agents(keys)
    }

    async fn config_changed(&self) -> Result<Option<Timestamp>, Fault> {
        self.inner.settings.changed_for_agents().await
    }

    async fn update_config(&self, whose: Whose, values: Map<String, Value>) -> Result<Vec<ChangedSetting>, Fault> {
        if let Some(session) = whose.session_uuid {
            self.inner.conversations.admit(session, &whose.owner).await?;
        }
        let settings = Arc::clone(&self.inner.settings);
        whole(async move { settings.update_config_by_agent(whose, values).await }).await
    }
}
