//! The prompts of the running gate: whether their folder and their files can be read, and whether they come from
//! their repository.

use gate_api::subjects::prompts::ListPrompts;
use gate_api::{Finding, PromptLibrary, PromptSyncStatus};

use crate::environment::Environment;
use crate::finding::{Mending as _, PROMPTS};
use crate::gate::{Gate, asked};
use crate::words;

pub(crate) async fn check(environment: &Environment, gate: &Gate) -> Vec<Finding> {
    if !gate.runs() {
        return Vec::new();
    }
    match asked(&environment.home, ListPrompts {}).await {
        Some(Ok(answer)) => told(&answer.library),
        // What keeps the gate from answering is another check's.
        Some(Err(_)) | None => Vec::new(),
    }
}

fn told(library: &PromptLibrary) -> Vec<Finding> {
    let mut findings = Vec::new();
    if let Some(fault) = &library.folder_fault {
        findings.push(PROMPTS.failed(fault));
    }
    let sync = &library.sync;
    if let (PromptSyncStatus::Error, Some(fault)) = (sync.status, &sync.fault) {
        let cause = match sync.synced_at {
            Some(at) => words::prompts_not_fetched(fault.message.as_str(), at.to_string()),
            None => words::prompts_never_fetched(fault.message.as_str()),
        };
        let found = PROMPTS.warning(cause, words::as_it_is(fault.mend.as_str()));
        findings.push(found.command("review-gate prompts sync"));
    }
    let broken = library.problems.iter().filter(|problem| !problem.warning).count();
    if broken > 0 {
        let found = PROMPTS.warning(words::prompts_broken(broken), words::mend_prompts());
        findings.push(found.command("review-gate prompts check"));
    }
    if findings.is_empty() {
        findings.push(PROMPTS.good(words::prompts_served(library.prompts.len())));
    }
    findings
}

#[cfg(test)]
mod tests {
    use gate_api::{Level, PromptSyncState};
    use gate_core::{Code, Fault, PromptOrigin, PromptProblem, Timestamp};

    use super::*;

    fn library() -> PromptLibrary {
        let sync = PromptSyncState {
            status: PromptSyncStatus::Success,
            step: None,
            repository: "https://git.example.org/prompts.git".into(),
            branch: String::new(),
            commit: "4f2a".into(),
            subject: String::new(),
            committed_at: None,
            prompts: 1,
            synced_at: Some(Timestamp(0)),
            tried_at: Some(Timestamp(0)),
            next_at: None,
            fault: None,
        };
        PromptLibrary { prompts: Vec::new(), problems: Vec::new(), folder: "/p".into(), folder_fault: None, sync }
    }

    fn problem(warning: bool) -> PromptProblem {
        PromptProblem {
            file: "a.yaml".into(),
            origin: PromptOrigin::Local,
            line: Some(1),
            column: None,
            message: "It is wrong.".into(),
            mend: "Mend it.".into(),
            served: false,
            warning,
        }
    }

    fn levels(library: &PromptLibrary) -> Vec<(Level, Option<String>)> {
        told(library).into_iter().map(|found| (found.level, found.command)).collect()
    }

    #[test]
    fn prompts_that_are_served_are_well_and_hints_are_no_findings() {
        let library = PromptLibrary { problems: vec![problem(true)], ..library() };
        assert_eq!(levels(&library), [(Level::Good, None)]);
    }

    #[test]
    fn a_repository_that_cant_be_fetched_is_named_with_what_mends_it_and_what_is_served() {
        let fault = Fault::new(Code::PromptSync, "It asks for a password.", "Set a token.");
        let mut library = library();
        library.sync.status = PromptSyncStatus::Error;
        library.sync.fault = Some(fault);
        let found = told(&library).remove(0);
        assert_eq!(found.command.as_deref(), Some("review-gate prompts sync"));
        assert_eq!(found.mend, Some(words::as_it_is("Set a token.")));
        assert_eq!(found.cause, words::prompts_not_fetched("It asks for a password.", "1970-01-01T00:00:00Z"));
        library.sync.synced_at = None;
        assert_eq!(told(&library)[0].cause, words::prompts_never_fetched("It asks for a password."));
    }

    #[test]
    fn a_folder_that_cant_be_read_and_broken_files_are_findings_of_their_own() {
        let fault = Fault::new(Code::UnreadableFile, "It can't be read.", "Check it.");
        let library = PromptLibrary { folder_fault: Some(fault), problems: vec![problem(false)], ..library() };
        let check = Some("review-gate prompts check".to_owned());
        assert_eq!(levels(&library), [(Level::Fault, None), (Level::Warning, check)]);
    }
}
