//! What Rust says to a person, from the catalogues in `ui/locales` (Fluent, projectfluent.org): the shell's
//! words, the pages before a sign-in, and in English what a terminal, agents and `docs/settings.md` are told.
//! The windows have the same catalogues. Knows no setting, no check and no window.
//!
//! The catalogues are part of the program, as bytes. An area of a language is parsed when a text of it is
//! asked for, so that a program that says nothing pays nothing.

mod catalogue;
mod states;
pub mod testing;

use fluent_bundle::{FluentArgs, FluentValue};
use gate_api::{Phrase, PhraseValue};

use crate::catalogue::{Area, Catalogue};

include!(concat!(env!("OUT_DIR"), "/catalogues.rs"));

/// The texts in one language; in English what it lacks.
#[derive(Debug, Clone, Copy)]
pub struct Texts(&'static Catalogue);

impl Texts {
    /// In English.
    #[must_use]
    pub fn english() -> Self {
        let [english, ..] = &CATALOGUES;
        Self(english)
    }

    /// In the language of this tag.
    #[must_use]
    pub fn of(tag: &str) -> Option<Self> {
        CATALOGUES.iter().find(|catalogue| catalogue.tag.eq_ignore_ascii_case(tag)).map(Self)
    }

    /// In the first of the person's languages that there is, be it of another country; in English where there
    /// is none of them.
    #[must_use]
    pub fn preferred(tags: impl IntoIterator<Item = impl AsRef<str>>) -> Self {
        let of_language = |tag: &str| CATALOGUES.iter().find(|known| base(known.tag) == base(tag)).map(Self);
        let mut known = tags.into_iter().filter_map(|tag| Self::of(tag.as_ref()).or_else(|| of_language(tag.as_ref())));
        known.next().unwrap_or_else(Self::english)
    }

    /// The language's tag.
    #[must_use]
    pub fn tag(self) -> &'static str {
        self.0.tag
    }

    /// Whether the language has this message itself.
    #[must_use]
    pub fn has(self, id: &str) -> bool {
        self.0.has(id)
    }

    /// A message into which nothing is put.
    #[must_use]
    pub fn say(self, id: &str) -> String {
        self.tell(id, [])
    }

    /// What a phrase says.
    #[must_use]
    pub fn phrase(self, phrase: &Phrase) -> String {
        self.tell(&phrase.id, phrase.values.iter().map(|(name, value)| (name.as_str(), given(value))))
    }

    /// A message with its values put in; its id where there is no such message.
    pub fn tell<'a>(self, id: &str, values: impl IntoIterator<Item = (&'a str, FluentValue<'a>)>) -> String {
        let values: FluentArgs<'a> = values.into_iter().collect();
        let said = self.0.formatted(id, &values).or_else(|| Self::english().0.formatted(id, &values));
        let Some((text, errors)) = said else {
            tracing::error!(id, "no catalogue has this text");
            return id.to_owned();
        };
        if !errors.is_empty() {
            tracing::error!(id, tag = self.0.tag, ?errors, "a text lacks a value");
        }
        text
    }
}

/// A phrase's value as a message takes it.
fn given(value: &PhraseValue) -> FluentValue<'_> {
    match value {
        PhraseValue::Text(text) => text.as_str().into(),
        PhraseValue::Number(number) => (*number).into(),
    }
}

/// The language of a tag, without its country and script.
fn base(tag: &str) -> String {
    tag.split(['-', '_', '.']).next().unwrap_or_default().to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_known_language_of_the_person_is_spoken() {
        for (tags, spoken) in [
            (&["zh-CN"][..], "zh-CN"),
            (&["zh_TW.UTF-8", "en"], "zh-CN"),
            (&["xx-XX", "ZH-cn"], "zh-CN"),
            (&["en-GB", "zh"], "en"),
            (&["xx"], "en"),
            (&[], "en"),
        ] {
            assert_eq!(Texts::preferred(tags).tag(), spoken, "{tags:?}");
        }
    }

    #[test]
    fn numbers_choose_their_form() {
        let waiting = |tag, count: usize| Texts::preferred([tag]).tell("shell-waiting", [("count", count.into())]);
        assert_eq!(waiting("en", 0), "Review Gate: nothing is waiting");
        assert_eq!(waiting("en", 1), "Review Gate: 1 request is waiting");
        assert_eq!(waiting("en", 2), "Review Gate: 2 requests are waiting");
        assert_eq!(waiting("zh-CN", 2), "Review Gate：2 个请求等待处理");
    }

    #[test]
    fn a_phrase_is_said_in_each_language_and_an_unknown_one_by_its_id() {
        let phrase = Phrase::new("check-client-project").with("client", "Zed");
        let said = |tag| Texts::preferred([tag]).phrase(&phrase);
        assert_eq!(said("en"), "Zed, this project");
        assert_eq!(said("zh-CN"), "Zed（当前项目）");
        for (count, text) in
            [(0_usize, "nothing is waiting"), (1, "1 request is waiting"), (1234, "1234 requests are waiting")]
        {
            let phrase = Phrase::new("shell-waiting").with("count", count);
            assert_eq!(Texts::english().phrase(&phrase), format!("Review Gate: {text}"), "its numbers choose");
        }
        for id in ["check-no-such", "nothing", ""] {
            assert_eq!(Texts::english().say(id), id, "better than nothing");
            assert!(!Texts::english().has(id));
        }
    }

    #[test]
    fn each_language_says_what_english_says_and_can_be_read() {
        for catalogue in &CATALOGUES {
            for (area, english) in catalogue.areas.iter().zip(&Texts::english().0.areas) {
                let file = format!("{}/{}.ftl", catalogue.tag, area.name);
                assert_eq!(area.ids(), english.ids(), "{file} has no more and no less than English");
                assert!(area.is_sound(), "{file} can be read");
                assert!(!area.ids().is_empty(), "{file} is found");
            }
        }
    }
}
