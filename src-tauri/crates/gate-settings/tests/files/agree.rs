//! Every setting of the table: its default is good, and the file, whoever saves, and the environment agree
//! on each of its bounds.

use std::collections::BTreeMap;

use gate_core::{Code, bounds};
use gate_settings::{Entry, Held, Overlay, SETTINGS, Settings, SettingsFile, Shape, Values, Wanted, check, defaults};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A value, and whether the setting may be it.
type Case = (Value, bool);

/// Values on both sides of each bound of a setting, and of other types.
fn cases(entry: &Entry) -> Vec<Case> {
    let long = |chars: usize| "x".repeat(chars);
    match entry.shape {
        Shape::Switch => vec![
            (json!(true), true),
            (json!(false), true),
            (json!("yes"), true),
            (json!("off"), true),
            (json!("maybe"), false),
            (json!(1), false),
            (json!([true]), false),
            (json!({"on": true}), false),
        ],
        Shape::Number { min, max, .. } => vec![
            (json!(min), true),
            (json!(max), true),
            (json!(min - 1), false),
            (json!(max + 1), false),
            (json!(i64::MAX), false),
            (json!(u64::MAX), false),
            (json!(min as f64), true),
            (json!(min as f64 + 0.5), false),
            (json!("many"), false),
            (json!(true), false),
            (json!([min]), false),
            (json!({}), false),
        ],
        Shape::Keys => vec![
            (json!(""), true),
            (json!("F5"), true),
            (json!(long(bounds::SETTING_CHARS)), true),
            (json!(long(bounds::SETTING_CHARS + 1)), false),
            (json!("F5\u{7}"), false),
            (json!(5), false),
            (json!(["F5"]), false),
        ],
        Shape::Choice(choices) => {
            let good = choices.iter().map(|word| (json!(word), true));
            let bad = [json!("nonsense"), json!(""), json!(1), json!(true), json!([]), json!({})];
            good.chain(bad.map(|value| (value, false))).collect()
        }
        Shape::Hours => vec![
            (json!("22:00-07:30"), true),
            (json!("00:00-23:59"), true),
            (json!(""), true),
            (json!("22:00"), false),
            (json!("24:00-07:00"), false),
            (json!("22:60-07:00"), false),
            (json!("07:00-07:00"), false),
            (json!(22), false),
            (json!(["22:00-07:00"]), false),
        ],
        Shape::Text => vec![
            (json!(""), true),
            (json!("base-q8_0"), true),
            (json!(long(bounds::SETTING_CHARS)), true),
            (json!(long(bounds::SETTING_CHARS + 1)), false),
            (json!("a\nb"), false),
            (json!(5), false),
            (json!(["a"]), false),
        ],
        Shape::Address => {
            let path = |chars: usize| json!(format!("https://a.b/{}", long(chars - "https://a.b/".len())));
            let good = [
                "",
                "https://a.b",
                "https://a.b:8443/c/d/",
                "http://127.0.0.1:8000",
                "http://[::1]:1/w",
                "http://localhost",
            ];
            let bad = [
                "a.b",
                "ftp://a.b",
                "file:///a",
                "https://",
                "https://:80",
                "https:///a",
                "http://a.b",
                "http://127.0.0.1.a.b",
                "http://localhost:port",
                "http://127.0.0.1@a.b",
                "https://name:word@a.b",
                "https://a.b/c d",
                "https://a.b/?token=1",
            ];
            let all = good.map(|text| (json!(text), true)).into_iter().chain(bad.map(|text| (json!(text), false)));
            let bounds =
                [(path(bounds::SETTING_CHARS), true), (path(bounds::SETTING_CHARS + 1), false), (json!(1), false)];
            all.chain(bounds).collect()
        }
        Shape::Words => lists(
            |number| format!("word{number}"),
            &["Kubernetes", "get hub -> GitHub", "变机→变基"],
            &["", "->", "heard ->", "-> written", "a\u{7}b"],
        ),
        Shape::Rules => lists(
            |number| format!("L3; words=word{number}"),
            &["L2; repository=/home/me/pay; branch=main|live", "L3;path=*.tf"],
            &["", "L3", "L4; words=a", "L3; words=", "words=a", "L3; words=a\u{7}"],
        ),
        Shape::Programs => vec![
            (json!([]), true),
            (json!(["codex", "claude-code"]), true),
            (json!(["nonsense"]), false),
            (json!("codex"), false),
            (json!([1]), false),
        ],
        Shape::ReviewRules => lists(
            |number| format!("person; path=p{number}"),
            &["agents:2; repository=/home/me/pay; lines=400", "agent+person;proposer=codex", "person; category=docs"],
            &["", "nobody", "agents:0; path=a", "person; path=", "agent; category=docs", "person; path=a\u{7}"],
        ),
        Shape::Hosts => {
            lists(|number| format!("host{number}"), &["gate.internal", "[::1]"], &["", "a b", "a/b", "a:80"])
        }
        Shape::Origins => lists(
            |number| format!("http://h{number}"),
            &["https://a.b:8443"],
            &["a.b", "http://", "http://a/", "ftp://a", "http://a b"],
        ),
        Shape::Waiting { min, max } => {
            let many = |count: usize| (0..count).map(|number| (format!("c{number}"), json!(min))).collect::<Value>();
            vec![
                (json!({}), true),
                (json!({"codex": min}), true),
                (json!({"codex": max}), true),
                (json!({"codex": min - 1}), false),
                (json!({"codex": max + 1}), false),
                (json!({"codex >= 0.60": {"stdio": min, "http": max}}), true),
                (json!({"codex": {"http": max + 1}}), false),
                (json!({"codex": {"socket": min}}), false),
                (json!({"codex": {}}), false),
                (json!({">= 1": min}), false),
                (json!({(long(bounds::SETTING_CHARS)): min}), true),
                (json!({(long(bounds::SETTING_CHARS + 1)): min}), false),
                (many(bounds::SETTING_ITEMS), true),
                (many(bounds::SETTING_ITEMS + 1), false),
                (json!({"codex": "soon"}), false),
                (json!([min]), false),
                (json!(min), false),
            ]
        }
    }
}

fn lists(item: fn(usize) -> String, good: &[&str], bad: &[&str]) -> Vec<Case> {
    let many = |count: usize| json!((0..count).map(item).collect::<Vec<_>>());
    let padded = |chars: usize| json!([format!("{}{}", item(0), "x".repeat(chars - item(0).len()))]);
    let fixed = [
        (json!([]), true),
        (many(bounds::SETTING_ITEMS), true),
        (many(bounds::SETTING_ITEMS + 1), false),
        (padded(bounds::SETTING_CHARS), true),
        (padded(bounds::SETTING_CHARS + 1), false),
        (json!(item(0)), false),
        (json!([1]), false),
        (json!({}), false),
    ];
    let good = good.iter().map(|text| (json!([text]), true));
    let bad = bad.iter().map(|text| (json!([text]), false));
    fixed.into_iter().chain(good).chain(bad).collect()
}

struct Home {
    _folder: TempDir,
    file: SettingsFile,
}

fn home() -> Home {
    let folder = tempfile::tempdir().unwrap_or_else(|error| panic!("no folder: {error}"));
    let file = SettingsFile::at(folder.path().join("config.yaml"));
    Home { _folder: folder, file }
}

/// The value as the only entry of a file. JSON is YAML.
fn file_with(key: &str, value: &Value) -> String {
    let (section, name) = key.split_once('.').unwrap_or((key, ""));
    format!("{section}:\n  {name}: {value}\n")
}

#[test]
fn every_default_is_good_and_makes_the_typed_settings() {
    for entry in SETTINGS {
        let default = (entry.default)();
        let checked = check(entry, &default);
        assert_eq!(checked.wrong, [], "{}: its default is good", entry.key);
        assert_eq!(checked.value.unwrap_or_default(), default, "{}: in its one form", entry.key);
    }
    let home = home();
    let loaded = home.file.load(&Overlay::default());
    assert_eq!((loaded.values, loaded.settings), (defaults(), Settings::default()), "without a file they hold");
    assert_eq!((loaded.problems, loaded.version), (Vec::new(), None), "and nothing is wrong");
}

#[test]
fn the_file_and_whoever_saves_agree_on_every_bound() {
    let home = home();
    for entry in SETTINGS {
        for (value, good) in cases(entry) {
            let key = entry.key;
            let saying = format!("{key} is {value}");
            if good && entry.guard.is_some() {
                home.file.confirm(key, &value).expect("the person may make it weaker");
            }
            std::fs::write(home.file.path(), file_with(key, &value)).expect("a file");
            let loaded = home.file.load(&Overlay::default());
            assert_eq!(loaded.problems.is_empty(), good, "{saying}, in the file: {:?}", loaded.problems);
            assert_eq!(loaded.faults.contains_key(key), !good, "{saying}: it is told with its setting");
            if let Some(fault) = loaded.problems.first() {
                assert!(fault.message.contains(key) && fault.message.contains("line 2"), "{saying}: {}", fault.message);
            }

            std::fs::remove_file(home.file.path()).expect("no file");
            let wanted = Wanted::from([(key.to_owned(), value.clone())]);
            let saved = home.file.save(&wanted, &Wanted::new(), &Overlay::default());
            match saved {
                Ok(_) => assert!(good, "{saying}: saving takes what the file wouldn't"),
                Err(fault) => {
                    assert!(!good && fault.code == Code::SettingRejected, "{saying}: {fault}");
                    assert!(fault.message.contains(key), "{saying}: it is named: {fault}");
                    assert!(!home.file.path().exists(), "{saying}: and nothing is written");
                }
            }
            if good {
                let saved = home.file.load(&Overlay::default());
                assert_eq!(saved.values.get(key), loaded.values.get(key), "{saying}: read back as it was meant");
                assert_eq!(saved.problems, [], "{saying}: what was saved is good");
                let _ = std::fs::remove_file(home.file.path());
            }
        }
    }
}

#[test]
fn the_environment_agrees_on_the_bounds_of_numbers_and_words() {
    let home = home();
    for entry in SETTINGS {
        for (value, good) in cases(entry) {
            let text = match (&entry.shape, &value) {
                (Shape::Number { .. }, Value::Number(_)) => value.to_string(),
                (Shape::Choice(_) | Shape::Hours | Shape::Switch, Value::String(text)) => text.clone(),
                (Shape::Switch, Value::Bool(on)) => on.to_string(),
                _ => continue,
            };
            let name = format!("REVIEW_GATE__{}", entry.key.replace('.', "__").to_uppercase());
            if good && entry.guard.is_some() {
                home.file.confirm(entry.key, &value).expect("the person may make it weaker");
            }
            let environment = BTreeMap::from([(name.clone(), text.clone())]);
            let loaded = home.file.load(&Overlay { environment, ..Overlay::default() });
            assert_eq!(loaded.problems.is_empty(), good, "{name}={text}: {:?}", loaded.problems);
            if let Some(fault) = loaded.problems.first() {
                assert!(fault.message.contains(&name), "{name}={text}: it is named: {fault}");
            }
        }
    }
}

#[test]
fn each_layer_wins_over_the_ones_below_and_a_bad_one_leaves_them_in_force() {
    let home = home();
    home.file.confirm("network.allowed_hosts", &json!(["a.b", "c.d"])).expect("the person may");
    std::fs::write(home.file.path(), "window:\n  font_size: 16\n  theme: dark\nnetwork:\n  port: 9000\n")
        .expect("a file");
    let variable = |name: &str, value: &str| (format!("REVIEW_GATE__{name}"), value.to_owned());
    let environment = BTreeMap::from([
        variable("WINDOW__FONT_SIZE", "99"),
        variable("WINDOW__THEME", "light"),
        variable("NETWORK__PORT", "9001"),
        variable("NETWORK__ALLOWED_HOSTS", "a.b, c.d"),
        variable("WAITING__CLIENTS__CODEX", "100"),
        variable("WINDOW__COLOUR", "red"),
    ]);
    let flags = Values::from([("network.port", json!(9002))]);
    let loaded = home.file.load(&Overlay { environment, flags });
    let settings = &loaded.settings;
    assert_eq!((settings.window.font_size, settings.window.theme.as_str()), (16, "light"), "what is bad doesn't win");
    assert_eq!(settings.network.port, 9002, "an argument wins");
    assert_eq!(settings.network.allowed_hosts, ["a.b", "c.d"], "lists are separated by commas");
    assert_eq!(settings.waiting.clients.0.len(), 1, "a name in a table has a variable too");
    let problems: Vec<_> = loaded.problems.iter().map(|problem| problem.message.as_str()).collect();
    assert_eq!(problems.len(), 2, "{problems:?}");
    for named in ["REVIEW_GATE__WINDOW__FONT_SIZE", "REVIEW_GATE__WINDOW__COLOUR"] {
        assert!(problems.iter().any(|problem| problem.contains(named)), "{named} is named: {problems:?}");
    }
    let sources: Vec<_> = ["window.undo_seconds", "window.font_size", "window.theme", "network.port"]
        .iter()
        .map(|key| format!("{:?}", loaded.sources[key]))
        .collect();
    assert_eq!(sources, ["Default", "File", "Environment", "Flag"]);
}

#[test]
fn a_file_and_the_environment_make_a_guard_safer_only() {
    let home = home();
    let key = "security.terminal_answers";
    let load = |value: Option<&str>| {
        let variable = |value: &str| ("REVIEW_GATE__SECURITY__TERMINAL_ANSWERS".to_owned(), value.to_owned());
        home.file.load(&Overlay { environment: value.map(variable).into_iter().collect(), ..Overlay::default() })
    };
    let answers = |loaded: &gate_settings::Loaded| loaded.settings.security.terminal_answers;
    let write = |text: &str| std::fs::write(home.file.path(), text).expect("a file");

    write("security:\n  terminal_answers: true\n");
    let loaded = load(None);
    assert_eq!(answers(&loaded), None, "nobody has confirmed that");
    assert!(loaded.faults[key].message.contains("weaker"), "and it says so: {:?}", loaded.faults);
    assert_eq!(answers(&load(Some("true"))), None, "nor does a variable");
    assert_eq!(answers(&load(Some("false"))), Some(false), "which may make it safer");

    home.file.confirm(key, &json!(true)).expect("the person may");
    let loaded = load(None);
    assert_eq!((answers(&loaded), loaded.problems.len()), (Some(true), 0), "now it holds");
    assert_eq!(gate_settings::weak(&loaded.values), [format!("{key}: true")], "and is told");
    assert_eq!(answers(&load(Some("false"))), Some(false));

    home.file
        .save(&Wanted::from([(key.to_owned(), json!(false))]), &Wanted::new(), &Overlay::default())
        .expect("safer");
    write("security:\n  terminal_answers: true\n");
    assert_eq!(answers(&load(None)), Some(false), "what was made safe isn't made weak again by the file");
    write("");
    assert_eq!(answers(&load(None)), Some(false), "nor by saying nothing of it");
    let foreign = home.file.confirm("window.theme", &json!("dark")).expect_err("it is no guard");
    assert_eq!(foreign.code, Code::InvalidInput);
}

#[test]
fn a_guard_between_safe_and_weak_holds_where_it_was_confirmed() {
    let home = home();
    let key = "network.allowed_hosts";
    let hosts = |file: &SettingsFile| file.load(&Overlay::default()).settings.network.allowed_hosts;
    let write = |text: &str| std::fs::write(home.file.path(), text).expect("a file");
    home.file.confirm(key, &json!(["a.b", "c.d"])).expect("the person may");
    write("network:\n  allowed_hosts: [a.b, c.d]\n");
    assert_eq!(hosts(&home.file), ["a.b", "c.d"]);
    write("network:\n  allowed_hosts: [c.d]\n");
    assert_eq!(hosts(&home.file), ["c.d"], "fewer are safer");
    write("network:\n  allowed_hosts: [c.d, evil.example]\n");
    assert_eq!(hosts(&home.file), ["a.b", "c.d"], "one more counts as what was confirmed");
    let fault = home.file.load(&Overlay::default()).faults[key].message.clone();
    assert!(fault.contains("evil.example") && fault.contains("counts as [a.b, c.d]"), "and is told: {fault}");
    let fewer = Wanted::from([(key.to_owned(), json!(["a.b"]))]);
    home.file.save(&fewer, &Wanted::new(), &Overlay::default()).expect("safer");
    assert_eq!(hosts(&home.file), ["a.b"]);
    write("network:\n  allowed_hosts: [a.b, c.d]\n");
    assert_eq!(hosts(&home.file), ["a.b"], "what was made safe isn't made weak again by the file");
    let free = home.file.clone().holding(Held::Answers);
    assert_eq!(hosts(&free), ["a.b", "c.d"], "but where nobody may be able to confirm it");

    let undo = |file: &SettingsFile| file.load(&Overlay::default()).settings.window.undo_seconds;
    write("window:\n  undo_seconds: 0\n");
    assert_eq!((undo(&home.file), undo(&free)), (5, 0));
    let demand = Wanted::from([("review.require_seen".to_owned(), json!(true))]);
    free.save(&demand, &Wanted::new(), &Overlay::default()).expect("safer");
    write("review:\n  require_seen: false\nwindow:\n  undo_seconds: 0\n");
    let seen = free.load(&Overlay::default()).settings.review.require_seen;
    assert!(seen, "what is asked of whoever answers is held everywhere");
    home.file.confirm("window.undo_seconds", &json!(2)).expect("the person may");
    assert_eq!(undo(&home.file), 2, "the file's is weaker still");
    write("window:\n  undo_seconds: 3\n");
    assert_eq!(undo(&home.file), 3);
}

#[test]
fn what_is_off_by_itself_stays_on_once_somebody_has_switched_it_on() {
    let home = home();
    let key = "review.require_seen";
    let seen = || home.file.load(&Overlay::default()).settings.review.require_seen;
    let write = |text: &str| std::fs::write(home.file.path(), text).expect("a file");
    let save = |value: Value| {
        home.file.save(&Wanted::from([(key.to_owned(), value)]), &Wanted::new(), &Overlay::default()).expect("saved")
    };

    write("review:\n  require_seen: true\n");
    assert!(seen(), "a file may ask for it");
    write("review:\n  require_seen: false\n");
    assert!(!seen(), "and no longer, while nobody else has");

    save(json!(true));
    write("review:\n  require_seen: false\n");
    let loaded = home.file.load(&Overlay::default());
    assert!(loaded.settings.review.require_seen, "who wrote the file doesn't switch it off");
    assert!(loaded.faults[key].message.contains("counts as true"), "and is told: {:?}", loaded.faults);
    let off = BTreeMap::from([("REVIEW_GATE__REVIEW__REQUIRE_SEEN".to_owned(), "false".to_owned())]);
    let loaded = home.file.load(&Overlay { environment: off, ..Overlay::default() });
    assert!(loaded.settings.review.require_seen, "nor does a variable");
    std::fs::remove_file(home.file.path()).expect("no file");
    assert!(seen(), "nor does who takes the file away");
    let wanted = Wanted::from([(key.to_owned(), json!(null))]);
    assert_eq!(gate_settings::weakened(&wanted, &home.file.load(&Overlay::default())), Some(key));

    home.file.confirm(key, &json!(false)).expect("the person may");
    save(json!(false));
    assert!(!seen(), "once they have confirmed it, it is off");
    assert_eq!(gate_settings::weak(&home.file.load(&Overlay::default()).values), Vec::<String>::new(), "as by itself");
}

#[test]
fn the_page_about_the_settings_names_them_all() {
    let page = gate_settings::page();
    for entry in SETTINGS {
        let help = gate_texts::Texts::english().phrase(&entry.help());
        assert!(page.contains(&format!("### `{}`\n\n{help}", entry.key)), "{} stands there", entry.key);
    }
}

#[test]
fn what_is_typed_is_read_as_the_setting_is_written() {
    for (key, typed, value) in [
        ("window.theme", "dark", json!("dark")),
        ("window.language", "no", json!("no")),
        ("window.font_size", "18", json!(18)),
        ("window.font_size", "big", json!("big")),
        ("window.font_size", "", json!("")),
        ("window.hotkey", "", json!("")),
        ("notifications.sounds", "off", json!("off")),
        ("notifications.quiet_hours", "22:00-07:00", json!("22:00-07:00")),
        ("network.allowed_hosts", "a.b, c.d", json!(["a.b", "c.d"])),
        ("network.allowed_hosts", "[a.b, c.d]", json!(["a.b", "c.d"])),
        ("network.allowed_hosts", "", json!([])),
        ("voice.model", "1", json!("1")),
        ("voice.mirror", "", json!("")),
        ("voice.vocabulary", "tokio, get hub -> GitHub", json!(["tokio", "get hub -> GitHub"])),
        ("waiting.clients", "{codex: 290}", json!({"codex": 290})),
        ("waiting.clients", "{codex", json!("{codex")),
    ] {
        let entry = gate_settings::entry(key).expect("a setting");
        assert_eq!(entry.read(typed), value, "{key} {typed:?}");
    }
}
