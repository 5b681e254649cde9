//! `cargo xtask conformance`: the official MCP conformance suite against the gate's own HTTP.
//!
//! The suite calls tools that the gate doesn't have, so the program is built with the feature
//! `conformance`, which serves those on the transport of the real ones. No failure is expected.
//!
//! The suite checks each message that it exchanges against the specification's JSON Schema, in
//! every scenario, without being asked to; whether it did is read from its results.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::process::{Owned, run as run_command};
use crate::selection;
use crate::setup;
use crate::workspace::Workspace;

/// The revisions of MCP whose required scenarios have to pass.
const REVISIONS: [&str; 2] = ["2025-11-25", "2026-07-28"];
/// The suite's check that every message of a scenario is valid by the specification's schema.
const SCHEMA_CHECK: &str = "wire-schema-valid";
/// How long the gate may take until it says that it is ready, on a slow machine.
const START: Duration = Duration::from_secs(60);

pub(crate) fn run(workspace: &Workspace) -> Result<()> {
    let mut build = selection::everything(workspace, &["build"], &["--bin", "review-gate", "--examples"]);
    run_command(&mut build, "mend what the compiler names above")?;
    try_built(workspace)
}

/// Runs the suite against the program that is built.
pub(crate) fn try_built(workspace: &Workspace) -> Result<()> {
    let suite = setup::conformance_suite(workspace)?;
    let gate = Gate::start(&workspace.binary("debug", "review-gate"))?;
    for revision in REVISIONS {
        try_revision(&suite, &gate, revision, &workspace.target.join("conformance").join(revision))?;
    }
    Ok(())
}

/// A gate that serves the suite's fixtures, with a home of its own. Dropping it ends both.
struct Gate {
    http: String,
    // Fields are dropped in this order: the program first, then its home.
    _server: Owned,
    _home: Home,
}

impl Gate {
    /// Starts it on a free port and waits for the line that says it is ready.
    fn start(program: &Path) -> Result<Self> {
        let home = Home(std::env::temp_dir().join(format!("review-gate-conformance-{}", std::process::id())));
        let mut command = Command::new(program);
        command.args(["serve", "--conformance", "--port", "0"]).env("REVIEW_GATE_HOME", &home.0);
        let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn();
        let mut server = Owned(child.with_context(|| format!("can't start {}", program.display()))?);
        let stdout = server.0.stdout.take().context("the gate's output was asked for")?;
        let (sender, first) = channel();
        std::thread::spawn(move || {
            let mut reader = BufReader::new(stdout);
            let mut line = String::new();
            let read = reader.read_line(&mut line).map(|_| line);
            // Nobody receives it when the gate took too long.
            let _ = sender.send(read);
            // A full pipe would stop the gate.
            std::io::copy(&mut reader, &mut std::io::sink())
        });
        let line = first
            .recv_timeout(START)
            .with_context(|| format!("`review-gate serve` isn't ready after {} s", START.as_secs()))?
            .context("can't read what `review-gate serve` prints")?;
        Ok(Self { http: address(&line)?, _server: server, _home: home })
    }
}

/// The folder of the gate's data, removed at the end.
struct Home(PathBuf);

impl Drop for Home {
    fn drop(&mut self) {
        // Where the gate didn't get as far as to make it, there is nothing to remove.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Where the gate that printed `line` serves HTTP: `http://127.0.0.1:PORT`.
fn address(line: &str) -> Result<String> {
    let ready: Value = serde_json::from_str(line)
        .with_context(|| format!("`review-gate serve` printed no ready line, but {line:?}; its message is above"))?;
    let is_ready = ready.get("ready") == Some(&Value::Bool(true));
    let http = ready.get("http").and_then(Value::as_str).filter(|_| is_ready);
    http.map(str::to_owned).with_context(|| format!("`review-gate serve` names no HTTP address: {}", line.trim()))
}

/// Runs the scenarios that `revision` requires, and leaves each one's checks in `results`.
fn try_revision(suite: &Path, gate: &Gate, revision: &str, results: &Path) -> Result<()> {
    if results.exists() {
        std::fs::remove_dir_all(results).with_context(|| format!("can't empty {}", results.display()))?;
    }
    let node = suite.join("node/bin").join(format!("node{}", std::env::consts::EXE_SUFFIX));
    let url = format!("{}/mcp", gate.http);
    println!("MCP {revision}, against {url}");
    let mut command = Command::new(&node);
    command.arg(suite.join("@modelcontextprotocol/conformance/dist/index.js"));
    command.args(["server", "--url", &url, "--requirements", revision, "--output-dir"]).arg(results);
    let output = command.stdin(Stdio::null()).output().with_context(|| format!("can't start {}", node.display()))?;
    let checks = Checks::read(results)?;
    if !output.status.success() {
        let (said, error) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        let complaints = checks.complaints.join("\n");
        let status = output.status;
        bail!("{said}\n{error}\n{complaints}\n\nthe gate doesn't conform to MCP {revision} ({status})");
    }
    if checks.messages == 0 {
        bail!("the conformance suite compared no message with the schema of MCP {revision}; is it another version?");
    }
    for complaint in &checks.complaints {
        println!("  not required: {complaint}");
    }
    println!("  {} checks passed, {} messages are valid by the schema", checks.passed, checks.messages);
    Ok(())
}

/// What a run of the suite found.
#[derive(Debug, Default, PartialEq, Eq)]
struct Checks {
    passed: u64,
    /// Messages that were compared with the specification's schema.
    messages: u64,
    /// Failures and warnings, each after the folder with its details.
    complaints: Vec<String>,
}

impl Checks {
    /// Reads `checks.json` of every scenario's folder below `results`; none where there are no results.
    fn read(results: &Path) -> Result<Self> {
        let mut all = Self::default();
        if !results.exists() {
            return Ok(all);
        }
        let entries = std::fs::read_dir(results).with_context(|| format!("can't read {}", results.display()))?;
        for entry in entries {
            let folder = entry?.path();
            let file = folder.join("checks.json");
            let text = std::fs::read_to_string(&file).with_context(|| format!("can't read {}", file.display()))?;
            let checks: Vec<Value> =
                serde_json::from_str(&text).with_context(|| format!("{} is no list of checks", file.display()))?;
            checks.iter().for_each(|check| all.add(&folder, check));
        }
        all.complaints.sort();
        Ok(all)
    }

    fn add(&mut self, folder: &Path, check: &Value) {
        let text = |name| check.get(name).and_then(Value::as_str).unwrap_or_default();
        match text("status") {
            "SUCCESS" => self.passed += 1,
            status @ ("FAILURE" | "WARNING") => {
                let (folder, id, message) = (folder.display(), text("id"), text("errorMessage"));
                self.complaints.push(format!("{folder}: {status}: {id}: {message}"));
            }
            _ => {}
        }
        if text("id") == SCHEMA_CHECK {
            self.messages += check.pointer("/details/messagesValidated").and_then(Value::as_u64).unwrap_or(0);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_gate_that_serves_no_http_is_not_tried() {
        let line = "{\"ready\":true,\"http\":\"http://127.0.0.1:4711\",\"pid\":7}\n";
        assert_eq!(address(line).expect("the line names it"), "http://127.0.0.1:4711", "the suite needs the port");
        for other in ["", "{\"ready\":false,\"http\":\"http://127.0.0.1:1\"}", "{\"ready\":true,\"http\":null}"] {
            assert!(address(other).is_err(), "{other:?} is no gate to try");
        }
    }

    #[test]
    fn checks_are_counted_by_what_they_say() {
        let mut checks = Checks::default();
        let mut add = |check: Value| checks.add(Path::new("tools-list"), &check);
        add(json!({ "id": SCHEMA_CHECK, "status": "SUCCESS", "details": { "messagesValidated": 5 } }));
        add(json!({ "id": "order", "status": "WARNING", "errorMessage": "not sorted" }));
        add(json!({ "id": "stream", "status": "INFO" }));
        let complaints = vec!["tools-list: WARNING: order: not sorted".to_owned()];
        let expected = Checks { passed: 1, messages: 5, complaints };
        assert_eq!(checks, expected, "a note is neither a success nor a complaint");
    }
}
