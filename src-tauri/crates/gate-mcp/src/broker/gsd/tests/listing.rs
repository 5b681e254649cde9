//! What clients are told of the tools.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::answer::testing::{is_short, is_written_down};
use crate::toolsets::GSD;

/// Whatever changes it changes something for every agent.
const LISTED: &str = include_str!("../../../toolsets/gsd.json");
/// Names, descriptions and what the tools take, in bytes.
const BYTES: usize = 8 * 1024;

/// The tools of gsd-review-broker 0.1.0 with what they take; `*` stands behind what is needed.
const SHIPPED: &[(&str, &str)] = &[
    ("accept_counter_patch", "review_id*"),
    ("add_message", "body* metadata review_id* sender_role*"),
    ("claim_review", "review_id* reviewer_id*"),
    ("close_review", "closer_role* review_id*"),
    (
        "create_review",
        "agent_role* agent_type* category description diff intent* phase* plan project review_id skip_diff_validation task",
    ),
    ("get_activity_feed", "caller_id category project status"),
    ("get_audit_log", "caller_id review_id"),
    ("get_discussion", "caller_id review_id* round"),
    ("get_proposal", "caller_id review_id*"),
    ("get_review_stats", "caller_id project"),
    ("get_review_status", "caller_id review_id* wait"),
    ("get_review_timeline", "caller_id review_id*"),
    ("kill_reviewer", "reviewer_id*"),
    ("list_reviewers", ""),
    ("list_reviews", "caller_id category project projects status wait"),
    ("reject_counter_patch", "review_id*"),
    ("spawn_reviewer", "project"),
    ("submit_verdict", "claim_generation counter_patch reason review_id* reviewer_id verdict*"),
];

#[test]
fn the_eighteen_tools_have_their_names_and_what_they_take() {
    let taken = |schema: &Value| {
        let needed: Vec<_> = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let mut names: Vec<_> = schema["properties"].as_object().into_iter().flatten().map(|(name, _)| name).collect();
        names.sort();
        let marked = |name: &String| if needed.contains(&name.as_str()) { format!("{name}*") } else { name.clone() };
        names.into_iter().map(marked).collect::<Vec<_>>().join(" ")
    };
    let listed: BTreeMap<_, _> = GSD
        .listed()
        .iter()
        .map(|tool| (tool.name.to_string(), taken(&serde_json::to_value(&tool.input_schema).unwrap())))
        .collect();
    let shipped = SHIPPED.iter().map(|(name, takes)| ((*name).to_owned(), (*takes).to_owned())).collect();
    assert_eq!(listed, shipped);
}

#[test]
fn clients_are_told_of_them_what_is_written_down() {
    is_written_down(&GSD.listed(), "gsd.json", LISTED);
}

#[test]
fn what_every_agent_reads_of_them_is_short() {
    is_short(&GSD.listed(), BYTES);
}

#[test]
fn what_only_looks_says_so() {
    for tool in GSD.listed() {
        let name = tool.name.as_ref();
        let hints = serde_json::to_value(tool.annotations).unwrap();
        // The pool's do nothing at all.
        let reads = name.starts_with("get_") || name.starts_with("list_") || name.ends_with("_reviewer");
        assert_eq!(hints["readOnlyHint"], reads, "{name}");
        assert_eq!((&hints["destructiveHint"], &hints["openWorldHint"]), (&Value::Bool(false), &Value::Bool(false)));
    }
}
