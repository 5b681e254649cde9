//! What the tools about a session's record take. Bounds are checked here, too: what comes out may be stored.

use gate_core::ask::{at_most_chars, excerpt};
use gate_core::conversation::checked_checkpoint;
use gate_core::{Code, Fault, ProgressUpdate, RestoreId, SessionUuid, StepState, bounds};
use serde_json::{Value, json};

use crate::input::{Brief, FLAG, Id, Kind, List, Named, SESSION, TEXT, fields, wrong_type};
use crate::output::Shape as _;

#[cfg(test)]
mod fuzz;
#[cfg(test)]
mod tests;

fields! {
    /// What `review_gate_update_progress` takes.
    pub(super) struct Report {
        /// How much of the work is done.
        progress_percent: Option<u8> = Percent,
        /// What you are doing, in a sentence.
        status_message: Option<String> = TEXT.at_most(bounds::STATUS_MESSAGE_CHARS),
        /// The step that you are at.
        step_name: Option<String> = TEXT.at_most(bounds::STEP_NAME_CHARS),
        /// All steps in order; replaces the list of the report before.
        steps: Option<Vec<ReportedStep>> = List::of(Brief::<ReportedStep>::new(), bounds::STEPS),
        /// The work of this session is done.
        completed: bool = FLAG,
        session_uuid: Option<SessionUuid> = SESSION,
    }
}

impl Report {
    /// The report, within its bounds.
    pub(super) fn checked(self) -> Result<ProgressUpdate, Fault> {
        let steps = self.steps.map(|steps| steps.into_iter().map(|step| (step.name, step.state)).collect());
        let update = ProgressUpdate {
            progress_percent: self.progress_percent,
            status_message: self.status_message,
            step_name: self.step_name,
            steps,
            completed: self.completed,
        };
        update.checked()
    }
}

fields! {
    /// One step of a report.
    pub(super) struct ReportedStep needs name {
        name: String = TEXT.at_least(1).at_most(bounds::STEP_NAME_CHARS),
        state: StepState = State,
    }
}

impl From<String> for ReportedStep {
    fn from(name: String) -> Self {
        Self { name, state: StepState::default() }
    }
}

impl Named for ReportedStep {
    const KEY: &'static str = "name";
    const ONE: &'static str = "step";
}

fields! {
    /// What `review_gate_get_context` takes.
    pub(super) struct Older {
        /// The `next_cursor` of a result, for older messages.
        cursor: Option<String> = TEXT,
        session_uuid: Option<SessionUuid> = SESSION,
    }
}

fields! {
    /// What `review_gate_create_checkpoint` takes.
    pub(super) struct NewCheckpoint needs name {
        /// Unique in the session.
        name: Option<String> = TEXT.at_least(1).at_most(bounds::CHECKPOINT_NAME_CHARS),
        /// What the checkpoint stands for.
        description: Option<String> = TEXT.at_most(bounds::CHECKPOINT_DESCRIPTION_CHARS),
        session_uuid: Option<SessionUuid> = SESSION,
    }
}

impl NewCheckpoint {
    /// Name and description, within their bounds.
    pub(super) fn checked(&self) -> Result<(String, Option<String>), Fault> {
        let name = self.name.as_deref().ok_or_else(|| {
            let mend = "Give the checkpoint a name, e.g. `before the migration`.";
            Fault::new(Code::InvalidInput, "`name` is missing.", mend)
        })?;
        checked_checkpoint(name, self.description.as_deref())
    }
}

fields! {
    /// What `review_gate_list_checkpoints` takes.
    pub(super) struct OlderCheckpoints {
        /// The `next_cursor` of a result, for older checkpoints.
        cursor: Option<String> = TEXT,
        session_uuid: Option<SessionUuid> = SESSION,
    }
}

fields! {
    /// What `review_gate_restore_checkpoint` takes.
    pub(super) struct Back {
        /// The checkpoint's id or name.
        checkpoint_id: Option<String> = TEXT.at_most(bounds::CHECKPOINT_NAME_CHARS),
        /// Undo the latest restore instead.
        undo: bool = FLAG,
        /// With `undo`: the restore to undo, if it is the latest.
        restore_id: Option<RestoreId> = Id::<RestoreId>::new(),
        session_uuid: Option<SessionUuid> = SESSION,
    }
}

/// Where a conversation is to be taken.
#[derive(Debug, PartialEq)]
pub(super) enum Restore {
    /// To the checkpoint of this identifier or name.
    To(String),
    /// Back to where it was before a restore: this one, or the latest.
    Undo(Option<RestoreId>),
}

impl Back {
    /// Which of the two it asks for.
    pub(super) fn checked(&self) -> Result<Restore, Fault> {
        let wrong = |message: &str| {
            let mend = "Pass `checkpoint_id` to go back to a checkpoint, or `undo: true`, with a `restore_id` if you \
                        like, to undo a restore.";
            Fault::new(Code::InvalidInput, message, mend)
        };
        match (self.checkpoint_id.as_deref().map(str::trim), self.undo, self.restore_id) {
            (Some(_), true, _) => Err(wrong("`checkpoint_id` and `undo` can't be used together.")),
            (_, false, Some(_)) => Err(wrong("`restore_id` is for `undo: true` only.")),
            (None, true, restore) => Ok(Restore::Undo(restore)),
            (Some(""), false, None) => Err(wrong("`checkpoint_id` is empty.")),
            (Some(checkpoint), false, None) => {
                at_most_chars("checkpoint_id", checkpoint, bounds::CHECKPOINT_NAME_CHARS)?;
                Ok(Restore::To(checkpoint.to_owned()))
            }
            (None, false, None) => Err(wrong("`checkpoint_id` is missing.")),
        }
    }
}

/// 0 to 100; a fraction is rounded.
struct Percent;

impl Kind for Percent {
    type Value = u8;

    fn schema(&self) -> Value {
        json!({ "type": "number", "minimum": 0, "maximum": 100 })
    }

    fn read(&self, path: &str, value: Value) -> Result<u8, Fault> {
        let number = value.as_f64().ok_or_else(|| wrong_type(path, "a number from 0 to 100", &value))?;
        if !(0.0..=100.0).contains(&number) {
            return Err(Fault::new(
                Code::InvalidInput,
                format!("`{path}` is {number:.2}; it may be 0 to 100."),
                "Pass how much of the work is done, in percent.",
            ));
        }
        Ok(number.round() as u8)
    }
}

/// Where a step stands.
struct State;

impl Kind for State {
    type Value = StepState;

    fn schema(&self) -> Value {
        StepState::schema()
    }

    fn read(&self, path: &str, value: Value) -> Result<StepState, Fault> {
        let text = TEXT.read(path, value)?;
        StepState::parse(&text).ok_or_else(|| {
            let states = StepState::ALL.map(StepState::as_str).join(", ");
            Fault::new(
                Code::InvalidInput,
                format!("`{path}` is {:?}; it may be one of {states}.", excerpt(&text, 60)),
                "Pass one of the states, or leave it out for a step that hasn't begun.",
            )
        })
    }
}
