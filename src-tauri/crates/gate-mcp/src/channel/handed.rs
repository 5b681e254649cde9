//! Results that were given to the connection and that the agent isn't known to have yet. Each
//! keeps its call counted, so that the session's next call isn't given the same reply again.

use std::any::Any;
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Most results that are remembered; the oldest is forgotten first. A relay confirms each at once.
const RESULTS: usize = 1024;

type Attendance = Box<dyn Any + Send + Sync>;

/// The results of one connection: the call, and its attendance unless it only read.
#[derive(Default)]
pub(crate) struct Handed(Mutex<VecDeque<(String, Option<Attendance>)>>);

impl Handed {
    /// The result of this call is on its way.
    pub(crate) fn add(&self, call_key: String, attendance: Option<Attendance>) {
        let mut results = self.lock();
        let forgotten = (results.len() >= RESULTS).then(|| results.pop_front());
        results.push_back((call_key, attendance));
        drop(results);
        drop(forgotten);
    }

    /// Whether the call is known to have only read, so that its delivery changes nothing.
    pub(crate) fn only_read(&self, call_key: &str) -> bool {
        self.lock().iter().any(|(key, attendance)| key == call_key && attendance.is_none())
    }

    /// The agent has the result of this call.
    pub(crate) fn arrived(&self, call_key: &str) {
        let mut results = self.lock();
        let at = results.iter().position(|(key, _)| key == call_key);
        let arrived = at.and_then(|at| results.remove(at));
        drop(results);
        drop(arrived);
    }

    /// The connection is gone: whatever the agent has not confirmed is told again.
    pub(crate) fn give_up(&self) {
        let lost = std::mem::take(&mut *self.lock());
        drop(lost);
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<(String, Option<Attendance>)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
