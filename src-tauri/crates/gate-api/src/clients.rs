//! Clients that agents run in, as the Connect page shows and connects them.

use gate_core::{Fault, Timestamp};
use serde::{Deserialize, Serialize};

use crate::phrase::Phrase;

/// For whom a client's configuration holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum ClientScope {
    /// For everything that this user does.
    #[default]
    User,
    /// For one project's folder.
    Project,
}

/// How a client's rules are: the text that tells its agents when to ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum ClientRules {
    /// They aren't there.
    None,
    /// They are, as this version writes them.
    Written,
    /// They are, otherwise than this version writes them.
    Changed,
    /// The client reads none from a file.
    Unsupported,
}

/// Whether a client's agents may call the gate's tools without asking the person before each call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum ClientPermission {
    /// They may.
    Given,
    /// The client asks the person first; connecting it can change that.
    NotGiven,
    /// That can be changed in the client only, and not be seen from outside.
    ByHand,
    /// The client doesn't ask, unless the person has told it to.
    NotNeeded,
}

/// A client that can be connected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ClientState {
    /// Its stable name, e.g. `claude-code`.
    pub client: String,
    /// The name that a person reads.
    pub title: String,
    /// Whether it is on this machine, as far as its folders and programs tell.
    pub found: bool,
    /// The files that it reads its servers from, those of the user first.
    pub files: Vec<ClientFile>,
    /// Whether one of them names this gate.
    pub connected: bool,
    /// The folders for which one of them names it by an entry of their own; the user's own folder is `~`.
    pub folders: Vec<String>,
    /// Whether one of them still starts Review Gate V2.
    pub elsewhere: bool,
    /// When one of its agents last spoke to the gate or was answered; absent for never.
    pub last_spoke: Option<Timestamp>,
    /// How many of its sessions are alive.
    pub sessions: u32,
    /// How its rules are.
    pub rules: ClientRules,
    /// Whether its agents may ask without being confirmed each time.
    pub permission: ClientPermission,
    /// What there is to say of that permission; absent where connecting does it all.
    pub permission_note: Option<Phrase>,
    /// Where it stands that its questions whether an agent may do something come to the gate; empty where they don't.
    pub asks_here: Vec<ClientQuestions>,
    /// Whether they can.
    pub can_ask_here: bool,
    /// What there is to say of that: what the person has to know once they come, or why they can't.
    pub asks_here_note: Phrase,
    /// The toolsets that its entry asks for; empty where it isn't connected, or by hand to something else.
    pub toolsets: Vec<String>,
    /// For how long a call may take there as its entry says, e.g. `3600 s`; absent where it doesn't say.
    pub time_out: Option<String>,
    /// What the person has to do in it once it is connected.
    pub note: Option<Phrase>,
}

/// A file that says that a client's questions whether an agent may do something come to the gate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ClientQuestions {
    /// For whom it holds.
    pub scope: ClientScope,
    /// Where it is; the user's own folder is `~`.
    pub path: String,
    /// Whether the person has told the client to trust it: it does nothing before. Absent where the client doesn't ask that.
    pub trusted: Option<bool>,
}

/// A file that a client reads its servers from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ClientFile {
    /// For whom it holds.
    pub scope: ClientScope,
    /// Where it is; the user's own folder is `~`.
    pub path: String,
    /// Whether it is there.
    pub exists: bool,
    /// Whether it names this gate.
    pub connected: bool,
    /// Why it can't be used.
    pub fault: Option<Fault>,
}

/// What connecting or disconnecting would change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ClientPreview {
    /// File by file.
    pub files: Vec<ClientDiff>,
    /// Where the first of them would be kept as it is; absent where none has to be.
    pub backup: Option<String>,
}

/// What would change in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ClientDiff {
    /// Where it is; the user's own folder is `~`.
    pub path: String,
    /// The change as a unified diff; empty for none.
    pub diff: String,
}
