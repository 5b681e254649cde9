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
        let connection = ControlConnection::to_verify(home).await.map_err(unreachable)?;
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
        let line = serde_json::to_string(&asked).map_err(|error| Fault::internal(error.to_string()))?;
        let mut connection = self.connection.lock().await;
        connection.send_line(&line).await.map_err(unreachable)?;
        let Some(line) = connection.next_line().await.map_err(unreachable)? else {
            return Err(Fault::new(
                Code::GateUnreachable,
                "The gate outside ended, or is older than this program.",
                "Run it again; else the person restarts the gate: `review-gate stop`, then start it again.",
            ));
        };
        match serde_json::from_slice(&line) {
            Ok(Approved::Yes) => Ok(Answer::Yes),
            Ok(Approved::No(code)) => Ok(Answer::No(code)),
            Ok(Approved::Fault(fault)) => Err(fault),
            Err(error) => Err(Fault::new(
                Code::Protocol,
                format!("The gate's answer can't be read: {error}."),
                "Use a review-gate of the same version as the gate.",
            )),
        }
    }
}

fn unreachable(error: LinkError) -> Fault {
    error.fault()
}
