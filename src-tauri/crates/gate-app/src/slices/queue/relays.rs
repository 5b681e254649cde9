//! Which relays are connected: an agent whose relay is gone can't be waiting for anything, and while one is here nobody
//! else has its name.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gate_core::Process;

/// The connected relays. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub(crate) struct Relays {
    connections: Arc<Mutex<HashMap<String, usize>>>,
    claims: Arc<Mutex<HashMap<String, Claimed>>>,
}

/// Whose a relay's name is while connections have it.
#[derive(Debug)]
struct Claimed {
    /// Absent where the system doesn't name it.
    process: Option<Process>,
    connections: usize,
}

impl Relays {
    /// Gives a relay's name to this process until the result is dropped. Absent where another process has it, which then
    /// hears what is the other's.
    pub(crate) fn claim(&self, relay: &str, process: Option<&Process>) -> Option<Claim> {
        let mut claims = lock(&self.claims);
        let claimed =
            claims.entry(relay.to_owned()).or_insert_with(|| Claimed { process: process.cloned(), connections: 0 });
        if claimed.process.is_some() && claimed.process.as_ref() != process {
            return None;
        }
        claimed.connections += 1;
        Some(Claim { relays: self.clone(), relay: relay.to_owned() })
    }

    /// Counts a relay as connected until the result is dropped.
    pub(crate) fn connect(&self, relay: &str) -> Connected {
        *lock(&self.connections).entry(relay.to_owned()).or_default() += 1;
        Connected { relays: self.clone(), relay: relay.to_owned() }
    }

    /// Whether a relay has a connection.
    pub(crate) fn is_connected(&self, relay: &str) -> bool {
        lock(&self.connections).contains_key(relay)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A relay's name, had by one connection.
#[derive(Debug)]
pub(crate) struct Claim {
    relays: Relays,
    relay: String,
}

impl Drop for Claim {
    fn drop(&mut self) {
        let mut claims = lock(&self.relays.claims);
        if let Some(claimed) = claims.get_mut(&self.relay) {
            claimed.connections -= 1;
            if claimed.connections == 0 {
                claims.remove(&self.relay);
            }
        }
    }
}

/// One connection of a relay.
#[derive(Debug)]
pub(crate) struct Connected {
    relays: Relays,
    relay: String,
}

impl Drop for Connected {
    fn drop(&mut self) {
        let mut connections = lock(&self.relays.connections);
        if let Some(count) = connections.get_mut(&self.relay) {
            *count -= 1;
            if *count == 0 {
                connections.remove(&self.relay);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn while_a_relay_is_here_no_other_process_has_its_name() {
        let relays = Relays::default();
        let process = |pid| Process { pid, began: "1 boot".to_owned() };
        let (own, other) = (process(7), process(8));
        let first = relays.claim("a", Some(&own)).expect("nobody has it");
        let again = relays.claim("a", Some(&own)).expect("it connects again before its old connection is over");
        assert!(relays.claim("a", Some(&other)).is_none(), "it would hear what is the other's");
        assert!(relays.claim("a", None).is_none(), "whoever isn't named might be anybody");
        assert!(relays.claim("b", Some(&other)).is_some(), "a name of one's own");
        drop(first);
        assert!(relays.claim("a", Some(&other)).is_none(), "it is still here");
        drop(again);
        assert!(relays.claim("a", Some(&other)).is_some(), "nobody has it any more");

        let forwarded = relays.claim("c", None).expect("nobody has it");
        assert!(relays.claim("c", None).is_some(), "in a container nobody is named, and relays come back there too");
        drop(forwarded);
    }
}
