//! Whose a session is, and with it its requests, replies, files, tasks and checkpoints: one rule says which caller may
//! have what is whose.
//!
//! An owner is of one of three kinds. A client over HTTP is the name of its token; all that come with the token that
//! clients share are one owner, for whom identifiers work and nothing is listed. A relay is the process of its client,
//! whichever of its relays calls, and after that process's end the next of the same client in the same folder; where
//! the kernel names no process, it is that one relay. What `review-gate ask` began is whose the identifier is.
//!
//! The person is no owner: they see everything. Knows no kernel: what it says of processes is passed in.

use std::fmt;

/// A process, told from every other one that has had its number or will have it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Process {
    /// Its number.
    pub pid: u32,
    /// When it began, in the kernel's words.
    pub began: String,
}

/// Who an owner is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum OwnerId {
    /// The client over HTTP that has the token of this name.
    Token(String),
    /// Whoever has the token that clients share.
    SharedToken,
    /// The process that started the relay: an agent's client.
    Process(Process),
    /// A relay whose client the kernel doesn't name, by the name that nobody else knows.
    Relay(String),
    /// Whoever has the identifier.
    Holder,
}

impl OwnerId {
    /// Whether its lists hold what is its own. The others have lists that are empty.
    #[must_use]
    pub fn has_lists(&self) -> bool {
        match self {
            Self::Token(_) | Self::Process(_) | Self::Relay(_) => true,
            Self::SharedToken | Self::Holder => false,
        }
    }

    /// Reads what [`fmt::Display`] wrote.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        match text.split_once(' ') {
            None if text == SHARED_TOKEN => Some(Self::SharedToken),
            None if text == HOLDER => Some(Self::Holder),
            Some((TOKEN, name)) => Some(Self::Token(name.to_owned())),
            Some((RELAY, relay)) => Some(Self::Relay(relay.to_owned())),
            Some((PROCESS, process)) => {
                let (pid, began) = process.split_once(' ')?;
                Some(Self::Process(Process { pid: pid.parse().ok()?, began: began.to_owned() }))
            }
            _ => None,
        }
    }
}

/// The kinds, as they are stored.
const TOKEN: &str = "token";
const SHARED_TOKEN: &str = "shared_token";
const PROCESS: &str = "process";
const RELAY: &str = "relay";
const HOLDER: &str = "holder";

/// As it is stored.
impl fmt::Display for OwnerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Token(name) => write!(f, "{TOKEN} {name}"),
            Self::SharedToken => f.write_str(SHARED_TOKEN),
            Self::Process(Process { pid, began }) => write!(f, "{PROCESS} {pid} {began}"),
            Self::Relay(relay) => write!(f, "{RELAY} {relay}"),
            Self::Holder => f.write_str(HOLDER),
        }
    }
}

/// An owner of something, or a caller who may be one.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Owner {
    /// Who it is.
    pub id: OwnerId,
    /// What its heirs have in common with it; absent where it has none.
    pub heirs: Option<String>,
}

impl Owner {
    /// A client's process, whose heirs are of the same client, by its own name, and in the same folder.
    #[must_use]
    pub fn of_process(process: Process, client: &str, folder: &str) -> Self {
        let heirs = serde_json::json!([client, folder]).to_string();
        Self { id: OwnerId::Process(process), heirs: Some(heirs) }
    }

    /// The folder that a client's process works in, by the kernel's word; absent for all others.
    #[must_use]
    pub fn folder(&self) -> Option<String> {
        let heirs: (String, String) = serde_json::from_str(self.heirs.as_deref()?).ok()?;
        matches!(self.id, OwnerId::Process(_)).then_some(heirs.1)
    }
}

/// One that has no heirs.
impl From<OwnerId> for Owner {
    fn from(id: OwnerId) -> Self {
        Self { id, heirs: None }
    }
}

/// How a caller may have what is an owner's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum May {
    /// It is the caller's own.
    Own,
    /// It is the caller's from now on, once they go on in it.
    Inherit,
    /// Having the identifier is enough, and it stays whose it is.
    Hold,
}

/// How a caller who names it may have what is this owner's, or nobody's yet; absent where they may not, and are to be
/// told that there is no such thing. `has_ended` says whether a process is no more.
#[must_use]
pub fn may(owner: Option<&Owner>, caller: &Owner, has_ended: impl FnOnce(&Process) -> bool) -> Option<May> {
    let Some(owner) = owner else {
        return Some(if caller.id == OwnerId::Holder { May::Hold } else { May::Inherit });
    };
    match (&owner.id, &caller.id) {
        (OwnerId::Holder, _) => Some(May::Hold),
        (own, other) if own == other => Some(May::Own),
        (OwnerId::Process(process), OwnerId::Process(_)) => {
            let is_heir = owner.heirs.is_some() && owner.heirs == caller.heirs;
            (is_heir && has_ended(process)).then_some(May::Inherit)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn process(pid: u32, client: &str, folder: &str) -> Owner {
        Owner::of_process(Process { pid, began: format!("boot {pid}") }, client, folder)
    }

    #[test]
    fn an_owner_is_stored_as_one_text() {
        for id in [
            OwnerId::Token("laptop codex".to_owned()),
            OwnerId::SharedToken,
            process(7, "codex", "/w").id,
            OwnerId::Relay("0190a6e4-7a10-7000-8000-000000000001".to_owned()),
            OwnerId::Holder,
        ] {
            assert_eq!(OwnerId::parse(&id.to_string()), Some(id.clone()), "{id}");
        }
        for garbled in ["", "token", "process 7", "process x y", "person", "shared_token x"] {
            assert_eq!(OwnerId::parse(garbled), None, "{garbled:?} is nobody, and must not be taken for somebody");
        }
        let token = OwnerId::Token(SHARED_TOKEN.to_owned());
        assert_ne!(token.to_string(), OwnerId::SharedToken.to_string(), "a token's name can't make it another's");
    }

    #[test]
    fn the_folder_of_an_owner_is_its_process() {
        assert_eq!(process(7, "codex", "/w \"x\"").folder().as_deref(), Some("/w \"x\""));
        assert_eq!(Owner::from(OwnerId::SharedToken).folder(), None, "over HTTP nobody names one");
    }

    #[test]
    fn only_the_owner_and_its_heirs_have_what_is_its() {
        let own = process(1, "codex", "/w");
        let token = |name: &str| Owner::from(OwnerId::Token(name.to_owned()));
        let (shared, holder) = (Owner::from(OwnerId::SharedToken), Owner::from(OwnerId::Holder));
        let relay = |name: &str| Owner::from(OwnerId::Relay(name.to_owned()));
        let heir = process(2, "codex", "/w");
        for (owner, caller, ended, expected, why) in [
            (&own, &own, false, Some(May::Own), "itself"),
            (&own, &process(1, "codex", "/other"), false, Some(May::Own), "its relay in another folder"),
            (&own, &heir, false, None, "the same client beside it"),
            (&own, &heir, true, Some(May::Inherit), "the next one after it"),
            (&own, &process(2, "codex", "/other"), true, None, "the next one in another folder"),
            (&own, &process(2, "cursor", "/w"), true, None, "another client after it"),
            (&own, &relay("r"), true, None, "whom the kernel doesn't name"),
            (&own, &shared, true, None, "whoever comes over HTTP"),
            (&own, &holder, true, None, "a script"),
            (&relay("r"), &relay("r"), true, Some(May::Own), "the very relay"),
            (&relay("r"), &relay("s"), true, None, "another relay without a process"),
            (&token("one"), &token("one"), true, Some(May::Own), "the same token"),
            (&token("one"), &token("other"), true, None, "another token"),
            (&token("one"), &shared, true, None, "the shared token"),
            (&shared, &shared, true, Some(May::Own), "whoever has the shared token"),
            (&shared, &token("one"), true, None, "a token of one's own"),
            (&holder, &own, false, Some(May::Hold), "whoever has the id"),
            (&holder, &holder, false, Some(May::Hold), "a script with the id"),
        ] {
            assert_eq!(may(Some(owner), caller, |_| ended), expected, "{why}: {owner:?} and {caller:?}");
        }
        assert_eq!(may(None, &own, |_| false), Some(May::Inherit), "what is nobody's is whose it is first");
        assert_eq!(may(None, &holder, |_| false), Some(May::Hold), "though not a script's, which others follow");
    }
}
