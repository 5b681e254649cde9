//! Whether the questions of agents whether they may do something come to the gate: where that stands in a client's files,
//! whether what it starts is there and knows how, and whether the client has been told to trust it. Nothing is asked.

use std::path::Path;
use std::time::Duration;

use gate_api::{Finding, Level, Phrase};
use gate_clients::{Client, Folders, QuestionsWay, Scope, State};

use crate::clients::title;
use crate::environment::{Environment, is_executable};
use crate::finding::{Mending as _, named};
use crate::{run, words};

/// The checks of what brings a client's permission questions here.
pub(crate) const QUESTIONS: &str = "questions";
/// How long a program may take to say nothing to no question.
const LIMIT: Duration = Duration::from_secs(5);

pub(crate) async fn check(environment: &Environment) -> Vec<Finding> {
    // That there are no folders is found where clients are looked at.
    let Ok(folders) = Folders::of_process() else { return Vec::new() };
    let folders = match std::env::current_dir() {
        Ok(project) => folders.with_project(&project),
        Err(_) => folders,
    };
    let mut findings = Vec::new();
    for state in gate_clients::states(&folders).into_iter().filter(|state| state.client.hands_over_questions()) {
        findings.extend(of_client(environment, &state).await);
    }
    findings
}

async fn of_client(environment: &Environment, state: &State) -> Vec<Finding> {
    let client = state.client;
    let [first, others @ ..] = state.questions.as_slice() else {
        let note = || {
            found(client, Scope::User, Level::Note, words::questions_there(client.title()))
                .mend(words::mend_questions_there())
                .command(install(client, Scope::User))
        };
        return if state.connected { vec![note()] } else { Vec::new() };
    };
    let mut findings = Vec::new();
    for way in &state.questions {
        findings.push(of_way(environment, client, way).await);
    }
    if !others.is_empty() {
        let files = state.questions.iter().map(|way| way.file.display().to_string()).collect::<Vec<_>>().join(", ");
        let command = format!("review-gate uninstall {}{} --permissions", client.id(), project(others[0].scope));
        let twice = found(client, first.scope, Level::Warning, words::questions_twice(client.title(), files));
        findings.push(twice.mend(words::mend_questions_twice()).command(command));
    }
    findings
}

async fn of_way(environment: &Environment, client: Client, way: &QuestionsWay) -> Finding {
    let file = way.file.as_path();
    let of = |level, cause: Phrase| found(client, way.scope, level, cause);
    let anew =
        |cause: Phrase| of(Level::Fault, cause).mend(words::mend_questions_anew()).command(install(client, way.scope));
    if let Some(program) = &way.program {
        let path = match program.components().count() {
            1 => environment.on_path(&program.display().to_string()),
            _ => Some(program.clone()),
        };
        let Some(path) = path.filter(|path| is_executable(path)) else {
            return anew(words::questions_missing(client.title(), file, program.as_path()));
        };
        if !says_nothing(&path, client).await {
            return anew(words::questions_unknown(client.title(), file, path.as_path()));
        }
    }
    match way.trusted {
        Some(false) => of(Level::Warning, words::questions_untrusted(client.title(), file))
            .mend(words::mend_questions_untrusted(client.title())),
        Some(true) | None => of(Level::Good, words::questions_good(file)),
    }
}

/// Whether a program knows the command, and says nothing where nothing is asked: one of an older release ends with an error,
/// which some clients take for a denial.
async fn says_nothing(program: &Path, client: Client) -> bool {
    let said = run::said(program, &["permit", client.id()], LIMIT).await;
    said.is_ok_and(|said| said.is_some_and(|said| said.code == Some(0) && said.output.is_empty()))
}

fn found(client: Client, scope: Scope, level: Level, cause: Phrase) -> Finding {
    named(format!("{QUESTIONS}.{}", client.id()), title(QUESTIONS, client, scope), level, cause)
}

fn install(client: Client, scope: Scope) -> String {
    format!("review-gate install {}{} --permissions", client.id(), project(scope))
}

fn project(scope: Scope) -> &'static str {
    match scope {
        Scope::User => "",
        Scope::Project => " --project",
    }
}
