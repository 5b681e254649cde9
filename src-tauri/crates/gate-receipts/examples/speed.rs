//! How long a receipt takes, and reading a whole chain: `cargo run --release -p gate-receipts --example speed`.
//!
//! Writes a log of 10,000 receipts into a folder below the one that is named, or below the present one, since the
//! system's folder for such things may be in memory, and takes it away again.

use std::hint::black_box;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use gate_core::{AnsweredFrom, Decision, Digest, RequestId, Timestamp};
use gate_receipts::{
    Chain, Content, Decided, Git, HomeId, Level, Log, NAME, Oid, Opening, RECEIPT_MILLIS, Reading, Said, verify_chain,
};
use uuid::Uuid;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// Receipts in the log.
const RECEIPTS: u64 = 10_000;
/// Of these, the last are written one by one, each synced.
const SYNCED: u64 = 500;
const HOME: HomeId = HomeId(Uuid::from_u128(1));

fn main() -> Outcome<()> {
    let below = std::env::args_os().nth(1).map_or_else(|| PathBuf::from("."), PathBuf::from);
    let folder = below.join(format!("receipts-speed-{}", std::process::id()));
    std::fs::create_dir(&folder)?;
    let measured = measure(&folder);
    std::fs::remove_dir_all(&folder)?;
    let mut out = std::io::stdout().lock();
    for (what, took) in measured? {
        writeln!(out, "{what}\t{:.3} ms", took.as_secs_f64() * 1000.0)?;
    }
    Ok(())
}

fn measure(folder: &Path) -> Outcome<Vec<(&'static str, Duration)>> {
    prepare(folder)?;
    let mut appended = append(folder)?;
    appended.sort_unstable();
    let place = |percent: usize| appended.get(appended.len() * percent / 100).copied().unwrap_or_default();
    let start = Instant::now();
    let log = open(folder)?;
    let opened = start.elapsed();
    drop(log);
    let start = Instant::now();
    let report = verify_chain(folder, Some(HOME), &[])?;
    let checked = start.elapsed();
    if !report.is_whole() || report.lines != RECEIPTS {
        return Err(format!("the chain isn't whole: {report:?}").into());
    }
    let chain = Chain::read(folder, Some(HOME), &[])?;
    let start = Instant::now();
    black_box(chain.of_tree(&tree(RECEIPTS / 2)?)?);
    let found = start.elapsed();
    Ok(vec![
        ("a receipt, synced, median", place(50)),
        ("a receipt, synced, 99th percentile", place(99)),
        ("opening a log of 10,000", opened),
        ("the whole check of 10,000", checked),
        ("finding one of 10,000 by its tree", found),
    ])
}

/// Writes a log to which only the synced receipts lack, without syncing each.
fn prepare(folder: &Path) -> Outcome<()> {
    let mut text = String::new();
    let mut prev = None;
    for seq in 1..=RECEIPTS - SYNCED {
        let at = moment(seq);
        let said = Said::Decided(receipt(seq, at)?);
        let proof = gate_receipts::Proof::None {};
        let line = gate_receipts::Line { home: HOME, seq, prev, at, step: None, said, proof };
        let written = line.canonical()?;
        prev = Some(Digest::of_bytes(written.as_bytes()));
        text.push_str(&written);
        text.push('\n');
    }
    Ok(std::fs::write(folder.join(NAME), text)?)
}

/// How long each receipt took.
fn append(folder: &Path) -> Outcome<Vec<Duration>> {
    let mut log = open(folder)?;
    let numbers = RECEIPTS - SYNCED + 1..=RECEIPTS;
    let one = |number| {
        let at = moment(number);
        let said = Said::Decided(receipt(number, at)?);
        let start = Instant::now();
        log.append(said, Reading { at, steady: None })?;
        Ok(start.elapsed())
    };
    numbers.map(one).collect()
}

fn open(folder: &Path) -> Outcome<Log> {
    let now = Reading { at: moment(RECEIPTS), steady: None };
    let anchor = Box::new(Newest(newest(folder)?));
    let opening = Opening { folder: folder.to_owned(), home: HOME, anchors: vec![anchor], upgrade: false, now };
    Ok(Log::open(opening)?.log)
}

/// The last line's head, as a database would know it.
fn newest(folder: &Path) -> Outcome<gate_receipts::Head> {
    let text = std::fs::read_to_string(folder.join(NAME))?;
    let last = text.lines().next_back().ok_or("the log is empty")?;
    Ok(gate_receipts::Line::parse(last.as_bytes())?.head()?)
}

/// An anchor that knows one head.
#[derive(Debug)]
struct Newest(gate_receipts::Head);

impl gate_receipts::Anchor for Newest {
    fn name(&self) -> &'static str {
        "newest"
    }

    fn heads(&self) -> Result<Vec<gate_receipts::Head>, String> {
        Ok(vec![self.0])
    }

    fn keep(&mut self, head: gate_receipts::Head) -> Result<(), String> {
        self.0 = head;
        Ok(())
    }
}

fn moment(number: u64) -> Timestamp {
    Timestamp(1_795_232_961_125).plus_millis(number * 60_000)
}

fn tree(number: u64) -> Outcome<Oid> {
    Ok(Oid::try_from(Digest::of_bytes(&number.to_be_bytes()).to_string())?)
}

fn receipt(number: u64, at: Timestamp) -> Outcome<Decided> {
    let digest = Digest::of_bytes(b"what was given");
    let from = at.plus_millis(5_000);
    Ok(Decided {
        from,
        expires: Some(from.plus_millis(RECEIPT_MILLIS)),
        request: RequestId(Uuid::from_u128(u128::from(number))),
        decision: Some(Decision::Approved),
        reply: digest,
        about: digest,
        level: Level::L1,
        given: AnsweredFrom::Desktop,
        content: Content {
            ask: Some(digest),
            diff: Some(digest),
            manifest: None,
            git: Some(Git { base: tree(0)?, tree: tree(number)? }),
        },
    })
}
