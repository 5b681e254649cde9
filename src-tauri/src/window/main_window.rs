//! Where the main window stands between being asked for and being seen, so that no wish to see a page
//! is lost meanwhile. No lock is held while a window is made.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::Destination;

/// The main window on its way to being seen; one of the app.
#[derive(Debug, Default)]
pub(crate) struct MainWindow(Mutex<Option<Loading>>);

/// It is being made, or its page is loading.
#[derive(Debug, Default)]
struct Loading {
    /// Where it was wanted since.
    wanted: Option<Destination>,
}

/// What is to be done for a wish to see a page.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Opening {
    /// Make the window at this destination.
    Make(Destination),
    /// Nothing: the page is told once it has rendered.
    Wait,
    /// Tell the page, and bring the window up.
    Lead(Destination),
}

impl MainWindow {
    /// Someone wants to see this destination; `exists` says whether there is a window.
    pub(super) fn open(&self, destination: Destination, exists: bool) -> Opening {
        let mut loading = self.loading();
        match &mut *loading {
            Some(loading) => {
                loading.wanted = Some(destination);
                Opening::Wait
            }
            None if exists => Opening::Lead(destination),
            None => {
                *loading = Some(Loading::default());
                Opening::Make(destination)
            }
        }
    }

    /// The page has rendered and hears. Gives, for the first time only, where it was wanted since it was
    /// asked for, if that was anywhere; then the window may be seen.
    pub(super) fn rendered(&self) -> Option<Option<Destination>> {
        self.loading().take().map(|loading| loading.wanted)
    }

    /// The window could not be made.
    pub(super) fn failed(&self) {
        *self.loading() = None;
    }

    fn loading(&self) -> MutexGuard<'_, Option<Loading>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Name;
    use super::*;

    fn to(page: &str) -> Destination {
        Destination { page: Name(page.to_owned()), at: None }
    }

    #[test]
    fn what_is_to_be_opened_on_a_page_stands_in_its_address_and_is_nothing_else_than_a_name() {
        let at = |text: &str| Name::try_from(text.to_owned()).ok();
        let voice = Destination { at: at("voice"), ..to("settings") };
        assert_eq!(voice.address(), "index.html#main/settings/voice");
        assert_eq!(to("settings").address(), "index.html#main/settings");
        assert!(at("0199c0de-0000-7000-8000-000000000001").is_some());
        let longest = "a".repeat(Name::MAX_CHARS);
        assert!(at(&longest).is_some() && at(&format!("{longest}a")).is_none());
        for wrong in ["", "../voice", "voice?x", "a b", "é"] {
            assert_eq!(at(wrong), None, "{wrong:?}");
        }
    }

    #[test]
    fn a_wish_while_the_page_is_loading_is_kept_until_it_has_rendered() {
        let main = MainWindow::default();
        assert_eq!(main.open(to("sessions"), false), Opening::Make(to("sessions")));
        assert_eq!(main.open(to("sessions"), false), Opening::Wait, "only one is made");
        assert_eq!(main.open(to("history"), true), Opening::Wait, "a blank window isn't brought up");
        assert_eq!(main.rendered(), Some(Some(to("history"))), "the page is told then");
        assert_eq!(main.rendered(), None, "once, even if it is loaded again");
        assert_eq!(main.open(to("sessions"), true), Opening::Lead(to("sessions")));
    }

    #[test]
    fn a_window_is_made_again_after_it_was_closed_and_after_it_could_not_be_made() {
        let main = MainWindow::default();
        assert_eq!(main.open(to("history"), false), Opening::Make(to("history")));
        assert_eq!(main.rendered(), Some(None), "it is where it was wanted");
        assert_eq!(main.open(to("sessions"), false), Opening::Make(to("sessions")));
        main.failed();
        assert_eq!(main.open(to("sessions"), false), Opening::Make(to("sessions")));
    }
}
