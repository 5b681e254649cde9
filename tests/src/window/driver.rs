//! A WebDriver session (W3C WebDriver): with a webview that runs already, through WebKitGTK's driver, or
//! with a browser of its own, through Chromium's.

use std::fmt;
use std::process::Stdio;

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};
use tokio::process::Command;

use super::display::{Display, Group};
use super::exchange::{exchange, free_port, listens, quit};
use crate::wait::{LIMIT, eventually};

/// The driver's refusal of a command.
#[derive(Debug)]
pub(super) struct Refusal {
    /// One of the protocol's error codes, e.g. `stale element reference`.
    code: String,
    message: String,
}

impl Refusal {
    /// The page moved under a click.
    pub(super) fn moved() -> Self {
        Self { code: "element click intercepted".to_owned(), message: "the page moved under the click".to_owned() }
    }

    /// Whether the page may only have been in the middle of a change.
    pub(super) fn is_passing(&self) -> bool {
        let passing =
            ["element click intercepted", "element not interactable", "no such element", "stale element reference"];
        passing.contains(&self.code.as_str())
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.message)
    }
}

impl std::error::Error for Refusal {}

/// A session. The driver is killed when it is dropped, with the browser that it started; a webview stays.
#[derive(Debug)]
pub(crate) struct Driver {
    port: u16,
    session: String,
    /// Whether there is a browser to be ended.
    has_browser: bool,
    _process: Group,
}

impl Drop for Driver {
    fn drop(&mut self) {
        // Only its driver takes a browser's processes away; killed, they would be left behind as zombies.
        if self.has_browser {
            quit(self.port, &self.session);
        }
    }
}

impl Driver {
    /// Starts a driver and comes to the webview behind this inspector.
    pub(super) async fn attach(display: &Display, inspector: u16) -> Result<Self> {
        let look = || async { Ok(listens(inspector).await.then_some(())) };
        eventually("a webview that lets itself be driven", LIMIT, look).await?;
        let port = free_port()?;
        let mut command = Command::new("WebKitWebDriver");
        command.arg(format!("--port={port}")).arg(format!("--target=127.0.0.1:{inspector}")).envs(display.env());
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        Self::begin(Group::spawn(command)?, port, json!({}), false).await
    }

    /// Starts a driver with a browser of its own, as `options` say (`goog:chromeOptions`). `dress` gives
    /// both their environment, by which they are found when the test ends.
    pub(crate) async fn chromium(options: Value, dress: impl FnOnce(&mut Command)) -> Result<Self> {
        let port = free_port()?;
        let mut command = Command::new("chromedriver");
        command.arg(format!("--port={port}"));
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        dress(&mut command);
        let capabilities = json!({"goog:chromeOptions": options});
        Self::begin(Group::spawn(command)?, port, capabilities, true).await
    }

    async fn begin(process: Group, port: u16, mut capabilities: Value, has_browser: bool) -> Result<Self> {
        eventually("the driver", LIMIT, || async { Ok(listens(port).await.then_some(())) }).await?;
        let mut driver = Self { port, session: "/session".to_owned(), has_browser: false, _process: process };
        capabilities["timeouts"] = json!({"script": 50_000});
        let begin = json!({"capabilities": {"alwaysMatch": capabilities}});
        let session = driver.post("", &begin).await.context("it refuses to be driven")?;
        let id = session["sessionId"].as_str().context("a session has an id")?;
        driver.session = format!("/session/{id}");
        driver.has_browser = has_browser;
        Ok(driver)
    }

    /// Reads something of the session, e.g. `/url`.
    pub(crate) async fn get(&self, path: &str) -> Result<Value> {
        self.command("GET", path, &Value::Null).await
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Result<Value> {
        self.command("POST", path, body).await
    }

    pub(crate) async fn delete(&self, path: &str) -> Result<Value> {
        self.command("DELETE", path, &Value::Null).await
    }

    /// The first element that a selector names.
    pub(super) async fn element(&self, selector: &str) -> Result<String> {
        let (using, value) = if selector.starts_with("//") { ("xpath", selector) } else { ("css selector", selector) };
        let found = self.post("/element", &json!({"using": using, "value": value})).await?;
        let id = found.as_object().and_then(|reference| reference.values().next()).and_then(Value::as_str);
        id.map(str::to_owned).context("an element has an id")
    }

    async fn command(&self, method: &str, path: &str, body: &Value) -> Result<Value> {
        let (status, mut answer) = exchange(self.port, method, &format!("{}{path}", self.session), body).await?;
        let value = answer["value"].take();
        if status == 200 {
            return Ok(value);
        }
        let said = |field: &str| value[field].as_str().unwrap_or_default().to_owned();
        if said("error").is_empty() {
            bail!("the driver answered {status}: {value}");
        }
        Err(Refusal { code: said("error"), message: said("message") }.into())
    }
}
