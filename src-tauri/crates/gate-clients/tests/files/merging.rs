//! What goes in comes out again: every file, every client, every scope.

use std::fs;

use gate_clients::{Client, Options, Scope};
use gate_core::Code;

use crate::cases::{BAD, GOOD};
use crate::world::World;

const PLAIN: Options = Options { rules: false, take_over: false, allow: false, questions: false, toolsets: None };

/// Whether `after` is `before` with bytes added, but for blanks: those in `{ }` make place.
fn only_added(before: &str, after: &str) -> bool {
    let mut rest = after.chars();
    before.chars().filter(|c| !c.is_whitespace()).all(|wanted| rest.any(|c| c == wanted))
}

#[test]
fn every_file_comes_back_byte_for_byte() {
    assert!(GOOD.len() + BAD.len() >= 60, "{} files", GOOD.len() + BAD.len());
    for case in GOOD {
        let (name, client) = (case.name, case.client);
        let world = World::new();
        let file = world.write(client, case.before);
        let before = world.everything();
        let done = world.connect(client, Scope::User, PLAIN).unwrap_or_else(|fault| panic!("{name}: {fault}"));
        assert_eq!(done.files, std::slice::from_ref(&file), "{name}: its file is written");
        assert_eq!(fs::read(&done.backups[0]).unwrap(), case.before.as_bytes(), "{name}: and kept as it was");
        assert!(world.is_connected(client, Scope::User), "{name}: {}", fs::read_to_string(&file).unwrap());
        let after = fs::read_to_string(&file).unwrap();
        // Of an older entry the program's place changes, and of `{}` in YAML the braces.
        if !name.contains("older entry") && case.before != "extensions: {}\nGOOSE_MODEL: x\n" {
            assert!(only_added(case.before, &after), "{name}: something else changed:\n{after}");
        }
        if serde_json::from_str::<serde_json::Value>(case.before).is_ok() {
            let strict = serde_json::from_str::<serde_json::Value>(&after);
            assert!(strict.is_ok(), "{name}: what was JSON is JSON:\n{after}");
        }
        let bare = after.replace("\r\n", "").contains('\n');
        assert!(!(bare && case.before.contains("\r\n")), "{name}: lines end as they did:\n{after:?}");
        let again = world.connector.plan_connect(client, Scope::User, PLAIN).unwrap();
        assert!(!again.is_any(), "{name}: a second time changes nothing: {}", again.changes[0].diff("x"));
        assert_eq!(world.connect(client, Scope::User, PLAIN).unwrap().files.len(), 0, "{name}: and writes nothing");
        world.disconnect(client, Scope::User).unwrap_or_else(|fault| panic!("{name}: {fault}"));
        assert_eq!(world.everything(), before, "{name}: it is as if nothing had been");
    }
}

#[test]
fn a_file_that_others_changed_since_keeps_what_they_did() {
    for case in GOOD.iter().filter(|case| !case.name.contains("older entry")) {
        let (name, client) = (case.name, case.client);
        let world = World::new();
        let file = world.write(client, case.before);
        world.connect(client, Scope::User, PLAIN).unwrap();
        // Nobody remembers what was written: the entry has to be found and taken out.
        fs::remove_dir_all(world.data()).unwrap();
        world.disconnect(client, Scope::User).unwrap_or_else(|fault| panic!("{name}: {fault}"));
        let left = fs::read_to_string(&file).unwrap();
        assert!(!world.is_connected(client, Scope::User), "{name}: it is out:\n{left}");
        assert!(only_added(&case.before.replace("{}", ""), &left), "{name}: the rest is there:\n{left}");
        let groups = ["mcpServers", "mcp_servers", "servers", "extensions", "\"mcp\""];
        if groups.iter().any(|group| case.before.contains(group)) && case.before.contains("\"a\"") {
            assert_eq!(left, case.before, "{name}: beside others it leaves no trace");
        }
    }
}

#[test]
fn a_server_added_later_stays() {
    for (client, before, added, wanted) in [
        (
            Client::Cursor,
            "{\n  \"mcpServers\": {\n    \"a\": {}\n  }\n}\n",
            ("\"a\": {},", "\"a\": {},\n    \"b\": {},"),
            "{\n  \"mcpServers\": {\n    \"a\": {},\n    \"b\": {}\n  }\n}\n",
        ),
        (
            Client::Codex,
            "model = 'x'\n",
            ("model = 'x'\n", "model = 'y'\n[mcp_servers.b]\ncommand = 'b'\n"),
            "model = 'y'\n[mcp_servers.b]\ncommand = 'b'\n",
        ),
        (
            Client::Goose,
            "extensions:\n  a:\n    enabled: true\n",
            ("enabled: true\n  review", "enabled: true\n  b:\n    enabled: false\n  review"),
            "extensions:\n  a:\n    enabled: true\n  b:\n    enabled: false\n",
        ),
    ] {
        let world = World::new();
        let file = world.write(client, before);
        world.connect(client, Scope::User, PLAIN).unwrap();
        let text = fs::read_to_string(&file).unwrap();
        assert!(text.contains(added.0), "the test's change fits:\n{text}");
        fs::write(&file, text.replacen(added.0, added.1, 1)).unwrap();
        world.disconnect(client, Scope::User).unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), wanted, "{client:?}");
    }
}

#[test]
fn a_broken_file_is_named_and_left_alone() {
    for case in BAD {
        let (name, client) = (case.name, case.client);
        let world = World::new();
        let file = world.write(client, case.before);
        let before = world.everything();
        let fault = world.connect(client, Scope::User, PLAIN).expect_err(name);
        assert_eq!(fault.code, Code::ClientFile, "{name}: {fault}");
        assert!(fault.message.contains(case.says), "{name} says {:?}: {fault}", case.says);
        assert!(fault.message.contains(file.to_str().unwrap()), "{name} names the file: {fault}");
        assert!(!fault.mend.is_empty(), "{name} says what to do");
        assert_eq!(world.everything(), before, "{name}: nothing is written");
        let states = gate_clients::states(world.connector.folders());
        let state = states.iter().find(|state| state.client == client).unwrap();
        assert!(!state.connected, "{name}: and the page says so");
    }
}

#[test]
fn every_client_is_connected_from_nothing_and_leaves_nothing() {
    for client in Client::ALL {
        for scope in [Scope::User, Scope::Project] {
            let world = World::new();
            let before = world.everything();
            let Some(file) = world.file(client, scope) else {
                let fault = world.connect(client, scope, PLAIN).expect_err("it has no such file");
                assert_eq!(fault.code, Code::InvalidInput, "{client:?} has none in a project: {fault}");
                continue;
            };
            world.connect(client, scope, PLAIN).unwrap();
            assert!(world.is_connected(client, scope), "{client:?}: {}", fs::read_to_string(&file).unwrap());
            let place = if scope == Scope::User { world.home().to_owned() } else { world.project() };
            assert!(file.starts_with(place), "{client:?}: {}", file.display());
            world.disconnect(client, scope).unwrap();
            assert_eq!(world.everything(), before, "{client:?}: files and folders that were made are gone");
            assert!(!world.disconnect(client, scope).is_ok_and(|done| !done.files.is_empty()), "twice is once");
        }
    }
}

#[test]
fn a_new_file_is_written_as_its_client_writes_it() {
    let text = |client| {
        let world = World::new();
        world.connect(client, Scope::User, PLAIN).unwrap();
        fs::read_to_string(world.file(client, Scope::User).unwrap()).unwrap()
    };
    assert_eq!(
        text(Client::VsCode),
        "{\n  \"servers\": {\n    \"review-gate\": {\n      \"type\": \"stdio\",\n      \"command\": \"/opt/review gate/bin/review-gate\",\n      \"args\": [\"mcp\"]\n    }\n  }\n}\n"
    );
    assert_eq!(
        text(Client::Codex),
        "[mcp_servers.review-gate]\ncommand = \"/opt/review gate/bin/review-gate\"\nargs = [\"mcp\"]\ntool_timeout_sec = 3600\n"
    );
    assert_eq!(
        text(Client::Goose),
        "extensions:\n  review-gate:\n    enabled: true\n    type: stdio\n    name: review-gate\n    description: Asks the person for review and decisions\n    cmd: \"/opt/review gate/bin/review-gate\"\n    args: [\"mcp\"]\n    timeout: 3600\n"
    );
    assert_eq!(
        text(Client::Continue),
        "name: Review Gate\nversion: 1.0.0\nschema: v1\nmcpServers:\n  - type: \"stdio\"\n    name: \"review-gate\"\n    command: \"/opt/review gate/bin/review-gate\"\n    args: [\"mcp\"]\n    connectionTimeout: 3600000\n"
    );
}
