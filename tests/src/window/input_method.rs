//! A person's input method: ibus with its Pinyin, as Debian has them, on a display and its bus.

use std::path::Path;
use std::process::Stdio;

use anyhow::{Context as _, Result};
use tokio::process::Command;

use super::display::{Display, Group};
use super::tools::lacking;
use crate::run::Ran;
use crate::skip::skip;
use crate::wait::{LIMIT, eventually};

const ENGINE: &str = "libpinyin";
/// Where its parts say how they are started, in a line with `<exec>`.
const COMPONENTS: &str = "/usr/share/ibus/component";
/// Where GTK has its way to ibus, below the folder of a processor's libraries.
const MODULE: &str = "gtk-3.0/3.0.0/immodules/im-ibus.so";
/// What the engine asks for how it is to be, and ends at once where that isn't there yet.
const CONFIG: &str = "org.freedesktop.IBus.Config";

/// A running ibus. It ends when this is dropped.
#[derive(Debug)]
pub struct InputMethod {
    _daemon: Group,
}

impl InputMethod {
    /// Starts it, with Pinyin as what all keys go through. Absent where this machine lacks it.
    ///
    /// # Errors
    /// When it doesn't come up, or is missing where it may not be.
    pub async fn pinyin(display: &Display) -> Result<Option<Self>> {
        let mut libraries = std::fs::read_dir("/usr/lib")?.flatten();
        let has_module = libraries.any(|folder| folder.path().join(MODULE).is_file());
        let has_engine = Path::new(COMPONENTS).join(format!("{ENGINE}.xml")).is_file();
        let missing =
            (!has_module || !has_engine).then(|| "the packages ibus-libpinyin ibus-gtk3 are missing".to_owned());
        if let Some(reason) = lacking(&[("ibus-daemon", "ibus"), ("dbus-send", "dbus")]).or(missing) {
            skip(&reason)?;
            return Ok(None);
        }
        let config = std::fs::read_to_string(Path::new(COMPONENTS).join("memconf.xml"))?;
        let line = config.split_once("<exec>").and_then(|(_, rest)| rest.split_once("</exec>"));
        let config = format!("--config={}", line.context("how the settings are kept")?.0);
        let mut daemon = Command::new("ibus-daemon");
        daemon.args(["--xim", "--panel=disable", "--emoji-extension=disable", &config]);
        let daemon = Group::spawn(quiet(daemon, display))?;
        let has_settings = || async {
            let bus = format!("--bus={}", run(display, "ibus", &["address"]).await?.stdout.trim());
            let asked = ["--print-reply", "--dest=org.freedesktop.DBus", "/org/freedesktop/DBus"];
            let asks = ["org.freedesktop.DBus.NameHasOwner", &format!("string:{CONFIG}")];
            let told = run(display, "dbus-send", &[&[bus.as_str()], &asked[..], &asks[..]].concat()).await?;
            Ok(told.stdout.contains("boolean true").then_some(()))
        };
        eventually("the settings of ibus", LIMIT, has_settings).await?;
        let goes_through = || async {
            // How it ends says nothing.
            run(display, "ibus", &["engine", ENGINE]).await?;
            let chosen = run(display, "ibus", &["engine"]).await?.stdout;
            Ok((chosen.trim() == ENGINE).then_some(()))
        };
        eventually("keys that go through Pinyin", LIMIT, goes_through).await?;
        Ok(Some(Self { _daemon: daemon }))
    }
}

/// What is kept nowhere but on the display.
fn quiet(mut command: Command, display: &Display) -> Command {
    command.envs(display.env()).env("GSETTINGS_BACKEND", "memory");
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

async fn run(display: &Display, program: &str, words: &[&str]) -> Result<Ran> {
    let mut command = quiet(Command::new(program), display);
    command.args(words);
    Ran::of(command).await
}
