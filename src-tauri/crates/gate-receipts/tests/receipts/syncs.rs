//! How often the disk is waited for.

use std::fs;
use std::path::Path;
use std::process::Command;

use gate_receipts::NAME;

use crate::child::{self, Other};
use crate::world::World;

/// Names the file that tells of what is written for good to the process that writes there.
const SYNCS: &str = "SYNCS";

/// How often the log was written for good.
fn counted(told: &Path) -> usize {
    fs::read_to_string(told).map_or(0, |told| told.lines().filter(|path| path.ends_with(NAME)).count())
}

#[test]
fn a_receipt_waits_for_the_disk_once() {
    if let Some(folder) = child::folder() {
        let told = std::env::var_os(SYNCS).expect("it is named");
        let mut log = child::open(&folder).expect("nobody else has it");
        let mut before = counted(told.as_ref());
        for number in 1..=5 {
            child::approve(&mut log, number).expect("it can be written");
            let now = counted(told.as_ref());
            child::say(&format!("waited {}", now - before));
            before = now;
        }
        return;
    }
    let (world, built) = (World::new(), tempfile::tempdir().expect("a folder"));
    let (library, told) = (built.path().join("syncs.so"), built.path().join("told"));
    let mut compiler = Command::new("cc");
    compiler.args(["-std=c11", "-shared", "-fPIC", "-o"]).arg(&library).arg("tests/receipts/syncs.c").arg("-ldl");
    let compiled = compiler.current_dir(env!("CARGO_MANIFEST_DIR")).status().expect("the linker of every build");
    assert!(compiled.success(), "it compiles");
    let (preloaded, told) = (format!("LD_PRELOAD={}", library.display()), format!("{SYNCS}={}", told.display()));
    let mut other =
        Other::behind(&["env", &preloaded, &told], "syncs::a_receipt_waits_for_the_disk_once", world.folder());
    let words = std::iter::from_fn(|| other.word());
    let waited: Vec<String> = words.filter(|word| word.starts_with("waited")).collect();
    assert_eq!(waited, ["waited 1"; 5], "a line is on the disk before it is told, and nothing else is waited for");
}
