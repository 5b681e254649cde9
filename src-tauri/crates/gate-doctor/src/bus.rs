//! The session bus: whether somebody shows notifications, and whether there is a tray.

use gate_api::Finding;

use crate::display::Display;
use crate::environment::Environment;
use crate::finding::{NOTIFICATIONS, TRAY};
use crate::words;

#[cfg(not(target_os = "linux"))]
pub(crate) async fn check(_: &Environment, _: &Display) -> Vec<Finding> {
    // The system has both.
    vec![NOTIFICATIONS.good(words::systems_own()), TRAY.good(words::systems_own())]
}

#[cfg(target_os = "linux")]
pub(crate) async fn check(environment: &Environment, display: &Display) -> Vec<Finding> {
    use crate::finding::Mending as _;

    if *display == Display::None {
        return vec![NOTIFICATIONS.skipped(words::desktop_unneeded()), TRAY.skipped(words::desktop_unneeded())];
    }
    let names = match linux::names(environment).await {
        Ok(names) => names,
        Err(why) => return vec![NOTIFICATIONS.warning(why, words::mend_session()), TRAY.skipped(words::bus_missing())],
    };
    vec![
        match names.find(linux::NOTIFICATIONS) {
            Some(linux::There::Runs) => NOTIFICATIONS.good(words::notifications_run()),
            Some(linux::There::OnDemand) => NOTIFICATIONS.good(words::notifications_on_demand()),
            None => NOTIFICATIONS.warning(words::notifications_none(), words::mend_notifications()),
        },
        match names.find(linux::TRAY) {
            Some(_) => TRAY.good(words::tray_there()),
            None => TRAY.warning(words::tray_none(), words::mend_tray()).command("review-gate"),
        },
    ]
}

#[cfg(target_os = "linux")]
mod linux {
    use std::time::Duration;

    use gate_api::Phrase;
    use tokio::time::timeout;
    use zbus::Connection;
    use zbus::connection::Builder;

    use crate::environment::Environment;
    use crate::words;

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

    /// The services of the session bus, or what is wrong with it.
    pub(super) async fn names(environment: &Environment) -> Result<Names, Phrase> {
        let address = address(environment).ok_or_else(words::bus_unnamed)?;
        let asking = async {
            let bus = Builder::address(address.as_str()).build().await?;
            let running = list(&bus, "ListNames").await?;
            let on_demand = list(&bus, "ListActivatableNames").await?;
            Ok::<_, zbus::Error>(Names { running, on_demand })
        };
        match timeout(LIMIT, asking).await {
            Ok(names) => {
                names.map_err(|error| words::bus_unreachable(environment.privacy().foreign(&error.to_string(), [])))
            }
            Err(_) => Err(words::bus_silent(LIMIT.as_secs())),
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
