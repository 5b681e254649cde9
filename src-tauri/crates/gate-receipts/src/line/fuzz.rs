//! Fuzzing lines: what is taken has the one form that it was read in.

use super::*;
use crate::fuzzing::{Bytes, Fuzz, damaged, seeds};

const TOKENS: &[&str] = &[
    "\"v\":1",
    "\"kind\":\"break\"",
    "\"kind\":\"decided\"",
    "\"seq\":",
    "\"prev\":",
    "\"step\":-1",
    "\"proof\":{\"type\":\"none\"}",
    "9007199254740992",
    "-0",
    "1e3",
    "null",
    "\\u0061",
    "\\ud800",
    "L3",
    "2026-11-21T03:49:21Z",
    "+01:00",
    "{",
    "}",
    "[",
    "\"",
    ",",
    ":",
    "\0",
    "\n",
];

fn check(bytes: &[u8]) {
    let Ok(line) = Line::parse(bytes) else { return };
    let text = line.canonical().expect("what was read can be written");
    assert_eq!(text.as_bytes(), bytes, "it has one form");
    assert_eq!(Line::parse(text.as_bytes()), Ok(line.clone()), "and comes back");
    assert!(line.seq > 0 && line.seq < SEQ_BOUND, "there is always a next one");
}

#[test]
fn fuzz_lines() {
    let mut fuzz = Fuzz::new("lines");
    for Bytes(seed) in seeds("receipts") {
        check(&seed);
    }
    let lines = damaged("receipts", TOKENS);
    while fuzz.goes_on() {
        fuzz.batch(&lines, |Bytes(bytes)| check(&bytes));
    }
}
