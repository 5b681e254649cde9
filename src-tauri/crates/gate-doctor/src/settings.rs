//! The settings file, and the few settings that other checks go by.

use gate_api::Finding;
use gate_core::{Assurance, Fault, Rule};
use gate_settings::{Held, Overlay, Settings, SettingsFile, Values};

use crate::environment::Environment;
use crate::finding::{Mending as _, SETTINGS};
use crate::words;

/// Problems of a file that are told one by one; a file with more is some other file.
const PROBLEMS: usize = 10;

/// What other checks go by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Known {
    /// Whether approvals have to be confirmed by the system, some or all.
    pub(crate) confirmed: bool,
    /// Whether HTTP is served.
    pub(crate) http: bool,
    /// The port that is tried first; 0 for any.
    pub(crate) port: u16,
    /// How many backups are kept; 0 for none.
    pub(crate) backups: u32,
    /// Hours from one backup to the next.
    pub(crate) backup_hours: u32,
    /// Whether replies may be spoken.
    pub(crate) voice: bool,
    /// The speech model that is wanted; empty for any.
    pub(crate) model: String,
}

/// Whether any approval has to be as sure as the system makes it.
fn is_confirmed(settings: &Settings) -> bool {
    let security = &settings.security;
    let rules = security.require_for.iter().filter_map(|rule| Rule::parse(rule).ok()).map(|rule| rule.level);
    rules.chain(Assurance::parse(&security.require)).any(|level| level == Assurance::L2)
}

/// Reads the settings as the gate does, and says what is wrong with them.
pub(crate) fn check(environment: &Environment) -> (Known, Vec<Finding>) {
    let file = environment.home.config_file();
    let held = Held::of_home(environment.home.window_mark().exists());
    let loaded = SettingsFile::at(file.clone()).holding(held).load(&Overlay::of_process(Values::new()));
    let (network, storage, voice) = (&loaded.settings.network, &loaded.settings.storage, &loaded.settings.voice);
    let known = Known {
        confirmed: is_confirmed(&loaded.settings),
        http: network.http,
        port: network.port,
        backups: storage.backups,
        backup_hours: storage.backup_hours,
        voice: voice.enabled,
        model: voice.model.clone(),
    };
    let told = |fault: &Fault| {
        // The gate goes on without what it can't use; only a file of which nothing holds is at fault.
        let (cause, mend) = (words::as_it_is(fault.message.as_str()), words::as_it_is(fault.mend.as_str()));
        let found = match loaded.broken.as_ref() == Some(fault) {
            true => SETTINGS.fault(cause, mend),
            false => SETTINGS.warning(cause, mend),
        };
        found.command("review-gate config validate")
    };
    let mut findings: Vec<Finding> = loaded.problems.iter().take(PROBLEMS).map(told).collect();
    if let Some(more) = loaded.problems.len().checked_sub(PROBLEMS).filter(|more| *more > 0) {
        let found = SETTINGS.warning(words::settings_more(more), words::mend_entries());
        findings.push(found.command("review-gate config validate"));
    }
    // The folder's own check says why.
    if environment.has_no_home() && !file.exists() {
        findings.clear();
    }
    if findings.is_empty() {
        findings.push(match file.exists() {
            true => SETTINGS.good(words::as_it_is(file.as_path())),
            false => SETTINGS.good(words::settings_none()),
        });
    }
    (known, findings)
}
