//! Through the official plugin, on macOS and Windows.

use tauri::{AppHandle, Manager as _};
use tauri_plugin_notification::{Action, ActionPerformed, ActionType, NotificationExt as _};

use super::Toast;

/// The buttons of the notification that is about to be shown.
const BUTTONS: &str = "request";
/// What a click on the notification itself is called.
const TAP: &str = "tap";

pub(super) fn prepare(app: &AppHandle) {
    let handle = app.clone();
    let pressed = move |done: &ActionPerformed| {
        if let Some(notification) = done.notification() {
            let button = Some(done.action_id()).filter(|action| *action != TAP);
            super::pressed(&handle, notification.id(), button);
        }
    };
    if let Err(error) = app.notification().on_action(pressed) {
        tracing::warn!(%error, "the buttons of notifications do nothing");
    }
}

pub(super) fn show(app: &AppHandle, toast: Toast) {
    // Held over both calls: the plugin reads the buttons when it shows them.
    let notices = app.state::<super::Notices>();
    let _held = notices.lock();
    let buttons = toast.buttons.into_iter().map(|(action, text)| Action::builder(action, text).build()).collect();
    let plugin = app.notification();
    let shown =
        plugin.register_action_types(vec![ActionType::builder(BUTTONS).actions(buttons).build()]).and_then(|()| {
            plugin.builder().id(toast.id).title(toast.title).body(toast.body).action_type_id(BUTTONS).show()
        });
    if let Err(error) = shown {
        tracing::warn!(%error, "a notification can't be shown");
    }
}

pub(super) fn close(app: &AppHandle, ids: Vec<i32>) {
    if let Err(error) = app.notification().remove_active(ids) {
        tracing::debug!(%error, "a notification stays");
    }
}
