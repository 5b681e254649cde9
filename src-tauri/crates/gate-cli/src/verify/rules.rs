//! What a branch says of approvals: whose keys count, how sure they have to be, which are revoked. It stands in a file of
//! the protected branch, so that nothing that is to be approved has a say in it.

use std::collections::HashSet;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gate_core::{Code, Digest, Fault};
use gate_git::{RepoPath, Repository};
use gate_receipts::{Enrolled, Keys, Level, PublicKey};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// The file, at the top of the branch.
pub(super) const FILE: &str = ".review-gate.json";
/// Most bytes of it.
const BYTES: usize = 256 * 1024;

/// What it says.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Rules {
    pub(super) keys: Keys,
    /// How sure an approval has to be: signed in any case.
    pub(super) require: Level,
    pub(super) revoked: HashSet<Digest>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    keys: Vec<WrittenKey>,
    require: Option<Level>,
    #[serde(default)]
    revoked: HashSet<Digest>,
}

/// A key as it stands there: as in a file `id_….pub` of SSH.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
enum WrittenKey {
    Plain(String),
    /// One that was made for a page, and counts for what was signed there.
    OfPage(OfPage),
}

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct OfPage {
    key: String,
    origin: String,
}

/// The file that believes these keys, as far as they are enrolled.
///
/// # Errors
/// Where it can't be written as JSON.
pub(super) fn believing(keys: &Keys) -> Result<String, Fault> {
    let enrolled = keys.0.iter().filter(|key| key.until.is_none());
    let written = enrolled.map(|Enrolled { public, origin, .. }| {
        let key = format!("{} {}", public.algorithm(), STANDARD.encode(public.to_wire()));
        match origin.clone() {
            Some(origin) => WrittenKey::OfPage(OfPage { key, origin }),
            None => WrittenKey::Plain(key),
        }
    });
    let keys: Vec<WrittenKey> = written.collect();
    serde_json::to_string_pretty(&json!({ "keys": keys })).map_err(|error| Fault::internal(error.to_string()))
}

impl Rules {
    /// Those of a commit of the branch that is called so.
    ///
    /// # Errors
    /// `invalid_input` where it has none, or they can't be read; when the repository can't be read.
    pub(super) async fn of(repository: &Repository, commit: &gate_git::Oid, branch: &str) -> Result<Self, Fault> {
        let Some(bytes) = repository.file(commit, &RepoPath::new(FILE), BYTES).await? else {
            return Err(Fault::new(
                Code::InvalidInput,
                format!("{branch} has no {FILE}, which says whose keys count."),
                "Commit one to it: docs/ci.md has an example.",
            ));
        };
        Self::read(&bytes).map_err(|why| {
            let mend = "Mend it on that branch: docs/ci.md has an example.";
            Fault::new(Code::InvalidInput, format!("The {FILE} of {branch} can't be read: {why}."), mend)
        })
    }

    fn read(bytes: &[u8]) -> Result<Self, String> {
        let Written { keys, require, revoked } = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
        let require = require.unwrap_or(Level::L2);
        if require < Level::L2 {
            return Err("`require` is L2 or L3: what isn't signed shows nothing there".to_owned());
        }
        let keys = keys.iter().map(key).collect::<Result<_, _>>()?;
        Ok(Self { keys: Keys(keys), require, revoked })
    }
}

/// A key as SSH writes it: its algorithm, its bytes, and whatever stands behind.
fn key(written: &WrittenKey) -> Result<Enrolled, String> {
    let (text, origin) = match written {
        WrittenKey::Plain(text) => (text, None),
        WrittenKey::OfPage(OfPage { key, origin }) => (key, Some(origin.clone())),
    };
    let mut words = text.split_whitespace();
    let (algorithm, bytes) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let public = STANDARD.decode(bytes).ok().and_then(|bytes| PublicKey::from_wire(&bytes).ok());
    match public.filter(|public| public.algorithm() == algorithm) {
        // It isn't asked when it began to count: that is the branch's history.
        Some(public) => Ok(Enrolled { public, origin, after: 0, until: None }),
        None => Err(format!("{text:?} is no key that receipts are signed with, as its file `.pub` has it")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn public() -> PublicKey {
        PublicKey::SkEd25519 { key: [7; 32], application: "ssh:".to_owned() }
    }

    fn written(key: &PublicKey) -> String {
        format!("{} {}", key.algorithm(), STANDARD.encode(key.to_wire()))
    }

    #[test]
    fn keys_stand_as_ssh_writes_them_and_what_is_left_out_is_strict() {
        let (one, other) = (written(&public()), written(&PublicKey::Ed25519([5; 32])));
        let text = format!("{{\"keys\": [\"{one} the blue one\", \"{other}\"]}}");
        let Rules { keys, require, revoked } = Rules::read(text.as_bytes()).expect("it is sound");
        let public_keys: Vec<_> = keys.0.iter().map(|key| key.public.clone()).collect();
        assert_eq!(public_keys, [public(), PublicKey::Ed25519([5; 32])]);
        assert_eq!((require, revoked.len()), (Level::L2, 0));
        let name = Digest::of_bytes(b"receipt");
        let text = format!("{{\"keys\": [], \"require\": \"L3\", \"revoked\": [\"{name}\"]}}");
        let rules = Rules::read(text.as_bytes()).expect("it is sound");
        assert_eq!((rules.require, rules.revoked), (Level::L3, HashSet::from([name])));
    }

    #[test]
    fn what_is_written_for_enrolled_keys_is_read_as_those() {
        let enrolled = |public, origin: Option<&str>, until| {
            let origin = origin.map(str::to_owned);
            Enrolled { public, origin, after: 3, until }
        };
        let page = PublicKey::SkEd25519 { key: [9; 32], application: "localhost".to_owned() };
        let origin = Some("http://localhost:8321");
        let keys = [
            enrolled(public(), None, None),
            enrolled(page.clone(), origin, None),
            enrolled(PublicKey::Ed25519([5; 32]), None, Some(7)),
        ];
        let text = believing(&Keys(keys.to_vec())).expect("it can be written");
        let rules = Rules::read(text.as_bytes()).expect("it is sound");
        let read: Vec<_> = rules.keys.0.iter().map(|key| (key.public.clone(), key.origin.as_deref())).collect();
        assert_eq!(read, [(public(), None), (page, origin)], "but for the one that was removed");
    }

    #[test]
    fn what_is_unknown_or_too_weak_is_refused() {
        let wrong_algorithm = written(&public()).replace("sk-ssh-ed25519@openssh.com", "ssh-ed25519");
        for text in [
            "",
            "[]",
            "{}",
            "{\"keys\": [], \"require\": \"L1\"}",
            "{\"keys\": [], \"requires\": \"L3\"}",
            "{\"keys\": [\"ssh-rsa AAAA\"]}",
            "{\"keys\": [\"\"]}",
            "{\"keys\": [{\"key\": \"ssh-ed25519 AAAA\"}]}",
            &format!("{{\"keys\": [\"{wrong_algorithm}\"]}}"),
        ] {
            assert!(Rules::read(text.as_bytes()).is_err(), "{text}");
        }
    }
}
