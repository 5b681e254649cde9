//! How the gate does with a large record, and how its figures grow with the record: the start, what
//! agents read and look for, the tools that never wait, memory, and durable writes.
//!
//! `cargo xtask generate` makes the records. Each is measured in a copy of its own, without windows
//! and without backups, which would come in between at any time.

#![expect(clippy::print_stdout, reason = "it says which record is measured, and how figures grow")]

mod figures;
mod home;
mod reads;
mod starts;
mod writes;
mod yardstick;

use std::path::PathBuf;

use anyhow::{Context as _, Result, bail};

use crate::options::Options;
use crate::process::{pss_mb, until_calm};
use crate::report::{Goal, Report};
use crate::served::Served;
use crate::stats::Times;
use figures::{Figures, short};
use home::Copied;
use writes::Writes;

const SECTION: &str = "record";
/// Goals hold for records from this size on.
const LARGE: u64 = 1_000_000;
/// The largest that is measured for a quick look.
const QUICK: u64 = 100_000;
/// Megabytes that the gate may weigh.
const MEMORY_MB: f64 = 100.0;

pub(crate) fn run(options: &Options, report: &mut Report) -> Result<()> {
    let records = options.records.as_ref();
    let records = records.context("no records; `cargo xtask bench` makes them, and names them with --records")?;
    let mut sizes: Vec<(u64, PathBuf)> = Vec::new();
    for entry in std::fs::read_dir(records).with_context(|| format!("can't read {}", records.display()))? {
        let path = entry?.path();
        let size = path.file_name().and_then(|name| name.to_str()?.parse().ok());
        sizes.extend(size.filter(|size| !options.quick || *size <= QUICK).map(|size| (size, path)));
    }
    sizes.sort_unstable();
    let Some((largest, _)) = sizes.last().cloned() else {
        bail!("no record is in {}; `cargo xtask bench` makes them", records.display());
    };
    let mut figures = Figures::default();
    for (size, path) in sizes {
        println!("A record of {}:", named(size));
        let copied = Copied::of(&path, records)?;
        copied.become_own(&options.programs)?;
        let writes = (size == largest).then(|| Writes::prepare(&copied)).transpose()?;
        measure(options, size, &copied, writes, report, &mut figures).with_context(|| named(size))?;
    }
    for (name, ratio) in figures.growth() {
        report.figure(SECTION, format!("growth {name}"), ratio, "");
    }
    println!("\n{}", figures.grid());
    Ok(())
}

fn measure(
    options: &Options,
    size: u64,
    copied: &Copied,
    writes: Option<Writes>,
    report: &mut Report,
    figures: &mut Figures,
) -> Result<()> {
    let mut tell = Teller { size, report, figures };
    starts::measure(options, copied, &mut tell)?;
    let (served, _) = Served::start(&options.programs, copied.path())?;
    let mut relay = served.relay()?;
    reads::measure(options, &copied.note, &mut relay, &mut tell)?;
    let mut listener = served.relay()?;
    reads::notified(options, &copied.note, &mut relay, &mut listener, &mut tell)?;
    drop(listener);
    until_calm(served.pid())?;
    tell.figure("memory of the gate", pss_mb(served.pid())?, "MB", Some(MEMORY_MB));
    if let Some(mut writes) = writes {
        writes.measure(options, &mut relay, tell.report)?;
    }
    drop(relay);
    served.stop()
}

/// Where the figures of one record go.
struct Teller<'a> {
    size: u64,
    report: &'a mut Report,
    figures: &'a mut Figures,
}

impl Teller<'_> {
    /// A figure that has to be at most `bound` in a large record.
    fn figure(&mut self, name: &str, value: f64, unit: &'static str, bound: Option<f64>) {
        self.figures.push(name, self.size, value, unit);
        let name = format!("{}: {name}", named(self.size));
        match bound.filter(|_| self.size >= LARGE) {
            Some(bound) => self.report.goal(SECTION, name, value, unit, Goal::AtMost(bound)),
            None => self.report.figure(SECTION, name, value, unit),
        }
    }

    /// Times of one kind of call, of which 99 in 100 have to be at most `bound` milliseconds.
    fn times(&mut self, name: &str, times: &Times, bound: f64) {
        self.figure(&format!("{name}, p50"), times.median(), "ms", None);
        self.figure(&format!("{name}, p99"), times.p99(), "ms", Some(bound));
        self.report.samples(SECTION, format!("{}: {name}", named(self.size)), times);
    }
}

fn named(size: u64) -> String {
    format!("{} messages", short(size))
}
