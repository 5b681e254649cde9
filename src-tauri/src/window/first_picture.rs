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

/// The window whose painting is held back.
#[derive(Default)]
struct Held(RefCell<Option<gdk::Window>>);

impl Held {
    fn hold(self: &Rc<Self>, window: gdk::Window) {
        if self.0.borrow().is_some() {
            return;
        }
        window.freeze_updates();
        self.0.replace(Some(window));
        let held = Rc::clone(self);
        glib::timeout_add_local_once(LONGEST, move || held.let_go());
    }

    fn let_go(&self) {
        let Some(window) = self.0.take() else { return };
        if !window.is_destroyed() {
            window.thaw_updates();
            paint(&window);
        }
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
