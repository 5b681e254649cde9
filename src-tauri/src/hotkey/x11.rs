//! On Linux, where the X server is asked for the keys and a thread sleeps until they are pressed. The
//! official plugin looks for them twenty times a second, which is most of what an idle app would use.

use gtk::gdk;
use tauri::AppHandle;
use x11rb::connection::Connection as _;
use x11rb::errors::ReplyError;
use x11rb::protocol::xkb::{BoolCtrl, ConnectionExt as _, ID, PerClientFlag};
use x11rb::protocol::xproto::{ConnectionExt as _, GrabMode, Keycode, Mapping, ModMask, Window};
use x11rb::protocol::{ErrorKind, Event};
use x11rb::rust_connection::RustConnection;

use super::{Hotkey, Refusal};

/// A key with modifiers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Keys {
    modifiers: ModMask,
    /// X's number of the sign that it writes.
    sign: u32,
}

pub(super) fn ask_for(_app: &AppHandle, hotkey: Hotkey) -> Result<(), Refusal> {
    let keys = read(&hotkey.keys).map_err(Refusal::Unreadable)?;
    let (connection, screen) =
        RustConnection::connect(None).map_err(|error| Refusal::Taken(format!("no X server: {error}")))?;
    let root = connection.setup().roots.get(screen).map(|screen| screen.root);
    let root = root.ok_or_else(|| Refusal::Taken("the X server has no screen".to_owned()))?;
    grab(&connection, root, keys).map_err(Refusal::Taken)?;
    tell_once(&connection);
    std::thread::Builder::new()
        .name("hotkey".to_owned())
        .spawn(move || follow(&connection, root, keys, &hotkey))
        .map(drop)
        .map_err(|error| Refusal::Taken(error.to_string()))
}

/// Has a key that is held told as pressed again and again, not as released in between. Where the server can't,
/// holding one is as pressing it often.
fn tell_once(connection: &RustConnection) {
    let asked = connection.xkb_use_extension(1, 0).ok().and_then(|asked| asked.reply().ok());
    if !asked.is_some_and(|reply| reply.supported) {
        return;
    }
    let flag = PerClientFlag::DETECTABLE_AUTO_REPEAT;
    let keyboard = u16::from(ID::USE_CORE_KBD);
    let none = BoolCtrl::default();
    if let Ok(asked) = connection.xkb_per_client_flags(keyboard, flag, flag, none, none, none) {
        let _ = asked.reply();
    }
}

/// Tells when the keys go down and up, until the X server is gone.
fn follow(connection: &RustConnection, root: Window, keys: Keys, hotkey: &Hotkey) {
    let mut held = Held::default();
    while let Ok(event) = connection.wait_for_event() {
        match event {
            Event::KeyPress(press) if held.press(press.detail) => (hotkey.pressed)(true),
            // Of any key: while one is held that was asked for, the X server tells of all of them.
            Event::KeyRelease(release) if held.release(release.detail) => (hotkey.pressed)(false),
            // Another layout may have the sign on another key.
            Event::MappingNotify(change) if change.request == Mapping::KEYBOARD => {
                let released = connection.ungrab_key(0u8, root, ModMask::ANY).map_err(|error| error.to_string());
                let grabbed = released.and_then(|_| grab(connection, root, keys));
                if let Err(error) = grabbed {
                    tracing::warn!(error, "the hotkey is lost");
                }
            }
            _ => {}
        }
    }
}

/// The key that is down, as far as the X server told.
#[derive(Debug, Default)]
struct Held {
    key: Option<Keycode>,
    /// Whether a modifier was let go before it, which ends what the keys do. The key itself is told as pressed again
    /// and again until it goes up, too.
    let_go: bool,
}

impl Held {
    /// A key went down, or is still down. Whether that begins something.
    fn press(&mut self, key: Keycode) -> bool {
        let begins = self.key.is_none();
        if begins {
            *self = Self { key: Some(key), let_go: false };
        }
        begins
    }

    /// A key went up. Whether that ends something.
    fn release(&mut self, key: Keycode) -> bool {
        let ends = self.key.is_some() && !self.let_go;
        self.let_go = true;
        if self.key == Some(key) {
            self.key = None;
        }
        ends
    }
}

fn grab(connection: &RustConnection, root: Window, keys: Keys) -> Result<(), String> {
    let key = key_of(connection, keys.sign)?.ok_or("the keyboard has no such key")?;
    // The X server counts Caps Lock and Num Lock as modifiers: keys are grabbed with and without them.
    for lock in [ModMask::default(), ModMask::LOCK, ModMask::M2, ModMask::LOCK | ModMask::M2] {
        let modifiers = keys.modifiers | lock;
        let asked = connection.grab_key(false, root, modifiers, key, GrabMode::ASYNC, GrabMode::ASYNC);
        match asked.map_err(|error| error.to_string())?.check() {
            Ok(()) => {}
            Err(ReplyError::X11Error(error)) if error.error_kind == ErrorKind::Access => {
                return Err("another program has them".to_owned());
            }
            Err(error) => return Err(error.to_string()),
        }
    }
    Ok(())
}

/// The key that writes a sign.
fn key_of(connection: &RustConnection, sign: u32) -> Result<Option<Keycode>, String> {
    let (first, last) = (connection.setup().min_keycode, connection.setup().max_keycode);
    let asked = connection.get_keyboard_mapping(first, last - first + 1).map_err(|error| error.to_string())?;
    let mapping = asked.reply().map_err(|error| error.to_string())?;
    let mut keys = mapping.keysyms.chunks(usize::from(mapping.keysyms_per_keycode).max(1));
    let at = keys.position(|signs| signs.contains(&sign)).and_then(|at| Keycode::try_from(at).ok());
    Ok(at.and_then(|at| first.checked_add(at)))
}

/// Reads keys as Tauri writes them, e.g. `CmdOrCtrl+Alt+G`.
fn read(text: &str) -> Result<Keys, String> {
    let mut modifiers = ModMask::default();
    let mut names = text.split('+').map(str::trim).peekable();
    while let Some(name) = names.next() {
        if names.peek().is_some() {
            modifiers |= modifier(name).ok_or_else(|| format!("{name:?} is no modifier"))?;
            continue;
        }
        let sign = sign(name).ok_or_else(|| format!("{name:?} is no key"))?;
        if modifiers == ModMask::default() {
            return Err("a key needs a modifier, or nobody else could use it".to_owned());
        }
        return Ok(Keys { modifiers, sign });
    }
    Err("it is empty".to_owned())
}

fn modifier(name: &str) -> Option<ModMask> {
    match name.to_ascii_lowercase().as_str() {
        "cmdorctrl" | "cmdorcontrol" | "commandorctrl" | "commandorcontrol" | "ctrl" | "control" => {
            Some(ModMask::CONTROL)
        }
        "alt" | "option" => Some(ModMask::M1),
        "shift" => Some(ModMask::SHIFT),
        "super" | "cmd" | "command" | "meta" => Some(ModMask::M4),
        _ => None,
    }
}

/// The sign of a key: a letter, a digit, or X's name for it.
fn sign(name: &str) -> Option<u32> {
    let lower = name.to_ascii_lowercase();
    let name = lower.strip_prefix("key").or(lower.strip_prefix("digit")).filter(|rest| rest.len() == 1);
    let name = match name.unwrap_or(&lower) {
        "enter" => "Return",
        "esc" => "Escape",
        "backquote" | "`" => "grave",
        "," => "comma",
        "." => "period",
        "-" => "minus",
        "/" => "slash",
        ";" => "semicolon",
        other => other.strip_prefix("arrow").unwrap_or(other),
    };
    // X's names begin with a capital, but for signs.
    let capital = name.get(..1).map(str::to_ascii_uppercase).unwrap_or_default() + name.get(1..).unwrap_or_default();
    [name, &capital].into_iter().map(|name| *gdk::keys::Key::from_name(name)).find(|sign| is_sign(*sign))
}

/// GDK gives this, or nothing, for a name that it doesn't know.
fn is_sign(number: u32) -> bool {
    number != *gdk::keys::constants::VoidSymbol && number != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_that_is_held_begins_and_ends_once_whichever_key_is_let_go_first() {
        const CONTROL: Keycode = 37;
        const V: Keycode = 55;
        let mut held = Held::default();
        assert!(held.press(V));
        assert!(!held.press(V), "told again while it is held");
        assert!(held.release(CONTROL), "the modifier first");
        assert!(!held.press(V), "still held");
        assert!(!held.release(V));
        assert!(held.press(V), "held anew");
        assert!(held.release(V), "the key first");
        assert!(!held.release(CONTROL));
        assert!(held.press(V));
    }

    #[test]
    fn keys_are_read_as_they_are_written_everywhere() {
        let (control, alt) = (ModMask::CONTROL, ModMask::M1);
        for (text, modifiers, sign) in [
            ("CmdOrCtrl+Alt+G", control | alt, 0x67),
            ("ctrl + shift + KeyG", control | ModMask::SHIFT, 0x67),
            ("Super+7", ModMask::M4, 0x37),
            ("Alt+F5", alt, 0xffc2),
            ("Alt+Space", alt, 0x20),
            ("Alt+Enter", alt, 0xff0d),
            ("Alt+ArrowUp", alt, 0xff52),
            ("Alt+`", alt, 0x60),
        ] {
            assert_eq!(read(text), Ok(Keys { modifiers, sign }), "{text}");
        }
    }

    #[test]
    fn what_names_no_keys_is_refused_with_the_part_that_is_wrong() {
        for (text, part) in [
            ("Hyper+G", "\"Hyper\" is no modifier"),
            ("Ctrl+Nonsense", "\"Nonsense\" is no key"),
            ("Ctrl+", "\"\" is no key"),
            ("", "\"\" is no key"),
            ("G", "needs a modifier"),
        ] {
            assert!(read(text).is_err_and(|why| why.contains(part)), "{text:?}: {:?}", read(text));
        }
    }
}
