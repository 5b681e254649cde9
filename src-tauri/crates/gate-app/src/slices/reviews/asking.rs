//! Questions to the person about a review, and what becomes of their replies. A question is an ordinary request of the
//! kind `round`: what leaves it alone is its reply's transition. While the reply may be taken back, the review waits.

use std::sync::Arc;

use gate_core::proposal::{
    Act, Acting, Actor, Anchor, Asked, AskedRound, Brought, Manifest, MessagePlace, NewMessage, ReviewId, ReviewStatus,
    ReviewStore as _, StoredReview, StoredRound, StoredVerdict, ThreadId, ThreadMessageId, Verdict,
};
use gate_core::{Ask, Assurance, Caller, Decision, Fault, Outcome, QuestionGit, RequestId, RequestStatus, Timestamp};
use serde_json::{Map, json};
use uuid::Uuid;

use super::Reviews;
use crate::slices::requests::HeldAgainst;

impl Reviews {
    /// Asks the person about a review.
    pub(super) async fn ask_person(self: &Arc<Self>, review: ReviewId) {
        self.ask(review, "").await;
    }

    /// Asks them again about what they have put aside.
    pub(super) async fn ask_again(self: &Arc<Self>, review: ReviewId) {
        self.ask(review, &format!(" {}", self.bus.new_id())).await;
    }

    async fn ask(self: &Arc<Self>, review: ReviewId, again: &str) {
        if let Err(fault) = Box::pin(self.try_to_ask(review, again)).await {
            tracing::warn!(%fault, %review, "the person can't be asked about a review");
            self.bus.warn(fault);
        }
    }

    async fn try_to_ask(self: &Arc<Self>, review: ReviewId, again: &str) -> Result<(), Fault> {
        let Some(stored) = self.store.review(review).await? else { return Ok(()) };
        if stored.state.asked.is_none() || stored.state.held.is_some() || stored.request_id.is_some() {
            return Ok(());
        }
        let round = self.store.rounds(review, stored.summary.round).await?.into_iter().next();
        let round = round.ok_or_else(|| Fault::internal("a review without a round"))?;
        let verdicts = self.store.verdicts(review).await?;
        let ask = self.question(&stored, &round, &verdicts).await?;
        let caller = Caller {
            client: stored.proposer.client.clone(),
            client_version: String::new(),
            workspace: stored.summary.workspace.clone(),
        };
        let call_key = format!("review {review} {}{again}", stored.summary.event);
        let request = self.requests.ask_round(stored.summary.session_uuid, caller, ask, call_key).await?;
        self.store.asked(review, request).await?;
        self.follow(review, request);
        Ok(())
    }

    /// What the person is asked: the change as the repository has it before and after, and why they are asked.
    async fn question(
        &self,
        stored: &StoredReview,
        round: &StoredRound,
        verdicts: &[StoredVerdict],
    ) -> Result<Ask, Fault> {
        let review_id = stored.summary.review_id;
        let submitted = match round.diff_sha256 {
            Some(sha256) => self.store.diff(sha256).await?.unwrap_or_default(),
            None => Vec::new(),
        };
        let (held, stale) = self.as_it_applies(stored, round, &submitted).await;
        let shown = held.as_ref().map_or(&submitted, |held| &held.shown);
        let diff = Some(String::from_utf8_lossy(shown).into_owned()).filter(|diff| !diff.is_empty());
        let checked = held.as_ref().map_or(&round.checked, |held| &held.checked);
        let manifest = Manifest {
            review_id,
            round: round.round,
            repository: checked.repository.as_deref(),
            base: checked.base.as_deref(),
            tree: checked.tree.as_deref(),
            files: &checked.files,
            diff: round.diff_sha256,
        };
        let asked = AskedRound { review_id, round: round.round, manifest: manifest.json()? };
        let git =
            held.as_ref().and_then(|held| held.git.clone()).map(|git| QuestionGit { manifest: asked.digest(), ..git });
        Ok(Ask {
            message: message(stored, round, verdicts, stale.as_deref()),
            title: Some(stored.summary.intent.clone()),
            diff,
            approval: true,
            git: git.map(Box::new),
            round: Some(Box::new(asked)),
            ..Ask::default()
        })
    }

    /// A round's diff as it applies now, or why it doesn't any more.
    async fn as_it_applies(
        &self,
        stored: &StoredReview,
        round: &StoredRound,
        submitted: &[u8],
    ) -> (Option<HeldAgainst>, Option<String>) {
        if round.checked.tree.is_none() || submitted.is_empty() {
            return (None, None);
        }
        let folder = std::path::PathBuf::from(&stored.summary.workspace);
        let base = round.checked.base.as_deref();
        match self.requests.hold_against(&folder, submitted, base, true).await {
            Ok(held) => (Some(held), None),
            Err(fault) => (None, Some(fault.message)),
        }
    }

    /// The question about a review that was withdrawn by an act.
    pub(super) async fn withdraw_question(self: &Arc<Self>, review: ReviewId, request: RequestId) {
        if let Err(fault) = self.requests.withdraw_round(request).await {
            tracing::warn!(%fault, %review, "a question about a review can't be withdrawn");
        }
    }

    /// Follows a question until it is answered or closed.
    fn follow(self: &Arc<Self>, review: ReviewId, request: RequestId) {
        let (reviews, stop) = (Arc::clone(self), self.bus.stop().clone());
        tokio::spawn(async move {
            let followed = stop.run_until_cancelled(reviews.followed(review, request)).await;
            if let Some(Err(fault)) = followed {
                tracing::warn!(%fault, %review, "what the person said of a review can't be taken up");
                reviews.bus.warn(fault);
            }
        });
    }

    async fn followed(self: &Arc<Self>, review: ReviewId, request: RequestId) -> Result<(), Fault> {
        let mut events = self.bus.events();
        loop {
            self.take_up_hold(review, request).await?;
            tokio::select! {
                biased;
                outcome = self.requests.closed(request) => return self.answered(review, outcome?).await,
                event = events.recv() => match event {
                    Ok(_) => {}
                    Err(tokio::sync::broadcast::error::RecvError::Lagged(_)) => {}
                    Err(tokio::sync::broadcast::error::RecvError::Closed) => return Ok(()),
                },
            }
        }
    }

    /// While the person may take their decision back, nobody else does anything; where they did, they are asked again.
    async fn take_up_hold(self: &Arc<Self>, review: ReviewId, request: RequestId) -> Result<(), Fault> {
        let Some(stored) = self.store.review(review).await? else { return Ok(()) };
        let decision = self.requests.held_decision(request).await?;
        match (stored.state.held, decision) {
            (None, Some(Some(decision))) => {
                // It holds for as long as its reply is held back, which the person may end sooner: no time says when.
                self.decide(review, decision, self.bus.now(), None).await
            }
            (Some(_), None) if self.requests.is_pending(request).await? => {
                self.by_person(review, Act::Undo, Brought::Nothing).await
            }
            _ => Ok(()),
        }
    }

    async fn decide(
        self: &Arc<Self>,
        review: ReviewId,
        decision: Decision,
        until: Timestamp,
        outcome: Option<&Outcome>,
    ) -> Result<(), Fault> {
        let approved = decision == Decision::Approved;
        self.by_person(review, Act::Decide { approved, until }, replied(outcome)).await
    }

    pub(super) async fn by_person(self: &Arc<Self>, review: ReviewId, act: Act, with: Brought) -> Result<(), Fault> {
        let acting = Acting { review_id: review, actor: Actor::Person, act, with, call_key: None, at: self.bus.now() };
        self.done(acting).await.map(drop)
    }

    /// The person's reply is let go: what it says is done. Whatever of it was done before a kill isn't done again: its words
    /// have their identifiers from its request, and the review forgets that in the commit of what it leads to.
    async fn answered(self: &Arc<Self>, review: ReviewId, outcome: Outcome) -> Result<(), Fault> {
        let Some(stored) = self.store.review(review).await? else { return Ok(()) };
        if outcome.status != RequestStatus::Answered || stored.state.status == ReviewStatus::Closed {
            return self.store.asked_no_more(review, outcome.request_id).await;
        }
        self.say_for_person(review, &outcome).await?;
        // What nobody has looked at is no decision of the person's.
        let is_theirs = outcome.assurance >= Some(Assurance::L1) || outcome.decision != Some(Decision::Approved);
        match outcome.decision.filter(|_| is_theirs) {
            Some(decision) => {
                if stored.state.held.is_none() {
                    self.decide(review, decision, self.bus.now(), Some(&outcome)).await?;
                }
                self.act_alone(review, Act::Settle, replied(Some(&outcome))).await.map(drop)
            }
            None if stored.state.held.is_some() => {
                self.by_person(review, Act::Undo, Brought::Nothing).await?;
                self.store.asked_no_more(review, outcome.request_id).await?;
                self.ask_person(review).await;
                Ok(())
            }
            None => self.by_person(review, Act::Reply, replied(Some(&outcome))).await,
        }
    }

    /// What the person wrote is said in the review: their text, and a thread for each of their comments.
    async fn say_for_person(self: &Arc<Self>, review: ReviewId, outcome: &Outcome) -> Result<(), Fault> {
        let text = Some(outcome.text.trim()).filter(|text| !text.is_empty());
        let said = text.map(|text| (MessagePlace::Review, text.to_owned()));
        let comments = outcome.comments.iter().map(|comment| {
            let anchor = Anchor {
                file: comment.file.clone(),
                line: Some(comment.line),
                start_line: comment.start_line,
                side: comment.side,
            };
            (MessagePlace::Lines(ThreadId(self.bus.new_id()), anchor), comment.body.clone())
        });
        let remarks = outcome.remarks.iter().map(|remark| {
            let quoted: String = remark.quote.lines().map(|line| format!("> {line}\n")).collect();
            (MessagePlace::Review, format!("{quoted}\n{}", remark.body))
        });
        let all: Vec<_> = said.into_iter().chain(comments).chain(remarks).collect();
        for (number, (place, body)) in (1..).zip(all) {
            let message_id = ThreadMessageId(Uuid::from_u128(outcome.request_id.0.as_u128().wrapping_add(number)));
            let message = NewMessage { message_id, place, body, resolve: None };
            self.by_person(review, Act::Message, Brought::Message(message)).await?;
        }
        Ok(())
    }

    /// Takes up the questions that there were when the gate stopped, and asks where it was stopped before it could.
    pub(crate) async fn take_up_questions(self: &Arc<Self>) {
        match self.store.questions().await {
            Ok(all) => {
                for (review, request) in all {
                    match request {
                        Some(request) => self.follow(review, request),
                        None => self.ask_person(review).await,
                    }
                }
            }
            Err(fault) => tracing::warn!(%fault, "which reviews wait for the person can't be looked up"),
        }
    }

    /// A review's place was taken by another one.
    pub(super) async fn superseded(self: &Arc<Self>, review: ReviewId, request: Option<RequestId>) {
        self.wakes.wake(review);
        self.bus.change(gate_mcp::Change::Review(review));
        if let Some(request) = request {
            self.withdraw_question(review, request).await;
        }
    }
}

/// What a reply says, as it is kept with the review.
fn replied(outcome: Option<&Outcome>) -> Brought {
    let Some(outcome) = outcome else { return Brought::Replied { text: None, reply: Map::new() } };
    let reply = [
        ("request_id", json!(outcome.request_id)),
        ("assurance", json!(outcome.assurance)),
        ("receipt", json!(outcome.receipt)),
    ];
    Brought::Replied {
        text: Some(outcome.text.clone()).filter(|text| !text.trim().is_empty()),
        reply: reply.map(|(name, value)| (name.to_owned(), value)).into_iter().collect(),
    }
}

/// The question in words, as Markdown.
fn message(stored: &StoredReview, round: &StoredRound, verdicts: &[StoredVerdict], stale: Option<&str>) -> String {
    let proposer = &stored.summary.proposer;
    let mut text = match stored.state.asked {
        Some(Asked::Unreviewed) => format!("Nobody has reviewed what {proposer} proposes."),
        _ => format!("{proposer} proposes a change, and it needs your decision."),
    };
    let of_round = verdicts.iter().filter(|verdict| verdict.round == round.round);
    for verdict in of_round {
        let said = match verdict.decision {
            Verdict::Approved => "approves it",
            Verdict::Rejected => "rejects it",
            Verdict::Comment => "says",
            Verdict::Escalate => "asks you to decide",
        };
        let reason = verdict.reason.as_deref().map(quoted).unwrap_or_default();
        text.push_str(&format!(
            "\n\n**{}** {said}{}\n{reason}",
            verdict.author,
            if reason.is_empty() { "." } else { ":\n" }
        ));
    }
    if let Some(why) = stale {
        text.push_str(&format!("\n\n**It doesn't apply any more.** {why}"));
    }
    for warning in &round.checked.warnings {
        text.push_str(&format!("\n\n- {warning}"));
    }
    if round.round > 1 {
        text.push_str(&format!("\n\nThis is round {}.", round.round));
    }
    text.push_str(&format!("\n\n## What it is to do\n\n{}", stored.intent));
    if let Some(description) = &round.description {
        text.push_str(&format!("\n\n{description}"));
    }
    text
}

fn quoted(text: &str) -> String {
    text.lines().map(|line| format!("> {line}\n")).collect()
}
