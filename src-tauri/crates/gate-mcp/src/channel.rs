//! The way between a client and its server: who is at the other end, how results go back, and whether
//! anybody is still there to read them. A tool is called with it.

mod exchange;
mod handed;

use std::any::Any;
use std::collections::VecDeque;
use std::path::{Component, Path};
use std::sync::{Arc, Mutex, PoisonError};

use gate_core::clients::{ResultForm, Transport, result_form};
use gate_core::proposal::Party;
use gate_core::proposal::party::Ancestor;
use gate_core::workflow::JobId;
use gate_core::{Asker, Caller, Declared, Owner, OwnerId, Process, SessionUuid};
use rmcp::RoleServer;
use rmcp::model::{Extensions, ProtocolVersion, RequestId};
use rmcp::service::RequestContext;
use rmcp::transport::streamable_http_server::session::SessionRestoreMarker;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::port::{Agent, Whose};

pub(crate) use exchange::Exchange;
pub use exchange::{Delivered, Deliveries, Delivery};
pub(crate) use handed::Handed;

/// How long the word that a client took a call back may take after the call was stopped.
const TAKEN_BACK_WAIT: std::time::Duration = std::time::Duration::from_millis(500);
/// Calls taken back that are remembered; more than run at the same time need not be.
const TAKEN_BACK: usize = 64;

/// The way to the client of one connection, or of one HTTP request or session.
pub(crate) struct Channel {
    workspace: Mutex<String>,
    /// The folder whose repositories may be read for it.
    reads: Option<String>,
    /// The processes above its client's own, the nearest first.
    above: Vec<Ancestor>,
    adrift: bool,
    group_of_process: Option<String>,
    /// Whether its client was started to call a tool for permissions, and needs to be told of it.
    needs_permission_tool: bool,
    /// The one job of the workflow that its client was started for.
    job: Option<JobId>,
    way: Way,
}

/// How messages come and results go back.
enum Way {
    Relay {
        id: String,
        client: Option<Process>,
        folder: String,
        asker: Option<Asker>,
        resumed: bool,
        gone: CancellationToken,
        handed: Arc<Handed>,
    },
    /// The calls that the client took back.
    Http(watch::Sender<VecDeque<RequestId>>),
}

impl Channel {
    /// Through a relay that was started in this workspace; `resumed` where it had a connection before. The kernel says
    /// which process is its client and in which folder it works.
    pub(crate) fn of_relay(
        id: String,
        (client, folder, asker): (Option<Process>, String, Option<Asker>),
        workspace: String,
        resumed: bool,
        gone: CancellationToken,
        handed: Arc<Handed>,
    ) -> Self {
        let way = Way::Relay { id, client, folder, asker, resumed, gone, handed };
        Self::by(way, workspace)
    }

    fn by(way: Way, workspace: String) -> Self {
        Self {
            workspace: Mutex::new(workspace),
            reads: None,
            above: Vec::new(),
            adrift: false,
            group_of_process: None,
            needs_permission_tool: false,
            job: None,
            way,
        }
    }

    /// With the folder that the relay works in, by the kernel's word, whose repositories may be read for it.
    pub(crate) fn reading_in(self, folder: Option<String>) -> Self {
        Self { reads: folder, ..self }
    }

    /// With the processes above its client's own, the nearest first, by the kernel's word.
    pub(crate) fn below(self, above: Vec<Ancestor>) -> Self {
        Self { above, ..self }
    }

    /// With a client that knows of nobody above it, or does, and its control group, by the kernel's word.
    pub(crate) fn landed(self, adrift: bool, group_of_process: Option<String>) -> Self {
        Self { adrift, group_of_process, ..self }
    }

    /// With a client that was started to call a tool for permissions, or not.
    pub(crate) fn needing_permission_tool(self, needs: bool) -> Self {
        Self { needs_permission_tool: needs, ..self }
    }

    /// With a client that was started for one job of the workflow, or not.
    pub(crate) fn for_job(self, job: Option<JobId>) -> Self {
        Self { job, ..self }
    }

    /// The one job of the workflow that its client was started for; absent where it may work on any.
    pub(crate) fn job(&self) -> Option<JobId> {
        self.job
    }

    /// Whether its client needs to be told of the tool for permissions.
    pub(crate) fn needs_permission_tool(&self) -> bool {
        self.needs_permission_tool
    }

    /// Over HTTP.
    pub(crate) fn over_http() -> Self {
        let way = Way::Http(watch::Sender::default());
        Self::by(way, String::new())
    }

    /// The client works in this folder.
    pub(crate) fn set_workspace(&self, folder: String) {
        *self.workspace.lock().unwrap_or_else(PoisonError::into_inner) = folder;
    }

    pub(crate) fn is_over_http(&self) -> bool {
        matches!(self.way, Way::Http(_))
    }

    pub(crate) fn transport(&self) -> Transport {
        match self.way {
            Way::Relay { .. } => Transport::Stdio,
            Way::Http(_) => Transport::Http,
        }
    }

    /// The folder that the relay works in, by the kernel's word; absent where it names none, and over HTTP.
    pub(crate) fn folder(&self) -> Option<String> {
        self.reads.clone()
    }

    fn workspace(&self) -> String {
        self.workspace.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Who calls, as the person is shown it.
    pub(crate) fn caller(&self, context: &RequestContext<RoleServer>) -> Caller {
        let info = context.client_info();
        Caller {
            client: info.as_ref().map(|info| info.name.clone()).unwrap_or_default(),
            client_version: info.map(|info| info.version).unwrap_or_default(),
            workspace: self.workspace(),
        }
    }

    /// Who calls, in the folder whose files it may be told the names of: the one that it names, where that is the one
    /// its relay works in, as the kernel says, or lies below. Of whom the kernel says nothing, and over HTTP, there is
    /// none.
    pub(crate) fn caller_among_its_files(&self, context: &RequestContext<RoleServer>) -> Caller {
        let caller = self.caller(context);
        let workspace = match &self.way {
            // As the gate sees it: in a sandbox, a folder of the same name may be another one.
            Way::Relay { .. } => within(self.reads.as_deref().unwrap_or_default(), &caller.workspace).to_owned(),
            Way::Http(_) => String::new(),
        };
        Caller { workspace, ..caller }
    }

    /// The form in which the client is given results. Over HTTP, lists are the same for all clients from 2026-07-28 on
    /// (they may be cached), and so is what follows from them.
    pub(crate) fn result_form(&self, context: &RequestContext<RoleServer>) -> ResultForm {
        let modern = context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28);
        match self.way {
            Way::Http(_) if modern => ResultForm::Structured,
            _ => context.client_info().map_or(ResultForm::Structured, |info| result_form(&info.name)),
        }
    }

    /// Who calls, where that is known from one call to the next.
    pub(crate) fn agent(&self, context: &RequestContext<RoleServer>) -> Option<Agent> {
        self.agent_of(&context.extensions)
    }

    /// Who says a message with these extensions.
    pub(crate) fn agent_of(&self, extensions: &Extensions) -> Option<Agent> {
        match &self.way {
            Way::Relay { id, .. } => Some(Agent::Relay(id.clone())),
            Way::Http(_) => session(extensions).map(|session| Agent::Http(session.to_owned())),
        }
    }

    /// Whose that is which a call begins, and who has to own what it names.
    pub(crate) fn owner(&self, context: &RequestContext<RoleServer>) -> Owner {
        // What a client calls itself counts beside its process alone, and is a copy of all that it says of itself.
        let counts = matches!(self.way, Way::Relay { client: Some(_), .. });
        let info = if counts { context.client_info() } else { None };
        self.owner_of(&context.extensions, &info.map(|info| info.name).unwrap_or_default())
    }

    /// The same of a message with these extensions, of a client that calls itself so.
    pub(crate) fn owner_of(&self, extensions: &Extensions, client: &str) -> Owner {
        match &self.way {
            Way::Relay { client: Some(process), folder, .. } => Owner::of_process(process.clone(), client, folder),
            Way::Relay { id, .. } => OwnerId::Relay(id.clone()).into(),
            Way::Http(_) => match exchange_in(extensions).and_then(|exchange| exchange.token_name.clone()) {
                Some(name) => OwnerId::Token(name).into(),
                None => OwnerId::SharedToken.into(),
            },
        }
    }

    /// Whether the client that is ready with this message was here before: its relay has a new connection, or its HTTP
    /// session is taken up again.
    pub(crate) fn came_back(&self, extensions: &Extensions) -> bool {
        match &self.way {
            Way::Relay { resumed, .. } => *resumed,
            Way::Http(_) => extensions.get::<SessionRestoreMarker>().is_some(),
        }
    }

    /// Whose session a call is about that names this one, or none.
    pub(crate) fn whose(&self, session_uuid: Option<SessionUuid>, context: &RequestContext<RoleServer>) -> Whose {
        Whose {
            session_uuid,
            caller: self.caller(context),
            declared: self.declared(context),
            agent: self.agent(context),
            owner: self.owner(context),
            call_key: self.call_key(context),
        }
    }

    /// The party that a call counts as, as far as the connection says: the kernel of a relay, the token over HTTP.
    pub(crate) fn party(&self, context: &RequestContext<RoleServer>) -> Party {
        let (owner, caller) = (self.owner(context), self.caller(context));
        let mut party = Party::of(&owner, &caller.client, &caller.workspace);
        party.above.clone_from(&self.above);
        party.adrift = self.adrift;
        party.group_of_process.clone_from(&self.group_of_process);
        party.unseen = matches!(self.way, Way::Relay { client: None, .. });
        party
    }

    /// What the client declared of itself, for the record.
    pub(crate) fn declared(&self, context: &RequestContext<RoleServer>) -> Declared {
        Declared {
            transport: Some(self.transport()),
            protocol_version: context.protocol_version().map(|version| version.to_string()),
            capabilities: context.client_capabilities().and_then(|all| serde_json::to_string(&all).ok()),
            token_name: exchange(context).and_then(|exchange| exchange.token_name.clone()),
            session: exchange(context).and_then(|exchange| exchange.session().map(str::to_owned)),
            asker: match &self.way {
                Way::Relay { asker, .. } => asker.clone(),
                Way::Http(_) => None,
            },
        }
    }

    pub(crate) fn call_key(&self, context: &RequestContext<RoleServer>) -> String {
        match (&self.way, exchange(context)) {
            (Way::Relay { id, .. }, _) => call_key(id, &context.id),
            (Way::Http(_), Some(exchange)) => exchange.call_key(&context.id),
            // Every HTTP request has its exchange; without one, nothing else may have this key.
            (Way::Http(_), None) => call_key(&format!("http-{}", uuid::Uuid::now_v7()), &context.id),
        }
    }

    /// The result of this call is on its way; while `attendance` lives, the call is counted. A call
    /// that only reads has none.
    pub(crate) fn hand(&self, context: &RequestContext<RoleServer>, attendance: Option<Box<dyn Any + Send + Sync>>) {
        match &self.way {
            Way::Relay { handed, .. } => {
                let call_key = self.call_key(context);
                handed.add(call_key.clone(), attendance);
                // A cancellation that came in between has looked for it in vain.
                if context.ct.is_cancelled() {
                    handed.arrived(&call_key);
                }
            }
            Way::Http(_) => {
                if let (Some(exchange), Some(attendance)) = (exchange(context), attendance) {
                    exchange.carries(context.id.clone(), Delivered::Result, Some(attendance));
                }
            }
        }
    }

    /// A result that isn't what its call asked for is on its way, with notes: `carried` lives until it
    /// has arrived.
    pub(crate) fn hand_notes(&self, context: &RequestContext<RoleServer>, carried: Box<dyn Any + Send + Sync>) {
        match (&self.way, exchange(context)) {
            (Way::Relay { .. }, _) => self.hand(context, Some(carried)),
            (Way::Http(_), Some(exchange)) => {
                exchange.carries(context.id.clone(), Delivered::Notes, Some(carried));
            }
            (Way::Http(_), None) => {}
        }
    }

    /// Resolves when nobody reads this call's result any more, but the call itself goes on.
    pub(crate) async fn unread(&self, context: &RequestContext<RoleServer>) {
        match (&self.way, exchange(context)) {
            (Way::Http(_), Some(exchange)) => exchange.gone().await,
            _ => std::future::pending().await,
        }
    }

    /// Resolves when the call is to end without a result. True if its client has taken it back;
    /// otherwise the connection is gone, and the request stays open.
    pub(crate) async fn stopped(&self, context: &RequestContext<RoleServer>) -> bool {
        match &self.way {
            Way::Relay { gone, .. } => {
                tokio::select! {
                    biased;
                    () = gone.cancelled() => false,
                    () = context.ct.cancelled() => !gone.is_cancelled(),
                }
            }
            Way::Http(taken_back) => {
                context.ct.cancelled().await;
                // Without a session there is nothing but the connection that could end a call.
                if exchange(context).is_none_or(|exchange| exchange.is_sessionless()) {
                    return false;
                }
                let mut taken_back = taken_back.subscribe();
                let ours = taken_back.wait_for(|ids| ids.contains(&context.id));
                tokio::time::timeout(TAKEN_BACK_WAIT, ours).await.is_ok_and(|found| found.is_ok())
            }
        }
    }

    /// Resolves when the connection is gone; over HTTP, whoever serves a request is dropped with it.
    pub(crate) async fn gone(&self) {
        match &self.way {
            Way::Relay { gone, .. } => gone.cancelled().await,
            Way::Http(_) => std::future::pending().await,
        }
    }

    /// A client that takes its call back drops the result, so its delivery is never confirmed.
    pub(crate) fn taken_back(&self, request: RequestId) {
        match &self.way {
            Way::Relay { id, handed, .. } => handed.arrived(&call_key(id, &request)),
            Way::Http(taken_back) => taken_back.send_modify(|ids| {
                ids.truncate(TAKEN_BACK - 1);
                ids.push_front(request);
            }),
        }
    }
}

/// The folder that a client names, where that is the one its relay works in or below it; else none. A text of the
/// client's own must not lead elsewhere.
fn within<'a>(works_in: &str, named: &'a str) -> &'a str {
    // Elsewhere the kernel isn't asked, and there is the client's word only.
    if works_in.is_empty() && !cfg!(target_os = "linux") {
        return named;
    }
    let path = Path::new(named);
    let leads_up = path.components().any(|part| part == Component::ParentDir);
    if !works_in.is_empty() && !leads_up && path.starts_with(works_in) { named } else { "" }
}

/// The HTTP request that a message came with.
fn exchange(context: &RequestContext<RoleServer>) -> Option<&Arc<Exchange>> {
    exchange_in(&context.extensions)
}

fn exchange_in(extensions: &Extensions) -> Option<&Arc<Exchange>> {
    extensions.get::<http::request::Parts>()?.extensions.get()
}

/// The HTTP session of the initialize-era that a message came in.
pub(crate) fn session(extensions: &Extensions) -> Option<&str> {
    exchange_in(extensions)?.session()
}

/// Names a call across reconnections of the same relay.
pub(crate) fn call_key(relay: &str, id: &RequestId) -> String {
    match id {
        RequestId::Number(number) => format!("{relay}:{number}"),
        RequestId::String(text) => format!("{relay}:{text:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_is_told_of_files_where_its_relay_works_and_nowhere_else() {
        for (named, folder, why) in [
            ("/home/ada/shop", "/home/ada/shop", "the folder itself"),
            ("/home/ada/shop/ui", "/home/ada/shop/ui", "one below it"),
            ("/etc", "", "another one"),
            ("/home/ada/shop-secrets", "", "one whose name only begins so"),
            ("/home/ada/shop/../mail", "", "one that leads out"),
            ("", "", "none"),
        ] {
            assert_eq!(within("/home/ada/shop", named), folder, "{why}");
        }
        #[cfg(target_os = "linux")]
        assert_eq!(within("", "/etc"), "", "of whom the kernel says nothing");
    }
}
