//! `review_gate_chat`: parse, ask, wait, convert. Below it lie the other ways of an answer: tasks, the client's own
//! forms, and the files that come with one.

mod attachments;
mod elicit;
mod input;
mod port;
pub(crate) mod tasks;

use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gate_core::clients::Transport;
use gate_core::outcome::AttachmentLink;
use gate_core::reply::is_image;
use gate_core::{AttachmentId, Declared, Fault, Outcome, RequestStatus};
use rmcp::model::{CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Resource};

use crate::input::{Read, read, unknown_note};
use crate::notes;
use crate::output::{add_asides, structure};
use crate::resource::{PRIORITY_ACTIVE, annotations};
use crate::tool::{Called, Manners, tool};
use crate::toolset::Subject;
use crate::waiting::{Came, Waiting, cancelled, patience_of};
use attachments::Attachments;
use input::Question;

pub use port::{Asked, Call, ChatPort, Look, Made, NamedRepository, Shows};

/// Asking: one tool.
pub(crate) static SUBJECT: Subject<dyn ChatPort> = Subject {
    tools: &[tool!(
        "review_gate_chat",
        "Ask the person",
        "Ask the person you work for, and wait for the answer. Use it before you end your turn, for approvals, for \
         choices between options, and to show a diff for review. For the approval of a commit pass `repository` in \
         place of `diff`: the approval is then for exactly that tree. The person answers with text, options, a \
         decision, comments on lines and on passages of your message, and files. When the result is `pending`, call \
         again with its `request_id`.",
        Manners::ASKS,
        Question => Outcome,
        waits answer
    )],
    resources: &[],
};

/// What people attached to their replies.
pub(crate) static ATTACHMENTS: Subject<dyn ChatPort> =
    Subject { tools: &[], resources: &[|port| Arc::new(Attachments(port))] };

/// Images of one result that are given as image blocks, in bytes together; further ones are given as
/// links. Clients read lines of 16 MiB at most (rmcp, the Python SDK), and base64 adds a third.
const INLINE_IMAGES_BYTES: usize = 10 * 1024 * 1024;

/// How a call ended for the client.
enum Ended {
    Outcome(Box<Outcome>),
    /// Nobody reads the result: the client has taken the call back, or the connection is gone.
    Stopped {
        taken_back: bool,
    },
}

async fn answer(
    gate: &dyn ChatPort,
    called: &Called<'_>,
    params: CallToolRequestParams,
) -> Result<CallToolResponse, Fault> {
    let Read { input, unknown } = read::<Question>(params.arguments)?;
    let Called { channel, context, .. } = *called;
    let caller = channel.caller(context);
    let asides: Vec<String> = unknown_note(&unknown).into_iter().collect();
    let (session_uuid, request_id) = (input.session_uuid, input.request_id);
    let repository = input.repository(channel.folder())?;
    let mut call = Call {
        ask: input.ask(),
        session_uuid,
        request_id,
        patience_millis: patience_millis(gate, called),
        caller,
        // Kept with a conversation that begins; none begins with an earlier request.
        declared: if request_id.is_none() { channel.declared(context) } else { Declared::default() },
        call_key: channel.call_key(context),
        agent: channel.agent(context),
        owner: channel.owner(context),
    };
    if let Some(state) = params.request_state {
        let shown = elicit::opened(called.gate, &state)?;
        gate.look(shown.request, &call.owner).await?;
        elicit::take(gate, shown, params.input_responses).await?;
        // Whoever has closed the form without a word is not asked again by the same call.
        (call.request_id, call.patience_millis) = (Some(shown.request), 0);
        return finish(gate, called, call, asides).await.map(CallToolResponse::from);
    }
    if let Some(named) = repository {
        Box::pin(made(gate, called, &mut call, &named)).await?;
    }
    // While the person is away, an agent is told so instead of being made to wait in another way.
    let there = !gate.is_away();
    let (is_task, is_form) = (there && tasks::are_declared(context), there && elicit::is_possible(gate, context));
    if !is_task && !is_form {
        return finish(gate, called, call, asides).await.map(CallToolResponse::from);
    }
    let (call_key, owner) = (call.call_key.clone(), call.owner.clone());
    let mut asked = gate.ask(call).await?;
    asked.asides.extend(asides);
    if asked.outcome.is_none() && is_task {
        gate.gives_no_reply(asked.request_id, call_key).await?;
        return tasks::created(gate, asked.request_id, &owner).await;
    }
    if asked.outcome.is_none() && is_form {
        // What the person is shown is what is stored, whatever this call says beside a `request_id`.
        let question = gate.question(asked.request_id).await?;
        if elicit::fits(&question) {
            gate.gives_no_reply(asked.request_id, call_key).await?;
            return elicit::form(called.gate, asked.request_id, &question).map(CallToolResponse::from);
        }
    }
    wait_and_hand(gate, called, asked, call_key).await.map(CallToolResponse::from)
}

/// Puts the diff that the gate makes of a repository into the question, unless the call is taken back meanwhile. What
/// that took is no longer waited for the person.
async fn made(gate: &dyn ChatPort, called: &Called<'_>, call: &mut Call, named: &NamedRepository) -> Result<(), Fault> {
    let began = called.gate.now();
    let shows = tokio::select! {
        biased;
        shows = gate.make_diff(call, named) => shows?,
        _ = called.channel.stopped(called.context) => return Err(cancelled()),
    };
    shows.put_into(call);
    let took = u64::try_from(called.gate.now().0.saturating_sub(began.0)).unwrap_or(0);
    call.patience_millis = call.patience_millis.saturating_sub(took);
    Ok(())
}

/// Asks, or finds the request that the call stands for, waits, and hands the result over.
async fn finish(
    gate: &dyn ChatPort,
    called: &Called<'_>,
    call: Call,
    asides: Vec<String>,
) -> Result<CallToolResult, Fault> {
    let call_key = call.call_key.clone();
    let mut asked = gate.ask(call).await?;
    asked.asides.extend(asides);
    wait_and_hand(gate, called, asked, call_key).await
}

/// Waits, and hands the result over in the form that the client is given.
async fn wait_and_hand(
    gate: &dyn ChatPort,
    called: &Called<'_>,
    asked: Asked,
    call_key: String,
) -> Result<CallToolResult, Fault> {
    waited_and_handed(gate, called, asked, call_key).await.map(|result| called.formed(result))
}

async fn waited_and_handed(
    gate: &dyn ChatPort,
    called: &Called<'_>,
    mut asked: Asked,
    call_key: String,
) -> Result<CallToolResult, Fault> {
    let Called { channel, context, .. } = *called;
    let request = asked.request_id;
    let only_reads = asked.attendance.is_none();
    let ended = match asked.outcome.take() {
        Some(outcome) => Ok(Ended::Outcome(Box::new(outcome))),
        // In a box of its own: what needs no waiting is called most often, and needs none of its memory.
        None => Box::pin(wait(gate, called, &mut asked)).await,
    };
    let given = match ended {
        Ok(Ended::Outcome(mut outcome)) => {
            let answered = outcome.status == RequestStatus::Answered;
            result(gate, called, &asked, &mut outcome).await.map(|result| (result, answered))
        }
        Ok(Ended::Stopped { taken_back }) => {
            drop(asked);
            if taken_back {
                gate.withdraw(request).await?;
            }
            return Err(cancelled());
        }
        Err(fault) => Err(fault),
    };
    match given {
        Ok((mut result, _)) if only_reads => {
            let carried = notes::add(called.gate, &call_key, &mut result).await;
            channel.hand(context, carried);
            Ok(result)
        }
        Err(fault) if only_reads => {
            channel.hand(context, None);
            Err(fault)
        }
        Ok((mut result, true)) => {
            let carried = notes::add(called.gate, &call_key, &mut result).await;
            channel.hand(context, Some(Box::new((asked.attendance, carried))));
            Ok(result)
        }
        Ok((mut result, false)) => {
            // Before anything of it is on its way: its delivery must not count as the reply's.
            gate.gives_no_reply(request, call_key.clone()).await?;
            if let Some(carried) = notes::add(called.gate, &call_key, &mut result).await {
                channel.hand_notes(context, carried);
            }
            Ok(result)
        }
        Err(fault) => {
            gate.gives_no_reply(request, call_key).await?;
            Err(fault)
        }
    }
}

fn patience_millis(gate: &dyn ChatPort, called: &Called<'_>) -> u64 {
    u64::try_from(patience_of(called, &gate.patience_overrides()).as_millis()).unwrap_or(u64::MAX)
}

async fn wait(gate: &dyn ChatPort, called: &Called<'_>, asked: &mut Asked) -> Result<Ended, Fault> {
    let remaining = asked.until.0.saturating_sub(called.gate.now().0);
    let mut waiting = Waiting::of(called, Duration::from_millis(u64::try_from(remaining).unwrap_or(0)));
    let closed = gate.closed(asked.request_id);
    tokio::pin!(closed);
    let away = gate.away();
    tokio::pin!(away);
    let request = asked.request_id;
    let says = |beats| {
        let message = format!("Waiting for the person (request {request}).");
        match (beats == 0).then(|| gate.hint()).flatten() {
            Some(hint) => format!("{message} {hint}"),
            None => message,
        }
    };
    loop {
        let reader = asked.attendance.is_some();
        match waiting.on(closed.as_mut(), away.as_mut(), reader, says).await {
            Came::This(outcome) => return Ok(Ended::Outcome(Box::new(outcome?))),
            Came::Stopped { taken_back } => return Ok(Ended::Stopped { taken_back }),
            // A client may yet come back for this very result; until then nobody waits for it.
            Came::Unread => asked.attendance = None,
            Came::Away => return Ok(Ended::Outcome(Box::new(pending(asked)))),
            Came::Over => {
                gate.waited_in_vain().await;
                return Ok(Ended::Outcome(Box::new(pending(asked))));
            }
        }
    }
}

fn pending(asked: &Asked) -> Outcome {
    Outcome::without_reply(RequestStatus::Pending, asked.session_uuid, asked.request_id)
}

async fn result(
    gate: &dyn ChatPort,
    called: &Called<'_>,
    asked: &Asked,
    outcome: &mut Outcome,
) -> Result<CallToolResult, Fault> {
    if called.channel.transport() == Transport::Stdio {
        for link in &mut outcome.attachments {
            link.path = gate.copy_of(asked.session_uuid, attachment_id(link)?).await;
        }
    }
    let (pending, away) = (outcome.status == RequestStatus::Pending, gate.is_away());
    let weak = if outcome.status == RequestStatus::Answered { gate.weak() } else { Vec::new() };
    let weak = (!weak.is_empty())
        .then(|| format!("The person's gate lets others answer more easily than by itself: {}.", weak.join(", ")));
    let besides = asked.asides.iter().cloned().chain(gate.hint().filter(|_| pending)).chain(weak);
    let asides: Vec<String> = outcome.meaning(asked.approval, away).into_iter().chain(besides.clone()).collect();
    let text = [outcome.for_model(asked.approval, away)].into_iter().chain(besides).collect::<Vec<_>>().join("\n\n");
    let mut content = vec![ContentBlock::text(text)];
    let owner = called.channel.owner(called.context);
    let mut inline = 0;
    for link in &outcome.attachments {
        let size = usize::try_from(link.size).unwrap_or(usize::MAX);
        let fits = inline + size <= INLINE_IMAGES_BYTES;
        if fits && is_image(&link.mime_type) {
            inline += size;
            let (attachment, bytes) = gate.attachment(attachment_id(link)?, &owner).await?;
            content.push(ContentBlock::image(STANDARD.encode(bytes), attachment.mime_type));
        } else {
            let resource = Resource::new(link.uri.clone(), link.name.clone())
                .with_mime_type(link.mime_type.clone())
                .with_size(link.size)
                .with_annotations(annotations(PRIORITY_ACTIVE, outcome.answered_at));
            content.push(ContentBlock::resource_link(resource));
        }
    }
    let mut result = CallToolResult::success(content);
    let mut structured = structure::<Outcome>(outcome)?;
    add_asides(&mut structured, &asides);
    result.structured_content = Some(structured);
    Ok(result)
}

fn attachment_id(link: &AttachmentLink) -> Result<AttachmentId, Fault> {
    link.uri.rsplit('/').next().unwrap_or_default().parse()
}
