//! How the person is there.

use gate_core::Timestamp;

use crate::commands;
use crate::done::Done;

commands! {
    /// Says that the person is away, or there again.
    set_away: SetAway {
        /// Whether they are away.
        away: bool,
    } -> Done, by Answerer, Act;

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
