//! A call that waits: for how long, what its client hears meanwhile, and what ends it. What it waits for is its tool's
//! to know.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use gate_core::clients::{Client, Override, patience};
use gate_core::{Code, Fault};
use rmcp::model::ProgressNotificationParam;
use tokio::time::{Interval, MissedTickBehavior, Sleep};

use crate::tool::Called;

/// How often a waiting call tells a client that sent a progress token that it is alive.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// A call that waits, until its client would give up.
pub(crate) struct Waiting<'a> {
    called: &'a Called<'a>,
    patience: Pin<Box<Sleep>>,
    beat: Interval,
    beats: u32,
}

/// What came first.
pub(crate) enum Came<T> {
    /// What was waited for.
    This(T),
    /// Nobody reads the result: the client has taken the call back, or the connection is gone.
    Stopped {
        /// Whether the client has taken it back.
        taken_back: bool,
    },
    /// Nobody reads the result now; a client may yet come back for it.
    Unread,
    /// The person is away.
    Away,
    /// The client would give up soon.
    Over,
}

impl<'a> Waiting<'a> {
    /// A call of a client that waits for so long.
    pub(crate) fn of(called: &'a Called<'a>, patience: Duration) -> Self {
        let mut beat = tokio::time::interval(HEARTBEAT);
        beat.set_missed_tick_behavior(MissedTickBehavior::Skip);
        Self { called, patience: Box::pin(tokio::time::sleep(patience)), beat, beats: 0 }
    }

    /// Waits on. With `reader`, only as long as somebody reads the result. `says` is what the client hears at a beat, by
    /// how many it has heard before.
    pub(crate) async fn on<T>(
        &mut self,
        mut what: Pin<&mut (impl Future<Output = T> + Send)>,
        mut away: Pin<&mut (impl Future<Output = ()> + Send)>,
        reader: bool,
        says: impl Fn(u32) -> String + Send,
    ) -> Came<T> {
        let Called { channel, context, .. } = *self.called;
        let token = context.meta.get_progress_token();
        let stopped = channel.stopped(context);
        tokio::pin!(stopped);
        loop {
            tokio::select! {
                biased;
                this = &mut what => return Came::This(this),
                taken_back = &mut stopped => return Came::Stopped { taken_back },
                () = channel.unread(context), if reader => return Came::Unread,
                () = &mut away => return Came::Away,
                () = &mut self.patience => return Came::Over,
                _ = self.beat.tick(), if token.is_some() => {
                    if let Some(token) = token.clone() {
                        let note = ProgressNotificationParam::new(token, f64::from(self.beats));
                        // A failed send means that the connection ends; that is noticed on its own.
                        let _ = context.peer.notify_progress(note.with_message(says(self.beats))).await;
                        self.beats = self.beats.saturating_add(1);
                    }
                }
            }
        }
    }
}

/// How long the client of a call waits for its result.
pub(crate) fn patience_of(called: &Called<'_>, overrides: &[Override]) -> Duration {
    let caller = called.channel.caller(called.context);
    let client = Client {
        name: &caller.client,
        version: &caller.client_version,
        transport: called.channel.transport(),
        progress: called.context.meta.get_progress_token().is_some(),
    };
    patience(&client, overrides)
}

/// Why a call ends whose result nobody reads.
pub(crate) fn cancelled() -> Fault {
    Fault::new(Code::NotPending, "The call was cancelled.", "Nothing is left to do.")
}
