//! Tasks (SEP-2663, `io.modelcontextprotocol/tasks`): a call of a client that declares them doesn't
//! block. A task is its review request: the record keeps it, and its result outlives the gate.

use gate_core::{Ask, Caller, Declared, Fault, Owner, RequestId, RequestStatus};
use rmcp::RoleServer;
use rmcp::model::{
    CallToolResponse, CreateTaskResult, DetailedTask, ErrorData, GetTaskResult, ProtocolVersion, Task, TaskPayload,
    TaskStatus,
};
use rmcp::service::RequestContext;
use serde_json::Value;

use super::{Call, ChatPort, Look, finish};
use crate::tool::Called;

/// How often a client should ask for its task, in milliseconds.
const POLL_MILLIS: u64 = 1000;

/// Whether the client takes a task in the place of a result. Some of the initialize-era declare the
/// extension and know only that era's results.
pub(crate) fn are_declared(context: &RequestContext<RoleServer>) -> bool {
    let modern = context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28);
    modern && context.client_capabilities().is_some_and(|capabilities| capabilities.supports_tasks())
}

/// The task that stands for a pending request.
pub(super) async fn created(gate: &dyn ChatPort, request: RequestId, owner: &Owner) -> Result<CallToolResponse, Fault> {
    let look = gate.look(request, owner).await?;
    gate.linger(request);
    Ok(CreateTaskResult::new(task(request, &look)).into())
}

/// `tasks/get`.
pub(crate) async fn get(gate: &dyn ChatPort, called: &Called<'_>, task_id: &str) -> Result<GetTaskResult, ErrorData> {
    let (request, owner) = (request_of(task_id)?, called.channel.owner(called.context));
    let look = gate.look(request, &owner).await.map_err(|fault| refused(&fault))?;
    let payload = match look.status {
        RequestStatus::Pending => {
            gate.linger(request);
            TaskPayload::Working
        }
        RequestStatus::Answered => result_of(gate, called, request).await?,
        RequestStatus::Cancelled | RequestStatus::Expired => TaskPayload::Cancelled,
    };
    Ok(GetTaskResult::new(DetailedTask::new(task(request, &look), payload)))
}

/// `tasks/cancel`: withdraws the request. A task that has ended stays as it is.
pub(crate) async fn cancel(gate: &dyn ChatPort, task_id: &str, client: &Owner) -> Result<(), ErrorData> {
    let request = request_of(task_id)?;
    let look = gate.look(request, client).await.map_err(|fault| refused(&fault))?;
    if look.status == RequestStatus::Pending {
        // Whoever was faster has ended it: that is no error.
        let _ = gate.dismiss(request).await;
    }
    Ok(())
}

/// `tasks/update`: no task of ours asks its client anything, and unknown answers are ignored.
pub(crate) async fn update(gate: &dyn ChatPort, task_id: &str, client: &Owner) -> Result<(), ErrorData> {
    let request = request_of(task_id)?;
    gate.look(request, client).await.map(|_| ()).map_err(|fault| refused(&fault))
}

/// The reply as the call would have returned it; handed over as a call's result is, so that it
/// counts as delivered when the client has it.
async fn result_of(gate: &dyn ChatPort, called: &Called<'_>, request: RequestId) -> Result<TaskPayload, ErrorData> {
    let Called { channel, context, .. } = *called;
    let call = Call {
        ask: Ask::default(),
        session_uuid: None,
        request_id: Some(request),
        caller: Caller::default(),
        declared: Declared::default(),
        call_key: channel.call_key(context),
        agent: channel.agent(context),
        owner: channel.owner(context),
        patience_millis: 0,
    };
    let answered = finish(gate, called, call, Vec::new()).await.map_err(|fault| refused(&fault))?;
    let result = serde_json::to_value(answered).map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
    match result {
        Value::Object(result) => Ok(TaskPayload::Completed { result }),
        _ => Err(ErrorData::internal_error("a result is an object", None)),
    }
}

fn task(request: RequestId, look: &Look) -> Task {
    let (created, updated) = (look.created_at.to_string(), look.updated_at.to_string());
    let says = match look.status {
        RequestStatus::Pending => "Waiting for the person.",
        RequestStatus::Answered => "The person has answered.",
        RequestStatus::Cancelled => "The request was closed without an answer. Nothing is approved.",
        RequestStatus::Expired => "The request expired without an answer. Nothing is approved.",
    };
    Task::new(request.to_string(), TaskStatus::Working, created, updated)
        .with_status_message(says)
        .with_poll_interval_ms(POLL_MILLIS)
}

fn request_of(task_id: &str) -> Result<RequestId, ErrorData> {
    task_id.parse().map_err(|_| ErrorData::invalid_params(format!("There is no task {task_id:?}."), None))
}

fn refused(fault: &Fault) -> ErrorData {
    ErrorData::invalid_params(fault.to_string(), None)
}
