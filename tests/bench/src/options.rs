//! What is measured, how often, and with which programs.

use std::path::PathBuf;

use clap::{Parser, ValueEnum};

/// Measures the built programs from outside. `cargo xtask bench` builds what it needs and runs it.
#[derive(Debug, Parser)]
pub(crate) struct Options {
    /// The folder with review-gate and review-gate-desktop
    #[arg(long, value_name = "FOLDER")]
    pub(crate) programs: PathBuf,
    /// The bare MCP server to compare calls with
    #[arg(long, value_name = "FILE")]
    pub(crate) echo: PathBuf,
    /// mcp-feedback-collector's program, to compare windows with
    #[arg(long, value_name = "FILE")]
    pub(crate) peer: PathBuf,
    /// server-everything's index.js, to compare calls with; where it is missing, the others are compared
    #[arg(long, value_name = "FILE")]
    pub(crate) everything: Option<PathBuf>,
    /// A folder of generated records, each in a folder named after its number of messages
    #[arg(long, value_name = "FOLDER")]
    pub(crate) records: Option<PathBuf>,
    /// The folder of speech models
    #[arg(long, value_name = "FOLDER")]
    pub(crate) models: Option<PathBuf>,
    /// Where the figures and samples are kept as JSON
    #[arg(long, value_name = "FILE")]
    pub(crate) json: PathBuf,
    /// What figures were at the last release, to be told beside them
    #[arg(long, value_name = "FILE")]
    pub(crate) last: Option<PathBuf>,
    /// Put this run's figures there, as those of this version
    #[arg(long, value_name = "VERSION", requires = "last")]
    pub(crate) keep: Option<String>,
    /// Fewer samples: for a first look, not for the record
    #[arg(long)]
    pub(crate) quick: bool,
    /// Measure only this; may be given several times
    #[arg(long, value_name = "NAME")]
    only: Vec<Section>,
    /// The command that stands beside the figures
    #[arg(long, default_value = "gate-bench", value_name = "TEXT")]
    pub(crate) command: String,
}

/// Something that is measured by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Section {
    /// Call → question on the screen
    Painted,
    /// Reply → result at the client
    Reply,
    /// A receipt on the disk, and verifying one
    Receipt,
    /// A relay's start, with a gate and without one, and its memory
    Start,
    /// Memory with twenty waiting calls
    Waiting,
    /// Processor time of the hidden app
    Idle,
    /// Calls that only read
    Read,
    /// The same over HTTP and stdio, by many at once
    Http,
    /// Reads, searches and writes of records of 10^4, 10^5 and 10^6 messages
    Record,
    /// Agents' reviews: submitting, claiming, lists of 10^5 and 10^6, a thousand that wait
    Broker,
    /// Two thousand prompts from a repository
    Prompts,
    /// Speech: words understood, time to text, memory
    Voice,
}

impl Options {
    /// The sections to measure, in their order.
    pub(crate) fn sections(&self) -> impl Iterator<Item = Section> {
        let wanted = |section: &Section| self.only.is_empty() || self.only.contains(section);
        Section::value_variants().iter().copied().filter(wanted)
    }

    /// How many: as usual, or for a quick look.
    pub(crate) fn pick(&self, usual: u32, quick: u32) -> u32 {
        if self.quick { quick } else { usual }
    }
}
