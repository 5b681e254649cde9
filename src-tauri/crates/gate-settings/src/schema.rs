//! What a setting is. The settings themselves stand in `table.rs`.

use gate_api::{AgentAccess, Applies, Phrase, SettingChoice, SettingKind};
use gate_core::bounds;
use gate_texts::Texts;
use serde_json::Value;

use crate::document::Document;
use crate::guard::Guard;

/// The setting whose choices are the languages of the windows.
const LANGUAGE: &str = "window.language";
/// How a language calls itself.
const OWN_NAME: &str = "setting-language-own-name";

/// One setting as the table describes it.
#[derive(Debug)]
pub struct Entry {
    /// Its name in the file: section and name, e.g. `window.font_size`.
    pub key: &'static str,
    /// Where it stands on the page.
    pub tab: Tab,
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
    /// Its order from safe to weak, where it protects the person's answers: it gets weaker only where the person
    /// confirms that.
    pub guard: Option<Guard>,
}

impl Entry {
    /// Whether it may be null, for none.
    #[must_use]
    pub fn is_optional(&self) -> bool {
        (self.default)().is_null()
    }

    /// Its title.
    #[must_use]
    pub fn title(&self) -> Phrase {
        Phrase::new(self.text_id())
    }

    /// What it does, in a sentence or two.
    #[must_use]
    pub fn help(&self) -> Phrase {
        Phrase::new(format!("{}-help", self.text_id()))
    }

    /// What one of its choices is called.
    #[must_use]
    pub fn choice(&self, value: &str) -> Phrase {
        let id = format!("{}-{value}", self.text_id());
        match Texts::of(value) {
            // A language that the catalogues have no name for has one of its own.
            Some(language) if self.key == LANGUAGE && !Texts::english().has(&id) => {
                Phrase::new("setting-language-named").with("name", language.say(OWN_NAME))
            }
            _ => Phrase::new(id),
        }
    }

    fn text_id(&self) -> String {
        format!("setting-{}", self.key.replace(['.', '_'], "-"))
    }

    /// What it may be, as front ends are told.
    #[must_use]
    pub fn kind(&self) -> SettingKind {
        let (max_items, max_chars) = (bounds::SETTING_ITEMS, bounds::SETTING_CHARS);
        match self.shape {
            Shape::Switch => SettingKind::Switch,
            Shape::Number { min, max, unit } => SettingKind::Number { min, max, unit: unit.map(self::unit) },
            Shape::Keys => SettingKind::Keys { max_chars },
            Shape::Choice(values) => {
                let choice = |value: &&str| SettingChoice { value: (*value).to_owned(), title: self.choice(value) };
                SettingKind::Choice { choices: values.iter().map(choice).collect() }
            }
            Shape::Text | Shape::Address => SettingKind::Text { max_chars },
            Shape::Hosts | Shape::Origins | Shape::Words | Shape::Rules | Shape::ReviewRules | Shape::Programs => {
                SettingKind::List { max_items, max_chars }
            }
            Shape::Hours => SettingKind::Hours,
            Shape::Waiting { min, max } => SettingKind::Waiting { min, max, max_items, max_chars },
        }
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
            Shape::Hosts | Shape::Origins | Shape::Words | Shape::Rules | Shape::ReviewRules | Shape::Programs => {
                match value() {
                    Value::Array(items) => Value::Array(items),
                    _ => typed.split(',').map(str::trim).filter(|text| !text.is_empty()).map(Value::from).collect(),
                }
            }
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
pub struct Tab(pub(crate) &'static str);

impl Tab {
    /// Its name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.0
    }

    /// Its title.
    #[must_use]
    pub fn title(self) -> Phrase {
        Phrase::new(format!("setting-section-{}", self.as_str()))
    }
}

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
        /// What it counts, e.g. `seconds`.
        unit: Option<&'static str>,
    },
    /// Keys as in `CmdOrCtrl+Alt+G`; empty for none.
    Keys,
    /// One of a few words.
    Choice(&'static [&'static str]),
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
    /// A list of rules for approvals, as in `L3; path=deploy/`.
    Rules,
    /// A list of rules for reviews of what agents propose, as in `person; path=migrations/`.
    ReviewRules,
    /// A list of names of agent programs that can review.
    Programs,
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
        matches!(self, Self::Hosts | Self::Origins | Self::Words | Self::Rules | Self::ReviewRules | Self::Programs)
    }
}

/// The agent programs that can review, by their names.
pub(crate) const PROGRAMS: [&str; 4] = ["claude-code", "codex", "gemini-cli", "opencode"];

/// A number with its bounds, without a unit.
pub(crate) const fn number(min: i64, max: i64) -> Shape {
    Shape::Number { min, max, unit: None }
}

/// A number with its bounds and its unit.
pub(crate) const fn counted(min: i64, max: i64, unit: &'static str) -> Shape {
    Shape::Number { min, max, unit: Some(unit) }
}

/// What a unit is called.
pub(crate) fn unit(unit: &str) -> Phrase {
    Phrase::new(format!("setting-unit-{unit}"))
}

/// Makes of the table of settings: a type for each section, [`Settings`] of all of them, and the list
/// of what each of them is.
macro_rules! settings {
    ($(
        $(#[$about:meta])*
        $section:ident: $type:ident {
            $(
                $name:ident: $value:ty = $default:tt, $shape:expr;
                on $tab:ident, agents $agent:ident, applies $applies:ident $(, $secret:ident)? $([guard $guard:expr])?;
            )*
        }
    )*) => {
        $(
            $(#[$about])*
            #[derive(Debug, Clone, PartialEq, Eq)]
            pub struct $type {
                $(
                    #[doc = concat!("The setting `", stringify!($section), ".", stringify!($name), "`.")]
                    pub $name: $value,
                )*
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
                        $($name: $crate::values::typed(
                            values,
                            concat!(stringify!($section), ".", stringify!($name)),
                            || serde_json::json!($default),
                        ),)*
                    },)*
                }
            }
        }

        /// Every setting, in the order of the page.
        pub const SETTINGS: &[$crate::schema::Entry] = &[
            $($($crate::schema::Entry {
                key: concat!(stringify!($section), ".", stringify!($name)),
                tab: $tab,
                shape: $shape,
                default: || serde_json::json!($default),
                agent: gate_api::AgentAccess::$agent,
                applies: gate_api::Applies::$applies,
                secret: $crate::schema::marked!($($secret)?),
                guard: $crate::schema::guarded!($($guard)?),
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

/// The order of a setting, where it has one.
macro_rules! guarded {
    () => {
        None
    };
    ($guard:expr) => {
        Some($guard)
    };
}

pub(crate) use {guarded, marked, settings};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{SETTINGS, TABS};

    #[test]
    fn every_setting_stands_once_and_its_help_is_a_sentence() {
        for (at, entry) in SETTINGS.iter().enumerate() {
            assert!(SETTINGS.iter().skip(at + 1).all(|other| other.key != entry.key), "{} stands twice", entry.key);
            assert!(TABS.contains(&entry.tab), "{} is on a page", entry.key);
            for tag in gate_texts::LANGUAGES {
                let texts = Texts::preferred([tag]);
                let (title, help) = (texts.phrase(&entry.title()), texts.phrase(&entry.help()));
                let is_good = match tag {
                    // Without odd characters, for terminals.
                    "en" => title.is_ascii() && help.is_ascii() && help.ends_with('.'),
                    "zh-CN" => !title.is_ascii() && !help.is_ascii() && help.ends_with('。'),
                    _ => true,
                };
                assert!(is_good && !title.is_empty(), "{} in {tag}: {title:?}, {help:?}", entry.key);
            }
        }
    }

    #[test]
    fn the_catalogues_have_the_texts_of_the_table_and_no_others() {
        let mut said: Vec<Phrase> = TABS.into_iter().map(Tab::title).collect();
        for entry in SETTINGS {
            said.extend([entry.title(), entry.help()]);
            match entry.shape {
                Shape::Choice(values) => said.extend(values.iter().map(|value| entry.choice(value))),
                Shape::Number { unit, .. } => said.extend(unit.map(super::unit)),
                _ => {}
            }
        }
        said.push(Phrase::new("setting-language-named").with("name", "a name"));
        said.push(Phrase::new(OWN_NAME));
        assert_eq!(gate_texts::testing::differences("setting", said), Vec::<String>::new());
    }

    #[test]
    fn the_windows_speak_every_language_that_there_is_a_folder_of() {
        let entry = crate::entry(LANGUAGE).expect("a setting");
        let Shape::Choice(choices) = entry.shape else { panic!("one of several") };
        assert_eq!(choices.first(), Some(&"system"));
        assert_eq!(choices[1..], gate_texts::LANGUAGES);
        let chinese = Texts::english().phrase(&entry.choice("zh-CN"));
        assert_eq!(chinese, "Simplified Chinese", "as the catalogues call it");
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
        let mut called =
            SETTINGS.iter().filter(|entry| entry.path().0 == "notifications" || entry.key == "window.raise");
        assert!(called.all(|entry| entry.agent == AgentAccess::See), "nor whether the person is called");
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
