//! The journal, with doubles of journald and of what reads it.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixDatagram;
use std::process::Command as Program;

use gate_api::Origin;
use gate_api::subjects::requests::SendReply;
use gate_core::Draft;
use gate_settings::Values;
use serde_json::Map;
use tempfile::TempDir;

use super::*;
use crate::host::Allows;
use crate::slices::Gate;
use crate::tests::{Outcome, Ways, call, open_to_sign};

/// How long these doubles may take.
const LIMIT: Duration = Duration::from_secs(60);

/// A machine's journal.
struct Machine {
    folder: TempDir,
    socket: UnixDatagram,
}

impl Machine {
    /// One that everybody may read.
    fn new() -> Result<Self, Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let socket = UnixDatagram::bind(folder.path().join("socket"))?;
        socket.set_nonblocking(true)?;
        fs::write(folder.path().join("entries"), "")?;
        let machine = Self { folder, socket };
        let all = machine.folder.path().join("entries");
        // Entries that have the value of each field that is asked for.
        let one_by_one =
            "for of; do case $of in [A-Z_]*=*) found=$(echo \"$found\" | grep -F \"\\\"${of#*=}\\\"\");; esac; done";
        machine.reads(&format!("found=$(cat {})\n{one_by_one}\necho \"$found\"", all.display()))?;
        Ok(machine)
    }

    /// What reads it does this.
    fn reads(&self, script: &str) -> Outcome {
        let reader = self.at().reader;
        fs::write(&reader, format!("#!/bin/sh\n{script}\n"))?;
        Ok(fs::set_permissions(reader, Permissions::from_mode(0o755))?)
    }

    fn at(&self) -> JournalAt {
        JournalAt {
            socket: self.folder.path().join("socket"),
            reader: self.folder.path().join("reader"),
            patience: LIMIT,
        }
    }

    /// Takes what was sent since, as journald does.
    fn takes(&self) -> Result<Vec<Map<String, Value>>, Box<dyn std::error::Error>> {
        let mut taken = Vec::new();
        let mut bytes = [0; 4096];
        while let Ok(length) = self.socket.recv(&mut bytes) {
            let text = std::str::from_utf8(&bytes[..length])?;
            let fields = text.lines().map(|line| line.split_once('=').ok_or("a field has a name"));
            let mut entry = Map::new();
            for field in fields {
                let (name, value) = field?;
                entry.insert(name.to_owned(), value.into());
            }
            taken.push(entry);
        }
        let file = self.folder.path().join("entries");
        let mut all = fs::read_to_string(&file)?;
        for entry in &taken {
            let mut entry = entry.clone();
            entry.insert("_UID".to_owned(), owner(self.folder.path()).ok_or("it is somebody's")?.to_string().into());
            all.push_str(&format!("{}\n", Value::from(entry)));
        }
        fs::write(file, all)?;
        Ok(taken)
    }

    async fn gate(&self, folder: &TempDir) -> Result<Gate, Box<dyn std::error::Error>> {
        let ways = Ways { journal: Some(self.at()), ..Ways::default() };
        Ok(open_to_sign(folder, true, Values::new(), Allows::default(), ways).await?)
    }
}

async fn answer(gate: &Gate, key: &str) -> Outcome {
    let request_id = gate.inner.requests.ask(call(key, key)).await?.request_id;
    let digest = gate.inner.requests.question(request_id).await?.digest;
    let draft = Draft { text: "a secret".to_owned(), ..Draft::default() };
    gate.execute(SendReply { request_id, digest, decision: None, draft }, Origin::Desktop).await?;
    Ok(())
}

async fn end(gate: &Gate) {
    gate.inner.receipts.close().await;
    gate.inner.store.close().await;
}

fn copy(from: &Path, to: &Path) -> Outcome {
    assert!(Program::new("cp").arg("-a").arg(from.join(".")).arg(to).status()?.success(), "a folder is copied");
    Ok(())
}

fn warned(gate: &Gate) -> Vec<String> {
    gate.inner.bus.warnings().into_iter().map(|fault| fault.message).collect()
}

#[tokio::test]
async fn a_log_and_a_record_that_were_put_back_together_are_seen_by_what_the_journal_remembers() -> Outcome {
    let machine = Machine::new()?;
    let (folder, before, elsewhere) = (tempfile::tempdir()?, tempfile::tempdir()?, tempfile::tempdir()?);
    let gate = machine.gate(&folder).await?;
    answer(&gate, "relay:1").await?;
    end(&gate).await;
    assert!(!machine.takes()?.is_empty(), "it is told at the end at the latest");
    copy(folder.path(), before.path())?;
    let gate = machine.gate(&folder).await?;
    gate.inner.receipts.read_journal(LIMIT).await;
    assert_eq!(warned(&gate), [""; 0], "nothing is wrong with it as it is");
    answer(&gate, "relay:2").await?;
    end(&gate).await;
    machine.takes()?;

    copy(before.path(), elsewhere.path())?;
    let gate = machine.gate(&elsewhere).await?;
    gate.inner.receipts.read_journal(LIMIT).await;
    assert_eq!(warned(&gate), [""; 0], "a copy elsewhere has a log of its own");
    end(&gate).await;

    for entry in fs::read_dir(folder.path())? {
        let path = entry?.path();
        if path.is_dir() { fs::remove_dir_all(path)? } else { fs::remove_file(path)? }
    }
    copy(before.path(), folder.path())?;
    let gate = machine.gate(&folder).await?;
    assert_eq!(warned(&gate), [""; 0], "they fit each other");
    gate.inner.receipts.read_journal(LIMIT).await;
    let told = warned(&gate);
    assert!(told.iter().any(|message| message.contains("was cut short")), "no entry can be taken out: {told:?}");
    end(&gate).await;
    machine.takes()?;
    let gate = machine.gate(&folder).await?;
    gate.inner.receipts.read_journal(LIMIT).await;
    let told = warned(&gate);
    assert!(!told.iter().any(|message| message.contains("was cut short")), "it is told once: {told:?}");
    Ok(())
}

#[tokio::test]
async fn an_entry_has_a_number_and_a_digest_and_nobodys_words() -> Outcome {
    let (machine, folder) = (Machine::new()?, tempfile::tempdir()?);
    let gate = machine.gate(&folder).await?;
    answer(&gate, "relay:1").await?;
    end(&gate).await;
    let entry = machine.takes()?.pop().ok_or("it is told")?;
    let names: Vec<&str> = entry.keys().map(String::as_str).collect();
    let own = ["DIGEST", "HOME", "PLACE", "SEQ"].map(|name| format!("REVIEW_GATE_{name}"));
    let mut expected = vec!["MESSAGE", "MESSAGE_ID", "PRIORITY", "SYSLOG_IDENTIFIER"];
    expected.extend(own.iter().map(String::as_str));
    expected.sort_unstable();
    let mut sorted = names.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, expected);
    let whole = Value::from(entry).to_string();
    let path = folder.path().display().to_string();
    assert!(!whole.contains("secret") && !whole.contains("relay") && !whole.contains(&path), "{whole}");
    Ok(())
}

#[tokio::test]
async fn a_journal_that_nobody_may_read_says_nothing_and_one_that_was_filled_is_told() -> Outcome {
    let (machine, folder) = (Machine::new()?, tempfile::tempdir()?);
    machine.reads("echo 'No journal files were opened due to insufficient permissions.' >&2; exit 1")?;
    let gate = machine.gate(&folder).await?;
    answer(&gate, "relay:1").await?;
    gate.inner.receipts.read_journal(LIMIT).await;
    assert_eq!(warned(&gate), [""; 0], "as for most users without a persistent journal");
    fs::remove_file(machine.at().reader)?;
    gate.inner.receipts.read_journal(LIMIT).await;
    assert_eq!(warned(&gate), [""; 0], "as without systemd");
    machine.reads(&format!("yes '{{\"REVIEW_GATE_SEQ\":\"1\",\"REVIEW_GATE_DIGEST\":\"{}\"}}'", "0".repeat(64)))?;
    gate.inner.receipts.read_journal(LIMIT).await;
    let told = warned(&gate);
    assert!(told.iter().any(|message| message.contains("can't be read: it has more than")), "{told:?}");
    Ok(())
}

#[tokio::test]
async fn a_slow_journal_accuses_nobody_and_is_read_later_and_one_that_is_emptied_is_good_again() -> Outcome {
    let (machine, folder) = (Machine::new()?, tempfile::tempdir()?);
    let gate = machine.gate(&folder).await?;
    let receipts = &gate.inner.receipts;
    machine.reads("exec sleep 1000")?;
    assert!(!receipts.read_journal(Duration::from_millis(50)).await, "it is tried again");
    assert_eq!(warned(&gate), [""; 0], "a machine under load isn't somebody who hides something");
    machine.reads(&format!("yes '{{\"REVIEW_GATE_SEQ\":\"1\",\"REVIEW_GATE_DIGEST\":\"{}\"}}'", "0".repeat(64)))?;
    assert!(!receipts.read_journal(LIMIT).await, "this one, too");
    assert_eq!(warned(&gate).len(), 1, "somebody has filled it");
    let entry = |seq: u64| format!("{{\"REVIEW_GATE_SEQ\":\"{seq}\",\"REVIEW_GATE_DIGEST\":\"{}\"}}", "0".repeat(64));
    machine.reads(&format!("echo '{}'", entry(5)))?;
    assert!(receipts.read_journal(LIMIT).await, "now it is read");
    let told = warned(&gate);
    assert!(!told.iter().any(|message| message.contains("can't be read")), "which takes that back: {told:?}");
    assert!(told.iter().any(|message| message.contains("was cut short")), "and the log is held against it: {told:?}");
    Ok(())
}

#[test]
fn what_entries_say_is_taken_as_far_as_a_line_could_follow_it() -> Outcome {
    let digest = |text: &str| Digest::of_bytes(text.as_bytes());
    let entry = |seq: &str, line: Digest| format!("{{\"REVIEW_GATE_SEQ\":{seq},\"REVIEW_GATE_DIGEST\":\"{line}\"}}\n");
    let said = [
        entry("\"1001\"", digest("one")),
        entry("\"1001\"", digest("one")),
        entry("\"1001\"", digest("another")),
        entry("\"1002\"", digest("two")),
        entry("\"799\"", digest("long before")),
        entry("\"9007199254740991\"", digest("so far that no line could follow it")),
        entry("[\"1003\",\"1004\"]", digest("twice")),
        "no entry\n".to_owned(),
    ];
    let heads = heads_in(said.concat().as_bytes(), 1_000);
    let numbers: Vec<u64> = heads.iter().map(|head| head.seq).collect();
    assert_eq!(numbers, [1_002, 1_001, 1_001], "both of a log that went back and on: {heads:?}");
    Ok(())
}
