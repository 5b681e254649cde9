//! One run from the command line, to try a program by hand; and, for the tests, what `review-gate` is to its runs.
//!
//! ```sh
//! worker PROGRAM [--at PATH | --stand-in PATH] [--sandbox [--shared-network] [--port N]] [--model NAME] [--more WORD] [--server-off NAME] [--schema FILE] FOLDER < QUESTION
//! ```
//!
//! Runs are made in FOLDER. Prints what the program prints, and then what came of it.

#![expect(clippy::print_stdout, reason = "it is a command line")]

use std::ffi::OsString;
use std::io::Read as _;
use std::path::PathBuf;
use std::process::ExitCode;

use gate_worker::{Installed, Limits, Network, Program, Question, Run, Runs, Shelter, Shut, answer, stage};

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    if let Some(code) = stage(&arguments).or_else(|| gate_sandbox::stage(&arguments)) {
        return code;
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    match runtime.map_err(|error| error.to_string()).and_then(|runtime| runtime.block_on(run(&arguments[1..]))) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            println!("{why}");
            ExitCode::FAILURE
        }
    }
}

async fn run(arguments: &[OsString]) -> Result<(), String> {
    let words: Vec<&str> = arguments.iter().filter_map(|word| word.to_str()).collect();
    let [program, options @ .., folder] = &words[..] else { return Err("which program, and where?".to_owned()) };
    let program = Program::of_id(program).ok_or("there is no such program")?;
    let after =
        |option: &str| options.iter().position(|word| *word == option).and_then(|at| options.get(at + 1)).copied();
    let environment: Vec<_> = std::env::vars_os().collect();
    let program = match after("--stand-in") {
        Some(path) => Installed { program, path: path.into(), version: None },
        None => Installed::find(program, after("--at").map(PathBuf::from).as_deref(), &environment)
            .await
            .map_err(|refusal| refusal.to_string())?,
    };
    let mut words = String::new();
    std::io::stdin().read_to_string(&mut words).map_err(|error| error.to_string())?;
    let schema = after("--schema").map(std::fs::read_to_string).transpose().map_err(|error| error.to_string())?;
    let more = options.iter().zip(options.iter().skip(1)).filter(|(option, _)| **option == "--more");
    let more = more.map(|(_, word)| (*word).to_owned()).collect();
    let servers_off = after("--server-off").map(str::to_owned).into_iter().collect();
    let runs = Runs::open(folder.into()).map_err(|refusal| refusal.to_string())?;
    let mut folder = runs.folder().map_err(|refusal| refusal.to_string())?;
    folder.put("src/main.rs".as_ref(), b"fn main() {}\n").map_err(|refusal| refusal.to_string())?;
    let shut = Shut {
        mark: "/run/worker".into(),
        network: if options.contains(&"--shared-network") { Network::Shared } else { Network::Any },
        ports: after("--port").and_then(|port| port.parse().ok()).into_iter().collect(),
        ..Shut::default()
    };
    let run = Run {
        program: &program,
        question: Question {
            words,
            schema,
            model: after("--model").map(str::to_owned),
            money: None,
            more,
            servers_off,
        },
        folder,
        environment: &environment,
        limits: Limits::default(),
        shelter: if options.contains(&"--sandbox") { Shelter::Sandbox(shut) } else { Shelter::None },
        starter: std::env::current_exe().map_err(|error| error.to_string())?,
    };
    let watch = |stream, line: &str| println!("{stream:?}: {line}");
    let ended = run.ended(answer::object::<serde_json::Value>, watch, &Default::default()).await;
    println!("{program:?}\n{:?}\n{:?}\n{:?}", ended.outcome, ended.spent, ended.took);
    Ok(())
}
