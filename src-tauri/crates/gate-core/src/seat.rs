//! Whether a window is shown where its person sits, by what the system tells of login sessions. It only lowers how sure a
//! reply is, and proves nothing: whoever answers may have made all of it up. Asks no system.

/// A login session of the gate's user at a seat: a screen with its keyboard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeatSession {
    /// The seat's name, e.g. `seat0`.
    pub seat: String,
    /// Whether it is the one that the seat shows.
    pub active: bool,
    /// The number of its X display, where it is a session of X.
    pub display: Option<u32>,
}

/// What a window is shown on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ShownOn {
    /// As the toolkit calls it, e.g. `:0` or `wayland-0`.
    pub name: String,
    /// The X server that it is, by the name of its program where that is known; absent for another display than X's.
    pub x_server: Option<String>,
}

/// Where a window is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Seat {
    /// At this seat, in the session that its person has before them.
    Own(String),
    /// On this display, while the person has another one before them.
    Elsewhere(String),
    /// On this display, and nobody is logged in at a seat, as over VNC, in WSL, in a container.
    Unknown(String),
}

/// X servers that show nothing at a seat whose session isn't one of X.
const OFF_SCREEN: &[&str] =
    &["xvfb", "xvnc", "xtigervnc", "xtightvnc", "xephyr", "xnest", "xpra", "xdummy", "x0vncserver"];

impl Seat {
    /// Where a window on this display is, when the user has these sessions.
    #[must_use]
    pub fn of(shown: &ShownOn, sessions: &[SeatSession]) -> Self {
        let mut active = sessions.iter().filter(|session| session.active).peekable();
        if active.peek().is_none() {
            return Self::Unknown(shown.name.clone());
        }
        match active.find(|session| session.shows(shown)) {
            Some(session) => Self::Own(session.seat.clone()),
            None => Self::Elsewhere(shown.name.clone()),
        }
    }

    /// What is written down of it.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Own(name) | Self::Elsewhere(name) | Self::Unknown(name) => name,
        }
    }
}

impl SeatSession {
    fn shows(&self, shown: &ShownOn) -> bool {
        match (self.display, &shown.x_server) {
            (Some(display), Some(_)) => display_number(&shown.name) == Some(display),
            (Some(_), None) => false,
            // A session of Wayland has X displays besides, which the system doesn't name.
            (None, Some(server)) => !OFF_SCREEN.contains(&server.to_lowercase().as_str()),
            (None, None) => true,
        }
    }
}

/// The number of an X display of this machine: 99 of `:99` and of `:99.0`.
#[must_use]
pub fn display_number(name: &str) -> Option<u32> {
    let (host, number) = name.rsplit_once(':')?;
    let local = matches!(host, "" | "unix" | "localhost");
    number.split('.').next().filter(|_| local)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(active: bool, display: Option<u32>) -> SeatSession {
        SeatSession { seat: "seat0".to_owned(), active, display }
    }

    fn x(name: &str, server: &str) -> ShownOn {
        ShownOn { name: name.to_owned(), x_server: Some(server.to_owned()) }
    }

    #[test]
    fn a_window_is_where_its_person_sits_unless_the_system_says_otherwise() {
        let wayland = ShownOn { name: "wayland-0".to_owned(), x_server: None };
        let own = || Seat::Own("seat0".to_owned());
        let elsewhere = |name: &str| Seat::Elsewhere(name.to_owned());
        let unknown = |name: &str| Seat::Unknown(name.to_owned());
        let (of_x, of_wayland) = (session(true, Some(0)), session(true, None));
        for (shown, sessions, expected) in [
            (x(":0", "Xorg"), vec![of_x.clone()], own()),
            (x(":0.0", ""), vec![of_x.clone()], own()),
            (x(":99", "Xvfb"), vec![of_x.clone()], elsewhere(":99")),
            (x(":1", "Xtigervnc"), vec![of_x.clone()], elsewhere(":1")),
            (x("localhost:10.0", ""), vec![of_x.clone()], elsewhere("localhost:10.0")),
            (wayland.clone(), vec![of_x.clone()], elsewhere("wayland-0")),
            (wayland.clone(), vec![of_wayland.clone()], own()),
            (x(":1", "gnome-shell"), vec![of_wayland.clone()], own()),
            (x(":0", ""), vec![of_wayland.clone()], own()),
            (x(":99", "Xvfb"), vec![of_wayland.clone()], elsewhere(":99")),
            (x(":99", "Xvfb"), Vec::new(), unknown(":99")),
            (wayland, Vec::new(), unknown("wayland-0")),
            (x(":99", "Xvfb"), vec![session(false, Some(0))], unknown(":99")),
            (x(":1", "Xorg"), vec![session(false, Some(0)), session(true, Some(1))], own()),
        ] {
            assert_eq!(Seat::of(&shown, &sessions), expected, "{shown:?} {sessions:?}");
        }
    }

    #[test]
    fn a_displays_number_is_this_machines() {
        for (name, number) in [
            (":0", Some(0)),
            (":99.1", Some(99)),
            ("unix:3", Some(3)),
            ("far:0", None),
            ("wayland-0", None),
            ("", None),
        ] {
            assert_eq!(display_number(name), number, "{name}");
        }
    }
}
