//! Connecting and disconnecting gives back whatever was there, on documents that nobody wrote.

use std::fs;

use gate_clients::{Client, Options, Scope};
use proptest::prelude::*;

use crate::world::World;

/// Blanks, line ends and comments, as people leave them between two entries.
fn between() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "",
        " ",
        "\n",
        "\n\n    ",
        "\r\n\t",
        " // it's {not} \"here\"\n  ",
        "/* \"mcpServers\": {}, */",
        "\n  // \"x\": 1,\n  ",
    ])
}

fn entry() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "\"text\": \"with // and } and \\\" in it\"",
        "\"number\":-1.5e+10",
        "\"list\" : [ 1, [ ], { \"mcpServers\": { } }, ]",
        "\"group\":{\"a\":{\"b\":null}}",
        "\"ключ 键\": \"é\\u00e9\"",
        "\"\": true",
    ])
}

fn servers() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "",
        "\"mcpServers\": {}",
        "\"mcpServers\":{\"a\":{\"command\":\"x\"}}",
        "\"mcpServers\": {\n    \"a\": { \"command\": \"x\", }, // one\n  }",
        "\"mcpServers\": {\n\t\t\"a\": {}\n\t}",
        "\"mcpServers\": { /* none */ }",
    ])
}

fn json() -> impl Strategy<Value = String> {
    let entries = prop::collection::vec((between(), entry(), between()), 0..5);
    (between(), entries, servers(), any::<prop::sample::Index>(), any::<bool>(), any::<bool>(), between()).prop_map(
        |(before, entries, servers, place, trailing, mark, end)| {
            let mut all: Vec<String> =
                entries.iter().map(|(one, entry, other)| format!("{one}{entry}{other}")).collect();
            if !servers.is_empty() {
                all.insert(place.index(all.len() + 1), servers.to_owned());
            }
            let comma = if trailing && !all.is_empty() { "," } else { "" };
            let mark = if mark { "\u{feff}" } else { "" };
            format!("{mark}{before}{{{}{comma}{end}}}{end}", all.join(","))
        },
    )
}

fn toml() -> impl Strategy<Value = String> {
    let lines = prop::sample::select(vec![
        "# [mcp_servers.fake]",
        "",
        "a = \"[mcp_servers.fake]\" # b",
        "list = [\n  1, # one\n]",
        "[mcp_servers.one]\ncommand = 'x'",
        "[mcp_servers.one.env]\nKEY = \"\"\"\n[x]\n\"\"\"",
        "[profiles.\"é 键\"]\nwhen = 2026-11-21",
        "[[many]]\nx = { y = 1 }",
        "[[hooks.PermissionRequest]]\nmatcher = 'x' # [[hooks.PermissionRequest]]",
        "[hooks.state.\"a:stop:0:0\"]\ntrusted_hash = 'x'",
    ]);
    (prop::collection::vec(lines, 0..6), prop::sample::select(vec!["\n", "\r\n"]), any::<bool>())
        .prop_map(|(lines, newline, end)| lines.join("\n").replace('\n', newline) + if end { newline } else { "" })
}

fn comes_back(client: Client, text: &str) -> Result<(), TestCaseError> {
    let world = World::new();
    let file = world.write(client, text);
    let before = world.everything();
    let questions = client.hands_over_questions();
    let options = Options { rules: true, take_over: false, allow: false, questions, toolsets: None };
    match world.connect(client, Scope::User, options) {
        Ok(_) => {
            prop_assert!(world.is_connected(client, Scope::User), "{}", fs::read_to_string(&file).unwrap());
            world.disconnect(client, Scope::User).unwrap();
        }
        // Two tables of one name: nothing that TOML allows.
        Err(fault) => prop_assert!(client == Client::Codex && fault.message.contains("duplicate"), "{text:?}: {fault}"),
    }
    prop_assert_eq!(world.everything(), before, "it is as if nothing had been");
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn json_comes_back(text in json()) {
        comes_back(Client::Cursor, &text)?;
    }

    #[test]
    fn toml_comes_back(text in toml()) {
        comes_back(Client::Codex, &text)?;
    }
}
