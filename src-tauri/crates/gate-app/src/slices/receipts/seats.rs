//! What a window's place means for what is given in it. It only lowers.

use gate_core::{AnsweredFrom, Assurance, Code, Fault, Given, Seat};

use super::Receipts;

impl Receipts {
    /// Where what is given there is seen; absent for what isn't given in the window.
    pub(super) fn seat_of(&self, from: AnsweredFrom) -> Option<&Seat> {
        self.seat.as_ref().filter(|_| from == AnsweredFrom::Desktop)
    }

    /// How sure it is that the person gave what is given there: no more than that somebody did, where the window isn't
    /// on the display that they have before them.
    pub(crate) fn as_seen(&self, given: Given) -> Given {
        match self.seat_of(given.from) {
            Some(Seat::Elsewhere(_)) => Given { assurance: Assurance::L0, ..given },
            Some(Seat::Own(_) | Seat::Unknown(_)) | None => given,
        }
    }

    /// What the person is told where it isn't.
    pub(crate) fn elsewhere(&self) -> Option<Fault> {
        match &self.seat {
            Some(Seat::Elsewhere(display)) => Some(Fault::new(
                Code::Receipts,
                format!(
                    "This window is on the display {display}, and you are logged in at another one. What is given here \
                     counts as recorded (L0): nobody can tell that you see it.",
                ),
                "Quit it from its tray, and start Review Gate in the session that you sit at.",
            )),
            Some(Seat::Own(_) | Seat::Unknown(_)) | None => None,
        }
    }
}
