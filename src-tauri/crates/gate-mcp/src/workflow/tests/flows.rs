//! A review from its beginning to its end, as reviewers know it.

use serde_json::json;

use super::{AGENTS, URL, audit, begun, call, create, find, given, phase};

#[tokio::test]
async fn the_sequence_that_reviewers_know_needs_six_tools() {
    let (house, mut agent, job) = begun().await;
    let workflow = call(&mut agent, "get_workflow", json!({ "jobId": job })).await;
    let phases = ["initializing", "agents-running", "synthesizing", "publishing", "completed"];
    assert_eq!(workflow["workflow"]["phases"], json!(phases));
    let names: Vec<_> = workflow["workflow"]["agents"].as_array().unwrap().iter().map(|one| &one["name"]).collect();
    assert_eq!(names, AGENTS.map(|name| json!(name)).iter().collect::<Vec<_>>());
    // The diagram begins here, without a phase and by another name.
    let started = call(&mut agent, "start_agent", json!({"jobId": job, "agentName": "clean-arch"})).await;
    assert_eq!((&started["success"], &started["agentName"]), (&json!(true), &json!("clean-architecture")));
    assert_eq!((&started["phase"], &started["overallProgress"]), (&json!("agents-running"), &json!(10)));
    assert!(started["startedAt"].is_string() && started["attempt"] == 1, "{started}");
    let ended = json!({"jobId": job, "agentName": "clean-arch", "status": "success"});
    let ended = call(&mut agent, "complete_agent", ended).await;
    assert_eq!((&ended["status"], &ended["overallProgress"]), (&json!("completed"), &json!(15)));
    assert!(ended["next"].as_str().unwrap().contains("start_agent(\"ddd\")"), "{ended}");
    for name in &AGENTS[1..] {
        audit(&mut agent, job, name, "success").await;
    }
    let comment = json!({"jobId": job, "type": "POST_COMMENT", "body": "Well done."});
    call(&mut agent, "add_action", comment).await;
    for (name, percent) in [("synthesizing", 90), ("publishing", 95), ("completed", 100)] {
        let told = phase(&mut agent, job, name).await;
        assert_eq!((&told["phase"], &told["overallProgress"]), (&json!(name), &json!(percent)), "{told}");
    }
    assert_eq!(house.workflow.publications().len(), 1, "what stood in no publication is put before the person");
    let told = house.workflow.told(job);
    assert_eq!(told[..4], ["job:created", "job:started", "phase:changed", "agent:started"], "{told:?}");
    assert_eq!(told.iter().filter(|kind| *kind == "agent:completed").count(), AGENTS.len());
    assert_eq!(told.last().map(String::as_str), Some("job:completed"), "{told:?}");
    let state = call(&mut agent, "get_workflow", json!({ "jobId": job })).await["currentState"].clone();
    assert_eq!((&state["status"], &state["overallProgress"]), (&json!("completed"), &json!(100)));
}

#[tokio::test]
async fn where_nothing_was_found_nothing_is_put_before_the_person() {
    let (house, mut agent, job) = begun().await;
    for name in AGENTS {
        audit(&mut agent, job, name, "success").await;
    }
    for name in ["synthesizing", "publishing", "completed"] {
        phase(&mut agent, job, name).await;
    }
    assert!(house.workflow.publications().is_empty());
}

#[tokio::test]
async fn what_is_said_twice_is_answered_the_same_and_told_once() {
    let (house, mut agent, job) = begun().await;
    let calls = [
        ("set_phase", json!({"jobId": job, "phase": "initializing"})),
        ("set_phase", json!({"jobId": job, "phase": "agents-running"})),
        ("start_agent", json!({"jobId": job, "agentName": "clean-architecture"})),
        ("complete_agent", json!({"jobId": job, "agentName": "clean-architecture", "status": "success"})),
        ("add_action", json!({"jobId": job, "type": "ADD_LABEL", "label": "reviewed"})),
        ("create_job", json!({ "url": URL })),
    ];
    for (tool, arguments) in calls {
        let first = call(&mut agent, tool, arguments.clone()).await;
        let told = house.workflow.told(job).len();
        house.workflow.pass(1000);
        let again = call(&mut agent, tool, arguments).await;
        assert_eq!(again, first, "{tool}");
        assert!(tool != "create_job" || again["created"] == false, "there is one already");
        assert_eq!(house.workflow.told(job).len(), told, "{tool} is told once");
    }
    let first = find(&mut agent, job).await;
    let told = house.workflow.told(job).len();
    let again = find(&mut agent, job).await;
    assert_eq!((again["findings"] == first["findings"], house.workflow.told(job).len()), (true, told));
}

#[tokio::test]
async fn a_failed_agent_has_another_try_and_its_error_is_kept() {
    let (_house, mut agent, job) = begun().await;
    call(&mut agent, "start_agent", json!({"jobId": job, "agentName": "clean-arch"})).await;
    let failed =
        json!({"jobId": job, "agentName": "clean-arch", "status": "failed", "error": "No access.", "attempt": 1});
    let failed = call(&mut agent, "complete_agent", failed).await;
    assert_eq!((&failed["status"], &failed["error"]), (&json!("failed"), &json!("No access.")));
    let again = call(&mut agent, "start_agent", json!({"jobId": job, "agentName": "clean-arch"})).await;
    assert_eq!(again["attempt"], 2);
    let ended = json!({"jobId": job, "agentName": "clean-arch", "status": "success", "attempt": 2});
    let ended = call(&mut agent, "complete_agent", ended).await;
    assert_eq!((&ended["status"], ended.get("error")), (&json!("completed"), None));
}

#[tokio::test]
async fn an_agent_that_has_a_prompt_is_given_it() {
    let (_house, mut agent, job) = begun().await;
    audit(&mut agent, job, "clean-architecture", "success").await;
    let started = call(&mut agent, "start_agent", json!({"jobId": job, "agentName": "ddd"})).await;
    assert_eq!(started["prompt"], "Look at the language of the domain.");
}

#[tokio::test]
async fn a_connection_that_is_for_one_job_needs_no_name_of_it() {
    let (house, mut agent, job) = begun().await;
    let mut runner = house.runner(10, job).await;
    let read = call(&mut runner, "get_workflow", json!({})).await;
    assert_eq!(read["jobId"], json!(job));
    for own in [json!(job), json!("github:owner/repo:42")] {
        assert_eq!(call(&mut runner, "get_workflow", json!({ "jobId": own })).await["jobId"], json!(job), "{own}");
    }
    let other = call(&mut agent, "create_job", json!({"url": URL, "force": true})).await;
    assert_eq!(other["created"], true);
    for wrong in [other["jobId"].clone(), json!("github:owner/repo:42"), json!("github:owner/other:1")] {
        assert_eq!(super::code(&mut runner, "get_workflow", json!({ "jobId": wrong })).await, "wrong_job", "{wrong}");
    }
    assert_eq!(super::code(&mut runner, "create_job", json!({ "url": URL })).await, "wrong_job");
}

#[tokio::test]
async fn a_pull_request_s_name_means_the_unfinished_job() {
    let (house, mut agent, job) = begun().await;
    let named = json!({"jobId": "github:owner/repo:42"});
    assert_eq!(call(&mut agent, "get_workflow", named.clone()).await["jobId"], json!(job));
    let followup = json!({"url": URL, "jobType": "followup"});
    let followup = call(&mut agent, "create_job", followup).await["jobId"].clone();
    let cancel = gate_core::workflow::Act::Cancel;
    house.workflow.act(job, &gate_core::workflow::By::Person, &cancel);
    assert_eq!(call(&mut agent, "get_workflow", named).await["jobId"], followup, "the one that isn't over");
    let named = json!({"jobId": "github-followup:owner/repo:42"});
    assert_eq!(call(&mut agent, "get_workflow", named).await["jobId"], followup);
}

#[tokio::test]
async fn another_party_s_job_is_none() {
    let (house, _agent, job) = begun().await;
    let mut other = house.agent(20).await;
    for name in [json!(job), json!("github:owner/repo:42")] {
        let looks = json!({ "jobId": name });
        assert_eq!(super::code(&mut other, "get_workflow", looks).await, "unknown_job", "{name}");
    }
    assert_ne!(create(&mut other).await, job, "it has its own");
}

#[tokio::test]
async fn the_persons_notes_come_with_a_result_after_its_structure() {
    let (house, mut agent, job) = begun().await;
    let session = house.workflow.sessions()[0];
    let (text, note_id) = ("Be kind.".to_owned(), gate_core::NoteId(uuid::Uuid::nil()));
    house.gate.send_note(session, gate_core::Note { note_id, text, created_at: gate_core::Timestamp(0), given: None });
    let result = agent.call("set_phase", json!({"jobId": job, "phase": "initializing", "eta": 3})).await;
    let told = given("set_phase", &result);
    assert_eq!(told["notes"][0]["text"], "Be kind.");
    assert!(told["asides"][0].as_str().unwrap().contains("eta"), "what isn't known is named: {told}");
    let texts: Vec<_> = result["content"].as_array().unwrap().iter().map(|one| one["text"].as_str().unwrap()).collect();
    assert!(texts[0].starts_with("{\"success\":true,"), "{texts:?}");
    assert_eq!(texts.last(), Some(&told["next"].as_str().unwrap()), "and then what to do next");
}
