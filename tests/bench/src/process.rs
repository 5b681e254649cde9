//! Processes that the benchmark started: their ends, their children, their memory.

use std::process::{Child, Command};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

/// How long anything may take before the benchmark gives up.
pub(crate) const LIMIT: Duration = Duration::from_secs(30);
/// How often a condition is looked at that nothing announces.
const POLL: Duration = Duration::from_millis(20);
/// For how long processes must have used no processor to count as idle.
const QUIET: Duration = Duration::from_millis(400);

/// A child that doesn't outlive its owner.
#[derive(Debug)]
pub(crate) struct Owned(pub(crate) Child);

impl Owned {
    pub(crate) fn spawn(command: &mut Command) -> Result<Self> {
        let child = command.spawn().with_context(|| format!("can't start {}", command.get_program().display()))?;
        Ok(Self(child))
    }

    pub(crate) fn pid(&self) -> u32 {
        self.0.id()
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        // Both fail only when it has ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Looks again and again until there is something.
pub(crate) fn eventually<T>(what: &str, mut look: impl FnMut() -> Result<Option<T>>) -> Result<T> {
    let begin = Instant::now();
    loop {
        if let Some(found) = look()? {
            return Ok(found);
        }
        if begin.elapsed() > LIMIT {
            bail!("waited {LIMIT:?} in vain: {what}");
        }
        std::thread::park_timeout(POLL);
    }
}

/// Waits until a process and all below it have used no processor for a while.
pub(crate) fn until_idle(pid: u32) -> Result<()> {
    until_below(pid, 0)
}

/// Waits until they use less than a quarter of a core, as a gate does that checks a large record in the
/// background.
pub(crate) fn until_calm(pid: u32) -> Result<()> {
    // A hundred ticks are a second (USER_HZ, time(7)).
    until_below(pid, u64::try_from(QUIET.as_millis() / 40)?)
}

/// Waits for a while in which a process and all below it use at most `ticks` of processor time.
fn until_below(pid: u32, ticks: u64) -> Result<()> {
    let mut used = u64::MAX;
    let mut since = Instant::now();
    eventually("the processes come to rest", || {
        let now = tree(pid).into_iter().map(|pid| stat(pid).map_or(0, |stat| stat.ticks)).sum::<u64>();
        if now < used || now - used > ticks {
            used = now;
            since = Instant::now();
        }
        Ok((since.elapsed() >= QUIET).then_some(()))
    })
}

/// A process and everything that it started, itself first.
pub(crate) fn tree(root: u32) -> Vec<u32> {
    let numbers = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let all: Vec<(u32, u32)> = numbers
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter_map(|pid| Some((pid, stat(pid)?.parent)))
        .collect();
    let mut found = vec![root];
    let mut next = 0;
    while let Some(parent) = found.get(next).copied() {
        found.extend(all.iter().filter(|(_, of)| *of == parent).map(|(pid, _)| *pid));
        next += 1;
    }
    found
}

/// The processor time that processes have used, in seconds.
pub(crate) fn processor_seconds(pids: &[u32]) -> f64 {
    let ticks: u64 = pids.iter().filter_map(|pid| stat(*pid)).map(|stat| stat.ticks).sum();
    // A hundred to the second on every Linux (USER_HZ, time(7)).
    #[expect(clippy::cast_precision_loss, reason = "a machine doesn't run for that long")]
    let seconds = ticks as f64 / 100.0;
    seconds
}

/// A process's proportional set size in MB (10^6 bytes): its own pages, and its share of those
/// that several processes use.
pub(crate) fn pss_mb(pid: u32) -> Result<f64> {
    let path = format!("/proc/{pid}/smaps_rollup");
    let text = std::fs::read_to_string(&path).with_context(|| format!("can't read {path}"))?;
    let line = text.lines().find_map(|line| line.strip_prefix("Pss:"));
    let kib: Option<f64> = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
    Ok(kib.with_context(|| format!("{path} names no Pss"))? * 1024.0 / 1e6)
}

/// The program's name, as `ps` shows it.
pub(crate) fn name(pid: u32) -> String {
    std::fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default().trim().to_owned()
}

struct Stat {
    parent: u32,
    /// Processor time, in clock ticks.
    ticks: u64,
}

/// Fields 4, 14 and 15 of `/proc/PID/stat` (proc(5)).
fn stat(pid: u32) -> Option<Stat> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, rest) = text.rsplit_once(')')?;
    let fields: Vec<&str> = rest.split_whitespace().collect();
    let ticks = |at: usize| fields.get(at).and_then(|field| field.parse::<u64>().ok());
    Some(Stat { parent: fields.get(1)?.parse().ok()?, ticks: ticks(11)? + ticks(12)? })
}
