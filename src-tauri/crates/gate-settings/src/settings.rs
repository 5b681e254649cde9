//! The settings as a whole: what holds where nobody has set anything, and what windows and sessions take from them.

use gate_api::subjects::program::WindowSettings;
use gate_core::SessionTimes;

use crate::{SETTINGS, Settings, Values};

/// What holds where nobody has set anything.
#[must_use]
pub fn defaults() -> Values {
    SETTINGS.iter().map(|entry| (entry.key, (entry.default)())).collect()
}

impl Default for Settings {
    fn default() -> Self {
        Self::of(&Values::new())
    }
}

impl Settings {
    /// What the windows follow.
    #[must_use]
    pub fn window_settings(&self) -> WindowSettings {
        WindowSettings {
            theme: self.window.theme.clone(),
            font_size: self.window.font_size,
            always_on_top: self.window.always_on_top,
            language: self.window.language.clone(),
            undo_seconds: self.window.undo_seconds,
            sounds: self.notifications.sounds,
            notifications: self.notifications.enabled,
            reduced_motion: self.window.reduced_motion,
            voice_commands: self.voice.commands,
            require_seen: self.review.require_seen,
        }
    }

    /// After how long a session's status changes.
    #[must_use]
    pub fn session_times(&self) -> SessionTimes {
        let millis = |seconds: u32| i64::from(seconds) * 1000;
        SessionTimes {
            timeout_millis: millis(self.sessions.timeout_seconds),
            stale_millis: millis(self.sessions.stale_seconds),
            forget_millis: millis(self.sessions.forget_seconds),
        }
    }
}

#[cfg(test)]
mod tests {
    use gate_core::clients::Override;
    use serde_json::json;

    use super::*;
    use crate::Waits;

    #[test]
    fn the_defaults_are_what_the_contract_says() {
        let settings = Settings::default();
        assert_eq!(settings, Settings::of(&defaults()), "a missing value is the default");
        assert_eq!(settings.session_times(), SessionTimes::default(), "five minutes, half a minute, an hour");
        assert_eq!((settings.network.http, settings.network.port), (true, 8321));
        let security = &settings.security;
        let answers = (security.scripted_answers, security.terminal_answers);
        assert_eq!(answers, (None, None), "only where the gate was started so");
        assert_eq!(security.require, "L1", "an approval is a person's");
        let window = settings.window_settings();
        assert_eq!((window.theme.as_str(), window.font_size, window.undo_seconds), ("system", 14, 5));
        assert!(window.sounds && window.notifications && settings.window.raise, "the person is called");
        assert!(settings.voice.enabled && settings.voice.armed, "voice works without a setting");
        assert!(!window.voice_commands, "and nothing that is said is a command");
        assert!(!window.require_seen, "an approval is the person's to give when they choose");
        assert_eq!(settings.waiting.clients, Waits::default());
    }

    #[test]
    fn waiting_times_may_differ_by_version_and_transport() {
        let clients = json!({"codex >= 0.60": {"http": 100}, "cursor": 290});
        let settings = Settings::of(&Values::from([("waiting.clients", clients)]));
        let expected = [Override::new("codex >= 0.60", None, Some(100)), Override::new("cursor", Some(290), Some(290))];
        let mut expected: Vec<_> = expected.into_iter().flatten().collect();
        expected.sort();
        assert_eq!(settings.waiting.clients, Waits(expected));
    }
}
