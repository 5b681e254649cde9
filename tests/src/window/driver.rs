//! A WebDriver session with a webview that runs already (W3C WebDriver; WebKitGTK's driver).

use std::fmt;
use std::process::Stdio;

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};
use tokio::process::Command;

use super::display::{Display, Group};
use super::exchange::{exchange, free_port, listens};
use crate::wait::{LIMIT, eventually};

/// The driver's refusal of a command.
#[derive(Debug)]
pub(super) struct Refusal {
    /// One of the protocol's error codes, e.g. `stale element reference`.
    code: String,
    message: String,
}

impl Refusal {
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

/// A session. The driver is killed when it is dropped; the webview stays.
#[derive(Debug)]
pub(super) struct Driver {
    port: u16,
    session: String,
    _process: Group,
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
        let process = Group::spawn(command)?;
        eventually("the driver", LIMIT, || async { Ok(listens(port).await.then_some(())) }).await?;
        let mut driver = Self { port, session: "/session".to_owned(), _process: process };
        let begin = json!({"capabilities": {"alwaysMatch": {"timeouts": {"script": 20_000}}}});
        let session = driver.post("", &begin).await.context("the webview refuses to be driven")?;
        let id = session["sessionId"].as_str().context("a session has an id")?;
        driver.session = format!("/session/{id}");
        Ok(driver)
    }

    pub(super) async fn post(&self, path: &str, body: &Value) -> Result<Value> {
        self.command("POST", path, body).await
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
