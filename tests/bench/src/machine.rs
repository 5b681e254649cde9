//! The machine that the figures come from, as far as it matters for reading them.

use serde::Serialize;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

#[derive(Debug, Serialize)]
pub(crate) struct Machine {
    date: String,
    processor: String,
    cores: usize,
    memory_mb: u64,
    kernel: String,
    /// Before anything was measured: more than a fraction of the cores means noise.
    load_average: String,
}

impl Machine {
    pub(crate) fn look() -> Self {
        let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
        let field = |text: &str, name: &str| -> String {
            let line = text.lines().find(|line| line.starts_with(name)).unwrap_or_default();
            line.split_once(':').map(|(_, value)| value.trim().to_owned()).unwrap_or_default()
        };
        let memory = field(&read("/proc/meminfo"), "MemTotal");
        let memory: u64 = memory.split_whitespace().next().and_then(|kib| kib.parse().ok()).unwrap_or(0);
        Self {
            date: OffsetDateTime::now_utc().format(&Rfc3339).unwrap_or_default(),
            processor: field(&read("/proc/cpuinfo"), "model name"),
            cores: std::thread::available_parallelism().map_or(0, std::num::NonZero::get),
            memory_mb: memory / 1024,
            kernel: read("/proc/sys/kernel/osrelease").trim().to_owned(),
            load_average: read("/proc/loadavg").split_whitespace().take(3).collect::<Vec<_>>().join(" "),
        }
    }

    pub(crate) fn line(&self) -> String {
        let Self { date, processor, cores, memory_mb, kernel, load_average } = self;
        format!("{date}, {cores} × {processor}, {memory_mb} MB, Linux {kernel}, load {load_average} before")
    }
}
