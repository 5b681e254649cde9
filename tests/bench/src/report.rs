//! What was measured: a table for people, JSON for programs.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result};
use serde::Serialize;
use serde_json::Value;

use crate::last_release::{LastRelease, Was};
use crate::machine::Machine;
use crate::stats::Times;

/// What a figure should be.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Goal {
    AtMost(f64),
    AtLeast(f64),
}

impl Goal {
    fn is_met(self, value: f64) -> bool {
        match self {
            Self::AtMost(bound) => value <= bound,
            Self::AtLeast(bound) => value >= bound,
        }
    }
}

#[derive(Debug, Serialize)]
struct Row {
    section: &'static str,
    name: String,
    value: f64,
    unit: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    goal: Option<Goal>,
    #[serde(skip_serializing_if = "Option::is_none")]
    met: Option<bool>,
}

/// All samples of one thing, for whoever wants to look at their distribution.
#[derive(Debug, Serialize)]
struct Samples {
    section: &'static str,
    name: String,
    milliseconds: Vec<f64>,
}

/// The figures so far.
#[derive(Debug, Default)]
pub(crate) struct Report {
    rows: Vec<Row>,
    samples: Vec<Samples>,
    last: LastRelease,
}

impl Report {
    /// One that says beside its figures what they were.
    pub(crate) fn beside(last: LastRelease) -> Self {
        Self { last, ..Self::default() }
    }

    pub(crate) fn figure(&mut self, section: &'static str, name: impl Into<String>, value: f64, unit: &'static str) {
        self.rows.push(Row { section, name: name.into(), value, unit, goal: None, met: None });
    }

    pub(crate) fn goal(
        &mut self,
        section: &'static str,
        name: impl Into<String>,
        value: f64,
        unit: &'static str,
        goal: Goal,
    ) {
        let met = Some(goal.is_met(value));
        self.rows.push(Row { section, name: name.into(), value, unit, goal: Some(goal), met });
    }

    /// Keeps every sample in the JSON.
    pub(crate) fn samples(&mut self, section: &'static str, name: impl Into<String>, times: &Times) {
        let milliseconds = times.0.iter().map(|time| (time * 1000.0).round() / 1000.0).collect();
        self.samples.push(Samples { section, name: name.into(), milliseconds });
    }

    /// The table, as Markdown, so that it can be put into a document as it is.
    pub(crate) fn table(&self) -> String {
        let mut rows = vec![["what", "measured", "last release", "goal", ""].map(str::to_owned)];
        rows.extend(self.rows.iter().map(|row| {
            let goal = match row.goal {
                None => String::new(),
                Some(Goal::AtMost(bound)) => format!("≤ {}", number(bound, row.unit)),
                Some(Goal::AtLeast(bound)) => format!("≥ {}", number(bound, row.unit)),
            };
            let verdict = row.met.map_or("", |met| if met { "met" } else { "MISSED" });
            let was = self.last.of(row.section, &row.name);
            let was = was.map_or_else(String::new, |was| number(was.value, &was.unit));
            [format!("{}: {}", row.section, row.name), number(row.value, row.unit), was, goal, verdict.to_owned()]
        }));
        let mut widths = [0; 5];
        for row in &rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(cell.chars().count());
            }
        }
        let mut table = String::new();
        for (index, [what, measured, was, goal, verdict]) in rows.iter().enumerate() {
            let [a, b, c, d, e] = widths;
            // Writing to a string doesn't fail.
            let _ = writeln!(table, "| {what:<a$} | {measured:>b$} | {was:>c$} | {goal:>d$} | {verdict:<e$} |");
            if index == 0 {
                let [a, b, c, d, e] = widths.map(|width| "-".repeat(width));
                let _ = writeln!(table, "|-{a}-|-{b}:|-{c}:|-{d}:|-{e}-|");
            }
        }
        table
    }

    /// Puts the figures into the table of the last release, as those of the version `at`.
    pub(crate) fn keep(&self, file: &Path, at: &str) -> Result<()> {
        let now = self.rows.iter().map(|row| Was {
            section: row.section.to_owned(),
            name: row.name.clone(),
            value: row.value,
            unit: row.unit.to_owned(),
            at: at.to_owned(),
        });
        self.last.renew(now.collect(), file)
    }

    /// Writes the JSON.
    pub(crate) fn write(&self, file: &Path, machine: &Machine, command: &str) -> Result<()> {
        let json: Value = serde_json::json!({
            "command": command,
            "machine": machine,
            "figures": self.rows,
            "samples": self.samples,
        });
        let text = serde_json::to_string_pretty(&json).context("figures are plain numbers")?;
        std::fs::write(file, text + "\n").with_context(|| format!("can't write {}", file.display()))
    }
}

/// A figure with as many digits as it deserves.
pub(crate) fn number(value: f64, unit: &str) -> String {
    let digits = match value.abs() {
        100.0.. => 0,
        10.0.. => 1,
        _ => 2,
    };
    let text = format!("{value:.digits$}");
    if unit.is_empty() { text } else { format!("{text} {unit}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_says_which_goals_are_met_and_what_was() {
        let was = Was {
            section: "start".to_owned(),
            name: "median".to_owned(),
            value: 9.876,
            unit: "ms".to_owned(),
            at: "0.1.0".to_owned(),
        };
        let mut report = Report::beside(LastRelease(vec![was]));
        report.goal("start", "median", 12.5, "ms", Goal::AtMost(10.0));
        report.goal("read", "ratio", 0.5, "", Goal::AtLeast(0.5));
        report.figure("read", "calls", 4321.0, "/s");
        assert_eq!(
            report.table(),
            "\
| what          | measured | last release |      goal |        |
|---------------|---------:|-------------:|----------:|--------|
| start: median |  12.5 ms |      9.88 ms | ≤ 10.0 ms | MISSED |
| read: ratio   |     0.50 |              |    ≥ 0.50 | met    |
| read: calls   |  4321 /s |              |           |        |
",
            "a bound itself is met, and a figure without a goal has no verdict"
        );
    }
}
