//! The running gate: whether it answers, who holds its lock, whether it has a window, how the person is
//! there, and who has asked.

use std::time::Duration;

use gate_api::subjects::connections::{ClientEntry, ListHeardClients};
use gate_api::subjects::program::{ReadStatus, ReceiptsState, StatusReport, Stop};
use gate_api::{ControlRequest, Finding, TypedCommand};
use gate_core::Fault;
use gate_core::clients::display_name;
use gate_link::{ControlConnection, GateLock, Home, LinkError, Socket};
use gate_os::files;
use tokio::time::{Instant, sleep, timeout, timeout_at};

use crate::environment::Environment;
use crate::finding::{GATE, GUARDS, HEARD, LOCK, Mending as _, PERSON, RECEIPTS, SOCKET, WINDOW};
use crate::words;

/// How long the gate may take to answer.
const ANSWER: Duration = Duration::from_secs(3);
/// How long a gate that has just taken its lock may take to listen, and how often that is looked at.
const STARTING: Duration = Duration::from_secs(2);
const POLL: Duration = Duration::from_millis(50);
/// Clients of the record that are named.
const CLIENTS: usize = 10;

/// How the gate is.
#[derive(Debug)]
pub(crate) enum Gate {
    /// It runs and answers.
    Runs {
        /// Its `status`; absent where that can't be read.
        status: Option<StatusReport>,
        /// The clients of its record.
        clients: Result<Vec<ClientEntry>, Fault>,
    },
    /// Something takes connections and doesn't answer.
    Silent,
    /// Somebody holds the lock, and nobody listens.
    Locked,
    /// None runs.
    None,
    /// It can't be told, or can't be reached.
    Unreachable(Fault),
}

impl Gate {
    /// Where it serves HTTP; absent where it doesn't, and where none runs.
    pub(crate) fn http(&self) -> Option<&str> {
        self.status()?.http.as_deref()
    }

    pub(crate) fn runs(&self) -> bool {
        matches!(self, Self::Runs { .. })
    }

    fn status(&self) -> Option<&StatusReport> {
        match self {
            Self::Runs { status, .. } => status.as_ref(),
            Self::Silent | Self::Locked | Self::None | Self::Unreachable(_) => None,
        }
    }

    /// Whether it runs and has a window; absent where none runs, and where it doesn't say.
    pub(crate) fn window(&self) -> Option<bool> {
        self.status().map(|status| status.window)
    }
}

/// Asks the gate how it is.
pub(crate) async fn look(environment: &Environment) -> Gate {
    let home = &environment.home;
    if environment.has_no_home() {
        return Gate::None;
    }
    let deadline = Instant::now() + STARTING;
    loop {
        match timeout(ANSWER, look_inside(home)).await {
            Err(_) => return Gate::Silent,
            Ok(Ok((status, clients))) => return Gate::Runs { status, clients },
            Ok(Err(LinkError::Unreachable { .. })) => {}
            Ok(Err(error)) => return Gate::Unreachable(error.fault()),
        }
        match GateLock::is_held(home) {
            Ok(true) if Instant::now() < deadline => sleep(POLL).await,
            Ok(true) => return Gate::Locked,
            // Where the lock file can't be read, the folder's own check says why.
            Ok(false) | Err(_) => return Gate::None,
        }
    }
}

/// The gate's status, and its clients: each the answer or the fault.
async fn look_inside(home: &Home) -> Result<(Option<StatusReport>, Result<Vec<ClientEntry>, Fault>), LinkError> {
    let mut connection = ControlConnection::open(home, false).await?;
    let status = ask(&mut connection, ReadStatus {}).await?.map(|answer| answer.status);
    let clients = ask(&mut connection, ListHeardClients {}).await?.map(|answer| answer.clients);
    Ok((status.ok(), clients))
}

/// What the running gate answers to a command over a connection of its own; absent where it doesn't in time.
pub(crate) async fn asked<C: TypedCommand>(home: &Home, command: C) -> Option<Result<C::Answer, Fault>> {
    let asking = async {
        let mut connection = ControlConnection::open(home, false).await?;
        ask(&mut connection, command).await
    };
    timeout(ANSWER, asking).await.ok()?.ok()
}

/// Gives the running gate a command.
async fn ask<C: TypedCommand>(
    connection: &mut ControlConnection,
    command: C,
) -> Result<Result<C::Answer, Fault>, LinkError> {
    let asked = connection.ask(&ControlRequest::of(1, &command), |line| ControlRequest::answer::<C>(1, line)).await;
    match asked {
        // It runs all the same.
        Err(error @ (LinkError::Unreadable(_) | LinkError::Unwritable(_))) => Ok(Err(error.fault())),
        asked => asked,
    }
}

/// Stops a gate that doctor's own trials have started, where nothing waits in it.
pub(crate) async fn leave(home: &Home) {
    let stop = async {
        let mut connection = ControlConnection::open(home, false).await?;
        let answer = ask(&mut connection, ReadStatus {}).await?;
        if answer.is_ok_and(|answer| answer.status.pending == 0) {
            let _ = ask(&mut connection, Stop {}).await?;
        }
        Ok::<_, LinkError>(())
    };
    // Where it can't be stopped it goes on running, as it does after an agent's call.
    let _ = timeout_at(Instant::now() + ANSWER, stop).await;
}

pub(crate) fn check(environment: &Environment, gate: &Gate) -> Vec<Finding> {
    match gate {
        Gate::Runs { status, clients } => {
            let status = status.as_ref();
            let mut findings = vec![version(environment, status), LOCK.good(words::lock_held())];
            findings.extend(status.and_then(person));
            findings.extend(status.and_then(guards));
            findings.extend(status.map(receipts));
            findings.extend(heard(environment, clients));
            findings
        }
        Gate::Silent => {
            let pid = holder(&environment.home);
            let cause = words::gate_silent(pid.map(|pid| pid.to_string()));
            vec![ended(GATE.fault(cause, words::mend_end_gate()), pid)]
        }
        Gate::Locked => {
            let pid = holder(&environment.home);
            let cause = words::lock_stuck(pid.map(|pid| pid.to_string()));
            vec![ended(LOCK.fault(cause, words::mend_end_holder()), pid)]
        }
        Gate::None => absent(environment),
        Gate::Unreachable(fault) => vec![GATE.failed(fault)],
    }
}

/// With the command that ends a process, if that is known. It may be stopped, and then hears nothing else.
fn ended(found: Finding, pid: Option<u32>) -> Finding {
    match pid {
        Some(pid) => found.command(format!("kill -KILL {pid}")),
        None => found,
    }
}

/// The process that signed the lock, if it lives and is this user's.
fn holder(home: &Home) -> Option<u32> {
    let pid = GateLock::last_holder(home)?;
    gate_os::process::is_ours(pid).then_some(pid)
}

fn absent(environment: &Environment) -> Vec<Finding> {
    let home = &environment.home;
    let mut findings = vec![GATE.note(words::gate_none()).command("review-gate")];
    let is_left = |socket| files::is_socket(home.socket(socket));
    if [Socket::Mcp, Socket::Control].into_iter().any(is_left) {
        let cause = words::socket_left(GateLock::last_holder(home).map(|pid| pid.to_string()));
        findings.push(SOCKET.warning(cause, words::mend_start_again()).command("review-gate"));
    }
    findings.push(LOCK.good(words::lock_free()));
    findings
}

fn version(environment: &Environment, status: Option<&StatusReport>) -> Finding {
    let ours = environment.version;
    if let Some(status) = status.filter(|status| status.version == ours) {
        let pid = status.pid.to_string();
        return GATE.good(match status.window {
            true => words::gate_with_window(pid, ours, status.pending),
            false => words::gate_without_window(pid, ours, status.pending),
        });
    }
    let theirs = status.map(|status| status.version.as_str()).filter(|said| !said.is_empty());
    let theirs = theirs.map(|theirs| environment.privacy().foreign(theirs, []));
    GATE.warning(words::gate_other_version(theirs, ours), words::mend_stop_older()).command("review-gate stop")
}

/// Why nothing pops up although all is well.
fn person(status: &StatusReport) -> Option<Finding> {
    if status.away {
        let found = PERSON.warning(words::person_away(), words::mend_away());
        return Some(found.command("review-gate away off"));
    }
    status.quiet.then(|| PERSON.note(words::person_quiet()).mend(words::mend_quiet()))
}

/// What lets others answer for the person more easily than a gate does by itself.
fn guards(status: &StatusReport) -> Option<Finding> {
    let what = status.weak.join(", ");
    (!what.is_empty()).then(|| GUARDS.warning(words::guards_weak(what), words::mend_guards()))
}

/// Whether the chain of receipts is whole.
fn receipts(status: &StatusReport) -> Finding {
    match status.receipts {
        None => RECEIPTS.warning(words::receipts_unread(), words::mend_restart_gate()),
        Some(ReceiptsState { lines, breaks: 0, lost: 0 }) => RECEIPTS.good(words::receipts_whole(lines)),
        Some(ReceiptsState { breaks, lost, .. }) => {
            RECEIPTS.warning(words::receipts_broken(breaks, lost), words::mend_receipts())
        }
    }
}

/// What the clients of the record declared of themselves.
fn heard(environment: &Environment, clients: &Result<Vec<ClientEntry>, Fault>) -> Vec<Finding> {
    let privacy = environment.privacy();
    let clients = match clients {
        Ok(clients) => clients,
        Err(fault) => return vec![HEARD.failed(fault)],
    };
    if clients.is_empty() {
        return vec![HEARD.note(words::heard_none())];
    }
    let of = |client: &ClientEntry| {
        let foreign = |text: &str| privacy.foreign(text, []);
        let there = |text: &Option<String>| text.as_deref().filter(|text| !text.is_empty()).map(foreign);
        let declared = client.capabilities.as_object().filter(|all| !all.is_empty());
        let declared = declared.map(|all| all.keys().map(String::as_str).collect::<Vec<_>>().join(", "));
        let name = Some(display_name(&client.client)).filter(|name| !name.is_empty());
        HEARD.good(words::heard(
            name.map(|name| foreign(&format!("{name} {}", client.version))),
            there(&client.transport),
            there(&client.token_name),
            there(&client.protocol_version),
            there(&declared),
            client.waits_seconds,
            client.last_at.to_string(),
        ))
    };
    clients.iter().take(CLIENTS).map(of).collect()
}

/// Whether the gate that runs could show a window and has none.
pub(crate) fn window(gate: &Gate, could: bool) -> Option<Finding> {
    let found = match (gate.window()?, could) {
        (true, _) => WINDOW.good(words::window_there()),
        (false, true) => WINDOW.warning(words::window_missing(), words::mend_window()).command("review-gate stop"),
        (false, false) => WINDOW.note(words::window_none()).command("review-gate link"),
    };
    Some(found)
}
