//! The settings as agents see and change them: within what each setting allows, and never what protects
//! the person.

use std::sync::Arc;

use gate_api::{AgentAccess, ChangedBy, SettingSource};
use gate_core::ask::excerpt;
use gate_core::clients::{display_name, is_named};
use gate_core::{AnsweredFrom, Code, Fault, Timestamp};
use gate_mcp::{Applies, ChangedSetting, ConfigEntry, Whose};
use gate_settings::{Entry, Wanted, entry, kind_in_english, settings_for_agents, unknown_setting};
use gate_texts::Texts;
use serde_json::{Map, Value};

use super::{Changer, Configured};

/// How long clients' calls wait: each client's is its own.
const WAITS: &str = "waiting.clients";

impl Configured {
    /// The settings of these keys, or all that agents may see.
    pub(crate) fn config_for_agents(&self, keys: Option<&[String]>) -> Result<Vec<ConfigEntry>, Fault> {
        for key in keys.unwrap_or_default() {
            known(key)?;
        }
        let is_wanted = |key: &String| keys.is_none_or(|keys| keys.contains(key));
        let all = settings_for_agents(&self.loaded()).into_iter();
        let wanted = all.filter(|setting| is_wanted(&setting.key));
        let entry = |setting: gate_api::Setting| {
            Ok(ConfigEntry {
                key: setting.key,
                title: Texts::english().phrase(&setting.title),
                help: Texts::english().phrase(&setting.help),
                value: setting.value,
                default: setting.default,
                allowed: kind_in_english(&setting.kind)?,
                may_change: setting.agent == AgentAccess::Change,
                applies: when(setting.applies),
            })
        };
        wanted.map(entry).collect()
    }

    /// When a setting that agents may see was last changed, as far as that is remembered.
    pub(crate) async fn changed_for_agents(&self) -> Result<Option<Timestamp>, Fault> {
        let changes = self.store.setting_changes().await?.into_iter();
        let seen = changes.filter(|change| known(&change.key).is_ok());
        Ok(seen.flat_map(|change| [Some(change.at), change.undone_at]).flatten().max())
    }

    /// Changes settings for an agent, all of them or none.
    pub(crate) async fn update_config_by_agent(
        self: &Arc<Self>,
        whose: Whose,
        values: Map<String, Value>,
    ) -> Result<Vec<ChangedSetting>, Fault> {
        for key in values.keys() {
            let entry = known(key)?;
            if entry.agent != AgentAccess::Change {
                return Err(Fault::new(
                    Code::SettingForbidden,
                    format!("`{key}` may be seen by agents, but only the person changes it. Nothing was changed."),
                    "Ask them to change it on the settings page.",
                ));
            }
        }
        if let Some(wanted) = values.get(WAITS) {
            others_wait_as_before(self.loaded().values.get(WAITS), wanted, &whose.caller.client)?;
        }
        let changer = Changer {
            by: ChangedBy::Agent,
            given: AnsweredFrom::Script,
            client: Some(display_name(&whose.caller.client)),
            session_uuid: whose.session_uuid,
        };
        let wanted: Wanted = values.into_iter().collect();
        let changes = self.change_settings(wanted, Wanted::new(), changer).await?;
        let loaded = self.loaded();
        let told = changes.into_iter().map(|change| {
            let source = loaded.sources.get(change.key.as_str()).copied();
            ChangedSetting {
                applies: entry(&change.key).map_or(Applies::Now, |entry| when(entry.applies)),
                overridden: source > Some(SettingSource::File),
                key: change.key,
                from: change.from,
                to: change.to,
            }
        });
        Ok(told.collect())
    }
}

/// Refuses a change of how long another client's calls wait.
fn others_wait_as_before(present: Option<&Value>, wanted: &Value, client: &str) -> Result<(), Fault> {
    let of = |value: Option<&Value>| value.and_then(Value::as_object).cloned().unwrap_or_default();
    let (before, after) = (of(present), of(Some(wanted)));
    let mut all = before.keys().chain(after.keys());
    let Some(other) = all.find(|name| !is_named(client, name) && before.get(*name) != after.get(*name)) else {
        return Ok(());
    };
    Err(Fault::new(
        Code::SettingForbidden,
        format!("How long {} waits isn't this client's to change. Nothing was changed.", excerpt(other, 60)),
        format!("Give `{WAITS}` as it is but for this client's own name, or ask the person to change it."),
    ))
}

/// A setting that agents may know of.
fn known(key: &str) -> Result<&'static Entry, Fault> {
    let entry = entry(key).ok_or_else(|| unknown_setting(key))?;
    if entry.agent == AgentAccess::None || entry.secret {
        return Err(Fault::new(
            Code::SettingForbidden,
            format!("`{key}` protects the person: agents can neither see nor change it. Nothing was changed."),
            format!(
                "Ask the person to look at it on the settings page, under {}.",
                Texts::english().phrase(&entry.tab.title())
            ),
        ));
    }
    Ok(entry)
}

fn when(applies: gate_api::Applies) -> Applies {
    match applies {
        gate_api::Applies::Now => Applies::Now,
        gate_api::Applies::NextStart => Applies::NextStart,
    }
}
