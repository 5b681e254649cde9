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

/// A name that leads to this machine, and of which the browser doesn't know that.
pub const ELSEWHERE: &str = "gate.internal";

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
                // A name of this machine that is no address of its own, as that of a server in the network is.
                format!("--host-resolver-rules=MAP {ELSEWHERE} 127.0.0.1"),
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
        // Chromium keeps the name with an empty file until all of it is there.
        let look = || async {
            let files = std::fs::read_dir(&self.downloads).into_iter().flatten().filter_map(Result::ok);
            let is_it = |name: &str| name.starts_with(beginning) && name.ends_with(ending);
            let mut found = files.filter(|file| file.file_name().to_str().is_some_and(is_it));
            let text = found.next().and_then(|file| std::fs::read_to_string(file.path()).ok());
            Ok(text.filter(|text| !text.is_empty()))
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

    /// Gives the page a cookie that it would send.
    ///
    /// # Errors
    /// When the browser doesn't take it.
    pub async fn set_cookie(&self, name: &str, value: &str) -> Result<()> {
        let cookie = json!({"name": name, "value": value, "httpOnly": true, "sameSite": "Strict", "path": "/"});
        self.page.driver().post("/cookie", &json!({"cookie": cookie})).await.map(drop)
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

    /// Goes on in another tab, which stays behind the one in front: the page there knows that nobody sees it.
    ///
    /// # Errors
    /// When there is no such tab.
    pub async fn turn_behind(&self, tab: &str) -> Result<()> {
        self.page.driver().post("/window", &json!({"handle": tab})).await.map(drop)
    }

    /// Goes on in another tab, which is in front from then on.
    ///
    /// # Errors
    /// When there is no such tab.
    pub async fn turn_to(&self, tab: &str) -> Result<()> {
        self.turn_behind(tab).await?;
        let in_front = json!({"cmd": "Page.bringToFront", "params": {}});
        self.page.driver().post("/goog/cdp/execute", &in_front).await.map(drop)
    }
}

/// What a security key without a device does when it is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Touched {
    /// It is touched at once.
    AtOnce,
    /// Nobody touches it.
    Never,
}

impl Browser {
    /// Plugs a security key in that has no device (WebAuthn's virtual authenticators), and gives its name here. It counts
    /// how often it has signed.
    ///
    /// # Errors
    /// When the browser takes none.
    pub async fn plug_in(&self, touched: Touched) -> Result<String> {
        let key = json!({
            "protocol": "ctap2", "transport": "usb", "hasResidentKey": false, "hasUserVerification": false,
            "isUserConsenting": touched == Touched::AtOnce,
        });
        let name = self.page.driver().post("/webauthn/authenticator", &key).await?;
        name.as_str().map(str::to_owned).context("a key has a name")
    }

    /// Unplugs it, and gives what was made on it, private keys and counters.
    ///
    /// # Errors
    /// When there is no such key.
    pub async fn unplug(&self, key: &str) -> Result<Vec<Value>> {
        let made = self.page.driver().get(&format!("/webauthn/authenticator/{key}/credentials")).await?;
        self.page.driver().delete(&format!("/webauthn/authenticator/{key}")).await?;
        made.as_array().cloned().context("a list of what was made on it")
    }

    /// Puts on a security key what was made on another.
    ///
    /// # Errors
    /// When the browser doesn't take it.
    pub async fn copy_to(&self, key: &str, made: &[Value]) -> Result<()> {
        for each in made {
            self.page.driver().post(&format!("/webauthn/authenticator/{key}/credential"), each).await?;
        }
        Ok(())
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
