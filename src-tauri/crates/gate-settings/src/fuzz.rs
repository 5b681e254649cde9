//! Files as nobody would write them: they are read or refused, and a change touches nothing else.

use std::path::Path;

use serde_json::{Value, json};

use crate::document::{Document, pruned};
use crate::edit::set;
use crate::fuzzing::{Bytes, Fuzz, damaged};
use crate::layers::{Overlay, load};
use crate::{SETTINGS, check};

const TOKENS: &[&str] = &[
    "window:",
    "theme:",
    "font_size: 18",
    "network:",
    "allowed_hosts:",
    "waiting:",
    "clients:",
    "\n",
    "\r\n",
    "\t",
    "  ",
    "- ",
    "? ",
    ": ",
    "#",
    " # ",
    "'",
    "\"",
    "{",
    "}",
    "[",
    "]",
    ",",
    "&a ",
    "*a",
    "<<: ",
    "!!str ",
    "!x ",
    "|\n",
    ">-\n",
    "---\n",
    "...\n",
    "%TAG ! !\n",
    "~",
    "null",
    "true",
    "0x1f",
    "1e99",
    "\u{feff}",
    "\u{85}",
    "\u{2028}",
    "深",
];

/// An entry, and what it is to be.
type Wish = (&'static [&'static str], fn() -> Value);

const KEYS: &[Wish] = &[
    (&["window", "theme"], || json!("light")),
    (&["window", "font_size"], || json!(20)),
    (&["network", "allowed_hosts"], || json!(["c.d", "x y: #"])),
    (&["waiting", "clients"], || json!({"codex": 5, "a # b": {"http": 9}})),
    (&["storage", "keep_days"], || Value::Null),
];

#[test]
fn fuzz_settings_files() {
    let files = damaged("settings", TOKENS);
    let mut fuzz = Fuzz::new("fuzz_settings_files");
    while fuzz.goes_on() {
        fuzz.batch(&files, |Bytes(bytes)| {
            let Ok(text) = String::from_utf8(bytes) else { return };
            let loaded = load(&Ok(Some(text.clone())), Path::new("config.yaml"), &Overlay::default(), None);
            for entry in SETTINGS {
                let value = loaded.values.get(entry.key).cloned().unwrap_or_default();
                assert_eq!(check(entry, &value).wrong, [], "{} is always good", entry.key);
            }
            let Ok(before) = Document::parse(&text) else {
                assert!(loaded.broken.is_some(), "what can't be read is said to be broken");
                return;
            };
            for (path, value) in KEYS {
                let value = Some(value()).filter(|value| !value.is_null());
                let Ok(after) = set(&text, path, value.as_ref()) else { continue };
                let after = Document::parse(&after).expect("what was written can be read");
                let found = after.root.at(path).map(|node| node.value()).and_then(pruned);
                assert_eq!(found, value, "the value is what was wanted");
                for comment in before.comments() {
                    let comment = text.get(comment).unwrap_or_default();
                    assert!(after.text.contains(comment.trim_end()), "{comment:?} is kept");
                }
            }
        });
    }
}
