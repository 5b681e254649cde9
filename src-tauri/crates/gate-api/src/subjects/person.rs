//! How the person is there.

use gate_core::{Presence, Timestamp};

use crate::done::Done;
use crate::{commands, events};

commands! {
    /// Says that the person is away, or there again. It says itself how they are, so it isn't taken for another sign
    /// of them: away over an absence that the gate has found keeps its beginning.
    set_away: SetAway {
        /// Whether they are away.
        away: bool,
    } -> Done, by Answerer, Look;

    /// Switches do-not-disturb.
    set_do_not_disturb: SetDoNotDisturb {
        /// Whether it is on.
        on: bool,
        /// Until when, at most [`gate_core::bounds::PUT_OFF_DAYS`] days from now; absent for until it is
        /// switched off.
        #[serde(default)]
        until: Option<Timestamp>,
    } -> Done, by Answerer, Act;
}

events! {
    /// The person went away or came back, or quiet began or ended.
    PresenceChanged {
        /// How it is now.
        presence: Presence,
    }, AtAGlance;
}
