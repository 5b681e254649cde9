//! Random acts of ten identities, the person and the gate, against the model that walks along the tables.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use super::tables::Dice;
use super::*;

/// Cases, and acts of each.
const CASES: u32 = 2000;
const LENGTH: usize = 90;

/// What doesn't depend on the model.
fn invariants(before: &Review, after: &Review, did: &Did, model: &Model) {
    let what = || format!("{did:?}\nbefore: {before:?}\nafter: {after:?}");
    let proposer = party(PROPOSER);
    if let (None, Some(claim)) = (&before.claim, &after.claim) {
        let Who::Agent(by) = did.who else { panic!("an agent claims: {}", what()) };
        let ended = |process: &Process| model.ended && process.pid == 10;
        assert!(!party(by).is_one_with(&proposer, ended), "nobody claims their own: {}", what());
        assert_eq!(claim.holder, party(by).key, "whoever claims has it: {}", what());
    }
    let by_person = |review: &Review| review.approved_by == Some(ApprovedBy::Person);
    if by_person(after) && !by_person(before) {
        let was = before.held.map(|held| (held.approved, model.now >= held.until.0));
        assert_eq!((did.act, was), ("settle", Some((true, true))), "the person's approval is theirs: {}", what());
    }
    if before.sticky && !after.sticky {
        assert!(by_person(after), "who was needed is needed until they approved: {}", what());
    }
    if after.status == ReviewStatus::Approved && before.status != ReviewStatus::Approved && !by_person(after) {
        let needs = after.needs();
        assert!(!needs.person && after.approvals >= needs.agents.max(1), "nothing is missing: {}", what());
    }
    assert!(after.token >= before.token, "the token only grows: {}", what());
    if before.claim.is_some()
        && after.claim.is_none()
        && !matches!(did.act, "approve" | "reject" | "escalate" | "adopt")
    {
        assert!(after.token > before.token, "whoever lost it is fenced off: {}", what());
    }
    if before.held.is_some() {
        let can = matches!(did.act, "message" | "settle" | "undo");
        // What the rules ask for by then is what it will need.
        let but_need = &Review { need: after.need, ..before.clone() };
        assert!(can || but_need == after, "nothing else happens while the person may take it back: {}", what());
    }
    assert!(before.is_open() || before == after, "what is over stays as it is: {}", what());
    assert_eq!(after.turn() == Turn::Nobody, !after.is_open(), "somebody has to do the next thing: {}", what());
    goes_on(after);
}

/// Whoever's turn it is can do something that leads on.
fn goes_on(review: &Review) {
    let now = Timestamp(i64::MAX / 2);
    let proposer = By::Agent("the proposer".to_owned(), Standing { proposer: true, ..Standing::default() });
    let holder = By::Agent("the holder".to_owned(), Standing { holder: true, ..Standing::default() });
    let fresh = By::Agent("somebody new".to_owned(), Standing::default());
    let until = Timestamp(i64::MAX);
    let (by, act) = match (review.turn(), &review.held) {
        (Turn::Nobody, _) => return,
        (_, Some(_)) => (By::Gate, Act::Settle),
        (Turn::Person, _) => (By::Person(Assurance::L1), Act::Decide { approved: true, until }),
        (Turn::Proposer, _) => (proposer, Act::Close(None)),
        (Turn::Reviewer, _) if review.claim.is_some() => (holder, Act::Release(Claimed::default())),
        (Turn::Reviewer, _) => (fresh, Act::Claim),
    };
    let step = review.step(&by, &act, now);
    assert!(step.is_ok(), "there is a way on: {step:?} from {review:?}");
}

fn walk(needs: (u32, bool), acts: &[Dice], ends_at: usize) {
    let mut model = Model::new(needs, NOW);
    let mut found = review(&model);
    for (at, dice) in acts.iter().enumerate() {
        model.ended |= at == ends_at;
        let did = model.dice(*dice);
        model.now += did.after;
        let before = found.clone();
        let stepped = found.step(&by(&model, did.who), &act(&model, &did), Timestamp(model.now));
        match (model.does(&did), stepped) {
            (Ok(expected), Ok(step)) => {
                let closes = step.review.status == ReviewStatus::Closed;
                assert_eq!(step.review.ending.is_some(), closes, "an end has its word: {:?}", step.review);
                assert_eq!(comparable(&step.review), comparable(&review(&expected)), "{did:?} at {model:?}");
                (model, found) = (expected, step.review);
            }
            (Err(code), Err(refusal)) => assert_eq!(refusal.fault().code.as_str(), code, "{did:?} at {model:?}"),
            (expected, found) => panic!("{did:?} at {model:?}: the tables have {expected:?}, and it is {found:?}"),
        }
        model.check(&did);
        invariants(&before, &found, &did, &model);
    }
}

#[test]
fn random_acts_do_what_the_tables_say_and_never_more() {
    let config = Config { cases: CASES, failure_persistence: None, ..Config::default() };
    let dice = vec(any::<Dice>(), 1..LENGTH);
    let needs = prop_oneof![Just((1, false)), Just((2, false)), Just((1, true)), Just((2, true))];
    let tested = TestRunner::new(config).run(&(needs, dice, 0..2 * LENGTH), |(needs, acts, ends_at)| {
        walk(needs, &acts, ends_at);
        Ok(())
    });
    if let Err(error) = tested {
        panic!("{error}");
    }
}

#[test]
fn random_acts_reach_every_state_and_use_every_cell_that_does_something() {
    let mut numbers = 0_u64;
    // The same numbers at every run (splitmix64).
    let mut byte = || {
        numbers = numbers.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (numbers ^ (numbers >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        u8::try_from((mixed ^ (mixed >> 31)) & 0xff).expect("eight bits")
    };
    let mut used = BTreeSet::new();
    for case in 0..3000 {
        let mut model = Model::new([(1, false), (2, false), (1, true), (2, true)][case % 4], NOW);
        for at in 0..LENGTH {
            model.ended |= case % 3 == 0 && at == LENGTH / 2;
            let did = model.dice((byte(), byte(), byte(), byte(), byte()));
            model.now += did.after;
            if let Ok(next) = model.does(&did) {
                used.insert((did.act, model.state));
                model = next;
            }
        }
    }
    let does = |act: &str, caller: &str, state: &str| {
        !matches!(cell(act, caller, state), "-" | "own" | "held" | "role" | "free" | "prop" | "busy")
    };
    for act in ACTS {
        for state in STATES {
            // Nobody holds it elsewhere.
            let is_held = matches!(state, "claimed" | "in_discussion");
            let can = CALLERS.iter().any(|caller| does(act, caller, state) && (*caller != "H" || is_held));
            // A patch, an escalation and a reply without a decision in a row are rare.
            let is_rare = state == "replied" && matches!(act, "accept" | "adopt" | "turn_down");
            assert!(!can || is_rare || used.contains(&(act, state)), "{act} where it is {state} was never done");
        }
    }
}
