//! The real review window on a display of the test's own: its page by WebDriver, its window by X.
//!
//! The app is started by whoever a test lets start it, usually an agent's relay; what is started as it opens WebKit's
//! inspector (`programs.rs`), and the driver comes to it there.

mod app;
mod display;
mod driver;
mod exchange;
mod hands;
mod input_method;
mod keys;
mod page;
mod screen;
mod tools;
mod viewer;

pub(crate) use driver::Driver;
pub(crate) use tools::lacking;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Stdio;

use anyhow::{Context as _, Result};
use serde_json::json;
use tokio::process::{Child, Command};

pub use app::App;
pub use display::Display;
pub(crate) use display::Group;
pub use exchange::free_port;
pub use input_method::InputMethod;
pub use keys::{CONTROL, DOWN, ENTER, ESCAPE, RIGHT, SHIFT, TAB, UP};
pub use page::{Page, test_id};
pub use screen::{APPROVE, Key, OtherProgram, Screen};
pub use viewer::Viewer;

use crate::home::{AT_ONCE, Home, HomeOptions, NO_BUS};
use crate::programs::Programs;
use crate::skip::skip;

/// Who has the app's page let itself be driven.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Opened {
    /// Whatever is started as the app.
    ByItself,
    /// The same, with the display's own bus in the place of the system's.
    Seated,
    /// Nobody but a test that gives it the variables.
    Not,
}

/// The variables that have a webview listen for a driver at this port.
fn opens(port: u16) -> [(String, String); 2] {
    let server = format!("127.0.0.1:{port}");
    [("TAURI_WEBVIEW_AUTOMATION", "true"), ("WEBKIT_INSPECTOR_SERVER", server.as_str())]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
}

/// A home whose gate is the desktop app, and the display that it shows its window on.
#[derive(Debug)]
pub struct Window {
    // Dropped in this order: what is shown on a display ends before the display.
    home: Home,
    display: Display,
    inspector: u16,
    programs: Programs,
}

impl Window {
    /// A display and an empty home at the default settings, but for the port; nothing started in it. Absent where this
    /// machine lacks a tool.
    ///
    /// # Errors
    /// When the display doesn't come up, or a tool is missing that may not be missing.
    pub async fn new() -> Result<Option<Self>> {
        Self::with(HomeOptions::default(), Opened::ByItself).await
    }

    /// As [`Window::new`], with an app whose page is open to a driver only where [`Window::opens_to_a_driver`] reaches it.
    ///
    /// # Errors
    /// As [`Window::new`].
    pub async fn undriven() -> Result<Option<Self>> {
        Self::with(HomeOptions::default(), Opened::Not).await
    }

    /// As [`Window::new`], with a `config.yaml`, as [`HomeOptions::config`] says.
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
        let options = HomeOptions { env: further, config: Some(yaml.to_owned()), ..HomeOptions::default() };
        Self::with(options, Opened::ByItself).await
    }

    /// As [`Window::new`], where nothing that is sent can be taken back: agents hear at once.
    ///
    /// # Errors
    /// As [`Window::new`].
    pub async fn at_once() -> Result<Option<Self>> {
        Self::with_config(AT_ONCE).await
    }

    /// As [`Window::new`], with the display's own bus in the place of the system's, where a test says who is logged in.
    ///
    /// # Errors
    /// As [`Window::new`].
    pub async fn seated() -> Result<Option<Self>> {
        Self::with(HomeOptions::default(), Opened::Seated).await
    }

    /// As [`Window::at_once`], on a display that a person sees by VNC.
    ///
    /// # Errors
    /// As [`Window::new`].
    pub async fn over_vnc() -> Result<Option<Self>> {
        let missing = tools::missing().or_else(|| lacking(&[("Xtigervnc", "tigervnc-standalone-server")]));
        if let Some(reason) = missing {
            skip(&reason)?;
            return Ok(None);
        }
        let options = HomeOptions { config: Some(AT_ONCE.to_owned()), ..HomeOptions::default() };
        Self::on(Display::over_vnc().await?, options, Opened::ByItself).map(Some)
    }

    async fn with(options: HomeOptions, opened: Opened) -> Result<Option<Self>> {
        if let Some(reason) = tools::missing() {
            skip(&reason)?;
            return Ok(None);
        }
        Self::on(Display::start().await?, options, opened).map(Some)
    }

    fn on(display: Display, mut options: HomeOptions, opened: Opened) -> Result<Self> {
        let inspector = exchange::free_port()?;
        let mut env = display.env();
        // Of all tests that run at once, only one would get the usual port; the others' windows would say so.
        env.push((OsString::from("REVIEW_GATE__NETWORK__PORT"), OsString::from("0")));
        env.append(&mut options.env);
        options.env = env;
        let app_env = if opened == Opened::Not { Vec::new() } else { opens(inspector).to_vec() };
        let system_bus = if opened == Opened::Seated { display.bus() } else { NO_BUS };
        let programs = Programs::with(&app_env, system_bus)?;
        let home = Home::with_programs(options, programs.clone())?;
        Ok(Self { home, display, inspector, programs })
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

    /// Starts the desktop app as a person does. It becomes the gate, or hands over to one that runs.
    ///
    /// # Errors
    /// When it can't be started.
    pub fn start_app(&self) -> Result<App> {
        self.start_app_with(&[])
    }

    /// As [`Window::start_app`], with further variables.
    ///
    /// # Errors
    /// As there.
    pub fn start_app_with(&self, env: &[(String, String)]) -> Result<App> {
        App::start(&self.home, &self.programs.app(), env)
    }

    /// The variables that have a webview let itself be driven where [`Window::page`] looks for it.
    #[must_use]
    pub fn opens_to_a_driver(&self) -> [(String, String); 2] {
        opens(self.inspector)
    }

    /// Whether somebody listens there.
    pub async fn is_open_to_a_driver(&self) -> bool {
        exchange::listens(self.inspector).await
    }

    /// Starts the desktop app as an agent does, in a home in which this process has started a relay.
    ///
    /// # Errors
    /// When it can't be started.
    pub fn start_app_below_an_agent(&self) -> Result<Child> {
        let mut command = Command::new(self.programs.app());
        self.home.dress(&mut command);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().context("the desktop app can't be started")
    }

    /// Starts the desktop app below what is known as an agent by its name.
    ///
    /// # Errors
    /// When it can't be started.
    pub fn start_app_by_a_known_agent(&self) -> Result<Child> {
        self.start_app_below("codex")
    }

    /// Starts the desktop app as a script without a terminal does, or a menu that runs a shell: below one that goes on.
    ///
    /// # Errors
    /// When it can't be started.
    pub fn start_app_by_a_script(&self) -> Result<Child> {
        self.start_app_below("sh")
    }

    fn start_app_below(&self, title: &str) -> Result<Child> {
        let mut command = Command::new("sh");
        command.arg0(title).args(["-c", "\"$0\"; exit $?"]).arg(self.programs.app());
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

    /// Takes hold of the page of the app that runs or is about to, and opens its window as a person does where it isn't
    /// open: on a display that is younger than hands have to rest, none comes up by itself.
    ///
    /// # Errors
    /// When there is no page in time.
    pub async fn page(&self) -> Result<Page> {
        let page = self.hidden_page().await?;
        if !self.display.shows_window().await? {
            self.start_app()?.ends().await.context("an app that is started again hands over")?;
            self.display.window_in_front().await?;
        }
        Ok(page)
    }

    /// As [`Window::page`], and leaves its window as it is.
    ///
    /// # Errors
    /// When there is no page in time.
    pub async fn hidden_page(&self) -> Result<Page> {
        Page::attach(&self.display, self.inspector).await
    }
}
