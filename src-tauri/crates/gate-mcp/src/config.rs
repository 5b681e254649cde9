//! The tools and the resource about the settings. Which of them an agent may see and change is the gate's
//! to say.

use std::collections::BTreeMap;

use gate_core::{Fault, SessionUuid};
use rmcp::model::{CallToolRequestParams, CallToolResult, ContentBlock, JsonObject};
use serde_json::{Map, Value, json};

use crate::arguments::{config as arguments, unknown_note};
use crate::faults::tool_error;
use crate::port::{Applies, ChangedSetting, ConfigEntry, Gate};
use crate::record::Context;
use crate::schema::config as schema;
use crate::server::Server;

/// One of the tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ConfigTool {
    Get,
    Update,
}

impl ConfigTool {
    /// The tool of this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        match name {
            schema::GET_CONFIG => Some(Self::Get),
            schema::UPDATE_CONFIG => Some(Self::Update),
            _ => None,
        }
    }
}

/// Answers one call of a tool. Domain faults are tool errors.
pub(crate) async fn call<G: Gate>(
    server: &Server<G>,
    tool: ConfigTool,
    params: CallToolRequestParams,
    context: &Context,
) -> CallToolResult {
    let called = match tool {
        ConfigTool::Get => get(server, params.arguments),
        ConfigTool::Update => update(server, params.arguments, context).await,
    };
    called.unwrap_or_else(|fault| tool_error(&fault))
}

fn get<G: Gate>(server: &Server<G>, arguments: Option<JsonObject>) -> Result<CallToolResult, Fault> {
    let told = arguments::keys(arguments)?;
    let settings = server.gate().config(told.what.as_deref())?;
    let text = settings.iter().map(described).collect::<Vec<_>>().join("\n");
    let listed: Vec<_> = settings.iter().map(entry).collect();
    Ok(result(text, told.session_uuid, &told.unknown, json!({ "settings": listed })))
}

async fn update<G: Gate>(
    server: &Server<G>,
    arguments: Option<JsonObject>,
    context: &Context,
) -> Result<CallToolResult, Fault> {
    let told = arguments::values(arguments)?;
    let whose = server.whose(told.session_uuid, context);
    let changed = server.gate().update_config(whose, told.what).await?;
    let text = match changed.as_slice() {
        [] => "Everything was as you want it already; nothing was changed.".to_owned(),
        changed => {
            let lines: Vec<_> = changed.iter().map(told_of).collect();
            format!("Changed; the person is shown it and can take it back.\n{}", lines.join("\n"))
        }
    };
    let listed: Vec<_> = changed.iter().map(change).collect();
    Ok(result(text, told.session_uuid, &told.unknown, json!({ "changed": listed })))
}

/// What the resource reads as: sections, each with its settings.
pub(crate) fn by_section(settings: &[ConfigEntry]) -> Value {
    let mut sections: BTreeMap<&str, Map<String, Value>> = BTreeMap::new();
    for setting in settings {
        if let Some((section, name)) = setting.key.split_once('.') {
            sections.entry(section).or_default().insert(name.to_owned(), setting.value.clone());
        }
    }
    json!(sections)
}

fn described(setting: &ConfigEntry) -> String {
    let may = if setting.may_change { "" } else { "; you can't change it" };
    format!("{} = {} ({}{may})", setting.key, setting.value, setting.help.trim_end_matches('.'))
}

fn entry(setting: &ConfigEntry) -> Value {
    json!({
        "key": setting.key, "title": setting.title, "help": setting.help, "value": setting.value,
        "default": setting.default, "allowed": setting.allowed,
        "access": if setting.may_change { "change" } else { "see" }, "applies": applies(setting.applies),
    })
}

fn told_of(changed: &ChangedSetting) -> String {
    let then = match (changed.overridden, changed.applies) {
        (true, _) => " (but the environment or an argument of the gate says something else, which goes on to hold)",
        (false, Applies::NextStart) => " (holds when Review Gate is started the next time)",
        (false, Applies::Now) => "",
    };
    format!("{}: {} -> {}{then}", changed.key, changed.from, changed.to)
}

fn change(changed: &ChangedSetting) -> Value {
    json!({
        "key": changed.key, "from": changed.from, "to": changed.to, "applies": applies(changed.applies),
        "overridden": changed.overridden,
    })
}

fn applies(applies: Applies) -> &'static str {
    match applies {
        Applies::Now => "now",
        Applies::NextStart => "next_start",
    }
}

fn result(mut text: String, session: Option<SessionUuid>, unknown: &[String], mut structured: Value) -> CallToolResult {
    if let Some(note) = unknown_note(unknown) {
        text = format!("{text}\n\n{note}");
    }
    if let (Some(session), Some(fields)) = (session, structured.as_object_mut()) {
        fields.insert("session_uuid".to_owned(), json!(session));
    }
    let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
    result.structured_content = Some(structured);
    result
}
