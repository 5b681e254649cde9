//! Rules that the person adds while reviews are open: what these need from then on. It only grows.

use std::sync::Arc;

use gate_api::subjects::settings;
use gate_core::Fault;
use gate_core::proposal::{
    Act, Brought, NewDiff, ReviewId, ReviewPlace, ReviewQuery, ReviewStatus, ReviewStore as _, bounds,
};
use tokio::sync::broadcast::error::RecvError;

use super::Reviews;

impl Reviews {
    /// Keeps what open reviews need in step with the rules, until the gate stops.
    pub(crate) async fn keep_rules(self: Arc<Self>) {
        let mut events = self.bus.events();
        let mut known = None;
        loop {
            let rules = self.rules();
            if known.as_ref() != Some(&rules) {
                if let Err(fault) = self.raise_all().await {
                    tracing::warn!(%fault, "what open reviews need by the rules can't be looked up");
                    self.bus.warn(fault);
                }
                known = Some(rules);
            }
            loop {
                tokio::select! {
                    event = events.recv() => match event {
                        Ok(gate_api::Event::Settings(settings::Event::SettingsChanged { .. }))
                        | Err(RecvError::Lagged(_)) => break,
                        Ok(_) => {}
                        Err(RecvError::Closed) => return,
                    },
                    () = self.bus.stop().cancelled() => return,
                }
            }
        }
    }

    /// Raises what each open review needs to what the rules ask for its newest round.
    async fn raise_all(self: &Arc<Self>) -> Result<(), Fault> {
        for status in ReviewStatus::ALL.iter().copied().filter(|status| *status != ReviewStatus::Closed) {
            let query = ReviewQuery { status: Some(status), ..ReviewQuery::default() };
            let mut after = None;
            loop {
                let page = self.store.reviews(&query, after, bounds::LIST_ITEMS).await?;
                let Some(last) = page.last() else { break };
                after = Some(ReviewPlace { updated_at: last.updated_at, review_id: last.review_id });
                for review in &page {
                    self.raise(review.review_id).await?;
                }
            }
        }
        Ok(())
    }

    async fn raise(self: &Arc<Self>, review: ReviewId) -> Result<(), Fault> {
        let Some(stored) = self.store.review(review).await? else { return Ok(()) };
        let Some(round) = self.store.rounds(review, stored.summary.round).await?.into_iter().next() else {
            return Ok(());
        };
        let new = NewDiff { checked: round.checked, ..NewDiff::default() };
        let summary = &stored.summary;
        let need = self.need(&stored.proposer.client, &new, summary.category.as_deref(), &summary.workspace);
        if stored.state.need.and(need) == stored.state.need {
            return Ok(());
        }
        self.act_alone(review, Act::Raise(need), Brought::Nothing).await.map(drop)
    }
}
