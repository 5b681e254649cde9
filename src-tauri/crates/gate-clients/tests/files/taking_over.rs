//! Entries that are there already: older ones of ours, Review Gate V2, others of our name.

use std::fs;

use gate_clients::{Client, Connector, Options, Remark, Scope, Start, State, TimeOut, configured, waits};
use gate_core::Code;
use serde_json::json;

use crate::world::World;

const PLAIN: Options = Options { rules: false, take_over: false, allow: false, questions: false, toolsets: None };
const TAKE_OVER: Options = Options { rules: false, take_over: true, allow: false, questions: false, toolsets: None };
const V2: &str = "{\n  \"mcpServers\": {\n    \"review-gate-v2\": {\n      \"command\": \"/x/venv/bin/python\",\n      \"args\": [\"/x/review_gate_v2_mcp.py\"]\n    },\n    \"a\": {}\n  }\n}\n";

#[test]
fn review_gate_v2_stays_unless_it_is_to_go() {
    let world = World::new();
    let file = world.write(Client::Cursor, V2);
    let plan = world.connector.plan_connect(Client::Cursor, Scope::User, PLAIN).unwrap();
    assert_eq!(plan.remarks, [Remark::OlderStays("review-gate-v2".into(), file.clone())], "the person is told");
    let states = gate_clients::states(world.connector.folders());
    assert!(states[0].elsewhere && !states[0].connected, "the page offers to take it over");

    world.connect(Client::Cursor, Scope::User, TAKE_OVER).unwrap();
    let text = fs::read_to_string(&file).unwrap();
    assert!(!text.contains("v2") && text.contains("\"a\": {}"), "only that entry went:\n{text}");
    assert!(world.is_connected(Client::Cursor, Scope::User), "and ours came");
    world.disconnect(Client::Cursor, Scope::User).unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap(), V2, "disconnecting gives it back, too");
}

#[test]
fn an_older_entry_of_ours_learns_the_new_place_and_keeps_the_rest() {
    let world = World::new();
    let before = "{\n  \"mcpServers\": {\n    \"review-gate\": {\n      \"disabled\": true, // for now\n      \"command\": \"/old/review-gate\",\n      \"timeout\": 90\n    }\n  }\n}\n";
    let file = world.write(Client::Cline, before);
    world.connect(Client::Cline, Scope::User, PLAIN).unwrap();
    assert_eq!(
        fs::read_to_string(&file).unwrap(),
        "{\n  \"mcpServers\": {\n    \"review-gate\": {\n      \"disabled\": true, // for now\n      \"command\": \"/opt/review gate/bin/review-gate\",\n      \"timeout\": 90,\n      \"args\": [\"mcp\"]\n    }\n  }\n}\n",
        "what the person chose stays: that it is off, and how long it waits"
    );
    let plan = world.connector.plan_disconnect(Client::Cline, Scope::User).unwrap();
    assert_eq!(plan.remarks, [Remark::EarlierEntry(file.clone())], "the entry from before comes back, and is named");
    world.connector.carry_out(&plan).unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap(), before);
    world.disconnect(Client::Cline, Scope::User).unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap(), "{\n  \"mcpServers\": {}\n}\n", "a second time takes it out");
}

#[test]
fn a_moved_program_is_followed_and_the_first_file_still_given_back() {
    let old = World::with_program("/old/review-gate");
    let before = "{\"mcpServers\":{}}";
    let file = old.write(Client::Cursor, before);
    old.connect(Client::Cursor, Scope::User, PLAIN).unwrap();
    let start = Start { program: "/new/review-gate".into(), home: None };
    let moved = Connector::new(old.connector.folders().clone(), old.data(), start);
    let plan = moved.plan_connect(Client::Cursor, Scope::User, PLAIN).unwrap();
    moved.carry_out(&plan).unwrap();
    assert!(fs::read_to_string(&file).unwrap().contains("/new/review-gate"), "it starts the new one");
    moved.carry_out(&moved.plan_disconnect(Client::Cursor, Scope::User).unwrap()).unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap(), before, "the file from before both");
}

#[test]
fn a_connection_over_http_is_the_persons_own() {
    let world = World::new();
    let before = "{\"mcpServers\": {\"review-gate\": {\"url\": \"http://127.0.0.1:8321/mcp\"}}}";
    let file = world.write(Client::Cursor, before);
    let plan = world.connector.plan_connect(Client::Cursor, Scope::User, PLAIN).unwrap();
    assert_eq!((plan.is_any(), plan.remarks), (false, vec![Remark::OverHttp(file.clone())]));
    world.connect(Client::Cursor, Scope::User, TAKE_OVER).unwrap();
    let text = fs::read_to_string(&file).unwrap();
    assert!(!text.contains("8321") && world.is_connected(Client::Cursor, Scope::User), "unless it is to go: {text}");
}

#[test]
fn another_server_of_our_name_is_not_overwritten() {
    let world = World::new();
    let before = "[mcp_servers.review-gate]\ncommand = \"npx\"\nargs = [\"review-gate-of-others\"]\n";
    let file = world.write(Client::Codex, before);
    let fault = world.connect(Client::Codex, Scope::User, PLAIN).expect_err("it is somebody else's");
    assert_eq!(fault.code, Code::NameTaken, "{fault}");
    assert!(fault.message.contains("npx"), "what it starts is named: {fault}");
    assert_eq!(fs::read_to_string(&file).unwrap(), before, "and left");
}

#[test]
fn what_files_say_is_read_for_doctor_and_for_the_gate() {
    let world = World::new();
    world.connect(Client::Codex, Scope::User, PLAIN).unwrap();
    world.connect(Client::Zed, Scope::Project, PLAIN).unwrap();
    world.write(Client::Cursor, V2);
    world.write(Client::Gemini, "{ broken");
    let all = configured(world.connector.folders());
    let seen: Vec<_> = all
        .iter()
        .map(|found| (found.client, found.scope, found.entries.as_ref().map(Vec::len).ok(), found.time_out))
        .collect();
    assert_eq!(
        seen,
        [
            (Client::Cursor, Scope::User, Some(1), TimeOut::NoKey),
            (Client::Codex, Scope::User, Some(1), TimeOut::Raised),
            (Client::Zed, Scope::Project, Some(1), TimeOut::Raised),
            (Client::Gemini, Scope::User, None, TimeOut::NotRaised),
        ]
    );
    assert_eq!(waits(world.connector.folders()), [(Client::Codex, 3600)], "a project's file says nothing of others");
}

#[test]
fn opencode_2_gets_its_own_shape() {
    let world = World::new();
    let file = world.write(Client::OpenCode, "{\n  \"mcp\": {\n    \"servers\": {}\n  }\n}\n");
    world.connect(Client::OpenCode, Scope::User, PLAIN).unwrap();
    let text = fs::read_to_string(&file).unwrap();
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        value["mcp"]["servers"]["review-gate"],
        serde_json::json!({
            "type": "local", "command": ["/opt/review gate/bin/review-gate", "mcp"], "timeout": { "request": 3_600_000 },
        }),
        "as the file has its servers: {text}"
    );
}

#[test]
fn opencode_with_comments_in_its_name_is_the_one_in_use() {
    let world = World::new();
    let folder = world.home().join(".config/opencode");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("opencode.jsonc"), "{\n  // mine\n}\n").unwrap();
    let done = world.connect(Client::OpenCode, Scope::User, PLAIN).unwrap();
    assert_eq!(done.files, [folder.join("opencode.jsonc")], "and not a second one beside it");
}

#[test]
fn a_gate_with_a_home_of_its_own_is_named_to_its_clients() {
    let portable = |world: &World| {
        let start = Start { program: "/opt/review-gate".into(), home: Some("/portable".into()) };
        Connector::new(world.connector.folders().clone(), world.data(), start)
    };
    for (client, before, after) in [
        (
            Client::Cursor,
            "{\n  \"mcpServers\": {\n    \"review-gate\": {\n      \"command\": \"/old/review-gate\",\n      \"args\": [\"mcp\"],\n      \"env\": {\n        \"MINE\": \"1\"\n      }\n    }\n  }\n}\n",
            "{\n  \"mcpServers\": {\n    \"review-gate\": {\n      \"command\": \"/opt/review-gate\",\n      \"args\": [\"mcp\"],\n      \"env\": {\n        \"MINE\": \"1\",\n        \"REVIEW_GATE_HOME\": \"/portable\"\n      }\n    }\n  }\n}\n",
        ),
        (
            Client::Codex,
            "[mcp_servers.review-gate]\ncommand = \"/opt/review-gate\"\nargs = [\"mcp\"]\n\n[mcp_servers.review-gate.env]\nMINE = '1'\n",
            "[mcp_servers.review-gate]\ncommand = \"/opt/review-gate\"\nargs = [\"mcp\"]\ntool_timeout_sec = 3600\n\n[mcp_servers.review-gate.env]\nMINE = '1'\nREVIEW_GATE_HOME = \"/portable\"\n",
        ),
    ] {
        let world = World::new();
        let file = world.write(client, before);
        let connector = portable(&world);
        connector.carry_out(&connector.plan_connect(client, Scope::User, PLAIN).unwrap()).unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), after, "{client:?}: beside the person's own variables");
        connector.carry_out(&connector.plan_disconnect(client, Scope::User).unwrap()).unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), before, "{client:?}");
    }
}

#[test]
fn continues_own_file_is_the_persons_where_they_wrote_in_it() {
    let world = World::new();
    let file = world.file(Client::Continue, Scope::User).unwrap();
    world.connect(Client::Continue, Scope::User, PLAIN).unwrap();
    let mine = fs::read_to_string(&file).unwrap() + "    env: {MINE: '1'}\n";
    fs::write(&file, &mine).unwrap();
    let plan = world.connector.plan_connect(Client::Continue, Scope::User, PLAIN).unwrap();
    assert!(!plan.is_any(), "it starts what it should, and more is theirs");
    fs::write(&file, format!("{mine}  - name: other\n    command: x\n")).unwrap();
    let fault = world.disconnect(Client::Continue, Scope::User).expect_err("another server would go with it");
    assert_eq!(fault.code, Code::ClientFile, "{fault}");
    fs::write(&file, &mine).unwrap();
    world.disconnect(Client::Continue, Scope::User).unwrap();
    assert!(!file.exists(), "with ours alone it goes");
}

#[test]
fn a_project_that_is_the_users_own_folder_is_connected_until_both_are_gone() {
    let world = World::new();
    let folders = world.connector.folders().clone().with_project(world.home());
    let both = Connector::new(folders, world.data(), Start { program: "/opt/review-gate".into(), home: None });
    let before = world.everything();
    for scope in [Scope::User, Scope::Project] {
        both.carry_out(&both.plan_connect(Client::Cursor, scope, PLAIN).unwrap()).unwrap();
    }
    let file = world.home().join(".cursor/mcp.json");
    both.carry_out(&both.plan_disconnect(Client::Cursor, Scope::Project).unwrap()).unwrap();
    assert!(file.exists(), "the user is connected still");
    both.carry_out(&both.plan_disconnect(Client::Cursor, Scope::User).unwrap()).unwrap();
    assert_eq!(world.everything(), before);
}

/// What `claude mcp add` leaves in Claude Code's file for a scope: the user, or one folder.
fn added(command: &str, folder: Option<&std::path::Path>) -> String {
    let servers = json!({ "review-gate": { "type": "stdio", "command": command, "args": ["mcp"], "env": {} } });
    let whole = match folder {
        None => json!({ "mcpServers": servers, "projects": { "/gone": { "mcpServers": servers } } }),
        Some(folder) => json!({ "projects": { folder.to_str().unwrap(): { "mcpServers": servers } } }),
    };
    serde_json::to_string_pretty(&whole).unwrap()
}

fn claude(world: &World) -> State {
    let states = gate_clients::states(world.connector.folders());
    states.into_iter().find(|state| state.client == Client::ClaudeCode).unwrap()
}

#[test]
fn claude_codes_own_command_for_the_user_is_a_connection() {
    let world = World::new();
    world.write(Client::ClaudeCode, added("/opt/review gate/bin/review-gate", None));
    let state = claude(&world);
    assert!(state.connected && state.folders.is_empty(), "everywhere; what is gone counts for nothing: {state:?}");
    let plan = world.connector.plan_connect(Client::ClaudeCode, Scope::User, PLAIN).unwrap();
    assert_eq!((plan.is_any(), plan.remarks), (false, vec![]), "nothing is left to do");
}

#[test]
fn claude_codes_own_command_for_a_project_is_a_connection() {
    let world = World::new();
    let servers = json!({ "mcpServers": { "review-gate": { "command": "/opt/review-gate", "args": ["mcp"] } } });
    fs::write(world.project().join(".mcp.json"), servers.to_string()).unwrap();
    assert!(claude(&world).connected, "in this project");
}

#[test]
fn an_entry_for_one_folder_is_named_and_stays() {
    let world = World::new();
    let folder = world.project();
    let file = world.write(Client::ClaudeCode, added("/old/review-gate", Some(&folder)));
    let state = claude(&world);
    assert!(!state.connected, "elsewhere its agents can't ask");
    assert_eq!(state.folders, std::slice::from_ref(&folder));
    let rows = configured(world.connector.folders());
    let found: Vec<_> = rows.iter().filter(|row| row.folder.is_some()).collect();
    let [row] = found.as_slice() else { panic!("one row is of a folder: {rows:?}") };
    assert_eq!((row.client, row.scope, &row.path), (Client::ClaudeCode, Scope::User, &file));
    assert_eq!(row.entries.as_ref().unwrap()[0].command.as_deref(), Some("/old/review-gate"), "doctor looks at it");

    let told = [Remark::OfFolder(folder, file.clone())];
    let plan = world.connector.plan_connect(Client::ClaudeCode, Scope::User, PLAIN).unwrap();
    assert_eq!(plan.remarks, told, "it holds before the one for everywhere");
    world.connector.carry_out(&plan).unwrap();
    assert!(world.is_connected(Client::ClaudeCode, Scope::User) && claude(&world).connected, "connected everywhere");
    assert!(fs::read_to_string(&file).unwrap().contains("/old/review-gate"), "the client's own entry stays");
    let plan = world.connector.plan_disconnect(Client::ClaudeCode, Scope::User).unwrap();
    assert_eq!(plan.remarks, told, "and goes on connecting it there");
}

#[test]
fn an_entry_for_one_folder_that_starts_the_same_needs_no_word() {
    let world = World::new();
    let program = "/opt/review gate/bin/review-gate";
    world.write(Client::ClaudeCode, added(program, Some(&world.project())));
    let plan = world.connector.plan_connect(Client::ClaudeCode, Scope::User, PLAIN).unwrap();
    assert_eq!((plan.is_any(), plan.remarks), (true, vec![]), "it is connected everywhere besides");
}
