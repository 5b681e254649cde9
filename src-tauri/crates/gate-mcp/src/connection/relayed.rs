//! A relay's side of a connection, for tests.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, ReadHalf, WriteHalf};
use tokio::task::JoinHandle;

use super::*;
use crate::fake_gate::FakeGate;
use crate::toolsets::GATE;

/// A generous limit for what has to come.
const LIMIT: Duration = Duration::from_secs(20);

/// A client behind a relay.
pub(crate) struct Relay {
    lines: tokio::io::Lines<BufReader<ReadHalf<DuplexStream>>>,
    writer: WriteHalf<DuplexStream>,
    serving: JoinHandle<()>,
    /// The id of the next request.
    pub(crate) next: i64,
    /// Notifications that came before a response.
    pub(crate) heard: Vec<Value>,
}

impl Relay {
    pub(crate) fn connect(gate: &Arc<FakeGate>) -> Self {
        let as_gate: Arc<dyn Gate> = Arc::<FakeGate>::clone(gate);
        Self::serving(gate, GATE.served(&as_gate))
    }

    /// The relay comes back.
    pub(crate) fn resumed(gate: &Arc<FakeGate>) -> Self {
        let as_gate: Arc<dyn Gate> = Arc::<FakeGate>::clone(gate);
        Self::begin(gate, GATE.served(&as_gate), true)
    }

    /// Serves these tools in the place of the gate's own.
    pub(crate) fn serving(gate: &Arc<FakeGate>, served: Arc<Served>) -> Self {
        Self::begin(gate, served, false)
    }

    /// Serves these tools to a relay of this name, whose client the kernel names: it has this number.
    pub(crate) fn of_client(gate: &Arc<FakeGate>, served: Arc<Served>, relay: &str, pid: u32) -> Self {
        let client = Process { pid, began: format!("{pid} boot") };
        Self::with(gate, served, |info| (info.relay, info.client) = (relay.to_owned(), Some(client)))
    }

    /// The same, started for one job of the workflow.
    pub(crate) fn for_job(gate: &Arc<FakeGate>, served: Arc<Served>, pid: u32, job: JobId) -> Self {
        let client = Process { pid, began: format!("{pid} boot") };
        let relay = format!("relay {pid} of a job");
        Self::with(gate, served, |info| (info.relay, info.client, info.job) = (relay, Some(client), Some(job)))
    }

    fn begin(gate: &Arc<FakeGate>, served: Arc<Served>, resumed: bool) -> Self {
        Self::with(gate, served, |info| info.resumed = resumed)
    }

    fn with(gate: &Arc<FakeGate>, served: Arc<Served>, change: impl FnOnce(&mut ConnectionInfo)) -> Self {
        let (ours, theirs) = tokio::io::duplex(1 << 20);
        let (reader, writer) = tokio::io::split(theirs);
        let mut info = ConnectionInfo {
            relay: "relay".to_owned(),
            client: None,
            above: Vec::new(),
            adrift: false,
            group_of_process: None,
            folder: "/work".to_owned(),
            reads: Some("/work".to_owned()),
            asker: None,
            needs_permission_tool: false,
            workspace: "/work".to_owned(),
            resumed: false,
            job: None,
            toolset: Toolset::default_one(),
        };
        change(&mut info);
        let gate: Arc<dyn Gate> = Arc::<FakeGate>::clone(gate);
        let serving = tokio::spawn(serve(gate, served, info, BufReader::new(reader), writer, CancellationToken::new()));
        let (reader, writer) = tokio::io::split(ours);
        Self { lines: BufReader::new(reader).lines(), writer, serving, next: 1, heard: Vec::new() }
    }

    pub(crate) async fn initialized(gate: &Arc<FakeGate>) -> Self {
        Self::connect(gate).initialize().await
    }

    /// Says what a client of the initialize-era begins with.
    pub(crate) async fn initialize(mut self) -> Self {
        let params = json!({
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"},
        });
        let answer = self.ask("initialize", params).await;
        assert_eq!(answer["result"]["capabilities"]["resources"], json!({"subscribe": true, "listChanged": true}));
        for promised in ["completions", "logging"] {
            assert!(answer["result"]["capabilities"][promised].is_object(), "{promised}: {answer}");
        }
        self.say(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
        self
    }

    pub(crate) async fn say(&mut self, message: &Value) {
        self.writer.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }

    async fn hear(&mut self) -> Value {
        let line = tokio::time::timeout(LIMIT, self.lines.next_line()).await.expect("something in time").unwrap();
        serde_json::from_str(&line.expect("the connection is there")).unwrap()
    }

    pub(crate) async fn send(&mut self, method: &str, params: Value) -> i64 {
        let id = self.next;
        self.next += 1;
        self.say(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await;
        id
    }

    pub(crate) async fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params).await;
        self.answer(id).await
    }

    /// The answer to a request that was sent.
    pub(crate) async fn answer(&mut self, id: i64) -> Value {
        if let Some(at) = self.heard.iter().position(|message| message["id"] == id) {
            return self.heard.remove(at);
        }
        loop {
            let message = self.hear().await;
            if message["id"] == id {
                return message;
            }
            self.heard.push(message);
        }
    }

    pub(crate) async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let mut answer = self.ask("tools/call", json!({"name": tool, "arguments": arguments})).await;
        answer["result"].take()
    }

    pub(crate) async fn read(&mut self, uri: &str) -> Value {
        let answer = self.ask("resources/read", json!({ "uri": uri })).await;
        let text = answer["result"]["contents"][0]["text"].as_str().unwrap_or_else(|| panic!("{uri}: {answer}"));
        serde_json::from_str(text).unwrap()
    }

    /// The next notification of this method; others in between are kept.
    pub(crate) async fn told(&mut self, method: &str) -> Value {
        if let Some(at) = self.heard.iter().position(|message| message["method"] == method) {
            return self.heard.remove(at);
        }
        loop {
            let message = self.hear().await;
            if message["method"] == method {
                return message;
            }
            self.heard.push(message);
        }
    }

    pub(crate) async fn close(mut self) {
        self.writer.shutdown().await.unwrap();
        drop(self.writer);
        tokio::time::timeout(LIMIT, self.serving).await.expect("the connection ends").unwrap();
    }
}

/// Nothing that a connection began outlives it.
pub(crate) async fn nobody_listens(gate: &FakeGate) {
    let ending = async {
        while gate.listeners() + gate.log_listeners() > 0 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(LIMIT, ending).await.expect("the last task ends");
}

/// What every request without `initialize` says of its client.
pub(crate) fn stateless() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}
