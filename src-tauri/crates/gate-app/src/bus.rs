//! What every slice of the gate has: whom it tells what happened, what time it is, new identifiers, and the word
//! that the gate stops. Knows no slice.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use gate_api::Event;
use gate_api::subjects::program;
use gate_core::{Fault, Timestamp};
use gate_mcp::{Change, LogEntry};
use tokio::sync::broadcast;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::agents_log;
use crate::ambient::Ambient;

/// Events that a slow front end may fall behind before it has to look at the whole again.
const EVENTS: usize = 1024;
/// Changes of the record that a slow connection may fall behind before it takes all for changed.
const CHANGES: usize = 1024;
/// Entries of the log that a slow connection may fall behind before it misses some.
const LOG: usize = 256;

/// The gate's bus. Cheap to clone; every clone is the same bus.
#[derive(Debug, Clone)]
pub(crate) struct Bus(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    ambient: Box<dyn Ambient>,
    events: broadcast::Sender<Event>,
    changes: broadcast::Sender<Change>,
    log: broadcast::Sender<LogEntry>,
    warnings: Mutex<Vec<Fault>>,
    stop: CancellationToken,
}

impl Bus {
    /// A bus that nobody listens to yet.
    pub(crate) fn new(ambient: impl Ambient + 'static) -> Self {
        Self(Arc::new(Shared {
            ambient: Box::new(ambient),
            events: broadcast::Sender::new(EVENTS),
            changes: broadcast::Sender::new(CHANGES),
            log: broadcast::Sender::new(LOG),
            warnings: Mutex::default(),
            stop: CancellationToken::new(),
        }))
    }

    /// Now.
    pub(crate) fn now(&self) -> Timestamp {
        self.0.ambient.now()
    }

    /// What a clock says that nobody can set; absent where there is none.
    pub(crate) fn steady(&self) -> Option<Duration> {
        self.0.ambient.steady()
    }

    /// How far local time is ahead of UTC at a moment, in seconds.
    pub(crate) fn local_offset(&self, at: Timestamp) -> i32 {
        self.0.ambient.local_offset(at)
    }

    /// An identifier that nobody else has.
    pub(crate) fn new_id(&self) -> Uuid {
        self.0.ambient.new_id()
    }

    /// Tells the front ends what happened.
    pub(crate) fn emit(&self, event: impl Into<Event>) {
        // Nobody listening is fine: a gate without front ends still keeps the record.
        let _ = self.0.events.send(event.into());
    }

    /// What happens from now on.
    pub(crate) fn events(&self) -> broadcast::Receiver<Event> {
        self.0.events.subscribe()
    }

    /// Tells the protocol side what changed; nobody listening is fine.
    pub(crate) fn change(&self, change: Change) {
        let _ = self.0.changes.send(change);
    }

    /// What changes in the record from now on.
    pub(crate) fn changes(&self) -> broadcast::Receiver<Change> {
        self.0.changes.subscribe()
    }

    /// Tells agents' clients of the gate's own course; nobody listening is fine.
    pub(crate) fn log(&self, entry: LogEntry) {
        let _ = self.0.log.send(entry);
    }

    /// What agents' clients are told of that from now on.
    pub(crate) fn logged(&self) -> broadcast::Receiver<LogEntry> {
        self.0.log.subscribe()
    }

    /// Something that the person should know of, now and whenever a window opens.
    pub(crate) fn warn(&self, fault: Fault) {
        {
            let mut warnings = self.0.warnings.lock().unwrap_or_else(PoisonError::into_inner);
            if warnings.contains(&fault) {
                return;
            }
            warnings.push(fault.clone());
        }
        tracing::warn!(%fault, "the person is told");
        self.log(agents_log::warning(&fault));
        self.emit(program::Event::Warning { fault });
    }

    /// These warnings no longer hold.
    pub(crate) fn take_back_warnings(&self, gone: &[&Fault]) {
        let mut warnings = self.0.warnings.lock().unwrap_or_else(PoisonError::into_inner);
        warnings.retain(|warning| !gone.contains(&warning));
    }

    /// What the person should know of.
    pub(crate) fn warnings(&self) -> Vec<Fault> {
        self.0.warnings.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Cancelled when the gate is to stop.
    pub(crate) fn stop(&self) -> &CancellationToken {
        &self.0.stop
    }
}
