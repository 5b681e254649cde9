//! A control connection: commands in, answers out, one JSON object a line. Commands of one
//! connection run side by side, so that a waiting `ask` doesn't hold up the others.

use std::sync::Arc;

use gate_api::subjects::program;
use gate_api::{Answer, Command, ControlReply, ControlRequest, ControlResult, Done, Origin, TypedCommand as _};
use gate_core::{Code, Fault, bounds};
use gate_link::{LineReader, Read};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::sync::{Mutex, Semaphore};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::slices::Gate;

/// Commands of one connection that run at the same time.
const COMMANDS: usize = 64;

/// Serves commands until the connection ends; commands that still run are dropped then.
pub(crate) async fn serve<R, W>(gate: Gate, origin: Origin, read: R, write: W, stop: CancellationToken)
where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin + Send + 'static,
{
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
                let fault = Fault::new(
                    Code::Protocol,
                    format!("The command can't be read: {error}."),
                    "Use the review-gate program of the same version as the gate.",
                );
                reply(&write, ControlReply { id: 0, result: ControlResult::Fault(fault) }).await;
                continue;
            }
        };
        let Ok(place) = Arc::clone(&places).acquire_owned().await else { break };
        let (gate, write) = (gate.clone(), Arc::clone(&write));
        running.spawn(async move {
            let stops = matches!(request.command, Command::Program(program::Command::Stop(_)));
            let result = match request.command {
                // The answer has to be on its way before the connection ends.
                _ if stops => gate.permit(program::Stop::DECLARATION.who, origin).map(|()| stopped()),
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
