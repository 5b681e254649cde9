//! The log file: daily, seven kept, without message text.

use std::path::Path;

use tracing_appender::non_blocking::{NonBlockingBuilder, WorkerGuard};
use tracing_appender::rolling::{RollingFileAppender, Rotation};
use tracing_subscriber::EnvFilter;

/// Log files that are kept.
const KEPT: usize = 7;
/// Lines that may wait to be written; the usual 128,000 are 4 MB that each start lays out.
const LINES: usize = 4096;
/// What is logged unless `REVIEW_GATE_LOG` says otherwise. rmcp logs whole messages at `info`,
/// which may hold what people wrote.
const DEFAULT: &str = "warn,gate_app=info,gate_door=info,gate_link=info,gate_mcp=info,rmcp=error";

/// Starts logging into `folder`. Keep the guard: dropping it writes out what is left.
///
/// Without a folder to write to the gate runs on without a log.
#[must_use]
pub fn start(folder: &Path) -> Option<WorkerGuard> {
    let appender = RollingFileAppender::builder()
        .rotation(Rotation::DAILY)
        .filename_prefix("gate")
        .filename_suffix("log")
        .max_log_files(KEPT)
        .build(folder)
        .ok()?;
    let (writer, guard) = NonBlockingBuilder::default().buffered_lines_limit(LINES).finish(appender);
    let filter = EnvFilter::try_from_env("REVIEW_GATE_LOG").unwrap_or_else(|_| EnvFilter::new(DEFAULT));
    let subscriber = tracing_subscriber::fmt().with_env_filter(filter).with_writer(writer).with_ansi(false);
    // A second start in one process (tests) keeps the first log.
    let _ = subscriber.try_init();
    Some(guard)
}

#[cfg(test)]
mod tests {
    use super::DEFAULT;

    #[test]
    fn what_each_part_of_the_gate_notes_of_its_course_is_logged() {
        for part in ["gate_app", "gate_door", "gate_link", "gate_mcp"] {
            assert!(DEFAULT.split(',').any(|filter| filter == format!("{part}=info")), "{part} is heard: {DEFAULT}");
        }
        assert!(DEFAULT.contains("rmcp=error"), "whole messages aren't");
    }
}
