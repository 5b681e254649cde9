//! Who waits: for an event of a review, for anything, or for a review to claim. A call that waits costs a receiver, and
//! does nothing until it is woken.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gate_core::proposal::bounds;
use gate_core::proposal::{NextReview, ReviewId};
use gate_core::{Code, Fault};
use tokio::sync::{Notify, watch};

/// Who waits for events.
#[derive(Debug, Default)]
pub(super) struct Wakes {
    reviews: Mutex<HashMap<ReviewId, watch::Sender<()>>>,
    anything: watch::Sender<()>,
}

impl Wakes {
    /// What tells of a review's events from now on.
    ///
    /// # Errors
    /// `too_many` where as many calls wait as may.
    pub(super) fn of(&self, review: ReviewId) -> Result<watch::Receiver<()>, Fault> {
        let mut reviews = lock(&self.reviews);
        let waiting: usize = reviews.values().map(watch::Sender::receiver_count).sum();
        has_room(waiting + self.anything.receiver_count())?;
        Ok(reviews.entry(review).or_default().subscribe())
    }

    /// What tells of any review's events from now on.
    ///
    /// # Errors
    /// `too_many` where as many calls wait as may.
    pub(super) fn of_anything(&self) -> Result<watch::Receiver<()>, Fault> {
        has_room(self.anything.receiver_count())?;
        Ok(self.anything.subscribe())
    }

    /// Something happened in a review.
    pub(super) fn wake(&self, review: ReviewId) {
        let mut reviews = lock(&self.reviews);
        if let Some(sender) = reviews.get(&review) {
            sender.send_replace(());
            if sender.receiver_count() == 0 {
                reviews.remove(&review);
            }
        }
        drop(reviews);
        self.anything.send_replace(());
    }
}

/// Calls that wait for something to happen in a review, by the party whose they are: whoever waits is there.
#[derive(Debug, Clone, Default)]
pub(super) struct Watchers(Arc<Mutex<HashMap<(ReviewId, String), usize>>>);

/// A call that waits, until it is dropped.
#[derive(Debug)]
pub(super) struct Watching {
    all: Watchers,
    key: (ReviewId, String),
}

impl Watchers {
    /// A call of this party waits in a review until the result is dropped.
    pub(super) fn watch(&self, review: ReviewId, party: &str) -> Watching {
        let key = (review, party.to_owned());
        *lock(&self.0).entry(key.clone()).or_default() += 1;
        Watching { all: self.clone(), key }
    }

    /// Whether a call of this party waits in a review.
    pub(super) fn has(&self, review: ReviewId, party: &str) -> bool {
        lock(&self.0).contains_key(&(review, party.to_owned()))
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        let mut all = lock(&self.all.0);
        if let Some(count) = all.get_mut(&self.key) {
            *count -= 1;
            if *count == 0 {
                all.remove(&self.key);
            }
        }
    }
}

fn has_room(waiting: usize) -> Result<(), Fault> {
    if waiting < bounds::WAITS {
        return Ok(());
    }
    Err(Fault::new(
        Code::TooMany,
        format!("{} calls wait already.", bounds::WAITS),
        "Call without wait, and again in a while.",
    ))
}

/// Who waits for a review to claim, in the order in which they came.
#[derive(Debug, Clone, Default)]
pub(super) struct Claimers(Arc<Mutex<Vec<Arc<Claimer>>>>);

#[derive(Debug)]
struct Claimer {
    next: NextReview,
    /// Its party, which never gets its own.
    party: String,
    /// What it is offered and hasn't looked at yet.
    offered: Mutex<Option<Offer>>,
    wake: Notify,
}

/// A review that may be claimed.
#[derive(Debug, Clone)]
pub(super) struct Offer {
    /// The review.
    pub(super) review: ReviewId,
    /// Where it belongs.
    pub(super) place: String,
    /// Its category.
    pub(super) category: Option<String>,
    /// Its proposer's party.
    pub(super) party: String,
}

impl Claimer {
    fn may_have(&self, offer: &Offer) -> bool {
        let NextReview { places, categories } = &self.next;
        let category = offer.category.as_ref();
        self.party != offer.party
            && places.contains(&offer.place)
            && (categories.is_empty() || category.is_some_and(|category| categories.contains(category)))
            && lock(&self.offered).is_none()
    }
}

impl Claimers {
    /// Waits in the queue of claimers until the result is dropped.
    ///
    /// # Errors
    /// `too_many` where as many calls wait as may.
    pub(super) fn join(&self, next: NextReview, party: String) -> Result<Place, Fault> {
        let claimer = Arc::new(Claimer { next, party, offered: Mutex::default(), wake: Notify::new() });
        let mut all = lock(&self.0);
        has_room(all.len())?;
        all.push(Arc::clone(&claimer));
        drop(all);
        Ok(Place { claimers: self.clone(), claimer })
    }

    /// Offers a review to whoever waits longest and may have it.
    pub(super) fn offer(&self, offer: Offer) {
        self.offer_from(0, offer);
    }

    fn offer_from(&self, first: usize, offer: Offer) {
        let all = lock(&self.0);
        if let Some(claimer) = all.iter().skip(first).find(|claimer| claimer.may_have(&offer)) {
            *lock(&claimer.offered) = Some(offer);
            claimer.wake.notify_one();
        }
    }

    /// Whether nobody waits.
    pub(super) fn is_empty(&self) -> bool {
        lock(&self.0).is_empty()
    }

    /// How many wait who may have a review.
    pub(super) fn waiting_for(&self, offer: &Offer) -> u32 {
        let all = lock(&self.0);
        let looks_at_it =
            |claimer: &Claimer| lock(&claimer.offered).as_ref().is_some_and(|own| own.review == offer.review);
        let count = all.iter().filter(|claimer| claimer.may_have(offer) || looks_at_it(claimer)).count();
        u32::try_from(count).unwrap_or(u32::MAX)
    }
}

/// A claimer's place in their queue.
#[derive(Debug)]
pub(super) struct Place {
    claimers: Claimers,
    claimer: Arc<Claimer>,
}

impl Place {
    /// The next review that it is offered.
    pub(super) async fn offered(&self) -> Offer {
        loop {
            if let Some(offer) = lock(&self.claimer.offered).clone() {
                return offer;
            }
            self.claimer.wake.notified().await;
        }
    }

    /// It doesn't take what it was offered: the next one may.
    pub(super) fn pass_on(&self) {
        let offer = lock(&self.claimer.offered).take();
        let position = lock(&self.claimers.0).iter().position(|claimer| Arc::ptr_eq(claimer, &self.claimer));
        if let Some(offer) = offer {
            self.claimers.offer_from(position.map_or(0, |position| position + 1), offer);
        }
    }

    /// It has what it was offered, or that is gone: nobody else needs to look.
    pub(super) fn took(&self) {
        lock(&self.claimer.offered).take();
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        lock(&self.claimers.0).retain(|claimer| !Arc::ptr_eq(claimer, &self.claimer));
        // Whoever gives up in the middle, or has another by now, leaves what it was offered to whoever waits.
        let offer = lock(&self.claimer.offered).take();
        if let Some(offer) = offer {
            self.claimers.offer(offer);
        }
    }
}

#[cfg(test)]
impl super::Reviews {
    /// How many calls wait for a review to claim.
    pub(crate) fn claimers_waiting(&self) -> usize {
        lock(&self.claimers.0).len()
    }

    /// Whether a call of this party waits in a review.
    pub(crate) fn has_waiting(&self, review: ReviewId, party: &str) -> bool {
        self.watchers.has(review, party)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    fn offer(number: u128, place: &str, party: &str) -> Offer {
        Offer {
            review: ReviewId(Uuid::from_u128(number)),
            place: place.to_owned(),
            category: None,
            party: party.to_owned(),
        }
    }

    fn next(place: &str) -> NextReview {
        NextReview { places: vec![place.to_owned()], categories: Vec::new() }
    }

    #[tokio::test]
    async fn whoever_waits_longest_and_may_have_it_is_offered_a_review_first() {
        let claimers = Claimers::default();
        let join = |place: &str, party: &str| claimers.join(next(place), party.to_owned()).expect("there is room");
        let (own, elsewhere, first, second) = (join("/w", "p"), join("/x", "a"), join("/w", "b"), join("/w", "c"));
        claimers.offer(offer(1, "/w", "p"));
        assert_eq!(
            first.offered().await.review,
            ReviewId(Uuid::from_u128(1)),
            "neither the proposer nor another folder's"
        );
        claimers.offer(offer(2, "/w", "p"));
        assert_eq!(second.offered().await.review, ReviewId(Uuid::from_u128(2)), "the first one looks at another");
        second.took();
        drop(first);
        assert_eq!(second.offered().await.review, ReviewId(Uuid::from_u128(1)), "what it leaves is the next one's");
        drop((own, elsewhere));
    }

    #[tokio::test]
    async fn an_event_wakes_who_waits_for_its_review_and_who_waits_for_anything() {
        let wakes = Wakes::default();
        let [one, other] = [1, 2].map(|number| ReviewId(Uuid::from_u128(number)));
        let mut of_one = wakes.of(one).expect("there is room");
        let of_other = wakes.of(other).expect("there is room");
        let mut anything = wakes.of_anything().expect("there is room");
        wakes.wake(one);
        of_one.changed().await.expect("it is there");
        anything.changed().await.expect("it is there");
        assert!(!of_other.has_changed().expect("it is there"), "nothing happened there");
        drop(of_one);
        wakes.wake(one);
        assert_eq!(lock(&wakes.reviews).len(), 1, "whom nobody waits for is forgotten");
    }
}
