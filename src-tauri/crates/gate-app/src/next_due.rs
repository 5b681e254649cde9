//! When the next thing is due of a slice. While nothing is, looking costs a comparison.

use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

use gate_core::Timestamp;

/// When the next thing is due, as it was looked up last.
#[derive(Debug)]
pub(crate) struct NextDue {
    /// In milliseconds since the Unix epoch; the largest number for never.
    at: AtomicI64,
    /// Whether something happened since that was looked up: another thing may be due next.
    acted: AtomicBool,
}

impl Default for NextDue {
    fn default() -> Self {
        Self { at: AtomicI64::new(i64::MAX), acted: AtomicBool::new(true) }
    }
}

impl NextDue {
    /// Something happened: another thing may be due next. It is looked up as time passes, once for all that happened.
    pub(crate) fn changed(&self) {
        self.acted.store(true, Ordering::Relaxed);
    }

    /// Whether something may be due by now, and so has to be looked up.
    pub(crate) fn may_be(&self, now: Timestamp) -> bool {
        let acted = self.acted.swap(false, Ordering::Relaxed);
        acted || now.0 >= self.at.load(Ordering::Relaxed)
    }

    /// The next thing is due then, or never.
    pub(crate) fn is(&self, next: Option<Timestamp>) {
        self.at.store(next.map_or(i64::MAX, |next| next.0), Ordering::Relaxed);
    }

    /// Nothing is looked up before that, unless something happens.
    pub(crate) fn not_before(&self, then: Timestamp) {
        self.at.fetch_max(then.0, Ordering::Relaxed);
    }
}
