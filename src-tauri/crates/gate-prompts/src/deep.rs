//! A stack that is deep enough for what a template may nest.
//!
//! The parser of templates and what renders them call themselves for every level, and a caller's stack is
//! of unknown size. So both run on a thread whose stack is known; memory is taken only as far as it is used.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{self, Sender};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};
use std::time::Duration;

use gate_core::Fault;
use tokio::sync::{Semaphore, oneshot};

/// For reading a template, in bytes: [`crate::template::BRACKETS`] nested levels fit in.
pub(crate) const READING: usize = 256 * 1024 * 1024;
/// For rendering, in bytes: partials as deep as they may be, each nested as deep as it may be.
pub(crate) const RENDERING: usize = 32 * 1024 * 1024;

/// How many renderings there are at the same time at most; the next ones wait.
const AT_ONCE: usize = 64;
/// How many threads that have rendered wait for the next rendering, and for how long.
const KEPT: usize = 4;
const KEPT_FOR: Duration = Duration::from_secs(10);

thread_local! {
    /// How deep this thread's stack is known to be, in bytes; 0 for a caller's.
    static DEEP: Cell<usize> = const { Cell::new(0) };
}

/// Does the work on a deep stack, and waits for it.
///
/// # Errors
/// `internal` where no thread can be made, or the work panics.
pub(crate) fn on<T: Send>(stack: usize, work: impl FnOnce() -> T + Send) -> Result<T, Fault> {
    if DEEP.get() >= stack {
        return catch_unwind(AssertUnwindSafe(work)).map_err(|_| lost());
    }
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("prompt".to_owned()).stack_size(stack);
        let run = thread.spawn_scoped(scope, || {
            DEEP.set(stack);
            catch_unwind(AssertUnwindSafe(work)).map_err(|_| lost())
        });
        match run {
            Ok(thread) => thread.join().unwrap_or_else(|_| Err(lost())),
            Err(error) => Err(no_thread(&error)),
        }
    })
}

fn lost() -> Fault {
    Fault::internal("A prompt's template couldn't be worked on.")
}

fn no_thread(error: &std::io::Error) -> Fault {
    Fault::internal(format!("No thread can be started for a prompt: {error}."))
}

type Work = Box<dyn FnOnce() + Send>;

/// The threads that wait for a rendering, the latest one last.
static WAITING: Mutex<Vec<(ThreadId, Sender<Work>)>> = Mutex::new(Vec::new());
static PLACES: Semaphore = Semaphore::const_new(AT_ONCE);

fn waiting() -> MutexGuard<'static, Vec<(ThreadId, Sender<Work>)>> {
    WAITING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Renders, for an async caller: on a thread with a deep stack that is kept for the next rendering. On a busy machine each
/// thread that has to be woken, and more so one that has to be made, comes to milliseconds that an agent waits.
///
/// # Errors
/// `internal` where no thread can be made, or the work panics.
pub async fn rendering<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Fault> {
    let place = PLACES.acquire().await.map_err(|_| lost())?;
    let (done, outcome) = oneshot::channel();
    hand(Box::new(move || {
        let rendered = catch_unwind(AssertUnwindSafe(work)).map_err(|_| lost());
        // It is its own until it has ended, though whoever waited may have gone.
        drop(place);
        let _ = done.send(rendered);
    }))?;
    outcome.await.map_err(|_| lost())?
}

/// Gives work to a thread that waits for some, or to a new one.
fn hand(work: Work) -> Result<(), Fault> {
    let taken = waiting().pop();
    if let Some((_, thread)) = taken {
        // Who is taken off the list waits until it is handed some.
        return thread.send(work).map_err(|_| lost());
    }
    let thread = thread::Builder::new().name("prompt".to_owned()).stack_size(RENDERING);
    thread.spawn(move || serve(work)).map(drop).map_err(|error| no_thread(&error))
}

/// Works, and waits for more.
fn serve(first: Work) {
    DEEP.set(RENDERING);
    let (own, inbox) = mpsc::channel();
    let me = thread::current().id();
    let mut next = Some(first);
    while let Some(work) = next.take() {
        work();
        {
            let mut waiting = waiting();
            if waiting.len() >= KEPT {
                return;
            }
            waiting.push((me, own.clone()));
        }
        next = inbox.recv_timeout(KEPT_FOR).ok().or_else(|| {
            let mut waiting = waiting();
            match waiting.iter().position(|(thread, _)| *thread == me) {
                Some(at) => {
                    waiting.remove(at);
                    None
                }
                // Somebody has just taken its place, and hands it work in any case.
                None => {
                    drop(waiting);
                    inbox.recv().ok()
                }
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_thread_that_has_rendered_renders_again_deep_enough() -> Result<(), Fault> {
        // Other tests render, too, and a thread may be taken by them.
        let mut seen = Vec::new();
        for _ in 0..50 {
            let (thread, deep) = rendering(|| (thread::current().id(), DEEP.get())).await?;
            assert!(deep >= RENDERING, "what nests needs no further thread");
            if seen.contains(&thread) {
                return Ok(());
            }
            seen.push(thread);
        }
        panic!("each rendering had a new thread");
    }

    #[tokio::test]
    async fn what_panics_is_a_fault_and_many_at_once_all_come_to_their_end() -> Result<(), Fault> {
        let panicked: Result<(), Fault> = rendering(|| panic!("as a template might")).await;
        assert!(panicked.is_err());
        let all: Vec<_> = (0..2 * AT_ONCE).map(|number| tokio::spawn(rendering(move || number))).collect();
        for (number, one) in all.into_iter().enumerate() {
            assert_eq!(one.await.map_err(|_| lost())??, number, "none waits for one that never comes");
        }
        assert!(waiting().len() <= KEPT, "no more threads stay than are kept");
        Ok(())
    }
}
