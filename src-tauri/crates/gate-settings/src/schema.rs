//! What a setting is. The settings themselves stand in `table.rs`.

use gate_api::{AgentAccess, Applies, SettingChoice, SettingKind, Words};
use gate_core::bounds;
use serde_json::Value;

use crate::document::Document;

/// One setting as the table describes it.
#[derive(Debug)]
pub struct Entry {
    /// Its name in the file: section and name, e.g. `window.font_size`.
    pub key: &'static str,
    /// Where it stands on the page.
    pub tab: Tab,
    /// Its title, in English and in Simplified Chinese.
    pub title: (&'static str, &'static str),
    /// What it does, in both.
    pub help: (&'static str, &'static str),
    /// What it may be.
    pub shape: Shape,
    /// What holds where nobody has set it. A setting whose default is null may be set to null.
    pub default: fn() -> Value,
    /// What agents may do with it.
    pub agent: AgentAccess,
    /// When a change takes effect.
    pub applies: Applies,
    /// Whether it is left out of exports.
    pub secret: bool,
}

impl Entry {
    /// Whether it may be null, for none.
    #[must_use]
    pub fn is_optional(&self) -> bool {
        (self.default)().is_null()
    }

    /// The two parts of its name.
    #[must_use]
    pub fn path(&self) -> (&'static str, &'static str) {
        self.key.split_once('.').unwrap_or((self.key, ""))
    }

    /// Reads a value that was typed: a text is taken as it is, a list may be separated by commas, anything
    /// else is written as in the file. Whether it may be that is for [`crate::check`] to say.
    #[must_use]
    pub fn read(&self, typed: &str) -> Value {
        let value = || Document::parse(typed).map_or_else(|_| typed.into(), |document| document.value());
        match self.shape {
            Shape::Keys | Shape::Choice(_) | Shape::Hours | Shape::Text | Shape::Address => typed.into(),
            Shape::Hosts | Shape::Origins | Shape::Words => match value() {
                Value::Array(items) => Value::Array(items),
                _ => typed.split(',').map(str::trim).filter(|text| !text.is_empty()).map(Value::from).collect(),
            },
            Shape::Switch | Shape::Number { .. } | Shape::Waiting { .. } => match value() {
                // Nothing isn't the default: that is asked for in another way.
                Value::Null => typed.into(),
                value => value,
            },
        }
    }

    /// Whether only the person may change it, and nothing that a process does by itself.
    #[must_use]
    pub fn is_of_security(&self) -> bool {
        self.path().0 == "security"
    }
}

/// The settings that stand together on the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tab {
    /// How long agents wait, and for whom.
    Waiting,
    /// When a session is over.
    Sessions,
    /// How the record is kept.
    Storage,
    /// How the person is called.
    Notifications,
    /// What the windows look like.
    Appearance,
    /// Speaking replies.
    Voice,
    /// Where prompts come from.
    Prompts,
    /// How the gate is reached, and by whom.
    Network,
}

impl Tab {
    /// All of them, in their order on the page.
    pub const ALL: [Self; 8] = [
        Self::Waiting,
        Self::Notifications,
        Self::Appearance,
        Self::Voice,
        Self::Prompts,
        Self::Sessions,
        Self::Storage,
        Self::Network,
    ];

    /// Its name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Sessions => "sessions",
            Self::Storage => "storage",
            Self::Notifications => "notifications",
            Self::Appearance => "appearance",
            Self::Voice => "voice",
            Self::Prompts => "prompts",
            Self::Network => "network",
        }
    }

    /// Its title.
    #[must_use]
    pub fn title(self) -> Words {
        match self {
            Self::Waiting => Words::new("Waiting and time-outs", "等待与超时"),
            Self::Sessions => Words::new("Sessions", "会话"),
            Self::Storage => Words::new("Storage and retention", "存储与保留"),
            Self::Notifications => Words::new("Notifications and quiet hours", "通知与安静时段"),
            Self::Appearance => Words::new("Appearance", "外观"),
            Self::Voice => Words::new("Voice", "语音"),
            Self::Prompts => Words::new("Prompts", "提示词"),
            Self::Network => Words::new("Network and security", "网络与安全"),
        }
    }
}

/// A word that a setting may be, with its title in English and in Simplified Chinese.
pub type Choice = (&'static str, (&'static str, &'static str));

/// What a setting may be.
#[derive(Debug, Clone, Copy)]
pub enum Shape {
    /// `true` or `false`; files may also say yes, no, on and off.
    Switch,
    /// A whole number from `min` to `max`.
    Number {
        /// The least.
        min: i64,
        /// The most.
        max: i64,
        /// What it counts, in both languages.
        unit: Option<(&'static str, &'static str)>,
    },
    /// Keys as in `CmdOrCtrl+Alt+G`; empty for none.
    Keys,
    /// One of a few words.
    Choice(&'static [Choice]),
    /// A line of text; empty for none.
    Text,
    /// Where files are, as `https://` and what follows, or `http://` on this machine; empty for none.
    Address,
    /// A list of names of this machine.
    Hosts,
    /// A list of web pages' origins.
    Origins,
    /// A list of words, or of what is heard and what is written for it, as in `get hub -> GitHub`.
    Words,
    /// Two times of the day as in `22:00-07:30`; empty for none.
    Hours,
    /// A client's name to its seconds, from `min` to `max`.
    Waiting {
        /// Fewest seconds.
        min: i64,
        /// Most seconds.
        max: i64,
    },
}

impl Shape {
    /// Whether it is a list of texts.
    #[must_use]
    pub fn is_list(&self) -> bool {
        matches!(self, Self::Hosts | Self::Origins | Self::Words)
    }

    /// As front ends are told.
    #[must_use]
    pub fn kind(&self) -> SettingKind {
        let words = |(en, zh): (&str, &str)| Words::new(en, zh);
        let (max_items, max_chars) = (bounds::SETTING_ITEMS, bounds::SETTING_CHARS);
        match *self {
            Self::Switch => SettingKind::Switch,
            Self::Number { min, max, unit } => SettingKind::Number { min, max, unit: unit.map(words) },
            Self::Keys => SettingKind::Keys { max_chars },
            Self::Choice(choices) => {
                let choice =
                    |(value, title): &Choice| SettingChoice { value: (*value).to_owned(), title: words(*title) };
                SettingKind::Choice { choices: choices.iter().map(choice).collect() }
            }
            Self::Text | Self::Address => SettingKind::Text { max_chars },
            Self::Hosts | Self::Origins | Self::Words => SettingKind::List { max_items, max_chars },
            Self::Hours => SettingKind::Hours,
            Self::Waiting { min, max } => SettingKind::Waiting { min, max, max_items, max_chars },
        }
    }
}

/// A number with its bounds, without a unit.
pub(crate) const fn number(min: i64, max: i64) -> Shape {
    Shape::Number { min, max, unit: None }
}

/// A number with its bounds and its unit.
pub(crate) const fn counted(min: i64, max: i64, unit: (&'static str, &'static str)) -> Shape {
    Shape::Number { min, max, unit: Some(unit) }
}

/// Makes of the table of settings: a type for each section, [`Settings`] of all of them, and the list
/// of what each of them is.
macro_rules! settings {
    ($(
        $(#[$about:meta])*
        $section:ident: $type:ident {
            $(
                $name:ident: $value:ty = $default:tt, $shape:expr;
                on $tab:ident, agents $agent:ident, applies $applies:ident $(, $secret:ident)?;
                [$en:literal, $zh:literal], [$help_en:literal, $help_zh:literal];
            )*
        }
    )*) => {
        $(
            $(#[$about])*
            #[derive(Debug, Clone, PartialEq, Eq)]
            pub struct $type {
                $(#[doc = $help_en] pub $name: $value,)*
            }
        )*

        /// The settings in force.
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub struct Settings {
            $($(#[$about])* pub $section: $type,)*
        }

        impl Settings {
            /// What these values say; those of a key that is missing are the default's.
            #[must_use]
            pub fn of(values: &$crate::Values) -> Self {
                Self {
                    $($section: $type {
                        $($name: $crate::values::typed(values, concat!(stringify!($section), ".", stringify!($name))),)*
                    },)*
                }
            }
        }

        /// Every setting, in the order of the page.
        pub const SETTINGS: &[$crate::schema::Entry] = &[
            $($($crate::schema::Entry {
                key: concat!(stringify!($section), ".", stringify!($name)),
                tab: $crate::schema::Tab::$tab,
                title: ($en, $zh),
                help: ($help_en, $help_zh),
                shape: $shape,
                default: || serde_json::json!($default),
                agent: gate_api::AgentAccess::$agent,
                applies: gate_api::Applies::$applies,
                secret: $crate::schema::marked!($($secret)?),
            },)*)*
        ];
    };
}

/// Whether a setting is marked as a secret.
macro_rules! marked {
    () => {
        false
    };
    (secret) => {
        true
    };
}

pub(crate) use {marked, settings};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SETTINGS;

    #[test]
    fn every_setting_stands_once_and_speaks_both_languages() {
        for (at, entry) in SETTINGS.iter().enumerate() {
            assert!(SETTINGS.iter().skip(at + 1).all(|other| other.key != entry.key), "{} stands twice", entry.key);
            for (en, zh) in [entry.title, entry.help] {
                assert!(!en.is_empty() && en.is_ascii(), "{}: English without odd characters: {en:?}", entry.key);
                assert!(!zh.is_ascii(), "{}: Chinese: {zh:?}", entry.key);
            }
            assert!(entry.help.0.ends_with('.') && entry.help.1.ends_with('。'), "{}: a sentence helps", entry.key);
            assert!(Tab::ALL.contains(&entry.tab), "{} is on a page", entry.key);
        }
    }

    #[test]
    fn agents_are_kept_from_what_is_security() {
        let security: Vec<_> = SETTINGS.iter().filter(|entry| entry.is_of_security()).collect();
        assert!(!security.is_empty(), "there is a setting of security");
        for entry in security {
            assert_eq!(entry.agent, AgentAccess::None, "{} is no business of an agent's", entry.key);
        }
        let mut network = SETTINGS.iter().filter(|entry| entry.path().0 == "network");
        assert!(network.all(|entry| entry.agent != AgentAccess::Change), "nor who may come in");
        let mut voice = SETTINGS.iter().filter(|entry| entry.path().0 == "voice");
        assert!(voice.all(|entry| entry.agent != AgentAccess::Change), "nor what is heard of what the person says");
        for key in ["voice.microphone", "voice.armed", "voice.mirror"] {
            let entry = crate::entry(key).expect("a setting");
            assert_eq!(entry.agent, AgentAccess::None, "{key} is no business of an agent's");
        }
        let mut prompts = SETTINGS.iter().filter(|entry| entry.path().0 == "prompts");
        assert!(prompts.all(|entry| entry.agent != AgentAccess::Change), "nor where its prompts come from");
    }

    #[test]
    fn secrets_are_marked_and_no_agent_sees_them() {
        let secrets: Vec<_> = SETTINGS.iter().filter(|entry| entry.secret).collect();
        assert_eq!(
            secrets.iter().map(|entry| entry.key).collect::<Vec<_>>(),
            ["prompts.token", "prompts.webhook_secret"]
        );
        assert!(secrets.iter().all(|entry| entry.agent == AgentAccess::None));
    }
}
