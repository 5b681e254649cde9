//! A connection to the running gate that speaks commands and answers.

use std::io::IsTerminal as _;

use gate_api::{ControlRequest, TypedCommand};
use gate_core::{Code, Fault};
use gate_link::{ControlConnection, Home, LinkError, StartPlan};

/// The running gate.
pub(crate) struct Client {
    connection: ControlConnection,
    next: u64,
}

impl Client {
    /// Connects to a gate that runs; absent when none does.
    pub(crate) async fn running(home: &Home) -> Result<Option<Self>, Fault> {
        not_in_a_sandbox()?;
        match ControlConnection::open(home, at_terminal()).await {
            Ok(connection) => Ok(Some(Self { connection, next: 1 })),
            Err(LinkError::Unreachable { .. }) => Ok(None),
            Err(error) => Err(error.fault()),
        }
    }

    /// Connects to a gate that has to run already.
    pub(crate) async fn needed(home: &Home) -> Result<Self, Fault> {
        let no_gate = || {
            let mend = "Start it with `review-gate` or `review-gate serve`.";
            Fault::new(Code::GateUnreachable, "No gate is running.", mend)
        };
        Self::running(home).await?.ok_or_else(no_gate)
    }

    /// Connects, and starts a gate first when none runs.
    pub(crate) async fn started(home: &Home) -> Result<Self, Fault> {
        not_in_a_sandbox()?;
        let plan = StartPlan::of_this_program().map_err(|error| error.fault())?;
        let connection =
            ControlConnection::open_or_start(home, at_terminal(), &plan).await.map_err(|error| error.fault())?;
        Ok(Self { connection, next: 1 })
    }

    /// Gives a command to a gate that runs, so that it looks at what this process has changed. One that doesn't run,
    /// or can't be spoken to, looks by itself when it needs it.
    pub(crate) async fn tell<C: TypedCommand>(home: &Home, command: C) {
        if let Ok(Some(mut client)) = Self::running(home).await {
            let _ = client.ask(command).await;
        }
    }

    /// Gives a command and waits for its answer.
    pub(crate) async fn ask<C: TypedCommand>(&mut self, command: C) -> Result<C::Answer, Fault> {
        let id = self.number();
        let answer = |line: &[u8]| ControlRequest::answer::<C>(id, line);
        self.connection.ask(&ControlRequest::of(id, &command), answer).await.map_err(|error| error.fault())?
    }

    /// The same, while another command of the same connection waits for something: `told` hears its answer if that comes
    /// first. It ends with the connection.
    pub(crate) async fn ask_beside<C: TypedCommand, B: TypedCommand>(
        &mut self,
        command: C,
        beside: B,
        told: impl FnOnce(B::Answer),
    ) -> Result<C::Answer, Fault> {
        let (other, id) = (self.number(), self.number());
        self.connection.say(&ControlRequest::of(other, &beside)).await.map_err(|error| error.fault())?;
        let mut told = Some(told);
        let answer = |line: &[u8]| {
            if let Ok(Some(Ok(answer))) = ControlRequest::answer::<B>(other, line)
                && let Some(told) = told.take()
            {
                told(answer);
            }
            ControlRequest::answer::<C>(id, line)
        };
        self.connection.ask(&ControlRequest::of(id, &command), answer).await.map_err(|error| error.fault())?
    }

    /// The number of the next command.
    fn number(&mut self) -> u64 {
        self.next += 1;
        self.next - 1
    }
}

/// Commands have no way out of a sandbox.
fn not_in_a_sandbox() -> Result<(), Fault> {
    if !Home::is_in_a_sandbox() {
        return Ok(());
    }
    Err(Fault::new(
        Code::Sandbox,
        "This is a sandbox of `review-gate run`, out of which no command reaches the gate.",
        "Ask by the tools that `review-gate mcp` serves; the person gives commands outside.",
    ))
}

/// Whether a person is here, be it that stdin is a pipe (`git diff | review-gate answer … --text -`).
/// The gate checks on its side that the process has a terminal.
pub(crate) fn at_terminal() -> bool {
    std::io::stdin().is_terminal() || (std::io::stdout().is_terminal() && std::io::stderr().is_terminal())
}
