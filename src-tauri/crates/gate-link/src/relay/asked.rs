//! What the gate asked of the agent's client, on one connection.
//!
//! A gate that was restarted counts its requests from the start again. On any connection but the
//! first, its ids are replaced by ones that no other connection used, so that a late answer to
//! the dead gate is never taken for one to the living.

use super::envelope::{Key, key};
use std::collections::HashMap;

/// The most questions that are kept track of.
const MOST: usize = 1024;

#[derive(Debug)]
pub(crate) struct Asked {
    connection: u64,
    count: u64,
    /// From the client's id to the gate's, as the gate wrote it.
    open: HashMap<Key, Key>,
}

impl Asked {
    /// For the connection of this number; the first has 0.
    pub(crate) fn on(connection: u64) -> Self {
        Self { connection, count: 0, open: HashMap::new() }
    }

    /// Notes a request of the gate; gives the id that the client shall see, if it's another.
    pub(crate) fn ask(&mut self, id: &str, gate_key: &Key) -> Option<Key> {
        if self.open.len() >= MOST {
            return None;
        }
        let renamed: Option<Key> = (self.connection > 0).then(|| {
            self.count += 1;
            format!("\"gate-{}-{}\"", self.connection, self.count).into()
        });
        self.open.insert(renamed.clone().unwrap_or_else(|| gate_key.clone()), id.into());
        renamed
    }

    /// The gate's id for what the client answers, once. `None`: this gate never asked that.
    pub(crate) fn answer(&mut self, client_key: &str) -> Option<Key> {
        self.open.remove(client_key)
    }

    /// The client's id for the gate's, when the gate cancels its request.
    pub(crate) fn withdraw(&mut self, id: &str) -> Option<Key> {
        let wanted = key(id)?;
        let found = self.open.iter().find(|(_, gate)| key(gate).as_ref() == Some(&wanted))?.0.clone();
        self.open.remove(&found);
        Some(found)
    }

    /// The client's ids of everything unanswered.
    pub(crate) fn unanswered(&self) -> impl Iterator<Item = &Key> {
        self.open.keys()
    }
}
