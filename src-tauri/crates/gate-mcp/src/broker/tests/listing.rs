//! What clients are told of the tools.

use serde_json::{Value, json};

use crate::answer::testing::{is_short, is_written_down};
use crate::toolsets::BROKER;

/// Whatever changes it changes something for every agent.
const LISTED: &str = include_str!("../../toolsets/broker.json");
/// Names, descriptions and what the tools take, in bytes: every agent reads it with every conversation.
const BYTES: usize = 10 * 1024;

#[test]
fn clients_are_told_of_the_brokers_tools_what_is_written_down() {
    is_written_down(&BROKER.listed(), "broker.json", LISTED);
}

#[test]
fn what_every_agent_reads_of_the_tools_is_short() {
    is_short(&BROKER.listed(), BYTES);
}

#[test]
fn the_tools_have_the_names_that_agents_know_and_say_what_they_do() {
    let listed: Vec<Value> = BROKER.listed().iter().map(|tool| serde_json::to_value(tool).unwrap()).collect();
    let of_tag = |tag: &str| {
        let has = |tool: &&Value| tool["_meta"]["fastmcp"]["tags"] == json!([tag]);
        listed.iter().filter(has).filter_map(|tool| tool["name"].as_str()).collect::<Vec<_>>()
    };
    assert_eq!(listed.len(), 14, "fewer than fifteen can be chosen from");
    assert_eq!(of_tag("proposal"), ["submit_proposal", "get_proposal"]);
    assert_eq!(of_tag("review"), ["claim_review", "release_review", "submit_verdict", "close_review"]);
    let discussion =
        ["post_message", "get_messages", "submit_patch", "get_patch", "accept_counter_patch", "reject_counter_patch"];
    assert_eq!(of_tag("discussion"), discussion);
    assert_eq!(of_tag("status"), ["list_reviews", "get_review_status"]);
    for tool in &listed {
        let (name, hints) = (tool["name"].as_str().unwrap(), &tool["annotations"]);
        let reads = name.starts_with("get_") || name.starts_with("list_");
        assert_eq!(hints["readOnlyHint"], reads, "{name}");
        assert_eq!((&hints["destructiveHint"], &hints["openWorldHint"]), (&json!(false), &json!(false)), "{name}");
    }
}
