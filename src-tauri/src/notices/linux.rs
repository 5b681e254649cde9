//! The Desktop Notifications specification, over the session bus. GIO speaks to the bus, which GTK brings
//! and has connected already. The official plugin would bring two more libraries for that, and can
//! say neither that a request is urgent nor which notification was taken away.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use gtk::gio::{self, BusType, DBusCallFlags, DBusConnection, DBusSignalFlags};
use gtk::glib::{Error, MainContext, Variant, VariantTy};
use gtk::prelude::ToVariant as _;
use tauri::AppHandle;

use super::Toast;

const NAME: &str = "org.freedesktop.Notifications";
const PATH: &str = "/org/freedesktop/Notifications";
/// The icon's name in the system's theme, where the package puts it.
const ICON: &str = "review-gate-desktop";
/// What a click on the notification itself is called.
const DEFAULT: &str = "default";
/// How long the server may take, in milliseconds.
const CALL_MILLIS: i32 = 10_000;
/// How much is remembered of what other numbers tell while ours isn't known yet.
const EARLY_ACTS: usize = 64;

/// What the server knows of a notification.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Standing {
    /// It is on its way; it may have been taken away since.
    Sent { gone: bool },
    /// It is shown, under the server's own number.
    Shown(u32),
}

/// What the person or the server did with a notification.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Act {
    /// A button was pressed; absent for the notification itself.
    Pressed(Option<String>),
    /// It is no longer shown.
    Closed,
}

thread_local! {
    /// By our number. Kept on the toolkit's thread, as all here.
    static NOTICES: RefCell<HashMap<i32, Standing>> = RefCell::default();
    /// What was heard of notifications whose number isn't known yet: the server may say that a button was
    /// pressed before we have read which number it gave. Empty while none is on its way.
    static EARLY: RefCell<Vec<(u32, Act)>> = RefCell::default();
    static LISTENING: Cell<bool> = const { Cell::new(false) };
}

/// The session bus is there already, and the server is started by its first call.
pub(super) fn prepare(_app: &AppHandle) {}

pub(super) fn show(app: &AppHandle, toast: Toast) {
    let handle = app.clone();
    on_main(app, move || async move {
        let id = toast.id;
        NOTICES.with_borrow_mut(|notices| notices.insert(id, Standing::Sent { gone: false }));
        match notify(handle.clone(), &toast).await {
            Ok(number) => {
                let before = NOTICES.with_borrow_mut(|notices| notices.insert(id, Standing::Shown(number)));
                if before != Some(Standing::Sent { gone: false }) {
                    close_now(vec![id]).await;
                }
                for act in early(number) {
                    happened(&handle, id, act);
                }
            }
            Err(error) => {
                tracing::info!(%error, "no notification; does a notification server run?");
                NOTICES.with_borrow_mut(|notices| notices.remove(&id));
            }
        }
        if !is_any_sent() {
            EARLY.take();
        }
    });
}

/// What was heard of a notification before its number was known.
fn early(number: u32) -> Vec<Act> {
    EARLY.with_borrow_mut(|early| early.extract_if(.., |(of, _)| *of == number).map(|(_, act)| act).collect())
}

fn is_any_sent() -> bool {
    NOTICES.with_borrow(|notices| notices.values().any(|standing| matches!(standing, Standing::Sent { .. })))
}

pub(super) fn close(app: &AppHandle, ids: Vec<i32>) {
    on_main(app, move || close_now(ids));
}

async fn close_now(ids: Vec<i32>) {
    for id in ids {
        let standing = NOTICES.with_borrow_mut(|notices| match notices.get_mut(&id) {
            Some(Standing::Sent { gone }) => {
                *gone = true;
                None
            }
            _ => notices.remove(&id),
        });
        if let Some(Standing::Shown(number)) = standing
            && let Ok(bus) = bus().await
            && let Err(error) = call(&bus, "CloseNotification", &(number,).to_variant(), None).await
        {
            tracing::debug!(%error, "a notification stays");
        }
    }
}

async fn notify(app: AppHandle, toast: &Toast) -> Result<u32, Error> {
    let bus = bus().await?;
    listen(&bus, app);
    let mut actions = vec![DEFAULT.to_owned(), String::new()];
    actions.extend(toast.buttons.iter().flat_map(|(action, text)| [action.clone(), text.clone()]));
    let urgency: u8 = if toast.urgent { 2 } else { 1 };
    let hints = HashMap::from([
        ("urgency", urgency.to_variant()),
        // The app sounds itself, as its own setting says.
        ("suppress-sound", true.to_variant()),
    ]);
    let text = ("Review Gate", 0u32, ICON, toast.title.as_str(), plain(&toast.body));
    // The server's own time: nobody has answered because a notification has gone.
    let parameters = (text.0, text.1, text.2, text.3, text.4, actions, hints, -1i32).to_variant();
    let reply = call(&bus, "Notify", &parameters, VariantTy::new("(u)").ok()).await?;
    Ok(reply.get::<(u32,)>().map(|(number,)| number).unwrap_or_default())
}

/// Hears from now on what the person does with notifications.
fn listen(bus: &DBusConnection, app: AppHandle) {
    if LISTENING.replace(true) {
        return;
    }
    let heard = move |_: &DBusConnection, _: &str, _: &str, _: &str, signal: &str, values: &Variant| {
        let said = match signal {
            "ActionInvoked" => values.get::<(u32, String)>().map(|(number, action)| {
                let button = Some(action).filter(|action| action != DEFAULT);
                (number, Act::Pressed(button))
            }),
            "NotificationClosed" => values.get::<(u32, u32)>().map(|(number, _)| (number, Act::Closed)),
            _ => None,
        };
        let Some((number, act)) = said else { return };
        match ours(number) {
            Some(id) => happened(&app, id, act),
            // It may as well be another program's.
            None if is_any_sent() => EARLY.with_borrow_mut(|early| {
                if early.len() < EARLY_ACTS {
                    early.push((number, act));
                }
            }),
            None => {}
        }
    };
    bus.signal_subscribe(Some(NAME), Some(NAME), None, Some(PATH), None, DBusSignalFlags::NONE, heard);
}

fn happened(app: &AppHandle, id: i32, act: Act) {
    match act {
        Act::Pressed(button) => super::pressed(app, id, button.as_deref()),
        Act::Closed => {
            NOTICES.with_borrow_mut(|notices| notices.remove(&id));
            super::gone(app, id);
        }
    }
}

/// Our number of the server's.
fn ours(number: u32) -> Option<i32> {
    let is_it = |(id, standing): (&i32, &Standing)| (*standing == Standing::Shown(number)).then_some(*id);
    NOTICES.with_borrow(|notices| notices.iter().find_map(is_it))
}

async fn bus() -> Result<DBusConnection, Error> {
    gio::bus_get_future(BusType::Session).await
}

async fn call(
    bus: &DBusConnection,
    method: &str,
    parameters: &Variant,
    reply: Option<&VariantTy>,
) -> Result<Variant, Error> {
    let flags = DBusCallFlags::NONE;
    bus.call_future(Some(NAME), PATH, NAME, method, Some(parameters), reply, flags, CALL_MILLIS).await
}

/// Servers take the text for markup ("Markup" in the specification).
fn plain(body: &str) -> String {
    body.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn on_main<F: Future<Output = ()> + 'static>(app: &AppHandle, act: impl FnOnce() -> F + Send + 'static) {
    let asked = app.run_on_main_thread(move || {
        MainContext::default().spawn_local(act());
    });
    if let Err(error) = asked {
        tracing::debug!(%error, "the toolkit has ended");
    }
}
