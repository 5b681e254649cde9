//! Commands and answers as they pass over the control connection.

use gate_api::subjects::requests::{self, Snooze};
use gate_api::subjects::snippets::{self, ListSnippets, Snippets};
use gate_api::subjects::voice::{self, StopVoice};
use gate_api::{Answer, Command, ControlReply, ControlRequest, ControlResult, Done};
use gate_core::{Code, Fault, RequestId, Timestamp};
use serde_json::{Value, json};
use uuid::Uuid;

type Outcome = Result<(), Box<dyn std::error::Error>>;

#[test]
fn a_command_is_read_as_it_was_written() -> Outcome {
    let snooze = Snooze { request_id: RequestId(Uuid::nil()), until: Some(Timestamp(1_795_219_200_000)) };
    let line = ControlRequest::line(7, &snooze)?;
    let written: Value = serde_json::from_str(&line)?;
    assert_eq!((&written["id"], &written["command"]), (&json!(7), &json!("snooze")), "{line}");
    let read: ControlRequest = serde_json::from_str(&line)?;
    let command = Command::Requests(requests::Command::Snooze(snooze));
    assert_eq!(read, ControlRequest { id: 7, command });

    let stop = ControlRequest::line(8, &StopVoice { take: 3 })?;
    let read: ControlRequest = serde_json::from_str(&stop)?;
    assert_eq!(read.command, Command::Voice(voice::Command::StopVoice(StopVoice { take: 3 })), "numbers pass, too");
    Ok(())
}

#[test]
fn what_may_be_left_out_has_its_default() -> Outcome {
    let written = json!({"id": 1, "command": "snooze", "request_id": Uuid::nil()});
    let read: ControlRequest = serde_json::from_value(written)?;
    let snooze = Snooze { request_id: RequestId(Uuid::nil()), until: None };
    assert_eq!(read.command, Command::Requests(requests::Command::Snooze(snooze)));
    Ok(())
}

#[test]
fn what_is_no_command_says_why() {
    for (written, why) in [
        (json!({"id": 1}), "missing field `command`"),
        (json!({"id": 1, "command": 5}), "`command` is no text"),
        (json!({"id": 1, "command": "obey"}), "there is no command `obey`"),
        (json!({"id": 1, "command": "snooze"}), "missing field `request_id`"),
    ] {
        let error = serde_json::from_value::<ControlRequest>(written.clone()).err().map(|error| error.to_string());
        assert!(error.as_deref().is_some_and(|error| error.contains(why)), "{written}: {error:?}");
    }
}

#[test]
fn the_answer_to_a_command_is_found_among_others() -> Outcome {
    let answer = |line: Value| ControlRequest::answer::<ListSnippets>(7, line.to_string().as_bytes());
    assert_eq!(answer(json!({"id": 6, "ok": {}}))?, None, "that of another command, whatever it is");
    assert_eq!(answer(json!({"id": 7, "ok": {"snippets": []}}))?, Some(Ok(Snippets { snippets: Vec::new() })));
    let fault = Fault::new(Code::TooLate, "It was sent.", "Nothing.");
    assert_eq!(answer(json!({"id": 7, "fault": fault}))?, Some(Err(fault.clone())), "a fault is an answer");
    assert_eq!(answer(json!({"id": 0, "fault": fault}))?, Some(Err(fault)), "the gate couldn't read which it was");
    assert!(answer(json!({"id": 7, "ok": {}})).is_err(), "what another version answers isn't taken for nothing");
    Ok(())
}

#[test]
fn an_answer_is_the_answer_alone_and_read_by_its_command_s_type() -> Outcome {
    let answer = Answer::Snippets(snippets::Answer::ListSnippets(Box::new(Snippets { snippets: Vec::new() })));
    let reply = ControlReply { id: 3, result: ControlResult::Ok(answer) };
    let written = serde_json::to_value(reply)?;
    assert_eq!(written, json!({"id": 3, "ok": {"snippets": []}}));
    let read: ControlReply<Snippets> = serde_json::from_value(written)?;
    assert_eq!(read.result, ControlResult::Ok(Snippets { snippets: Vec::new() }));

    let done = serde_json::to_value(ControlReply { id: 4, result: ControlResult::Ok(Done {}) })?;
    assert_eq!(done, json!({"id": 4, "ok": {}}), "nothing to tell is an object without fields");
    let fault = Fault::new(Code::TooLate, "It was sent.", "Nothing.");
    let reply = ControlReply::<Done> { id: 5, result: ControlResult::Fault(fault) };
    let read: ControlReply<Done> = serde_json::from_value(serde_json::to_value(&reply)?)?;
    assert_eq!(read, reply);
    Ok(())
}
