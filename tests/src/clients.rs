//! MCP clients that this project did not write: the official ones, each run by a short script that
//! takes a call's arguments a line and prints the result's parts a line.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context as _, Result};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use crate::home::Home;
use crate::http::Http;
use crate::run::Ran;
use crate::skip::skip;
use crate::wait::LIMIT;

/// An official client, and the revision of MCP that it is told to speak.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Official {
    /// Python's `mcp`, as it comes.
    Python,
    /// Python's `mcp`, told to begin with `initialize`.
    PythonInitialize,
    /// `@modelcontextprotocol/client`, told to prefer the newest revision.
    TypeScript,
    /// `@modelcontextprotocol/sdk`, the line before that.
    TypeScriptSdk,
}

/// A running client, connected to `review-gate mcp`, which it has started itself, or over HTTP.
/// Killed when dropped.
#[derive(Debug)]
pub struct Client {
    _child: Child,
    stdin: ChildStdin,
    lines: Lines<BufReader<ChildStdout>>,
    /// What it said after connecting: the protocol's revision and the tools' names.
    pub connected: Value,
    _home: Home,
}

impl Client {
    /// Starts a client. Absent where it isn't installed.
    ///
    /// # Errors
    /// When it can't connect.
    pub async fn start(official: Official, home: &Home) -> Result<Option<Self>> {
        Self::start_told(official, home, &[]).await
    }

    /// Starts a client whose `review-gate mcp` is told this besides. Absent where it isn't installed.
    ///
    /// # Errors
    /// When it can't connect.
    pub async fn start_told(official: Official, home: &Home, told: &[&str]) -> Result<Option<Self>> {
        let program = [home.command_line()?.into_os_string()];
        let place: Vec<OsString> = program.into_iter().chain(told.iter().map(OsString::from)).collect();
        Self::connect(official, home, &place).await
    }

    /// Starts a client that connects to the running gate over HTTP. Absent where it isn't installed.
    ///
    /// # Errors
    /// When it can't connect.
    pub async fn start_over_http(official: Official, home: &Home) -> Result<Option<Self>> {
        Self::start_with_token(official, home, &Http::of(home)?.token).await
    }

    /// The same with a token of the client's own.
    ///
    /// # Errors
    /// When it can't connect.
    pub async fn start_with_token(official: Official, home: &Home, token: &str) -> Result<Option<Self>> {
        Self::start_at(official, home, "/mcp", token).await
    }

    /// The same at a toolset's path.
    ///
    /// # Errors
    /// When it can't connect.
    pub async fn start_at(official: Official, home: &Home, path: &str, token: &str) -> Result<Option<Self>> {
        let url = format!("http://{}{path}", Http::of(home)?.address);
        Self::connect(official, home, &[url.into(), token.into()]).await
    }

    async fn connect(official: Official, home: &Home, place: &[OsString]) -> Result<Option<Self>> {
        let Some(mut command) = official.command()? else { return Ok(None) };
        home.dress(&mut command);
        command.args(place).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().with_context(|| format!("{command:?} can't be started"))?;
        let stdin = child.stdin.take().context("a client has a stdin")?;
        let lines = BufReader::new(child.stdout.take().context("a client has a stdout")?).lines();
        let mut client = Self { _child: child, stdin, lines, connected: Value::Null, _home: home.clone() };
        client.connected = client.result().await.context("the client did not connect")?;
        Ok(Some(client))
    }

    /// Calls `review_gate_chat` with these arguments.
    ///
    /// # Errors
    /// When the client has ended.
    pub async fn call(&mut self, arguments: &Value) -> Result<()> {
        self.stdin.write_all(format!("{arguments}\n").as_bytes()).await.context("the client has ended")
    }

    /// The result of the call: `{error, structured, content: [{type, …}]}`.
    ///
    /// # Errors
    /// When there is none in time.
    pub async fn result(&mut self) -> Result<Value> {
        let line = tokio::time::timeout(LIMIT, self.lines.next_line()).await.context("no result in time")??;
        let line = line.context("the client has ended; its stderr says why")?;
        serde_json::from_str(&line).with_context(|| format!("no JSON from a client: {line}"))
    }
}

impl Official {
    fn command(self) -> Result<Option<Command>> {
        let (program, needed, script, mode) = match self {
            Self::Python | Self::PythonInitialize => {
                let python = tool("REVIEW_GATE_TEST_PYTHON", "python/bin/python");
                let mode = if self == Self::Python { "auto" } else { "legacy" };
                (python.clone(), python, "python_client.py", mode)
            }
            Self::TypeScript | Self::TypeScriptSdk => {
                let modules = tool("REVIEW_GATE_TEST_NODE_MODULES", "node/node_modules").join("@modelcontextprotocol");
                let (script, package) = match self {
                    Self::TypeScriptSdk => ("typescript_sdk.mjs", "sdk"),
                    _ => ("typescript_client.mjs", "client"),
                };
                (PathBuf::from("node"), modules.join(package), script, "auto")
            }
        };
        if !needed.exists() {
            skip(&format!("{} isn't there; `cargo xtask test` puts it there", needed.display()))?;
            return Ok(None);
        }
        let mut command = Command::new(program);
        command.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/clients").join(script));
        command.arg(needed).arg(mode);
        Ok(Some(command))
    }
}

/// The command line of MCP's inspector, ready for its arguments. Absent where it isn't installed.
///
/// # Errors
/// When it is missing and may not be.
pub fn inspector() -> Result<Option<Command>> {
    let modules = tool("REVIEW_GATE_TEST_SUITE_MODULES", "conformance/node_modules");
    let program = modules.join("@modelcontextprotocol/inspector/clients/launcher/build/index.js");
    if !program.exists() {
        skip(&format!("{} isn't there; `cargo xtask test` puts it there", program.display()))?;
        return Ok(None);
    }
    let mut command = Command::new(modules.join("node/bin/node"));
    command.arg(program);
    Ok(Some(command))
}

/// The specification's JSON Schemas, by revision, as `{keyword, definitions}`. Absent where the
/// conformance suite, which carries them, isn't installed.
///
/// # Errors
/// When it is missing and may not be.
pub async fn specification() -> Result<Option<Value>> {
    let modules = tool("REVIEW_GATE_TEST_SUITE_MODULES", "conformance/node_modules");
    let bundle = modules.join("@modelcontextprotocol/conformance/dist/index.js");
    if !bundle.exists() {
        skip(&format!("{} isn't there; `cargo xtask test` puts it there", bundle.display()))?;
        return Ok(None);
    }
    let mut command = Command::new("node");
    command.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/clients/schemas.mjs")).arg(bundle);
    Ran::of(command).await?.json().map(Some)
}

/// What a variable names, else the place where `cargo xtask test` puts it.
pub(crate) fn tool(variable: &str, default: &str) -> PathBuf {
    let named = std::env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from);
    named.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/test-tools").join(default))
}
