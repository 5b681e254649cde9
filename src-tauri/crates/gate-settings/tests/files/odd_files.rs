//! Files as they are found on people's disks: whatever stands there, the settings load, what is wrong is
//! named with its place, and not a byte is lost.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt as _, symlink};

use gate_core::{Code, bounds};
use gate_settings::{Held, Overlay, SettingsFile, Wanted};
use serde_json::json;

/// A text, the word and the place that a problem names, the theme that holds, and whether it can be
/// changed.
struct Odd {
    what: &'static str,
    bytes: Vec<u8>,
    named: &'static [&'static str],
    theme: &'static str,
    writable: bool,
}

fn odd(what: &'static str, text: impl Into<Vec<u8>>, named: &'static [&'static str]) -> Odd {
    Odd { what, bytes: text.into(), named, theme: "dark", writable: true }
}

fn broken(what: &'static str, text: impl Into<Vec<u8>>, named: &'static [&'static str]) -> Odd {
    Odd { theme: "system", writable: false, ..odd(what, text, named) }
}

fn files() -> Vec<Odd> {
    let deep = format!("window:\n  theme: dark\nx: {}1{}\n", "[".repeat(40), "]".repeat(40));
    let bomb = "window: {theme: dark}\na: &a [1,1,1,1,1,1,1,1,1,1]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\n\
                c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\n\
                e: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: [*e,*e,*e,*e,*e,*e,*e,*e,*e,*e]\n";
    let large = format!("window:\n  theme: dark\n# {}\n", "x".repeat(10 * 1024 * 1024));
    vec![
        odd("plain", "window:\n  theme: dark\n", &[]),
        odd("with a byte order mark", "\u{feff}window:\n  theme: dark\n", &[]),
        odd("lines ended as on Windows", "window:\r\n  theme: dark\r\n", &[]),
        odd("no newline at the end", "window:\n  theme: dark", &[]),
        odd("the document's own marks", "%YAML 1.2\n---\nwindow:\n  theme: dark\n...\n", &[]),
        odd("on one line", "{window: {theme: dark}}", &[]),
        odd("JSON", "{\"window\": {\"theme\": \"dark\"}}", &[]),
        odd("aliases", "x: &t dark\nwindow:\n  theme: *t\n", &["`x`", "line 1, column 1"]),
        odd("anchors of tables", "x: &w {theme: dark}\nwindow: *w\n", &["`x`"]),
        odd("a tag", "window:\n  theme: !!str dark\n", &[]),
        odd("non-ASCII", "# 主题 größe\nwindow:\n  theme: dark # 深色\n", &[]),
        odd("deep indentation", "window:\n            theme: dark\n", &[]),
        odd("blanks everywhere", "\n\n  # x\n\nwindow:   \n\n\n  theme:    dark   \n\n\n", &[]),
        odd("an unknown section", "window:\n  theme: dark\ncolours:\n  red: 1\n", &["`colours`", "line 3, column 1"]),
        odd("an unknown key", "window:\n  theme: dark\n  colour: red\n", &["`window.colour`", "line 3, column 3"]),
        odd("a wrong type", "window:\n  theme: dark\n  font_size: big\n", &["`window.font_size`", "line 3, column 3"]),
        odd(
            "a number too large",
            "window:\n  theme: dark\n  font_size: 99\n",
            &["`window.font_size` is 99", "11 to 24"],
        ),
        odd("a quoted number", "window:\n  theme: dark\n  font_size: '14'\n", &["`window.font_size` is \"14\""]),
        odd("a list for a word", "window:\n  theme: dark\n  language: [en]\n", &["`window.language` is a list"]),
        odd("a word for a section", "window:\n  theme: dark\nnetwork: on\n", &["`network` is \"on\"", "line 3"]),
        odd("a list for a section", "window:\n  theme: dark\nnetwork:\n- 1\n", &["`network` is a list"]),
        odd("an empty section", "window:\n  theme: dark\nnetwork:\n", &[]),
        odd("an empty entry", "window:\n  theme: dark\n  font_size:\n", &[]),
        odd("null", "window:\n  theme: dark\n  font_size: ~\n", &[]),
        odd(
            "one bad client",
            "window: {theme: dark}\nwaiting:\n  clients:\n    codex: 1\n    zed: 90\n",
            &["`waiting.clients.codex` is 1", "line 4"],
        ),
        odd(
            "one bad origin",
            "window: {theme: dark}\nnetwork:\n  allowed_origins: [x, 'http://a']\n",
            &["`network.allowed_origins.0`"],
        ),
        odd("an older version", "version: 0\nwindow:\n  theme: dark\n", &[]),
        odd("a version that is none", "version: new\nwindow:\n  theme: dark\n", &["`version` is \"new\""]),
        Odd {
            writable: false,
            ..odd("a newer version", "version: 99\nwindow:\n  theme: dark\n", &["version 99", "newer"])
        },
        Odd { theme: "system", ..odd("empty", "", &[]) },
        Odd { theme: "system", ..odd("only comments", "# nothing\n# at all\n", &[]) },
        Odd {
            theme: "system",
            ..odd("a bad word", "window:\n  theme: pink\n", &["`window.theme` is \"pink\"", "line 2, column 3"])
        },
        broken("a tab", "window:\n\ttheme: dark\n", &["line 2"]),
        broken("an open bracket", "window: [\n", &["line"]),
        broken("an open quote", "window:\n  theme: 'dark\n", &["line"]),
        broken(
            "a key twice",
            "window:\n  theme: dark\n  theme: light\n",
            &["theme", "second time", "line 3, column 3"],
        ),
        broken(
            "a section twice",
            "window:\n  theme: dark\nwindow:\n  font_size: 15\n",
            &["window", "line 3, column 1"],
        ),
        broken(
            "two documents",
            "window:\n  theme: dark\n---\nwindow:\n  theme: light\n",
            &["second document", "line 3"],
        ),
        broken("a text", "hello\n", &["table of sections", "line 1"]),
        broken("a list", "- window\n", &["table of sections"]),
        broken("an unknown alias", "window: *nobody\n", &["line 1"]),
        broken("wrong indentation", "window:\n  theme: dark\n font_size: 15\n", &["line"]),
        broken("no UTF-8", b"window:\n  theme: d\xffrk\n".to_vec(), &["UTF-8", "line 2, column 11"]),
        broken("binary", (0..=255_u8).cycle().take(5000).collect::<Vec<_>>(), &["line"]),
        broken("too deep", deep, &["deep", "line 3"]),
        broken("aliases of aliases", bomb, &["entries", "line"]),
        broken("10 MB", large, &["larger than"]),
    ]
}

#[test]
fn whatever_stands_in_the_file_the_settings_load_and_nothing_is_lost() {
    let files = files();
    assert!(files.len() >= 40, "there are many ways to be odd");
    for Odd { what, bytes, named, theme, writable } in files {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("config.yaml");
        fs::write(&path, &bytes).expect("a file");
        let file = SettingsFile::at(&path).holding(Held::Answers);
        let loaded = file.load(&Overlay::default());
        let problems: Vec<_> = loaded.problems.iter().map(|problem| problem.message.as_str()).collect();
        assert_eq!(loaded.settings.window.theme, theme, "{what}: what is good holds: {problems:?}");
        assert_eq!(problems.len(), usize::from(!named.is_empty()), "{what}: {problems:?}");
        for word in named {
            assert!(problems.concat().contains(word), "{what}: {word:?} is named: {problems:?}");
        }
        assert_eq!(fs::read(&path).ok().as_ref(), Some(&bytes), "{what}: looking changes nothing");

        let wanted = Wanted::from([("notifications.sounds".to_owned(), json!(false))]);
        let saved = file.save(&wanted, &Wanted::new(), &Overlay::default());
        assert_eq!(saved.is_ok(), writable, "{what}: {saved:?}");
        if let Err(fault) = saved {
            assert!(matches!(fault.code, Code::SettingsFile | Code::TooLarge), "{what}: {fault}");
            assert_eq!(fs::read(&path).ok().as_ref(), Some(&bytes), "{what}: what can't be read isn't written");
            continue;
        }
        let after = file.load(&Overlay::default());
        assert!(!after.settings.notifications.sounds, "{what}: the change holds");
        let kept: Vec<_> = after.problems.iter().map(|problem| problem.message.as_str()).collect();
        assert_eq!(kept.len(), problems.len(), "{what}: everything else is as it was: {kept:?}");
        let text = String::from_utf8(fs::read(&path).expect("a file")).expect("a text");
        let before = String::from_utf8(bytes).expect("a text");
        for line in before.lines().filter(|line| !line.starts_with("version") && !line.starts_with('{')) {
            assert!(text.contains(line.trim_end()), "{what}: the line {line:?} is still there:\n{text}");
        }
    }
}

#[test]
fn what_is_no_file_that_can_be_read_is_said_and_left_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("folder.yaml")).expect("a folder");
    symlink(at("loop.yaml"), at("loop.yaml")).expect("a link");
    for name in ["folder.yaml", "loop.yaml"] {
        let file = SettingsFile::at(at(name));
        let loaded = file.load(&Overlay::default());
        assert_eq!(loaded.settings.window.theme, "system", "{name}: the defaults hold");
        let broken = loaded.broken.map(|fault| (fault.code, fault.message.contains(name)));
        assert_eq!(broken, Some((Code::SettingsFile, true)), "{name}: it is named");
        let wanted = Wanted::from([("window.theme".to_owned(), json!("dark"))]);
        assert!(file.save(&wanted, &Wanted::new(), &Overlay::default()).is_err(), "{name}: and not replaced");
        assert!(fs::symlink_metadata(at(name)).is_ok_and(|data| !data.is_file()), "{name} is what it was");
    }
}

#[test]
fn links_and_rights_stay_as_they_are_and_what_is_read_only_is_not_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let (real, link) = (folder.path().join("real/dotfiles.yaml"), folder.path().join("config.yaml"));
    fs::create_dir(folder.path().join("real")).expect("a folder");
    symlink("real/dotfiles.yaml", &link).expect("a link");
    let file = SettingsFile::at(&link);
    let save = |theme: &str| {
        let wanted = Wanted::from([("window.theme".to_owned(), json!(theme))]);
        file.save(&wanted, &Wanted::new(), &Overlay::default())
    };
    assert!(save("dark").is_ok(), "a link to nothing yet is followed");
    assert!(fs::read_to_string(&real).is_ok_and(|text| text.contains("theme: dark")), "to where it leads");
    fs::set_permissions(&real, Permissions::from_mode(0o640)).expect("rights");
    assert!(save("light").is_ok());
    assert!(fs::symlink_metadata(&link).is_ok_and(|data| data.is_symlink()), "the link is still one");
    let mode = fs::metadata(&real).map(|data| data.permissions().mode() & 0o777).ok();
    assert_eq!(mode, Some(0o640), "who may read it stays the same");
    let left: Vec<_> =
        fs::read_dir(folder.path().join("real")).expect("a folder").flatten().map(|e| e.file_name()).collect();
    assert_eq!(left, ["dotfiles.yaml"], "nothing else is left there");
    fs::set_permissions(&real, Permissions::from_mode(0o440)).expect("rights");
    assert_eq!(save("dark").err().map(|fault| fault.code), Some(Code::ReadOnly), "its owner doesn't want it written");
    assert!(fs::read_to_string(&real).is_ok_and(|text| text.contains("theme: light")));
}

#[test]
fn saving_knows_of_what_others_wrote_meanwhile() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = SettingsFile::at(folder.path().join("config.yaml"));
    let none = Overlay::default();
    let values = |pairs: &[(&str, serde_json::Value)]| -> Wanted {
        pairs.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect()
    };
    fs::write(file.path(), "version: 1\nwindow:\n  theme: dark # by hand\n").expect("a file");
    let seen = values(&[("window.theme", json!("system")), ("window.font_size", json!(14))]);
    let both = values(&[("window.theme", json!("light")), ("window.font_size", json!(18))]);
    let fault = file.save(&both, &seen, &none).err();
    assert_eq!(fault.as_ref().map(|fault| fault.code), Some(Code::SettingConflict), "{fault:?}");
    assert!(fault.is_some_and(|fault| fault.message.contains("`window.theme` is \"dark\"")), "it is named");
    let other = file.save(&values(&[("window.font_size", json!(18))]), &seen, &none);
    assert_eq!(other.map(|changed| changed.len()), Ok(1), "what nobody else has touched is saved");
    let text = fs::read_to_string(file.path()).expect("a file");
    assert_eq!(text, "version: 1\nwindow:\n  theme: dark # by hand\n  font_size: 18\n", "into the file as it is now");
    let same = file.save(&values(&[("window.theme", json!("dark"))]), &seen, &none);
    assert_eq!(same.map(|changed| changed.len()), Ok(0), "who wants what stands there already conflicts with nobody");
    let unknown = file.save(&values(&[("look.font_size", json!(1))]), &seen, &none).err();
    let unknown = unknown.map(|fault| (fault.code, fault.mend));
    assert!(unknown.is_some_and(|(code, mend)| code == Code::UnknownSetting && mend.contains("`window.font_size`")));
}

#[test]
fn a_file_of_an_older_version_is_kept_beside_the_new_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = SettingsFile::at(folder.path().join("config.yaml"));
    let old = "# by hand\nwindow:\n  theme: dark\n";
    fs::write(file.path(), old).expect("a file");
    for theme in ["light", "system"] {
        let wanted = Wanted::from([("window.theme".to_owned(), json!(theme))]);
        assert!(file.save(&wanted, &Wanted::new(), &Overlay::default()).is_ok());
    }
    let kept = fs::read_to_string(folder.path().join("config.yaml.version-0")).ok();
    assert_eq!(kept.as_deref(), Some(old), "as it was before the first change");
    assert_eq!(file.load(&Overlay::default()).version, Some(1));
}

#[test]
fn exports_can_be_imported_elsewhere_after_a_look_at_the_differences() {
    let folder = tempfile::tempdir().expect("a folder");
    let (one, other) = (SettingsFile::at(folder.path().join("a.yaml")), SettingsFile::at(folder.path().join("b.yaml")));
    fs::write(one.path(), "# mine\nwindow: {theme: dark, colour: red}\nwaiting:\n  clients: {codex: 290}\n")
        .expect("a file");
    let text = one.export().expect("an export");
    assert!(text.contains("theme: dark") && text.contains("codex: 290"), "what is set: {text}");
    assert!(!text.contains("colour") && !text.contains("mine"), "and nothing else: {text}");
    let (differences, problems) = other.differences(&text);
    assert_eq!(problems, []);
    let named: Vec<_> = differences.iter().map(|difference| (difference.key.as_str(), &difference.to)).collect();
    assert_eq!(named, [("waiting.clients", &json!({"codex": 290})), ("window.theme", &json!("dark"))]);
    let (differences, problems) = other.differences("window: {theme: pink}\n");
    assert_eq!((differences.len(), problems.len()), (0, 1), "what is wrong is said before");
    let (_, problems) = other.differences(&"x".repeat(bounds::SETTINGS_BYTES + 1));
    assert_eq!(problems.first().map(|fault| fault.code), Some(Code::TooLarge));
}
