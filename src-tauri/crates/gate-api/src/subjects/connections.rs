//! The agents' clients, and who may come in over HTTP.

use gate_core::{Digest, Timestamp};
use serde::{Deserialize, Serialize};

use crate::clients::{ClientPreview, ClientScope, ClientState};
use crate::done::Done;
use crate::{commands, events};

commands! {
    /// The clients that can be connected.
    clients: ListClients {
        /// The project's folder whose files are looked at, too, an absolute path.
        #[serde(default)]
        project: Option<String>,
    } -> Clients, by Anyone, Look;

    /// What connecting or disconnecting a client would change.
    preview_client: PreviewClient {
        /// Which one, by its stable name.
        client: String,
        /// For whom.
        #[serde(default)]
        scope: ClientScope,
        /// Whether it is to be connected; else disconnected.
        connect: bool,
        /// Whether its rules are to be written, too.
        #[serde(default)]
        rules: bool,
        /// Whether an entry of Review Gate V2, or another one of our name, makes place.
        #[serde(default)]
        take_over: bool,
        /// Whether its agents may call the gate's tools without asking the person before each call. Permission that
        /// is there already stays without it.
        #[serde(default)]
        allow: bool,
        /// Whether its questions whether an agent may do something come to the gate; a way that is there already stays
        /// without it. Of what is to be disconnected: whether that alone goes, and the client stays connected.
        #[serde(default)]
        questions: bool,
        /// The names of the toolsets that its agents are served; empty: what its entry asks for already, and of a new one
        /// the tools of every agent.
        #[serde(default)]
        toolsets: Vec<String>,
        /// The project's folder, an absolute path.
        #[serde(default)]
        project: Option<String>,
    } -> ClientPreview, by Answerer, Look;

    /// Writes the gate into a client's configuration. `client_file` where a file isn't what it should be,
    /// `name_taken` where another server has our name.
    connect_client: ConnectClient {
        /// Which one, by its stable name.
        client: String,
        /// For whom.
        #[serde(default)]
        scope: ClientScope,
        /// Whether its rules are to be written, too.
        #[serde(default)]
        rules: bool,
        /// Whether an entry of Review Gate V2, or another one of our name, makes place.
        #[serde(default)]
        take_over: bool,
        /// Whether its agents may call the gate's tools without asking the person before each call. Permission that
        /// is there already stays without it.
        #[serde(default)]
        allow: bool,
        /// Whether its questions whether an agent may do something come to the gate. A way that is there already stays
        /// without it.
        #[serde(default)]
        questions: bool,
        /// The names of the toolsets that its agents are served; empty: what its entry asks for already, and of a new one
        /// the tools of every agent.
        #[serde(default)]
        toolsets: Vec<String>,
        /// The project's folder, an absolute path.
        #[serde(default)]
        project: Option<String>,
    } -> Clients, by Answerer, Act;

    /// Takes the gate out of a client's configuration again, and its rules. `client_file` where a file isn't what it
    /// should be.
    disconnect_client: DisconnectClient {
        /// Which one, by its stable name.
        client: String,
        /// For whom.
        #[serde(default)]
        scope: ClientScope,
        /// Whether only that its questions whether an agent may do something come to the gate goes; it stays connected.
        #[serde(default)]
        questions: bool,
        /// The project's folder, an absolute path.
        #[serde(default)]
        project: Option<String>,
    } -> Clients, by Answerer, Act;

    /// The clients of the record and what they declared, the latest first.
    heard_clients: ListHeardClients {} -> HeardClients, by Anyone, Look, ts(skip);

    /// Makes a token for one client over HTTP.
    create_token: CreateToken {
        /// The client's name.
        name: String,
        /// Whether it may read the conversations of all agents.
        #[serde(default)]
        reads_all: bool,
        /// The folders whose repositories the gate reads for it, as absolute paths.
        #[serde(default)]
        folders: Vec<String>,
        /// Whose it is: all tokens of one owner are one party in reviews.
        #[serde(default)]
        owner: Option<String>,
        /// What it lets its client do in reviews: `propose`, `review`; empty for both.
        #[serde(default)]
        may: Vec<String>,
    } -> NewToken, by LocalAnswerer, Act, ts(skip);

    /// Replaces the person's own token.
    rotate_token: RotateToken {} -> NewToken, by LocalAnswerer, Act, ts(skip);

    /// Makes a client's token worthless.
    revoke_token: RevokeToken {
        /// The client's name.
        name: String,
    } -> Done, by LocalAnswerer, Act, ts(skip);

    /// The clients' tokens, the newest first.
    tokens: ListTokens {} -> Tokens, by Local, Look, ts(skip);

    /// Makes a link that signs one browser in, once. `review-gate serve` asks for one by itself.
    link: MakeLink {} -> SignInLink, by LocalAnswerer, Look, ts(skip);

    /// The browsers that are signed in to the gate's page.
    browsers: ListBrowsers {} -> Browsers, by Anyone, Look;

    /// Signs one browser out. One that isn't signed in stays so.
    sign_out_browser: SignOutBrowser {
        /// Which one.
        browser: Digest,
    } -> Done, by Speaker, Act;

    /// Signs every browser out, and makes links worthless that nobody has used.
    sign_out: SignOut {} -> Done, by Speaker, Act;
}

events! {
    /// A browser signed in.
    BrowserSignedIn {
        /// Which one.
        browser: SignedInBrowser,
    }, InWindows;

    /// Browsers were signed out.
    BrowsersSignedOut, InWindows;
}

/// The browsers that are signed in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Browsers {
    /// The newest first.
    pub browsers: Vec<SignedInBrowser>,
}

/// A browser that is signed in to the gate's page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SignedInBrowser {
    /// What names it: the digest of its public key.
    pub browser: Digest,
    /// What it calls itself, e.g. `Firefox`; absent where that is nothing known. Whoever signs in says it.
    pub name: Option<String>,
    /// The system that it says it runs on, e.g. `Linux`; absent as its name.
    pub system: Option<String>,
    /// The host and port that it calls the gate by, e.g. `localhost:8321`.
    pub address: String,
    /// When it signed in.
    pub signed_in_at: Timestamp,
    /// When it was last used, to the hour.
    pub used_at: Timestamp,
    /// Whether it came by a link that a script was given: what it answers counts as a script's.
    pub by_script: bool,
    /// Whether a page of it is open.
    pub open: bool,
    /// Whether it is the one that asks.
    pub here: bool,
}

/// The clients that can be connected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Clients {
    /// In the order in which they are shown.
    pub clients: Vec<ClientState>,
    /// Whether the gate takes questions whether an agent may do something (`permissions.enabled`).
    pub takes_questions: bool,
}

/// The clients of the record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeardClients {
    /// The latest first.
    pub clients: Vec<ClientEntry>,
}

/// A client of the record, and what it declared of itself. Doctor reads it from gates of other versions, too.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClientEntry {
    /// Its own name; empty when it gave none.
    pub client: String,
    /// Its own version.
    #[serde(default)]
    pub version: String,
    /// `stdio` or `http`; absent for `review-gate ask`.
    pub transport: Option<String>,
    /// The protocol revision that it spoke.
    pub protocol_version: Option<String>,
    /// The capabilities that it declared.
    #[serde(default)]
    pub capabilities: serde_json::Value,
    /// The name of its own token.
    pub token_name: Option<String>,
    /// How many conversations it began.
    #[serde(default)]
    pub conversations: i64,
    /// When it last spoke or was answered.
    pub last_at: Timestamp,
    /// For how many seconds a call of it waits before it is answered `pending`.
    #[serde(default)]
    pub waits_seconds: u64,
}

/// A new token; it can't be read again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewToken {
    /// The token.
    pub token: String,
}

/// The clients' tokens.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tokens {
    /// The newest first.
    pub tokens: Vec<TokenEntry>,
}

/// A client's token, without the token.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenEntry {
    /// The client's name.
    pub name: String,
    /// When it was made.
    pub created_at: Timestamp,
    /// When a connection last showed it; absent while none has.
    pub used_at: Option<Timestamp>,
    /// When it was revoked; absent while it is good.
    pub revoked_at: Option<Timestamp>,
    /// Whether it may read the conversations of all agents.
    #[serde(default)]
    pub reads_all: bool,
    /// The folders whose repositories the gate reads for it.
    #[serde(default)]
    pub folders: Vec<String>,
    /// Whose it is, where that was said.
    #[serde(default)]
    pub owner: Option<String>,
    /// What it lets its client do in reviews: `propose`, `review`.
    #[serde(default)]
    pub may: Vec<String>,
}

/// A link for one browser.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignInLink {
    /// The link; it can't be read again.
    pub url: String,
    /// Until when it may be used.
    pub expires_at: Timestamp,
}
