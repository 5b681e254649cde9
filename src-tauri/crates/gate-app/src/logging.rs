//! The log file: daily, seven kept, without message text.

use std::path::Path;

use tracing_appender::non_blocking::{NonBlockingBuilder, WorkerGuard};
use tracing_appender::rolling::{RollingFileAppender, Rotation};
use tracing_subscriber::EnvFilter;

/// Log files that are kept.
const KEPT: usize = 7;
/// Lines that may wait to be written; the usual 128,000 are 4 MB that each start lays out.
const LINES: usize = 4096;
/// What is logged unless `REVIEW_GATE_LOG` says otherwise.
const DEFAULT: &str = "warn,gate_app=info,gate_door=info,gate_link=info,gate_mcp=info";
/// Who logs whole messages, which hold what people and agents write: only its errors are logged unless the variable
/// names it.
const WHOLE_MESSAGES: &str = "rmcp";

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
    let filter = filter(std::env::var("REVIEW_GATE_LOG").ok().as_deref());
    let subscriber = tracing_subscriber::fmt().with_env_filter(filter).with_writer(writer).with_ansi(false);
    // A second start in one process (tests) keeps the first log.
    let _ = subscriber.try_init();
    Some(guard)
}

/// What is logged where this is asked for.
fn filter(asked: Option<&str>) -> EnvFilter {
    let with_messages = |filters: &str| match filters.contains(WHOLE_MESSAGES) {
        true => filters.to_owned(),
        false => format!("{filters},{WHOLE_MESSAGES}=error"),
    };
    let asked = asked.filter(|asked| !asked.trim().is_empty()).map(with_messages);
    let asked = asked.and_then(|filters| EnvFilter::try_new(filters).ok());
    asked.unwrap_or_else(|| EnvFilter::new(with_messages(DEFAULT)))
}

#[cfg(test)]
mod tests {
    use super::filter;

    fn shown(asked: Option<&str>) -> Vec<String> {
        filter(asked).to_string().split(',').map(str::to_owned).collect()
    }

    #[test]
    fn what_each_part_of_the_gate_notes_of_its_course_is_logged() {
        for asked in [None, Some(""), Some("gate_app=loud")] {
            let all = shown(asked);
            for part in ["gate_app=info", "gate_door=info", "gate_link=info", "gate_mcp=info", "rmcp=error", "warn"] {
                assert!(all.iter().any(|filter| filter == part), "{part}, asked for {asked:?}: {all:?}");
            }
        }
    }

    #[test]
    fn whole_messages_are_logged_only_where_they_are_asked_for_by_name() {
        for (asked, messages) in [
            ("trace", "rmcp=error"),
            ("debug,gate_mcp=trace", "rmcp=error"),
            ("trace,rmcp=trace", "rmcp=trace"),
            ("rmcp::service=debug", "rmcp::service=debug"),
        ] {
            let all = shown(Some(asked));
            assert!(all.iter().any(|filter| filter == messages), "{asked}: {all:?}");
            let others = all.iter().filter(|filter| filter.starts_with("rmcp") && *filter != messages);
            assert_eq!(others.count(), 0, "{asked}: {all:?}");
        }
    }
}
