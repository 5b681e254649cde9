//! Files as people write them, and what is left of them after a change.

use proptest::prelude::*;
use serde_json::json;

use super::*;

const FULL: &str = "\
# My settings.
version: 1   # do not touch

window:      # how it looks
    theme: 'dark'   # easier at night
    # font_size: 20

    font_size:   16
waiting:
  clients:
    codex: 290        # raised in codex too
    'claude code':
      http: 100
network: {port: 9000, allowed_hosts: [a.b,  c.d]} # one line
plugins:
- name: x    # nobody knows it
  list:
  - 1
  - 2
note: |
  # no comment
  window: no section
last: true
";

fn changed(text: &str, key: &str, value: Value) -> String {
    let path: Vec<&str> = key.split('.').collect();
    set(text, &path, Some(&value).filter(|value| !value.is_null()))
        .unwrap_or_else(|refusal| panic!("{key}: {refusal:?}"))
}

/// The lines that are in one text only, as a diff shows them.
fn diff(before: &str, after: &str) -> Vec<String> {
    let (before, after): (Vec<_>, Vec<_>) = (before.lines().collect(), after.lines().collect());
    let gone = before.iter().filter(|line| !after.contains(line)).map(|line| format!("-{line}"));
    let new = after.iter().filter(|line| !before.contains(line)).map(|line| format!("+{line}"));
    gone.chain(new).collect()
}

#[test]
fn a_change_touches_its_own_line_only() {
    for (key, value, expected) in [
        (
            "window.theme",
            json!("light"),
            vec!["-    theme: 'dark'   # easier at night", "+    theme: light   # easier at night"],
        ),
        ("window.font_size", json!(18), vec!["-    font_size:   16", "+    font_size:   18"]),
        ("window.language", json!("zh-CN"), vec!["+    language: zh-CN"]),
        ("sessions.stale_seconds", json!(60), vec!["+sessions:", "+  stale_seconds: 60"]),
        (
            "network.port",
            json!(0),
            vec![
                "-network: {port: 9000, allowed_hosts: [a.b,  c.d]} # one line",
                "+network: {port: 0, allowed_hosts: [a.b,  c.d]} # one line",
            ],
        ),
        (
            "network.http",
            json!(false),
            vec![
                "-network: {port: 9000, allowed_hosts: [a.b,  c.d]} # one line",
                "+network: {port: 9000, allowed_hosts: [a.b,  c.d], http: false} # one line",
            ],
        ),
        (
            "network.allowed_hosts",
            json!(["c.d", "e.f"]),
            vec![
                "-network: {port: 9000, allowed_hosts: [a.b,  c.d]} # one line",
                "+network: {port: 9000, allowed_hosts: [c.d, e.f]} # one line",
            ],
        ),
        (
            "waiting.clients",
            json!({"codex": 300, "claude code": {"http": 100}, "zed": 50}),
            vec![
                "-    codex: 290        # raised in codex too",
                "+    codex: 300        # raised in codex too",
                "+    zed: 50",
            ],
        ),
        ("window.font_size", Value::Null, vec!["-    font_size:   16"]),
        ("window.theme", Value::Null, vec!["-    theme: 'dark'   # easier at night", "+    # easier at night"]),
        ("waiting.clients", json!({"codex": 290}), vec!["-    'claude code':", "-      http: 100"]),
        (
            "waiting.clients",
            Value::Null,
            vec![
                "-  clients:",
                "-    codex: 290        # raised in codex too",
                "-    'claude code':",
                "-      http: 100",
                "+  # raised in codex too",
            ],
        ),
        ("storage.keep_days", Value::Null, vec![]),
        ("window.font_size", json!(16), vec![]),
    ] {
        assert_eq!(diff(FULL, &changed(FULL, key, value.clone())), expected, "{key} to {value}");
    }
}

#[test]
fn an_entry_goes_where_it_can_be_read() {
    for (text, key, value, expected) in [
        ("", "window.theme", json!("dark"), "window:\n  theme: dark\n"),
        ("# only a word\n", "window.theme", json!("dark"), "# only a word\nwindow:\n  theme: dark\n"),
        ("a: 1", "window.theme", json!("dark"), "a: 1\nwindow:\n  theme: dark\n"),
        ("a: 1\r\n", "window.theme", json!("dark"), "a: 1\r\nwindow:\r\n  theme: dark\r\n"),
        ("\u{feff}a: 1\n", "a", json!(2), "\u{feff}a: 2\n"),
        ("window:\n", "window.theme", json!("dark"), "window:\n  theme: dark\n"),
        ("window: # look\nb: 1\n", "window.theme", json!("dark"), "window: # look\n  theme: dark\nb: 1\n"),
        ("window: ~\n", "window.theme", json!("dark"), "window: {theme: dark}\n"),
        ("window: {}\n", "window.theme", json!("dark"), "window: {theme: dark}\n"),
        ("window:\n  theme:\n", "window.theme", json!("dark"), "window:\n  theme: dark\n"),
        ("---\na: 1\n...\n", "window.theme", json!("dark"), "---\na: 1\nwindow:\n  theme: dark\n...\n"),
        ("{a: 1}\n", "window.theme", json!("dark"), "{a: 1, window: {theme: dark}}\n"),
        ("window:\n  theme: dark\n", "window.theme", Value::Null, ""),
        (
            "# 漢字 ünï\nwindow: {theme: dark} # größe\n",
            "window.theme",
            json!("light"),
            "# 漢字 ünï\nwindow: {theme: light} # größe\n",
        ),
        (
            "network:\n  allowed_hosts:\n  # at home\n  - a.b # one\n  - c.d # two\n",
            "network.allowed_hosts",
            json!(["c.d", "e.f"]),
            "network:\n  allowed_hosts:\n  # at home\n  # one\n  - c.d # two\n  - e.f\n",
        ),
    ] {
        assert_eq!(changed(text, key, value.clone()), expected, "{key} to {value} in {text:?}");
    }
}

#[test]
fn what_would_harm_something_else_is_refused() {
    for (text, key) in [
        ("base: &look {theme: dark}\nwindow: *look\n", "window.theme"),
        ("a: &size 14\nwindow:\n  font_size: 15\nb: *size\n", "a"),
        ("window: 5\n", "window.theme"),
        ("window: [theme]\n", "window.theme"),
    ] {
        let path: Vec<&str> = key.split('.').collect();
        assert_eq!(set(text, &path, Some(&json!(1))), Err(Refusal::Entangled), "{key} in {text:?}");
    }
    assert!(matches!(set("a: [", &["a"], None), Err(Refusal::Broken(_))), "what can't be read isn't written");
}

/// A file as people write them: known and unknown sections, comments anywhere, several styles. And its
/// comments.
fn file() -> impl Strategy<Value = (String, Vec<String>)> {
    let comment = prop_oneof![Just(String::new()), "[ \t]#[a-z: #'\"{}-]{0,12}"];
    let own_line = prop_oneof![3 => Just(String::new()), 1 => "#[a-z :#-]{0,10}\n", 1 => Just("\n".to_owned())];
    let scalar = prop_oneof![
        Just("dark".to_owned()),
        Just("'it''s'".to_owned()),
        Just("\"a # b\"".to_owned()),
        Just("17".to_owned()),
        Just("[a.b, c.d]".to_owned()),
        Just("{codex: 290}".to_owned()),
        Just("22:00-07:00".to_owned()),
    ];
    let key = prop_oneof![
        Just("theme"),
        Just("font_size"),
        Just("clients"),
        Just("allowed_hosts"),
        Just("quiet_hours"),
        Just("nobody"),
        Just("k2"),
        Just("'a b'"),
    ];
    let entry = (own_line.clone(), key, scalar, comment.clone());
    let section = prop_oneof![Just("window"), Just("network"), Just("waiting"), Just("own"), Just("notifications")];
    let sections = proptest::collection::vec(
        (own_line, section, proptest::collection::vec(entry, 0..4), comment, 1_usize..5, any::<bool>()),
        0..4,
    );
    (sections, any::<bool>(), any::<bool>()).prop_map(|(sections, windows, ended)| {
        let mut text = String::new();
        let (mut seen, mut comments) = (Vec::new(), Vec::new());
        for (before, section, entries, comment, indent, flow) in sections {
            if seen.contains(&section) {
                continue;
            }
            seen.push(section);
            text.push_str(&before);
            comments.extend([before, comment.clone()]);
            let mut keys = Vec::new();
            let unique: Vec<_> = entries
                .into_iter()
                .filter(|entry| {
                    !keys.contains(&entry.1) && {
                        keys.push(entry.1);
                        true
                    }
                })
                .collect();
            if flow {
                let inner: Vec<_> = unique.iter().map(|(_, key, value, _)| format!("{key}: {value}")).collect();
                text.push_str(&format!("{section}: {{{}}}{comment}\n", inner.join(", ")));
            } else {
                text.push_str(&format!("{section}:{comment}\n"));
                for (before, key, value, comment) in unique {
                    text.push_str(&format!("{before}{}{key}: {value}{comment}\n", " ".repeat(indent)));
                    comments.extend([before, comment]);
                }
            }
        }
        if !ended {
            text.pop();
        }
        let comments = comments.iter().map(|comment| comment.trim().to_owned()).collect();
        (if windows { text.replace('\n', "\r\n") } else { text }, comments)
    })
}

fn value() -> impl Strategy<Value = (&'static str, Value)> {
    prop_oneof![
        "[a-z#: '\"\\\\\n]{0,12}".prop_map(|text| ("window.theme", json!(text))),
        any::<i64>().prop_map(|number| ("window.font_size", json!(number))),
        any::<bool>().prop_map(|on| ("notifications.sounds", json!(on))),
        proptest::collection::vec("[a-z.#: ]{1,8}", 0..4).prop_map(|all| ("network.allowed_hosts", json!(all))),
        proptest::collection::btree_map("[a-z >=.0-9#:']{1,10}", 5..99_i64, 0..4)
            .prop_map(|all| ("waiting.clients", json!(all))),
        Just(("window.theme", Value::Null)),
        Just(("network.allowed_hosts", Value::Null)),
        Just(("storage.keep_days", json!(30))),
    ]
}

proptest! {
    #[test]
    fn any_change_of_any_file_keeps_every_comment_and_everything_else((text, comments) in file(), (key, value) in value()) {
        let path: Vec<&str> = key.split('.').collect();
        let wanted = Some(&value).filter(|value| !value.is_null());
        let before = Document::parse(&text).map_err(|broken| TestCaseError::fail(format!("{broken:?} in {text:?}")))?;
        let after = set(&text, &path, wanted).map_err(|refusal| TestCaseError::fail(format!("{refusal:?} for {text:?}")))?;
        let read = Document::parse(&after).map_err(|broken| TestCaseError::fail(format!("{broken:?} in {after:?}")))?;
        let mut expected = before.value();
        put(&mut expected, &path, wanted);
        prop_assert_eq!(pruned(read.value()), pruned(expected), "{} became {}", text, after);
        for comment in comments {
            prop_assert!(after.contains(&comment), "{:?} of {} is gone: {}", comment, text, after);
        }
    }
}
