//! A window that comes up is seen with its page on it (Linux). GTK would paint it at once, with nothing there yet, and
//! then not again until its next frame, some 16 ms later, however soon the page is drawn.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use gtk::gdk;
use gtk::glib;
use gtk::glib::translate::ToGlibPtr as _;
use gtk::prelude::*;
use webkit2gtk::{UserContentManagerExt as _, WebView, WebViewExt as _};

/// The name by which a page says that it has drawn its first picture since nobody saw it (`ui/src/transport.ts`).
const DRAWN: &str = "drawn";
/// How long a window waits for that at most, before what it has is painted.
const LONGEST: Duration = Duration::from_millis(100);

/// Holds back what GTK paints of the view's window each time that it comes up, until its page is drawn.
pub(super) fn wait_for(view: &WebView) {
    let (Some(messages), Some(window)) = (view.user_content_manager(), view.toplevel()) else { return };
    let held = Rc::new(Held::default());
    let drawn = Rc::clone(&held);
    messages.connect_script_message_received(Some(DRAWN), move |_, _| drawn.let_go());
    messages.register_script_message_handler(DRAWN);
    window.connect_map(move |window| {
        if let Some(window) = window.window() {
            held.hold(window);
        }
    });
}

/// The window whose painting is held back, and what ends that in any case.
#[derive(Default)]
struct Held(RefCell<Option<(gdk::Window, glib::SourceId)>>);

impl Held {
    fn hold(self: &Rc<Self>, window: gdk::Window) {
        if self.0.borrow().is_some() {
            return;
        }
        window.freeze_updates();
        let held = Rc::clone(self);
        let latest = glib::timeout_add_local_once(LONGEST, move || held.over());
        self.0.replace(Some((window, latest)));
    }

    fn let_go(&self) {
        if let Some((window, latest)) = self.0.take() {
            // It is for this time alone.
            latest.remove();
            thaw(&window);
        }
    }

    fn over(&self) {
        if let Some((window, _)) = self.0.take() {
            thaw(&window);
        }
    }
}

fn thaw(window: &gdk::Window) {
    if !window.is_destroyed() {
        window.thaw_updates();
        paint(window);
    }
}

/// Paints what has to be painted of the window now, and not with its next frame.
#[expect(unsafe_code, reason = "the bindings leave this function out; see SAFETY")]
fn paint(window: &gdk::Window) {
    // SAFETY: called on the toolkit's own thread, where its signals and timers run, with a window that is alive for
    // longer than the call.
    unsafe { gdk::ffi::gdk_window_process_updates(window.to_glib_none().0, glib::ffi::GTRUE) };
    window.display().flush();
}
