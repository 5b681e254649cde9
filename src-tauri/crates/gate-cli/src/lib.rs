//! `review-gate`: the command line. Never links GTK or WebKit.

mod agents;
mod allowing;
mod answer;
mod ask;
mod away;
mod choosing;
mod client;
mod config;
mod database;
mod deciding;
mod doctor;
mod ending;
mod exit;
mod history;
mod hooks;
mod input;
mod install;
mod link;
mod mcp;
mod note;
mod open;
mod output;
mod progress;
mod prompts;
mod receipts;
mod requests;
mod rules;
mod run;
mod serve;
mod session;
mod settings;
mod spoken;
mod status;
mod token;
mod transcribe;
mod transfer;
mod verify;
mod voice;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use gate_core::Fault;
use gate_link::Home;
use tokio::runtime::Runtime;

const AFTER: &str = "Without a command it opens the desktop app.

Examples:
  review-gate                              open the window
  review-gate requests                     what is waiting for you
  review-gate answer 0193… --approve       answer one of them
  review-gate ask 'Deploy now?' --approval && ./deploy
  review-gate install cursor               connect an agent's client
  review-gate run --network -- claude      an agent in a sandbox that can ask and not answer
  review-gate verify origin/main..HEAD     whether you have approved what is to be pushed
  review-gate prompts list                 the slash commands that agents have
  review-gate history 'retry webhook'      what was said about it
  review-gate voice download               get a speech model, to speak replies

Exit codes: 0 done, answered or approved; 1 changes requested or cancelled (ask), not approved (verify), not confirmed (revoke),
not sound (check), not valid (config validate, prompts check);
2 wrong usage; 3 still pending (ask); 4 a fault, named on stderr; 125 no sandbox (run, which else ends as its agent does).

REVIEW_GATE_HOME names one folder for settings, data, logs and socket.";

/// Where coding agents stop, ask and report, and you answer.
#[derive(Debug, Parser)]
#[command(name = "review-gate", version, after_help = AFTER, disable_help_subcommand = true)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve MCP on standard input and output: what an agent's client starts
    Mcp(mcp::McpArguments),
    /// Run the gate without windows
    Serve(serve::ServeArguments),
    /// Say whether a gate runs
    Status(status::StatusArguments),
    /// Stop the running gate; what is pending stays pending
    #[command(after_help = "Example:
  review-gate stop && review-gate serve")]
    Stop,
    /// Print a link that shows the gate in a browser
    Link(link::LinkArguments),
    /// Make, list and revoke tokens for clients over HTTP
    Token(token::TokenArguments),
    /// Connect clients: write the gate into their configuration, or list them
    Install(install::InstallArguments),
    /// Take the gate out of clients' configuration again
    Uninstall(install::UninstallArguments),
    /// Print the rules that tell a client's agents when to ask, and where they belong
    Rules(rules::RulesArguments),
    /// Run an agent in a sandbox that reaches the gate's tools and none of its files
    Run(run::RunArguments),
    /// Look at the whole chain, from the home folder to the clients
    Doctor(doctor::DoctorArguments),
    /// List what is waiting for an answer
    Requests(requests::RequestsArguments),
    /// Answer a request
    Answer(answer::AnswerArguments),
    /// Tell an agent something while it works
    Note(note::NoteArguments),
    /// Say whose a session is
    Session(session::SessionArguments),
    /// Tell agents that you are away, or there again
    Away(away::AwayArguments),
    /// Ask a person from a script, and print the reply as JSON
    Ask(ask::AskArguments),
    /// Say whether what git holds was approved: the commit, what is staged, a range, a receipt
    Verify(verify::VerifyArguments),
    /// List the receipts of what was given, and how they stand
    Receipts(receipts::ReceiptsArguments),
    /// Withdraw a receipt: what was approved by it counts no more
    Revoke(receipts::RevokeArguments),
    /// List and search what was asked and answered
    History(history::HistoryArguments),
    /// Write a conversation, or all of them, as Markdown or JSON
    Export(transfer::ExportArguments),
    /// Read an exported JSON file into the record
    Import(transfer::ImportArguments),
    /// Turn a recording into text, on this machine
    Transcribe(transcribe::TranscribeArguments),
    /// Get speech models, and list microphones
    Voice(voice::VoiceArguments),
    /// List, check and show prompts, and fetch them from their repository
    Prompts(prompts::PromptsArguments),
    /// Read and change the settings
    Config(config::ConfigArguments),
    /// Make a backup of the database now
    Backup(database::BackupArguments),
    /// Put a backup in the database's place
    Restore(database::RestoreArguments),
    /// Say what state the database and its backups are in
    Check(database::CheckArguments),
}

/// Runs the command that the process's arguments name.
#[must_use]
pub fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().collect();
    if let Some(code) = gate_sandbox::stage(&arguments) {
        return code;
    }
    let command = match named(&arguments) {
        Ok(command) => command,
        Err(error) => return usage(&error),
    };
    ended(run(command))
}

/// The command that a process's arguments name; the first of them is the program.
///
/// Clients start `review-gate mcp`, which is known without the parser: that makes all commands with all their arguments,
/// and a relay would keep what it has touched for as long as its agent lives.
fn named(arguments: &[OsString]) -> Result<Option<Command>, clap::Error> {
    match arguments {
        [_, command] if command == mcp::COMMAND => Ok(Some(Command::Mcp(mcp::McpArguments::default()))),
        _ => Arguments::try_parse_from(arguments).map(|parsed| parsed.command),
    }
}

/// Prints the help that was asked for, or what is wrong with the arguments on one line.
fn usage(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() {
        output::line(error.render().to_string().trim_end());
        return ExitCode::from(exit::DONE);
    }
    let text = error.render().to_string();
    let cause = text.lines().next().unwrap_or_default().trim_start_matches("error: ");
    output::error(&format!("{cause}; see `review-gate --help`."));
    ExitCode::from(exit::USAGE)
}

/// `review-gate-relay mcp TOOLSET`: the relay, with none of the other commands.
#[must_use]
pub fn relay() -> ExitCode {
    let arguments: Vec<_> =
        std::env::args_os().skip(1).map(|argument| argument.to_string_lossy().into_owned()).collect();
    let [command, toolset] = &arguments[..] else { return usage_of_relay() };
    if command != mcp::COMMAND {
        return usage_of_relay();
    }
    let toolset = toolset.clone();
    ended(ground().and_then(|(home, runtime)| mcp::relay(home, runtime, toolset)))
}

fn usage_of_relay() -> ExitCode {
    output::error("this program is a part of `review-gate mcp`, which clients start.");
    ExitCode::from(exit::USAGE)
}

/// The exit code of what was done, after saying what went wrong.
fn ended(done: Result<ExitCode, Fault>) -> ExitCode {
    done.unwrap_or_else(|fault| {
        output::fault(&fault);
        ExitCode::from(exit::FAULT)
    })
}

/// What every command stands on.
fn ground() -> Result<(Home, Runtime), Fault> {
    let home = Home::from_env().map_err(|error| error.fault())?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    Ok((home, runtime.map_err(|error| Fault::internal(error.to_string()))?))
}

fn run(command: Option<Command>) -> Result<ExitCode, Fault> {
    let (home, runtime) = ground()?;
    match command {
        Some(Command::Mcp(arguments)) => mcp::run(home, runtime, arguments),
        Some(Command::Serve(arguments)) => serve::run(home, &arguments),
        Some(Command::Status(arguments)) => runtime.block_on(status::run(&home, &arguments)),
        Some(Command::Stop) => runtime.block_on(status::stop(&home)),
        Some(Command::Link(arguments)) => runtime.block_on(link::run(&home, &arguments)),
        Some(Command::Token(arguments)) => runtime.block_on(token::run(&home, arguments)),
        Some(Command::Install(arguments)) => runtime.block_on(install::install(&home, &arguments)),
        Some(Command::Uninstall(arguments)) => runtime.block_on(install::uninstall(&home, &arguments)),
        Some(Command::Rules(arguments)) => rules::run(&arguments),
        Some(Command::Run(arguments)) => {
            let code = runtime.block_on(run::run(&home, arguments));
            // A read of the agent's keys may still be blocked in its thread; the process must not wait for it.
            runtime.shutdown_background();
            Ok(code)
        }
        Some(Command::Doctor(arguments)) => runtime.block_on(doctor::run(&home, &arguments)),
        Some(Command::Requests(arguments)) => runtime.block_on(requests::run(&home, &arguments)),
        Some(Command::Answer(arguments)) => runtime.block_on(answer::run(&home, arguments)),
        Some(Command::Note(arguments)) => runtime.block_on(note::run(&home, arguments)),
        Some(Command::Session(arguments)) => runtime.block_on(session::run(&home, arguments)),
        Some(Command::Away(arguments)) => runtime.block_on(away::run(&home, &arguments)),
        Some(Command::Ask(arguments)) => runtime.block_on(ask::run(&home, arguments)),
        Some(Command::Verify(arguments)) => runtime.block_on(verify::run(&home, arguments)),
        Some(Command::Receipts(arguments)) => runtime.block_on(receipts::list(&home, &arguments)),
        Some(Command::Revoke(arguments)) => runtime.block_on(receipts::revoke(&home, &arguments)),
        Some(Command::History(arguments)) => runtime.block_on(history::run(&home, arguments)),
        Some(Command::Export(arguments)) => runtime.block_on(transfer::export(&home, arguments)),
        Some(Command::Import(arguments)) => runtime.block_on(transfer::import(&home, &arguments)),
        Some(Command::Transcribe(arguments)) => runtime.block_on(transcribe::run(&home, arguments)),
        Some(Command::Voice(arguments)) => runtime.block_on(voice::run(&home, arguments)),
        Some(Command::Prompts(arguments)) => runtime.block_on(prompts::run(&home, arguments)),
        Some(Command::Config(arguments)) => runtime.block_on(config::run(&home, arguments)),
        Some(Command::Backup(arguments)) => runtime.block_on(database::backup(&home, &arguments)),
        Some(Command::Restore(arguments)) => runtime.block_on(database::restore(&home, &arguments)),
        Some(Command::Check(arguments)) => runtime.block_on(database::check(&home, &arguments)),
        None => runtime.block_on(open::run(&home)),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    /// This command and those below it whose help has no example that names them: nobody is shown that of the command
    /// above.
    fn without_example(command: &clap::Command, above: &str) -> Vec<String> {
        let name = format!("{above} {}", command.get_name());
        let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        let examples = help.split_once("Example").map_or("", |(_, examples)| examples);
        let below = command.get_subcommands().flat_map(|inner| without_example(inner, &name));
        let missing = (!name.split(' ').all(|word| examples.contains(word))).then(|| name.clone());
        missing.into_iter().chain(below).collect()
    }

    #[test]
    fn what_clients_start_is_understood_as_the_parser_understands_it() {
        let arguments = ["review-gate", "mcp"].map(OsString::from);
        let parsed = Arguments::try_parse_from(&arguments).map(|parsed| parsed.command);
        assert_eq!(format!("{:?}", named(&arguments)), format!("{parsed:?}"));
        let others = ["review-gate", "mcp", "--toolset", "all"].map(OsString::from);
        assert!(format!("{:?}", named(&others)).contains("toolset: \"all\""), "the parser has all else");
    }

    #[test]
    fn every_command_has_an_example_in_its_help() {
        let all = Arguments::command();
        let below = all.get_subcommands().flat_map(|command| without_example(command, all.get_name()));
        assert_eq!(below.collect::<Vec<_>>(), [""; 0]);
    }
}
