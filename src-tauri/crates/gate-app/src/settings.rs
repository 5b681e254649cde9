//! Settings in layers: defaults < `config.yaml` < `REVIEW_GATE__SECTION__KEY`. An entry that is
//! invalid or unknown is reported and replaced by its default; it never stops the gate.

use std::ops::RangeInclusive;
use std::path::Path;

use config::{Config, Environment, File, FileFormat, Map, Value};
use gate_api::WindowSettings;
use gate_core::clients::Override;
use gate_core::{Code, Fault, SessionTimes};
use gate_store::JournalChoice;

/// Smallest and largest size of running text, in pixels.
pub const FONT_SIZE: RangeInclusive<u8> = 11..=24;
/// Shortest and longest waiting time of a client, in seconds.
pub const WAIT_SECONDS: RangeInclusive<u64> = 5..=7 * 24 * 60 * 60;

/// Shortest and longest time without activity until a session times out, in seconds.
pub const TIMEOUT_SECONDS: RangeInclusive<u32> = 1..=7 * 24 * 60 * 60;
/// Shortest and longest time without a heartbeat until a session is stale, in seconds.
pub const STALE_SECONDS: RangeInclusive<u32> = 1..=24 * 60 * 60;
/// Shortest and longest time until an ended session is only in the record, in seconds.
pub const FORGET_SECONDS: RangeInclusive<u32> = 1..=7 * 24 * 60 * 60;
/// Fewest and most rolling backups; 0 for none.
pub const BACKUPS: RangeInclusive<u32> = 0..=100;
/// Shortest and longest time between backups, in hours.
pub const BACKUP_HOURS: RangeInclusive<u32> = 1..=24 * 31;
/// Shortest and longest time that conversations are kept, in days.
pub const KEEP_DAYS: RangeInclusive<u32> = 1..=36_500;
/// Smallest and largest size of the record above which conversations are deleted, in megabytes.
pub const MAX_MEGABYTES: RangeInclusive<u32> = 10..=1_000_000;

/// The port that clients are told to use.
pub const HTTP_PORT: u16 = 8321;

/// The settings in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// `waiting.clients`: after how many seconds a client is answered `pending`.
    pub waiting: Vec<Override>,
    /// `network.*`: who may come over HTTP, and where.
    pub network: NetworkSettings,
    /// `sessions.*`: when a session's status changes.
    pub sessions: SessionTimes,
    /// `storage.*`: how the record is kept.
    pub storage: StorageSettings,
    /// `window.*`: what the window follows.
    pub window: WindowSettings,
    /// `security.scripted_answers`: whether a process without a terminal may answer. Absent: only
    /// where the gate has no window.
    pub scripted_answers: Option<bool>,
}

/// How the record is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StorageSettings {
    /// `storage.journal`: `auto`, `wal` or `rollback`.
    pub journal: JournalChoice,
    /// `storage.backups`: how many rolling backups are kept; 0 for none.
    pub backups: u32,
    /// `storage.backup_hours`: hours from one to the next.
    pub backup_hours: u32,
    /// `storage.keep_days`: conversations that nothing happened in for longer are deleted; absent for
    /// never.
    pub keep_days: Option<u32>,
    /// `storage.max_megabytes`: size of the record above which the oldest conversations are deleted;
    /// absent for none.
    pub max_megabytes: Option<u32>,
}

impl Default for StorageSettings {
    fn default() -> Self {
        Self { journal: JournalChoice::Auto, backups: 5, backup_hours: 24, keep_days: None, max_megabytes: None }
    }
}

/// How the gate is reached over HTTP.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NetworkSettings {
    /// `network.http`: whether it is at all.
    pub http: bool,
    /// `network.port`: the port on 127.0.0.1 that is tried first; 0 for any.
    pub port: u16,
    /// `network.allowed_hosts`: names besides localhost that a client may call this machine.
    pub allowed_hosts: Vec<String>,
    /// `network.allowed_origins`: pages that may speak to the gate, e.g. `http://localhost:6274`.
    pub allowed_origins: Vec<String>,
}

impl Default for NetworkSettings {
    fn default() -> Self {
        Self { http: true, port: HTTP_PORT, allowed_hosts: Vec::new(), allowed_origins: Vec::new() }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            waiting: Vec::new(),
            network: NetworkSettings::default(),
            sessions: SessionTimes::default(),
            storage: StorageSettings::default(),
            window: WindowSettings { theme: "system".to_owned(), font_size: 14, always_on_top: false },
            scripted_answers: None,
        }
    }
}

const KNOWN: &[(&str, &[&str])] = &[
    ("version", &[]),
    ("waiting", &["clients"]),
    ("window", &["theme", "font_size", "always_on_top"]),
    ("security", &["scripted_answers"]),
    ("network", &["http", "port", "allowed_hosts", "allowed_origins"]),
    ("sessions", &["timeout_seconds", "stale_seconds", "forget_seconds"]),
    ("storage", &["journal", "backups", "backup_hours", "keep_days", "max_megabytes"]),
];

/// Reads the settings, and says what is wrong with them.
#[must_use]
pub fn load(file: &Path) -> (Settings, Vec<Fault>) {
    let mut warnings = Vec::new();
    let text = match std::fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => {
            warnings.push(invalid(format!("{} can't be read: {error}.", file.display())));
            String::new()
        }
    };
    let environment =
        || Environment::with_prefix("REVIEW_GATE").prefix_separator("__").separator("__").try_parsing(true);
    let layered =
        Config::builder().add_source(File::from_str(&text, FileFormat::Yaml)).add_source(environment()).build();
    let config = layered.or_else(|error| {
        warnings.push(invalid(format!("{} is ignored, since it can't be read as YAML: {error}.", file.display())));
        Config::builder().add_source(environment()).build()
    });
    let config = config.unwrap_or_default();
    report_unknown(&config, file, &mut warnings);
    (from_config(&config, &mut warnings), warnings)
}

fn from_config(config: &Config, warnings: &mut Vec<Fault>) -> Settings {
    let mut settings = Settings::default();
    if let Some(theme) = entry::<String>(config, "window.theme", warnings) {
        if ["system", "light", "dark"].contains(&theme.as_str()) {
            settings.window.theme = theme;
        } else {
            warnings.push(invalid(format!("`window.theme` is {theme:?}; it may be system, light or dark.")));
        }
    }
    if let Some(size) = entry::<u8>(config, "window.font_size", warnings) {
        if FONT_SIZE.contains(&size) {
            settings.window.font_size = size;
        } else {
            let (least, most) = (FONT_SIZE.start(), FONT_SIZE.end());
            warnings.push(invalid(format!("`window.font_size` is {size}; it may be {least} to {most}.")));
        }
    }
    if let Some(on) = entry::<bool>(config, "window.always_on_top", warnings) {
        settings.window.always_on_top = on;
    }
    settings.scripted_answers = entry::<bool>(config, "security.scripted_answers", warnings);
    for (pattern, value) in entry::<Map<String, Value>>(config, "waiting.clients", warnings).unwrap_or_default() {
        match waiting(&pattern, value) {
            Ok(waiting) => settings.waiting.push(waiting),
            Err(reason) => warnings.push(invalid(format!("`waiting.clients.{pattern}` {reason}"))),
        }
    }
    settings.waiting.sort();
    settings.network = network(config, warnings);
    settings.sessions = sessions(config, warnings);
    settings.storage = storage(config, warnings);
    settings
}

fn sessions(config: &Config, warnings: &mut Vec<Fault>) -> SessionTimes {
    let mut times = SessionTimes::default();
    for (key, bounds, millis) in [
        ("sessions.timeout_seconds", TIMEOUT_SECONDS, &mut times.timeout_millis),
        ("sessions.stale_seconds", STALE_SECONDS, &mut times.stale_millis),
        ("sessions.forget_seconds", FORGET_SECONDS, &mut times.forget_millis),
    ] {
        if let Some(seconds) = within(config, key, &bounds, warnings) {
            *millis = i64::from(seconds) * 1000;
        }
    }
    times
}

fn storage(config: &Config, warnings: &mut Vec<Fault>) -> StorageSettings {
    let mut storage = StorageSettings::default();
    if let Some(journal) = entry::<String>(config, "storage.journal", warnings) {
        match journal.as_str() {
            "auto" => storage.journal = JournalChoice::Auto,
            "wal" => storage.journal = JournalChoice::Wal,
            "rollback" => storage.journal = JournalChoice::Rollback,
            _ => {
                warnings.push(invalid(format!("`storage.journal` is {journal:?}; it may be auto, wal or rollback.")));
            }
        }
    }
    storage.backups = within(config, "storage.backups", &BACKUPS, warnings).unwrap_or(storage.backups);
    storage.backup_hours =
        within(config, "storage.backup_hours", &BACKUP_HOURS, warnings).unwrap_or(storage.backup_hours);
    storage.keep_days = within(config, "storage.keep_days", &KEEP_DAYS, warnings);
    storage.max_megabytes = within(config, "storage.max_megabytes", &MAX_MEGABYTES, warnings);
    storage
}

/// A number within its bounds.
fn within(config: &Config, key: &str, bounds: &RangeInclusive<u32>, warnings: &mut Vec<Fault>) -> Option<u32> {
    let number = entry::<u32>(config, key, warnings)?;
    if bounds.contains(&number) {
        return Some(number);
    }
    let (least, most) = (bounds.start(), bounds.end());
    warnings.push(invalid(format!("`{key}` is {number}; it may be {least} to {most}.")));
    None
}

/// Seconds for both transports, or `{stdio: …, http: …}`.
fn waiting(pattern: &str, value: Value) -> Result<Override, String> {
    let bounds = format!("must be a number of seconds from {} to {}", WAIT_SECONDS.start(), WAIT_SECONDS.end());
    let seconds = |value: Value| {
        let seconds = value.into_uint().ok().filter(|seconds| WAIT_SECONDS.contains(seconds));
        seconds.ok_or_else(|| format!("{bounds}, or such numbers for `stdio` and `http`."))
    };
    let (stdio, http) = match value.clone().into_table() {
        Ok(mut table) => {
            let mut take = |name: &str| table.remove(name).map(seconds).transpose();
            let (stdio, http) = (take("stdio")?, take("http")?);
            if let Some(name) = table.keys().next() {
                return Err(format!("holds `{name}`; it may hold `stdio` and `http`."));
            }
            (stdio, http)
        }
        Err(_) => {
            let seconds = seconds(value)?;
            (Some(seconds), Some(seconds))
        }
    };
    Override::new(pattern, stdio, http)
        .ok_or_else(|| "names no client; write a name, or one with a version as in `codex >= 0.60`.".to_owned())
}

fn network(config: &Config, warnings: &mut Vec<Fault>) -> NetworkSettings {
    let mut network = NetworkSettings::default();
    if let Some(on) = entry::<bool>(config, "network.http", warnings) {
        network.http = on;
    }
    if let Some(port) = entry::<u16>(config, "network.port", warnings) {
        network.port = port;
    }
    network.allowed_hosts = entry(config, "network.allowed_hosts", warnings).unwrap_or_default();
    let origins: Vec<String> = entry(config, "network.allowed_origins", warnings).unwrap_or_default();
    for origin in origins {
        let scheme = ["http://", "https://"].iter().any(|scheme| origin.starts_with(scheme));
        if scheme && !origin.ends_with('/') {
            network.allowed_origins.push(origin);
        } else {
            warnings.push(invalid(format!(
                "`network.allowed_origins` holds {origin:?}; an origin is a scheme and a host, e.g. http://localhost:6274."
            )));
        }
    }
    network
}

fn entry<'de, T: serde::Deserialize<'de>>(config: &Config, key: &str, warnings: &mut Vec<Fault>) -> Option<T> {
    match config.get::<T>(key) {
        Ok(value) => Some(value),
        Err(config::ConfigError::NotFound(_)) => None,
        Err(error) => {
            warnings.push(invalid(format!("`{key}` is ignored: {error}.")));
            None
        }
    }
}

fn report_unknown(config: &Config, file: &Path, warnings: &mut Vec<Fault>) {
    let Ok(root) = config.clone().try_deserialize::<Map<String, Value>>() else { return };
    for (section, value) in root {
        let Some((_, keys)) = KNOWN.iter().find(|(known, _)| *known == section) else {
            warnings.push(invalid(format!("`{section}` in {} is no setting.", file.display())));
            continue;
        };
        let Ok(entries) = value.into_table() else { continue };
        for key in entries.keys().filter(|key| !keys.contains(&key.as_str())) {
            warnings.push(invalid(format!("`{section}.{key}` in {} is no setting.", file.display())));
        }
    }
}

fn invalid(message: String) -> Fault {
    Fault::new(
        Code::InvalidSetting,
        message,
        "The default is used; the file was left as it is. Correct or remove the entry.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn loaded(yaml: &str) -> (Settings, Vec<Fault>) {
        let folder = tempfile::tempdir().ok();
        let file = folder.as_ref().map(|f| f.path().join("config.yaml")).unwrap_or_default();
        assert!(std::fs::write(&file, yaml).is_ok(), "the test's file can be written");
        load(&file)
    }

    #[test]
    fn no_file_means_defaults_without_a_word() {
        assert_eq!(load(Path::new("/nonexistent/config.yaml")), (Settings::default(), Vec::new()));
    }

    #[test]
    fn valid_entries_are_taken() {
        let (settings, warnings) = loaded(
            "version: 1\nwindow:\n  theme: dark\n  font_size: 18\nwaiting:\n  clients:\n    codex: 290\nsecurity:\n  scripted_answers: true\n",
        );
        assert_eq!(warnings, Vec::new(), "nothing is wrong with the file");
        assert_eq!((settings.window.theme.as_str(), settings.window.font_size), ("dark", 18));
        assert_eq!(Some(settings.waiting), Override::new("codex", Some(290), Some(290)).map(|waiting| vec![waiting]));
        assert_eq!(settings.scripted_answers, Some(true));
    }

    #[test]
    fn the_bounds_of_numbers_are_exact() {
        for (seconds, taken) in [(4, false), (5, true), (604_800, true), (604_801, false)] {
            let (settings, warnings) = loaded(&format!("waiting:\n  clients:\n    codex: {seconds}\n"));
            assert_eq!((settings.waiting.len() == 1, warnings.is_empty()), (taken, taken), "{seconds} s: {warnings:?}");
        }
        for (size, taken) in [(10, false), (11, true), (24, true), (25, false)] {
            let (_, warnings) = loaded(&format!("window:\n  font_size: {size}\n"));
            assert_eq!(warnings.is_empty(), taken, "{size} px: {warnings:?}");
        }
    }

    #[test]
    fn waiting_times_may_differ_by_version_and_transport() {
        let (settings, warnings) =
            loaded("waiting:\n  clients:\n    codex >= 0.60: {http: 100}\n    cursor: {port: 1}\n    '>= 1': 20\n");
        assert_eq!(
            Some(settings.waiting),
            Override::new("codex >= 0.60", None, Some(100)).map(|waiting| vec![waiting])
        );
        for name in ["waiting.clients.cursor", "waiting.clients.>= 1"] {
            assert!(warnings.iter().any(|w| w.message.contains(name)), "{name} is named: {warnings:?}");
        }
    }

    #[test]
    fn the_network_is_local_and_closed_to_pages_unless_opened() {
        assert_eq!(loaded("").0.network, NetworkSettings::default());
        let (settings, warnings) =
            loaded("network:\n  port: 9000\n  allowed_origins: ['http://localhost:6274', 'localhost', 'http://a/']\n");
        assert_eq!((settings.network.port, settings.network.allowed_origins.len()), (9000, 1));
        assert_eq!(warnings.len(), 2, "what is no origin is named: {warnings:?}");
        assert!(!loaded("network:\n  http: false\n").0.network.http, "it can be switched off");
    }

    #[test]
    fn broken_entries_are_named_and_the_others_still_count() {
        let (settings, warnings) = loaded(
            "window:\n  theme: pink\n  font_size: 99\n  always_on_top: true\n  colour: red\nwaiting:\n  clients:\n    codex: soon\nnonsense: 1\n",
        );
        assert!(settings.window.always_on_top, "a good entry beside bad ones is taken");
        assert_eq!(settings.window.theme, "system", "a bad one is replaced by its default");
        for name in ["window.theme", "window.font_size", "window.colour", "waiting.clients.codex", "nonsense"] {
            assert!(warnings.iter().any(|w| w.message.contains(name)), "{name} is named: {warnings:?}");
        }
    }

    #[test]
    fn a_file_that_is_no_yaml_is_reported_with_its_place() {
        let (settings, warnings) = loaded("window: [\n\t- x");
        assert_eq!(settings, Settings::default());
        assert!(warnings.iter().any(|w| w.message.contains("line")), "the place is named: {warnings:?}");
    }
}
