//! The gate's local sockets: who comes to which, and what is taken there. The relays' takes MCP and no command of the
//! person, and says whether something was approved; the person's takes commands and no MCP.

use std::sync::Arc;
use std::time::Duration;

use gate_api::{Approved, ControlReply, ControlResult, Origin};
use gate_core::{Asker, Fault, Lineage, Seen, bounds};
use gate_link::{ControlHello, GateListener, LineReader, Peer, RelayHello, Role, Socket, is_in_foreground, read_hello};
use gate_mcp::{ConnectionInfo, Toolset, serve_connection};
use gate_os::local::{Stream, WriteHalf};
use gate_os::process;
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWriteExt as _, BufReader};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::control::{self, Start};
use crate::slices::Gate;
use crate::verifying;

/// How long a new connection may take to say who it is.
const HELLO_WAIT: Duration = Duration::from_secs(5);
/// Connections of each socket at the same time; more wait in its backlog.
const CONNECTIONS: usize = 1024;
/// What JSON-RPC says of a request that isn't for here.
const INVALID_REQUEST: i32 = -32600;

/// Serves whoever comes to a socket until the gate stops.
pub(crate) async fn accept(
    gate: Gate,
    socket: Socket,
    listener: GateListener,
    stop: CancellationToken,
    tasks: TaskTracker,
) {
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    loop {
        let place = tokio::select! {
            place = Arc::clone(&places).acquire_owned() => place,
            () = stop.cancelled() => return,
        };
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = stop.cancelled() => return,
        };
        match accepted {
            Ok((stream, peer)) => {
                let (gate, stop) = (gate.clone(), stop.clone());
                tasks.spawn(async move {
                    serve(gate, socket, stream, peer, stop).await;
                    drop(place);
                });
            }
            Err(error) => {
                tracing::error!(%error, ?socket, "a local socket broke");
                stop.cancel();
                return;
            }
        }
    }
}

async fn serve(gate: Gate, socket: Socket, stream: Stream, peer: Peer, stop: CancellationToken) {
    let (read, write) = stream.into_split();
    let mut read = BufReader::new(read);
    let hello = match read_hello(&mut read, HELLO_WAIT).await {
        Ok(hello) => hello,
        Err(error) => {
            tracing::debug!(%error, "a connection without a hello");
            return;
        }
    };
    match (socket, hello.role) {
        (Socket::Mcp, Role::Relay(relay)) => {
            let process = peer.lineage.as_ref().filter(|_| peer.pid == Some(relay.pid)).map(|seen| &seen.own.process);
            let claim = gate.inner.queue.relays.claim(&relay.relay_id.to_string(), process);
            let Some(_claim) = claim else {
                tracing::warn!(pid = peer.pid, "a process calls itself a relay that is connected, and isn't it");
                return;
            };
            let info = of_relay(&gate, relay, peer);
            serve_connection(Arc::new(gate), info, read, write, stop).await;
        }
        (Socket::Control, Role::Control(hello)) => {
            let front = control::Front {
                origin: origin(&gate, &hello, &peer),
                in_foreground: peer.pid.is_some_and(is_in_foreground),
                start: start_of(&gate, &peer),
                agent: peer.lineage.as_ref().and_then(Lineage::agent).map(asker),
            };
            control::serve(gate, front, read, write, stop).await;
        }
        (Socket::Mcp, Role::Verify(hello)) => {
            let is_named = peer.calls_itself(hello.pid);
            verifying::serve(gate, peer.folder_in_common.filter(|_| is_named), read, write, stop).await;
        }
        (Socket::Mcp, Role::Control(_)) => {
            let result =
                ControlResult::<Value>::Fault(Fault::of_versions("Commands are not taken on the relays' socket."));
            refuse(read, write, serde_json::to_value(ControlReply { id: 0, result }).unwrap_or_default()).await;
        }
        (Socket::Control, Role::Verify(_)) => {
            let answer = Approved::Fault(Fault::of_versions("That is asked on the relays' socket."));
            refuse(read, write, serde_json::to_value(answer).unwrap_or_default()).await;
        }
        (Socket::Control, Role::Relay(_)) => {
            let fault = Fault::of_versions("MCP is not spoken on the socket for a person's commands.");
            let error = json!({"code": INVALID_REQUEST, "message": fault.to_string(), "data": fault});
            refuse(read, write, json!({"jsonrpc": "2.0", "id": null, "error": error})).await;
        }
    }
}

/// Says why nothing is taken here, as an answer to the first line that comes.
async fn refuse<R: AsyncRead + Unpin>(read: R, mut write: WriteHalf, answer: Value) {
    let mut lines = LineReader::new(read, bounds::LINE_BYTES);
    // Whoever is still writing hears no answer.
    let _ = tokio::time::timeout(HELLO_WAIT, lines.next()).await;
    // And whoever has gone needs none.
    let _ = write.write_all(format!("{answer}\n").as_bytes()).await;
    tracing::debug!("a connection to the wrong socket");
}

fn of_relay(gate: &Gate, relay: RelayHello, peer: Peer) -> ConnectionInfo {
    // A relay of another version may know a toolset that this gate doesn't.
    let toolset = Toolset::named(&relay.toolset).unwrap_or_else(Toolset::default_one);
    // Of a forwarded socket the kernel names who forwards.
    let is_named = peer.calls_itself(relay.pid);
    let lineage = peer.lineage.as_ref().filter(|_| is_named);
    if let Some(lineage) = lineage {
        gate.inner.queue.agents.meet(lineage);
    }
    let agent = lineage.and_then(Lineage::agent);
    let client = peer.starter.as_ref().filter(|_| is_named);
    let seen = lineage.zip(client);
    let mut above = seen.map(|(lineage, client)| lineage.above(client)).unwrap_or_default();
    if let Some(parent) = above.first_mut() {
        parent.first = process::own_number(parent.pid) == Some(process::INIT);
    }
    let is_boxed = above.first().is_some_and(|parent| parent.first);
    ConnectionInfo {
        relay: relay.relay_id.to_string(),
        above,
        adrift: is_boxed || seen.is_some_and(|(lineage, client)| lineage.is_adrift(client)),
        group_of_process: client.and_then(|client| process::control_group(client.pid)),
        client: client.cloned(),
        asker: agent.map(asker),
        needs_permission_tool: agent.is_some_and(needs_permission_tool),
        folder: peer.folder.unwrap_or_default(),
        reads: peer.folder_in_common.filter(|_| is_named),
        workspace: relay.workspace,
        resumed: relay.resumed,
        job: None,
        toolset,
    }
}

/// Whether an agent was started with a tool that it asks for permissions.
fn needs_permission_tool(agent: &Seen) -> bool {
    let is_flag = |argument: &String| argument.split('=').next() == Some("--permission-prompt-tool");
    agent.arguments.iter().any(is_flag)
}

/// An agent's process as the person is shown it.
fn asker(seen: &Seen) -> Asker {
    Asker { program: seen.shown_program(), folder: seen.folder.clone() }
}

/// Where the commands of a connection come from. A process says itself that a person sits at its terminal; what the
/// system says of it can only take that back.
fn origin(gate: &Gate, hello: &ControlHello, peer: &Peer) -> Origin {
    let may_be_a_person = match &peer.lineage {
        Some(lineage) => gate.inner.queue.agents.leave_room_for_a_person(lineage),
        // Where the system tells nothing of a process, its own word counts; Linux tells.
        None => !cfg!(target_os = "linux"),
    };
    match hello.terminal && may_be_a_person {
        true => Origin::Terminal,
        false => Origin::Script,
    }
}

/// Whose start of the app it is, if it is one.
fn start_of(gate: &Gate, peer: &Peer) -> Start {
    let agents = &gate.inner.queue.agents;
    match &peer.lineage {
        Some(lineage) if agents.leave_room_for_a_start(lineage) => Start::Persons,
        Some(lineage) if agents.leave_room_for_anybodys_start(lineage) => Start::Anybodys,
        // Elsewhere than on Linux nothing is known of the process.
        None if !cfg!(target_os = "linux") => Start::Anybodys,
        Some(_) | None => Start::Not,
    }
}

#[cfg(test)]
mod tests {
    use gate_core::Process;

    use super::*;

    #[test]
    fn an_agent_that_was_started_to_ask_a_tool_is_told_of_it() {
        for (line, needs) in [
            ("claude -p x --permission-prompt-tool mcp__review-gate__review_gate_permission", true),
            ("claude --permission-prompt-tool=mcp__review-gate__review_gate_permission -p x", true),
            ("claude -p --permission-prompt-tools x", false),
            ("claude", false),
        ] {
            let seen = Seen {
                process: Process { pid: 1, began: "then".to_owned() },
                program: "claude".to_owned(),
                arguments: line.split(' ').map(str::to_owned).collect(),
                folder: String::new(),
            };
            assert_eq!(needs_permission_tool(&seen), needs, "{line}");
        }
    }
}
