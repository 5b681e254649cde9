//! Whether a window could be shown: the display that the environment names, asked as a toolkit asks it.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use gate_api::{Finding, Phrase};
use tokio::time::timeout;

use crate::environment::Environment;
use crate::finding::{DISPLAY, Mending as _};
use crate::gate::{self, Gate};
use crate::{program, words};

/// How long a display may take to answer.
const LIMIT: Duration = Duration::from_secs(3);

/// What the environment says of a display.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Display {
    /// Windows can be shown there; which it is.
    Reached(Phrase),
    /// It is named, and can't be reached; what was tried, each with the system's error.
    Unreachable(String),
    /// None is named.
    None,
}

/// Asks the display, Wayland's first, as toolkits do.
pub(crate) async fn look(environment: &Environment) -> Display {
    if cfg!(any(target_os = "macos", windows)) {
        return Display::Reached(words::systems_own());
    }
    let mut refused = Vec::new();
    if let Some(socket) = wayland(environment) {
        let shown = socket.display().to_string();
        match timeout(LIMIT, gate_os::local::connect(&socket)).await.unwrap_or_else(|_| Err(too_late())) {
            Ok(_) => return Display::Reached(words::display_reached(format!("Wayland, {shown}"))),
            Err(error) => refused.push(format!("Wayland, {shown}: {error}")),
        }
    }
    if let Some(name) = environment.variable("DISPLAY").and_then(|name| name.to_str()) {
        match x11(name.to_owned()).await {
            Ok(()) => return Display::Reached(words::display_reached(format!("X11, {name}"))),
            Err(reason) => refused.push(format!("X11, {name}: {}", environment.privacy().foreign(&reason, []))),
        }
    }
    if refused.is_empty() { Display::None } else { Display::Unreachable(refused.join("; ")) }
}

/// What the system says of an answer that doesn't come in time.
fn too_late() -> io::Error {
    io::ErrorKind::TimedOut.into()
}

/// Wayland's socket: WAYLAND_DISPLAY is a path, or a name below XDG_RUNTIME_DIR.
fn wayland(environment: &Environment) -> Option<PathBuf> {
    let name = PathBuf::from(environment.variable("WAYLAND_DISPLAY")?);
    match name.is_absolute() {
        true => Some(name),
        false => Some(PathBuf::from(environment.variable("XDG_RUNTIME_DIR")?).join(name)),
    }
}

/// Connects to an X server, with the cookie that it may want. A thread of its own: it waits for a server
/// that doesn't answer for as long as that takes.
#[cfg(target_os = "linux")]
async fn x11(name: String) -> Result<(), String> {
    let (tell, told) = tokio::sync::oneshot::channel();
    let thread = std::thread::Builder::new().name("display".to_owned()).spawn(move || {
        let connected = x11rb::rust_connection::RustConnection::connect(Some(&name));
        // Nobody waits any more where it took too long.
        let _ = tell.send(connected.map(drop).map_err(|error| error.to_string()));
    });
    thread.map_err(|error| error.to_string())?;
    match timeout(LIMIT, told).await {
        Ok(Ok(connected)) => connected,
        Ok(Err(_)) | Err(_) => Err(too_late().to_string()),
    }
}

#[cfg(not(target_os = "linux"))]
async fn x11(_: String) -> Result<(), String> {
    Err(io::Error::from(io::ErrorKind::Unsupported).to_string())
}

pub(crate) fn check(environment: &Environment, display: &Display, gate: &Gate) -> Vec<Finding> {
    let desktop = program::desktop_program(environment).is_file();
    let found = match display {
        Display::Reached(which) => DISPLAY.good(which.clone()),
        Display::Unreachable(tried) => {
            DISPLAY.fault(words::display_unreachable(tried.as_str()), words::mend_display()).command("review-gate link")
        }
        Display::None if desktop => {
            DISPLAY.warning(words::display_unnamed(), words::mend_display_unnamed()).command("review-gate link")
        }
        Display::None => DISPLAY.note(words::display_none()).command("review-gate link"),
    };
    let could = desktop && matches!(display, Display::Reached(_));
    [Some(found), gate::window(gate, could)].into_iter().flatten().collect()
}
