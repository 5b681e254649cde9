//! Receipts that somebody signs: a line is drawn up, signed elsewhere, held against the keys that are enrolled, and
//! written if no other line came first. Nothing is held up meanwhile.

use std::sync::{Arc, PoisonError};
use std::time::Duration;

use gate_core::{AnsweredFrom, Assurance, Code, Decision, Fault};
use gate_receipts::{
    Bytes, Counted, Decided, Does, Head, Key, Line, Proof, Proved, PublicKey, RECEIPT_MILLIS, ReceiptsError, Said,
    Verifier as _, Vouched,
};
use gate_store::StoredAbout;

use super::fits::level_of;
use super::{Giving, Receipted, Receipts, told};

/// A receipt's line that is to be signed.
#[derive(Debug)]
pub(crate) struct Drawn {
    line: Line,
    decided: Decided,
    about: StoredAbout,
    held_millis: u64,
}

impl Drawn {
    /// What is signed.
    pub(crate) fn line(&self) -> &Line {
        &self.line
    }
}

impl Receipts {
    /// The line of a reply's receipt as it would be written now. Whoever signs it may take as long as `patience`, and
    /// the reply is held for its whole time after that: where that is over sooner, a line says so.
    ///
    /// # Errors
    /// When the log can't be used.
    pub(crate) async fn draw_up(&self, giving: &Giving<'_>, patience: Duration) -> Result<Drawn, Fault> {
        let now = self.reading();
        let from = now.at.plus_millis(taken(giving, patience));
        let (decided, about) = self.decided(giving, from, giving.reply.assurance).await?;
        let said = Said::Decided(decided.clone());
        let line = self.with_log(move |log| Ok(log.draft(said, now)?)).await?;
        Ok(Drawn { line, decided, about, held_millis: giving.held_millis })
    }

    /// The same receipt as the line that would be written now: all of it but its place and its times is as it was.
    ///
    /// # Errors
    /// When the log can't be used.
    pub(crate) async fn draw_up_again(
        &self,
        drawn: Drawn,
        giving: &Giving<'_>,
        patience: Duration,
    ) -> Result<Drawn, Fault> {
        let now = self.reading();
        let from = now.at.plus_millis(taken(giving, patience)).max(drawn.decided.from);
        let expires = (drawn.decided.decision == Some(Decision::Approved)).then(|| from.plus_millis(RECEIPT_MILLIS));
        let decided = Decided { from, expires, ..drawn.decided };
        let said = Said::Decided(decided.clone());
        let line = self.with_log(move |log| Ok(log.draft(said, now)?)).await?;
        Ok(Drawn { line, decided, ..drawn })
    }

    /// Enrols the key of the system's service, where it isn't: from here on it signs. One that it had before signs nothing
    /// any more.
    ///
    /// # Errors
    /// When the log can't be used.
    pub(crate) async fn enrol_service(&self, public: &PublicKey, given: AnsweredFrom) -> Result<(), Fault> {
        let before: Vec<PublicKey> = self.chain(|chain| Ok(chain.keys().of_services().cloned().collect())).await?;
        for other in before.iter().filter(|known| *known != public) {
            let key = other.fingerprint();
            self.append(Said::Key(Key { key, does: Does::Ends, public: None, origin: None, given })).await?;
            self.bus.warn(told::another_service());
        }
        if !before.contains(public) {
            let (key, whole) = (public.fingerprint(), Some(Bytes(public.to_wire())));
            self.append(Said::Key(Key { key, does: Does::Begins, public: whole, origin: None, given })).await?;
        }
        Ok(())
    }

    /// Writes a line that was signed. After this returns it is on disk; nothing where another line came first.
    ///
    /// # Errors
    /// `not_signed` where the signature makes it no surer than `level`; when it can't be written.
    pub(crate) async fn write_signed(
        &self,
        drawn: &Drawn,
        proof: Proof,
        level: Assurance,
    ) -> Result<Option<(Receipted, Head)>, Fault> {
        let Drawn { line, decided, about, held_millis } = drawn;
        let line = Line { proof, ..line.clone() };
        let now = self.reading();
        let (seen, own) = (Arc::clone(&self.counters), self.system.key().await);
        let written = self.with_log(move |log| {
            let keys = log.chain()?;
            let vouched = Vouched { keys: keys.keys(), own: own.as_ref() };
            let proved = vouched.prove(&line).map_err(|why| unproved(&why.to_string()))?;
            let proved = proved.filter(|proved| proved.level >= level_of(level));
            let Proved { key, touch, .. } = proved.ok_or_else(|| unproved("it isn't as sure as it has to be"))?;
            // What was signed here and not written is no use of the key elsewhere.
            let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
            let before = touch.and(keys.counter(&key).max(seen.get(&key).copied()));
            let counted = touch.zip(before).map(|(touch, before)| Counted::of(before, touch.counter));
            if counted == Some(Counted::NotMore) {
                return Err(unproved(
                    "the security key counts less than it did: it was copied, or this is an old signature",
                ));
            }
            if let Some(touch) = touch {
                seen.insert(key, touch.counter);
            }
            match log.append_signed(line, now) {
                Ok(appended) => Ok(Some((appended, counted))),
                Err(ReceiptsError::Moved) => Ok(None),
                Err(error) => Err(error.into()),
            }
        });
        let Some((appended, counted)) = written.await? else { return Ok(None) };
        if let Some(Counted::Skipped(times)) = counted {
            self.bus.warn(told::counter_skipped(times));
        }
        let head = appended.head;
        let receipt = self.appended(appended);
        self.remember(about.clone());
        let until = self.bus.now().plus_millis(*held_millis).min(decided.from);
        Ok(Some((Receipted { receipt, from: decided.from, until }, head)))
    }
}

/// For how long a reply may be on its way in all, in milliseconds: until it is signed, and then its hold. One that isn't
/// held counts at once.
fn taken(giving: &Giving<'_>, patience: Duration) -> u64 {
    match giving.held_millis {
        0 => 0,
        held => held.saturating_add(u64::try_from(patience.as_millis()).unwrap_or(0)),
    }
}

/// Why a signature isn't taken.
fn unproved(why: &str) -> Fault {
    Fault::new(
        Code::NotSigned,
        format!("The approval wasn't signed, and nothing was sent. What came back proves nothing: {why}."),
        "Try again; if it happens again, find out what became of the key: a security key can be removed in the settings.",
    )
}
