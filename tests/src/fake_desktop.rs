//! The rest of a desktop, as the app meets it on the session bus: a notification server, and the panel
//! with the tray. Neither shows anything; a test looks at what they were given and presses buttons.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context as _, Result};
use zbus::object_server::SignalEmitter;

use zbus::{Connection, OwnedObjectPath, OwnedVariant, Proxy, Variant, connection, interface};

use crate::wait::{LIMIT, eventually};
use crate::window::Display;

const NOTIFICATIONS: (&str, &str) = ("org.freedesktop.Notifications", "/org/freedesktop/Notifications");
const WATCHER: (&str, &str) = ("org.kde.StatusNotifierWatcher", "/StatusNotifierWatcher");

/// A notification that is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notification {
    /// The server's number.
    pub number: u32,
    /// Its title.
    pub title: String,
    /// The text below it, as markup.
    pub body: String,
    /// The texts of its buttons.
    pub buttons: Vec<String>,
    /// Whether it is to get through whatever the person does.
    pub urgent: bool,
    /// What each button is called, in their order.
    actions: Vec<String>,
}

/// An entry of the tray's menu.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// What stands there.
    pub label: String,
    /// Whether it has a mark.
    pub checked: bool,
    /// Its number, which it keeps while no other menu takes the place of its own.
    pub id: i32,
}

#[derive(Debug, Default)]
struct Shown {
    last: u32,
    notifications: Vec<Notification>,
    /// The text of a button that is pressed before the program knows the notification's number.
    hasty: Option<String>,
}

/// A notification server and a panel, on a display's session bus.
#[derive(Debug)]
pub struct FakeDesktop {
    bus: Connection,
    shown: Arc<Mutex<Shown>>,
    items: Arc<Mutex<Vec<(String, String)>>>,
}

struct Notifications(Arc<Mutex<Shown>>);

#[interface(name = "org.freedesktop.Notifications")]
impl Notifications {
    #[expect(clippy::too_many_arguments, reason = "the specification's")]
    async fn notify(
        &self,
        _app: String,
        _replaces: u32,
        _icon: String,
        title: String,
        body: String,
        actions: Vec<String>,
        hints: HashMap<String, OwnedVariant>,
        _expires: i32,
        #[zbus(signal_emitter)] emitter: SignalEmitter<'_>,
    ) -> u32 {
        let pairs: Vec<_> = actions.chunks(2).filter(|pair| pair.first().is_some_and(|id| id != "default")).collect();
        let column = |at: usize| pairs.iter().filter_map(|pair| pair.get(at).cloned()).collect();
        let urgent = hints.get("urgency").is_some_and(|urgency| u8::try_from(urgency) == Ok(2));
        let (buttons, actions): (Vec<_>, Vec<_>) = (column(1), column(0));
        let (number, hasty) = {
            let mut shown = lock(&self.0);
            shown.last += 1;
            let number = shown.last;
            let hasty = shown.hasty.take().and_then(|text| buttons.iter().position(|button| *button == text));
            let hasty = hasty.and_then(|at| actions.get(at).cloned());
            shown.notifications.push(Notification { number, title, body, buttons, actions, urgent });
            (number, hasty)
        };
        if let Some(action) = hasty {
            // Whoever listens has gone, if anyone.
            let _ = emitter.action_invoked(number, &action).await;
        }
        number
    }

    async fn close_notification(&self, number: u32, #[zbus(signal_emitter)] emitter: SignalEmitter<'_>) {
        lock(&self.0).notifications.retain(|shown| shown.number != number);
        // 3: by the program that sent it. Whoever listens has gone, if anyone.
        let _ = emitter.notification_closed(number, 3).await;
    }

    async fn get_capabilities(&self) -> Vec<String> {
        vec!["actions".to_owned(), "body".to_owned(), "body-markup".to_owned()]
    }

    async fn get_server_information(&self) -> (String, String, String, String) {
        let [name, vendor, version, specification] = ["fake desktop", "tests", "1", "1.2"].map(str::to_owned);
        (name, vendor, version, specification)
    }

    #[zbus(signal)]
    async fn action_invoked(emitter: &SignalEmitter<'_>, number: u32, action: &str) -> zbus::Result<()>;

    #[zbus(signal)]
    async fn notification_closed(emitter: &SignalEmitter<'_>, number: u32, reason: u32) -> zbus::Result<()>;
}

struct Watcher(Arc<Mutex<Vec<(String, String)>>>);

#[interface(name = "org.kde.StatusNotifierWatcher")]
impl Watcher {
    async fn register_status_notifier_item(&self, item: String, #[zbus(header)] header: zbus::message::Header<'_>) {
        let sender = header.sender().map(ToString::to_string).unwrap_or_default();
        lock(&self.0).push((sender, item));
    }

    async fn register_status_notifier_host(&self, _host: String) {}

    #[zbus(property)]
    async fn is_status_notifier_host_registered(&self) -> bool {
        true
    }

    #[zbus(property)]
    async fn registered_status_notifier_items(&self) -> Vec<String> {
        lock(&self.0).iter().map(|(bus, path)| format!("{bus}{path}")).collect()
    }

    #[zbus(property)]
    async fn protocol_version(&self) -> i32 {
        0
    }
}

/// A menu as `com.canonical.dbusmenu` gives it: an entry, its properties, its children.
type Layout = (i32, HashMap<String, OwnedVariant>, Vec<OwnedVariant>);

impl FakeDesktop {
    /// Serves both on a display's bus. To be called before the app starts.
    ///
    /// # Errors
    /// When the bus doesn't let it.
    pub async fn start(display: &Display) -> Result<Self> {
        let (shown, items) = (Arc::default(), Arc::default());
        let bus = connection::Builder::address(display.bus())
            .serve_at(NOTIFICATIONS.1, Notifications(Arc::clone(&shown)))
            .serve_at(WATCHER.1, Watcher(Arc::clone(&items)))
            .name(NOTIFICATIONS.0)
            .name(WATCHER.0)
            .build()
            .await?;
        Ok(Self { bus, shown, items })
    }

    /// The notifications that are shown, the oldest first.
    #[must_use]
    pub fn notifications(&self) -> Vec<Notification> {
        lock(&self.shown).notifications.clone()
    }

    /// Waits until a notification with this title is shown.
    ///
    /// # Errors
    /// When none is in time.
    pub async fn notification(&self, title: &str) -> Result<Notification> {
        let look = || async { Ok(self.notifications().into_iter().find(|shown| shown.title == title)) };
        eventually(&format!("a notification titled {title:?}"), LIMIT, look).await
    }

    /// Waits until no notification is shown.
    ///
    /// # Errors
    /// When one stays.
    pub async fn no_notification(&self) -> Result<()> {
        let look = || async { Ok(self.notifications().is_empty().then_some(())) };
        eventually("no notification", LIMIT, look).await
    }

    /// Presses a notification's button; without a text, clicks on the notification itself.
    ///
    /// # Errors
    /// When it has no such button.
    pub async fn press(&self, notification: &Notification, button: Option<&str>) -> Result<()> {
        let action = match button {
            None => "default",
            Some(text) => {
                let at = notification.buttons.iter().position(|known| known == text);
                let action = at.and_then(|at| notification.actions.get(at));
                action.with_context(|| format!("no button {text:?}: {:?}", notification.buttons))?
            }
        };
        let served = self.bus.object_server().interface::<_, Notifications>(NOTIFICATIONS.1).await?;
        Notifications::action_invoked(served.signal_emitter(), notification.number, action).await?;
        Ok(())
    }

    /// Says on the bus that this button of a notification was pressed, as a program does that isn't the one that shows
    /// it: to everyone, and to the program behind the tray icon alone. Gives nothing back before the bus has both.
    ///
    /// # Errors
    /// As [`FakeDesktop::press`].
    pub async fn press_as_a_stranger(
        &self,
        display: &Display,
        notification: &Notification,
        button: &str,
    ) -> Result<()> {
        let at = notification.buttons.iter().position(|known| known == button);
        let action = at.and_then(|at| notification.actions.get(at)).context("it has the button")?.clone();
        let stranger = connection::Builder::address(display.bus()).build().await?;
        let (app, _) = self.item().await?.context("there is no tray icon")?;
        let pressed = (notification.number, action);
        let signal = (NOTIFICATIONS.1, NOTIFICATIONS.0, "ActionInvoked");
        stranger.emit_signal(None::<&str>, signal.0, signal.1, signal.2, &pressed).await?;
        stranger.emit_signal(Some(app.as_str()), signal.0, signal.1, signal.2, &pressed).await?;
        // What one program says to the bus arrives in its order.
        stranger
            .call_method(
                Some("org.freedesktop.DBus"),
                "/org/freedesktop/DBus",
                Some("org.freedesktop.DBus"),
                "GetId",
                &(),
            )
            .await?;
        Ok(())
    }

    /// Presses this button of the next notification as soon as it is shown, before the program is told which
    /// number it has.
    pub fn press_at_once(&self, button: &str) {
        lock(&self.shown).hasty = Some(button.to_owned());
    }

    /// Waits until the tray's menu has an entry with this label, submenus too.
    ///
    /// # Errors
    /// When it has none in time; with what it has.
    pub async fn entry(&self, label: &str) -> Result<Entry> {
        let look = || async { Ok(self.menu().await?.into_iter().find(|entry| entry.label == label)) };
        match eventually(&format!("{label:?} in the tray's menu"), LIMIT, look).await {
            Ok(entry) => Ok(entry),
            Err(error) => Err(error.context(format!("the menu has {:?}", self.menu().await?))),
        }
    }

    /// Chooses an entry of the tray's menu, as soon as it is there.
    ///
    /// # Errors
    /// As [`FakeDesktop::entry`].
    pub async fn choose(&self, label: &str) -> Result<()> {
        let entry = self.entry(label).await?;
        let menu = self.menu_proxy().await?.context("a menu with an entry is there")?;
        menu.call_method("Event", &(entry.id, "clicked", Variant::from(0i32), 0u32)).await?;
        Ok(())
    }

    /// All entries of the tray's menu; none while there is no tray.
    ///
    /// # Errors
    /// When the menu can't be read.
    pub async fn menu(&self) -> Result<Vec<Entry>> {
        let Some(menu) = self.menu_proxy().await? else { return Ok(Vec::new()) };
        let (_, layout): (u32, Layout) = menu.call("GetLayout", &(0i32, -1i32, Vec::<String>::new())).await?;
        let mut entries = Vec::new();
        read(layout, &mut entries)?;
        Ok(entries)
    }

    /// What the tray icon is called, e.g. where the pointer rests on it.
    ///
    /// # Errors
    /// When there is none, or it doesn't say.
    pub async fn tray_title(&self) -> Result<String> {
        let (_, item) = self.item().await?.context("there is no tray icon")?;
        Ok(item.get_property("Title").await?)
    }

    /// The picture that the tray icon names.
    ///
    /// # Errors
    /// As [`FakeDesktop::tray_title`].
    pub async fn tray_picture(&self) -> Result<PathBuf> {
        let (_, item) = self.item().await?.context("there is no tray icon")?;
        Ok(item.get_property::<String>("IconName").await?.into())
    }

    async fn menu_proxy(&self) -> Result<Option<Proxy<'static>>> {
        let Some((bus, item)) = self.item().await? else { return Ok(None) };
        let menu: OwnedObjectPath = item.get_property("Menu").await?;
        Ok(Some(Proxy::new(&self.bus, bus, menu, "com.canonical.dbusmenu").await?))
    }

    /// The tray icon, and its name on the bus.
    async fn item(&self) -> Result<Option<(String, Proxy<'static>)>> {
        let Some((bus, path)) = lock(&self.items).last().cloned() else { return Ok(None) };
        let item = Proxy::new(&self.bus, bus.clone(), path, "org.kde.StatusNotifierItem").await?;
        Ok(Some((bus, item)))
    }
}

fn read((id, properties, children): Layout, entries: &mut Vec<Entry>) -> Result<()> {
    let label = properties.get("label").and_then(|label| <&str>::try_from(label).ok()).unwrap_or_default();
    let state = properties.get("toggle-state").and_then(|state| i32::try_from(state).ok());
    // An underscore marks an access key, and two are one.
    let label = label.replace("__", "\u{0}").replace('_', "").replace('\u{0}', "_");
    entries.push(Entry { label, checked: state == Some(1), id });
    for child in children {
        read(Layout::try_from(child).context("a menu's entry has its parts")?, entries)?;
    }
    Ok(())
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
