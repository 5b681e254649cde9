//! The tools and the resource about the settings. Which of them an agent may see and change is the gate's
//! to say.

mod input;
mod port;
mod resource;

use std::sync::Arc;

use gate_core::{Fault, SessionUuid};
use serde::Serialize;
use serde_json::Value;

use crate::output::{output, words};
use crate::tool::{Answer, Called, Manners, Tool, tool};
use crate::toolset::Subject;
use input::{Changes, Keys};
use resource::Settings;

pub use port::{Applies, ChangedSetting, ConfigEntry, ConfigPort};
pub use resource::CONFIG;

/// The settings.
pub(crate) static SUBJECT: Subject<dyn ConfigPort> =
    Subject { tools: TOOLS, resources: &[|port| Arc::new(Settings(port))] };

/// All of the tools.
const TOOLS: &[Tool<dyn ConfigPort>] = &[
    tool!(
        "review_gate_get_config",
        "Read settings",
        "Read the settings of Review Gate: each with its value, what it may be, and whether you may change it. Settings \
         that protect the person are not among them.",
        Manners::READS,
        Keys => SettingsView<'static>,
        at_once get
    ),
    tool!(
        "review_gate_update_config",
        "Change settings",
        "Change settings of Review Gate, all of them or none, where the person has asked you to. They are shown what \
         you changed, and can take it back. Settings that protect them can't be changed.",
        Manners::SETS,
        Changes => ChangedView<'static>,
        at_once update
    ),
];

output! {
    /// What `review_gate_get_config` gives.
    struct SettingsView<'a> {
        settings: Vec<SettingView<'a>>,
        /// The session that the call named.
        session_uuid ?: Option<SessionUuid>,
    }
}

output! {
    /// One setting.
    struct SettingView<'a> {
        key: &'a str,
        title: &'a str,
        help: &'a str,
        value: &'a Value,
        default: &'a Value,
        allowed: &'a Value = { "type": "object" },
        access: Access,
        applies: Applies,
    }
}

output! {
    /// What `review_gate_update_config` gives.
    struct ChangedView<'a> {
        changed: Vec<ChangeView<'a>>,
        /// The session that the call named.
        session_uuid ?: Option<SessionUuid>,
    }
}

output! {
    /// One setting that was changed.
    struct ChangeView<'a> {
        key: &'a str,
        from: &'a Value,
        to: &'a Value,
        applies: Applies,
        /// The environment or an argument says something else, which goes on to hold.
        overridden: bool,
    }
}

/// What agents may do with a setting that they may know of.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "snake_case")]
enum Access {
    See,
    Change,
}

words!(Access: See, Change);
words!(Applies: Now, NextStart);

async fn get(gate: &dyn ConfigPort, _called: &Called<'_>, keys: Keys) -> Result<Answer<SettingsView<'static>>, Fault> {
    let settings = gate.config(keys.keys.as_deref())?;
    let text = settings.iter().map(described).collect::<Vec<_>>().join("\n");
    let settings = settings.iter().map(SettingView::of).collect();
    Answer::new(text, &SettingsView { settings, session_uuid: keys.session_uuid })
}

async fn update(
    gate: &dyn ConfigPort,
    called: &Called<'_>,
    changes: Changes,
) -> Result<Answer<ChangedView<'static>>, Fault> {
    let (session_uuid, values) = (changes.session_uuid, changes.checked()?);
    let changed = gate.update_config(called.whose(session_uuid), values).await?;
    let text = match changed.as_slice() {
        [] => "Everything was as you want it already; nothing was changed.".to_owned(),
        changed => {
            let lines: Vec<_> = changed.iter().map(told_of).collect();
            format!("Changed; the person is shown it and can take it back.\n{}", lines.join("\n"))
        }
    };
    let changed = changed.iter().map(ChangeView::of).collect();
    Answer::new(text, &ChangedView { changed, session_uuid })
}

fn described(setting: &ConfigEntry) -> String {
    let may = if setting.may_change { "" } else { "; you can't change it" };
    format!("{} = {} ({}{may})", setting.key, setting.value, setting.help.trim_end_matches('.'))
}

impl<'a> SettingView<'a> {
    fn of(setting: &'a ConfigEntry) -> Self {
        Self {
            key: &setting.key,
            title: &setting.title,
            help: &setting.help,
            value: &setting.value,
            default: &setting.default,
            allowed: &setting.allowed,
            access: if setting.may_change { Access::Change } else { Access::See },
            applies: setting.applies,
        }
    }
}

fn told_of(changed: &ChangedSetting) -> String {
    let then = match (changed.overridden, changed.applies) {
        (true, _) => " (but the environment or an argument of the gate says something else, which goes on to hold)",
        (false, Applies::NextStart) => " (holds when Review Gate is started the next time)",
        (false, Applies::Now) => "",
    };
    format!("{}: {} -> {}{then}", changed.key, changed.from, changed.to)
}

impl<'a> ChangeView<'a> {
    fn of(changed: &'a ChangedSetting) -> Self {
        let ChangedSetting { key, from, to, applies, overridden } = changed;
        Self { key, from, to, applies: *applies, overridden: *overridden }
    }
}
