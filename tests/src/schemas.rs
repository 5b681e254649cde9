//! Whether JSON keeps to a schema of draft 2020-12: by the validator that MCP's TypeScript SDK brings. One process of it
//! answers all that a test asks, and ends with it.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Mutex, PoisonError};

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use crate::clients::tool;
use crate::skip::skip;

/// The rules of a schema that a value breaks, its formats among them; and what is wrong with the schema, if anything is.
///
/// # Errors
/// Where the SDK isn't installed and has to be. Where it hasn't to be, nothing is broken, and that is said.
pub fn broken(schema: &Value, value: &Value) -> Result<Vec<String>> {
    asked(&json!({"schema": schema, "value": value, "formats": true}))
}

/// The same but for formats: to the draft, these are notes.
///
/// # Errors
/// As of [`broken`].
pub fn broken_but_for_formats(schema: &Value, value: &Value) -> Result<Vec<String>> {
    asked(&json!({"schema": schema, "value": value, "formats": false}))
}

/// What is wrong with a schema, by the schema of schemas.
///
/// # Errors
/// As of [`broken`].
pub fn unsound(schema: &Value) -> Result<Vec<String>> {
    asked(&json!({"schema": schema}))
}

/// The validator's two ends. It ends when the first is closed.
struct Validator {
    to: ChildStdin,
    from: BufReader<ChildStdout>,
}

static VALIDATOR: Mutex<Option<Validator>> = Mutex::new(None);

fn asked(question: &Value) -> Result<Vec<String>> {
    let modules = tool("REVIEW_GATE_TEST_NODE_MODULES", "node/node_modules");
    let sdk = modules.join("@modelcontextprotocol/sdk");
    if !sdk.exists() {
        skip(&format!("{} isn't there; `cargo xtask test` puts it there", sdk.display()))?;
        return Ok(Vec::new());
    }
    let mut validator = VALIDATOR.lock().unwrap_or_else(PoisonError::into_inner);
    let validator = match &mut *validator {
        Some(validator) => validator,
        none => none.insert(Validator::start(&modules)?),
    };
    validator.ask(question)
}

impl Validator {
    fn start(modules: &Path) -> Result<Self> {
        let mut child = Command::new("node")
            .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/clients/keeps_to.mjs"))
            .arg(modules)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            // It may outlive the test for a moment, whose output ends with the last who holds it.
            .stderr(Stdio::null())
            .spawn()
            .context("node can't be started")?;
        let (to, from) = child.stdin.take().zip(child.stdout.take()).context("both ends are pipes")?;
        Ok(Self { to, from: BufReader::new(from) })
    }

    fn ask(&mut self, question: &Value) -> Result<Vec<String>> {
        writeln!(self.to, "{question}").context("the validator has ended")?;
        let mut answer = String::new();
        self.from.read_line(&mut answer).context("the validator has ended")?;
        serde_json::from_str(&answer).with_context(|| format!("no answer of the validator: {answer:?}"))
    }
}
