//! That a client's questions whether an agent may do something come to the gate: how that comes into its files and goes
//! out again, alone or with the connection.

use std::fs;
use std::path::PathBuf;

use gate_clients::{Client, Options, QuestionsWay, Scope, states};
use gate_core::Code;
use serde_json::{Value, json};

use crate::world::World;

const PLAIN: Options = Options { rules: false, take_over: false, allow: false, questions: false, toolsets: None };
const QUESTIONS: Options = Options { questions: true, ..PLAIN };
const ABLE: [Client; 3] = [Client::ClaudeCode, Client::Codex, Client::OpenCode];
const PROGRAM: &str = "/opt/review gate/bin/review-gate";

/// The file that the way in is written into where nothing is there.
fn file(world: &World, client: Client, scope: Scope) -> PathBuf {
    let (home, project) = (world.home().to_owned(), world.project());
    match (client, scope) {
        (Client::ClaudeCode, Scope::User) => home.join(".claude/settings.json"),
        (Client::Codex, Scope::User) => home.join(".codex/hooks.json"),
        (Client::ClaudeCode, Scope::Project) => project.join(".claude/settings.json"),
        (Client::Codex, Scope::Project) => project.join(".codex/hooks.json"),
        (_, Scope::User) => home.join(".config/opencode/plugin/review-gate.js"),
        (_, Scope::Project) => project.join(".opencode/plugin/review-gate.js"),
    }
}

fn write(file: &PathBuf, text: &str) {
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, text).unwrap();
}

fn ways(world: &World, client: Client) -> Vec<QuestionsWay> {
    states(world.connector.folders()).into_iter().find(|state| state.client == client).unwrap().questions
}

fn without(world: &World, client: Client, scope: Scope) {
    let plan = world.connector.plan_without_questions(client, scope).unwrap();
    world.connector.carry_out(&plan).unwrap();
}

#[test]
fn they_come_and_go_with_the_connection_and_alone() {
    for client in ABLE {
        for scope in [Scope::User, Scope::Project] {
            let world = World::new();
            let untouched = world.everything();
            world.connect(client, scope, PLAIN).unwrap();
            let connected = world.everything();
            world.connect(client, scope, QUESTIONS).unwrap();
            let way = ways(&world, client);
            assert_eq!(way.len(), 1, "{client:?}, {scope:?}: it stands in one place");
            assert_eq!(way[0].file, file(&world, client, scope), "{client:?}: in the client's own");
            assert_eq!(way[0].program.as_deref(), Some(PROGRAM.as_ref()), "{client:?}: and starts this program");
            for again in [QUESTIONS, PLAIN] {
                let plan = world.connector.plan_connect(client, scope, again).unwrap();
                assert!(!plan.is_any(), "{client:?}: what stands there stays as it is");
            }
            without(&world, client, scope);
            assert_eq!(world.everything(), connected, "{client:?}, {scope:?}: alone it leaves no trace");
            assert!(!world.connector.plan_without_questions(client, scope).unwrap().is_any(), "twice is once");
            world.connect(client, scope, QUESTIONS).unwrap();
            world.disconnect(client, scope).unwrap();
            assert_eq!(world.everything(), untouched, "{client:?}, {scope:?}: nor with the connection");
            world.connect(client, scope, QUESTIONS).unwrap();
            without(&world, client, scope);
            world.disconnect(client, scope).unwrap();
            assert_eq!(world.everything(), untouched, "{client:?}, {scope:?}: nor one after the other");
        }
    }
}

#[test]
fn a_new_file_has_the_hook_and_nothing_else() {
    let text = |client| {
        let world = World::new();
        world.connect(client, Scope::User, QUESTIONS).unwrap();
        fs::read_to_string(file(&world, client, Scope::User)).unwrap()
    };
    assert_eq!(
        text(Client::ClaudeCode),
        r#"{
  "hooks": {
    "PermissionRequest": [{
      "matcher": "^(?!mcp__review-gate__|AskUserQuestion$|ExitPlanMode$).*",
      "hooks": [{
        "type": "command",
        "command": "'/opt/review gate/bin/review-gate' permit claude-code",
        "timeout": 600
      }]
    }],
    "PostToolUse": [{
      "matcher": "^(Bash|Edit|MultiEdit|Write|NotebookEdit|WebFetch|mcp__(?!review-gate__)).*",
      "hooks": [{
        "type": "command",
        "command": "'/opt/review gate/bin/review-gate' permit claude-code",
        "timeout": 10
      }]
    }],
    "PostToolUseFailure": [{
      "matcher": "^(Bash|Edit|MultiEdit|Write|NotebookEdit|WebFetch|mcp__(?!review-gate__)).*",
      "hooks": [{
        "type": "command",
        "command": "'/opt/review gate/bin/review-gate' permit claude-code",
        "timeout": 10
      }]
    }]
  }
}
"#
    );
    assert_eq!(
        text(Client::Codex),
        r#"{
  "hooks": {
    "PermissionRequest": [{
      "matcher": "*",
      "hooks": [{
        "type": "command",
        "command": "'/opt/review gate/bin/review-gate' permit codex",
        "statusMessage": "Asked in Review Gate; Esc stops",
        "timeout": 600
      }]
    }]
  }
}
"#
    );
    let plugin = text(Client::OpenCode);
    assert!(
        plugin.contains("const PROGRAM = \"/opt/review gate/bin/review-gate\"\nconst ENVIRONMENT = {}\n"),
        "{plugin}"
    );
}

/// Files with hooks of the person's, in the form that Claude Code and Codex share.
const THEIRS: &[&str] = &[
    "",
    "{}",
    "{}\n",
    "{\"hooks\":{}}",
    "{\n  \"hooks\": {}\n}\n",
    "{\n  \"hooks\": {\n    \"PermissionRequest\": []\n  }\n}\n",
    "{\"hooks\":{\"PermissionRequest\":[{\"matcher\":\"Bash\",\"hooks\":[{\"type\":\"command\",\"command\":\"a\"}]}]}}",
    "{\n  \"hooks\": {\n    \"Stop\": [\n      {\n        \"hooks\": [{ \"type\": \"command\", \"command\": \"b\" }]\n      }\n    ]\n  }\n}\n",
    "{\n  \"hooks\": {\n    \"PermissionRequest\": [\n      {\n        \"matcher\": \"Edit\",\n        \"hooks\": [\n          {\n            \"type\": \"command\",\n            \"command\": \"review-gate ask\"\n          }\n        ]\n      }\n    ],\n    \"Stop\": []\n  }\n}\n",
    "{\r\n\t\"hooks\": {\r\n\t\t\"PermissionRequest\": [\r\n\t\t\t{ \"matcher\": \"\", \"hooks\": [] }\r\n\t\t]\r\n\t}\r\n}\r\n",
    "\u{feff}{\n  \"hooks\": {\n    \"PermissionRequest\": [{\n      \"hooks\": [{ \"type\": \"command\", \"command\": \"书\" }]\n    }]\n  }\n}",
];

#[test]
fn hooks_of_the_persons_stay_as_they_are() {
    for client in [Client::ClaudeCode, Client::Codex] {
        for before in THEIRS {
            for touched in [false, true] {
                let world = World::new();
                let file = file(&world, client, Scope::User);
                write(&file, before);
                let everything = world.everything();
                world.connect(client, Scope::User, QUESTIONS).unwrap_or_else(|fault| panic!("{before:?}: {fault}"));
                let text = fs::read_to_string(&file).unwrap();
                let mut rest = text.chars();
                let kept = before.chars().filter(|c| !c.is_whitespace()).all(|wanted| rest.any(|c| c == wanted));
                assert!(kept, "{client:?}: something else changed:\n{text}");
                let bare = text.replace("\r\n", "").contains('\n');
                assert!(!(bare && before.contains("\r\n")), "{client:?}: lines end as they did:\n{text:?}");
                let whole: Value = serde_json::from_str(text.trim_start_matches('\u{feff}')).unwrap();
                let groups = whole["hooks"]["PermissionRequest"].as_array().unwrap();
                let ours = groups.last().unwrap()["hooks"][0]["command"].as_str().unwrap();
                assert!(ours.ends_with(&format!("permit {}", client.id())), "ours is the last: {text}");
                assert_eq!(ways(&world, client).len(), 1, "{client:?}: and is known again:\n{text}");
                if touched {
                    fs::write(&file, format!("{text}\n")).unwrap();
                }
                world.disconnect(client, Scope::User).unwrap();
                if touched {
                    let left = fs::read_to_string(&file).unwrap();
                    let read = |text: &str| serde_json::from_str::<Value>(text.trim_start_matches('\u{feff}').trim());
                    let before = if before.is_empty() { "{}" } else { before };
                    assert_eq!(read(&left).unwrap(), read(before).unwrap(), "{client:?}: only ours goes:\n{left}");
                } else {
                    assert_eq!(world.everything(), everything, "{client:?}: to the byte: {before:?}");
                }
            }
        }
    }
}

#[test]
fn permission_to_ask_and_the_hook_share_a_file_and_part_again() {
    let world = World::new();
    let both = Options { allow: true, ..QUESTIONS };
    let plan = world.connector.plan_connect(Client::ClaudeCode, Scope::User, both).unwrap();
    let settings = file(&world, Client::ClaudeCode, Scope::User);
    assert_eq!(plan.changes.iter().filter(|change| change.path == settings).count(), 1, "it is written once");
    let untouched = world.everything();
    world.connect(Client::ClaudeCode, Scope::User, Options { allow: true, ..PLAIN }).unwrap();
    let allowed = world.everything();
    world.connect(Client::ClaudeCode, Scope::User, QUESTIONS).unwrap();
    without(&world, Client::ClaudeCode, Scope::User);
    assert_eq!(world.everything(), allowed, "the permission to ask stays");
    world.connect(Client::ClaudeCode, Scope::User, both).unwrap();
    world.disconnect(Client::ClaudeCode, Scope::User).unwrap();
    assert_eq!(world.everything(), untouched, "and goes with the connection");
}

#[test]
fn codex_trusts_by_place_so_what_stands_behind_ours_keeps_its_own() {
    let world = World::new();
    let file = file(&world, Client::Codex, Scope::User);
    world.connect(Client::Codex, Scope::User, QUESTIONS).unwrap();
    let theirs = json!({ "matcher": "Bash", "hooks": [{ "type": "command", "command": "theirs" }] });
    let mut whole: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    whole["hooks"]["PermissionRequest"].as_array_mut().unwrap().push(theirs.clone());
    fs::write(&file, whole.to_string()).unwrap();
    without(&world, Client::Codex, Scope::User);
    let left: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    let place = json!({ "matcher": "*", "hooks": [] });
    assert_eq!(left, json!({ "hooks": { "PermissionRequest": [place, theirs] } }), "theirs is the second still");
    world.connect(Client::Codex, Scope::User, QUESTIONS).unwrap();
    let way = ways(&world, Client::Codex);
    assert_eq!(way[0].trusted, Some(false), "nobody has told Codex to trust it");
    let key = format!("{}:permission_request:2:0", file.display());
    let config = world.home().join(".codex/config.toml");
    let trusted =
        format!("{}\n[hooks.state.{key:?}]\ntrusted_hash = \"sha256:1\"\n", fs::read_to_string(&config).unwrap());
    fs::write(&config, trusted).unwrap();
    assert_eq!(ways(&world, Client::Codex)[0].trusted, Some(true), "at its place, which is the last");
}

#[test]
fn codex_has_it_where_the_person_has_their_hooks() {
    let theirs = "model = 'x'\n\n[[hooks.PermissionRequest]]\nmatcher = 'Bash'\n\n[[hooks.PermissionRequest.hooks]]\ntype = 'command'\ncommand = 'theirs'\n\n[tui]\ntheme = 'dark'\n";
    let world = World::new();
    let config = world.write(Client::Codex, theirs);
    let everything = world.everything();
    world.connect(Client::Codex, Scope::User, QUESTIONS).unwrap();
    assert!(!file(&world, Client::Codex, Scope::User).exists(), "hooks in both files make Codex warn at each start");
    let text = fs::read_to_string(&config).unwrap();
    assert!(text.starts_with(theirs), "{text}");
    let hook = "\n[[hooks.PermissionRequest]]\nmatcher = \"*\"\nhooks = [{ type = \"command\", command = \"'/opt/review gate/bin/review-gate' permit codex\", statusMessage = \"Asked in Review Gate; Esc stops\", timeout = 600 }]\n";
    assert!(text.ends_with(hook), "it is the last:\n{text}");
    assert_eq!(ways(&world, Client::Codex).len(), 1, "and is known again");
    world.disconnect(Client::Codex, Scope::User).unwrap();
    assert_eq!(world.everything(), everything, "to the byte");

    world.connect(Client::Codex, Scope::User, PLAIN).unwrap();
    let connected = fs::read_to_string(&config).unwrap();
    world.connect(Client::Codex, Scope::User, QUESTIONS).unwrap();
    let behind = "\n[[hooks.PermissionRequest]]\nmatcher = 'Edit'\nhooks = []\n";
    fs::write(&config, fs::read_to_string(&config).unwrap() + behind).unwrap();
    without(&world, Client::Codex, Scope::User);
    let place = "\n[[hooks.PermissionRequest]]\nmatcher = \"*\"\nhooks = []\n";
    assert_eq!(fs::read_to_string(&config).unwrap(), format!("{connected}{place}{behind}"), "a place is kept");

    let trust = World::new();
    trust.write(Client::Codex, "[hooks.state.\"x:stop:0:0\"]\ntrusted_hash = \"sha256:1\"\n");
    trust.connect(Client::Codex, Scope::User, QUESTIONS).unwrap();
    assert!(file(&trust, Client::Codex, Scope::User).exists(), "what Codex knows of trust is no hook");
}

#[test]
fn what_the_person_changed_about_our_hook_stays_and_an_older_program_goes() {
    let world = World::with_program("/new/review-gate");
    let file = file(&world, Client::ClaudeCode, Scope::User);
    let of = |program: &str| {
        let hook = json!({ "type": "command", "command": format!("{program} permit claude-code"), "timeout": 60 });
        json!([{ "matcher": "Bash", "hooks": [hook] }])
    };
    let read = || serde_json::from_str::<Value>(&fs::read_to_string(&file).unwrap()).unwrap();
    write(&file, &json!({ "hooks": { "PermissionRequest": of("/old/review-gate") } }).to_string());
    world.connect(Client::ClaudeCode, Scope::User, QUESTIONS).unwrap();
    assert_eq!(read()["hooks"]["PermissionRequest"], of("/new/review-gate"), "its time and its matcher are theirs");
    let mut beside = read();
    let hooks = beside["hooks"]["PermissionRequest"][0]["hooks"].as_array_mut().unwrap();
    hooks.push(json!({ "type": "command", "command": "theirs" }));
    fs::write(&file, beside.to_string()).unwrap();
    without(&world, Client::ClaudeCode, Scope::User);
    let theirs = json!([{ "matcher": "Bash", "hooks": [{ "type": "command", "command": "theirs" }] }]);
    assert_eq!(read()["hooks"]["PermissionRequest"], theirs, "a hook of theirs in our group stays in it");
}

#[test]
fn a_call_of_our_tool_that_the_person_wrote_is_one_and_is_not_doubled() {
    let world = World::new();
    let file = file(&world, Client::ClaudeCode, Scope::User);
    let hook = json!({ "type": "mcp_tool", "server": "review-gate", "tool": "review_gate_permission" });
    write(&file, &json!({ "hooks": { "PermissionRequest": [{ "hooks": [hook] }] } }).to_string());
    let plan = world.connector.plan_connect(Client::ClaudeCode, Scope::User, QUESTIONS).unwrap();
    assert!(plan.changes.iter().all(|change| change.path != file || !change.is_any()), "each would be a question");
    assert_eq!(ways(&world, Client::ClaudeCode)[0].program, None, "it starts no program");
}

#[test]
fn clients_that_cannot_hand_them_over_say_why_and_are_left_alone() {
    for client in Client::ALL.into_iter().filter(|client| !ABLE.contains(client)) {
        let world = World::new();
        let before = world.everything();
        let fault = world.connect(client, Scope::User, QUESTIONS).expect_err("it has no way");
        assert_eq!(fault.code, Code::InvalidInput, "{client:?}: {fault}");
        assert!(fault.message.contains(client.title()), "{client:?} is named: {fault}");
        let fault = world.connector.plan_without_questions(client, Scope::User).expect_err("nor anything to take out");
        assert_eq!(fault.code, Code::InvalidInput, "{client:?}: {fault}");
        assert_eq!(world.everything(), before, "{client:?}: nothing is written, not even the entry");
        assert_eq!((client.hands_over_questions(), ways(&world, client)), (false, Vec::new()), "{client:?}");
    }
    let why = |client: Client| client.questions_fault().unwrap().message;
    assert!(why(Client::Gemini).contains("None of its hooks can allow"), "{}", why(Client::Gemini));
    assert!(why(Client::Cursor).contains("each call would be a question"), "{}", why(Client::Cursor));
}

#[test]
fn a_file_that_is_something_else_is_named_and_left_alone() {
    for (client, text) in [
        (Client::ClaudeCode, "{\"hooks\": []}"),
        (Client::ClaudeCode, "{\"hooks\": {\"PermissionRequest\": {}}}"),
        (Client::ClaudeCode, "{ broken"),
        (Client::Codex, "[]"),
        (Client::OpenCode, "export const Mine = async () => ({})\n"),
    ] {
        let world = World::new();
        let file = file(&world, client, Scope::User);
        write(&file, text);
        let before = world.everything();
        let fault = world.connect(client, Scope::User, QUESTIONS).expect_err(text);
        assert_eq!(fault.code, Code::ClientFile, "{text}: {fault}");
        assert!(fault.message.contains(file.to_str().unwrap()), "it is named: {fault}");
        assert_eq!(world.everything(), before, "{text}: nothing is written, not even the entry");
        world.connect(client, Scope::User, PLAIN).unwrap();
        world.disconnect(client, Scope::User).unwrap_or_else(|fault| panic!("it isn't in the way: {fault}"));
        assert_eq!(world.everything(), before, "{text}");
    }
}

#[test]
fn what_nobody_remembers_is_known_again_and_goes() {
    for client in ABLE {
        let world = World::new();
        world.connect(client, Scope::User, QUESTIONS).unwrap();
        fs::remove_dir_all(world.data()).unwrap();
        world.disconnect(client, Scope::User).unwrap();
        assert_eq!(ways(&world, client), [], "{client:?}: it would start a program that may be gone");
    }
}
