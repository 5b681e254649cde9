//! What clients are told of the tools.

use serde_json::{Value, json};

use crate::answer::testing::{is_short, is_written_down};
use crate::toolsets::WORKFLOW;

/// Whatever changes it changes something for every agent.
const LISTED: &str = include_str!("../../toolsets/workflow.json");
/// Names, descriptions and what the tools take, in bytes: every agent reads it with every conversation.
const BYTES: usize = 10 * 1024;

#[test]
fn clients_are_told_of_the_workflow_s_tools_what_is_written_down() {
    is_written_down(&WORKFLOW.listed(), "workflow.json", LISTED);
}

#[test]
fn what_every_agent_reads_of_the_tools_is_short() {
    is_short(&WORKFLOW.listed(), BYTES);
}

#[test]
fn the_tools_have_the_names_that_reviewers_know_and_say_what_they_do() {
    let listed: Vec<Value> = WORKFLOW.listed().iter().map(|tool| serde_json::to_value(tool).unwrap()).collect();
    let names: Vec<_> = listed.iter().filter_map(|tool| tool["name"].as_str()).collect();
    let known = ["get_workflow", "set_phase", "start_agent", "complete_agent", "add_action", "get_threads"];
    assert_eq!(names[..6], known);
    assert_eq!(names[6..], ["create_job", "get_diff", "add_findings", "publish"]);
    for tool in &listed {
        let (name, hints) = (tool["name"].as_str().unwrap(), &tool["annotations"]);
        assert_eq!(hints["readOnlyHint"], name.starts_with("get_"), "{name}");
        assert_eq!(hints["destructiveHint"], false, "{name}");
        let asks_the_platform = ["get_threads", "get_diff"].contains(&name);
        assert_eq!(hints["openWorldHint"], asks_the_platform, "{name}");
    }
}

#[test]
fn fields_are_written_as_reviewers_know_them() {
    let listed: Vec<Value> = WORKFLOW.listed().iter().map(|tool| serde_json::to_value(tool).unwrap()).collect();
    let of = |name: &str| listed.iter().find(|tool| tool["name"] == name).expect("it is listed");
    for tool in listed.iter().filter(|tool| tool["name"] != "create_job") {
        assert_eq!(tool["inputSchema"]["properties"]["jobId"]["type"], "string", "{tool}");
    }
    for (name, needed) in [
        ("get_workflow", json!(null)),
        ("set_phase", json!(["phase"])),
        ("start_agent", json!(["agentName"])),
        ("complete_agent", json!(["agentName", "status"])),
        ("add_action", json!(["type"])),
        ("create_job", json!(["url"])),
        ("add_findings", json!(["findings"])),
        ("publish", json!(null)),
    ] {
        assert_eq!(of(name)["inputSchema"]["required"], needed, "{name}");
    }
    let ends = &of("complete_agent")["inputSchema"]["properties"]["status"]["enum"];
    assert_eq!(*ends, json!(["success", "failed"]));
}
