//! One connection of a relay: rmcp over any byte stream, with the relay's private notifications
//! taken out and the end of the stream noticed before rmcp waits for its handlers.

use std::any::Any;
use std::sync::Arc;

use gate_core::proposal::party::Ancestor;
use gate_core::workflow::JobId;
use gate_core::{Asker, Process};
use rmcp::model::{JsonRpcMessage, RequestId};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::{RoleServer, serve_server};
use tokio::io::{AsyncBufRead, AsyncWrite};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::channel::{Channel, Handed, call_key};
use crate::incoming::{Incoming, Lines};
use crate::outgoing::Outgoing;
use crate::server::Server;
use crate::toolset::Served;
use crate::toolsets::{Gate, Ports, Toolset};

/// Who is at the other end.
#[derive(Debug, Clone)]
pub struct ConnectionInfo {
    /// The relay's identifier; the same after it reconnects.
    pub relay: String,
    /// The process of the client that started the relay, where the kernel names it: it owns what comes through here.
    /// Without it, the relay by itself does.
    pub client: Option<Process>,
    /// The processes above that one, the nearest first, as the kernel says: what they start besides may be of the same
    /// party.
    pub above: Vec<Ancestor>,
    /// Whether whoever started it has ended, or is the system.
    pub adrift: bool,
    /// Its control group, where the system has any.
    pub group_of_process: Option<String>,
    /// The folder that the relay works in, as the kernel says.
    pub folder: String,
    /// The same, where it is ours to read under that path; absent where the kernel names none.
    pub reads: Option<String>,
    /// The agent's program, as the kernel says, where it can be seen.
    pub asker: Option<Asker>,
    /// Whether its client was started to call a tool for permissions.
    pub needs_permission_tool: bool,
    /// The folder that the relay was started in.
    pub workspace: String,
    /// Whether the relay had a connection before, to this gate or to one before it.
    pub resumed: bool,
    /// The one job of the workflow that it is for; absent where it may work on any.
    pub job: Option<JobId>,
    /// The toolset that it asks for.
    pub toolset: &'static Toolset,
}

/// Serves MCP on a connection, behind its hello, until it ends or `stop` is cancelled. Requests that wait stay open.
pub async fn serve_connection<R, W>(
    ports: Arc<dyn Ports>,
    info: ConnectionInfo,
    read: R,
    write: W,
    stop: CancellationToken,
) where
    R: AsyncBufRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let served = info.toolset.over(&ports);
    serve(ports, served, info, read, write, stop).await;
}

/// The same, with the tools that are served.
async fn serve<R, W>(
    gate: Arc<dyn Gate>,
    served: Arc<Served>,
    info: ConnectionInfo,
    read: R,
    write: W,
    stop: CancellationToken,
) where
    R: AsyncBufRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let gone = stop.child_token();
    let handed = Arc::new(Handed::default());
    let noting = TaskTracker::new();
    // A closed tracker takes tasks all the same; its `wait` ends whenever there are none.
    noting.close();
    let transport = RelayTransport {
        lines: Lines::new(read),
        out: Outgoing::new(write, Arc::clone(&served)),
        gate: Arc::clone(&gate),
        relay: info.relay.clone(),
        connected: Some(gate.connected(&info.relay)),
        gone: gone.clone(),
        handed: Arc::clone(&handed),
        noting: noting.clone(),
    };
    let ConnectionInfo {
        relay,
        client,
        above,
        adrift,
        group_of_process,
        folder,
        reads,
        asker,
        needs_permission_tool,
        workspace,
        resumed,
        job,
        toolset: _,
    } = info;
    let channel =
        Channel::of_relay(relay, (client, folder, asker), workspace, resumed, gone.clone(), Arc::clone(&handed))
            .reading_in(reads)
            .below(above)
            .landed(adrift, group_of_process)
            .needing_permission_tool(needs_permission_tool)
            .for_job(job);
    let server = Server::new(gate, served, channel);
    match serve_server(server, transport).await {
        Ok(running) => {
            if let Err(error) = running.waiting().await {
                tracing::warn!(%error, "a connection's task failed");
            }
        }
        Err(error) => tracing::debug!(%error, "a connection ended before it began"),
    }
    gone.cancel();
    noting.wait().await;
    handed.give_up();
}

struct RelayTransport<R, W> {
    lines: Lines<R>,
    out: Outgoing<W>,
    gate: Arc<dyn Gate>,
    relay: String,
    gone: CancellationToken,
    /// Counts the relay as connected; given up before the calls that wait are.
    connected: Option<Box<dyn Any + Send + Sync>>,
    handed: Arc<Handed>,
    /// Deliveries that are being noted in the record.
    noting: TaskTracker,
}

impl<R, W> Transport<RoleServer> for RelayTransport<R, W>
where
    R: AsyncBufRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = std::io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        // Once the connection has ended, handlers finish with nothing to say: a call that waits is
        // answered on the relay's next connection, not with an error on this one.
        let silent = self.gone.is_cancelled();
        let sending = (!silent).then(|| self.out.send(&item));
        async move {
            match sending {
                Some(sending) => sending.await,
                None => Ok(()),
            }
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            // What the agent says next must find its deliveries noted.
            self.noting.wait().await;
            let incoming = tokio::select! {
                incoming = self.lines.next() => incoming.unwrap_or_else(|error| {
                    tracing::debug!(%error, "a relay's connection broke");
                    None
                }),
                () = self.gone.cancelled() => None,
            };
            match incoming {
                Some(Incoming::Message(message)) => return Some(*message),
                Some(Incoming::Refused(id, error)) => {
                    let refusing = self.send(JsonRpcMessage::error(error, Some(id)));
                    // `receive` may be dropped at any await, the refusal may not.
                    self.noting.spawn(async move {
                        if let Err(error) = refusing.await {
                            tracing::debug!(%error, "a refusal could not be sent");
                        }
                    });
                }
                Some(Incoming::Delivered(id)) => self.note_delivery(&id),
                Some(Incoming::Beat) => self.gate.beat(&self.relay),
                Some(Incoming::Nothing) => {}
                None => {
                    self.connected.take();
                    self.gone.cancel();
                    return None;
                }
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.gone.cancel();
        self.out.close().await;
        Ok(())
    }
}

impl<R, W> RelayTransport<R, W> {
    /// The agent has the result of this call.
    fn note_delivery(&self, id: &RequestId) {
        let (gate, handed) = (Arc::clone(&self.gate), Arc::clone(&self.handed));
        let key = call_key(&self.relay, id);
        if handed.only_read(&key) {
            return handed.arrived(&key);
        }
        // `receive` may be dropped at any await, the note may not: a task of its own takes it.
        self.noting.spawn(async move {
            gate.delivered(key.clone()).await;
            handed.arrived(&key);
        });
    }
}

#[cfg(test)]
pub(crate) mod relayed;
#[cfg(test)]
mod tests;
