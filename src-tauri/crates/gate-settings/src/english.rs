//! Settings as agents and scripts are told of them: with their texts in English.

use gate_api::{Phrase, Setting, SettingChoice, SettingKind};
use gate_core::Fault;
use gate_texts::Texts;
use serde::Serialize;
use serde_json::{Value, json};

/// A setting as JSON.
///
/// # Errors
/// `internal`, when it can't be written as JSON.
pub fn setting_in_english(setting: &Setting) -> Result<Value, Fault> {
    let mut value = as_json(setting)?;
    value["title"] = said(&setting.title);
    value["help"] = said(&setting.help);
    value["kind"] = kind_in_english(&setting.kind)?;
    Ok(value)
}

/// What a setting may be as JSON.
///
/// # Errors
/// `internal`, when it can't be written as JSON.
pub fn kind_in_english(kind: &SettingKind) -> Result<Value, Fault> {
    let mut value = as_json(kind)?;
    match kind {
        SettingKind::Number { unit: Some(unit), .. } => value["unit"] = said(unit),
        SettingKind::Choice { choices } => {
            let choice = |each: &SettingChoice| json!({ "value": each.value, "title": said(&each.title) });
            value["choices"] = choices.iter().map(choice).collect();
        }
        _ => {}
    }
    Ok(value)
}

fn as_json(value: &impl Serialize) -> Result<Value, Fault> {
    serde_json::to_value(value).map_err(|error| Fault::internal(error.to_string()))
}

fn said(phrase: &Phrase) -> Value {
    Texts::english().phrase(phrase).into()
}
