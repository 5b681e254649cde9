//! An agent's client: starts `review-gate mcp` and speaks JSON-RPC, one message a line.

mod heard;

use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use heard::Heard;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::sync::watch;

use crate::home::Home;
use crate::wait::LIMIT;

/// The newest revision of the initialize-era.
const PROTOCOL: &str = "2025-11-25";
/// The first revision without `initialize`.
const STATELESS: &str = "2026-07-28";

/// How an agent's relay is started, where it isn't the usual way.
#[derive(Debug, Clone, Default)]
pub struct Spawning {
    /// The folder that the agent works in; the home's workspace when absent.
    pub folder: Option<PathBuf>,
    /// Further variables.
    pub env: Vec<(String, String)>,
    /// Whether a process of its own starts the relay, which makes it another client's: to the gate, a client is the
    /// process that starts its relays, and all that a test starts by itself are of one.
    pub apart: bool,
    /// Whether whoever started it is gone before it speaks: the relay's own starter, or that one's.
    pub adrift: Option<Adrift>,
    /// The toolset that it asks for; the default one when absent.
    pub toolset: Option<&'static str>,
}

/// Who let go of whoever started them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Adrift {
    /// The relay: it has no client any more.
    Relay,
    /// Its client, which is another process.
    Client,
}

/// A running relay and the client's end of it. Any number of calls may be open at once. Killed when
/// dropped, which fails the test if the relay ever said something that is no JSON-RPC.
#[derive(Debug)]
pub struct Agent {
    child: Mutex<Child>,
    stdin: tokio::sync::Mutex<Option<ChildStdin>>,
    heard: Arc<watch::Sender<Heard>>,
    stderr: Arc<Mutex<String>>,
    next: AtomicI64,
    _home: Home,
}

impl Agent {
    /// Starts a relay and initializes it as the client called `name`.
    ///
    /// # Errors
    /// When there is no answer.
    pub async fn start(home: &Home, name: &str) -> Result<Self> {
        let agent = Self::spawn(home)?;
        agent.initialize(name).await?;
        Ok(agent)
    }

    /// The same as a client of its own: all that a test starts by itself are one, which asks only so many questions.
    ///
    /// # Errors
    /// When there is no answer.
    pub async fn start_apart(home: &Home, name: &str) -> Result<Self> {
        let agent = Self::spawn_with(home, Spawning { apart: true, ..Spawning::default() })?;
        agent.initialize(name).await?;
        Ok(agent)
    }

    /// Starts a relay and says nothing.
    ///
    /// # Errors
    /// When the program isn't built.
    pub fn spawn(home: &Home) -> Result<Self> {
        Self::spawn_with(home, Spawning::default())
    }

    /// Starts a relay in another way, and says nothing.
    ///
    /// # Errors
    /// When the program isn't built.
    pub fn spawn_with(home: &Home, spawning: Spawning) -> Result<Self> {
        let toolset = spawning.toolset.map(|toolset| ["--toolset", toolset]);
        let arguments = ["mcp"].into_iter().chain(toolset.into_iter().flatten());
        // A shell becomes its last command, and one in the background reads nothing by itself.
        let mut command = match (spawning.adrift, spawning.apart) {
            (Some(Adrift::Relay), _) => in_shell(home, "exec 3<&0; (\"$0\" \"$@\" <&3 &)", arguments)?,
            (Some(Adrift::Client), _) => {
                in_shell(home, "exec 3<&0; (sh -c '\"$0\" \"$@\"; exit $?' \"$0\" \"$@\" <&3 &)", arguments)?
            }
            (None, true) => in_shell(home, "\"$0\" \"$@\"; exit $?", arguments)?,
            (None, false) => home.command(arguments)?,
        };
        command.envs(spawning.env);
        if let Some(folder) = spawning.folder {
            command.current_dir(folder);
        }
        Self::from_command(home, command)
    }

    /// Starts any command that speaks MCP on its pipes.
    ///
    /// # Errors
    /// When it can't be started.
    pub fn from_command(home: &Home, mut command: Command) -> Result<Self> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        let mut child = command.spawn().with_context(|| format!("{command:?} can't be started"))?;
        let stdin = child.stdin.take();
        let heard = Arc::new(watch::Sender::new(Heard::default()));
        let stderr = Arc::new(Mutex::new(String::new()));
        tokio::spawn(listen(child.stdout.take(), Arc::clone(&heard)));
        tokio::spawn(collect(child.stderr.take(), Arc::clone(&stderr)));
        Ok(Self {
            child: Mutex::new(child),
            stdin: tokio::sync::Mutex::new(stdin),
            heard,
            stderr,
            next: AtomicI64::new(1),
            _home: home.clone(),
        })
    }

    /// `initialize` and `notifications/initialized`, without capabilities. Gives what the server
    /// says of itself.
    ///
    /// # Errors
    /// When there is no answer.
    pub async fn initialize(&self, name: &str) -> Result<Value> {
        self.initialize_with(name, json!({})).await
    }

    /// As [`Agent::initialize`], with capabilities.
    ///
    /// # Errors
    /// When there is no answer.
    pub async fn initialize_with(&self, name: &str, capabilities: Value) -> Result<Value> {
        let params = json!({
            "protocolVersion": PROTOCOL,
            "capabilities": capabilities,
            "clientInfo": {"name": name, "version": "1.0"},
        });
        let id = self.request("initialize", params).await?;
        let server = self.result(id).await?;
        self.notify("notifications/initialized", json!({})).await?;
        Ok(server)
    }

    /// Sends a request and gives its id at once.
    ///
    /// # Errors
    /// When the relay no longer reads.
    pub async fn request(&self, method: &str, params: Value) -> Result<i64> {
        self.request_as(method, &params.to_string()).await
    }

    /// As [`Agent::request`], with parameters in words of the test's own.
    ///
    /// # Errors
    /// When the relay no longer reads.
    pub async fn request_as(&self, method: &str, params: &str) -> Result<i64> {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        self.heard.send_if_modified(|heard| {
            heard.asked.insert(id);
            false
        });
        self.say(&format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"{method}\",\"params\":{params}}}")).await?;
        Ok(id)
    }

    /// Calls `review_gate_chat` and gives the call's id at once.
    ///
    /// # Errors
    /// When the relay no longer reads.
    pub async fn call(&self, arguments: Value) -> Result<i64> {
        self.request("tools/call", json!({"name": "review_gate_chat", "arguments": arguments})).await
    }

    /// Calls `review_gate_chat` with a `_meta`, e.g. a progress token, and gives the id at once.
    ///
    /// # Errors
    /// When the relay no longer reads.
    pub async fn call_with(&self, arguments: Value, meta: Value) -> Result<i64> {
        let params = json!({"name": "review_gate_chat", "arguments": arguments, "_meta": meta});
        self.request("tools/call", params).await
    }

    /// Calls `review_gate_chat` and waits for its structured result.
    ///
    /// # Errors
    /// When the result is an error.
    pub async fn chat(&self, arguments: Value) -> Result<Value> {
        let id = self.call(arguments).await?;
        self.outcome(id).await
    }

    /// The response to a request, whole. Each response is given once.
    ///
    /// # Errors
    /// When there is none in time, or the relay has ended.
    pub async fn wait(&self, id: i64) -> Result<Value> {
        self.wait_for(id, LIMIT).await
    }

    /// As [`Agent::wait`], with a limit of its own.
    ///
    /// # Errors
    /// As [`Agent::wait`].
    pub async fn wait_for(&self, id: i64, limit: Duration) -> Result<Value> {
        self.until(&format!("the response to {id}"), limit, |heard| heard.take(id)).await
    }

    /// The result of a request.
    ///
    /// # Errors
    /// As [`Agent::wait`], and when the response is an error.
    pub async fn result(&self, id: i64) -> Result<Value> {
        let mut response = self.wait(id).await?;
        match response.get_mut("result") {
            Some(result) => Ok(result.take()),
            None => bail!("request {id} was refused: {response}"),
        }
    }

    /// The structured result of a call.
    ///
    /// # Errors
    /// As [`Agent::result`], and when the tool says that it failed.
    pub async fn outcome(&self, id: i64) -> Result<Value> {
        let mut result = self.result(id).await?;
        if result["isError"] == true || result["structuredContent"].is_null() {
            bail!("call {id} gave an error: {result}");
        }
        Ok(result["structuredContent"].take())
    }

    /// The response to a request, if it is there by now.
    #[must_use]
    pub fn take(&self, id: i64) -> Option<Value> {
        let mut found = None;
        self.heard.send_modify(|heard| found = heard.take(id));
        found
    }

    /// The next notification or request of the server with this method.
    ///
    /// # Errors
    /// When there is none in time.
    pub async fn notification(&self, method: &str) -> Result<Value> {
        let take = |heard: &mut Heard| {
            let at = heard.others.iter().position(|message| message["method"] == method)?;
            Some(heard.others.remove(at))
        };
        self.until(method, LIMIT, take).await
    }

    /// The next error that answers no request: what a line that is no message is answered with.
    ///
    /// # Errors
    /// When there is none in time.
    pub async fn complaint(&self) -> Result<Value> {
        self.until("an error without an id", LIMIT, |heard| {
            (!heard.unaddressed.is_empty()).then(|| heard.unaddressed.remove(0))
        })
        .await
    }

    /// Sends a notification.
    ///
    /// # Errors
    /// When the relay no longer reads.
    pub async fn notify(&self, method: &str, params: Value) -> Result<()> {
        self.say(&json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string()).await
    }

    /// Takes a call back.
    ///
    /// # Errors
    /// When the relay no longer reads.
    pub async fn cancel(&self, id: i64) -> Result<()> {
        self.notify("notifications/cancelled", json!({"requestId": id, "reason": "the test wants it"})).await
    }

    /// Writes any line, given without its newline.
    ///
    /// # Errors
    /// When the relay no longer reads.
    pub async fn say(&self, line: &str) -> Result<()> {
        let mut stdin = self.stdin.lock().await;
        let pipe = stdin.as_mut().context("stdin is closed")?;
        let text = format!("{line}\n");
        pipe.write_all(text.as_bytes()).await.with_context(|| format!("the relay reads no more; {}", self.stderr()))
    }

    /// What the relay said on stderr.
    #[must_use]
    pub fn stderr(&self) -> String {
        self.stderr.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The relay's process number; absent when it has ended.
    #[must_use]
    pub fn pid(&self) -> Option<u32> {
        self.child.lock().unwrap_or_else(PoisonError::into_inner).id()
    }

    /// Sends SIGKILL to the relay, as a client that dies does.
    ///
    /// # Errors
    /// When it can't be killed.
    pub async fn kill(&self) -> Result<()> {
        self.child.lock().unwrap_or_else(PoisonError::into_inner).start_kill()?;
        self.until("the end of the relay's stdout", LIMIT, |heard| heard.over.then_some(())).await
    }

    /// Closes stdin, as a client that ends does, and waits for the relay's end.
    ///
    /// # Errors
    /// When it doesn't end in time.
    pub async fn close(&self) -> Result<ExitStatus> {
        self.stdin.lock().await.take();
        let look = || async { Ok(self.child.lock().unwrap_or_else(PoisonError::into_inner).try_wait()?) };
        crate::eventually("the relay's end after its stdin was closed", LIMIT, look).await
    }

    async fn until<T>(&self, what: &str, limit: Duration, mut take: impl FnMut(&mut Heard) -> Option<T>) -> Result<T> {
        let mut news = self.heard.subscribe();
        let look = async {
            loop {
                news.mark_unchanged();
                let (mut found, mut over) = (None, false);
                self.heard.send_if_modified(|heard| {
                    found = take(heard);
                    over = heard.over;
                    false
                });
                match found {
                    Some(found) => return Ok(found),
                    None if over => bail!("the relay has ended before {what}; it said: {}", self.stderr()),
                    None => news.changed().await.context("nobody listens to the relay")?,
                }
            }
        };
        let looked = tokio::time::timeout(limit, look).await;
        looked.with_context(|| format!("waited {limit:?} for {what}; the relay said: {}", self.stderr()))?
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        let heard = self.heard.borrow();
        if !std::thread::panicking() {
            assert!(heard.wrong.is_empty(), "stdout of `review-gate mcp` carries JSON-RPC only: {:#?}", heard.wrong);
        }
    }
}

/// A shell that starts a relay so.
fn in_shell<'a>(home: &Home, script: &str, arguments: impl Iterator<Item = &'a str>) -> Result<Command> {
    let mut command = Command::new("sh");
    command.args(["-c", script]).arg(home.command_line()?).args(arguments);
    home.dress(&mut command);
    Ok(command)
}

/// The `_meta` that makes a request one of MCP 2026-07-28, which has no `initialize`.
#[must_use]
pub fn stateless_meta(name: &str) -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": STATELESS,
        "io.modelcontextprotocol/clientInfo": {"name": name, "version": "1.0"},
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}

async fn listen(stdout: Option<ChildStdout>, heard: Arc<watch::Sender<Heard>>) {
    if let Some(stdout) = stdout {
        let mut stdout = BufReader::new(stdout);
        let mut line = Vec::new();
        // A last line without its newline is what a killed relay was about to say.
        while stdout.read_until(b'\n', &mut line).await.is_ok() && line.ends_with(b"\n") {
            heard.send_modify(|heard| heard.line(&line));
            line.clear();
        }
    }
    heard.send_modify(|heard| heard.over = true);
}

async fn collect(stderr: Option<ChildStderr>, said: Arc<Mutex<String>>) {
    let Some(mut stderr) = stderr else { return };
    let mut bytes = vec![0; 4096];
    while let Ok(count @ 1..) = stderr.read(&mut bytes).await {
        let text = String::from_utf8_lossy(bytes.get(..count).unwrap_or_default()).into_owned();
        said.lock().unwrap_or_else(PoisonError::into_inner).push_str(&text);
    }
}
