//! The row of a conversation.

use std::borrow::Cow;

use gate_core::clients::Transport;
use gate_core::{Caller, Declared, Owner, SessionStatus, SessionUuid, Timestamp};
use serde::{Deserialize, Serialize};
use sqlx::sqlite::SqliteConnection;

use crate::error::StoreError;
use crate::table::{self, Known, Table, column, identifier};

/// What a conversation begins with and keeps. The second copy of replies has it in this form: what a
/// later program adds is absent in lines of earlier ones.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Beginning<'a> {
    pub(crate) session_uuid: SessionUuid,
    pub(crate) client: Cow<'a, str>,
    pub(crate) client_version: Cow<'a, str>,
    pub(crate) workspace: Cow<'a, str>,
    pub(crate) title: Cow<'a, str>,
    pub(crate) created_at: i64,
    pub(crate) transport: Option<Cow<'a, str>>,
    pub(crate) protocol_version: Option<Cow<'a, str>>,
    pub(crate) capabilities: Option<Cow<'a, str>>,
    pub(crate) token_name: Option<Cow<'a, str>>,
}

impl<'a> Beginning<'a> {
    /// What a session begins with that an agent begins now.
    pub(crate) fn of(
        session_uuid: SessionUuid,
        caller: &'a Caller,
        declared: &'a Declared,
        title: impl Into<Cow<'a, str>>,
        now: Timestamp,
    ) -> Self {
        Self {
            session_uuid,
            client: (&caller.client).into(),
            client_version: (&caller.client_version).into(),
            workspace: (&caller.workspace).into(),
            title: title.into(),
            created_at: now.0,
            transport: declared.transport.map(|transport| Transport::as_str(transport).into()),
            protocol_version: declared.protocol_version.as_ref().map(Into::into),
            capabilities: declared.capabilities.as_ref().map(Into::into),
            token_name: declared.token_name.as_ref().map(Into::into),
        }
    }
}

/// A row of `conversations`. Its count of messages is a trigger's, and which of them hold is said by
/// whoever knows their numbers.
#[derive(Debug, Clone)]
pub(crate) struct ConversationRow<'a> {
    pub(crate) beginning: Beginning<'a>,
    pub(crate) status: SessionStatus,
    pub(crate) updated_at: i64,
    pub(crate) relay: Option<Cow<'a, str>>,
    /// Whose it is; absent while it is nobody's.
    pub(crate) owner: Option<Cow<'a, Owner>>,
}

macro_rules! insert {
    ($row:expr, $conflict:literal) => {{
        let ConversationRow { beginning, status, updated_at, relay, owner } = $row;
        let Beginning {
            session_uuid,
            client,
            client_version,
            workspace,
            title,
            created_at,
            transport,
            protocol_version,
            capabilities,
            token_name,
        } = beginning;
        let (session_uuid, status) = (session_uuid.to_string(), status.as_str());
        let heirs = owner.as_ref().and_then(|owner| owner.heirs.clone());
        let owner = owner.as_ref().map(|owner| owner.id.to_string());
        sqlx::query!(
            "INSERT INTO conversations (session_uuid, client, client_version, workspace, status, created_at,
                                        updated_at, transport, protocol_version, capabilities, token_name, relay, title,
                                        owner, heirs)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)"
                + $conflict,
            session_uuid,
            client,
            client_version,
            workspace,
            status,
            created_at,
            updated_at,
            transport,
            protocol_version,
            capabilities,
            token_name,
            relay,
            title,
            owner,
            heirs,
        )
    }};
}

impl ConversationRow<'_> {
    /// Its table.
    pub(crate) const TABLE: Table = Table {
        name: "conversations",
        columns: &[
            identifier("session_uuid"),
            column("client"),
            column("client_version"),
            column("workspace"),
            column("status"),
            column("created_at"),
            column("updated_at"),
            column("transport"),
            column("protocol_version"),
            column("capabilities"),
            column("token_name"),
            column("title"),
            column("relay"),
            column("messages"),
            column("visible"),
            column("owner"),
            column("heirs"),
        ],
        owner: table::Owner::Conversation,
        known: Known::Changed(
            "(session_uuid) DO UPDATE SET status = excluded.status, relay = excluded.relay,
                 title = CASE WHEN excluded.title = '' THEN conversations.title ELSE excluded.title END,
                 owner = excluded.owner, heirs = excluded.heirs, updated_at = excluded.updated_at
             WHERE excluded.updated_at > conversations.updated_at",
        ),
    };

    /// Stores a new one.
    ///
    /// # Errors
    /// When SQLite fails, as it does where there is one already.
    pub(crate) async fn insert(&self, to: &mut SqliteConnection) -> Result<(), StoreError> {
        insert!(self, "").execute(to).await?;
        Ok(())
    }

    /// Stores it where there is none. False when there is one, which stays as it is.
    ///
    /// # Errors
    /// When SQLite fails.
    pub(crate) async fn insert_missing(&self, to: &mut SqliteConnection) -> Result<bool, StoreError> {
        let done = insert!(self, " ON CONFLICT (session_uuid) DO NOTHING").execute(to).await?;
        Ok(done.rows_affected() > 0)
    }

    /// Stores it, or lets the one that is there go on: with this status and time, with this relay where
    /// there is one, and with this title where it has none.
    ///
    /// # Errors
    /// When SQLite fails.
    pub(crate) async fn insert_or_go_on(&self, to: &mut SqliteConnection) -> Result<(), StoreError> {
        insert!(
            self,
            " ON CONFLICT (session_uuid) DO UPDATE SET status = excluded.status, updated_at = excluded.updated_at,
                  relay = coalesce(excluded.relay, relay), title = iif(title = '', excluded.title, title)"
        )
        .execute(to)
        .await?;
        Ok(())
    }
}
