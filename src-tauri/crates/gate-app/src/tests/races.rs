//! The person and agents act on one review at the same time, in each order: what the person was shown is all that their word
//! counts for, none of it is lost without a word, and nothing is left without a turn or a way on.

use gate_api::Origin;
use gate_api::subjects::requests::{Dismiss, SendNow, UndoReply};
use gate_api::subjects::reviews::{GiveBackReview, TakeReview};
use gate_core::proposal::{
    ApprovedBy, Asked, Claimed, PatchId, ReviewId, ReviewStatus, ReviewStore as _, StoredReview, Turn, Verdict, lease,
};
use gate_core::{Code, Decision, Fault, RequestId, RequestStatus};
use gate_mcp::{BrokerPort as _, OfferedPatch, Said, SaidAt, SubmittedProposal};

use super::deciding::{becomes, question, said, send};
use super::reviews::{MINUTE, after, diff, proposal, propose, relay, verdict};
use crate::slices::Gate;
use crate::tests::wait::{LIMIT, eventually};
use crate::tests::{Outcome, gate};

type Error = Box<dyn std::error::Error>;

/// Acts that it takes at most from anywhere to the end.
const STEPS: usize = 8;

/// Where a review stands before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stands {
    /// A reviewer has it.
    Claimed,
    /// A reviewer has the person decide.
    Escalated,
    /// Nobody reviewed it, and the person was told.
    Unreviewed,
    /// The person has taken it from its reviewer.
    Taken,
}

/// What the person does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Person {
    Approves,
    Rejects,
    Replies,
    /// They take back what they have approved before.
    Undoes,
    Takes,
    GivesBack,
    PutsAside,
}

/// What happens beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Beside {
    Round,
    Patch,
    Escalation,
    Lease,
    Close,
    Claim,
    Message,
}

/// In which order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    /// The person first, once the review has heard of it.
    Heard,
    /// The person first, however far that has got.
    First,
    AtOnce,
    Last,
}

const ALL_OF_PERSON: [Person; 7] = [
    Person::Approves,
    Person::Rejects,
    Person::Replies,
    Person::Undoes,
    Person::Takes,
    Person::GivesBack,
    Person::PutsAside,
];
const ALL_BESIDE: [Beside; 7] =
    [Beside::Round, Beside::Patch, Beside::Escalation, Beside::Lease, Beside::Close, Beside::Claim, Beside::Message];
const ORDERS: [Order; 4] = [Order::Heard, Order::First, Order::AtOnce, Order::Last];

impl Person {
    /// What they decide, where they do.
    fn decides(self) -> Option<Decision> {
        match self {
            Self::Approves => Some(Decision::Approved),
            Self::Rejects => Some(Decision::ChangesRequested),
            Self::Replies | Self::Undoes | Self::Takes | Self::GivesBack | Self::PutsAside => None,
        }
    }
}

/// One race.
struct Race<'a> {
    gate: &'a Gate,
    what: String,
    number: usize,
    review: ReviewId,
    patch: PatchId,
    /// What the person is asked by.
    request: Option<RequestId>,
}

impl<'a> Race<'a> {
    /// A review that stands so, with a patch that is open.
    async fn new(gate: &'a Gate, stands: Stands, number: usize, what: String) -> Result<Self, Error> {
        let review = propose(gate, &format!("b{number}")).await?;
        let holder = || relay(&format!("reviewer-{number}"));
        gate.claim(&holder(), review).await?;
        let offered = OfferedPatch {
            diff: diff(&format!("p{number}")),
            description: None,
            approves: true,
            claimed: Claimed::default(),
        };
        let (_, patch) = gate.offer_patch(&holder(), review, offered).await?;
        match stands {
            Stands::Claimed => {}
            Stands::Escalated => drop(gate.judge(&holder(), review, verdict(Verdict::Escalate, None)).await?),
            Stands::Unreviewed => {
                gate.release(&holder(), review, None, Claimed::default()).await?;
                gate.inner.reviews.pass_time(after(lease::UNREVIEWED_MILLIS + MINUTE)).await;
            }
            Stands::Taken => drop(gate.execute(TakeReview { review_id: review }, Origin::Desktop).await?),
        }
        let request = question(gate, review).await?;
        assert_eq!(request.is_some(), stands != Stands::Claimed, "they are asked: {what}");
        Ok(Self { gate, what, number, review, patch, request })
    }

    fn words(&self) -> String {
        format!("Mine {}.", self.number)
    }

    async fn read(&self) -> Result<StoredReview, Fault> {
        self.gate.inner.store.review(self.review).await?.ok_or_else(|| Fault::internal("the review is gone"))
    }

    async fn person(&self, does: Person) -> Result<(), Fault> {
        let (gate, review_id) = (self.gate, self.review);
        let asked = || self.request.ok_or_else(|| Fault::internal("they aren't asked"));
        match does {
            Person::Approves | Person::Rejects | Person::Replies => {
                send(gate, asked()?, does.decides(), &self.words()).await
            }
            Person::Undoes => gate.execute(UndoReply { request_id: asked()? }, Origin::Desktop).await.map(drop),
            Person::Takes => gate.execute(TakeReview { review_id }, Origin::Desktop).await.map(drop),
            Person::GivesBack => gate.execute(GiveBackReview { review_id }, Origin::Desktop).await.map(drop),
            Person::PutsAside => gate.execute(Dismiss { request_id: asked()? }, Origin::Desktop).await.map(drop),
        }
    }

    async fn beside(&self, does: Beside) -> Result<(), Fault> {
        let (gate, review, number) = (self.gate, self.review, self.number);
        let (proposer, holder) = (relay("proposer"), relay(&format!("reviewer-{number}")));
        match does {
            Beside::Round => {
                let next = SubmittedProposal { review_id: Some(review), ..proposal(&format!("c{number}")) };
                gate.submit(&proposer, next).await.map(drop)
            }
            Beside::Patch => gate.accept_patch(&proposer, review, Some(self.patch), None).await.map(drop),
            Beside::Escalation => gate.judge(&holder, review, verdict(Verdict::Escalate, None)).await.map(drop),
            Beside::Lease => {
                gate.inner.reviews.pass_time(after(lease::LEASE_MILLIS + MINUTE)).await;
                Ok(())
            }
            Beside::Close => gate.close(&proposer, review, None, None).await.map(drop),
            Beside::Claim => gate.claim(&relay(&format!("other-{number}")), review).await.map(drop),
            Beside::Message => {
                let said = Said { at: SaidAt::Review, body: "Well?".to_owned(), resolve: None, message_id: None };
                gate.say(&proposer, review, said).await.map(drop)
            }
        }
    }

    /// Lets both act. Gives what came of it.
    async fn run(&self, person: Person, beside: Beside, order: Order) -> Result<[Result<(), Fault>; 2], Error> {
        if person == Person::Undoes {
            send(self.gate, self.request.ok_or("they are asked")?, Some(Decision::Approved), &self.words()).await?;
            if order != Order::First {
                becomes(self.gate, self.review, "it is held", |state| state.held.is_some()).await?;
            }
        }
        Ok(match order {
            Order::Heard => {
                let done = self.person(person).await;
                if person.decides().is_some() {
                    becomes(self.gate, self.review, "it is held", |state| state.held.is_some()).await?;
                }
                [done, self.beside(beside).await]
            }
            Order::First => [self.person(person).await, self.beside(beside).await],
            Order::AtOnce => {
                let (done, other) = tokio::join!(self.person(person), self.beside(beside));
                [done, other]
            }
            Order::Last => {
                let other = self.beside(beside).await;
                [self.person(person).await, other]
            }
        })
    }

    /// Lets go what could be taken back, and waits until nothing of all that goes on.
    async fn rests(&self, is_put_aside: bool) -> Result<StoredReview, Error> {
        let look = || async {
            if let Some(request_id) = self.request {
                // Where nothing is held back there is nothing to let go.
                let _ = self.gate.execute(SendNow { request_id }, Origin::Desktop).await;
            }
            let stored = self.read().await?;
            let asked = match (stored.state.asked, stored.request_id) {
                (Some(Asked::Decision | Asked::Unreviewed), Some(request)) => {
                    (self.gate.inner.store.status(request).await? == Some(RequestStatus::Pending)).then_some(1)
                }
                (Some(Asked::Decision | Asked::Unreviewed), None) => is_put_aside.then_some(0),
                (Some(Asked::Replied) | None, None) => Some(0),
                (Some(Asked::Replied) | None, Some(_)) => None,
            };
            let rests = stored.state.held.is_none() && asked == Some(self.gate.pending());
            Ok(rests.then_some(stored))
        };
        Ok(eventually(&format!("it comes to rest: {}", self.what), LIMIT, look).await?)
    }

    /// What holds then, whoever came first, and on the way to the end.
    async fn check(
        &self,
        person: Person,
        beside: Beside,
        done: &[Result<(), Fault>; 2],
        stored: &StoredReview,
    ) -> Outcome {
        let (state, what) = (&stored.state, format!("{}: {done:?} {:?}", self.what, stored.state));
        let [by_person, by_others] = done;
        let is_over = state.status == ReviewStatus::Closed;
        assert_eq!(state.turn() == Turn::Nobody, is_over, "it is somebody's turn: {what}");
        if state.approved_by == Some(ApprovedBy::Person) {
            assert!(person == Person::Approves && by_person.is_ok(), "they have approved it: {what}");
            assert_eq!(state.round, 1, "just what they were shown: {what}");
        }
        let replied = by_person.is_ok() && matches!(person, Person::Approves | Person::Rejects | Person::Replies);
        let decision = person.decides().filter(|_| replied);
        let decided = decision.map(|decision| match decision {
            Decision::Approved => state.approved_by == Some(ApprovedBy::Person),
            Decision::ChangesRequested => state.status == ReviewStatus::Rejected,
        });
        let changes_nothing = by_others.is_err() || matches!(beside, Beside::Message | Beside::Lease);
        assert!(decided != Some(false) || !changes_nothing, "nothing came before it: {what}");
        let (words, told) = (usize::from(replied && !is_over), decided == Some(false));
        let look = || async { Ok((self.said().await? == words && self.is_told() == told).then_some(())) };
        let heard = format!("what they wrote is said {words} times, and that it decides nothing {told}: {what}");
        eventually(&heard, LIMIT, look).await?;
        self.goes_on().await?;
        assert_eq!(self.said().await?, words, "and no more of it comes: {what}");
        Ok(())
    }

    /// How often what the person wrote stands in the review.
    async fn said(&self) -> Result<usize, Fault> {
        Ok(said(self.gate, self.review).await?.iter().filter(|said| said.body == self.words()).count())
    }

    /// Whether the person was told that what they decided decides nothing.
    fn is_told(&self) -> bool {
        let of_it = format!("Make it b{}.", self.number);
        self.gate.inner.bus.warnings().iter().any(|fault| fault.message.contains(&of_it))
    }

    /// Goes on with what whoever's turn it is can do, until it is over.
    async fn goes_on(&self) -> Outcome {
        let (gate, review) = (self.gate, self.review);
        for step in 0..STEPS {
            let stored = self.read().await?;
            match (stored.summary.turn, stored.state.status) {
                (Turn::Nobody, _) => {
                    let none = || async { Ok((gate.pending() == 0).then_some(())) };
                    eventually(&format!("nothing is asked of what is over: {}", self.what), LIMIT, none).await?;
                    let events = gate.inner.store.review_events(review, 0, 1000).await?;
                    let numbers: Vec<_> = events.iter().map(|event| event.n).collect();
                    assert_eq!(numbers, (1..=events.len() as u64).collect::<Vec<_>>(), "{}", self.what);
                    return Ok(());
                }
                (Turn::Person, _) => self.decides(step).await?,
                (Turn::Proposer, _) => drop(gate.close(&relay("proposer"), review, None, None).await?),
                (Turn::Reviewer, ReviewStatus::Created) => {
                    let fresh = || relay(&format!("fresh-{}-{step}", self.number));
                    gate.claim(&fresh(), review).await?;
                    gate.judge(&fresh(), review, verdict(Verdict::Approved, None)).await?;
                }
                (Turn::Reviewer, _) => {
                    gate.inner.reviews.pass_time(after(lease::ALIVE_MILLIS + MINUTE)).await;
                    assert_eq!(self.read().await?.state.claim, None, "a claim ends: {}", self.what);
                }
            }
        }
        Err(format!("there is no way to the end of {}: {:?}", self.what, self.read().await?.state).into())
    }

    /// The person decides it, by the question that they have or get.
    async fn decides(&self, step: usize) -> Outcome {
        let take = || async {
            match self.gate.execute(TakeReview { review_id: self.review }, Origin::Desktop).await {
                Ok(taken) => Ok(Some(taken.request_id)),
                // What they took back has just been heard of.
                Err(fault) if fault.code == Code::PersonDeciding => Ok(None),
                Err(fault) => Err(anyhow::anyhow!("{}: {fault}", self.what)),
            }
        };
        let request = eventually("they take it", LIMIT, take).await?;
        send(self.gate, request, Some(Decision::Approved), &format!("Step {step}.")).await?;
        self.gate.execute(SendNow { request_id: request }, Origin::Desktop).await?;
        becomes(self.gate, self.review, "it is approved", |state| {
            state.held.is_none() && state.approved_by == Some(ApprovedBy::Person)
        })
        .await
    }
}

/// All races over reviews that stand so, one after the other.
async fn races(stands: Stands, of_person: &[Person]) -> Outcome {
    let (_folder, gate) = gate(true).await?;
    let mut number = 0;
    for person in of_person {
        for beside in ALL_BESIDE {
            // What was said before is said once, and changes nothing.
            if (stands, beside) == (Stands::Escalated, Beside::Escalation) {
                continue;
            }
            for order in ORDERS {
                let what = format!("{stands:?}: {person:?}, {beside:?}, {order:?}");
                let race = Race::new(&gate, stands, number, what).await?;
                let done = race.run(*person, beside, order).await?;
                if order == Order::Heard && person.decides().is_some() {
                    let code = done[1].as_ref().err().map(|fault| fault.code);
                    let is_free = matches!(beside, Beside::Message | Beside::Lease);
                    assert_eq!(code, (!is_free).then_some(Code::PersonDeciding), "they are deciding: {}", race.what);
                }
                let is_put_aside = *person == Person::PutsAside && done[0].is_ok();
                let stored = race.rests(is_put_aside).await?;
                race.check(*person, beside, &done, &stored).await?;
                number += 1;
            }
        }
    }
    Ok(())
}

#[tokio::test]
async fn whoever_comes_first_where_a_reviewer_has_it() -> Outcome {
    races(Stands::Claimed, &[Person::Takes]).await
}

#[tokio::test]
async fn whoever_comes_first_where_it_was_escalated() -> Outcome {
    races(Stands::Escalated, &ALL_OF_PERSON).await
}

#[tokio::test]
async fn whoever_comes_first_where_nobody_reviewed_it() -> Outcome {
    races(Stands::Unreviewed, &ALL_OF_PERSON).await
}

#[tokio::test]
async fn whoever_comes_first_where_the_person_has_taken_it() -> Outcome {
    races(Stands::Taken, &ALL_OF_PERSON).await
}
