//! The body of `review_gate_chat`: parse, ask, wait, convert.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gate_core::clients::patience;
use gate_core::reply::is_image;
use gate_core::{AttachmentId, Caller, Code, Fault, Outcome, RequestStatus};
use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequestParams, CallToolResult, ContentBlock, ErrorData, MetaObject, ProgressNotificationParam, Resource,
};
use rmcp::service::RequestContext;
use serde_json::{Value, json};
use tokio::time::MissedTickBehavior;

use crate::arguments;
use crate::port::{Asked, Call, Gate};
use crate::server::Server;

/// How often a waiting call tells a client that sent a progress token that it is alive.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// Images of one result that are given as image blocks, in bytes together; further ones are given as
/// links. Clients read lines of 16 MiB at most (rmcp, the Python SDK), and base64 adds a third.
const INLINE_IMAGES_BYTES: usize = 10 * 1024 * 1024;

/// How a call ended for the client.
enum Ended {
    Outcome(Outcome),
    /// Nobody reads the result: the client has taken the call back, or the connection is gone.
    Cancelled {
        by_client: bool,
    },
}

/// Answers one call of the tool. Domain faults are tool errors; protocol errors stay for protocol faults.
pub(crate) async fn call<G: Gate>(
    server: &Server<G>,
    params: CallToolRequestParams,
    context: RequestContext<RoleServer>,
) -> Result<CallToolResult, ErrorData> {
    match answer(server, params, &context).await {
        Ok(result) => Ok(result),
        Err(fault) => Ok(tool_error(&fault)),
    }
}

async fn answer<G: Gate>(
    server: &Server<G>,
    params: CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResult, Fault> {
    let arguments = arguments::parse(params.arguments)?;
    let client = context.client_info();
    let caller = Caller {
        client: client.as_ref().map(|info| info.name.clone()).unwrap_or_default(),
        client_version: client.map(|info| info.version).unwrap_or_default(),
        workspace: server.workspace(),
    };
    let progress = context.meta.get_progress_token().is_some();
    let patience = patience(&caller.client, server.transport(), progress, &server.gate().patience_overrides());
    let gate = server.gate();
    let call_key = server.call_key(&context.id);
    let mut asked = gate
        .ask(Call {
            ask: arguments.ask,
            session_uuid: arguments.session_uuid,
            request_id: arguments.request_id,
            caller,
            call_key: call_key.clone(),
            patience_millis: u64::try_from(patience.as_millis()).unwrap_or(u64::MAX),
        })
        .await?;
    if !arguments.unknown.is_empty() {
        asked.notes.push(format!("Ignored unknown fields: {}.", arguments.unknown.join(", ")));
    }
    let given = match wait(server, &asked, context).await {
        Ok(Ended::Outcome(outcome)) => {
            let answered = outcome.status == RequestStatus::Answered;
            result(server, &asked, &outcome).await.map(|result| (result, answered))
        }
        Ok(Ended::Cancelled { by_client }) => {
            let request = asked.request_id;
            drop(asked);
            if by_client {
                gate.withdraw(request).await?;
            }
            return Err(Fault::new(Code::NotPending, "The call was cancelled.", "Nothing is left to do."));
        }
        Err(fault) => Err(fault),
    };
    match given {
        Ok((result, true)) => {
            server.handed().add(call_key.clone(), asked.presence);
            // A cancellation that came in between has looked for it in vain.
            if context.ct.is_cancelled() {
                server.handed().arrived(&call_key);
            }
            Ok(result)
        }
        Ok((result, false)) => {
            gate.gives_no_reply(call_key).await?;
            Ok(result)
        }
        Err(fault) => {
            gate.gives_no_reply(call_key).await?;
            Err(fault)
        }
    }
}

async fn wait<G: Gate>(
    server: &Server<G>,
    asked: &Asked,
    context: &RequestContext<RoleServer>,
) -> Result<Ended, Fault> {
    let gate = server.gate();
    let closed = gate.closed(asked.request_id);
    tokio::pin!(closed);
    let remaining = asked.until.0.saturating_sub(gate.now().0);
    let remaining = Duration::from_millis(u64::try_from(remaining).unwrap_or(0));
    let patience = tokio::time::sleep(remaining);
    tokio::pin!(patience);
    let token = context.meta.get_progress_token();
    let mut beat = tokio::time::interval(HEARTBEAT);
    beat.set_missed_tick_behavior(MissedTickBehavior::Skip);
    let mut beats = 0_u32;
    loop {
        tokio::select! {
            biased;
            outcome = &mut closed => return Ok(Ended::Outcome(outcome?)),
            () = server.gone() => return Ok(Ended::Cancelled { by_client: false }),
            () = context.ct.cancelled() => return Ok(Ended::Cancelled { by_client: !server.is_gone() }),
            () = &mut patience => {
                let pending = Outcome::without_reply(RequestStatus::Pending, asked.session_uuid, asked.request_id);
                return Ok(Ended::Outcome(pending));
            }
            _ = beat.tick(), if token.is_some() => {
                if let Some(token) = token.clone() {
                    let mut message = format!("Waiting for the person (request {}).", asked.request_id);
                    if beats == 0 && let Some(hint) = gate.hint() {
                        message = format!("{message} {hint}");
                    }
                    let note = ProgressNotificationParam::new(token, f64::from(beats)).with_message(message);
                    // A failed send means that the connection ends; that is noticed on its own.
                    let _ = context.peer.notify_progress(note).await;
                    beats = beats.saturating_add(1);
                }
            }
        }
    }
}

async fn result<G: Gate>(server: &Server<G>, asked: &Asked, outcome: &Outcome) -> Result<CallToolResult, Fault> {
    let gate = server.gate();
    let mut text = outcome.for_model(asked.approval);
    for note in &asked.notes {
        text = format!("{text}\n\n{note}");
    }
    if outcome.status == RequestStatus::Pending
        && let Some(hint) = gate.hint()
    {
        text = format!("{text}\n\n{hint}");
    }
    let mut content = vec![ContentBlock::text(text)];
    let mut inline = 0;
    for link in &outcome.attachments {
        let id: AttachmentId = link.uri.rsplit('/').next().unwrap_or_default().parse()?;
        let size = usize::try_from(link.size).unwrap_or(usize::MAX);
        let fits = inline + size <= INLINE_IMAGES_BYTES;
        if fits && is_image(&link.mime_type) {
            inline += size;
            let (attachment, bytes) = gate.attachment(id).await?;
            content.push(ContentBlock::image(STANDARD.encode(bytes), attachment.mime_type));
        } else {
            let resource = Resource::new(link.uri.clone(), link.name.clone())
                .with_mime_type(link.mime_type.clone())
                .with_size(link.size);
            content.push(ContentBlock::resource_link(resource));
        }
    }
    let structured = serde_json::to_value(outcome).map_err(|error| Fault::internal(error.to_string()))?;
    let mut result = CallToolResult::success(content);
    result.structured_content = Some(structured);
    Ok(result)
}

/// A fault as a tool error: the text for the model, the code for programs.
pub(crate) fn tool_error(fault: &Fault) -> CallToolResult {
    let mut result = CallToolResult::error(vec![ContentBlock::text(fault.to_string())]);
    let mut meta = MetaObject::default();
    let details: Value = json!({ "code": fault.code, "message": fault.message, "mend": fault.mend });
    meta.insert("review-gate/fault".to_owned(), details);
    result.meta = Some(meta);
    result
}
