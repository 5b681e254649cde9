//! Whose turn it is: one prompt at a time for each user, and a short queue before it.
//!
//! Knows users by their numbers.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::refused::{Refused, Why};

/// Most receipts of a user that wait, besides the one that is asked about.
pub(crate) const QUEUE: usize = 8;
/// Most connections of a user.
pub(crate) const CONNECTIONS: usize = 16;
/// How long nothing else is asked after something wasn't confirmed. Whoever tries for certain digits has one try in it.
const PAUSE: Duration = Duration::from_secs(1);

/// The users that are here, each with its connections and its turn.
#[derive(Debug, Clone, Default)]
pub(crate) struct Turns(Arc<Mutex<HashMap<u32, User>>>);

#[derive(Debug, Clone)]
struct User {
    connections: Arc<Semaphore>,
    waiting: Arc<Semaphore>,
    turn: Arc<Semaphore>,
}

impl Turns {
    /// A connection of this user's, while the permit is there.
    ///
    /// # Errors
    /// Where there are too many.
    pub(crate) fn connect(&self, user: u32) -> Result<OwnedSemaphorePermit, Refused> {
        let busy = |_| Refused::new(Why::Busy, format!("There are {CONNECTIONS} connections of this user already."));
        self.user(user).connections.try_acquire_owned().map_err(busy)
    }

    /// Waits for this user's turn.
    ///
    /// # Errors
    /// Where too many wait already.
    pub(crate) async fn wait(&self, user: u32) -> Result<Turn, Refused> {
        let busy = || Refused::new(Why::Busy, format!("There are {QUEUE} receipts waiting to be confirmed already."));
        let user = self.user(user);
        if let Ok(turn) = user.turn.clone().try_acquire_owned() {
            return Ok(Turn(Some(turn)));
        }
        let _waiting = user.waiting.try_acquire_owned().map_err(|_| busy())?;
        user.turn.acquire_owned().await.map(|turn| Turn(Some(turn))).map_err(|_| busy())
    }

    fn user(&self, user: u32) -> User {
        let mut users = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Who is gone takes no room: a user has a connection for as long as anything of theirs is here.
        users.retain(|_, user| Arc::strong_count(&user.connections) > 1 || Arc::strong_count(&user.turn) > 1);
        let fresh = || User {
            connections: Arc::new(Semaphore::new(CONNECTIONS)),
            waiting: Arc::new(Semaphore::new(QUEUE)),
            turn: Arc::new(Semaphore::new(1)),
        };
        users.entry(user).or_insert_with(fresh).clone()
    }
}

/// A user's turn. Given up with something confirmed it is the next one's at once, otherwise after a pause.
#[derive(Debug)]
pub(crate) struct Turn(Option<OwnedSemaphorePermit>);

impl Turn {
    /// The next may be asked about at once.
    pub(crate) fn confirmed(mut self) {
        self.0.take();
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let Some(turn) = self.0.take() else { return };
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                tokio::time::sleep(PAUSE).await;
                drop(turn);
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const USER: u32 = 1000;

    async fn at_once(turns: &Turns, user: u32) -> Option<Turn> {
        tokio::time::timeout(Duration::ZERO, turns.wait(user)).await.ok()?.ok()
    }

    #[tokio::test(start_paused = true)]
    async fn one_of_a_user_is_asked_about_at_a_time() {
        let turns = Turns::default();
        let first = at_once(&turns, USER).await.expect("nobody is before it");
        assert!(at_once(&turns, USER).await.is_none(), "one is asked about");
        assert!(at_once(&turns, USER + 1).await.is_some(), "another user has another screen");
        first.confirmed();
        let second = at_once(&turns, USER).await.expect("the first was confirmed");
        drop(second);
        assert!(at_once(&turns, USER).await.is_none(), "what wasn't confirmed is followed by a pause");
        tokio::time::timeout(2 * PAUSE, turns.wait(USER))
            .await
            .expect("which ends")
            .expect("nobody else waits")
            .confirmed();
    }

    #[tokio::test(start_paused = true)]
    async fn the_queue_is_bounded() {
        let turns = Turns::default();
        let first = at_once(&turns, USER).await.expect("nobody is before it");
        let waiting: Vec<_> = (0..QUEUE)
            .map(|_| {
                let turns = turns.clone();
                tokio::spawn(async move { turns.wait(USER).await.map(Turn::confirmed) })
            })
            .collect();
        tokio::time::advance(Duration::from_millis(1)).await;
        let refused = turns.wait(USER).await.map(Turn::confirmed).map_err(|refused| refused.why);
        assert_eq!(refused, Err(Why::Busy));
        first.confirmed();
        for waits in waiting {
            assert_eq!(waits.await.expect("it ends"), Ok(()), "who waits has their turn");
        }
    }

    #[test]
    fn connections_are_bounded_and_who_is_gone_takes_no_room() {
        let turns = Turns::default();
        let held: Vec<_> = (0..CONNECTIONS).map(|_| turns.connect(USER).expect("there is room")).collect();
        assert_eq!(turns.connect(USER).map(drop).map_err(|refused| refused.why), Err(Why::Busy));
        assert_eq!(turns.connect(USER + 1).map(drop), Ok(()));
        drop(held);
        assert_eq!(turns.connect(USER).map(drop), Ok(()));
        for user in 0..100 {
            drop(turns.connect(user));
        }
        assert!(turns.0.lock().expect("nobody broke it").len() <= 2);
    }
}
