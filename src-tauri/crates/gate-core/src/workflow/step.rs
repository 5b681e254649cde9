//! The table of transitions: what an act leads to where a job stands, or why it is refused. Pure: whoever keeps the job does
//! it under a lock, and writes what comes of it.

mod agent;
mod clock;
mod life;
mod phase;
mod run;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::act::{Act, By};
use super::definition::Definition;
use super::event::{Event, EventKind};
use super::job::JobState;
use super::refusal::Refusal;
use super::words::{AgentStatus, JobStatus, Phase};
use crate::timestamp::Timestamp;

pub use clock::due;

/// What an act leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The job from now on. Where nothing else differs, its run has said something.
    pub job: JobState,
    /// What the caller is answered.
    pub answer: Answer,
    /// What is told of it, in its order. Something that was said before has none.
    pub events: Vec<Event>,
    /// Whether what stands in no publication is to be put into one, if there is something.
    pub publishes: bool,
}

/// What a caller is answered.
// The one with the most fields is read first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Answer {
    /// An audit has ended.
    Ended(EndedAnswer),
    /// An audit has begun.
    Started(StartedAnswer),
    /// The phase.
    Phase(PhaseAnswer),
    /// That it is done.
    Done {},
}

/// Where a job is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PhaseAnswer {
    /// The phase.
    pub phase: Phase,
    /// How far it is, in percent.
    pub overall_progress: u32,
}

/// An audit that has begun.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StartedAnswer {
    /// Its name, also where it was called by another one.
    pub agent_name: String,
    /// When.
    pub started_at: Timestamp,
    /// How far the job is, in percent.
    pub overall_progress: u32,
    /// The phase.
    pub phase: Phase,
    /// Which attempt it is, from 1.
    pub attempt: u32,
}

/// An audit that has ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EndedAnswer {
    /// Its name, also where it was called by another one.
    pub agent_name: String,
    /// How.
    pub status: AgentStatus,
    /// When.
    pub completed_at: Timestamp,
    /// How far the job is, in percent.
    pub overall_progress: u32,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// What comes next.
    pub next: String,
}

/// A job while an act is done to it.
struct Doing<'a> {
    job: JobState,
    definition: &'a Definition,
    now: Timestamp,
    events: Vec<Event>,
    publishes: bool,
}

impl JobState {
    /// What an act of this caller at this moment leads to.
    ///
    /// # Errors
    /// A [`Refusal`]: nothing has happened.
    pub fn step(&self, definition: &Definition, by: &By, act: &Act, now: Timestamp) -> Result<Step, Refusal> {
        let mut doing = Doing { job: self.clone(), definition, now, events: Vec::new(), publishes: false };
        let answer = doing.does(by, act)?;
        let Doing { mut job, events, publishes, .. } = doing;
        if !events.is_empty() {
            job.last_update = now;
        }
        Ok(Step { job, answer, events, publishes })
    }
}

impl Doing<'_> {
    fn does(&mut self, by: &By, act: &Act) -> Result<Answer, Refusal> {
        match (act, by) {
            (Act::SetPhase(phase), By::Run(caller)) => self.set_phase(caller, *phase),
            (Act::StartAgent(name), By::Run(caller)) => self.start_agent(caller, name),
            (Act::CompleteAgent { name, end, error, attempt }, By::Run(caller)) => {
                self.complete_agent(caller, name, *end, error.as_deref(), *attempt)
            }
            (Act::Add, By::Run(caller)) => self.admit(caller).map(|()| Answer::Done {}),
            (Act::Publish, By::Run(caller)) => {
                self.admit(caller)?;
                self.job.changes_requested = false;
                Ok(Answer::Done {})
            }
            (Act::Release, By::Person) => self.release(),
            (Act::Cancel, By::Person) => self.cancel(),
            (Act::HandOver(party), By::Person) => self.hand_over(party),
            (Act::Return, By::Person) => self.ask_for_changes(),
            (Act::Lose, By::Gate) => self.lose(),
            (Act::Fail(reason), By::Gate) => self.fail(reason),
            (Act::Supersede, By::Gate) => self.supersede(),
            (Act::Clock, By::Gate) => self.clock(),
            (Act::Wait(waits), By::Gate) => self.wait(*waits),
            (Act::Off(millis), By::Gate) => self.was_off(*millis),
            _ => Err(Refusal::NotForRuns),
        }
    }

    fn tell(&mut self, kind: EventKind, data: Value) {
        self.events.push(Event::new(kind, data));
    }

    /// Tells it with how far the job is.
    fn tell_progress(&mut self, kind: EventKind, mut data: Value) {
        data["overallProgress"] = json!(self.progress());
        self.tell(kind, data);
    }

    fn progress(&self) -> u32 {
        self.job.overall_progress(self.definition)
    }

    /// The job is over.
    fn ends(&mut self, status: JobStatus) {
        self.resume();
        self.job.status = status;
        self.job.waits = false;
        self.job.ended_at = Some(self.now);
    }
}
