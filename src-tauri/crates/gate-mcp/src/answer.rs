//! One call of a tool whose callers are parties to something, from its arguments to its result.
//!
//! The first content of a result is its structure as JSON, which is all that some clients read; notes and advice follow,
//! and stand in it as well.

#[cfg(test)]
pub(crate) mod fuzz;
mod port;
mod shapes;
mod takes;
#[cfg(test)]
pub(crate) mod testing;

use std::any::Any;
use std::time::Duration;

use gate_core::{Code, Digest, Fault, OwnerId, SessionUuid};
use rmcp::model::{CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CreateTaskResult, Task};
use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};
use tokio::time::Instant;

use crate::chat::tasks::are_declared;
use crate::input::{read, unknown_note};
use crate::notes;
use crate::output::add_asides;
use crate::tool::Called;
use crate::waiting::{Came, Waiting, cancelled, patience_of};

pub use port::{CallerPort, ReviewCaller, TokenGiven};
pub(crate) use shapes::{Alone, Both, Perhaps, joined, said};
pub(crate) use takes::{SESSION_INPUT, SIDE, Takes, Wait, blank_to_none, filled, needed, takes};

/// What differs from one toolset's results to another's.
pub(crate) trait Results: CallerPort {
    /// The fields that their structure begins with, in their order.
    const FIRST: &'static [&'static str];
    /// What works for whom nobody can tell from others, as the beginning of a sentence.
    const WITHOUT: &'static str;
}

/// The field for what the caller should do next.
const NEXT: &str = "next";
/// The field for the session that the call goes on in.
const SESSION: &str = "session_uuid";

/// What a tool does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Does {
    /// It looks.
    Reads,
    /// It says something, which decides nothing.
    Comments,
    /// It proposes or decides: somebody has to be known who does.
    Decides,
}

/// One call.
pub(crate) struct Call<'a, P: ?Sized> {
    pub(crate) port: &'a P,
    pub(crate) called: &'a Called<'a>,
    pub(crate) caller: ReviewCaller,
    /// The name by which the tool was called.
    pub(crate) name: String,
    does: Does,
    began: Instant,
    unknown: Vec<String>,
}

/// What came of waiting.
pub(crate) enum News<T> {
    /// What was waited for.
    Came(T),
    /// The caller should call again.
    Nothing,
    /// Nobody should wait: the person is away.
    Away,
}

impl<'a, P: Results + ?Sized> Call<'a, P> {
    /// Reads what a call says, and finds out who calls.
    ///
    /// # Errors
    /// What is wrong with the arguments; `shared_identity` where nobody can tell who proposes or decides.
    pub(crate) async fn begin<T: Takes>(
        port: &'a P,
        called: &'a Called<'a>,
        params: CallToolRequestParams,
        does: Does,
    ) -> Result<(Self, T::Checked), Fault> {
        let began = Instant::now();
        let name = params.name.into_owned();
        let digest = called.channel.is_over_http().then(|| digest(&name, params.arguments.as_ref())).flatten();
        let read = read::<T>(params.arguments)?;
        let (session, checked) = (read.input.session(), read.input.checked()?);
        let mut caller = party(port, called, session, digest);
        if does == Does::Decides && caller.whose.owner.id == OwnerId::SharedToken {
            return Err(shared_identity(P::WITHOUT));
        }
        caller.whose.session_uuid = port.session(&caller, does != Does::Reads).await?;
        Ok((Self { port, called, caller, name, does, began, unknown: read.unknown }, checked))
    }

    /// A call that asks for a task, as one that looks.
    pub(crate) async fn looking(port: &'a P, called: &'a Called<'a>) -> Result<Self, Fault> {
        let mut caller = party(port, called, None, None);
        caller.whose.session_uuid = port.session(&caller, false).await?;
        let (name, does, unknown) = (String::new(), Does::Reads, Vec::new());
        Ok(Self { port, called, caller, name, does, began: Instant::now(), unknown })
    }

    /// Whether the client takes a task in the place of a result that it would wait for.
    pub(crate) fn takes_tasks(&self) -> bool {
        are_declared(self.called.context)
    }

    /// Waits for something as long as the client's patience allows; `for_person` where the person has to do the next
    /// thing, for whom nobody waits while they are away.
    ///
    /// # Errors
    /// Of what is waited for; that the call was cancelled.
    pub(crate) async fn wait<T>(
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
    pub(crate) async fn answered(&self, told: Told) -> Result<CallToolResponse, Fault> {
        let Some(task) = told.task else { return self.given(told).await.map(Into::into) };
        self.hand(None);
        Ok(CreateTaskResult::new(task).into())
    }

    /// The result on its way. What the call did is kept until it has arrived.
    pub(crate) async fn given(&self, told: Told) -> Result<CallToolResult, Fault> {
        self.sent(told, true).await
    }

    /// The same without the session that the call goes on in, for clients that know of none.
    pub(crate) async fn flat(&self, told: Told) -> Result<CallToolResult, Fault> {
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
        let text = result
            .structured_content
            .as_ref()
            .and_then(Value::as_object)
            .map(|fields| ordered(P::FIRST, fields))
            .transpose()?;
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
pub(crate) struct Told {
    fields: Map<String, Value>,
    next: Option<String>,
    task: Option<Task>,
}

impl Told {
    /// This alone.
    pub(crate) fn alone(fields: &impl Serialize) -> Result<Self, Fault> {
        Self { fields: Map::new(), next: None, task: None }.with(fields)
    }

    /// A task in the place of the result.
    pub(crate) fn task(task: Task) -> Self {
        Self { fields: Map::new(), next: None, task: Some(task) }
    }

    /// With these fields, too.
    pub(crate) fn with(mut self, more: &impl Serialize) -> Result<Self, Fault> {
        match serde_json::to_value(more) {
            Ok(Value::Object(more)) => self.fields.extend(more),
            Ok(_) => return Err(Fault::internal("a result is an object")),
            Err(error) => return Err(Fault::internal(error.to_string())),
        }
        Ok(self)
    }

    /// With what the caller should do next.
    pub(crate) fn next(self, next: impl Into<String>) -> Self {
        Self { next: Some(next.into()), ..self }
    }
}

/// The structure as JSON: what comes `first`, then the rest.
fn ordered(first: &[&str], fields: &Map<String, Value>) -> Result<String, Fault> {
    struct InOrder<'a>(&'a [&'a str], &'a Map<String, Value>);

    impl Serialize for InOrder<'_> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let Self(first, fields) = self;
            let mut map = serializer.serialize_map(Some(fields.len()))?;
            for name in first.iter().filter(|name| fields.contains_key(**name)) {
                map.serialize_entry(name, &fields[*name])?;
            }
            for (name, value) in fields.iter().filter(|(name, _)| !first.contains(&name.as_str())) {
                map.serialize_entry(name, value)?;
            }
            map.end()
        }
    }

    serde_json::to_string(&InOrder(first, fields)).map_err(|error| Fault::internal(error.to_string()))
}

/// Who calls.
fn party<P: CallerPort + ?Sized>(
    port: &P,
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

fn shared_identity(without: &str) -> Fault {
    Fault::new(
        Code::SharedIdentity,
        "Your client comes with the token that clients share, so nobody can tell who it is.",
        format!(
            "The person can give your client a token of its own: `review-gate token create NAME`. {without} without."
        ),
    )
}

/// Makes a tool whose body is an async function of the call and what it takes, within its bounds.
macro_rules! act {
    (@tasks) => { None };
    (@tasks $tasks:path) => { Some(|port, called, task_id, is_read| Box::pin($tasks(port, called, task_id, is_read))) };
    (
        $name:literal, $(also $other:expr,)? $(tasks $tasks:path,)? $tag:literal, $title:literal, $about:literal,
        $manners:ident, $does:ident, $input:ty => $output:ty, $body:path
    ) => {
        $crate::tool::Tool {
            name: $name,
            other_names: &[$($other)?],
            title: $title,
            tags: &[$tag],
            about: $about,
            manners: $crate::tool::Manners::$manners,
            input: <$input as $crate::input::Fields>::schema,
            output: <$output as $crate::output::Shape>::schema,
            tasks: $crate::answer::act!(@tasks $($tasks)?),
            body: $crate::tool::Body::Waits(|port, called, params| {
                Box::pin(async move {
                    let done = async {
                        let (call, input) = $crate::answer::Call::begin::<$input>(port, called, params, $crate::answer::Does::$does).await?;
                        let told = $body(&call, input).await?;
                        call.answered(told).await
                    };
                    let done = done.await;
                    if done.is_err() {
                        // Nothing is kept for a call that was refused.
                        called.channel.hand(called.context, None);
                    }
                    done
                })
            }),
        }
    };
}
pub(crate) use act;
