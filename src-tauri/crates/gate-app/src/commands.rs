//! Commands of the front ends: parse, one call, one conversion.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gate_api::{Answer, AskRequest, Command, SendReply, Snapshot, StatusReport};
use gate_clients::Options;
use gate_core::{AnsweredFrom, AttachmentId, Caller, Code, Declared, Fault, Outcome, RequestStatus, SnippetId, bounds};
use gate_mcp::Call;
use uuid::Uuid;

use crate::clients::{Which, Wish};
use crate::clock::now;
use crate::gate::{Gate, whole};

/// Where a command comes from; a reply's record shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The desktop app's own window.
    Desktop,
    /// The gate's page in a browser that a person has signed in.
    Browser,
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
            Command::Ask(_) | Command::Doctor { .. } => self.carry_out(command, origin).await,
            command => {
                let gate = self.clone();
                whole(async move { gate.carry_out(command, origin).await }).await
            }
        };
        self.notice(done.as_ref().err());
        done
    }

    async fn carry_out(&self, command: Command, origin: Origin) -> Result<Answer, Fault> {
        // What a process does by itself says nothing about the person.
        if origin != Origin::Script && is_act(&command) {
            self.person_acted().await;
        }
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
            Command::UndoReply { request_id } => {
                self.may_answer(origin)?;
                let request = Box::new(self.undo_reply(request_id).await?);
                Ok(Answer::Request { request })
            }
            Command::SendNow { request_id } => {
                self.may_answer(origin)?;
                self.send_now(request_id).await?;
                Ok(Answer::Done)
            }
            Command::Snooze { request_id, until } => {
                self.may_answer(origin)?;
                self.snooze(request_id, until).await?;
                Ok(Answer::Done)
            }
            Command::Wake { request_id } => {
                self.may_answer(origin)?;
                self.wake(request_id).await?;
                Ok(Answer::Done)
            }
            Command::SetAway { away } => {
                self.may_answer(origin)?;
                self.set_away(away).await?;
                Ok(Answer::Done)
            }
            Command::SetDoNotDisturb { on, until } => {
                self.may_answer(origin)?;
                self.set_do_not_disturb(on, until).await?;
                Ok(Answer::Done)
            }
            Command::SendNote { session_uuid, text } => {
                self.may_answer(origin)?;
                self.send_note(session_uuid, text).await?;
                Ok(Answer::Done)
            }
            Command::TakeBackNote { note_id } => {
                self.may_answer(origin)?;
                self.take_back_note(note_id).await?;
                Ok(Answer::Done)
            }
            Command::Dismiss { request_id } => {
                self.may_answer(origin)?;
                self.cancel(request_id).await?;
                Ok(Answer::Done)
            }
            Command::Snippets => self.snippets().await,
            Command::SaveSnippet { snippet_id, name, text } => {
                self.may_answer(origin)?;
                let new = SnippetId(Uuid::now_v7());
                self.inner.store.save_snippet(snippet_id, new, &name, &text, now()).await?;
                self.snippets().await
            }
            Command::DeleteSnippet { snippet_id } => {
                self.may_answer(origin)?;
                self.inner.store.delete_snippet(snippet_id).await?;
                self.snippets().await
            }
            Command::UseSnippet { snippet_id } => {
                self.may_answer(origin)?;
                self.inner.store.use_snippet(snippet_id, now()).await?;
                Ok(Answer::Done)
            }
            Command::Prompts => self.prompts().await,
            Command::Prompt { prompt_id } => self.prompt_view(&prompt_id).await,
            Command::PreviewPrompt { prompt_id, unsaved, arguments } => {
                self.preview_prompt(prompt_id, unsaved, arguments).await
            }
            Command::SavePrompt { prompt_id, prompt, seen } => self.save_prompt(prompt_id, prompt, seen, origin).await,
            Command::DeletePrompt { prompt_id, seen } => self.delete_prompt(prompt_id, seen, origin).await,
            Command::PromptVersions { prompt_id } => self.prompt_versions(&prompt_id).await,
            Command::RestorePrompt { prompt_id, version_id } => {
                self.restore_prompt(prompt_id, version_id, origin).await
            }
            Command::SyncPrompts => self.sync_prompts(),
            Command::PreviewPromptImport { path } => self.preview_prompt_import(path).await,
            Command::ImportPrompts { path, ids } => self.import_prompts(path, ids, origin).await,
            Command::CompleteFile { request_id, query } => self.complete_file(request_id, &query).await,
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
                self.inner.sessions.tell(session_uuid, restored_by_person(&restored.checkpoint.name));
                Ok(Answer::Restored { restored })
            }
            Command::UndoRestore { session_uuid, restore_id } => {
                let restored = self.undo(session_uuid, Some(restore_id)).await?;
                self.inner.sessions.tell(session_uuid, undone_by_person(&restored.checkpoint.name));
                Ok(Answer::Restored { restored })
            }
            Command::DeleteConversation { session_uuid } => {
                self.delete_conversation(session_uuid).await?;
                Ok(Answer::Done)
            }
            Command::Export { session_uuid, format, path } => self.export(session_uuid, format, path.as_deref()).await,
            Command::Import { path } => self.import(&path).await,
            Command::Backup => self.back_up().await,
            Command::Settings => self.settings_view().await,
            Command::SaveSettings { values, seen } => self.save_settings(values, seen, origin).await,
            Command::UndoSettings => self.undo_settings(origin).await,
            Command::UndoSettingChange { change_id } => self.undo_setting_change(change_id, origin).await,
            Command::PreviewSettingsImport { text } => self.preview_settings(text).await,
            Command::ImportSettings { text } => self.import_settings(text, origin).await,
            Command::ExportSettings => self.export_settings().await,
            Command::Requests => {
                let mut requests = self.inner.store.pending().await?;
                requests.sort_by_key(|request| self.is_put_off(request.request_id));
                Ok(Answer::Requests { requests })
            }
            Command::Ask(ask) => Ok(Answer::Asked { outcome: self.ask_and_wait(ask).await? }),
            Command::CreateToken { name } => Ok(Answer::Token { token: self.create_token(&name).await? }),
            Command::RotateToken => Ok(Answer::Token { token: self.rotate_token().await? }),
            Command::RevokeToken { name } => {
                self.revoke_token(&name).await?;
                Ok(Answer::Done)
            }
            Command::Tokens => Ok(Answer::Tokens { tokens: self.tokens().await? }),
            Command::HeardClients => Ok(Answer::HeardClients { clients: self.clients().await? }),
            Command::Clients { project } => self.client_states(project).await,
            Command::PreviewClient { client, scope, connect, rules, take_over, project } => {
                self.may_answer(origin)?;
                let wish = if connect { Wish::Connect(Options { rules, take_over }) } else { Wish::Disconnect };
                self.preview_client(Which { client, scope, project }, wish).await
            }
            Command::ConnectClient { client, scope, rules, take_over, project } => {
                self.may_answer(origin)?;
                let wish = Wish::Connect(Options { rules, take_over });
                self.change_client(Which { client, scope, project }, wish).await
            }
            Command::DisconnectClient { client, scope, project } => {
                self.may_answer(origin)?;
                self.change_client(Which { client, scope, project }, Wish::Disconnect).await
            }
            Command::Doctor { popup } => Ok(Answer::Doctor(self.doctor(popup).await?)),
            Command::Voice => self.voice().await,
            Command::ArmVoice { by } => self.arm_voice(by, origin).await,
            Command::DisarmVoice { by } => self.disarm_voice(by).await,
            Command::StartVoice { request_id } => self.start_voice(request_id, origin).await,
            Command::StopVoice { take } => self.stop_voice(take).await,
            Command::CancelVoice { take } => self.cancel_voice(take).await,
            Command::RetryVoice { take } => self.retry_voice(take, origin).await,
            Command::Microphones => self.microphones().await,
            Command::SpeechModels => self.speech_models().await,
            Command::DownloadModel { name } => self.download_model(&name, origin).await,
            Command::PauseDownload { name } => self.pause_download(&name).await,
            Command::ImportModel { path } => self.import_model(&path, origin).await,
            Command::RemoveModel { name } => self.remove_model(&name, origin).await,
            Command::TestRequest => Ok(Answer::TestRequest { finding: self.test_request().await? }),
            Command::Status => Ok(Answer::Status { status: self.status() }),
            Command::Link => {
                let (url, expires_at) = self.new_link(origin)?;
                Ok(Answer::Link { url, expires_at })
            }
            Command::SignOut => {
                self.sign_out().await?;
                Ok(Answer::Done)
            }
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
            presence: self.presence(),
            settings: self.settings().window_settings(),
            warnings: self.warnings(),
            command_path: self.inner.command_path.clone(),
        }
    }

    async fn snippets(&self) -> Result<Answer, Fault> {
        Ok(Answer::Snippets { snippets: self.inner.store.snippets(now()).await? })
    }

    fn status(&self) -> StatusReport {
        StatusReport {
            running: true,
            pid: std::process::id(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            pending: self.pending(),
            home: self.inner.home.clone(),
            window: self.inner.window,
            away: self.is_away(),
            quiet: self.presence().quiet,
            http: self.inner.http.clone(),
        }
    }

    async fn reply(&self, reply: SendReply, origin: Origin) -> Result<(), Fault> {
        self.may_answer(origin)?;
        let from = match origin {
            Origin::Desktop => AnsweredFrom::Desktop,
            Origin::Browser => AnsweredFrom::Browser,
            Origin::Terminal => AnsweredFrom::Terminal,
            Origin::Script => AnsweredFrom::Script,
        };
        let (request, decision, draft) = (reply.request_id, reply.decision, reply.draft);
        match from {
            AnsweredFrom::Desktop | AnsweredFrom::Browser => {
                self.answer_from_window(request, decision, &draft, from).await
            }
            AnsweredFrom::Terminal | AnsweredFrom::Script => self.answer(request, decision, &draft, from).await,
        }
    }

    /// An agent with a shell must not answer for the person.
    pub(crate) fn may_answer(&self, origin: Origin) -> Result<(), Fault> {
        let scripts = self.settings().security.scripted_answers.unwrap_or(!self.inner.window);
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

/// Whether a command is something that a person does, not what a window does by itself.
fn is_act(command: &Command) -> bool {
    matches!(
        command,
        Command::SaveDraft { .. }
            | Command::Attach { .. }
            | Command::SendReply(_)
            | Command::UndoReply { .. }
            | Command::SendNow { .. }
            | Command::Snooze { .. }
            | Command::Wake { .. }
            | Command::SetDoNotDisturb { .. }
            | Command::SendNote { .. }
            | Command::TakeBackNote { .. }
            | Command::Dismiss { .. }
            | Command::SaveSnippet { .. }
            | Command::UseSnippet { .. }
            | Command::SavePrompt { .. }
            | Command::DeletePrompt { .. }
            | Command::RestorePrompt { .. }
            | Command::SyncPrompts
            | Command::ImportPrompts { .. }
            | Command::CloseSession { .. }
            | Command::ReopenSession { .. }
            | Command::RestoreCheckpoint { .. }
            | Command::UndoRestore { .. }
            | Command::DeleteConversation { .. }
            | Command::ConnectClient { .. }
            | Command::DisconnectClient { .. }
            | Command::SaveSettings { .. }
            | Command::UndoSettings
            | Command::UndoSettingChange { .. }
            | Command::ImportSettings { .. }
            | Command::StartVoice { .. }
            | Command::StopVoice { .. }
            | Command::CancelVoice { .. }
    )
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
