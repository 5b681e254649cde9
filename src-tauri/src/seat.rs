//! Where the app's windows are shown: on the display that its person sits at, or on another one. logind says which
//! sessions they have (<https://www.freedesktop.org/software/systemd/man/latest/org.freedesktop.login1.html>); where
//! there is none, nothing is known.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;

use gate_core::seat::display_number;
use gate_core::{Seat, SeatSession, ShownOn};
use gtk::gdk;
use gtk::gio::{self, BusType, Cancellable, DBusCallFlags, DBusConnection};
use gtk::glib::{Error, Variant, VariantDict, VariantTy};
use gtk::prelude::{ObjectExt as _, ToVariant as _};

const NAME: &str = "org.freedesktop.login1";
const PATH: &str = "/org/freedesktop/login1";
const MANAGER: &str = "org.freedesktop.login1.Manager";
const SESSION: &str = "org.freedesktop.login1.Session";
const PROPERTIES: &str = "org.freedesktop.DBus.Properties";
/// How long one call may take, in milliseconds.
const CALL_MILLIS: i32 = 300;
/// How long all of it may take: agents wait for the start.
const LIMIT: Duration = Duration::from_millis(500);

/// Where windows are shown, once the toolkit has a display; absent where that can't be told.
pub(crate) fn of_windows(home: &Path) -> Option<Seat> {
    let shown = shown_on()?;
    let user = fs::metadata(home).ok()?.uid();
    let (tell, told) = mpsc::channel();
    // A bus that doesn't answer keeps a thread, and nobody waits for it.
    let asked = std::thread::Builder::new().name("seat".to_owned()).spawn(move || {
        let sessions = sessions(user).unwrap_or_else(|error| {
            tracing::debug!(%error, "nobody says which sessions there are");
            Vec::new()
        });
        // Whoever asked may have gone on.
        let _ = tell.send(sessions);
    });
    asked.ok()?;
    let sessions = told.recv_timeout(LIMIT).unwrap_or_default();
    let seat = Seat::of(&shown, &sessions);
    tracing::info!(?seat, "where windows are shown");
    Some(seat)
}

fn shown_on() -> Option<ShownOn> {
    let display = gdk::Display::default()?;
    let name = display.name().to_string();
    // gdk's own types for either are libraries of their own.
    let x_server = display.type_().name().contains("X11").then(|| x_server(&name).unwrap_or_default());
    Some(ShownOn { name, x_server })
}

/// The program that serves an X display: its lock file has its number.
fn x_server(name: &str) -> Option<String> {
    let lock = fs::read_to_string(format!("/tmp/.X{}-lock", display_number(name)?)).ok()?;
    let pid: u32 = lock.trim().parse().ok()?;
    Some(fs::read_to_string(format!("/proc/{pid}/comm")).ok()?.trim().to_owned())
}

/// The sessions of a user at a seat.
fn sessions(user: u32) -> Result<Vec<SeatSession>, Error> {
    let bus = gio::bus_get_sync(BusType::System, Cancellable::NONE)?;
    let listed = call(&bus, PATH, MANAGER, "ListSessions", None, "(a(susso))")?.child_value(0);
    let mut sessions = Vec::new();
    for entry in (0..listed.n_children()).map(|at| listed.child_value(at)) {
        let (owner, seat, path) = (entry.child_value(1), entry.child_value(3), entry.child_value(4));
        let (Some(seat), Some(path)) = (seat.str().filter(|seat| !seat.is_empty()), path.str()) else { continue };
        if owner.get::<u32>() == Some(user) {
            sessions.push(session(&bus, seat, path)?);
        }
    }
    Ok(sessions)
}

fn session(bus: &DBusConnection, seat: &str, path: &str) -> Result<SeatSession, Error> {
    let all = call(bus, path, PROPERTIES, "GetAll", Some(&(SESSION,).to_variant()), "(a{sv})")?.child_value(0);
    let all = VariantDict::new(Some(&all));
    let active = all.lookup::<bool>("Active").ok().flatten().unwrap_or_default();
    let display = all.lookup::<String>("Display").ok().flatten();
    Ok(SeatSession { seat: seat.to_owned(), active, display: display.as_deref().and_then(display_number) })
}

/// What a method gives; an error where that isn't of this type.
fn call(
    bus: &DBusConnection,
    path: &str,
    of: &str,
    method: &str,
    with: Option<&Variant>,
    gives: &str,
) -> Result<Variant, Error> {
    let (gives, flags) = (VariantTy::new(gives).ok(), DBusCallFlags::NONE);
    bus.call_sync(Some(NAME), path, of, method, with, gives, flags, CALL_MILLIS, Cancellable::NONE)
}
