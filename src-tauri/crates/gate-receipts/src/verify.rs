//! Whether a line's signature holds, by which key, and how sure that makes it.
//!
//! Knows lines and keys, no file. Where the keys come from is the caller's: the chain, or a protected branch.

use crate::keys::{Fingerprint, PublicKey};
use crate::kinds::{Does, Level, Said};
use crate::line::Line;
use crate::proof::Proof;
use crate::sshsig::{SshSignature, Touch};
use crate::webauthn::Assertion;

/// Who tells whether a signature holds. [`Keys`] does by itself; another may ask a service.
pub trait Verifier {
    /// Looks at a line's signature. `None` where it has none.
    ///
    /// # Errors
    /// Why it proves nothing.
    fn prove(&self, line: &Line) -> Result<Option<Proved>, Unproved>;
}

/// What a signature shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proved {
    /// The key.
    pub key: Fingerprint,
    /// How sure it makes the line, at most.
    pub level: Level,
    /// What a security key said with it.
    pub touch: Option<Touch>,
}

/// Why a signature proves nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unproved {
    /// The key isn't enrolled, or wasn't when the line was written.
    #[error("the key isn't enrolled")]
    UnknownKey,
    /// It isn't written as it has to be.
    #[error("the signature can't be read")]
    Unreadable,
    /// It is another key's, or of something else.
    #[error("the signature isn't of this line by this key")]
    Wrong,
    /// Nobody touched the security key.
    #[error("nobody touched the security key")]
    Untouched,
    /// The page was another one.
    #[error("the key was touched for another page")]
    OtherPage,
}

impl Unproved {
    /// A stable word for it.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::UnknownKey => "unknown_key",
            Self::Unreadable => "unreadable_signature",
            Self::Wrong => "wrong_signature",
            Self::Untouched => "untouched",
            Self::OtherPage => "other_page",
        }
    }
}

/// A key that counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Enrolled {
    /// The key.
    pub public: PublicKey,
    /// Of a key for WebAuthn, the page's origin with its port.
    pub origin: Option<String>,
    /// The number of the line that enrolled it; it proves nothing that was written before. 0 for one that counts
    /// wherever it is found.
    pub after: u64,
    /// The number of the line that removed it.
    pub until: Option<u64>,
}

/// The keys that count.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Keys(pub Vec<Enrolled>);

impl Keys {
    /// The keys of services that count now: they are on no device, and nobody touches them.
    pub fn of_services(&self) -> impl Iterator<Item = &PublicKey> {
        let in_force = self.0.iter().filter(|key| key.until.is_none());
        in_force.map(|key| &key.public).filter(|public| matches!(public, PublicKey::Ed25519(_)))
    }

    /// Takes up what a line says of a key.
    pub fn hear(&mut self, line: &Line) {
        let Said::Key(said) = &line.said else { return };
        match said.does {
            Does::Begins => {
                let public = said.public.as_ref().and_then(|public| PublicKey::from_wire(&public.0).ok());
                let origin = said.origin.clone();
                self.0.extend(public.map(|public| Enrolled { public, origin, after: line.seq, until: None }));
            }
            Does::Ends => {
                let in_force = |key: &&mut Enrolled| key.until.is_none() && key.public.fingerprint() == said.key;
                self.0.iter_mut().filter(in_force).for_each(|key| key.until = Some(line.seq));
            }
        }
    }

    fn find(&self, name: &Fingerprint, seq: u64) -> Result<&Enrolled, Unproved> {
        let counts = |key: &&Enrolled| key.after < seq && key.until.is_none_or(|until| seq < until);
        let mut keys = self.0.iter().filter(counts);
        keys.find(|key| key.public.fingerprint() == *name).ok_or(Unproved::UnknownKey)
    }
}

impl Verifier for Keys {
    fn prove(&self, line: &Line) -> Result<Option<Proved>, Unproved> {
        let Some(name) = line.proof.key() else { return Ok(None) };
        let key = self.find(name, line.seq)?;
        let text = line.signed().map_err(|_| Unproved::Unreadable)?;
        let touch = match &line.proof {
            Proof::None {} => return Ok(None),
            Proof::Ed25519 { sig, .. } => {
                let PublicKey::Ed25519(_) = key.public else { return Err(Unproved::Wrong) };
                held(key.public.made(&sig.0, text.as_bytes()))?;
                None
            }
            Proof::Sshsig { sig, .. } => {
                let signature = SshSignature::parse(&sig.0).map_err(|_| Unproved::Unreadable)?;
                held(signature.key == key.public && signature.is_of(text.as_bytes()))?;
                signature.touch
            }
            Proof::Webauthn { sig, authenticator, client, .. } => {
                let assertion = Assertion::parse(&authenticator.0, &client.0).map_err(|_| Unproved::Unreadable)?;
                if key.origin.as_deref() != Some(assertion.origin()) {
                    return Err(Unproved::OtherPage);
                }
                held(assertion.is_of(text.as_bytes(), &key.public, &sig.0))?;
                Some(assertion.touch)
            }
        };
        if touch.is_some_and(|touch| !touch.touched()) {
            return Err(Unproved::Untouched);
        }
        // A key of SSH that is on no device signs without anybody.
        let level = if touch.is_none() && line.proof.most() == Level::L3 { Level::L1 } else { line.proof.most() };
        Ok(Some(Proved { key: name.clone(), level, touch }))
    }
}

/// [`Keys`], of which a service's makes no line surer than L1 unless it is the key of this machine's own service, by that
/// service's word. That a line enrols a key says who wrote the line; whose the key is, only the service does.
#[derive(Debug, Clone, Copy)]
pub struct Vouched<'a> {
    /// Those that were enrolled.
    pub keys: &'a Keys,
    /// The key of this machine's service; absent where none says so.
    pub own: Option<&'a PublicKey>,
}

impl Verifier for Vouched<'_> {
    fn prove(&self, line: &Line) -> Result<Option<Proved>, Unproved> {
        let proved = self.keys.prove(line)?;
        let Proof::Ed25519 { key, .. } = &line.proof else { return Ok(proved) };
        let is_own = self.own.is_some_and(|own| own.fingerprint() == *key);
        Ok(proved.map(|proved| if is_own { proved } else { Proved { level: proved.level.min(Level::L1), ..proved } }))
    }
}

fn held(holds: bool) -> Result<(), Unproved> {
    if holds { Ok(()) } else { Err(Unproved::Wrong) }
}

/// How sure a receipt is: what it says, and no more than its signature shows.
///
/// # Errors
/// Where it is signed and the signature proves nothing.
pub fn assured(line: &Line, by: &dyn Verifier) -> Result<Level, Unproved> {
    let Said::Decided(decided) = &line.said else { return Ok(Level::L0) };
    let proved = by.prove(line)?;
    Ok(decided.level.min(proved.map_or(Level::L1, |proved| proved.level)))
}

/// What a security key's counter says beside the one that it had before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counted {
    /// One more, or a key that doesn't count.
    Next,
    /// It signed so often in between, for nobody here.
    Skipped(u32),
    /// It isn't more: the key was copied, or the signature is an old one.
    NotMore,
}

impl Counted {
    /// Compares two counters.
    #[must_use]
    pub fn of(before: u32, now: u32) -> Self {
        match now.checked_sub(before) {
            _ if before == 0 && now == 0 => Self::Next,
            None | Some(0) => Self::NotMore,
            Some(1) => Self::Next,
            Some(more) => Self::Skipped(more - 1),
        }
    }
}

/// What a line's security key says with its signature, whether that holds or not.
#[must_use]
pub(crate) fn touch_of(line: &Line) -> Option<Touch> {
    match &line.proof {
        Proof::None {} | Proof::Ed25519 { .. } => None,
        Proof::Sshsig { sig, .. } => SshSignature::parse(&sig.0).ok()?.touch,
        Proof::Webauthn { authenticator, client, .. } => {
            Assertion::parse(&authenticator.0, &client.0).ok().map(|assertion| assertion.touch)
        }
    }
}

#[cfg(test)]
mod tests {
    use gate_core::AnsweredFrom;

    use super::*;
    use crate::kinds::Key;
    use crate::parts::Bytes;
    use crate::testing::line;

    #[test]
    fn a_counter_says_how_often_a_key_signed_elsewhere() {
        let cases = [
            (0, 0, Counted::Next),
            (0, 1, Counted::Next),
            (7, 8, Counted::Next),
            (7, 10, Counted::Skipped(2)),
            (0, 3, Counted::Skipped(2)),
            (7, 7, Counted::NotMore),
            (7, 0, Counted::NotMore),
        ];
        for (before, now, counted) in cases {
            assert_eq!(Counted::of(before, now), counted, "{before}, {now}");
        }
    }

    #[test]
    fn a_key_counts_from_its_line_to_its_end() {
        let public = PublicKey::Ed25519([5; 32]);
        let name = public.fingerprint();
        let said = |does, public| {
            Said::Key(Key { key: name.clone(), does, public, origin: None, given: AnsweredFrom::Desktop })
        };
        let mut keys = Keys::default();
        keys.hear(&Line { seq: 10, ..line(said(Does::Begins, Some(Bytes(public.to_wire())))) });
        keys.hear(&Line { seq: 20, ..line(said(Does::Ends, None)) });
        keys.hear(&Line { seq: 30, ..line(said(Does::Begins, Some(Bytes(public.to_wire())))) });
        let counts = [9, 10, 11, 19, 20, 25, 30, 31].map(|seq| (seq, keys.find(&name, seq).is_ok()));
        let expected =
            [(9, false), (10, false), (11, true), (19, true), (20, false), (25, false), (30, false), (31, true)];
        assert_eq!(counts, expected);
    }
}
