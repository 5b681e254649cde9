//! Receipts of what was given: listing and revoking them, and whether an agent stands above a process.

use gate_core::{AnsweredFrom, Decision, Digest, RequestId, Timestamp};
use serde::{Deserialize, Serialize};

use crate::commands;
use crate::done::Done;
use crate::receipts::ReceiptView;

/// Most receipts of one list.
pub const LISTED: u32 = 1000;
/// Most processes that are asked about at once.
pub const ASKED: usize = 256;

commands! {
    /// The receipts, the newest first. They hold no words of anybody's.
    receipts: ListReceipts {
        /// Of this request only.
        #[serde(default)]
        request_id: Option<RequestId>,
        /// At most so many, and never more than [`LISTED`].
        limit: u32,
    } -> Receipts, by Anyone, Look, ts(skip);

    /// Withdraws a receipt: what was approved by it counts no more. `invalid_input` where there is no such receipt, or
    /// it was withdrawn before.
    withdraw_receipt: WithdrawReceipt {
        /// Which one, by its digest.
        receipt: Digest,
    } -> Done, by Answerer, Act;

    /// Whether an agent is among these processes, by its relay that is or was connected. It is advice for hooks of git:
    /// a process that has left its agent behind isn't below it.
    below_agent: AskBelowAgent {
        /// Those that the process descends from, at most [`ASKED`].
        processes: Vec<AskedProcess>,
    } -> BelowAgent, by Anyone, Look, ts(skip);
}

/// Receipts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Receipts {
    /// The newest first.
    pub receipts: Vec<ListedReceipt>,
}

/// One receipt of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListedReceipt {
    /// What it is good for, and how it stands.
    pub receipt: ReceiptView,
    /// The request that was answered.
    pub request_id: RequestId,
    /// When it was given.
    pub at: Timestamp,
    /// Where it was given.
    pub given: AnsweredFrom,
    /// What was decided; absent for a reply without a decision.
    pub decision: Option<Decision>,
}

/// A process that is asked about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AskedProcess {
    /// Its number.
    pub pid: u32,
    /// When it began, in the kernel's words.
    pub began: String,
}

/// Whether an agent was among those that were asked about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BelowAgent {
    /// Whether one was.
    pub below: bool,
}
