//! What is read of the arguments, and what is wrong with them.

use serde_json::Map;

use super::*;
use crate::input::{Read, read};

const ID: &str = "0190a6e4-7a10-7000-8000-000000000001";

/// What a tool is told.
pub(super) struct Told<T> {
    pub(super) what: T,
    pub(super) session_uuid: Option<SessionUuid>,
    pub(super) unknown: Vec<String>,
}

pub(super) fn progress(arguments: Option<Map<String, Value>>) -> Result<Told<ProgressUpdate>, Fault> {
    let Read { input, unknown } = read::<Report>(arguments)?;
    Ok(Told { session_uuid: input.session_uuid, what: input.checked()?, unknown })
}

pub(super) fn paged(arguments: Option<Map<String, Value>>) -> Result<Told<Option<String>>, Fault> {
    let Read { input, unknown } = read::<Older>(arguments)?;
    Ok(Told { session_uuid: input.session_uuid, what: input.cursor, unknown })
}

pub(super) fn checkpoint(arguments: Option<Map<String, Value>>) -> Result<Told<(String, Option<String>)>, Fault> {
    let Read { input, unknown } = read::<NewCheckpoint>(arguments)?;
    Ok(Told { session_uuid: input.session_uuid, what: input.checked()?, unknown })
}

pub(super) fn restore(arguments: Option<Map<String, Value>>) -> Result<Told<Restore>, Fault> {
    let Read { input, unknown } = read::<Back>(arguments)?;
    Ok(Told { session_uuid: input.session_uuid, what: input.checked()?, unknown })
}

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
