//! What finding out who calls, and waiting with them, needs of the running gate.

use async_trait::async_trait;
use gate_core::clients::Override;
use gate_core::proposal::{May, Party};
use gate_core::{Digest, Fault, SessionUuid};

use crate::port::Whose;

/// Who calls a tool as a party.
#[derive(Debug, Clone)]
pub struct ReviewCaller {
    /// The call, its client and whose it is.
    pub whose: Whose,
    /// The party that the kernel and the token make of it.
    pub party: Party,
    /// The folder that its relay works in, by the kernel's word; absent where it names none, and over HTTP.
    pub folder: Option<String>,
    /// SHA-256 of the tool and of what it was called with, where the same call may come again under another key: over
    /// HTTP.
    pub digest: Option<Digest>,
}

/// What the person gave a token, as far as reviews go.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TokenGiven {
    /// Whose it is: all tokens of one owner are one party.
    pub owner: Option<String>,
    /// What it lets its client do.
    pub may: May,
}

/// Those who call, and the person whom they may have to wait for.
#[async_trait]
pub trait CallerPort: Send + Sync + 'static {
    /// Waiting times from the settings that win over the built-in table.
    fn patience_overrides(&self) -> Vec<Override>;

    /// What the person gave the token of this name.
    fn given_to_token(&self, name: &str) -> TokenGiven;

    /// The session that a call goes on in: the one that it names, else the only active one of its caller. Where there
    /// is none, or there are several, a call that does something `begins` one; the same call again goes on in the same.
    async fn session(&self, caller: &ReviewCaller, begins: bool) -> Result<Option<SessionUuid>, Fault>;

    /// Whether the person is away, so that nobody should wait for them.
    fn is_away(&self) -> bool;

    /// Resolves when the person is away; at once while they are.
    async fn away(&self);
}
