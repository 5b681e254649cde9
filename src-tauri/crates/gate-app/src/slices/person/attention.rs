//! How a request that comes in, or that is due again, gets the person's attention: by its window, by a
//! notification, by a sound, or not at all. The shell asks and obeys.

use gate_core::{Presence, RequestId};

use super::Person;

/// Where the review window is, and the person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Window {
    /// It can't be seen.
    Hidden,
    /// It can be seen, but the person works in another window.
    Behind,
    /// The person works in it.
    Front,
    /// The person works in the main window.
    Main,
}

/// What the person has chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wishes {
    /// `window.raise`: whether a request brings up a hidden window.
    pub raise: bool,
    /// `notifications.enabled`.
    pub notifications: bool,
    /// `notifications.sounds`.
    pub sounds: bool,
}

/// What becomes of the review window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Move {
    /// It comes to the front.
    Raise,
    /// It stays where it is, and the task bar marks it.
    Mark,
    /// Nothing.
    Stay,
}

/// A sound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sound {
    /// For any request.
    Soft,
    /// For an urgent one.
    Urgent,
}

/// What is done to get the person's attention.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attention {
    /// What becomes of the window.
    pub window: Move,
    /// Whether the system shows a notification.
    pub notify: bool,
    /// What is heard.
    pub sound: Option<Sound>,
}

impl Attention {
    const NONE: Self = Self { window: Move::Stay, notify: false, sound: None };
}

/// What a request does to get the person's attention.
///
/// Someone who is away is only told, so that it is there when they come back. While it is quiet, only
/// an urgent request does anything. A window that can be seen keeps its place unless the request is
/// urgent, since the person may be typing beside it. Where the window comes up, a notification would
/// say the same twice. The main window says itself what comes while the person is in it: nothing takes
/// the keyboard from what they type there, though it is urgent.
#[must_use]
pub fn attention(urgent: bool, presence: Presence, window: Window, wishes: Wishes) -> Attention {
    if presence.away {
        return Attention { notify: wishes.notifications, ..Attention::NONE };
    }
    if presence.quiet && !urgent {
        return Attention::NONE;
    }
    let sound = if urgent { Sound::Urgent } else { Sound::Soft };
    let sound = wishes.sounds.then_some(sound);
    let raised = Attention { window: Move::Raise, notify: false, sound };
    match window {
        Window::Front => Attention { sound: sound.filter(|_| urgent), ..Attention::NONE },
        Window::Main => Attention { sound, ..Attention::NONE },
        _ if urgent => raised,
        Window::Hidden if wishes.raise => raised,
        Window::Hidden => Attention { window: Move::Stay, notify: wishes.notifications, sound },
        Window::Behind => Attention { window: Move::Mark, notify: wishes.notifications, sound },
    }
}

impl Person {
    /// What a request does that has just come in.
    pub(crate) fn attention(&self, urgent: bool, window: Window) -> Attention {
        let settings = self.settings.in_force();
        let wishes = Wishes {
            raise: settings.window.raise,
            notifications: settings.notifications.enabled,
            sounds: settings.notifications.sounds,
        };
        attention(urgent, self.presence(), window, wishes)
    }

    /// What a request does that is due again; nothing when it no longer waits.
    pub(crate) fn attention_again(&self, request: RequestId, window: Window) -> Attention {
        self.queue.board.get(request).map_or(Attention::NONE, |summary| self.attention(summary.urgent, window))
    }

    /// What those requests do that wait already when the app starts hidden, in their order.
    pub(crate) fn attention_at_start(&self) -> Vec<(RequestId, Attention)> {
        let waiting = self.queue.board.all().into_iter().filter(|request| request.snoozed.is_none());
        waiting.map(|request| (request.request_id, self.attention(request.urgent, Window::Hidden))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: Presence =
        Presence { away: false, away_since: None, quiet: false, quiet_until: None, do_not_disturb: false };
    const QUIET: Presence = Presence { quiet: true, ..HERE };
    const AWAY: Presence = Presence { away: true, ..HERE };
    const ALL: Wishes = Wishes { raise: true, notifications: true, sounds: true };

    fn for_all(check: impl Fn(Window, Wishes)) {
        for window in [Window::Hidden, Window::Behind, Window::Front, Window::Main] {
            for bits in 0..8 {
                let wishes = Wishes { raise: bits & 1 > 0, notifications: bits & 2 > 0, sounds: bits & 4 > 0 };
                check(window, wishes);
            }
        }
    }

    #[test]
    fn a_request_raises_a_hidden_window_and_leaves_one_that_can_be_seen() {
        let soft = Some(Sound::Soft);
        let hidden = attention(false, HERE, Window::Hidden, ALL);
        assert_eq!(hidden, Attention { window: Move::Raise, notify: false, sound: soft });
        let behind = attention(false, HERE, Window::Behind, ALL);
        assert_eq!(behind, Attention { window: Move::Mark, notify: true, sound: soft }, "the person types elsewhere");
        let front = attention(false, HERE, Window::Front, ALL);
        assert_eq!(front, Attention::NONE, "the page itself shows it");
    }

    #[test]
    fn nothing_comes_over_the_main_window_while_the_person_is_in_it() {
        for (urgent, sound) in [(false, Sound::Soft), (true, Sound::Urgent)] {
            let told = attention(urgent, HERE, Window::Main, ALL);
            assert_eq!(told, Attention { sound: Some(sound), ..Attention::NONE }, "its page says it: {urgent}");
        }
    }

    #[test]
    fn without_raising_a_notification_takes_its_place() {
        let wishes = Wishes { raise: false, ..ALL };
        let told = attention(false, HERE, Window::Hidden, wishes);
        assert_eq!((told.window, told.notify), (Move::Stay, true));
        assert_eq!(attention(true, HERE, Window::Hidden, wishes).window, Move::Raise, "an urgent one comes up anyway");
    }

    #[test]
    fn nothing_raises_or_sounds_while_it_is_quiet_but_an_urgent_request() {
        for_all(|window, wishes| {
            assert_eq!(attention(false, QUIET, window, wishes), Attention::NONE, "{window:?} {wishes:?}");
            let urgent = attention(true, QUIET, window, wishes);
            assert_eq!(urgent, attention(true, HERE, window, wishes), "quiet is no matter to it");
            assert_eq!(urgent.sound, wishes.sounds.then_some(Sound::Urgent), "{window:?} {wishes:?}");
        });
        assert_eq!(attention(true, QUIET, Window::Behind, ALL).window, Move::Raise);
    }

    #[test]
    fn somebody_who_is_away_is_only_told() {
        for_all(|window, wishes| {
            for (urgent, presence) in [(false, AWAY), (true, AWAY), (true, Presence { quiet: true, ..AWAY })] {
                let told = attention(urgent, presence, window, wishes);
                let expected = Attention { notify: wishes.notifications, ..Attention::NONE };
                assert_eq!(told, expected, "{urgent} {window:?} {wishes:?}");
            }
        });
    }

    #[test]
    fn what_is_switched_off_stays_off() {
        for_all(|window, wishes| {
            for urgent in [false, true] {
                let done = attention(urgent, HERE, window, wishes);
                assert!(wishes.sounds || done.sound.is_none(), "{window:?} {wishes:?}");
                assert!(wishes.notifications || !done.notify, "{window:?} {wishes:?}");
            }
        });
    }
}
