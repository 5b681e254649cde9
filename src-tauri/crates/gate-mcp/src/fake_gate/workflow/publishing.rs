//! What is put before the person, and what they and the platform make of it.

use gate_core::workflow::publication::{self, PublicationDraft, Summary, compose};
use gate_core::workflow::{
    Act, By, EventKind, HeldFor, ItemId, ItemState, JobId, PublicationState, PublishEvent, event::Event,
};
use gate_core::{Decision, Fault, Outcome, RequestId, RequestStatus, Timestamp};
use serde_json::json;

use super::{AskedPublication, FakeWorkflow, ItemResult, Kept, Publication, PublicationId, State};
use crate::workflow::PublicationRead;

impl State {
    /// Puts what stands in no publication before the person, where there is something.
    pub(super) fn publish_rest(&mut self, at: usize) {
        if self.jobs[at].has_unplaced() {
            self.ask(at, None).expect("what was taken can be shown");
        }
    }

    /// Puts what is to be posted before the person; an open publication is replaced by its next revision.
    pub(super) fn ask(&mut self, at: usize, summary: Option<Summary>) -> Result<PublicationRead, Fault> {
        let (new, request, now) = (PublicationId(self.id()), RequestId(self.id()), Timestamp(self.now));
        let kept = &mut self.jobs[at];
        let last = kept.publications.last();
        publication::may_publish(last.map(|last| last.state))?;
        let goes_on = last.filter(|last| !last.state.is_over());
        let (id, revision) = goes_on.map_or((new, 1), |last| (last.id, last.revision + 1));
        let replaced: Vec<ItemId> =
            goes_on.map(|last| last.asked.items.iter().map(|item| item.id).collect()).unwrap_or_default();
        kept.placed.retain(|id| !replaced.contains(&ItemId(*id)));
        let findings: Vec<_> =
            kept.findings.iter().filter(|one| !kept.placed.contains(&one.finding_id.0)).cloned().collect();
        let actions: Vec<_> =
            kept.actions.iter().filter(|one| !kept.placed.contains(&one.action_id.0)).cloned().collect();
        let items = compose(id, kept.pull.platform, &kept.diff, &findings, &actions, summary.as_ref())?;
        kept.placed.extend(items.iter().map(|item| item.id.0));
        let event = summary.map_or(PublishEvent::Comment, |summary| summary.event);
        let head = Kept::head();
        let asked = AskedPublication { job_id: kept.id, pull: kept.pull.clone(), head, event, items };
        if let Some(last) = kept.publications.last_mut().filter(|last| !last.state.is_over()) {
            last.state = PublicationState::Dropped;
            if last.outcome.status == RequestStatus::Pending {
                last.outcome.status = RequestStatus::Cancelled;
            }
        }
        let result = |item: &publication::Item| ItemResult {
            id: item.id,
            kind: item.kind,
            state: ItemState::Open,
            url: None,
            reason: None,
        };
        let publication = Publication {
            id,
            request,
            revision,
            items: asked.items.iter().map(result).collect(),
            asked,
            state: PublicationState::Open,
            outcome: Outcome::without_reply(RequestStatus::Pending, kept.session, request),
        };
        kept.publications.push(publication);
        kept.tell(&Event::new(EventKind::PublicationChanged, json!({"state": "open"})), now);
        kept.published(request)
    }
}

impl Kept {
    pub(super) fn head() -> gate_core::Oid {
        serde_json::from_value(json!("a".repeat(40))).expect("it is a commit")
    }

    pub(super) fn published(&self, request: RequestId) -> Result<PublicationRead, Fault> {
        let found = self.publications.iter().find(|one| one.request == request);
        let found = found.ok_or_else(|| Fault::internal("It was just looked for."))?;
        Ok(PublicationRead {
            job_id: self.id,
            outcome: found.outcome.clone(),
            id: found.id,
            revision: found.revision,
            digest: found.asked.manifest(&PublicationDraft::default())?.digest()?,
            state: found.state,
            held: (found.state == PublicationState::Held).then_some(HeldFor::HeadMoved),
            items: found.items.clone(),
        })
    }
}

impl FakeWorkflow {
    /// The requests that were put before the person, each with where it stands.
    pub(crate) fn publications(&self) -> Vec<(RequestId, PublicationState)> {
        let state = self.lock();
        state.jobs.iter().flat_map(|kept| &kept.publications).map(|one| (one.request, one.state)).collect()
    }

    /// The person has decided on what was last put before them, and it stands so from now on.
    pub(crate) fn decides(&self, job: JobId, decision: Decision, text: &str) {
        let mut state = self.lock();
        let now = Timestamp(state.now);
        let kept = state.kept_mut(job).expect("the job is there");
        let last = kept.publications.last_mut().expect("there is one");
        last.outcome.status = RequestStatus::Answered;
        last.outcome.decision = Some(decision);
        text.clone_into(&mut last.outcome.text);
        last.outcome.answered_at = Some(now);
        last.state = match decision {
            Decision::Approved => PublicationState::Sending,
            Decision::ChangesRequested => PublicationState::Returned,
        };
        drop(state);
        if decision == Decision::ChangesRequested {
            self.act(job, &By::Person, &Act::Return);
        }
        self.tell(job);
    }

    /// What was last put before the person stands so from now on; where it is posted, each item is.
    pub(crate) fn stands(&self, job: JobId, now: PublicationState) {
        let mut state = self.lock();
        let kept = state.kept_mut(job).expect("the job is there");
        let last = kept.publications.last_mut().expect("there is one");
        last.state = now;
        if now == PublicationState::Posted {
            for item in &mut last.items {
                item.state = ItemState::Posted;
                item.url = Some("https://github.com/owner/repo/pull/42#c1".to_owned());
            }
        }
        drop(state);
        self.tell(job);
    }
}
