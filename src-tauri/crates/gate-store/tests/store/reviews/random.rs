//! Random acts of ten identities against the record, which is closed and opened in between, and the model that walks
//! along the tables (`tests/corpus/reviews.rs`).

use gate_core::proposal::act::Lost;
use gate_core::proposal::{
    Act, Acting, Actor, ApprovedBy, Brought, Claimed, MessagePlace, Need, NewReview, Party, PatchId, PatchStatus,
    ReviewId, ReviewStore, Verdict,
};
use gate_core::{Process, Timestamp};

use super::scene::*;
use super::tables::{Dice, Did, GUEST, IDENTITIES, Model, PROPOSER, Says, UNDO, Who, is_one, table_is_whole};
use crate::fixture::{NOW, Numbers, Outcome, campaign};

fn first_ended(process: &Process) -> bool {
    process.pid == 10
}

fn party(index: usize) -> Party {
    let identity = &IDENTITIES[index];
    let known = match identity.pid {
        Some(pid) => process(pid, identity.client, identity.above),
        None => client(identity.token),
    };
    Party { group: identity.group.map(str::to_owned), client: identity.client.to_owned(), ..known }
}

fn actor(model: &Model, who: Who) -> Actor {
    match who {
        Who::Person => PERSON,
        Who::Gate => Actor::Gate,
        Who::Agent(index) => Actor::Agent {
            party: Box::new(Party { unseen: index == GUEST, ..party(index) }),
            has_ended: if model.ended { first_ended } else { nobody_ended },
        },
    }
}

fn need((agents, person): (u32, bool)) -> Need {
    Need { agents, person }
}

/// The act and what comes with it.
fn act(model: &Model, did: &Did, open: Option<PatchId>, number: usize) -> (Act, Brought) {
    let claimed = Claimed { token: model.token_said(did.who, did.says), round: model.round_said(did.says) };
    let verdict = |verdict| (Act::Verdict(verdict, claimed), judged("", vec![said("so", at_line("a", 1).1)]));
    let of_open = || Brought::OfPatch(open, None);
    let bare = |act| (act, Brought::Nothing);
    match did.act {
        "claim" => bare(Act::Claim),
        "release" => bare(Act::Release(claimed)),
        "approve" => verdict(Verdict::Approved),
        "reject" => verdict(Verdict::Rejected),
        "comment" => verdict(Verdict::Comment),
        "escalate" => verdict(Verdict::Escalate),
        "patch" => (Act::OfferPatch(claimed), patch(&["a"], &number.to_string(), did.need.1).1),
        "message" => (Act::Message, Brought::Message(said("hm", MessagePlace::Review))),
        "round" => {
            let next = Act::Round { replaces: model.round_said(did.says), need: need(did.need), carries: None };
            (next, Brought::Round(Box::new(diff(&["a", "b"], &number.to_string()))))
        }
        "accept" | "adopt" => (Act::AcceptPatch { need: need(did.need), approves: false }, of_open()),
        "turn_down" => (Act::RejectPatch, of_open()),
        "close" => bare(Act::Close(None)),
        "supersede" => bare(Act::Supersede),
        "lose" => bare(Act::Lose(Lost::Gone, None)),
        "unfit" => bare(Act::Unfit),
        "unreviewed" => bare(Act::Unreviewed),
        "expire" => bare(Act::Expire),
        "raise" => bare(Act::Raise(need((2, false)))),
        "involve" => bare(Act::Raise(need((0, true)))),
        "take" => bare(Act::Take),
        "give_back" => bare(Act::GiveBack),
        "yes" | "no" => {
            let until = Timestamp(model.now).plus_millis(UNDO.unsigned_abs());
            bare(Act::Decide { approved: did.act == "yes", until })
        }
        "settle" => (Act::Settle, Brought::Replied(replied(IN_WINDOW))),
        "undo" => bare(Act::Undo),
        "reply" => (Act::Reply, Brought::Replied(replied(IN_WINDOW))),
        other => panic!("{other} is no act"),
    }
}

/// Whether it is a verdict, or an end, that the same party gave before.
fn is_repeated(model: &Model, did: &Did) -> bool {
    let is_current = model.round_said(did.says).is_none_or(|round| round == model.round);
    match (did.who, did.act) {
        (Who::Agent(agent), "approve" | "reject" | "escalate") => {
            let is_same = |(by, round, verdict): &(usize, u32, &str)| {
                is_one(agent, *by, model.ended) && *round == model.round && *verdict == did.act
            };
            is_current && model.holder != Some(agent) && model.verdicts.iter().any(is_same)
        }
        (who, "close") => model.state == "closed" && matches!(model.caller(who), "P" | "person"),
        _ => false,
    }
}

/// Holds what is kept against the model.
async fn agrees(scene: &Scene, review: ReviewId, model: &Model, did: &Did) -> Outcome {
    let read = scene.read(review).await?;
    let state = &read.state;
    let found = (
        (state.status.as_str(), state.turn().as_str(), state.round, state.token, state.sticky),
        (state.approvals as usize, state.approved_by.map(ApprovedBy::as_str), state.held.is_some()),
        state.claim.as_ref().map(|claim| claim.holder.clone()),
    );
    let expected = (
        (model.status(), model.turn(), model.round, model.token, model.sticky),
        (model.approvals.len(), model.approved_by, model.held.is_some()),
        model.holder.map(|holder| party(holder).key),
    );
    assert_eq!(found, expected, "after {did:?}: {model:?}");
    assert_eq!(read.summary.status, state.status, "the summary says the same");
    let patches = scene.store.patches(review).await?;
    let open = patches.iter().filter(|patch| patch.status == PatchStatus::Open && patch.round == model.round);
    assert_eq!(open.count(), model.patches.len(), "after {did:?}: open patches of the round");
    Ok(())
}

async fn walk(scene: &mut Scene, numbers: &mut Numbers, length: usize) -> Outcome {
    let needs = [(1, false), (2, false), (1, true), (2, true)][numbers.below(4)];
    let new = NewReview { need: need(needs), ..scene.proposal(&["a"]) };
    let review = scene.submit_new(&party(PROPOSER), new).await?;
    let mut model = Model::new(needs, NOW);
    let (ends_at, restarts_at) = (numbers.below(2 * length), numbers.below(length));
    let mut by_person = false;
    for number in 0..length {
        if number == restarts_at {
            scene.restart().await?;
        }
        model.ended |= number == ends_at;
        let mut byte = || u8::try_from(numbers.below(256)).unwrap_or(0);
        let dice: Dice = (byte(), byte(), byte(), byte(), byte());
        let mut did = model.dice(dice);
        if matches!(did.act, "accept" | "adopt" | "turn_down") {
            // Which patch it is stands in the call; that there is none is its own answer.
            did.says = Says::Nothing;
        }
        model.now += did.after;
        let patches = scene.store.patches(review).await?;
        let open = patches.iter().rev().find(|patch| patch.status == PatchStatus::Open && patch.round == model.round);
        let (act, with) = act(&model, &did, open.map(|patch| patch.patch_id), number);
        let before = scene.read(review).await?;
        let acting = Acting {
            review_id: review,
            actor: actor(&model, did.who),
            act,
            with,
            answers: None,
            call_key: None,
            at: Timestamp(model.now),
        };
        let done = scene.store.act(acting).await;
        if is_repeated(&model, &did) {
            assert!(!done?.happened, "it was done before: {did:?} at {model:?}");
        } else {
            match (model.does(&did), done) {
                (Ok(next), Ok(_)) => model = next,
                (Err(expected), Err(fault)) => {
                    assert_eq!(fault.code.as_str(), expected, "{did:?} at {model:?}");
                    let after = scene.read(review).await?;
                    assert_eq!(after.state, before.state, "nothing of it is there: {did:?}");
                }
                (expected, found) => panic!("{did:?} at {model:?}: the tables have {expected:?}, it is {found:?}"),
            }
        }
        model.check(&did);
        agrees(scene, review, &model, &did).await?;
        by_person |= did.act == "settle" && model.approved_by == Some("person");
    }
    scene.kinds(review).await?;
    let verdicts = scene.store.verdicts(review).await?;
    let of_person = verdicts.iter().any(|one| one.by == ApprovedBy::Person && one.decision == Verdict::Approved);
    assert_eq!(of_person, by_person, "the person's approval is there where they gave one");
    // Others may go on where this one is left.
    for who in [Who::Gate, Who::Person] {
        let acting = Acting {
            review_id: review,
            actor: actor(&model, who),
            act: if who == Who::Gate { Act::Settle } else { Act::Close(None) },
            with: Brought::Replied(replied(IN_WINDOW)),
            answers: None,
            call_key: None,
            at: Timestamp(model.now + UNDO),
        };
        let _ = scene.store.act(acting).await;
    }
    assert_eq!(scene.state(review).await?.status.as_str(), "closed", "from wherever it stood there was a way on");
    Ok(())
}

#[tokio::test]
async fn random_acts_are_kept_as_the_tables_say_over_restarts() -> Outcome {
    table_is_whole();
    let mut scene = Scene::new().await?;
    let mut numbers = Numbers(0x2545_f491_4f6c_dd1d);
    for _ in 0..campaign(2000, 25) {
        walk(&mut scene, &mut numbers, 50).await?;
    }
    assert_eq!(scene.count("claims WHERE ended_at IS NULL")?, 0, "no claim of what is over stands");
    Ok(())
}
