//! Whether the person is there: what they say, what the gate finds out, and what hangs on it.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

use gate_api::Event;
use gate_core::presence::checked_until;
use gate_core::{Absence, Fault, Presence, Timestamp};
use tokio::sync::watch;

use crate::clock::now;
use crate::gate::Gate;

/// How far local time is ahead of UTC at a moment, in seconds.
pub(crate) type LocalOffset = fn(Timestamp) -> i32;

/// What is known of the person.
#[derive(Debug)]
pub(crate) struct Person {
    absence: Mutex<Absence>,
    /// What front ends were told last.
    told: Mutex<Option<Presence>>,
    away: watch::Sender<bool>,
    /// Calls that were answered `pending`, one after the other, since the person last did something.
    rounds: AtomicU32,
    offset: LocalOffset,
    /// Held while it changes, so that the record has what is in memory.
    changing: tokio::sync::Mutex<()>,
}

impl Person {
    /// Someone who is there. `offset` says where.
    pub(crate) fn new(offset: LocalOffset) -> Self {
        Self {
            absence: Mutex::default(),
            told: Mutex::default(),
            away: watch::Sender::new(false),
            rounds: AtomicU32::new(0),
            offset,
            changing: tokio::sync::Mutex::default(),
        }
    }

    fn absence(&self) -> Absence {
        *self.absence.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn keep(&self, absence: Absence) {
        *self.absence.lock().unwrap_or_else(PoisonError::into_inner) = absence;
        self.away.send_replace(absence.away_since.is_some());
    }
}

impl Gate {
    /// How the person is there.
    #[must_use]
    pub fn presence(&self) -> Presence {
        self.presence_at(now())
    }

    /// How far local time is ahead of UTC at a moment, in seconds.
    pub(crate) fn local_offset(&self, at: Timestamp) -> i32 {
        (self.inner.person.offset)(at)
    }

    fn presence_at(&self, now: Timestamp) -> Presence {
        let person = &self.inner.person;
        let hours = self.settings().notifications.quiet_hours;
        // Only they have to do with where the person is.
        let offset = hours.map_or(0, |_| (person.offset)(now));
        person.absence().presence(hours, now, offset)
    }

    /// Takes up what was stored before a restart.
    pub(crate) async fn remember_presence(&self) -> Result<(), Fault> {
        let person = &self.inner.person;
        person.keep(self.inner.store.absence().await?);
        *person.told.lock().unwrap_or_else(PoisonError::into_inner) = Some(self.presence());
        Ok(())
    }

    /// The person says that they are away, or there.
    pub(crate) async fn set_away(&self, away: bool) -> Result<(), Fault> {
        self.inner.person.rounds.store(0, Ordering::Relaxed);
        self.change_presence(|absence, now| absence.set_away(away, now)).await
    }

    /// The person switches do-not-disturb.
    pub(crate) async fn set_do_not_disturb(&self, on: bool, until: Option<Timestamp>) -> Result<(), Fault> {
        checked_until(until.filter(|_| on), now())?;
        self.change_presence(|absence, _| absence.set_do_not_disturb(on, until)).await
    }

    /// The person has done something: they are there, unless they have said otherwise.
    pub(crate) async fn person_acted(&self) {
        self.inner.person.rounds.store(0, Ordering::Relaxed);
        if self.inner.person.absence().by_itself {
            self.find(|absence, _| absence.acted()).await;
        }
    }

    /// A call was answered `pending` since its client would have given up.
    pub(crate) async fn waited_in_vain(&self) {
        let most = self.settings().waiting.away_after_pending;
        if most > 0 && self.inner.person.rounds.fetch_add(1, Ordering::Relaxed).saturating_add(1) >= most {
            self.find(Absence::found_away).await;
        }
    }

    /// Whether the person is away.
    pub(crate) fn is_away(&self) -> bool {
        *self.inner.person.away.borrow()
    }

    /// Resolves when the person is away; at once while they are.
    pub(crate) async fn away(&self) {
        let mut away = self.inner.person.away.subscribe();
        // The sender lives as long as the gate, which is borrowed here.
        let _ = away.wait_for(|away| *away).await;
    }

    /// Lets time pass over quiet hours and do-not-disturb.
    pub(crate) async fn pass_presence(&self, now: Timestamp) {
        let absence = self.inner.person.absence();
        if absence.at(now) != absence {
            self.find(|absence, _| absence.at(now)).await;
        }
        self.tell_presence(now);
    }

    /// As [`Self::change_presence`], where nobody waits for the outcome.
    async fn find(&self, change: impl FnOnce(Absence, Timestamp) -> Absence) {
        if let Err(fault) = self.change_presence(change).await {
            tracing::warn!(%fault, "how the person is there could not be stored");
        }
    }

    async fn change_presence(&self, change: impl FnOnce(Absence, Timestamp) -> Absence) -> Result<(), Fault> {
        let person = &self.inner.person;
        let _alone = person.changing.lock().await;
        let (before, now) = (person.absence(), now());
        let after = change(before.at(now), now);
        if after != before {
            self.inner.store.set_absence(after).await?;
            person.keep(after);
        }
        self.tell_presence(now);
        Ok(())
    }

    fn tell_presence(&self, now: Timestamp) {
        let presence = self.presence_at(now);
        let before = self.inner.person.told.lock().unwrap_or_else(PoisonError::into_inner).replace(presence);
        if before != Some(presence) {
            self.emit(Event::PresenceChanged { presence });
        }
    }
}
