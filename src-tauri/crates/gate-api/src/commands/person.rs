//! How the person is there.

use gate_core::Timestamp;

use crate::commands;
use crate::done::Done;

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
