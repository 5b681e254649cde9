//! What can't be done, and what a reviewer is told then.

use std::sync::Arc;

use gate_core::Code;
use gate_core::workflow::{Act, By, Connection};
use serde_json::json;

use super::{AGENTS, House, URL, audit, begun, call, code, phase};
use crate::answer::testing::refused;
use crate::connection::relayed::Relay;

#[tokio::test]
async fn a_phase_out_of_order_is_refused_with_the_next_one() {
    let (_house, mut agent, job) = begun().await;
    let ask = |phase: &str| json!({"jobId": job, "phase": phase});
    let (code, _, mend) = refused(&mut agent, "set_phase", ask("publishing")).await;
    assert_eq!(code, "phase_order");
    assert!(mend.contains("`agents-running`"), "the next one is named: {mend}");
    phase(&mut agent, job, "agents-running").await;
    let (code, why, _) = refused(&mut agent, "set_phase", ask("synthesizing")).await;
    assert_eq!(code, "agents_unfinished");
    assert!(why.contains("`clean-architecture`") && !why.contains("`report`"), "with their names: {why}");
}

#[tokio::test]
async fn agents_are_started_in_their_order_and_ended_once() {
    let (_house, mut agent, job) = begun().await;
    let start = |name: &str| json!({"jobId": job, "agentName": name});
    let end = |name: &str, status: &str| json!({"jobId": job, "agentName": name, "status": status});
    assert_eq!(code(&mut agent, "start_agent", start("ddd")).await, "agent_order");
    assert_eq!(code(&mut agent, "complete_agent", end("ddd", "success")).await, "agent_not_started");
    audit(&mut agent, job, "clean-arch", "success").await;
    assert_eq!(code(&mut agent, "start_agent", start("clean-arch")).await, "agent_finished");
    assert_eq!(code(&mut agent, "complete_agent", end("clean-arch", "failed")).await, "agent_finished");
}

#[tokio::test]
async fn an_agent_that_there_isnt_is_refused_with_the_nearest_name() {
    let (_house, mut agent, job) = begun().await;
    let start = json!({"jobId": job, "agentName": "clean-architectur"});
    let (code, _, mend) = refused(&mut agent, "start_agent", start).await;
    assert_eq!(code, "unknown_agent");
    assert!(mend.contains("Did you mean `clean-architecture`?"), "{mend}");
    let finding = json!({"title": "T", "body": "B", "severity": "warning"});
    let finds = json!({"jobId": job, "findings": [finding], "agentName": "nobody"});
    assert_eq!(super::code(&mut agent, "add_findings", finds).await, "unknown_agent");
}

#[tokio::test]
async fn nothing_is_published_without_an_agent_that_blocks() {
    let house = House::new();
    house.workflow.block();
    let mut agent = house.agent(10).await;
    let job = super::create(&mut agent).await;
    audit(&mut agent, job, "clean-arch", "failed").await;
    for name in &AGENTS[1..] {
        audit(&mut agent, job, name, "success").await;
    }
    phase(&mut agent, job, "synthesizing").await;
    let (code, why, _) = refused(&mut agent, "set_phase", json!({"jobId": job, "phase": "publishing"})).await;
    assert_eq!(code, "agent_failed");
    assert!(why.contains("`clean-architecture`"), "{why}");
}

#[tokio::test]
async fn a_job_that_is_over_parked_or_taken_says_so() {
    let (house, mut agent, job) = begun().await;
    phase(&mut agent, job, "initializing").await;
    // The same client with another relay.
    let mut again = Relay::of_client(&house.gate, Arc::clone(&house.served), "relay 11", 10).initialize().await;
    let sets = json!({"jobId": job, "phase": "agents-running"});
    assert_eq!(code(&mut again, "set_phase", sets.clone()).await, "job_taken");
    house.workflow.set_holder(Connection::Gone(house.workflow.now()));
    house.workflow.pass(30_000);
    call(&mut again, "set_phase", sets.clone()).await;
    house.workflow.set_holder(Connection::There);
    assert_eq!(code(&mut agent, "set_phase", sets).await, "job_taken", "the old run has lost it");
    house.workflow.act(job, &By::Person, &Act::Cancel);
    let start = json!({"jobId": job, "agentName": "ddd"});
    assert_eq!(code(&mut again, "start_agent", start).await, "job_finished");
    house.workflow.park();
    let created = call(&mut agent, "create_job", json!({"url": URL, "force": true})).await;
    assert_eq!(created["status"], "parked");
    let sets = json!({"jobId": created["jobId"], "phase": "initializing"});
    assert_eq!(code(&mut agent, "set_phase", sets).await, "job_parked");
    call(&mut agent, "get_workflow", json!({"jobId": created["jobId"]})).await;
}

#[tokio::test]
async fn what_is_wrong_about_a_call_has_a_code() {
    let (house, mut agent, job) = begun().await;
    for (tool, arguments, expected) in [
        ("get_workflow", json!({}), "invalid_input"),
        ("get_workflow", json!({"jobId": "nonsense"}), "unknown_job"),
        ("get_workflow", json!({"jobId": uuid::Uuid::nil()}), "unknown_job"),
        ("create_job", json!({"url": "https://github.com/owner/repo"}), "invalid_input"),
        ("create_job", json!({"url": "http://github.com/owner/repo/pull/1"}), "invalid_input"),
        (
            "add_action",
            json!({"jobId": job, "type": "THREAD_REPLY", "threadId": "t9", "message": "m"}),
            "unknown_thread",
        ),
        ("get_diff", json!({"jobId": job, "cursor": "nonsense"}), "invalid_cursor"),
        ("publish", json!({"jobId": job, "summary": "ghp_0123456789abcdefghijABCDEFGHIJ012345"}), "unsafe_text"),
        ("publish", json!({"request_id": uuid::Uuid::nil()}), "unknown_request"),
    ] {
        assert_eq!(code(&mut agent, tool, arguments.clone()).await, expected, "{tool} {arguments}");
    }
    for told in [Code::PlatformAuth, Code::PlatformRefused, Code::PlatformUnreachable, Code::RateLimited] {
        house.workflow.set_unreachable(Some(told));
        assert_eq!(code(&mut agent, "get_diff", json!({ "jobId": job })).await, told.as_str());
    }
    let threads = call(&mut agent, "get_threads", json!({"jobId": job, "refresh": true})).await;
    assert_eq!((&threads["stale"], &threads["fetchedAt"]), (&json!(true), &json!(null)), "they are told all the same");
}
