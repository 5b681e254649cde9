//! From an agent's call to the question on the screen, beside another program that does the same.
//!
//! Both programs are watched from outside and in the same way: the part of the screen where the
//! question stands. It counts as painted from the moment on when that part looks as it does when
//! nothing changes any more, so neither an empty window nor an old question counts.

use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use serde_json::json;

use crate::client::Client;
use crate::gate::{CHAT, Control, Desktop};
use crate::options::Options;
use crate::process::{Owned, eventually, until_idle};
use crate::report::{Goal, Report};
use crate::screen::{Area, Screen, Seen};
use crate::stats::Times;

const SECTION: &str = "painted";

/// Where each program shows the question on the [`Screen`], the same number of pixels of it. Ours
/// opens in the middle; the other one puts its upper left corner there, as if it were small.
const OURS: Area = Area { x: 440, y: 400, width: 480, height: 110 };
/// Where it shows the command that a permission question is about, lower by its title and who asks.
const ASKED: Area = Area { x: 440, y: 520, width: 480, height: 110 };
const PEERS: Area = Area { x: 733, y: 773, width: 480, height: 110 };
/// No change for this long means that all is painted.
const QUIET: Duration = Duration::from_millis(400);
const LIMIT: Duration = Duration::from_secs(20);
/// A window comes up by itself where nobody has typed or clicked for so long.
const HANDS_REST: Duration = Duration::from_secs(2);
/// A question that has stood for so long can be answered.
const READ: Duration = Duration::from_secs(1);
/// How many pixels of a hundred thousand may still change after it counts as painted: a cursor's.
const TOLERATED: usize = 300;

/// Key codes of Xvfb's keyboard: o, k, Control, Alt and Return.
const O: u8 = 32;
const K: u8 = 45;
const CONTROL: u8 = 37;
const ALT: u8 = 64;
const RETURN: u8 = 36;
/// How often the other program may have to be started again.
const CRASHES: u32 = 8;
/// The colour of the other program's button that cancels.
const CANCEL: [u8; 3] = [0x95, 0xa5, 0xa6];
/// No writing of that colour is as wide as the button.
const CANCEL_WIDTH: usize = 60;

pub(crate) fn run(options: &Options, screen: &Screen, report: &mut Report) -> Result<()> {
    let rounds = options.pick(24, 5);
    let config = "window:\n  undo_seconds: 0\npermissions:\n  raise: true\n";
    let desktop = Desktop::start_with(&options.programs, screen, config, &json!({"window.undo_seconds": 0}))?;
    let mut ours = Ours { relay: desktop.relay()?, control: desktop.control()?, pid: desktop.pid() };
    let mut peer = Peer::start(&options.peer, screen)?;

    let (mut our_times, mut peer_times, mut our_windows) = (Times::default(), Times::default(), Times::default());
    let (mut asked_times, mut allowed_times) = (Times::default(), Times::default());
    let (mut our_last, mut asked_last, mut peer_last) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..=rounds {
        let painted = sample(screen, OURS, &mut our_last, round, |question| ours.ask(round, question));
        let painted = painted.context("Review Gate's window")?;
        ours.answer(screen).context("the window has to take the reply and go")?;
        let mut hook = None;
        let asked = sample(screen, ASKED, &mut asked_last, round, |question| {
            hook = Some(ask_whether(&desktop, question)?);
            Ok(())
        });
        let asked = asked.context("Review Gate's window with a permission question")?;
        let allowed = ours.allow(screen, hook.context("a hook was started")?).context("the hook has to go on")?;
        let peers = sample(screen, PEERS, &mut peer_last, round, |question| peer.ask(question));
        let peers = peers.context("mcp-feedback-collector's window")?;
        peer.cancel()?;
        if round == 0 {
            report.figure(SECTION, "first call", painted.question.as_secs_f64() * 1000.0, "ms");
            report.figure(SECTION, "mcp-feedback-collector, first call", peers.question.as_secs_f64() * 1000.0, "ms");
            continue;
        }
        our_times.push(painted.question);
        asked_times.push(asked.question);
        allowed_times.push(allowed);
        our_windows.push(painted.window);
        peer_times.push(peers.question);
    }

    let (ours, peers) = (our_times.median(), peer_times.median());
    report.figure(SECTION, "window appears, median", our_windows.median(), "ms");
    report.figure(SECTION, "median", ours, "ms");
    report.figure(SECTION, "p95", our_times.p95(), "ms");
    report.figure(SECTION, "mcp-feedback-collector, median", peers, "ms");
    report.figure(SECTION, "mcp-feedback-collector, p95", peer_times.p95(), "ms");
    report.goal(SECTION, "median / mcp-feedback-collector's", ours / peers, "", Goal::AtMost(0.4));
    report.goal(SECTION, "p95 / median", our_times.p95() / ours, "", Goal::AtMost(2.0));
    let (asked, allowed) = (asked_times.median(), allowed_times.median());
    report.goal(SECTION, "permission, hook's start to question, median", asked, "ms", Goal::AtMost(80.0));
    report.figure(SECTION, "permission, hook's start to question, p95", asked_times.p95(), "ms");
    report.goal(SECTION, "permission, key to the hook's end, median", allowed, "ms", Goal::AtMost(20.0));
    report.figure(SECTION, "permission, key to the hook's end, p95", allowed_times.p95(), "ms");
    report.samples(SECTION, "review gate", &our_times);
    report.samples(SECTION, "review gate, permission", &asked_times);
    report.samples(SECTION, "review gate, permission allowed", &allowed_times);
    report.samples(SECTION, "review gate, window", &our_windows);
    report.samples(SECTION, "mcp-feedback-collector", &peer_times);
    Ok(())
}

/// How long after the call what was on the screen.
struct Painted {
    /// Anything of the window.
    window: Duration,
    /// The question, whole.
    question: Duration,
}

/// Asks something new and watches the screen. `last` is what the last question looked like.
fn sample(
    screen: &Screen,
    area: Area,
    last: &mut Vec<u8>,
    round: u32,
    ask: impl FnOnce(&str) -> Result<()>,
) -> Result<Painted> {
    // Another length each time, so that no two look the same.
    let names = ["charge", "refund", "settle", "void"].map(|name| format!("`{name}_{round}()`")).join(", ");
    let question = format!(
        "Round {round}: I would rename {names}.\n\nThe callers in {} files follow. Nothing else changes, and the \
         old names stay as aliases until the release after the next.",
        round * 7 + 3
    );
    // Over hands that are at work none comes up.
    screen.hands_rest(HANDS_REST)?;
    let before = screen.picture(area)?;
    let begin = Instant::now();
    ask(&question)?;
    let looks = screen.watch(area, &before, QUIET, LIMIT)?;
    let painted = painted(begin, &looks, &before, last)?;
    *last = looks.into_iter().next_back().context("something was seen")?.picture;
    Ok(painted)
}

fn painted(begin: Instant, looks: &[Seen], before: &[u8], last: &[u8]) -> Result<Painted> {
    let (Some(first), Some(end)) = (looks.first(), looks.last()) else { bail!("nothing was seen") };
    if same(&end.picture, last) {
        bail!("the screen shows the question before this one");
    }
    if same(&end.picture, before) {
        bail!("nothing is on the screen");
    }
    // From the end back to the first look that is the same as the last one.
    let whole = looks.iter().rev().take_while(|look| same(&look.picture, &end.picture)).last();
    let whole = whole.context("the last look is the same as itself")?;
    Ok(Painted { window: first.at.duration_since(begin), question: whole.at.duration_since(begin) })
}

/// Whether two pictures differ by no more than what may still change.
fn same(one: &[u8], other: &[u8]) -> bool {
    if one.len() != other.len() {
        return false;
    }
    let differing = one.chunks_exact(4).zip(other.chunks_exact(4)).filter(|(a, b)| a != b).count();
    differing * 100_000 <= TOLERATED * (one.len() / 4)
}

/// Waits until the area is empty again: as the corner of the screen, where no window stands.
fn until_gone(screen: &Screen, area: Area) -> Result<()> {
    let corner = screen.picture(Area { x: 0, y: 0, width: 1, height: 1 })?;
    eventually("the window goes", || {
        let picture = screen.picture(area)?;
        Ok(picture.chunks_exact(corner.len()).all(|pixel| pixel == corner).then_some(()))
    })
}

/// Review Gate: a relay, the desktop app.
struct Ours {
    relay: Client,
    control: Control,
    pid: u32,
}

impl Ours {
    fn ask(&mut self, round: u32, question: &str) -> Result<()> {
        let title = format!("Question {round}: rename them?");
        self.relay.call(CHAT, &json!({"title": title, "message": question}))?;
        Ok(())
    }

    /// Waits as a person does who reads: what is typed before that was meant for another program, and counts for nothing.
    fn read(&mut self, screen: &Screen) -> Result<()> {
        self.control.pending(1)?;
        until_idle(self.pid)?;
        screen.hands_rest(screen.idle()? + READ)
    }

    /// Allows what the hook asks, by its key; answers how long it took until the hook had ended.
    fn allow(&mut self, screen: &Screen, mut hook: Owned) -> Result<Duration> {
        self.read(screen)?;
        let begin = Instant::now();
        screen.press(&[ALT, RETURN])?;
        let mut said = String::new();
        hook.0.stdout.take().context("it has a pipe")?.read_to_string(&mut said)?;
        hook.0.wait()?;
        let took = begin.elapsed();
        if !said.contains("allow") {
            bail!("the hook said {said:?}");
        }
        until_gone(screen, ASKED)?;
        until_idle(self.pid)?;
        Ok(took)
    }

    /// Answers as a person does, at the keyboard; the window goes by itself then.
    fn answer(&mut self, screen: &Screen) -> Result<()> {
        self.read(screen)?;
        screen.press(&[O])?;
        screen.press(&[K])?;
        screen.press(&[CONTROL, RETURN])?;
        self.control.pending(0)?;
        until_gone(screen, OURS)?;
        until_idle(self.pid)
    }
}

/// Starts the hook by which Claude Code asks whether it may run a command.
fn ask_whether(desktop: &Desktop, question: &str) -> Result<Owned> {
    let mut command = desktop.command();
    command.args(["permit", "claude-code"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut hook = Owned::spawn(&mut command)?;
    // Over all of the place that is watched.
    let line = format!("echo {:?}", question.replace(['`', '\n'], " "));
    let command = ["npm run build", &line, &line, &line, &line, &line].join("\n");
    let asked = json!({
        "session_id": "bench", "cwd": "/tmp", "hook_event_name": "PermissionRequest", "tool_name": "Bash",
        "tool_input": {"command": command, "description": "Builds the site"},
    });
    let mut stdin = hook.0.stdin.take().context("it has a pipe")?;
    stdin.write_all(asked.to_string().as_bytes())?;
    Ok(hook)
}

/// mcp-feedback-collector: a Python process that opens a tkinter window for each call.
struct Peer<'a> {
    program: &'a Path,
    screen: &'a Screen,
    server: Client,
    call: u64,
    /// How often it had to be started again.
    crashes: u32,
}

impl<'a> Peer<'a> {
    fn start(program: &'a Path, screen: &'a Screen) -> Result<Self> {
        Ok(Self { program, screen, server: Self::server(program, screen)?, call: 0, crashes: 0 })
    }

    fn server(program: &Path, screen: &Screen) -> Result<Client> {
        let mut command = Command::new(program);
        screen.show_on(&mut command);
        let server = Client::start(command)
            .with_context(|| format!("{} doesn't serve; `cargo xtask bench` installs it", program.display()))?;
        until_idle(server.pid())?;
        Ok(server)
    }

    fn ask(&mut self, question: &str) -> Result<()> {
        self.call = self.server.call("collect_feedback", &json!({"work_summary": question}))?;
        Ok(())
    }

    /// Cancels the call, and makes sure that the next one finds a running server: Tcl aborts the
    /// whole process now and then, since each of its windows belongs to another thread.
    fn cancel(&mut self) -> Result<()> {
        let (x, y) = eventually("the other program's button", || self.screen.area_of(CANCEL, CANCEL_WIDTH))?;
        self.screen.click(x, y)?;
        let lives = self.server.response(self.call).is_ok();
        if lives {
            until_idle(self.server.pid())?;
        }
        until_gone(self.screen, PEERS)?;
        if !lives || self.server.has_ended()? {
            self.crashes += 1;
            if self.crashes > CRASHES {
                bail!("mcp-feedback-collector ended {} times", self.crashes);
            }
            self.server = Self::server(self.program, self.screen)?;
        }
        Ok(())
    }
}
