//! The real review window on a display of the test's own: its page by WebDriver, its window by X.
//!
//! The app is started by whoever a test lets start it, usually an agent's relay; it opens WebKit's
//! inspector where `WEBKIT_INSPECTOR_SERVER` says, and the driver comes to it there.

mod display;
mod driver;
mod exchange;
mod hands;
mod keys;
mod page;
mod tools;

pub(crate) use driver::Driver;
pub(crate) use tools::lacking;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Stdio;

use anyhow::{Context as _, Result};
use serde_json::json;
use tokio::process::{Child, Command};

pub use display::Display;
pub(crate) use display::Group;
pub use keys::{CONTROL, DOWN, ENTER, ESCAPE, RIGHT, SHIFT, TAB, UP};
pub use page::{Page, test_id};

use crate::bin;
use crate::home::{Home, HomeOptions};
use crate::skip::skip;

/// A home whose gate is the desktop app, and the display that it shows its window on.
#[derive(Debug)]
pub struct Window {
    // Dropped in this order: what is shown on a display ends before the display.
    home: Home,
    display: Display,
    inspector: u16,
}

impl Window {
    /// A display and an empty home, nothing started in it. Absent where this machine lacks a tool.
    ///
    /// # Errors
    /// When the display doesn't come up, or a tool is missing that may not be missing.
    pub async fn new() -> Result<Option<Self>> {
        Self::with_config("").await
    }

    /// As [`Window::new`], with a `config.yaml`.
    ///
    /// # Errors
    /// As [`Window::new`].
    pub async fn with_config(yaml: &str) -> Result<Option<Self>> {
        Self::with_env(yaml, Vec::new()).await
    }

    /// As [`Window::with_config`], with further variables for every program of the home.
    ///
    /// # Errors
    /// As [`Window::new`].
    pub async fn with_env(yaml: &str, further: Vec<(OsString, OsString)>) -> Result<Option<Self>> {
        if let Some(reason) = tools::missing() {
            skip(&reason)?;
            return Ok(None);
        }
        let display = Display::start().await?;
        let inspector = exchange::free_port()?;
        let mut env = display.env();
        env.push((OsString::from("TAURI_WEBVIEW_AUTOMATION"), OsString::from("true")));
        env.push((OsString::from("WEBKIT_INSPECTOR_SERVER"), OsString::from(format!("127.0.0.1:{inspector}"))));
        // Of all tests that run at once, only one would get the usual port; the others' windows would say so.
        env.push((OsString::from("REVIEW_GATE__NETWORK__PORT"), OsString::from("0")));
        env.extend(further);
        let home = Home::with(HomeOptions { env, config: Some(yaml.to_owned()), below: None })?;
        Ok(Some(Self { home, display, inspector }))
    }

    /// The home.
    #[must_use]
    pub fn home(&self) -> &Home {
        &self.home
    }

    /// The display.
    #[must_use]
    pub fn display(&self) -> &Display {
        &self.display
    }

    /// Starts the desktop app as a person does. It ends with the child, or hands over to one that runs.
    ///
    /// # Errors
    /// When it isn't built.
    pub fn start_app(&self) -> Result<Child> {
        let mut command = Command::new(bin("review-gate-desktop")?);
        self.home.dress(&mut command);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().context("the desktop app can't be started")
    }

    /// Writes a picture of the display, once the page is painted, to `test-output/NAME.png` and gives
    /// its place.
    ///
    /// # Errors
    /// When that can't be done.
    pub async fn picture(&self, page: &Page, name: &str) -> Result<PathBuf> {
        page.painted().await?;
        let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../test-output"));
        std::fs::create_dir_all(&folder)?;
        let file = folder.join(format!("{name}.png"));
        self.display.picture(&file).await?;
        Ok(file)
    }

    /// Pictures of what stands, as `OF-light-VIEW` and `OF-dark-VIEW`. The page has its own theme again afterwards.
    ///
    /// # Errors
    /// When that can't be done.
    pub async fn in_both_themes(&self, page: &Page, of: &str, view: &str) -> Result<[PathBuf; 2]> {
        // Without movement, no colour is on its way to another one.
        let set = "const root = document.documentElement, { theme, motion } = root.dataset;
            [root.dataset.theme, root.dataset.motion] = arguments; return [theme, motion]";
        let own = page.run(set, json!(["light", "reduced"])).await?;
        let light = self.picture(page, &format!("{of}-light-{view}")).await?;
        page.run(set, json!(["dark", "reduced"])).await?;
        let dark = self.picture(page, &format!("{of}-dark-{view}")).await?;
        page.run(set, own).await?;
        Ok([light, dark])
    }

    /// Takes hold of the page of the app that runs or is about to.
    ///
    /// # Errors
    /// When there is no page in time.
    pub async fn page(&self) -> Result<Page> {
        Page::attach(&self.display, self.inspector).await
    }
}
