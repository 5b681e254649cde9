//! What each step takes: the table, and how it compares with the times on record.
//!
//! The record, `.ci/times.tsv`, is of a run on a clean clone with two cores. What is compared is the processors' time,
//! which says more than the clock on a machine that others use, too; of some steps the clock is, too.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, Result};

use super::lanes::{Ended, Row, seconds};
use crate::workspace::Workspace;

/// A step is said to have grown when it takes this much more than on record.
const GROWN: f64 = 1.2;
/// Steps below this are too short to say anything.
const SHORT: Duration = Duration::from_secs(10);

/// Steps of which the clock is compared, too: Chromium's processes, and gates that outlive who started them, are nobody's
/// children, and what they take of the processors isn't seen.
const BY_CLOCK: [&str; 2] = ["ui browser", "tests"];

/// Times on record: the clock's and the processors', by step.
type Record = BTreeMap<String, (f64, f64)>;

/// Whether nothing of the product is built, so that the times are those of a clean clone.
pub(super) fn is_clean(workspace: &Workspace) -> bool {
    let fingerprints = std::fs::read_dir(workspace.target.join("debug/.fingerprint"));
    let mut names = fingerprints.into_iter().flatten().flatten().map(|entry| entry.file_name());
    !names.any(|name| name.to_string_lossy().starts_with("gate-core-"))
}

/// Prints a row for each step, and all together.
pub(super) fn print(rows: &[Row], all: Duration) {
    println!("\n{}", table(rows, all));
}

fn table(rows: &[Row], all: Duration) -> String {
    let mut text = format!("{:<14}{:<11}{:>10}{:>14}\n", "step", "result", "time", "processors");
    for row in rows {
        let result = match row.ended {
            Ended::Well(done) => done.word(),
            Ended::Failed => "FAILED",
            Ended::NotTaken => "not taken",
            Ended::LeftOut => "left out",
        };
        let processors = row.processor.map_or_else(String::new, seconds);
        _ = writeln!(text, "{:<14}{result:<11}{:>10}{processors:>14}", row.name, seconds(row.time));
    }
    let processors: Duration = rows.iter().filter_map(|row| row.processor).sum();
    _ = write!(text, "{:<25}{:>10}{:>14}", "all", seconds(all), seconds(processors));
    text
}

/// Says which steps take more than a fifth more than on record.
pub(super) fn compare(workspace: &Workspace, rows: &[Row]) -> Result<()> {
    let file = record(workspace);
    if !file.exists() {
        return Ok(());
    }
    let text = std::fs::read_to_string(&file).with_context(|| format!("can't read {}", file.display()))?;
    for line in grown(&parse(&text)?, rows) {
        println!("{line}");
    }
    Ok(())
}

fn grown(record: &Record, rows: &[Row]) -> Vec<String> {
    let told = rows.iter().flat_map(|row| {
        let then = record.get(row.name);
        let processors =
            then.zip(row.processor).and_then(|(then, now)| longer(row.name, now, then.1, "the processors"));
        let clock = then.filter(|_| BY_CLOCK.contains(&row.name));
        [processors, clock.and_then(|then| longer(row.name, row.time, then.0, "the clock"))].into_iter().flatten()
    });
    told.collect()
}

/// What is said of a step that takes so much longer by `measure`.
fn longer(step: &str, now: Duration, then: f64, measure: &str) -> Option<String> {
    let is_longer = now > SHORT && now.as_secs_f64() > then * GROWN;
    is_longer.then(|| {
        let more = (now.as_secs_f64() / then.max(1.0) - 1.0) * 100.0;
        format!("{step} has grown by {more:.0} %: {} of {measure}, {then:.1} s on record", seconds(now))
    })
}

/// Puts this run on record.
pub(super) fn keep(workspace: &Workspace, rows: &[Row]) -> Result<()> {
    let file = record(workspace);
    std::fs::write(&file, written(rows)).with_context(|| format!("can't write {}", file.display()))?;
    println!("{} holds the times of this run", file.display());
    Ok(())
}

fn record(workspace: &Workspace) -> PathBuf {
    workspace.root.join(".ci/times.tsv")
}

fn written(rows: &[Row]) -> String {
    let mut text =
        "# Seconds of each step of `cargo xtask test` on a clean clone, two cores: clock, processors.\n".to_owned();
    for row in rows {
        let processors = row.processor.unwrap_or_default();
        _ = writeln!(text, "{}\t{:.1}\t{:.1}", row.name, row.time.as_secs_f64(), processors.as_secs_f64());
    }
    text
}

fn parse(text: &str) -> Result<Record> {
    let rows = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    let parsed = rows.map(|line| {
        let mut cells = line.split('\t');
        let mut next = || cells.next().with_context(|| format!("{line:?} isn't a step and two times"));
        let (name, clock, processors) = (next()?.to_owned(), next()?.parse()?, next()?.parse()?);
        Ok((name, (clock, processors)))
    });
    parsed.collect()
}

/// What this process and its children that have ended took of the processors.
#[must_use]
pub(super) fn own_processor_time() -> Option<Duration> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The name in parentheses may hold blanks; utime, stime, cutime and cstime are fields 14 to 17, in ticks of which
    // Linux shows a hundred a second (proc_pid_stat(5)).
    let after_name = stat.rsplit_once(')')?.1;
    let ticks: u64 = after_name.split_whitespace().skip(11).take(4).filter_map(|field| field.parse::<u64>().ok()).sum();
    Some(Duration::from_millis(ticks * 10))
}

#[cfg(test)]
mod tests {
    use super::super::steps::{Done, STEPS};
    use super::*;

    fn row(name: &'static str, processors: u64) -> Row {
        let time = Duration::from_secs(processors);
        Row { name, ended: Ended::Well(Done::Taken), time, processor: Some(time) }
    }

    #[test]
    fn what_is_put_on_record_is_read_again_and_growth_is_told() {
        let record =
            parse(&written(&[row("clippy", 100), row("build", 100), row("format", 2)])).expect("it was written here");
        assert_eq!(record.get("clippy"), Some(&(100.0, 100.0)), "clock and processors");
        let told = grown(&record, &[row("clippy", 119), row("build", 150), row("format", 9), row("new", 50)]);
        assert_eq!(
            told,
            ["build has grown by 50 %: 150.0 s of the processors, 100.0 s on record"],
            "less than a fifth, short steps and steps without a record aren't told"
        );
    }

    #[test]
    fn what_outlives_its_step_is_told_by_the_clock() {
        let names = ["ui browser", "tests", "clippy"];
        let record = parse(&written(&names.map(|name| row(name, 100)))).expect("it was written here");
        let slower = |name| Row { time: Duration::from_secs(150), ..row(name, 100) };
        let told = grown(&record, &names.map(slower));
        let expected = ["ui browser", "tests"]
            .map(|name| format!("{name} has grown by 50 %: 150.0 s of the clock, 100.0 s on record"));
        assert_eq!(told, expected, "elsewhere a busy machine says nothing of the step");
        let is_step = |name: &&str| STEPS.iter().any(|step| step.name == *name);
        assert!(BY_CLOCK.iter().all(is_step), "a step of another name would never be compared: {BY_CLOCK:?}");
    }

    #[test]
    fn every_step_has_a_line_in_the_table() {
        let failed = Row { name: "tests", ended: Ended::Failed, time: Duration::from_secs(3), processor: None };
        let text = table(&[row("clippy", 61), failed], Duration::from_secs(64));
        let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
        assert_eq!(
            lines,
            [
                "step          result           time    processors",
                "clippy        ok             61.0 s        61.0 s",
                "tests         FAILED          3.0 s",
                "all                          64.0 s        61.0 s",
            ]
        );
    }
}
