//! The tests' gate has no settings.

use async_trait::async_trait;
use gate_core::{Code, Fault, Timestamp};
use serde_json::{Map, Value};

use super::FakeGate;
use crate::config::{ChangedSetting, ConfigEntry, ConfigPort};
use crate::port::Whose;

#[async_trait]
impl ConfigPort for FakeGate {
    fn config(&self, _keys: Option<&[String]>) -> Result<Vec<ConfigEntry>, Fault> {
        Ok(Vec::new())
    }

    async fn config_changed(&self) -> Result<Option<Timestamp>, Fault> {
        Ok(self.lock().config_changed)
    }

    async fn update_config(&self, _whose: Whose, _values: Map<String, Value>) -> Result<Vec<ChangedSetting>, Fault> {
        Err(Fault::new(Code::UnknownSetting, "There is none.", "Change nothing."))
    }
}
