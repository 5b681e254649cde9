//! The second implementation, in Python, beside this one: it reads the vectors, and a log that was just written.

use std::path::Path;
use std::process::Command;

use gate_core::AnsweredFrom;
use gate_receipts::{Said, Withdrawn};

use crate::skip;
use crate::world::World;

fn second(verb: &str, path: &Path) -> String {
    let program = format!("{}/tests/second/second.py", env!("CARGO_MANIFEST_DIR"));
    let mut command = Command::new("python3");
    // Nothing is left behind beside it.
    let output = command.args(["-B", &program, verb]).arg(path).output().expect("python3 can be started");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

#[test]
fn it_finds_the_same_in_the_vectors() {
    if !skip::has("python3", "--version") {
        return;
    }
    let folder = format!("{}/tests/vectors", env!("CARGO_MANIFEST_DIR"));
    let said = second("vectors", Path::new(&folder));
    let count = said.strip_suffix(" vectors").and_then(|count| count.parse::<u32>().ok());
    assert!(count.is_some_and(|count| count >= 100), "it looked at all of them: {said}");
}

#[test]
fn it_reads_a_log_to_the_same_end() {
    if !skip::has("python3", "--version") {
        return;
    }
    let mut world = World::new();
    let mut log = world.quietly();
    let mut head = world.approve(&mut log, 1).head;
    for number in 2..=30 {
        let (receipt, now) = (head.line, world.now());
        head = world.approve(&mut log, number).head;
        if number % 3 == 0 {
            let said = Said::Withdrawn(Withdrawn { receipt, given: AnsweredFrom::Terminal });
            log.append(said, now).expect("it can be written");
            head = world.approve(&mut log, number).head;
        }
    }
    let expected = format!(r#"{{"head":"{}","lines":{}}}"#, head.line, head.seq);
    assert_eq!(second("chain", &world.path()), expected);
}
