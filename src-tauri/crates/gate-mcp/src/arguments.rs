//! Arguments of the tools, `review_gate_chat`'s here: a wrong type is an error that names the field; an
//! unknown field is ignored and named, so that a stray `timeout` doesn't cost the question.

use gate_core::ask::excerpt;
use gate_core::{Ask, Choice, Code, Fault, RequestId, SessionUuid};
use serde_json::{Map, Value};

pub(crate) mod config;
pub(crate) mod record;

#[cfg(test)]
mod fuzz;

/// The parsed arguments.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Arguments {
    pub(crate) ask: Ask,
    pub(crate) session_uuid: Option<SessionUuid>,
    pub(crate) request_id: Option<RequestId>,
    /// Names of fields that the tool doesn't know.
    pub(crate) unknown: Vec<String>,
}

/// Most unknown fields that are named in a result.
const UNKNOWN_NAMED: usize = 10;

/// Parses the arguments. Bounds are checked later, by [`Ask::checked`].
pub(crate) fn parse(arguments: Option<Map<String, Value>>) -> Result<Arguments, Fault> {
    let mut parsed = Arguments::default();
    for (field, value) in arguments.unwrap_or_default() {
        if value.is_null() {
            continue;
        }
        match field.as_str() {
            "message" => parsed.ask.message = string(&field, value)?,
            "title" => parsed.ask.title = Some(string(&field, value)?),
            "context" => parsed.ask.context = Some(string(&field, value)?),
            "diff" => parsed.ask.diff = Some(string(&field, value)?),
            "urgent" => parsed.ask.urgent = boolean(&field, &value)?,
            "allow_multiple" => parsed.ask.allow_multiple = boolean(&field, &value)?,
            "approval" => parsed.ask.approval = boolean(&field, &value)?,
            "options" => parsed.ask.options = options(value)?,
            "session_uuid" => parsed.session_uuid = Some(string(&field, value)?.parse()?),
            "request_id" => parsed.request_id = Some(string(&field, value)?.parse()?),
            _ => note_unknown(&mut parsed.unknown, &field),
        }
    }
    Ok(parsed)
}

fn note_unknown(unknown: &mut Vec<String>, field: &str) {
    if unknown.len() < UNKNOWN_NAMED {
        unknown.push(excerpt(field, 60));
    }
}

/// What the model is told of fields that the tool doesn't know.
pub(crate) fn unknown_note(unknown: &[String]) -> Option<String> {
    (!unknown.is_empty()).then(|| format!("Ignored unknown fields: {}.", unknown.join(", ")))
}

fn string(field: &str, value: Value) -> Result<String, Fault> {
    match value {
        Value::String(text) => Ok(text),
        other => Err(wrong_type(field, "a string", &other)),
    }
}

fn boolean(field: &str, value: &Value) -> Result<bool, Fault> {
    value.as_bool().ok_or_else(|| wrong_type(field, "true or false", value))
}

fn options(value: Value) -> Result<Vec<Choice>, Fault> {
    let Value::Array(entries) = value else {
        return Err(wrong_type("options", "an array of strings or of objects with a label", &value));
    };
    entries.into_iter().enumerate().map(|(index, entry)| option(index, entry)).collect()
}

fn option(index: usize, entry: Value) -> Result<Choice, Fault> {
    let mut fields = match entry {
        Value::String(label) => return Ok(Choice { label, description: None, recommended: false }),
        Value::Object(fields) => fields,
        other => return Err(wrong_type(&format!("options[{index}]"), "a string or an object with a label", &other)),
    };
    let mut take = |name: &str| fields.remove(name).filter(|value| !value.is_null());
    let label = match take("label") {
        Some(value) => string(&format!("options[{index}].label"), value)?,
        None => {
            return Err(Fault::new(
                Code::InvalidInput,
                format!("`options[{index}]` has no `label`."),
                "Give every option a label, or pass plain strings.",
            ));
        }
    };
    let description =
        take("description").map(|value| string(&format!("options[{index}].description"), value)).transpose()?;
    let recommended =
        take("recommended").map(|value| boolean(&format!("options[{index}].recommended"), &value)).transpose()?;
    Ok(Choice { label, description, recommended: recommended.unwrap_or(false) })
}

fn wrong_type(field: &str, wanted: &str, found: &Value) -> Fault {
    let kind = match found {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    };
    Fault::new(
        Code::InvalidInput,
        format!("`{field}` must be {wanted}, but it is {kind}."),
        "Pass the field as the tool's input schema says, or leave it out.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn parsed(value: Value) -> Result<Arguments, Fault> {
        parse(value.as_object().cloned())
    }

    #[test]
    fn a_wrong_type_names_its_field() {
        for (value, field) in [
            (json!({"message": 3}), "`message`"),
            (json!({"message": "m", "urgent": "yes"}), "`urgent`"),
            (json!({"message": "m", "options": "a,b"}), "`options`"),
            (json!({"message": "m", "options": [1]}), "`options[0]`"),
            (json!({"message": "m", "options": [{"description": "d"}]}), "`options[0]`"),
            (json!({"message": "m", "options": ["a", {"label": "b", "recommended": 1}]}), "`options[1].recommended`"),
            (json!({"message": "m", "session_uuid": "x"}), "`session_uuid`"),
            (json!({"message": "m", "request_id": 7}), "`request_id`"),
        ] {
            let fault = parsed(value.clone()).err();
            assert!(
                fault.as_ref().is_some_and(|f| f.code == Code::InvalidInput && f.message.contains(field)),
                "{value} must be refused with {field}: {fault:?}"
            );
        }
    }

    #[test]
    fn unknown_fields_are_kept_by_name_and_null_is_absent() {
        let arguments = parsed(json!({"message": "m", "timeout": 30, "title": null})).unwrap_or_default();
        assert_eq!(arguments.unknown, vec!["timeout"], "a stray field is named, not refused");
        assert_eq!(arguments.ask.title, None, "null means that the field is not there");
    }

    #[test]
    fn options_may_be_strings_or_objects() {
        let arguments = parsed(json!({"message": "m", "options": ["a", {"label": "b", "recommended": true}]}));
        let options = arguments.map(|a| a.ask.options).unwrap_or_default();
        assert_eq!(
            options.iter().map(|o| (o.label.as_str(), o.recommended)).collect::<Vec<_>>(),
            [("a", false), ("b", true)]
        );
    }
}
