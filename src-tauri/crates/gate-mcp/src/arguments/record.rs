//! Arguments of the tools about a session's record: progress, context, checkpoints. Bounds are checked
//! here, too: what comes out may be stored.

use gate_core::ask::{at_most_chars, excerpt};
use gate_core::conversation::checked_checkpoint;
use gate_core::{Code, Fault, ProgressUpdate, RestoreId, SessionUuid, StepState, bounds};
use serde_json::{Map, Value};

use super::{boolean, note_unknown, string, wrong_type};

#[cfg(test)]
mod fuzz;

/// What a tool was told.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Told<T> {
    pub(crate) what: T,
    pub(crate) session_uuid: Option<SessionUuid>,
    /// Names of fields that the tool doesn't know.
    pub(crate) unknown: Vec<String>,
}

/// A new checkpoint: its name and its description.
pub(crate) type NewCheckpoint = (String, Option<String>);

/// Where a conversation is to be taken.
#[derive(Debug, PartialEq)]
pub(crate) enum Restore {
    /// To the checkpoint of this identifier or name.
    To(String),
    /// Back to where it was before a restore: this one, or the latest.
    Undo(Option<RestoreId>),
}

/// Arguments of `review_gate_update_progress`.
pub(crate) fn progress(arguments: Option<Map<String, Value>>) -> Result<Told<ProgressUpdate>, Fault> {
    let told = told(arguments, |update: &mut ProgressUpdate, field, value| {
        match field {
            "progress_percent" => update.progress_percent = Some(percent(field, &value)?),
            "status_message" => update.status_message = Some(string(field, value)?),
            "step_name" => update.step_name = Some(string(field, value)?),
            "steps" => update.steps = Some(steps(value)?),
            "completed" => update.completed = boolean(field, &value)?,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    Ok(Told { what: told.what.checked()?, session_uuid: told.session_uuid, unknown: told.unknown })
}

/// Arguments of `review_gate_get_context` and `review_gate_list_checkpoints`: the cursor as it came.
pub(crate) fn paged(arguments: Option<Map<String, Value>>) -> Result<Told<Option<String>>, Fault> {
    told(arguments, |cursor: &mut Option<String>, field, value| {
        let known = field == "cursor";
        if known {
            *cursor = Some(string(field, value)?);
        }
        Ok(known)
    })
}

/// Arguments of `review_gate_create_checkpoint`.
pub(crate) fn checkpoint(arguments: Option<Map<String, Value>>) -> Result<Told<NewCheckpoint>, Fault> {
    #[derive(Default)]
    struct Fields {
        name: Option<String>,
        description: Option<String>,
    }
    let told = told(arguments, |fields: &mut Fields, field, value| {
        match field {
            "name" => fields.name = Some(string(field, value)?),
            "description" => fields.description = Some(string(field, value)?),
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    let name = told.what.name.ok_or_else(|| {
        Fault::new(Code::InvalidInput, "`name` is missing.", "Give the checkpoint a name, e.g. `before the migration`.")
    })?;
    let what = checked_checkpoint(&name, told.what.description.as_deref())?;
    Ok(Told { what, session_uuid: told.session_uuid, unknown: told.unknown })
}

/// Arguments of `review_gate_restore_checkpoint`.
pub(crate) fn restore(arguments: Option<Map<String, Value>>) -> Result<Told<Restore>, Fault> {
    #[derive(Default)]
    struct Fields {
        checkpoint: Option<String>,
        undo: bool,
        restore: Option<RestoreId>,
    }
    let told = told(arguments, |fields: &mut Fields, field, value| {
        match field {
            "checkpoint_id" => fields.checkpoint = Some(string(field, value)?),
            "undo" => fields.undo = boolean(field, &value)?,
            "restore_id" => fields.restore = Some(string(field, value)?.parse()?),
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    let wrong = |message: &str| {
        let mend = "Pass `checkpoint_id` to go back to a checkpoint, or `undo: true`, with a `restore_id` if you like, \
                    to undo a restore.";
        Fault::new(Code::InvalidInput, message, mend)
    };
    let what = match told.what {
        Fields { checkpoint: Some(_), undo: true, .. } => {
            return Err(wrong("`checkpoint_id` and `undo` can't be used together."));
        }
        Fields { undo: false, restore: Some(_), .. } => return Err(wrong("`restore_id` is for `undo: true` only.")),
        Fields { undo: true, restore, .. } => Restore::Undo(restore),
        Fields { checkpoint: Some(checkpoint), .. } => {
            let checkpoint = checkpoint.trim();
            if checkpoint.is_empty() {
                return Err(wrong("`checkpoint_id` is empty."));
            }
            at_most_chars("checkpoint_id", checkpoint, bounds::CHECKPOINT_NAME_CHARS)?;
            Restore::To(checkpoint.to_owned())
        }
        Fields { checkpoint: None, .. } => return Err(wrong("`checkpoint_id` is missing.")),
    };
    Ok(Told { what, session_uuid: told.session_uuid, unknown: told.unknown })
}

/// Goes through the fields; `take` says whether it knows one. What is null is absent.
pub(super) fn told<T: Default>(
    arguments: Option<Map<String, Value>>,
    take: impl Fn(&mut T, &str, Value) -> Result<bool, Fault>,
) -> Result<Told<T>, Fault> {
    let mut told = Told::default();
    for (field, value) in arguments.unwrap_or_default() {
        if value.is_null() {
            continue;
        }
        if field == "session_uuid" {
            told.session_uuid = Some(string(&field, value)?.parse()?);
        } else if !take(&mut told.what, &field, value)? {
            note_unknown(&mut told.unknown, &field);
        }
    }
    Ok(told)
}

/// 0 to 100; a fraction is rounded.
fn percent(field: &str, value: &Value) -> Result<u8, Fault> {
    let number = value.as_f64().ok_or_else(|| wrong_type(field, "a number from 0 to 100", value))?;
    if !(0.0..=100.0).contains(&number) {
        return Err(Fault::new(
            Code::InvalidInput,
            format!("`{field}` is {number:.2}; it may be 0 to 100."),
            "Pass how much of the work is done, in percent.",
        ));
    }
    Ok(number.round() as u8)
}

fn steps(value: Value) -> Result<Vec<(String, StepState)>, Fault> {
    let Value::Array(entries) = value else {
        return Err(wrong_type("steps", "an array of strings or of objects with a name", &value));
    };
    entries.into_iter().enumerate().map(|(index, entry)| step(index, entry)).collect()
}

fn step(index: usize, entry: Value) -> Result<(String, StepState), Fault> {
    let mut fields = match entry {
        Value::String(name) => return Ok((name, StepState::default())),
        Value::Object(fields) => fields,
        other => return Err(wrong_type(&format!("steps[{index}]"), "a string or an object with a name", &other)),
    };
    let mut take = |name: &str| fields.remove(name).filter(|value| !value.is_null());
    let Some(name) = take("name") else {
        return Err(Fault::new(
            Code::InvalidInput,
            format!("`steps[{index}]` has no `name`."),
            "Give every step a name, or pass plain strings.",
        ));
    };
    let name = string(&format!("steps[{index}].name"), name)?;
    let Some(state) = take("state") else { return Ok((name, StepState::default())) };
    let field = format!("steps[{index}].state");
    let text = string(&field, state)?;
    let state = StepState::parse(&text).ok_or_else(|| {
        let states = StepState::ALL.map(StepState::as_str).join(", ");
        Fault::new(
            Code::InvalidInput,
            format!("`{field}` is {:?}; it may be one of {states}.", excerpt(&text, 60)),
            "Pass one of the states, or leave it out for a step that hasn't begun.",
        )
    })?;
    Ok((name, state))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const ID: &str = "0190a6e4-7a10-7000-8000-000000000001";

    fn object(value: &Value) -> Option<Map<String, Value>> {
        value.as_object().cloned()
    }

    #[test]
    fn a_report_is_read_as_it_was_written() {
        let value = json!({
            "progress_percent": 66.6, "status_message": "reading", "step_name": null, "session_uuid": ID,
            "steps": ["one", {"name": "two", "state": "in_progress"}, {"name": "three", "state": null, "x": 1}],
            "completed": true, "eta": 3,
        });
        let told = progress(object(&value)).unwrap();
        let steps = vec![
            ("one".to_owned(), StepState::Pending),
            ("two".to_owned(), StepState::InProgress),
            ("three".to_owned(), StepState::Pending),
        ];
        let expected = ProgressUpdate {
            progress_percent: Some(67),
            status_message: Some("reading".to_owned()),
            step_name: None,
            steps: Some(steps),
            completed: true,
        };
        assert_eq!(told.what, expected, "fractions are rounded, null is absent");
        assert_eq!(told.session_uuid.map(|id| id.to_string()).as_deref(), Some(ID));
        assert_eq!(told.unknown, ["eta"], "a stray field costs nothing");
    }

    #[test]
    fn what_is_wrong_with_a_report_names_its_field() {
        let many = vec!["s"; bounds::STEPS + 1];
        for (value, field) in [
            (json!({"progress_percent": "50"}), "`progress_percent`"),
            (json!({"progress_percent": -0.5}), "`progress_percent`"),
            (json!({"progress_percent": 100.4}), "`progress_percent`"),
            (json!({"progress_percent": 1e300}), "`progress_percent`"),
            (json!({"status_message": 1}), "`status_message`"),
            (json!({"status_message": "x".repeat(bounds::STATUS_MESSAGE_CHARS + 1)}), "`status_message`"),
            (json!({"step_name": "x".repeat(bounds::STEP_NAME_CHARS + 1)}), "`step_name`"),
            (json!({"steps": "a"}), "`steps`"),
            (json!({"steps": many}), "`steps`"),
            (json!({"steps": [1]}), "`steps[0]`"),
            (json!({"steps": ["a", {"state": "pending"}]}), "`steps[1]`"),
            (json!({"steps": [{"name": "a", "state": "done"}]}), "`steps[0].state`"),
            (json!({"steps": [{"name": "a", "state": 1}]}), "`steps[0].state`"),
            (json!({"completed": "yes"}), "`completed`"),
            (json!({"completed": false}), "reports nothing"),
            (json!({"session_uuid": "x", "completed": true}), "`session_uuid`"),
        ] {
            let fault = progress(object(&value)).err();
            assert!(fault.as_ref().is_some_and(|f| f.message.contains(field)), "{field}: {fault:?}");
        }
        for (percent, rounded) in [(0.0, 0), (0.4, 0), (99.5, 100), (100.0, 100)] {
            let told = progress(object(&json!({ "progress_percent": percent })));
            assert_eq!(told.ok().and_then(|told| told.what.progress_percent), Some(rounded), "{percent}");
        }
    }

    #[test]
    fn a_restore_goes_to_a_checkpoint_or_undoes_one() {
        let id: RestoreId = ID.parse().unwrap();
        for (value, wanted) in [
            (json!({"checkpoint_id": " before "}), Restore::To("before".to_owned())),
            (json!({"checkpoint_id": "a", "undo": false}), Restore::To("a".to_owned())),
            (json!({"undo": true}), Restore::Undo(None)),
            (json!({"undo": true, "restore_id": ID}), Restore::Undo(Some(id))),
        ] {
            assert_eq!(restore(object(&value)).map(|told| told.what), Ok(wanted), "{value}");
        }
        let long = "x".repeat(bounds::CHECKPOINT_NAME_CHARS + 1);
        for (value, field) in [
            (json!({}), "`checkpoint_id` is missing"),
            (json!({"undo": false}), "`checkpoint_id` is missing"),
            (json!({"checkpoint_id": " "}), "`checkpoint_id` is empty"),
            (json!({"checkpoint_id": long}), "`checkpoint_id`"),
            (json!({"checkpoint_id": "a", "undo": true}), "`undo`"),
            (json!({"checkpoint_id": "a", "restore_id": ID}), "`restore_id`"),
            (json!({"undo": true, "restore_id": "x"}), "`restore_id`"),
        ] {
            let fault = restore(object(&value)).err();
            assert!(fault.as_ref().is_some_and(|f| f.message.contains(field)), "{value} {field}: {fault:?}");
        }
    }

    #[test]
    fn a_checkpoint_needs_a_name() {
        let told = checkpoint(object(&json!({"name": " a ", "description": "d"}))).map(|told| told.what);
        assert_eq!(told, Ok(("a".to_owned(), Some("d".to_owned()))));
        for value in [json!({}), json!({"name": " "}), json!({"name": 1}), json!({"name": null})] {
            let fault = checkpoint(object(&value)).err();
            assert!(fault.as_ref().is_some_and(|f| f.message.contains("`name`")), "{value}: {fault:?}");
        }
    }
}
