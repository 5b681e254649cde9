//! Two lanes of steps beside each other.
//!
//! What the main lane's steps print is seen at once; what the other lane's print is seen when the step has ended, so
//! that the two don't mix.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::Result;

use super::steps::{Done, Lane, Step};

/// How one step ended.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) name: &'static str,
    pub(super) ended: Ended,
    pub(super) time: Duration,
    /// What its processes took of the processors; absent where the system doesn't tell.
    pub(super) processor: Option<Duration>,
}

impl Row {
    /// That of a step which wasn't asked for.
    pub(super) fn left_out(step: &Step) -> Self {
        Self { name: step.name, ended: Ended::LeftOut, time: Duration::ZERO, processor: None }
    }
}

/// In which way a step ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ended {
    Well(Done),
    Failed,
    /// Something before it failed.
    NotTaken,
    /// It wasn't asked for: nothing that it looks at has changed.
    LeftOut,
}

/// What a step tells when it was taken.
pub(super) struct Taken {
    pub(super) result: Result<Done>,
    pub(super) processor: Option<Duration>,
    /// What it printed, where that wasn't seen yet.
    pub(super) printed: String,
}

/// All steps, and the first failure.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    /// In the order in which they ended.
    pub(super) rows: Vec<Row>,
    pub(super) error: Option<anyhow::Error>,
}

/// Takes `steps`, each lane's in their order, each step when what it needs has ended. After a failure no step begins,
/// unless `keep_going`; a step whose need failed isn't taken in any case.
pub(super) fn take(steps: &[&Step], keep_going: bool, take_one: &(dyn Fn(&Step) -> Taken + Sync)) -> Outcome {
    let run = Run { steps, keep_going, outcome: Mutex::default(), ended: Condvar::new() };
    std::thread::scope(|scope| {
        for lane in [Lane::Main, Lane::Beside] {
            let run = &run;
            scope.spawn(move || run.lane(lane, take_one));
        }
    });
    run.outcome.into_inner().unwrap_or_else(PoisonError::into_inner)
}

struct Run<'a> {
    steps: &'a [&'a Step],
    keep_going: bool,
    outcome: Mutex<Outcome>,
    /// Told whenever a step has ended.
    ended: Condvar,
}

impl Run<'_> {
    fn lane(&self, lane: Lane, take_one: &(dyn Fn(&Step) -> Taken + Sync)) {
        for (index, step) in self.steps.iter().enumerate().filter(|(_, step)| step.lane == lane) {
            if !self.may_begin(step) {
                self.end(step, Ended::NotTaken, Duration::ZERO, None, None);
                continue;
            }
            let beside = if lane == Lane::Beside { ", beside the others" } else { "" };
            println!("\n== {}/{} {}{beside} ==", index + 1, self.steps.len(), step.name);
            let begin = Instant::now();
            let Taken { result, processor, printed } = take_one(step);
            let time = begin.elapsed();
            if !printed.is_empty() {
                println!("\n-- {} printed:\n{}", step.name, printed.trim_end());
            }
            match result {
                Ok(done) => {
                    let how = match done {
                        Done::Taken => "ok",
                        Done::Part => "ok, in part",
                        Done::Unchanged => "ok: nothing has changed since",
                    };
                    println!("-- {} {how}, {}", step.name, seconds(time));
                    self.end(step, Ended::Well(done), time, processor, None);
                }
                Err(error) => {
                    println!("-- {} FAILED after {}: {error:#}", step.name, seconds(time));
                    let error = error.context(format!("step `{}`", step.name));
                    self.end(step, Ended::Failed, time, processor, Some(error));
                }
            }
        }
    }

    /// Waits for what comes before `step`; false where it can't be taken any more.
    fn may_begin(&self, step: &Step) -> bool {
        let taken = |names: &'static [&'static str]| names.iter().copied().filter(|name| self.is_taken(name));
        let needs: Vec<&str> = taken(step.needs).collect();
        let before: Vec<&str> = taken(step.after).chain(needs.iter().copied()).collect();
        let mut outcome = self.outcome();
        loop {
            if outcome.error.is_some() && !self.keep_going {
                return false;
            }
            let ended: BTreeMap<&str, Ended> = outcome.rows.iter().map(|row| (row.name, row.ended)).collect();
            if needs.iter().any(|name| matches!(ended.get(name), Some(Ended::Failed | Ended::NotTaken))) {
                return false;
            }
            if before.iter().all(|name| ended.contains_key(name)) {
                return true;
            }
            outcome = self.ended.wait(outcome).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn is_taken(&self, name: &str) -> bool {
        self.steps.iter().any(|step| step.name == name)
    }

    fn end(
        &self,
        step: &Step,
        ended: Ended,
        time: Duration,
        processor: Option<Duration>,
        error: Option<anyhow::Error>,
    ) {
        let mut outcome = self.outcome();
        outcome.rows.push(Row { name: step.name, ended, time, processor });
        if outcome.error.is_none() {
            outcome.error = error;
        }
        self.ended.notify_all();
    }

    fn outcome(&self) -> MutexGuard<'_, Outcome> {
        self.outcome.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A time as the tables show it.
pub(super) fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use anyhow::anyhow;

    use super::super::steps::STEPS;
    use super::*;

    /// Takes the real plan; the steps named `broken` fail. Gives the outcome and what was taken.
    fn taken(broken: &[&str], keep_going: bool) -> (Outcome, Vec<&'static str>) {
        let names = Mutex::new(Vec::new());
        let steps: Vec<&Step> = STEPS.iter().collect();
        let outcome = take(&steps, keep_going, &|step| {
            names
                .lock()
                .expect("no step panics")
                .push(STEPS.iter().find(|each| each.name == step.name).map_or("", |each| each.name));
            let result = if broken.contains(&step.name) { Err(anyhow!("broken")) } else { Ok(Done::Taken) };
            Taken { result, processor: None, printed: String::new() }
        });
        (outcome, names.into_inner().expect("no step panics"))
    }

    #[test]
    fn every_step_is_taken_and_the_tests_run_alone() {
        let (outcome, names) = taken(&[], false);
        assert!(outcome.error.is_none(), "nothing failed");
        assert_eq!(names.len(), STEPS.len(), "each step is taken once: {names:?}");
        let place = |name: &str| names.iter().position(|each| *each == name);
        for beside in STEPS.iter().filter(|step| step.lane == Lane::Beside) {
            assert!(place(beside.name) < place("tests"), "{} would disturb what the tests measure", beside.name);
        }
        assert!(place("build") < place("conformance"), "the suite needs the program: {names:?}");
    }

    #[test]
    fn the_first_failure_stops_both_lanes_and_is_the_one_told() {
        let (outcome, names) = taken(&["set-up"], false);
        assert_eq!(names, ["set-up"], "nothing is built on what failed");
        let error = outcome.error.expect("the step failed");
        assert_eq!(format!("{error:#}"), "step `set-up`: broken", "the message names the step and its cause");
        assert_eq!(outcome.rows.len(), STEPS.len(), "the summary says of each step what became of it");
    }

    #[test]
    fn keep_going_takes_all_but_what_needs_the_failed_step() {
        let (outcome, names) = taken(&["build"], true);
        assert!(outcome.error.is_some(), "the exit code is the failure's");
        assert!(!names.contains(&"conformance"), "it has no program to try");
        for other in ["build", "tests", "doc tests"] {
            assert!(names.contains(&other), "{other} was asked for: {names:?}");
        }
        let (outcome, names) = taken(&["ui browser", "clippy"], true);
        assert!(names.contains(&"tests"), "a view that differs says nothing of them: {names:?}");
        let told = format!("{:#}", outcome.error.expect("two steps failed"));
        assert!(told.contains("ui browser") || told.contains("clippy"), "one of them is told: {told}");
    }
}
