//! The connections that have not shown a token yet.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio_util::sync::CancellationToken;

/// Connections that have not shown a token yet, the oldest first.
#[derive(Debug, Clone, Default)]
pub(crate) struct Strangers(Arc<Mutex<VecDeque<(u64, CancellationToken)>>>);

impl Strangers {
    /// A new connection. It is a stranger until the result is dropped.
    pub(crate) fn arrive(&self) -> Stranger {
        let mut all = self.lock();
        let number = all.back().map_or(0, |(last, _)| last + 1);
        let away = CancellationToken::new();
        all.push_back((number, away.clone()));
        Stranger { strangers: self.clone(), number, away }
    }

    /// Sends the oldest one away. False where there is none.
    pub(crate) fn send_one_away(&self) -> bool {
        let oldest = self.lock().pop_front();
        oldest.map(|(_, away)| away.cancel()).is_some()
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<(u64, CancellationToken)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A connection that has not shown a token yet.
#[derive(Debug)]
pub(crate) struct Stranger {
    strangers: Strangers,
    number: u64,
    /// Cancelled when it has to make room.
    pub(crate) away: CancellationToken,
}

impl Drop for Stranger {
    fn drop(&mut self) {
        let mut all = self.strangers.lock();
        if let Ok(at) = all.binary_search_by_key(&self.number, |(number, _)| *number) {
            all.remove(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_stranger_goes_first_and_who_has_shown_a_token_stays() {
        let strangers = Strangers::default();
        let (first, second, third) = (strangers.arrive(), strangers.arrive(), strangers.arrive());
        drop(first);
        assert!(strangers.send_one_away());
        assert!(second.away.is_cancelled() && !third.away.is_cancelled());
        drop((second, third));
        assert!(!strangers.send_one_away(), "nobody is left");
    }
}
