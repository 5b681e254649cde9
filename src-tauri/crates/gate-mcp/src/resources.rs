//! The record as MCP resources: lists, templates, and what each URI reads as.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gate_core::page::bad_cursor;
use gate_core::{Code, Conversation, ConversationQuery, Fault, SessionStatus, SessionUuid, Timestamp};
use rmcp::model::{
    Annotations, ErrorData, ListResourceTemplatesResult, ListResourcesResult, ReadResourceResult, Resource,
    ResourceContents, ResourceTemplate, Role,
};
use serde::Serialize;

use crate::checkpoints::{self, CheckpointPage};
use crate::faults::{no_resource, protocol_error};
use crate::gate::Gate;
use crate::prompts::Page as PromptPage;
use crate::record::{Recorded, SessionDetails};
use crate::uri::{Query, Target};
use crate::views::{Entry, Metadata, Said};
use crate::{config, cursor, skills, templates};

const JSON: &str = "application/json";
/// The list that `resources/list` pages through.
const LIST: &str = "resources";
/// The part of it that follows the conversations.
const PROMPT_LIST: &str = "resources/templates";
/// What the active conversation is worth beside history, from 0 to 1.
const PRIORITY_ACTIVE: f32 = 0.8;
const PRIORITY_HISTORY: f32 = 0.5;

/// URI templates: name, title, what it gives, and its type where that is always the same.
const TEMPLATES: &[(&str, &str, &str, &str, Option<&str>)] = &[
    (
        CONVERSATIONS,
        "conversations",
        "Conversations",
        "Conversations, the latest changed first, 50 a page. `q` looks for words in messages and titles, `status` is \
         active, completed, timeout or stale, `cursor` is the `next_cursor` of the page before.",
        Some(JSON),
    ),
    (
        CONVERSATION,
        "conversation",
        "A conversation",
        "One conversation with its messages in order, 50 a page, the newest page first. `id` is its session_uuid.",
        Some(JSON),
    ),
    (SESSION, "session", "A session", "Where a session stands, and its open requests.", Some(JSON)),
    (
        CHECKPOINTS,
        "checkpoints",
        "A conversation's checkpoints",
        "Its checkpoints in order, 50 a page, the newest page first.",
        Some(JSON),
    ),
    (ATTACHMENT, "attachment", "An attachment", "A file that the person attached to a reply.", None),
    (
        PROMPTS,
        "templates",
        "Prompts",
        "Prompts with their arguments, by name. `cursor` is the `next_cursor` of the page before.",
        Some(JSON),
    ),
    (
        PROMPT,
        "template",
        "A prompt",
        "The file of one prompt as it is written. `name` is the prompt's name; its slashes stay, and whatever else \
         is no letter or digit of ASCII, `-`, `_` or `.` is percent-encoded.",
        None,
    ),
];

/// The templates' URIs (RFC 6570).
pub(crate) const CONVERSATIONS: &str = "file://review-gate/conversations{?cursor,q,status}";
pub(crate) const CONVERSATION: &str = "file://review-gate/conversations/{id}{?cursor}";
pub(crate) const SESSION: &str = "file://review-gate/sessions/{uuid}";
pub(crate) const CHECKPOINTS: &str = "file://review-gate/checkpoints/{conversation_id}{?cursor}";
pub(crate) const ATTACHMENT: &str = "file://review-gate/attachments/{id}";
pub(crate) const PROMPTS: &str = "file://review-gate/templates{?cursor}";
pub(crate) const PROMPT: &str = "file://review-gate/templates/{+name}";

/// `resources/list`: the lists and the settings, then every conversation, then every prompt's file.
pub(crate) async fn list(gate: &dyn Gate, cursor: Option<String>) -> Result<ListResourcesResult, ErrorData> {
    list_page(gate, cursor).await.map_err(|fault| protocol_error(&fault))
}

async fn list_page(gate: &dyn Gate, cursor: Option<String>) -> Result<ListResourcesResult, Fault> {
    let prompts = gate.prompts();
    let after = match cursor.as_deref().filter(|cursor| !cursor.is_empty()) {
        Some(cursor) => match PromptPage::of(gate, &prompts, PROMPT_LIST, Some(cursor)) {
            Ok(page) => {
                let mut result = ListResourcesResult::with_all_items(files(&page).collect());
                result.next_cursor = page.next;
                return Ok(result);
            }
            Err(_) => Some(cursor::open(gate, LIST, cursor)?),
        },
        None => None,
    };
    let page = gate.conversations(ConversationQuery::default(), after).await?;
    let conversations = page.items.iter().map(|found| &found.conversation);
    let mut resources = Vec::with_capacity(page.items.len() + 5);
    if after.is_none() {
        let newest = conversations.clone().map(|conversation| conversation.updated_at).next();
        let mut active = conversations.clone().filter(|conversation| conversation.status == SessionStatus::Active);
        let newest_active = active.next().map(|conversation| conversation.updated_at);
        let lists = [
            (
                Target::Conversations,
                "conversations",
                "All conversations",
                "What agents asked and people answered, the latest changed first.",
                PRIORITY_HISTORY,
                newest,
            ),
            (
                Target::Active,
                "conversations/active",
                "Active conversations",
                "The conversations that agents are in right now.",
                PRIORITY_ACTIVE,
                newest_active,
            ),
            (
                Target::Config,
                "config",
                "Settings",
                "The settings of Review Gate by section, without those that protect the person.",
                PRIORITY_HISTORY,
                None,
            ),
            (
                Target::Templates,
                "templates",
                "All prompts",
                "The person's prompts with their arguments.",
                PRIORITY_HISTORY,
                None,
            ),
            (
                Target::Skills,
                "skills",
                "Prompts as skills",
                "The index of the person's prompts as Agent Skills.",
                PRIORITY_HISTORY,
                None,
            ),
        ];
        resources.extend(lists.into_iter().map(|(target, name, title, about, priority, changed)| {
            Resource::new(target.uri(), name)
                .with_title(title)
                .with_description(about)
                .with_mime_type(JSON)
                .with_annotations(annotations(priority, changed))
        }));
    }
    resources.extend(conversations.map(resource));
    let next = match page.next {
        Some(place) => Some(cursor::seal(gate, LIST, place)?),
        // The last page of conversations is the first one of prompts.
        None => {
            let page = PromptPage::of(gate, &prompts, PROMPT_LIST, None)?;
            resources.extend(files(&page));
            page.next
        }
    };
    let mut result = ListResourcesResult::with_all_items(resources);
    result.next_cursor = next;
    Ok(result)
}

fn files(page: &PromptPage<'_>) -> impl Iterator<Item = Resource> {
    page.prompts.iter().map(|prompt| templates::resource(prompt).with_annotations(annotations(PRIORITY_HISTORY, None)))
}

fn resource(conversation: &Conversation) -> Resource {
    let is_active = conversation.status == SessionStatus::Active;
    let priority = if is_active { PRIORITY_ACTIVE } else { PRIORITY_HISTORY };
    let client = match conversation.client.as_str() {
        "" => "an agent",
        client => client,
    };
    let title = match conversation.title.as_str() {
        "" => format!("Conversation with {client}"),
        title => title.to_owned(),
    };
    let mut about = format!("{client}, {}, {} messages", conversation.status.as_str(), conversation.messages);
    if !conversation.workspace.is_empty() {
        about = format!("{about}, in {}", conversation.workspace);
    }
    Resource::new(
        Target::Conversation(conversation.session_uuid).uri(),
        format!("conversations/{}", conversation.session_uuid),
    )
    .with_title(title)
    .with_description(about)
    .with_mime_type(JSON)
    .with_annotations(annotations(priority, Some(conversation.updated_at)))
}

fn annotations(priority: f32, changed: Option<Timestamp>) -> Annotations {
    let mut annotations =
        Annotations::default().with_audience(vec![Role::User, Role::Assistant]).with_priority(priority);
    annotations.last_modified = changed.map(|at| at.to_string());
    annotations
}

/// `resources/templates/list`, all on one page.
pub(crate) fn templates(cursor: Option<&str>) -> Result<ListResourceTemplatesResult, ErrorData> {
    cursor::none(cursor).map_err(|fault| protocol_error(&fault))?;
    let template = |&(uri, name, title, about, mime_type): &(&str, &str, &str, &str, Option<&str>)| {
        let template = ResourceTemplate::new(uri, name)
            .with_title(title)
            .with_description(about)
            .with_annotations(annotations(PRIORITY_HISTORY, None));
        match mime_type {
            Some(mime_type) => template.with_mime_type(mime_type),
            None => template,
        }
    };
    Ok(ListResourceTemplatesResult::with_all_items(TEMPLATES.iter().map(template).collect()))
}

/// `resources/read`.
pub(crate) async fn read(gate: &dyn Gate, uri: String) -> Result<ReadResourceResult, ErrorData> {
    let (target, query) = Target::of(&uri).ok_or_else(|| no_resource(&uri))?;
    let query = Query::parse(&target, query).map_err(|fault| protocol_error(&fault))?;
    let found = match target {
        Target::Conversations => conversations(gate, query).await.map(Some),
        Target::Active => {
            let query = Query { status: Some(SessionStatus::Active), ..Query::default() };
            conversations(gate, query).await.map(Some)
        }
        Target::Conversation(session) => conversation(gate, session, query).await,
        Target::Session(session) => match gate.session(session).await {
            Ok(details) => details.map(|details| session_json(&details)).transpose(),
            Err(fault) => Err(fault),
        },
        Target::Checkpoints(session) => checkpoints_of(gate, session, query).await,
        Target::Config => gate.config(None).and_then(|settings| json(&config::by_section(&settings))).map(Some),
        Target::Templates => templates::all(gate, &query).map(Some),
        Target::Template(id) => return templates::one(gate, &id, uri.clone()).ok_or_else(|| no_resource(&uri)),
        Target::Skills => Ok(Some(skills::index(gate))),
        Target::Skill(name) => return skills::read(gate, &name, uri.clone()).ok_or_else(|| no_resource(&uri)),
        Target::Attachment(id) => {
            return match gate.attachment(id).await {
                Ok((attachment, bytes)) => Ok(attachment_contents(uri, attachment.mime_type, bytes)),
                Err(fault) if fault.code == Code::UnknownAttachment => Err(no_resource(&uri)),
                Err(fault) => Err(protocol_error(&fault)),
            };
        }
    };
    let text = found.map_err(|fault| protocol_error(&fault))?.ok_or_else(|| no_resource(&uri))?;
    Ok(ReadResourceResult::new(vec![ResourceContents::text(text, uri).with_mime_type(JSON)]))
}

/// What a URI names that could be subscribed to.
///
/// # Errors
/// As for reading it, but for its cursor, which isn't opened.
pub(crate) async fn subscribable(gate: &dyn Gate, uri: &str) -> Result<Target, ErrorData> {
    let (target, query) = Target::of(uri).ok_or_else(|| no_resource(uri))?;
    Query::parse(&target, query).map_err(|fault| protocol_error(&fault))?;
    match exists(gate, &target).await {
        Ok(true) => Ok(target),
        Ok(false) => Err(no_resource(uri)),
        Err(fault) => Err(protocol_error(&fault)),
    }
}

async fn exists(gate: &dyn Gate, target: &Target) -> Result<bool, Fault> {
    match target {
        Target::Conversations | Target::Active | Target::Config | Target::Templates | Target::Skills => Ok(true),
        Target::Template(id) => Ok(gate.prompts().get(id).is_some()),
        Target::Skill(name) => Ok(skills::exists(gate, name)),
        Target::Conversation(session) | Target::Session(session) | Target::Checkpoints(session) => {
            Ok(gate.session(*session).await?.is_some())
        }
        Target::Attachment(id) => Ok(gate.attachments_like(&id.to_string(), 1).await?.1 > 0),
    }
}

async fn conversations(gate: &dyn Gate, query: Query) -> Result<String, Fault> {
    #[derive(Serialize)]
    struct Page<'a> {
        conversations: Vec<Entry<'a>>,
        next_cursor: Option<String>,
        next: Option<String>,
    }
    let list = Query { cursor: None, ..query.clone() }.uri(&Target::Conversations);
    let after = query.cursor.as_deref().map(|cursor| cursor::open(gate, &list, cursor)).transpose()?;
    let wanted = ConversationQuery { text: query.q.clone(), status: query.status, ..ConversationQuery::default() };
    let page = gate.conversations(wanted, after).await?;
    let next_cursor = page.next.map(|place| cursor::seal(gate, &list, place)).transpose()?;
    json(&Page {
        conversations: page.items.iter().map(Entry::of).collect(),
        next: next_uri(query, &Target::Conversations, next_cursor.as_ref()),
        next_cursor,
    })
}

async fn conversation(gate: &dyn Gate, session: SessionUuid, query: Query) -> Result<Option<String>, Fault> {
    #[derive(Serialize)]
    struct Page<'a> {
        #[serde(flatten)]
        metadata: Metadata<'a>,
        messages: Vec<Said<'a>>,
        next_cursor: Option<String>,
        next: Option<String>,
    }
    let target = Target::Conversation(session);
    let list = target.uri();
    let older = query.cursor.as_deref().map(|cursor| cursor::open(gate, &list, cursor)).transpose()?;
    let Some(Recorded { conversation, messages }) = gate.conversation(session, older).await? else { return Ok(None) };
    let next_cursor = messages.next.map(|place| cursor::seal(gate, &list, place)).transpose()?;
    let page = Page {
        metadata: Metadata::of(&conversation),
        messages: messages.items.iter().map(Said::of).collect(),
        next: next_uri(query, &target, next_cursor.as_ref()),
        next_cursor,
    };
    json(&page).map(Some)
}

fn next_uri(query: Query, target: &Target, cursor: Option<&String>) -> Option<String> {
    Some(Query { cursor: Some(cursor?.clone()), ..query }.uri(target))
}

fn session_json(details: &SessionDetails) -> Result<String, Fault> {
    #[derive(Serialize)]
    struct Session<'a> {
        #[serde(flatten)]
        metadata: Metadata<'a>,
        transport: Option<&'a str>,
        protocol_version: Option<&'a str>,
        spoke_at: Timestamp,
        pending: &'a [gate_core::RequestId],
    }
    json(&Session {
        metadata: Metadata::of(&details.conversation),
        transport: details.transport.as_deref(),
        protocol_version: details.protocol_version.as_deref(),
        spoke_at: details.spoke_at,
        pending: &details.pending,
    })
}

async fn checkpoints_of(gate: &dyn Gate, session: SessionUuid, query: Query) -> Result<Option<String>, Fault> {
    #[derive(Serialize)]
    struct Page<'a> {
        #[serde(flatten)]
        page: CheckpointPage<'a>,
        next: Option<String>,
    }
    let before = match query.cursor.as_deref().map(|cursor| cursor::open_checkpoints(gate, cursor)).transpose()? {
        Some((its, _)) if its != session => return Err(bad_cursor()),
        before => before.map(|(_, before)| before),
    };
    let Some(all) = gate.checkpoints(session).await? else { return Ok(None) };
    let (page, _) = checkpoints::page(gate, session, &all, before)?;
    let next = next_uri(query, &Target::Checkpoints(session), page.next_cursor());
    json(&Page { page, next }).map(Some)
}

/// A resource's text.
pub(crate) fn json(value: &impl Serialize) -> Result<String, Fault> {
    serde_json::to_string(value).map_err(|error| Fault::internal(error.to_string()))
}

fn attachment_contents(uri: String, mime_type: String, bytes: Vec<u8>) -> ReadResourceResult {
    let contents = match String::from_utf8(bytes) {
        Ok(text) if mime_type.starts_with("text/") => ResourceContents::text(text, uri),
        Ok(text) => ResourceContents::blob(STANDARD.encode(text), uri),
        Err(bytes) => ResourceContents::blob(STANDARD.encode(bytes.as_bytes()), uri),
    };
    ReadResourceResult::new(vec![contents.with_mime_type(mime_type)])
}
