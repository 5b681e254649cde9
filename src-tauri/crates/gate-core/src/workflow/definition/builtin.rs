//! The workflows that are there without a file.

use super::{AgentDefinition, Definition, Limits};
use crate::workflow::words::{JobType, OnFailure, Phase};

/// Their names.
pub const BUILT_IN: [&str; 2] = ["review", "followup"];

const SYNTHESIS: [(&str, &str, &[&str], Phase); 2] =
    [("threads", "Threads", &[], Phase::Synthesizing), ("report", "Rapport", &[], Phase::Synthesizing)];
const REVIEW: [(&str, &str, &[&str], Phase); 6] = [
    ("clean-architecture", "Clean Archi", &["clean-arch"], Phase::AgentsRunning),
    ("ddd", "DDD", &[], Phase::AgentsRunning),
    ("react-best-practices", "React", &[], Phase::AgentsRunning),
    ("solid", "SOLID", &[], Phase::AgentsRunning),
    ("testing", "Testing", &[], Phase::AgentsRunning),
    ("code-quality", "Code Quality", &[], Phase::AgentsRunning),
];
const FOLLOWUP: [(&str, &str, &[&str], Phase); 3] = [
    ("context", "Contexte", &[], Phase::AgentsRunning),
    ("verify", "Vérification", &[], Phase::AgentsRunning),
    ("scan", "Scan", &[], Phase::AgentsRunning),
];

/// The built-in workflow of this name.
#[must_use]
pub fn built_in(name: &str) -> Option<Definition> {
    match name {
        "review" => Some(of(name, "Review", JobType::Review, &REVIEW)),
        "followup" => Some(of(name, "Follow-up", JobType::Followup, &FOLLOWUP)),
        _ => None,
    }
}

fn of(name: &str, title: &str, job_type: JobType, audits: &[(&str, &str, &[&str], Phase)]) -> Definition {
    let agents =
        audits.iter().chain(&SYNTHESIS).zip(1..).map(|((name, shown, aliases, phase), order)| AgentDefinition {
            name: (*name).to_owned(),
            display_name: (*shown).to_owned(),
            aliases: aliases.iter().map(|alias| (*alias).to_owned()).collect(),
            prompt: None,
            order,
            weight: 1,
            files: Vec::new(),
            on_failure: OnFailure::Continue,
            phase: *phase,
        });
    Definition {
        name: name.to_owned(),
        title: title.to_owned(),
        job_type,
        agents: agents.collect(),
        limits: Limits::default(),
        instructions: None,
    }
}
