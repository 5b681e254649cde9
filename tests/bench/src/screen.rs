//! A screen of the benchmark's own: Xvfb, a window manager, and the pixels as anyone sees them.

use std::io::{BufRead as _, BufReader};
use std::os::fd::AsFd as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use x11rb::connection::Connection as _;
use x11rb::protocol::Event;
use x11rb::protocol::damage::{ConnectionExt as _, Damage, ReportLevel};
use x11rb::protocol::screensaver::ConnectionExt as _;
use x11rb::protocol::xproto::{AtomEnum, ConnectionExt as _, ImageFormat, Window};
use x11rb::protocol::xtest::ConnectionExt as _;
use x11rb::rust_connection::RustConnection;

use crate::process::{Owned, eventually};

const WIDTH: u16 = 1600;
const HEIGHT: u16 = 1500;
/// Event codes of the core protocol, as XTEST takes them.
const KEY_PRESS: u8 = 2;
const KEY_RELEASE: u8 = 3;
const BUTTON_PRESS: u8 = 4;
const BUTTON_RELEASE: u8 = 5;
const MOTION: u8 = 6;

/// A rectangle of the screen, in pixels.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Area {
    pub(crate) x: i16,
    pub(crate) y: i16,
    pub(crate) width: u16,
    pub(crate) height: u16,
}

impl Area {
    const WHOLE: Self = Self { x: 0, y: 0, width: WIDTH, height: HEIGHT };
}

/// What an area looked like, from the moment on when that was seen.
#[derive(Debug, Clone)]
pub(crate) struct Seen {
    pub(crate) at: Instant,
    /// Four bytes a pixel.
    pub(crate) picture: Vec<u8>,
}

/// The screen. Dropping it ends the X server and what runs beside it.
pub(crate) struct Screen {
    connection: RustConnection,
    root: Window,
    damage: Damage,
    name: String,
    bus: Option<String>,
    // Dropped in this order: the clients before their server.
    _bus: Option<Owned>,
    _manager: Owned,
    _server: Owned,
}

impl Screen {
    pub(crate) fn open() -> Result<Self> {
        let mut xvfb = Command::new("Xvfb");
        let size = format!("{WIDTH}x{HEIGHT}x24");
        xvfb.args(["-displayfd", "1", "-ac", "-nolisten", "tcp", "-screen", "0", &size]);
        let mut server = Owned::spawn(xvfb.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()))?;
        let name = format!(":{}", first_line(&mut server, "Xvfb")?);

        let (connection, screen) = x11rb::connect(Some(&name)).context("can't connect to Xvfb")?;
        let root = connection.setup().roots.get(screen).context("Xvfb has a screen")?.root;
        let mut openbox = Command::new("openbox");
        openbox.arg("--sm-disable").env("DISPLAY", &name);
        let manager = Owned::spawn(openbox.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()))?;
        // Extended Window Manager Hints: the manager sets this when it is ready.
        let ready = connection.intern_atom(false, b"_NET_SUPPORTING_WM_CHECK")?.reply()?.atom;
        eventually("openbox manages the screen", || {
            let property = connection.get_property(false, root, ready, AtomEnum::WINDOW, 0, 1)?.reply()?;
            Ok((property.value_len > 0).then_some(()))
        })?;

        connection.damage_query_version(1, 1)?.reply()?;
        let damage = connection.generate_id()?;
        connection.damage_create(damage, root, ReportLevel::NON_EMPTY)?;
        connection.flush()?;
        let (bus_process, bus) = session_bus().map_or((None, None), |(process, bus)| (Some(process), Some(bus)));
        Ok(Self { connection, root, damage, name, bus, _bus: bus_process, _manager: manager, _server: server })
    }

    /// Makes a program show its windows here and nowhere else.
    pub(crate) fn show_on(&self, command: &mut Command) {
        command.env("DISPLAY", &self.name).env_remove("WAYLAND_DISPLAY").env("NO_AT_BRIDGE", "1");
        command.env("DBUS_SESSION_BUS_ADDRESS", self.bus.as_deref().unwrap_or("disabled:"));
    }

    /// What an area looks like now.
    pub(crate) fn picture(&self, area: Area) -> Result<Vec<u8>> {
        let Area { x, y, width, height } = area;
        let image = self.connection.get_image(ImageFormat::Z_PIXMAP, self.root, x, y, width, height, u32::MAX)?;
        Ok(image.reply()?.data)
    }

    /// Watches an area: every look of it, from the first that differs from `before` until nothing
    /// has changed for `quiet`. The X server tells when something was drawn, so watching costs the
    /// watched nothing while it does other things.
    pub(crate) fn watch(&self, area: Area, before: &[u8], quiet: Duration, limit: Duration) -> Result<Vec<Seen>> {
        let begin = Instant::now();
        let mut looks: Vec<Seen> = Vec::new();
        loop {
            let (since, patience) = looks.last().map_or((begin, limit), |last| (last.at, quiet));
            let drawn = self.drawn_within(patience.saturating_sub(since.elapsed()))?;
            // A last look, in case that the end of the wait and a drawing met.
            let picture = self.picture(area)?;
            if looks.last().map_or(before, |last| &last.picture) != picture {
                looks.push(Seen { at: Instant::now(), picture });
            } else if !drawn {
                break;
            }
            if begin.elapsed() > limit {
                bail!("the screen doesn't come to rest within {limit:?}");
            }
        }
        if looks.is_empty() {
            bail!("nothing appeared on the screen within {limit:?}");
        }
        Ok(looks)
    }

    /// Waits until something is drawn anywhere.
    fn drawn_within(&self, patience: Duration) -> Result<bool> {
        let end = Instant::now() + patience;
        loop {
            let mut drawn = false;
            while let Some(event) = self.connection.poll_for_event()? {
                drawn |= matches!(event, Event::DamageNotify(_));
            }
            if drawn {
                // From now on the next drawing is told again.
                self.connection.damage_subtract(self.damage, x11rb::NONE, x11rb::NONE)?;
                self.connection.flush()?;
                return Ok(true);
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(false);
            }
            let left = Timespec { tv_sec: left.as_secs().try_into()?, tv_nsec: left.subsec_nanos().into() };
            poll(&mut [PollFd::from_borrowed_fd(self.connection.stream().as_fd(), PollFlags::IN)], Some(&left))?;
        }
    }

    /// Waits until nobody has typed or clicked for so long.
    pub(crate) fn hands_rest(&self, length: Duration) -> Result<()> {
        eventually("hands that rest", || Ok((self.idle()? >= length).then_some(())))
    }

    /// For how long nobody has typed or clicked.
    pub(crate) fn idle(&self) -> Result<Duration> {
        let told = self.connection.screensaver_query_info(self.root)?.reply()?;
        Ok(Duration::from_millis(told.ms_since_user_input.into()))
    }

    /// Presses keys one after the other and releases them in the reverse order.
    pub(crate) fn press(&self, keys: &[u8]) -> Result<()> {
        let presses = keys.iter().map(|key| (KEY_PRESS, *key));
        for (kind, key) in presses.chain(keys.iter().rev().map(|key| (KEY_RELEASE, *key))) {
            self.connection.xtest_fake_input(kind, key, 0, self.root, 0, 0, 0)?;
        }
        self.connection.flush()?;
        Ok(())
    }

    /// Clicks, and takes the pointer out of the way.
    pub(crate) fn click(&self, x: i16, y: i16) -> Result<()> {
        for (kind, detail, x, y) in
            [(MOTION, 0, x, y), (BUTTON_PRESS, 1, 0, 0), (BUTTON_RELEASE, 1, 0, 0), (MOTION, 0, 0, 0)]
        {
            self.connection.xtest_fake_input(kind, detail, 0, self.root, x, y, 0)?;
        }
        self.connection.flush()?;
        Ok(())
    }

    /// The middle of the first area of one colour that is at least `width` wide, from the top.
    pub(crate) fn area_of(&self, colour: [u8; 3], width: usize) -> Result<Option<(i16, i16)>> {
        let [red, green, blue] = colour;
        let picture = self.picture(Area::WHOLE)?;
        for (y, row) in picture.chunks_exact(usize::from(WIDTH) * 4).enumerate() {
            let mut run = 0;
            for (x, pixel) in row.chunks_exact(4).enumerate() {
                run = if pixel.starts_with(&[blue, green, red]) { run + 1 } else { 0 };
                if run == width {
                    // The rest of the area is below its first row.
                    return Ok(Some((i16::try_from(x - width / 2)?, i16::try_from(y + 4)?)));
                }
            }
        }
        Ok(None)
    }
}

/// A session bus, which every desktop has; without it, a tray icon has nowhere to go.
fn session_bus() -> Option<(Owned, String)> {
    let mut command = Command::new("dbus-daemon");
    command.args(["--session", "--nofork", "--nopidfile", "--print-address=1"]);
    let mut bus = Owned::spawn(command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null())).ok()?;
    let address = first_line(&mut bus, "dbus-daemon").ok()?;
    Some((bus, address))
}

fn first_line(process: &mut Owned, name: &str) -> Result<String> {
    let stdout = process.0.stdout.take().context("its output was asked for")?;
    let mut line = String::new();
    BufReader::new(stdout).read_line(&mut line)?;
    if line.trim().is_empty() {
        bail!("{name} doesn't start");
    }
    Ok(line.trim().to_owned())
}
