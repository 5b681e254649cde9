//! Arguments of the tools about the settings. What a setting may be is not known here.

use gate_core::{Code, Fault, bounds};
use serde_json::{Map, Value};

use super::record::{Told, told};
use super::{string, wrong_type};

/// Arguments of `review_gate_get_config`: the keys; absent for all.
pub(crate) fn keys(arguments: Option<Map<String, Value>>) -> Result<Told<Option<Vec<String>>>, Fault> {
    told(arguments, |keys: &mut Option<Vec<String>>, field, value| {
        if field != "keys" {
            return Ok(false);
        }
        let Value::Array(items) = value else { return Err(wrong_type(field, "an array of strings", &value)) };
        not_too_many(field, items.len())?;
        let item = |(index, item)| string(&format!("{field}[{index}]"), item);
        *keys = Some(items.into_iter().enumerate().map(item).collect::<Result<_, _>>()?);
        Ok(true)
    })
}

/// Arguments of `review_gate_update_config`: each key's value.
pub(crate) fn values(arguments: Option<Map<String, Value>>) -> Result<Told<Map<String, Value>>, Fault> {
    let read = told(arguments, |values: &mut Map<String, Value>, field, value| {
        if field != "values" {
            return Ok(false);
        }
        let Value::Object(entries) = value else {
            return Err(wrong_type(field, "an object with a value for each key", &value));
        };
        not_too_many(field, entries.len())?;
        *values = entries;
        Ok(true)
    })?;
    if read.what.is_empty() {
        return Err(Fault::new(
            Code::InvalidInput,
            "`values` is missing or empty.",
            "Pass each setting's new value, e.g. {\"window.theme\": \"dark\"}.",
        ));
    }
    Ok(read)
}

fn not_too_many(field: &str, count: usize) -> Result<(), Fault> {
    if count <= bounds::SETTING_ITEMS {
        return Ok(());
    }
    Err(Fault::new(
        Code::TooMany,
        format!("`{field}` has {count} entries; at most {} are allowed.", bounds::SETTING_ITEMS),
        "Pass fewer at a time.",
    ))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn object(value: &Value) -> Option<Map<String, Value>> {
        value.as_object().cloned()
    }

    #[test]
    fn keys_and_values_are_read_as_they_were_written() {
        let told = keys(object(&json!({"keys": ["window.theme"], "x": 1})));
        assert_eq!(
            told.map(|told| (told.what, told.unknown)),
            Ok((Some(vec!["window.theme".to_owned()]), vec!["x".to_owned()]))
        );
        assert_eq!(keys(None).map(|told| told.what), Ok(None), "without keys, all of them");
        let told = values(object(&json!({"values": {"window.theme": null}}))).map(|told| told.what);
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
