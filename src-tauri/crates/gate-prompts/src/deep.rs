//! A stack that is deep enough for what a template may nest.
//!
//! The parser of templates and what renders them call themselves for every level, and a caller's stack is
//! of unknown size. So both run on a thread whose stack is known; memory is taken only as far as it is used.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use gate_core::Fault;

/// For reading a template, in bytes: [`crate::template::BRACKETS`] nested levels fit in.
pub(crate) const READING: usize = 256 * 1024 * 1024;
/// For rendering, in bytes: partials as deep as they may be, each nested as deep as it may be.
pub(crate) const RENDERING: usize = 32 * 1024 * 1024;

thread_local! {
    static DEEP: Cell<bool> = const { Cell::new(false) };
}

/// Does the work on a deep stack, and waits for it.
///
/// # Errors
/// `internal` where no thread can be made, or the work panics.
pub(crate) fn on<T: Send>(stack: usize, work: impl FnOnce() -> T + Send) -> Result<T, Fault> {
    let lost = || Fault::internal("A prompt's template couldn't be worked on.");
    if DEEP.get() {
        return catch_unwind(AssertUnwindSafe(work)).map_err(|_| lost());
    }
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("prompt".to_owned()).stack_size(stack);
        let run = thread.spawn_scoped(scope, || {
            DEEP.set(true);
            catch_unwind(AssertUnwindSafe(work)).map_err(|_| lost())
        });
        match run {
            Ok(thread) => thread.join().unwrap_or_else(|_| Err(lost())),
            Err(error) => Err(Fault::internal(format!("No thread can be started for a prompt: {error}."))),
        }
    })
}
