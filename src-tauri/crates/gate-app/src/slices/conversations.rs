//! Conversations: the sessions that live, the record of what was said in them, the person's notes to their agents,
//! search, export and import, backups. Knows of requests which are pending, and not how they are answered.

mod backups;
mod commands;
mod copies;
mod deletion;
mod history;
mod live;
mod notes;
mod owners;
mod port;
mod record;
mod search;
mod sessions;
mod transfer;
mod turns;

use std::path::PathBuf;
use std::sync::Arc;

use gate_core::Fault;
use gate_mcp::Agent;
use gate_store::{Owned, Store};

use crate::bus::Bus;
use crate::recent::Recent;
use crate::slices::queue::Queue;
use crate::slices::receipts::Receipts;
use crate::slices::settings::Configured;
pub(crate) use backups::warn_of_damage;
use owners::{OWNERS, Readers};
use search::Search;
use sessions::Sessions;
use turns::Turns;

/// The conversations of a running gate.
#[derive(Debug)]
pub(crate) struct Conversations {
    store: Store,
    bus: Bus,
    settings: Arc<Configured>,
    queue: Arc<Queue>,
    pub(crate) sessions: Arc<Sessions>,
    turns: Turns,
    pub(crate) readers: Readers,
    /// Whose the requests are that agents had last.
    owners: Recent<Owned>,
    pub(crate) search: Search,
    /// One session at a time begins for an agent that names none.
    beginning: tokio::sync::Mutex<()>,
    folders: Folders,
    /// Backups have a copy of them.
    receipts: Arc<Receipts>,
}

/// Where conversations lie outside of the record.
#[derive(Debug)]
pub(crate) struct Folders {
    /// The search index.
    pub(crate) index: PathBuf,
    /// Where exports go that name no file.
    pub(crate) exports: PathBuf,
    /// The record's backups.
    pub(crate) backups: PathBuf,
    /// Copies of attachments, for agents that read files.
    pub(crate) copies: PathBuf,
}

impl Conversations {
    /// Takes up the sessions and the notes from before a restart. The queue has its pending requests already.
    pub(crate) async fn open(
        store: Store,
        bus: Bus,
        settings: Arc<Configured>,
        queue: Arc<Queue>,
        receipts: Arc<Receipts>,
        folders: Folders,
    ) -> Result<Self, Fault> {
        let sessions = Sessions::default();
        for stored in store.active_sessions().await? {
            let session = stored.conversation.session_uuid;
            let open = live::counted(queue.board.pending_of(session));
            sessions.take_in(&stored.conversation, stored.relay.map(Agent::Relay), open, bus.now());
        }
        for (session, note) in store.undelivered_notes().await? {
            sessions.notes.add(session, note);
        }
        let conversations = Self {
            search: Search::new(store.clone(), folders.index.clone()),
            store,
            bus,
            settings,
            queue,
            sessions: Arc::new(sessions),
            turns: Turns::default(),
            readers: Readers::default(),
            owners: Recent::of(OWNERS),
            beginning: tokio::sync::Mutex::default(),
            folders,
            receipts,
        };
        conversations.drop_copies_of_others();
        Ok(conversations)
    }
}

/// The relay of an agent that speaks through one.
pub(crate) fn relay_of(agent: Option<&Agent>) -> Option<String> {
    match agent {
        Some(Agent::Relay(relay)) => Some(relay.clone()),
        Some(Agent::Http(_)) | None => None,
    }
}
