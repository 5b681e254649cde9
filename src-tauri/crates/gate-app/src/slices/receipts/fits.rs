//! Whether a reply of the record is the one that its receipt is of. What was written into the record in another way than
//! by the person's act fits none.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::OnceLock;

use gate_core::{Assurance, Attachment, Digest, Fault, Reply, RequestId, Timestamp};
use gate_receipts::{Chain, Found, Level, PublicKey, Vouched, assured, reply_digest};
use gate_store::{Standing, Voucher};

use super::Receipts;
use crate::work::blocking;

/// The receipt of a reply that may be given to its agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Receipt {
    /// Its name: its line's digest.
    pub(crate) id: Digest,
    /// When its hold ends, or ended.
    pub(crate) from: Timestamp,
    /// For how many milliseconds it is still to be held by a gate that starts now; 0 where its hold has ended.
    pub(crate) held_millis: u64,
    /// How sure it is: no surer than it says, and than the record does.
    pub(crate) assurance: Assurance,
}

/// Whether a reply fits its receipt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fit {
    /// It does.
    Given(Receipt),
    /// It did, and the person has revoked it since.
    Revoked,
    /// It doesn't: it wasn't given here.
    Not(Why),
}

/// Why a reply doesn't count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Why {
    /// It has no receipt.
    NoReceipt,
    /// It is from before there were receipts.
    Before,
    /// It isn't what its receipt is of.
    Changed,
    /// It was being taken back.
    TakenBack,
    /// It wasn't delivered when the chain broke.
    BeforeBreak,
}

/// What a reply is compared by.
struct Compared {
    reply: Digest,
    asked: Option<Digest>,
    standing: Standing,
    /// The key of this machine's service.
    own: Option<PublicKey>,
}

impl Receipts {
    /// Whether the reply to a request, as the record has it, may be given to an agent.
    ///
    /// # Errors
    /// When the log, or the record, can't be read: then it may not.
    pub(crate) async fn fit(&self, request: RequestId, standing: &Standing) -> Result<Fit, Fault> {
        let Some(reply) = &standing.reply else { return Ok(Fit::Not(Why::NoReceipt)) };
        let contents = self.contents(&reply.attachments).await?;
        let given_at = reply.answered_at;
        let reply = reply_digest(reply, &contents)?;
        let own = self.system.key().await;
        let compared = Compared { reply, asked: standing.digest, standing: standing.clone(), own };
        let now = self.bus.now();
        self.chain(move |chain| {
            let latest = chain.of_request(request)?.into_iter().next();
            Ok(match latest {
                Some(found) => compared.with(&found, chain, now),
                None if chain.upgraded().is_some_and(|begun| given_at <= begun) => Fit::Not(Why::Before),
                None => Fit::Not(Why::NoReceipt),
            })
        })
        .await
    }

    /// Those of these replies, given then, that are from before there were receipts: no line tells of them.
    ///
    /// # Errors
    /// When the log can't be read.
    pub(crate) async fn those_before(&self, given: Vec<(RequestId, Timestamp)>) -> Result<HashSet<RequestId>, Fault> {
        self.chain(move |chain| {
            let Some(begun) = chain.upgraded() else { return Ok(HashSet::new()) };
            let is_before = |(request, at): &(RequestId, Timestamp)| *at <= begun && !chain.has_receipt(*request);
            Ok(given.into_iter().filter(is_before).map(|(request, _)| request).collect())
        })
        .await
    }

    /// The digests of files of a reply, of their bytes as the record has them.
    pub(super) async fn contents(&self, attachments: &[Attachment]) -> Result<Vec<Digest>, Fault> {
        let mut contents = Vec::with_capacity(attachments.len());
        for attachment in attachments {
            // Bytes that are gone are others than were given.
            let bytes = self.store.attachment_bytes(attachment.attachment_id).await?.unwrap_or_default();
            contents.push(blocking(move || Ok(Digest::of_bytes(&bytes))).await?);
        }
        Ok(contents)
    }
}

impl Compared {
    fn with(&self, found: &Found, chain: &Chain, now: Timestamp) -> Fit {
        let Found { id, line, decided, after, mark } = found;
        let Some(Reply { answered_from, assurance, .. }) = &self.standing.reply else {
            return Fit::Not(Why::NoReceipt);
        };
        let same = decided.reply == self.reply && decided.content.ask == self.asked && decided.given == *answered_from;
        if !same {
            return Fit::Not(Why::Changed);
        }
        if after.withdrawn.is_some() {
            let held = matches!(decided.standing(after, now, true), gate_receipts::Standing::TakenBack { .. });
            return if held && !self.standing.delivered { Fit::Not(Why::TakenBack) } else { Fit::Revoked };
        }
        if mark.is_some() && !self.standing.delivered {
            return Fit::Not(Why::BeforeBreak);
        }
        let by = Vouched { keys: chain.keys(), own: self.own.as_ref() };
        let level = assured(line, &by).unwrap_or(Level::L0);
        let held_millis = if after.released.is_some() { 0 } else { decided.hold_left(line.at, now) };
        let assurance = of_level(level).min(*assurance);
        Fit::Given(Receipt { id: *id, from: decided.from, held_millis, assurance })
    }
}

/// What tells while the record is being opened, so before the log is, whether a reply has a receipt that it fits. The
/// log is read only where that is asked.
pub(crate) fn voucher(folder: PathBuf) -> Voucher {
    let chain = OnceLock::new();
    Voucher::new(move |request, reply, contents| {
        let read = || Chain::read(&folder, None, &[]).ok();
        let found = chain.get_or_init(read).as_ref().and_then(|chain: &Chain| chain.of_request(request).ok());
        let newest = found.and_then(|found| found.into_iter().next());
        newest.zip(reply_digest(reply, contents).ok()).is_some_and(|(found, given)| found.decided.reply == given)
    })
}

/// A level as a result tells it.
pub(super) fn of_level(level: Level) -> Assurance {
    match level {
        Level::L0 => Assurance::L0,
        Level::L1 => Assurance::L1,
        Level::L2 => Assurance::L2,
        Level::L3 => Assurance::L3,
    }
}

/// How sure a receipt says it is.
pub(crate) fn level_of(assurance: Assurance) -> Level {
    match assurance {
        Assurance::L0 => Level::L0,
        Assurance::L1 => Level::L1,
        Assurance::L2 => Level::L2,
        Assurance::L3 => Level::L3,
    }
}
