//! Both directions, without a program on either side.

use serde_json::json;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, BufReader, DuplexStream, duplex};

use super::*;

fn known() -> Known {
    Arc::new(Mutex::new(Talk::new("agent".to_owned())))
}

fn line(message: &serde_json::Value) -> Vec<u8> {
    format!("{message}\n").into_bytes()
}

/// A question that waits at the gate.
fn asked(known: &Known, id: u32) -> oneshot::Receiver<()> {
    let question = line(&json!({"id": id, "method": "session/request_permission", "params": {
        "sessionId": "s", "toolCall": {"toolCallId": "t", "kind": "execute", "rawInput": {"command": "ls"}},
        "options": [{"optionId": "y", "kind": "allow_once"}, {"optionId": "n", "kind": "reject_once"}],
    }}));
    match lock(known).heard_from_agent(&question) {
        Heard::Question(_, withdrawn) => withdrawn,
        other => panic!("{other:?}"),
    }
}

async fn heard(agent: &mut BufReader<DuplexStream>) -> String {
    let mut line = String::new();
    agent.read_line(&mut line).await.expect("it can be read");
    line
}

#[tokio::test]
async fn an_allow_never_follows_a_cancel() {
    let known = known();
    let _withdrawn = [asked(&known, 1), asked(&known, 2)];
    let (answers, answered) = mpsc::unbounded_channel();
    for (id, number) in [("1", 1), ("2", 2)] {
        let allow = talk::answer(id, "\"allow\"");
        answers.send(Answer { of: Some((id.to_owned(), number)), line: allow }).expect("it is heard");
    }
    // Both have come by now.
    let cancel = line(&json!({"method": "session/cancel", "params": {"sessionId": "s"}}));
    let (mut client, input) = duplex(1024);
    client.write_all(&cancel).await.expect("it is heard");
    let (output, agent) = duplex(1024);
    let ((), ()) = tokio::join!(to_the_agent(input, output, &known, answered), async move {
        let mut agent = BufReader::new(agent);
        assert_eq!(heard(&mut agent).await.as_bytes(), cancel, "what the client said first, comes first");
        drop((client, answers));
        let mut rest = String::new();
        agent.read_to_string(&mut rest).await.expect("it is text");
        assert!(!rest.contains("allow"), "nothing is allowed of a turn that was cancelled: {rest}");
        assert_eq!(rest.matches("cancelled").count(), 2, "each has its answer: {rest}");
    });
}

#[tokio::test]
async fn an_answer_reaches_the_agent_once() {
    let known = known();
    let _withdrawn = asked(&known, 1);
    let (answers, answered) = mpsc::unbounded_channel();
    let allow = talk::answer("1", "\"allow\"");
    for _ in 0..2 {
        answers.send(Answer { of: Some(("1".to_owned(), 1)), line: allow.clone() }).expect("it is heard");
    }
    let (client, input) = duplex(1024);
    let (output, agent) = duplex(1024);
    let ((), ()) = tokio::join!(to_the_agent(input, output, &known, answered), async move {
        let mut agent = BufReader::new(agent);
        assert_eq!(heard(&mut agent).await.as_bytes(), allow);
        drop(client);
        assert_eq!(heard(&mut agent).await, "", "and nothing else");
    });
}

#[tokio::test]
async fn a_question_whose_asking_fails_is_the_clients() {
    let fails = async { panic!("whatever goes wrong") };
    let Done { line, result, .. } = done(("1".to_owned(), 1), b"question\n".to_vec(), fails).await;
    assert_eq!((line.as_slice(), result), (&b"question\n"[..], None), "else the agent would wait for ever");
}

#[tokio::test(start_paused = true)]
async fn a_client_that_reads_slowly_has_each_byte_of_an_agent_that_has_ended() {
    let home = Home::at(std::path::PathBuf::from("/nowhere"));
    let (mut agent, output) = duplex(1 << 20);
    let (input, mut client) = duplex(16);
    let (ends, ended) = oneshot::channel();
    let (answers, _answered) = mpsc::unbounded_channel();
    let text = [b"a line\n".repeat(100), b"no end".to_vec()].concat();
    agent.write_all(&text).await.expect("there is room");
    ends.send(()).expect("it is heard");
    let known = known();
    let down = to_the_client(&home, output, input, &known, answers, ended);
    let (end, heard) = tokio::join!(down, async move {
        let mut heard = Vec::new();
        let mut some = [0; 16];
        loop {
            // As slow as no client is: the clock is the test's.
            tokio::time::advance(2 * GOODBYE).await;
            match client.read(&mut some).await.expect("it can be read") {
                0 => break heard,
                read => heard.extend_from_slice(&some[..read]),
            }
        }
    });
    assert!(heard == text, "{} bytes of {}", heard.len(), text.len());
    assert_eq!(end, End::Agent, "and it ends, though what the agent has started has its output open");
    drop(agent);
}
