//! A control connection: commands in, answers out, one JSON object a line. Commands of one
//! connection run side by side, so that a waiting `ask` doesn't hold up the others.

use std::sync::Arc;

use gate_api::subjects::{permissions, program, requests};
use gate_api::{Answer, Command, ControlReply, ControlRequest, ControlResult, Done, Origin};
use gate_core::{Code, Fault, bounds};
use gate_link::{LineReader, Read};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::sync::{Mutex, Semaphore};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::slices::Gate;

/// Commands of one connection that run at the same time.
const COMMANDS: usize = 64;

/// Who speaks at the other end.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Front {
    /// Where its commands come from.
    pub(crate) origin: Origin,
    /// Whether it has a terminal as its standard input, and is in front there.
    pub(crate) in_foreground: bool,
    /// Whether it starts the app, or `review-gate`, to see the window.
    pub(crate) start: Start,
}

/// Whose start of the app it is that asks for the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Start {
    /// A person's, as far as can be seen.
    Persons,
    /// A person's or a program's.
    Anybodys,
    /// It is no start: an agent is above it, or it is another program.
    Not,
}

/// Serves commands until the connection ends; commands that still run are dropped then.
pub(crate) async fn serve<R, W>(gate: Gate, front: Front, read: R, write: W, stop: CancellationToken)
where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin + Send + 'static,
{
    let Front { origin, in_foreground, start } = front;
    let mut lines = LineReader::new(read, bounds::LINE_BYTES);
    let write = Arc::new(Mutex::new(write));
    let places = Arc::new(Semaphore::new(COMMANDS));
    let mut running = JoinSet::new();
    loop {
        let next = tokio::select! {
            next = lines.next() => next,
            () = stop.cancelled() => break,
        };
        let line = match next {
            Ok(Read::Line(line)) => line,
            Ok(Read::TooLong { .. }) => {
                let fault = Fault::new(
                    Code::TooLarge,
                    format!("A command has more than {} bytes.", bounds::LINE_BYTES),
                    "Send less in one command.",
                );
                reply(&write, ControlReply { id: 0, result: ControlResult::Fault(fault) }).await;
                continue;
            }
            Ok(Read::Rest(_) | Read::End) | Err(_) => break,
        };
        let request: ControlRequest = match serde_json::from_slice(&line) {
            Ok(request) => request,
            Err(error) => {
                let fault = Fault::of_versions(format!("The command can't be read: {error}."));
                reply(&write, ControlReply { id: 0, result: ControlResult::Fault(fault) }).await;
                continue;
            }
        };
        let Ok(place) = Arc::clone(&places).acquire_owned().await else { break };
        let (gate, write) = (gate.clone(), Arc::clone(&write));
        running.spawn(async move {
            let stops = matches!(request.command, Command::Program(program::Command::Stop(_)));
            let origin = match request.command {
                // What a desktop starts has no terminal, and is somebody's doing all the same.
                Command::Program(program::Command::Raise(_)) if start == Start::Persons => Origin::Terminal,
                Command::Program(program::Command::Raise(_)) => Origin::Script,
                _ => origin,
            };
            let decides = matches!(
                request.command,
                Command::Requests(requests::Command::BeginTerminalReply(_) | requests::Command::SendTerminalReply(_))
                    | Command::Permissions(permissions::Command::AnswerTerminalPermission(_))
            );
            let result = match request.command {
                Command::Program(program::Command::Raise(_)) if start == Start::Anybodys => {
                    Ok(Answer::Program(program::Answer::Raise(Box::new(gate.start_again()))))
                }
                _ if decides && !in_foreground => Err(not_in_foreground()),
                // The answer has to be on its way before the connection ends.
                _ if stops => gate.may_stop(origin).map(|()| stopped()),
                command => gate.execute(command, origin).await,
            };
            let stops = stops && result.is_ok();
            reply(&write, ControlReply { id: request.id, result: result.into() }).await;
            if stops {
                gate.stop();
            }
            drop(place);
        });
        while running.try_join_next().is_some() {}
    }
    running.shutdown().await;
}

/// Why a process with a terminal decides nothing there.
fn not_in_foreground() -> Fault {
    Fault::new(
        Code::TerminalAnswersOff,
        "A decision is typed at a terminal: this process's standard input isn't one, or it isn't in front there.",
        "Run `review-gate answer` by itself in a terminal, or decide in the window.",
    )
}

fn stopped() -> Answer {
    Answer::Program(program::Answer::Stop(Box::new(Done {})))
}

async fn reply<W: AsyncWrite + Unpin>(write: &Mutex<W>, reply: ControlReply<Answer>) {
    let written = serde_json::to_vec(&reply).or_else(|error| {
        let result = ControlResult::<Answer>::Fault(Fault::internal(error.to_string()));
        serde_json::to_vec(&ControlReply { id: reply.id, result })
    });
    let Ok(mut line) = written else { return };
    line.push(b'\n');
    let mut write = write.lock().await;
    // A front end that has gone needs no answer; its connection's end is noticed by the reader.
    if write.write_all(&line).await.is_ok() {
        let _ = write.flush().await;
    }
}
