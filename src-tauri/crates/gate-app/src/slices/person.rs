//! The person: whether they are there, by what they say and what the gate finds out, how a request gets their
//! attention, and what they see at a glance.

pub mod attention;
mod commands;
mod glance;
mod quiet;

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use gate_api::subjects::person::Event;
use gate_core::presence::checked_until;
use gate_core::{Absence, Fault, Presence, RequestId, Timestamp};
use gate_store::Store;
use tokio::sync::watch;

use crate::agents_log;
use crate::bus::Bus;
use crate::slices::conversations::Conversations;
use crate::slices::queue::Queue;
use crate::slices::settings::Configured;
use attention::Raised;
pub use glance::{Glance, WaitingRequest, Working};
pub use quiet::QuietFor;

/// What is known of the person.
#[derive(Debug)]
pub(crate) struct Person {
    store: Store,
    bus: Bus,
    settings: Arc<Configured>,
    queue: Arc<Queue>,
    conversations: Arc<Conversations>,
    absence: Mutex<Absence>,
    /// What front ends were told last.
    told: Mutex<Option<Presence>>,
    away: watch::Sender<bool>,
    /// Calls that were answered `pending`, one after the other, since the person last did something.
    rounds: AtomicU32,
    /// Which clients have just brought the window up.
    raised: Raised,
    /// Held while it changes, so that the record has what is in memory.
    changing: tokio::sync::Mutex<()>,
}

impl Person {
    /// The person as they were before a restart.
    pub(crate) async fn open(
        store: Store,
        bus: Bus,
        settings: Arc<Configured>,
        queue: Arc<Queue>,
        conversations: Arc<Conversations>,
    ) -> Result<Self, Fault> {
        let absence = store.absence().await?;
        let person = Self {
            store,
            bus,
            settings,
            queue,
            conversations,
            absence: Mutex::default(),
            told: Mutex::default(),
            away: watch::Sender::new(false),
            rounds: AtomicU32::new(0),
            raised: Raised::default(),
            changing: tokio::sync::Mutex::default(),
        };
        person.keep(absence);
        let presence = person.presence();
        *person.told.lock().unwrap_or_else(PoisonError::into_inner) = Some(presence);
        Ok(person)
    }

    fn absence(&self) -> Absence {
        *self.absence.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn keep(&self, absence: Absence) {
        *self.absence.lock().unwrap_or_else(PoisonError::into_inner) = absence;
        self.away.send_replace(absence.away_since.is_some());
    }

    /// How the person is there.
    pub(crate) fn presence(&self) -> Presence {
        self.presence_at(self.bus.now())
    }

    fn presence_at(&self, now: Timestamp) -> Presence {
        let hours = self.settings.in_force().notifications.quiet_hours;
        // Only they have to do with where the person is.
        let offset = hours.map_or(0, |_| self.bus.local_offset(now));
        self.absence().presence(hours, now, offset)
    }

    /// The person says that they are away, or there.
    pub(crate) async fn set_away(&self, away: bool) -> Result<(), Fault> {
        self.rounds.store(0, Ordering::Relaxed);
        self.change_presence(|absence, now| absence.set_away(away, now)).await
    }

    /// The person switches do-not-disturb.
    pub(crate) async fn set_do_not_disturb(&self, on: bool, until: Option<Timestamp>) -> Result<(), Fault> {
        checked_until(until.filter(|_| on), self.bus.now())?;
        self.change_presence(|absence, _| absence.set_do_not_disturb(on, until)).await
    }

    /// The person has done something: they are there, unless they have said otherwise.
    pub(crate) async fn acted(&self) {
        self.rounds.store(0, Ordering::Relaxed);
        if self.absence().by_itself {
            self.find(|absence, _| absence.acted()).await;
        }
    }

    /// The person has answered or dismissed a request: its client may bring the window up again.
    pub(crate) fn settled(&self, request: RequestId) {
        self.raised.settled(request);
    }

    /// A call was answered `pending` since its client would have given up.
    pub(crate) async fn waited_in_vain(&self) {
        let most = self.settings.in_force().waiting.away_after_pending;
        if most > 0 && self.rounds.fetch_add(1, Ordering::Relaxed).saturating_add(1) >= most {
            self.find(Absence::found_away).await;
        }
    }

    /// Whether the person is away.
    pub(crate) fn is_away(&self) -> bool {
        *self.away.borrow()
    }

    /// Resolves when the person is away; at once while they are.
    pub(crate) async fn away(&self) {
        let mut away = self.away.subscribe();
        // The sender lives as long as the gate, which is borrowed here.
        let _ = away.wait_for(|away| *away).await;
    }

    /// Lets time pass over quiet hours and do-not-disturb.
    pub(crate) async fn pass_time(&self, now: Timestamp) {
        let absence = self.absence();
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
        let _alone = self.changing.lock().await;
        let (before, now) = (self.absence(), self.bus.now());
        let after = change(before.at(now), now);
        if after != before {
            self.store.set_absence(after).await?;
            self.keep(after);
        }
        self.tell_presence(now);
        Ok(())
    }

    fn tell_presence(&self, now: Timestamp) {
        let presence = self.presence_at(now);
        let before = self.told.lock().unwrap_or_else(PoisonError::into_inner).replace(presence);
        if before.is_some_and(|before| before.away) != presence.away {
            self.bus.log(agents_log::presence(presence.away));
        }
        if before != Some(presence) {
            self.bus.emit(Event::PresenceChanged { presence });
        }
    }
}
