//! The keyboard and the pointer of a display, as the X server has them, and a window of another program. What they do
//! comes to windows as a person's acts do, and counts as such: a page can't be asked for them, and needn't be there.

use std::io::ErrorKind;
use std::os::fd::AsFd as _;
use std::time::Duration;

use anyhow::{Context as _, Result};
use tokio::io::Interest;
use tokio::net::UnixStream;
use tokio::time::Instant;
use x11rb::COPY_DEPTH_FROM_PARENT;
use x11rb::connection::Connection as _;
use x11rb::properties::{WmSizeHints, WmSizeHintsSpecification};
use x11rb::protocol::Event;
use x11rb::protocol::screensaver::ConnectionExt as _;
use x11rb::protocol::xproto::{
    Atom, AtomEnum, ChangeWindowAttributesAux, ConnectionExt as _, CreateWindowAux, EventMask, PropMode, Window,
    WindowClass,
};
use x11rb::protocol::xtest::ConnectionExt as _;
use x11rb::rust_connection::RustConnection;
use x11rb::wrapper::ConnectionExt as _;

use crate::wait::{LIMIT, eventually};

/// Event codes of the core protocol, as XTEST takes them.
const KEY_PRESS: u8 = 2;
const KEY_RELEASE: u8 = 3;
const BUTTON_PRESS: u8 = 4;
const BUTTON_RELEASE: u8 = 5;
const MOTION: u8 = 6;
const LEFT: u8 = 1;
/// A window comes up by itself only where nobody has typed or clicked for so long.
const HANDS_REST: Duration = Duration::from_secs(2);

/// A key by X's number of the sign that it writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key(u32);

impl Key {
    /// Control.
    pub const CONTROL: Self = Self(0xffe3);
    /// Shift.
    pub const SHIFT: Self = Self(0xffe1);
    /// Enter.
    pub const ENTER: Self = Self(0xff0d);

    /// Alt.
    pub const ALT: Self = Self(0xffe9);

    /// X's number of its sign, which VNC has, too.
    pub(crate) fn sign(self) -> u32 {
        self.0
    }

    /// The key of a small letter or a digit.
    #[must_use]
    pub fn of(sign: char) -> Self {
        Self(u32::from(sign))
    }
}

/// The keys that approve.
pub const APPROVE: [Key; 3] = [Key::CONTROL, Key::SHIFT, Key::ENTER];

/// The display's keyboard and pointer.
#[derive(Debug)]
pub struct Screen {
    connection: RustConnection,
    root: Window,
    /// The property that names the window in front.
    active: Atom,
    /// Each key by its code, with the signs that it writes.
    signs: Vec<(u8, Vec<u32>)>,
    name: String,
}

impl Screen {
    pub(super) fn open(display: &str) -> Result<Self> {
        let (connection, screen) = RustConnection::connect(Some(display)).context("the display isn't there")?;
        let root = connection.setup().roots.get(screen).context("a display has a screen")?.root;
        let (first, last) = (connection.setup().min_keycode, connection.setup().max_keycode);
        let mapping = connection.get_keyboard_mapping(first, last - first + 1)?.reply()?;
        let keys = mapping.keysyms.chunks(usize::from(mapping.keysyms_per_keycode).max(1));
        let signs = (first..=last).zip(keys.map(<[u32]>::to_vec)).collect();
        // Tells of each window that comes onto the screen, and to the front (Extended Window Manager Hints).
        let told = EventMask::SUBSTRUCTURE_NOTIFY | EventMask::PROPERTY_CHANGE;
        connection.change_window_attributes(root, &ChangeWindowAttributesAux::new().event_mask(told))?.check()?;
        let active = connection.intern_atom(false, b"_NET_ACTIVE_WINDOW")?.reply()?.atom;
        Ok(Self { connection, root, active, signs, name: display.to_owned() })
    }

    /// Moves the pointer there, in pixels from the left and the top of the screen.
    ///
    /// # Errors
    /// When the X server is gone.
    pub fn point(&self, [x, y]: [i64; 2]) -> Result<()> {
        self.connection.xtest_fake_input(MOTION, 0, 0, self.root, x.try_into()?, y.try_into()?, 0)?;
        Ok(self.connection.sync()?)
    }

    /// Where the contents of the window in front begin, in pixels from the left and the top of the screen.
    ///
    /// # Errors
    /// When no window is in front.
    pub fn front(&self) -> Result<[i64; 2]> {
        let asked = self.connection.get_property(false, self.root, self.active, AtomEnum::WINDOW, 0, 1)?;
        let window = asked.reply()?.value32().and_then(|mut all| all.next()).context("a window is in front")?;
        let corner = self.connection.translate_coordinates(window, self.root, 0, 0)?.reply()?;
        Ok([corner.dst_x.into(), corner.dst_y.into()])
    }

    /// Clicks where the pointer is, and leaves it there.
    ///
    /// # Errors
    /// When the X server is gone.
    pub fn click(&self) -> Result<()> {
        for kind in [BUTTON_PRESS, BUTTON_RELEASE] {
            self.connection.xtest_fake_input(kind, LEFT, 0, self.root, 0, 0, 0)?;
        }
        Ok(self.connection.sync()?)
    }

    /// Presses keys together, in the order given.
    ///
    /// # Errors
    /// When the X server is gone, or its keyboard lacks one of them.
    pub fn press(&self, keys: &[Key]) -> Result<()> {
        let codes = keys.iter().map(|Key(sign)| {
            let found = self.signs.iter().find(|(_, signs)| signs.first() == Some(sign));
            found.map(|(code, _)| *code).with_context(|| format!("the keyboard has no key for {sign:#x}"))
        });
        let codes = codes.collect::<Result<Vec<_>>>()?;
        let down = codes.iter().map(|code| (KEY_PRESS, *code));
        for (kind, code) in down.chain(codes.iter().rev().map(|code| (KEY_RELEASE, *code))) {
            self.connection.xtest_fake_input(kind, code, 0, self.root, 0, 0, 0)?;
        }
        Ok(self.connection.sync()?)
    }

    /// Waits until nobody has typed or clicked for so long that a request may bring the window up.
    ///
    /// # Errors
    /// When the X server is gone.
    pub async fn hands_rest(&self) -> Result<()> {
        let look = || async {
            let told = self.connection.screensaver_query_info(self.root)?.reply()?;
            Ok((Duration::from_millis(told.ms_since_user_input.into()) >= HANDS_REST).then_some(()))
        };
        eventually("hands that rest", LIMIT, look).await
    }

    /// Forgets which windows have come onto the screen and to the front so far.
    ///
    /// # Errors
    /// When the X server is gone.
    pub fn look_away(&self) -> Result<()> {
        while self.connection.poll_for_event()?.is_some() {}
        Ok(())
    }

    /// Waits until a window comes onto the screen, and gives the moment.
    ///
    /// # Errors
    /// When none does in time.
    pub async fn comes_up(&self) -> Result<Instant> {
        self.tells("a window on the screen", |event| matches!(event, Event::MapNotify(_))).await
    }

    /// Waits until another window gets the keyboard, and gives the moment.
    ///
    /// # Errors
    /// When none does in time.
    pub async fn turns(&self) -> Result<Instant> {
        let active = self.active;
        let is_it = |event: &Event| matches!(event, Event::PropertyNotify(changed) if changed.atom == active);
        self.tells("another window in front", is_it).await
    }

    async fn tells(&self, what: &str, is_it: impl Fn(&Event) -> bool) -> Result<Instant> {
        let socket = self.connection.stream().as_fd().try_clone_to_owned()?;
        let told = UnixStream::from_std(socket.into())?;
        let wait = async {
            loop {
                while let Some(event) = self.connection.poll_for_event()? {
                    if is_it(&event) {
                        return Ok(Instant::now());
                    }
                }
                told.readable().await?;
                // What is there is read above, not here: this only says that there was something.
                let _ = told.try_io(Interest::READABLE, || Err::<(), _>(ErrorKind::WouldBlock.into()));
            }
        };
        tokio::time::timeout(LIMIT, wait).await.with_context(|| format!("waited in vain: {what}"))?
    }

    /// Shows a window of another program all over the screen. It goes when it is dropped.
    ///
    /// # Errors
    /// When the X server refuses.
    pub fn program(&self, title: &str) -> Result<OtherProgram> {
        OtherProgram::open(&self.name, title)
    }
}

/// A window of another program, which hears what is typed into it.
#[derive(Debug)]
pub struct OtherProgram {
    connection: RustConnection,
    window: Window,
}

impl OtherProgram {
    fn open(display: &str, title: &str) -> Result<Self> {
        let (connection, screen) = RustConnection::connect(Some(display))?;
        let screen = connection.setup().roots.get(screen).context("a display has a screen")?;
        let (root, width, height) = (screen.root, screen.width_in_pixels, screen.height_in_pixels);
        let window = connection.generate_id()?;
        let heard = EventMask::KEY_PRESS | EventMask::BUTTON_PRESS;
        let attributes = CreateWindowAux::new().event_mask(heard).background_pixel(screen.white_pixel);
        let (depth, class) = (COPY_DEPTH_FROM_PARENT, WindowClass::INPUT_OUTPUT);
        connection.create_window(depth, window, root, 0, 0, width, height, 0, class, 0, &attributes)?.check()?;
        let kind = AtomEnum::STRING;
        connection.change_property8(PropMode::REPLACE, window, AtomEnum::WM_NAME, kind, title.as_bytes())?;
        let place = Some((WmSizeHintsSpecification::UserSpecified, 0, 0));
        WmSizeHints { position: place, ..WmSizeHints::new() }.set_normal_hints(&connection, window)?;
        connection.map_window(window)?.check()?;
        Ok(Self { connection, window })
    }

    /// The window's number, as xdotool takes it.
    pub(super) fn number(&self) -> u32 {
        self.window
    }

    /// How many keys and buttons went down in it since the last time it was asked.
    ///
    /// # Errors
    /// When the X server is gone.
    pub fn heard(&self) -> Result<usize> {
        self.connection.sync()?;
        let mut heard = 0;
        while let Some(event) = self.connection.poll_for_event()? {
            heard += usize::from(matches!(event, Event::KeyPress(_) | Event::ButtonPress(_)));
        }
        Ok(heard)
    }
}
