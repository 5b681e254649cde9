//! Whether the questions of agents whether they may do something come to the gate: where that stands in a client's files,
//! whether what it starts brings one here and takes "ask" back, and whether the client has been told to trust it.

use std::path::Path;
use std::time::Duration;

use gate_api::{Finding, Level, Phrase};
use gate_clients::{Client, Folders, QuestionsWay, Scope, Start, State};
use gate_core::PermissionAsk;
use tokio::task::JoinSet;

use crate::asking::{self, Asked, Failure};
use crate::clients::title;
use crate::environment::{Environment, is_executable};
use crate::finding::{Mending as _, named};
use crate::gate::Gate;
use crate::{program, run, words};

/// The checks of what brings a client's permission questions here.
pub(crate) const QUESTIONS: &str = "questions";
/// How long a program may take to say nothing to no question.
const LIMIT: Duration = Duration::from_secs(5);

pub(crate) async fn check(environment: &Environment, gate: &Gate, progress: &impl Fn(&str)) -> Vec<Finding> {
    // That there are no folders is found where clients are looked at.
    let Ok(folders) = Folders::of_process() else { return Vec::new() };
    let folders = match std::env::current_dir() {
        Ok(project) => folders.with_project(&project),
        Err(_) => folders,
    };
    let states: Vec<State> =
        gate_clients::states(&folders).into_iter().filter(|state| state.client.hands_over_questions()).collect();
    let ways = states.iter().flat_map(|state| state.questions.iter().map(|way| (state.client, way.clone())));
    let ways: Vec<(Client, QuestionsWay)> = ways.collect();
    if !ways.is_empty() {
        progress("permission questions");
    }
    let mut running = JoinSet::new();
    // A few files of three clients: all at the same time.
    for (at, (client, way)) in ways.into_iter().enumerate() {
        let (environment, runs) = (environment.clone(), gate.runs());
        running.spawn(async move { (at, of_way(&environment, runs, client, &way).await) });
    }
    let mut found = running.join_all().await;
    found.sort_by_key(|(at, _)| *at);
    let others = states.iter().flat_map(besides);
    found.into_iter().map(|(_, finding)| finding).chain(others).collect()
}

/// What is to be said of a client besides each of its ways.
fn besides(state: &State) -> Option<Finding> {
    let client = state.client;
    match state.questions.as_slice() {
        [] if state.connected => Some(
            found(client, Scope::User, Level::Note, words::questions_there(client.title()))
                .mend(words::mend_questions_there())
                .command(install(client, Scope::User)),
        ),
        [] | [_] => None,
        [first, second, ..] => {
            let files = state.questions.iter().map(|way| way.file.display().to_string()).collect::<Vec<_>>().join(", ");
            let command = format!("review-gate uninstall {}{} --permissions", client.id(), project(second.scope));
            let twice = found(client, first.scope, Level::Warning, words::questions_twice(client.title(), files));
            Some(twice.mend(words::mend_questions_twice()).command(command))
        }
    }
}

async fn of_way(environment: &Environment, gate_runs: bool, client: Client, way: &QuestionsWay) -> Finding {
    let file = way.file.as_path();
    let of = |level, cause: Phrase| found(client, way.scope, level, cause);
    let anew =
        |level, cause: Phrase| of(level, cause).mend(words::mend_questions_anew()).command(install(client, way.scope));
    let Some(program) = &way.program else { return of(Level::Good, words::questions_tool(file)) };
    let path = match program.components().count() {
        1 => environment.on_path(&program.display().to_string()),
        _ => Some(program.clone()),
    };
    let Some(path) = path.filter(|path| is_executable(path)) else {
        return anew(Level::Fault, words::questions_missing(client.title(), file, program.as_path()));
    };
    // Its question would come to the gate of that home.
    if let Some(theirs) = way.home.as_deref().filter(|theirs| environment.home.single_folder() != Some(theirs)) {
        let cause = words::questions_other_home(file, theirs, environment.home.data_folder());
        return anew(Level::Warning, cause);
    }
    // It may be of a repository that somebody else wrote.
    let (Some(program), Some(start)) = (program::ours(environment, &path), way.start.clone()) else {
        return anew(Level::Warning, words::questions_foreign(file));
    };
    let start = Start { program, ..start };
    let asked = match gate_runs {
        true => asking::attempt(&environment.home, client, &start).await,
        false => Ok(None),
    };
    let asked = match asked {
        Ok(None) if !says_nothing(&start.program, client).await => Err(Failure::Unknown),
        asked => asked,
    };
    let asked = match asked {
        Ok(asked) => asked,
        Err(failure) => {
            let cause = went_wrong(environment, client, way, failure);
            return anew(Level::Fault, cause);
        }
    };
    if way.trusted == Some(false) {
        return of(Level::Warning, words::questions_untrusted(client.title(), file))
            .mend(words::mend_questions_untrusted(client.title()));
    }
    match asked {
        None => of(Level::Skipped, words::questions_untried(file)),
        Some(Asked { took, unasked: None }) => of(Level::Good, words::questions_good(file, milliseconds(took))),
        Some(Asked { took, unasked: Some(why) }) => {
            let found = of(Level::Note, words::questions_unasked(file, milliseconds(took), word_of(why)));
            match why {
                PermissionAsk::Off => {
                    found.mend(words::mend_questions_on()).command("review-gate config set permissions.enabled true")
                }
                _ => found,
            }
        }
    }
}

fn went_wrong(environment: &Environment, client: Client, way: &QuestionsWay, failure: Failure) -> Phrase {
    let file = way.file.as_path();
    let program = way.program.as_deref().unwrap_or_else(|| Path::new(""));
    let command = asking::command(program, client);
    let said = |text: &str| environment.privacy().foreign(text, []);
    match failure {
        Failure::NoStart(error) => words::cant_start(command, error),
        Failure::Silent => words::questions_silent(file, command, asking::LIMIT.as_secs()),
        Failure::Unknown => words::questions_unknown(client.title(), file, program),
        Failure::Ended { code, errors } => {
            let errors = Some(errors.trim()).filter(|errors| !errors.is_empty());
            words::questions_ended(file, command, code.map(|code| code.to_string()), errors.map(said))
        }
        Failure::Printed(text) => words::questions_printed(file, command, said(&text)),
        Failure::Lost => words::questions_lost(file, command),
    }
}

/// Why nobody would be asked now, as the catalogue knows it.
fn word_of(why: PermissionAsk) -> &'static str {
    match why {
        PermissionAsk::Off => "off",
        PermissionAsk::Away => "away",
        PermissionAsk::Nobody => "nobody",
        _ => "other",
    }
}

fn milliseconds(took: Duration) -> u64 {
    u64::try_from(took.as_millis()).unwrap_or(u64::MAX)
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
