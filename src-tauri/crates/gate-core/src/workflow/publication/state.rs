//! Where a publication stands, and what leads from one state to another.

use crate::fault::{Code, Fault};
use crate::workflow::words::{HeldFor, PublicationState};

/// Something that is done to a publication.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PublicationAct {
    /// The person approves it.
    Approve,
    /// They take that back.
    Undo,
    /// They ask for changes.
    Return,
    /// It is given up, replaced or cancelled; by the person, or since its job is.
    Drop,
    /// Its items begin to leave, or go on.
    Send,
    /// They don't for now.
    Hold(HeldFor),
    /// All of them have left or were refused.
    Finish,
    /// The next revision is put before the person.
    Revise,
}

impl PublicationState {
    /// What an act leads to.
    ///
    /// # Errors
    /// `person_deciding` while the person may take their approval back, `wrong_state` else.
    pub fn after(self, act: PublicationAct) -> Result<Self, Fault> {
        use PublicationAct as Act;
        let next = match (self, act) {
            (Self::Open, Act::Approve) => Self::Approved,
            (Self::Open, Act::Return) => Self::Returned,
            (Self::Open | Self::Held | Self::Returned, Act::Drop) => Self::Dropped,
            (Self::Open | Self::Returned, Act::Revise) | (Self::Approved, Act::Undo) => Self::Open,
            (Self::Approved | Self::Held, Act::Send) => Self::Sending,
            (Self::Sending, Act::Hold(_)) => Self::Held,
            (Self::Sending, Act::Finish) => Self::Posted,
            (Self::Approved, _) => return Err(deciding()),
            (state, _) => return Err(wrong(state)),
        };
        Ok(next)
    }

    /// Whether something may yet become of it.
    #[must_use]
    pub fn is_over(self) -> bool {
        matches!(self, Self::Posted | Self::Dropped)
    }
}

/// Whether a run may put something before the person where its last publication stands so: a new one, or the next revision.
///
/// # Errors
/// `person_deciding` while the person may take their approval back, `wrong_state` while it leaves.
pub fn may_publish(last: Option<PublicationState>) -> Result<(), Fault> {
    match last {
        None => Ok(()),
        Some(state) if state.is_over() => Ok(()),
        Some(state) => state.after(PublicationAct::Revise).map(|_| ()),
    }
}

fn deciding() -> Fault {
    Fault::new(
        Code::PersonDeciding,
        "The person has just approved this and may take it back.",
        "Call publish with its request_id: it tells you what became of it. Findings that you add now wait for the next one.",
    )
}

fn wrong(state: PublicationState) -> Fault {
    Fault::new(
        Code::WrongState,
        format!("That can't be done with a publication that is {}.", state.as_str()),
        "Call publish with its request_id: it tells you where it stands.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What follows, as the design has it: for each state, the acts that lead on and where to.
    const TABLE: [(&str, &[(&str, &str)]); 7] = [
        ("open", &[("approve", "approved"), ("return", "returned"), ("drop", "dropped"), ("revise", "open")]),
        ("approved", &[("undo", "open"), ("send", "sending")]),
        ("sending", &[("finish", "posted"), ("hold", "held")]),
        ("held", &[("send", "sending"), ("drop", "dropped")]),
        ("posted", &[]),
        ("returned", &[("revise", "open"), ("drop", "dropped")]),
        ("dropped", &[]),
    ];
    const ACTS: [(&str, PublicationAct); 8] = [
        ("approve", PublicationAct::Approve),
        ("undo", PublicationAct::Undo),
        ("return", PublicationAct::Return),
        ("drop", PublicationAct::Drop),
        ("send", PublicationAct::Send),
        ("hold", PublicationAct::Hold(HeldFor::HeadMoved)),
        ("finish", PublicationAct::Finish),
        ("revise", PublicationAct::Revise),
    ];

    #[test]
    fn a_publication_goes_where_the_table_says_and_nowhere_else() {
        assert_eq!(TABLE.len(), PublicationState::ALL.len(), "each state has a row");
        for (from, ways) in TABLE {
            let state = PublicationState::parse(from).expect("a state");
            for (word, act) in ACTS {
                let expected = ways.iter().find(|(known, _)| *known == word).map(|(_, to)| *to);
                match (state.after(act), expected) {
                    (Ok(next), Some(to)) => assert_eq!(next.as_str(), to, "{word} of one that is {from}"),
                    (Err(fault), None) => {
                        let code = if from == "approved" { Code::PersonDeciding } else { Code::WrongState };
                        assert_eq!(fault.code, code, "{word} of one that is {from}");
                    }
                    (found, expected) => panic!("{word} of one that is {from}: {found:?}, and not {expected:?}"),
                }
            }
            let may = may_publish(Some(state)).is_ok();
            assert_eq!(may, matches!(from, "open" | "returned" | "posted" | "dropped"), "a new one after {from}");
        }
        assert_eq!(may_publish(None), Ok(()));
    }
}
