//! Why nothing pops up: looks at the whole chain, from the program over the gate and the desktop to
//! what each client starts, and says of each part what is wrong and the one command that mends it.
//!
//! It looks and changes nothing. What it says can be pasted into a bug report: see [`Privacy`]. It
//! knows nothing of how findings are shown, and asks a running gate only what any terminal may.

mod asking;
mod bus;
mod clients;
mod display;
mod environment;
mod finding;
mod folders;
mod gate;
mod network;
#[cfg(target_os = "linux")]
mod others;
mod popup;
mod privacy;
mod probe;
mod program;
mod prompts;
mod questions;
mod record;
mod run;
mod service;
mod settings;
mod shell;
mod sound;
#[cfg_attr(not(any(target_os = "linux", test)), expect(dead_code, reason = "only Linux has a session bus to tell of"))]
mod words;

use std::time::Instant;

use gate_api::{DoctorReport, Finding, Level};

pub use environment::Environment;
pub use popup::{Seen, test_request};
pub use privacy::Privacy;

/// Looks at everything. `progress` hears what is being looked at, a few words at a time.
///
/// Blocks its thread for short moments on the disk, and takes up to half a minute where clients'
/// commands hang. Dropping it ends what it has started.
pub async fn examine(environment: &Environment, progress: impl Fn(&str)) -> DoctorReport {
    let begin = Instant::now();
    let mut findings = Vec::new();
    progress("the programs");
    findings.extend(program::check(environment).await);
    #[cfg(target_os = "linux")]
    findings.extend(others::check(environment).await);
    progress("the folders");
    findings.extend(folders::check(environment));
    let (settings, found) = settings::check(environment);
    findings.extend(found);
    progress("the gate");
    let gate = gate::look(environment).await;
    findings.extend(gate::check(environment, &gate));
    findings.extend(network::check(&settings, &gate).await);
    progress("the record");
    findings.extend(record::check(environment, &settings, &gate).await);
    findings.extend(service::check(&settings).await);
    progress("the prompts");
    findings.extend(prompts::check(environment, &gate).await);
    progress("the desktop");
    let display = display::look(environment).await;
    findings.extend(display::check(environment, &display, &gate));
    findings.extend(bus::check(environment, &display).await);
    progress("voice");
    findings.extend(sound::check(environment, &settings).await);
    findings.extend(clients::check(environment, &gate, &progress).await);
    findings.extend(questions::check(environment, &gate, &progress).await);
    let privacy = environment.privacy();
    let mut findings: Vec<Finding> = findings.into_iter().map(|finding| privacy.cleaned(finding)).collect();
    // Stable: what belongs together stays together.
    findings.sort_by_key(|finding| finding.level);
    let took_ms = u64::try_from(begin.elapsed().as_millis()).unwrap_or(u64::MAX);
    DoctorReport { findings, took_ms }
}

/// Whether something doesn't work.
#[must_use]
pub fn has_fault(findings: &[Finding]) -> bool {
    findings.iter().any(|finding| finding.level == Level::Fault)
}
