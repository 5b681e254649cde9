//! One connection's server: what MCP asks of it, handed to the tools.

use std::sync::{Arc, Mutex, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gate_core::AttachmentId;
use gate_core::clients::Transport;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CancelledNotificationParam, CustomRequest, CustomResult, ErrorCode,
    ErrorData, Implementation, ListToolsResult, PaginatedRequestParams, ReadResourceRequestParams,
    ReadResourceResponse, ReadResourceResult, RequestId, ResourceContents, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{RoleServer, ServerHandler};
use tokio_util::sync::CancellationToken;

use crate::chat;
use crate::connection::ConnectionInfo;
use crate::handed::Handed;
use crate::port::Gate;
use crate::schema;

/// Where attachments are read.
const ATTACHMENTS: &str = "file://review-gate/attachments/";
/// How long a client may take to name its workspace folders.
const ROOTS_WAIT: std::time::Duration = std::time::Duration::from_secs(5);

/// The server of one connection.
pub(crate) struct Server<G> {
    gate: Arc<G>,
    relay: String,
    workspace: Mutex<String>,
    gone: CancellationToken,
    handed: Arc<Handed>,
}

impl<G: Gate> Server<G> {
    pub(crate) fn new(gate: Arc<G>, info: ConnectionInfo, gone: CancellationToken, handed: Arc<Handed>) -> Self {
        Self { gate, relay: info.relay, workspace: Mutex::new(info.workspace), gone, handed }
    }

    pub(crate) fn gate(&self) -> &G {
        &self.gate
    }

    /// Results on their way to the agent.
    pub(crate) fn handed(&self) -> &Handed {
        &self.handed
    }

    pub(crate) fn transport(&self) -> Transport {
        Transport::Stdio
    }

    pub(crate) fn workspace(&self) -> String {
        self.workspace.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn call_key(&self, id: &RequestId) -> String {
        call_key(&self.relay, id)
    }

    /// Resolves when the connection has ended.
    pub(crate) async fn gone(&self) {
        self.gone.cancelled().await;
    }

    pub(crate) fn is_gone(&self) -> bool {
        self.gone.is_cancelled()
    }
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
        let capabilities = ServerCapabilities::builder().enable_tools().enable_resources().build();
        let mut implementation = Implementation::new("review-gate", env!("CARGO_PKG_VERSION"));
        implementation.title = Some("Review Gate".to_owned());
        ServerConfig::new(capabilities).with_server_info(implementation).with_instructions(schema::INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(schema::tools().to_vec()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        schema::tools().iter().find(|tool| tool.name == name).cloned()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        match request.name.as_ref() {
            schema::CHAT => chat::call(self, request, context).await.map(CallToolResponse::Complete),
            other => Err(ErrorData::invalid_params(
                format!("Unknown tool {other:?}; this toolset has {}.", schema::CHAT),
                None,
            )),
        }
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
        if let Some(id) = notification.request_id {
            self.handed.arrived(&self.call_key(&id));
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
