//! A tool as a value: what it is called and told to clients, what it takes and gives, and its body.

use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::Arc;

use gate_core::clients::ResultForm;
use gate_core::outcome::Earlier;
use gate_core::{Fault, SessionUuid};
use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData, GetTaskResult, Icon, JsonObject,
    MetaObject, Tool as Listed, ToolAnnotations,
};
use rmcp::service::RequestContext;
use serde_json::{Value, json};

use crate::channel::Channel;
use crate::faults::tool_error;
use crate::input::{described, unknown_note};
use crate::notes::{self, NoteTold};
use crate::output::{ASIDES, Output, Shape, add_asides, structure};
use crate::port::{ConnectionPort, Whose};

/// A tool of a toolset whose port is `P`. [`tool!`] makes one.
pub(crate) struct Tool<P: ?Sized + 'static> {
    pub(crate) name: &'static str,
    /// Accepted for it, and not listed.
    pub(crate) other_names: &'static [&'static str],
    pub(crate) title: &'static str,
    /// What a client may group tools by, where there is anything.
    pub(crate) tags: &'static [&'static str],
    /// What a model is told of it.
    pub(crate) about: &'static str,
    pub(crate) manners: Manners,
    pub(crate) input: fn() -> Value,
    pub(crate) output: fn() -> Value,
    /// Finds the tasks that calls of it, or of others of its subject, began; absent where none ever does.
    pub(crate) tasks: Option<Tasking<P>>,
    pub(crate) body: Body<P>,
}

/// The state of the task of this identifier, with its result where it has one and somebody reads it; absent where that is
/// none of its own, or not the caller's to see.
pub(crate) type Tasking<P> = for<'a> fn(&'a P, &'a Called<'a>, &'a str, bool) -> Tasked<'a>;

/// What is found of a task.
pub(crate) type Tasked<'a> = Pin<Box<dyn Future<Output = Result<Option<GetTaskResult>, ErrorData>> + Send + 'a>>;

/// Where tags stand in a tool's `_meta`: clients of FastMCP's servers look for them there.
const TAGS: &str = "fastmcp";

/// What a tool does to the world (MCP, "Tool Annotations"). None destroys anything: what a tool of ours changes is the
/// gate's record, and the person can take it back.
pub(crate) struct Manners {
    pub(crate) reads_only: bool,
    pub(crate) idempotent: bool,
    /// Whether it asks somebody on the network. Beyond the gate there is else the person alone, whom the agent works for.
    pub(crate) open_world: bool,
    /// What a client may draw beside its name: `d` of a path on a square of 16. Every list has it, so it is short.
    pub(crate) icon: &'static str,
}

/// Something is said: the person is asked.
const SAID: &str = "M1 1h14v10H7l-4 4v-4H1z";
/// A pencil: the record is written in.
const WRITTEN: &str = "M1 15l1-5 8-8 4 4-8 8z";
/// An eye: something is looked at.
const SEEN: &str = "M1 8q7-9 14 0-7 9-14 0m5 0q2 4 4 0-2-4-4 0z";

impl Manners {
    /// It asks the person, which changes nothing in the agent's surroundings. Told otherwise, some clients first ask that
    /// very person whether their agent may ask them.
    pub(crate) const ASKS: Self = Self { reads_only: true, idempotent: false, open_world: false, icon: SAID };
    /// It only looks.
    pub(crate) const READS: Self = Self { reads_only: true, idempotent: true, open_world: false, icon: SEEN };
    /// It only looks, and may ask on the network.
    pub(crate) const FETCHES: Self = Self { reads_only: true, idempotent: true, open_world: true, icon: SEEN };
    /// It writes in the gate's record. Done twice, it does more than once.
    pub(crate) const WRITES: Self = Self { reads_only: false, idempotent: false, open_world: false, icon: WRITTEN };
    /// It writes in the gate's record. Done twice, it does the same as once.
    pub(crate) const SETS: Self = Self { reads_only: false, idempotent: true, open_world: false, icon: WRITTEN };

    /// A tool with these manners, and the name that a person reads.
    pub(crate) fn told(&self, tool: Listed, title: &'static str) -> Listed {
        let annotations = ToolAnnotations::with_title(title)
            .read_only(self.reads_only)
            .destructive(false)
            .idempotent(self.idempotent)
            .open_world(self.open_world);
        tool.with_title(title).with_annotations(annotations).with_icons(vec![drawn(self.icon)])
    }
}

/// The answer to one call.
pub(crate) type Responding<'a> = Pin<Box<dyn Future<Output = CallToolResponse> + Send + 'a>>;

type Running<'a, T> = Pin<Box<dyn Future<Output = Result<T, Fault>> + Send + 'a>>;

/// What a tool does when it is called.
pub(crate) enum Body<P: ?Sized + 'static> {
    /// Gives its result without waiting for anybody.
    AtOnce(for<'a> fn(&'a P, &'a Called<'a>, Option<JsonObject>) -> Running<'a, CallToolResult>),
    /// May wait for the person: hands its result over itself, and the notes with it.
    Waits(for<'a> fn(&'a P, &'a Called<'a>, CallToolRequestParams) -> Running<'a, CallToolResponse>),
}

impl<P: ?Sized + 'static> Tool<P> {
    /// As clients are told of it.
    pub(crate) fn listed(&self) -> Listed {
        let listed = Listed::new(self.name, self.about, object((self.input)()))
            .with_raw_output_schema(object(with_extras((self.output)())));
        let listed = self.manners.told(listed, self.title);
        if self.tags.is_empty() {
            return listed;
        }
        let mut meta = MetaObject::default();
        meta.insert(TAGS.to_owned(), json!({ "tags": self.tags }));
        listed.with_meta(meta)
    }

    /// Answers one call. Faults are errors of the tool; errors of the protocol stay for its own faults.
    pub(crate) async fn call(&self, port: &P, called: &Called<'_>, params: CallToolRequestParams) -> CallToolResponse {
        match self.body {
            Body::AtOnce(body) => {
                let result = body(port, called, params.arguments).await;
                called.hand(result.unwrap_or_else(|fault| tool_error(&fault))).await.into()
            }
            Body::Waits(body) => body(port, called, params).await.unwrap_or_else(|fault| tool_error(&fault).into()),
        }
    }
}

/// A drawing with its bytes in its address, in a colour that is seen on light and on dark: a client fetches nothing.
fn drawn(path: &str) -> Icon {
    Icon::new(format!(
        "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath fill='%2366f' \
         d='{path}'/%3E%3C/svg%3E"
    ))
}

/// Notes that were sent, answers that wait, and what a model is told besides, come with the result of any tool.
fn with_extras(mut output: Value) -> Value {
    if let Some(properties) = output.get_mut("properties").and_then(Value::as_object_mut) {
        let about = "Notes that were sent to you while you worked. They answer no request.";
        properties.insert("notes".to_owned(), described(Vec::<NoteTold<'_>>::schema(), about));
        let about = "Earlier requests of yours that the person has answered and you have not fetched: call \
                     review_gate_chat with the request_id.";
        properties.insert(notes::EARLIER.to_owned(), described(Vec::<Earlier>::schema(), about));
        let about = "What this result means for you, where its fields don't say it.";
        properties.insert(ASIDES.to_owned(), described(Vec::<String>::schema(), about));
    }
    output
}

fn object(schema: Value) -> Arc<JsonObject> {
    match schema {
        Value::Object(fields) => Arc::new(fields),
        other => Arc::new(JsonObject::from_iter([("const".to_owned(), other)])),
    }
}

/// One call, as the body of its tool sees it.
pub(crate) struct Called<'a> {
    /// The way to its client.
    pub(crate) channel: &'a Channel,
    /// What every connection has.
    pub(crate) gate: &'a dyn ConnectionPort,
    pub(crate) context: &'a RequestContext<RoleServer>,
}

impl Called<'_> {
    /// Whose session it is about, where it names this one, or none.
    pub(crate) fn whose(&self, session_uuid: Option<SessionUuid>) -> Whose {
        self.channel.whose(session_uuid, self.context)
    }

    /// The result on its way, with what waits for its session.
    async fn hand(&self, mut result: CallToolResult) -> CallToolResult {
        // Without notes, nothing of it is told a second time, and nobody has to note its delivery.
        let carried = notes::add(self.gate, &self.channel.call_key(self.context), &mut result).await;
        self.channel.hand(self.context, carried);
        self.formed(result)
    }

    /// The result in the form that the client is given. The notes of its session are in it already.
    pub(crate) fn formed(&self, mut result: CallToolResult) -> CallToolResult {
        if self.channel.result_form(self.context) == ResultForm::ContentAlone {
            result.structured_content = None;
        }
        result
    }
}

/// What a tool answers: text for a model, and an [`Output`] for programs.
pub(crate) struct Answer<O> {
    text: String,
    structured: Value,
    asides: Vec<String>,
    session: Option<SessionUuid>,
    _output: PhantomData<fn() -> O>,
}

impl<O: Output> Answer<O> {
    pub(crate) fn new(text: String, output: &O::Of<'_>) -> Result<Self, Fault> {
        let structured = structure::<O>(output)?;
        Ok(Self { text, structured, asides: Vec::new(), session: None, _output: PhantomData })
    }

    /// Also tells the model this.
    pub(crate) fn with_asides(mut self, asides: Vec<String>) -> Self {
        self.asides = asides;
        self
    }

    /// Tells the model to go on in this session.
    pub(crate) fn in_session(mut self, session: SessionUuid) -> Self {
        self.session = Some(session);
        self
    }

    /// The result, which also names the fields that were not known.
    pub(crate) fn result(self, unknown: &[String]) -> CallToolResult {
        let (mut text, mut structured) = (self.text, self.structured);
        let asides: Vec<String> = self.asides.into_iter().chain(unknown_note(unknown)).collect();
        for aside in &asides {
            text.push_str("\n\n");
            text.push_str(aside);
        }
        add_asides(&mut structured, &asides);
        if let Some(session) = self.session {
            text.push_str(&format!("\n\n(session_uuid {session}; pass it on your next call.)"));
        }
        let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
        result.structured_content = Some(structured);
        result
    }
}

/// Makes a [`Tool`]. What follows `at_once` is an async function of the port, the call and the input, which
/// gives an [`Answer`] with the output; `waits` is one that does everything itself.
macro_rules! tool {
    (
        $name:expr, $(also $other:expr,)*
        $title:literal,
        $about:expr,
        $manners:expr,
        $input:ty => $output:ty,
        at_once $body:path
    ) => {
        $crate::tool::tool!(@value $name, [$($other),*], $title, $about, $manners, $input, $output,
            $crate::tool::Body::AtOnce(|port, called, arguments| {
                Box::pin(async move {
                    let read = $crate::input::read::<$input>(arguments)?;
                    let answer: $crate::tool::Answer<$output> = $body(port, called, read.input).await?;
                    Ok(answer.result(&read.unknown))
                })
            }))
    };
    (
        $name:expr, $(also $other:expr,)*
        $title:literal,
        $about:expr,
        $manners:expr,
        $input:ty => $output:ty,
        waits $body:path
    ) => {
        $crate::tool::tool!(@value $name, [$($other),*], $title, $about, $manners, $input, $output,
            $crate::tool::Body::Waits(|port, called, params| Box::pin($body(port, called, params))))
    };
    (
        @value $name:expr, [$($other:expr),*], $title:literal, $about:expr, $manners:expr,
        $input:ty, $output:ty, $body:expr
    ) => {
        $crate::tool::Tool {
            name: $name,
            other_names: &[$($other),*],
            title: $title,
            tags: &[],
            about: $about,
            manners: $manners,
            input: <$input as $crate::input::Fields>::schema,
            output: <$output as $crate::output::Shape>::schema,
            tasks: None,
            body: $body,
        }
    };
}
pub(crate) use tool;
