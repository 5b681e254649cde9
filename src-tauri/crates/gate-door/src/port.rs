//! What the door needs of the gate behind it. MCP itself is behind [`gate_mcp::HttpEndpoint`].

use std::fmt::Debug;

use async_trait::async_trait;
use gate_api::{Answer, Command, Event, Origin};
use gate_core::{Digest, Fault, Timestamp};
use gate_mcp::Delivered;
use tokio::sync::broadcast;
use uuid::Uuid;

/// The gate as its door sees it.
#[async_trait]
pub trait DoorPort: Debug + Send + Sync {
    /// Now.
    fn now(&self) -> Timestamp;

    /// An identifier that nobody else has.
    fn new_id(&self) -> Uuid;

    /// Who may come in besides this machine's own programs and the gate's own page.
    fn allowed(&self) -> Allowed;

    /// Whether who has this key, a point on P-256 as it stands uncompressed, has signed that: with ECDSA and SHA-256, as
    /// `r` and `s`.
    fn has_signed(&self, key: &[u8], signature: &[u8], text: &[u8]) -> bool;

    /// A browser of this name has signed in with a link that counts as given there. It is signed in once this returns.
    ///
    /// # Errors
    /// Why it isn't: that it did can't be noted.
    async fn signed_in(&self, browser: Digest, origin: Origin) -> Result<(), Fault>;

    /// A connection has shown the token of this client.
    fn token_used(&self, client: &str);

    /// A client has what it was given for this call: the system has taken its last byte.
    async fn delivered(&self, call_key: &str, what: Delivered);

    /// What happens from now on, for a page.
    fn events(&self) -> broadcast::Receiver<Event>;

    /// Carries out a command that a page gives, to its end. `origin` is what it counts as; what is not for a browser is
    /// refused whatever that is.
    ///
    /// # Errors
    /// A [`Fault`] with its code; nothing is half done then.
    async fn carry_out(&self, command: Command, origin: Origin) -> Result<Answer, Fault>;

    /// Whether a webhook could be signed rightly.
    fn expects_webhooks(&self) -> bool;

    /// Looks at a webhook, its signature first, and gives a word for what comes of it.
    ///
    /// # Errors
    /// Why it was not taken.
    fn webhook(&self, webhook: &Webhook<'_>) -> Result<&'static str, NotTaken>;
}

/// Who may come in, by the settings in force.
#[derive(Debug, Clone, Default)]
pub struct Allowed {
    /// Names of this machine, as `Host` has them.
    pub hosts: Vec<String>,
    /// Pages that may speak MCP, as `Origin` has them.
    pub origins: Vec<String>,
}

/// A webhook as it came. Headers that are missing are empty.
#[derive(Debug, Clone, Copy)]
pub struct Webhook<'a> {
    /// What it is.
    pub event: &'a str,
    /// Its own name.
    pub delivery: &'a str,
    /// What shows who sent it.
    pub signature: &'a str,
    /// What it says.
    pub body: &'a [u8],
}

/// Why a webhook was not taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotTaken {
    /// Nobody expects any.
    Unexpected,
    /// Its signature doesn't fit.
    Unsigned(Fault),
    /// It is signed, and says nothing that can be read.
    Unreadable(Fault),
}
