//! Commands of the front ends: parse, one call, one conversion.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gate_api::{Answer, AskRequest, Command, SendReply, Snapshot, StatusReport};
use gate_core::{AnsweredFrom, AttachmentId, Caller, Code, Declared, Fault, Outcome, RequestStatus, bounds};
use gate_mcp::Call;
use uuid::Uuid;

use crate::clock::now;
use crate::gate::{Gate, whole};

/// Where a command comes from; a reply's record shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The desktop app's own window.
    Desktop,
    /// A person at a terminal.
    Terminal,
    /// A process without a terminal.
    Script,
}

/// For how long `ask` waits when it names no time: longer than any person stays away.
const FOREVER: Duration = Duration::from_secs(365 * 24 * 60 * 60);

impl Gate {
    /// Carries out one command.
    ///
    /// # Errors
    /// A [`Fault`] with its code; nothing is half done then.
    pub async fn execute(&self, command: Command, origin: Origin) -> Result<Answer, Fault> {
        let done = match command {
            // Whoever waits for an answer and goes away waits no longer.
            Command::Ask(_) => self.carry_out(command, origin).await,
            command => {
                let gate = self.clone();
                whole(async move { gate.carry_out(command, origin).await }).await
            }
        };
        self.notice(done.as_ref().err());
        done
    }

    async fn carry_out(&self, command: Command, origin: Origin) -> Result<Answer, Fault> {
        match command {
            Command::Snapshot => Ok(Answer::Snapshot(self.snapshot())),
            Command::OpenRequest { request_id } => {
                let request = Box::new(self.open_request(request_id).await?);
                Ok(Answer::Request { request })
            }
            Command::SaveDraft { request_id, draft } => {
                self.may_answer(origin)?;
                draft.check()?;
                self.inner.store.save_draft(request_id, &draft, now()).await?;
                Ok(Answer::Done)
            }
            Command::Attach { request_id, name, data } => {
                self.may_answer(origin)?;
                let bytes = decoded(&name, &data)?;
                let id = AttachmentId(Uuid::now_v7());
                let attachment = self.inner.store.attach(request_id, id, &name, &bytes, now()).await?;
                Ok(Answer::Attached { attachment })
            }
            Command::ReadAttachment { attachment_id } => {
                let (attachment, bytes) = self.read_attachment(attachment_id).await?;
                Ok(Answer::Bytes { attachment, data: STANDARD.encode(bytes) })
            }
            Command::SendReply(reply) => {
                self.reply(reply, origin).await?;
                Ok(Answer::Done)
            }
            Command::Dismiss { request_id } => {
                self.may_answer(origin)?;
                self.cancel(request_id).await?;
                Ok(Answer::Done)
            }
            Command::Sessions => Ok(Answer::Sessions { sessions: self.inner.sessions.all() }),
            Command::CloseSession { session_uuid } => {
                self.complete(session_uuid, true).await?;
                Ok(Answer::Done)
            }
            Command::ReopenSession { session_uuid } => {
                self.complete(session_uuid, false).await?;
                Ok(Answer::Done)
            }
            Command::History { query, cursor } => self.history(query, cursor.as_deref()).await,
            Command::Conversation { session_uuid, cursor } => {
                let conversation = Box::new(self.conversation_view(session_uuid, cursor.as_deref()).await?);
                Ok(Answer::Conversation { conversation })
            }
            Command::RestoreCheckpoint { session_uuid, checkpoint_id } => {
                let restored = self.restore_checkpoint(session_uuid, &checkpoint_id.to_string(), None).await?;
                self.inner.sessions.note(session_uuid, restored_by_person(&restored.checkpoint.name));
                Ok(Answer::Restored { restored })
            }
            Command::UndoRestore { session_uuid, restore_id } => {
                let restored = self.undo(session_uuid, Some(restore_id)).await?;
                self.inner.sessions.note(session_uuid, undone_by_person(&restored.checkpoint.name));
                Ok(Answer::Restored { restored })
            }
            Command::DeleteConversation { session_uuid } => {
                self.delete_conversation(session_uuid).await?;
                Ok(Answer::Done)
            }
            Command::Export { session_uuid, format, path } => self.export(session_uuid, format, path.as_deref()).await,
            Command::Import { path } => self.import(&path).await,
            Command::Backup => self.back_up().await,
            Command::Requests => Ok(Answer::Requests { requests: self.inner.store.pending().await? }),
            Command::Ask(ask) => Ok(Answer::Asked { outcome: self.ask_and_wait(ask).await? }),
            Command::CreateToken { name } => Ok(Answer::Token { token: self.create_token(&name).await? }),
            Command::RotateToken => Ok(Answer::Token { token: self.rotate_token().await? }),
            Command::RevokeToken { name } => {
                self.revoke_token(&name).await?;
                Ok(Answer::Done)
            }
            Command::Tokens => Ok(Answer::Tokens { tokens: self.tokens().await? }),
            Command::Clients => Ok(Answer::Clients { clients: self.clients().await? }),
            Command::Status => Ok(Answer::Status { status: self.status() }),
            Command::Stop => {
                self.stop();
                Ok(Answer::Done)
            }
            Command::Raise => {
                self.raise(None);
                Ok(Answer::Done)
            }
        }
    }

    fn snapshot(&self) -> Snapshot {
        Snapshot {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            requests: self.inner.board.all(),
            sessions: self.inner.sessions.all(),
            settings: self.inner.settings.window.clone(),
            warnings: self.warnings(),
            command_path: self.inner.command_path.clone(),
        }
    }

    fn status(&self) -> StatusReport {
        StatusReport {
            running: true,
            pid: std::process::id(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            pending: self.pending(),
            home: self.inner.home.clone(),
            window: self.inner.window,
            http: self.inner.http.clone(),
        }
    }

    async fn reply(&self, reply: SendReply, origin: Origin) -> Result<(), Fault> {
        self.may_answer(origin)?;
        let from = match origin {
            Origin::Desktop => AnsweredFrom::Desktop,
            Origin::Terminal => AnsweredFrom::Terminal,
            Origin::Script => AnsweredFrom::Script,
        };
        self.answer(reply.request_id, reply.decision, &reply.draft, from).await
    }

    /// An agent with a shell must not answer for the person.
    pub(crate) fn may_answer(&self, origin: Origin) -> Result<(), Fault> {
        let scripts = self.inner.settings.scripted_answers.unwrap_or(!self.inner.window);
        if origin == Origin::Script && !scripts {
            return Err(Fault::new(
                Code::ScriptedAnswersOff,
                "This process has no terminal, and answers from scripts are switched off.",
                "Answer in the window or from a terminal, or set `security.scripted_answers: true` in config.yaml by hand.",
            ));
        }
        Ok(())
    }

    async fn ask_and_wait(&self, request: AskRequest) -> Result<Outcome, Fault> {
        let patience = request.timeout_seconds.map_or(FOREVER, Duration::from_secs);
        let call_key = format!("ask:{}", Uuid::now_v7());
        let asked = self
            .ask(Call {
                ask: request.ask,
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
                patience_millis: u64::try_from(patience.as_millis()).unwrap_or(u64::MAX),
            })
            .await?;
        match tokio::time::timeout(patience, self.closed(asked.request_id)).await {
            Ok(outcome) => {
                if let Err(error) = self.inner.store.mark_delivered(&call_key, now()).await {
                    tracing::warn!(%error, "a delivered reply could not be marked");
                }
                outcome
            }
            Err(_) => Ok(Outcome::without_reply(RequestStatus::Pending, asked.session_uuid, asked.request_id)),
        }
    }
}

fn restored_by_person(checkpoint: &str) -> String {
    format!(
        "The person took this conversation back to the checkpoint {checkpoint:?}. What was said after it no longer \
         holds; call review_gate_get_context before you go on."
    )
}

fn undone_by_person(checkpoint: &str) -> String {
    format!(
        "The person undid taking this conversation back to the checkpoint {checkpoint:?}. Everything said holds \
         again; call review_gate_get_context before you go on."
    )
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
