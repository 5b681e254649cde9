//! Tests of lines: what is taken, what is refused, and how each is written.

use gate_core::AnsweredFrom;
use serde_json::{Value, json};

use super::*;
use crate::kinds::Decided;
use crate::parts::Bytes;
use crate::testing::{AT, approval, digest, line, one_of_each};

fn parsed(text: &str) -> Result<Line, LineError> {
    Line::parse(text.as_bytes())
}

/// The line's fields, changed, in canonical form.
fn changed(line: &Line, change: impl FnOnce(&mut Map<String, Value>)) -> Result<Line, LineError> {
    let mut fields = line.fields().expect("it is a line");
    change(&mut fields);
    parsed(&canonical_json(&fields).expect("it is canonical"))
}

fn refused(line: &Line, change: impl FnOnce(&mut Map<String, Value>)) -> String {
    match changed(line, change) {
        Ok(line) => panic!("it was taken: {line:?}"),
        Err(error) => format!("{}: {error}", error.code()),
    }
}

fn decided(change: impl FnOnce(&mut Decided)) -> Result<Line, LineError> {
    let mut said = approval(1, AT);
    change(&mut said);
    let line = line(Said::Decided(said));
    parsed(&line.canonical().expect("it can be written"))
}

#[test]
fn every_kind_comes_back_as_it_was_written() {
    for said in one_of_each() {
        let line = line(said);
        let text = line.canonical().expect("it can be written");
        assert_eq!(parsed(&text), Ok(line.clone()), "{text}");
        assert_eq!(line.digest(), Ok(Digest::of_bytes(text.as_bytes())));
        assert_eq!(line.fields().expect("it has fields")["kind"], json!(line.said.kind()));
    }
}

#[test]
fn a_line_is_written_like_this() {
    let mut said = approval(1, AT);
    said.content.git = None;
    said.content.diff = None;
    let text = line(Said::Decided(said)).canonical().expect("it can be written");
    let digests = ["about", "ask", "before", "reply"].map(|text| digest(text).to_string());
    let [about, ask, prev, reply] = &digests;
    let expected = format!(
        concat!(
            r#"{{"about":"{}","at":"2026-11-21T03:49:21.125Z","content":{{"ask":"{}"}},"decision":"approved","#,
            r#""expires":"2026-12-21T03:49:26.125Z","from":"2026-11-21T03:49:26.125Z","given":"desktop","#,
            r#""home":"01934a51-7cde-7000-8000-000000000001","kind":"decided","level":"L1","prev":"{}","#,
            r#""proof":{{"type":"none"}},"reply":"{}","request":"00000000-0000-0000-0000-000000000001","#,
            r#""seq":412,"v":1}}"#
        ),
        about, ask, prev, reply
    );
    assert_eq!(text, expected);
    let signed = parsed(&text).and_then(|line| line.signed());
    assert_eq!(signed, Ok(expected.replace(r#""proof":{"type":"none"},"#, "")), "a signature is of all but the proof");
}

#[test]
fn an_unknown_field_is_named_wherever_it_is() {
    let decided = line(one_of_each().remove(0));
    let top = refused(&decided, |fields| {
        fields.insert("surprise".to_owned(), json!(1));
    });
    assert!(top.starts_with("field: ") && top.contains("`surprise`"), "{top}");
    for (outer, inner) in [("content", None), ("content", Some("git")), ("proof", None)] {
        let said = refused(&decided, |fields| {
            let mut at = fields.get_mut(outer).expect("it is there");
            if let Some(inner) = inner {
                at = &mut at[inner];
            }
            at["surprise"] = json!(1);
        });
        assert!(said.contains("`surprise`"), "in {outer}, {inner:?}: {said}");
    }
    let kind = refused(&decided, |fields| {
        fields.insert("kind".to_owned(), json!("decreed"));
    });
    assert!(kind.contains("`decreed`"), "{kind}");
}

#[test]
fn what_is_missing_is_named() {
    let decided = line(one_of_each().remove(0));
    let names = ["v", "kind", "home", "seq", "at", "proof", "from", "request", "reply", "about", "level", "given"];
    for name in names {
        let said = refused(&decided, |fields| {
            fields.remove(name);
        });
        assert!(said.contains(&format!("`{name}`")), "{name}: {said}");
    }
    let absent = refused(&decided, |fields| {
        fields.remove("prev");
    });
    assert_eq!(absent, "unfit: `prev`: only the first line and a `break` have none");
}

#[test]
fn another_form_of_the_same_line_is_refused() {
    let text = line(one_of_each().remove(0)).canonical().expect("it can be written");
    let forms = [
        ("a blank", text.replace("\"v\":1", "\"v\": 1")),
        ("a line feed", format!("{text}\n")),
        ("another order", text.replace("\"seq\":412,\"v\":1", "\"v\":1,\"seq\":412")),
        ("a field twice", text.replace("\"v\":1", "\"v\":1,\"v\":1")),
        ("a float", text.replace("412", "412.0")),
        ("an exponent", text.replace("412", "4.12e2")),
        ("an escape", text.replace("approved", "\\u0061pproved")),
        ("null", text.replace("\"kind\"", "\"step\":null,\"kind\"")),
        ("zeros of a time", text.replace("21.125Z", "21.1250Z")),
        ("another zone", text.replace("T03:49:21.125Z", "T04:49:21.125+01:00")),
        ("a small z", text.replace("21.125Z", "21.125z")),
        ("an upper-case id", text.replace("01934a51-7cde", "01934A51-7CDE")),
        ("an id without dashes", text.replace("01934a51-7cde-7000-8000-", "01934a517cde70008000")),
        (
            "an upper-case digest",
            text.replace(&digest("before").to_string(), &digest("before").to_string().to_uppercase()),
        ),
    ];
    for (what, form) in forms {
        assert_ne!(form, text, "{what}: another form");
        assert!(parsed(&form).is_err(), "{what}: {form}");
    }
    let absent = text.replace("\"decision\":\"approved\"", "\"decision\":null");
    assert_eq!(parsed(&absent).map_err(|error| error.code()), Err("not_canonical"), "what is absent is left out");
}

#[test]
fn numbers_are_integers_below_two_to_the_53rd() {
    let sent = line(one_of_each().remove(3));
    let row = |row: Value| {
        changed(&sent, |fields| {
            fields.insert("row".to_owned(), row);
        })
    };
    assert!(row(json!(9_007_199_254_740_991_u64)).is_ok());
    let text = sent.canonical().expect("it can be written");
    for number in ["9007199254740992", "18446744073709551615", "18446744073709551616", "-1", "0.5"] {
        assert!(parsed(&text.replace("\"row\":0", &format!("\"row\":{number}"))).is_err(), "{number}");
    }
}

#[test]
fn another_version_is_told_from_damage() {
    let said = refused(&line(one_of_each().remove(0)), |fields| {
        fields.insert("v".to_owned(), json!(2));
        fields.insert("new".to_owned(), json!(true));
    });
    assert_eq!(said, "version: its version is 2, and this program knows 1");
}

#[test]
fn a_chain_begins_with_one_or_with_a_break() {
    let kinds = one_of_each();
    let at = |said: &Said, seq, prev: Option<&str>| {
        let line = Line { seq, prev: prev.map(digest), ..line(said.clone()) };
        parsed(&line.canonical().expect("it can be written")).map_err(|error| error.code())
    };
    let (plain, begins) = (&kinds[1], &kinds[7]);
    assert!(at(plain, 1, None).is_ok() && at(plain, 2, Some("x")).is_ok());
    assert!(at(begins, 1, None).is_ok() && at(begins, 9, None).is_ok());
    for (said, seq, prev) in [
        (plain, 2, None),
        (plain, 1, Some("x")),
        (begins, 9, Some("x")),
        (plain, 0, None),
        (plain, SEQ_BOUND, Some("x")),
    ] {
        assert_eq!(at(said, seq, prev), Err("unfit"), "{} {seq} {prev:?}", said.kind());
    }
}

#[test]
fn a_receipt_fits_together() {
    assert!(decided(|_| {}).is_ok());
    let far = Timestamp(AT.0 + 5_000).plus_millis(crate::RECEIPT_MILLIS + 1);
    type Change = Box<dyn FnOnce(&mut Decided)>;
    let changes: [(&str, Change); 9] = [
        ("from", Box::new(|said| said.from = Timestamp(AT.0 - 1))),
        ("expires", Box::new(|said| said.expires = Some(said.from))),
        ("expires", Box::new(move |said| said.expires = Some(far))),
        ("expires", Box::new(|said| said.expires = None)),
        ("content", Box::new(|said| said.content.ask = None)),
        ("decision", Box::new(|said| said.given = AnsweredFrom::Form)),
        ("decision", Box::new(|said| said.given = AnsweredFrom::Notification)),
        ("level", Box::new(|said| said.given = AnsweredFrom::Script)),
        ("level", Box::new(|said| said.level = Level::L3)),
    ];
    for (field, change) in changes {
        match decided(change) {
            Err(LineError::Unfit { field: named, .. }) => assert_eq!(named, field),
            other => panic!("{field}: {other:?}"),
        }
    }
    let plain = decided(|said| {
        said.decision = None;
        said.expires = None;
    });
    assert!(plain.is_ok(), "a reply without a decision needs no end");
    let lowest = decided(|said| {
        said.given = AnsweredFrom::Script;
        said.level = Level::L0;
    });
    assert!(lowest.is_ok(), "a script's is recorded");
}

#[test]
fn a_level_takes_its_signature() {
    let key = crate::keys::PublicKey::Ed25519([1; 32]).fingerprint();
    let (none, sig) = (Proof::None {}, Bytes(vec![0; 64]));
    let service = Proof::Ed25519 { key: key.clone(), sig: sig.clone() };
    let touched = Proof::Sshsig { key, sig };
    for (level, proof, fits) in [
        (Level::L1, &none, true),
        (Level::L1, &touched, true),
        (Level::L2, &none, false),
        (Level::L2, &service, true),
        (Level::L2, &touched, false),
        (Level::L3, &service, false),
        (Level::L3, &touched, true),
    ] {
        let mut said = approval(1, AT);
        said.level = level;
        let line = Line { proof: proof.clone(), ..line(Said::Decided(said)) };
        let text = line.canonical().expect("it can be written");
        assert_eq!(parsed(&text).is_ok(), fits, "{level:?} with {proof:?}");
    }
}

#[test]
fn a_file_beside_the_log_is_no_path() {
    for name in ["", "../receipts.log", "receipts./x", "receipts.x\\y", "other.log", "receipts.\u{202e}.log"] {
        let mut said = one_of_each().remove(7);
        let Said::Break(begins) = &mut said else { panic!("it is a break") };
        begins.aside.as_mut().expect("it names a file").name = name.to_owned();
        let text = line(said).canonical().expect("it can be written");
        assert_eq!(parsed(&text).map_err(|error| error.code()), Err("unfit"), "{name:?}");
    }
}

#[test]
fn what_is_too_long_or_no_json_is_refused() {
    let long = vec![b' '; LINE_BYTES + 1];
    assert_eq!(Line::parse(&long), Err(LineError::TooLong(LINE_BYTES + 1)));
    for wrong in [&b""[..], b"{", b"[]", b"1", b"\xff", b"{\"v\":1}x", "{".repeat(10_000).as_bytes()] {
        assert!(Line::parse(wrong).is_err(), "{}", wrong.escape_ascii());
    }
}
