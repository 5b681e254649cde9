//! A real Chromium, driven by WebDriver: what a person has at the other end of a link.

use std::ops::Deref;
use std::path::PathBuf;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use crate::home::Home;
use crate::skip::skip;
use crate::wait::{LIMIT, eventually};
use crate::window::{Driver, Page, lacking};

/// The programs that it takes, each with Debian's package that brings it.
const PROGRAMS: &[(&str, &str)] = &[("chromium", "chromium"), ("chromedriver", "chromium-driver")];

/// Where it puts what it downloads, in its profile.
const DOWNLOADS: &str = "downloads";

/// A browser with a profile of its own, and one tab. Ends with the home that it is started in.
#[derive(Debug)]
pub struct Browser {
    page: Page,
    downloads: PathBuf,
}

impl Browser {
    /// Starts one with an empty profile. Absent where this machine lacks a tool.
    ///
    /// # Errors
    /// When it doesn't come up, or a tool is missing that may not be missing.
    pub async fn start(home: &Home) -> Result<Option<Self>> {
        if let Some(reason) = lacking(PROGRAMS) {
            skip(&reason)?;
            return Ok(None);
        }
        let profile = tempfile::Builder::new().prefix("browser-").tempdir_in(home.folder())?.keep();
        let options = json!({
            "binary": program("chromium")?,
            "args": [
                "--headless=new",
                // A container runs its tests as root, which Chromium's own sandbox refuses.
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--no-first-run",
                "--disable-background-networking",
                "--lang=en-US",
                "--window-size=1280,900",
                format!("--user-data-dir={}", profile.display()),
            ],
            "prefs": {"download.default_directory": profile.join(DOWNLOADS), "download.prompt_for_download": false},
        });
        let driver = Driver::chromium(options, |command| home.dress(command)).await?;
        Ok(Some(Self { page: Page::of(driver), downloads: profile.join(DOWNLOADS) }))
    }

    /// Waits until a file whose name begins and ends so has been downloaded and gives its text.
    ///
    /// # Errors
    /// When there is none in time.
    pub async fn downloaded(&self, beginning: &str, ending: &str) -> Result<String> {
        // It has its name when all of it is there.
        let look = || async {
            let files = std::fs::read_dir(&self.downloads).into_iter().flatten().filter_map(Result::ok);
            let is_it = |name: &str| name.starts_with(beginning) && name.ends_with(ending);
            let mut found = files.filter(|file| file.file_name().to_str().is_some_and(is_it));
            Ok(found.next().and_then(|file| std::fs::read_to_string(file.path()).ok()))
        };
        eventually(&format!("the download {beginning}…{ending}"), LIMIT, look).await
    }

    /// Goes to an address as a person who types it, and waits until the page is there.
    ///
    /// # Errors
    /// When nothing answers.
    pub async fn go(&self, url: &str) -> Result<()> {
        self.page.driver().post("/url", &json!({"url": url})).await.map(drop)
    }

    /// The address of the page that stands.
    ///
    /// # Errors
    /// When the browser doesn't answer.
    pub async fn address(&self) -> Result<String> {
        let url = self.page.driver().get("/url").await?;
        url.as_str().map(str::to_owned).context("an address")
    }

    /// The cookies that the page would send, those that its scripts can't see among them.
    ///
    /// # Errors
    /// When the browser doesn't answer.
    pub async fn cookies(&self) -> Result<Vec<Value>> {
        let cookies = self.page.driver().get("/cookie").await?;
        cookies.as_array().cloned().context("a list of cookies")
    }

    /// Opens another tab and goes on there.
    ///
    /// # Errors
    /// When the browser doesn't answer.
    pub async fn new_tab(&self) -> Result<String> {
        let tab = self.page.driver().post("/window/new", &json!({"type": "tab"})).await?;
        let handle = tab["handle"].as_str().context("a tab has a handle")?.to_owned();
        self.turn_to(&handle).await?;
        Ok(handle)
    }

    /// The tab that stands.
    ///
    /// # Errors
    /// When the browser doesn't answer.
    pub async fn tab(&self) -> Result<String> {
        let tab = self.page.driver().get("/window").await?;
        tab.as_str().map(str::to_owned).context("a tab has a handle")
    }

    /// Goes on in another tab.
    ///
    /// # Errors
    /// When there is no such tab.
    pub async fn turn_to(&self, tab: &str) -> Result<()> {
        self.page.driver().post("/window", &json!({"handle": tab})).await.map(drop)
    }
}

impl Deref for Browser {
    type Target = Page;

    fn deref(&self) -> &Page {
        &self.page
    }
}

/// Where a program is; the driver wants the whole path.
fn program(name: &str) -> Result<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file()).context("not on the PATH")
}
