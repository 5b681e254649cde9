//! What is read of the arguments, and what is wrong with them.

use gate_core::proposal::{Anchor, Claimed};
use gate_core::reply::Side;
use serde_json::{Map, json};

use super::*;
use crate::broker::port::SaidAt;
use crate::input::{Fields as _, read};

const ID: &str = "0190a6e4-7a10-7000-8000-000000000001";

fn checked<T: Takes>(value: Value) -> Result<T::Checked, Fault> {
    read::<T>(value.as_object().cloned())?.input.checked()
}

fn fault<T: Takes>(value: &Value) -> Option<(Code, String)> {
    checked::<T>(value.clone()).err().map(|fault| (fault.code, fault.message))
}

#[test]
fn a_proposal_is_read_as_it_was_written() {
    let value = json!({
        "intent": " Change x ", "diff": "d\r\n", "description": "", "category": "code", "priority": "critical",
        "agent_type": "gsd-executor", "phase": "3.2", "plan": null, "task": " ", "round": 2.0, "review_id": ID,
        "applied": true, "wait": true, "wait_seconds": 3, "role": "proposer",
    });
    let Proposed { proposal, wait } = checked::<Proposing>(value).expect("it is whole");
    let labels = [("agent_type", "gsd-executor"), ("phase", "3.2")];
    let expected = SubmittedProposal {
        intent: " Change x ".to_owned(),
        change: ProposedChange::Diff("d\r\n".to_owned()),
        description: None,
        base: None,
        category: Some("code".to_owned()),
        priority: Some(Priority::Critical),
        labels: labels.map(|(name, value)| (name.to_owned(), value.to_owned())).into(),
        review_id: ID.parse().ok(),
        round: Some(2),
        parent_id: None,
        applied: true,
    };
    assert_eq!(proposal, expected, "letter by letter; what is blank is absent");
    assert_eq!(wait, Wait { is_on: true, seconds: Some(3) });
    let named = checked::<Proposing>(json!({"intent": "x", "repository": {"path": ".", "what": "staged"}}));
    let change = named.map(|proposed| proposed.proposal.change).ok();
    assert!(matches!(change, Some(ProposedChange::Repository(named)) if named.what.as_deref() == Some("staged")));
    let plan = checked::<Proposing>(json!({"intent": "x", "diff": " \n"})).map(|proposed| proposed.proposal.change);
    assert_eq!(plan, Ok(ProposedChange::Nothing), "a plan has no diff");
}

#[test]
fn what_is_wrong_names_its_field_and_its_bound() {
    let long = |bytes: usize| "x".repeat(bytes);
    let many: Vec<_> = (0..=bounds::VERDICT_COMMENTS).map(|_| json!({"file": "x", "body": "b"})).collect();
    let verdict = |more: Value| {
        let mut value = json!({"review_id": ID, "decision": "rejected", "reason": "r"});
        value.as_object_mut().into_iter().for_each(|value| value.extend(more.as_object().cloned().unwrap_or_default()));
        value
    };
    for (found, code, field) in [
        (fault::<Proposing>(&json!({})), Code::InvalidInput, "`intent`"),
        (fault::<Proposing>(&json!({"intent": " "})), Code::InvalidInput, "`intent`"),
        (fault::<Proposing>(&json!({"intent": long(bounds::INTENT_CHARS + 1)})), Code::TooLarge, "`intent`"),
        (fault::<Proposing>(&json!({"intent": "x", "diff": long(4 * 1024 * 1024 + 1)})), Code::TooLarge, "`diff`"),
        (
            fault::<Proposing>(&json!({"intent": "x", "description": long(bounds::DESCRIPTION_BYTES + 1)})),
            Code::TooLarge,
            "`description`",
        ),
        (
            fault::<Proposing>(&json!({"intent": "x", "category": long(bounds::CATEGORY_CHARS + 1)})),
            Code::TooLarge,
            "`category`",
        ),
        (fault::<Proposing>(&json!({"intent": "x", "phase": long(201)})), Code::TooLarge, "`phase`"),
        (fault::<Proposing>(&json!({"intent": "x", "priority": "urgent"})), Code::InvalidInput, "`priority`"),
        (fault::<Proposing>(&json!({"intent": "x", "round": 0})), Code::InvalidInput, "`round`"),
        (fault::<Proposing>(&json!({"intent": "x", "round": 1.5})), Code::InvalidInput, "`round`"),
        (fault::<Proposing>(&json!({"intent": "x", "round": "1"})), Code::InvalidInput, "`round`"),
        (
            fault::<Proposing>(&json!({"intent": "x", "review_id": ID, "parent_id": ID})),
            Code::InvalidInput,
            "`parent_id`",
        ),
        (
            fault::<Proposing>(&json!({"intent": "x", "diff": "d", "repository": {"path": "."}})),
            Code::InvalidInput,
            "`repository`",
        ),
        (fault::<Proposing>(&json!({"intent": "x", "repository": {}})), Code::InvalidInput, "`repository`"),
        (fault::<Reading>(&json!({})), Code::InvalidInput, "`review_id`"),
        (fault::<Reading>(&json!({"review_id": "7"})), Code::InvalidInput, "`review_id`"),
        (fault::<Listing>(&json!({"limit": 51})), Code::InvalidInput, "`limit`"),
        (fault::<Listing>(&json!({"status": "pending"})), Code::InvalidInput, "`status`"),
        (fault::<Listing>(&json!({"since": "yesterday"})), Code::InvalidInput, "`since`"),
        (fault::<Looking>(&json!({"review_id": ID, "since": -1})), Code::InvalidInput, "`since`"),
        (fault::<Looking>(&json!({"review_id": ID, "wait": "yes"})), Code::InvalidInput, "`wait`"),
        (fault::<Claiming>(&json!({"categories": vec!["x"; bounds::CATEGORIES + 1]})), Code::TooMany, "`categories`"),
        (fault::<Judging>(&json!({"review_id": ID})), Code::InvalidInput, "`decision`"),
        (fault::<Judging>(&verdict(json!({"decision": "yes"}))), Code::InvalidInput, "`decision`"),
        (fault::<Judging>(&verdict(json!({"reason": null}))), Code::InvalidInput, "`reason`"),
        (fault::<Judging>(&verdict(json!({"reason": long(bounds::BODY_BYTES + 1)}))), Code::TooLarge, "`reason`"),
        (fault::<Judging>(&verdict(json!({ "comments": many }))), Code::TooMany, "`comments`"),
        (fault::<Judging>(&verdict(json!({"comments": [{"file": "x"}]}))), Code::InvalidInput, "`comments[0]`"),
        (
            fault::<Judging>(&verdict(json!({"comments": [{"file": "x", "body": "b", "line": 0}]}))),
            Code::InvalidInput,
            "`comments[0].line`",
        ),
        (
            fault::<Judging>(&verdict(json!({"comments": [{"file": "x", "body": "b", "line": 3, "start_line": 4}]}))),
            Code::InvalidInput,
            "`comments[0].start_line`",
        ),
        (
            fault::<Judging>(&verdict(json!({"comments": [{"file": "x", "body": long(bounds::BODY_BYTES + 1)}]}))),
            Code::TooLarge,
            "`comments[0].body`",
        ),
        (fault::<Posting>(&json!({"review_id": ID})), Code::InvalidInput, "`body`"),
        (fault::<Posting>(&json!({"review_id": ID, "body": "b", "line": 3})), Code::InvalidInput, "`file`"),
        (fault::<Posting>(&json!({"review_id": ID, "body": "b", "resolve": true})), Code::InvalidInput, "`resolve`"),
        (
            fault::<Posting>(&json!({"review_id": ID, "body": "b", "thread_id": ID, "file": "x"})),
            Code::InvalidInput,
            "`thread_id`",
        ),
        (fault::<Offering>(&json!({"review_id": ID})), Code::InvalidInput, "`diff`"),
        (fault::<Closing>(&json!({"review_id": ID, "outcome": "expired"})), Code::InvalidInput, "`outcome`"),
    ] {
        let fits = found.as_ref().is_some_and(|(own, message)| *own == code && message.contains(field));
        assert!(fits, "{code:?} that names {field}: {found:?}");
    }
}

#[test]
fn what_other_brokers_clients_say_is_understood() {
    let verdict = checked::<Judging>(json!({"review_id": ID, "decision": "changes_requested", "reason": "r"}));
    assert_eq!(verdict.map(|(_, verdict)| verdict.decision), Ok(Verdict::Rejected));
    let approved = checked::<Judging>(json!({"review_id": ID, "decision": "approved"}));
    assert_eq!(approved.map(|(_, verdict)| verdict.reason), Ok(None), "a word isn't needed for that");
    let patch = checked::<Offering>(json!({"review_id": ID, "patch_diff": "d", "role": "reviewer"}));
    assert_eq!(patch.map(|(_, patch)| patch.diff), Ok("d".to_owned()));
    let own = read::<Closing>(json!({"review_id": ID, "closer_role": "proposer"}).as_object().cloned());
    assert_eq!(own.map(|read| read.unknown), Ok(Vec::new()), "a role that is said is read, and says nothing");
    let properties: Map<_, _> = Closing::properties();
    assert!(!properties.contains_key("closer_role"), "and nobody is told of it: {properties:?}");
}

#[test]
fn a_message_is_said_on_the_review_in_a_thread_or_on_lines() {
    let at = |more: Value| {
        let mut value = json!({"review_id": ID, "body": "b"});
        value.as_object_mut().into_iter().for_each(|value| value.extend(more.as_object().cloned().unwrap_or_default()));
        checked::<Posting>(value).map(|(_, said)| said.at)
    };
    let thread = ID.parse().map(SaidAt::Thread);
    let lines = Anchor { file: "x".to_owned(), line: Some(7), start_line: None, side: Side::Old };
    assert_eq!(at(json!({})), Ok(SaidAt::Review));
    assert_eq!(at(json!({"thread_id": ID})), thread);
    assert_eq!(at(json!({"file": "x", "line": 7, "side": "old"})), Ok(SaidAt::Lines(lines)));
    let settle = checked::<Posting>(json!({"review_id": ID, "body": " ", "thread_id": ID, "resolve": true}));
    assert_eq!(settle.map(|(_, said)| (said.body, said.resolve)), Ok((String::new(), Some(true))));
    let token = checked::<Releasing>(json!({"review_id": ID, "claim_token": 3})).map(|(_, _, claimed)| claimed);
    assert_eq!(token, Ok(Claimed { token: Some(3), round: None }));
}
