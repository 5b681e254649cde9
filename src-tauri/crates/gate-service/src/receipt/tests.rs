//! What is read, and what isn't.

use gate_core::{AnsweredFrom, Ask};
use gate_receipts::{Released, SigningKey};

use super::*;
use crate::testing::{AT, approval, asked, line, line_of, oid, text_of};

fn unsigned() -> Proof {
    let kept = SigningKey::generate().expect("there is randomness");
    SigningKey::from_pkcs8(&kept).expect("it is a key").unsigned()
}

fn read(line: &Line, ask: &Ask) -> Result<Receipt, Refused> {
    let text = line.signed().expect("it can be written");
    Receipt::read(text.as_bytes(), &text_of(ask), unsigned(), AT)
}

fn why(read: Result<Receipt, Refused>) -> Option<Why> {
    read.err().map(|refused| refused.why)
}

fn changed(change: impl Fn(&mut Decided)) -> Line {
    let mut decided = approval(&asked());
    change(&mut decided);
    line_of(decided)
}

#[test]
fn a_receipt_of_its_question_is_read_and_shows_what_is_approved() {
    let receipt = read(&line(), &asked()).expect("it is a receipt");
    assert_eq!(receipt.shown, Shown::of(Decision::Approved, "Deploy", Some("/home/me/shop"), Some(&oid("4d"))));
    assert_eq!(receipt.digest, Digest::of_bytes(line().signed().expect("it can be written").as_bytes()));
    assert_eq!(Line { proof: Proof::None {}, ..receipt.line }, line(), "as it was sent");

    let plain = Ask { title: None, diff: None, git: None, message: "May I?\nSoon.".to_owned(), ..asked() };
    let receipt = read(&line_of(approval(&plain)), &plain).expect("it is a receipt");
    assert_eq!(receipt.shown, Shown::of(Decision::Approved, "May I?\nSoon.", None, None));
}

#[test]
fn a_line_that_says_something_else_than_the_question_is_refused() {
    let other = Digest::of_bytes(b"other");
    let changes: [fn(&mut Decided, Digest); 6] = [
        |decided, other| decided.content.ask = Some(other),
        |decided, other| decided.content.diff = Some(other),
        |decided, _| decided.content.diff = None,
        |decided, _| decided.content.git = None,
        |decided, _| decided.content.git = Some(Git { base: oid("2b"), tree: oid("5e") }),
        |decided, _| decided.content.git = Some(Git { base: oid("5e"), tree: oid("4d") }),
    ];
    for (at, change) in changes.iter().enumerate() {
        let line = changed(|decided| change(decided, other));
        assert_eq!(why(read(&line, &asked())), Some(Why::OtherContent), "change {at}");
    }
    let without = Ask { diff: None, git: None, ..asked() };
    assert_eq!(why(read(&line(), &without)), Some(Why::OtherContent), "another question");
}

#[test]
fn only_a_decision_that_somebody_looked_at_is_signed() {
    let refused = |line: &Line, ask: &Ask| assert_eq!(why(read(line, ask)), Some(Why::Unfit), "{line:?}");
    for level in [Level::L0, Level::L1] {
        refused(&changed(|decided| decided.level = level), &asked());
    }
    refused(&changed(|decided| decided.level = Level::L3), &asked());
    refused(&changed(|decided| decided.given = AnsweredFrom::Script), &asked());
    refused(&changed(|decided| decided.decision = None), &asked());
    refused(&changed(|decided| decided.content.manifest = Some(Digest::of_bytes(b"outbox"))), &asked());
    let released = Said::Released(Released { receipt: Digest::of_bytes(b"receipt") });
    refused(&Line { said: released, ..line() }, &asked());
    let plain = Ask { approval: false, ..asked() };
    refused(&line_of(approval(&plain)), &plain);
    let changes = changed(|decided| {
        decided.decision = Some(Decision::ChangesRequested);
        decided.expires = None;
    });
    let shown = read(&changes, &asked()).expect("it may be confirmed").shown;
    assert_eq!(shown.decision, Decision::ChangesRequested, "and it is told as that");
}

#[test]
fn what_isn_t_known_or_is_written_otherwise_is_refused() {
    let text = line().signed().expect("it can be written");
    let question = text_of(&asked());
    let refuses = |line: &str| why(Receipt::read(line.as_bytes(), &question, unsigned(), AT));
    assert_eq!(refuses(&text), None);
    for wrong in [
        String::new(),
        "[]".to_owned(),
        format!("{text}\n"),
        text.replacen("\"v\":1", "\"v\":2", 1),
        text.replacen("\"v\":1", "\"v\": 1", 1),
        text.replacen("\"v\":1", "\"new\":1,\"v\":1", 1),
        text.replacen("\"v\":1", "\"v\":1,\"v\":1", 1),
        text.replacen("\"v\":1", "\"proof\":{\"type\":\"none\"},\"v\":1", 1),
        text.replacen("\"seq\":412", "\"seq\":0", 1),
        text.replacen("{", &format!("{{\"a\":\"{}\",", "x".repeat(70_000)), 1),
    ] {
        assert_eq!(refuses(&wrong), Some(Why::Unfit), "{wrong}");
    }

    let unknown = String::from_utf8(question).expect("it is text").replacen('{', "{\"also\":true,", 1);
    let mut decided = approval(&asked());
    decided.content.ask = Some(Digest::of_bytes(unknown.as_bytes()));
    let text = line_of(decided).signed().expect("it can be written");
    let read = Receipt::read(text.as_bytes(), unknown.as_bytes(), unsigned(), AT);
    assert_eq!(why(read), Some(Why::Unfit), "nobody is asked about what isn't understood");
}

#[test]
fn a_receipt_is_of_now() {
    let text = line().signed().expect("it can be written");
    let at = |millis| Receipt::read(text.as_bytes(), &text_of(&asked()), unsigned(), Timestamp(AT.0 + millis));
    assert_eq!(why(at(CLOCK_MILLIS)), None);
    assert_eq!(why(at(CLOCK_MILLIS + 1)), Some(Why::Clock));
    assert_eq!(why(at(-CLOCK_MILLIS - 1)), Some(Why::Clock));
}

#[test]
fn the_same_receipt_may_stand_further_on_and_nothing_else_may() {
    let receipt = read(&line(), &asked()).expect("it is a receipt");
    let later = AT.plus_millis(60_000);
    let moved = |change: fn(&mut Line)| {
        let mut decided = approval(&asked());
        decided.from = later.plus_millis(5_000);
        decided.expires = Some(later.plus_millis(6_000));
        let prev = Some(Digest::of_bytes(b"another"));
        let mut line = Line { seq: 414, prev, at: later, step: Some(-1), ..line_of(decided) };
        change(&mut line);
        let text = line.signed().expect("it can be written");
        receipt.again(text.as_bytes(), unsigned()).map(|_| ()).map_err(|refused| refused.why)
    };
    assert_eq!(moved(|_| ()), Ok(()));
    assert_eq!(moved(|line| line.home.0 = uuid::Uuid::from_u128(2)), Err(Why::OtherContent));
    assert_eq!(moved(|line| line.at = Timestamp(AT.0 - 1)), Err(Why::Clock));
    let other =
        Line { said: Said::Decided(Decided { reply: Digest::of_bytes(b"other"), ..approval(&asked()) }), ..line() };
    let text = other.signed().expect("it can be written");
    let refused = receipt.again(text.as_bytes(), unsigned()).expect_err("another reply");
    assert_eq!(refused.why, Why::OtherContent);
}
