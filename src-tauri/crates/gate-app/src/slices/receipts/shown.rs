//! The receipts of a conversation's replies, as front ends show them beside what was said.

use gate_api::{MessageView, ReceiptView};
use gate_core::{Fault, RequestId, Role};
use gate_receipts::Vouched;

use super::commands::view;
use super::{Fit, Receipts};

impl Receipts {
    /// Puts its receipt beside each reply that fits it. Where one can't be looked up, what was said is shown without.
    pub(crate) async fn put_beside(&self, messages: &mut [MessageView]) {
        for message in messages.iter_mut().filter(|message| may_have_one(message)) {
            match self.beside(message.request_id).await {
                Ok(receipt) => message.receipt = receipt,
                Err(fault) => tracing::warn!(%fault, "a reply is shown without its receipt"),
            }
        }
    }

    /// The receipt of the reply to a request, as the record has that; absent where it has none that fits.
    async fn beside(&self, request: RequestId) -> Result<Option<ReceiptView>, Fault> {
        let Some(standing) = self.store.standing(request).await? else { return Ok(None) };
        if let Fit::Not(_) = self.fit(request, &standing).await? {
            return Ok(None);
        }
        let now = self.bus.now();
        let own = self.system.key().await;
        self.chain(move |chain| {
            let by = Vouched { keys: chain.keys(), own: own.as_ref() };
            Ok(chain.of_request(request)?.first().map(|found| view(found, &by, now)))
        })
        .await
    }
}

/// Whether it is a reply that was given here.
fn may_have_one(message: &MessageView) -> bool {
    message.role == Role::Person && !message.note && message.imported_at.is_none()
}
