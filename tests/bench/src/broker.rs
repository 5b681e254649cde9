//! Reviews of agents over HTTP, each client with a token of its own: how many are submitted and claimed a second, how soon a
//! waiting call hears of what happens among a thousand that wait, and lists of a great many.
//!
//! The figures that `broker.md` compares with are those of gsd-review-broker 0.1.0, measured on such a machine: it isn't
//! installed here.

mod lists;
mod pace;
mod scene;
mod waiting;

use anyhow::Result;

use crate::options::Options;
use crate::report::{Goal, Report};
use scene::Scene;

const SECTION: &str = "broker";
/// Clients that do the same at once.
const CLIENTS: usize = 32;

pub(crate) fn run(options: &Options, report: &mut Report) -> Result<()> {
    let scene = Scene::new(options)?;
    pace::submitting(options, &scene, report)?;
    drop(scene);
    let scene = Scene::new(options)?;
    pace::claiming(options, &scene, report)?;
    pace::racing(options, &scene, report)?;
    drop(scene);
    let scene = Scene::new(options)?;
    waiting::measure(options, &scene, report)?;
    drop(scene);
    let sizes: &[u32] = if options.quick { &[10_000, 100_000] } else { &[10_000, 100_000, 1_000_000] };
    lists::measure(options, sizes, report)
}

fn at_least(report: &mut Report, name: &str, value: f64, unit: &'static str, bound: f64) {
    report.goal(SECTION, name, value, unit, Goal::AtLeast(bound));
}

fn at_most(report: &mut Report, name: impl Into<String>, value: f64, unit: &'static str, bound: f64) {
    report.goal(SECTION, name, value, unit, Goal::AtMost(bound));
}
