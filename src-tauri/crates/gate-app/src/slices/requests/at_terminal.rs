//! Decisions at a terminal: it has shown all of a question, and whoever sits there types four digits that this gate has
//! just given out for it. Each counts once, for one question.
//!
//! Knows nothing of terminals: whether one may decide, and is one, is looked at before.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gate_core::{Code, Decision, Digest, Draft, Fault, Given, RequestId};

use super::Requests;

/// Questions that terminals show at the same time; the next one takes the place of all of them.
const SHOWN_AT_ONCE: usize = 64;

/// What has to be typed, by request.
#[derive(Debug, Default)]
pub(super) struct Confirmations(Mutex<HashMap<RequestId, Expected>>);

#[derive(Debug)]
struct Expected {
    digest: Digest,
    digits: String,
}

impl Confirmations {
    fn lock(&self) -> MutexGuard<'_, HashMap<RequestId, Expected>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Requests {
    /// The digits that confirm a decision on the question of this digest.
    pub(crate) fn begin_terminal_reply(&self, request: RequestId, digest: Digest) -> String {
        // The lower half of an identifier is random.
        let digits = format!("{:04}", self.bus.new_id().as_u128() % 10_000);
        let mut shown = self.confirmations.lock();
        if shown.len() >= SHOWN_AT_ONCE {
            shown.clear();
        }
        shown.insert(request, Expected { digest, digits: digits.clone() });
        digits
    }

    /// Stores a decision that was confirmed at a terminal.
    ///
    /// # Errors
    /// `terminal_answers_off` where the digits aren't those that were given out last for this question; they are used
    /// up then. Else as of any reply.
    pub(crate) async fn answer_at_terminal(
        self: &Arc<Self>,
        request: RequestId,
        shown: Digest,
        decision: Decision,
        draft: &Draft,
        digits: &str,
    ) -> Result<(), Fault> {
        self.confirmed_at_terminal(request, shown, digits)?;
        self.answer(request, shown, Some(decision), draft, Given::AT_A_TERMINAL).await
    }

    /// Whether these are the digits that were given out last for the question of this digest. They are used up.
    ///
    /// # Errors
    /// `terminal_answers_off` where they aren't.
    pub(super) fn confirmed_at_terminal(&self, request: RequestId, shown: Digest, digits: &str) -> Result<(), Fault> {
        let expected = self.confirmations.lock().remove(&request);
        if expected.is_some_and(|expected| expected.digest == shown && expected.digits == digits) {
            return Ok(());
        }
        Err(Fault::new(
            Code::TerminalAnswersOff,
            "These aren't the four digits that were shown with this question.",
            "Run `review-gate answer` again, read what it shows, and type the digits below it; nothing was sent.",
        ))
    }
}

/// Why a terminal decides nothing.
pub(crate) fn no_decision() -> Fault {
    Fault::new(
        Code::TerminalAnswersOff,
        "Terminals don't decide here: any process may have one.",
        "Decide in the window or on the gate's page (`review-gate link`); text goes from here, too. To let terminals \
         decide, switch on `security.terminal_answers` in the settings there, or start a gate without a window with \
         `review-gate serve --terminal`.",
    )
}
