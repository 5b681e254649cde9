//! The Connect page: which clients there are, and connecting them. What their files look like is
//! gate-clients' matter.

use std::path::Path;
use std::sync::{Arc, PoisonError};

use gate_api::subjects::connections::Clients;
use gate_api::{
    ClientDiff, ClientFile, ClientPermission, ClientPreview, ClientQuestions, ClientRules, ClientScope, ClientState,
    Phrase,
};
use gate_clients::{Client, Connector, Folders, Options, Permission, Plan, RulesState, Scope, Start, State, Toolsets};
use gate_core::clients::Override;
use gate_core::{Code, Fault, SessionStatus, Timestamp};

use super::Connections;
use crate::host::Host;
use crate::work::blocking;

/// How much earlier than a client gives up its call is answered `pending`, in seconds.
const MARGIN: u64 = 10;

/// Which client, for whom.
pub(crate) struct Which {
    pub(crate) client: String,
    pub(crate) scope: ClientScope,
    pub(crate) project: Option<String>,
}

/// What is to be done with it.
#[derive(Clone, Copy)]
pub(crate) enum Wish {
    /// To be connected so.
    Connect(Options),
    /// To be disconnected.
    Disconnect,
    /// To stay connected, and to ask whether an agent may do something at its own prompt alone.
    KeepQuestions,
}

impl Wish {
    /// What goes: the connection with all that belongs to it, or the questions alone.
    pub(crate) fn out(questions: bool) -> Self {
        if questions { Self::KeepQuestions } else { Self::Disconnect }
    }
}

impl Connections {
    /// Every client, and how it is.
    pub(crate) async fn clients(&self, project: Option<String>) -> Result<Clients, Fault> {
        let clients = self.client_states(project).await?;
        Ok(Clients { clients, takes_questions: self.settings.in_force().permissions.enabled })
    }

    async fn client_states(&self, project: Option<String>) -> Result<Vec<ClientState>, Fault> {
        let looking = blocking(move || {
            let folders = folders(project.as_deref())?;
            let states = gate_clients::states(&folders);
            Ok((folders, states))
        });
        let (folders, states) = looking.await?;
        self.remember_waits(&states);
        let mut last: Vec<(Client, Timestamp)> = Vec::new();
        for seen in self.heard_clients().await? {
            last.extend(Client::of_agent(&seen.client).map(|client| (client, seen.last_at)));
        }
        let sessions = self.conversations.sessions.all();
        let alive: Vec<Client> = sessions
            .iter()
            .filter(|session| session.status == SessionStatus::Active)
            .filter_map(|session| Client::of_agent(&session.client))
            .collect();
        let clients = states.into_iter().map(|state| {
            let client = state.client;
            let last_spoke = last.iter().filter(|(who, _)| *who == client).map(|(_, at)| *at).max();
            let sessions = alive.iter().filter(|who| **who == client).count();
            shown(state, &folders, last_spoke, u32::try_from(sessions).unwrap_or(u32::MAX))
        });
        Ok(clients.collect())
    }

    /// What a wish would change.
    pub(crate) async fn preview_client(&self, which: Which, wish: Wish) -> Result<ClientPreview, Fault> {
        let host = Arc::clone(&self.host);
        blocking(move || {
            let connector = connector(&host, which.project.as_deref())?;
            let plan = planned(&connector, &which, wish)?;
            let folders = connector.folders();
            let files = plan.changes.iter().map(|change| {
                let path = folders.shown(&change.path);
                ClientDiff { diff: change.diff(&path), path }
            });
            let backup = connector.backup_of(&plan).map(|path| folders.shown(&path));
            Ok(ClientPreview { files: files.collect(), backup })
        })
        .await
    }

    /// Carries a wish out, and says how every client is then.
    pub(crate) async fn change_client(&self, which: Which, wish: Wish) -> Result<Clients, Fault> {
        let (host, project) = (Arc::clone(&self.host), which.project.clone());
        let done = blocking(move || {
            let connector = connector(&host, which.project.as_deref())?;
            let plan = planned(&connector, &which, wish)?;
            connector.carry_out(&plan).map(|done| (plan.client, done))
        });
        let (client, done) = done.await?;
        tracing::info!(client = client.id(), files = done.files.len(), "a client's configuration was written");
        self.clients(project).await
    }

    /// Looks how long the connected clients wait.
    pub(crate) async fn look_at_clients(&self) {
        if let Err(fault) = self.client_states(None).await {
            tracing::warn!(%fault, "the clients' configuration could not be looked at");
        }
    }

    fn remember_waits(&self, states: &[State]) {
        let waits = states
            .iter()
            .filter(|state| state.connected)
            .filter_map(|state| installed(state.client, state.wait_seconds?));
        *self.installed.lock().unwrap_or_else(PoisonError::into_inner) = waits.collect();
    }

    /// The waiting times of the person's settings, and of the clients that were connected to wait longer.
    pub(crate) fn waiting_times(&self) -> Vec<Override> {
        let mut all = self.settings.in_force().waiting.clients.0.clone();
        all.extend(self.installed.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned());
        all
    }
}

fn connector(host: &Host, project: Option<&str>) -> Result<Connector, Fault> {
    let folders = folders(project)?;
    let program = Path::new(&host.command_path);
    let program = std::path::absolute(program).unwrap_or_else(|_| program.to_owned());
    let program = gate_clients::stable_program(&program, &folders.path);
    let home = host.home.single_folder().map(Path::to_owned);
    Ok(Connector::new(folders, host.home.data_folder().to_owned(), Start { program, home }))
}

fn folders(project: Option<&str>) -> Result<Folders, Fault> {
    let folders = Folders::of_process()?;
    match project.map(Path::new) {
        None => Ok(folders),
        Some(project) if project.is_absolute() && project.is_dir() => Ok(folders.with_project(project)),
        Some(project) => Err(Fault::new(
            Code::InvalidInput,
            format!("{} is no folder.", project.display()),
            "Name the project's folder by its full path.",
        )),
    }
}

/// How long calls of a client wait whose entry grants them so many seconds.
fn installed(client: Client, seconds: u64) -> Option<Override> {
    Override::installed(client.agent_name(), seconds.saturating_sub(MARGIN).max(1))
}

fn planned(connector: &Connector, which: &Which, wish: Wish) -> Result<Plan, Fault> {
    let client = Client::parse(&which.client)?;
    let scope = match which.scope {
        ClientScope::User => Scope::User,
        ClientScope::Project => Scope::Project,
    };
    match wish {
        Wish::Connect(options) => connector.plan_connect(client, scope, options),
        Wish::Disconnect => connector.plan_disconnect(client, scope),
        Wish::KeepQuestions => connector.plan_without_questions(client, scope),
    }
}

fn shown(state: State, folders: &Folders, last_spoke: Option<Timestamp>, sessions: u32) -> ClientState {
    ClientState {
        client: state.client.id().to_owned(),
        title: state.client.title().to_owned(),
        found: state.found,
        connected: state.connected,
        folders: state.folders.iter().map(|folder| folders.shown(folder)).collect(),
        elsewhere: state.elsewhere,
        last_spoke,
        sessions,
        rules: match state.rules {
            RulesState::None => ClientRules::None,
            RulesState::Written => ClientRules::Written,
            RulesState::Changed => ClientRules::Changed,
            RulesState::Unsupported => ClientRules::Unsupported,
        },
        permission: match state.permission {
            Permission::Given => ClientPermission::Given,
            Permission::NotGiven => ClientPermission::NotGiven,
            Permission::ByHand => ClientPermission::ByHand,
            Permission::NotNeeded => ClientPermission::NotNeeded,
        },
        permission_note: state.client.allow_step().map(Phrase::new),
        asks_here: state
            .questions
            .iter()
            .map(|way| ClientQuestions { scope: told(way.scope), path: folders.shown(&way.file), trusted: way.trusted })
            .collect(),
        can_ask_here: state.client.hands_over_questions(),
        asks_here_note: Phrase::new(questions_text(state.client)),
        toolsets: state.toolsets.into_iter().flat_map(Toolsets::names).map(str::to_owned).collect(),
        time_out: state.wait_seconds.map(|seconds| format!("{seconds} s")),
        note: Some(Phrase::new(state.client.next_step())),
        files: state
            .files
            .into_iter()
            .map(|file| ClientFile {
                scope: told(file.scope),
                path: folders.shown(&file.path),
                exists: file.exists,
                connected: file.connected,
                fault: file.fault,
            })
            .collect(),
    }
}

fn told(scope: Scope) -> ClientScope {
    match scope {
        Scope::User => ClientScope::User,
        Scope::Project => ClientScope::Project,
    }
}

/// What there is to say of a client's questions whether an agent may do something.
fn questions_text(client: Client) -> String {
    match client.no_questions() {
        Some(why) => why.text().to_owned(),
        None => format!("client-{}-questions", client.id()),
    }
}

/// The toolsets of these names; absent where none is named.
pub(crate) fn named_toolsets(names: &[String]) -> Result<Option<Toolsets>, Fault> {
    (!names.is_empty()).then(|| Toolsets::named(names.iter().map(String::as_str))).transpose()
}

#[cfg(test)]
mod tests {
    use gate_core::clients::{self, ResultForm, Transport, patience, result_form};

    use super::*;
    use gate_clients::NoQuestions;

    /// After how many seconds the person answers: 2, 10 and 70 minutes.
    const ANSWERED: [u64; 3] = [120, 600, 4200];
    /// The head of the table in `docs/agents.md` that these tests compare.
    const HEAD: &str = "| client | a call waits, by itself | 2 min | 10 min | 70 min \
                        | as `install` writes it | 2 min | 10 min | 70 min |\n|---|---:|---|---|---|---:|---|---|---|\n";

    /// The head of the table there of the clients that no test runs.
    const READ: &str = "| client | is given | its model gets | a picture | read in |\n|---|---|---|---|---|\n";
    /// The clients that tests run (`tests/tests/e2e/real_agents.rs`).
    const TRIED: [Client; 4] = [Client::ClaudeCode, Client::Codex, Client::Gemini, Client::OpenCode];

    /// The rows of `docs/agents.md` below a head.
    fn told_below(head: &str) -> std::io::Result<Vec<String>> {
        let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/agents.md"))?;
        let (_, after) = page.split_once(head).unwrap_or_default();
        let rows = after.split_inclusive('\n').take_while(|line| line.starts_with('|'));
        Ok(rows.map(str::to_owned).collect())
    }

    /// For how many seconds a call of this client waits: by itself, or connected by the installer.
    fn waits(client: Client, overrides: &[Override]) -> u64 {
        let (name, transport) = (client.agent_name(), Transport::Stdio);
        patience(&clients::Client { name, version: "1.0", transport, progress: false }, overrides).as_secs()
    }

    fn written(client: Client) -> Vec<Override> {
        client.longest_wait().and_then(|seconds| installed(client, seconds)).into_iter().collect()
    }

    /// How long a client's call waits, and how the answers come: with its result, or fetched after it said `pending`.
    fn cells(client: Client, overrides: &[Override]) -> String {
        let waits = waits(client, overrides);
        let answers = ANSWERED.map(|after| if after < waits { "result" } else { "`pending`" });
        format!("{waits} s | {}", answers.join(" | "))
    }

    #[test]
    fn how_late_answers_come_to_each_client_is_documented() -> std::io::Result<()> {
        let rows = Client::ALL.map(|client| {
            format!("| {} | {} | {} |\n", client.title(), cells(client, &[]), cells(client, &written(client)))
        });
        assert_eq!(told_below(HEAD)?.concat(), rows.concat(), "docs/agents.md has what is so, below\n{HEAD}");
        Ok(())
    }

    #[test]
    fn what_each_client_that_no_test_runs_is_given_is_documented_with_where_that_was_read() -> std::io::Result<()> {
        let told = told_below(READ)?;
        let read = Client::ALL.into_iter().filter(|client| !TRIED.contains(client));
        let expected: Vec<String> = read
            .map(|client| {
                let form = match result_form(client.agent_name()) {
                    ResultForm::Structured => "text and structure",
                    ResultForm::ContentAlone => "text",
                };
                format!("| {} | {form} | ", client.title())
            })
            .collect();
        assert_eq!(told.len(), expected.len(), "a row for each client, below\n{READ}");
        for (told, expected) in told.iter().zip(expected) {
            assert!(told.starts_with(&expected), "{told} is given as the gate declares it: {expected}");
            assert!(told.contains("](https://"), "where it was read can be read again: {told}");
        }
        Ok(())
    }

    #[test]
    fn what_the_installer_writes_lets_a_client_wait_for_longer() {
        for client in Client::ALL {
            let Some(seconds) = client.longest_wait() else { continue };
            let (by_itself, waits) = (waits(client, &[]), waits(client, &written(client)));
            assert!(by_itself < waits && waits < seconds, "{client:?}: {by_itself}, then {waits} of {seconds} s");
        }
    }

    #[test]
    fn windows_give_the_terminals_reason_why_questions_cant_come() {
        for why in NoQuestions::ALL {
            let window = gate_texts::Texts::english().say(why.text()).replace('’', "'");
            assert_eq!(window, why.sentence(), "{why:?}");
        }
        for client in Client::ALL {
            let (step, text) = (client.questions_step(), questions_text(client));
            assert!(step.is_none_or(|step| step == text), "what a terminal says once they come: {text}");
        }
    }

    #[test]
    fn entries_can_ask_for_what_is_served_and_by_themselves_ask_for_the_default() {
        assert_eq!(Toolsets::choices().collect::<Vec<_>>(), gate_mcp::Toolset::names().collect::<Vec<_>>());
        assert_eq!(Toolsets::default().names().collect::<Vec<_>>(), [gate_mcp::DEFAULT_TOOLSET]);
    }

    #[test]
    fn the_catalogues_have_what_is_said_of_every_client_and_no_more() {
        let steps = |client: Client| {
            [Some(client.next_step()), client.allow_step(), Some(questions_text(client))].into_iter().flatten()
        };
        let said: Vec<Phrase> = Client::ALL.into_iter().flat_map(steps).map(Phrase::new).collect();
        assert_eq!(gate_texts::testing::differences("client", said), Vec::<String>::new());
    }
}
