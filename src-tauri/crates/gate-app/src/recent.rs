//! What was read from the record last and can't change but by what clears it, in memory.

use std::collections::VecDeque;
use std::fmt::Debug;
use std::sync::{Mutex, MutexGuard, PoisonError};

use gate_core::RequestId;

/// Of the requests that were read last, what is known of each. Of a number of them; the one that came first goes first.
#[derive(Debug)]
pub(crate) struct Recent<T> {
    most: usize,
    kept: Mutex<Kept<T>>,
}

#[derive(Debug)]
struct Kept<T> {
    requests: VecDeque<(RequestId, T)>,
    /// How often all of them were dropped.
    cleared: u64,
}

/// A moment before something is read: what is cleared since makes it old.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Since(u64);

impl<T: Clone + Debug> Recent<T> {
    /// Keeps at most so many.
    pub(crate) fn of(most: usize) -> Self {
        Self { most, kept: Mutex::new(Kept { requests: VecDeque::new(), cleared: 0 }) }
    }

    /// What is kept of a request.
    pub(crate) fn get(&self, request: RequestId) -> Option<T> {
        self.lock().requests.iter().find(|(kept, _)| *kept == request).map(|(_, known)| known.clone())
    }

    /// Before something is read that is to be kept.
    pub(crate) fn before_reading(&self) -> Since {
        Since(self.lock().cleared)
    }

    /// Keeps what was read, unless something was cleared meanwhile.
    pub(crate) fn keep(&self, request: RequestId, known: &T, since: Since) {
        let mut kept = self.lock();
        if Since(kept.cleared) != since || kept.requests.iter().any(|(other, _)| *other == request) {
            return;
        }
        if kept.requests.len() >= self.most {
            kept.requests.pop_front();
        }
        kept.requests.push_back((request, known.clone()));
    }

    /// Keeps none of them any longer, nor what is just being read.
    pub(crate) fn clear(&self) {
        let mut kept = self.lock();
        kept.requests.clear();
        kept.cleared += 1;
    }

    fn lock(&self) -> MutexGuard<'_, Kept<T>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn what_was_read_before_it_was_cleared_is_not_kept_after() {
        let recent = Recent::of(2);
        let id = RequestId(Uuid::now_v7());
        let since = recent.before_reading();
        recent.clear();
        recent.keep(id, &"old", since);
        assert_eq!(recent.get(id), None, "it may be what was changed");
        recent.keep(id, &"new", recent.before_reading());
        assert_eq!(recent.get(id), Some("new"), "what is read behind it is as it stands");
    }

    #[test]
    fn the_first_one_makes_room() {
        let recent = Recent::of(2);
        let ids = [(); 3].map(|()| RequestId(Uuid::now_v7()));
        for id in ids {
            recent.keep(id, &(), recent.before_reading());
        }
        assert_eq!(ids.map(|id| recent.get(id).is_some()), [false, true, true]);
    }
}
