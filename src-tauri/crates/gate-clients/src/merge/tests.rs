//! Merging by example and by property: what goes in comes out again, and nothing else moves.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Format, Refusal, get, read, remove, set};

fn entry() -> Value {
    json!({ "command": "/opt/review-gate", "args": ["mcp"], "timeout": 3600 })
}

const JSON: [&str; 2] = ["mcpServers", "review-gate"];
const TOML: [&str; 2] = ["mcp_servers", "review-gate"];
const YAML: [&str; 2] = ["extensions", "review-gate"];

/// Whether `after` is `before` with bytes added and none taken away.
fn only_added(before: &str, after: &str) -> bool {
    let mut rest = after.chars();
    before.chars().all(|wanted| rest.any(|c| c == wanted))
}

#[track_caller]
fn into_json(before: &str, after: &str) {
    assert_eq!(set(Format::Json, before, &JSON, &entry()).as_deref(), Ok(after), "in");
    assert_eq!(remove(Format::Json, after, &JSON).as_deref(), Ok(before), "and out");
}

#[test]
fn json_is_written_as_the_file_is() {
    into_json(
        "{\n    \"mcpServers\": {\n        \"a\": {} // one\n        // no more\n    }\n}\n",
        "{\n    \"mcpServers\": {\n        \"a\": {}, // one\n        \"review-gate\": {\n            \"command\": \"/opt/review-gate\",\n            \"args\": [\"mcp\"],\n            \"timeout\": 3600\n        }\n        // no more\n    }\n}\n",
    );
    into_json(
        "{\r\n\t\"mcpServers\": {\r\n\t\t\"a\": {},\r\n\t},\r\n}",
        "{\r\n\t\"mcpServers\": {\r\n\t\t\"a\": {},\r\n\t\t\"review-gate\": {\r\n\t\t\t\"command\": \"/opt/review-gate\",\r\n\t\t\t\"args\": [\"mcp\"],\r\n\t\t\t\"timeout\": 3600\r\n\t\t},\r\n\t},\r\n}",
    );
    into_json(
        r#"{"mcpServers":{"a":{}}}"#,
        r#"{"mcpServers":{"a":{},"review-gate":{"command":"/opt/review-gate","args":["mcp"],"timeout":3600}}}"#,
    );
    into_json(
        r#"{ "mcpServers": { "a": {} } }"#,
        r#"{ "mcpServers": { "a": {}, "review-gate": { "command": "/opt/review-gate", "args": ["mcp"], "timeout": 3600 } } }"#,
    );
}

#[test]
fn toml_gets_a_table_at_its_end() {
    let after = "# mine\nmodel = \"x\"\n\n[mcp_servers.review-gate]\ncommand = \"/opt/review-gate\"\nargs = [\"mcp\"]\ntimeout = 3600\n";
    let before = "# mine\nmodel = \"x\"\n";
    assert_eq!(set(Format::Toml, before, &TOML, &entry()).as_deref(), Ok(after), "in");
    assert_eq!(remove(Format::Toml, after, &TOML).as_deref(), Ok(before), "and out");
    let crlf = "a = 1\r\n\r\n[mcp_servers.b]\r\ncommand = 'x'\r\n";
    let done = set(Format::Toml, crlf, &TOML, &entry()).unwrap();
    assert!(!done.replace("\r\n", "").contains('\n'), "every line ends as the others do: {done:?}");
    assert_eq!(remove(Format::Toml, &done, &TOML).as_deref(), Ok(crlf));
}

#[test]
fn toml_is_changed_where_it_stands() {
    let text = "[mcp_servers.review-gate] # ours\ncommand = \"/old\" # where\nenabled = false\n[other]\nx = 1\n";
    let done = set(Format::Toml, text, &["mcp_servers", "review-gate", "command"], &json!("/new")).unwrap();
    assert_eq!(done, text.replace("\"/old\"", "\"/new\""), "only the value");
    let done = set(Format::Toml, text, &["mcp_servers", "review-gate", "args"], &json!(["mcp"])).unwrap();
    assert_eq!(done, text.replace("enabled = false\n", "enabled = false\nargs = [\"mcp\"]\n"), "below the others");
    let inline = "mcp_servers = { a = { command = 'x' } }\n";
    let done = set(Format::Toml, inline, &TOML, &entry()).unwrap();
    assert!(only_added(inline, &done), "{done}");
    assert_eq!(remove(Format::Toml, &done, &TOML).as_deref(), Ok(inline));
    let dotted = "[mcp_servers]\nreview-gate.command = 'x'\nreview-gate.args = []\na.command = 'y'\n";
    assert_eq!(remove(Format::Toml, dotted, &TOML).as_deref(), Ok("[mcp_servers]\na.command = 'y'\n"));
    let sub = "[mcp_servers.review-gate]\ncommand = 'x'\n\n[mcp_servers.review-gate.env]\nA = '1'\n\n# next\n[b]\n";
    assert_eq!(remove(Format::Toml, sub, &TOML).as_deref(), Ok("\n# next\n[b]\n"), "with its own tables");
}

#[test]
fn yaml_is_written_into_the_group() {
    let block = "  review-gate:\n    command: \"/opt/review-gate\"\n    args: [\"mcp\"]\n    timeout: 3600\n";
    for (before, after) in [
        (
            "# goose\nextensions:\n  dev:\n    enabled: true # yes\n\n# model\nmodel: x\n",
            format!("# goose\nextensions:\n  dev:\n    enabled: true # yes\n{block}\n# model\nmodel: x\n"),
        ),
        ("model: x\n", format!("model: x\nextensions:\n{block}")),
        ("extensions:\n  a: |\n    # text\n    more\n", format!("extensions:\n  a: |\n    # text\n    more\n{block}")),
    ] {
        assert_eq!(set(Format::Yaml, before, &YAML, &entry()).as_deref(), Ok(after.as_str()), "in");
        let out = remove(Format::Yaml, &after, &YAML).unwrap();
        assert!(out.starts_with(before), "and out: {out}");
    }
    let empty = set(Format::Yaml, "extensions: {} # none\n", &YAML, &entry()).unwrap();
    assert_eq!(empty, format!("extensions: # none\n{block}"));
    assert_eq!(set(Format::Yaml, "extensions:\n", &YAML, &entry()).unwrap(), format!("extensions:\n{block}"));
    let braces = set(Format::Yaml, "extensions: {a: {b: 1}}\n", &YAML, &entry());
    assert_eq!(braces, Err(Refusal::Shape { at: "extensions".into() }), "left to its owner");
}

#[test]
fn what_is_broken_is_named_with_its_place() {
    for (format, text, line) in [
        (Format::Json, "{\n  \"a\": 1\n  \"b\": [1, 2]\n}\n", 2),
        (Format::Json, "{\n  \"a\": tru\n}", 2),
        (Format::Toml, "a = 1\nb = \n", 2),
        (Format::Toml, "a = 1\na = 2\n", 2),
        (Format::Yaml, "a: 1\nb: [1\n", 2),
        (Format::Yaml, "a: 1\na: 2\n", 2),
    ] {
        match read(format, text) {
            Err(Refusal::Broken { line: found, column, .. }) => {
                assert!(found >= line && column > 0, "{text:?}: line {found}, column {column}");
            }
            other => panic!("{text:?} was taken: {other:?}"),
        }
    }
}

#[test]
fn something_else_in_our_place_is_refused() {
    for (format, text, path) in [
        (Format::Json, r#"{"mcpServers": []}"#, JSON),
        (Format::Json, "[1]", JSON),
        (Format::Toml, "mcp_servers = 1\n", TOML),
        (Format::Toml, "[[mcp_servers]]\na = 1\n", TOML),
        (Format::Yaml, "extensions: [a]\n", YAML),
        (Format::Yaml, "- a\n", YAML),
    ] {
        let refused = set(format, text, &path, &entry());
        assert!(matches!(refused, Err(Refusal::Shape { .. })), "{text:?}: {refused:?}");
    }
}

#[test]
fn nesting_without_end_is_refused_and_not_followed() {
    for (format, text) in [
        (Format::Json, "[".repeat(100_000)),
        (Format::Toml, format!("a = {}", "[".repeat(100_000))),
        (Format::Yaml, format!("a: {}", "[".repeat(20_000))),
    ] {
        assert!(read(format, &text).is_err(), "{format:?} is refused");
    }
}

/// Blanks and comments between two tokens; a line comment takes its line end along.
fn gap() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => Just(String::new()),
        3 => Just(" ".to_owned()),
        2 => Just("\n  ".to_owned()),
        1 => Just("\r\n\t".to_owned()),
        1 => Just(" /* \"a\": {, } */ ".to_owned()),
        1 => Just(" // it's, a } comment\n".to_owned()),
    ]
}

fn scalar() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        Just("-1.50e3".to_owned()),
        "[a-zé{}\\[\\],: /*]{0,6}".prop_map(|text| Value::from(text).to_string()),
    ]
}

fn value() -> impl Strategy<Value = String> {
    scalar().prop_recursive(3, 24, 4, |inner| prop_oneof![object(inner.clone(), "k"), array(inner)])
}

fn array(inner: impl Strategy<Value = String> + 'static) -> impl Strategy<Value = String> {
    (prop::collection::vec((gap(), inner, gap()), 0..3), any::<bool>(), gap()).prop_map(|(all, comma, end)| {
        let all: Vec<String> = all.into_iter().map(|(one, value, other)| format!("{one}{value}{other}")).collect();
        let comma = if comma && !all.is_empty() { "," } else { "" };
        format!("[{}{comma}{end}]", all.join(","))
    })
}

fn object(inner: impl Strategy<Value = String> + 'static, name: &'static str) -> impl Strategy<Value = String> {
    (prop::collection::vec((gap(), gap(), gap(), inner, gap()), 0..4), any::<bool>(), gap()).prop_map(
        move |(all, comma, end)| {
            let entries: Vec<String> = all
                .into_iter()
                .enumerate()
                .map(|(index, (a, b, c, value, d))| format!("{a}\"{name}{index}\"{b}:{c}{value}{d}"))
                .collect();
            let comma = if comma && !entries.is_empty() { "," } else { "" };
            format!("{{{}{comma}{end}}}", entries.join(","))
        },
    )
}

/// A configuration with or without a group of servers, among other things.
fn document() -> impl Strategy<Value = String> {
    let servers = prop_oneof![
        1 => Just(None),
        4 => object(value(), "server").prop_map(Some),
    ];
    (object(value(), "key"), servers, gap(), gap(), any::<bool>()).prop_map(|(rest, servers, one, other, first)| {
        let Some(servers) = servers else { return rest };
        let entry = format!("{one}\"mcpServers\":{other}{servers}");
        let inner = &rest[1..rest.len() - 1];
        let empty = read(Format::Json, &rest).is_ok_and(|value| value == json!({}));
        match (empty, first) {
            (true, _) => format!("{{{entry}{inner}}}"),
            (false, true) => format!("{{{entry},{inner}}}"),
            (false, false) => {
                let trailing = inner.trim_end().ends_with(',') && !inner.contains("//") && !inner.contains("/*");
                if trailing { format!("{{{inner}{entry}}}") } else { format!("{{{entry},{inner}}}") }
            }
        }
    })
}

/// TOML with tables, comments and values of many kinds, and servers among them or not.
fn toml_document() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        Just("# a comment with [brackets]"),
        Just(""),
        Just("text = \"with # and [x]\""),
        Just("number = 1_000"),
        Just("when = 2026-01-02T03:04:05Z"),
        Just("list = [\n  1, # one\n  2,\n]"),
        Just("long = \"\"\"\n[mcp_servers.fake]\n\"\"\""),
        Just("inline = { a = 1, b.c = 2 }"),
        Just("[table]"),
        Just("[[many]]"),
        Just("[mcp_servers.other]"),
        Just("[mcp_servers.\"quoted name\".env]"),
        Just("[mcp_servers]"),
    ];
    (prop::collection::vec(line, 0..8), prop_oneof![Just("\n"), Just("\r\n")], any::<bool>()).prop_map(
        |(lines, newline, end)| {
            let text = lines.join("\n").replace('\n', newline);
            if end && !text.is_empty() { text + newline } else { text }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn json_goes_in_and_out(text in document()) {
        prop_assume!(read(Format::Json, &text).is_ok());
        let before = read(Format::Json, &text).unwrap();
        let done = set(Format::Json, &text, &JSON, &entry());
        let Ok(done) = done else { return Err(TestCaseError::fail(format!("{text:?}: {done:?}"))) };
        let after = read(Format::Json, &done).unwrap();
        prop_assert_eq!(get(&after, &JSON), Some(&entry()));
        let blank: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        prop_assert!(only_added(&blank, &done), "{:?} became {:?}", text, done);
        prop_assert_eq!(set(Format::Json, &done, &JSON, &entry()), Ok(done.clone()), "a second time changes nothing");
        let out = remove(Format::Json, &done, &JSON).unwrap();
        if get(&before, &["mcpServers"]).and_then(Value::as_object).is_some_and(|servers| !servers.is_empty()) {
            prop_assert_eq!(out, text, "beside others it leaves no trace");
        } else {
            let left = read(Format::Json, &out).unwrap();
            prop_assert_eq!(super::pruned(left), super::pruned(before));
        }
    }

    #[test]
    fn toml_goes_in_and_out(text in toml_document()) {
        prop_assume!(read(Format::Toml, &text).is_ok());
        let before = read(Format::Toml, &text).unwrap();
        let done = set(Format::Toml, &text, &TOML, &entry());
        let Ok(done) = done else { return Err(TestCaseError::fail(format!("{text:?}: {done:?}"))) };
        prop_assert!(done.starts_with(&text), "{:?} became {:?}", text, done);
        prop_assert_eq!(set(Format::Toml, &done, &[TOML[0], TOML[1], "timeout"], &json!(3600)), Ok(done.clone()));
        let out = remove(Format::Toml, &done, &TOML).unwrap();
        prop_assert_eq!(out.trim_end(), text.trim_end(), "it leaves no trace");
        prop_assert_eq!(read(Format::Toml, &out).unwrap(), before);
    }

    #[test]
    fn nothing_that_is_typed_breaks_it(text in "[ -~\n]{0,80}") {
        for (format, path) in [(Format::Json, JSON), (Format::Toml, TOML), (Format::Yaml, YAML)] {
            if let Ok(done) = set(format, &text, &path, &entry()) {
                let after = read(format, &done).unwrap();
                prop_assert_eq!(get(&after, &path), Some(&entry()), "{:?}", format);
            }
            let _ = remove(format, &text, &path);
        }
    }
}
