//! Tokens of single clients, and the clients that the record knows.

use std::path::Path;
use std::sync::{Arc, PoisonError};

use gate_api::subjects::connections::{ClientEntry, CreateToken, TokenEntry};
use gate_core::ask::excerpt;
use gate_core::clients::{Client, Transport, patience};
use gate_core::proposal::May;
use gate_core::{Code, Fault, Owner, OwnerId, bounds};
use gate_door::access;
use gate_mcp::TokenGiven;
use gate_store::{AddedToken, SeenClient};
use serde_json::Value;

use super::Connections;
use crate::work::blocking;

/// Most clients that are reported.
const CLIENTS: u32 = 100;

impl Connections {
    pub(crate) async fn create_token(&self, asked: CreateToken) -> Result<String, Fault> {
        let CreateToken { name, reads_all, folders, owner, may } = asked;
        let name = checked(&name)?.to_owned();
        let owner = owner.as_deref().map(checked).transpose()?.map(str::to_owned);
        let may = match may.is_empty() {
            true => May::default(),
            false => May::of_words(may.iter().map(String::as_str))?,
        };
        let folders = blocking(move || real(&folders)).await?;
        let _changing = self.changing.lock().await;
        let (token, sha256) = access::new_token()?;
        let added = AddedToken { name, sha256, reads_all, folders, owner, may };
        self.store.add_token(&added, self.bus.now()).await?;
        self.read_tokens().await?;
        Ok(token)
    }

    pub(crate) async fn revoke_token(&self, name: &str) -> Result<(), Fault> {
        let _changing = self.changing.lock().await;
        if !self.store.revoke_token(name, self.bus.now()).await? {
            return Err(no_token(name));
        }
        self.read_tokens().await
    }

    pub(crate) async fn rotate_token(&self) -> Result<String, Fault> {
        let _changing = self.changing.lock().await;
        let access = Arc::clone(&self.access);
        blocking(move || access.rotate()).await
    }

    pub(crate) async fn tokens(&self) -> Result<Vec<TokenEntry>, Fault> {
        let tokens = self.store.tokens().await?.into_iter().map(|token| TokenEntry {
            name: token.name,
            created_at: token.created_at,
            used_at: token.used_at,
            revoked_at: token.revoked_at,
            reads_all: token.reads_all,
            folders: token.folders,
            owner: token.owner,
            may: token.may.words().map(str::to_owned).collect(),
        });
        Ok(tokens.collect())
    }

    /// Tells the door which tokens are good, and the conversations which of them read all.
    pub(crate) async fn read_tokens(&self) -> Result<(), Fault> {
        let mut good = self.store.tokens().await?;
        good.retain(|token| token.revoked_at.is_none());
        let readers = good.iter().filter(|token| token.reads_all).map(|token| token.name.clone());
        self.conversations.readers.set(readers.collect());
        let given = good.iter().map(|token| {
            let given = TokenGiven { owner: token.owner.clone(), may: token.may };
            (token.name.clone(), given)
        });
        *self.given.lock().unwrap_or_else(PoisonError::into_inner) = given.collect();
        self.access.set_clients(good.into_iter().map(|token| (token.name, token.sha256)));
        Ok(())
    }

    /// What the good token of this name was given.
    pub(crate) fn given_to_token(&self, name: &str) -> TokenGiven {
        let given = self.given.lock().unwrap_or_else(PoisonError::into_inner);
        given.get(name).cloned().unwrap_or_default()
    }

    /// The client that has a good token of this name, as an owner.
    pub(crate) async fn client_named(&self, name: &str) -> Result<Owner, Fault> {
        let tokens = self.store.tokens().await?;
        let is_good = tokens.iter().any(|token| token.name == name && token.revoked_at.is_none());
        if is_good { Ok(OwnerId::Token(name.to_owned()).into()) } else { Err(no_token(name)) }
    }

    /// A connection has shown the token of this name.
    pub(crate) fn token_used(&self, name: &str) {
        let (store, name, now) = (self.store.clone(), name.to_owned(), self.bus.now());
        tokio::spawn(async move {
            if let Err(error) = store.token_used(&name, now).await {
                tracing::warn!(%error, "the use of a token could not be noted");
            }
        });
    }

    pub(crate) async fn heard_clients(&self) -> Result<Vec<ClientEntry>, Fault> {
        let seen = self.store.seen_clients(CLIENTS).await?;
        Ok(seen.into_iter().map(|seen| self.client(seen)).collect())
    }

    fn client(&self, seen: SeenClient) -> ClientEntry {
        let http = seen.transport.as_deref() == Some(Transport::Http.as_str());
        let transport = if http { Transport::Http } else { Transport::Stdio };
        let client = Client { name: &seen.client, version: &seen.client_version, transport, progress: false };
        let waits_seconds = patience(&client, &self.waiting_times()).as_secs();
        ClientEntry {
            waits_seconds,
            capabilities: seen.capabilities.and_then(|all| serde_json::from_str(&all).ok()).unwrap_or(Value::Null),
            client: seen.client,
            version: seen.client_version,
            transport: seen.transport,
            protocol_version: seen.protocol_version,
            token_name: seen.token_name,
            conversations: seen.conversations,
            last_at: seen.last_at,
        }
    }
}

fn no_token(name: &str) -> Fault {
    Fault::new(
        Code::UnknownToken,
        format!("There is no good token named {name:?}."),
        "`review-gate token list` names them.",
    )
}

/// Folders without links in their paths, each once.
///
/// # Errors
/// `invalid_input` for one that isn't there, isn't absolute, or whose path is no text; `too_many`.
fn real(folders: &[String]) -> Result<Vec<String>, Fault> {
    if folders.len() > bounds::TOKEN_FOLDERS {
        return Err(Fault::new(
            Code::TooMany,
            format!("{} folders are named; at most {} are allowed.", folders.len(), bounds::TOKEN_FOLDERS),
            "Name one above them.",
        ));
    }
    let mut all = Vec::with_capacity(folders.len());
    for folder in folders {
        let path = Path::new(folder);
        let found = std::fs::canonicalize(path).ok().filter(|found| path.is_absolute() && found.is_dir());
        let Some(found) = found.and_then(|found| found.into_os_string().into_string().ok()) else {
            return Err(Fault::new(
                Code::InvalidInput,
                format!("{:?} is no folder here.", excerpt(folder, 200)),
                "Name a folder on the gate's machine by its absolute path.",
            ));
        };
        if !all.contains(&found) {
            all.push(found);
        }
    }
    Ok(all)
}

fn checked(name: &str) -> Result<&str, Fault> {
    let name = name.trim();
    let bad = |message: String| Fault::new(Code::InvalidInput, message, "Name the client, e.g. `laptop-codex`.");
    if name.is_empty() || name.chars().any(char::is_control) {
        return Err(bad("The name is empty or holds control characters.".to_owned()));
    }
    if name.chars().count() > bounds::TOKEN_NAME_CHARS {
        return Err(bad(format!("The name has more than {} characters.", bounds::TOKEN_NAME_CHARS)));
    }
    Ok(name)
}
