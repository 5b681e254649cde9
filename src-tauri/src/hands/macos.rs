//! On macOS, which tells the time since the last event of a kind, of a screen that is shared as well.

use std::time::Duration;

use objc2_core_graphics::{CGEventSource, CGEventSourceStateID, CGEventType};

use super::Input;

/// What a hand does that is at work.
const PRESSED: [CGEventType; 4] =
    [CGEventType::KeyDown, CGEventType::LeftMouseDown, CGEventType::RightMouseDown, CGEventType::OtherMouseDown];

#[derive(Default)]
pub(super) struct System;

impl Input for System {
    fn idle(&self) -> Option<Duration> {
        let state = CGEventSourceStateID::CombinedSessionState;
        let since = PRESSED.map(|kind| CGEventSource::seconds_since_last_event_type(state, kind));
        Duration::try_from_secs_f64(since.into_iter().fold(f64::INFINITY, f64::min)).ok()
    }
}
