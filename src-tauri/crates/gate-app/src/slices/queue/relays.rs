//! Which relays are connected: an agent whose relay is gone can't be waiting for anything.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The connected relays. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub(crate) struct Relays(Arc<Mutex<HashMap<String, usize>>>);

impl Relays {
    /// Counts a relay as connected until the result is dropped.
    pub(crate) fn connect(&self, relay: &str) -> Connected {
        *self.lock().entry(relay.to_owned()).or_default() += 1;
        Connected { relays: self.clone(), relay: relay.to_owned() }
    }

    /// Whether a relay has a connection.
    pub(crate) fn is_connected(&self, relay: &str) -> bool {
        self.lock().contains_key(relay)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
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
        let mut relays = self.relays.lock();
        if let Some(connections) = relays.get_mut(&self.relay) {
            *connections -= 1;
            if *connections == 0 {
                relays.remove(&self.relay);
            }
        }
    }
}
