//! One connection's server: what MCP asks of it, handed to the tools, the resources and the prompts.

use std::sync::{Arc, LazyLock};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CancelTaskParams, CancelledNotificationParam, CompleteRequestParams,
    CompleteResult, CustomRequest, CustomResult, ErrorCode, ErrorData, GetPromptRequestParams, GetPromptResponse,
    GetSkillRequestParams, GetSkillResult, GetTaskParams, GetTaskResult, Icon, Implementation, InitializeRequestParams,
    InitializeResult, JsonObject, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
    ListSkillsResult, ListToolsResult, PaginatedRequestParams, ProtocolVersion, ReadResourceRequestParams,
    ReadResourceResponse, Reference, ServerCapabilities, ServerConfig, SubscribeRequestParams, SubscriptionFilter,
    Tool, UnsubscribeRequestParams, UpdateTaskParams,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{RoleServer, ServerHandler};

use crate::channel::{Channel, session};
use crate::chat::tasks;
use crate::faults::{no_resource, protocol_error};
use crate::kept::Kept;
use crate::logging::{Log, SetLevel};
use crate::port::ConnectionPort;
use crate::prompts::complete::argument;
use crate::resource::Resources;
use crate::skills::Skills;
use crate::subscriptions::Subscriptions;
use crate::templates::Templates;
use crate::tool::Called;
use crate::toolset::Served;
use crate::toolsets::Gate;
use crate::{cursor, permission, prompts, resources, skills, uri};

/// How long a client may take to name its workspace folders.
const ROOTS_WAIT: std::time::Duration = std::time::Duration::from_secs(5);

/// The method that sets how much a client of the initialize-era hears of the gate.
const SET_LEVEL: &str = "logging/setLevel";

/// The server of one connection, or of one HTTP request or session.
pub(crate) struct Server {
    gate: Arc<dyn Gate>,
    served: Arc<Served>,
    channel: Channel,
    resources: Arc<resources::All>,
    subscriptions: Subscriptions,
    log: Log,
}

impl Server {
    /// Serves the tools and the resources of a toolset, and on every endpoint the prompts.
    pub(crate) fn new(gate: Arc<dyn Gate>, served: Arc<Served>, channel: Channel) -> Self {
        let resources = resources_of(&served, &gate);
        let kept = Arc::new(Kept::default());
        let port: Arc<dyn ConnectionPort> = Arc::<dyn Gate>::clone(&gate);
        let subscriptions = Subscriptions::of(Arc::clone(&resources), Arc::clone(&kept), port);
        Self { gate, served, channel, resources, subscriptions, log: Log::new(kept) }
    }

    fn gate(&self) -> &dyn Gate {
        self.gate.as_ref()
    }

    fn called<'a>(&'a self, context: &'a RequestContext<RoleServer>) -> Called<'a> {
        Called { channel: &self.channel, gate: self.gate(), context }
    }
}

/// The resources of a toolset, and those that go with the prompts.
pub(crate) fn resources_of(served: &Served, gate: &Arc<dyn Gate>) -> Arc<resources::All> {
    let (of_templates, of_skills) = (Arc::clone(gate), Arc::clone(gate));
    let with_prompts: [Arc<dyn Resources>; 2] = [Arc::new(Templates(of_templates)), Arc::new(Skills(of_skills))];
    served.resources().iter().cloned().chain(with_prompts).collect()
}

/// Whether the client's revision has `logging/setLevel`.
fn has_logging(context: &RequestContext<RoleServer>) -> bool {
    context.protocol_version().is_none_or(|version| version < ProtocolVersion::V_2026_07_28)
}

fn no_method(name: &str) -> ErrorData {
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, format!("There is no method {name:?}."), None)
}

/// The app's icon, with its bytes in it: a client fetches nothing for it.
fn icon() -> Icon {
    // rmcp asks what a server is several times for each request without a session.
    static ICON: LazyLock<Icon> = LazyLock::new(|| {
        let drawn = include_bytes!("../../../../icons/icon-small.svg");
        Icon::new(format!("data:image/svg+xml;base64,{}", STANDARD.encode(drawn)))
            .with_mime_type("image/svg+xml")
            .with_sizes(vec!["any".to_owned()])
    });
    ICON.clone()
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
        implementation.icons = Some(vec![icon()]);
        ServerConfig::new(capabilities).with_server_info(implementation).with_instructions(self.served.instructions())
    }

    /// What later revisions don't have is promised here only.
    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        context.peer.set_peer_info(request.clone());
        let mut promised = self.negotiate_initialize(&request)?;
        promised.capabilities.logging = Some(JsonObject::new());
        Ok(promised)
    }

    async fn set_level(&self, request: SetLevel, context: RequestContext<RoleServer>) -> Result<(), ErrorData> {
        if !has_logging(&context) {
            return Err(no_method(SET_LEVEL));
        }
        self.log.set_level(self.gate(), session(&context.extensions), request).await;
        Ok(())
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        // All of them are on one page.
        let cursor = request.and_then(|request| request.cursor);
        cursor::none(cursor.as_deref()).map_err(|fault| protocol_error(&fault))?;
        let mut tools = self.served.listed(self.channel.result_form(&context)).to_vec();
        if self.channel.needs_permission_tool() {
            tools.push(permission::listed());
        }
        Ok(ListToolsResult::with_all_items(tools))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        if name == permission::NAME {
            return Some(permission::listed());
        }
        self.served.tool(name).cloned()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if request.name == permission::NAME {
            return Ok(permission::call(self.gate(), &self.called(&context), request).await);
        }
        let Some(body) = self.served.body(&request.name) else {
            let names: Vec<_> = self.served.tools().iter().map(|tool| tool.name.as_ref()).collect();
            let message = format!("Unknown tool {:?}; this toolset has {}.", request.name, names.join(", "));
            return Err(ErrorData::invalid_params(message, None));
        };
        Ok(body.call(&self.called(&context), request).await)
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        let called = self.called(&context);
        match self.served.task(&called, &request.task_id, true).await? {
            Some(found) => Ok(found),
            None => tasks::get(self.gate(), &called, &request.task_id).await,
        }
    }

    async fn update_task(
        &self,
        request: UpdateTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        // Nor do other tools' tasks ask anything.
        if self.served.task(&self.called(&context), &request.task_id, false).await?.is_some() {
            return Ok(());
        }
        tasks::update(self.gate(), &request.task_id, &self.channel.owner(&context)).await
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        // Of other tools' tasks nothing is left to end: nobody waits for them.
        if self.served.task(&self.called(&context), &request.task_id, false).await?.is_some() {
            return Ok(());
        }
        tasks::cancel(self.gate(), &request.task_id, &self.channel.owner(&context)).await
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let cursor = request.and_then(|request| request.cursor);
        prompts::list(self.gate(), self.gate(), cursor.as_deref()).map_err(|fault| protocol_error(&fault))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let got = prompts::get(self.gate(), &self.channel.caller(&context), request).await;
        got.map(Into::into).map_err(|fault| protocol_error(&fault))
    }

    async fn list_skills(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListSkillsResult, ErrorData> {
        let cursor = request.and_then(|request| request.cursor);
        skills::list(self.gate(), self.gate(), cursor.as_deref()).map_err(|fault| protocol_error(&fault))
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
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let (cursor, client) = (request.and_then(|request| request.cursor), self.channel.owner(&context));
        let listed = resources::list(&self.resources, self.gate(), &client, cursor.as_deref()).await;
        listed.map_err(|fault| protocol_error(&fault))
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let cursor = request.and_then(|request| request.cursor);
        resources::templates(&self.resources, cursor.as_deref()).map_err(|fault| protocol_error(&fault))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let client = self.channel.owner(&context);
        resources::read(&self.resources, self.gate(), &client, &request.uri).await.map(Into::into)
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let (name, begun) = (request.argument.name.as_str(), request.argument.value.as_str());
        let found = match &request.r#ref {
            Reference::Resource(template) => {
                let client = self.channel.owner(&context);
                resources::complete(&self.resources, &client, &template.uri, name, begun).await?
            }
            Reference::Prompt(prompt) => {
                let caller = self.channel.caller_among_its_files(&context);
                let found = argument(self.gate(), &caller, &prompt.name, name, begun).await;
                found.map_err(|fault| protocol_error(&fault))?
            }
            _ => return Err(ErrorData::invalid_params("`ref` must be a ref/prompt or a ref/resource.", None)),
        };
        found.result()
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let client = self.channel.owner(&context);
        let resource = resources::subscribable(&self.resources, &client, &request.uri).await?;
        let session = session(&context.extensions);
        let whom = (client, &context.peer);
        let subscribed = self.subscriptions.subscribe(self.gate(), session, request.uri, resource, whom).await;
        subscribed.map_err(|fault| protocol_error(&fault))
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        resources::named(&self.resources, &request.uri).ok_or_else(|| no_resource(&request.uri))?;
        self.subscriptions.unsubscribe(self.gate(), session(&context.extensions), &request.uri).await;
        Ok(())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(self.subscriptions.accept(self.gate(), requested))
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let client = self.channel.owner(context.request_context());
        self.subscriptions.listen(self.gate(), context, client, self.channel.gone()).await
    }

    async fn on_cancelled(&self, notification: CancelledNotificationParam, _context: NotificationContext<RoleServer>) {
        if let Some(request) = notification.request_id {
            self.channel.taken_back(request);
        }
    }

    /// rmcp takes a call whose parts have the wrong type for a method of its own.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let must_hold = match request.method.as_str() {
            "tools/call" | "prompts/get" => "`name`, a string, and `arguments`, an object",
            SET_LEVEL if has_logging(&context) => {
                "`level`: debug, info, notice, warning, error, critical, alert or emergency"
            }
            other => return Err(no_method(other)),
        };
        let message = format!("`params` of {} must hold {must_hold}.", request.method);
        Err(ErrorData::invalid_params(message, None))
    }

    /// Editors start their servers anywhere; the folder that they work in is what `roots` says.
    #[expect(deprecated, reason = "roots are how clients of the initialize-era name their workspace")]
    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        let came_back = self.channel.came_back(&context.extensions);
        let session = session(&context.extensions).filter(|_| came_back);
        let client = context.peer.peer_info().map(|info| info.client_info.name.clone()).unwrap_or_default();
        let client = self.channel.owner_of(&context.extensions, &client);
        self.subscriptions.initialized(self.gate(), session, (client, &context.peer)).await;
        let agent = self.channel.agent_of(&context.extensions);
        self.log.initialized(self.gate(), agent, came_back, &context.peer).await;
        let declares_roots = context.peer.peer_info().is_some_and(|info| info.capabilities.roots.is_some());
        if !declares_roots {
            return;
        }
        let Ok(Ok(roots)) = tokio::time::timeout(ROOTS_WAIT, context.peer.list_roots()).await else { return };
        let folder =
            roots.roots.iter().find_map(|root| root.uri.strip_prefix("file://").map(|path| uri::decoded(path, false)));
        if let Some(folder) = folder {
            self.channel.set_workspace(folder);
        }
    }
}
