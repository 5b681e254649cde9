//! How far an agent is with its current work: percent, message, and the list of steps.

use serde::{Deserialize, Serialize};

use crate::ask::at_most_chars;
use crate::bounds;
use crate::fault::{Code, Fault};
use crate::timestamp::Timestamp;

/// Where a step stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum StepState {
    /// Not begun.
    #[default]
    Pending,
    /// Being worked on.
    InProgress,
    /// Done.
    Completed,
    /// Went wrong.
    Failed,
    /// Left out.
    Skipped,
}

impl StepState {
    /// Every state.
    pub const ALL: [Self; 5] = [Self::Pending, Self::InProgress, Self::Completed, Self::Failed, Self::Skipped];

    /// The state as it stands on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::InProgress => "in_progress",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Skipped => "skipped",
        }
    }

    /// Reads what [`Self::as_str`] wrote.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == text)
    }
}

/// One step of the work, with the times that the gate noted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Step {
    /// What it is.
    pub name: String,
    /// Where it stands.
    pub state: StepState,
    /// When it was first in progress.
    #[serde(default)]
    pub started_at: Option<Timestamp>,
    /// When it was completed, or failed.
    #[serde(default)]
    pub ended_at: Option<Timestamp>,
}

/// How far a session's work is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Progress {
    /// 0 to 100; absent while the agent has named none.
    pub progress_percent: Option<u8>,
    /// What the agent is doing, in a sentence.
    pub status_message: Option<String>,
    /// The step that it is at.
    pub step_name: Option<String>,
    /// All steps, in order.
    #[serde(default)]
    pub steps: Vec<Step>,
    /// When the agent last reported.
    pub updated_at: Timestamp,
}

/// What an agent reports. A field that is absent leaves what was there.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgressUpdate {
    /// 0 to 100.
    pub progress_percent: Option<u8>,
    /// Up to [`bounds::STATUS_MESSAGE_CHARS`].
    pub status_message: Option<String>,
    /// Up to [`bounds::STEP_NAME_CHARS`].
    pub step_name: Option<String>,
    /// The whole list anew, up to [`bounds::STEPS`]: names and states.
    pub steps: Option<Vec<(String, StepState)>>,
    /// The session's work is done.
    pub completed: bool,
}

impl ProgressUpdate {
    /// Checks every rule and bound.
    ///
    /// # Errors
    /// A [`Fault`] that names the field: `invalid_input`, `too_large` or `too_many`.
    pub fn checked(self) -> Result<Self, Fault> {
        let says_nothing = self.progress_percent.is_none()
            && self.status_message.is_none()
            && self.step_name.is_none()
            && self.steps.is_none()
            && !self.completed;
        if says_nothing {
            return Err(Fault::new(
                Code::InvalidInput,
                "The call reports nothing.",
                "Pass `progress_percent`, `status_message`, `step_name`, `steps` or `completed`.",
            ));
        }
        if let Some(percent) = self.progress_percent.filter(|percent| *percent > 100) {
            return Err(Fault::new(
                Code::InvalidInput,
                format!("`progress_percent` is {percent}; it may be 0 to 100."),
                "Pass how much of the work is done, in percent.",
            ));
        }
        if let Some(message) = &self.status_message {
            at_most_chars("status_message", message, bounds::STATUS_MESSAGE_CHARS)?;
        }
        if let Some(name) = &self.step_name {
            at_most_chars("step_name", name, bounds::STEP_NAME_CHARS)?;
        }
        let steps = self.steps.as_deref().unwrap_or_default();
        if steps.len() > bounds::STEPS {
            return Err(Fault::new(
                Code::TooMany,
                format!("`steps` has {} entries; at most {} are allowed.", steps.len(), bounds::STEPS),
                "Report coarser steps.",
            ));
        }
        for (index, (name, _)) in steps.iter().enumerate() {
            if name.trim().is_empty() {
                return Err(Fault::new(
                    Code::InvalidInput,
                    format!("`steps[{index}].name` is empty."),
                    "Give every step a name.",
                ));
            }
            at_most_chars(&format!("steps[{index}].name"), name, bounds::STEP_NAME_CHARS)?;
        }
        Ok(self)
    }
}

impl Progress {
    /// The progress after a report. A step keeps its times by its name and by its place among steps
    /// of the same name.
    #[must_use]
    pub fn after(before: Option<Self>, update: ProgressUpdate, now: Timestamp) -> Self {
        let mut progress = before.unwrap_or(Self {
            progress_percent: None,
            status_message: None,
            step_name: None,
            steps: Vec::new(),
            updated_at: now,
        });
        progress.updated_at = now;
        progress.progress_percent = update.progress_percent.or(progress.progress_percent);
        progress.status_message = update.status_message.or(progress.status_message);
        progress.step_name = update.step_name.or(progress.step_name);
        if let Some(steps) = update.steps {
            let mut known = std::mem::take(&mut progress.steps);
            progress.steps = steps.into_iter().map(|(name, state)| reported(&mut known, name, state, now)).collect();
        }
        progress
    }

    /// Checks progress that comes from elsewhere against the bounds of a report.
    ///
    /// # Errors
    /// As [`ProgressUpdate::checked`].
    pub fn check(&self) -> Result<(), Fault> {
        let update = ProgressUpdate {
            progress_percent: self.progress_percent,
            status_message: self.status_message.clone(),
            step_name: self.step_name.clone(),
            steps: Some(self.steps.iter().map(|step| (step.name.clone(), step.state)).collect()),
            completed: false,
        };
        update.checked().map(drop)
    }

    /// The step that the agent is at: the one it named, or the first that is in progress.
    #[must_use]
    pub fn current_step(&self) -> Option<&str> {
        let running = || self.steps.iter().find(|step| step.state == StepState::InProgress);
        self.step_name.as_deref().or_else(|| running().map(|step| step.name.as_str()))
    }
}

/// One step as it is after the report; takes what was known of it out of `known`.
fn reported(known: &mut Vec<Step>, name: String, state: StepState, now: Timestamp) -> Step {
    let before = known.iter().position(|step| step.name == name).map(|index| known.remove(index));
    let (started_at, ended_at) = before.as_ref().map_or((None, None), |step| (step.started_at, step.ended_at));
    let (started_at, ended_at) = match state {
        StepState::Pending | StepState::Skipped => (None, None),
        StepState::InProgress => (Some(started_at.filter(|_| ended_at.is_none()).unwrap_or(now)), None),
        StepState::Completed | StepState::Failed => (started_at, Some(ended_at.unwrap_or(now))),
    };
    Step { name, state, started_at, ended_at }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(steps: &[(&str, StepState)]) -> ProgressUpdate {
        let steps = steps.iter().map(|(name, state)| ((*name).to_owned(), *state)).collect();
        ProgressUpdate { steps: Some(steps), ..ProgressUpdate::default() }
    }

    #[test]
    fn what_a_report_leaves_out_stays() {
        let first = ProgressUpdate {
            progress_percent: Some(10),
            status_message: Some("reading".to_owned()),
            ..ProgressUpdate::default()
        };
        let progress = Progress::after(None, first, Timestamp(1));
        let second = ProgressUpdate { progress_percent: Some(20), ..ProgressUpdate::default() };
        let progress = Progress::after(Some(progress), second, Timestamp(2));
        assert_eq!((progress.progress_percent, progress.status_message.as_deref()), (Some(20), Some("reading")));
        assert_eq!(progress.updated_at, Timestamp(2));
    }

    #[test]
    fn the_gate_notes_when_steps_begin_and_end() {
        use StepState::{Completed, InProgress, Pending};
        let progress = Progress::after(None, steps(&[("a", InProgress), ("b", Pending)]), Timestamp(10));
        let progress = Progress::after(Some(progress), steps(&[("a", Completed), ("b", InProgress)]), Timestamp(30));
        let progress = Progress::after(Some(progress), steps(&[("a", Completed), ("b", InProgress)]), Timestamp(40));
        let times: Vec<_> = progress.steps.iter().map(|step| (step.started_at, step.ended_at)).collect();
        assert_eq!(times, [(Some(Timestamp(10)), Some(Timestamp(30))), (Some(Timestamp(30)), None)]);
        assert_eq!(progress.current_step(), Some("b"), "the step in progress is the current one");
        let again = Progress::after(Some(progress), steps(&[("a", InProgress)]), Timestamp(50));
        assert_eq!(again.steps.first().and_then(|step| step.started_at), Some(Timestamp(50)), "it began once more");
    }

    #[test]
    fn every_bound_is_exact_and_named() {
        let text = |chars: usize| Some("x".repeat(chars));
        let update = ProgressUpdate::default();
        assert!(ProgressUpdate { progress_percent: Some(100), ..update.clone() }.checked().is_ok());
        let many = vec![("s".to_owned(), StepState::Pending); bounds::STEPS];
        let just = ProgressUpdate {
            status_message: text(bounds::STATUS_MESSAGE_CHARS),
            step_name: text(bounds::STEP_NAME_CHARS),
            steps: Some(many.clone()),
            ..update.clone()
        };
        assert_eq!(just.clone().checked(), Ok(just), "the bounds themselves are allowed");
        let more = [many, vec![("s".to_owned(), StepState::Pending)]].concat();
        for (refused, field) in [
            (ProgressUpdate { progress_percent: Some(101), ..update.clone() }, "`progress_percent`"),
            (
                ProgressUpdate { status_message: text(bounds::STATUS_MESSAGE_CHARS + 1), ..update.clone() },
                "`status_message`",
            ),
            (ProgressUpdate { step_name: text(bounds::STEP_NAME_CHARS + 1), ..update.clone() }, "`step_name`"),
            (ProgressUpdate { steps: Some(more), ..update.clone() }, "`steps`"),
            (
                ProgressUpdate { steps: Some(vec![(" ".to_owned(), StepState::Pending)]), ..update.clone() },
                "`steps[0].name`",
            ),
            (update, "`progress_percent`"),
        ] {
            let fault = refused.clone().checked().err();
            let named = fault.as_ref().is_some_and(|fault| format!("{fault}").contains(field));
            assert!(named, "{refused:?} must be refused with {field}: {fault:?}");
        }
    }
}
