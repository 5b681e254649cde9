//! For the tests of those who name texts: whether the catalogues have what they say.

use fluent_bundle::FluentArgs;
use gate_api::Phrase;

use crate::{Area, Texts, given};

/// Where what is said of an area and its English texts differ: phrases that are missing, or that are given
/// other values than they take; texts that nobody says. Nothing where all is well.
#[must_use]
pub fn differences(area: &str, said: impl IntoIterator<Item = Phrase>) -> Vec<String> {
    let said: Vec<Phrase> = said.into_iter().collect();
    let mut found: Vec<String> = said.iter().filter_map(fault).collect();
    let known = Texts::english().0.areas.iter().filter(|known| known.name == area).flat_map(Area::ids);
    let unsaid = known.filter(|id| said.iter().all(|phrase| phrase.id != *id));
    found.extend(unsaid.map(|id| format!("{id} is said by nobody")));
    found
}

/// What is wrong with a phrase.
#[must_use]
pub fn fault(phrase: &Phrase) -> Option<String> {
    let id = &phrase.id;
    let formatted = |without: Option<&String>| {
        let values = phrase.values.iter().filter(|(name, _)| Some(*name) != without);
        let values: FluentArgs<'_> = values.map(|(name, value)| (name.as_str(), given(value))).collect();
        Texts::english().0.formatted(id, &values)
    };
    let Some((_, errors)) = formatted(None) else { return Some(format!("{id} is missing")) };
    if !errors.is_empty() {
        return Some(format!("{id}: {errors:?}"));
    }
    let is_unused = |name: &&String| formatted(Some(*name)).is_some_and(|(_, errors)| errors.is_empty());
    phrase.values.keys().find(is_unused).map(|name| format!("{id} takes no ${name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_too_many_or_takes_other_values_is_named() {
        let of = |phrase: &Phrase| fault(phrase).unwrap_or_default();
        assert_eq!(of(&Phrase::new("check-client").with("client", "Zed")), "", "as it is to be");
        assert_eq!(of(&Phrase::new("check-nothing")), "check-nothing is missing");
        assert!(of(&Phrase::new("check-client")).contains("client"), "a value is missing");
        assert_eq!(of(&Phrase::new("check-home").with("who", "x")), "check-home takes no $who");
        let differences = differences("client", [Phrase::new("client-zed-next"), Phrase::new("client-x-next")]);
        assert!(differences.contains(&"client-x-next is missing".to_owned()), "{differences:?}");
        assert!(differences.contains(&"client-cursor-next is said by nobody".to_owned()), "{differences:?}");
        assert!(!differences.iter().any(|each| each.contains("client-zed-next")), "{differences:?}");
    }
}
