//! What the four makers' interfaces have in common, each in its own words: which tools a request offers, what tools gave
//! in it, where a text stands, and how a turn is streamed.

use std::borrow::Cow;

use serde_json::{Value, json};

use super::{Part, Section, Turn};

/// An interface that models are asked through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    /// Anthropic's Messages: <https://docs.anthropic.com/en/api/messages-streaming>
    Messages,
    /// OpenAI's Responses: <https://platform.openai.com/docs/api-reference/responses-streaming>
    Responses,
    /// OpenAI's Chat Completions: <https://platform.openai.com/docs/api-reference/chat-streaming>
    Completions,
    /// Gemini's: <https://ai.google.dev/api/generate-content>
    Gemini,
}

/// A tool that a model is offered.
pub(super) struct Tool {
    pub(super) name: String,
    /// What stands before its name in a call, where the interface has names of groups.
    group: Option<String>,
}

/// What is sent back.
pub(super) struct Answer {
    pub(super) kind: &'static str,
    pub(super) text: String,
}

impl Answer {
    pub(super) fn json(value: &Value) -> Self {
        Self { kind: "application/json", text: value.to_string() }
    }

    /// Events with names, as server-sent events.
    fn events(events: &[Value]) -> Self {
        let text = events.iter().map(|event| match event["type"].as_str() {
            Some(name) => format!("event: {name}\ndata: {event}\n\n"),
            None => format!("data: {event}\n\n"),
        });
        Self { kind: "text/event-stream", text: text.collect() }
    }
}

/// What the model does now.
enum Move<'a> {
    /// With an identifier that calls and results are matched by.
    Call(String, Tool, Cow<'a, Value>),
    Say(&'a str),
}

impl Dialect {
    /// The interface that has this path; absent for what is no question to a model.
    pub(super) fn of(path: &str) -> Option<Self> {
        let path = path.split('?').next().unwrap_or_default();
        match path {
            _ if path.ends_with("/messages") => Some(Self::Messages),
            _ if path.ends_with("/responses") => Some(Self::Responses),
            _ if path.ends_with("/chat/completions") => Some(Self::Completions),
            _ if path.ends_with(":streamGenerateContent") || path.ends_with(":generateContent") => Some(Self::Gemini),
            _ => None,
        }
    }

    /// The tools that a request offers.
    pub(super) fn tools(self, body: &Value) -> Vec<Tool> {
        let tool = |tool: &Value, group: Option<&str>| {
            let name = tool["name"].as_str()?.to_owned();
            Some(Tool { name, group: group.map(str::to_owned) })
        };
        let listed = body["tools"].as_array().map(Vec::as_slice).unwrap_or_default();
        match self {
            Self::Messages => listed.iter().filter_map(|each| tool(each, None)).collect(),
            Self::Completions => listed.iter().filter_map(|each| tool(&each["function"], None)).collect(),
            Self::Responses => {
                let (groups, single): (Vec<_>, Vec<_>) = listed.iter().partition(|each| each["type"] == "namespace");
                let grouped = groups.iter().flat_map(|group| {
                    let members = group["tools"].as_array().map(Vec::as_slice).unwrap_or_default();
                    members.iter().filter_map(|each| tool(each, group["name"].as_str()))
                });
                single.iter().filter_map(|each| tool(each, None)).chain(grouped).collect()
            }
            Self::Gemini => {
                let declared = listed.iter().filter_map(|each| each["functionDeclarations"].as_array()).flatten();
                declared.filter_map(|each| tool(each, None)).collect()
            }
        }
    }

    /// What tools gave, call by call.
    pub(super) fn given(self, body: &Value) -> Vec<Vec<Part>> {
        let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
        match self {
            Self::Messages => {
                let blocks = list(&body["messages"]).into_iter().flat_map(|message| list(&message["content"]));
                let results = blocks.filter(|block| block["type"] == "tool_result");
                results.map(|result| parts(&result["content"])).collect()
            }
            Self::Responses => {
                let items = list(&body["input"]).into_iter();
                let results = items.filter(|item| item["type"] == "function_call_output");
                results.map(|result| parts(&result["output"])).collect()
            }
            Self::Completions => {
                let mut given: Vec<Vec<Part>> = Vec::new();
                for message in list(&body["messages"]) {
                    match (message["role"].as_str(), given.last_mut()) {
                        (Some("tool"), _) => given.push(parts(&message["content"])),
                        // Pictures don't fit in a tool's message, so some agents put them in the person's mouth.
                        (Some("user"), Some(last)) => last.extend(parts(&message["content"])),
                        _ => {}
                    }
                }
                given
            }
            Self::Gemini => {
                let mut given: Vec<Vec<Part>> = Vec::new();
                let contents = list(&body["contents"]);
                for part in contents.iter().filter(|each| each["role"] != "model").flat_map(|each| list(&each["parts"]))
                {
                    let response = &part["functionResponse"];
                    match given.last_mut() {
                        last if response.is_object() => {
                            let result = [parts(&response["response"]), parts(&response["parts"])].concat();
                            // Gemini CLI has the last result twice in a conversation that goes on.
                            if !last.is_some_and(|last| last.starts_with(&result)) {
                                given.push(result);
                            }
                        }
                        Some(last) => last.extend(parts(&part)),
                        None => {}
                    }
                }
                given
            }
        }
    }

    /// Where a text stands in a request.
    pub(super) fn sections(self, body: &Value, text: &str) -> Vec<Section> {
        let (system, conversation) = match self {
            Self::Messages | Self::Completions => (&body["system"], &body["messages"]),
            Self::Responses => (&body["instructions"], &body["input"]),
            Self::Gemini => (&body["systemInstruction"], &body["contents"]),
        };
        // OpenAI's interfaces have messages of the system.
        let is_of_system = |message: &Value| matches!(message["role"].as_str(), Some("system" | "developer"));
        let section = |message: &Value| if is_of_system(message) { Section::System } else { Section::Conversation };
        let messages = conversation.as_array().into_iter().flatten().map(|message| (section(message), message));
        let all = [(Section::System, system), (Section::Tools, &body["tools"])].into_iter().chain(messages);
        all.filter(|(_, value)| holds(value, text)).map(|(section, _)| section).collect()
    }

    /// The answer to a request.
    pub(super) fn answer(self, path: &str, body: &Value, turns: &[Turn]) -> Answer {
        let given = self.given(body);
        let call = |name: &str, arguments| {
            // Agents put the server's name before a tool's; where one has just this name, it is meant.
            let mut tools = self.tools(body);
            tools.sort_by_key(|tool| tool.name != name);
            let tool = tools.into_iter().find(|tool| tool.name.ends_with(name));
            // A title or a summary is wanted: no tools are offered there.
            tool.map_or(Move::Say("A title"), |tool| Move::Call(format!("call_{}", given.len()), tool, arguments))
        };
        let next = match due(turns, &given) {
            Some(Turn::Call(name, arguments)) => call(name, Cow::Borrowed(arguments)),
            Some(Turn::With(name, arguments)) => {
                let all: Vec<&str> = given.iter().flat_map(|result| texts(result)).collect();
                call(name, Cow::Owned(arguments(&all.join("\n"))))
            }
            Some(Turn::Wait(message)) => {
                let request = given.last().and_then(|result| unanswered(result));
                call("review_gate_chat", Cow::Owned(json!({"message": message, "request_id": request})))
            }
            Some(Turn::Say(text)) => Move::Say(text),
            None => Move::Say("Done."),
        };
        let streams = body["stream"] == true || path.contains(":streamGenerateContent");
        match self {
            Self::Messages => messages(&next, streams),
            Self::Responses => responses(&next),
            Self::Completions => completions(&next, streams),
            Self::Gemini => gemini(&next, streams),
        }
    }
}

/// The turn that comes after these results.
fn due<'a>(turns: &'a [Turn], given: &[Vec<Part>]) -> Option<&'a Turn> {
    let mut at = 0;
    for result in given {
        let waits = |at: usize| matches!(turns.get(at), Some(Turn::Wait(_)));
        let unanswered = unanswered(result).is_some();
        if !(waits(at) && unanswered) {
            at += 1;
        }
        if waits(at) && !unanswered {
            at += 1;
        }
    }
    turns.get(at)
}

/// The request that a result asks to come back for; absent where the person has answered.
fn unanswered(result: &[Part]) -> Option<&str> {
    texts(result).filter_map(|text| text.split_once("with request_id ")?.1.get(..36)).next()
}

/// The texts of a result.
fn texts(result: &[Part]) -> impl Iterator<Item = &str> {
    result.iter().filter_map(|part| match part {
        Part::Text(text) => Some(text.as_str()),
        Part::Image(_) => None,
    })
}

/// Whether a text is in one of a value's.
fn holds(value: &Value, text: &str) -> bool {
    match value {
        Value::String(found) => found.contains(text),
        Value::Array(items) => items.iter().any(|item| holds(item, text)),
        Value::Object(fields) => fields.values().any(|field| holds(field, text)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// The texts and pictures in a value, in their order.
fn parts(value: &Value) -> Vec<Part> {
    let picture = |data: &Value| data.as_str().map(|data| vec![Part::Image(data.to_owned())]);
    let found = match value {
        Value::String(text) => match text.strip_prefix("data:image/").and_then(|rest| rest.split_once(";base64,")) {
            Some((_, data)) => Some(vec![Part::Image(data.to_owned())]),
            None => Some(vec![Part::Text(text.clone())]),
        },
        Value::Object(fields) if fields.contains_key("inlineData") => picture(&value["inlineData"]["data"]),
        Value::Object(fields) if fields.contains_key("source") => picture(&value["source"]["data"]),
        Value::Object(fields) if fields.contains_key("image_url") => {
            let url = &value["image_url"];
            Some(parts(if url.is_object() { &url["url"] } else { url }))
        }
        Value::Object(fields) => {
            let rest = fields.iter().filter(|(name, _)| !matches!(name.as_str(), "type" | "mimeType" | "name"));
            Some(rest.flat_map(|(_, value)| parts(value)).collect())
        }
        Value::Array(items) => Some(items.iter().flat_map(parts).collect()),
        _ => None,
    };
    found.unwrap_or_default()
}

const MODEL: &str = "scripted";

fn messages(next: &Move<'_>, streams: bool) -> Answer {
    let (begun, delta, whole, reason) = match next {
        Move::Say(text) => (
            json!({"type": "text", "text": ""}),
            json!({"type": "text_delta", "text": text}),
            json!({"type": "text", "text": text}),
            "end_turn",
        ),
        Move::Call(id, tool, arguments) => (
            json!({"type": "tool_use", "id": format!("toolu_{id}"), "name": tool.name, "input": {}}),
            json!({"type": "input_json_delta", "partial_json": arguments.to_string()}),
            json!({"type": "tool_use", "id": format!("toolu_{id}"), "name": tool.name, "input": arguments}),
            "tool_use",
        ),
    };
    let usage = json!({"input_tokens": 1, "output_tokens": 1});
    let message = |content: Value, reason: Value| {
        json!({
            "id": "msg_0001", "type": "message", "role": "assistant", "model": MODEL, "content": content,
            "stop_reason": reason, "stop_sequence": null, "usage": usage,
        })
    };
    if !streams {
        return Answer::json(&message(json!([whole]), reason.into()));
    }
    Answer::events(&[
        json!({"type": "message_start", "message": message(json!([]), Value::Null)}),
        json!({"type": "content_block_start", "index": 0, "content_block": begun}),
        json!({"type": "content_block_delta", "index": 0, "delta": delta}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": null}, "usage": usage}),
        json!({"type": "message_stop"}),
    ])
}

fn responses(next: &Move<'_>) -> Answer {
    let item = match next {
        Move::Say(text) => json!({
            "type": "message", "id": "msg_0001", "role": "assistant", "status": "completed",
            "content": [{"type": "output_text", "text": text, "annotations": []}],
        }),
        Move::Call(id, tool, arguments) => {
            let mut call = json!({
                "type": "function_call", "id": "fc_0001", "call_id": id, "status": "completed",
                "name": tool.name, "arguments": arguments.to_string(),
            });
            if let (Some(call), Some(group)) = (call.as_object_mut(), &tool.group) {
                call.insert("namespace".to_owned(), group.clone().into());
            }
            call
        }
    };
    let usage = json!({
        "input_tokens": 1, "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": 1, "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 2,
    });
    Answer::events(&[
        json!({"type": "response.created", "response": {"id": "resp_0001", "status": "in_progress", "output": []}}),
        json!({"type": "response.output_item.added", "output_index": 0, "item": item}),
        json!({"type": "response.output_item.done", "output_index": 0, "item": item}),
        json!({
            "type": "response.completed",
            "response": {"id": "resp_0001", "status": "completed", "output": [item], "usage": usage},
        }),
    ])
}

fn completions(next: &Move<'_>, streams: bool) -> Answer {
    let (said, reason) = match next {
        Move::Say(text) => (json!({"role": "assistant", "content": text}), "stop"),
        Move::Call(id, tool, arguments) => {
            let function = json!({"name": tool.name, "arguments": arguments.to_string()});
            let call = json!({"index": 0, "id": id, "type": "function", "function": function});
            (json!({"role": "assistant", "content": null, "tool_calls": [call]}), "tool_calls")
        }
    };
    let usage = json!({"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2});
    let envelope = |kind: &str, choice: Value| {
        json!({
            "id": "chatcmpl-0001", "object": kind, "created": 0, "model": MODEL, "choices": [choice], "usage": usage,
        })
    };
    if !streams {
        let choice = json!({"index": 0, "message": said, "finish_reason": reason});
        return Answer::json(&envelope("chat.completion", choice));
    }
    let piece = |delta: Value, reason: Value| {
        envelope("chat.completion.chunk", json!({"index": 0, "delta": delta, "finish_reason": reason}))
    };
    let mut answer = Answer::events(&[piece(said, Value::Null), piece(json!({}), reason.into())]);
    answer.text.push_str("data: [DONE]\n\n");
    answer
}

fn gemini(next: &Move<'_>, streams: bool) -> Answer {
    let part = match next {
        Move::Say(text) => json!({"text": text}),
        Move::Call(_, tool, arguments) => json!({"functionCall": {"name": tool.name, "args": arguments}}),
    };
    let response = json!({
        "candidates": [{"index": 0, "content": {"role": "model", "parts": [part]}, "finishReason": "STOP"}],
        "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2},
        "modelVersion": MODEL,
    });
    if streams { Answer::events(&[response]) } else { Answer::json(&response) }
}
