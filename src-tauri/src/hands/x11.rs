//! On Linux, where the X server counts the time since the last key, click or movement (its screen saver's extension).
//! Wayland tells programs nothing of the kind.

use std::ffi::OsStr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use x11rb::connection::Connection as _;
use x11rb::protocol::screensaver::ConnectionExt as _;
use x11rb::protocol::xproto::Window;
use x11rb::rust_connection::RustConnection;

use super::Input;

/// The X server, once it was asked. One that is gone is looked for again.
#[derive(Default)]
pub(super) struct System(Mutex<Option<Server>>);

impl Input for System {
    fn idle(&self) -> Option<Duration> {
        if !knows_all_hands(std::env::var_os("WAYLAND_DISPLAY").as_deref()) {
            return None;
        }
        let mut server = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if server.is_none() {
            *server = Server::open();
        }
        let idle = server.as_ref()?.idle();
        if idle.is_none() {
            *server = None;
        }
        idle
    }
}

/// Whether the X server hears all that is typed. One that draws on Wayland hears what goes to its own windows only.
fn knows_all_hands(wayland: Option<&OsStr>) -> bool {
    wayland.is_none_or(OsStr::is_empty)
}

struct Server {
    connection: RustConnection,
    root: Window,
}

impl Server {
    fn open() -> Option<Self> {
        let (connection, screen) = RustConnection::connect(None).ok()?;
        let root = connection.setup().roots.get(screen)?.root;
        Some(Self { connection, root })
    }

    fn idle(&self) -> Option<Duration> {
        let asked = self.connection.screensaver_query_info(self.root).ok()?;
        let told = asked.reply().ok()?;
        Some(Duration::from_millis(told.ms_since_user_input.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn on_wayland_nobody_says_whether_hands_rest() {
        assert!(!knows_all_hands(Some(OsStr::new("wayland-0"))));
        assert!(knows_all_hands(Some(OsStr::new(""))), "it is set to nothing where a person wants X");
        assert!(knows_all_hands(None));
    }
}
