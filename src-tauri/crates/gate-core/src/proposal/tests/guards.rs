//! What the table leaves to guards and effects: who may claim, what a token fences off, what is asked and withdrawn.

use super::super::act::SeenClaim;
use super::super::bounds;
use super::super::words::Ending;
use super::*;

fn code(stepped: Result<super::super::Step, super::super::Refusal>) -> &'static str {
    match stepped {
        Ok(_) => "done",
        Err(refusal) => refusal.fault().code.as_str(),
    }
}

fn agent(standing: Standing) -> By {
    By::Agent("somebody".to_owned(), standing)
}

fn in_state(state: &'static str) -> Review {
    review(&standing(state, REVIEWER, NOW))
}

const AT: Timestamp = Timestamp(NOW);

#[test]
fn a_claim_is_refused_to_whoever_has_approved_lost_it_twice_or_holds_enough() {
    let any = Standing::default();
    for (standing, expected) in [
        (any, "done"),
        (Standing { approved: true, ..any }, "already_approved"),
        (Standing { lost: 1, has_lost: true, ..any }, "done"),
        (Standing { lost: 2, has_lost: true, ..any }, "claim_lost"),
        (Standing { claims: 2, ..any }, "done"),
        (Standing { claims: 3, ..any }, "too_many"),
        (Standing { proposer: true, approved: true, claims: 3, ..any }, "own_proposal"),
    ] {
        assert_eq!(code(in_state("created").step(&agent(standing), &Act::Claim, AT)), expected, "{standing:?}");
    }
    let heir = Standing { proposer: true, holder: true, ..any };
    let again = in_state("claimed").step(&agent(heir), &Act::Claim, AT);
    assert_eq!(code(again), "own_proposal", "whoever became one with the proposer doesn't go on with the claim");
}

#[test]
fn whoever_may_comment_only_says_something_and_no_more_of_what_they_hold_or_proposed() {
    let guest = Standing { comments_only: true, ..Standing::default() };
    let (holder, proposer) = (agent(Standing { holder: true, ..guest }), agent(Standing { proposer: true, ..guest }));
    let (unsaid, need) = (Claimed::default(), Need::AGENT);
    let judges = Verdict::ALL.iter().map(|verdict| (&holder, Act::Verdict(*verdict, unsaid)));
    let owns = [
        Act::Round { replaces: None, need, carries: None },
        Act::AcceptPatch { need, approves: true },
        Act::RejectPatch,
        Act::Close(None),
        Act::Supersede,
    ];
    let all = judges.chain([(&holder, Act::OfferPatch(unsaid)), (&holder, Act::Release(unsaid))]);
    for (by, act) in all.chain(owns.map(|act| (&proposer, act))) {
        assert_eq!(code(in_state("claimed").step(by, &act, AT)), "role_forbidden", "{act:?}");
    }
    for by in [&holder, &proposer] {
        assert_eq!(code(in_state("claimed").step(by, &Act::Message, AT)), "done", "{by:?}");
    }
}

#[test]
fn the_next_round_after_a_rejection_is_kept_for_its_reviewer_for_ten_minutes() {
    let proposer = agent(Standing { proposer: true, ..Standing::default() });
    let round = Act::Round { replaces: Some(1), need: Need::AGENT, carries: None };
    let next = in_state("rejected").step(&proposer, &round, AT).expect("a next round").review;
    let later = AT.plus_millis(10 * 60 * 1000);
    let other = agent(Standing::default());
    let own = agent(Standing { reserved: true, ..Standing::default() });
    assert_eq!(code(next.step(&other, &Act::Claim, Timestamp(later.0 - 1))), "reserved");
    assert_eq!(code(next.step(&own, &Act::Claim, AT)), "done", "whoever rejected the one before has it at once");
    assert_eq!(code(next.step(&other, &Act::Claim, later)), "done", "then it is anybody's");
    let decided =
        in_state("rejected").step(&By::Person(Assurance::L1), &Act::Decide { approved: false, until: AT }, AT);
    let decided = decided.expect("the person decides").review.step(&By::Gate, &Act::Settle, AT).expect("good").review;
    let next = decided.step(&proposer, &round, AT).expect("a next round").review;
    assert_eq!(next.reserved, None, "what the person rejected is kept for nobody");
    assert_eq!(code(next.step(&proposer, &round, AT)), "stale_round", "the round that it was to replace is replaced");
    assert!(next.needs().person, "and needs them");
}

#[test]
fn a_claim_token_fences_off_whoever_had_the_claim_before() {
    let holder = agent(Standing { holder: true, ..Standing::default() });
    let had = agent(Standing { lost: 1, has_lost: true, ..Standing::default() });
    let before = agent(Standing { has_lost: true, ..Standing::default() });
    let again = Review { token: 5, ..in_state("claimed") };
    let said = |token: Option<u64>, round: Option<u32>| Claimed { token, round };
    let acts = |claimed: Claimed| {
        let verdicts = Verdict::ALL.iter().map(move |verdict| Act::Verdict(*verdict, claimed));
        verdicts.chain([Act::OfferPatch(claimed), Act::Release(claimed)])
    };
    for act in acts(said(Some(1), None)) {
        assert_eq!(code(again.step(&holder, &act, AT)), "claim_lost", "its first claim was lost: {act:?}");
    }
    for act in acts(said(Some(5), Some(1))).chain(acts(said(None, None))) {
        assert_eq!(code(again.step(&holder, &act, AT)), "done", "its claim now holds: {act:?}");
    }
    for state in ["created", "claimed", "in_discussion", "awaiting_person", "approved", "rejected", "closed"] {
        for act in acts(said(None, None)) {
            assert_eq!(code(in_state(state).step(&had, &act, AT)), "claim_lost", "{act:?} where it is {state}");
            assert_eq!(
                code(in_state(state).step(&before, &act, AT)),
                "claim_lost",
                "of an earlier round, too: {act:?}"
            );
        }
    }
}

#[test]
fn a_claim_is_lost_only_as_it_was_seen_and_no_newer_one_in_its_place() {
    let claimed = Review { token: 5, ..in_state("claimed") };
    let acted_at = claimed.claim.as_ref().expect("it is claimed").acted_at;
    for (token, acted, expected) in [
        (5, Some(acted_at), "done"),
        (5, None, "done"),
        (4, None, "claim_lost"),
        (4, Some(acted_at), "claim_lost"),
        (5, Some(Timestamp(acted_at.0 - 1)), "claim_lost"),
    ] {
        for lost in [Lost::Lease, Lost::Gone, Lost::Run] {
            let act = Act::Lose(lost, Some(SeenClaim { token, acted_at: acted }));
            assert_eq!(code(claimed.step(&By::Gate, &act, AT)), expected, "{act:?}");
            assert_eq!(code(in_state("created").step(&By::Gate, &act, AT)), "wrong_state", "nobody has it: {act:?}");
        }
    }
}

#[test]
fn a_verdict_and_a_patch_are_of_the_round_that_their_author_was_given() {
    let holder = agent(Standing { holder: true, ..Standing::default() });
    let newer = Review { round: 2, ..in_state("claimed") };
    let unsaid = Claimed::default();
    for act in Verdict::ALL.iter().map(|verdict| Act::Verdict(*verdict, unsaid)).chain([Act::OfferPatch(unsaid)]) {
        assert_eq!(code(newer.step(&holder, &act, AT)), "stale_round", "{act:?}");
    }
    let given = newer.step(&holder, &Act::Claim, AT).expect("claiming again").review;
    assert_eq!((given.token, given.status), (newer.token, newer.status), "claiming again shows the newest round");
    assert_eq!(code(given.step(&holder, &Act::Verdict(Verdict::Approved, unsaid), AT)), "done");
    let of_first = Claimed { token: None, round: Some(1) };
    assert_eq!(code(given.step(&holder, &Act::OfferPatch(of_first), AT)), "stale_round", "it says which it means");
    assert_eq!(code(newer.step(&holder, &Act::Release(unsaid), AT)), "done", "giving it back is good in any round");
}

#[test]
fn the_person_is_asked_once_of_each_thing_and_old_questions_are_withdrawn() {
    let gate = |review: &Review, act: &Act| review.step(&By::Gate, act, AT);
    let person = |review: &Review, act: &Act| review.step(&By::Person(Assurance::L1), act, AT);
    let unreviewed = gate(&in_state("created"), &Act::Unreviewed).expect("asked");
    assert!(unreviewed.asks && unreviewed.review.turn() == Turn::Reviewer, "beside the queue");
    let replied = person(&unreviewed.review, &Act::Reply).expect("a reply").review;
    assert_eq!(code(gate(&replied, &Act::Unreviewed)), "wrong_state", "once a round");
    let claimed = unreviewed.review.step(&agent(Standing::default()), &Act::Claim, AT).expect("claimed");
    assert!(claimed.withdraws, "somebody reviews it after all");
    let lost = gate(&claimed.review, &Act::Lose(Lost::Gone, None)).expect("lost").review;
    assert_eq!(code(gate(&lost, &Act::Unreviewed)), "wrong_state", "not again when the claim is lost");
    let taken = person(&unreviewed.review, &Act::Take).expect("taken");
    assert!(taken.asks && taken.withdraws, "another question takes its place");
    let taken = person(&in_state("replied"), &Act::Take).expect("taken");
    assert!(taken.asks, "the question before has its reply: there is a new one");
    let taken = person(&in_state("awaiting_person"), &Act::Take).expect("taken");
    assert!(!taken.asks && !taken.withdraws, "they have the question already");
    let proposer = agent(Standing { proposer: true, ..Standing::default() });
    let said = in_state("replied").step(&proposer, &Act::Message, AT).expect("said");
    assert!(said.asks && said.review.turn() == Turn::Person, "what the proposer says then asks again");
    let round = Act::Round { replaces: None, need: Need { agents: 0, person: true }, carries: None };
    let next = in_state("awaiting_person").step(&proposer, &round, AT).expect("a next round");
    assert!(next.asks && next.withdraws, "a new round is a new question");
}

#[test]
fn what_the_person_took_nobody_less_sure_gives_back_or_ends() {
    let by = By::Person;
    let take = |review: &Review, sure| review.step(&by(sure), &Act::Take, AT).expect("taken").review;
    let gives = |review: &Review, sure| code(review.step(&by(sure), &Act::GiveBack, AT));
    let ends = |review: &Review, sure| code(review.step(&by(sure), &Act::Close(None), AT));
    let (at_terminal, in_window) = (Assurance::L0, Assurance::L1);
    let taken = take(&in_state("created"), in_window);
    assert_eq!(
        [gives(&taken, at_terminal), ends(&taken, at_terminal)],
        ["role_forbidden"; 2],
        "an agent may start one"
    );
    assert_eq!([gives(&taken, in_window), ends(&taken, in_window)], ["done"; 2]);
    let again = take(&taken, at_terminal);
    assert_eq!(gives(&again, at_terminal), "role_forbidden", "taking it once more makes it no less theirs");
    let own = take(&in_state("created"), at_terminal);
    assert_eq!(
        [gives(&own, at_terminal), ends(&own, at_terminal)],
        ["done"; 2],
        "what was taken there is given back there"
    );
    for act in [Act::AcceptPatch { need: Need::AGENT, approves: true }, Act::RejectPatch] {
        let done = |sure| code(taken.step(&by(sure), &act, AT));
        assert_eq!(
            (done(at_terminal), done(in_window)),
            ("role_forbidden", "done"),
            "nor settles its patches: {act:?}"
        );
    }
    let given = taken.step(&by(in_window), &Act::GiveBack, AT).expect("given back").review;
    assert_eq!(ends(&given, at_terminal), "done", "then it is as it was");
}

#[test]
fn a_decision_is_good_when_its_time_is_over_and_not_before() {
    let until = AT.plus_millis(5000);
    let decided = in_state("claimed")
        .step(&By::Person(Assurance::L1), &Act::Decide { approved: true, until }, AT)
        .expect("decided");
    assert!(decided.review.token > 1 && decided.review.claim.is_none(), "the claim ends at once");
    assert_eq!(decided.review.status, ReviewStatus::AwaitingPerson, "and nothing is approved yet");
    let settle = |at: Timestamp| decided.review.step(&By::Gate, &Act::Settle, at);
    assert_eq!(code(settle(Timestamp(until.0 - 1))), "person_deciding", "a clock that is early approves nothing");
    let approved = settle(until).expect("good").review;
    assert_eq!((approved.status, approved.approved_by), (ReviewStatus::Approved, Some(ApprovedBy::Person)));
    let undone = decided.review.step(&By::Person(Assurance::L1), &Act::Undo, AT).expect("undone");
    assert_eq!(undone.review.turn(), Turn::Person, "after an undo it waits for them");
}

#[test]
fn what_needed_the_person_is_followed_however_it_ends() {
    let proposer = agent(Standing { proposer: true, ..Standing::default() });
    let holder = agent(Standing { holder: true, ..Standing::default() });
    let escalated = in_state("claimed").step(&holder, &Act::Verdict(Verdict::Escalate, Claimed::default()), AT);
    let escalated = escalated.expect("escalated");
    assert!(escalated.follows, "from then on, and not only once it is over");
    for by in [&proposer, &By::Person(Assurance::L1)] {
        let closed = escalated.review.step(by, &Act::Close(None), AT).expect("closed");
        assert!(closed.follows, "whoever ends it: {by:?}");
    }
    let rejected = Review { held: Some(Held { approved: false, until: AT }), ..escalated.review.clone() };
    let rejected = rejected.step(&By::Gate, &Act::Settle, AT).expect("rejected");
    assert!(rejected.follows && rejected.review.sticky, "what the person rejected");
    assert!(
        rejected.review.step(&By::Person(Assurance::L1), &Act::Close(None), AT).expect("closed").follows,
        "tidied up by them"
    );
    let asked = Review { sticky: false, need: Need { agents: 1, person: true }, ..in_state("awaiting_person") };
    assert!(asked.step(&proposer, &Act::Close(None), AT).expect("closed").follows, "taken back while they were asked");
    assert!(!asked.step(&By::Person(Assurance::L1), &Act::Close(None), AT).expect("closed").follows, "by themselves");
    let unreviewed = in_state("created").step(&By::Gate, &Act::Unreviewed, AT).expect("asked").review;
    let closed = unreviewed.step(&proposer, &Act::Close(None), AT).expect("closed");
    assert!(!closed.follows && closed.withdraws, "not what merely nobody reviewed");
    let approved = Review { approved_by: Some(ApprovedBy::Person), ..in_state("approved") };
    assert!(!approved.step(&proposer, &Act::Close(None), AT).expect("closed").follows, "nor what they approved");
}

#[test]
fn an_end_has_the_word_that_fits_where_the_review_stood() {
    let proposer = agent(Standing { proposer: true, ..Standing::default() });
    for (state, wanted, ending) in [
        ("created", None, Ending::Withdrawn),
        ("claimed", Some(Ending::Applied), Ending::Withdrawn),
        ("awaiting_person", Some(Ending::Abandoned), Ending::Withdrawn),
        ("approved", None, Ending::Applied),
        ("approved", Some(Ending::Abandoned), Ending::Abandoned),
        ("rejected", None, Ending::Abandoned),
        ("rejected", Some(Ending::Applied), Ending::NotApplied),
    ] {
        let closed = in_state(state).step(&proposer, &Act::Close(wanted), AT).expect("closed").review;
        assert_eq!(closed.ending, Some(ending), "{wanted:?} where it is {state}");
    }
}

#[test]
fn nothing_is_approved_by_nobody_and_no_review_without_agents_waits_for_one() {
    let nobody = Review::new(Need { agents: 0, person: false });
    assert_eq!(nobody.needs(), Need::AGENT, "a need of nobody is one of an agent");
    let proposer = agent(Standing { proposer: true, ..Standing::default() });
    let round = |agents, person| Act::Round { replaces: None, need: Need { agents, person }, carries: None };
    let next = nobody.step(&proposer, &round(0, false), AT).expect("a next round").review;
    assert_eq!(next.status, ReviewStatus::Created, "nobody has approved it");
    let held = in_state("claimed").step(&proposer, &round(0, true), AT).expect("a next round").review;
    assert_eq!(held.status, ReviewStatus::Claimed, "its reviewer has it yet");
    for (by, act) in [
        (agent(Standing { holder: true, ..Standing::default() }), Act::Release(Claimed::default())),
        (By::Gate, Act::Lose(Lost::Lease, None)),
    ] {
        let step = held.step(&by, &act, AT).expect("given up");
        assert!(step.asks, "the person is all that it needs: {act:?}");
        assert_eq!(step.review.status, ReviewStatus::AwaitingPerson);
    }
    let last = Review { round: bounds::ROUNDS, ..in_state("rejected") };
    assert_eq!(code(last.step(&proposer, &round(1, false), AT)), "too_many", "a hundred rounds are enough");
}

#[test]
fn agents_approvals_hold_for_the_same_patch_on_another_base_and_nobody_elses_do() {
    let proposer = agent(Standing { proposer: true, ..Standing::default() });
    let two = Need { agents: 2, person: false };
    let both = Need { agents: 1, person: true };
    let by_agents = Review { approvals: 1, ..in_state("approved") };
    let by_person = Review { approvals: 1, need: both, approved_by: Some(ApprovedBy::Person), ..in_state("approved") };
    let asked = Review { approvals: 1, need: both, ..in_state("awaiting_person") };
    let half = Review { approvals: 1, need: two, ..in_state("created") };
    let claimed = Review { approvals: 1, need: two, ..in_state("claimed") };
    let rejected = Review { approvals: 1, need: two, ..in_state("rejected") };
    for (what, before, carries, need, status, approvals) in [
        ("approved by agents", &by_agents, Some(1), Need::AGENT, ReviewStatus::Approved, 1),
        ("where more is needed by now", &by_agents, Some(1), two, ReviewStatus::Created, 1),
        ("where the person is by now", &by_agents, Some(1), both, ReviewStatus::AwaitingPerson, 1),
        ("another patch", &by_agents, None, Need::AGENT, ReviewStatus::Created, 0),
        ("the same as an older round", &by_agents, Some(0), Need::AGENT, ReviewStatus::Created, 0),
        ("approved by the person", &by_person, Some(1), both, ReviewStatus::AwaitingPerson, 1),
        ("with the person", &asked, Some(1), both, ReviewStatus::AwaitingPerson, 1),
        ("half approved", &half, Some(1), two, ReviewStatus::Created, 1),
        ("under review", &claimed, Some(1), two, ReviewStatus::Claimed, 1),
        ("rejected", &rejected, Some(1), two, ReviewStatus::Created, 0),
    ] {
        let round = Act::Round { replaces: None, need, carries };
        let next = before.step(&proposer, &round, AT).expect("a next round");
        assert_eq!((next.review.status, next.review.approvals), (status, approvals), "{what}");
        let by = (status == ReviewStatus::Approved).then_some(ApprovedBy::Agent);
        assert_eq!(next.review.approved_by, by, "{what}");
        assert_eq!(next.asks, status == ReviewStatus::AwaitingPerson, "{what}: the person is asked of the new round");
    }
}
