//! What the tools about the settings take. What a setting may be is not known here.

use gate_core::{Code, Fault, SessionUuid, bounds};
use serde_json::{Map, Value};

use crate::input::{Entries, List, SESSION, TEXT, fields};

fields! {
    /// What `review_gate_get_config` takes.
    pub(super) struct Keys {
        /// Which settings, e.g. `window.theme`; all of them where it is left out.
        keys: Option<Vec<String>> = List::bounded(TEXT, bounds::SETTING_ITEMS),
        session_uuid: Option<SessionUuid> = SESSION,
    }
}

fields! {
    /// What `review_gate_update_config` takes.
    pub(super) struct Changes needs values {
        /// Each setting's new value, e.g. {"window.theme": "dark"}; null for its default.
        values: Map<String, Value> =
            Entries { most: bounds::SETTING_ITEMS, wanted: "an object with a value for each key" },
        session_uuid: Option<SessionUuid> = SESSION,
    }
}

impl Changes {
    /// Each setting's value; at least one.
    pub(super) fn checked(self) -> Result<Map<String, Value>, Fault> {
        if self.values.is_empty() {
            return Err(Fault::new(
                Code::InvalidInput,
                "`values` is missing or empty.",
                "Pass each setting's new value, e.g. {\"window.theme\": \"dark\"}.",
            ));
        }
        Ok(self.values)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::input::{Read, read};

    fn object(value: &Value) -> Option<Map<String, Value>> {
        value.as_object().cloned()
    }

    fn keys(arguments: Option<Map<String, Value>>) -> Result<Read<Keys>, Fault> {
        read(arguments)
    }

    fn values(arguments: Option<Map<String, Value>>) -> Result<Map<String, Value>, Fault> {
        read::<Changes>(arguments)?.input.checked()
    }

    #[test]
    fn keys_and_values_are_read_as_they_were_written() {
        let told = keys(object(&json!({"keys": ["window.theme"], "x": 1})));
        assert_eq!(
            told.map(|told| (told.input.keys, told.unknown)),
            Ok((Some(vec!["window.theme".to_owned()]), vec!["x".to_owned()]))
        );
        assert_eq!(keys(None).map(|told| told.input.keys), Ok(None), "without keys, all of them");
        let told = values(object(&json!({"values": {"window.theme": null}})));
        assert_eq!(told.ok(), object(&json!({"window.theme": null})), "null asks for the default");
    }

    #[test]
    fn what_is_wrong_names_its_field() {
        let many: Vec<_> = (0..=bounds::SETTING_ITEMS).map(|number| number.to_string()).collect();
        let wide: Map<_, _> = many.iter().map(|name| (name.clone(), json!(1))).collect();
        for (value, field) in [
            (json!({"keys": "window.theme"}), "`keys`"),
            (json!({"keys": [1]}), "`keys[0]`"),
            (json!({"keys": many}), "`keys`"),
            (json!({"session_uuid": "x"}), "`session_uuid`"),
        ] {
            let fault = keys(object(&value)).err();
            assert!(fault.as_ref().is_some_and(|fault| fault.message.contains(field)), "{field}: {fault:?}");
        }
        for value in [json!({}), json!({"values": {}}), json!({"values": [1]}), json!({"values": wide})] {
            let fault = values(object(&value)).err();
            assert!(fault.as_ref().is_some_and(|fault| fault.message.contains("`values`")), "{value}: {fault:?}");
        }
    }
}
