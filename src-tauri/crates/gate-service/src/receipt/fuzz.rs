//! Fuzzing receipts and their questions: what is taken is signed as it was sent, and what is shown of it can't hide or steer.

use gate_receipts::SigningKey;

use super::*;
use crate::fuzzing::{Bytes, Fuzz, damaged, seeds};
use crate::shown::{PATH_CHARS, TITLE_CHARS};
use crate::testing::{AT, approval, asked, line_of, text_of};

const TOKENS: &[&str] = &[
    "\"title\":\"",
    "\"message\":",
    "\"diff\":\"",
    "\"git\":",
    "\"approval\":true",
    "\"require\":\"L2\"",
    "\"proof\":{\"type\":\"none\"}",
    "\\u202e",
    "\\u2069",
    "\\u001b[2J",
    "\\ud800",
    "<b>",
    "”",
    "$(digits)",
    "\u{301}",
    "null",
    "L2",
    "{",
    "}",
    "\"",
    ",",
    "\n",
];

fn unsigned() -> Proof {
    let kept = SigningKey::generate().expect("there is randomness");
    SigningKey::from_pkcs8(&kept).expect("it is a key").unsigned()
}

/// A question whatever it is, with the receipt that says so.
fn check_question(bytes: &[u8], unsigned: &Proof) {
    let Ok(asked) = serde_json::from_slice::<Question>(bytes) else { return };
    let mut decided = approval(&crate::testing::asked());
    decided.content = Content {
        ask: Some(Digest::of_bytes(bytes)),
        diff: asked.diff.as_ref().map(|diff| Digest::of_bytes(diff.as_bytes())),
        manifest: None,
        git: asked.git.as_ref().map(|git| Git { base: git.base_tree.clone(), tree: git.tree.clone() }),
    };
    let text = line_of(decided).signed().expect("it can be written");
    let read = Receipt::read(text.as_bytes(), bytes, unsigned.clone(), AT);
    assert_eq!(read.is_ok(), asked.approval, "it is of its question: {read:?}");
    let Ok(Receipt { shown, .. }) = read else { return };
    for (text, most) in [(&shown.title, TITLE_CHARS), (&shown.repository, PATH_CHARS)] {
        assert!(text.chars().count() <= most + 3, "with its isolates and what says that it was cut: {text}");
        let inner = text.trim_start_matches('\u{2068}').trim_end_matches('\u{2069}');
        let steers =
            |c: char| c.is_control() || matches!(c, '<' | '>' | '&' | '"' | '“' | '”' | '\u{202E}' | '\u{2069}');
        assert!(!inner.contains(steers), "{inner:?}");
    }
}

/// A line whatever it is.
fn check_line(bytes: &[u8], unsigned: &Proof) {
    let Ok(receipt) = Receipt::read(bytes, &text_of(&asked()), unsigned.clone(), AT) else { return };
    let signed = receipt.line.signed().expect("what was read can be written");
    assert_eq!(signed.as_bytes(), bytes, "what is signed is what was sent");
}

#[test]
fn fuzz_questions() {
    let (mut fuzz, unsigned) = (Fuzz::new("questions"), unsigned());
    for Bytes(seed) in seeds("questions") {
        check_question(&seed, &unsigned);
    }
    let questions = damaged("questions", TOKENS);
    let lines = damaged("receipts", TOKENS);
    while fuzz.goes_on() {
        fuzz.batch(&questions, |Bytes(bytes)| check_question(&bytes, &unsigned));
        fuzz.batch(&lines, |Bytes(bytes)| check_line(&bytes, &unsigned));
    }
}
