//! Which guards are weak, and what would make one weaker.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::Values;
use crate::check::check;
use crate::confirmed::held_guards;
use crate::guard::{Guard, Held};
use crate::layers::Loaded;
use crate::schema::Entry;

/// A guard that a value would make weaker than it is now; null stands for what holds where nobody has set it.
#[must_use]
pub fn weakened<'a>(wanted: &'a BTreeMap<String, Value>, present: &Loaded) -> Option<&'a str> {
    wanted.iter().find_map(|(key, value)| {
        let (known, guard) = held_guards(present.held).find(|(known, _)| known.key == key)?;
        let default = (known.default)();
        // What isn't in its one form would count as another value.
        let value = check(known, value).value.filter(|value| !value.is_null()).unwrap_or(default.clone());
        guard.is_weaker(&value, present.values.get(known.key).unwrap_or(&default)).then_some(key.as_str())
    })
}

/// The guards of who answers that are weaker than they are where nobody has set them, as they stand in the file.
#[must_use]
pub fn weak(present: &Values) -> Vec<String> {
    let of = |(entry, guard): (&'static Entry, Guard)| {
        let value = present.get(entry.key)?;
        guard.is_weaker(value, &(entry.default)()).then(|| format!("{}: {}", entry.key, crate::written(value)))
    };
    held_guards(Held::Answers).filter_map(of).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::SETTINGS;

    #[test]
    fn every_setting_of_security_is_a_guard_and_safe_by_itself() {
        for entry in SETTINGS.iter().filter(|entry| entry.is_of_security()) {
            assert!(entry.guard.is_some(), "{} has an order", entry.key);
        }
        assert_eq!(weak(&crate::defaults()), Vec::<String>::new());
        let wanted = |key: &str, value: Value| BTreeMap::from([(key.to_owned(), value)]);
        let folder = tempfile::tempdir().expect("a folder");
        let file = crate::SettingsFile::at(folder.path().join("config.yaml"));
        let present = file.load(&crate::Overlay::default());
        let on = wanted("security.terminal_answers", json!(true));
        assert_eq!(weakened(&on, &present), Some("security.terminal_answers"));
        assert_eq!(weakened(&wanted("security.terminal_answers", json!(false)), &present), None, "that is safer");
        assert_eq!(weakened(&wanted("window.theme", json!("dark")), &present), None, "no guard");
        let off = Loaded { values: Values::from([("security.scripted_answers", json!(false))]), ..present.clone() };
        let back = wanted("security.scripted_answers", json!(null));
        assert_eq!(weakened(&back, &off), Some("security.scripted_answers"), "the default may be weaker, too");
        let more = wanted("network.allowed_hosts", json!(["gate.internal"]));
        assert_eq!(weakened(&more, &present), Some("network.allowed_hosts"));
        let free = Loaded { held: Held::Answers, ..present };
        assert_eq!(weakened(&more, &free), None, "where the person may have no place to confirm it");
        assert_eq!(weakened(&on, &free), Some("security.terminal_answers"), "which makes nobody answer for them");
        let values = Values::from([("network.allowed_hosts", json!(["gate.internal"]))]);
        assert_eq!(weak(&values), Vec::<String>::new(), "nobody answers more easily by that");
    }
}
