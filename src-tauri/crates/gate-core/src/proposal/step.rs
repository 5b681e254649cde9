//! The table of transitions: what an act leads to where a review stands, or why it is refused. Pure: whoever keeps the
//! review does it under a lock, and writes what comes of it.

use super::act::{Act, By, Claimed, Refusal, SeenClaim};
use super::bounds;
use super::event::EventKind;
use super::lease;
use super::need::Need;
use super::party::Standing;
use super::review::{Asked, Claim, Held, Reserved, Review};
use super::words::{ApprovedBy, Ending, ReviewRole, ReviewStatus, Turn, Verdict};
use crate::assurance::Assurance;
use crate::timestamp::Timestamp;

/// What an act leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The review from now on.
    pub review: Review,
    /// What is told of it; absent where nothing happened.
    pub event: Option<EventKind>,
    /// Whether the question to the person that there was is withdrawn.
    pub withdraws: bool,
    /// Whether the person is to be asked.
    pub asks: bool,
    /// Whether patches that were offered are superseded.
    pub supersedes: bool,
    /// Whether what it touches needs the person for a while in new reviews, too.
    pub follows: bool,
}

/// How a next round follows from the newest.
#[derive(Debug, Clone, Copy, Default)]
struct Following {
    /// Whether it is a patch, accepting which is its author's approval.
    approves: bool,
    /// The round that it is the same patch as.
    carries: Option<u32>,
}

type Stepped = Result<Step, Refusal>;

impl Review {
    /// What an act of this caller at this moment leads to.
    ///
    /// # Errors
    /// A [`Refusal`]: nothing has happened.
    pub fn step(&self, by: &By, act: &Act, now: Timestamp) -> Stepped {
        if let Some(held) = &self.held
            && !matches!(act, Act::Message | Act::Settle | Act::Undo | Act::Raise(_))
        {
            return Err(Refusal::PersonDeciding(held.until));
        }
        match act {
            Act::Claim => self.claimed(agent(by)?, now),
            Act::Release(claimed) => self.released(agent(by)?, *claimed),
            Act::Verdict(verdict, claimed) => self.judged(agent(by)?, *verdict, *claimed, now),
            Act::Message => self.said(by, now),
            Act::OfferPatch(claimed) => {
                let caller = agent(by)?;
                self.holds(caller, *claimed)?;
                self.is_current(*claimed)?;
                Ok(self.talks(ReviewRole::Reviewer, now).told(EventKind::Patch))
            }
            Act::Round { replaces, need, carries } => {
                self.owns(by, false)?;
                if self.is_open() && replaces.is_some_and(|round| round != self.round) {
                    return Err(Refusal::StaleRound(self.round));
                }
                self.next_round(*need, Following { carries: *carries, ..Following::default() }, now)
            }
            Act::AcceptPatch { need, approves } => {
                self.owns(by, true)?;
                self.is_sure(by)?;
                self.next_round(*need, Following { approves: *approves, ..Following::default() }, now)
            }
            Act::RejectPatch => {
                self.owns(by, true)?;
                self.is_sure(by)?;
                if !self.is_open() {
                    return Err(Refusal::WrongState(self.status));
                }
                Ok(Step::to(self.clone()).told(EventKind::PatchRejected))
            }
            Act::Close(ending) => {
                self.owns(by, true)?;
                self.is_sure(by)?;
                self.closed(*ending, by)
            }
            Act::Supersede => {
                self.owns(by, false)?;
                if matches!(self.status, ReviewStatus::Closed) {
                    return Err(Refusal::WrongState(self.status));
                }
                Ok(self.ended(Ending::Superseded))
            }
            Act::Lose(_, seen) => self.lost(by, *seen),
            Act::Unfit => self.unfit(by),
            Act::Unreviewed => self.unreviewed(by),
            Act::Expire => self.expired(by),
            Act::Raise(need) => self.raised(by, *need),
            Act::Take | Act::GiveBack | Act::Decide { .. } | Act::Settle | Act::Undo | Act::Reply => {
                self.by_person(by, act, now)
            }
        }
    }

    fn claimed(&self, (party, caller): (&str, Standing), now: Timestamp) -> Stepped {
        match self.status {
            ReviewStatus::Created => {
                if caller.proposer {
                    return Err(Refusal::OwnProposal);
                }
                if caller.comments_only {
                    return Err(Refusal::CommentsOnly);
                }
                if caller.approved {
                    return Err(Refusal::AlreadyApproved);
                }
                if caller.lost >= bounds::LOST_CLAIMS {
                    return Err(Refusal::LostTooOften);
                }
                if let Some(reserved) = self.reserved.as_ref().filter(|kept| now < kept.until && !caller.reserved) {
                    return Err(Refusal::Reserved(reserved.until));
                }
                if caller.claims >= bounds::CLAIMS {
                    return Err(Refusal::TooManyClaims);
                }
                let claim = Claim { holder: party.to_owned(), given_round: self.round, acted_at: now };
                let withdraws = self.asked == Some(Asked::Unreviewed);
                let review = Review {
                    status: ReviewStatus::Claimed,
                    claim: Some(claim),
                    token: self.token.saturating_add(1),
                    reserved: None,
                    asked: self.asked.filter(|asked| *asked != Asked::Unreviewed),
                    ..self.clone()
                };
                Ok(Step { withdraws, ..Step::to(review).told(EventKind::Claimed) })
            }
            // First: whoever has the claim may have become one with the proposer, whose process has ended.
            ReviewStatus::Claimed | ReviewStatus::InDiscussion if caller.proposer => Err(Refusal::OwnProposal),
            ReviewStatus::Claimed | ReviewStatus::InDiscussion if caller.holder => {
                let claim = Claim { holder: party.to_owned(), given_round: self.round, acted_at: now };
                Ok(Step::to(Review { claim: Some(claim), ..self.clone() }))
            }
            ReviewStatus::Claimed | ReviewStatus::InDiscussion => Err(Refusal::AlreadyClaimed),
            status => Err(Refusal::WrongState(status)),
        }
    }

    /// Whether a caller holds the claim, and knows which one.
    fn holds(&self, (_, caller): (&str, Standing), claimed: Claimed) -> Result<(), Refusal> {
        if !matches!(self.status, ReviewStatus::Claimed | ReviewStatus::InDiscussion) {
            // Whoever had it hears first that they don't any more.
            return Err(match caller.has_lost || claimed.token.is_some_and(|token| token < self.token) {
                true => Refusal::ClaimLost,
                false => Refusal::WrongState(self.status),
            });
        }
        if caller.proposer {
            return Err(Refusal::OwnProposal);
        }
        let outdated = claimed.token.is_some_and(|token| token != self.token);
        if !caller.holder {
            return Err(if outdated || caller.has_lost { Refusal::ClaimLost } else { Refusal::NotHolder });
        }
        if outdated {
            return Err(Refusal::ClaimLost);
        }
        if caller.comments_only {
            return Err(Refusal::CommentsOnly);
        }
        Ok(())
    }

    /// Whether what it says is about the newest round, which it was given.
    fn is_current(&self, claimed: Claimed) -> Result<(), Refusal> {
        let given = self.claim.as_ref().map(|claim| claim.given_round);
        match claimed.round.is_none_or(|round| round == self.round) && given == Some(self.round) {
            true => Ok(()),
            false => Err(Refusal::StaleRound(self.round)),
        }
    }

    fn released(&self, caller: (&str, Standing), claimed: Claimed) -> Stepped {
        self.holds(caller, claimed)?;
        Ok(self.without_claim().told(EventKind::Released))
    }

    fn judged(&self, caller: (&str, Standing), verdict: Verdict, claimed: Claimed, now: Timestamp) -> Stepped {
        self.holds(caller, claimed)?;
        self.is_current(claimed)?;
        let ended = Self { claim: None, spoke: Some(ReviewRole::Reviewer), ..self.clone() };
        match verdict {
            Verdict::Comment => Ok(self.talks(ReviewRole::Reviewer, now).told(EventKind::Verdict)),
            Verdict::Approved => {
                let approved = Self { approvals: self.approvals.saturating_add(1), ..ended };
                Ok(approved.weighed().told(EventKind::Verdict))
            }
            Verdict::Escalate => {
                let review =
                    Self { status: ReviewStatus::AwaitingPerson, asked: Some(Asked::Decision), sticky: true, ..ended };
                Ok(Step { asks: true, follows: true, ..Step::to(review).told(EventKind::Verdict) })
            }
            Verdict::Rejected => {
                let review = Self { status: ReviewStatus::Rejected, rejected_by: Some(caller.0.to_owned()), ..ended };
                Ok(Step::to(review).told(EventKind::Verdict))
            }
        }
    }

    /// Where it stands by its approvals: what is missing is asked for.
    fn weighed(self) -> Step {
        let needs = self.needs();
        if self.approvals < needs.agents {
            return Step::to(Self { status: ReviewStatus::Created, approved_by: None, ..self });
        }
        if needs.person {
            let asks = self.asked != Some(Asked::Decision);
            let withdraws = asks && self.asked.is_some();
            let review =
                Self { status: ReviewStatus::AwaitingPerson, asked: Some(Asked::Decision), approved_by: None, ..self };
            return Step { asks, withdraws, ..Step::to(review) };
        }
        let withdraws = self.asked.is_some();
        let review = Self { status: ReviewStatus::Approved, approved_by: Some(ApprovedBy::Agent), asked: None, ..self };
        Step { withdraws, ..Step::to(review) }
    }

    fn said(&self, by: &By, now: Timestamp) -> Stepped {
        if *by == By::Gate {
            return Err(Refusal::NotYours);
        }
        if !self.is_open() {
            return Err(Refusal::WrongState(self.status));
        }
        let role = match by {
            By::Person(_) => ReviewRole::Person,
            By::Agent(_, caller) if caller.proposer => ReviewRole::Proposer,
            By::Agent(_, caller) if caller.holder => ReviewRole::Reviewer,
            // Others' messages change nothing.
            By::Agent(..) | By::Gate => return Ok(Step::to(self.clone()).told(EventKind::Message)),
        };
        let talks = matches!(self.status, ReviewStatus::Claimed | ReviewStatus::InDiscussion);
        let step = match (self.status, self.asked) {
            _ if talks => self.talks(role, now),
            (ReviewStatus::AwaitingPerson, Some(Asked::Replied)) if role == ReviewRole::Proposer => {
                let asks_again = Self { asked: Some(Asked::Decision), ..self.clone() };
                Step { asks: true, ..Step::to(asks_again) }
            }
            _ => Step::to(self.clone()),
        };
        Ok(step.told(EventKind::Message))
    }

    /// Somebody of those who discuss it has said something.
    fn talks(&self, role: ReviewRole, now: Timestamp) -> Step {
        let claim = self.claim.clone().map(|claim| match role {
            ReviewRole::Reviewer => Claim { acted_at: now, ..claim },
            ReviewRole::Proposer | ReviewRole::Person => claim,
        });
        Step::to(Self { status: ReviewStatus::InDiscussion, spoke: Some(role), claim, ..self.clone() })
    }

    /// Whether it is the caller's own proposal; or they are the person, where `person` says that these may, too.
    fn owns(&self, by: &By, person: bool) -> Result<(), Refusal> {
        match by {
            By::Agent(_, caller) if caller.proposer && caller.comments_only => Err(Refusal::CommentsOnly),
            By::Agent(_, caller) if caller.proposer => Ok(()),
            By::Person(_) if person => Ok(()),
            By::Agent(..) => Err(Refusal::NotProposer),
            By::Person(_) | By::Gate => Err(Refusal::NotYours),
        }
    }

    /// What the person took, nobody less sure to be them ends or gives back: whoever can start a terminal might.
    fn is_sure(&self, by: &By) -> Result<(), Refusal> {
        match (by, self.taken) {
            (By::Person(sure), Some(taken)) if *sure < taken => Err(Refusal::TakenSurer(taken)),
            _ => Ok(()),
        }
    }

    /// Whether agents' approvals of the newest round would hold for a next one that is the same patch on another base. What
    /// was rejected is looked at again.
    #[must_use]
    pub fn may_carry(&self) -> bool {
        self.approvals > 0 && self.is_open() && self.status != ReviewStatus::Rejected
    }

    fn next_round(&self, need: Need, following: Following, now: Timestamp) -> Stepped {
        if !self.is_open() {
            return Err(Refusal::WrongState(self.status));
        }
        if self.round >= bounds::ROUNDS {
            return Err(Refusal::TooManyRounds);
        }
        let was_asked = matches!(self.asked, Some(Asked::Decision | Asked::Replied));
        let reserved =
            self.rejected_by.clone().map(|party| Reserved { party, until: now.plus_millis(lease::RESERVED_MILLIS) });
        let next = Self {
            round: self.round.saturating_add(1),
            need,
            sticky: self.sticky || was_asked,
            approvals: if following.carries == Some(self.round) && self.may_carry() { self.approvals } else { 0 },
            approved_by: None,
            asked: None,
            reserved,
            rejected_by: None,
            spoke: None,
            ..self.clone()
        };
        let step = if following.approves {
            Self { approvals: 1, claim: None, ..next }.weighed()
        } else if next.claim.is_some() {
            Step::to(Self { status: ReviewStatus::Claimed, ..next })
        } else {
            next.weighed()
        };
        let withdraws = self.asked.is_some();
        Ok(Step { withdraws, supersedes: true, ..step.told(EventKind::Round) })
    }

    fn closed(&self, ending: Option<Ending>, by: &By) -> Stepped {
        let ending = match (self.status, ending) {
            (ReviewStatus::Closed, _) => return Err(Refusal::WrongState(self.status)),
            (ReviewStatus::Approved, None | Some(Ending::Applied)) => Ending::Applied,
            (ReviewStatus::Approved | ReviewStatus::Rejected, Some(Ending::Abandoned)) => Ending::Abandoned,
            (ReviewStatus::Approved, Some(_))
            | (ReviewStatus::Rejected, Some(Ending::Applied | Ending::NotApplied)) => Ending::NotApplied,
            (ReviewStatus::Rejected, _) => Ending::Abandoned,
            _ => Ending::Withdrawn,
        };
        let step = self.ended(ending);
        // They had only been asked. What needed them needs them on, whoever ends it.
        let is_person = matches!(by, By::Person(_));
        Ok(if is_person { Step { follows: step.follows && self.sticky, ..step } } else { step })
    }

    fn ended(&self, ending: Ending) -> Step {
        let was_asked = matches!(self.asked, Some(Asked::Decision | Asked::Replied));
        let decided = matches!(self.status, ReviewStatus::Approved);
        let review = Self {
            status: ReviewStatus::Closed,
            ending: Some(ending),
            claim: None,
            asked: None,
            reserved: None,
            token: self.token.saturating_add(u64::from(self.claim.is_some())),
            ..self.clone()
        };
        Step {
            withdraws: self.asked.is_some(),
            supersedes: true,
            follows: (was_asked || self.sticky) && !decided,
            ..Step::to(review).told(EventKind::Closed)
        }
    }

    /// Nobody has it any more; it goes back to its place in the queue, or to the person where no agent is needed.
    fn without_claim(&self) -> Step {
        Self { claim: None, token: self.token.saturating_add(1), ..self.clone() }.weighed()
    }

    fn lost(&self, by: &By, seen: Option<SeenClaim>) -> Stepped {
        only(by, &By::Gate)?;
        let acted_at = self.claim.as_ref().map(|claim| claim.acted_at);
        let is_another = |seen: SeenClaim| {
            seen.token != self.token || seen.acted_at.is_some_and(|seen| acted_at.is_some_and(|acted| acted != seen))
        };
        match self.status {
            ReviewStatus::Claimed | ReviewStatus::InDiscussion if seen.is_some_and(is_another) => {
                Err(Refusal::ClaimLost)
            }
            ReviewStatus::Claimed | ReviewStatus::InDiscussion => Ok(self.without_claim().told(EventKind::ClaimLost)),
            status => Err(Refusal::WrongState(status)),
        }
    }

    fn unfit(&self, by: &By) -> Stepped {
        only(by, &By::Gate)?;
        match self.status {
            ReviewStatus::Created | ReviewStatus::Claimed | ReviewStatus::InDiscussion => {
                let token = self.token.saturating_add(u64::from(self.claim.is_some()));
                let review = Self { status: ReviewStatus::Rejected, claim: None, asked: None, token, ..self.clone() };
                Ok(Step { withdraws: self.asked.is_some(), ..Step::to(review).told(EventKind::Unfit) })
            }
            status => Err(Refusal::WrongState(status)),
        }
    }

    fn unreviewed(&self, by: &By) -> Stepped {
        only(by, &By::Gate)?;
        if self.status != ReviewStatus::Created || self.asked.is_some() || self.is_told_unreviewed() {
            return Err(Refusal::WrongState(self.status));
        }
        let review = Self { asked: Some(Asked::Unreviewed), unreviewed: Some(self.round), ..self.clone() };
        Ok(Step { asks: true, ..Step::to(review).told(EventKind::PersonAsked) })
    }

    fn expired(&self, by: &By) -> Stepped {
        only(by, &By::Gate)?;
        if !self.is_open() || self.turn() == Turn::Person {
            return Err(Refusal::WrongState(self.status));
        }
        Ok(self.ended(Ending::Expired))
    }

    fn raised(&self, by: &By, need: Need) -> Stepped {
        only(by, &By::Gate)?;
        let need = self.need.and(need);
        if need == self.need || !self.is_open() {
            return Ok(Step::to(self.clone()));
        }
        let review = Self { need, ..self.clone() };
        let by_agents = self.status == ReviewStatus::Approved && self.approved_by == Some(ApprovedBy::Agent);
        let alone = self.status == ReviewStatus::Created && need.agents <= self.approvals;
        let step = if by_agents || alone { review.weighed() } else { Step::to(review) };
        Ok(step.told(EventKind::NeedRaised))
    }

    fn by_person(&self, by: &By, act: &Act, now: Timestamp) -> Stepped {
        let sure = match (act, by) {
            (Act::Settle, By::Gate) => Assurance::L0,
            (Act::Settle, _) | (_, By::Agent(..) | By::Gate) => return Err(Refusal::NotYours),
            (_, By::Person(sure)) => *sure,
        };
        let token = self.token.saturating_add(1);
        let theirs = |asked| Self {
            status: ReviewStatus::AwaitingPerson,
            claim: None,
            token,
            asked: Some(asked),
            approved_by: None,
            // From now on it is their word that counts.
            rejected_by: None,
            ..self.clone()
        };
        match (act, self.status, &self.held) {
            (_, ReviewStatus::Closed, _) => Err(Refusal::WrongState(self.status)),
            (Act::Take, _, None) => {
                let asks = self.asked != Some(Asked::Decision);
                let withdraws = asks && self.asked.is_some();
                let review = Self { taken: self.taken.max(Some(sure)), ..theirs(Asked::Decision) };
                Ok(Step { asks, withdraws, ..Step::to(review).told(EventKind::PersonTook) })
            }
            (Act::GiveBack, ReviewStatus::AwaitingPerson, None) => {
                self.is_sure(by)?;
                let step = Self { asked: None, taken: None, token, ..self.clone() }.weighed();
                // Nobody else could do anything about it.
                if step.review.status == ReviewStatus::AwaitingPerson {
                    return Err(Refusal::WrongState(self.status));
                }
                Ok(Step { withdraws: true, ..step.told(EventKind::PersonGaveBack) })
            }
            (Act::Decide { approved, until }, _, None) => {
                let held = Some(Held { approved: *approved, until: *until });
                let review = Self { held, ..theirs(Asked::Decision) };
                Ok(Step::to(review).told(EventKind::PersonDecides))
            }
            (Act::Undo, _, Some(_)) => {
                let review = Self { held: None, asked: Some(Asked::Decision), ..self.clone() };
                Ok(Step { asks: true, ..Step::to(review).told(EventKind::PersonUndid) })
            }
            (Act::Settle, _, Some(held)) if now < held.until => Err(Refusal::PersonDeciding(held.until)),
            (Act::Settle, _, Some(held)) => {
                let review = Self { held: None, asked: None, claim: None, taken: None, ..self.clone() };
                let review = match held.approved {
                    true => Self {
                        status: ReviewStatus::Approved,
                        approved_by: Some(ApprovedBy::Person),
                        sticky: false,
                        ..review
                    },
                    false => Self { status: ReviewStatus::Rejected, sticky: true, ..review },
                };
                let follows = !held.approved;
                Ok(Step { supersedes: true, follows, ..Step::to(review).told(EventKind::PersonDecided) })
            }
            (Act::Reply, ReviewStatus::AwaitingPerson, None) => {
                let review = Self { asked: Some(Asked::Replied), spoke: Some(ReviewRole::Person), ..self.clone() };
                Ok(Step::to(review).told(EventKind::PersonReplied))
            }
            // What is said beside the queue stays beside it.
            (Act::Reply, _, None) => {
                let review = Self { asked: None, ..self.clone() };
                Ok(Step::to(review).told(EventKind::PersonReplied))
            }
            (_, status, _) => Err(Refusal::WrongState(status)),
        }
    }
}

impl Step {
    fn to(review: Review) -> Self {
        Self { review, event: None, withdraws: false, asks: false, supersedes: false, follows: false }
    }

    fn told(self, event: EventKind) -> Self {
        Self { event: Some(event), ..self }
    }
}

fn agent(by: &By) -> Result<(&str, Standing), Refusal> {
    match by {
        By::Agent(party, standing) => Ok((party, *standing)),
        By::Person(_) | By::Gate => Err(Refusal::NotYours),
    }
}

fn only(by: &By, expected: &By) -> Result<(), Refusal> {
    if by == expected { Ok(()) } else { Err(Refusal::NotYours) }
}
