//! What the gate writes into the log.

use std::path::Path;

use gate_api::Origin;
use gate_core::proposal::AskedRound;
use gate_core::{AnsweredFrom, Ask, Asker, Assurance, Decision, Digest, Fault, Reply, ReviewRequest, Seat, Timestamp};
use gate_receipts::{
    About, After, Bytes, Content, Decided, Does, Git, Guard, RECEIPT_MILLIS, Reading, Released, SALT_BYTES, Said,
    SignIn, StoredPath, Withdrawn, reply_digest,
};
use gate_store::StoredAbout;

use super::Receipts;
use super::fits::level_of;
use crate::work::blocking;

/// A reply that was stored and is to have its receipt.
#[derive(Debug)]
pub(crate) struct Giving<'a> {
    /// What was answered.
    pub(crate) request: &'a ReviewRequest,
    /// The question's digest, as it was shown.
    pub(crate) shown: Digest,
    /// The reply.
    pub(crate) reply: &'a Reply,
    /// For how long it is held, in milliseconds.
    pub(crate) held_millis: u64,
}

/// A receipt that was just written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Receipted {
    /// Its name: its line's digest.
    pub(crate) receipt: Digest,
    /// When its hold ends by what it says: before that, a line has to end it.
    pub(crate) from: Timestamp,
    /// When its hold is to end.
    pub(crate) until: Timestamp,
}

impl Receipts {
    /// Writes the receipt of a reply. After this returns it is on disk.
    ///
    /// # Errors
    /// When it can't be written: the reply is to be taken back then.
    pub(crate) async fn give(&self, giving: Giving<'_>) -> Result<Receipted, Fault> {
        // As it stood when the reply was given, on both clocks.
        let now = Reading { at: giving.reply.answered_at, ..self.reading() };
        self.give_at(giving, now, None).await
    }

    /// As [`Self::give`], of a moment, and no surer than this.
    pub(super) async fn give_at(
        &self,
        giving: Giving<'_>,
        now: Reading,
        most: Option<Assurance>,
    ) -> Result<Receipted, Fault> {
        let from = now.at.plus_millis(giving.held_millis);
        let assurance = most.map_or(giving.reply.assurance, |most| most.min(giving.reply.assurance));
        let (decided, kept) = self.decided(&giving, from, assurance).await?;
        let receipt = self.append_at(Said::Decided(decided), now).await?;
        self.remember(kept);
        Ok(Receipted { receipt, from, until: from })
    }

    /// What the receipt of a reply says, and what of it stays home.
    pub(super) async fn decided(
        &self,
        giving: &Giving<'_>,
        from: Timestamp,
        assurance: Assurance,
    ) -> Result<(Decided, StoredAbout), Fault> {
        let Giving { request, shown, reply, .. } = giving;
        let contents = self.contents(&reply.attachments).await?;
        let asker = self.store.asker(request.request_id).await?;
        let about = about_of(request, asker.as_ref(), self.seat_of(reply.answered_from))?;
        let ask = request.ask.clone();
        let manifest = ask.round.as_deref().map(AskedRound::digest);
        let diff =
            blocking(move || Ok((ask.diff.as_ref().map(|diff| Digest::of_bytes(diff.as_bytes())), git_of(&ask))));
        let (diff, git) = diff.await?;
        let decided = Decided {
            from,
            expires: (reply.decision == Some(Decision::Approved)).then(|| from.plus_millis(RECEIPT_MILLIS)),
            request: request.request_id,
            decision: reply.decision,
            reply: reply_digest(reply, &contents)?,
            about: about.digest()?,
            level: level_of(assurance),
            given: reply.answered_from,
            content: Content { ask: Some(*shown), diff, manifest, git },
        };
        let kept = StoredAbout {
            about: decided.about,
            request_id: request.request_id,
            said: serde_json::to_string(&about).map_err(|error| Fault::internal(error.to_string()))?,
        };
        Ok((decided, kept))
    }

    /// Writes that a receipt's hold ended before its time, or whatever the clock says.
    ///
    /// # Errors
    /// When that can't be written.
    pub(crate) async fn release(&self, receipt: Digest) -> Result<(), Fault> {
        match self.after(receipt).await? {
            After { released: None, withdrawn: None } => {
                self.append(Said::Released(Released { receipt })).await.map(drop)
            }
            // What was taken back isn't released any more.
            After { .. } => Ok(()),
        }
    }

    /// Writes that a receipt was taken back, or is revoked.
    ///
    /// # Errors
    /// When that can't be written; `invalid_input` where there is no such receipt. One that was withdrawn before stays so.
    pub(crate) async fn withdraw(&self, receipt: Digest, given: AnsweredFrom) -> Result<(), Fault> {
        match self.after(receipt).await?.withdrawn {
            Some(_) => Ok(()),
            None => self.append(Said::Withdrawn(Withdrawn { receipt, given })).await.map(drop),
        }
    }

    /// What later lines say of a receipt; nothing where there is none.
    async fn after(&self, receipt: Digest) -> Result<After, Fault> {
        self.chain(move |chain| Ok(chain.after(receipt).unwrap_or_default())).await
    }

    /// Writes that a guard was made weaker, both values as JSON; absent for the default.
    ///
    /// # Errors
    /// When that can't be written: the guard isn't to be changed then.
    pub(crate) async fn guard(
        &self,
        setting: &str,
        was: Option<String>,
        now: Option<String>,
        given: AnsweredFrom,
    ) -> Result<(), Fault> {
        self.write_owed().await?;
        self.append(Said::Guard(Guard { setting: setting.to_owned(), was, now, given })).await.map(drop)
    }

    /// Writes that a browser signed in.
    ///
    /// # Errors
    /// When that can't be written: it isn't to be believed then.
    pub(crate) async fn signed_in(&self, browser: Digest, given: AnsweredFrom) -> Result<(), Fault> {
        self.write_owed().await?;
        self.append(Said::SignIn(SignIn { browser, does: Does::Begins, given })).await.map(drop)
    }
}

/// Where a front end's act is done.
pub(crate) fn given(origin: Origin) -> AnsweredFrom {
    match origin {
        Origin::Desktop => AnsweredFrom::Desktop,
        Origin::Browser => AnsweredFrom::Browser,
        Origin::Terminal => AnsweredFrom::Terminal,
        Origin::Script => AnsweredFrom::Script,
    }
}

/// What git holds of a question: the tree that it leads to, on the one that it was shown on.
fn git_of(ask: &Ask) -> Option<Git> {
    ask.git.as_ref().map(|git| Git { base: git.base_tree.clone(), tree: git.tree.clone() })
}

fn about_of(request: &ReviewRequest, asker: Option<&Asker>, seat: Option<&Seat>) -> Result<About, Fault> {
    let mut salt = vec![0; SALT_BYTES];
    getrandom::fill(&mut salt).map_err(|error| Fault::internal(format!("No randomness: {error}.")))?;
    let path = |text: &str| (!text.is_empty()).then(|| StoredPath::from(Path::new(text)));
    let folder = asker.map_or("", |asker| &asker.folder);
    Ok(About {
        salt: Bytes(salt),
        client: (!request.caller.client.is_empty()).then(|| request.caller.client.clone()),
        program: asker.and_then(|asker| path(&asker.program)),
        folder: path(folder).or_else(|| path(&request.caller.workspace)),
        seat: seat.map(|seat| seat.name().to_owned()).filter(|name| !name.is_empty()),
        seen: Vec::new(),
    })
}
