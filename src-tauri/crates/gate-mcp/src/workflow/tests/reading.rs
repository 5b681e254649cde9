//! What is read of a job: what it is about, its threads, its diff, and the resources.

use serde_json::{Value, json};

use super::{audit, begun, call, find, phase};
use crate::connection::relayed::nobody_listens;

#[tokio::test]
async fn a_job_is_read_with_all_that_a_reviewer_needs() {
    let (_house, mut agent, job) = begun().await;
    let read = call(&mut agent, "get_workflow", json!({ "jobId": job })).await;
    let context = &read["context"];
    assert_eq!(
        (&context["mergeRequestNumber"], &context["projectPath"], &context["platform"]),
        (&json!(42), &json!("owner/repo"), &json!("github"))
    );
    assert_eq!((&context["url"], &context["stale"]), (&json!(super::URL), &json!(true)));
    for unknown in ["title", "headSha", "baseSha"] {
        assert_eq!(context[unknown], Value::Null, "{unknown}: the platform hasn't answered");
    }
    let thread = json!({"id": "t1", "file": "src/a.rs", "line": 2, "status": "open", "body": "Why?"});
    assert_eq!(context["threads"], json!([thread]));
    let first = json!({"name": "clean-architecture", "displayName": "Clean Archi", "order": 1});
    assert_eq!(read["workflow"]["agents"][0], first);
    let state = &read["currentState"];
    let pending = json!({"name": "ddd", "displayName": "DDD", "status": "pending", "attempt": 0});
    assert_eq!((&state["phase"], &state["agents"][1]), (&json!("initializing"), &pending));
    assert_eq!((&state["status"], &state["overallProgress"]), (&json!("queued"), &json!(0)));
    audit(&mut agent, job, "clean-arch", "failed").await;
    call(&mut agent, "get_threads", json!({"jobId": job, "refresh": true})).await;
    let read = call(&mut agent, "get_workflow", json!({ "jobId": job })).await;
    let done = &read["currentState"]["agents"][0];
    assert_eq!((&done["status"], &done["attempt"]), (&json!("failed"), &json!(1)));
    assert!(done["startedAt"].is_string() && done["completedAt"].is_string(), "{done}");
    assert_eq!(read["context"]["title"], "Count otherwise");
}

#[tokio::test]
async fn the_diff_has_both_sides_numbers_and_where_findings_can_be_put() {
    let (_house, mut agent, job) = begun().await;
    let page = call(&mut agent, "get_diff", json!({ "jobId": job })).await;
    let file = &page["files"][0];
    assert_eq!((&file["path"], &file["change"]), (&json!("src/a.rs"), &json!("modified")));
    assert_eq!((&file["commentable"], file.get("oldPath")), (&json!([[1, 4]]), None));
    let lines: Vec<_> = file["text"].as_str().unwrap().lines().skip(1).map(str::trim_start).collect();
    assert_eq!(lines, ["1      1  one", "2        -two", "2 +2", "3 +and a half", "3      4  three"]);
    assert_eq!((&page["incomplete"], &page["next_cursor"]), (&json!(false), &Value::Null));
    for (narrowed, files) in
        [(json!({"path": "src"}), 1), (json!({"path": "lib"}), 0), (json!({"since": "last_review"}), 0)]
    {
        let mut arguments = narrowed.clone();
        arguments["jobId"] = json!(job);
        let page = call(&mut agent, "get_diff", arguments).await;
        assert_eq!(page["files"].as_array().map(Vec::len), Some(files), "{narrowed}");
    }
}

#[tokio::test]
async fn findings_and_comments_say_what_they_are_put_at() {
    let (_house, mut agent, job) = begun().await;
    let on_line = find(&mut agent, job).await["findings"][0].clone();
    let anchor = json!({"kind": "line", "file": "src/a.rs", "line": 2, "endLine": 2, "side": "new"});
    assert_eq!((&on_line["anchor"], &on_line["state"]), (&anchor, &json!("new")));
    let findings = json!([
        {"title": "Far", "body": "B", "severity": "blocking", "file": "src/a.rs", "line": 90},
        {"title": "Elsewhere", "body": "B", "severity": "suggestion", "file": "src/b.rs"},
        {"title": "Quoted", "body": "B", "severity": "warning", "file": "src/a.rs", "line": 1, "snippet": "and a half"},
    ]);
    let found = call(&mut agent, "add_findings", json!({"jobId": job, "findings": findings})).await["findings"].clone();
    assert_eq!((&found[0]["anchor"]["kind"], &found[0]["anchor"]["nearest"]), (&json!("file"), &json!(4)));
    assert_eq!(found[1]["anchor"]["kind"], "report");
    assert_eq!(found[2]["anchor"]["line"], 3, "what is quoted wins");
    let comment = json!({
        "jobId": job, "type": "POST_INLINE_COMMENT", "filePath": "src/a.rs", "line": 2, "body": "Hm."
    });
    let added = call(&mut agent, "add_action", comment).await;
    assert_eq!((&added["anchor"], &added["actionType"]), (&anchor, &json!("POST_INLINE_COMMENT")));
    let fetch = call(&mut agent, "add_action", json!({"jobId": job, "type": "FETCH_THREADS"})).await;
    assert_eq!(fetch.get("anchor"), None);
    let threads = call(&mut agent, "get_threads", json!({ "jobId": job })).await;
    assert_eq!((&threads["count"], &threads["stale"]), (&json!(1), &json!(false)));
    assert!(threads["fetchedAt"].is_string(), "the platform was asked: {threads}");
}

#[tokio::test]
async fn jobs_are_resources_that_are_listed_read_completed_and_heard_of() {
    let (house, mut agent, job) = begun().await;
    let base = "file://review-gate/jobs";
    let one = format!("{base}/{job}");
    let listed = agent.ask("resources/list", json!({})).await["result"]["resources"].take();
    assert_eq!(listed[0]["uri"], base, "{listed}");
    let all = agent.read(base).await;
    assert_eq!((&all["jobs"][0]["jobId"], &all["next_cursor"]), (&json!(job), &Value::Null));
    assert_eq!(all["jobs"][0]["url"], super::URL);
    assert_eq!(agent.read(&one).await["currentState"]["phase"], "initializing");
    let events = agent.read(&format!("{one}/events")).await;
    assert_eq!((&events["jobId"], &events["events"][0]["kind"]), (&json!(job), &json!("job:created")));
    for gone in [format!("{base}/{}", uuid::Uuid::nil()), format!("{one}/others"), format!("{base}/x/events")] {
        let refused = agent.ask("resources/read", json!({ "uri": gone })).await;
        assert_eq!(refused["error"]["code"], -32002, "{gone}: {refused}");
    }
    let completed = json!({
        "ref": {"type": "ref/resource", "uri": "file://review-gate/jobs/{id}"},
        "argument": {"name": "id", "value": &job.to_string()[..8]},
    });
    let completed = agent.ask("completion/complete", completed).await;
    assert_eq!(completed["result"]["completion"]["values"], json!([job]), "{completed}");
    let watched = [base.to_owned(), one.clone(), format!("{one}/events")];
    for uri in &watched {
        assert!(agent.ask("resources/subscribe", json!({ "uri": uri })).await["result"].is_object(), "{uri}");
    }
    phase(&mut agent, job, "initializing").await;
    let mut heard = Vec::new();
    for _ in &watched {
        let told = agent.told("notifications/resources/updated").await;
        heard.push(told["params"]["uri"].as_str().unwrap().to_owned());
    }
    heard.sort();
    assert_eq!(heard, watched);
    agent.close().await;
    nobody_listens(&house.gate).await;
}

#[tokio::test]
async fn lists_of_jobs_and_of_events_have_pages() {
    let (_house, mut agent, job) = begun().await;
    for _ in 0..52 {
        call(&mut agent, "create_job", json!({"url": super::URL, "force": true})).await;
    }
    let first = agent.read("file://review-gate/jobs").await;
    let rest = agent.read(first["next"].as_str().unwrap()).await;
    let count = |page: &Value| page["jobs"].as_array().map(Vec::len);
    assert_eq!((count(&first), count(&rest)), (Some(50), Some(3)));
    assert_eq!((&rest["jobs"][2]["jobId"], &rest["next"]), (&json!(job), &Value::Null), "the oldest is last");
    for label in 0..110 {
        call(&mut agent, "add_action", json!({"jobId": job, "type": "ADD_LABEL", "label": format!("l{label}")})).await;
    }
    let uri = format!("file://review-gate/jobs/{job}/events");
    let first = agent.read(&uri).await;
    let rest = agent.read(first["next"].as_str().unwrap()).await;
    let last = rest["events"].as_array().and_then(|events| events.last()).cloned().unwrap_or_default();
    assert_eq!((&first["events"][99]["n"], &last["n"]), (&json!(100), &json!(112)), "without gaps");
}
