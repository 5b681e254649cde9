//! Rules that the person adds while reviews are open: what these need from then on. It only grows.

use std::sync::Arc;

use gate_api::subjects::settings;
use gate_core::Fault;
use gate_core::proposal::{
    Act, Acted, Acting, Brought, ReviewId, ReviewPlace, ReviewQuery, ReviewRule, ReviewStatus, ReviewStore as _, bounds,
};
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;

use super::Reviews;
use super::asking::TRIED_AGAIN;
use crate::work::whole;

impl Reviews {
    /// Keeps what open reviews need in step with the rules, until the gate stops.
    pub(crate) async fn keep_rules(self: Arc<Self>) {
        let mut events = self.bus.events();
        let mut known = None;
        loop {
            let rules = self.rules();
            let is_done = known.as_ref() == Some(&rules) || self.are_raised().await;
            if is_done {
                known = Some(rules);
            }
            tokio::select! {
                () = self.bus.stop().cancelled() => return,
                () = tokio::time::sleep(TRIED_AGAIN), if !is_done => {}
                () = self.behind.notified() => known = None,
                goes_on = changed(&mut events) => if !goes_on {
                    return;
                },
            }
        }
    }

    /// Does an act with a need that was found by these rules, to its end.
    pub(super) async fn done_by(self: &Arc<Self>, rules: Vec<ReviewRule>, acting: Acting) -> Result<Acted, Fault> {
        let reviews = Arc::clone(self);
        whole(async move {
            let acted = reviews.done(acting).await?;
            reviews.keep_in_step(&rules, &acted).await;
            Ok(acted)
        })
        .await
    }

    /// A round is in the record with a need that was found by these rules. Where they are others by now, it is raised:
    /// whoever looked for open reviews because of them may have come too early to find it.
    pub(super) async fn keep_in_step(self: &Arc<Self>, rules: &[ReviewRule], acted: &Acted) {
        if !acted.happened || self.rules() == rules {
            return;
        }
        if let Err(fault) = self.raise(acted.review.review_id).await {
            tracing::warn!(%fault, review = %acted.review.review_id, "what a round needs isn't in step with the rules yet");
            self.behind.notify_one();
        }
    }

    async fn are_raised(self: &Arc<Self>) -> bool {
        let Err(fault) = self.raise_all().await else { return true };
        tracing::warn!(%fault, "what open reviews need by the rules isn't in force for all of them yet");
        self.bus.warn(fault);
        false
    }

    /// Raises what each open review needs to what the rules ask for its newest round: again and again until nothing was
    /// raised, since a review may stand elsewhere by the time that those are looked at that stand there.
    async fn raise_all(self: &Arc<Self>) -> Result<(), Fault> {
        loop {
            let (mut raised, mut failed) = (false, None);
            for review in self.open_reviews().await? {
                match self.raise(review).await {
                    Ok(is_raised) => raised |= is_raised,
                    Err(fault) => failed = Some(fault),
                }
            }
            match failed {
                Some(fault) => return Err(fault),
                None if raised => {}
                None => return Ok(()),
            }
        }
    }

    async fn open_reviews(&self) -> Result<Vec<ReviewId>, Fault> {
        let mut open = Vec::new();
        for status in ReviewStatus::ALL.iter().copied().filter(|status| *status != ReviewStatus::Closed) {
            let query = ReviewQuery { status: Some(status), ..ReviewQuery::default() };
            let mut after = None;
            loop {
                let page = self.store.reviews(&query, after, bounds::LIST_ITEMS).await?;
                let Some(last) = page.last() else { break };
                after = Some(ReviewPlace { updated_at: last.updated_at, review_id: last.review_id });
                open.extend(page.iter().map(|review| review.review_id));
            }
        }
        Ok(open)
    }

    /// Raises what a review needs. Gives whether that was less.
    async fn raise(self: &Arc<Self>, review: ReviewId) -> Result<bool, Fault> {
        let Some(stored) = self.store.review(review).await? else { return Ok(false) };
        let Some(round) = self.store.rounds(review, stored.summary.round).await?.into_iter().next() else {
            return Ok(false);
        };
        let (summary, client) = (&stored.summary, &stored.proposer.client);
        let category = summary.category.as_deref();
        let need = Self::need(&self.rules(), client, &round.checked, category, &summary.workspace);
        if stored.state.need.and(need) == stored.state.need {
            return Ok(false);
        }
        Ok(self.act_alone(review, Act::Raise(need), Brought::Nothing).await?.happened)
    }
}

/// Resolves once settings may have changed: false where no more events come.
async fn changed(events: &mut Receiver<gate_api::Event>) -> bool {
    loop {
        match events.recv().await {
            Ok(gate_api::Event::Settings(settings::Event::SettingsChanged { .. })) | Err(RecvError::Lagged(_)) => {
                return true;
            }
            Ok(_) => {}
            Err(RecvError::Closed) => return false,
        }
    }
}
