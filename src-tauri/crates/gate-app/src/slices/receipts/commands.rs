//! The commands on receipts.

use gate_api::subjects::receipts::{
    ASKED, AskBelowAgent, BelowAgent, Handler, LISTED, ListReceipts, ListedReceipt, Receipts as Listed, WithdrawReceipt,
};
use gate_api::{Done, Origin, ReceiptStanding, ReceiptView};
use gate_core::{Code, Fault, Process, Timestamp};
use gate_receipts::{Found, Level, Standing, Verifier, Vouched, assured};

use super::fits::of_level;
use super::given;
use crate::slices::Gate;

impl Handler for Gate {
    async fn receipts(&self, asked: ListReceipts, _: Origin) -> Result<Listed, Fault> {
        let ListReceipts { request_id, limit } = asked;
        let most = usize::try_from(limit.min(LISTED)).unwrap_or(usize::MAX);
        let now = self.inner.bus.now();
        let found = match request_id {
            None => self.inner.receipts.list(most).await?,
            Some(request) => {
                let of_it = self.inner.receipts.chain(move |chain| Ok(chain.of_request(request)?)).await?;
                of_it.into_iter().take(most).collect()
            }
        };
        let own = self.inner.receipts.system().key().await;
        let keys = self.inner.receipts.chain(|chain| Ok(chain.keys().clone())).await?;
        let by = Vouched { keys: &keys, own: own.as_ref() };
        Ok(Listed { receipts: found.iter().map(|found| listed(found, &by, now)).collect() })
    }

    async fn withdraw_receipt(&self, withdrawn: WithdrawReceipt, origin: Origin) -> Result<Done, Fault> {
        let WithdrawReceipt { receipt } = withdrawn;
        let found = self.inner.receipts.chain(move |chain| Ok(chain.receipt(receipt)?)).await?.ok_or_else(unknown)?;
        if found.after.withdrawn.is_some() {
            return Err(before());
        }
        // What is still held is taken back: its request waits for the person again.
        let request = found.decided.request;
        if self.inner.queue.board.held_receipt(request).is_some_and(|(held, _)| held == receipt) {
            self.inner.requests.undo_reply(request, given(origin)).await?;
            return Ok(Done {});
        }
        self.inner.requests.revoke(receipt, given(origin)).await?;
        Ok(Done {})
    }

    async fn below_agent(&self, asked: AskBelowAgent, _: Origin) -> Result<BelowAgent, Fault> {
        let processes = asked.processes.into_iter().take(ASKED);
        let mut processes = processes.map(|asked| Process { pid: asked.pid, began: asked.began });
        Ok(BelowAgent { below: processes.any(|process| self.inner.queue.agents.knows(&process)) })
    }
}

fn unknown() -> Fault {
    Fault::new(
        Code::InvalidInput,
        "There is no such receipt.",
        "`review-gate receipts` lists them; nothing was withdrawn.",
    )
}

fn before() -> Fault {
    Fault::new(
        Code::InvalidInput,
        "The receipt was withdrawn before.",
        "It counts for nothing; there is nothing to do.",
    )
}

fn listed(found: &Found, by: &dyn Verifier, now: Timestamp) -> ListedReceipt {
    let decided = &found.decided;
    ListedReceipt {
        receipt: view(found, by, now),
        request_id: decided.request,
        at: found.line.at,
        given: decided.given,
        decision: decided.decision,
    }
}

/// A receipt as front ends show it, no surer than its signature shows. What the protected branch of
/// a repository has is not looked at.
pub(crate) fn view(found: &Found, by: &dyn Verifier, now: Timestamp) -> ReceiptView {
    let decided = &found.decided;
    let standing = match decided.standing(&found.after, now, false) {
        Standing::Held { .. } => ReceiptStanding::Held,
        Standing::TakenBack { .. } | Standing::Revoked { .. } => ReceiptStanding::Withdrawn,
        Standing::Expired { .. } => ReceiptStanding::Expired,
        Standing::Good if found.mark.is_some() => ReceiptStanding::SetAside,
        Standing::Good => ReceiptStanding::Good,
    };
    ReceiptView {
        id: found.id,
        level: of_level(assured(&found.line, by).unwrap_or(Level::L0)),
        from: decided.from,
        expires: decided.expires,
        standing,
        withdrawn_at: found.after.withdrawn,
        tree: decided.content.git.as_ref().map(|git| git.tree.to_string()),
        base: decided.content.git.as_ref().map(|git| git.base.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use gate_core::{AnsweredFrom, Decision, Digest, RequestId};
    use gate_receipts::{After, Content, Decided, HomeId, Keys, Line, Mark, Proof, RECEIPT_MILLIS, Said};
    use uuid::Uuid;

    use super::*;

    const AT: Timestamp = Timestamp(1_795_232_961_125);

    /// An approval in the window that is held for five seconds.
    fn found(after: After, mark: Option<Mark>) -> Found {
        let digest = Digest::of_bytes(b"");
        let from = AT.plus_millis(5_000);
        let decided = Decided {
            from,
            expires: Some(from.plus_millis(RECEIPT_MILLIS)),
            request: RequestId(Uuid::from_u128(1)),
            decision: Some(Decision::Approved),
            reply: digest,
            about: digest,
            level: Level::L1,
            given: AnsweredFrom::Desktop,
            content: Content { ask: Some(digest), ..Content::default() },
        };
        let line = Line {
            home: HomeId(Uuid::from_u128(7)),
            seq: 1,
            prev: None,
            at: AT,
            step: None,
            said: Said::Decided(decided.clone()),
            proof: Proof::None {},
        };
        Found { id: digest, line, decided, after, mark }
    }

    #[test]
    fn a_receipt_is_listed_as_it_stands() {
        let withdrawn = After { withdrawn: Some(AT), ..After::default() };
        for (after, mark, later, standing) in [
            (After::default(), None, 4_999, ReceiptStanding::Held),
            (After::default(), None, 5_000, ReceiptStanding::Good),
            (After::default(), Some(Mark::BeforeBreak), 5_000, ReceiptStanding::SetAside),
            (withdrawn, None, 5_000, ReceiptStanding::Withdrawn),
            (withdrawn, Some(Mark::Damaged), 5_000, ReceiptStanding::Withdrawn),
            (After::default(), None, 5_000 + RECEIPT_MILLIS, ReceiptStanding::Expired),
        ] {
            let entry = listed(&found(after, mark), &Keys::default(), AT.plus_millis(later));
            assert_eq!(entry.receipt.standing, standing, "{after:?} {mark:?} {later}");
            assert_eq!((entry.at, entry.decision), (AT, Some(Decision::Approved)));
        }
    }
}
