//! Questions to the person about a review, and what becomes of their replies. A question is an ordinary request of the
//! kind `round`: what leaves it alone is its reply's transition. While the reply may be taken back, the review waits. What
//! it says is good for the round that it asked about, and the record itself holds it to that.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use gate_core::proposal::{
    Act, Acting, Actor, Anchor, AskedRound, Brought, Manifest, MessagePlace, NewMessage, Replied, ReviewId,
    ReviewStore as _, StoredReview, StoredRound, StoredVerdict, ThreadId, ThreadMessageId, bounds,
};
use gate_core::{
    AnsweredFrom, Ask, Assurance, Caller, Code, Decision, Fault, Given, Outcome, QuestionGit, RequestId, RequestStatus,
};
use serde_json::json;

use super::Reviews;
use super::words::{question, quoted, title};
use crate::slices::requests::HeldAgainst;

/// After how long what failed is tried again.
pub(super) const TRIED_AGAIN: Duration = Duration::from_secs(30);

/// Reviews about which the person is to be asked once they have answered others of the same party, in their order.
#[derive(Debug, Default)]
pub(super) struct Unasked(Mutex<VecDeque<ReviewId>>);

impl Unasked {
    fn join(&self, review: ReviewId) {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !waiting.contains(&review) {
            waiting.push_back(review);
        }
    }

    fn take(&self) -> VecDeque<ReviewId> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

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
        // Whoever took it over, or asks for it again, doesn't wait in turn.
        let waits_its_turn = again.is_empty() && stored.state.taken.is_none();
        if waits_its_turn && self.store.questions_of(&stored.summary.party).await? >= bounds::ASKED_AT_ONCE {
            self.unasked.join(review);
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
        match self.store.asked(review, round.round, request).await? {
            true => self.follow(review, request),
            // A newer round came meanwhile, or a decision: nobody is asked about what isn't there any more.
            false => self.withdraw_question(review, request).await,
        }
        Ok(())
    }

    /// Asks about what waited until others were answered.
    async fn ask_next(self: &Arc<Self>) {
        for review in self.unasked.take() {
            self.ask_person(review).await;
        }
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
            message: question(stored, round, verdicts, stale.as_deref()),
            title: Some(title(stored)),
            diff,
            approval: true,
            git: git.map(Box::new),
            round: Some(Box::new(asked)),
            ..Ask::default()
        })
    }

    /// A round's diff as it applies to what it was made on, and why it doesn't any more to what is there now.
    async fn as_it_applies(
        &self,
        stored: &StoredReview,
        round: &StoredRound,
        submitted: &[u8],
    ) -> (Option<HeldAgainst>, Option<String>) {
        if round.checked.tree.is_none() || submitted.is_empty() {
            return (None, None);
        }
        let base = round.checked.base.as_deref();
        let held = async {
            let repository = self.requests.repository(Path::new(&stored.summary.workspace)).await?;
            self.requests.hold_against(&repository, submitted, base, true).await
        };
        match held.await {
            // It may fit what it was made on, and not what is there by now.
            Ok(held) => (Some(held), self.stale(stored).await.unwrap_or_default()),
            Err(fault) => (None, Some(fault.message)),
        }
    }

    /// The question about a review that was withdrawn by an act.
    pub(super) async fn withdraw_question(&self, review: ReviewId, request: RequestId) {
        if let Err(fault) = self.requests.withdraw_round(request).await {
            tracing::warn!(%fault, %review, "a question about a review can't be withdrawn");
        }
    }

    /// Follows a question until what became of it is done. What fails is tried again: a review isn't left waiting for a
    /// decision that was given.
    fn follow(self: &Arc<Self>, review: ReviewId, request: RequestId) {
        let (reviews, stop) = (Arc::clone(self), self.bus.stop().clone());
        tokio::spawn(async move {
            let follows = async {
                let mut told = false;
                while let Err(fault) = reviews.followed(review, request).await {
                    tracing::warn!(%fault, %review, "what the person said of a review can't be taken up yet");
                    if !std::mem::replace(&mut told, true) {
                        reviews.bus.warn(fault);
                    }
                    tokio::time::sleep(TRIED_AGAIN).await;
                }
                reviews.ask_next().await;
            };
            stop.run_until_cancelled(follows).await;
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
        if stored.request_id != Some(request) {
            return Ok(());
        }
        let held = stored.state.held.map(|held| held.approved);
        let reply = match self.requests.held_reply(request).await? {
            Some(reply) => Answer { request, given: reply.given, decision: reply.decision },
            None if held.is_some() && self.requests.is_pending(request).await? => Answer::taken_back(request),
            None => return Ok(()),
        };
        let done = self.decides(review, held, reply).await;
        // Where a round came in between, the question is withdrawn.
        done.or_else(|fault| if is_over(&fault) { Ok(()) } else { Err(fault) })
    }

    /// Has a review held by what the person has decided, and by nothing else that they decided before.
    async fn decides(self: &Arc<Self>, review: ReviewId, held: Option<bool>, answer: Answer) -> Result<(), Fault> {
        let wanted = answer.decision.map(|decision| decision == Decision::Approved);
        if held.is_some() && held != wanted {
            self.answers(review, answer, Act::Undo, Brought::Nothing).await?;
        }
        match wanted.filter(|_| held != wanted) {
            // It holds for as long as its reply is held back, which the person may end sooner: no time says when.
            Some(approved) => {
                let decide = Act::Decide { approved, until: self.bus.now() };
                self.answers(review, answer, decide, Brought::Nothing).await
            }
            None => Ok(()),
        }
    }

    /// What an answer of the person's does, as long as its question is the one that stands.
    async fn answers(
        self: &Arc<Self>,
        review_id: ReviewId,
        answer: Answer,
        act: Act,
        with: Brought,
    ) -> Result<(), Fault> {
        let (actor, at) = match act {
            Act::Settle => (Actor::Gate, self.settles_at(review_id).await?),
            _ => (Actor::Person(answer.given), self.bus.now()),
        };
        let acting = Acting { review_id, actor, act, with, answers: Some(answer.request), call_key: None, at };
        self.done(acting).await.map(drop)
    }

    /// When what was decided becomes good: now, even where the clock was put back meanwhile.
    async fn settles_at(&self, review: ReviewId) -> Result<gate_core::Timestamp, Fault> {
        let held = self.store.review(review).await?.and_then(|stored| stored.state.held);
        let now = self.bus.now();
        Ok(held.map_or(now, |held| held.until.max(now)))
    }

    /// Something that the person does with a review, which answers no question.
    pub(super) async fn by_person(
        self: &Arc<Self>,
        given: Given,
        review_id: ReviewId,
        act: Act,
        with: Brought,
    ) -> Result<(), Fault> {
        self.done(self.acting_of_person(given, review_id, act, with)).await.map(drop)
    }

    /// The same, to be done.
    pub(super) fn acting_of_person(&self, given: Given, review_id: ReviewId, act: Act, with: Brought) -> Acting {
        let (actor, at) = (Actor::Person(given), self.bus.now());
        Acting { review_id, actor, act, with, answers: None, call_key: None, at }
    }

    /// The person's reply is let go: what it says is done. Its words are in one commit with what it leads to, in which the
    /// review forgets the question, too: nothing of it is done twice, and nothing is lost by a kill.
    async fn answered(self: &Arc<Self>, review: ReviewId, outcome: Outcome) -> Result<(), Fault> {
        let request = outcome.request_id;
        let Some(stored) = self.store.review(review).await? else { return Ok(()) };
        let asked = self.store.request(request).await?.and_then(|request| request.ask.round);
        let asked_round = asked.filter(|asked| asked.review_id == review).map(|asked| asked.round);
        let is_answered = outcome.status == RequestStatus::Answered;
        if stored.request_id != Some(request) || asked_round != Some(stored.state.round) {
            if is_answered {
                self.came_late(&stored, &outcome, asked_round).await;
            }
            return self.store.asked_no_more(review, request).await;
        }
        let given = given(&outcome);
        // What nobody has looked at is no decision of the person's.
        let is_theirs = given.assurance >= Assurance::L1 || outcome.decision != Some(Decision::Approved);
        let decision = outcome.decision.filter(|_| is_theirs && is_answered);
        let answer = Answer { request, given, decision };
        let done = async {
            self.decides(review, stored.state.held.map(|held| held.approved), answer).await?;
            if !is_answered {
                return self.store.asked_no_more(review, request).await;
            }
            let replied = || Brought::Replied(self.replied(given, &outcome));
            match decision {
                Some(_) => self.answers(review, answer, Act::Settle, replied()).await,
                None if is_theirs || stored.state.held.is_none() => {
                    self.answers(review, answer, Act::Reply, replied()).await
                }
                // It had the review held as a decision would, and is none.
                None => {
                    self.says(review, given, self.words(&outcome, None)).await;
                    self.store.asked_no_more(review, request).await?;
                    self.ask_again(review).await;
                    Ok(())
                }
            }
        };
        match done.await {
            Err(fault) if is_over(&fault) && is_answered => {
                self.came_late(&stored, &outcome, asked_round).await;
                self.store.asked_no_more(review, request).await
            }
            other => other,
        }
    }

    /// A reply to a question that stands no more: its words are said on the round that they are about, unless the review is
    /// over, and it decides nothing.
    async fn came_late(self: &Arc<Self>, stored: &StoredReview, outcome: &Outcome, round: Option<u32>) {
        let review = stored.summary.review_id;
        let now = self.store.review(review).await;
        if now.is_ok_and(|now| now.is_some_and(|now| now.state.is_open())) {
            self.says(review, given(outcome), self.words(outcome, round)).await;
        }
        if outcome.decision.is_some() {
            let of = round.map_or_else(|| "an earlier round".to_owned(), |round| format!("round {round}"));
            self.bus.warn(Fault::new(
                Code::StaleRound,
                format!("What you decided was about {of} of {:?}, which had changed by then.", stored.summary.intent),
                "It decides nothing now. Open the review to see where it stands; you are asked again where it needs you.",
            ));
        }
    }

    /// Says what the person wrote, beside what it leads to.
    async fn says(self: &Arc<Self>, review: ReviewId, given: Given, words: Vec<NewMessage>) {
        for message in words {
            if let Err(fault) = self.by_person(given, review, Act::Message, Brought::Message(message)).await {
                tracing::warn!(%fault, %review, "what the person wrote can't be said in the review");
                self.bus.warn(fault);
            }
        }
    }

    /// What the person wrote, as it is said in the review: their text, and a thread for each of their comments.
    fn words(&self, outcome: &Outcome, round: Option<u32>) -> Vec<NewMessage> {
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
            let quoted = quoted(&remark.quote);
            (MessagePlace::Review, format!("{quoted}\n{}", remark.body))
        });
        let all = said.into_iter().chain(comments).chain(remarks);
        let message = |(place, body)| NewMessage {
            message_id: ThreadMessageId(self.bus.new_id()),
            place,
            body,
            resolve: None,
            round,
        };
        all.map(message).collect()
    }

    /// What a reply says, as it is kept with the review.
    fn replied(&self, given: Given, outcome: &Outcome) -> Replied {
        let reply = [
            ("request_id", json!(outcome.request_id)),
            ("assurance", json!(outcome.assurance)),
            ("receipt", json!(outcome.receipt)),
        ];
        Replied {
            given,
            text: Some(outcome.text.clone()).filter(|text| !text.trim().is_empty()),
            said: self.words(outcome, None),
            reply: reply.map(|(name, value)| (name.to_owned(), value)).into_iter().collect(),
        }
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
        self.withdraw_what_stands_about_nothing().await;
    }

    /// An act withdraws its review's question once it is done: where the gate was stopped in between, that is done now. One
    /// that its review is to have yet stays.
    async fn withdraw_what_stands_about_nothing(&self) {
        for asked in self.queue.board.all() {
            let Some(round) = asked.round else { continue };
            match self.store.review(round.review_id).await {
                Ok(Some(stored)) if stored.request_id == Some(asked.request_id) => {}
                Ok(Some(stored)) if stored.request_id.is_none() && stored.state.asked.is_some() => {}
                Ok(_) => self.withdraw_question(round.review_id, asked.request_id).await,
                Err(fault) => tracing::warn!(%fault, "what a question is about can't be looked up"),
            }
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

/// What the person answers a question with.
#[derive(Debug, Clone, Copy)]
struct Answer {
    request: RequestId,
    given: Given,
    decision: Option<Decision>,
}

impl Answer {
    /// Nothing any more.
    fn taken_back(request: RequestId) -> Self {
        Self { request, given: AnsweredFrom::Desktop.into(), decision: None }
    }
}

/// How a reply was given.
fn given(outcome: &Outcome) -> Given {
    let from = outcome.answered_from.unwrap_or(AnsweredFrom::Script);
    Given { from, assurance: outcome.assurance.unwrap_or_default() }
}

/// Whether an answer came to nothing since its question stands no more.
fn is_over(fault: &Fault) -> bool {
    matches!(fault.code, Code::StaleRound | Code::WrongState)
}
