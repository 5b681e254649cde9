//! The keys that raise the next request, and those that are held to speak, from anywhere. They are asked of the X server, of macOS and of
//! Windows; Wayland has no such thing for programs, only for the desktop's own settings.

#[cfg_attr(not(target_os = "linux"), path = "hotkey/elsewhere.rs")]
#[cfg_attr(target_os = "linux", path = "hotkey/x11.rs")]
mod system;

use std::time::{Duration, Instant};

use gate_app::Gate;
use gate_app::attention::Window;
use gate_core::{Code, Fault};
use tauri::AppHandle;

use crate::window;

/// How long a window may take to come up before the key to speak means nothing to it.
const COMES_UP: Duration = Duration::from_secs(1);
const POLL: Duration = Duration::from_millis(10);

/// Keys and what they do, told whether they went down or up.
struct Hotkey {
    keys: String,
    pressed: Box<dyn Fn(bool) + Send + Sync>,
}

/// Why keys can't be had.
enum Refusal {
    /// They are no keys.
    Unreadable(String),
    /// Another program has them, or there is no way to ask for them.
    Taken(String),
}

/// Asks for the keys of the settings. What is wrong with them is told to the person.
pub(crate) fn register(app: &AppHandle, gate: &Gate) {
    let settings = gate.settings();
    let raising = gate.clone();
    let raise = move |down: bool| {
        if down {
            raising.raise(None);
        }
    };
    ask_for(app, gate, "window.hotkey", &settings.window.hotkey, raise);
    let (speaking, shown) = (gate.clone(), app.clone());
    let speak = move |down: bool| {
        if down {
            come_up(&shown, &speaking);
        }
        speaking.voice_key(down);
    };
    ask_for(app, gate, "voice.hotkey", &settings.voice.hotkey, speak);
}

/// Has a window that can be seen and spoken to. On the keys' own thread, which may wait. While they are held, no window
/// has the keyboard, so it is not waited for that.
#[expect(clippy::disallowed_methods, reason = "the keys' own thread, which nothing else waits for")]
fn come_up(app: &AppHandle, gate: &Gate) {
    if window::has_focus(app) {
        return;
    }
    gate.raise(None);
    let begin = Instant::now();
    while window::standing(app) == Window::Hidden && begin.elapsed() < COMES_UP {
        std::thread::sleep(POLL);
    }
}

fn ask_for(app: &AppHandle, gate: &Gate, setting: &str, keys: &str, pressed: impl Fn(bool) + Send + Sync + 'static) {
    if keys.is_empty() {
        return;
    }
    if std::env::var_os("WAYLAND_DISPLAY").is_some() {
        tracing::warn!(
            keys,
            setting,
            "Wayland gives programs no keys of their own, so this setting does nothing here. Bind a key to \
             `review-gate-desktop` in the desktop's keyboard settings: started again, it shows the next request."
        );
        return;
    }
    let fault = |message| {
        Fault::new(
            Code::InvalidSetting,
            message,
            "Nothing is done by them now. Write them as in `CmdOrCtrl+Alt+G`, choose other keys, or leave it empty for none.",
        )
    };
    let hotkey = Hotkey { keys: keys.to_owned(), pressed: Box::new(pressed) };
    match system::ask_for(app, hotkey) {
        Ok(()) => {}
        Err(Refusal::Unreadable(why)) => {
            gate.warn(fault(format!("`{setting}` is {keys:?}, which names no keys: {why}.")));
        }
        Err(Refusal::Taken(why)) => {
            gate.warn(fault(format!("The keys {keys} of `{setting}` can't be had: {why}.")));
        }
    }
}
