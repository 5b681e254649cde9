//! The session bus: whether somebody shows notifications, and whether there is a tray.

use gate_api::Finding;

use crate::display::Display;
use crate::environment::Environment;
use crate::finding::{Mending as _, NOTIFICATIONS, TRAY};

#[cfg(not(target_os = "linux"))]
pub(crate) async fn check(_: &Environment, _: &Display) -> Vec<Finding> {
    // The system has both.
    vec![NOTIFICATIONS.good("The system's own."), TRAY.good("The system's own.")]
}

#[cfg(target_os = "linux")]
pub(crate) async fn check(environment: &Environment, display: &Display) -> Vec<Finding> {
    if *display == Display::None {
        let why = "Where no window is shown, it isn't needed.";
        return vec![NOTIFICATIONS.skipped(why), TRAY.skipped(why)];
    }
    let names = match linux::names(environment).await {
        Ok(names) => names,
        Err(why) => {
            let why = environment.privacy().foreign(&why, []);
            return vec![
                NOTIFICATIONS.warning(
                    format!(
                        "The session bus can't be reached: {why}. Nobody shows notifications, and there is no tray."
                    ),
                    "Start the desktop app in the desktop's own session.",
                ),
                TRAY.skipped("The session bus can't be reached."),
            ];
        }
    };
    vec![
        match names.find(linux::NOTIFICATIONS) {
            Some(linux::There::Runs) => NOTIFICATIONS.good("It runs."),
            Some(linux::There::OnDemand) => NOTIFICATIONS.good("It is started when it is needed."),
            None => NOTIFICATIONS.warning(
                "Nobody on the session bus shows notifications: a request that comes in while the window is hidden is \
                 not announced.",
                "Start your desktop's notification service, or install one, for example dunst.",
            ),
        },
        match names.find(linux::TRAY) {
            Some(_) => TRAY.good("There is one."),
            None => TRAY
                .warning(
                    "The desktop has no tray (StatusNotifierWatcher): the app's icon and its menu can't be seen.",
                    "Switch your desktop's tray on; in GNOME, install the extension AppIndicator. The window opens anyway.",
                )
                .command("review-gate"),
        },
    ]
}

#[cfg(target_os = "linux")]
mod linux {
    use std::time::Duration;

    use tokio::time::timeout;
    use zbus::Connection;
    use zbus::connection::Builder;

    use crate::environment::Environment;

    pub(super) const NOTIFICATIONS: &str = "org.freedesktop.Notifications";
    pub(super) const TRAY: &str = "org.kde.StatusNotifierWatcher";
    /// The bus itself: its name, which is that of its interface, and its path.
    const BUS: (&str, &str) = ("org.freedesktop.DBus", "/org/freedesktop/DBus");
    /// How long the bus may take for everything.
    const LIMIT: Duration = Duration::from_secs(3);

    /// How a service is there.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(super) enum There {
        Runs,
        /// The bus starts it.
        OnDemand,
    }

    /// The services of the bus.
    #[derive(Debug, Default)]
    pub(super) struct Names {
        running: Vec<String>,
        on_demand: Vec<String>,
    }

    impl Names {
        pub(super) fn find(&self, name: &str) -> Option<There> {
            let has = |names: &[String]| names.iter().any(|known| known == name);
            if has(&self.running) {
                return Some(There::Runs);
            }
            has(&self.on_demand).then_some(There::OnDemand)
        }
    }

    pub(super) async fn names(environment: &Environment) -> Result<Names, String> {
        let address = address(environment).ok_or("DBUS_SESSION_BUS_ADDRESS names none")?;
        let asking = async {
            let bus = Builder::address(address.as_str()).build().await?;
            let running = list(&bus, "ListNames").await?;
            let on_demand = list(&bus, "ListActivatableNames").await?;
            Ok::<_, zbus::Error>(Names { running, on_demand })
        };
        match timeout(LIMIT, asking).await {
            Ok(names) => names.map_err(|error| error.to_string()),
            Err(_) => Err(format!("no answer within {} s", LIMIT.as_secs())),
        }
    }

    async fn list(bus: &Connection, method: &str) -> zbus::Result<Vec<String>> {
        let (name, path) = BUS;
        bus.call_method(Some(name), path, Some(name), method, &()).await?.body().deserialize()
    }

    /// Where the session bus is; without a word about it, where systemd puts it.
    fn address(environment: &Environment) -> Option<String> {
        if let Some(address) = environment.variable("DBUS_SESSION_BUS_ADDRESS") {
            return address.to_str().map(str::to_owned);
        }
        let socket = std::path::Path::new(environment.variable("XDG_RUNTIME_DIR")?).join("bus");
        socket.exists().then(|| format!("unix:path={}", socket.display()))
    }
}
