//! Calls that only read, by many at once: through the gate's own HTTP and through a relay, beside a
//! bare rmcp server and server-everything over the same transports.
//!
//! All three speak the newest revision that all know; ours and the bare one also the one without
//! sessions.

#![expect(clippy::print_stdout, reason = "it says what is not compared")]

use std::io::{BufRead as _, BufReader};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};

use crate::calls::Answered;
use crate::client::Client;
use crate::gate::{CHAT, Desktop};
use crate::options::Options;
use crate::process::{Owned, eventually, until_idle};
use crate::report::{Goal, Report};
use crate::screen::Screen;
use crate::stats::{Load, Times};
use crate::wire::Target;

const SECTION: &str = "http";
/// How many calls are in flight: over HTTP on a connection each, over stdio on the only one.
const AT_ONCE: [u32; 3] = [1, 8, 32];
/// Before anything counts: what Node compiles while it runs gets faster over its first thousands of calls.
const WARM_UP_AT_ONCE: u32 = 8;
const BARE: &str = "bare rmcp";
const EVERYTHING: &str = "server-everything";

/// A way to call, and what ours has to be on it.
struct Way {
    name: &'static str,
    /// Calls per second, as a multiple of the bare rmcp server's.
    bare: Option<f64>,
    /// The same of server-everything's.
    everything: Option<f64>,
    /// Milliseconds that 99 of 100 calls take at most when there is one at a time.
    p99: Option<f64>,
}

const SESSION: Way = Way { name: "HTTP 2025-11-25", bare: Some(0.7), everything: Some(2.0), p99: Some(2.0) };
const STATELESS: Way = Way { name: "HTTP 2026-07-28", ..SESSION };
const STDIO: Way = Way { name: "stdio", bare: Some(0.5), everything: None, p99: None };

/// A server that is called, and what it did so far with so many calls at once.
struct Side<'a> {
    /// Empty for ours.
    name: &'static str,
    call: Box<dyn FnMut(u32, Duration) -> Result<Load> + 'a>,
    rates: Times,
    times: Times,
}

impl<'a> Side<'a> {
    fn http(name: &'static str, target: &'a Target) -> Self {
        Self::new(name, move |at_once, time| target.load(at_once, time))
    }

    fn stdio(name: &'static str, client: &'a mut Client, call: &'a Value) -> Self {
        Self::new(name, move |at_once, time| client.load("tools/call", call, at_once, time))
    }

    fn new(name: &'static str, call: impl FnMut(u32, Duration) -> Result<Load> + 'a) -> Self {
        Self { name, call: Box::new(call), rates: Times::default(), times: Times::default() }
    }
}

pub(crate) fn run(options: &Options, screen: &Screen, report: &mut Report) -> Result<()> {
    let desktop = Desktop::start(&options.programs, screen)?;
    let mut relay = desktop.relay()?;
    let mut control = desktop.control()?;
    let (address, token) = desktop.http()?;
    let question = Target::stateless(address, Some(&token), CHAT, &json!({"message": "Go ahead?"}));
    let Answered { arguments: read, as_long } = Answered::over_http(&question, &mut control)?;
    // Whose a request is, only they may read it.
    let Answered { arguments: read_by_relay, .. } = Answered::make(&mut relay, &mut control)?;
    let (said, told) = (json!({"text": as_long}), json!({"message": as_long}));
    let bare = Served::bare(&options.echo)?;
    let mut bare_stdio = Client::start(Command::new(&options.echo))?;
    let everything = options.everything.as_deref().filter(|script| script.is_file());
    let mut peer = everything.map(Peer::start).transpose().context(EVERYTHING)?;
    if peer.is_none() {
        println!("server-everything isn't there, so nothing is compared with it.");
    }
    until_idle(desktop.pid())?;

    let ours = Target::in_session(address, Some(&token), CHAT, &read).context("Review Gate over HTTP")?;
    let theirs = Target::in_session(bare.address, None, "echo", &said).context(BARE)?;
    let peers = peer.as_ref().map(|peer| Target::in_session(peer.http.address, None, "echo", &told));
    let peers = peers.transpose().context(EVERYTHING)?;
    let mut sides = vec![Side::http("", &ours), Side::http(BARE, &theirs)];
    sides.extend(peers.as_ref().map(|target| Side::http(EVERYTHING, target)));
    compare(options, report, &SESSION, &mut sides)?;

    let ours = Target::stateless(address, Some(&token), CHAT, &read);
    let theirs = Target::stateless(bare.address, None, "echo", &said);
    compare(options, report, &STATELESS, &mut [Side::http("", &ours), Side::http(BARE, &theirs)])?;

    let call = |tool: &str, arguments: &Value| json!({"name": tool, "arguments": arguments});
    let (read, said, told) = (call(CHAT, &read_by_relay), call("echo", &said), call("echo", &told));
    let mut sides = vec![Side::stdio("", &mut relay, &read), Side::stdio(BARE, &mut bare_stdio, &said)];
    sides.extend(peer.as_mut().map(|peer| Side::stdio(EVERYTHING, &mut peer.stdio, &told)));
    compare(options, report, &STDIO, &mut sides)
}

/// Calls all sides in turns, so that they have the same share of what else the machine does. Ours is
/// the first.
fn compare(options: &Options, report: &mut Report, way: &Way, sides: &mut [Side<'_>]) -> Result<()> {
    let time = Duration::from_millis(options.pick(300, 150).into());
    let warm_up = Duration::from_millis(options.pick(3000, 500).into());
    for side in sides.iter_mut() {
        let named = || format!("{} {}", side.name, way.name).trim().to_owned();
        (side.call)(WARM_UP_AT_ONCE, warm_up).with_context(named)?;
    }
    for at_once in AT_ONCE {
        for side in sides.iter_mut() {
            (side.rates, side.times) = (Times::default(), Times::default());
        }
        for round in 0..=options.pick(6, 3) {
            for side in sides.iter_mut() {
                let named = || format!("{} {}, {at_once} at once", side.name, way.name).trim().to_owned();
                let load = (side.call)(at_once, time).with_context(named)?;
                if round > 0 {
                    side.rates.0.push(load.rate);
                    side.times.0.extend(load.times.0);
                }
            }
        }
        tell(report, way, at_once, sides);
    }
    Ok(())
}

fn tell(report: &mut Report, way: &Way, at_once: u32, sides: &[Side<'_>]) {
    let ours = sides.first().map_or(0.0, |ours| ours.rates.median());
    for side in sides {
        let is_ours = side.name.is_empty();
        let comma = if is_ours { "" } else { ", " };
        let name = format!("{}, {at_once} at once{comma}{}", way.name, side.name);
        let (rate, p99) = (side.rates.median(), side.times.p99());
        report.figure(SECTION, &name, rate, "/s");
        report.figure(SECTION, format!("{name}, p50"), side.times.median(), "ms");
        let bound = way.p99.filter(|_| is_ours && at_once == 1).map(Goal::AtMost);
        put(report, format!("{name}, p99"), p99, "ms", bound);
        if is_ours {
            // Only ours: of the others there would be hundreds of thousands.
            report.samples(SECTION, &name, &side.times);
            continue;
        }
        let bound = if side.name == BARE { way.bare } else { way.everything };
        put(report, format!("{name}, ratio"), ours / rate, "", bound.map(Goal::AtLeast));
    }
}

fn put(report: &mut Report, name: String, value: f64, unit: &'static str, goal: Option<Goal>) {
    match goal {
        Some(goal) => report.goal(SECTION, name, value, unit, goal),
        None => report.figure(SECTION, name, value, unit),
    }
}

/// A server over HTTP, and where it is. Dropping it ends it.
struct Served {
    _server: Owned,
    address: SocketAddr,
}

impl Served {
    /// The bare rmcp server. It tells its address.
    fn bare(program: &Path) -> Result<Self> {
        let mut command = Command::new(program);
        command.arg("--http").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut server = Owned::spawn(&mut command)?;
        let mut line = String::new();
        BufReader::new(server.0.stdout.take().context("its output was asked for")?).read_line(&mut line)?;
        let address = line.trim().parse().with_context(|| format!("the bare rmcp server said {line:?}"))?;
        Ok(Self { _server: server, address })
    }

    /// server-everything. It has to be told a port, and tells nobody when it has it.
    fn everything(script: &Path) -> Result<Self> {
        let address = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?;
        let mut command = node(script, "streamableHttp");
        command.env("PORT", address.port().to_string());
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut server = Owned::spawn(&mut command)?;
        eventually("server-everything listens", || {
            if let Some(status) = server.0.try_wait()? {
                bail!("it ended with {status}");
            }
            Ok(TcpStream::connect(address).ok())
        })?;
        Ok(Self { _server: server, address })
    }
}

/// server-everything over both transports.
struct Peer {
    http: Served,
    stdio: Client,
}

impl Peer {
    fn start(script: &Path) -> Result<Self> {
        Ok(Self { http: Served::everything(script)?, stdio: Client::start(node(script, "stdio"))? })
    }
}

/// As whoever cares for its speed would start it.
fn node(script: &Path, transport: &str) -> Command {
    let mut command = Command::new("node");
    command.arg(script).arg(transport).env("NODE_ENV", "production");
    command
}
