//! Values of settings as JSON, and the types that they become.

use std::collections::BTreeMap;

use gate_core::clients::Override;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

/// Settings by their key, each as [`crate::check`] gives it back.
pub type Values = BTreeMap<&'static str, Value>;

/// The value of a key as its type.
pub(crate) fn typed<T: DeserializeOwned + Default>(values: &Values, key: &str, default: fn() -> Value) -> T {
    let found = values.get(key).cloned().and_then(|value| serde_json::from_value(value).ok());
    found.or_else(|| serde_json::from_value(default()).ok()).unwrap_or_default()
}

/// Waiting times of clients, in an order of their own.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Waits(pub Vec<Override>);

impl<'de> Deserialize<'de> for Waits {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let clients = Map::<String, Value>::deserialize(deserializer)?;
        let mut waits: Vec<_> = clients.iter().filter_map(|(name, value)| wait(name, value)).collect();
        waits.sort();
        Ok(Self(waits))
    }
}

/// The waiting time of one client: seconds for both transports, or for each of them.
fn wait(name: &str, value: &Value) -> Option<Override> {
    let both = value.as_u64();
    let seconds = |transport: &str| both.or_else(|| value.get(transport).and_then(Value::as_u64));
    Override::new(name, seconds("stdio"), seconds("http"))
}
