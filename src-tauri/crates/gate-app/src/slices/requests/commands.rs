//! Answering requests: parse, one call, one conversion.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gate_api::subjects::requests::{
    AskRequest, Asked, Attach, Attached, AttachedBytes, BeginTerminalReply, CancelSigning, CompleteFile,
    ConfirmationDigits, Dismiss, DismissAbandoned, Dismissed, FoundFiles, Handler, ListRequests, OpenRequest,
    OpenedRequest, PendingRequests, Question, ReadAttachment, ReadConfirmationDigits, ReadQuestion, SaveDraft, SendNow,
    SendReply, SendTerminalReply, Snooze, TerminalDigits, UndoReply, Wake,
};
use gate_api::{Done, Origin};
use gate_core::{
    AnsweredFrom, Ask, Assurance, AttachmentId, Caller, Code, Declared, Fault, Outcome, OwnerId, RequestStatus,
    SessionUuid, bounds,
};
use gate_mcp::Call;

use super::no_decision;
use crate::slices::Gate;
use crate::slices::receipts::given;

/// For how long `ask` waits when it names no time: longer than any person stays away.
const FOREVER: Duration = Duration::from_secs(365 * 24 * 60 * 60);

impl Handler for Gate {
    async fn open_request(&self, asked: OpenRequest, _: Origin) -> Result<OpenedRequest, Fault> {
        Ok(OpenedRequest { request: self.inner.requests.open_request(asked.request_id).await? })
    }

    async fn question(&self, asked: ReadQuestion, _: Origin) -> Result<Question, Fault> {
        self.inner.requests.question(asked.request_id).await
    }

    async fn save_draft(&self, SaveDraft { request_id, draft }: SaveDraft, _: Origin) -> Result<Done, Fault> {
        draft.check()?;
        self.inner.store.save_draft(request_id, &draft, self.inner.bus.now()).await?;
        Ok(Done {})
    }

    async fn attach(&self, Attach { request_id, name, data }: Attach, _: Origin) -> Result<Attached, Fault> {
        let bytes = decoded(&name, &data)?;
        let id = AttachmentId(self.inner.bus.new_id());
        let attachment = self.inner.store.attach(request_id, id, &name, &bytes, self.inner.bus.now()).await?;
        Ok(Attached { attachment })
    }

    async fn read_attachment(&self, asked: ReadAttachment, _: Origin) -> Result<AttachedBytes, Fault> {
        let (attachment, bytes) = self.inner.requests.read_attachment(asked.attachment_id).await?;
        Ok(AttachedBytes { attachment, data: STANDARD.encode(bytes) })
    }

    async fn send_reply(&self, reply: SendReply, origin: Origin) -> Result<Done, Fault> {
        let SendReply { request_id, digest, decision, draft } = reply;
        let requests = &self.inner.requests;
        requests.is_no_permission(request_id)?;
        let (from, window) = match origin {
            Origin::Desktop => (AnsweredFrom::Desktop, true),
            Origin::Browser => (AnsweredFrom::Browser, true),
            // It shows what it decides on, and has that confirmed.
            Origin::Terminal if decision.is_some() => return Err(no_decision()),
            Origin::Terminal => (AnsweredFrom::Terminal, false),
            Origin::Script => (AnsweredFrom::Script, false),
        };
        match window {
            true => requests.answer_from_window(request_id, digest, decision, &draft, from.into()).await?,
            false => requests.answer(request_id, digest, decision, &draft, from).await?,
        }
        self.inner.person.settled(request_id);
        Ok(Done {})
    }

    async fn begin_terminal_reply(&self, begun: BeginTerminalReply, _: Origin) -> Result<TerminalDigits, Fault> {
        let BeginTerminalReply { request_id, digest } = begun;
        let needs = self.inner.requests.needs_of(request_id).await?;
        Ok(TerminalDigits { digits: self.inner.requests.begin_terminal_reply(request_id, digest), needs })
    }

    async fn send_terminal_reply(&self, reply: SendTerminalReply, _: Origin) -> Result<Done, Fault> {
        let SendTerminalReply { request_id, digest, decision, draft, digits } = reply;
        self.inner.requests.is_no_permission(request_id)?;
        self.inner.requests.answer_at_terminal(request_id, digest, decision, &draft, &digits).await?;
        Ok(Done {})
    }

    async fn cancel_signing(&self, cancelled: CancelSigning, _: Origin) -> Result<Done, Fault> {
        self.inner.signing.cancel(cancelled.request_id);
        Ok(Done {})
    }

    async fn confirmation_digits(&self, asked: ReadConfirmationDigits, _: Origin) -> Result<ConfirmationDigits, Fault> {
        let stopping = || Fault::new(Code::ShuttingDown, "The gate is being stopped.", "Start it again.");
        let digits = self.inner.signing.digits(asked.request_id).await.ok_or_else(stopping)?;
        Ok(ConfirmationDigits { digits })
    }

    async fn undo_reply(&self, undone: UndoReply, origin: Origin) -> Result<OpenedRequest, Fault> {
        Ok(OpenedRequest { request: self.inner.requests.undo_reply(undone.request_id, given(origin)).await? })
    }

    async fn send_now(&self, sent: SendNow, _: Origin) -> Result<Done, Fault> {
        self.inner.requests.send_now(sent.request_id).await?;
        Ok(Done {})
    }

    async fn snooze(&self, Snooze { request_id, until }: Snooze, _: Origin) -> Result<Done, Fault> {
        self.inner.requests.snooze(request_id, until).await?;
        Ok(Done {})
    }

    async fn wake(&self, woken: Wake, _: Origin) -> Result<Done, Fault> {
        self.inner.requests.wake(woken.request_id).await?;
        Ok(Done {})
    }

    async fn dismiss(&self, dismissed: Dismiss, _: Origin) -> Result<Done, Fault> {
        self.inner.requests.cancel(dismissed.request_id).await?;
        self.inner.person.settled(dismissed.request_id);
        Ok(Done {})
    }

    async fn dismiss_abandoned(&self, asked: DismissAbandoned, _: Origin) -> Result<Dismissed, Fault> {
        let wanted = asked.request_ids.into_iter().collect();
        Ok(Dismissed { request_ids: self.inner.requests.dismiss_abandoned(wanted).await? })
    }

    async fn complete_file(&self, asked: CompleteFile, _: Origin) -> Result<FoundFiles, Fault> {
        let (files, more) = self.inner.requests.complete_file(asked.request_id, &asked.query).await?;
        Ok(FoundFiles { files, more })
    }

    async fn requests(&self, _: ListRequests, _: Origin) -> Result<PendingRequests, Fault> {
        let mut requests = self.inner.requests.pending().await?;
        requests.sort_by_key(|pending| pending.snoozed.is_some());
        Ok(PendingRequests { requests })
    }

    async fn ask(&self, asked: AskRequest, _: Origin) -> Result<Asked, Fault> {
        let (outcome, required) = self.ask_and_wait(asked).await?;
        Ok(Asked { outcome, required: Some(required), weak: self.weak() })
    }
}

impl Gate {
    /// What became of a question, and how sure an approval of it has to be.
    async fn ask_and_wait(&self, request: AskRequest) -> Result<(Outcome, Assurance), Fault> {
        let patience = request.timeout_seconds.map_or(FOREVER, Duration::from_secs);
        let call_key = format!("ask:{}", self.inner.bus.new_id());
        let asked = self
            .inner
            .requests
            .ask(Call {
                // What git holds of a question, and that it is a permission, is the gate's own word.
                ask: Ask { git: None, permission: None, round: None, ..request.ask },
                session_uuid: request.session_uuid,
                request_id: request.request_id,
                caller: Caller {
                    client: "review-gate ask".to_owned(),
                    client_version: env!("CARGO_PKG_VERSION").to_owned(),
                    workspace: request.workspace,
                },
                declared: Declared::default(),
                call_key: call_key.clone(),
                agent: None,
                owner: OwnerId::Holder.into(),
                patience_millis: u64::try_from(patience.as_millis()).unwrap_or(u64::MAX),
            })
            .await?;
        let closed = tokio::time::timeout(patience, self.inner.requests.closed(asked.request_id)).await;
        let pending = || Ok(Outcome::without_reply(RequestStatus::Pending, asked.session_uuid, asked.request_id));
        let outcome = closed.unwrap_or_else(|_| pending())?;
        // By the settings as they are when it ends. A reply that fails here can still be fetched.
        let required = self.inner.requests.required_of(outcome.request_id).await?;
        if outcome.status != RequestStatus::Pending {
            if let Err(error) = self.inner.store.mark_delivered(&call_key, self.inner.bus.now()).await {
                tracing::warn!(%error, "a delivered reply could not be marked");
            }
            self.is_through(outcome.session_uuid).await;
        }
        Ok((outcome, required))
    }

    /// Who asked has heard, and asks no more: nothing of its session is to come, unless it asks in it again. One in which
    /// another question waits goes on.
    async fn is_through(&self, session: SessionUuid) {
        match self.inner.conversations.complete(session, true).await {
            Err(fault) if fault.code != Code::StillPending => {
                tracing::warn!(%fault, %session, "a session could not be completed");
            }
            Ok(()) | Err(_) => {}
        }
    }
}

fn decoded(name: &str, data: &str) -> Result<Vec<u8>, Fault> {
    // Refused before it is decoded: four characters stand for three bytes.
    if data.len() / 4 * 3 > bounds::ATTACHMENT_BYTES + 3 {
        return Err(Fault::new(
            Code::TooLarge,
            format!("{name:?} is larger than {} bytes.", bounds::ATTACHMENT_BYTES),
            "Attach a smaller file, or write where the agent finds it.",
        ));
    }
    STANDARD.decode(data).map_err(|error| {
        Fault::new(Code::InvalidInput, format!("`data` is not base64: {error}."), "Encode the file's bytes as base64.")
    })
}
