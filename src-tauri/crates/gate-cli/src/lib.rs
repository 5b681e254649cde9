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
mod permit;
mod progress;
mod prompts;
mod receipts;
mod requests;
mod reviews;
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
  review-gate reviews list                 what agents propose, and who reviews it
  review-gate prompts list                 the slash commands that agents have
  review-gate history 'retry webhook'      what was said about it
  review-gate voice download               get a speech model, to speak replies

Exit codes: 0 done, answered or approved; 1 changes requested or cancelled (ask), not approved (verify, reviews check),
not confirmed (revoke), not sound (check), not valid (config validate, prompts check);
2 wrong usage; 3 still pending (ask); 4 a fault, named on stderr; 125 no sandbox (run, which else ends as its agent does).

REVIEW_GATE_HOME names one folder for settings, data, logs and socket.";

/// Where coding agents stop, ask and report, and you answer.
#[derive(Debug, Parser)]
#[command(name = "review-gate", version, after_help = AFTER, disable_help_subcommand = true)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
}

/// The subcommands, in the order of the help: what it says of each, its arguments, and what carries it out.
macro_rules! subcommands {
    (
        |$home:ident, $runtime:ident|
        $($(#[$help:meta])* $Name:ident $(($arguments:ident: $Arguments:ty))? => $done:expr,)+
    ) => {
        #[derive(Debug, Subcommand)]
        enum Command {
            $($(#[$help])* $Name $(($Arguments))?,)+
        }

        impl Command {
            fn carry_out(self, $home: Home, $runtime: Runtime) -> Result<ExitCode, Fault> {
                match self {
                    $(Self::$Name $(($arguments))? => $done,)+
                }
            }
        }
    };
}

subcommands! {
    |home, runtime|

    /// Serve MCP on standard input and output: what an agent's client starts
    Mcp(arguments: mcp::McpArguments) => mcp::run(home, runtime, arguments),
    /// Run the gate without windows
    Serve(arguments: serve::ServeArguments) => serve::run(home, &arguments),
    /// Say whether a gate runs
    Status(arguments: status::StatusArguments) => runtime.block_on(status::run(&home, &arguments)),
    /// Stop the running gate; what is pending stays pending
    #[command(after_help = "Example:
  review-gate stop && review-gate serve")]
    Stop => runtime.block_on(status::stop(&home)),
    /// Print a link that shows the gate in a browser
    Link(arguments: link::LinkArguments) => runtime.block_on(link::run(&home, &arguments)),
    /// Make, list and revoke tokens for clients over HTTP
    Token(arguments: token::TokenArguments) => runtime.block_on(token::run(&home, arguments)),
    /// Connect clients: write the gate into their configuration, or list them
    Install(arguments: install::InstallArguments) => runtime.block_on(install::install(&home, &arguments)),
    /// Take the gate out of clients' configuration again
    Uninstall(arguments: install::UninstallArguments) => runtime.block_on(install::uninstall(&home, &arguments)),
    /// Print the rules that tell a client's agents when to ask, and where they belong
    Rules(arguments: rules::RulesArguments) => rules::run(&arguments),
    /// Run an agent in a sandbox that reaches the gate's tools and none of its files
    Run(arguments: run::RunArguments) => {
        let code = runtime.block_on(run::run(&home, arguments));
        // A read of the agent's keys may still be blocked in its thread; the process must not wait for it.
        runtime.shutdown_background();
        Ok(code)
    },
    /// Look at the whole chain, from the home folder to the clients
    Doctor(arguments: doctor::DoctorArguments) => {
        let code = runtime.block_on(doctor::run(&home, &arguments));
        // A program that it has tried may have left another one behind, which keeps its output open: on Windows a thread is
        // still reading that.
        runtime.shutdown_background();
        code
    },
    /// List what is waiting for an answer
    Requests(arguments: requests::RequestsArguments) => runtime.block_on(requests::run(&home, &arguments)),
    /// Answer a request
    Answer(arguments: answer::AnswerArguments) => runtime.block_on(answer::run(&home, arguments)),
    /// See what agents propose and review, say something, take it over, and check that it is what was approved
    Reviews(arguments: reviews::ReviewsArguments) => runtime.block_on(reviews::run(&home, arguments)),
    /// Tell an agent something while it works
    Note(arguments: note::NoteArguments) => runtime.block_on(note::run(&home, arguments)),
    /// Say whose a session is
    Session(arguments: session::SessionArguments) => runtime.block_on(session::run(&home, arguments)),
    /// Tell agents that you are away, or there again
    Away(arguments: away::AwayArguments) => runtime.block_on(away::run(&home, &arguments)),
    /// Ask a person from a script, and print the reply as JSON
    Ask(arguments: ask::AskArguments) => runtime.block_on(ask::run(&home, arguments)),
    /// Take an agent's question whether it may to the running gate: what `install --permissions` has agents start
    Permit(arguments: permit::PermitArguments) => Ok(permit::run(&home, runtime, &arguments)),
    /// Say whether what git holds was approved: the commit, what is staged, a range, a receipt
    Verify(arguments: verify::VerifyArguments) => runtime.block_on(verify::run(&home, arguments)),
    /// List the receipts of what was given, and how they stand
    Receipts(arguments: receipts::ReceiptsArguments) => runtime.block_on(receipts::list(&home, &arguments)),
    /// Withdraw a receipt: what was approved by it counts no more
    Revoke(arguments: receipts::RevokeArguments) => runtime.block_on(receipts::revoke(&home, &arguments)),
    /// List and search what was asked and answered
    History(arguments: history::HistoryArguments) => runtime.block_on(history::run(&home, arguments)),
    /// Write a conversation, or all of them, as Markdown or JSON
    Export(arguments: transfer::ExportArguments) => runtime.block_on(transfer::export(&home, arguments)),
    /// Read an exported JSON file into the record
    Import(arguments: transfer::ImportArguments) => runtime.block_on(transfer::import(&home, &arguments)),
    /// Turn a recording into text, on this machine
    Transcribe(arguments: transcribe::TranscribeArguments) => runtime.block_on(transcribe::run(&home, arguments)),
    /// Get speech models, and list microphones
    Voice(arguments: voice::VoiceArguments) => runtime.block_on(voice::run(&home, arguments)),
    /// List, check and show prompts, and fetch them from their repository
    Prompts(arguments: prompts::PromptsArguments) => runtime.block_on(prompts::run(&home, arguments)),
    /// Read and change the settings
    Config(arguments: config::ConfigArguments) => runtime.block_on(config::run(&home, arguments)),
    /// Make a backup of the database now
    Backup(arguments: database::BackupArguments) => runtime.block_on(database::backup(&home, &arguments)),
    /// Put a backup in the database's place
    Restore(arguments: database::RestoreArguments) => runtime.block_on(database::restore(&home, &arguments)),
    /// Say what state the database and its backups are in
    Check(arguments: database::CheckArguments) => runtime.block_on(database::check(&home, &arguments)),
}

/// Runs the command that the process's arguments name.
#[must_use]
pub fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().collect();
    if let Some(code) = gate_sandbox::stage(&arguments).or_else(|| gate_worker::stage(&arguments)) {
        return code;
    }
    let is_a_hook = arguments.get(1).is_some_and(|command| command == permit::COMMAND)
        && arguments.get(2).is_none_or(|client| client != permit::ACP);
    let code = match named(&arguments) {
        Ok(command) => ended(run(command)),
        Err(error) => usage(&error),
    };
    // To an agent a code may mean more than that something went wrong.
    if is_a_hook { ExitCode::from(exit::DONE) } else { code }
}

/// The command that a process's arguments name; the first of them is the program.
///
/// Clients start `review-gate mcp` and `review-gate permit CLIENT`, which are known without the parser: that makes all
/// commands with all their arguments, for which an agent would wait, and a relay would keep what it has touched for as long
/// as its agent lives.
fn named(arguments: &[OsString]) -> Result<Option<Command>, clap::Error> {
    match arguments {
        [_, command] if command == mcp::COMMAND => Ok(Some(Command::Mcp(mcp::McpArguments::default()))),
        [_, command, client] if command == permit::COMMAND && is_word(client) => {
            let client = client.to_string_lossy().into_owned();
            Ok(Some(Command::Permit(permit::PermitArguments { client, agent: Vec::new() })))
        }
        _ => Arguments::try_parse_from(arguments).map(|parsed| parsed.command),
    }
}

/// Whether an argument is no option.
fn is_word(argument: &OsString) -> bool {
    argument.to_str().is_some_and(|word| !word.starts_with('-'))
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

/// `review-gate-relay`: the relay, with none of the other commands.
#[must_use]
pub fn relay() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().collect();
    match mcp::HandedOver::read(&arguments) {
        Some(handed) => ended(ground().and_then(|(home, runtime)| handed.relay(home, runtime))),
        None => {
            output::error("this program is a part of `review-gate mcp`, which clients start.");
            ExitCode::from(exit::USAGE)
        }
    }
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
        Some(command) => command.carry_out(home, runtime),
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
        let permit = ["review-gate", "permit", "codex"].map(OsString::from);
        let parsed = Arguments::try_parse_from(&permit).map(|parsed| parsed.command);
        assert_eq!(format!("{:?}", named(&permit)), format!("{parsed:?}"));
        let others = ["review-gate", "mcp", "--toolset", "all"].map(OsString::from);
        assert!(format!("{:?}", named(&others)).contains("toolset: [\"all\"]"), "the parser has all else");
    }

    #[test]
    fn every_command_has_an_example_in_its_help() {
        let all = Arguments::command();
        let below = all.get_subcommands().flat_map(|command| without_example(command, all.get_name()));
        assert_eq!(below.collect::<Vec<_>>(), [""; 0]);
    }
}
