//! Settings as front ends are shown them.

use gate_api::{AgentAccess, Setting, SettingSection, SettingSource};

use crate::layers::Loaded;
use crate::schema::Tab;
use crate::{Entry, SETTINGS, TABS};

/// The sections, in their order on the page.
#[must_use]
pub fn sections() -> Vec<SettingSection> {
    let section = |tab: Tab| SettingSection { section: tab.as_str().to_owned(), title: tab.title() };
    TABS.into_iter().map(section).collect()
}

/// Every setting, in its order on the page.
#[must_use]
pub fn settings(loaded: &Loaded) -> Vec<Setting> {
    let of = |tab: Tab| SETTINGS.iter().filter(move |entry| entry.tab == tab);
    TABS.into_iter().flat_map(of).map(|entry| setting(entry, loaded)).collect()
}

/// The settings that agents may see.
#[must_use]
pub fn settings_for_agents(loaded: &Loaded) -> Vec<Setting> {
    settings(loaded).into_iter().filter(|setting| setting.agent != AgentAccess::None && !setting.secret).collect()
}

fn setting(entry: &Entry, loaded: &Loaded) -> Setting {
    Setting {
        key: entry.key.to_owned(),
        section: entry.tab.as_str().to_owned(),
        title: entry.title(),
        help: entry.help(),
        kind: entry.kind(),
        optional: entry.is_optional(),
        default: (entry.default)(),
        value: loaded.values.get(entry.key).cloned().unwrap_or_default(),
        set: loaded.raw.contains_key(entry.key),
        source: loaded.sources.get(entry.key).copied().unwrap_or(SettingSource::Default),
        agent: entry.agent,
        applies: entry.applies,
        fault: loaded.faults.get(entry.key).cloned(),
        secret: entry.secret,
    }
}
