//! How much one rendering may take. It is kept by thread: a rendering has one to itself.

use std::cell::RefCell;
use std::time::{Duration, Instant};

use gate_core::{Fault, Timestamp, bounds};
use handlebars::{RenderError, RenderErrorReason};

/// What one rendering may take.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    pub(super) millis: u64,
    pub(super) bytes: usize,
    /// What the templates take for the present moment.
    pub(super) now: Timestamp,
}

/// Why a rendering was stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Stop {
    /// It took too long.
    Time,
    /// It became too large.
    Size,
    /// Partials put each other in too deep, or without end.
    Depth,
    /// A template can't be rendered with these values.
    Template {
        /// The partial; absent for the prompt itself.
        partial: Option<String>,
        /// The line in the template.
        line: Option<usize>,
        /// What is wrong.
        cause: String,
    },
    /// Something else.
    Fault(Fault),
}

#[derive(Debug)]
struct Budget {
    until: Instant,
    /// Of everything that was made on the way, which may be more than what comes out.
    made: usize,
    bytes: usize,
    depth: usize,
    now: Timestamp,
    stopped: Option<Stop>,
}

thread_local! {
    static BUDGET: RefCell<Option<Budget>> = const { RefCell::new(None) };
}

/// While it lives, a rendering runs on this thread.
pub(super) struct Running;

impl Drop for Running {
    fn drop(&mut self) {
        BUDGET.with_borrow_mut(Option::take);
    }
}

pub(super) fn begin(limits: &Limits) -> Running {
    let budget = Budget {
        until: Instant::now() + Duration::from_millis(limits.millis),
        made: 0,
        bytes: limits.bytes,
        depth: 0,
        now: limits.now,
        stopped: None,
    };
    BUDGET.set(Some(budget));
    Running
}

pub(super) fn stopped() -> Option<Stop> {
    BUDGET.with_borrow(|budget| budget.as_ref().and_then(|budget| budget.stopped.clone()))
}

pub(super) fn now() -> Timestamp {
    BUDGET.with_borrow(|budget| budget.as_ref().map_or(Timestamp(0), |budget| budget.now))
}

/// Does something to the budget and says whether the rendering may go on.
fn spend(on: impl FnOnce(&mut Budget)) -> Result<(), &'static str> {
    BUDGET.with_borrow_mut(|budget| {
        let Some(budget) = budget.as_mut() else { return Ok(()) };
        on(budget);
        if budget.stopped.is_none() && Instant::now() > budget.until {
            budget.stopped = Some(Stop::Time);
        }
        // Captured blocks are made, and then made again where they are put in.
        if budget.stopped.is_none() && budget.made > 2 * budget.bytes {
            budget.stopped = Some(Stop::Size);
        }
        if budget.stopped.is_some() { Err("stopped") } else { Ok(()) }
    })
}

fn refused(why: &'static str) -> RenderError {
    RenderErrorReason::Other(why.to_owned()).into()
}

/// A block begins another time, with so many bytes of text in it.
pub(super) fn step(bytes: usize) -> Result<(), RenderError> {
    spend(|budget| budget.made = budget.made.saturating_add(bytes)).map_err(refused)
}

/// A partial begins.
pub(super) fn enter() -> Result<(), RenderError> {
    spend(|budget| {
        budget.depth += 1;
        // The prompt itself is the outermost.
        if budget.depth > bounds::PROMPT_PARTIAL_DEPTH + 1 {
            budget.stopped = Some(Stop::Depth);
        }
    })
    .map_err(refused)
}

/// A partial ends.
pub(super) fn leave() -> Result<(), RenderError> {
    spend(|budget| budget.depth = budget.depth.saturating_sub(1)).map_err(refused)
}

/// So much comes out so far.
pub(super) fn within(length: usize) -> Result<(), &'static str> {
    spend(|budget| {
        if length > budget.bytes {
            budget.stopped = Some(Stop::Size);
        }
    })
}

/// A value on its way out: counted, and held back where it would be too much.
pub(super) fn counted(text: &str) -> String {
    match spend(|budget| budget.made = budget.made.saturating_add(text.len())) {
        Ok(()) => text.to_owned(),
        Err(_) => String::new(),
    }
}
