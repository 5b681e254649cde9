//! How many threads a transcription gets: as many as the machine has free cores. Two threads on a machine
//! that is busy with something else are slower than one.

use std::time::{Duration, Instant};

/// More threads than this make nothing faster.
const MOST: usize = 4;
/// How far back the load is looked at.
const WINDOW: Duration = Duration::from_secs(2);
/// How often it is looked at.
const EVERY: Duration = Duration::from_millis(200);
/// Below this many ticks of all cores together nothing can be said.
const ENOUGH: u64 = 20;

/// What the machine's processors have done since it was started, in ticks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Ticks {
    all: u64,
    idle: u64,
    /// What this program took of it.
    own: u64,
}

/// Watches the load.
#[derive(Debug)]
pub(crate) struct Busy {
    cores: usize,
    seen: Vec<(Instant, Ticks)>,
}

impl Busy {
    pub(crate) fn new() -> Self {
        Self { cores: cores(), seen: Vec::new() }
    }

    /// Has a look, at most every 200 ms.
    pub(crate) fn look(&mut self, now: Instant) {
        if self.seen.last().is_some_and(|(at, _)| now.duration_since(*at) < EVERY) {
            return;
        }
        let Some(ticks) = ticks() else { return };
        self.saw(now, ticks);
    }

    fn saw(&mut self, now: Instant, ticks: Ticks) {
        // One look from before the window stays, so that there is always something to compare with.
        let old = self.seen.iter().take_while(|(at, _)| now.duration_since(*at) > WINDOW).count();
        self.seen.drain(..old.saturating_sub(1));
        self.seen.push((now, ticks));
    }

    /// Threads for a transcription now.
    pub(crate) fn threads(&self) -> i32 {
        let most = self.cores.clamp(1, MOST);
        let threads = match (self.seen.first(), self.seen.last()) {
            (Some((_, first)), Some((_, last))) => free(*first, *last, self.cores).map_or(most, |free| free.min(most)),
            _ => most,
        };
        i32::try_from(threads.max(1)).unwrap_or(1)
    }
}

/// How many cores were free of anything but this program; a core that was free for most of the time counts.
fn free(first: Ticks, last: Ticks, cores: usize) -> Option<usize> {
    let all = last.all.saturating_sub(first.all);
    if all < ENOUGH {
        return None;
    }
    let free = last.idle.saturating_sub(first.idle) + last.own.saturating_sub(first.own);
    let free = free.min(all) as f64 / all as f64 * cores as f64;
    Some((free + 0.4) as usize)
}

/// The cores of the machine that are really there, of those that this program may use.
fn cores() -> usize {
    let usable = std::thread::available_parallelism().map_or(1, usize::from);
    physical().map_or(usable, |physical| usable.min(physical)).max(1)
}

#[cfg(target_os = "linux")]
fn physical() -> Option<usize> {
    let folder = std::fs::read_dir("/sys/devices/system/cpu").ok()?;
    let siblings = folder
        .filter_map(|entry| std::fs::read_to_string(entry.ok()?.path().join("topology/thread_siblings_list")).ok());
    let cores: std::collections::HashSet<String> = siblings.collect();
    (!cores.is_empty()).then_some(cores.len())
}

/// Where two threads share a core on most machines, and it can't be asked for simply.
#[cfg(not(target_os = "linux"))]
fn physical() -> Option<usize> {
    let usable = std::thread::available_parallelism().ok()?.get();
    Some(if cfg!(target_arch = "x86_64") { usable.div_ceil(2) } else { usable })
}

#[cfg(target_os = "linux")]
fn ticks() -> Option<Ticks> {
    let machine = std::fs::read_to_string("/proc/stat").ok()?;
    let own = std::fs::read_to_string("/proc/self/stat").ok()?;
    parsed(&machine, &own)
}

#[cfg(not(target_os = "linux"))]
fn ticks() -> Option<Ticks> {
    None
}

#[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "only Linux has these files"))]
fn parsed(machine: &str, own: &str) -> Option<Ticks> {
    let line = machine.lines().next()?.strip_prefix("cpu ")?;
    // user, nice, system, idle, iowait, irq, softirq, steal; guests are in user already.
    let ticks: Vec<u64> = line.split_whitespace().take(8).filter_map(|number| number.parse().ok()).collect();
    let [_, _, _, idle, waiting, ..] = ticks[..] else { return None };
    // The name of the program is in brackets and may have anything in it; the 12th and 13th after it are ours.
    let (_, own) = own.rsplit_once(')')?;
    let mut own = own.split_whitespace().skip(11).map_while(|number| number.parse::<u64>().ok());
    let own = own.next()? + own.next()?;
    Some(Ticks { all: ticks.iter().sum(), idle: idle + waiting, own })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ticks(all: u64, idle: u64, own: u64) -> Ticks {
        Ticks { all, idle, own }
    }

    #[test]
    fn free_cores_are_counted() {
        let none = ticks(0, 0, 0);
        let cases = [
            (ticks(400, 400, 0), 2, Some(2)),
            (ticks(400, 0, 400), 2, Some(2)),
            (ticks(400, 200, 0), 2, Some(1)),
            (ticks(400, 40, 100), 2, Some(1)),
            (ticks(400, 0, 20), 2, Some(0)),
            (ticks(800, 650, 0), 8, Some(6)),
            (ticks(19, 19, 0), 2, None),
        ];
        for (last, cores, wanted) in cases {
            assert_eq!(free(none, last, cores), wanted, "{last:?} on {cores} cores");
        }
    }

    #[test]
    fn a_machine_that_gets_busy_leaves_one_thread() {
        let begin = Instant::now();
        let mut busy = Busy { cores: 2, seen: Vec::new() };
        assert_eq!(busy.threads(), 2, "nothing is known yet");
        busy.saw(begin, ticks(0, 0, 0));
        busy.saw(begin + Duration::from_secs(1), ticks(200, 195, 0));
        assert_eq!(busy.threads(), 2);
        for second in 2..6 {
            busy.saw(begin + Duration::from_secs(second), ticks(second * 200, 195, 0));
        }
        assert_eq!(busy.threads(), 1, "what was before the last seconds doesn't count");
        assert!(busy.seen.len() <= 4, "and is forgotten");
    }

    #[test]
    fn the_systems_files_are_read() {
        let machine = "cpu  100 1 20 300 5 2 3 4 9 9\ncpu0 1 2 3\n";
        let own = "42 (a) b) R 1 2 3 4 5 6 7 8 9 10 70 7 0 0 20 0 1 0";
        assert_eq!(parsed(machine, own), Some(ticks(435, 305, 77)));
        assert_eq!(parsed("", own), None);
        assert_eq!(parsed(machine, "42"), None);
        if cfg!(target_os = "linux") {
            assert!(super::ticks().is_some(), "this machine's files can be read");
        }
        assert!(cores() >= 1);
    }
}
