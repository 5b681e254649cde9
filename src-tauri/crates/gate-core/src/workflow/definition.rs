//! What a job goes through: its audits and its limits. A job has the definition that it began with, whatever becomes of the
//! file that it came from.

mod builtin;

use serde::{Deserialize, Serialize};

use super::bounds;
use super::words::{JobType, OnFailure, Phase};
use crate::bounded::{at_most_bytes, at_most_chars};
use crate::fault::{Code, Fault};
use crate::require;

pub use builtin::{BUILT_IN, built_in};

/// A workflow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Definition {
    /// By which it is asked for.
    pub name: String,
    /// By which people know it.
    pub title: String,
    /// What its jobs are for.
    pub job_type: JobType,
    /// Its audits, by their order.
    pub agents: Vec<AgentDefinition>,
    /// What bounds its jobs.
    #[serde(default)]
    pub limits: Limits,
    /// What the reviewer is told to do, in place of the usual steps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub instructions: Option<String>,
}

/// An audit of a workflow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct AgentDefinition {
    /// Its name, which no other one has.
    pub name: String,
    /// By which people know it.
    #[serde(rename = "displayName")]
    pub display_name: String,
    /// Other names that calls may use.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// The prompt that its start gives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub prompt: Option<String>,
    /// Audits of a lower one come before it; those of the same one run beside it.
    #[serde(default)]
    pub order: u32,
    /// How much of the progress is its.
    #[serde(default = "one")]
    pub weight: u32,
    /// Where a diff has none of these files, it doesn't have this audit; `*` stands for anything. Empty: it always has.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// What becomes of the job where it fails.
    #[serde(default = "goes_on")]
    pub on_failure: OnFailure,
    /// By the end of which it has to be finished.
    #[serde(default = "audits")]
    pub phase: Phase,
}

/// What bounds a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(default)]
pub struct Limits {
    /// Minutes that it may take.
    pub job_minutes: u32,
    /// Minutes that each of its audits may take.
    pub agent_minutes: u32,
    /// How often an audit may be started again after it failed.
    pub retries: u32,
    /// Changed lines up to which a run may start by itself.
    pub lines: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self { job_minutes: 60, agent_minutes: 20, retries: 1, lines: 20_000 }
    }
}

impl Limits {
    /// Milliseconds that a job may take.
    #[must_use]
    pub fn job_millis(&self) -> u64 {
        u64::from(self.job_minutes) * 60_000
    }

    /// Milliseconds that an audit may take.
    #[must_use]
    pub fn agent_millis(&self) -> u64 {
        u64::from(self.agent_minutes) * 60_000
    }
}

impl Definition {
    /// Holds it against its rules, and puts its audits in their order.
    ///
    /// # Errors
    /// `workflow_definition`, with the field and what it may be.
    pub fn checked(mut self) -> Result<Self, Fault> {
        named("name", &self.name)?;
        named("title", &self.title)?;
        within("agents", self.agents.len(), 1, bounds::AGENTS)?;
        if let Some(text) = &self.instructions {
            at_most_bytes("instructions", text, bounds::INSTRUCTIONS_BYTES).map_err(of_definition)?;
        }
        self.limits.check()?;
        let mut names: Vec<&str> = Vec::new();
        for (at, agent) in self.agents.iter().enumerate() {
            agent.check(at)?;
            for name in agent.names() {
                if names.contains(&name) {
                    return Err(broken(format!("`agents[{at}]` has the name `{name}`, which another audit has.")));
                }
                names.push(name);
            }
        }
        self.agents.sort_by_key(|agent| agent.order);
        let mut phase = Phase::Initializing;
        for agent in &self.agents {
            if agent.phase < phase {
                return Err(broken(format!(
                    "`{}` is of `{}` and comes after an audit of `{}`: give it a lower `order`.",
                    agent.name,
                    agent.phase.as_str(),
                    phase.as_str()
                )));
            }
            phase = agent.phase;
        }
        Ok(self)
    }

    /// The audit of this name, which may be another one of its names.
    #[must_use]
    pub fn agent(&self, name: &str) -> Option<&AgentDefinition> {
        self.agents.iter().find(|agent| agent.names().any(|own| own == name))
    }

    /// As it is for a diff of these files: without the audits that are for others. All of it where none would be left.
    #[must_use]
    pub fn for_files(&self, files: &[&str]) -> Self {
        let agents: Vec<_> = self.agents.iter().filter(|agent| agent.is_for(files)).cloned().collect();
        if agents.is_empty() { self.clone() } else { Self { agents, ..self.clone() } }
    }
}

impl AgentDefinition {
    fn names(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.name.as_str()).chain(self.aliases.iter().map(String::as_str))
    }

    fn is_for(&self, files: &[&str]) -> bool {
        let fits = |file: &str, pattern: &str| {
            let anywhere = pattern.strip_prefix("**/").is_some_and(|rest| require::is_of(file, rest));
            anywhere || require::is_of(file, pattern)
        };
        self.files.is_empty() || files.iter().any(|file| self.files.iter().any(|pattern| fits(file, pattern)))
    }

    fn check(&self, at: usize) -> Result<(), Fault> {
        let field = |name: &str| format!("agents[{at}].{name}");
        named(&field("name"), &self.name)?;
        named(&field("displayName"), &self.display_name)?;
        within(&field("aliases"), self.aliases.len(), 0, bounds::ALIASES)?;
        for alias in &self.aliases {
            named(&field("aliases"), alias)?;
        }
        within(&field("files"), self.files.len(), 0, bounds::FILE_PATTERNS)?;
        for pattern in self.files.iter().chain(&self.prompt) {
            let which = if self.prompt.as_ref() == Some(pattern) { "prompt" } else { "files" };
            if pattern.is_empty() {
                return Err(broken(format!("`{}` has an empty text.", field(which))));
            }
            at_most_chars(&field(which), pattern, bounds::PATTERN_CHARS).map_err(of_definition)?;
        }
        within(&field("order"), self.order as usize, 0, bounds::ORDER as usize)?;
        within(&field("weight"), self.weight as usize, 1, bounds::WEIGHT as usize)?;
        match self.phase {
            Phase::AgentsRunning | Phase::Synthesizing => Ok(()),
            Phase::Initializing | Phase::Publishing | Phase::Completed => Err(broken(format!(
                "`{}` is `{}`; audits are of `agents-running` or of `synthesizing`.",
                field("phase"),
                self.phase.as_str()
            ))),
        }
    }
}

impl Limits {
    fn check(&self) -> Result<(), Fault> {
        within("limits.job_minutes", self.job_minutes as usize, 1, bounds::JOB_MINUTES as usize)?;
        within("limits.agent_minutes", self.agent_minutes as usize, 1, self.job_minutes as usize)?;
        within("limits.retries", self.retries as usize, 0, bounds::RETRIES as usize)?;
        within("limits.lines", self.lines as usize, 1, bounds::LINES as usize)
    }
}

/// That a definition breaks a rule.
fn broken(message: String) -> Fault {
    Fault::new(
        Code::WorkflowDefinition,
        message,
        "Mend the workflow's file; the last version that was good is used until then.",
    )
}

fn of_definition(fault: Fault) -> Fault {
    broken(fault.message)
}

fn named(field: &str, text: &str) -> Result<(), Fault> {
    if text.trim().is_empty() || text.trim() != text || text.contains(char::is_control) {
        return Err(broken(format!("`{field}` must be a name on one line, without blanks at its ends.")));
    }
    at_most_chars(field, text, bounds::NAME_CHARS).map_err(of_definition)
}

fn within(field: &str, value: usize, least: usize, most: usize) -> Result<(), Fault> {
    if (least..=most).contains(&value) {
        return Ok(());
    }
    Err(broken(format!("`{field}` is {value}; it may be {least} to {most}.")))
}

fn one() -> u32 {
    1
}

fn goes_on() -> OnFailure {
    OnFailure::Continue
}

fn audits() -> Phase {
    Phase::AgentsRunning
}

#[cfg(test)]
mod tests;
