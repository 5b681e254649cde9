//! What the shell says outside of its windows, from the same kind of catalogues as the windows'.

use fluent_bundle::concurrent::FluentBundle;
use fluent_bundle::{FluentArgs, FluentResource, FluentValue};
use unic_langid::LanguageIdentifier;

/// Each language with its catalogue; the first is the fallback.
const CATALOGUES: &[(&str, &str)] = &[
    ("en", include_str!("../../ui/locales/en/shell.ftl")),
    ("zh-CN", include_str!("../../ui/locales/zh-CN/shell.ftl")),
];

/// The shell's messages in one language.
pub(crate) struct Words(FluentBundle<FluentResource>);

impl Words {
    /// For the setting `window.language`: `system`, or a language's tag.
    pub(crate) fn of(setting: &str) -> Self {
        match setting {
            "system" => Self::spoken(sys_locale::get_locales()),
            tag => Self::spoken([tag.to_owned()].into_iter()),
        }
    }

    /// In the first of the person's languages that has a catalogue.
    fn spoken(mut preferred: impl Iterator<Item = String>) -> Self {
        let known = |tag: String| CATALOGUES.iter().find(|(known, _)| language(known) == language(&tag));
        let chosen = preferred.find_map(known).or(CATALOGUES.first());
        let (tag, text) = chosen.copied().unwrap_or_default();
        let mut bundle = FluentBundle::new_concurrent(tag.parse::<LanguageIdentifier>().into_iter().collect());
        // Trays and notifications show the marks that would isolate a text of another direction.
        bundle.set_use_isolating(false);
        let resource = FluentResource::try_new(text.to_owned()).unwrap_or_else(|(readable, errors)| {
            tracing::error!(?errors, tag, "a part of the shell's catalogue can't be read");
            readable
        });
        bundle.add_resource_overriding(resource);
        Self(bundle)
    }

    /// A message.
    pub(crate) fn say(&self, id: &str) -> String {
        self.tell(id, [])
    }

    /// A message with its values filled in; its id where there is no such message.
    pub(crate) fn tell<'a, const N: usize>(&self, id: &str, values: [(&'a str, FluentValue<'a>); N]) -> String {
        let values: FluentArgs<'a> = values.into_iter().collect();
        let pattern = self.0.get_message(id).and_then(|message| message.value());
        let mut errors = Vec::new();
        pattern.map_or_else(
            || id.to_owned(),
            |pattern| self.0.format_pattern(pattern, Some(&values), &mut errors).into_owned(),
        )
    }
}

/// The language of a tag, without its country and script.
fn language(tag: &str) -> String {
    tag.split(['-', '_', '.']).next().unwrap_or_default().to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn spoken(tags: &[&str]) -> Words {
        Words::spoken(tags.iter().map(|tag| (*tag).to_owned()))
    }

    fn ids(catalogue: &str) -> BTreeSet<&str> {
        let entries = catalogue.lines().filter(|line| line.starts_with(|first: char| first.is_ascii_lowercase()));
        entries.filter_map(|line| line.split_once(" =").map(|(id, _)| id)).collect()
    }

    #[test]
    fn the_first_known_language_of_the_person_is_spoken() {
        for (tags, said) in [
            (&["zh-CN"][..], "历史记录"),
            (&["zh_TW.UTF-8", "en"], "历史记录"),
            (&["fr-FR", "zh"], "历史记录"),
            (&["en-GB", "zh"], "History"),
            (&["fr"], "History"),
            (&[], "History"),
        ] {
            assert_eq!(spoken(tags).say("shell-history"), said, "{tags:?}");
        }
    }

    #[test]
    fn numbers_choose_their_form() {
        let waiting = |tag, count: usize| spoken(&[tag]).tell("shell-waiting", [("count", count.into())]);
        assert_eq!(waiting("en", 0), "Review Gate: nothing is waiting");
        assert_eq!(waiting("en", 1), "Review Gate: 1 request is waiting");
        assert_eq!(waiting("en", 2), "Review Gate: 2 requests are waiting");
        assert_eq!(waiting("zh-CN", 2), "Review Gate：2 个请求等待处理");
    }

    #[test]
    fn each_language_has_every_message_and_can_be_read() {
        let english = ids(CATALOGUES.first().map(|(_, text)| *text).unwrap_or_default());
        assert!(english.len() > 20, "the catalogue is found: {english:?}");
        for (tag, text) in CATALOGUES {
            assert_eq!(ids(text), english, "{tag} says no more and no less than English");
            let read = FluentResource::try_new((*text).to_owned());
            assert!(read.is_ok(), "{tag}: {:?}", read.err().map(|(_, errors)| errors));
        }
    }

    #[test]
    fn every_message_that_the_shell_says_exists() {
        let sources = [include_str!("tray.rs"), include_str!("notices.rs"), include_str!("quitting.rs")];
        let english = ids(CATALOGUES.first().map(|(_, text)| *text).unwrap_or_default());
        let said: BTreeSet<&str> = sources
            .iter()
            .flat_map(|source| source.split('"'))
            .filter(|text| text.starts_with("shell-") && !text.contains(' '))
            .collect();
        assert_eq!(said, english, "each message is said somewhere, and nothing else is");
    }
}
