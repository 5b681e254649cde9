//! Who may come in: the tokens of clients over HTTP, links for browsers, the agents' clients and how they are
//! connected.
//! Knows no HTTP and no request.

mod clients;
mod commands;
mod link;
mod tokens;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use gate_core::Fault;
use gate_core::clients::Override;
use gate_door::access::Access;
use gate_mcp::TokenGiven;
use gate_store::Store;

use crate::bus::Bus;
use crate::host::Host;
use crate::slices::conversations::Conversations;
use crate::slices::receipts::Receipts;
use crate::slices::settings::Configured;
pub(crate) use clients::{Which, Wish, named_toolsets};

/// The connections of a running gate.
#[derive(Debug)]
pub(crate) struct Connections {
    store: Store,
    bus: Bus,
    settings: Arc<Configured>,
    conversations: Arc<Conversations>,
    host: Arc<Host>,
    receipts: Arc<Receipts>,
    pub(crate) access: Arc<Access>,
    /// Held while tokens change, so that the door hears of the changes in their order.
    changing: tokio::sync::Mutex<()>,
    /// How long the clients wait that were connected to wait longer than usual.
    installed: Mutex<Vec<Override>>,
    /// What the good tokens were given, by their names.
    given: Mutex<HashMap<String, TokenGiven>>,
}

impl Connections {
    /// The connections of a gate; its door knows the tokens that are good.
    pub(crate) async fn open(
        store: Store,
        bus: Bus,
        settings: Arc<Configured>,
        conversations: Arc<Conversations>,
        host: Arc<Host>,
        receipts: Arc<Receipts>,
        access: Arc<Access>,
    ) -> Result<Self, Fault> {
        let connections = Self {
            store,
            bus,
            settings,
            conversations,
            host,
            receipts,
            access,
            changing: tokio::sync::Mutex::default(),
            installed: Mutex::default(),
            given: Mutex::default(),
        };
        connections.read_tokens().await?;
        connections.vouch_for_browsers().await?;
        Ok(connections)
    }

    /// Where what was shown of repositories is kept.
    pub(super) fn repositories_folder(&self) -> PathBuf {
        self.host.home.repositories_folder()
    }
}
