//! Through the official plugin, on macOS and Windows.

use tauri::{AppHandle, Manager as _};
use tauri_plugin_global_shortcut::{Builder, GlobalShortcutExt as _, Shortcut, ShortcutEvent, ShortcutState};

use super::{Hotkey, Refusal};

pub(super) fn ask_for(app: &AppHandle, hotkey: Hotkey) -> Result<(), Refusal> {
    let read = hotkey.keys.parse::<Shortcut>();
    let shortcut = read.map_err(|error| Refusal::Unreadable(error.to_string()))?;
    // It tells on the toolkit's thread, where nothing may wait.
    let (tell, told) = std::sync::mpsc::channel();
    let follow = move || told.iter().for_each(|down| (hotkey.pressed)(down));
    let thread = std::thread::Builder::new().name("hotkey".to_owned()).spawn(follow);
    thread.map_err(|error| Refusal::Taken(error.to_string()))?;
    let pressed = move |_: &AppHandle, _: &Shortcut, event: ShortcutEvent| {
        let _ = tell.send(event.state == ShortcutState::Pressed);
    };
    if app.try_state::<tauri_plugin_global_shortcut::GlobalShortcut<tauri::Wry>>().is_none() {
        app.plugin(Builder::new().build()).map_err(|error| Refusal::Taken(error.to_string()))?;
    }
    app.global_shortcut().on_shortcut(shortcut, pressed).map_err(|error| Refusal::Taken(error.to_string()))
}
