//! Fixtures: a home, a gate that follows a script, a client at a relay's pipes.

use gate_core::bounds;
use gate_link::{
    GateListener, GateLock, Hello, Home, LineReader, LinkError, Peer, Read, RelayHello, RelayOptions, Role, Socket,
    StartPlan, Timing, listen, read_hello, run,
};
use std::time::Duration;
use tempfile::TempDir;
use tokio::io::{AsyncRead, AsyncWriteExt, BufReader, DuplexStream, duplex};
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use uuid::Uuid;

/// Longer than anything takes on the slowest machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);
/// For a wait that the test proves not to happen.
pub(crate) const FOREVER: Duration = Duration::from_secs(3600);

pub(crate) async fn soon<F: Future>(what: &str, future: F) -> F::Output {
    timeout(PATIENCE, future).await.unwrap_or_else(|_| panic!("waited too long for {what}"))
}

/// A home in a folder that goes away with it.
pub(crate) struct World {
    pub(crate) home: Home,
    pub(crate) folder: TempDir,
}

impl World {
    pub(crate) fn new() -> Self {
        let folder = TempDir::new().unwrap();
        Self { home: Home::at(folder.path()), folder }
    }

    pub(crate) fn gate(&self) -> FakeGate {
        let lock = GateLock::try_acquire(&self.home).unwrap().expect("no other gate in this test");
        FakeGate { listener: listen(&lock, Socket::Mcp).unwrap(), _lock: lock }
    }

    pub(crate) fn options(&self) -> RelayOptions {
        RelayOptions {
            home: self.home.clone(),
            toolset: "gate".into(),
            workspace: "/somewhere/here".into(),
            start: StartPlan::never(),
            relay_id: Uuid::from_u128(7),
            timing: Timing { unreachable_after: FOREVER, grace: FOREVER, heartbeat: FOREVER },
        }
    }

    /// A client whose relay waits for ever.
    pub(crate) fn client(&self) -> Client {
        Client::start(self.options())
    }
}

pub(crate) struct FakeGate {
    listener: GateListener,
    _lock: GateLock,
}

impl FakeGate {
    /// The next relay.
    pub(crate) async fn relay(&self) -> Relay {
        let (stream, peer) = soon("a connection", self.listener.accept()).await.unwrap();
        let (reader, writer) = stream.into_split();
        let mut reader = BufReader::new(reader);
        let hello = read_hello(&mut reader, PATIENCE).await.unwrap();
        let Hello { role: Role::Relay(hello), .. } = hello else { panic!("a relay says so: {hello:?}") };
        Relay { lines: LineReader::new(reader, bounds::LINE_BYTES), writer, hello, peer }
    }
}

/// The gate's end of a relay's connection. Dropping it closes the connection.
pub(crate) struct Relay {
    lines: LineReader<BufReader<OwnedReadHalf>>,
    writer: OwnedWriteHalf,
    pub(crate) hello: RelayHello,
    pub(crate) peer: Peer,
}

impl Relay {
    pub(crate) async fn hears(&mut self) -> String {
        line(&mut self.lines, "a line at the gate").await.expect("the relay is there")
    }

    pub(crate) async fn hears_all<const N: usize>(&mut self) -> [String; N] {
        let mut lines = Vec::new();
        while lines.len() < N {
            lines.push(self.hears().await);
        }
        lines.try_into().unwrap()
    }

    /// What is still said until the relay closes.
    pub(crate) async fn hears_the_rest(&mut self) -> Vec<String> {
        let mut lines = Vec::new();
        while let Some(text) = line(&mut self.lines, "the relay's end").await {
            lines.push(text);
        }
        lines
    }

    pub(crate) async fn says(&mut self, text: &str) {
        self.says_raw(&format!("{text}\n")).await;
    }

    pub(crate) async fn says_raw(&mut self, text: &str) {
        self.writer.write_all(text.as_bytes()).await.unwrap();
    }
}

/// An agent's client at the pipes of a relay.
pub(crate) struct Client {
    stdin: Option<DuplexStream>,
    stdout: Option<LineReader<DuplexStream>>,
    task: JoinHandle<Result<(), LinkError>>,
}

impl Client {
    pub(crate) fn start(options: RelayOptions) -> Self {
        let (stdin, relay_stdin) = duplex(64 * 1024);
        let (relay_stdout, stdout) = duplex(64 * 1024);
        let task = tokio::spawn(run(options, relay_stdin, relay_stdout));
        Self { stdin: Some(stdin), stdout: Some(LineReader::new(stdout, bounds::LINE_BYTES)), task }
    }

    pub(crate) async fn says(&mut self, text: &str) {
        self.says_raw(format!("{text}\n").as_bytes()).await;
    }

    pub(crate) async fn says_raw(&mut self, text: &[u8]) {
        let stdin = self.stdin.as_mut().expect("stdin is open");
        soon("the relay to read", stdin.write_all(text)).await.unwrap();
    }

    pub(crate) async fn hears(&mut self) -> String {
        let stdout = self.stdout.as_mut().expect("stdout is open");
        line(stdout, "a line at the client").await.expect("the relay is there")
    }

    pub(crate) fn closes_stdin(&mut self) {
        self.stdin = None;
    }

    pub(crate) fn closes_stdout(&mut self) {
        self.stdout = None;
    }

    /// Waits for the relay's end; gives what it said until then.
    pub(crate) async fn ends(mut self) -> Vec<String> {
        let mut rest = Vec::new();
        if let Some(mut stdout) = self.stdout.take() {
            while let Some(text) = line(&mut stdout, "the relay's end").await {
                rest.push(text);
            }
        }
        soon("the relay to end", self.task).await.unwrap().unwrap();
        rest
    }
}

async fn line<R: AsyncRead + Unpin>(lines: &mut LineReader<R>, what: &str) -> Option<String> {
    match soon(what, lines.next()).await.unwrap() {
        Read::Line(text) => Some(String::from_utf8(text).unwrap().trim_end().to_owned()),
        Read::End => None,
        other => panic!("only whole lines may come: {other:?}"),
    }
}

pub(crate) const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}"#;
pub(crate) const INITIALIZE_RESULT: &str = r#"{"jsonrpc":"2.0","id":0,"result":{"serverInfo":{}}}"#;
pub(crate) const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
pub(crate) const CALL: &str =
    r#"{"jsonrpc":"2.0","id":"call","method":"tools/call","params":{"name":"review_gate_chat"}}"#;
pub(crate) const CALL_RESULT: &str = r#"{"jsonrpc":"2.0","id":"call","result":{"content":[]}}"#;
pub(crate) const CALL_CANCELLED: &str =
    r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"call"}}"#;
pub(crate) const CALL_DELIVERED: &str =
    r#"{"jsonrpc":"2.0","method":"notifications/review_gate/delivered","params":{"id":"call"}}"#;
pub(crate) const PING: &str = r#"{"jsonrpc":"2.0","id":9,"method":"ping"}"#;
pub(crate) const PONG: &str = r#"{"jsonrpc":"2.0","id":9,"result":{}}"#;

/// Has the handshake carried between the two.
pub(crate) async fn shake_hands(client: &mut Client, relay: &mut Relay) {
    client.says(INITIALIZE).await;
    assert_eq!(relay.hears().await, INITIALIZE, "the handshake is carried as it is");
    relay.says(INITIALIZE_RESULT).await;
    assert_eq!(client.hears().await, INITIALIZE_RESULT, "and so is its answer");
    client.says(INITIALIZED).await;
    assert_eq!(relay.hears().await, INITIALIZED, "and what follows");
}

/// Proves that nothing was on its way to the client before this.
pub(crate) async fn nothing_else_came(client: &mut Client, relay: &mut Relay) {
    client.says(PING).await;
    assert_eq!(relay.hears().await, PING, "the gate hears the next request");
    relay.says(PONG).await;
    assert_eq!(client.hears().await, PONG, "the next thing the client hears is its answer");
}
