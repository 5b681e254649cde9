//! A language's catalogue: its areas, each parsed when it is first asked.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use fluent_bundle::concurrent::FluentBundle;
use fluent_bundle::{FluentArgs, FluentError, FluentResource};
use unic_langid::LanguageIdentifier;

use crate::AREAS;

type Bundle = FluentBundle<FluentResource>;

/// The texts of one language.
pub(crate) struct Catalogue {
    pub(crate) tag: &'static str,
    pub(crate) areas: [Area; AREAS],
}

/// A file of a language but `common.ftl`. Each id in it begins with the area's name.
pub(crate) struct Area {
    pub(crate) name: &'static str,
    text: &'static str,
    parsed: OnceLock<Bundle>,
}

impl Catalogue {
    /// The area that an id's text stands in.
    fn area(&self, id: &str) -> Option<&Area> {
        self.areas.iter().find(|area| id.strip_prefix(area.name).is_some_and(|rest| rest.starts_with('-')))
    }

    /// Whether it has this message.
    pub(crate) fn has(&self, id: &str) -> bool {
        let message = self.area(id).and_then(|area| area.bundle(self.tag).get_message(id));
        message.is_some_and(|message| message.value().is_some())
    }

    /// The message with these values, and what went wrong in putting them in; absent where there is none.
    pub(crate) fn formatted(&self, id: &str, values: &FluentArgs<'_>) -> Option<(String, Vec<FluentError>)> {
        let bundle = self.area(id)?.bundle(self.tag);
        let pattern = bundle.get_message(id)?.value()?;
        let mut errors = Vec::new();
        let text = bundle.format_pattern(pattern, Some(values), &mut errors).into_owned();
        Some((text, errors))
    }
}

impl std::fmt::Debug for Catalogue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Catalogue").field(&self.tag).finish()
    }
}

impl Area {
    pub(crate) const fn new(name: &'static str, text: &'static str) -> Self {
        Self { name, text, parsed: OnceLock::new() }
    }

    fn bundle(&self, tag: &str) -> &Bundle {
        self.parsed.get_or_init(|| {
            let mut bundle = Bundle::new_concurrent(tag.parse::<LanguageIdentifier>().into_iter().collect());
            // Trays, notifications and terminals show the marks that would isolate a text of another direction.
            bundle.set_use_isolating(false);
            let resource = FluentResource::try_new(self.text.to_owned()).unwrap_or_else(|(readable, errors)| {
                tracing::error!(?errors, tag, area = self.name, "a part of a catalogue can't be read");
                readable
            });
            bundle.add_resource_overriding(resource);
            bundle
        })
    }

    /// The ids of its messages.
    pub(crate) fn ids(&self) -> BTreeSet<&'static str> {
        let entries = self.text.lines().filter(|line| line.starts_with(|first: char| first.is_ascii_lowercase()));
        entries.filter_map(|line| line.split_once(" =").map(|(id, _)| id)).collect()
    }

    /// Whether all of it can be read.
    #[cfg(test)]
    pub(crate) fn is_sound(&self) -> bool {
        FluentResource::try_new(self.text.to_owned()).is_ok()
    }
}
