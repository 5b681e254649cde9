//! Durable writes: progress reports through a relay, each answered after its commit, beside what SQLite
//! reaches with the same statement in the same minute.

use std::time::Duration;

use anyhow::Result;
use serde_json::{Value, json};

use super::SECTION;
use super::home::Copied;
use super::yardstick::{Row, Sqlite};
use crate::client::Client;
use crate::options::Options;
use crate::report::{Goal, Report};
use crate::stats::Times;

/// Sessions that report in turns.
const SESSIONS: usize = 8;
/// How many reports are under way.
const IN_FLIGHT: [u32; 2] = [1, 32];
/// As a part of SQLite's own speed.
const RATIO: f64 = 0.5;
/// Milliseconds that 99 of 100 reports may take where one follows the other.
const REPORT_MS: f64 = 5.0;

/// What is written, in both ways.
pub(super) struct Writes {
    sqlite: Sqlite,
    rows: Vec<Row>,
    calls: Vec<Value>,
}

impl Writes {
    /// Makes SQLite's own database; no gate may run on the copy yet.
    pub(super) fn prepare(copied: &Copied) -> Result<Self> {
        let mut sqlite = Sqlite::like(&copied.database(), &copied.path().join("yardstick.db"))?;
        let sessions: Vec<&String> = copied.note.some.iter().take(SESSIONS).collect();
        let steps: Result<Vec<String>> = sessions.iter().map(|session| sqlite.steps(session)).collect();
        let steps = steps?;
        let mut rows = Vec::new();
        // 100 in turns over 8 sessions: a session's next report is another one.
        for (percent, (session, steps)) in (0..100).zip(sessions.into_iter().zip(&steps).cycle()) {
            rows.push(Row {
                session_uuid: session.clone(),
                percent,
                status_message: format!("reading file {percent} of 100"),
                step_name: "reading".to_owned(),
                steps: steps.clone(),
            });
        }
        let calls = rows.iter().map(|row| {
            let arguments = json!({
                "session_uuid": row.session_uuid, "progress_percent": row.percent,
                "status_message": row.status_message, "step_name": row.step_name,
            });
            json!({"name": "review_gate_update_progress", "arguments": arguments})
        });
        let calls = calls.collect();
        Ok(Self { sqlite, rows, calls })
    }

    pub(super) fn measure(&mut self, options: &Options, relay: &mut Client, report: &mut Report) -> Result<()> {
        let time = Duration::from_millis(options.pick(1000, 300).into());
        for in_flight in IN_FLIGHT {
            let (mut ours, mut theirs, mut times) = (Times::default(), Times::default(), Times::default());
            // In turns, so that both have the same share of what else the machine does.
            for round in 0..=options.pick(8, 3) {
                let our = relay.load_all("tools/call", self.calls.iter().cycle(), in_flight, time)?;
                let their = self.sqlite.load(&self.rows, time)?;
                if round > 0 {
                    ours.0.push(our.rate);
                    times.0.extend(our.times.0);
                    theirs.0.push(their);
                }
            }
            let name = format!("progress reports, {in_flight} in flight");
            let (our, their) = (ours.median(), theirs.median());
            report.figure(SECTION, &name, our, "/s");
            report.figure(SECTION, format!("{name}, SQLite alone"), their, "/s");
            report.goal(SECTION, format!("{name}, ratio"), our / their, "", Goal::AtLeast(RATIO));
            if in_flight == 1 {
                report.figure(SECTION, format!("{name}, p50"), times.median(), "ms");
                report.goal(SECTION, format!("{name}, p99"), times.p99(), "ms", Goal::AtMost(REPORT_MS));
            }
        }
        Ok(())
    }
}
