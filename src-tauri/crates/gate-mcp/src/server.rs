//! One connection's server: what MCP asks of it, handed to the tools.

use std::any::Any;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use gate_core::clients::Transport;
use gate_core::{Caller, Declared, SessionUuid};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CancelTaskParams, CancelledNotificationParam, CompleteRequestParams,
    CompleteResult, CustomRequest, CustomResult, ErrorCode, ErrorData, Extensions, GetPromptRequestParams,
    GetPromptResponse, GetSkillRequestParams, GetSkillResult, GetTaskParams, GetTaskResult, Implementation,
    ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListSkillsResult, ListToolsResult,
    PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, RequestId, ServerCapabilities,
    ServerConfig, SubscribeRequestParams, SubscriptionFilter, Tool, UnsubscribeRequestParams, UpdateTaskParams,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::transport::streamable_http_server::session::SessionRestoreMarker;
use rmcp::{RoleServer, ServerHandler};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::connection::ConnectionInfo;
use crate::exchange::{Delivered, Exchange};
use crate::faults::{no_resource, protocol_error};
use crate::gate::Gate;
use crate::handed::Handed;
use crate::port::{Agent, Whose};
use crate::subscriptions::Subscriptions;
use crate::tool::Called;
use crate::toolset::Served;
use crate::uri::{self, Target};
use crate::{completion, cursor, prompts, resources, skills, tasks};

/// How long a client may take to name its workspace folders.
const ROOTS_WAIT: std::time::Duration = std::time::Duration::from_secs(5);

/// How long the word that a client took a call back may take after the call was stopped.
const TAKEN_BACK_WAIT: std::time::Duration = std::time::Duration::from_millis(500);
/// Calls taken back that are remembered; more than run at the same time need not be.
const TAKEN_BACK: usize = 64;

/// The server of one connection, or of one HTTP request or session.
pub(crate) struct Server {
    gate: Arc<dyn Gate>,
    served: Arc<Served>,
    workspace: Mutex<String>,
    way: Way,
    subscriptions: Subscriptions,
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

impl Server {
    /// For a relay's connection.
    pub(crate) fn of_relay(
        gate: Arc<dyn Gate>,
        served: Arc<Served>,
        info: ConnectionInfo,
        gone: CancellationToken,
        handed: Arc<Handed>,
    ) -> Self {
        let way = Way::Relay { id: info.relay, gone, handed };
        let (workspace, subscriptions) = (Mutex::new(info.workspace), Subscriptions::default());
        Self { gate, served, workspace, way, subscriptions }
    }

    /// For a session or a request over HTTP.
    pub(crate) fn over_http(gate: Arc<dyn Gate>, served: Arc<Served>) -> Self {
        let way = Way::Http(watch::Sender::default());
        Self { gate, served, workspace: Mutex::default(), way, subscriptions: Subscriptions::default() }
    }

    pub(crate) fn gate(&self) -> &dyn Gate {
        self.gate.as_ref()
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

    /// Who calls, as the person is shown it.
    pub(crate) fn caller(&self, context: &RequestContext<RoleServer>) -> Caller {
        let info = context.client_info();
        Caller {
            client: info.as_ref().map(|info| info.name.clone()).unwrap_or_default(),
            client_version: info.map(|info| info.version).unwrap_or_default(),
            workspace: self.workspace(),
        }
    }

    /// Who calls, where that is known from one call to the next.
    pub(crate) fn agent(&self, context: &RequestContext<RoleServer>) -> Option<Agent> {
        match &self.way {
            Way::Relay { id, .. } => Some(Agent::Relay(id.clone())),
            Way::Http(_) => session(&context.extensions).map(|session| Agent::Http(session.to_owned())),
        }
    }

    /// Whose session a call is about that names this one, or none.
    pub(crate) fn whose(&self, session_uuid: Option<SessionUuid>, context: &RequestContext<RoleServer>) -> Whose {
        Whose {
            session_uuid,
            caller: self.caller(context),
            declared: self.declared(context),
            agent: self.agent(context),
            call_key: self.call_key(context),
        }
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

    /// The result of this call is on its way; while `attendance` lives, the call is counted. A call
    /// that only reads has none.
    pub(crate) fn hand(&self, context: &RequestContext<RoleServer>, attendance: Option<Box<dyn Any + Send + Sync>>) {
        match &self.way {
            Way::Relay { handed, .. } => {
                let call_key = self.call_key(context);
                handed.add(call_key.clone(), attendance);
                // A cancellation that came in between has looked for it in vain.
                if context.ct.is_cancelled() {
                    handed.arrived(&call_key);
                }
            }
            Way::Http(_) => {
                if let (Some(exchange), Some(attendance)) = (exchange(context), attendance) {
                    exchange.carries(context.id.clone(), Delivered::Result, Some(attendance));
                }
            }
        }
    }

    /// A result that isn't what its call asked for is on its way, with notes: `carried` lives until it
    /// has arrived.
    pub(crate) fn hand_notes(&self, context: &RequestContext<RoleServer>, carried: Box<dyn Any + Send + Sync>) {
        match (&self.way, exchange(context)) {
            (Way::Relay { .. }, _) => self.hand(context, Some(carried)),
            (Way::Http(_), Some(exchange)) => {
                exchange.carries(context.id.clone(), Delivered::Notes, Some(carried));
            }
            (Way::Http(_), None) => {}
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
    exchange_in(&context.extensions)
}

fn exchange_in(extensions: &Extensions) -> Option<&Arc<Exchange>> {
    extensions.get::<http::request::Parts>()?.extensions.get()
}

/// The HTTP session of the initialize-era that a message came in.
fn session(extensions: &Extensions) -> Option<&str> {
    exchange_in(extensions)?.session()
}

/// Names a call across reconnections of the same relay.
pub(crate) fn call_key(relay: &str, id: &RequestId) -> String {
    match id {
        RequestId::Number(number) => format!("{relay}:{number}"),
        RequestId::String(text) => format!("{relay}:{text:?}"),
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_resources_list_changed()
            .enable_prompts()
            .enable_prompts_list_changed()
            .enable_completions()
            .enable_tasks()
            .enable_skills()
            .build();
        let mut implementation = Implementation::new("review-gate", env!("CARGO_PKG_VERSION"));
        implementation.title = Some("Review Gate".to_owned());
        ServerConfig::new(capabilities).with_server_info(implementation).with_instructions(self.served.instructions())
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        // All of them are on one page.
        let cursor = request.and_then(|request| request.cursor);
        cursor::none(cursor.as_deref()).map_err(|fault| protocol_error(&fault))?;
        Ok(ListToolsResult::with_all_items(self.served.tools().to_vec()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.served.tool(name).cloned()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(body) = self.served.body(&request.name) else {
            let names: Vec<_> = self.served.tools().iter().map(|tool| tool.name.as_ref()).collect();
            let message = format!("Unknown tool {:?}; this toolset has {}.", request.name, names.join(", "));
            return Err(ErrorData::invalid_params(message, None));
        };
        Ok(body.call(&Called { server: self, context: &context }, request).await)
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

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let cursor = request.and_then(|request| request.cursor);
        prompts::list(self.gate(), cursor.as_deref()).map_err(|fault| protocol_error(&fault))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let got = prompts::get(self.gate(), &self.caller(&context), request).await;
        got.map(Into::into).map_err(|fault| protocol_error(&fault))
    }

    async fn list_skills(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListSkillsResult, ErrorData> {
        let cursor = request.and_then(|request| request.cursor);
        skills::list(self.gate(), cursor.as_deref()).map_err(|fault| protocol_error(&fault))
    }

    async fn get_skill(
        &self,
        request: GetSkillRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetSkillResult, ErrorData> {
        skills::get(self.gate(), &request.uri).map_err(|fault| protocol_error(&fault))
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        resources::list(self.gate(), request.and_then(|request| request.cursor)).await
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        resources::templates(request.and_then(|request| request.cursor).as_deref())
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        resources::read(self.gate(), request.uri).await.map(Into::into)
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        completion::complete(self.gate(), &self.caller(&context), request).await
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let target = resources::subscribable(self.gate(), &request.uri).await?;
        let session = session(&context.extensions);
        let subscribed = self.subscriptions.subscribe(self.gate(), session, request.uri, target, &context.peer).await;
        subscribed.map_err(|fault| protocol_error(&fault))
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Target::of(&request.uri).ok_or_else(|| no_resource(&request.uri))?;
        self.subscriptions.unsubscribe(self.gate(), session(&context.extensions), &request.uri).await;
        Ok(())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(self.subscriptions.accept(self.gate(), requested))
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let gone = async {
            match &self.way {
                Way::Relay { gone, .. } => gone.cancelled().await,
                Way::Http(_) => std::future::pending().await,
            }
        };
        self.subscriptions.listen(self.gate(), context, gone).await
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
        if matches!(request.method.as_str(), "tools/call" | "prompts/get") {
            let message =
                format!("`params` of {} must hold `name`, a string, and `arguments`, an object.", request.method);
            return Err(ErrorData::invalid_params(message, None));
        }
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, format!("There is no method {:?}.", request.method), None))
    }

    /// Editors start their servers anywhere; the folder that they work in is what `roots` says.
    #[expect(deprecated, reason = "roots are how clients of the initialize-era name their workspace")]
    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        let came_back = context.extensions.get::<SessionRestoreMarker>().and_then(|_| session(&context.extensions));
        self.subscriptions.initialized(self.gate(), came_back, &context.peer).await;
        let declares_roots = context.peer.peer_info().is_some_and(|info| info.capabilities.roots.is_some());
        if !declares_roots {
            return;
        }
        let Ok(Ok(roots)) = tokio::time::timeout(ROOTS_WAIT, context.peer.list_roots()).await else { return };
        let folder =
            roots.roots.iter().find_map(|root| root.uri.strip_prefix("file://").map(|path| uri::decoded(path, false)));
        if let Some(folder) = folder {
            *self.workspace.lock().unwrap_or_else(PoisonError::into_inner) = folder;
        }
    }
}
