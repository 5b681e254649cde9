//! The record as resources: conversations, sessions and checkpoints.

use std::sync::Arc;

use async_trait::async_trait;
use gate_core::ask::excerpt;
use gate_core::page::bad_cursor;
use gate_core::{
    Code, Conversation, ConversationQuery, Fault, Owner, RequestId, SessionStatus, SessionUuid, Timestamp,
};
use rmcp::model::Resource as Listed;
use serde::Serialize;

use super::checkpoints::{self, CheckpointPage};
use super::views::{Entry, Metadata, Said};
use super::{RecordPort, Recorded};
use crate::completion::{Found, MOST, beginning};
use crate::cursor;
use crate::port::{Change, ConnectionPort};
use crate::resource::{
    Contents, JSON, PRIORITY_ACTIVE, PRIORITY_HISTORY, Page, Resource, Resources, Template, annotations, listed,
};
use crate::uri::{self, Parameter, Query};

/// Parameters of all conversations: the words that are looked for, and where the session stands.
const WORDS: &str = "q";
const STATUS: &str = "status";
/// The list that the conversations are in `resources/list`.
const LIST: &str = "resources";

/// The templates' URIs.
const CONVERSATIONS: &str = "file://review-gate/conversations{?cursor,q,status}";
const CONVERSATION: &str = "file://review-gate/conversations/{id}{?cursor}";
const SESSION: &str = "file://review-gate/sessions/{uuid}";
const CHECKPOINTS: &str = "file://review-gate/checkpoints/{conversation_id}{?cursor}";

const TEMPLATES: &[Template] = &[
    Template {
        uri: CONVERSATIONS,
        name: "conversations",
        title: "Conversations",
        about: "Conversations, the latest changed first, 50 a page. `q` looks for words in messages and titles, \
                `status` is active, completed, timeout or stale, `cursor` is the `next_cursor` of the page before.",
        mime_type: Some(JSON),
    },
    Template {
        uri: CONVERSATION,
        name: "conversation",
        title: "A conversation",
        about: "One conversation with its messages in order, 50 a page, the newest page first. `id` is its \
                session_uuid.",
        mime_type: Some(JSON),
    },
    Template {
        uri: SESSION,
        name: "session",
        title: "A session",
        about: "Where a session stands, and its open requests.",
        mime_type: Some(JSON),
    },
    Template {
        uri: CHECKPOINTS,
        name: "checkpoints",
        title: "A conversation's checkpoints",
        about: "Its checkpoints in order, 50 a page, the newest page first.",
        mime_type: Some(JSON),
    },
];

/// Conversations with all that belongs to them.
pub(super) struct Conversations(pub(super) Arc<dyn RecordPort>);

/// What a URI names of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Target {
    /// All conversations.
    All,
    /// Those that agents are in.
    Active,
    /// One with its messages.
    One(SessionUuid),
    /// Where its session stands.
    Session(SessionUuid),
    /// Its checkpoints.
    Checkpoints(SessionUuid),
}

impl Target {
    fn of(uri: &str) -> Option<Self> {
        let path = uri::below(uri)?;
        let session = |id| uri::uuid(id).map(SessionUuid);
        match path.split_once('/') {
            None if path == "conversations" => Some(Self::All),
            Some(("conversations", "active")) => Some(Self::Active),
            Some(("conversations", id)) => session(id).map(Self::One),
            Some(("sessions", id)) => session(id).map(Self::Session),
            Some(("checkpoints", id)) => session(id).map(Self::Checkpoints),
            _ => None,
        }
    }

    fn uri(self) -> String {
        uri::of(&match self {
            Self::All => "conversations".to_owned(),
            Self::Active => "conversations/active".to_owned(),
            Self::One(id) => format!("conversations/{id}"),
            Self::Session(id) => format!("sessions/{id}"),
            Self::Checkpoints(id) => format!("checkpoints/{id}"),
        })
    }
}

#[async_trait]
impl Resources for Conversations {
    fn templates(&self) -> &'static [Template] {
        TEMPLATES
    }

    fn at(&self, uri: &str) -> Option<Box<dyn Resource>> {
        Some(Box::new(Named { target: Target::of(uri)?, port: Arc::clone(&self.0) }))
    }

    async fn page(&self, gate: &dyn ConnectionPort, client: &Owner, cursor: Option<&str>) -> Result<Page, Fault> {
        let after = cursor.map(|cursor| cursor::open(gate, LIST, cursor)).transpose()?;
        let page = self.0.conversations(ConversationQuery::default(), after, client).await?;
        let conversations = page.items.iter().map(|found| &found.conversation);
        Ok(Page {
            first: lists(conversations.clone().next()).into(),
            resources: conversations.map(resource).collect(),
            next: page.next.map(|place| cursor::seal(gate, LIST, place)).transpose()?,
        })
    }

    fn is_listed_otherwise(&self, change: &Change) -> bool {
        matches!(change, Change::Began(_))
    }

    async fn complete(
        &self,
        client: &Owner,
        template: &str,
        variable: &str,
        begun: &str,
    ) -> Result<Option<Found>, Fault> {
        Ok(Some(match (template, variable) {
            (CONVERSATIONS, STATUS) => {
                let all = SessionStatus::ALL.into_iter().map(SessionStatus::as_str);
                let values: Vec<_> = all.filter(|status| status.starts_with(begun)).collect();
                Found::among(values.into_iter())
            }
            (CONVERSATIONS, "cursor" | WORDS) | (CONVERSATION | CHECKPOINTS, "cursor") => Found::none(),
            (CONVERSATION, "id") | (SESSION, "uuid") | (CHECKPOINTS, "conversation_id") => {
                let Some(beginning) = beginning(begun) else { return Ok(Some(Found::none())) };
                let (found, total) = self.0.sessions_like(&beginning, MOST, client).await?;
                Found::identifiers(&found, total)
            }
            _ => return Ok(None),
        }))
    }
}

/// The two lists, which are other when the latest conversation is: that may have left those that agents are in.
fn lists(latest: Option<&Conversation>) -> [Listed; 2] {
    let newest = latest.map(|conversation| conversation.updated_at);
    let (all, now) = (
        "What agents asked and people answered, the latest changed first.",
        "The conversations that agents are in right now.",
    );
    [
        listed(Target::All.uri(), "conversations", "All conversations", all)
            .with_annotations(annotations(PRIORITY_HISTORY, newest)),
        listed(Target::Active.uri(), "conversations/active", "Active conversations", now)
            .with_annotations(annotations(PRIORITY_ACTIVE, newest)),
    ]
}

fn resource(conversation: &Conversation) -> Listed {
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
    let name = format!("conversations/{}", conversation.session_uuid);
    listed(Target::One(conversation.session_uuid).uri(), &name, &title, &about)
        .with_annotations(annotations(priority, Some(conversation.updated_at)))
}

/// A target with the port.
struct Named {
    target: Target,
    port: Arc<dyn RecordPort>,
}

#[async_trait]
impl Resource for Named {
    fn uri(&self) -> String {
        self.target.uri()
    }

    fn parameters(&self) -> &'static [Parameter] {
        const ALL: &[Parameter] =
            &[Parameter::CURSOR, Parameter::text(WORDS), Parameter::checked(STATUS, |text| status(text).map(drop))];
        match self.target {
            Target::All => ALL,
            Target::One(_) | Target::Checkpoints(_) => &[Parameter::CURSOR],
            Target::Active | Target::Session(_) => &[],
        }
    }

    async fn exists(&self, client: &Owner) -> Result<bool, Fault> {
        match self.target {
            Target::All | Target::Active => Ok(true),
            Target::One(session) | Target::Session(session) | Target::Checkpoints(session) => {
                Ok(self.port.session(session, client).await?.is_some())
            }
        }
    }

    async fn read(&self, gate: &dyn ConnectionPort, client: &Owner, query: Query) -> Result<Option<Contents>, Fault> {
        match self.target {
            Target::All => self.conversations(gate, client, query).await.map(Some),
            Target::Active => {
                let query = Query::default().with(STATUS, SessionStatus::Active.as_str().to_owned());
                self.conversations(gate, client, query).await.map(Some)
            }
            Target::One(session) => self.conversation(gate, client, session, query).await,
            Target::Session(session) => self.session(client, session).await,
            Target::Checkpoints(session) => self.checkpoints(gate, client, session, query).await,
        }
    }

    fn reads_otherwise(&self, change: &Change) -> bool {
        match *change {
            Change::Began(changed) | Change::Conversation(changed) => match self.target {
                Target::All | Target::Active => true,
                Target::One(session) | Target::Session(session) => session == changed,
                Target::Checkpoints(_) => false,
            },
            Change::Checkpoints(changed) => self.target == Target::Checkpoints(changed),
            _ => false,
        }
    }
}

impl Named {
    async fn conversations(&self, gate: &dyn ConnectionPort, client: &Owner, query: Query) -> Result<Contents, Fault> {
        #[derive(Serialize)]
        struct Page<'a> {
            conversations: Vec<Entry<'a>>,
            next_cursor: Option<String>,
            next: Option<String>,
        }
        let list = query.clone().at(None).uri(Target::All.uri());
        let after = query.cursor.as_deref().map(|cursor| cursor::open(gate, &list, cursor)).transpose()?;
        let wanted = ConversationQuery {
            text: query.get(WORDS).map(str::to_owned),
            status: query.get(STATUS).map(status).transpose()?,
            ..ConversationQuery::default()
        };
        let page = self.port.conversations(wanted, after, client).await?;
        let next_cursor = page.next.map(|place| cursor::seal(gate, &list, place)).transpose()?;
        Contents::json(&Page {
            conversations: page.items.iter().map(Entry::of).collect(),
            next: next_uri(query, Target::All, next_cursor.as_ref()),
            next_cursor,
        })
    }

    async fn conversation(
        &self,
        gate: &dyn ConnectionPort,
        client: &Owner,
        session: SessionUuid,
        query: Query,
    ) -> Result<Option<Contents>, Fault> {
        #[derive(Serialize)]
        struct Page<'a> {
            #[serde(flatten)]
            metadata: Metadata<'a>,
            messages: Vec<Said<'a>>,
            next_cursor: Option<String>,
            next: Option<String>,
        }
        let list = self.target.uri();
        let older = query.cursor.as_deref().map(|cursor| cursor::open(gate, &list, cursor)).transpose()?;
        let recorded = self.port.conversation(session, older, client).await?;
        let Some(Recorded { conversation, messages }) = recorded else { return Ok(None) };
        let next_cursor = messages.next.map(|place| cursor::seal(gate, &list, place)).transpose()?;
        let page = Page {
            metadata: Metadata::of(&conversation),
            messages: messages.items.iter().map(Said::of).collect(),
            next: next_uri(query, self.target, next_cursor.as_ref()),
            next_cursor,
        };
        Contents::json(&page).map(Some)
    }

    async fn session(&self, client: &Owner, session: SessionUuid) -> Result<Option<Contents>, Fault> {
        #[derive(Serialize)]
        struct Session<'a> {
            #[serde(flatten)]
            metadata: Metadata<'a>,
            transport: Option<&'a str>,
            protocol_version: Option<&'a str>,
            spoke_at: Timestamp,
            pending: &'a [RequestId],
        }
        let Some(details) = self.port.session(session, client).await? else { return Ok(None) };
        let session = Session {
            metadata: Metadata::of(&details.conversation),
            transport: details.transport.as_deref(),
            protocol_version: details.protocol_version.as_deref(),
            spoke_at: details.spoke_at,
            pending: &details.pending,
        };
        Contents::json(&session).map(Some)
    }

    async fn checkpoints(
        &self,
        gate: &dyn ConnectionPort,
        client: &Owner,
        session: SessionUuid,
        query: Query,
    ) -> Result<Option<Contents>, Fault> {
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
        let Some(all) = self.port.checkpoints(session, client).await? else { return Ok(None) };
        let (page, _) = checkpoints::page(gate, session, &all, before)?;
        let next = next_uri(query, self.target, page.next_cursor());
        Contents::json(&Page { page, next }).map(Some)
    }
}

fn next_uri(query: Query, target: Target, cursor: Option<&String>) -> Option<String> {
    Some(query.at(Some(cursor?.clone())).uri(target.uri()))
}

fn status(text: &str) -> Result<SessionStatus, Fault> {
    SessionStatus::parse(text).ok_or_else(|| {
        let all = SessionStatus::ALL.map(SessionStatus::as_str).join(", ");
        Fault::new(
            Code::InvalidInput,
            format!("`status` is {:?}; it may be one of {all}.", excerpt(text, 60)),
            "Pass one of them, or leave it out for all.",
        )
    })
}
