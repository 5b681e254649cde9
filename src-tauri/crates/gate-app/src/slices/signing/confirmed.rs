//! A confirmation by the system: the person gives it their password or finger, and its service signs. Which key that is,
//! the service says; here it is only put together.
//!
//! Knows neither the socket nor whether the signature counts.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use gate_api::Phrase;
use gate_core::{Assurance, ReviewRequest, question_text};
use gate_receipts::{Head, Line, Proof, PublicKey};
use gate_service::{Refused, Why};
use tokio_util::sync::CancellationToken;

use super::signer::{NotSigned, Shows, Signature, Signer};
use crate::slices::system::{Confirmation, System};

/// For how long the person may take. The system's prompt has two minutes; another one may stand there before.
const PATIENCE: Duration = Duration::from_secs(140);
/// How long the service may take to note that a line was written.
const NOTING: Duration = Duration::from_secs(2);

/// The system's service.
#[derive(Debug)]
pub(super) struct BySystem(pub(super) Arc<System>);

#[async_trait]
impl Signer for BySystem {
    fn level(&self) -> Assurance {
        Assurance::L2
    }

    fn patience(&self) -> Duration {
        PATIENCE
    }

    async fn look(&self) {
        self.0.look().await;
    }

    fn reachable(&self) -> Result<(), Phrase> {
        self.0.reached().map_err(|refused| Phrase::new(missing(refused.why)))
    }

    async fn own_key(&self) -> Result<Option<PublicKey>, NotSigned> {
        self.0.forget();
        self.0.look().await;
        self.0.reached().map_err(not_signed)?;
        Ok(self.0.key().await)
    }

    async fn sign(
        &self,
        line: &Line,
        request: &ReviewRequest,
        shows: &Shows<'_>,
        cancelled: CancellationToken,
    ) -> Result<Box<dyn Signature>, NotSigned> {
        let question =
            question_text(&request.ask).map_err(|fault| NotSigned::Failed { what: fault.message, mend: fault.mend })?;
        let confirming = self.0.service().map_err(not_signed)?.confirm(line, &question, shows);
        let confirmed = cancelled.run_until_cancelled(confirming).await;
        // A person took their time: what was known before is old.
        self.0.forget();
        match confirmed {
            None => Err(NotSigned::Cancelled),
            Some(Err(refused)) => Err(not_signed(refused)),
            Some(Ok(confirmation)) => Ok(Box::new(Confirmed { confirmation, system: Arc::clone(&self.0) })),
        }
    }
}

/// A receipt that the person has confirmed.
#[derive(Debug)]
struct Confirmed {
    confirmation: Box<dyn Confirmation>,
    system: Arc<System>,
}

#[async_trait]
impl Signature for Confirmed {
    fn proof(&self) -> Proof {
        self.confirmation.line().proof.clone()
    }

    async fn again(&mut self, line: &Line) -> Result<bool, NotSigned> {
        self.confirmation.again(line).await.map_err(not_signed).map(|()| true)
    }

    async fn kept(self: Box<Self>, head: Head) {
        match tokio::time::timeout(NOTING, self.confirmation.kept()).await {
            Ok(Ok(())) => self.system.kept(head),
            Ok(Err(refused)) => tracing::warn!(%refused, "the service doesn't note a line that it signed"),
            Err(_) => tracing::warn!("the service doesn't say that it noted a line that it signed"),
        }
    }
}

/// Why nobody can be asked, as it is told before the act.
fn missing(why: Why) -> &'static str {
    match why {
        Why::Absent => "level-service-absent",
        Why::Version => "level-service-version",
        Why::Root => "level-service-root",
        Why::NoPolkit => "level-service-polkit",
        Why::Unasked | Why::Forbidden => "level-service-rule",
        _ => "level-service-silent",
    }
}

fn not_signed(refused: Refused) -> NotSigned {
    match refused.why {
        Why::Declined => NotSigned::Declined,
        Why::Cancelled => NotSigned::Cancelled,
        Why::TimedOut => NotSigned::TimedOut,
        Why::NoAgent => NotSigned::Failed {
            what: refused.message,
            mend: format!(
                "Start your desktop's polkit agent; over ssh run `pkttyagent --process {}` in another terminal. Then \
                 approve again.",
                std::process::id()
            ),
        },
        _ => NotSigned::Failed { mend: refused.mend().to_owned(), what: refused.message },
    }
}

#[cfg(test)]
mod tests {
    use gate_core::{Code, Fault};

    use super::*;

    #[test]
    fn each_reason_is_told_with_what_helps() {
        let told = |why| Fault::from(not_signed(Refused::new(why, "It went wrong.")));
        for why in [Why::Declined, Why::Cancelled, Why::TimedOut, Why::NoAgent, Why::Failed, Why::Silent, Why::Behind] {
            let fault = told(why);
            assert_eq!(fault.code, Code::NotSigned, "{why:?}");
            assert!(fault.message.contains("nothing was sent") && !fault.mend.is_empty(), "{why:?}: {fault:?}");
        }
        let process = format!("--process {}`", std::process::id());
        assert!(told(Why::NoAgent).mend.contains(&process), "the command can be typed as it stands");
    }

    #[test]
    fn the_catalogues_have_why_the_system_cannot_be_asked() {
        let reasons = [Why::Absent, Why::Silent, Why::Version, Why::Root, Why::NoPolkit, Why::Unasked, Why::Broken];
        let phrases = reasons.map(|why| Phrase::new(missing(why)));
        let faults: Vec<_> = phrases.iter().filter_map(gate_texts::testing::fault).collect();
        assert_eq!(faults, Vec::<String>::new());
    }
}
