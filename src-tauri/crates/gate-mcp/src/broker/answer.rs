//! One call of a tool of the broker, from its arguments to its result.
//!
//! The first content of a result is its structure as JSON, which is all that some clients read; notes and advice follow,
//! and stand in it as well. A result begins with its review in a few words.

use std::any::Any;
use std::marker::PhantomData;
use std::time::Duration;

use gate_core::proposal::ReviewSummary;
use gate_core::{Code, Digest, Fault, OwnerId, SessionUuid};
use rmcp::model::{CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CreateTaskResult, Task};
use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};
use tokio::time::Instant;

use super::input::{Takes, Wait};
use super::port::{BrokerPort, ReviewCaller};
use super::views::Summary;
use crate::chat::tasks::are_declared;
use crate::input::{described, read, unknown_note};
use crate::notes;
use crate::output::{Shape, add_asides};
use crate::tool::Called;
use crate::waiting::{Came, Waiting, cancelled, patience_of};

/// The field for what the caller should do next.
const NEXT: &str = "next";
/// The field for the session that the call goes on in.
const SESSION: &str = "session_uuid";

/// What a tool does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Does {
    /// It looks.
    Reads,
    /// It says something, which decides nothing.
    Comments,
    /// It proposes or decides: somebody has to be known who does.
    Decides,
}

/// One call.
pub(super) struct Call<'a> {
    pub(super) port: &'a dyn BrokerPort,
    pub(super) called: &'a Called<'a>,
    pub(super) caller: ReviewCaller,
    /// The name by which the tool was called.
    pub(super) name: String,
    does: Does,
    began: Instant,
    unknown: Vec<String>,
}

/// What came of waiting.
pub(super) enum News<T> {
    /// What was waited for.
    Came(T),
    /// The caller should call again.
    Nothing,
    /// Nobody should wait: the person is away.
    Away,
}

impl<'a> Call<'a> {
    /// Reads what a call says, and finds out who calls.
    ///
    /// # Errors
    /// What is wrong with the arguments; `shared_identity` where nobody can tell who proposes or decides.
    pub(super) async fn begin<T: Takes>(
        port: &'a dyn BrokerPort,
        called: &'a Called<'a>,
        params: CallToolRequestParams,
        does: Does,
    ) -> Result<(Self, T::Checked), Fault> {
        let began = Instant::now();
        let name = params.name.into_owned();
        let digest = called.channel.is_over_http().then(|| digest(&name, params.arguments.as_ref())).flatten();
        let read = read::<T>(params.arguments)?;
        let (session, checked) = (read.input.session(), read.input.checked()?);
        let mut caller = reviewer(port, called, session, digest);
        if does == Does::Decides && caller.whose.owner.id == OwnerId::SharedToken {
            return Err(shared_identity());
        }
        caller.whose.session_uuid = port.session(&caller, does != Does::Reads).await?;
        Ok((Self { port, called, caller, name, does, began, unknown: read.unknown }, checked))
    }

    /// A call that asks for a task, as one that looks.
    pub(super) async fn looking(port: &'a dyn BrokerPort, called: &'a Called<'a>) -> Result<Self, Fault> {
        let mut caller = reviewer(port, called, None, None);
        caller.whose.session_uuid = port.session(&caller, false).await?;
        let (name, does, unknown) = (String::new(), Does::Reads, Vec::new());
        Ok(Self { port, called, caller, name, does, began: Instant::now(), unknown })
    }

    /// Whether the client takes a task in the place of a result that it would wait for.
    pub(super) fn takes_tasks(&self) -> bool {
        are_declared(self.called.context)
    }

    /// Waits for something as long as the client's patience allows; `for_person` where the person has to do the next
    /// thing, for whom nobody waits while they are away.
    ///
    /// # Errors
    /// Of what is waited for; that the call was cancelled.
    pub(super) async fn wait<T>(
        &self,
        wait: Wait,
        for_person: bool,
        says: &str,
        what: impl Future<Output = Result<T, Fault>> + Send,
    ) -> Result<News<T>, Fault> {
        let patience = patience_of(self.called, &self.port.patience_overrides()).saturating_sub(self.began.elapsed());
        let patience = wait.seconds.map_or(patience, |seconds| patience.min(Duration::from_secs(seconds)));
        let mut waiting = Waiting::of(self.called, patience);
        tokio::pin!(what);
        let away = async {
            match for_person {
                true => self.port.away().await,
                false => std::future::pending().await,
            }
        };
        tokio::pin!(away);
        match waiting.on(what, away, true, |_| says.to_owned()).await {
            Came::This(what) => what.map(News::Came),
            Came::Stopped { .. } => Err(cancelled()),
            Came::Away => Ok(News::Away),
            // Whoever comes back for it is told to call again.
            Came::Unread | Came::Over => Ok(News::Nothing),
        }
    }

    /// The response: the result, or the task in its place.
    pub(super) async fn answered(&self, told: Told) -> Result<CallToolResponse, Fault> {
        let Some(task) = told.task else { return self.given(told).await.map(Into::into) };
        self.hand(None);
        Ok(CreateTaskResult::new(task).into())
    }

    /// The result on its way. What the call did is kept until it has arrived.
    pub(super) async fn given(&self, told: Told) -> Result<CallToolResult, Fault> {
        self.sent(told, true).await
    }

    /// The same without the session that the call goes on in, for clients that know of none.
    pub(super) async fn flat(&self, told: Told) -> Result<CallToolResult, Fault> {
        self.sent(told, false).await
    }

    async fn sent(&self, told: Told, names_session: bool) -> Result<CallToolResult, Fault> {
        let Called { gate, .. } = *self.called;
        let Told { mut fields, next, .. } = told;
        if let Some(session) = self.caller.whose.session_uuid {
            fields.insert(SESSION.to_owned(), json!(session));
        }
        if let Some(next) = &next {
            fields.insert(NEXT.to_owned(), json!(next));
        }
        let mut structured = Value::Object(fields);
        let asides: Vec<String> = unknown_note(&self.unknown).into_iter().collect();
        add_asides(&mut structured, &asides);
        let mut result = CallToolResult::success(Vec::new());
        result.structured_content = Some(structured);
        // They go by the session that the result names.
        let carried = notes::add(gate, &self.caller.whose.call_key, &mut result).await;
        let fields = result.structured_content.as_mut().and_then(Value::as_object_mut);
        if let Some(fields) = fields.filter(|_| !names_session) {
            fields.remove(SESSION);
        }
        let text = result.structured_content.as_ref().and_then(Value::as_object).map(ordered).transpose()?;
        result.content.insert(0, ContentBlock::text(text.unwrap_or_default()));
        result.content.extend(asides.into_iter().chain(next).map(ContentBlock::text));
        self.hand(carried);
        Ok(self.called.formed(result))
    }

    /// The response is on its way; what it carries lives until it has arrived.
    fn hand(&self, carried: Option<Box<dyn Any + Send + Sync>>) {
        let Called { channel, context, .. } = *self.called;
        match self.does {
            Does::Reads => channel.hand(context, carried),
            Does::Comments | Does::Decides => channel.hand(context, Some(Box::new(carried))),
        }
    }
}

/// What a tool gives.
pub(super) struct Told {
    fields: Map<String, Value>,
    next: Option<String>,
    task: Option<Task>,
}

impl Told {
    /// A review in a few words, and more.
    pub(super) fn of(review: &ReviewSummary, more: &impl Serialize) -> Result<Self, Fault> {
        Self::alone(&Summary::of(review))?.with(more)
    }

    /// This alone.
    pub(super) fn alone(fields: &impl Serialize) -> Result<Self, Fault> {
        Self { fields: Map::new(), next: None, task: None }.with(fields)
    }

    /// A task in the place of the result.
    pub(super) fn task(task: Task) -> Self {
        Self { fields: Map::new(), next: None, task: Some(task) }
    }

    /// With these fields, too.
    pub(super) fn with(mut self, more: &impl Serialize) -> Result<Self, Fault> {
        match serde_json::to_value(more) {
            Ok(Value::Object(more)) => self.fields.extend(more),
            Ok(_) => return Err(Fault::internal("a result is an object")),
            Err(error) => return Err(Fault::internal(error.to_string())),
        }
        Ok(self)
    }

    /// With what the caller should do next.
    pub(super) fn next(self, next: impl Into<String>) -> Self {
        Self { next: Some(next.into()), ..self }
    }
}

/// The structure as JSON: first the review in a few words, then the rest.
fn ordered(fields: &Map<String, Value>) -> Result<String, Fault> {
    struct InOrder<'a>(&'a Map<String, Value>);

    impl Serialize for InOrder<'_> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let first = |name: &str| FIRST.contains(&name);
            let mut map = serializer.serialize_map(Some(self.0.len()))?;
            for name in FIRST.iter().filter(|name| self.0.contains_key(**name)) {
                map.serialize_entry(name, &self.0[*name])?;
            }
            for (name, value) in self.0.iter().filter(|(name, _)| !first(name)) {
                map.serialize_entry(name, value)?;
            }
            map.end()
        }
    }

    serde_json::to_string(&InOrder(fields)).map_err(|error| Fault::internal(error.to_string()))
}

/// The fields of the summary, in their order.
pub(super) const FIRST: &[&str] = &[
    "review_id",
    "status",
    "outcome",
    "turn",
    "round",
    "intent",
    "category",
    "priority",
    "workspace",
    "proposer",
    "holder",
    "lease_until",
    "need",
    "approved_by",
    "diff_sha256",
    "base",
    "stale",
    "created_at",
    "updated_at",
    "event",
];

/// Who calls.
fn reviewer(
    port: &dyn BrokerPort,
    called: &Called<'_>,
    session: Option<SessionUuid>,
    digest: Option<Digest>,
) -> ReviewCaller {
    let (whose, mut party) = (called.whose(session), called.channel.party(called.context));
    if let OwnerId::Token(name) = &whose.owner.id {
        let given = port.given_to_token(name);
        (party.group, party.may) = (given.owner, given.may);
    }
    ReviewCaller { whose, party, folder: called.channel.folder(), digest }
}

fn digest(name: &str, arguments: Option<&Map<String, Value>>) -> Option<Digest> {
    serde_json::to_vec(&(name, arguments)).ok().map(|bytes| Digest::of_bytes(&bytes))
}

fn shared_identity() -> Fault {
    Fault::new(
        Code::SharedIdentity,
        "Your client comes with the token that clients share, so nobody can tell who proposes and who reviews.",
        "The person can give your client a token of its own: `review-gate token create NAME`. Reading and post_message \
         work without.",
    )
}

/// The shape of a result that begins with a review in a few words.
pub(super) struct Summed<T>(PhantomData<fn() -> T>);

/// The shape of one that begins so where there is a review.
pub(super) struct MaySum<T>(PhantomData<fn() -> T>);

/// The shape of one without.
pub(super) struct Alone<T>(PhantomData<fn() -> T>);

/// The shape of two objects in one.
pub(super) struct Both<A, B>(PhantomData<fn() -> (A, B)>);

impl<T: Shape> Shape for Summed<T> {
    fn schema() -> Value {
        said(joined(Summary::schema(), T::schema()))
    }
}

impl<T: Shape> Shape for MaySum<T> {
    fn schema() -> Value {
        let mut summary = Summary::schema();
        summary["required"] = json!([]);
        said(joined(summary, T::schema()))
    }
}

impl<T: Shape> Shape for Alone<T> {
    fn schema() -> Value {
        said(T::schema())
    }
}

impl<A: Shape, B: Shape> Shape for Both<A, B> {
    fn schema() -> Value {
        joined(A::schema(), B::schema())
    }
}

/// Fields that any object may lack, where another one has them.
pub(super) struct Perhaps<T>(PhantomData<fn() -> T>);

impl<T: Shape> Shape for Perhaps<T> {
    fn schema() -> Value {
        let mut schema = T::schema();
        schema["required"] = json!([]);
        schema
    }
}

fn joined(mut one: Value, mut other: Value) -> Value {
    if let (Some(own), Some(more)) = (one["properties"].as_object_mut(), other["properties"].as_object_mut()) {
        own.append(more);
    }
    if let (Some(own), Some(more)) = (one["required"].as_array_mut(), other["required"].as_array_mut()) {
        own.append(more);
    }
    one
}

/// With what every result may say.
fn said(mut schema: Value) -> Value {
    if let Some(properties) = schema["properties"].as_object_mut() {
        properties.insert(SESSION.to_owned(), described(SessionUuid::schema(), "Yours; pass it on."));
        properties.insert(NEXT.to_owned(), described(String::schema(), "What to do next."));
    }
    schema
}
