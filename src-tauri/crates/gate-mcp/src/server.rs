//! One connection's server: what MCP asks of it, handed to the tools.

use std::any::Any;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gate_core::clients::Transport;
use gate_core::{AttachmentId, Declared};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CancelTaskParams, CancelledNotificationParam, CustomRequest, CustomResult,
    ErrorCode, ErrorData, GetTaskParams, GetTaskResult, Implementation, ListToolsResult, PaginatedRequestParams,
    ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, RequestId, ResourceContents,
    ServerCapabilities, ServerConfig, Tool, UpdateTaskParams,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{RoleServer, ServerHandler};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::connection::ConnectionInfo;
use crate::exchange::Exchange;
use crate::handed::Handed;
use crate::port::Gate;
use crate::toolset::Toolset;
use crate::{chat, schema, tasks};

/// Where attachments are read.
const ATTACHMENTS: &str = "file://review-gate/attachments/";
/// How long a client may take to name its workspace folders.
const ROOTS_WAIT: std::time::Duration = std::time::Duration::from_secs(5);

/// How long the word that a client took a call back may take after the call was stopped.
const TAKEN_BACK_WAIT: std::time::Duration = std::time::Duration::from_millis(500);
/// Calls taken back that are remembered; more than run at the same time need not be.
const TAKEN_BACK: usize = 64;

/// The server of one connection, or of one HTTP request or session.
pub(crate) struct Server<G> {
    gate: Arc<G>,
    toolset: &'static Toolset,
    workspace: Mutex<String>,
    way: Way,
}

/// How messages come and results go back.
enum Way {
    Relay {
        id: String,
        gone: CancellationToken,
        handed: Arc<Handed>,
    },
    /// The calls that the client took back.
    Http(watch::Sender<VecDeque<RequestId>>),
}

impl<G: Gate> Server<G> {
    /// For a relay's connection.
    pub(crate) fn of_relay(gate: Arc<G>, info: ConnectionInfo, gone: CancellationToken, handed: Arc<Handed>) -> Self {
        let way = Way::Relay { id: info.relay, gone, handed };
        Self { gate, toolset: info.toolset, workspace: Mutex::new(info.workspace), way }
    }

    /// For a session or a request over HTTP.
    pub(crate) fn over_http(gate: Arc<G>, toolset: &'static Toolset) -> Self {
        Self { gate, toolset, workspace: Mutex::default(), way: Way::Http(watch::Sender::default()) }
    }

    pub(crate) fn gate(&self) -> &G {
        &self.gate
    }

    pub(crate) fn transport(&self) -> Transport {
        match self.way {
            Way::Relay { .. } => Transport::Stdio,
            Way::Http(_) => Transport::Http,
        }
    }

    pub(crate) fn workspace(&self) -> String {
        self.workspace.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What the client declared of itself, for the record.
    pub(crate) fn declared(&self, context: &RequestContext<RoleServer>) -> Declared {
        Declared {
            transport: Some(self.transport()),
            protocol_version: context.protocol_version().map(|version| version.to_string()),
            capabilities: context.client_capabilities().and_then(|all| serde_json::to_string(&all).ok()),
            token_name: exchange(context).and_then(|exchange| exchange.token_name.clone()),
            session: exchange(context).and_then(|exchange| exchange.session().map(str::to_owned)),
        }
    }

    pub(crate) fn call_key(&self, context: &RequestContext<RoleServer>) -> String {
        match (&self.way, exchange(context)) {
            (Way::Relay { id, .. }, _) => call_key(id, &context.id),
            (Way::Http(_), Some(exchange)) => exchange.call_key(&context.id),
            // Every HTTP request has its exchange; without one, nothing else may have this key.
            (Way::Http(_), None) => call_key(&format!("http-{}", uuid::Uuid::now_v7()), &context.id),
        }
    }

    /// The result of this call is on its way; while `presence` lives, the call is counted. A call
    /// that only reads has none.
    pub(crate) fn hand(&self, context: &RequestContext<RoleServer>, presence: Option<Box<dyn Any + Send + Sync>>) {
        match &self.way {
            Way::Relay { handed, .. } => {
                let call_key = self.call_key(context);
                handed.add(call_key.clone(), presence);
                // A cancellation that came in between has looked for it in vain.
                if context.ct.is_cancelled() {
                    handed.arrived(&call_key);
                }
            }
            Way::Http(_) => {
                if let (Some(exchange), Some(presence)) = (exchange(context), presence) {
                    exchange.carries(context.id.clone(), Some(presence));
                }
            }
        }
    }

    /// Resolves when nobody reads this call's result any more, but the call itself goes on.
    pub(crate) async fn unread(&self, context: &RequestContext<RoleServer>) {
        match (&self.way, exchange(context)) {
            (Way::Http(_), Some(exchange)) => exchange.gone().await,
            _ => std::future::pending().await,
        }
    }

    /// Resolves when the call is to end without a result. True if its client has taken it back;
    /// otherwise the connection is gone, and the request stays open.
    pub(crate) async fn stopped(&self, context: &RequestContext<RoleServer>) -> bool {
        match &self.way {
            Way::Relay { gone, .. } => {
                tokio::select! {
                    biased;
                    () = gone.cancelled() => false,
                    () = context.ct.cancelled() => !gone.is_cancelled(),
                }
            }
            Way::Http(taken_back) => {
                context.ct.cancelled().await;
                // Without a session there is nothing but the connection that could end a call.
                if exchange(context).is_none_or(|exchange| exchange.is_sessionless()) {
                    return false;
                }
                let mut taken_back = taken_back.subscribe();
                let ours = taken_back.wait_for(|ids| ids.contains(&context.id));
                tokio::time::timeout(TAKEN_BACK_WAIT, ours).await.is_ok_and(|found| found.is_ok())
            }
        }
    }
}

/// The HTTP request that a message came with.
fn exchange(context: &RequestContext<RoleServer>) -> Option<&Arc<Exchange>> {
    context.extensions.get::<http::request::Parts>()?.extensions.get()
}

/// Names a call across reconnections of the same relay.
pub(crate) fn call_key(relay: &str, id: &RequestId) -> String {
    match id {
        RequestId::Number(number) => format!("{relay}:{number}"),
        RequestId::String(text) => format!("{relay}:{text:?}"),
    }
}

impl<G: Gate> ServerHandler for Server<G> {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_resources().enable_tasks().build();
        let mut implementation = Implementation::new("review-gate", env!("CARGO_PKG_VERSION"));
        implementation.title = Some("Review Gate".to_owned());
        ServerConfig::new(capabilities).with_server_info(implementation).with_instructions(schema::INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.toolset.tools().to_vec()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.toolset.tool(name).cloned()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let known = self.toolset.tool(&request.name).map(|tool| tool.name.as_ref());
        match known {
            Some(schema::CHAT) => Ok(chat::call(self, request, context).await),
            _ => {
                let names: Vec<_> = self.toolset.tools().iter().map(|tool| tool.name.as_ref()).collect();
                let message = format!("Unknown tool {:?}; this toolset has {}.", request.name, names.join(", "));
                Err(ErrorData::invalid_params(message, None))
            }
        }
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        tasks::get(self, &request.task_id, &context).await
    }

    async fn update_task(
        &self,
        request: UpdateTaskParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        tasks::update(self, &request.task_id).await
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        tasks::cancel(self, &request.task_id).await
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let not_found = || ErrorData::resource_not_found(format!("No resource has the URI {:?}.", request.uri), None);
        let id = request.uri.strip_prefix(ATTACHMENTS).ok_or_else(not_found)?;
        let id: AttachmentId = id.parse().map_err(|_| not_found())?;
        let (attachment, bytes) = self.gate.attachment(id).await.map_err(|_| not_found())?;
        let contents = match String::from_utf8(bytes) {
            Ok(text) if attachment.mime_type.starts_with("text/") => ResourceContents::text(text, request.uri),
            Ok(text) => ResourceContents::blob(STANDARD.encode(text), request.uri),
            Err(bytes) => ResourceContents::blob(STANDARD.encode(bytes.as_bytes()), request.uri),
        };
        Ok(ReadResourceResult::new(vec![contents.with_mime_type(attachment.mime_type)]).into())
    }

    /// A client that takes its call back drops the result, so its delivery is never confirmed.
    async fn on_cancelled(&self, notification: CancelledNotificationParam, _context: NotificationContext<RoleServer>) {
        let Some(request) = notification.request_id else { return };
        match &self.way {
            Way::Relay { id, handed, .. } => handed.arrived(&call_key(id, &request)),
            Way::Http(taken_back) => taken_back.send_modify(|ids| {
                ids.truncate(TAKEN_BACK - 1);
                ids.push_front(request);
            }),
        }
    }

    /// rmcp takes a call whose parts have the wrong type for a method of its own.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        if request.method == "tools/call" {
            return Err(ErrorData::invalid_params(
                "`params` of tools/call must hold `name`, a string, and `arguments`, an object.",
                None,
            ));
        }
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, format!("There is no method {:?}.", request.method), None))
    }

    /// Editors start their servers anywhere; the folder that they work in is what `roots` says.
    #[expect(deprecated, reason = "roots are how clients of the initialize-era name their workspace")]
    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        let declares_roots = context.peer.peer_info().is_some_and(|info| info.capabilities.roots.is_some());
        if !declares_roots {
            return;
        }
        let Ok(Ok(roots)) = tokio::time::timeout(ROOTS_WAIT, context.peer.list_roots()).await else { return };
        let folder = roots.roots.iter().find_map(|root| root.uri.strip_prefix("file://").map(percent_decoded));
        if let Some(folder) = folder {
            *self.workspace.lock().unwrap_or_else(PoisonError::into_inner) = folder;
        }
    }
}

/// Undoes the percent-encoding of a `file:` URI's path (RFC 3986, section 2.1).
fn percent_decoded(path: &str) -> String {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        let code = tail.get(..2).and_then(|pair| std::str::from_utf8(pair).ok());
        match code.filter(|_| first == b'%').and_then(|pair| u8::from_str_radix(pair, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = tail.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::percent_decoded;

    #[test]
    fn a_workspace_with_spaces_and_letters_of_any_language_is_read() {
        assert_eq!(percent_decoded("/home/a%20b/%E5%90%8D"), "/home/a b/名");
        assert_eq!(percent_decoded("/100%/x"), "/100%/x", "a lone percent sign stays");
    }
}
