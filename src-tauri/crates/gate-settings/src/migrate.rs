//! Versions of the file. An older one is read as what it meant then, and written anew with the first
//! change, after a copy of it was made; a newer one is read as far as it is known, and never written.

use serde_json::{Value, json};

use crate::document::Document;
use crate::edit::{Refusal, set};

/// The version that this program writes. A file without one is of version 0.
pub const VERSION: u32 = 1;

/// What a version changed.
#[derive(Debug)]
struct Step {
    /// The version.
    to: u32,
    /// Settings that have another name since: the old one, then the new one.
    renamed: &'static [(&'static str, &'static str)],
}

/// Every step, in order. The first only put the version into the file.
const STEPS: &[Step] = &[Step { to: 1, renamed: &[] }];

/// The name that a setting of a file of this version has today.
pub(crate) fn present_name(name: &str, version: u32) -> &str {
    renamed(name, version, STEPS)
}

fn renamed<'a>(name: &'a str, version: u32, steps: &[Step]) -> &'a str {
    let later = steps.iter().filter(|step| step.to > version).flat_map(|step| step.renamed);
    later.fold(name, |name, (old, new)| if name == *old { new } else { name })
}

/// Whether a section of this name was one in a file of this version.
pub(crate) fn knows_section(section: &str, version: u32) -> bool {
    let mut later = STEPS.iter().filter(|step| step.to > version).flat_map(|step| step.renamed);
    later.any(|(old, _)| old.split_once('.').is_some_and(|(of, _)| of == section))
}

/// The text as this version writes it.
///
/// # Errors
/// When it can't be changed without harming something else in it.
pub(crate) fn migrated(text: &str, version: u32) -> Result<String, Refusal> {
    through(text, version, STEPS, VERSION)
}

fn through(text: &str, version: u32, steps: &[Step], last: u32) -> Result<String, Refusal> {
    let mut text = text.to_owned();
    for (old, new) in steps.iter().filter(|step| step.to > version).flat_map(|step| step.renamed) {
        let (old, new): (Vec<&str>, Vec<&str>) = (old.split('.').collect(), new.split('.').collect());
        let value = Document::parse(&text).map_err(Refusal::Broken)?.root.at(&old).map(|node| node.value());
        if let Some(value) = value.filter(|value| !value.is_null()) {
            text = set(&text, &old, None)?;
            text = set(&text, &new, Some(&value))?;
        }
    }
    let stamp: Value = json!(last);
    set(&text, &["version"], Some(&stamp))
}

#[cfg(test)]
mod tests {
    use super::*;

    const THREE: &[Step] = &[
        Step { to: 1, renamed: &[] },
        Step { to: 2, renamed: &[("look.size", "window.size")] },
        Step { to: 3, renamed: &[("window.size", "window.font_size")] },
    ];

    #[test]
    fn an_older_file_keeps_its_words_under_their_new_names() {
        let old = "# mine\nlook:\n  size: 18 # large\nother: 1\n";
        let new = through(old, 1, THREE, 3);
        assert_eq!(
            new.as_deref(),
            Ok("# mine\nlook:\n  # large\nother: 1\nwindow:\n  font_size: 18\nversion: 3\n"),
            "comments and what nobody knows stay"
        );
        assert_eq!(renamed("look.size", 1, THREE), "window.font_size", "through all versions in between");
        assert_eq!(renamed("look.size", 2, THREE), "look.size", "a newer file means something else by it");
        assert_eq!(renamed("window.size", 2, THREE), "window.font_size");
    }

    #[test]
    fn a_file_without_a_version_is_given_one() {
        assert_eq!(migrated("window:\n  theme: dark\n", 0).as_deref(), Ok("window:\n  theme: dark\nversion: 1\n"));
        assert_eq!(migrated("version: 0\n", 0).as_deref(), Ok("version: 1\n"));
    }
}
