//! The server that the official MCP conformance suite expects to talk to, for trying the gate's
//! own transports with it. Exists with the feature `conformance` only.
//!
//! The suite (npm's `@modelcontextprotocol/conformance`) calls tools, prompts and resources by
//! name; what each of them has to do stands in its scenarios' descriptions. Knows nothing of
//! reviews, and no transport.

#![expect(deprecated, reason = "the suite tries logging, sampling and roots as long as MCP has them")]

mod catalogue;
mod jobs;
mod library;
mod questions;
mod rounds;
mod tools;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CancelTaskParams, CompleteRequestParams, CompleteResult, ErrorData,
    GetPromptRequestParams, GetPromptResponse, GetTaskParams, GetTaskResult, Implementation, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, LoggingLevel, PaginatedRequestParams,
    ReadResourceRequestParams, ReadResourceResponse, RequestStateCodec, ServerCapabilities, ServerConfig,
    SetLevelRequestParams, SubscribeRequestParams, SubscriptionFilter, Tool, UnsubscribeRequestParams,
    UpdateTaskParams,
};
use rmcp::service::{RequestContext, SubscriptionContext};
use rmcp::task_manager::TaskManager;
use rmcp::{RoleServer, ServerHandler};
use tokio::sync::broadcast;
use uuid::Uuid;

/// How many changes a slow subscriber may lag behind before it misses some.
const CHANGES: usize = 16;

/// The fixture server. Clones share their state: make one, and give each connection a clone.
///
/// MCP 2026-07-28 has no sessions, so that a second `Fixture` would know nothing of the tasks, the
/// request states and the subscriptions of the first.
#[derive(Clone)]
pub struct Fixture {
    shared: Arc<Shared>,
}

struct Shared {
    /// Signs what a client has to bring back unchanged.
    states: RequestStateCodec,
    tasks: TaskManager,
    changes: broadcast::Sender<Change>,
    /// Whether the lists of tools and of prompts have their additional entry.
    more_tools: AtomicBool,
    more_prompts: AtomicBool,
    /// What `logging/setLevel` asked for last. A request of 2026-07-28 names its own level.
    log_level: Mutex<LoggingLevel>,
}

/// A list that isn't any more what it was.
#[derive(Clone, Copy)]
enum Change {
    Tools,
    Prompts,
}

impl Fixture {
    /// A fixture with a key of its own and no tasks.
    pub fn new() -> Self {
        let key: Vec<u8> = [Uuid::now_v7(), Uuid::now_v7()].iter().flat_map(|id| id.into_bytes()).collect();
        Self {
            shared: Arc::new(Shared {
                states: RequestStateCodec::new_unchecked(key),
                tasks: TaskManager::new(),
                changes: broadcast::channel(CHANGES).0,
                more_tools: AtomicBool::new(false),
                more_prompts: AtomicBool::new(false),
                log_level: Mutex::new(LoggingLevel::Info),
            }),
        }
    }

    /// Adds the additional entry to a list, or takes it away, and tells who listens.
    async fn change(&self, change: Change, context: &RequestContext<RoleServer>) {
        let entry = match change {
            Change::Tools => &self.shared.more_tools,
            Change::Prompts => &self.shared.more_prompts,
        };
        entry.fetch_not(Ordering::Relaxed);
        // It fails when nobody listens.
        let _ = self.shared.changes.send(change);
        if !questions::is_modern(context) {
            let told = match change {
                Change::Tools => context.peer.notify_tool_list_changed().await,
                Change::Prompts => context.peer.notify_prompt_list_changed().await,
            };
            // A client that went away has no list to refresh.
            let _ = told;
        }
    }

    /// The least severe messages that this request's client wants, if it wants any.
    fn log_level(&self, context: &RequestContext<RoleServer>) -> Option<LoggingLevel> {
        if questions::is_modern(context) {
            return context.meta.log_level();
        }
        Some(*self.shared.log_level.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Default for Fixture {
    fn default() -> Self {
        Self::new()
    }
}

impl ServerHandler for Fixture {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_logging()
            .enable_completions()
            .enable_prompts()
            .enable_prompts_list_changed()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_tools()
            .enable_tool_list_changed()
            .enable_tasks()
            .build();
        let implementation = Implementation::new("review-gate-conformance", env!("CARGO_PKG_VERSION"));
        ServerConfig::new(capabilities).with_server_info(implementation)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let more = self.shared.more_tools.load(Ordering::Relaxed);
        Ok(ListToolsResult::with_all_items(catalogue::tools(more)))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        catalogue::tools(true).into_iter().find(|tool| tool.name == name)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        match request.name.as_ref() {
            "test_trigger_tool_change" => {
                self.change(Change::Tools, &context).await;
                Ok(tools::text("The list of tools has changed.").into())
            }
            "test_trigger_prompt_change" => {
                self.change(Change::Prompts, &context).await;
                Ok(tools::text("The list of prompts has changed.").into())
            }
            name if jobs::NAMES.contains(&name) => jobs::call(&self.shared.tasks, request, &context).await,
            name if rounds::NAMES.contains(&name) => rounds::call(&self.shared.states, request, &context),
            _ => tools::call(self.log_level(&context), request, &context).await.map(Into::into),
        }
    }

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let more = self.shared.more_prompts.load(Ordering::Relaxed);
        Ok(ListPromptsResult::with_all_items(catalogue::prompts(more)))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        if request.name == rounds::PROMPT {
            return rounds::prompt(request, &context);
        }
        library::prompt(&request).map(Into::into)
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(catalogue::resources()))
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(catalogue::templates()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        library::resource(&request.uri).map(Into::into)
    }

    /// None of the resources ever changes, so there is nothing to remember of a subscription.
    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        library::resource(&request.uri).map(drop)
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        library::resource(&request.uri).map(drop)
    }

    /// Everything that the capabilities promise; rmcp takes away what they don't.
    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(requested.clone())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let mut changes = self.shared.changes.subscribe();
        loop {
            let change = tokio::select! {
                () = context.cancelled() => return Ok(()),
                change = changes.recv() => match change {
                    Ok(change) => change,
                    Err(broadcast::error::RecvError::Lagged(_)) => continue,
                    Err(broadcast::error::RecvError::Closed) => return Ok(()),
                },
            };
            // The sink refuses what the client didn't subscribe to.
            let _ = match change {
                Change::Tools => context.sink().notify_tool_list_changed().await,
                Change::Prompts => context.sink().notify_prompt_list_changed().await,
            };
        }
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        Ok(library::complete(&request))
    }

    async fn set_level(
        &self,
        request: SetLevelRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        *self.shared.log_level.lock().unwrap_or_else(PoisonError::into_inner) = request.level;
        Ok(())
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        self.shared.tasks.get_task(&request.task_id).map(GetTaskResult::new)
    }

    async fn update_task(
        &self,
        request: UpdateTaskParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.shared.tasks.update_task(&request.task_id, request.input_responses)
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.shared.tasks.cancel_task(&request.task_id)
    }
}
