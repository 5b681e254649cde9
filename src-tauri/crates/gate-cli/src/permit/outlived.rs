//! When a question of a hook is over before it is answered: whoever started it tells it to end, or is gone.

use crate::exit;

/// Ends this process as soon as nobody can read any more what it prints, as where the agent was closed: it would hear of
/// that no sooner than it prints.
pub(super) fn end_with_whoever_reads() {
    // A thread of its own, since what ends it has nothing to read and isn't told to tokio.
    let watch = || {
        if gate_os::stdio::until_nobody_reads() {
            std::process::exit(exit::DONE.into());
        }
    };
    // Without it the gate is told when the agent's terminal ends this process, or its time is over.
    let _ = std::thread::Builder::new().name("reader".to_owned()).stack_size(64 * 1024).spawn(watch);
}

/// Waits until this process is told to end: by SIGTERM, as Claude Code does where its own dialog was answered, by Ctrl-C or
/// by a terminal that is closed. Whoever started it may have had it ignore these.
pub(super) async fn told_to_end() {
    if gate_os::programs::told_to_end().await.is_err() {
        std::future::pending::<()>().await;
    }
}
