//! The table of transitions against the broker's design, which `tests/corpus/reviews.rs` has as data: each act by each
//! caller in each state, the guards beside it, and random acts of ten identities.

mod guards;
mod random;
#[path = "../../../../../tests/corpus/reviews.rs"]
mod tables;

use std::collections::BTreeSet;

use super::act::Lost;
use super::review::Reserved;
use super::{
    Act, ApprovedBy, Asked, By, Claim, Claimed, Held, Need, Party, Review, ReviewRole, ReviewStatus, Standing,
};
use super::{Turn, Verdict};
use crate::assurance::Assurance;
use crate::owner::{Owner, OwnerId, Process};
use crate::timestamp::Timestamp;
use tables::{ACTS, CALLERS, Did, GUEST, IDENTITIES, Model, PROPOSER, STATES, Says, UNDO, Who, cell};

/// 2026-11-21, in milliseconds since the Unix epoch.
const NOW: i64 = 1_795_232_961_125;
const REVIEWER: usize = 4;

fn need((agents, person): (u32, bool)) -> Need {
    Need { agents, person }
}

fn party(index: usize) -> Party {
    let identity = &IDENTITIES[index];
    let process = |pid: u32| Process { pid, began: format!("boot {pid}") };
    let owner = match identity.pid {
        Some(pid) => Owner::of_process(process(pid), identity.client, "/w"),
        None => OwnerId::Token(identity.token.to_owned()).into(),
    };
    Party {
        group: identity.group.map(str::to_owned),
        above: identity.above.iter().map(|pid| process(*pid).into()).collect(),
        ..Party::of(&owner, identity.client, "/w")
    }
}

/// The act with what comes with it.
fn act(model: &Model, did: &Did) -> Act {
    let claimed = Claimed { token: model.token_said(did.who, did.says), round: model.round_said(did.says) };
    let verdict = |verdict| Act::Verdict(verdict, claimed);
    match did.act {
        "claim" => Act::Claim,
        "release" => Act::Release(claimed),
        "approve" => verdict(Verdict::Approved),
        "reject" => verdict(Verdict::Rejected),
        "comment" => verdict(Verdict::Comment),
        "escalate" => verdict(Verdict::Escalate),
        "patch" => Act::OfferPatch(claimed),
        "message" => Act::Message,
        "round" => Act::Round { replaces: model.round_said(did.says), need: need(did.need), carries: None },
        "accept" => Act::AcceptPatch { need: need(did.need), approves: false },
        "adopt" => Act::AcceptPatch { need: need(did.need), approves: true },
        "turn_down" => Act::RejectPatch,
        "close" => Act::Close(None),
        "supersede" => Act::Supersede,
        "lose" => Act::Lose(Lost::Lease, None),
        "unfit" => Act::Unfit,
        "unreviewed" => Act::Unreviewed,
        "expire" => Act::Expire,
        "raise" => Act::Raise(need((2, false))),
        "involve" => Act::Raise(need((0, true))),
        "take" => Act::Take,
        "give_back" => Act::GiveBack,
        "yes" | "no" => {
            Act::Decide { approved: did.act == "yes", until: Timestamp(model.now).plus_millis(UNDO.unsigned_abs()) }
        }
        "settle" => Act::Settle,
        "undo" => Act::Undo,
        "reply" => Act::Reply,
        other => panic!("{other} is no act"),
    }
}

/// Whoever acts, with how they stand to the review: whose acts count as one is the domain's word, not the model's.
fn by(model: &Model, who: Who) -> By {
    let index = match who {
        Who::Person => return By::Person(Assurance::L1),
        Who::Gate => return By::Gate,
        Who::Agent(index) => index,
    };
    let own = party(index);
    let ended = |process: &Process| model.ended && process.pid == 10;
    let one = |other: usize| own.is_one_with(&party(other), ended);
    let lost = |round: Option<u32>| {
        let lost = model.lost.iter().filter(|(by, of)| one(*by) && round.is_none_or(|round| round == *of));
        u32::try_from(lost.count()).expect("few claims")
    };
    let standing = Standing {
        proposer: one(PROPOSER),
        holder: model.holder == Some(index),
        lost: lost(Some(model.round)),
        has_lost: lost(None) > 0,
        approved: model.approvals.iter().any(|by| one(*by)),
        reserved: model.reserved.is_some_and(|(of, _)| one(of)),
        claims: 0,
        comments_only: index == GUEST,
    };
    By::Agent(own.key, standing)
}

/// One that stands so, with a claim of `holder` or after one.
fn standing(state: &'static str, holder: usize, now: i64) -> Model {
    let claimed = Model {
        state: "claimed",
        holder: Some(holder),
        given_round: 1,
        token: 1,
        tokens: vec![(holder, 1)],
        ..Model::new((1, false), now)
    };
    let over = Model { holder: None, ..claimed.clone() };
    let asked = Model { state, sticky: true, asked: Some("decision"), ..over.clone() };
    match state {
        "created" => Model::new((1, false), now),
        "claimed" => claimed,
        "in_discussion" => Model { state, spoke: Some("reviewer"), ..claimed },
        "awaiting_person" => asked,
        "replied" => Model { asked: Some("replied"), spoke: Some("person"), ..asked },
        "deciding" => Model { held: Some((true, now)), ..asked },
        "approved" => Model { state, approvals: vec![holder], approved_by: Some("agent"), ..over },
        "rejected" => Model { state, rejected_by: Some(holder), ..over },
        other => Model { state: other, ..over },
    }
}

/// The review that a model describes.
fn review(model: &Model) -> Review {
    let key = |index: usize| party(index).key;
    Review {
        status: ReviewStatus::parse(model.status()).expect("a status"),
        round: model.round,
        sticky: model.sticky,
        approvals: u32::try_from(model.approvals.len()).expect("few approvals"),
        approved_by: model.approved_by.and_then(ApprovedBy::parse),
        claim: model.holder.map(|holder| Claim {
            holder: key(holder),
            given_round: model.given_round,
            acted_at: Timestamp(model.now),
        }),
        token: model.token,
        spoke: model.spoke.and_then(ReviewRole::parse),
        asked: model.asked.map(|asked| match asked {
            "decision" => Asked::Decision,
            "replied" => Asked::Replied,
            _ => Asked::Unreviewed,
        }),
        held: model.held.map(|(approved, until)| Held { approved, until: Timestamp(until) }),
        reserved: model.reserved.map(|(of, until)| Reserved { party: key(of), until: Timestamp(until) }),
        rejected_by: model.rejected_by.map(key),
        unreviewed: model.unreviewed,
        ..Review::new(need(model.need))
    }
}

/// What the two have in common, with the times and the end aside, which the model doesn't keep; nor does it keep how sure it
/// is who took it, which is one for all of its acts.
fn comparable(review: &Review) -> Review {
    let claim = review.claim.clone().map(|claim| Claim { acted_at: Timestamp(0), ..claim });
    let spoke = review.spoke.filter(|_| review.status == ReviewStatus::InDiscussion);
    Review { claim, ending: None, spoke, taken: None, ..review.clone() }
}

fn did(act: &'static str, who: Who) -> Did {
    Did { who, act, says: Says::Nothing, need: (1, false), after: 0 }
}

fn caller(name: &str) -> Who {
    match name {
        "P" => Who::Agent(PROPOSER),
        "H" => Who::Agent(REVIEWER),
        "R" => Who::Agent(8),
        "M" => Who::Agent(GUEST),
        "person" => Who::Person,
        _ => Who::Gate,
    }
}

#[test]
fn every_act_by_every_caller_in_every_state_does_what_the_table_says() {
    tables::table_is_whole();
    let mut cells = 0;
    for state in STATES {
        for name in CALLERS {
            for act_name in ACTS {
                let mut model = standing(state, REVIEWER, NOW);
                if act_name == "adopt" {
                    model.patches.push((REVIEWER, true));
                }
                let who = caller(name);
                let did = did(act_name, who);
                let what = format!("{act_name} by {name} where it is {state}");
                let stepped = review(&model).step(&by(&model, who), &act(&model, &did), Timestamp(NOW));
                match (model.does(&did), stepped) {
                    (Ok(expected), Ok(step)) => {
                        assert_eq!(comparable(&step.review), comparable(&review(&expected)), "{what}");
                        let told =
                            !(name == "H" && act_name == "claim" && step.review.round == 1 && state != "created");
                        let raised = matches!(act_name, "raise" | "involve") && state == "closed";
                        assert_eq!(step.event.is_some(), told && !raised, "what happens is told: {what}");
                    }
                    (Err(code), Err(refusal)) => assert_eq!(refusal.fault().code.as_str(), code, "{what}"),
                    (expected, found) => panic!("{what}: the table has {expected:?}, and it is {found:?}"),
                }
                cells += 1;
            }
        }
    }
    assert_eq!(cells, STATES.len() * CALLERS.len() * ACTS.len(), "each combination");
}

#[test]
fn a_refusal_says_what_may_be_done_and_only_a_closed_review_has_nothing_more() {
    let mut ways = BTreeSet::new();
    for state in STATES {
        for name in CALLERS {
            let can = |act: &&str| {
                let cell = cell(act, name, state);
                !matches!(cell, "-" | "own" | "held" | "role" | "free" | "prop" | "busy" | "=")
            };
            if ACTS.iter().any(can) {
                ways.insert(state);
            }
        }
    }
    let open: BTreeSet<_> = STATES.into_iter().filter(|state| *state != "closed").collect();
    assert_eq!(ways, open, "from each state but the last one there is a way on");
    for status in ReviewStatus::ALL {
        let fault = super::Refusal::WrongState(*status).fault();
        assert!(fault.message.contains(status.as_str()), "it says where the review stands: {fault:?}");
    }
}

#[test]
fn whose_turn_it_is_follows_the_state() {
    for (state, turn) in [
        ("created", Turn::Reviewer),
        ("claimed", Turn::Reviewer),
        ("in_discussion", Turn::Proposer),
        ("awaiting_person", Turn::Person),
        ("replied", Turn::Proposer),
        ("deciding", Turn::Person),
        ("approved", Turn::Proposer),
        ("rejected", Turn::Proposer),
        ("closed", Turn::Nobody),
    ] {
        let model = standing(state, REVIEWER, NOW);
        assert_eq!(review(&model).turn(), turn, "{state}");
        assert_eq!(model.turn(), turn.as_str(), "the model agrees: {state}");
    }
}
