//! The fixture's tools of the tasks extension (SEP-2663): the server decides that a call becomes a
//! task, and the client asks for its state.

use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities, ContentBlock, CreateTaskResult,
    ErrorData,
};
use rmcp::service::RequestContext;
use rmcp::task_manager::{TaskContext, TaskExit, TaskFuture, TaskManager, TaskOptions};

use super::questions::{argument, ask, declared, field};
use super::rounds::filled;
use super::tools::text;

/// The tools of this module.
pub(super) const NAMES: &[&str] = &[
    "greet",
    "slow_compute",
    "failing_job",
    "protocol_error_job",
    "confirm_delete",
    "multi_input",
    "test_tool_with_task",
];
/// The longest that `slow_compute` takes.
pub(super) const LONGEST: Duration = Duration::from_secs(60);
/// How often a client should ask for a task's state.
const POLL_MS: u64 = 100;

/// Calls the tool that `request` names.
pub(super) async fn call(
    tasks: &TaskManager,
    request: CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let knows_tasks = declared(context).supports_tasks();
    match request.name.as_ref() {
        "greet" => Ok(text(format!("Hello, {}!", argument(&request, "name")?)).into()),
        "slow_compute" => {
            let (time, label) = slow(&request)?;
            if !knows_tasks {
                tokio::time::sleep(time).await;
                return Ok(computed(&label, time).into());
            }
            Ok(task(tasks, move |task| {
                Box::pin(async move {
                    tokio::select! {
                        () = task.cancelled() => Err(TaskExit::Cancelled),
                        () = tokio::time::sleep(time) => Ok(computed(&label, time)),
                    }
                })
            }))
        }
        _ if !knows_tasks => {
            let needed = ClientCapabilities::builder().enable_tasks().build();
            Err(ErrorData::missing_required_client_capability(needed))
        }
        "failing_job" => Ok(task(tasks, |_| {
            Box::pin(async { Ok(CallToolResult::error(vec![ContentBlock::text("The job has failed.")])) })
        })),
        "protocol_error_job" => Ok(task(tasks, |_| {
            Box::pin(async { Err(ErrorData::internal_error("The job has ended with a protocol error.", None).into()) })
        })),
        "confirm_delete" => {
            let file = argument(&request, "filename")?.to_owned();
            Ok(task(tasks, move |task| Box::pin(confirm(task, file))))
        }
        "multi_input" => Ok(task(tasks, |task| Box::pin(two_at_once(task)))),
        "test_tool_with_task" => match filled(request.input_responses.as_ref(), "user_name", "name") {
            Some(name) => {
                Ok(task(tasks, move |_| Box::pin(async move { Ok(text(format!("Hello, {name}, from a task!"))) })))
            }
            None => {
                let name = field("What is your name?", "name", "string")?;
                Ok(ask(context, [("user_name", name)], None)?.into())
            }
        },
        other => Err(ErrorData::invalid_params(format!("There is no tool {other:?}."), None)),
    }
}

fn task(tasks: &TaskManager, work: impl FnOnce(TaskContext) -> TaskFuture) -> CallToolResponse {
    let options = TaskOptions::new().with_poll_interval_ms(POLL_MS);
    CreateTaskResult::new(tasks.spawn(options, work)).into()
}

/// The time and the label of a `slow_compute`.
fn slow(request: &CallToolRequestParams) -> Result<(Duration, String), ErrorData> {
    let seconds = request.arguments.as_ref().and_then(|arguments| arguments.get("seconds")?.as_f64());
    let time = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let time = time.filter(|time| *time <= LONGEST).ok_or_else(|| {
        let longest = LONGEST.as_secs();
        ErrorData::invalid_params(format!("slow_compute needs `seconds`, a number from 0 to {longest}."), None)
    })?;
    Ok((time, argument(request, "label").unwrap_or("unnamed").to_owned()))
}

fn computed(label: &str, time: Duration) -> CallToolResult {
    text(format!("{label} took {} s.", time.as_secs_f64()))
}

async fn confirm(task: TaskContext, file: String) -> Result<CallToolResult, TaskExit> {
    let question = field(&format!("Delete {file}?"), "confirm", "boolean")?;
    let answer = task.request_input("confirm", question).await?;
    Ok(text(format!("The answer about {file} is: {answer}")))
}

async fn two_at_once(task: TaskContext) -> Result<CallToolResult, TaskExit> {
    let name = task.request_input("name", field("What is your name?", "name", "string")?);
    let confirm = task.request_input("confirm", field("Do you confirm?", "confirm", "boolean")?);
    let (name, confirm) = tokio::try_join!(name, confirm)?;
    Ok(text(format!("The answers are: {name} and {confirm}")))
}
