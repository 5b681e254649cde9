//! How a request that comes in, or that is due again, gets the person's attention: by its window, by a
//! notification, by a sound, or not at all. The shell asks and obeys.
//!
//! A window that comes up takes keyboard and pointer from another program. So none comes up by itself over hands that
//! are at work, nor again and again for a client that nobody answers.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use gate_api::RequestSummary;
use gate_core::{Presence, RequestId, Timestamp};
use gate_mcp::Agent;
use gate_settings::Settings;

use super::Person;

/// For how long nobody must have typed or clicked before a window comes up by itself.
pub const HANDS_REST: Duration = Duration::from_secs(2);
/// For how long a client brings no window up after one that it brought up, in milliseconds, unless that was answered.
pub const NEXT_RAISE_MILLIS: u64 = 60_000;

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

/// Whether the window may come up by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Raising {
    /// It may.
    Free,
    /// Somebody types or clicks, or nobody can say; or this client has just brought it up in vain.
    Barred,
}

impl Raising {
    /// By how long nobody has typed or clicked; absent where the system doesn't say.
    #[must_use]
    pub fn after(idle: Option<Duration>) -> Self {
        if idle.is_some_and(|idle| idle >= HANDS_REST) { Self::Free } else { Self::Barred }
    }
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
/// say the same twice; where it may not, it says all there is to say, of an urgent one as well. The main window says
/// itself what comes while the person is in it: nothing takes the keyboard from what they type there, though it is
/// urgent.
#[must_use]
pub fn attention(urgent: bool, presence: Presence, window: Window, wishes: Wishes, raising: Raising) -> Attention {
    if presence.away {
        return Attention { notify: wishes.notifications, ..Attention::NONE };
    }
    if presence.quiet && !urgent {
        return Attention::NONE;
    }
    let sound = if urgent { Sound::Urgent } else { Sound::Soft };
    let sound = wishes.sounds.then_some(sound);
    let raised = Attention { window: Move::Raise, notify: false, sound };
    let free = raising == Raising::Free;
    match window {
        Window::Front => Attention { sound: sound.filter(|_| urgent), ..Attention::NONE },
        Window::Main => Attention { sound, ..Attention::NONE },
        _ if urgent && free => raised,
        Window::Hidden if wishes.raise && free => raised,
        Window::Hidden => Attention { window: Move::Stay, notify: wishes.notifications, sound },
        Window::Behind => Attention { window: Move::Mark, notify: wishes.notifications, sound },
    }
}

/// What becomes of the window that is asked for where nobody is seen to do it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// This, and no more.
    Now(Move),
    /// It waits until nobody types or clicks, and is asked about again.
    OnceHandsRest,
}

/// What becomes of the window when it is asked for where nobody is seen to do it: by another program, or because the app
/// is started once more and no agent is seen above that.
///
/// Such a start may well be the person's, who looks for the window then: nothing but their own hands keeps it away. For
/// another program it comes up no more than for a request that isn't urgent, and never over the main window.
#[must_use]
pub fn asked_for(starts: bool, presence: Presence, window: Window, idle: Option<Duration>, too_soon: bool) -> Asked {
    let otherwise = if window == Window::Behind { Move::Mark } else { Move::Stay };
    let is_in_its_way = window == Window::Main || presence.away || presence.quiet || too_soon;
    match idle {
        _ if window == Window::Front || (is_in_its_way && !starts) => Asked::Now(otherwise),
        Some(_) if Raising::after(idle) == Raising::Barred => Asked::OnceHandsRest,
        None if !starts => Asked::Now(otherwise),
        Some(_) | None => Asked::Now(Move::Raise),
    }
}

/// Who brings the window up.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum By {
    /// A client, by its name or its relay.
    Client(String),
    /// Programs that ask for it without a request, all of them.
    Programs,
}

/// The last request of each client that brought the window up, unless the person has dealt with it; none where a
/// program brought it up without one.
#[derive(Debug, Default)]
pub(crate) struct Raised(Mutex<HashMap<By, (Option<RequestId>, Timestamp)>>);

impl Raised {
    /// Whether a client, or a program, may bring the window up now.
    fn may(&self, by: &By, now: Timestamp) -> bool {
        let raised = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        raised.get(by).is_none_or(|(_, at)| is_over(*at, now))
    }

    /// A client's request brings it up, or a program.
    fn keep(&self, by: By, request: Option<RequestId>, now: Timestamp) {
        let mut raised = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        raised.retain(|_, (_, at)| !is_over(*at, now));
        raised.insert(by, (request, now));
    }

    /// The person has answered or dismissed a request.
    pub(crate) fn settled(&self, request: RequestId) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).retain(|_, (raised, _)| *raised != Some(request));
    }
}

/// Whether what came up then no longer counts. The clock may have been put back meanwhile.
fn is_over(at: Timestamp, now: Timestamp) -> bool {
    now < at || now >= at.plus_millis(NEXT_RAISE_MILLIS)
}

impl Person {
    /// What a request does that has just come in, while nobody has typed or clicked for `idle`.
    pub(crate) fn attention(&self, request: &RequestSummary, window: Window, idle: Option<Duration>) -> Attention {
        let (client, now) = (self.client_of(request), self.bus.now());
        let raising = if self.raised.may(&client, now) { Raising::after(idle) } else { Raising::Barred };
        let attention = self.attention_for(request, window, raising);
        if attention.window == Move::Raise {
            self.raised.keep(client, Some(request.request_id), now);
        }
        attention
    }

    /// What a request does that is due again; nothing when it no longer waits. The person wanted it back, so its client
    /// may have brought up others just now.
    pub(crate) fn attention_again(&self, request: RequestId, window: Window, idle: Option<Duration>) -> Attention {
        let waits = self.queue.board.get(request);
        waits.map_or(Attention::NONE, |summary| self.attention_for(&summary, window, Raising::after(idle)))
    }

    /// What those requests do that wait already when the app starts hidden, in their order.
    pub(crate) fn attention_at_start(&self, idle: Option<Duration>) -> Vec<(RequestId, Attention)> {
        let waiting = self.queue.board.all().into_iter().filter(|request| request.snoozed.is_none());
        waiting.map(|request| (request.request_id, self.attention(&request, Window::Hidden, idle))).collect()
    }

    /// What becomes of the window that is asked for, by a start of the app or by another program.
    pub(crate) fn raise_asked(&self, starts: bool, window: Window, idle: Option<Duration>) -> Asked {
        let now = self.bus.now();
        let wanted = asked_for(starts, self.presence(), window, idle, !self.raised.may(&By::Programs, now));
        if wanted == Asked::Now(Move::Raise) && !starts {
            self.raised.keep(By::Programs, None, now);
        }
        wanted
    }

    fn attention_for(&self, request: &RequestSummary, window: Window, raising: Raising) -> Attention {
        let wishes = wishes(&self.settings.in_force(), request.permission.is_some());
        attention(request.urgent, self.presence(), window, wishes, raising)
    }

    /// Which client a request is of: the relay that its session belongs to, or else the client by its name, since over
    /// HTTP whoever wants a new session gets one.
    fn client_of(&self, request: &RequestSummary) -> By {
        By::Client(match self.conversations.sessions.agent(request.session_uuid) {
            Some(Agent::Relay(relay)) => format!("relay {relay}"),
            Some(Agent::Http(_)) | None => format!("client {}", request.client),
        })
    }
}

/// How the person wants to be told of a request. Permission questions are many: they have settings of their own.
fn wishes(settings: &Settings, is_permission: bool) -> Wishes {
    Wishes {
        raise: settings.window.raise && (!is_permission || settings.permissions.raise),
        notifications: settings.notifications.enabled,
        sounds: settings.notifications.sounds && (!is_permission || settings.permissions.sound),
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

    /// As where nobody's hands are at work.
    fn attention(urgent: bool, presence: Presence, window: Window, wishes: Wishes) -> Attention {
        super::attention(urgent, presence, window, wishes, Raising::Free)
    }

    fn for_all(check: impl Fn(Window, Wishes)) {
        for window in [Window::Hidden, Window::Behind, Window::Front, Window::Main] {
            for bits in 0..8 {
                let wishes = Wishes { raise: bits & 1 > 0, notifications: bits & 2 > 0, sounds: bits & 4 > 0 };
                check(window, wishes);
            }
        }
    }

    #[test]
    fn a_permission_question_raises_the_window_only_where_the_person_wants_it() {
        let mut settings = Settings::default();
        assert_eq!(wishes(&settings, false), ALL, "as a request does by itself");
        assert_eq!(wishes(&settings, true), Wishes { raise: false, ..ALL }, "it is heard, and comes up nowhere");
        settings.permissions.raise = true;
        assert_eq!(wishes(&settings, true), ALL);
        settings.permissions.sound = false;
        assert_eq!(wishes(&settings, true), Wishes { sounds: false, ..ALL });
        (settings.window.raise, settings.notifications.sounds) = (false, false);
        settings.permissions.sound = true;
        let off = Wishes { raise: false, notifications: true, sounds: false };
        assert_eq!(wishes(&settings, true), off, "what is off for all is off for them");
    }

    #[test]
    fn no_window_comes_up_over_hands_that_are_at_work_however_urgent_it_is() {
        for_all(|window, wishes| {
            for (urgent, presence) in [(false, HERE), (true, HERE), (true, QUIET)] {
                let told = super::attention(urgent, presence, window, wishes, Raising::Barred);
                assert_ne!(told.window, Move::Raise, "{urgent} {window:?} {wishes:?}");
                let free = attention(urgent, presence, window, wishes);
                assert_eq!(told.sound, free.sound, "it is heard as ever: {urgent} {window:?} {wishes:?}");
                let kept = Attention { notify: wishes.notifications, ..told };
                let expected = if free.window == Move::Raise { kept } else { free };
                assert_eq!(told, expected, "and told where it would have come up: {urgent} {window:?} {wishes:?}");
            }
        });
        let behind = super::attention(true, HERE, Window::Behind, ALL, Raising::Barred);
        assert_eq!((behind.window, behind.notify), (Move::Mark, true), "one that can be seen is marked");
    }

    #[test]
    fn hands_rest_after_two_seconds_and_never_where_the_system_does_not_say() {
        assert_eq!(Raising::after(None), Raising::Barred);
        assert_eq!(Raising::after(Some(HANDS_REST - Duration::from_millis(1))), Raising::Barred);
        assert_eq!(Raising::after(Some(HANDS_REST)), Raising::Free);
    }

    #[test]
    fn a_client_that_nobody_answers_brings_the_window_up_once_a_minute() {
        let request = |number: u128| RequestId(uuid::Uuid::from_u128(number));
        let begin = Timestamp(1_800_000_000_000);
        let at = |millis: u64| begin.plus_millis(millis);
        let raised = Raised::default();
        let [a, b] = ["a", "b"].map(|name| By::Client(name.to_owned()));
        assert!(raised.may(&a, begin));
        raised.keep(a.clone(), Some(request(1)), begin);
        assert!(!raised.may(&a, at(NEXT_RAISE_MILLIS - 1)), "unanswered or withdrawn, it is the same");
        assert!(raised.may(&b, at(1)), "others are not barred by it");
        assert!(raised.may(&a, at(NEXT_RAISE_MILLIS)), "a minute later");
        raised.settled(request(2));
        assert!(!raised.may(&a, at(1)), "another one was answered");
        raised.settled(request(1));
        assert!(raised.may(&a, at(1)), "a dialogue of ten questions in a minute is normal");
        raised.keep(a.clone(), Some(request(3)), at(NEXT_RAISE_MILLIS));
        assert!(raised.may(&a, begin), "a clock that was put back bars nobody");
        raised.keep(By::Programs, None, at(1));
        raised.settled(request(3));
        assert!(
            !raised.may(&By::Programs, at(2)),
            "nobody answers a program that asked for the window without a request"
        );
    }

    #[test]
    fn a_program_gets_the_window_only_where_hands_rest_and_nothing_is_in_its_way() {
        let (typing, resting) = (Some(Duration::ZERO), Some(HANDS_REST));
        for presence in [HERE, QUIET, AWAY] {
            for window in [Window::Hidden, Window::Behind, Window::Front, Window::Main] {
                let asked = |idle, too_soon| asked_for(false, presence, window, idle, too_soon);
                let otherwise = Asked::Now(if window == Window::Behind { Move::Mark } else { Move::Stay });
                let is_free = presence == HERE && matches!(window, Window::Hidden | Window::Behind);
                let of = |free| if is_free { free } else { otherwise };
                assert_eq!(asked(resting, false), of(Asked::Now(Move::Raise)), "nobody types: {presence:?} {window:?}");
                assert_eq!(asked(typing, false), of(Asked::OnceHandsRest), "somebody does: {presence:?} {window:?}");
                assert_eq!(asked(None, false), otherwise, "nobody can say: {presence:?} {window:?}");
                assert_eq!(asked(resting, true), otherwise, "one has just come up: {presence:?} {window:?}");
                assert_eq!(asked(typing, true), otherwise, "and somebody types: {presence:?} {window:?}");
            }
        }
    }

    #[test]
    fn whoever_starts_the_app_again_by_whatever_means_gets_the_window_once_their_hands_rest() {
        for presence in [HERE, QUIET, AWAY] {
            for window in [Window::Hidden, Window::Behind, Window::Main] {
                for too_soon in [false, true] {
                    let asked = |idle| asked_for(true, presence, window, idle, too_soon);
                    let of = format!("{presence:?} {window:?} {too_soon}");
                    assert_eq!(asked(Some(Duration::ZERO)), Asked::OnceHandsRest, "they have just pressed Enter: {of}");
                    assert_eq!(asked(Some(HANDS_REST)), Asked::Now(Move::Raise), "{of}");
                    assert_eq!(asked(None), Asked::Now(Move::Raise), "where nobody can say (Wayland): {of}");
                }
            }
        }
        assert_eq!(asked_for(true, HERE, Window::Front, None, false), Asked::Now(Move::Stay), "it is in front");
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
