//! The stdio relay: an agent's MCP server that only carries lines between the agent's client and
//! the gate, and outlives the gate.
//!
//! It holds no state that matters: a signal may kill it at any instant (SIGTERM keeps its default
//! action). stdout carries JSON-RPC only, one whole line after the other, and at most one
//! response to each request, over however many gates.

mod asked;
mod dialogue;
mod edges;
mod envelope;
#[cfg(test)]
mod fuzz;
mod ledger;
mod link;
mod memory;
mod outbox;
mod refusal;

use crate::connect::connect;
use crate::error::LinkError;
use crate::hello::{Hello, RelayHello};
use crate::home::{Home, Socket};
use crate::lines::{LineReader, Read};
use crate::start::{START_LIMIT, StartPlan, Starter};
use dialogue::Dialogue;
use gate_core::bounds;
use gate_os::local::Stream;
use link::{Happening, Link};
use outbox::Outbox;
use std::io::Write as _;
use std::path::PathBuf;
use std::pin::Pin;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::{Instant, MissedTickBehavior, interval_at, sleep, sleep_until};
use uuid::Uuid;

const FIRST_BACKOFF: Duration = Duration::from_millis(5);
const LAST_BACKOFF: Duration = Duration::from_secs(1);
/// A gate that lived this long or said a word was no failed start.
const PROOF_OF_LIFE: Duration = Duration::from_secs(1);

/// What a relay is told when it starts.
#[derive(Debug, Clone)]
pub struct RelayOptions {
    /// Whose gate.
    pub home: Home,
    /// Which toolsets the agent gets, e.g. `gate` or `gate,broker`.
    pub toolset: String,
    /// The folder that the agent works in, absolute.
    pub workspace: PathBuf,
    /// How to start a gate where none runs.
    pub start: StartPlan,
    /// A name that no other relay has.
    pub relay_id: Uuid,
    /// How long things take.
    pub timing: Timing,
}

impl RelayOptions {
    /// A new relay with the usual timing.
    pub fn new(home: Home, toolset: impl Into<String>, workspace: impl Into<PathBuf>, start: StartPlan) -> Self {
        Self {
            home,
            toolset: toolset.into(),
            workspace: workspace.into(),
            start,
            relay_id: Uuid::now_v7(),
            timing: Timing::default(),
        }
    }

    fn hello(&self, resumed: bool) -> Vec<u8> {
        Hello::relay(RelayHello {
            relay_id: self.relay_id,
            toolset: self.toolset.clone(),
            workspace: self.workspace.to_string_lossy().into_owned(),
            pid: std::process::id(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            resumed,
        })
        .to_line()
    }
}

/// How long a relay waits for what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timing {
    /// For a gate, before requests are answered with an error. 15 s.
    pub unreachable_after: Duration,
    /// For answers, after the client closed stdin. 1 s.
    pub grace: Duration,
    /// Between heartbeats. 10 s.
    pub heartbeat: Duration,
}

impl Default for Timing {
    fn default() -> Self {
        Self { unreachable_after: START_LIMIT, grace: Duration::from_secs(1), heartbeat: Duration::from_secs(10) }
    }
}

type Connected = (Box<Starter>, Result<Stream, LinkError>);
type Connecting = Pin<Box<dyn Future<Output = Connected> + Send>>;
type Waiting = Pin<Box<dyn Future<Output = Stream> + Send>>;

enum Event {
    Client(std::io::Result<Read>),
    Written(std::io::Result<Option<envelope::Key>>),
    Gate(Happening),
    Connected(Connected),
    Found(Stream),
    Beat,
    Leave,
}

/// Relays until the client closes `stdin` or no longer reads `stdout`.
///
/// End the process afterwards, or shut the runtime down in the background: an input that can't be
/// waited for (a terminal, a file) blocks a thread that only a further line would wake.
///
/// # Errors
/// None so far: whatever fails is said to the client, request by request.
pub async fn run<R, W>(options: RelayOptions, stdin: R, stdout: W) -> Result<(), LinkError>
where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin,
{
    memory::return_large_buffers();
    let timing = options.timing;
    let mut input = LineReader::new(stdin, bounds::LINE_BYTES);
    let mut dialogue = Dialogue::new(Outbox::new(stdout));
    let mut road = Road::new(options);
    let mut beat = interval_at(Instant::now() + timing.heartbeat, timing.heartbeat);
    beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut leave_at: Option<Instant> = None;
    loop {
        if leave_at.is_some() && dialogue.is_done() {
            return Ok(());
        }
        // Reading the client must not depend on its reading us: it may write all before it reads.
        let listening =
            leave_at.is_none() && !dialogue.client.is_flooded() && !dialogue.link.as_ref().is_some_and(Link::is_full);
        let reading = !dialogue.client.is_full();
        let event = tokio::select! {
            read = input.next(), if listening => Event::Client(read),
            written = dialogue.client.drive() => Event::Written(written),
            happening = next_of(&mut dialogue.link, reading) => Event::Gate(happening),
            connected = settled(&mut road.connecting) => Event::Connected(connected),
            stream = settled(&mut road.waiting) => Event::Found(stream),
            _ = beat.tick() => Event::Beat,
            () = sleep_until(leave_at.unwrap_or_else(Instant::now)), if leave_at.is_some() => Event::Leave,
        };
        match event {
            Event::Client(Ok(Read::End) | Err(_)) => leave_at = Some(Instant::now() + timing.grace),
            Event::Client(Ok(read)) => {
                dialogue.client_said(read);
                road.wake_if_needed(&dialogue);
            }
            Event::Written(Ok(Some(key))) => dialogue.delivered(key),
            Event::Written(Ok(None)) | Event::Gate(Happening::Took) => {}
            // Nobody reads the answers any more.
            Event::Written(Err(_)) | Event::Leave => return Ok(()),
            Event::Gate(Happening::Said(read)) => {
                road.open();
                dialogue.gate_said(read);
            }
            Event::Gate(Happening::Over) => road.lost(&mut dialogue),
            Event::Connected((starter, Ok(stream))) => road.arrived(starter, stream, &mut dialogue),
            Event::Found(stream) => road.found(stream, &mut dialogue),
            Event::Connected((starter, Err(error))) => road.failed(starter, &error, &mut dialogue),
            Event::Beat => {
                dialogue.beat();
                road.reap();
            }
        }
    }
}

/// The way to the gate: connecting, and connecting again.
struct Road {
    options: RelayOptions,
    connecting: Option<Connecting>,
    /// While no gate runs and the client waits for nothing: looks out for a gate that others start.
    waiting: Option<Waiting>,
    /// At home while nothing is being connected.
    starter: Option<Box<Starter>>,
    connections: u64,
    down_since: Option<Instant>,
    backoff: Duration,
    /// Whether the trouble was said to the log.
    said: bool,
}

impl Road {
    fn new(options: RelayOptions) -> Self {
        let limit = options.timing.unreachable_after;
        let starter = Box::new(Starter::new(options.home.clone(), Socket::Mcp, options.start.clone(), limit));
        let mut road = Self {
            options,
            connecting: None,
            waiting: None,
            starter: None,
            connections: 0,
            down_since: Some(Instant::now()),
            backoff: Duration::ZERO,
            said: false,
        };
        road.connect(starter);
        road
    }

    fn connect(&mut self, mut starter: Box<Starter>) {
        let pause = self.backoff;
        self.backoff = (self.backoff * 2).clamp(FIRST_BACKOFF, LAST_BACKOFF);
        self.connecting = Some(Box::pin(async move {
            if !pause.is_zero() {
                sleep(pause).await;
            }
            let connected = starter.connect().await;
            (starter, connected)
        }));
    }

    fn arrived<W: AsyncWrite + Unpin>(&mut self, starter: Box<Starter>, stream: Stream, dialogue: &mut Dialogue<W>) {
        self.connecting = None;
        self.starter = Some(starter);
        let hello = self.options.hello(self.connections > 0);
        dialogue.link = Some(Link::new(stream, self.connections, hello, dialogue.ledger.replay()));
        dialogue.unreachable = None;
        self.connections += 1;
        if std::mem::take(&mut self.said) {
            say("connected to the gate again");
        }
    }

    /// A gate that somebody quits stays quit until an agent needs one.
    fn wait_for_gate(&mut self) {
        let home = self.options.home.clone();
        self.waiting = Some(Box::pin(async move {
            let mut pause = FIRST_BACKOFF;
            loop {
                if let Ok(stream) = connect(&home, Socket::Mcp).await {
                    return stream;
                }
                sleep(pause).await;
                pause = (pause * 2).min(LAST_BACKOFF);
            }
        }));
    }

    fn wake_if_needed<W: AsyncWrite + Unpin>(&mut self, dialogue: &Dialogue<W>) {
        if self.waiting.is_none() || dialogue.ledger.owed() == 0 {
            return;
        }
        self.waiting = None;
        if let Some(starter) = self.starter.take() {
            self.down_since = Some(Instant::now());
            self.connect(starter);
        }
    }

    fn found<W: AsyncWrite + Unpin>(&mut self, stream: Stream, dialogue: &mut Dialogue<W>) {
        self.waiting = None;
        if let Some(starter) = self.starter.take() {
            self.arrived(starter, stream, dialogue);
        }
    }

    /// The gate on the other end lives.
    fn open(&mut self) {
        self.down_since = None;
        self.backoff = Duration::ZERO;
    }

    fn lost<W: AsyncWrite + Unpin>(&mut self, dialogue: &mut Dialogue<W>) {
        let Some(link) = dialogue.lost() else { return };
        if link.heard || link.since.elapsed() >= PROOF_OF_LIFE {
            self.open();
        }
        if dialogue.ledger.owed() == 0 {
            return self.wait_for_gate();
        }
        self.say_once("the gate is gone; connecting to it again");
        let reason = "it closes every connection at once";
        let path = self.options.home.socket(Socket::Mcp).to_owned();
        let error = LinkError::Unreachable { path, reason: reason.to_owned() };
        self.wait_or_give_up(&error, false, dialogue);
        if let Some(starter) = self.starter.take() {
            self.connect(starter);
        }
    }

    fn failed<W: AsyncWrite + Unpin>(&mut self, starter: Box<Starter>, error: &LinkError, dialogue: &mut Dialogue<W>) {
        self.say_once(&error.fault().to_string());
        // Where nothing is started, a gate may still come by itself.
        let final_word = starter.may_start() || !matches!(error, LinkError::Unreachable { .. });
        self.wait_or_give_up(error, final_word, dialogue);
        self.connect(starter);
    }

    fn wait_or_give_up<W>(&mut self, error: &LinkError, now: bool, dialogue: &mut Dialogue<W>)
    where
        W: AsyncWrite + Unpin,
    {
        let since = *self.down_since.get_or_insert_with(Instant::now);
        if now || since.elapsed() >= self.options.timing.unreachable_after {
            dialogue.give_up(error.fault());
        }
    }

    fn reap(&mut self) {
        if let Some(starter) = &mut self.starter {
            starter.reap();
        }
    }

    fn say_once(&mut self, text: &str) {
        if !std::mem::replace(&mut self.said, true) {
            say(text);
        }
    }
}

async fn next_of(link: &mut Option<Link>, reading: bool) -> Happening {
    match link {
        Some(link) => link.next(reading).await,
        None => std::future::pending().await,
    }
}

async fn settled<T>(future: &mut Option<Pin<Box<dyn Future<Output = T> + Send>>>) -> T {
    match future {
        Some(future) => future.await,
        None => std::future::pending().await,
    }
}

/// Says something to the client's log.
fn say(text: &str) {
    // Nobody may read stderr; that is no reason to end.
    let _ = writeln!(std::io::stderr().lock(), "review-gate mcp: {text}");
}
