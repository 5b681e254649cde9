//! The gate that is asked from within a sandbox, where there is no log: by the relays' socket, whether approvals lead from
//! one tree to another. It says yes or no, and of no by which word.

use gate_api::{Approved, AskApproved};
use gate_core::{Assurance, Code, Fault, Oid};
use gate_link::{ControlConnection, Home, LinkError};
use gate_receipts::Level;
use tokio::sync::Mutex;

/// What the gate says.
pub(super) enum Answer {
    Yes,
    /// By this word.
    No(String),
}

/// A connection on which that is asked.
pub(super) struct Asking {
    connection: Mutex<ControlConnection>,
    require: Assurance,
}

impl Asking {
    /// # Errors
    /// Where no gate can be reached.
    pub(super) async fn of(home: &Home, require: Level) -> Result<Self, Fault> {
        let connection = ControlConnection::to_verify(home).await.map_err(|error| error.fault())?;
        let require = match require {
            Level::L0 => Assurance::L0,
            Level::L1 => Assurance::L1,
            Level::L2 => Assurance::L2,
            Level::L3 => Assurance::L3,
        };
        Ok(Self { connection: Mutex::new(connection), require })
    }

    /// Whether approvals lead from one of these trees to another.
    ///
    /// # Errors
    /// The gate's, and where it ends.
    pub(super) async fn answer(&self, from: &[Oid], to: &Oid, landed: bool) -> Result<Answer, Fault> {
        let asked = AskApproved { from: from.to_vec(), to: to.clone(), require: self.require, landed };
        let mut connection = self.connection.lock().await;
        let answer = connection.ask(&asked, |line| serde_json::from_slice(line).map(Some)).await;
        match answer.map_err(|error| unreachable(&error))? {
            Approved::Yes => Ok(Answer::Yes),
            Approved::No(code) => Ok(Answer::No(code)),
            Approved::Fault(fault) => Err(fault),
        }
    }
}

fn unreachable(error: &LinkError) -> Fault {
    match error {
        LinkError::Ended => Fault::new(
            Code::GateUnreachable,
            "The gate outside ended, or is older than this program.",
            "Run it again; else the person restarts the gate: `review-gate stop`, then start it again.",
        ),
        error => error.fault(),
    }
}
