//! JSON in columns.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::StoreError;

/// Reads JSON that this program wrote into a column.
pub(crate) fn from_json<T: DeserializeOwned>(text: &str) -> Result<T, StoreError> {
    serde_json::from_str(text).map_err(|error| StoreError::Unexpected(error.to_string()))
}

/// Writes JSON for a column.
pub(crate) fn to_json<T: Serialize>(value: &T) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(|error| StoreError::Unexpected(error.to_string()))
}
