//! Whoever acts on reviews and on jobs.

use gate_core::proposal::Party;
use gate_core::{Caller, Declared, Fault, Owner, OwnerId, Process, SessionUuid, Timestamp};
use gate_store::{NewSession, Store};
use uuid::Uuid;

use crate::fixture::NOW;

/// Begins a conversation.
pub(crate) async fn begin(store: &Store) -> Result<SessionUuid, Box<dyn std::error::Error>> {
    let session_uuid = SessionUuid(Uuid::now_v7());
    let new = NewSession {
        session_uuid,
        caller: Caller::default(),
        declared: Declared::default(),
        relay: None,
        owner: OwnerId::SharedToken.into(),
        now: Timestamp(NOW),
    };
    store.begin_session(&new).await?;
    Ok(session_uuid)
}

pub(crate) fn nobody_ended(_: &Process) -> bool {
    false
}

/// A client with a token of this name.
pub(crate) fn client(name: &str) -> Party {
    Party::of(&OwnerId::Token(name.to_owned()).into(), name, "/srv/shop")
}

/// A client that is a process.
pub(crate) fn process(pid: u32, client: &str, above: &[u32]) -> Party {
    let process = |pid: u32| Process { pid, began: format!("boot {pid}") };
    let mut party = Party::of(&Owner::of_process(process(pid), client, "/srv/shop"), client, "/srv/shop");
    party.above = above.iter().map(|pid| process(*pid).into()).collect();
    party
}

/// The code of a refusal.
pub(crate) fn code<T>(result: Result<T, Fault>) -> &'static str {
    match result {
        Ok(_) => "done",
        Err(fault) => fault.code.as_str(),
    }
}
