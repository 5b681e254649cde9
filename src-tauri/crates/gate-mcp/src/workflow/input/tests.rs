//! What is read of the arguments, and what is wrong with them.

use serde_json::json;

use super::*;
use crate::answer::Takes;
use crate::input::read;

fn checked<T: Takes>(value: &Value) -> Result<T::Checked, Fault> {
    read::<T>(value.as_object().cloned())?.input.checked()
}

fn refused<T: Takes>(value: &Value) -> (Code, String) {
    let fault = checked::<T>(value).err().unwrap_or_else(|| panic!("{value} is taken"));
    (fault.code, fault.message)
}

#[test]
fn a_job_is_named_by_its_id_or_by_its_pull_request() {
    for name in ["0190a6e4-7a10-7000-8000-000000000001", "github:owner/repo:42", "gitlab-followup:group/sub/app:7"] {
        let named = checked::<Reading>(&json!({ "jobId": name })).unwrap();
        assert_eq!(named, Some(JobReference::parse(name).unwrap()), "{name}");
    }
    assert_eq!(checked::<Reading>(&json!({})).unwrap(), None, "a connection may be for one job");
    assert_eq!(refused::<Reading>(&json!({"jobId": "nonsense"})).0, Code::UnknownJob);
    assert_eq!(refused::<Reading>(&json!({"jobId": 7})).0, Code::InvalidInput);
}

#[test]
fn what_is_wrong_is_named_as_the_caller_wrote_it() {
    let finding = json!({"title": "T", "body": "B", "severity": "blocking", "file": "a", "line": 3, "endLine": 2});
    for ((code, message), field) in [
        (refused::<Phasing>(&json!({})), "`phase`"),
        (refused::<Phasing>(&json!({"phase": "done"})), "`phase`"),
        (refused::<Starting>(&json!({"agentName": " "})), "`agentName`"),
        (refused::<Ending>(&json!({"agentName": "solid"})), "`status`"),
        (refused::<Ending>(&json!({"agentName": "solid", "status": "success", "attempt": 0})), "`attempt`"),
        (refused::<Acting>(&json!({"type": "THREAD_REPLY", "threadId": "t"})), "`message`"),
        (refused::<Acting>(&json!({"type": "MERGE"})), "`type`"),
        (refused::<Creating>(&json!({})), "`url`"),
        (refused::<Diffing>(&json!({"path": "../etc"})), "`path`"),
        (refused::<Diffing>(&json!({"since": "yesterday"})), "`since`"),
        (refused::<Finds>(&json!({"findings": []})), "`findings`"),
        (refused::<Finds>(&json!({"findings": [{"title": "T", "body": "B"}]})), "`findings[0]` has no `severity`"),
        (refused::<Finds>(&json!({ "findings": [finding] })), "`findings[0].endLine`"),
        (refused::<Finds>(&json!({"findings": [{"titel": "T"}]})), "`findings[0]"),
        (refused::<Publishing>(&json!({})), "`summary`"),
        (refused::<Publishing>(&json!({"summary": "S", "score": 10.5})), "`score`"),
        (refused::<Publishing>(&json!({"summary": "S", "score": "ten"})), "`score`"),
        (refused::<Publishing>(&json!({"summary": "S", "verdict": "fine"})), "`verdict`"),
    ] {
        assert_eq!(code, Code::InvalidInput, "{message}");
        assert!(message.contains(field), "{message} names {field}");
    }
    let many = json!({"findings": vec![json!({"title": "T", "body": "B", "severity": "warning"}); 101]});
    assert_eq!(refused::<Finds>(&many).0, Code::TooMany);
    let long = json!({"agentName": "solid", "status": "failed", "error": "x".repeat(4097)});
    assert_eq!(refused::<Ending>(&long).0, Code::TooLarge);
    let both = json!({"summary": "S", "request_id": "0190a6e4-7a10-7000-8000-000000000001"});
    assert_eq!(refused::<Publishing>(&both).0, Code::InvalidInput);
}

#[test]
fn what_is_left_out_is_what_is_usual() {
    let (_, published) = checked::<Publishing>(&json!({"summary": "S"})).unwrap();
    let Published::New(summary) = published else { panic!("it is new") };
    assert_eq!((summary.event, summary.score, summary.verdict), (PublishEvent::Comment, None, None));
    let (_, act) = checked::<Ending>(&json!({"agentName": "a", "status": "success", "error": "none"})).unwrap();
    let expected = Act::CompleteAgent { name: "a".to_owned(), end: AgentEnd::Success, error: None, attempt: None };
    assert_eq!(act, expected, "what went well has no error");
}
